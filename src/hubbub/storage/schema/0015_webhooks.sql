-- When the queue was last stored by a run, in milliseconds. If that is ahead of the clock, the clock was set back, and
-- the pauses that were measured with it are over.
ALTER TABLE webhook_queues ADD COLUMN stored_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX webhook_queues_by_storing ON webhook_queues (stored_at);

-- Why a delivery was given up without another attempt, such as `erased`.
ALTER TABLE webhook_deliveries ADD COLUMN reason TEXT;

-- The message that a body shows, which is erased with it; 0: none.
ALTER TABLE webhook_bodies ADD COLUMN message BIGINT NOT NULL DEFAULT 0;
CREATE INDEX webhook_bodies_by_message ON webhook_bodies (app_id, message) WHERE message > 0;
