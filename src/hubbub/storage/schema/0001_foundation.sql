-- The first schema. Times are seconds since 1970; JSON is opaque text; ids compare by code point.

-- The installation's own tables -----------------------------------------------------------------

CREATE TABLE apps (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) <= 63),
    name TEXT NOT NULL,
    region TEXT NOT NULL,
    version TEXT NOT NULL,
    owner TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    archived_at BIGINT
) {key table};
CREATE INDEX apps_by_age ON apps (created_at, id);

-- The app of a key or token, by its keyed hash, for calls that name no app.
CREATE TABLE credentials (
    hash TEXT NOT NULL PRIMARY KEY,
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL
) {key table};

-- Facts about the whole installation, such as the mark of its master key.
CREATE TABLE installation (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) {key table};

CREATE TABLE management_keys (
    hash TEXT NOT NULL PRIMARY KEY,
    secret_hash TEXT NOT NULL,
    place BIGINT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
) {key table};

-- What is erased in the background, in chunks, after its first transaction.
CREATE TABLE erasures (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    upto_message BIGINT NOT NULL,
    upto_event BIGINT NOT NULL,
    requested_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, kind, subject, upto_event)
) {key table};

-- Counters and the log ---------------------------------------------------------------------------

CREATE TABLE counters (
    app_id TEXT NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL,
    message BIGINT NOT NULL,
    event BIGINT NOT NULL,
    conversation BIGINT NOT NULL,
    sent_at BIGINT NOT NULL,
    users BIGINT NOT NULL,
    groups BIGINT NOT NULL
) {hot};

CREATE TABLE events (
    app_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (app_id, number)
) {key table};

-- Access ----------------------------------------------------------------------------------------

CREATE TABLE api_keys (
    app_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    sealed TEXT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) <= 100),
    scope TEXT NOT NULL,
    is_built_in BOOLEAN NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, hash)
) {key table};

CREATE TABLE auth_tokens (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    hash TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    number BIGINT NOT NULL,
    platform TEXT,
    user_agent TEXT,
    app_info TEXT,
    PRIMARY KEY (app_id, hash)
) {key table};
CREATE INDEX auth_tokens_by_user ON auth_tokens (app_id, uid, number);

CREATE TABLE roles (
    app_id TEXT NOT NULL,
    role TEXT NOT NULL CHECK (length(role) <= 100),
    name TEXT NOT NULL,
    description TEXT,
    metadata TEXT,
    list_users TEXT,
    send_messages_to TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    PRIMARY KEY (app_id, role)
) {key table};

-- People ----------------------------------------------------------------------------------------

-- touched_at is updated_at, or created_at before any update: the order of lists.
CREATE TABLE users (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL CHECK (length(uid) <= 100),
    name TEXT NOT NULL,
    avatar TEXT,
    link TEXT,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    status_message TEXT,
    metadata TEXT,
    tags TEXT NOT NULL,
    is_bot BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    touched_at BIGINT NOT NULL,
    last_active_at BIGINT,
    deactivated_at BIGINT,
    deleted_at BIGINT,
    PRIMARY KEY (app_id, uid)
) {key table};
CREATE INDEX users_active ON users (app_id, touched_at, uid)
    WHERE deactivated_at IS NULL AND deleted_at IS NULL;
CREATE INDEX users_not_deleted ON users (app_id, touched_at, uid) WHERE deleted_at IS NULL;
CREATE INDEX users_deactivated ON users (app_id, touched_at, uid)
    WHERE deactivated_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX users_by_role ON users (app_id, role, touched_at, uid) WHERE deleted_at IS NULL;
CREATE INDEX users_by_status ON users (app_id, status, touched_at, uid) WHERE deleted_at IS NULL;

-- Folded words of names and ids, for searches by prefix; kind is 'name' or 'uid'.
CREATE TABLE user_words (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    word TEXT NOT NULL,
    uid TEXT NOT NULL,
    PRIMARY KEY (app_id, kind, word, uid)
) {key table};

CREATE TABLE user_tags (
    app_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    uid TEXT NOT NULL,
    PRIMARY KEY (app_id, tag, uid)
) {key table};

CREATE TABLE contact_details (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    email TEXT CHECK (length(email) <= 254),
    phone_number TEXT CHECK (length(phone_number) <= 16),
    PRIMARY KEY (app_id, uid)
) {key table};

-- Groups ----------------------------------------------------------------------------------------

CREATE TABLE groups (
    app_id TEXT NOT NULL,
    guid TEXT NOT NULL CHECK (length(guid) <= 100),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    password_hash TEXT,
    icon TEXT,
    description TEXT,
    owner TEXT NOT NULL,
    metadata TEXT,
    tags TEXT NOT NULL,
    members_count BIGINT NOT NULL,
    conversation BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    updated_by TEXT,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, guid)
) {key table};
CREATE INDEX groups_by_age ON groups (app_id, touched_at, guid);
CREATE INDEX groups_by_name ON groups (app_id, name, guid);
CREATE INDEX groups_by_creation ON groups (app_id, created_at, guid);
CREATE INDEX groups_by_type ON groups (app_id, type, touched_at, guid);

CREATE TABLE group_words (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    word TEXT NOT NULL,
    guid TEXT NOT NULL,
    PRIMARY KEY (app_id, kind, word, guid)
) {key table};

