-- How far the merging of an app's old receipts has come: it goes on at that conversation, or begins again a day after it
-- began, if that is 0.
CREATE TABLE receipt_merges (
    app_id TEXT NOT NULL PRIMARY KEY,
    began_at BIGINT NOT NULL,
    at_conversation BIGINT NOT NULL
) {key table};

-- Those that wait for no message; the number is NEVER of the code.
CREATE INDEX unread_notices_over ON unread_notices (app_id, since) WHERE due_at = 9007199254740992;
