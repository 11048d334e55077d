-- list_webhooks
-- Oldest first.
-- reads: webhooks
SELECT {webhook_columns} FROM webhooks WHERE app_id = :app_id ORDER BY number;

-- find_webhook
-- point
-- reads: webhooks
SELECT {webhook_columns} FROM webhooks WHERE app_id = :app_id AND id = :id;

-- get_webhook
-- point
-- reads: webhooks
SELECT {webhook_columns} FROM webhooks WHERE app_id = :app_id AND number = :number;

-- list_webhook_ids
-- reads: webhooks
SELECT number, id FROM webhooks WHERE app_id = :app_id;

-- list_names
-- reads: webhooks
SELECT id, name FROM webhooks WHERE app_id = :app_id;

-- insert_webhook
INSERT INTO webhooks (app_id, {webhook_columns}) VALUES (:app_id, {webhook_columns(:)});

-- update_webhook
UPDATE webhooks SET {changed_columns(=)}
WHERE app_id = :app_id AND number = :number;

-- delete_webhook
DELETE FROM webhooks WHERE app_id = :app_id AND number = :webhook;

-- list_periods
-- reads: webhook_periods
SELECT {period_columns} FROM webhook_periods
WHERE app_id = :app_id ORDER BY webhook, trigger_id, from_event;

-- list_attached
-- reads: webhook_periods
SELECT trigger_id FROM webhook_periods
WHERE app_id = :app_id AND webhook = :webhook AND trigger_id <> '' AND upto_event IS NULL;

-- find_heard
-- The triggers among these that an enabled webhook is attached to.
-- reads: webhook_periods
SELECT p.trigger_id FROM webhook_periods p
WHERE p.app_id = :app_id AND p.trigger_id = ANY(:trigger_ids) AND p.upto_event IS NULL AND EXISTS
    (SELECT 1 FROM webhook_periods e
    WHERE e.app_id = :app_id AND e.webhook = p.webhook AND e.trigger_id = ''
        AND e.upto_event IS NULL);

-- open_period
-- bulk
INSERT INTO webhook_periods (app_id, webhook, trigger_id, from_event, upto_event)
VALUES (:app_id, :webhook, :trigger_id, :from_event, NULL)
ON CONFLICT (app_id, webhook, trigger_id, from_event) DO UPDATE SET upto_event = NULL;

-- close_periods
UPDATE webhook_periods SET upto_event = :event
WHERE app_id = :app_id AND webhook = :webhook AND trigger_id = ANY(:trigger_ids)
    AND upto_event IS NULL;

-- delete_past_periods
-- Those that end before all events that are still to be planned.
DELETE FROM webhook_periods WHERE app_id = :app_id AND webhook = :webhook AND upto_event <= :event;

-- delete_periods
DELETE FROM webhook_periods WHERE app_id = :app_id AND webhook = :webhook;

-- insert_queue
INSERT INTO webhook_queues (app_id, webhook, is_stopped, due_at, lease, leased_until, failing_since)
VALUES (:app_id, :webhook, :is_stopped, :due_at, '', 0, NULL);

-- lock_queues
-- Of all webhooks of an app, in one order, so that two transactions can't wait for each other.
-- reads: webhook_queues
SELECT webhook FROM webhook_queues WHERE app_id = :app_id ORDER BY webhook FOR UPDATE;

-- lock_queue
-- reads: webhook_queues
SELECT {queue_columns} FROM webhook_queues
WHERE app_id = :app_id AND webhook = :webhook FOR UPDATE;

-- store_queue
UPDATE webhook_queues SET is_stopped = :is_stopped, due_at = :due_at, lease = :lease,
    leased_until = :leased_until, failing_since = :failing_since, stored_at = :stored_at
WHERE app_id = :app_id AND webhook = :webhook;

-- wake_queues
-- A later time of storing stays: by it, a run sees that the clock was set back.
UPDATE webhook_queues SET due_at = :due_at,
    stored_at = CASE WHEN stored_at > :due_at THEN stored_at ELSE :due_at END
WHERE app_id = :app_id AND webhook = ANY(:webhooks) AND NOT is_stopped AND due_at > :due_at;

-- delete_queue
DELETE FROM webhook_queues WHERE app_id = :app_id AND webhook = :webhook;

-- list_due_queues
-- Across apps, those with the earliest work that nobody is doing; and those that were stored before
-- the clock was set back, whose times say nothing.
-- reads: webhook_queues
SELECT app_id, webhook, due_at FROM (
    SELECT app_id, webhook, due_at FROM webhook_queues
    WHERE due_at <= :now AND (leased_until <= :now OR leased_until > :latest_lease)
    ORDER BY due_at LIMIT :limit
) AS due
UNION
SELECT app_id, webhook, due_at FROM (
    SELECT app_id, webhook, due_at FROM webhook_queues
    WHERE stored_at > :ahead AND due_at < :before
        AND (leased_until <= :now OR leased_until > :latest_lease)
    LIMIT :limit
) AS former
ORDER BY 3, 1, 2;

