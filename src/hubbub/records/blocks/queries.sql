-- find_block
-- One of a row of look-ups by pair.
-- point
-- reads: blocks
SELECT {block_columns} FROM blocks
WHERE app_id = :app_id AND uid = :uid AND blocked = :blocked;

-- find_blocks_between
-- All blocks of some people by some others.
-- reads: blocks
SELECT {block_columns} FROM blocks
WHERE app_id = :app_id AND uid = ANY(:uids) AND blocked = ANY(:others);

-- list_blocks
-- Newest first, of users who are active.
-- reads: blocks, users
SELECT {block_columns(b)}
FROM blocks b JOIN users u ON u.app_id = b.app_id AND u.uid = b.blocked
WHERE b.app_id = :app_id AND b.uid = :uid
    AND u.deactivated_at IS NULL AND u.deleted_at IS NULL {where}
ORDER BY {order: b.blocked_at DESC, b.blocked DESC} LIMIT :limit OFFSET :offset;

-- count_blocks
-- reads: blocks, users
SELECT count(*) FROM blocks b JOIN users u ON u.app_id = b.app_id AND u.uid = b.blocked
WHERE b.app_id = :app_id AND b.uid = :uid
    AND u.deactivated_at IS NULL AND u.deleted_at IS NULL;

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
