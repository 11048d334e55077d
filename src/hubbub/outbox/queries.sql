-- lock_counters
-- The write lock of an app, taken before any other row of it.
-- reads: counters
SELECT epoch, message, event, conversation, sent_at, users, groups, settings, version, changed
FROM counters WHERE app_id = :app_id FOR UPDATE;

-- store_counters
-- Each transaction that writes raises the version by one: nobody else has raised it meanwhile.
-- guard
-- bulk
UPDATE counters SET message = :message, event = :event, conversation = :conversation,
    sent_at = :sent_at, users = :users, groups = :groups, version = :version, changed = :changed
WHERE app_id = :app_id AND epoch = :epoch AND version = :version - 1;

-- insert_counters
INSERT INTO counters (app_id, epoch, message, event, conversation, sent_at, users, groups)
VALUES (:app_id, :epoch, 0, 0, 0, 0, 0, 0);

-- insert_event
-- bulk
INSERT INTO events (app_id, number, id, name, at, body)
VALUES (:app_id, :number, :id, :name, :at, :body);

-- list_events
-- A row has the number of its last event.
-- reads: events
SELECT number, id, name, at, body FROM events
WHERE app_id = :app_id AND number > :after AND number <= :upto ORDER BY number LIMIT :limit;

-- find_position
-- point
-- reads: consumer_positions
SELECT event FROM consumer_positions WHERE app_id = :app_id AND consumer = :consumer;

-- lock_position
-- The lease: whoever holds the row works on the app's log, and other nodes skip it.
-- reads: consumer_positions
SELECT event FROM consumer_positions WHERE app_id = :app_id AND consumer = :consumer
FOR UPDATE SKIP LOCKED;

-- insert_position
INSERT INTO consumer_positions (app_id, consumer, event) VALUES (:app_id, :consumer, 0)
ON CONFLICT (app_id, consumer) DO NOTHING;

-- store_position
UPDATE consumer_positions SET event = :event WHERE app_id = :app_id AND consumer = :consumer;

-- list_behind
-- Apps whose log is longer than a consumer has read. This looks at one row of each app.
-- reads: apps, counters, consumer_positions
SELECT a.id, c.event FROM apps a JOIN counters c ON c.app_id = a.id
LEFT JOIN consumer_positions p ON p.app_id = a.id AND p.consumer = :consumer
WHERE c.event > coalesce(p.event, 0)
ORDER BY a.id LIMIT :limit;
