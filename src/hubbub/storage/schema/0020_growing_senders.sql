-- Who has sent a message that grows, so that those of a user can be counted; '' if the message is gone.
ALTER TABLE growing_messages ADD COLUMN sender TEXT NOT NULL DEFAULT '';
UPDATE growing_messages SET sender = coalesce((
    SELECT messages.sender FROM messages
    WHERE messages.app_id = growing_messages.app_id AND messages.id = growing_messages.message
), '');
CREATE INDEX growing_messages_by_sender ON growing_messages (app_id, sender);
