-- list_used
-- Not those of an erased user with the same uid.
-- reads: interactions, erasures
SELECT element_id FROM interactions
WHERE app_id = :app_id AND message = :message AND uid = :uid AND {is_after_erasure(number, :uid)};

-- list_of_viewer
-- reads: interactions, erasures
SELECT message, element_id, interacted_at FROM interactions
WHERE app_id = :app_id AND message = ANY(:messages) AND uid = :uid AND element_id <> ''
    AND {is_after_erasure(number, :uid)}
ORDER BY message, number, element_id;

-- list_of_user
-- One of several look-ups.
-- bulk
-- reads: interactions, erasures
SELECT message, uid, element_id, interacted_at FROM interactions
WHERE app_id = :app_id AND message = :message AND uid = :uid AND element_id <> ''
    AND {is_after_erasure(number, :uid)}
ORDER BY number, element_id;

-- find_submission
-- One of several look-ups.
-- bulk
-- reads: submissions, erasures
SELECT {submission_columns} FROM submissions
WHERE app_id = :app_id AND message = :message AND number = :number
    AND {is_after_erasure(number, uid)};

-- insert_mark
-- An existing row is of an erased user with the same uid.
-- bulk
INSERT INTO interactions (app_id, message, uid, element_id, number, interacted_at)
VALUES (:app_id, :message, :uid, :element_id, :number, :interacted_at)
ON CONFLICT (app_id, message, uid, element_id) DO UPDATE
SET number = excluded.number, interacted_at = excluded.interacted_at;

-- insert_submission
INSERT INTO submissions (app_id, message, number, uid, form_data, submitted_at)
VALUES (:app_id, :message, :number, :uid, :form_data, :submitted_at);

-- find_submission_of
-- reads: submissions, erasures
SELECT number FROM submissions
WHERE app_id = :app_id AND uid = :uid AND message = :message AND {is_after_erasure(number, :uid)}
LIMIT 1;

-- list_submissions
-- reads: submissions
SELECT {submission_columns} FROM submissions
WHERE app_id = :app_id AND message = :message {where}
ORDER BY {order: number} LIMIT :limit;

-- delete_interactions_of_messages
DELETE FROM interactions WHERE app_id = :app_id AND message = ANY(:messages);

-- delete_submissions_of_messages
DELETE FROM submissions WHERE app_id = :app_id AND message = ANY(:messages);

-- delete_interactions_of_user
-- Up to an event: later rows are of a new user with the same uid.
DELETE FROM interactions WHERE app_id = :app_id AND (app_id, message, uid, element_id) IN (
    SELECT app_id, message, uid, element_id FROM interactions
    WHERE app_id = :app_id AND uid = :uid AND number <= :upto LIMIT :limit);

-- delete_submissions_of_user
DELETE FROM submissions WHERE app_id = :app_id AND (app_id, message, number) IN (
    SELECT app_id, message, number FROM submissions
    WHERE app_id = :app_id AND uid = :uid AND number <= :upto LIMIT :limit);
