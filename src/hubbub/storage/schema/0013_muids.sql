-- Apps make muids from the time or a counter, mostly: entries that are written together are neighbours
-- in an index that begins with the muid. In one that begins with the sender they are far apart.
DROP INDEX messages_by_muid;
CREATE UNIQUE INDEX messages_by_muid ON messages (app_id, muid, sender) WHERE muid IS NOT NULL;
