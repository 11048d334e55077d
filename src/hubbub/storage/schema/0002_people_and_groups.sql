-- Relations of users, permissions of roles and groups. A group's rows refer to the number of its
-- conversation, which is never used again, so a guid is free as soon as the group's row is deleted.

-- permissions: JSON, by id; restricted: JSON, feature key -> since when.
ALTER TABLE roles ADD COLUMN permissions TEXT;
ALTER TABLE roles ADD COLUMN restricted TEXT;

-- permissions: JSON, scope -> permissions by id.
ALTER TABLE groups ADD COLUMN permissions TEXT;
CREATE INDEX groups_by_owner ON groups (app_id, owner, guid);
CREATE INDEX groups_open ON groups (app_id, touched_at, guid, type) WHERE type <> 'private';
CREATE UNIQUE INDEX groups_by_conversation ON groups (app_id, conversation);

-- A friendship is two rows, one for each direction.
CREATE TABLE friends (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    friend TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, friend)
) {key table};

-- The user `uid` has blocked the user `blocked`.
CREATE TABLE blocks (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    blocked TEXT NOT NULL,
    blocked_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, blocked)
) {key table};
CREATE INDEX blocks_by_age ON blocks (app_id, uid, blocked_at, blocked);
CREATE INDEX blocks_by_blocked ON blocks (app_id, blocked, uid);

ALTER TABLE members RENAME TO members_by_guid;
CREATE TABLE members (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    scope TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid)
) {key table};
INSERT INTO members (app_id, conversation, uid, scope, joined_at)
SELECT m.app_id, g.conversation, m.uid, m.scope, m.joined_at
FROM members_by_guid m JOIN groups g ON g.app_id = m.app_id AND g.guid = m.guid;
DROP TABLE members_by_guid;
-- It has all columns, so PostgreSQL uses it for look-ups, too, not an index that finds all members.
CREATE INDEX members_by_user ON members (app_id, uid, conversation, scope, joined_at);
CREATE INDEX members_by_age ON members (app_id, conversation, joined_at, uid, scope);

-- The range of event numbers in which a user was a member; open while they are.
ALTER TABLE memberships RENAME TO memberships_by_guid;
CREATE TABLE memberships (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    from_event BIGINT NOT NULL,
    to_event BIGINT,
    PRIMARY KEY (app_id, conversation, uid, from_event)
) {key table};
INSERT INTO memberships (app_id, conversation, uid, from_event, to_event)
SELECT m.app_id, g.conversation, m.uid, m.from_event, m.to_event
FROM memberships_by_guid m JOIN groups g ON g.app_id = m.app_id AND g.guid = m.guid;
DROP TABLE memberships_by_guid;
CREATE INDEX memberships_by_user ON memberships (app_id, uid, conversation);

ALTER TABLE bans RENAME TO bans_by_guid;
CREATE TABLE bans (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    uid TEXT NOT NULL,
    scope TEXT NOT NULL,
    joined_at BIGINT,
    banned_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation, uid)
) {key table};
INSERT INTO bans (app_id, conversation, uid, scope, joined_at, banned_at)
SELECT b.app_id, g.conversation, b.uid, b.scope, b.joined_at, b.banned_at
FROM bans_by_guid b JOIN groups g ON g.app_id = b.app_id AND g.guid = b.guid;
DROP TABLE bans_by_guid;
CREATE INDEX bans_by_user ON bans (app_id, uid, conversation);
CREATE INDEX bans_by_age ON bans (app_id, conversation, banned_at, uid);

CREATE INDEX receipts_by_user ON receipts (app_id, uid, conversation);

-- The indexes of lists hold all columns of the conditions, so only the rows of the page are read.
-- The columns of an index's own condition are in it for SQLite, which would read the row for them.
DROP INDEX users_active;
CREATE INDEX users_active
    ON users (app_id, touched_at, uid, role, status, deactivated_at, deleted_at)
    WHERE deactivated_at IS NULL AND deleted_at IS NULL;
DROP INDEX users_not_deleted;
CREATE INDEX users_not_deleted ON users (app_id, touched_at, uid, deleted_at)
    WHERE deleted_at IS NULL;
DROP INDEX users_deactivated;
CREATE INDEX users_deactivated ON users (app_id, touched_at, uid, deactivated_at, deleted_at)
    WHERE deactivated_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX users_deactivated_by_uid ON users (app_id, uid, deactivated_at, deleted_at)
    WHERE deactivated_at IS NOT NULL AND deleted_at IS NULL;
DROP INDEX users_by_role;
CREATE INDEX users_by_role
    ON users (app_id, role, touched_at, uid, status, deactivated_at, deleted_at)
    WHERE deactivated_at IS NULL AND deleted_at IS NULL;
DROP INDEX users_by_status;
CREATE INDEX users_available ON users (app_id, touched_at, uid, role, deactivated_at, deleted_at)
    WHERE status = 'available';
CREATE INDEX users_available_by_uid ON users (app_id, uid, status) WHERE status = 'available';
DROP INDEX groups_by_name;
CREATE INDEX groups_by_name ON groups (app_id, name, guid, type);
DROP INDEX groups_by_creation;
CREATE INDEX groups_by_creation ON groups (app_id, created_at, guid, type);

-- Users by prefixes of words, in the order of ids: for searches that find many.
CREATE INDEX user_words_by_letter ON user_words (app_id, substr(word, 1, 1), uid, kind, word);
CREATE INDEX group_words_by_letter ON group_words (app_id, substr(word, 1, 1), guid, kind, word);
