-- find_message
-- What somebody said who is just being erased is gone, here and below.
-- reads: messages, erasures
SELECT id, conversation, muid, sender, receiver_type, receiver, category, type, parent_id,
    quoted_id, data, tags, options, sent_at, updated_at, edited_at, edited_by, deleted_at,
    deleted_by, delivered_at, read_at, counts, shows, ordinal, is_erased, traits
FROM messages WHERE app_id = :app_id AND id = :id
    AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
        AND e.subject = messages.sender AND e.upto_message >= messages.id);

-- find_messages
-- reads: messages, erasures
SELECT id, conversation, muid, sender, receiver_type, receiver, category, type, parent_id,
    quoted_id, data, tags, options, sent_at, updated_at, edited_at, edited_by, deleted_at,
    deleted_by, delivered_at, read_at, counts, shows, ordinal, is_erased, traits
FROM messages WHERE app_id = :app_id AND id = ANY(:ids)
    AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
        AND e.subject = messages.sender AND e.upto_message >= messages.id);

-- find_stored
-- Whatever there is, to be erased.
-- reads: messages
SELECT id, conversation, muid, sender, receiver_type, receiver, category, type, parent_id,
    quoted_id, data, tags, options, sent_at, updated_at, edited_at, edited_by, deleted_at,
    deleted_by, delivered_at, read_at, counts, shows, ordinal, is_erased, traits
FROM messages WHERE app_id = :app_id AND id = ANY(:ids);

-- find_by_muid
-- One of a row of look-ups by sender and muid.
-- point
-- reads: messages
SELECT id, conversation, muid, sender, receiver_type, receiver, category, type, parent_id,
    quoted_id, data, tags, options, sent_at, updated_at, edited_at, edited_by, deleted_at,
    deleted_by, delivered_at, read_at, counts, shows, ordinal, is_erased, traits
FROM messages WHERE app_id = :app_id AND sender = :sender AND muid = :muid;

-- find_spots
-- reads: messages
SELECT id, conversation, sent_at, ordinal FROM messages WHERE app_id = :app_id AND id = ANY(:ids);

-- count_own_beyond
-- By the index of conversations alone.
-- reads: messages
SELECT count(*) FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND sent_at >= :from_at
    AND +id > :after_id AND sender = :sender AND counts;

-- count_of_others_between
-- What is there, up to so many: their rows are looked at.
-- reads: messages, erasures
SELECT count(*) FROM (
    SELECT 1 FROM messages m
    WHERE m.app_id = :app_id AND m.conversation = :conversation
        AND m.sent_at >= :from_at AND m.sent_at <= :upto_at
        AND +m.id > :after_id AND +m.id <= :upto_id
        AND m.sender <> :uid AND m.counts AND m.is_erased = FALSE
        AND (NOT EXISTS (SELECT 1 FROM erasures w WHERE w.app_id = :app_id AND w.kind = 'sender')
            OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
                AND e.subject = m.sender AND e.upto_message >= m.id))
    LIMIT :limit) AS counted;

-- find_newest_of_others
-- reads: messages, erasures
SELECT m.id, m.conversation, m.sent_at, m.ordinal FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation AND +m.id > :after_id
    AND m.sender <> :uid AND m.counts AND m.is_erased = FALSE
    AND (NOT EXISTS (SELECT 1 FROM erasures w WHERE w.app_id = :app_id AND w.kind = 'sender')
        OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
            AND e.subject = m.sender AND e.upto_message >= m.id))
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1;

-- free_muids
UPDATE messages SET muid = NULL WHERE app_id = :app_id AND id = ANY(:ids);

-- insert_message
-- bulk
INSERT INTO messages (app_id, id, conversation, muid, sender, receiver_type, receiver, category,
    type, parent_id, quoted_id, data, tags, options, sent_at, updated_at, delivered_at, read_at, counts, shows, ordinal,
    is_erased, traits)
VALUES (:app_id, :id, :conversation, :muid, :sender, :receiver_type, :receiver, :category,
    :type, :parent_id, :quoted_id, :data, :tags, :options, :sent_at, :updated_at, :delivered_at, :read_at, :counts, :shows,
    :ordinal, FALSE, :traits);

-- update_message
UPDATE messages SET data = :data, tags = :tags, traits = :traits, updated_at = :updated_at,
    edited_at = :edited_at, edited_by = :edited_by, edited_number = :number
WHERE app_id = :app_id AND id = :id;

-- set_deleted
UPDATE messages SET deleted_at = :at, deleted_by = :by, deleted_number = :number, updated_at = :at
WHERE app_id = :app_id AND id = :id;

-- erase_content
-- What stays is who had sent it when, and who deleted it.
UPDATE messages SET is_erased = TRUE, data = '{}', tags = '[]', options = NULL, quoted_id = NULL,
    traits = 0
