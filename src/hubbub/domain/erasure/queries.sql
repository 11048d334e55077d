-- insert_erasure
INSERT INTO erasures
    (app_id, kind, subject, upto_message, upto_event, requested_at)
VALUES
    (:app_id, :kind, :subject, :upto_message, :upto_event, :requested_at)
ON CONFLICT (app_id, kind, subject, upto_event) DO NOTHING;

-- insert_erasures_of_conversations
-- reads: participants, conversations
INSERT INTO erasures (app_id, kind, subject, upto_message, upto_event, requested_at)
SELECT :app_id, 'conversation', CAST(c.number AS TEXT), CAST(:upto_message AS BIGINT),
    CAST(:upto_event AS BIGINT), CAST(:requested_at AS BIGINT)
FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.uid = :uid AND c.kind = 'user';

-- list_erasures
-- The work that is left, in every app: the installation's own table.
-- reads: erasures
SELECT app_id, kind, subject, upto_message, upto_event FROM erasures
ORDER BY app_id, kind, subject LIMIT :limit;

-- find_erased_senders
-- Up to which message the former holders of uids are being erased.
-- reads: erasures
SELECT subject, max(upto_message) FROM erasures
WHERE app_id = :app_id AND kind = 'sender' AND subject = ANY(:uids) GROUP BY subject;

-- find_erased_people
-- Up to which event the former holders of uids are being erased.
-- reads: erasures
SELECT subject, max(upto_event) FROM erasures
WHERE app_id = :app_id AND kind = 'sender' AND subject = ANY(:uids) GROUP BY subject;

-- delete_erasure
DELETE FROM erasures
WHERE app_id = :app_id AND kind = :kind AND subject = :subject AND upto_event = :upto_event;

-- delete_receipts_of
DELETE FROM receipts WHERE app_id = :app_id AND (app_id, conversation, uid, kind, upto_id) IN (
    SELECT app_id, conversation, uid, kind, upto_id FROM receipts
    WHERE app_id = :app_id AND uid = :uid AND upto_id <= :upto LIMIT :limit);

-- delete_memberships_of
DELETE FROM memberships WHERE app_id = :app_id AND (app_id, conversation, uid, from_event) IN (
    SELECT app_id, conversation, uid, from_event FROM memberships
    WHERE app_id = :app_id AND uid = :uid AND from_event <= :upto LIMIT :limit);

-- delete_mentions_of
DELETE FROM mentions WHERE app_id = :app_id AND uid = :uid AND message IN (
    SELECT message FROM mentions
    WHERE app_id = :app_id AND uid = :uid AND message <= :upto LIMIT :limit);
