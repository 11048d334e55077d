-- insert_leftover
INSERT INTO file_leftovers (app_id, id, due_at) VALUES (:app_id, :id, :due_at);

-- delete_leftovers_kept
-- Only rows that are not due: the content of a due file may be removed already.
DELETE FROM file_leftovers WHERE app_id = :app_id AND id = ANY(:ids) AND due_at > :now;

-- update_leftovers_due
UPDATE file_leftovers SET due_at = 0 WHERE app_id = :app_id AND id = ANY(:ids);

-- list_leftovers_due_of
-- reads: file_leftovers
SELECT id FROM file_leftovers WHERE app_id = :app_id AND id = ANY(:ids) AND due_at = 0;

-- delete_leftovers
DELETE FROM file_leftovers WHERE app_id = :app_id AND id = ANY(:ids);

-- list_leftovers
-- Of all apps.
-- reads: file_leftovers
SELECT app_id, id FROM file_leftovers WHERE due_at <= :now AND app_id <> ALL(:left)
ORDER BY due_at, app_id, id LIMIT :limit;

-- insert_file
INSERT INTO files (app_id, id, message, name, mime_type, size, thumbnail_size)
VALUES (:app_id, :id, :message, :name, :mime_type, :size, :thumbnail_size);

-- insert_leftovers_of_messages
-- Only files that no other message holds.
-- reads: files
INSERT INTO file_leftovers (app_id, id, due_at)
SELECT :app_id, f.id, 0 FROM files f
WHERE f.app_id = :app_id AND f.message = ANY(:messages) AND NOT EXISTS (
    SELECT 1 FROM files o
    WHERE o.app_id = :app_id AND o.id = f.id AND o.message <> ALL(:messages))
GROUP BY f.id
ON CONFLICT (app_id, id) DO NOTHING;

-- delete_of_messages
DELETE FROM files WHERE app_id = :app_id AND message = ANY(:messages);

-- find_file_of_held
-- That of a message that waits for a review, or that was refused in one.
-- point
-- reads: files, held_messages
SELECT f.name, f.mime_type, f.size, f.thumbnail_size, CAST(NULL AS BIGINT)
FROM files f
JOIN held_messages h ON h.app_id = f.app_id AND h.message = f.message
WHERE f.app_id = :app_id AND f.id = :id AND f.message = :message AND h.draft IS NOT NULL;

-- find_file
-- point
-- reads: files, messages, conversations
SELECT f.name, f.mime_type, f.size, f.thumbnail_size, m.deleted_at
FROM files f
JOIN messages m ON m.app_id = f.app_id AND m.id = f.message
JOIN conversations c ON c.app_id = m.app_id AND c.number = m.conversation
WHERE f.app_id = :app_id AND f.id = :id AND f.message = :message AND m.is_erased = FALSE;

-- list_of_messages
-- Some messages: each has 20 files at most.
-- reads: files
SELECT message, id, name, size FROM files WHERE app_id = :app_id AND message = ANY(:messages)
ORDER BY message, id;

-- list_files
-- Each file once, however many messages hold it.
-- reads: files
SELECT DISTINCT id, size, thumbnail_size FROM files
WHERE app_id = :app_id AND id > :after ORDER BY id LIMIT :limit;
