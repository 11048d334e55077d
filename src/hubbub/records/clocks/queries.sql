-- list_messages
-- Those of a range of ids whose times lie ahead.
-- reads: messages
SELECT id FROM messages
WHERE app_id = :app_id AND id > :after AND id <= :upto
    AND (sent_at > :latest OR updated_at > :latest)
ORDER BY id;

-- repair_messages
-- A message gets the newest believable time of those before it in its conversation.
UPDATE messages SET
    sent_at = CASE WHEN sent_at <= :latest THEN sent_at ELSE coalesce((
        SELECT p.sent_at FROM messages p
        WHERE p.app_id = :app_id AND p.conversation = messages.conversation
            AND p.sent_at <= :latest AND +p.id < messages.id
        ORDER BY p.sent_at DESC, p.id DESC LIMIT 1), :now) END,
    updated_at = CASE WHEN updated_at <= :latest THEN updated_at ELSE :now END,
    edited_at = CASE WHEN edited_at > :latest THEN :now ELSE edited_at END,
    deleted_at = CASE WHEN deleted_at > :latest THEN :now ELSE deleted_at END
WHERE app_id = :app_id AND id = ANY(:ids);

-- repair_conversations
-- Ids and times are not in the same order any more up to the last message.
UPDATE conversations SET
    created_at = CASE WHEN created_at > :latest THEN :now ELSE created_at END,
    updated_at = CASE WHEN updated_at > :latest THEN :now ELSE updated_at END,
    shown_at = CASE WHEN shown_at > :latest THEN :now ELSE shown_at END,
    newest_sent_at = CASE WHEN newest_sent_at > :latest THEN :now ELSE newest_sent_at END,
    imported_id = last_id
WHERE app_id = :app_id AND (created_at > :latest OR updated_at > :latest OR shown_at > :latest
    OR newest_sent_at > :latest);

-- repair_users
UPDATE users SET touched_at = :now,
    created_at = CASE WHEN created_at > :latest THEN :now ELSE created_at END,
    updated_at = CASE WHEN updated_at > :latest THEN :now ELSE updated_at END,
    last_active_at = CASE WHEN last_active_at > :latest THEN :now ELSE last_active_at END
WHERE app_id = :app_id AND (touched_at > :latest OR last_active_at > :latest);

-- repair_user_words
UPDATE user_words SET touched_at = :now WHERE app_id = :app_id AND touched_at > :latest;

-- repair_user_tags
UPDATE user_tags SET touched_at = :now WHERE app_id = :app_id AND touched_at > :latest;

-- repair_groups
UPDATE groups SET touched_at = :now,
    created_at = CASE WHEN created_at > :latest THEN :now ELSE created_at END,
    updated_at = CASE WHEN updated_at > :latest THEN :now ELSE updated_at END
WHERE app_id = :app_id AND touched_at > :latest;

-- repair_events
UPDATE events SET at = :now WHERE app_id = :app_id AND at > :latest;

-- repair_keys
UPDATE idempotency_keys SET created_at = :now WHERE app_id = :app_id AND created_at > :latest;

-- repair_leftovers
UPDATE file_leftovers SET due_at = :now WHERE app_id = :app_id AND due_at > :due_latest;

-- repair_app
UPDATE apps SET archived_at = :now WHERE id = :app_id AND archived_at > :latest;
