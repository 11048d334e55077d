-- insert_mention
-- bulk
INSERT INTO mentions (app_id, uid, message, number) VALUES (:app_id, :uid, :message, :number)
ON CONFLICT (app_id, uid, message) DO NOTHING;

-- list_of_messages
-- Without users who are being erased.
-- reads: mentions, erasures
SELECT n.message, n.uid FROM mentions n
WHERE n.app_id = :app_id AND n.message = ANY(:messages) AND {is_after_erasure(n.number, n.uid)}
ORDER BY n.message, n.uid;

-- list_mentioning
-- reads: mentions
SELECT DISTINCT message FROM mentions WHERE app_id = :app_id AND message = ANY(:messages);

-- list_of_user
-- Up to an event: later mentions are of a new user with the same uid.
-- reads: mentions
SELECT message FROM mentions
WHERE app_id = :app_id AND uid = :uid AND number <= :upto ORDER BY message LIMIT :limit;

-- delete_of_user
DELETE FROM mentions WHERE app_id = :app_id AND uid = :uid AND message = ANY(:messages);

-- delete_of_messages
DELETE FROM mentions WHERE app_id = :app_id AND message = ANY(:messages);
