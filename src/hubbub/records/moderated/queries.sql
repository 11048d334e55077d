-- insert_reason
INSERT INTO moderation_reasons (app_id, {reason_columns}) VALUES (:app_id, {reason_columns(:)});

-- find_reason
-- point
-- reads: moderation_reasons
SELECT {reason_columns} FROM moderation_reasons WHERE app_id = :app_id AND id = :id;

-- list_reasons
-- reads: moderation_reasons
SELECT {reason_columns} FROM moderation_reasons WHERE app_id = :app_id
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset;

-- count_reasons
-- reads: moderation_reasons
SELECT count(*) FROM moderation_reasons WHERE app_id = :app_id;

-- update_reason
UPDATE moderation_reasons SET name = :name, description = :description, updated_at = :updated_at
WHERE app_id = :app_id AND id = :id;

-- delete_reason
DELETE FROM moderation_reasons WHERE app_id = :app_id AND id = :id;

-- store_flag
-- A flag that is set again has another reason, remark and time.
INSERT INTO message_flags (app_id, {flag_columns}) VALUES (:app_id, {flag_columns(:)})
ON CONFLICT (app_id, message, uid, rule) DO UPDATE
SET reason = excluded.reason, remark = excluded.remark, number = excluded.number,
    flagged_at = excluded.flagged_at;

-- list_flags
-- Newest first; not those of a user who is being erased.
-- reads: message_flags, erasures
SELECT {flag_columns} FROM message_flags
WHERE app_id = :app_id AND message = ANY(:messages) AND {is_after_erasure(number, uid)}
ORDER BY message, flagged_at DESC, uid, rule;

-- list_flags_of_user
-- Up to an event: later rows are of a new user with the same uid.
-- reads: message_flags
SELECT message FROM message_flags
WHERE app_id = :app_id AND uid = :uid AND number <= :upto ORDER BY number, message LIMIT :limit;

-- delete_flags_of_user
DELETE FROM message_flags WHERE app_id = :app_id AND uid = :uid AND message = ANY(:messages);

-- delete_flags
DELETE FROM message_flags WHERE app_id = :app_id AND message = ANY(:messages);

-- open_review
-- A message that is flagged again after its review is to be reviewed anew.
INSERT INTO reviews (app_id, kind, message, status, opened_at)
VALUES (:app_id, :kind, :message, 'pending', :opened_at)
ON CONFLICT (app_id, kind, message) DO UPDATE
SET status = excluded.status, opened_at = excluded.opened_at, reviewed_at = NULL,
    reviewed_by = NULL;

-- close_review
UPDATE reviews SET status = :status, reviewed_at = :reviewed_at, reviewed_by = :reviewed_by
WHERE app_id = :app_id AND kind = :kind AND message = :message;

-- find_review
-- point
-- reads: reviews
SELECT {review_columns} FROM reviews WHERE app_id = :app_id AND kind = :kind AND message = :message;

-- find_reviews
-- reads: reviews
SELECT {review_columns} FROM reviews
WHERE app_id = :app_id AND kind = :kind AND message = ANY(:messages);

-- list_pending
-- reads: reviews
SELECT {review_columns} FROM reviews
WHERE app_id = :app_id AND kind = :kind AND reviewed_at IS NULL
ORDER BY opened_at DESC, message DESC LIMIT :limit OFFSET :offset;

-- list_waiting
-- Oldest first, as reviewers work them off.
-- reads: reviews
SELECT {review_columns} FROM reviews
WHERE app_id = :app_id AND kind = :kind AND reviewed_at IS NULL
    AND (opened_at, message) > (:opened_at, :message)
ORDER BY opened_at, message LIMIT :limit;

-- count_pending
-- reads: reviews
SELECT count(*) FROM reviews WHERE app_id = :app_id AND kind = :kind AND reviewed_at IS NULL;

-- count_first_pending
-- Up to a number: an exact one of a long queue would take longer than the queue's page.
-- reads: reviews
SELECT count(*) FROM (SELECT 1 FROM reviews
    WHERE app_id = :app_id AND kind = :kind AND reviewed_at IS NULL LIMIT :most) first;

-- list_oldest_of_apps
-- Across apps: since when the oldest waits in each, among so many of the oldest of all.
-- reads: reviews
SELECT late.app_id, min(late.opened_at) FROM (
    SELECT app_id, opened_at FROM reviews
    WHERE reviewed_at IS NULL AND opened_at <= :before ORDER BY opened_at LIMIT :most
) late
GROUP BY late.app_id ORDER BY min(late.opened_at), late.app_id LIMIT :limit;

-- list_reviewed
-- reads: reviews
SELECT {review_columns} FROM reviews WHERE app_id = :app_id AND reviewed_at IS NOT NULL
ORDER BY reviewed_at DESC, message DESC, kind DESC LIMIT :limit OFFSET :offset;

-- count_reviewed
-- reads: reviews
SELECT count(*) FROM reviews WHERE app_id = :app_id AND reviewed_at IS NOT NULL;

-- delete_reviews
DELETE FROM reviews WHERE app_id = :app_id AND kind = ANY(:kinds) AND message = ANY(:messages);

-- delete_unflagged_reviews
-- Those that wait for a review because of flags that are gone.
-- reads: message_flags
DELETE FROM reviews
WHERE app_id = :app_id AND kind = 'flagged' AND message = ANY(:messages) AND reviewed_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM message_flags f
        WHERE f.app_id = reviews.app_id AND f.message = reviews.message);

-- insert_held
INSERT INTO held_messages (app_id, {held_columns}) VALUES (:app_id, {held_columns(:)});

-- find_held
-- reads: held_messages
SELECT {held_columns} FROM held_messages WHERE app_id = :app_id AND message = ANY(:messages);

-- find_held_by_muid
-- reads: held_messages
SELECT {held_columns} FROM held_messages
WHERE app_id = :app_id AND muid = :muid AND sender = :sender;

-- set_delivered
UPDATE held_messages SET draft = NULL, appeal = NULL WHERE app_id = :app_id AND message = :message;

-- store_appeal
UPDATE held_messages SET appeal = :appeal, appealed_at = :appealed_at
WHERE app_id = :app_id AND message = :message;

-- list_held_of_user
-- reads: held_messages
SELECT message FROM held_messages WHERE app_id = :app_id AND sender = :uid
UNION
SELECT message FROM held_messages
WHERE app_id = :app_id AND receiver_type = 'user' AND receiver = :uid;

-- list_held_of_group
-- reads: held_messages
SELECT message FROM held_messages
WHERE app_id = :app_id AND receiver_type = 'group' AND receiver = :guid;

-- list_held_between
-- reads: held_messages
SELECT message FROM held_messages
WHERE app_id = :app_id AND receiver_type = 'user' AND receiver = :right AND sender = :left
UNION
SELECT message FROM held_messages
WHERE app_id = :app_id AND receiver_type = 'user' AND receiver = :left AND sender = :right;

-- delete_held
DELETE FROM held_messages WHERE app_id = :app_id AND message = ANY(:messages);
