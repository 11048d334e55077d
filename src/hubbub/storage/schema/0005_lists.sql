-- Words and tags in the order of the list of users, with the columns of its conditions.
ALTER TABLE user_words ADD COLUMN touched_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE user_words ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE user_words ADD COLUMN deactivated_at BIGINT;
UPDATE user_words
SET touched_at = u.touched_at, role = u.role, deactivated_at = u.deactivated_at
FROM users u WHERE u.app_id = user_words.app_id AND u.uid = user_words.uid;
DROP INDEX user_words_by_letter;
-- shared: the length of the prefix shared with an earlier word of the user, names first.
ALTER TABLE user_words ADD COLUMN shared BIGINT NOT NULL DEFAULT 0;
CREATE INDEX user_words_listed ON user_words
    (app_id, substr(word, 1, 1), touched_at, uid, shared, role, deactivated_at, kind, word);
UPDATE user_words SET shared = coalesce((
    WITH RECURSIVE lengths(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM lengths WHERE n < 100)
    SELECT max(l.n) FROM user_words o CROSS JOIN lengths l
    WHERE o.app_id = user_words.app_id
        AND substr(o.word, 1, 1) = substr(user_words.word, 1, 1)
        AND o.touched_at = user_words.touched_at AND o.uid = user_words.uid
        AND (o.kind, o.word) < (user_words.kind, user_words.word)
        AND l.n <= length(o.word) AND l.n <= length(user_words.word)
        AND substr(o.word, 1, l.n) = substr(user_words.word, 1, l.n)), 0);

ALTER TABLE user_tags ADD COLUMN touched_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE user_tags ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE user_tags ADD COLUMN deactivated_at BIGINT;
UPDATE user_tags
SET touched_at = u.touched_at, role = u.role, deactivated_at = u.deactivated_at
FROM users u WHERE u.app_id = user_tags.app_id AND u.uid = user_tags.uid;
CREATE INDEX user_tags_listed ON user_tags
    (app_id, tag, touched_at, uid, role, deactivated_at);

-- A list of groups of one type reads only the rows of the page.
DROP INDEX groups_by_age;
CREATE INDEX groups_by_age ON groups (app_id, touched_at, guid, type);

-- number: the event number at that time; it distinguishes rows of a former holder of the uid.
ALTER TABLE mentions ADD COLUMN number BIGINT NOT NULL DEFAULT 0;

-- The events of an edit and of a deletion; NULL: it happened before these were stored.
ALTER TABLE messages ADD COLUMN edited_number BIGINT;
ALTER TABLE messages ADD COLUMN deleted_number BIGINT;

-- Rows of others that still name an erased user: few rows, found by uid.
CREATE INDEX messages_edited ON messages (app_id, edited_by, edited_number)
    WHERE edited_by <> sender;
CREATE INDEX messages_deleted ON messages (app_id, deleted_by, deleted_number)
    WHERE deleted_by <> sender;
CREATE INDEX groups_by_editor ON groups (app_id, updated_by) WHERE updated_by IS NOT NULL;
CREATE INDEX receipts_by_alone ON receipts (app_id, alone) WHERE alone IS NOT NULL;

-- number: the next event number when the user was created; no other holder of the uid has it.
ALTER TABLE users ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
