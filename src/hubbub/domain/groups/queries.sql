-- find_groups
-- reads: groups
SELECT guid, name, type, icon, description, owner, metadata, tags, members_count, conversation,
    created_at, updated_at, updated_by
FROM groups WHERE app_id = :app_id AND guid = ANY(:guids);

-- insert_group
-- bulk
INSERT INTO groups (app_id, guid, name, type, password_hash, icon, description, owner, metadata,
    tags, members_count, conversation, created_at, touched_at)
VALUES (:app_id, :guid, :name, :type, :password_hash, :icon, :description, :owner, :metadata,
    :tags, 0, :conversation, :created_at, :created_at);

-- insert_word
-- bulk
INSERT INTO group_words (app_id, kind, word, guid) VALUES (:app_id, :kind, :word, :guid)
ON CONFLICT (app_id, kind, word, guid) DO NOTHING;

-- delete_word
DELETE FROM group_words
WHERE app_id = :app_id AND kind = :kind AND word = :word AND guid = :guid;

-- update_group
UPDATE groups SET name = :name, icon = :icon, description = :description, metadata = :metadata,
    tags = :tags, updated_at = :updated_at, touched_at = :updated_at
WHERE app_id = :app_id AND guid = :guid;

-- delete_tag
DELETE FROM group_tags WHERE app_id = :app_id AND tag = :tag AND guid = :guid;

-- insert_tag
-- bulk
INSERT INTO group_tags (app_id, tag, guid) VALUES (:app_id, :tag, :guid)
ON CONFLICT (app_id, tag, guid) DO NOTHING;

-- find_member
-- One of a row of look-ups by pair.
-- point
-- reads: members
SELECT guid, uid, scope, joined_at FROM members
WHERE app_id = :app_id AND guid = :guid AND uid = :uid;

-- find_ban
-- One of a row of look-ups by pair.
-- point
-- reads: bans
SELECT guid, uid FROM bans WHERE app_id = :app_id AND guid = :guid AND uid = :uid;

-- list_groups_of
-- reads: members
SELECT guid FROM members WHERE app_id = :app_id AND uid = :uid;

-- count_groups_of
-- reads: members
SELECT uid, count(*) FROM members WHERE app_id = :app_id AND uid = ANY(:uids) GROUP BY uid;

-- insert_member
-- bulk
INSERT INTO members (app_id, guid, uid, scope, joined_at)
VALUES (:app_id, :guid, :uid, :scope, :joined_at);

-- insert_membership
-- bulk
INSERT INTO memberships (app_id, guid, uid, from_event)
VALUES (:app_id, :guid, :uid, :from_event)
ON CONFLICT (app_id, guid, uid, from_event) DO UPDATE SET to_event = NULL;

-- end_memberships
UPDATE memberships SET to_event = :to_event
WHERE app_id = :app_id AND guid = :guid AND uid = :uid AND to_event IS NULL;

-- delete_member
DELETE FROM members WHERE app_id = :app_id AND guid = :guid AND uid = :uid;

-- add_members_count
UPDATE groups SET members_count = members_count + :change
WHERE app_id = :app_id AND guid = :guid;

-- insert_ban
INSERT INTO bans (app_id, guid, uid, scope, joined_at, banned_at)
VALUES (:app_id, :guid, :uid, :scope, :joined_at, :banned_at);

-- delete_bans_of
DELETE FROM bans WHERE app_id = :app_id AND uid = :uid;

-- list_owned_groups
-- A group's owner who goes hands it on.
-- reads: groups, members
SELECT g.guid FROM groups g
JOIN members m ON m.app_id = g.app_id AND m.guid = g.guid AND m.uid = g.owner
WHERE m.app_id = :app_id AND m.uid = :uid;

-- list_heirs
-- Who may own a group next: the longest-standing admin, else moderator, else participant.
-- reads: members
SELECT uid FROM members
WHERE app_id = :app_id AND guid = :guid AND scope = :scope AND uid <> :leaving
ORDER BY joined_at, uid LIMIT 1;

-- set_owner
UPDATE groups SET owner = :owner WHERE app_id = :app_id AND guid = :guid;
