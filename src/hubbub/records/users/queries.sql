-- find_users
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- find_user
-- point
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND uid = :uid;

-- find_numbers
-- reads: users
SELECT uid, number FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- fragment select_people
SELECT {user_columns(u)}, r.list_users, r.send_messages_to, r.permissions, r.restricted
FROM users u LEFT JOIN roles r ON r.app_id = u.app_id AND r.role = u.role

-- find_people
-- Users with the rules of their roles.
-- reads: users, roles
{select_people}
WHERE u.app_id = :app_id AND u.uid = ANY(:uids);

-- find_person
-- point
-- reads: users, roles
{select_people}
WHERE u.app_id = :app_id AND u.uid = :uid;

-- list_bots
-- All of them: there are 25 or so.
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND is_bot AND deleted_at IS NULL ORDER BY uid;

-- insert_user
-- bulk
INSERT INTO users (app_id, uid, name, avatar, link, role, status, status_message, metadata, tags,
    is_bot, created_at, touched_at, last_active_at, deactivated_at, number)
VALUES (:app_id, :uid, :name, :avatar, :link, :role, :status, :status_message, :metadata, :tags,
    :is_bot, :created_at, :created_at, :last_active_at, :deactivated_at, :number);

-- put_word
-- bulk
INSERT INTO user_words (app_id, kind, word, uid, shared, touched_at, role, deactivated_at)
VALUES (:app_id, :kind, :word, :uid, :shared, :touched_at, :role, :deactivated_at)
ON CONFLICT (app_id, kind, word, uid) DO UPDATE SET shared = excluded.shared,
    touched_at = excluded.touched_at, role = excluded.role,
    deactivated_at = excluded.deactivated_at;

-- delete_word
DELETE FROM user_words
WHERE app_id = :app_id AND kind = :kind AND word = :word AND uid = :uid;

-- put_tag
-- bulk
INSERT INTO user_tags (app_id, tag, uid, touched_at, role, deactivated_at)
VALUES (:app_id, :tag, :uid, :touched_at, :role, :deactivated_at)
ON CONFLICT (app_id, tag, uid) DO UPDATE SET touched_at = excluded.touched_at,
    role = excluded.role, deactivated_at = excluded.deactivated_at;

-- delete_tag
DELETE FROM user_tags WHERE app_id = :app_id AND tag = :tag AND uid = :uid;

-- update_user
UPDATE users SET name = :name, avatar = :avatar, link = :link, role = :role,
    status_message = :status_message, metadata = :metadata, tags = :tags,
    updated_at = :updated_at, touched_at = :updated_at
WHERE app_id = :app_id AND uid = :uid;

-- set_deactivated
UPDATE users SET deactivated_at = CAST(:at AS BIGINT)
WHERE app_id = :app_id AND uid = ANY(:uids);

-- set_deleted
UPDATE users SET deleted_at = :at WHERE app_id = :app_id AND uid = :uid;

-- delete_user
DELETE FROM users WHERE app_id = :app_id AND uid = :uid;

-- find_by_word
-- Whom a search finds, each as often as he has such a word.
-- reads: user_words
SELECT uid FROM user_words WHERE app_id = :app_id AND kind = ANY(:kinds)
    AND word >= :lower AND word < :upper
LIMIT :limit;

-- find_by_tag
-- reads: user_tags
SELECT uid FROM user_tags WHERE app_id = :app_id AND tag = ANY(:tags) LIMIT :limit;

-- list_uids
-- reads: users, user_words, user_tags
SELECT u.uid FROM users u WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where}
ORDER BY {order: u.touched_at DESC, u.uid DESC} LIMIT :limit OFFSET :offset;

-- list_by_word
-- Words lie in the order of the list.
-- reads: user_words, users, user_tags
SELECT u.uid FROM user_words u WHERE u.app_id = :app_id {where}
ORDER BY {order: u.touched_at DESC, u.uid DESC} LIMIT :limit OFFSET :offset;

-- list_by_tag
-- reads: user_tags, users, user_words
SELECT uid FROM (
    SELECT DISTINCT u.touched_at, u.uid FROM user_tags u WHERE u.app_id = :app_id {where}
    ORDER BY {order: u.touched_at DESC, u.uid DESC} LIMIT :limit OFFSET :offset
) AS listed;

-- list_sifted
-- The uids of a page of a list of few, each with how many these are. They are found first, by
-- whichever key leads to them, then put in order.
-- reads: users, user_words, user_tags
WITH few AS MATERIALIZED (
    SELECT u.uid, u.touched_at FROM users u
    WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where}
)
SELECT uid, (SELECT count(*) FROM few) FROM few WHERE (touched_at, uid) < (:at, :cursor_uid)
ORDER BY touched_at DESC, uid DESC LIMIT :limit OFFSET :offset;

-- list_sifted_after
-- The page on the newer side of a cursor; the reader turns it round.
-- reads: users, user_words, user_tags
WITH few AS MATERIALIZED (
    SELECT u.uid, u.touched_at FROM users u
    WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where}
)
SELECT uid, (SELECT count(*) FROM few) FROM few WHERE (touched_at, uid) > (:at, :cursor_uid)
ORDER BY touched_at, uid LIMIT :limit OFFSET :offset;

-- count_named
-- reads: users, user_words, user_tags
SELECT count(*) FROM users u WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where};

-- count_users
-- The order makes both engines go through the index that has it, and not through all rows.
-- reads: users, user_words, user_tags
SELECT count(*) FROM (
    SELECT 1 FROM users u WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where}
    ORDER BY {order: u.touched_at, u.uid}
) AS listed;

-- count_other_roles
-- Who is active and has another role.
-- reads: users
SELECT (
    SELECT count(*) FROM (
        SELECT 1 FROM users u WHERE u.app_id = :app_id AND u.role < :role
            AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
        ORDER BY u.role, u.touched_at, u.uid
    ) AS before
) + (
    SELECT count(*) FROM (
        SELECT 1 FROM users u WHERE u.app_id = :app_id AND u.role > :role
            AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
        ORDER BY u.role, u.touched_at, u.uid
    ) AS after
);

-- list_newest_roles
-- reads: users
SELECT u.role FROM users u
WHERE u.app_id = :app_id AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
ORDER BY u.touched_at DESC, u.uid DESC LIMIT 100;

-- count_by_word
-- Who is deleted has no words.
-- reads: user_words, users, user_tags
SELECT count(*) FROM user_words u WHERE u.app_id = :app_id {where};

-- count_by_tag
-- reads: user_tags, users, user_words
SELECT count(*) FROM (
    SELECT DISTINCT u.touched_at, u.uid FROM user_tags u WHERE u.app_id = :app_id {where}
) AS found;

-- count_active_users
-- The kept total of the unfiltered list.
-- reads: counters
SELECT users FROM counters WHERE app_id = :app_id;