CREATE TABLE group_tags (
    app_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    guid TEXT NOT NULL,
    PRIMARY KEY (app_id, tag, guid)
) {key table};

CREATE TABLE members (
    app_id TEXT NOT NULL,
    guid TEXT NOT NULL,
    uid TEXT NOT NULL,
    scope TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, guid, uid)
) {key table};
CREATE INDEX members_by_user ON members (app_id, uid, guid);
CREATE INDEX members_by_age ON members (app_id, guid, joined_at, uid);
CREATE INDEX members_by_scope ON members (app_id, guid, scope, joined_at, uid);

-- The range of event numbers in which a user was a member; open while they are.
CREATE TABLE memberships (
    app_id TEXT NOT NULL,
    guid TEXT NOT NULL,
    uid TEXT NOT NULL,
    from_event BIGINT NOT NULL,
    to_event BIGINT,
    PRIMARY KEY (app_id, guid, uid, from_event)
) {key table};
CREATE INDEX memberships_by_user ON memberships (app_id, uid, guid);

CREATE TABLE bans (
    app_id TEXT NOT NULL,
    guid TEXT NOT NULL,
    uid TEXT NOT NULL,
    scope TEXT NOT NULL,
    joined_at BIGINT,
    banned_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, guid, uid)
) {key table};
CREATE INDEX bans_by_user ON bans (app_id, uid, guid);
CREATE INDEX bans_by_age ON bans (app_id, guid, banned_at, uid);

-- Conversations and messages --------------------------------------------------------------------

-- A conversation is (kind, left_id, right_id): ('user', lesser uid, greater uid) or
-- ('group', guid, ''). All other tables refer to it by its number.
CREATE TABLE conversations (
    app_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    left_id TEXT NOT NULL,
    right_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    shown_id BIGINT NOT NULL,
    shown_at BIGINT NOT NULL,
    newest_sent_at BIGINT NOT NULL,
    counted BIGINT NOT NULL,
    PRIMARY KEY (app_id, number)
) {warm};
CREATE UNIQUE INDEX conversations_by_key ON conversations (app_id, kind, left_id, right_id);

CREATE TABLE participants (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    read_id BIGINT NOT NULL,
    read_count BIGINT NOT NULL,
    own BIGINT NOT NULL,
    floor_id BIGINT NOT NULL,
    floor_count BIGINT NOT NULL,
    hidden_id BIGINT NOT NULL,
    read_reached BIGINT NOT NULL,
    delivered_reached BIGINT NOT NULL,
    tags TEXT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid)
) {warm};
CREATE INDEX participants_by_user ON participants (app_id, uid, conversation);

-- counts: it counts as unread; ordinal: the number of counting messages up to it; shows: it may be
-- the lastMessage. A message deleted permanently leaves a tombstone: is_erased, without content.
CREATE TABLE messages (
    app_id TEXT NOT NULL,
    id BIGINT NOT NULL,
    conversation BIGINT NOT NULL,
    muid TEXT,
    sender TEXT NOT NULL,
    receiver_type TEXT NOT NULL,
    receiver TEXT NOT NULL,
    category TEXT NOT NULL,
    type TEXT NOT NULL,
    parent_id BIGINT,
    quoted_id BIGINT,
    data TEXT NOT NULL,
    tags TEXT NOT NULL,
    options TEXT,
    sent_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    edited_at BIGINT,
    edited_by TEXT,
    deleted_at BIGINT,
    deleted_by TEXT,
    delivered_at BIGINT,
    read_at BIGINT,
    counts BOOLEAN NOT NULL,
    shows BOOLEAN NOT NULL,
    ordinal BIGINT NOT NULL,
    is_erased BOOLEAN NOT NULL,
    PRIMARY KEY (app_id, id)
) {key table};
CREATE INDEX messages_by_conversation ON messages (app_id, conversation, sent_at, id);
CREATE INDEX messages_by_age ON messages (app_id, sent_at, id);
-- One-to-one messages are found by their conversation; those in groups by sender, for erasure.
CREATE INDEX messages_to_groups ON messages (app_id, sender, id) WHERE receiver_type = 'group';
CREATE INDEX messages_by_parent ON messages (app_id, parent_id, sent_at, id)
    WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX messages_by_muid ON messages (app_id, sender, muid) WHERE muid IS NOT NULL;

CREATE TABLE message_tags (
    app_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (app_id, tag, conversation, message)
) {key table};

-- The ranges of messages that a user received, and when; kind is 'delivered' or 'read'.
CREATE TABLE receipts (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    kind TEXT NOT NULL,
    after_id BIGINT NOT NULL,
    upto_id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid, kind, upto_id)
) {key table};
CREATE INDEX receipts_by_message ON receipts (app_id, conversation, kind, upto_id, after_id);

-- Notifications ---------------------------------------------------------------------------------

-- kind is 'fcm' or 'apns'; place is the order in which the providers of a kind were added.
CREATE TABLE push_providers (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    provider_id TEXT NOT NULL CHECK (length(provider_id) <= 100),
    place BIGINT NOT NULL,
    config TEXT NOT NULL,
    sealed TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    PRIMARY KEY (app_id, kind, provider_id)
) {key table};
CREATE UNIQUE INDEX push_providers_default ON push_providers (app_id, kind) WHERE is_default;
