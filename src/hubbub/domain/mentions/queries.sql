-- insert_mention
-- bulk
INSERT INTO mentions (app_id, uid, message) VALUES (:app_id, :uid, :message)
ON CONFLICT (app_id, uid, message) DO NOTHING;

-- list_of_messages
-- reads: mentions
SELECT message, uid FROM mentions
WHERE app_id = :app_id AND message = ANY(:messages) ORDER BY message, uid;

-- delete_of_messages
DELETE FROM mentions WHERE app_id = :app_id AND message = ANY(:messages);
