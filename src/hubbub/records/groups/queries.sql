-- find_groups
-- reads: groups
SELECT {group_columns} FROM groups WHERE app_id = :app_id AND guid = ANY(:guids);

-- list_after_guid
-- All groups of an app, after a guid.
-- reads: groups
SELECT {group_columns} FROM groups WHERE app_id = :app_id AND guid > :after
ORDER BY guid LIMIT :limit;

-- find_by_word
-- A group comes once for each of its words that match.
-- reads: group_words
SELECT guid FROM group_words WHERE app_id = :app_id AND kind = ANY(:kinds)
    AND word >= :lower AND word < :upper
LIMIT :limit;

-- find_by_tag
-- reads: group_tags
SELECT guid FROM group_tags WHERE app_id = :app_id AND tag = ANY(:tags) LIMIT :limit;

-- fragment guids_by_tag
(SELECT t.guid FROM group_tags t WHERE t.app_id = :app_id AND t.tag = ANY(:tags))

-- fragment guids_by_word
(SELECT w.guid FROM group_words w
    WHERE w.app_id = :app_id AND substr(w.word, 1, 1) = :letter AND w.kind || '' = ANY(:kinds)
        AND w.word || '' >= :lower AND w.word || '' < :upper)

-- fragment viewer_is_member(g)
(SELECT 1 FROM members m
    WHERE m.app_id = :app_id AND m.conversation = {g}.conversation AND m.uid = :viewer)

-- list_groups
-- A query for each order: one that named the columns of all orders would read all rows.
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.touched_at FROM groups g WHERE g.app_id = :app_id {where}
ORDER BY {order: g.touched_at, g.guid} LIMIT :limit OFFSET :offset;

-- list_by_name
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.name FROM groups g WHERE g.app_id = :app_id {where}
ORDER BY {order: g.name, g.guid} LIMIT :limit OFFSET :offset;

-- list_by_creation
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.created_at FROM groups g WHERE g.app_id = :app_id {where}
ORDER BY {order: g.created_at, g.guid} LIMIT :limit OFFSET :offset;

-- list_by_guid
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.guid FROM groups g WHERE g.app_id = :app_id {where}
ORDER BY {order: g.guid} LIMIT :limit OFFSET :offset;

-- list_joined
-- The groups of a user, 2,000 at most, with all that lists are ordered by.
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.touched_at, g.name, g.created_at FROM members m CROSS JOIN groups g
WHERE m.app_id = :app_id AND m.uid = :viewer
    AND g.app_id = m.app_id AND g.conversation = m.conversation {where};

-- find_listed
-- A few groups, with all that lists are ordered by.
-- reads: groups, group_words, group_tags, members
SELECT g.guid, g.touched_at, g.name, g.created_at FROM groups g WHERE g.app_id = :app_id {where};

-- count_groups
-- The order makes both engines scan the index that has it instead of all rows.
-- reads: groups, group_words, group_tags, members
SELECT count(*) FROM (
    SELECT 1 FROM groups g WHERE g.app_id = :app_id {where}
    ORDER BY {order: g.touched_at, g.guid}
) AS listed;

-- list_newest_types
-- reads: groups
SELECT g.type FROM groups g WHERE g.app_id = :app_id
ORDER BY g.touched_at DESC, g.guid DESC LIMIT :limit;

-- count_all_groups
-- The total that is kept for the unfiltered list.
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
UPDATE groups SET owner = :owner, updated_at = :updated_at, updated_by = :updated_by,
    touched_at = :updated_at
WHERE app_id = :app_id AND guid = :guid;

-- add_members_count_of
UPDATE groups SET members_count = members_count + :change
WHERE app_id = :app_id AND conversation = ANY(:conversations);

-- list_owned_groups
-- reads: groups
SELECT {group_columns} FROM groups WHERE app_id = :app_id AND owner = :owner ORDER BY guid;

-- forget_editor
UPDATE groups SET updated_by = :by WHERE app_id = :app_id AND updated_by = :uid;

-- set_permissions
UPDATE groups SET permissions = :permissions WHERE app_id = :app_id AND guid = :guid;
