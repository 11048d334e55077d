-- insert_key
INSERT INTO api_keys
    (app_id, hash, sealed, name, scope, is_built_in, created_by, created_at)
VALUES (:app_id, :hash, :sealed, :name, :scope, :is_built_in, :created_by, :created_at);

-- insert_credential
INSERT INTO credentials (hash, app_id, kind) VALUES (:hash, :app_id, :kind);

-- delete_credential
DELETE FROM credentials WHERE hash = :hash AND app_id = :app_id;

-- fragment key_columns
sealed, name, scope, created_by, created_at, is_built_in, hash

-- find_key
-- point
-- reads: api_keys
SELECT {key_columns} FROM api_keys
WHERE app_id = :app_id AND hash = :hash;

-- list_keys
-- reads: api_keys
SELECT {key_columns} FROM api_keys
WHERE app_id = :app_id ORDER BY created_at DESC, name DESC, hash;

-- update_key
UPDATE api_keys SET name = :name, scope = :scope WHERE app_id = :app_id AND hash = :hash;

-- delete_key
DELETE FROM api_keys WHERE app_id = :app_id AND hash = :hash;

-- fragment select_credentials
SELECT c.hash, c.app_id,
    (SELECT k.scope FROM api_keys k WHERE k.app_id = c.app_id AND k.hash = c.hash),
    (SELECT u.uid FROM auth_tokens t JOIN users u ON u.app_id = t.app_id AND u.uid = t.uid
     WHERE t.app_id = c.app_id AND t.hash = c.hash
        AND u.deactivated_at IS NULL AND u.deleted_at IS NULL),
    (SELECT t.expires_at FROM auth_tokens t WHERE t.app_id = c.app_id AND t.hash = c.hash)
FROM credentials c

-- find_credential
-- Finds a key with its scope, or a token with its user if they are active, before the app of the
-- request is known.
-- point
-- reads: credentials, api_keys, auth_tokens, users
{select_credentials} WHERE c.hash = :hash;

-- find_credentials
-- reads: credentials, api_keys, auth_tokens, users
{select_credentials} WHERE c.hash = ANY(:hashes);
