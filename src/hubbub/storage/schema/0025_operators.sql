-- People who use the console. app: the only app that they may see, '' if they may see all. totp: the sealed secret of
-- their one-time codes, totp_step: the last step of which a code was taken, so that none is taken twice.
CREATE TABLE operators (
    name TEXT NOT NULL PRIMARY KEY CHECK (length(name) <= 64),
    role TEXT NOT NULL,
    app TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    totp TEXT,
    totp_step BIGINT NOT NULL,
    created_at BIGINT NOT NULL
) {key table};

-- Who is signed in at the console. hash: of the token in the cookie.
CREATE TABLE operator_sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    operator TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
) {key table};
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator);

-- What operators changed, and which secrets and contents they looked at. It is kept for as long as the installation.
-- at: in milliseconds. app: '' if it concerns the whole installation; not app_id, since the rows outlast the app.
-- before, after: JSON.
CREATE TABLE audit (
    at BIGINT NOT NULL,
    id TEXT NOT NULL,
    operator TEXT NOT NULL,
    app TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    before TEXT,
    after TEXT,
    address TEXT NOT NULL,
    PRIMARY KEY (at, id)
) {key table};
CREATE INDEX audit_by_app ON audit (app, at, id);
{append only: audit};
