-- find_groups
-- reads: groups
SELECT guid, name, type, icon, description, owner, metadata, tags, members_count, conversation,
    created_at, updated_at, updated_by, permissions
FROM groups WHERE app_id = :app_id AND guid = ANY(:guids);

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
UPDATE groups SET name = :name, icon = :icon, description = :description, metadata = :metadata,
    tags = :tags, updated_at = :updated_at, touched_at = :updated_at
WHERE app_id = :app_id AND guid = :guid;

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
FROM groups WHERE app_id = :app_id AND owner = :owner;
