-- find_progress
-- point
-- reads: notice_progress
SELECT event, after_uid FROM notice_progress WHERE app_id = :app_id;

-- store_progress
INSERT INTO notice_progress (app_id, event, after_uid) VALUES (:app_id, :event, :after_uid)
ON CONFLICT (app_id) DO UPDATE SET event = excluded.event, after_uid = excluded.after_uid;

-- list_members_after
-- reads: memberships
SELECT uid FROM memberships
WHERE app_id = :app_id AND conversation = :conversation AND uid > :after
    AND from_event <= :event AND to_event IS NULL AND hidden_upto < :message
ORDER BY uid LIMIT :limit;

-- list_choosers_after
-- Members who have chosen something on their own.
-- reads: memberships, notification_preferences
SELECT m.uid FROM memberships m CROSS JOIN notification_preferences n
WHERE m.app_id = :app_id AND m.conversation = :conversation AND m.uid > :after
    AND m.from_event <= :event AND m.to_event IS NULL AND m.hidden_upto < :message
    AND n.app_id = m.app_id AND n.uid = m.uid
ORDER BY m.uid LIMIT :limit;

-- list_standing
-- reads: users
SELECT uid, number, deactivated_at IS NULL AND deleted_at IS NULL, status = 'available'
FROM users WHERE app_id = :app_id AND uid = ANY(:uids);

-- list_seats
-- The lasting memberships of some users in some groups.
-- reads: memberships
SELECT conversation, uid, from_event, hidden_upto FROM memberships
WHERE app_id = :app_id AND conversation = ANY(:conversations) AND uid = ANY(:uids)
    AND to_event IS NULL;

-- list_blocks_of
-- reads: blocks
SELECT uid, blocked FROM blocks
WHERE app_id = :app_id AND uid = ANY(:uids) AND blocked = ANY(:senders);

-- list_group_mutes
-- reads: muted_groups
SELECT uid, conversation, until FROM muted_groups
WHERE app_id = :app_id AND conversation = ANY(:conversations) AND uid = ANY(:uids);

-- list_user_mutes
-- reads: muted_users
SELECT uid, muted, until FROM muted_users
WHERE app_id = :app_id AND uid = ANY(:uids) AND muted = ANY(:others);

-- sum_unread
-- reads: participants, conversations
SELECT p.uid, sum(CASE WHEN {unread_in(p, c)} > 0 THEN {unread_in(p, c)} ELSE 0 END)
FROM participants p CROSS JOIN conversations c
WHERE p.app_id = :app_id AND p.uid = ANY(:uids)
    AND c.app_id = p.app_id AND c.number = p.conversation AND c.last_id > p.hidden_id
GROUP BY p.uid;

-- list_readers
-- Those of some users who have read a conversation up to a message.
-- reads: participants
SELECT uid FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND uid = ANY(:uids) AND read_id >= :message;

-- open_queue
-- bulk
-- A time of storing that is ahead of the clock stays: the queue has yet to be put right.
INSERT INTO notice_queues (app_id, provider, due_at, lease, leased_until, failures, paused_until,
    stored_at)
VALUES (:app_id, :provider, :due_at, '', 0, 0, 0, :now)
ON CONFLICT (app_id, provider) DO UPDATE SET due_at = excluded.due_at,
    stored_at = CASE WHEN notice_queues.stored_at > excluded.stored_at
        THEN notice_queues.stored_at ELSE excluded.stored_at END
WHERE notice_queues.due_at > excluded.due_at;

-- lock_queue
-- reads: notice_queues
SELECT {queue_columns} FROM notice_queues
WHERE app_id = :app_id AND provider = :provider FOR UPDATE;

-- store_queue
UPDATE notice_queues SET due_at = :due_at, lease = :lease, leased_until = :leased_until,
    failures = :failures, paused_until = :paused_until, stored_at = :stored_at,
    failing_since = :failing_since
WHERE app_id = :app_id AND provider = :provider;

-- list_due_queues
-- Across apps, those with work that nobody is doing; and those that were stored before the clock was
-- set back, whose times say nothing.
-- reads: notice_queues
SELECT app_id, provider FROM (
    SELECT app_id, provider, due_at FROM (
        SELECT app_id, provider, due_at FROM notice_queues
        WHERE due_at <= :now AND paused_until <= :now
            AND (leased_until <= :now OR leased_until > :latest_lease)
        ORDER BY due_at LIMIT :limit
    ) AS due
    UNION
    SELECT app_id, provider, due_at FROM (
        SELECT app_id, provider, due_at FROM notice_queues
        WHERE stored_at > :ahead AND due_at < :before
            AND (leased_until <= :now OR leased_until > :latest_lease)
        LIMIT :limit
    ) AS former
) AS found
ORDER BY due_at LIMIT :limit;

-- list_failing_queues
-- Across apps, those whose provider has failed the last time.
-- reads: notice_queues
SELECT app_id, provider, failures, paused_until, failing_since FROM notice_queues
WHERE failing_since IS NOT NULL ORDER BY failing_since LIMIT :limit;

-- count_busy_queues
-- Across apps, those that have something to send, now or later.
-- reads: notice_queues
SELECT count(*) FROM notice_queues WHERE due_at < :never;

-- insert_bundle
-- bulk
INSERT INTO notice_bundles (app_id, provider, id, due_at, tries, content)
VALUES (:app_id, :provider, :id, :due_at, :tries, :content);

-- list_bundles
-- reads: notice_bundles
SELECT {bundle_columns} FROM notice_bundles
WHERE app_id = :app_id AND provider = :provider AND due_at <= :now AND id <> ALL(:busy)
ORDER BY due_at, id LIMIT :limit;

