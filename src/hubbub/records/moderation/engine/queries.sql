-- find_secret
-- point
-- reads: moderation_secrets
SELECT sealed FROM moderation_secrets WHERE app_id = :app_id AND name = :name;

-- store_secret
INSERT INTO moderation_secrets (app_id, name, sealed) VALUES (:app_id, :name, :sealed)
ON CONFLICT (app_id, name) DO UPDATE SET sealed = excluded.sealed;

-- delete_secret
DELETE FROM moderation_secrets WHERE app_id = :app_id AND name = :name;
