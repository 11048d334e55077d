-- How far each consumer has read an app's log; event: the number of the last event it covered.
-- search_positions keeps the slots of the search index. Its column event is no longer written: it
-- stays for nodes of the previous version while a cluster is upgraded node by node.
CREATE TABLE consumer_positions (
    app_id TEXT NOT NULL,
    consumer TEXT NOT NULL,
    event BIGINT NOT NULL,
    PRIMARY KEY (app_id, consumer)
) {warm};
INSERT INTO consumer_positions (app_id, consumer, event)
SELECT app_id, 'search', event FROM search_positions;
