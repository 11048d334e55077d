-- What users have begun to write, one draft for each user and conversation. receiver_type, receiver: the other user or
-- the group, also before there is a conversation. data: JSON. updated_at: seconds.
CREATE TABLE drafts (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    receiver_type TEXT NOT NULL,
    receiver TEXT NOT NULL,
    data TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, uid, receiver_type, receiver)
) {warm};
CREATE INDEX drafts_by_time ON drafts (app_id, uid, updated_at, receiver_type, receiver);
CREATE INDEX drafts_by_receiver ON drafts (app_id, receiver_type, receiver);
