-- find_block
-- One of a row of look-ups by pair.
-- point
-- reads: blocks
SELECT uid, blocked, blocked_at FROM blocks
WHERE app_id = :app_id AND uid = :uid AND blocked = :blocked;

-- delete_blocks_by
DELETE FROM blocks WHERE app_id = :app_id AND uid = :uid;

-- delete_blocks_of
DELETE FROM blocks WHERE app_id = :app_id AND blocked = :uid;