-- insert_body
-- bulk
INSERT INTO webhook_bodies (app_id, event, part, id, body, created_at, message, quoted, uid)
VALUES (:app_id, :event, :part, :id, :body, :created_at, :message, :quoted, :uid);

-- fragment delivery_columns(d)
-- The fields of `Delivery` in order; the tables call a partition a lane.
{d}.webhook, {d}.event, {d}.part, {d}.epoch, {d}.trigger_id, {d}.conversation, {d}.lane, {d}.state,
    {d}.tries, {d}.attempts, {d}.created_at, {d}.reason

-- insert_delivery
-- bulk
INSERT INTO webhook_deliveries (app_id, webhook, event, part, epoch, trigger_id, conversation, lane,
    state, tries, attempts, created_at)
VALUES (:app_id, :webhook, :event, :part, :epoch, :trigger_id, :conversation, :partition, :state,
    :tries, :attempts, :created_at);

-- open_partition
-- bulk
INSERT INTO webhook_lanes (app_id, webhook, lane, due_at)
VALUES (:app_id, :webhook, :partition, :due_at)
ON CONFLICT (app_id, webhook, lane) DO NOTHING;

-- put_off_partition
-- bulk
UPDATE webhook_lanes SET due_at = :due_at
WHERE app_id = :app_id AND webhook = :webhook AND lane = :partition;

-- hurry_partitions
UPDATE webhook_lanes SET due_at = :now
WHERE app_id = :app_id AND webhook = :webhook AND due_at > :now;

-- close_partitions
-- reads: webhook_deliveries
DELETE FROM webhook_lanes
WHERE app_id = :app_id AND webhook = :webhook AND lane = ANY(:partitions) AND NOT EXISTS (
    SELECT 1 FROM webhook_deliveries d
    WHERE d.app_id = :app_id AND d.webhook = :webhook AND d.lane = webhook_lanes.lane
        AND d.state = 'pending');

-- find_next_due
-- reads: webhook_lanes
SELECT min(due_at) FROM webhook_lanes WHERE app_id = :app_id AND webhook = :webhook;

-- list_deliveries
-- Newest first.
-- reads: webhook_deliveries
SELECT {delivery_columns(d)} FROM webhook_deliveries d
WHERE d.app_id = :app_id AND d.webhook = :webhook{where}
ORDER BY d.created_at DESC, d.event DESC, d.part DESC LIMIT :limit OFFSET :offset;

-- list_partitions
-- reads: webhook_lanes
SELECT lane, due_at FROM webhook_lanes
WHERE app_id = :app_id AND webhook = :webhook AND lane = ANY(:partitions);

-- count_by_span
-- Of the first deliveries of each span: a webhook may have millions in a day.
-- reads: webhook_deliveries
WITH RECURSIVE spans (span) AS (
    SELECT 0 UNION ALL SELECT span + 1 FROM spans WHERE span < :spans - 1
), states (state) AS (
    SELECT 'pending' UNION ALL SELECT 'delivered' UNION ALL SELECT 'failed'
)
SELECT span, state, (SELECT count(*) FROM (
    SELECT d.state FROM webhook_deliveries d
    WHERE d.app_id = :app_id AND d.webhook = :webhook
        AND d.created_at >= :first + span * :seconds
        AND d.created_at < :first + (span + 1) * :seconds
    ORDER BY d.created_at, d.event, d.part LIMIT :most
) first WHERE first.state = states.state)
FROM spans, states;

-- find_behind
-- The time of the delivery behind so many of the newest ones.
-- reads: webhook_deliveries
SELECT d.created_at FROM webhook_deliveries d
WHERE d.app_id = :app_id AND d.webhook = :webhook{where}
ORDER BY d.created_at DESC, d.event DESC, d.part DESC LIMIT 1 OFFSET :count;

-- count_deliveries
-- reads: webhook_deliveries
SELECT count(*) FROM webhook_deliveries d
WHERE d.app_id = :app_id AND d.webhook = :webhook{where};

-- find_delivery
-- point
-- reads: webhook_deliveries
SELECT {delivery_columns(webhook_deliveries)} FROM webhook_deliveries
WHERE app_id = :app_id AND webhook = :webhook AND event = :event AND part = :part;

-- find_body
-- point
-- reads: webhook_bodies
SELECT 1 FROM webhook_bodies WHERE app_id = :app_id AND event = :event AND part = :part;

-- list_to_replay
-- Oldest first, of those whose bodies are still there.
-- reads: webhook_deliveries, webhook_bodies
SELECT {delivery_columns(d)} FROM webhook_deliveries d
WHERE d.app_id = :app_id AND d.webhook = :webhook{where} AND EXISTS (
    SELECT 1 FROM webhook_bodies b
    WHERE b.app_id = :app_id AND b.event = d.event AND b.part = d.part)
ORDER BY d.created_at, d.event, d.part LIMIT :limit;

