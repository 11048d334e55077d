-- insert_receipt
-- bulk
INSERT INTO receipts (app_id, conversation, uid, kind, after_id, upto_id, at, alone)
VALUES (:app_id, :conversation, :uid, :kind, :after_id, :upto_id, :at, :alone)
ON CONFLICT (app_id, conversation, uid, kind, upto_id) DO NOTHING;

-- list_covering
-- The first stretches that reach a message, and those after it; one of a row of look-ups.
-- reads: receipts
SELECT conversation, uid, kind, after_id, upto_id, at, alone FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
    AND upto_id >= :message
ORDER BY upto_id LIMIT :limit;

-- find_newest
-- How far somebody's receipts reach.
-- reads: receipts
SELECT conversation, uid, kind, after_id, upto_id, at, alone FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
ORDER BY upto_id DESC LIMIT 1;
