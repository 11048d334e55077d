-- Exports that were asked for by REST. wanted: of what, as JSON. state: waiting, running, done, failed or cancelled; a node
-- that makes one touches updated_at. size: of the file, once it is there; its id in the file store is that of the export.
CREATE TABLE exports (
    app_id TEXT NOT NULL,
    id TEXT NOT NULL,
    wanted TEXT NOT NULL,
    state TEXT NOT NULL,
    size BIGINT NOT NULL,
    report TEXT,
    error TEXT,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, id)
) {key table};
