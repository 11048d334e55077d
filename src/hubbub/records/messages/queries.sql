-- fragment filtered_tables
messages, message_tags, participants, conversations, message_pins, saved_messages, mentions, blocks, erasures

-- fragment other_side(uid)
-- The uid of the other user, or the guid of the group.
CASE WHEN c.kind = 'group' OR c.right_id = {uid} THEN c.left_id ELSE c.right_id END

-- fragment is_conversation_of(uid)
-- The row `o` is found first, in an index that alone says which conversations are the user's:
-- otherwise SQLite scans the participants of all users.
o.app_id = :app_id AND o.uid = {uid}
    AND p.app_id = o.app_id AND p.conversation = o.conversation AND p.uid = o.uid
    AND c.app_id = p.app_id AND c.number = p.conversation

-- find_message
-- Messages of senders who are being erased are hidden, here and below.
-- reads: messages, erasures
SELECT {message_columns} FROM messages
WHERE app_id = :app_id AND id = :id AND {is_not_erased(messages)};

-- find_messages
-- reads: messages, erasures
SELECT {message_columns} FROM messages
WHERE app_id = :app_id AND id = ANY(:ids) AND {is_not_erased(messages)};

-- fragment carried(m, c)
-- What a move carries: messages that some users are shown, and not notices of edits and deletions,
-- which say what the messages say themselves.
{m}.app_id = :app_id AND {m}.is_erased = FALSE AND {m}.id > {c}.erased_upto AND {is_visible({m})}
    AND NOT ({m}.category = 'action' AND {m}.type = 'message')

-- list_carried
-- Those of an app, within two times: after a position, oldest first.
-- reads: messages, conversations, erasures
SELECT {message_columns(m)} FROM messages m
JOIN conversations c ON c.app_id = m.app_id AND c.number = m.conversation
WHERE {carried(m, c)} AND (m.sent_at, m.id) > (:sent_at, :id) AND m.sent_at < :until
ORDER BY m.sent_at, m.id LIMIT :limit;

-- list_carried_in
-- The same of a conversation.
-- reads: messages, conversations, erasures
SELECT {message_columns(m)} FROM messages m
CROSS JOIN conversations c
WHERE c.app_id = :app_id AND c.number = :conversation AND m.conversation = :conversation
    AND {carried(m, c)} AND (m.sent_at, m.id) > (:sent_at, :id) AND m.sent_at < :until
ORDER BY m.sent_at, m.id LIMIT :limit;

-- list_carried_of
-- What a user sent to groups, in the order of ids.
-- reads: messages, conversations, erasures
SELECT {message_columns(m)} FROM messages m
JOIN conversations c ON c.app_id = m.app_id AND c.number = m.conversation
WHERE {carried(m, c)} AND m.sender = :sender AND m.receiver_type = 'group' AND m.id > :id
    AND m.sent_at >= :since AND m.sent_at < :until
ORDER BY m.id LIMIT :limit;

-- find_last_carried
-- The newest one of a conversation up to an id; one of several look-ups.
-- bulk
-- reads: messages, conversations, erasures
SELECT {message_columns(m)} FROM messages m
CROSS JOIN conversations c
WHERE c.app_id = :app_id AND c.number = :conversation AND m.conversation = :conversation
    AND {carried(m, c)} AND m.sent_at <= :upto_at AND +m.id <= :upto_id
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1;

-- find_stored
-- For erasures: also the messages of senders who are being erased.
-- reads: messages
SELECT {message_columns} FROM messages WHERE app_id = :app_id AND id = ANY(:ids);

-- find_in_conversations
-- Those of conversations that exist, after what was deleted there for all.
-- reads: messages, conversations, erasures
SELECT {message_columns(m)} FROM messages m
JOIN conversations c ON c.app_id = m.app_id AND c.number = m.conversation
WHERE m.app_id = :app_id AND m.id = ANY(:ids) AND m.id > c.erased_upto AND {is_visible(m)};

