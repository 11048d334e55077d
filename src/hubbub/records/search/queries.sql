-- find_slot
-- point
-- reads: search_positions
SELECT slot FROM search_positions WHERE app_id = :app_id;

-- insert_slot
-- Two apps may ask for the same slot at once: one of them inserts nothing, and asks again.
INSERT INTO search_positions (app_id, slot, event)
SELECT :app_id, coalesce(max(slot), 0) + 1, 0 FROM search_positions WHERE TRUE
ON CONFLICT DO NOTHING;

-- lock_present
-- The locks keep messages from being deleted until their entries are there to be deleted, too.
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
-- The terms name an app, or conversations of one. With bounds on rowid, PostgreSQL's generic plan
-- would scan all entries between them.
-- reads: message_entries
SELECT rowid FROM message_entries WHERE {message_entries found by: :terms} LIMIT :limit;
