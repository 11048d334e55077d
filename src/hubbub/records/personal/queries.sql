-- fragment muid(m)
coalesce({m}.muid, 'hubbub-' || CAST({m}.id AS TEXT))

-- list_tokens
-- Without the tokens.
-- reads: auth_tokens
SELECT created_at, platform, user_agent, app_info, device, expires_at FROM auth_tokens
WHERE app_id = :app_id AND uid = :uid ORDER BY number;

-- list_devices
-- Without the tokens of their gateways; times in milliseconds.
-- reads: devices
SELECT platform, kind, created_at, updated_at FROM devices
WHERE app_id = :app_id AND uid = :uid ORDER BY number;

-- list_sessions
-- reads: sessions
SELECT connected_at, platform, resource FROM sessions
WHERE app_id = :app_id AND uid = :uid ORDER BY connected_at, id;

-- find_choices
-- reads: notification_preferences
SELECT choices FROM notification_preferences WHERE app_id = :app_id AND uid = :uid;

-- list_mutes
-- Times in milliseconds.
-- reads: muted_users, muted_groups, groups
SELECT 'user', m.muted, m.until FROM muted_users m WHERE m.app_id = :app_id AND m.uid = :uid
UNION ALL
SELECT 'group', g.guid, m.until FROM muted_groups m
JOIN groups g ON g.app_id = m.app_id AND g.conversation = m.conversation
WHERE m.app_id = :app_id AND m.uid = :uid ORDER BY 1, 2;

-- list_unsubscribed
-- reads: unsubscribed
SELECT channel FROM unsubscribed WHERE app_id = :app_id AND uid = :uid ORDER BY channel;

-- list_saved
-- reads: saved_messages, messages, erasures
SELECT m.sender, {muid(m)}, s.saved_at FROM saved_messages s
JOIN messages m ON m.app_id = s.app_id AND m.id = s.message
WHERE s.app_id = :app_id AND s.uid = :uid AND m.is_erased = FALSE
    AND {is_after_erasure(s.number, :uid)}
ORDER BY s.message;

-- list_pinned
-- reads: conversation_pins, conversations
SELECT c.kind, CASE WHEN c.kind = 'user' AND c.left_id = :uid THEN c.right_id ELSE c.left_id END,
    p.pinned_at
FROM conversation_pins p JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.uid = :uid ORDER BY p.conversation;

-- list_tags
-- reads: conversation_tags, conversations
SELECT c.kind, CASE WHEN c.kind = 'user' AND c.left_id = :uid THEN c.right_id ELSE c.left_id END,
    t.tag
FROM conversation_tags t JOIN conversations c ON c.app_id = t.app_id AND c.number = t.conversation
WHERE t.app_id = :app_id AND t.uid = :uid ORDER BY t.conversation, t.tag;

-- list_interactions
-- reads: interactions, messages, erasures
SELECT m.sender, {muid(m)}, i.element_id, i.interacted_at FROM interactions i
JOIN messages m ON m.app_id = i.app_id AND m.id = i.message
WHERE i.app_id = :app_id AND i.uid = :uid AND {is_after_erasure(i.number, :uid)}
ORDER BY i.number, i.element_id;

-- list_submissions
-- reads: submissions, messages, erasures
SELECT m.sender, {muid(m)}, s.form_data, s.submitted_at FROM submissions s
JOIN messages m ON m.app_id = s.app_id AND m.id = s.message
WHERE s.app_id = :app_id AND s.uid = :uid AND {is_after_erasure(s.number, :uid)}
ORDER BY s.number;

-- list_votes
-- reads: poll_votes, messages, erasures
SELECT m.sender, {muid(m)}, v.options, v.voted_at FROM poll_votes v
JOIN messages m ON m.app_id = v.app_id AND m.id = v.message
WHERE v.app_id = :app_id AND v.uid = :uid AND {is_after_erasure(v.number, :uid)}
ORDER BY v.message;

