-- Reactions, mentions, pins, interactive messages, files, settings of the app.

-- JSON of the settings that differ from the defaults; read with the counters, so it costs nothing.
ALTER TABLE counters ADD COLUMN settings TEXT;

-- Bits for filters: see `records/messages/traits.py`.
ALTER TABLE messages ADD COLUMN traits BIGINT NOT NULL DEFAULT 0;

-- Has the columns that count a user's own messages, so counting reads only this index.
DROP INDEX messages_by_conversation;
CREATE INDEX messages_by_conversation
    ON messages (app_id, conversation, sent_at, id, sender, counts);

-- imported_id: the newest imported message; its time may be older than its id suggests.
ALTER TABLE conversations ADD COLUMN imported_id BIGINT NOT NULL DEFAULT 0;
-- erased_upto: messages up to this id count as deleted, even while the erasure still runs.
ALTER TABLE conversations ADD COLUMN erased_upto BIGINT NOT NULL DEFAULT 0;

-- alone: the only member of the group then; the range says nothing about their messages.
ALTER TABLE receipts ADD COLUMN alone TEXT;

-- The participant furthest behind: what all members of a group have received.
CREATE INDEX participants_by_read ON participants (app_id, conversation, read_reached);
CREATE INDEX participants_by_delivered ON participants (app_id, conversation, delivered_reached);

-- number: the number of its event; it rises with time and is the reaction's id.
CREATE TABLE reactions (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    reaction TEXT NOT NULL CHECK (length(reaction) <= 100),
    uid TEXT NOT NULL,
    number BIGINT NOT NULL,
    reacted_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, reaction, uid)
) {key table};
CREATE INDEX reactions_by_number ON reactions (app_id, message, number);
CREATE INDEX reactions_by_kind ON reactions (app_id, message, reaction, number);
CREATE INDEX reactions_by_user ON reactions (app_id, uid, message);

-- The count of each reaction, so rendering a message costs the same at any count; number: that of
-- the first one, which is their order.
CREATE TABLE reaction_counts (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    reaction TEXT NOT NULL CHECK (length(reaction) <= 100),
    count BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, reaction)
) {warm};

-- The users mentioned in a message; '@all' stands for all members.
CREATE TABLE mentions (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, message)
) {key table};
CREATE INDEX mentions_by_message ON mentions (app_id, message, uid);

-- uid: the user who pinned it; '' is the app. number: the number of its event.
CREATE TABLE message_pins (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    message BIGINT NOT NULL,
    uid TEXT NOT NULL,
    number BIGINT NOT NULL,
    pinned_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation, message)
) {key table};
CREATE INDEX message_pins_by_message ON message_pins (app_id, message);
CREATE INDEX message_pins_by_user ON message_pins (app_id, uid, number);

-- number: the event number at that time; it distinguishes rows of a former holder of the uid.
CREATE TABLE saved_messages (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    message BIGINT NOT NULL,
    number BIGINT NOT NULL,
    saved_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, message)
) {key table};
CREATE INDEX saved_messages_by_message ON saved_messages (app_id, message);

-- uid: the owner of the pin; '' is the app, whose pins all see.
CREATE TABLE conversation_pins (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    pinned_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid)
) {key table};
CREATE INDEX conversation_pins_by_user ON conversation_pins (app_id, uid, pinned_at);

-- The tags of a user for a conversation of theirs.
CREATE TABLE conversation_tags (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid, tag)
) {key table};
CREATE INDEX conversation_tags_by_user ON conversation_tags (app_id, uid, tag, conversation);

-- The elements of a message that a user has used, the first time; element_id '' means that they
-- have completed its goal. number: the number of its event.
CREATE TABLE interactions (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    uid TEXT NOT NULL,
    element_id TEXT NOT NULL CHECK (length(element_id) <= 255),
    number BIGINT NOT NULL,
    interacted_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, uid, element_id)
) {key table};
CREATE INDEX interactions_by_user ON interactions (app_id, uid, number);

-- number: the number of its event, and the submission's id.
CREATE TABLE submissions (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    number BIGINT NOT NULL,
    uid TEXT NOT NULL,
    form_data TEXT NOT NULL,
    submitted_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, number)
) {key table};
CREATE INDEX submissions_by_user ON submissions (app_id, uid, message);

-- A write with an Idempotency-Key and its sealed answer, committed together.
-- app_id: '' for management calls. hash: of caller, operation, key. request: of all other input.
CREATE TABLE idempotency_keys (
    app_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, hash)
) {key table};
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (app_id, created_at);

-- The uploaded files of messages; several messages may hold the same file.
CREATE TABLE files (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    message BIGINT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) <= 255),
    mime_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    thumbnail_size BIGINT,
    PRIMARY KEY (app_id, id, message)
) {key table};
CREATE INDEX files_by_message ON files (app_id, message);

-- Files that no message holds, not yet or no longer; they are deleted when due.
CREATE TABLE file_leftovers (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {key table};
CREATE INDEX file_leftovers_by_due ON file_leftovers (due_at);

CREATE INDEX users_bots ON users (app_id, uid) WHERE is_bot;
