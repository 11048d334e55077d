-- find_friend
-- Run for each of several pairs.
-- point
-- reads: friends
SELECT uid, friend FROM friends WHERE app_id = :app_id AND uid = :uid AND friend = :friend;

-- find_friendship
-- Run for each of several pairs.
-- bulk
-- reads: friends
SELECT {friendship_columns} FROM friends
WHERE app_id = :app_id AND uid = :uid AND friend = :friend;

-- list_friendships
-- Those of an app, each once: after a pair, in the order of pairs.
-- reads: friends
SELECT {friendship_columns} FROM friends
WHERE app_id = :app_id AND (uid, friend) > (:uid, :friend) AND uid < friend
ORDER BY uid, friend LIMIT :limit;

-- list_friendships_of
-- All friendships of a user: 1,000 at most.
-- reads: friends
SELECT {friendship_columns} FROM friends WHERE app_id = :app_id AND uid = :uid ORDER BY friend;

-- list_friends_of
-- All friends: 1,000 at most.
-- reads: friends
SELECT friend FROM friends WHERE app_id = :app_id AND uid = :uid;

-- count_friends
-- reads: friends
SELECT uid, count(*) FROM friends WHERE app_id = :app_id AND uid = ANY(:uids) GROUP BY uid;

-- insert_friend
-- bulk
INSERT INTO friends (app_id, uid, friend, created_at)
VALUES (:app_id, :uid, :friend, :created_at);

-- delete_friend
DELETE FROM friends WHERE app_id = :app_id AND uid = :uid AND friend = :friend;

-- delete_friends_of
DELETE FROM friends WHERE app_id = :app_id AND uid = :uid;
