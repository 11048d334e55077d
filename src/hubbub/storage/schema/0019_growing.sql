-- Messages that grow: those that have not ended. A message has the trait IS_GROWING for as long as its row is here.
-- event: the number of its message_sent. owner: the node that holds it, '' if none does. text: what was stored of the
-- text so far, as JSON. sequence: the last append in it. notifies: webhooks are told of it at its end. stopped_by: who
-- asked first that it stops. touched_at: when its owner stored it last, in milliseconds; without an index, since it
-- changes all the time, and an app has few of these rows.
CREATE TABLE growing_messages (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    event BIGINT NOT NULL,
    owner TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    notifies BOOLEAN NOT NULL,
    is_of_user BOOLEAN NOT NULL,
    stopped_by TEXT,
    touched_at BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (app_id, message)
);