-- list_reminders
-- reads: reminders, messages
SELECT m.sender, {muid(m)}, r.remind_at, r.created_at FROM reminders r
JOIN messages m ON m.app_id = r.app_id AND m.id = r.message
WHERE r.app_id = :app_id AND r.uid = :uid ORDER BY r.remind_at, r.message;

-- list_drafts
-- reads: drafts
SELECT receiver_type, receiver, data, updated_at FROM drafts
WHERE app_id = :app_id AND uid = :uid ORDER BY receiver_type, receiver;

-- list_scheduled
-- reads: scheduled_messages
SELECT receiver_type, receiver, draft, send_at, repeat, time_zone, status, created_at
FROM scheduled_messages WHERE app_id = :app_id AND sender = :uid ORDER BY send_at, id;

-- list_former
-- What they wrote that was edited since.
-- reads: message_versions, messages, erasures
SELECT m.sender, {muid(m)}, v.data, v.written_at FROM message_versions v
JOIN messages m ON m.app_id = v.app_id AND m.id = v.message
WHERE v.app_id = :app_id AND v.written_by = :uid AND {is_after_erasure(v.number, :uid)}
ORDER BY v.number;

-- list_notified
-- What was sent to them, of the last days; times in milliseconds. In the order of an expression:
-- otherwise the planner goes through the log of the whole app in the order of ids.
-- reads: notification_logs
SELECT channel, provider, trigger_id, sender, sent_at_ms, is_triggered, reason, is_success
FROM notification_logs WHERE app_id = :app_id AND uid = :uid ORDER BY id || '';

-- find_active_days
-- Counted from 1970; days: the bits of a hexadecimal number, of which the lowest is first_day.
-- reads: active_users
SELECT first_day, days FROM active_users WHERE app_id = :app_id AND uid = :uid;

-- fragment of_pair(uid)
-- The messages in the conversations of a user with others alone.
FROM participants p JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
JOIN messages m ON m.app_id = c.app_id AND m.conversation = c.number
WHERE p.app_id = :app_id AND p.uid = {uid} AND c.kind = 'user'

-- count_rows
-- What a permanent deletion removes, in the order of `COUNTED`.
-- reads: users, messages, participants, conversations, files, reactions, mentions, members, bans, friends, blocks, contact_details, auth_tokens, devices, notification_preferences, muted_users, muted_groups, saved_messages, conversation_pins, conversation_tags, receipts, interactions, submissions, poll_votes, reminders, drafts, scheduled_messages, message_versions, notification_logs, unread_notices
SELECT
    (SELECT count(*) FROM users t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM messages t
        WHERE t.app_id = :app_id AND t.sender = :uid AND t.receiver_type = 'group'),
    (SELECT count(*) {of_pair(:uid)}),
    (SELECT count(*) FROM files f WHERE f.app_id = :app_id AND f.message IN (
        SELECT m.id {of_pair(:uid)}
        UNION SELECT t.id FROM messages t
        WHERE t.app_id = :app_id AND t.sender = :uid AND t.receiver_type = 'group')),
    (SELECT count(*) FROM reactions t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM mentions t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM members t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM bans t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM friends t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM blocks t WHERE t.app_id = :app_id AND t.uid = :uid)
        + (SELECT count(*) FROM blocks t WHERE t.app_id = :app_id AND t.blocked = :uid),
    (SELECT count(*) FROM contact_details t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM auth_tokens t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM devices t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM notification_preferences t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM muted_users t WHERE t.app_id = :app_id AND t.uid = :uid)
        + (SELECT count(*) FROM muted_groups t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM saved_messages t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM conversation_pins t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM conversation_tags t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM receipts t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM interactions t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM submissions t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM poll_votes t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM reminders t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM drafts t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM scheduled_messages t WHERE t.app_id = :app_id AND t.sender = :uid),
    (SELECT count(*) FROM message_versions t WHERE t.app_id = :app_id AND t.written_by = :uid),
    (SELECT count(*) FROM notification_logs t WHERE t.app_id = :app_id AND t.uid = :uid),
    (SELECT count(*) FROM unread_notices t WHERE t.app_id = :app_id AND t.uid = :uid);
