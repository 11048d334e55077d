-- insert_run
INSERT INTO imports (app_id, id, source, origin, settings, fingerprint, state, position, total,
    counts, dropped, report, started_at, updated_at)
VALUES (:app_id, :id, :source, :origin, :settings, :fingerprint, :state, :position, :total,
    :counts, :dropped, :report, :started_at, :updated_at);

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

-- end_run
UPDATE imports SET state = :state, report = :report, updated_at = :now
WHERE app_id = :app_id AND id = :id;

-- insert_refusal
-- bulk
INSERT INTO import_refusals (app_id, import, place, source, line, error, fields)
VALUES (:app_id, :import_id, :place, :source, :line, :error, :fields);

-- list_refusals
-- reads: import_refusals
SELECT {refused_columns} FROM import_refusals
WHERE app_id = :app_id AND import = :import_id AND place > :after
ORDER BY place LIMIT :limit;
