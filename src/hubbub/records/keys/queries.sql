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

-- find_credential
-- Finds the app of a key or token, before the app of the request is known.
-- point
-- reads: credentials
SELECT app_id, kind FROM credentials WHERE hash = :hash;
