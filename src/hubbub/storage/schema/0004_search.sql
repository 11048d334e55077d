-- The index for searches in messages.

-- The position up to which an app's log is indexed; slot: the prefix of its entries' ids.
CREATE TABLE search_positions (
    app_id TEXT NOT NULL,
    slot BIGINT NOT NULL,
    event BIGINT NOT NULL,
    PRIMARY KEY (app_id)
) {warm};
CREATE UNIQUE INDEX search_positions_by_slot ON search_positions (slot);

-- An entry for each message with text; rowid: the app's slot and the message's id.
{search table: message_entries};
