-- list_pins
-- Without pins of users who are being erased.
-- reads: message_pins, erasures
SELECT pin.message, pin.pinned_at FROM message_pins pin
WHERE pin.app_id = :app_id AND pin.message = ANY(:messages) AND {is_after_erasure(pin.number, pin.uid)};

-- count_pins
-- Neither messages that were deleted with all others nor pins of deleted users count, even while
-- their erasure is under way.
-- reads: message_pins, conversations, erasures
SELECT count(*) FROM message_pins pin
WHERE pin.app_id = :app_id AND pin.conversation = :conversation AND pin.message > (
    SELECT c.erased_upto FROM conversations c
    WHERE c.app_id = :app_id AND c.number = :conversation) AND {is_after_erasure(pin.number, pin.uid)};

-- insert_pin
-- An existing row is of a user who is being erased.
INSERT INTO message_pins (app_id, conversation, message, uid, number, pinned_at)
VALUES (:app_id, :conversation, :message, :uid, :number, :pinned_at)
ON CONFLICT (app_id, conversation, message) DO UPDATE
SET uid = excluded.uid, number = excluded.number, pinned_at = excluded.pinned_at;

-- delete_pins
DELETE FROM message_pins WHERE app_id = :app_id AND message = ANY(:messages);

-- list_pins_of_user
-- Up to an event: later rows are of a new user with the same uid.
-- reads: message_pins
SELECT message FROM message_pins
WHERE app_id = :app_id AND uid = :uid AND number <= :upto ORDER BY number LIMIT :limit;

-- list_saves
-- Not those of an erased user with the same uid.
-- reads: saved_messages, erasures
SELECT message, saved_at FROM saved_messages
WHERE app_id = :app_id AND uid = :uid AND message = ANY(:messages) AND {is_after_erasure(number, :uid)};

-- list_saved
-- reads: saved_messages
SELECT DISTINCT message FROM saved_messages WHERE app_id = :app_id AND message = ANY(:messages);

-- count_saves
-- Messages that the user no longer sees, as in a group that they left, don't count: the user could
-- not remove them.
-- reads: saved_messages, messages, participants, erasures
SELECT count(*) FROM saved_messages s
JOIN messages m ON m.app_id = s.app_id AND m.id = s.message
JOIN participants p
    ON p.app_id = s.app_id AND p.conversation = m.conversation AND p.uid = s.uid
WHERE s.app_id = :app_id AND s.uid = :uid AND m.id > p.hidden_id AND {is_after_erasure(s.number, :uid)};

-- insert_save
-- An existing row is of an erased user with the same uid.
INSERT INTO saved_messages (app_id, uid, message, number, saved_at)
VALUES (:app_id, :uid, :message, :number, :saved_at)
ON CONFLICT (app_id, uid, message) DO UPDATE
SET number = excluded.number, saved_at = excluded.saved_at;

-- delete_save
DELETE FROM saved_messages WHERE app_id = :app_id AND uid = :uid AND message = ANY(:messages);

-- delete_saves
DELETE FROM saved_messages WHERE app_id = :app_id AND message = ANY(:messages);

-- list_saves_of_user
-- Up to an event: later rows are of a new user with the same uid.
-- reads: saved_messages
SELECT message FROM saved_messages
WHERE app_id = :app_id AND uid = :uid AND number <= :upto ORDER BY message LIMIT :limit;
