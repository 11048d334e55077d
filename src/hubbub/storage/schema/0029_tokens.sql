-- When an auth token ends, in seconds; NULL: it does not end by itself. device: what it was made for, in any words.
ALTER TABLE auth_tokens ADD COLUMN expires_at BIGINT;
ALTER TABLE auth_tokens ADD COLUMN device TEXT CHECK (length(device) <= 200);
CREATE INDEX auth_tokens_ending ON auth_tokens (app_id, expires_at) WHERE expires_at IS NOT NULL;

-- When a token of an app ends next, or before that; an app none of whose tokens ends has no row.
CREATE TABLE token_ends (
    app_id TEXT NOT NULL PRIMARY KEY,
    next_at BIGINT NOT NULL
) {key table};

-- The identity provider of an app, whose JWTs are taken for auth tokens. secret: sealed; it has this or jwks_url.
-- valid_after: JWTs that were issued up to then are refused.
CREATE TABLE identity_providers (
    app_id TEXT NOT NULL PRIMARY KEY,
    jwks_url TEXT,
    secret TEXT,
    issuer TEXT NOT NULL,
    audience TEXT NOT NULL,
    uid_claim TEXT NOT NULL,
    creates_users BOOLEAN NOT NULL,
    valid_after BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) {key table};

-- holder: the keyed hash of the uid of a user whose JWTs are refused that were issued up to valid_after. Of a user
-- who is deleted for good it stays for a while: a JWT of theirs must not create them anew.
CREATE TABLE jwt_revocations (
    app_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    valid_after BIGINT NOT NULL,
    PRIMARY KEY (app_id, holder)
) {key table};
CREATE INDEX jwt_revocations_by_time ON jwt_revocations (app_id, valid_after);
