-- claim_key
-- Waits for another transaction with the same key. An expired key is free, even if its row exists.
INSERT INTO idempotency_keys (app_id, hash, request, answer, created_at)
VALUES (:app_id, :hash, :request, '', :created_at)
ON CONFLICT (app_id, hash) DO UPDATE
    SET request = excluded.request, answer = '', created_at = excluded.created_at
    WHERE idempotency_keys.created_at <= :expired;

-- store_answer
UPDATE idempotency_keys SET answer = :answer WHERE app_id = :app_id AND hash = :hash;

-- find_key
-- point
-- reads: idempotency_keys
SELECT request, answer, created_at FROM idempotency_keys
WHERE app_id = :app_id AND hash = :hash;

-- find_expired_key
-- reads: idempotency_keys
SELECT hash FROM idempotency_keys
WHERE app_id = :app_id AND created_at <= :expired ORDER BY created_at LIMIT 1;

-- delete_expired_keys
DELETE FROM idempotency_keys
WHERE app_id = :app_id AND created_at <= :expired AND (app_id, hash) IN (
    SELECT app_id, hash FROM idempotency_keys
    WHERE app_id = :app_id AND created_at <= :expired ORDER BY created_at LIMIT :limit);
