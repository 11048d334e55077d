-- Muids that rise with time, as those made from a clock or a counter: entries that are written together
-- are neighbours in an index that begins with the muid, and far apart in one that begins with the sender.
DROP INDEX messages_by_muid;
CREATE UNIQUE INDEX messages_by_muid ON messages (app_id, muid, sender) WHERE muid IS NOT NULL;
