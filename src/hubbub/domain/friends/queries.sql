-- find_friend
-- One of a row of look-ups by pair.
-- point
-- reads: friends
SELECT uid, friend FROM friends WHERE app_id = :app_id AND uid = :uid AND friend = :friend;

-- delete_friends_of
DELETE FROM friends WHERE app_id = :app_id AND uid = :uid;

-- delete_friend
DELETE FROM friends WHERE app_id = :app_id AND uid = :uid AND friend = :friend;

-- list_friends_of
-- All of them: there are 1,000 at most.
-- reads: friends
SELECT friend FROM friends WHERE app_id = :app_id AND uid = :uid;
