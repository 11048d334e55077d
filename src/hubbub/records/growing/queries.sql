-- insert_growing
-- bulk
INSERT INTO growing_messages (app_id, message, event, owner, sequence, notifies, is_of_user,
    stopped_by, touched_at, sender, text)
VALUES (:app_id, :message, :event, :owner, :sequence, :notifies, :is_of_user, :stopped_by,
    :touched_at, :sender, :text);

-- find_growing
-- point
-- reads: growing_messages
SELECT {row_columns} FROM growing_messages WHERE app_id = :app_id AND message = :message;

-- list_states
-- reads: growing_messages
SELECT {state_columns} FROM growing_messages WHERE app_id = :app_id AND message = ANY(:ids);

-- count_by_sender
-- reads: growing_messages
SELECT sender, count(*) FROM growing_messages
WHERE app_id = :app_id AND sender = ANY(:uids) GROUP BY sender;

-- list_texts
-- reads: growing_messages
SELECT message, sequence, text FROM growing_messages
WHERE app_id = :app_id AND message = ANY(:ids);

-- store_text
-- bulk
UPDATE growing_messages
SET text = :text, sequence = :sequence, owner = :owner, touched_at = :touched_at
WHERE app_id = :app_id AND message = :message;

-- store_sequence
-- bulk
UPDATE growing_messages SET sequence = :sequence, owner = :owner, touched_at = :touched_at
WHERE app_id = :app_id AND message = :message;

-- set_owner
UPDATE growing_messages SET owner = :owner, touched_at = :touched_at
WHERE app_id = :app_id AND message = :message;

-- set_stopped_by
UPDATE growing_messages SET stopped_by = :by WHERE app_id = :app_id AND message = :message;

-- delete_of_messages
DELETE FROM growing_messages WHERE app_id = :app_id AND message = ANY(:ids);

-- list_apps
-- Of all apps: for the background work.
-- reads: growing_messages
SELECT DISTINCT app_id FROM growing_messages ORDER BY app_id;

-- list_silent
-- reads: growing_messages
SELECT {row_columns} FROM growing_messages
WHERE app_id = :app_id AND touched_at <= :before ORDER BY touched_at, message LIMIT :limit;