WHERE app_id = :app_id AND id = ANY(:ids);

-- add_trait
UPDATE messages SET traits = traits | :trait WHERE app_id = :app_id AND id = ANY(:ids);

-- keep_traits
UPDATE messages SET traits = traits & :kept WHERE app_id = :app_id AND id = ANY(:ids);

-- find_newest_shown
-- From where the one stood that was shown: what came after it shows not.
-- reads: messages, erasures
SELECT m.id, m.conversation, m.muid, m.sender, m.receiver_type, m.receiver, m.category, m.type,
    m.parent_id, m.quoted_id, m.data, m.tags, m.options, m.sent_at, m.updated_at, m.edited_at,
    m.edited_by, m.deleted_at, m.deleted_by, m.delivered_at, m.read_at, m.counts, m.shows,
    m.ordinal, m.is_erased, m.traits
FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation AND m.sent_at <= :upto AND m.shows
    AND NOT m.is_erased AND +m.id > :after_id
    AND (NOT EXISTS (SELECT 1 FROM erasures w WHERE w.app_id = :app_id AND w.kind = 'sender')
        OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
            AND e.subject = m.sender AND e.upto_message >= m.id))
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1;

-- insert_tag
-- bulk
INSERT INTO message_tags (app_id, tag, conversation, message)
VALUES (:app_id, :tag, :conversation, :message);

-- list_after
-- Messages from older to newer, beyond a place.
-- reads: messages, message_tags, participants, conversations, message_pins, saved_messages, mentions, blocks, erasures
SELECT m.id, m.conversation, m.muid, m.sender, m.receiver_type, m.receiver, m.category, m.type,
    m.parent_id, m.quoted_id, m.data, m.tags, m.options, m.sent_at, m.updated_at, m.edited_at,
    m.edited_by, m.deleted_at, m.deleted_by, m.delivered_at, m.read_at, m.counts, m.shows,
    m.ordinal, m.is_erased, m.traits
FROM messages m WHERE m.app_id = :app_id AND m.is_erased = FALSE {where}
ORDER BY {order: m.sent_at, m.id} LIMIT :limit OFFSET :offset;

-- list_before
-- Messages from newer to older, before a place; the reader turns them round.
-- reads: messages, message_tags, participants, conversations, message_pins, saved_messages, mentions, blocks, erasures
SELECT m.id, m.conversation, m.muid, m.sender, m.receiver_type, m.receiver, m.category, m.type,
    m.parent_id, m.quoted_id, m.data, m.tags, m.options, m.sent_at, m.updated_at, m.edited_at,
    m.edited_by, m.deleted_at, m.deleted_by, m.delivered_at, m.read_at, m.counts, m.shows,
    m.ordinal, m.is_erased, m.traits
FROM messages m WHERE m.app_id = :app_id AND m.is_erased = FALSE {where}
ORDER BY {order: m.sent_at DESC, m.id DESC} LIMIT :limit OFFSET :offset;

-- count_by_other
-- By whom somebody speaks with; for nobody in particular by the receiver. The time, which is never
-- less, leads SQLite's planner to the index of the conversation.
-- reads: messages, message_tags, participants, conversations, message_pins, saved_messages, mentions, blocks, erasures
SELECT c.kind, CASE WHEN c.kind = 'group' THEN c.left_id WHEN :whose = '' THEN m.receiver
        WHEN c.right_id = :whose THEN c.left_id ELSE c.right_id END, count(*)
FROM conversations c CROSS JOIN messages m
WHERE c.app_id = :app_id AND m.app_id = :app_id AND m.conversation = c.number
    AND m.sent_at >= 0 AND m.is_erased = FALSE AND +m.id > c.erased_upto {where}
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit;

-- count_of_viewer
-- The same of somebody's conversations, as far as his history goes back.
-- reads: messages, message_tags, participants, conversations, message_pins, saved_messages, mentions, blocks, erasures
SELECT c.kind, CASE WHEN c.kind = 'group' OR c.right_id = :viewer THEN c.left_id
        ELSE c.right_id END, count(*)
FROM participants o CROSS JOIN participants p CROSS JOIN conversations c CROSS JOIN messages m
WHERE o.app_id = :app_id AND o.uid = :viewer
    AND p.app_id = o.app_id AND p.conversation = o.conversation AND p.uid = o.uid
    AND c.app_id = p.app_id AND c.number = p.conversation
    AND m.app_id = :app_id AND m.conversation = p.conversation AND m.sent_at >= 0
    AND m.is_erased = FALSE AND +m.id > p.hidden_id AND +m.id > c.erased_upto {where}
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit;

