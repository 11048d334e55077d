-- Imports of files, each a run that can go on after an interruption. source: what was named to be imported. origin: the
-- kind of source. settings, counts, dropped, report: JSON. fingerprint: tells whether a source is still the same.
-- position: so many rows of the source, in the order in which they are imported, have had their outcome; it advances in
-- the transaction of these outcomes. state: waiting, running, done, failed or cancelled. job: if nodes run it, what was
-- asked for, as JSON; a node that runs it touches updated_at. error: why it has failed.
CREATE TABLE imports (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    origin TEXT NOT NULL,
    settings TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL,
    position BIGINT NOT NULL,
    total BIGINT NOT NULL,
    counts TEXT NOT NULL,
    dropped TEXT NOT NULL,
    report TEXT,
    job TEXT,
    error TEXT,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {warm};

-- Rows that an import refused. place: where the row stood in the order of the import. source, line: where it stands in
-- the source. error: why. fields: the row as JSON, or what stood there. They hold what people wrote, so each ends after
-- 30 days, or with a user whom it names.
CREATE TABLE import_refusals (
    app_id TEXT NOT NULL,
    import TEXT NOT NULL,
    place BIGINT NOT NULL,
    source TEXT NOT NULL,
    line BIGINT NOT NULL,
    error TEXT NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (app_id, import, place)
) {key table};
