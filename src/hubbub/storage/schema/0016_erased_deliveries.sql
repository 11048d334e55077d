-- The messages, and the user, whose content a body holds; 0 or empty if none. When they are erased, so is the body.
-- Bodies that were stored before this version have none: they are deleted when they are old.
ALTER TABLE webhook_bodies ADD COLUMN message BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_bodies ADD COLUMN quoted BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_bodies ADD COLUMN uid TEXT NOT NULL DEFAULT '';
CREATE INDEX webhook_bodies_by_message ON webhook_bodies (app_id, message) WHERE message <> 0;
CREATE INDEX webhook_bodies_by_quoted ON webhook_bodies (app_id, quoted) WHERE quoted <> 0;
CREATE INDEX webhook_bodies_by_user ON webhook_bodies (app_id, uid, event) WHERE uid <> '';

-- Why a delivery was given up that was not to be made any more; null of all others.
ALTER TABLE webhook_deliveries ADD COLUMN reason TEXT;

-- Health checks look for webhooks that are not reached.
CREATE INDEX webhook_queues_failing ON webhook_queues (failing_since) WHERE failing_since IS NOT NULL;
