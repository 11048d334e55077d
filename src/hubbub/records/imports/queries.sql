-- insert_run
INSERT INTO imports (app_id, id, source, origin, settings, fingerprint, state, position, total,
    counts, dropped, report, job, error, started_at, updated_at)
VALUES (:app_id, :id, :source, :origin, :settings, :fingerprint, :state, :position, :total,
    :counts, :dropped, :report, :job, :error, :started_at, :updated_at);

-- find_run
-- point
-- reads: imports
SELECT {run_columns} FROM imports WHERE app_id = :app_id AND id = :id;

-- list_runs
-- An app has few.
-- reads: imports
SELECT {run_columns} FROM imports WHERE app_id = :app_id
ORDER BY started_at DESC, id DESC LIMIT :limit;

-- advance_run
UPDATE imports SET position = :upto, counts = :counts, updated_at = :now
WHERE app_id = :app_id AND id = :id AND position = :after AND state = :state;

-- set_total
UPDATE imports SET total = :total, dropped = :dropped WHERE app_id = :app_id AND id = :id;

-- adopt_run
UPDATE imports SET origin = :origin, fingerprint = :fingerprint
WHERE app_id = :app_id AND id = :id;

-- end_run
-- One that was cancelled stays so.
UPDATE imports SET state = :state, report = :report, error = :error, updated_at = :now
WHERE app_id = :app_id AND id = :id AND state IN ('waiting', 'running');

-- list_due
-- Of all apps: for the background work. First comes the app whose last import is the longest ago,
-- so that nobody waits behind all imports of another app.
-- reads: imports
SELECT app_id, {run_columns} FROM imports
WHERE job IS NOT NULL AND (state = 'waiting' OR state = 'running' AND updated_at < :before)
ORDER BY (SELECT max(CASE WHEN o.state <> 'waiting' THEN o.updated_at ELSE 0 END) FROM imports o
    WHERE o.app_id = imports.app_id AND o.job IS NOT NULL), updated_at, app_id, id
LIMIT :limit;

-- claim_run
UPDATE imports SET state = 'running', updated_at = :now
WHERE app_id = :app_id AND id = :id AND updated_at = :seen AND state IN ('waiting', 'running');

-- touch_run
UPDATE imports SET updated_at = :now WHERE app_id = :app_id AND id = :id AND state = 'running';

-- set_job
UPDATE imports SET job = :job WHERE app_id = :app_id AND id = :id;

-- insert_refusal
-- bulk
INSERT INTO import_refusals (app_id, import, place, source, line, error, fields)
VALUES (:app_id, :import_id, :place, :source, :line, :error, :fields);

-- list_refusals
-- reads: import_refusals
SELECT {refused_columns} FROM import_refusals
WHERE app_id = :app_id AND import = :import_id AND place > :after
ORDER BY place LIMIT :limit;

-- list_with_refusals
-- The runs that have refused rows, and took their last step before a time.
-- reads: imports, import_refusals
SELECT i.id FROM imports i WHERE i.app_id = :app_id AND i.updated_at < :before AND EXISTS (
    SELECT 1 FROM import_refusals r WHERE r.app_id = i.app_id AND r.import = i.id);

-- delete_refusals
DELETE FROM import_refusals WHERE app_id = :app_id AND import = :import_id AND place <= (
    SELECT place FROM (
        SELECT place FROM import_refusals WHERE app_id = :app_id AND import = :import_id
        ORDER BY place LIMIT :limit
    ) AS found ORDER BY place DESC LIMIT 1);

-- delete_refusals_naming
-- Those in which a text is a string. Rows that are no lines may have it in capitals.
-- reads: imports
DELETE FROM import_refusals
WHERE app_id = :app_id AND import IN (SELECT i.id FROM imports i WHERE i.app_id = :app_id)
    AND lower(fields) LIKE :pattern ESCAPE '!';
