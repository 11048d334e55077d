-- What runs have removed; times in milliseconds.
CREATE TABLE retention_runs (
    app_id TEXT NOT NULL,
    began_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    files BIGINT NOT NULL,
    PRIMARY KEY (app_id, began_at)
) {key table};
