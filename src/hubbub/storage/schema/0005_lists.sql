-- Words and tags lie in the order of the list of users, with all that it is narrowed by.
ALTER TABLE user_words ADD COLUMN touched_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE user_words ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE user_words ADD COLUMN deactivated_at BIGINT;
UPDATE user_words
SET touched_at = u.touched_at, role = u.role, deactivated_at = u.deactivated_at
FROM users u WHERE u.app_id = user_words.app_id AND u.uid = user_words.uid;
DROP INDEX user_words_by_letter;
CREATE INDEX user_words_listed ON user_words
    (app_id, substr(word, 1, 1), touched_at, uid, role, deactivated_at, kind, word);

ALTER TABLE user_tags ADD COLUMN touched_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE user_tags ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE user_tags ADD COLUMN deactivated_at BIGINT;
UPDATE user_tags
SET touched_at = u.touched_at, role = u.role, deactivated_at = u.deactivated_at
FROM users u WHERE u.app_id = user_tags.app_id AND u.uid = user_tags.uid;
CREATE INDEX user_tags_listed ON user_tags
    (app_id, tag, touched_at, uid, role, deactivated_at);

-- A list of groups of one type reads no rows but those of the page.
DROP INDEX groups_by_age;
CREATE INDEX groups_by_age ON groups (app_id, touched_at, guid, type);
