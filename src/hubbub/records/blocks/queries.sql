-- find_block
-- Run for each of several pairs.
-- point
-- reads: blocks
SELECT {block_columns} FROM blocks
WHERE app_id = :app_id AND uid = :uid AND blocked = :blocked;

-- find_blocks_between
-- All blocks of some users by some others.
-- reads: blocks
SELECT {block_columns} FROM blocks
WHERE app_id = :app_id AND uid = ANY(:uids) AND blocked = ANY(:others);

-- list_all
-- Those of an app, after a pair, in the order of pairs.
-- reads: blocks
SELECT {block_columns} FROM blocks
WHERE app_id = :app_id AND (uid, blocked) > (:uid, :blocked)
ORDER BY uid, blocked LIMIT :limit;

-- list_by
-- The blocks of a user, after another user.
-- reads: blocks
SELECT {block_columns} FROM blocks
WHERE app_id = :app_id AND uid = :uid AND blocked > :blocked
ORDER BY blocked LIMIT :limit;

-- fragment blocks_of_active
FROM blocks b JOIN users u ON u.app_id = b.app_id AND u.uid = b.blocked
WHERE b.app_id = :app_id AND b.uid = :uid
    AND u.deactivated_at IS NULL AND u.deleted_at IS NULL

-- list_blocks
-- reads: blocks, users
SELECT {block_columns(b)} {blocks_of_active} {where}
ORDER BY {order: b.blocked_at, b.blocked} LIMIT :limit OFFSET :offset;

-- count_blocks
-- reads: blocks, users
SELECT count(*) {blocks_of_active};

-- insert_block
-- bulk
INSERT INTO blocks (app_id, uid, blocked, blocked_at)
VALUES (:app_id, :uid, :blocked, :blocked_at);

-- delete_block
DELETE FROM blocks WHERE app_id = :app_id AND uid = :uid AND blocked = :blocked;

-- delete_blocks_by
DELETE FROM blocks WHERE app_id = :app_id AND uid = :uid;

-- delete_blocks_of
DELETE FROM blocks WHERE app_id = :app_id AND blocked = :uid;
