-- What the console looks for among millions of rows: what was done to a subject, what a person was sent.
CREATE INDEX audit_by_subject ON audit (subject, at, id);

DROP INDEX notification_logs_by_user;
CREATE INDEX notification_logs_by_user ON notification_logs (app_id, uid, id);

-- Deleted messages, for who looks for them: sends do not write it.
CREATE INDEX messages_deleted_by_age ON messages (app_id, sent_at, id) WHERE deleted_at IS NOT NULL;

-- What waits longest for a review, in all apps.
CREATE INDEX reviews_by_wait ON reviews (opened_at, app_id) WHERE reviewed_at IS NULL;
