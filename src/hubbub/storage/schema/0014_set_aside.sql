-- Events that a consumer of the log could not process, and passed over. There are few of them, and
-- each app keeps its newest ones only. The reason names the defect and its place, and no content.
CREATE TABLE set_aside_events (
    app_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    number BIGINT NOT NULL,
    consumer TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (app_id, at, number, consumer)
) {key table};