-- count_kept_unread
-- What conversations tell of as unread, of those that somebody takes part in. His are looked up
-- first, in an index that alone says which they are: else SQLite goes through everybody's.
-- reads: participants, conversations
SELECT c.kind, CASE WHEN c.kind = 'group' OR c.right_id = :reader THEN c.left_id
        ELSE c.right_id END, c.counted - p.read_count - p.own
FROM participants o CROSS JOIN participants p CROSS JOIN conversations c
WHERE o.app_id = :app_id AND o.uid = :reader
    AND p.app_id = o.app_id AND p.conversation = o.conversation AND p.uid = o.uid
    AND c.app_id = p.app_id AND c.number = p.conversation
    AND c.counted - p.read_count - p.own > 0 {where}
ORDER BY 1, 2 LIMIT :limit;

-- count_unread
-- Only from where the reader has come to, unless an import came later, whose times may be older.
-- What was deleted for good counts until it is read.
-- reads: messages, message_tags, participants, conversations, message_pins, saved_messages, mentions, blocks, erasures
SELECT c.kind, CASE WHEN c.kind = 'group' OR c.right_id = :reader THEN c.left_id
        ELSE c.right_id END, count(*)
FROM participants o CROSS JOIN participants p CROSS JOIN conversations c
LEFT JOIN messages r
    ON r.app_id = p.app_id AND r.id = p.read_id AND r.conversation = p.conversation
CROSS JOIN messages m
WHERE o.app_id = :app_id AND o.uid = :reader
    AND p.app_id = o.app_id AND p.conversation = o.conversation AND p.uid = o.uid
    AND c.app_id = p.app_id AND c.number = p.conversation
    AND c.counted - p.read_count - p.own > 0
    AND m.app_id = :app_id AND m.conversation = p.conversation
    AND m.sent_at >= CASE WHEN p.read_id >= c.imported_id THEN coalesce(r.sent_at, 0) ELSE 0 END
    AND +m.id > p.read_id AND m.counts AND m.sender <> :reader {where}
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit;

-- list_of_sender_to_groups
-- In two steps, so that the planners take the index by sender, which alone holds what is asked for.
-- reads: messages
SELECT id, conversation, tags FROM messages WHERE app_id = :app_id AND id IN (
    SELECT id FROM messages
    WHERE app_id = :app_id AND sender = :sender AND receiver_type = 'group' AND +id <= :upto
    ORDER BY sender, id LIMIT :limit)
ORDER BY id;

-- list_of_sender_in
-- reads: messages
SELECT id, conversation, tags FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND sender = :sender AND +id <= :upto
    AND is_erased = FALSE
ORDER BY sent_at, id LIMIT :limit;

-- list_of_conversation
-- The plus keeps the planners from going by the id, through everybody's messages.
-- reads: messages
SELECT id, conversation, tags FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND +id <= :upto
ORDER BY sent_at, id LIMIT :limit;

-- list_edited_by
-- What others sent and he has edited, up to an event: what is newer is his successor's.
-- reads: messages
SELECT id FROM messages
WHERE app_id = :app_id AND edited_by = :uid AND edited_by <> sender
    AND coalesce(edited_number, 0) <= :upto
LIMIT :limit;

-- set_edited_by
UPDATE messages SET edited_by = :by WHERE app_id = :app_id AND id = ANY(:ids);

-- list_deleted_by
-- reads: messages
SELECT id FROM messages
WHERE app_id = :app_id AND deleted_by = :uid AND deleted_by <> sender
    AND coalesce(deleted_number, 0) <= :upto
LIMIT :limit;

-- set_deleted_by
UPDATE messages SET deleted_by = :by WHERE app_id = :app_id AND id = ANY(:ids);

-- delete_messages
DELETE FROM messages WHERE app_id = :app_id AND id = ANY(:ids);

-- delete_messages_without_muid
DELETE FROM messages WHERE app_id = :app_id AND id = ANY(:ids) AND muid IS NULL;

-- leave_muids
-- What stays is in no conversation, and goes with its sender as what he said in groups does.
UPDATE messages SET conversation = 0, receiver_type = 'group', receiver = '', parent_id = NULL,
    quoted_id = NULL, data = '{}', tags = '[]', options = NULL, edited_at = NULL, edited_by = NULL,
    edited_number = NULL, deleted_at = NULL, deleted_by = NULL, deleted_number = NULL,
    delivered_at = NULL, read_at = NULL, counts = FALSE, shows = FALSE, is_erased = TRUE, traits = 0
WHERE app_id = :app_id AND id = ANY(:ids) AND muid IS NOT NULL;

-- delete_tag
DELETE FROM message_tags
WHERE app_id = :app_id AND tag = :tag AND conversation = :conversation AND message = :id;
