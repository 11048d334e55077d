-- list_apps
-- All apps, also those that are being erased.
-- reads: apps
SELECT id, archived_at IS NOT NULL FROM apps ORDER BY id;

-- count_users
-- Those that the app's counter counts.
-- reads: users
SELECT count(*) FROM users
WHERE app_id = :app_id AND deactivated_at IS NULL AND deleted_at IS NULL;

-- count_groups
-- reads: groups
SELECT count(*) FROM groups WHERE app_id = :app_id;

-- count_messages
-- reads: messages
SELECT count(*) FROM messages WHERE app_id = :app_id;

-- count_files
-- reads: files
SELECT count(DISTINCT id) FROM files WHERE app_id = :app_id;
