-- Notifications.

-- Providers ---------------------------------------------------------------------------------------

-- Those that an app has at most one of, by kind, such as 'sendgrid'. sealed: the secrets.
-- token_hash: of SendGrid, the keyed hash of the token with which it passes on replies.
CREATE TABLE channel_providers (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    config TEXT NOT NULL,
    sealed TEXT NOT NULL,
    token_hash TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    PRIMARY KEY (app_id, kind)
) {key table};

-- The log -----------------------------------------------------------------------------------------

-- What was decided and sent, for each person, channel and device. The first twelve digits of the id
-- are the time, in milliseconds and hexadecimal: rows are added at the end, and deleted at the start.
-- uid: whom it was for. entry: all of it, as JSON; the columns before it are for filters.
CREATE TABLE notification_logs (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) <= 24),
    uid TEXT NOT NULL,
    channel TEXT NOT NULL,
    provider TEXT,
    trigger_id TEXT NOT NULL,
    message BIGINT,
    reaction BIGINT,
    sent_at_ms BIGINT,
    category TEXT,
    type TEXT,
    sender TEXT,
    receiver TEXT,
    receiver_type TEXT,
    reaction_sender TEXT,
    reaction_receiver TEXT,
    is_triggered BOOLEAN NOT NULL,
    reason TEXT,
    is_success BOOLEAN,
    entry TEXT NOT NULL,
    PRIMARY KEY (app_id, id)
);
CREATE INDEX notification_logs_by_message ON notification_logs (app_id, message);
CREATE INDEX notification_logs_by_user ON notification_logs (app_id, uid);

-- Settings of apps, and preferences of users -----------------------------------------------------

-- settings: only what the app has set, as JSON.
CREATE TABLE notification_settings (
    app_id TEXT NOT NULL PRIMARY KEY,
    settings TEXT NOT NULL
) {key table};

-- choices: only what the user has chosen, as JSON.
CREATE TABLE notification_preferences (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    choices TEXT NOT NULL,
    PRIMARY KEY (app_id, uid)
) {key table};

-- until: in milliseconds.
CREATE TABLE muted_groups (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid)
) {key table};
CREATE INDEX muted_groups_by_user ON muted_groups (app_id, uid, conversation);

CREATE TABLE muted_users (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    muted TEXT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, muted)
) {key table};
CREATE INDEX muted_users_by_muted ON muted_users (app_id, muted, uid);

-- Registered push tokens, by a digest of the token. auth_hash: that of the auth token with which it
-- was registered; kind: 'alert' or 'voip'; number: the order of a user's registrations.
-- created_at, updated_at: in milliseconds.
CREATE TABLE devices (
    app_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    uid TEXT NOT NULL,
    auth_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    platform TEXT NOT NULL,
    token TEXT NOT NULL CHECK (length(token) <= 4096),
    provider_id TEXT CHECK (length(provider_id) <= 100),
    number BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, digest)
) {key table};
CREATE UNIQUE INDEX devices_by_auth_token ON devices (app_id, auth_hash, kind);
CREATE INDEX devices_by_user ON devices (app_id, uid, number);

-- How far the planning of an event with many people has come; event: 0 when none is begun.
CREATE TABLE notice_progress (
    app_id TEXT NOT NULL PRIMARY KEY,
    event BIGINT NOT NULL,
    after_uid TEXT NOT NULL
) {key table};

-- One row for each provider that has sent something: who sends, and when there is something to do.
-- Its lock comes before those of its bundles. due_at, leased_until, paused_until: milliseconds.
CREATE TABLE notice_queues (
    app_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    lease TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    paused_until BIGINT NOT NULL,
    PRIMARY KEY (app_id, provider)
) {warm};
CREATE INDEX notice_queues_by_due ON notice_queues (due_at);

-- What a provider is asked to send together; content: JSON.
CREATE TABLE notice_bundles (
    app_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    id TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (app_id, provider, id)
);
CREATE INDEX notice_bundles_by_due ON notice_bundles (app_id, provider, due_at);

-- E-mails and SMS about the unread messages after after_id; due_at: milliseconds, 2^53 if none has
-- come since the last one was sent.
CREATE TABLE unread_notices (
    app_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    uid TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    after_id BIGINT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, conversation, channel)
) {warm};
CREATE INDEX unread_notices_by_due ON unread_notices (app_id, due_at);

-- How many e-mails and SMS people were sent about conversations on a day of theirs.
CREATE TABLE notice_sums (
    app_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    uid TEXT NOT NULL,
    day TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, day, channel, conversation)
) {warm};
CREATE INDEX notice_sums_by_day ON notice_sums (app_id, day);

-- People who want no e-mail or SMS of the app.
CREATE TABLE unsubscribed (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    channel TEXT NOT NULL,
    PRIMARY KEY (app_id, uid, channel)
) {key table};
