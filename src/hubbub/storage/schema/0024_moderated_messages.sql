-- The reasons that users choose from when they flag a message.
CREATE TABLE moderation_reasons (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {key table};

-- Who has flagged a message: a user, or a rule (then the uid is app_system's). number: the app's latest event at that
-- time, by which the flags of an erased user are told from those of the next holder of the uid.
CREATE TABLE message_flags (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    uid TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT,
    remark TEXT,
    number BIGINT NOT NULL,
    flagged_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, uid, rule)
) {key table};
CREATE INDEX message_flags_by_user ON message_flags (app_id, uid, number);

-- What is to be reviewed, and what was: a message that was flagged, or one that is held. kind: 'flagged' or 'held'.
-- status: 'pending', 'approved' or 'disapproved'. opened_at: the latest flag, or when it was sent.
CREATE TABLE reviews (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message BIGINT NOT NULL,
    status TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    reviewed_at BIGINT,
    reviewed_by TEXT,
    PRIMARY KEY (app_id, kind, message)
) {key table};
CREATE INDEX reviews_pending ON reviews (app_id, kind, opened_at, message) WHERE reviewed_at IS NULL;
CREATE INDEX reviews_done ON reviews (app_id, reviewed_at, message, kind) WHERE reviewed_at IS NOT NULL;
-- Messages that rules have blocked, which only their senders see. message: the id that is kept for it. draft: the message
-- as it would be sent, as JSON; NULL once it was delivered. matches: the rules that matched, as JSON.
CREATE TABLE held_messages (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    sender TEXT NOT NULL,
    muid TEXT,
    receiver_type TEXT NOT NULL,
    receiver TEXT NOT NULL,
    sent_at BIGINT NOT NULL,
    draft TEXT,
    matches TEXT NOT NULL,
    appeal TEXT,
    appealed_at BIGINT,
    PRIMARY KEY (app_id, message)
) {key table};
CREATE UNIQUE INDEX held_messages_by_muid ON held_messages (app_id, muid, sender) WHERE muid IS NOT NULL;
CREATE INDEX held_messages_by_sender ON held_messages (app_id, sender, message);
CREATE INDEX held_messages_by_receiver ON held_messages (app_id, receiver_type, receiver, message);
