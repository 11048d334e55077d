-- open_queue
-- bulk
-- A time of storing that is ahead of the clock stays: the queue has yet to be put right.
INSERT INTO scheduled_queues (app_id, kind, due_at, lease, leased_until, stored_at, places)
VALUES (:app_id, :kind, :due_at, '', 0, :now, 1)
ON CONFLICT (app_id, kind) DO UPDATE SET places = scheduled_queues.places + 1,
    due_at = CASE WHEN scheduled_queues.due_at > excluded.due_at
        THEN excluded.due_at ELSE scheduled_queues.due_at END,
    stored_at = CASE WHEN scheduled_queues.stored_at > excluded.stored_at
        THEN scheduled_queues.stored_at ELSE excluded.stored_at END;

-- find_place
-- point
-- reads: scheduled_queues
SELECT places FROM scheduled_queues WHERE app_id = :app_id AND kind = :kind;

-- lock_queue
-- reads: scheduled_queues
SELECT {queue_columns} FROM scheduled_queues
WHERE app_id = :app_id AND kind = :kind FOR UPDATE;

-- store_queue
UPDATE scheduled_queues SET due_at = :due_at, lease = :lease, leased_until = :leased_until,
    stored_at = :stored_at
WHERE app_id = :app_id AND kind = :kind;

-- list_due_queues
-- Across apps, those with work that nobody is doing; and those that were stored before the clock was
-- set back, whose times say nothing.
-- reads: scheduled_queues
SELECT app_id, kind FROM (
    SELECT app_id, kind, due_at FROM (
        SELECT app_id, kind, due_at FROM scheduled_queues
        WHERE due_at <= :now AND (leased_until <= :now OR leased_until > :latest_lease)
        ORDER BY due_at LIMIT :limit
    ) AS due
    UNION
    SELECT app_id, kind, due_at FROM (
        SELECT app_id, kind, due_at FROM scheduled_queues
        WHERE stored_at > :ahead AND due_at < :before
            AND (leased_until <= :now OR leased_until > :latest_lease)
        LIMIT :limit
    ) AS former
) AS found
ORDER BY due_at LIMIT :limit;

-- insert_scheduled
-- bulk
INSERT INTO scheduled_messages (app_id, {scheduled_columns})
VALUES (:app_id, {scheduled_columns(:)});

-- store_scheduled
-- bulk
UPDATE scheduled_messages SET draft = :draft, send_at = :send_at, due_at = :due_at,
    first_at = :first_at, time_zone = :time_zone, repeat = :repeat, version = :version,
    status = :status, code = :code, reason = :reason, failed_at = :failed_at,
    updated_at = :updated_at
WHERE app_id = :app_id AND id = :id;

-- delete_scheduled
DELETE FROM scheduled_messages WHERE app_id = :app_id AND id = ANY(:ids);

-- find_scheduled
-- point
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages WHERE app_id = :app_id AND id = :id;

-- lock_scheduled
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages
WHERE app_id = :app_id AND id = ANY(:ids) ORDER BY id FOR UPDATE;

-- find_by_muid
-- point
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages
WHERE app_id = :app_id AND muid = :muid AND sender = :sender;

-- list_due
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages
WHERE app_id = :app_id AND due_at <= :now AND lane <> ALL(:busy)
ORDER BY due_at, place LIMIT :limit;

-- find_next_due
-- reads: scheduled_messages
SELECT min(due_at) FROM scheduled_messages WHERE app_id = :app_id;

-- count_of_sender
-- reads: scheduled_messages
SELECT count(*) FROM scheduled_messages
WHERE app_id = :app_id AND sender = :sender AND status = ANY(:statuses);

-- list_of_sender
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages
WHERE app_id = :app_id AND sender = :sender AND status = ANY(:statuses)
ORDER BY send_at, id LIMIT :limit OFFSET :offset;

-- count_all
-- reads: scheduled_messages
SELECT count(*) FROM scheduled_messages WHERE app_id = :app_id AND status = ANY(:statuses);

-- list_all
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages
WHERE app_id = :app_id AND status = ANY(:statuses)
ORDER BY send_at, id LIMIT :limit OFFSET :offset;

-- list_ids_of_sender
-- reads: scheduled_messages
SELECT id FROM scheduled_messages WHERE app_id = :app_id AND sender = :sender;

-- list_to_receiver
-- reads: scheduled_messages
SELECT {scheduled_columns} FROM scheduled_messages
WHERE app_id = :app_id AND receiver_type = :receiver_type AND receiver = :receiver;

-- list_failed_before
-- reads: scheduled_messages
SELECT id FROM scheduled_messages
WHERE app_id = :app_id AND failed_at < :before AND status = 'failed'
ORDER BY failed_at LIMIT :limit;
