-- lock_counters
-- The write lock of an app; taken before any other row of it.
-- reads: counters
SELECT epoch, message, event, conversation, sent_at, users, groups, settings
FROM counters WHERE app_id = :app_id FOR UPDATE;

-- store_counters
UPDATE counters SET message = :message, event = :event, conversation = :conversation,
    sent_at = :sent_at, users = :users, groups = :groups
WHERE app_id = :app_id;

-- insert_counters
INSERT INTO counters (app_id, epoch, message, event, conversation, sent_at, users, groups)
VALUES (:app_id, :epoch, 0, 0, 0, 0, 0, 0);

-- delete_counters
DELETE FROM counters WHERE app_id = :app_id;

-- insert_event
-- bulk
INSERT INTO events (app_id, number, id, name, at, body)
VALUES (:app_id, :number, :id, :name, :at, :body);

-- list_events
-- reads: events
SELECT number, id, name, at, body FROM events
WHERE app_id = :app_id AND number > :after ORDER BY number LIMIT :limit;
