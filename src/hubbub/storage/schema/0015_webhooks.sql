-- When the queue was last stored by a run, in milliseconds. If that is ahead of the clock, the clock was set back, and
-- the pauses that were measured with it are over.
ALTER TABLE webhook_queues ADD COLUMN stored_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX webhook_queues_by_storing ON webhook_queues (stored_at);
