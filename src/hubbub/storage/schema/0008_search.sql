-- SQLite cuts the texts of search entries itself: all entries are made again, in the background.

-- former_upto: messages up to this id are found by their former entries until theirs are made.
ALTER TABLE search_positions ADD COLUMN former_upto BIGINT NOT NULL DEFAULT 0;
CREATE INDEX search_positions_by_former ON search_positions (app_id) WHERE former_upto > 0;

-- former_message_entries has the entries that SQLite has had until now; PostgreSQL's stay in use.
{trigram table: message_entries, formerly: former_message_entries};
UPDATE search_positions SET former_upto = coalesce(
    (SELECT c.message FROM counters c WHERE c.app_id = search_positions.app_id), 0)
WHERE EXISTS (SELECT 1 FROM former_message_entries);
