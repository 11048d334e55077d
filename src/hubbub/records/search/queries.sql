-- find_position
-- point
-- reads: search_positions
SELECT slot, event FROM search_positions WHERE app_id = :app_id;

-- lock_position
-- Whoever holds the row indexes the app's log; others leave it to him.
-- reads: search_positions
SELECT slot, event FROM search_positions WHERE app_id = :app_id FOR UPDATE SKIP LOCKED;

-- insert_position
INSERT INTO search_positions (app_id, slot, event)
SELECT :app_id, coalesce(max(slot), 0) + 1, 0 FROM search_positions WHERE TRUE
ON CONFLICT DO NOTHING;

-- advance_position
UPDATE search_positions SET event = :event WHERE app_id = :app_id;

-- list_behind
-- Apps whose log goes on beyond what was indexed of it: a row for each app is looked at.
-- reads: apps, counters, search_positions
SELECT a.id FROM apps a JOIN counters c ON c.app_id = a.id
LEFT JOIN search_positions p ON p.app_id = a.id
WHERE c.event > coalesce(p.event, 0)
ORDER BY a.id LIMIT :limit;

-- list_events
-- reads: events
SELECT number, name, body FROM events
WHERE app_id = :app_id AND number > :after ORDER BY number LIMIT :limit;

-- lock_present
-- Nobody can delete them before their entries are there to be deleted with them.
-- reads: messages
SELECT id FROM messages WHERE app_id = :app_id AND id = ANY(:ids) AND is_erased = FALSE
ORDER BY id FOR UPDATE;

-- insert_entry
-- bulk
INSERT INTO message_entries (rowid, terms) VALUES (:rowid, {terms: :terms});

-- delete_entries
DELETE FROM message_entries WHERE rowid = ANY(:rowids);

-- delete_entries_of_app
DELETE FROM message_entries WHERE rowid IN (
    SELECT rowid FROM message_entries WHERE rowid >= :first AND rowid <= :last LIMIT :limit);

-- find_entries
-- The terms name an app, or conversations of one. With bounds for rowid, PostgreSQL would sooner or
-- later go through all entries between them.
-- reads: message_entries
SELECT rowid FROM message_entries WHERE {message_entries found by: :terms} LIMIT :limit;