-- find_last_between
-- The last message after one id up to another, by its sender; one of several look-ups. The times
-- bound the scan.
-- bulk
-- reads: messages, erasures
SELECT {message_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation
    AND m.sent_at >= :from_at AND m.sent_at <= :upto_at
    AND +m.id > :after_id AND +m.id <= :upto_id
    AND (m.sender = :sender OR :sender = '' AND m.sender <> :other_than)
    AND m.is_erased = FALSE AND {is_visible(m)}
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1;

-- find_by_muid
-- One of several look-ups by sender and muid.
-- point
-- reads: messages
SELECT {message_columns} FROM messages
WHERE app_id = :app_id AND sender = :sender AND muid = :muid;

-- list_whole
-- Those within two ids that say all in these columns.
-- reads: messages
SELECT {whole_columns} FROM messages
WHERE app_id = :app_id AND id >= :first AND id <= :last AND (traits & :traits) = 0
    AND parent_id IS NULL AND quoted_id IS NULL AND tags = '[]' AND options IS NULL
    AND edited_at IS NULL AND deleted_at IS NULL AND is_erased = FALSE;

-- find_message_positions
-- reads: messages
SELECT {position_columns} FROM messages WHERE app_id = :app_id AND id = ANY(:ids);

-- count_own_beyond
-- An index scan: the index of conversations holds all columns.
-- reads: messages
SELECT count(*) FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND sent_at >= :from_at
    AND +id > :after_id AND sender = :sender AND counts;

-- count_of_others_between
-- It reads the rows, so it stops at a limit.
-- reads: messages, erasures
SELECT count(*) FROM (
    SELECT 1 FROM messages m
    WHERE m.app_id = :app_id AND m.conversation = :conversation
        AND m.sent_at >= :from_at AND m.sent_at <= :upto_at
        AND +m.id > :after_id AND +m.id <= :upto_id
        AND m.sender <> :uid AND m.counts AND m.is_erased = FALSE AND {is_visible(m)}
    LIMIT :limit) AS counted;

-- find_newest_of_others
-- reads: messages, erasures
SELECT {position_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation AND +m.id > :after_id
    AND m.sender <> :uid AND m.counts AND m.is_erased = FALSE AND {is_visible(m)}
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1;

-- free_muids
UPDATE messages SET muid = NULL WHERE app_id = :app_id AND id = ANY(:ids);

-- insert_message
-- bulk
INSERT INTO messages (app_id, id, conversation, muid, sender, receiver_type, receiver, category,
    type, parent_id, quoted_id, data, tags, options, sent_at, updated_at, delivered_at, read_at,
    counts, shows, ordinal, is_erased, traits)
VALUES (:app_id, :id, :conversation, :muid, :sender, :receiver_type, :receiver, :category,
    :type, :parent_id, :quoted_id, :data, :tags, :options, :sent_at, :updated_at, :delivered_at,
    :read_at, :counts, :shows, :ordinal, FALSE, :traits);

-- update_message
UPDATE messages SET data = :data, tags = :tags, traits = :traits, updated_at = :updated_at,
    edited_at = :edited_at, edited_by = :edited_by, edited_number = :number
WHERE app_id = :app_id AND id = :id;

-- store_grown
UPDATE messages SET data = :data, traits = :traits, updated_at = :updated_at
WHERE app_id = :app_id AND id = :id;

-- find_ordinal_before
-- The number of counting messages before the place of an id: what the next message says.
-- reads: messages
SELECT ordinal, counts FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND sent_at >= :sent_at AND id > :id
ORDER BY sent_at, id LIMIT 1;

-- raise_ordinals
-- One more counting message stands before these. Imported ones may be older than their ids.
UPDATE messages SET ordinal = ordinal + 1
WHERE app_id = :app_id AND conversation = :conversation AND sent_at >= :sent_at AND id > :id;

-- store_data
UPDATE messages SET data = :data WHERE app_id = :app_id AND id = :id;

-- set_deleted
UPDATE messages SET deleted_at = :at, deleted_by = :by, deleted_number = :number, updated_at = :at
WHERE app_id = :app_id AND id = :id;

-- erase_content
-- A tombstone keeps who sent the message and when, and who deleted it.
UPDATE messages SET is_erased = TRUE, data = '{}', tags = '[]', options = NULL, quoted_id = NULL,
    traits = 0
WHERE app_id = :app_id AND id = ANY(:ids);

-- add_trait
-- bulk
UPDATE messages SET traits = traits | :trait
WHERE app_id = :app_id AND id = :id;

-- keep_traits
UPDATE messages SET traits = traits & :kept WHERE app_id = :app_id AND id = ANY(:ids);

-- find_newest_shown
-- It starts at the time of the present lastMessage: later messages are not displayable.
-- reads: messages, erasures
SELECT {message_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.conversation = :conversation AND m.sent_at <= :upto AND m.shows
    AND NOT m.is_erased AND +m.id > :after_id AND {is_visible(m)}
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1;

-- insert_tag
-- bulk
INSERT INTO message_tags (app_id, tag, conversation, message)
VALUES (:app_id, :tag, :conversation, :message);

-- list_after
-- Oldest first, after a cursor.
-- reads: {filtered_tables}
SELECT {message_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.is_erased = FALSE {where}
ORDER BY {order: m.sent_at, m.id} LIMIT :limit OFFSET :offset;

-- find_time_behind
-- When the message was sent that is behind so many of the newest ones before a position.
-- reads: messages
SELECT m.sent_at FROM messages m
WHERE m.app_id = :app_id AND (m.sent_at, m.id) < (:sent_at, :id)
ORDER BY m.sent_at DESC, m.id DESC LIMIT 1 OFFSET :count;

-- list_before
-- Newest first, before a cursor; the caller reverses the rows.
-- reads: {filtered_tables}
SELECT {message_columns(m)} FROM messages m
WHERE m.app_id = :app_id AND m.is_erased = FALSE {where}
ORDER BY {order: m.sent_at DESC, m.id DESC} LIMIT :limit OFFSET :offset;

-- count_replies
-- By the message that they reply to.
-- reads: {filtered_tables}
SELECT m.parent_id, count(*) FROM messages m
WHERE m.app_id = :app_id AND m.parent_id = ANY(:parents) AND m.is_erased = FALSE {where}
GROUP BY m.parent_id;

-- count_by_other
-- By the other user of `whose`; without one, by receiver. The condition on the time is always true:
-- it leads SQLite's planner to the index of conversations.
-- reads: {filtered_tables}
SELECT c.kind, CASE WHEN c.kind = 'group' THEN c.left_id WHEN :whose = '' THEN m.receiver
        WHEN c.right_id = :whose THEN c.left_id ELSE c.right_id END, count(*)
FROM conversations c CROSS JOIN messages m
WHERE c.app_id = :app_id AND m.app_id = :app_id AND m.conversation = c.number
    AND m.sent_at >= 0 AND m.is_erased = FALSE AND +m.id > c.erased_upto {where}
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit;

-- count_of_viewer
-- The same for the conversations of one user, as far back as their history goes.
-- reads: {filtered_tables}
SELECT c.kind, {other_side(:viewer)}, count(*)
FROM participants o CROSS JOIN participants p CROSS JOIN conversations c CROSS JOIN messages m
WHERE {is_conversation_of(:viewer)}
    AND m.app_id = :app_id AND m.conversation = p.conversation AND m.sent_at >= 0
    AND m.is_erased = FALSE AND +m.id > p.hidden_id AND +m.id > c.erased_upto {where}
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit;

-- count_kept_unread
-- The unread counts that the reader's conversations show.
-- reads: participants, conversations
SELECT c.kind, {other_side(:reader)}, {unread_in(p, c)}
FROM participants o CROSS JOIN participants p CROSS JOIN conversations c
WHERE {is_conversation_of(:reader)} AND {unread_in(p, c)} > 0 {where}
ORDER BY 1, 2 LIMIT :limit;

-- count_unread
-- From the read position on; after an import, whose times may be older, from the beginning.
-- Messages that were deleted permanently count until they are read.
-- reads: {filtered_tables}
SELECT c.kind, {other_side(:reader)}, count(*)
FROM participants o CROSS JOIN participants p CROSS JOIN conversations c
LEFT JOIN messages r
    ON r.app_id = p.app_id AND r.id = p.read_id AND r.conversation = p.conversation
CROSS JOIN messages m
WHERE {is_conversation_of(:reader)} AND {unread_in(p, c)} > 0
    AND m.app_id = :app_id AND m.conversation = p.conversation
    AND m.sent_at >= CASE WHEN p.read_id >= c.imported_id THEN coalesce(r.sent_at, 0) ELSE 0 END
    AND +m.id > p.read_id AND m.counts AND m.sender <> :reader {where}
GROUP BY 1, 2 ORDER BY 1, 2 LIMIT :limit;

-- list_of_sender_to_groups
-- In two steps, so that the planners take the index by sender, which holds all columns of the inner
-- query.
-- reads: messages
SELECT {erasable_columns} FROM messages WHERE app_id = :app_id AND id IN (
    SELECT id FROM messages
    WHERE app_id = :app_id AND sender = :sender AND receiver_type = 'group' AND +id <= :upto
    ORDER BY sender, id LIMIT :limit)
ORDER BY id;

-- list_of_sender_in
-- reads: messages
SELECT {erasable_columns} FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND sender = :sender AND +id <= :upto
    AND is_erased = FALSE
ORDER BY sent_at, id LIMIT :limit;

-- list_of_conversation
-- The plus keeps the planners from scanning by id, through the messages of all conversations.
-- reads: messages
SELECT {erasable_columns} FROM messages
WHERE app_id = :app_id AND conversation = :conversation AND +id <= :upto
ORDER BY sent_at, id LIMIT :limit;

-- list_edited_by
-- Messages of others that the user edited, up to an event: later edits are by a new user with the
-- same uid.
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
-- The rows that remain are in no conversation. They are deleted with their sender, as the messages
-- that the sender wrote in groups are.
UPDATE messages SET conversation = 0, receiver_type = 'group', receiver = '', parent_id = NULL,
    quoted_id = NULL, data = '{}', tags = '[]', options = NULL, edited_at = NULL, edited_by = NULL,
    edited_number = NULL, deleted_at = NULL, deleted_by = NULL, deleted_number = NULL,
    delivered_at = NULL, read_at = NULL, counts = FALSE, shows = FALSE, is_erased = TRUE, traits = 0
WHERE app_id = :app_id AND id = ANY(:ids) AND muid IS NOT NULL;

-- delete_tag
DELETE FROM message_tags
WHERE app_id = :app_id AND tag = :tag AND conversation = :conversation AND message = :message;
