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
-- Erasures of the next app that has any. This reads the table across apps.
-- reads: erasures
SELECT app_id, kind, subject, upto_message, upto_event FROM erasures
WHERE app_id = (SELECT min(e.app_id) FROM erasures e WHERE e.app_id > :after)
ORDER BY kind, subject LIMIT :limit;

-- find_erased_senders
-- For each uid, the last message of its former holders that is being erased.
-- reads: erasures
SELECT subject, max(upto_message) FROM erasures
WHERE app_id = :app_id AND kind = 'sender' AND subject = ANY(:uids) GROUP BY subject;

-- find_erased_people
-- For each uid, the last event whose traces of former holders are being erased.
-- reads: erasures
SELECT subject, max(upto_event) FROM erasures
WHERE app_id = :app_id AND kind = 'sender' AND subject = ANY(:uids) GROUP BY subject;

-- count_pending
-- Those of an app that were requested up to a time. The table has few rows.
-- reads: erasures
SELECT count(*) FROM erasures WHERE app_id = :app_id AND requested_at <= :at;

-- delete_erasure
DELETE FROM erasures
WHERE app_id = :app_id AND kind = :kind AND subject = :subject AND upto_event = :upto_event;

-- delete_receipts_of
-- The condition bounds the rows by the last key of the chunk instead of listing the keys: without
-- statistics PostgreSQL's planner would scan the table for each key of a list.
DELETE FROM receipts WHERE app_id = :app_id AND uid = :uid AND upto_id <= :upto
    AND (conversation, kind, upto_id) <= (
        SELECT conversation, kind, upto_id FROM (
            SELECT conversation, kind, upto_id FROM receipts
            WHERE app_id = :app_id AND uid = :uid AND upto_id <= :upto
            ORDER BY conversation, kind, upto_id LIMIT :limit
        ) AS found ORDER BY conversation DESC, kind DESC, upto_id DESC LIMIT 1);

-- delete_memberships_of
DELETE FROM memberships WHERE app_id = :app_id AND uid = :uid AND from_event <= :upto
    AND (conversation, from_event) <= (
        SELECT conversation, from_event FROM (
            SELECT conversation, from_event FROM memberships
            WHERE app_id = :app_id AND uid = :uid AND from_event <= :upto
            ORDER BY conversation, from_event LIMIT :limit
        ) AS found ORDER BY conversation DESC, from_event DESC LIMIT 1);

-- end_memberships_in
UPDATE memberships SET to_event = :to_event
WHERE app_id = :app_id AND conversation = :conversation AND to_event IS NULL
    AND (uid, from_event) <= (
        SELECT uid, from_event FROM (
            SELECT uid, from_event FROM memberships
            WHERE app_id = :app_id AND conversation = :conversation AND to_event IS NULL
            ORDER BY uid, from_event LIMIT :limit
        ) AS found ORDER BY uid DESC, from_event DESC LIMIT 1);

-- forget_only_member
-- The receipt left out what the user sent as the only member. These messages are erased, and to all
-- others in its range the receipt applies.
UPDATE receipts SET alone = NULL
WHERE app_id = :app_id AND (app_id, conversation, uid, kind, upto_id) IN (
    SELECT app_id, conversation, uid, kind, upto_id FROM receipts
    WHERE app_id = :app_id AND alone = :uid AND upto_id <= :upto LIMIT :limit);
