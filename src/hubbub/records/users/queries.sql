-- find_users
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- find_user
-- point
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND uid = :uid;

-- list_by_uid
-- All users of an app, softly deleted ones too, after a uid.
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND uid > :after
ORDER BY uid LIMIT :limit;

-- find_numbers
-- reads: users
SELECT uid, number FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- fragment person_columns
{user_columns(u)}, r.list_users, r.send_messages_to, r.permissions, r.restricted

-- fragment select_people
SELECT {person_columns}
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

-- find_bearer
-- The active user of a token with the rules of their role, their number, and the newest event.
-- point
-- reads: auth_tokens, users, roles, counters
SELECT {person_columns}, t.hash, u.number, c.epoch, c.event
FROM auth_tokens t
JOIN users u ON u.app_id = t.app_id AND u.uid = t.uid
    AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
JOIN counters c ON c.app_id = t.app_id
LEFT JOIN roles r ON r.app_id = u.app_id AND r.role = u.role
WHERE t.app_id = :app_id AND t.hash = :hash;

-- find_jwt_bearer
-- The active user of a JWT, as above, and up to when their JWTs are revoked.
-- point
-- reads: users, roles, counters, jwt_revocations
SELECT {person_columns}, u.uid, u.number, c.epoch, c.event, j.valid_after
FROM users u
JOIN counters c ON c.app_id = u.app_id
LEFT JOIN roles r ON r.app_id = u.app_id AND r.role = u.role
LEFT JOIN jwt_revocations j ON j.app_id = u.app_id AND j.holder = :holder
WHERE u.app_id = :app_id AND u.uid = :uid AND u.deactivated_at IS NULL AND u.deleted_at IS NULL;

-- find_connecting
-- Users, with the day of their last connection.
-- reads: users
SELECT {user_columns}, connected_day FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- find_presence
-- What connections change of a user.
-- reads: users
SELECT uid, status, last_active_at FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- store_presence
-- People who connect all the time must not drop the users that nodes cache.
-- bulk
-- keeps
UPDATE users SET status = :status, last_active_at = :last_active_at,
    connected_day = :connected_day
WHERE app_id = :app_id AND uid = :uid;

-- set_offline
-- The caller changes the users in another way, too, which drops them from the record cache.
UPDATE users SET status = 'offline', last_active_at = :at
WHERE app_id = :app_id AND uid = ANY(:uids) AND status <> 'offline';

-- list_bots
-- All bots: about 25.
-- reads: users
SELECT {user_columns} FROM users WHERE app_id = :app_id AND is_bot AND deleted_at IS NULL ORDER BY uid;

-- insert_user
-- bulk
INSERT INTO users (app_id, {user_columns}, touched_at, number)
VALUES (:app_id, {user_columns(:)}, :created_at, :number);

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
UPDATE users SET ({profile_columns}) = ({profile_columns(:)}),
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
-- A user comes once for each of their words that match.
-- reads: user_words
SELECT uid FROM user_words WHERE app_id = :app_id AND kind = ANY(:kinds)
    AND word >= :lower AND word < :upper
LIMIT :limit;

-- find_by_tag
-- reads: user_tags
SELECT uid FROM user_tags WHERE app_id = :app_id AND tag = ANY(:tags) LIMIT :limit;

-- fragment available_user(u)
-- These are scalar subqueries: planners make no joins of them.
(SELECT 1 FROM users a WHERE a.app_id = :app_id AND a.uid = {u}.uid AND a.status = 'available')

-- fragment user_tag(u)
(SELECT 1 FROM user_tags t
    WHERE t.app_id = :app_id AND t.tag = ANY(:tags) AND t.uid = {u}.uid LIMIT 1)

-- fragment user_word(u)
(SELECT 1 FROM user_words w
    WHERE w.app_id = :app_id AND substr(w.word, 1, 1) = :letter AND w.touched_at = {u}.touched_at
        AND w.uid = {u}.uid AND w.kind || '' = ANY(:kinds)
        AND w.word || '' >= :lower AND w.word || '' < :upper LIMIT 1)

-- find_listed
-- A few users, with what a list of them is ordered by.
-- reads: users, user_words, user_tags
SELECT u.uid, u.touched_at FROM users u
WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where};

-- list_users
-- reads: users, user_words, user_tags
SELECT u.uid, u.touched_at FROM users u WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where}
ORDER BY {order: u.touched_at, u.uid} LIMIT :limit OFFSET :offset;

-- list_by_word
-- Words are indexed in list order.
-- reads: user_words, users, user_tags
SELECT u.uid, u.touched_at FROM user_words u WHERE u.app_id = :app_id {where}
ORDER BY {order: u.touched_at, u.uid} LIMIT :limit OFFSET :offset;

-- list_by_tag
-- reads: user_tags, users, user_words
SELECT uid, touched_at FROM (
    SELECT DISTINCT u.touched_at, u.uid FROM user_tags u WHERE u.app_id = :app_id {where}
    ORDER BY {order: u.touched_at, u.uid} LIMIT :limit OFFSET :offset
) AS listed;

-- count_users
-- The order makes both engines scan the index that has it instead of all rows.
-- reads: users, user_words, user_tags
SELECT count(*) FROM (
    SELECT 1 FROM users u WHERE u.app_id = :app_id AND u.deleted_at IS NULL {where}
    ORDER BY {order: u.touched_at, u.uid}
) AS listed;

-- list_newest_roles
-- reads: users
SELECT u.role FROM users u
WHERE u.app_id = :app_id AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
ORDER BY u.touched_at DESC, u.uid DESC LIMIT :limit;

-- count_by_word
-- Deleted users have no words.
-- reads: user_words, users, user_tags
SELECT count(*) FROM user_words u WHERE u.app_id = :app_id {where};

-- count_by_tag
-- reads: user_tags, users, user_words
SELECT count(*) FROM (
    SELECT DISTINCT u.touched_at, u.uid FROM user_tags u WHERE u.app_id = :app_id {where}
) AS found;

-- count_active_users
-- The total that is kept for the unfiltered list.
-- reads: counters
SELECT users FROM counters WHERE app_id = :app_id;
