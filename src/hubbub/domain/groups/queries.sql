-- find_groups
-- reads: groups
SELECT guid, name, type, icon, description, owner, metadata, tags, members_count, conversation,
    created_at, updated_at, updated_by, permissions
FROM groups WHERE app_id = :app_id AND guid = ANY(:guids);

-- list_guids
-- reads: groups, group_words, group_tags
SELECT g.guid FROM groups g WHERE g.app_id = :app_id {where}
ORDER BY {order: touched_at DESC, guid DESC} LIMIT :limit OFFSET :offset;

-- list_guids_for
-- Those that a user may see: all open ones, and of the private ones his own. In two halves, each
-- found by an index, so that no other private group is ever looked at.
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.name, g.created_at, g.touched_at
FROM groups g WHERE g.app_id = :app_id AND g.type <> 'private' {where}
UNION ALL
SELECT g.guid, g.name, g.created_at, g.touched_at
FROM members m CROSS JOIN groups g
WHERE m.app_id = :app_id AND m.uid = :viewer
    AND g.app_id = m.app_id AND g.conversation = m.conversation AND g.type = 'private' {where}
ORDER BY {order: touched_at DESC, guid DESC} LIMIT :limit OFFSET :offset;

-- list_joined_guids
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.name, g.created_at, g.touched_at
FROM members m CROSS JOIN groups g
WHERE m.app_id = :app_id AND m.uid = :viewer
    AND g.app_id = m.app_id AND g.conversation = m.conversation {where}
ORDER BY {order: touched_at DESC, guid DESC} LIMIT :limit OFFSET :offset;

-- count_guids
-- reads: groups, group_words, group_tags
SELECT count(*) FROM groups g WHERE g.app_id = :app_id {where};

-- count_guids_for
-- reads: groups, group_words, group_tags, members
SELECT
    (SELECT count(*) FROM groups g WHERE g.app_id = :app_id AND g.type <> 'private' {where})
    + (SELECT count(*) FROM members m CROSS JOIN groups g
       WHERE m.app_id = :app_id AND m.uid = :viewer AND g.app_id = m.app_id
           AND g.conversation = m.conversation AND g.type = 'private' {where});

-- count_joined_guids
-- reads: groups, group_words, group_tags, members
SELECT count(*) FROM members m CROSS JOIN groups g
WHERE m.app_id = :app_id AND m.uid = :viewer
    AND g.app_id = m.app_id AND g.conversation = m.conversation {where};

-- count_all_groups
-- The kept total of the unfiltered list.
-- reads: counters
SELECT groups FROM counters WHERE app_id = :app_id;

-- find_password_hashes
-- reads: groups
SELECT guid, password_hash FROM groups
WHERE app_id = :app_id AND guid = ANY(:guids) AND password_hash IS NOT NULL;

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
UPDATE groups SET name = :name, type = :type, icon = :icon, description = :description,
    metadata = :metadata, tags = :tags, updated_at = :updated_at, updated_by = :updated_by,
    touched_at = :updated_at
WHERE app_id = :app_id AND guid = :guid;

-- set_password
UPDATE groups SET password_hash = :password_hash WHERE app_id = :app_id AND guid = :guid;

-- delete_group
DELETE FROM groups WHERE app_id = :app_id AND guid = :guid;

-- delete_tag
DELETE FROM group_tags WHERE app_id = :app_id AND tag = :tag AND guid = :guid;

-- insert_tag
-- bulk
INSERT INTO group_tags (app_id, tag, guid) VALUES (:app_id, :tag, :guid)
ON CONFLICT (app_id, tag, guid) DO NOTHING;

-- add_members_count
UPDATE groups SET members_count = members_count + :change
WHERE app_id = :app_id AND guid = :guid;

-- set_owner
UPDATE groups SET owner = :owner WHERE app_id = :app_id AND guid = :guid;

-- add_members_count_of
UPDATE groups SET members_count = members_count + :change
WHERE app_id = :app_id AND conversation = ANY(:conversations);

-- list_owned_groups
-- reads: groups
SELECT guid, name, type, icon, description, owner, metadata, tags, members_count, conversation,
    created_at, updated_at, updated_by, permissions
FROM groups WHERE app_id = :app_id AND owner = :owner ORDER BY guid;

-- set_permissions
UPDATE groups SET permissions = :permissions WHERE app_id = :app_id AND guid = :guid;
