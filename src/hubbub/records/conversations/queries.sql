-- fragment filtered_tables
participants, conversations, conversation_pins, conversation_tags, user_tags, group_tags, user_words, group_words, blocks

-- fragment other_side
-- The uid of the other user, or the guid of the group.
CASE WHEN c.kind = 'user' AND c.left_id = p.uid THEN c.right_id ELSE c.left_id END

-- fragment pinned_by(uid)
SELECT x.conversation FROM conversation_pins x WHERE x.app_id = :app_id AND x.uid = {uid}

-- find_conversation
-- One of several look-ups by key.
-- point
-- reads: conversations
SELECT {conversation_columns} FROM conversations
WHERE app_id = :app_id AND kind = :kind AND left_id = :left_id AND right_id = :right_id;

-- insert_conversation
-- bulk
INSERT INTO conversations (app_id, {conversation_columns})
VALUES (:app_id, {conversation_columns(:)});

-- advance_conversation
-- keeps
-- bulk
UPDATE conversations SET updated_at = :updated_at, last_id = :last_id, shown_id = :shown_id,
    shown_at = :shown_at, newest_sent_at = :newest_sent_at, counted = :counted,
    imported_id = :imported_id, left_own = :left_own, right_own = :right_own
WHERE app_id = :app_id AND number = :number;

-- insert_participant
-- bulk
INSERT INTO participants (app_id, conversation, uid, read_id, read_count, own, floor_id,
    floor_count, hidden_id, read_reached, delivered_reached, tags)
VALUES (:app_id, :conversation, :uid, :reached, :read_count, 0, :reached, :read_count,
    :hidden_id, :reached, :reached, '[]')
ON CONFLICT (app_id, conversation, uid) DO NOTHING;

-- add_own
-- bulk
UPDATE participants SET own = own + :own
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- find_participant
-- Rows that remain of a conversation which is being erased are not found.
-- point
-- reads: participants, conversations
SELECT p.hidden_id FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.conversation = :conversation AND p.uid = :uid;

-- find_history
-- A conversation by its key, and from where on a user sees its messages; NULL if they don't.
-- point
-- reads: conversations, participants
SELECT c.number, p.hidden_id FROM conversations c
LEFT JOIN participants p ON p.app_id = c.app_id AND p.conversation = c.number AND p.uid = :uid
WHERE c.app_id = :app_id AND c.kind = :kind AND c.left_id = :left_id AND c.right_id = :right_id;

-- find_erased_upto
-- point
-- reads: conversations
SELECT erased_upto FROM conversations WHERE app_id = :app_id AND number = :number;

-- find_participants
-- One of several look-ups by pair.
-- point
-- reads: participants
SELECT {participant_columns} FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_marks
-- The participants of conversations that exist who have read something: after one.
-- reads: participants, conversations
SELECT {participant_columns(p)}, c.kind, c.left_id, c.right_id
FROM participants p JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.read_id > 0 AND (p.conversation, p.uid) > (:conversation, :uid)
ORDER BY p.conversation, p.uid LIMIT :limit;

-- list_marks_in
-- The same of one conversation.
-- reads: participants, conversations
SELECT {participant_columns(p)}, c.kind, c.left_id, c.right_id
FROM participants p JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.read_id > 0 AND p.conversation = :conversation AND p.uid > :uid
ORDER BY p.uid LIMIT :limit;

-- list_marks_of
-- The same of one user.
-- reads: participants, conversations
SELECT {participant_columns(p)}, c.kind, c.left_id, c.right_id
FROM participants p JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.read_id > 0 AND p.uid = :uid AND p.conversation > :conversation
ORDER BY p.conversation LIMIT :limit;

-- store_marks
-- bulk
UPDATE participants SET read_id = :read_id, read_count = :read_count, own = :own,
    read_reached = :read_reached, delivered_reached = :delivered_reached
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_beyond
-- The participants who have read beyond a message.
-- reads: participants
SELECT {participant_columns} FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND read_id >= :message ORDER BY uid;

-- raise_floors
UPDATE participants SET floor_count = floor_count + 1
WHERE app_id = :app_id AND conversation = :conversation AND floor_id >= :message;

-- fragment reset_participants(own)
UPDATE participants SET read_id = :reached, read_count = :counted, own = {own}, floor_id = :reached,
    floor_count = :counted, hidden_id = :reached, read_reached = :reached,
    delivered_reached = :reached

-- reset_participant
{reset_participants(:own)} WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- reset_all_participants
{reset_participants(CASE WHEN uid = :left_id THEN CAST(:left AS BIGINT) ELSE :right END)}
WHERE app_id = :app_id AND conversation = :conversation;

-- empty_conversation
UPDATE conversations SET shown_id = 0, shown_at = 0, updated_at = created_at,
    erased_upto = last_id
WHERE app_id = :app_id AND number = :number;

-- list_others
-- reads: participants
SELECT uid FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND uid > :after AND uid <> :but
ORDER BY uid LIMIT :limit;

