-- store_reminder
-- bulk
INSERT INTO reminders (app_id, {reminder_columns}) VALUES (:app_id, {reminder_columns(:)})
ON CONFLICT (app_id, uid, message) DO UPDATE
SET remind_at = excluded.remind_at, due_at = excluded.due_at, created_at = excluded.created_at;

-- find_reminder
-- point
-- reads: reminders
SELECT {reminder_columns} FROM reminders
WHERE app_id = :app_id AND uid = :uid AND message = :message;

-- lock_reminders
-- Of some users, about some messages: not all pairs need have been asked for.
-- reads: reminders
SELECT {reminder_columns} FROM reminders
WHERE app_id = :app_id AND uid = ANY(:uids) AND message = ANY(:messages)
ORDER BY uid, message FOR UPDATE;

-- list_due
-- reads: reminders
SELECT {reminder_columns} FROM reminders
WHERE app_id = :app_id AND due_at <= :now ORDER BY due_at, uid, message LIMIT :limit;

-- find_next_due
-- reads: reminders
SELECT min(due_at) FROM reminders WHERE app_id = :app_id;

-- count_of_user
-- reads: reminders
SELECT count(*) FROM reminders WHERE app_id = :app_id AND uid = :uid;

-- list_of_user
-- reads: reminders
SELECT {reminder_columns} FROM reminders
WHERE app_id = :app_id AND uid = :uid ORDER BY remind_at, message LIMIT :limit OFFSET :offset;

-- delete_reminder
DELETE FROM reminders WHERE app_id = :app_id AND uid = :uid AND message = :message;

-- delete_of_user
DELETE FROM reminders WHERE app_id = :app_id AND uid = :uid;

-- delete_of_messages
DELETE FROM reminders WHERE app_id = :app_id AND message = ANY(:messages);
