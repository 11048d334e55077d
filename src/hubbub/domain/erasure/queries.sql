-- insert_erasure
INSERT INTO erasures
    (app_id, kind, subject, upto_message, upto_event, conversation, requested_at)
VALUES
    (:app_id, :kind, :subject, :upto_message, :upto_event, :conversation, :requested_at)
ON CONFLICT (app_id, kind, subject, upto_event) DO NOTHING;

-- list_erasures
-- The work that is left, in every app: the installation's own table.
-- reads: erasures
SELECT app_id, kind, subject, upto_message, upto_event FROM erasures
ORDER BY app_id, kind, subject LIMIT :limit;

-- delete_erasure
DELETE FROM erasures
WHERE app_id = :app_id AND kind = :kind AND subject = :subject AND upto_event = :upto_event;

-- list_messages_of_sender
-- Those to groups; his one-to-one messages go with their conversations.
-- reads: messages
SELECT id, conversation, tags FROM messages
WHERE app_id = :app_id AND sender = :subject AND receiver_type = 'group' AND id <= :upto
ORDER BY id LIMIT :limit;

-- list_messages_of_conversation
-- reads: messages
SELECT id, conversation, tags FROM messages
WHERE app_id = :app_id AND conversation = CAST(:subject AS BIGINT) AND id <= :upto
ORDER BY sent_at, id LIMIT :limit;

-- delete_messages
DELETE FROM messages WHERE app_id = :app_id AND id = ANY(:ids);

-- delete_message_tag
DELETE FROM message_tags
WHERE app_id = :app_id AND tag = :tag AND conversation = :conversation AND message = :id;

-- list_conversations_of
-- reads: participants, conversations
SELECT c.number, c.last_id FROM participants p
JOIN conversations c ON c.app_id = p.app_id AND c.number = p.conversation
WHERE p.app_id = :app_id AND p.uid = :uid AND c.kind = 'user';

-- delete_conversation
DELETE FROM conversations WHERE app_id = :app_id AND number = :number;

-- delete_participants
DELETE FROM participants WHERE app_id = :app_id AND conversation = :number;

-- delete_contact_details
DELETE FROM contact_details WHERE app_id = :app_id AND uid = :uid;
