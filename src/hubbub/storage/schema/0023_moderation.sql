-- The rules of moderation, with their revisions, and the lists of words and patterns that they refer to:
-- docs/decisions/moderation.md. A rule or list that the product brings along has a row once an app has changed it.

-- revision: the newest, which is the one that holds. number: that of the event which announced it.
CREATE TABLE moderation_rules (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) <= 100),
    revision BIGINT NOT NULL,
    is_enabled BOOLEAN NOT NULL,
    number BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {key table};

-- content: name, description, filters, conditions and actions, as JSON.
CREATE TABLE moderation_rule_revisions (
    app_id TEXT NOT NULL,
    rule TEXT NOT NULL,
    revision BIGINT NOT NULL,
    content TEXT NOT NULL,
    is_enabled BOOLEAN NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, rule, revision)
) {key table};

-- terms: words, patterns or sentences, as JSON. length: their characters in all.
CREATE TABLE moderation_lists (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) <= 100),
    revision BIGINT NOT NULL,
    number BIGINT NOT NULL,
    category TEXT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) <= 100),
    description TEXT CHECK (length(description) <= 255),
    is_csv BOOLEAN NOT NULL,
    terms TEXT NOT NULL,
    length BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {key table};

-- The secret with which calls to the custom engine are signed, sealed.
CREATE TABLE moderation_secrets (
    app_id TEXT NOT NULL,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (app_id, name)
) {key table};
