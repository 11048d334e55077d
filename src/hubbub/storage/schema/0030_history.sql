-- What a message was before an edit. number: that of the event of the edit, in which it was replaced.
CREATE TABLE message_versions (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    number BIGINT NOT NULL,
    data TEXT NOT NULL,
    tags TEXT NOT NULL,
    written_by TEXT NOT NULL,
    written_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, number)
) {key table};
CREATE INDEX message_versions_by_writer ON message_versions (app_id, written_by, number);
