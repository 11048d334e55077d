-- insert_poll
-- bulk
INSERT INTO polls (app_id, message, conversation, options, votes_per_user, is_anonymous, closes_at,
    closed_at, closed_by, voters, told_at, is_stale, due_at)
VALUES (:app_id, :message, :conversation, :options, :votes_per_user, :is_anonymous, :closes_at,
    :closed_at, :closed_by, :voters, :told_at, :is_stale, :due_at);

-- store_poll
-- bulk
UPDATE polls SET options = :options, votes_per_user = :votes_per_user, is_anonymous = :is_anonymous,
    closes_at = :closes_at, closed_at = :closed_at, closed_by = :closed_by, voters = :voters,
    told_at = :told_at, is_stale = :is_stale, due_at = :due_at
WHERE app_id = :app_id AND message = :message;

-- list_polls
-- reads: polls
SELECT {poll_columns} FROM polls WHERE app_id = :app_id AND message = ANY(:messages);

-- list_shown
-- Polls with the counts of their options, and the viewer's votes; not those of a former holder of
-- the uid, who is being erased.
-- reads: polls, poll_options, poll_votes, erasures
SELECT p.message, p.voters, p.closes_at, p.closed_at, coalesce((
    SELECT v.options FROM poll_votes v
    WHERE v.app_id = :app_id AND v.message = p.message AND v.uid = :viewer
        AND {is_after_erasure(v.number, :viewer)}), 0), o.votes
FROM polls p JOIN poll_options o ON o.app_id = p.app_id AND o.message = p.message
WHERE p.app_id = :app_id AND p.message = ANY(:messages)
ORDER BY p.message, o.option;

-- insert_option
-- bulk
INSERT INTO poll_options (app_id, message, option, votes)
VALUES (:app_id, :message, :option, 0);

-- add_votes
-- Adds a positive or negative number.
-- bulk
UPDATE poll_options SET votes = votes + :step
WHERE app_id = :app_id AND message = :message AND option = :option;

-- find_vote
-- One of several look-ups by key.
-- point
-- reads: poll_votes
SELECT {vote_columns} FROM poll_votes
WHERE app_id = :app_id AND message = :message AND uid = :uid;

-- store_vote
-- bulk
INSERT INTO poll_votes (app_id, message, uid, options, number, voted_at)
VALUES (:app_id, :message, :uid, :options, :number, :voted_at)
ON CONFLICT (app_id, message, uid) DO UPDATE
SET options = excluded.options, number = excluded.number, voted_at = excluded.voted_at;

-- delete_vote
-- bulk
DELETE FROM poll_votes
WHERE app_id = :app_id AND message = :message AND uid = :uid;

-- list_votes
-- Not those of users who are being erased.
-- reads: poll_votes, erasures
SELECT {vote_columns(v)} FROM poll_votes v
WHERE v.app_id = :app_id AND v.message = :message AND {is_after_erasure(v.number, v.uid)} {where}
ORDER BY {order: v.number} LIMIT :limit;

-- list_of_user
-- Up to an event: later votes are by a new user with the same uid.
-- reads: poll_votes
SELECT {vote_columns} FROM poll_votes
WHERE app_id = :app_id AND uid = :uid AND number <= :upto ORDER BY message LIMIT :limit;

-- list_some_of_messages
-- reads: poll_votes
SELECT message, uid FROM poll_votes
WHERE app_id = :app_id AND message = ANY(:messages) ORDER BY message, uid LIMIT :limit;

-- delete_votes_of_messages
DELETE FROM poll_votes WHERE app_id = :app_id AND message = ANY(:messages);

-- delete_options_of_messages
DELETE FROM poll_options WHERE app_id = :app_id AND message = ANY(:messages);

-- delete_of_messages
DELETE FROM polls WHERE app_id = :app_id AND message = ANY(:messages);

-- list_due
-- reads: polls
SELECT message FROM polls
WHERE app_id = :app_id AND due_at <= :now AND due_at < 9007199254740992
ORDER BY due_at, message LIMIT :limit;

-- find_next_due
-- The number is NEVER of the code; the index has only these rows.
-- reads: polls
SELECT min(due_at) FROM polls WHERE app_id = :app_id AND due_at < 9007199254740992;

-- hurry_telling
-- The times at which polls close do not change with the clock.
UPDATE polls SET due_at = :now
WHERE app_id = :app_id AND is_stale AND due_at > :now AND due_at < 9007199254740992;

-- put_off
UPDATE polls SET due_at = :due_at WHERE app_id = :app_id AND message = :message;

-- open_queue
INSERT INTO poll_queues (app_id, due_at, lease, leased_until, stored_at)
VALUES (:app_id, :due_at, '', 0, :now)
ON CONFLICT (app_id) DO UPDATE SET due_at = excluded.due_at,
    stored_at = CASE WHEN poll_queues.stored_at > excluded.stored_at
        THEN poll_queues.stored_at ELSE excluded.stored_at END
WHERE poll_queues.due_at > excluded.due_at;

-- lock_queue
-- reads: poll_queues
SELECT {queue_columns} FROM poll_queues WHERE app_id = :app_id FOR UPDATE;

-- store_queue
UPDATE poll_queues SET due_at = :due_at, lease = :lease, leased_until = :leased_until,
    stored_at = :stored_at
WHERE app_id = :app_id;

-- list_due_queues
-- Across apps, those with work that nobody is doing; and those that were stored before the clock was
-- set back, whose times say nothing.
-- reads: poll_queues
SELECT app_id FROM (
    SELECT app_id, due_at FROM (
        SELECT app_id, due_at FROM poll_queues
        WHERE due_at <= :now AND (leased_until <= :now OR leased_until > :latest_lease)
        ORDER BY due_at LIMIT :limit
    ) AS due
    UNION
    SELECT app_id, due_at FROM (
        SELECT app_id, due_at FROM poll_queues
        WHERE stored_at > :ahead AND due_at < :before
            AND (leased_until <= :now OR leased_until > :latest_lease)
        LIMIT :limit
    ) AS former
) AS found
ORDER BY due_at LIMIT :limit;
