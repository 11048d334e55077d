-- insert_token
INSERT INTO auth_tokens (app_id, uid, hash, sealed, created_at, expires_at, device, number)
SELECT :app_id, :uid, :hash, :sealed, CAST(:created_at AS BIGINT), CAST(:expires_at AS BIGINT),
    CAST(:device AS TEXT), coalesce(max(t.number), 0) + 1
FROM auth_tokens t WHERE t.app_id = :app_id AND t.uid = :uid;

-- fragment token_columns
uid, sealed, created_at, platform, user_agent, app_info, device, expires_at, hash

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

-- find_session
-- The token of a user whose keyed hash begins with the id of a session.
-- reads: auth_tokens
SELECT hash FROM auth_tokens
WHERE app_id = :app_id AND uid = :uid AND hash >= :id AND hash < CAST(:id AS TEXT) || 'g' LIMIT 1;

-- list_sessions
-- Newest first.
-- reads: auth_tokens
SELECT hash, created_at, platform, user_agent, device, expires_at FROM auth_tokens
WHERE app_id = :app_id AND uid = :uid AND (expires_at IS NULL OR expires_at > :now)
ORDER BY number DESC LIMIT :limit OFFSET :offset;

-- count_sessions
-- reads: auth_tokens
SELECT count(*) FROM auth_tokens
WHERE app_id = :app_id AND uid = :uid AND (expires_at IS NULL OR expires_at > :now);

-- note_end
INSERT INTO token_ends (app_id, next_at) VALUES (:app_id, :at)
ON CONFLICT (app_id) DO UPDATE SET next_at = excluded.next_at
WHERE token_ends.next_at > excluded.next_at;

-- list_apps_with_ended
-- reads: token_ends
SELECT app_id FROM token_ends WHERE next_at <= :now;

-- move_end
-- To the next token that ends, after those that had ended were deleted.
-- reads: auth_tokens
UPDATE token_ends SET next_at = (
    SELECT min(t.expires_at) FROM auth_tokens t
    WHERE t.app_id = :app_id AND t.expires_at IS NOT NULL
)
WHERE app_id = :app_id AND EXISTS (
    SELECT 1 FROM auth_tokens t WHERE t.app_id = :app_id AND t.expires_at IS NOT NULL
);

-- delete_end
-- None of its tokens ends.
DELETE FROM token_ends WHERE app_id = :app_id AND next_at <= :now;

-- list_ended
-- reads: auth_tokens
SELECT uid, hash FROM auth_tokens
WHERE app_id = :app_id AND expires_at <= :now ORDER BY expires_at, hash LIMIT :limit;

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