-- store_bundle
-- bulk
UPDATE notice_bundles SET due_at = :due_at, tries = :tries, content = :content
WHERE app_id = :app_id AND provider = :provider AND id = :id;

-- hurry_bundles
UPDATE notice_bundles SET due_at = :now
WHERE app_id = :app_id AND provider = :provider AND due_at > :now;

-- delete_bundles
DELETE FROM notice_bundles
WHERE app_id = :app_id AND provider = :provider AND id = ANY(:ids);

-- find_next_due
-- reads: notice_bundles
SELECT min(due_at) FROM notice_bundles WHERE app_id = :app_id AND provider = :provider;

-- await_unread
-- bulk
INSERT INTO unread_notices (app_id, channel, uid, conversation, due_at, after_id, since)
VALUES (:app_id, :channel, :uid, :conversation, :due_at, :after_id, :since)
ON CONFLICT (app_id, uid, conversation, channel)
DO UPDATE SET due_at = excluded.due_at, since = excluded.since
WHERE unread_notices.due_at > excluded.due_at;

-- find_next_unread
-- reads: unread_notices
SELECT min(due_at) FROM unread_notices WHERE app_id = :app_id AND due_at < :before;

-- hurry_unread
UPDATE unread_notices SET due_at = :latest
WHERE app_id = :app_id AND channel = :channel AND due_at > :latest AND due_at < :before;

-- list_due_unread
-- reads: unread_notices
SELECT {unread_columns} FROM unread_notices
WHERE app_id = :app_id AND due_at <= :now ORDER BY due_at, uid, conversation LIMIT :limit;

-- lock_unread
-- reads: unread_notices
SELECT {unread_columns} FROM unread_notices
WHERE app_id = :app_id AND channel = :channel AND uid = :uid AND conversation = :conversation
FOR UPDATE;

-- store_unread
UPDATE unread_notices SET due_at = :due_at, after_id = :after_id
WHERE app_id = :app_id AND channel = :channel AND uid = :uid AND conversation = :conversation;

-- find_over_unread
-- The number is NEVER of the code; the index has only these rows.
-- reads: unread_notices
SELECT 1 FROM unread_notices
WHERE app_id = :app_id AND due_at = 9007199254740992 AND since < :before LIMIT 1;

-- delete_over_unread
DELETE FROM unread_notices
WHERE app_id = :app_id AND due_at = 9007199254740992 AND since < :before
    AND (uid, conversation, channel) IN (
        SELECT uid, conversation, channel FROM unread_notices
        WHERE app_id = :app_id AND due_at = 9007199254740992 AND since < :before
        ORDER BY since LIMIT :limit);

-- list_unread_messages
-- Those that a user has been sent in a conversation, as they were announced.
-- reads: messages
SELECT id, conversation, sender, receiver_type, receiver, counts, shows, ordinal, sent_at
FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND sent_at >= :since AND id > :after
    AND sender <> :uid AND counts AND deleted_at IS NULL AND NOT is_erased
ORDER BY sent_at, id LIMIT :limit;

-- find_sent
-- point
-- reads: messages
SELECT id, conversation, sender, receiver_type, receiver, counts, shows, ordinal, sent_at
FROM messages WHERE app_id = :app_id AND id = :id AND deleted_at IS NULL AND NOT is_erased;

-- list_sent
-- Some of the messages that were sent, without those that were deleted since.
-- reads: messages
SELECT id, conversation, sender, receiver_type, receiver, counts, shows, ordinal, sent_at
FROM messages WHERE app_id = :app_id AND id = ANY(:ids) AND deleted_at IS NULL AND NOT is_erased
ORDER BY sent_at, id;

-- list_present
-- reads: messages
SELECT id FROM messages
WHERE app_id = :app_id AND id = ANY(:ids) AND deleted_at IS NULL AND NOT is_erased;

-- find_read
-- point
-- reads: participants
SELECT read_id FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_sums
-- How many were sent to users on their days, by conversation.
-- reads: notice_sums
SELECT conversation, sent FROM notice_sums
WHERE app_id = :app_id AND channel = :channel AND uid = :uid AND day = :day;

-- count_sent
-- bulk
INSERT INTO notice_sums (app_id, channel, uid, day, conversation, sent)
VALUES (:app_id, :channel, :uid, :day, :conversation, 1)
ON CONFLICT (app_id, uid, day, channel, conversation) DO UPDATE SET sent = notice_sums.sent + 1;

-- find_old_sum
-- reads: notice_sums
SELECT 1 FROM notice_sums WHERE app_id = :app_id AND day < :day LIMIT 1;

-- delete_old_sums
DELETE FROM notice_sums WHERE app_id = :app_id AND day < :day;

-- list_unsubscribed
-- reads: unsubscribed
SELECT uid FROM unsubscribed WHERE app_id = :app_id AND channel = :channel AND uid = ANY(:uids);

-- unsubscribe
INSERT INTO unsubscribed (app_id, uid, channel) VALUES (:app_id, :uid, :channel)
ON CONFLICT (app_id, uid, channel) DO NOTHING;

-- subscribe
DELETE FROM unsubscribed WHERE app_id = :app_id AND uid = :uid AND channel = :channel;

-- forget_unsubscribed
DELETE FROM unsubscribed WHERE app_id = :app_id AND uid = :uid;

-- forget_unread
DELETE FROM unread_notices WHERE app_id = :app_id AND uid = :uid;

-- forget_sums
DELETE FROM notice_sums WHERE app_id = :app_id AND uid = :uid;
