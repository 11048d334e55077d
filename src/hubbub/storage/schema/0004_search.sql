-- The index that searches in messages go by.

-- How far an app's log was indexed; slot: what the ids of its entries begin with.
CREATE TABLE search_positions (
    app_id TEXT NOT NULL,
    slot BIGINT NOT NULL,
    event BIGINT NOT NULL,
    PRIMARY KEY (app_id)
) {warm};
CREATE UNIQUE INDEX search_positions_by_slot ON search_positions (slot);

-- An entry for each message that has text; rowid: the app's slot and the message's id.
{search table: message_entries};
