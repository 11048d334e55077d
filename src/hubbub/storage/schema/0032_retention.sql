-- What is not removed by its age while it is here. kind: app, group or user; subject: '', a guid or a uid.
CREATE TABLE legal_holds (
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (app_id, kind, subject)
) {key table};

-- How long a conversation keeps its messages. days: 0 for ever. disappear_after: seconds, 0 never, after they were sent or
-- read (disappear_from). NULL: as the app has it. since_id: only later messages disappear. due_at: when the next one may
-- have to, in milliseconds.
CREATE TABLE retention_rules (
    app_id TEXT NOT NULL,
    conversation BIGINT NOT NULL,
    days BIGINT,
    disappear_after BIGINT,
    disappear_from TEXT,
    since_id BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, conversation)
) {key table};
CREATE INDEX retention_rules_by_due ON retention_rules (app_id, due_at);
CREATE INDEX retention_rules_with_days ON retention_rules (app_id, conversation) WHERE days > 0;

-- The removals of an app; times in milliseconds. next_run_at: when old messages are looked for next. began_at: of the
-- run under way, 0 if there is none; at_conversation, at_sent_at, at_id: how far it is; messages, files: removed so far.
-- adopt_at, adopted: when conversations without a rule are looked for next, whose messages disappear because the app
-- has it so, and the last one that got a rule; since_id: only later messages do.
CREATE TABLE retention_queues (
    app_id TEXT NOT NULL PRIMARY KEY,
    due_at BIGINT NOT NULL,
    lease TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    next_run_at BIGINT NOT NULL,
    began_at BIGINT NOT NULL,
    at_conversation BIGINT NOT NULL,
    at_sent_at BIGINT NOT NULL,
    at_id BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    files BIGINT NOT NULL,
    adopt_at BIGINT NOT NULL,
    adopted BIGINT NOT NULL,
    since_id BIGINT NOT NULL
) {warm};
CREATE INDEX retention_queues_by_due ON retention_queues (due_at);
