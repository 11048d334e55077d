-- find_slot
-- point
-- reads: search_positions
SELECT slot, former_upto FROM search_positions WHERE app_id = :app_id;

-- insert_slot
-- Two apps may ask for the same slot at once: one of them inserts nothing, and asks again.
INSERT INTO search_positions (app_id, slot, event)
SELECT :app_id, coalesce(max(slot), 0) + 1, 0 FROM search_positions WHERE TRUE
ON CONFLICT DO NOTHING;

-- list_sources
-- reads: messages
SELECT id, conversation, category, data FROM messages
WHERE app_id = :app_id AND id >= :first AND id <= :last AND is_erased = FALSE;

-- lock_present
-- The locks keep messages from being deleted until their entries are there to be deleted, too.
-- reads: messages
SELECT id FROM messages
WHERE app_id = :app_id AND id >= :first AND id <= :last AND is_erased = FALSE
ORDER BY id FOR UPDATE;

-- insert_entry
-- bulk
INSERT INTO message_entries (rowid, terms) VALUES (:rowid, {terms: :terms});

-- delete_entries
DELETE FROM message_entries WHERE rowid = ANY(:rowids);

-- delete_former_entries
DELETE FROM former_message_entries WHERE rowid = ANY(:rowids);

-- delete_entries_of_app
DELETE FROM message_entries WHERE rowid IN (
    SELECT rowid FROM message_entries WHERE rowid >= :first AND rowid <= :last LIMIT :limit);

-- delete_former_entries_of_app
DELETE FROM former_message_entries WHERE rowid IN (
    SELECT rowid FROM former_message_entries
    WHERE rowid >= :first AND rowid <= :last LIMIT :limit);

-- find_entries
-- The terms name an app, or conversations of one. With bounds on rowid, PostgreSQL's generic plan
-- would scan all entries between them.
-- reads: message_entries
SELECT rowid FROM message_entries WHERE {message_entries found by: :terms} LIMIT :limit;

-- find_former_entries
-- reads: former_message_entries
SELECT rowid FROM former_message_entries
WHERE {former_message_entries found by: :terms} LIMIT :limit;

-- list_former_apps
-- reads: search_positions
SELECT app_id FROM search_positions WHERE former_upto > 0;

-- store_former_upto
UPDATE search_positions SET former_upto = :upto WHERE app_id = :app_id;

-- find_any_former_entry
-- reads: former_message_entries
SELECT rowid FROM former_message_entries LIMIT 1;

-- empty_entries
{empty search table: message_entries};

-- empty_former_entries
{empty search table: former_message_entries};