-- store_tags
UPDATE participants SET tags = :tags
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_seen
-- The conversations of a user that have messages: pins of the app first, then the user's own pins.
-- The rows are found once for the page and for the total.
-- reads: {filtered_tables}
WITH seen AS MATERIALIZED (
    SELECT c.number, p.uid, c.updated_at, {other_side} AS other
    FROM participants p CROSS JOIN conversations c
    WHERE p.app_id = :app_id AND p.uid = :uid
        AND c.app_id = p.app_id AND c.number = p.conversation AND c.last_id > p.hidden_id {where}
)
SELECT number, uid, number IN ({pinned_by('')}) AS by_app, number IN ({pinned_by(:uid)}) AS by_user,
    (SELECT count(*) FROM seen) AS total
FROM seen ORDER BY by_app DESC, by_user DESC, updated_at DESC, other, number
LIMIT :limit OFFSET :offset;

-- count_seen
-- reads: {filtered_tables}
SELECT count(*) FROM participants p CROSS JOIN conversations c
WHERE p.app_id = :app_id AND p.uid = :uid
    AND c.app_id = p.app_id AND c.number = p.conversation AND c.last_id > p.hidden_id {where};

-- list_all_seen
-- The conversations of all users, for the app: by user, then newest first.
-- reads: {filtered_tables}
SELECT c.number, p.uid, c.number IN ({pinned_by('')})
FROM participants p CROSS JOIN conversations c
WHERE p.app_id = :app_id
    AND c.app_id = p.app_id AND c.number = p.conversation AND c.last_id > p.hidden_id {where}
ORDER BY p.uid, c.updated_at DESC,
    {other_side}, c.number
LIMIT :limit OFFSET :offset;

-- count_all_seen
-- reads: {filtered_tables}
SELECT count(*) FROM participants p CROSS JOIN conversations c
WHERE p.app_id = :app_id
    AND c.app_id = p.app_id AND c.number = p.conversation AND c.last_id > p.hidden_id {where};

-- find_by_number
-- One of several look-ups.
-- point
-- reads: conversations
SELECT {conversation_columns} FROM conversations WHERE app_id = :app_id AND number = :number;

-- list_pins
-- The pins of conversations by some users; '' is the app.
-- reads: conversation_pins
SELECT conversation, uid, pinned_at FROM conversation_pins
WHERE app_id = :app_id AND uid = ANY(:uids) AND conversation = ANY(:conversations);

-- find_with_participants
-- A conversation with a participant: one of several look-ups by key. For a list of keys, PostgreSQL
-- may scan all participants of the app for each conversation, while it does not know their number.
-- bulk
-- reads: conversations, participants
SELECT {conversation_columns(c)}, {participant_columns(p)}
FROM conversations c CROSS JOIN participants p
WHERE c.app_id = :app_id AND c.number = :conversation
    AND p.app_id = :app_id AND p.conversation = :conversation AND p.uid = :uid;

-- find_pins
-- reads: conversation_pins
SELECT uid, pinned_at FROM conversation_pins
WHERE app_id = :app_id AND conversation = :conversation AND uid = ANY(:uids);

-- count_pins
-- Pins of conversations that are being erased don't count.
-- reads: conversation_pins, conversations
SELECT count(*) FROM conversation_pins x
JOIN conversations c ON c.app_id = x.app_id AND c.number = x.conversation
WHERE x.app_id = :app_id AND x.uid = :uid;

-- insert_pin
INSERT INTO conversation_pins (app_id, conversation, uid, pinned_at)
VALUES (:app_id, :conversation, :uid, :pinned_at)
ON CONFLICT (app_id, conversation, uid) DO NOTHING;

-- delete_pin
DELETE FROM conversation_pins
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- delete_pins_of_users
-- The pin of the app remains.
DELETE FROM conversation_pins
WHERE app_id = :app_id AND conversation = :conversation AND uid <> '';

-- insert_tag
INSERT INTO conversation_tags (app_id, conversation, uid, tag)
VALUES (:app_id, :conversation, :uid, :tag)
ON CONFLICT (app_id, conversation, uid, tag) DO NOTHING;

-- delete_tags
DELETE FROM conversation_tags
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- delete_pins_of
DELETE FROM conversation_pins WHERE app_id = :app_id AND uid = :uid;

-- delete_tags_of
DELETE FROM conversation_tags WHERE app_id = :app_id AND uid = :uid;

-- list_user_conversations
-- reads: participants, conversations
SELECT c.number, c.kind, c.left_id, c.right_id
FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.uid = :uid AND c.kind = 'user';

-- find_imported_id
-- reads: participants, conversations
SELECT coalesce(max(c.imported_id), 0) FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.uid = :uid;

-- delete_participant
DELETE FROM participants
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- leave_conversations
DELETE FROM participants
WHERE app_id = :app_id AND uid = :uid AND conversation = ANY(:conversations);

-- delete_conversation
DELETE FROM conversations WHERE app_id = :app_id AND number = :number;

-- end_user_conversations
-- reads: participants
DELETE FROM conversations WHERE app_id = :app_id AND kind = 'user' AND number IN (
    SELECT p.conversation FROM participants p WHERE p.app_id = :app_id AND p.uid = :uid);