-- list_heads
-- The first pending deliveries of each partition that is due. CROSS JOIN: SQLite begins with the
-- partitions.
-- reads: webhook_lanes, webhook_deliveries, webhook_bodies
SELECT {delivery_columns(d)}, b.id, b.body
FROM (
    SELECT lane, due_at FROM webhook_lanes
    WHERE app_id = :app_id AND webhook = :webhook AND due_at <= :now AND lane <> ALL(:busy)
    ORDER BY due_at, lane LIMIT :partitions
) l CROSS JOIN webhook_deliveries d
CROSS JOIN webhook_bodies b
WHERE d.app_id = :app_id AND d.webhook = :webhook AND d.lane = l.lane AND d.state = 'pending'
    AND d.event <= (
        SELECT max(n.event) FROM (
            SELECT p.event FROM webhook_deliveries p
            WHERE p.app_id = :app_id AND p.webhook = :webhook AND p.lane = l.lane
                AND p.state = 'pending'
            ORDER BY p.event, p.part LIMIT :each
        ) n)
    AND b.app_id = :app_id AND b.event = d.event AND b.part = d.part
ORDER BY l.due_at, l.lane, d.event, d.part;

-- store_outcome
-- One that was dropped while it was being made is not tried again.
-- bulk
UPDATE webhook_deliveries SET
    state = CASE WHEN :state = 'pending' AND reason IS NOT NULL THEN 'failed' ELSE :state END, tries = :tries, attempts = :attempts, lane = :partition
WHERE app_id = :app_id AND webhook = :webhook AND event = :event AND part = :part;

-- list_bodies_of_messages
-- reads: webhook_bodies
SELECT event FROM webhook_bodies
WHERE app_id = :app_id AND message = ANY(:messages) AND message <> 0
UNION ALL SELECT event FROM webhook_bodies
WHERE app_id = :app_id AND quoted = ANY(:messages) AND quoted <> 0;

-- list_bodies_of_user
-- reads: webhook_bodies
SELECT event FROM webhook_bodies
WHERE app_id = :app_id AND uid = :uid AND uid <> '' AND event <= :upto
ORDER BY event LIMIT :limit;

-- list_bodies
-- reads: webhook_bodies
SELECT event, part, body FROM webhook_bodies
WHERE app_id = :app_id AND event > :after AND event <= :upto;

-- replace_body
-- bulk
UPDATE webhook_bodies SET body = :body
WHERE app_id = :app_id AND event = :event AND part = :part;

-- find_body_upto
-- reads: webhook_bodies
SELECT 1 FROM webhook_bodies WHERE app_id = :app_id AND event <= :upto LIMIT 1;

-- list_partitions_of_events
-- reads: webhook_deliveries
SELECT webhook, lane FROM webhook_deliveries
WHERE app_id = :app_id AND webhook = ANY(:webhooks) AND event = ANY(:events) AND state = 'pending';

-- drop_deliveries
UPDATE webhook_deliveries SET state = 'failed', reason = :reason
WHERE app_id = :app_id AND webhook = ANY(:webhooks) AND event = ANY(:events) AND state = 'pending';

-- delete_bodies_of_events
DELETE FROM webhook_bodies WHERE app_id = :app_id AND event = ANY(:events);

-- find_next_webhook
-- Of those that have deliveries: also deleted ones.
-- reads: webhook_deliveries
SELECT min(webhook) FROM webhook_deliveries WHERE app_id = :app_id AND webhook > :after;

-- list_old_deliveries
-- reads: webhook_deliveries
SELECT created_at, event, part, lane FROM webhook_deliveries
WHERE app_id = :app_id AND webhook = :webhook AND created_at < :before
ORDER BY created_at, event, part LIMIT :limit;

-- delete_old_deliveries
DELETE FROM webhook_deliveries WHERE app_id = :app_id AND webhook = :webhook
    AND (created_at, event, part) <= (:created_at, :event, :part);

-- find_old_body
-- reads: webhook_bodies
SELECT event FROM webhook_bodies WHERE app_id = :app_id AND created_at < :before LIMIT 1;

-- delete_old_bodies
DELETE FROM webhook_bodies WHERE app_id = :app_id AND created_at < :before AND created_at <= (
    SELECT max(created_at) FROM (
        SELECT created_at FROM webhook_bodies
        WHERE app_id = :app_id AND created_at < :before ORDER BY created_at LIMIT :limit
    ) AS found);

-- count_busy_queues
-- Across apps, those that have something to do, now or later.
-- reads: webhook_queues
SELECT count(*) FROM webhook_queues WHERE due_at < :never;

-- find_failing_queue
-- Across apps: all of those are in a partial index.
-- reads: webhook_queues
SELECT webhook FROM webhook_queues WHERE failing_since IS NOT NULL LIMIT 1;

-- list_failing_queues
-- Across apps: all of those are in a partial index.
-- reads: webhook_queues
SELECT app_id, webhook, is_stopped, failing_since FROM webhook_queues
WHERE failing_since IS NOT NULL ORDER BY failing_since LIMIT :limit;

-- count_queues
-- Across apps: a webhook that was stopped while it failed is paused.
-- reads: webhook_queues
SELECT CASE WHEN is_stopped AND failing_since IS NOT NULL THEN 'paused'
    WHEN is_stopped THEN 'disabled' WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'working' END,
    count(*)
FROM webhook_queues GROUP BY 1;
