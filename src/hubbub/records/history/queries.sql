-- insert_version
INSERT INTO message_versions (app_id, {version_columns})
VALUES (:app_id, :message, :number, :data, :tags, :written_by, :written_at);

-- list_versions
-- Newest first.
-- reads: message_versions
SELECT {version_columns} FROM message_versions
WHERE app_id = :app_id AND message = :message ORDER BY number DESC LIMIT :limit OFFSET :offset;

-- count_versions
-- reads: message_versions
SELECT count(*) FROM message_versions WHERE app_id = :app_id AND message = :message;

-- delete_of_messages
DELETE FROM message_versions WHERE app_id = :app_id AND message = ANY(:ids);

-- list_written_by
-- reads: message_versions
SELECT message, number FROM message_versions
WHERE app_id = :app_id AND written_by = :uid AND number <= :upto ORDER BY number LIMIT :limit;

-- set_written_by
-- bulk
UPDATE message_versions SET written_by = :by
WHERE app_id = :app_id AND message = :message AND number = :number;
