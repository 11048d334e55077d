-- Presence, and the deletion of old events.

-- The running nodes, and those of earlier runs. beat_at: when the node last said that it runs.
-- state: 'live'; 'swept': its sessions were closed, or some of them, since its last beat; 'empty':
-- it was swept, and no session was left.
CREATE TABLE nodes (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) <= 63),
    beat_at BIGINT NOT NULL,
    state TEXT NOT NULL
) {warm};

-- The open sessions of users: authenticated connections, each of one node.
CREATE TABLE sessions (
    app_id TEXT NOT NULL,
    node TEXT NOT NULL,
    id TEXT NOT NULL,
    uid TEXT NOT NULL,
    platform TEXT,
    resource TEXT,
    connected_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, node, id)
) {key table};
CREATE INDEX sessions_by_user ON sessions (app_id, uid, node, id);

-- How many sessions are open in an app, and how many users are available.
CREATE TABLE presence_totals (
    app_id TEXT NOT NULL PRIMARY KEY,
    sessions BIGINT NOT NULL,
    online BIGINT NOT NULL
) {warm};

-- The version that last changed the presence of a user: storage/cached.py.
ALTER TABLE counters ADD COLUMN presence BIGINT NOT NULL DEFAULT 0;

-- The day of the user's last connection, counted from 1970 in UTC.
ALTER TABLE users ADD COLUMN connected_day BIGINT NOT NULL DEFAULT 0;

-- Messages up to this id are not shown to the member: those before they joined, if the app hides them.
ALTER TABLE memberships ADD COLUMN hidden_upto BIGINT NOT NULL DEFAULT 0;

-- Memberships that have ended, for their deletion with the events that they are about.
CREATE INDEX memberships_ended ON memberships (app_id, to_event) WHERE to_event IS NOT NULL;
