-- insert_export
INSERT INTO exports (app_id, id, wanted, state, size, report, error, started_at, updated_at)
VALUES (:app_id, :id, :wanted, :state, :size, :report, :error, :started_at, :updated_at);

-- find_export
-- point
-- reads: exports
SELECT {export_columns} FROM exports WHERE app_id = :app_id AND id = :id;

-- list_exports
-- An app has few.
-- reads: exports
SELECT {export_columns} FROM exports WHERE app_id = :app_id ORDER BY started_at DESC, id DESC;

-- list_due
-- Of all apps: for the background work.
-- reads: exports
SELECT app_id, {export_columns} FROM exports
WHERE state = 'waiting' OR state = 'running' AND updated_at < :before
ORDER BY updated_at, app_id, id LIMIT :limit;

-- list_old
-- Of all apps: for the background work.
-- reads: exports
SELECT app_id, {export_columns} FROM exports
WHERE state NOT IN ('waiting', 'running') AND updated_at < :before
ORDER BY updated_at, app_id, id LIMIT :limit;

-- claim_export
UPDATE exports SET state = 'running', updated_at = :now
WHERE app_id = :app_id AND id = :id AND updated_at = :seen AND state IN ('waiting', 'running');

-- touch_export
UPDATE exports SET updated_at = :now WHERE app_id = :app_id AND id = :id AND state = 'running';

-- end_export
UPDATE exports SET state = :state, size = :size, report = :report, error = :error,
    updated_at = :now
WHERE app_id = :app_id AND id = :id AND state IN ('waiting', 'running');

-- delete_export
DELETE FROM exports WHERE app_id = :app_id AND id = :id;
