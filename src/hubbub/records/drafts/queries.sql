-- store_draft
INSERT INTO drafts (app_id, {draft_columns}) VALUES (:app_id, {draft_columns(:)})
ON CONFLICT (app_id, uid, receiver_type, receiver) DO UPDATE
SET data = excluded.data, updated_at = excluded.updated_at;

-- find_draft
-- One of several look-ups.
-- point
-- reads: drafts
SELECT {draft_columns} FROM drafts
WHERE app_id = :app_id AND uid = :uid AND receiver_type = :receiver_type AND receiver = :receiver;

-- count_of_user
-- reads: drafts
SELECT count(*) FROM drafts WHERE app_id = :app_id AND uid = :uid;

-- list_of_user
-- reads: drafts
SELECT {draft_columns} FROM drafts WHERE app_id = :app_id AND uid = :uid
ORDER BY updated_at DESC, receiver_type DESC, receiver DESC LIMIT :limit OFFSET :offset;

-- delete_draft
DELETE FROM drafts WHERE app_id = :app_id AND uid = :uid
    AND receiver_type = :receiver_type AND receiver = :receiver;

-- delete_of_user
DELETE FROM drafts WHERE app_id = :app_id AND uid = :uid;

-- delete_to_receiver
DELETE FROM drafts
WHERE app_id = :app_id AND receiver_type = :receiver_type AND receiver = :receiver;
