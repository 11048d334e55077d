-- find_holds
-- reads: legal_holds
SELECT kind, subject, since FROM legal_holds
WHERE app_id = :app_id AND kind = ANY(:kinds) AND subject = ANY(:subjects);

-- list_holds
-- reads: legal_holds
SELECT kind, subject, since FROM legal_holds
WHERE app_id = :app_id AND (kind, subject) > (:kind, :subject) ORDER BY kind, subject LIMIT :limit;

-- insert_hold
INSERT INTO legal_holds (app_id, kind, subject, since) VALUES (:app_id, :kind, :subject, :since)
ON CONFLICT (app_id, kind, subject) DO NOTHING;

-- delete_hold
DELETE FROM legal_holds WHERE app_id = :app_id AND kind = :kind AND subject = :subject;

-- find_rule
-- point
-- reads: retention_rules
SELECT {rule_columns} FROM retention_rules WHERE app_id = :app_id AND conversation = :conversation;

-- store_rule
INSERT INTO retention_rules (app_id, {rule_columns}) VALUES (:app_id, {rule_columns(:)})
ON CONFLICT (app_id, conversation) DO UPDATE SET days = excluded.days,
    disappear_after = excluded.disappear_after, disappear_from = excluded.disappear_from,
    since_id = excluded.since_id, due_at = excluded.due_at;

-- list_due_rules
-- reads: retention_rules
SELECT {rule_columns} FROM retention_rules
WHERE app_id = :app_id AND due_at <= :now ORDER BY due_at, conversation LIMIT :limit;

-- find_next_rule
-- reads: retention_rules
SELECT min(due_at) FROM retention_rules WHERE app_id = :app_id;

-- has_days
-- Whether a conversation of the app has days of its own that end.
-- reads: retention_rules
SELECT 1 FROM retention_rules WHERE app_id = :app_id AND days > 0 LIMIT 1;

-- hurry_rules
UPDATE retention_rules SET due_at = :now
WHERE app_id = :app_id AND due_at > :now AND due_at < :never;

-- put_off_rules
UPDATE retention_rules SET due_at = :later WHERE app_id = :app_id AND due_at < :later;

-- wake_rules
-- Those that have the app's times, or wait for the end of a hold.
UPDATE retention_rules SET due_at = :now
WHERE app_id = :app_id AND due_at > :now
    AND (disappear_after IS NULL OR disappear_after > 0);

-- adopt_rule
-- bulk
-- A rule that has its own times stays as it is.
INSERT INTO retention_rules (app_id, conversation, since_id, due_at)
VALUES (:app_id, :conversation, :since_id, :due_at)
ON CONFLICT (app_id, conversation) DO UPDATE SET since_id = excluded.since_id,
    due_at = excluded.due_at
WHERE retention_rules.disappear_after IS NULL;

-- list_numbers
-- reads: conversations
SELECT number FROM conversations WHERE app_id = :app_id AND number > :after
ORDER BY number LIMIT :limit;

-- fragment oldest_in(number)
(SELECT m.sent_at FROM messages m WHERE m.app_id = :app_id AND m.conversation = {number}
    ORDER BY m.sent_at LIMIT 1)

-- list_aged
-- Conversations from a number on.
-- reads: conversations, retention_rules, messages
SELECT c.number, r.days, {oldest_in(c.number)}
FROM conversations c
LEFT JOIN retention_rules r ON r.app_id = c.app_id AND r.conversation = c.number
WHERE c.app_id = :app_id AND c.number >= :at ORDER BY c.number LIMIT :limit;

-- list_aged_by_rule
-- The same of those with days of their own.
-- reads: retention_rules, messages
SELECT r.conversation, r.days, {oldest_in(r.conversation)}
FROM retention_rules r
WHERE r.app_id = :app_id AND r.conversation >= :at AND r.days > 0
ORDER BY r.conversation LIMIT :limit;

-- find_oldest
-- reads: messages
SELECT sent_at FROM messages WHERE app_id = :app_id AND conversation = :conversation
ORDER BY sent_at LIMIT 1;

-- fragment ageing_columns(m)
-- The fields of `Ageing` in order.
{m}.id, {m}.conversation, {m}.tags, {m}.sender, {m}.sent_at, {m}.counts, {m}.traits, {m}.muid,
    EXISTS (SELECT 1 FROM legal_holds h
        WHERE h.app_id = :app_id AND h.kind = 'user' AND h.subject = {m}.sender)

