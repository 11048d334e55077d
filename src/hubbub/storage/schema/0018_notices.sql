-- When the queue, or when it is due, was last stored, in milliseconds. If that is ahead of the clock, the clock was set
-- back, and the times that were measured with it are over.
ALTER TABLE notice_queues ADD COLUMN stored_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX notice_queues_by_storing ON notice_queues (stored_at);

-- Since when the provider has failed each time, in milliseconds.
ALTER TABLE notice_queues ADD COLUMN failing_since BIGINT;
CREATE INDEX notice_queues_by_failing ON notice_queues (failing_since) WHERE failing_since IS NOT NULL;
