-- list_apps
-- All apps, also those that are being erased.
-- reads: apps
SELECT id, archived_at IS NOT NULL FROM apps ORDER BY id;

-- count_users
-- Those that the app's counter counts.
-- reads: users
SELECT count(*) FROM users
WHERE app_id = :app_id AND deactivated_at IS NULL AND deleted_at IS NULL;

-- count_groups
-- reads: groups
SELECT count(*) FROM groups WHERE app_id = :app_id;

-- count_messages
-- reads: messages
SELECT count(*) FROM messages WHERE app_id = :app_id;

-- count_notices
-- Action messages about edits and deletions.
-- reads: messages
SELECT count(*) FROM messages
WHERE app_id = :app_id AND category = 'action' AND type = 'message' AND is_erased = FALSE;

-- count_not_carried
-- What a move to another installation leaves behind, by the names in the store.
-- reads: api_keys, auth_tokens, bans, conversation_pins, conversation_tags, devices, interactions, message_versions, muted_groups, muted_users, notification_preferences, participants, saved_messages, submissions, webhooks
SELECT
    (SELECT count(*) FROM api_keys t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM auth_tokens t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM bans t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM conversation_pins t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM conversation_tags t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM devices t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM message_versions t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM interactions t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM muted_groups t WHERE t.app_id = :app_id)
        + (SELECT count(*) FROM muted_users t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM notification_preferences t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM participants t WHERE t.app_id = :app_id AND t.hidden_id > 0),
    (SELECT count(*) FROM saved_messages t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM submissions t WHERE t.app_id = :app_id),
    (SELECT count(*) FROM webhooks t WHERE t.app_id = :app_id);

-- count_files
-- reads: files
SELECT count(DISTINCT id) FROM files WHERE app_id = :app_id;

-- newest_message
-- reads: messages
SELECT id FROM messages WHERE app_id = :app_id ORDER BY id DESC LIMIT 1;

-- newest_event
-- reads: events
SELECT number FROM events WHERE app_id = :app_id ORDER BY number DESC LIMIT 1;

-- newest_conversation
-- reads: conversations
SELECT number FROM conversations WHERE app_id = :app_id ORDER BY number DESC LIMIT 1;

-- find_kept
-- What the counters of the app say.
-- reads: counters
SELECT users, groups, message, event, conversation, sent_at
FROM counters WHERE app_id = :app_id;

-- latest_time
-- reads: messages
SELECT sent_at FROM messages WHERE app_id = :app_id ORDER BY sent_at DESC, id DESC LIMIT 1;

-- find_kept_presence
-- reads: presence_totals
SELECT sessions, online FROM presence_totals WHERE app_id = :app_id;

-- count_sessions
-- reads: sessions
SELECT count(*) FROM sessions WHERE app_id = :app_id;

-- count_available
-- reads: users
SELECT count(*) FROM users WHERE app_id = :app_id AND status = 'available';

-- list_conversations
-- The groups of those that are groups' conversations, too.
-- reads: conversations, groups
SELECT c.number, c.counted, c.left_id, c.right_id, c.left_own, c.right_own, g.guid, g.members_count
FROM conversations c LEFT JOIN groups g ON g.app_id = c.app_id AND g.conversation = c.number
WHERE c.app_id = :app_id AND c.number = ANY(:numbers);

-- list_participants
-- reads: participants
SELECT uid, read_id, read_count, own FROM participants
WHERE app_id = :app_id AND conversation = :conversation ORDER BY uid LIMIT :limit;

-- count_members
-- reads: members
SELECT count(*) FROM members WHERE app_id = :app_id AND conversation = :conversation;

-- count_counting
-- reads: messages
SELECT count(*) FROM messages WHERE app_id = :app_id AND conversation = :conversation AND counts;

-- count_unread
-- reads: messages
SELECT count(*) FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND counts
    AND id > :read_id AND sender <> :uid;