-- list_ageing
-- Those of a conversation after a place, sent before a time, in the order of the history.
-- reads: messages, legal_holds
SELECT {ageing_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation
    AND (m.sent_at, m.id) > (:sent_at, :id) AND m.sent_at < :before
ORDER BY m.sent_at, m.id LIMIT :limit;

-- list_disappearing
-- Those after an id and up to another one, of one sender or of all ('').
-- Those that grow, or whose sender is on hold, wait.
-- reads: messages, legal_holds
SELECT {ageing_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation
    AND +m.id > :after_id AND +m.id <= :upto_id AND (:sender = '' OR m.sender = :sender)
    AND (m.traits & :growing) = 0
    AND NOT EXISTS (SELECT 1 FROM legal_holds h
        WHERE h.app_id = :app_id AND h.kind = 'user' AND h.subject = m.sender)
ORDER BY m.sent_at, m.id LIMIT :limit;

-- list_read
-- By whom up to which message everything was read by a time: of single people, or for all members
-- of a group, which have uids from '' on that are not those of people.
-- reads: receipts
SELECT uid, max(upto_id) FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND kind = 'read'
    AND (uid = ANY(:uids) OR :is_group AND uid > :first AND uid < :last)
    AND upto_id > :after_id AND at <= :by
GROUP BY uid;

-- find_next_read
-- When something was read after that time.
-- reads: receipts
SELECT min(at) FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND kind = 'read'
    AND (uid = ANY(:uids) OR :is_group AND uid > :first AND uid < :last)
    AND upto_id > :after_id AND at > :by;

-- list_behind
-- The participants who have not read up to a message.
-- reads: participants
SELECT uid, read_id FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND read_id < :message;

-- count_less
-- bulk
UPDATE participants SET read_count = read_count + :count
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- open_queue
-- Locks it, too. A time of storing that is ahead of the clock stays: it has yet to be put right.
INSERT INTO retention_queues (app_id, due_at, lease, leased_until, stored_at, next_run_at, began_at,
    at_conversation, at_sent_at, at_id, messages, files, adopt_at, adopted, since_id)
VALUES (:app_id, :now, '', 0, :now, :never, 0, 0, 0, 0, 0, 0, :never, 0, 0)
ON CONFLICT (app_id) DO UPDATE SET due_at = excluded.due_at;

-- find_queue
-- point
-- reads: retention_queues
SELECT {queue_columns} FROM retention_queues WHERE app_id = :app_id;

-- lock_queue
-- reads: retention_queues
SELECT {queue_columns} FROM retention_queues WHERE app_id = :app_id FOR UPDATE;

-- store_queue
UPDATE retention_queues SET due_at = :due_at, lease = :lease, leased_until = :leased_until,
    stored_at = :stored_at, next_run_at = :next_run_at, began_at = :began_at,
    at_conversation = :at_conversation, at_sent_at = :at_sent_at, at_id = :at_id,
    messages = :messages, files = :files, adopt_at = :adopt_at, adopted = :adopted,
    since_id = :since_id
WHERE app_id = :app_id;

-- list_due_queues
-- Across apps, those with the earliest work that nobody is doing; and those that were stored before
-- the clock was set back, whose times say nothing.
-- reads: retention_queues
SELECT app_id, due_at FROM (
    SELECT app_id, due_at FROM retention_queues
    WHERE due_at <= :now AND (leased_until <= :now OR leased_until > :latest_lease)
    ORDER BY due_at LIMIT :limit
) AS due
UNION
SELECT app_id, due_at FROM (
    SELECT app_id, due_at FROM retention_queues
    WHERE stored_at > :ahead AND due_at < :before
        AND (leased_until <= :now OR leased_until > :latest_lease)
    LIMIT :limit
) AS former
ORDER BY 2, 1;

-- insert_run
INSERT INTO retention_runs (app_id, began_at, ended_at, messages, files)
VALUES (:app_id, :began_at, :ended_at, :messages, :files)
ON CONFLICT (app_id, began_at) DO NOTHING;

-- list_runs
-- The newest first; an app has few.
-- reads: retention_runs
SELECT {run_columns} FROM retention_runs WHERE app_id = :app_id
ORDER BY began_at DESC LIMIT :limit;

-- delete_old_runs
DELETE FROM retention_runs WHERE app_id = :app_id AND began_at <= (
    SELECT r.began_at FROM retention_runs r WHERE r.app_id = :app_id
    ORDER BY r.began_at DESC LIMIT 1 OFFSET :kept);
