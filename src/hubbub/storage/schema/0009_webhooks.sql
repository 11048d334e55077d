-- Webhooks and their deliveries: docs/decisions/webhooks.md.

-- number: that of the event which announced the creation; a new webhook of the same id has another.
-- password, secret, former_secret: sealed.
CREATE TABLE webhooks (
    app_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) <= 50),
    name TEXT NOT NULL CHECK (length(name) <= 50),
    url TEXT NOT NULL CHECK (length(url) <= 255),
    uses_basic_auth BOOLEAN NOT NULL,
    username TEXT CHECK (length(username) <= 50),
    password TEXT,
    is_enabled BOOLEAN NOT NULL,
    retries BOOLEAN NOT NULL,
    secret TEXT NOT NULL,
    former_secret TEXT,
    former_until BIGINT,
    paused_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    PRIMARY KEY (app_id, number)
) {key table};
CREATE UNIQUE INDEX webhooks_by_id ON webhooks (app_id, id);

-- The events that a webhook is to be told of: those after from_event up to upto_event, without end
-- if that is null. Of those with the trigger, or, with an empty trigger, while it was enabled.
CREATE TABLE webhook_periods (
    app_id TEXT NOT NULL,
    webhook BIGINT NOT NULL,
    trigger_id TEXT NOT NULL,
    from_event BIGINT NOT NULL,
    upto_event BIGINT,
    PRIMARY KEY (app_id, webhook, trigger_id, from_event)
) {key table};

-- One row for each webhook: who delivers for it, and when there is something to do.
-- Its lock comes before those of its lanes and deliveries. due_at, leased_until: milliseconds.
CREATE TABLE webhook_queues (
    app_id TEXT NOT NULL,
    webhook BIGINT NOT NULL,
    is_stopped BOOLEAN NOT NULL,
    due_at BIGINT NOT NULL,
    lease TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    failing_since BIGINT,
    PRIMARY KEY (app_id, webhook)
) {warm};
CREATE INDEX webhook_queues_by_due ON webhook_queues (due_at);

-- Deliveries that wait for one another: one row for each lane with pending deliveries.
CREATE TABLE webhook_lanes (
    app_id TEXT NOT NULL,
    webhook BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, webhook, lane)
) {warm};
CREATE INDEX webhook_lanes_by_due ON webhook_lanes (app_id, webhook, due_at);

-- epoch: that of the event's id. tries: the attempts since it was planned or replayed; attempts: all of them, as JSON.
CREATE TABLE webhook_deliveries (
    app_id TEXT NOT NULL,
    webhook BIGINT NOT NULL,
    event BIGINT NOT NULL,
    part BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    trigger_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    state TEXT NOT NULL,
    tries BIGINT NOT NULL,
    attempts TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, webhook, event, part)
) {warm};
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (app_id, webhook, lane, event, part)
    WHERE state = 'pending';
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (app_id, webhook, created_at, event, part);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (app_id, webhook, created_at, event, part)
    WHERE state = 'failed';

-- What is sent, the same for all webhooks: id is the body's, body lacks the webhook and the brace.
CREATE TABLE webhook_bodies (
    app_id TEXT NOT NULL,
    event BIGINT NOT NULL,
    part BIGINT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, event, part)
);
CREATE INDEX webhook_bodies_by_age ON webhook_bodies (app_id, created_at);
