-- insert_receipt
-- bulk
INSERT INTO receipts (app_id, conversation, uid, kind, after_id, upto_id, at)
VALUES (:app_id, :conversation, :uid, :kind, :after_id, :upto_id, :at)
ON CONFLICT (app_id, conversation, uid, kind, upto_id) DO NOTHING;

-- find_covering
-- The first stretch that reaches a message; one of a row of look-ups.
-- reads: receipts
SELECT conversation, uid, kind, after_id, upto_id, at FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
    AND upto_id >= :message
ORDER BY upto_id LIMIT 1;

-- find_newest
-- How far somebody's receipts reach.
-- reads: receipts
SELECT conversation, uid, kind, after_id, upto_id, at FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
ORDER BY upto_id DESC LIMIT 1;
