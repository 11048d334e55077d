-- Messages that are sent later: docs/decisions/scheduled-messages.md.

-- Who works on what is due in an app, and when the next one is. kind: what is due, such as 'messages'.
-- due_at, leased_until, stored_at: milliseconds. places: how many places in their order were given out.
CREATE TABLE scheduled_queues (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    lease TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    places BIGINT NOT NULL,
    PRIMARY KEY (app_id, kind)
) {warm};
CREATE INDEX scheduled_queues_by_due ON scheduled_queues (due_at);
CREATE INDEX scheduled_queues_by_storing ON scheduled_queues (stored_at);

-- lane: messages of a lane are sent one after the other. draft: the message as it would be sent, as JSON.
-- send_at, and the other times: seconds. due_at: milliseconds; 2^53 if it has failed and is not tried again.
-- place: the order of messages of the same time. is_by_token: whether a user's rates apply.
-- first_at: of a repeated message, its first time. version: raised with each change.
CREATE TABLE scheduled_messages (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) <= 32),
    sender TEXT NOT NULL,
    muid TEXT,
    receiver_type TEXT NOT NULL,
    receiver TEXT NOT NULL,
    lane TEXT NOT NULL,
    draft TEXT NOT NULL,
    send_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    place BIGINT NOT NULL,
    is_by_token BOOLEAN NOT NULL,
    first_at BIGINT NOT NULL,
    time_zone TEXT,
    repeat TEXT,
    version BIGINT NOT NULL,
    status TEXT NOT NULL,
    code TEXT,
    reason TEXT,
    failed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {warm};
CREATE INDEX scheduled_messages_by_due ON scheduled_messages (app_id, due_at, place);
CREATE INDEX scheduled_messages_by_time ON scheduled_messages (app_id, send_at, id);
CREATE INDEX scheduled_messages_by_sender ON scheduled_messages (app_id, sender, send_at, id);
CREATE INDEX scheduled_messages_by_receiver ON scheduled_messages (app_id, receiver_type, receiver);
CREATE UNIQUE INDEX scheduled_messages_by_muid ON scheduled_messages (app_id, muid, sender) WHERE muid IS NOT NULL;
CREATE INDEX scheduled_messages_failed ON scheduled_messages (app_id, failed_at) WHERE failed_at IS NOT NULL;
