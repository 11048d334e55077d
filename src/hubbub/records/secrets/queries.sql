-- list_api_keys
-- reads: api_keys
SELECT hash, sealed FROM api_keys
WHERE app_id = :app_id AND hash > :after ORDER BY hash LIMIT :limit;

-- reseal_api_key
UPDATE api_keys SET sealed = :sealed WHERE app_id = :app_id AND hash = :row AND sealed = :former;

-- list_auth_tokens
-- reads: auth_tokens
SELECT hash, sealed FROM auth_tokens
WHERE app_id = :app_id AND hash > :after ORDER BY hash LIMIT :limit;

-- reseal_auth_token
UPDATE auth_tokens SET sealed = :sealed WHERE app_id = :app_id AND hash = :row AND sealed = :former;

-- list_identity_secrets
-- reads: identity_providers
SELECT app_id, secret FROM identity_providers
WHERE app_id = :app_id AND app_id > :after AND secret IS NOT NULL LIMIT :limit;

-- reseal_identity_secret
UPDATE identity_providers SET secret = :sealed
WHERE app_id = :app_id AND app_id = :row AND secret = :former;

-- list_answers
-- reads: idempotency_keys
SELECT hash, answer FROM idempotency_keys
WHERE app_id = :app_id AND hash > :after ORDER BY hash LIMIT :limit;

-- reseal_answer
UPDATE idempotency_keys SET answer = :sealed
WHERE app_id = :app_id AND hash = :row AND answer = :former;

-- list_moderation_secrets
-- reads: moderation_secrets
SELECT name, sealed FROM moderation_secrets
WHERE app_id = :app_id AND name > :after ORDER BY name LIMIT :limit;

-- reseal_moderation_secret
UPDATE moderation_secrets SET sealed = :sealed
WHERE app_id = :app_id AND name = :row AND sealed = :former;

-- list_push_providers
-- reads: push_providers
SELECT kind || '/' || provider_id, sealed FROM push_providers
WHERE app_id = :app_id AND kind || '/' || provider_id > :after
ORDER BY 1 LIMIT :limit;

-- reseal_push_provider
UPDATE push_providers SET sealed = :sealed
WHERE app_id = :app_id AND kind || '/' || provider_id = :row AND sealed = :former;

-- list_channel_providers
-- reads: channel_providers
SELECT kind, sealed FROM channel_providers
WHERE app_id = :app_id AND kind > :after ORDER BY kind LIMIT :limit;

-- reseal_channel_provider
UPDATE channel_providers SET sealed = :sealed
WHERE app_id = :app_id AND kind = :row AND sealed = :former;

-- list_webhook_passwords
-- reads: webhooks
SELECT id, password FROM webhooks
WHERE app_id = :app_id AND id > :after AND password IS NOT NULL ORDER BY id LIMIT :limit;

-- reseal_webhook_password
UPDATE webhooks SET password = :sealed
WHERE app_id = :app_id AND id = :row AND password = :former;

-- list_webhook_secrets
-- reads: webhooks
SELECT id, secret FROM webhooks WHERE app_id = :app_id AND id > :after ORDER BY id LIMIT :limit;

-- reseal_webhook_secret
UPDATE webhooks SET secret = :sealed WHERE app_id = :app_id AND id = :row AND secret = :former;

-- list_former_webhook_secrets
-- reads: webhooks
SELECT id, former_secret FROM webhooks
WHERE app_id = :app_id AND id > :after AND former_secret IS NOT NULL ORDER BY id LIMIT :limit;

-- reseal_former_webhook_secret
UPDATE webhooks SET former_secret = :sealed
WHERE app_id = :app_id AND id = :row AND former_secret = :former;

-- list_totp_secrets
-- Operators are of no app: they are gone over with what is of the installation.
-- reads: operators
SELECT name, totp FROM operators
WHERE CAST(:app_id AS TEXT) = '' AND name > :after AND totp IS NOT NULL ORDER BY name LIMIT :limit;

-- reseal_totp_secret
UPDATE operators SET totp = :sealed WHERE name = :row AND totp = :former;
