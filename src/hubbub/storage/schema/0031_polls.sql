-- Polls: messages that have the trait HAS_POLL. options: how many there are. voters: how many have voted. told_at: when
-- the counts were announced last, in seconds; is_stale: they have changed since. due_at: when it is closed, or the counts
-- are announced, in milliseconds; 9007199254740992 if neither is to be done.
CREATE TABLE polls (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    conversation BIGINT NOT NULL,
    options BIGINT NOT NULL,
    votes_per_user BIGINT NOT NULL,
    is_anonymous BOOLEAN NOT NULL,
    closes_at BIGINT,
    closed_at BIGINT,
    closed_by TEXT,
    voters BIGINT NOT NULL,
    told_at BIGINT NOT NULL,
    is_stale BOOLEAN NOT NULL,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message)
) {warm};
CREATE INDEX polls_by_due ON polls (app_id, due_at) WHERE due_at < 9007199254740992;

-- A counter for each option, so that rendering a poll costs the same at any number of votes. option: from 0.
CREATE TABLE poll_options (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    option BIGINT NOT NULL,
    votes BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, option)
) {warm};

-- The votes of a user in a poll. options: a bit for each, the lowest for the first. number: that of the event.
CREATE TABLE poll_votes (
    app_id TEXT NOT NULL,
    message BIGINT NOT NULL,
    uid TEXT NOT NULL,
    options BIGINT NOT NULL,
    number BIGINT NOT NULL,
    voted_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, message, uid)
) {key table};
CREATE INDEX poll_votes_by_number ON poll_votes (app_id, message, number);
CREATE INDEX poll_votes_by_user ON poll_votes (app_id, uid, message);

-- The queues of polls of which something is due: one of each app that has had a poll.
CREATE TABLE poll_queues (
    app_id TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    lease TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    PRIMARY KEY (app_id)
) {warm};
CREATE INDEX poll_queues_by_due ON poll_queues (due_at);
CREATE INDEX poll_queues_by_storing ON poll_queues (stored_at);
