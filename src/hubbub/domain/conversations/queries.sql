-- find_conversation
-- One of a row of look-ups by key.
-- point
-- reads: conversations
SELECT number, kind, left_id, right_id, created_at, updated_at, last_id, shown_id, shown_at,
    newest_sent_at, counted
FROM conversations
WHERE app_id = :app_id AND kind = :kind AND left_id = :left_id AND right_id = :right_id;

-- insert_conversation
-- bulk
INSERT INTO conversations (app_id, number, kind, left_id, right_id, created_at, updated_at,
    last_id, shown_id, shown_at, newest_sent_at, counted)
VALUES (:app_id, :number, :kind, :left_id, :right_id, :created_at, :created_at, 0, 0, 0, 0, 0);

-- advance_conversation
UPDATE conversations SET updated_at = :updated_at, last_id = :last_id, shown_id = :shown_id,
    shown_at = :shown_at, newest_sent_at = :newest_sent_at, counted = :counted
WHERE app_id = :app_id AND number = :number;

-- insert_participant
-- bulk
INSERT INTO participants (app_id, conversation, uid, read_id, read_count, own, floor_id,
    floor_count, hidden_id, read_reached, delivered_reached, tags)
VALUES (:app_id, :conversation, :uid, :reached, :read_count, 0, :reached, :read_count,
    0, :reached, :reached, '[]')
ON CONFLICT (app_id, conversation, uid) DO NOTHING;

-- add_own
UPDATE participants SET own = own + :own
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- find_participant
-- What is left of a conversation that is being erased is nobody's.
-- point
-- reads: participants, conversations
SELECT p.hidden_id FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.conversation = :conversation AND p.uid = :uid;

-- find_key
-- point
-- reads: conversations
SELECT kind, left_id, right_id FROM conversations WHERE app_id = :app_id AND number = :number;

-- list_user_conversations
-- The one-to-one conversations of a user.
-- reads: participants, conversations
SELECT c.number, c.kind, c.left_id, c.right_id
FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.uid = :uid AND c.kind = 'user';

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
