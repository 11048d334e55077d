-- Sign-ins by an OpenID provider that were used, so that none is used twice. hash: of the state. ends_at: when it would
-- be refused for its age, too.
CREATE TABLE operator_sign_ins (
    hash TEXT NOT NULL PRIMARY KEY,
    ends_at BIGINT NOT NULL
) {key table};
