-- Reminders of messages that users have set for themselves: one for each user and message. They stand in the queue
-- 'reminders' of scheduled_queues. remind_at, created_at: seconds. due_at: milliseconds, later if it was put off.
CREATE TABLE reminders (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    message BIGINT NOT NULL,
    remind_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, message)
) {warm};
CREATE INDEX reminders_by_due ON reminders (app_id, due_at, uid, message);
CREATE INDEX reminders_by_time ON reminders (app_id, uid, remind_at, message);
CREATE INDEX reminders_by_message ON reminders (app_id, message);
