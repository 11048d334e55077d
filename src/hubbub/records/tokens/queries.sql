-- insert_token
INSERT INTO auth_tokens (app_id, uid, hash, sealed, created_at, number)
SELECT :app_id, :uid, :hash, :sealed, :created_at, coalesce(max(t.number), 0) + 1
FROM auth_tokens t WHERE t.app_id = :app_id AND t.uid = :uid;

-- fragment token_columns
uid, sealed, created_at, platform, user_agent, app_info, hash

-- list_tokens
-- Newest first.
-- reads: auth_tokens
SELECT {token_columns} FROM auth_tokens
WHERE app_id = :app_id AND uid = :uid ORDER BY number DESC LIMIT :limit OFFSET :offset;

-- list_older_hashes
-- reads: auth_tokens
SELECT hash FROM auth_tokens WHERE app_id = :app_id AND uid = :uid
ORDER BY number DESC LIMIT :limit OFFSET :keep;

-- count_tokens
-- reads: auth_tokens
SELECT count(*) FROM auth_tokens WHERE app_id = :app_id AND uid = :uid;

-- find_token
-- point
-- reads: auth_tokens
SELECT {token_columns} FROM auth_tokens
WHERE app_id = :app_id AND hash = :hash;

-- list_sealed
-- reads: auth_tokens
SELECT hash, sealed FROM auth_tokens WHERE app_id = :app_id AND hash = ANY(:hashes);

-- find_issued
-- reads: auth_tokens
SELECT hash FROM auth_tokens WHERE app_id = :app_id AND hash = ANY(:hashes);

-- update_token
UPDATE auth_tokens SET platform = :platform, user_agent = :user_agent, app_info = :app_info
WHERE app_id = :app_id AND hash = :hash;

-- delete_token
DELETE FROM auth_tokens WHERE app_id = :app_id AND hash = :hash;
