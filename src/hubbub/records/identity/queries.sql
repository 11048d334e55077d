-- find_provider
-- point
-- reads: identity_providers
SELECT jwks_url, secret, issuer, audience, uid_claim, creates_users, valid_after, updated_at
FROM identity_providers WHERE app_id = :app_id;

-- store_provider
INSERT INTO identity_providers (app_id, jwks_url, secret, issuer, audience, uid_claim,
    creates_users, valid_after, updated_at)
VALUES (:app_id, :jwks_url, :secret, :issuer, :audience, :uid_claim, :creates_users,
    :valid_after, :updated_at)
ON CONFLICT (app_id) DO UPDATE SET jwks_url = excluded.jwks_url, secret = excluded.secret,
    issuer = excluded.issuer, audience = excluded.audience, uid_claim = excluded.uid_claim,
    creates_users = excluded.creates_users, valid_after = excluded.valid_after,
    updated_at = excluded.updated_at;

-- delete_provider
DELETE FROM identity_providers WHERE app_id = :app_id;

-- revoke_of_user
-- Only in an app that has a provider.
-- reads: identity_providers
INSERT INTO jwt_revocations (app_id, holder, valid_after)
SELECT :app_id, CAST(:holder AS TEXT), CAST(:at AS BIGINT)
FROM identity_providers p WHERE p.app_id = :app_id
ON CONFLICT (app_id, holder) DO UPDATE SET valid_after = excluded.valid_after
RETURNING valid_after;

-- forget_revocations
-- Of JWTs that have ended by now.
DELETE FROM jwt_revocations WHERE app_id = :app_id AND valid_after < :before;

-- find_holder
-- The user of a JWT if they are active or not there, and up to when their JWTs are revoked.
-- reads: users, jwt_revocations
SELECT
    (SELECT u.uid FROM users u WHERE u.app_id = :app_id AND u.uid = :uid
        AND u.deactivated_at IS NULL AND u.deleted_at IS NULL),
    (SELECT r.valid_after FROM jwt_revocations r WHERE r.app_id = :app_id AND r.holder = :holder);
