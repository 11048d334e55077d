-- lock_counters
-- The write lock of an app, taken before any other row of it.
-- reads: counters
SELECT epoch, message, event, conversation, sent_at, users, groups, settings, version, changed,
    presence
FROM counters WHERE app_id = :app_id FOR UPDATE;

-- store_counters
-- Each transaction that writes raises the version by one: nobody else has raised it meanwhile.
-- guard
-- bulk
UPDATE counters SET message = :message, event = :event, conversation = :conversation,
    sent_at = :sent_at, users = :users, groups = :groups, version = :version, changed = :changed,
    presence = :presence
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

-- list_events_named
-- Those of some names; a row has the number of its last event.
-- reads: events
SELECT number, id, name, at, body FROM events
WHERE app_id = :app_id AND number > :after AND number <= :upto AND name = ANY(:names)
ORDER BY number;

-- find_event_upto
-- reads: events
SELECT 1 FROM events WHERE app_id = :app_id AND number <= :upto LIMIT 1;

-- replace_body
-- bulk
UPDATE events SET body = :body
WHERE app_id = :app_id AND number = :number;

-- find_next_event
-- reads: events
SELECT number, body FROM events WHERE app_id = :app_id AND number > :after
ORDER BY number LIMIT 1;

-- find_next_name
-- reads: events
SELECT number, id, name, at, body FROM events WHERE app_id = :app_id AND number > :after
ORDER BY number LIMIT 1;

-- insert_set_aside
-- An event may be met again after the store was restored.
-- bulk
INSERT INTO set_aside_events (app_id, at, number, consumer, id, name, reason)
VALUES (:app_id, :at, :number, :consumer, :id, :name, :reason)
ON CONFLICT (app_id, at, number, consumer) DO NOTHING;

-- insert_unless_set_aside
-- For those who meet the same event again and again. An app has few of these rows.
INSERT INTO set_aside_events (app_id, at, number, consumer, id, name, reason)
SELECT :app_id, :at, :number, :consumer, :id, :name, :reason
WHERE NOT EXISTS (
    SELECT 1 FROM set_aside_events
    WHERE app_id = :app_id AND number = :number AND consumer = :consumer AND id = :id)
ON CONFLICT (app_id, at, number, consumer) DO NOTHING RETURNING number;

-- delete_excess_set_aside
DELETE FROM set_aside_events WHERE app_id = :app_id AND (at, number, consumer) <= (
    SELECT at, number, consumer FROM set_aside_events WHERE app_id = :app_id
    ORDER BY at DESC, number DESC, consumer DESC LIMIT 1 OFFSET :kept);

-- list_set_aside
-- reads: set_aside_events
SELECT at, number, consumer, id, name, reason FROM set_aside_events WHERE app_id = :app_id
ORDER BY at DESC, number DESC, consumer DESC LIMIT :limit OFFSET :offset;

-- count_set_aside
-- reads: set_aside_events
SELECT count(*) FROM set_aside_events WHERE app_id = :app_id;

-- count_all_set_aside
-- Of all apps.
-- reads: set_aside_events
SELECT app_id, consumer, count(*) FROM set_aside_events GROUP BY app_id, consumer
ORDER BY app_id, consumer;

-- list_apps_with_old
-- reads: set_aside_events
SELECT DISTINCT app_id FROM set_aside_events WHERE at < :before;

-- delete_old_set_aside
DELETE FROM set_aside_events WHERE app_id = :app_id AND at < :before;

-- list_numbers
-- The oldest events after a number with their times, but not those after another one.
-- reads: events
SELECT number, at FROM events WHERE app_id = :app_id AND number > :after AND number <= :upto
ORDER BY number LIMIT :limit;

-- delete_events
DELETE FROM events WHERE app_id = :app_id AND number <= :upto;

-- list_positions
-- reads: consumer_positions
SELECT consumer, event FROM consumer_positions WHERE app_id = :app_id;

-- find_newest
-- point
-- reads: counters
SELECT event FROM counters WHERE app_id = :app_id;

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
INSERT INTO consumer_positions (app_id, consumer, event) VALUES (:app_id, :consumer, :event)
ON CONFLICT (app_id, consumer) DO NOTHING;

-- store_position
UPDATE consumer_positions SET event = :event WHERE app_id = :app_id AND consumer = :consumer;

-- delete_position
DELETE FROM consumer_positions WHERE app_id = :app_id AND consumer = :consumer;

-- list_behind
-- Apps whose log is longer than a consumer has read: all of them, as any part of them would be the
-- same apps each time. This looks at one row of each app.
-- reads: apps, counters, consumer_positions
SELECT a.id, c.event, coalesce(p.event, 0) FROM apps a JOIN counters c ON c.app_id = a.id
LEFT JOIN consumer_positions p ON p.app_id = a.id AND p.consumer = :consumer
WHERE c.event > coalesce(p.event, 0);

-- list_started_behind
-- The same, of the apps where a consumer has a position.
-- reads: consumer_positions, counters
SELECT p.app_id, c.event, p.event FROM consumer_positions p JOIN counters c ON c.app_id = p.app_id
WHERE p.consumer = :consumer AND c.event > p.event;

-- count_lag
-- The events of all apps that a consumer has not covered. This looks at one row of each app.
-- reads: apps, counters, consumer_positions
SELECT coalesce(sum(c.event - coalesce(p.event, 0)), 0) FROM apps a
JOIN counters c ON c.app_id = a.id
LEFT JOIN consumer_positions p ON p.app_id = a.id AND p.consumer = :consumer;

-- count_started_lag
-- The same, of the apps where the consumer has a position.
-- reads: apps, counters, consumer_positions
SELECT coalesce(sum(c.event - p.event), 0) FROM apps a
JOIN counters c ON c.app_id = a.id
JOIN consumer_positions p ON p.app_id = a.id
WHERE p.consumer = :consumer;

-- find_head
-- point
-- reads: counters
SELECT epoch, event FROM counters WHERE app_id = :app_id;

-- list_heads
-- Of several apps.
-- reads: counters
SELECT app_id, epoch, event FROM counters WHERE app_id = ANY(:app_ids);
