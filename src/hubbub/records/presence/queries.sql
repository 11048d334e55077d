-- find_counts
-- point
-- reads: apps, presence_totals, nodes
SELECT a.archived_at IS NOT NULL, coalesce(t.sessions, 0), coalesce(t.online, 0), n.state,
    n.beat_at
FROM apps a LEFT JOIN presence_totals t ON t.app_id = a.id LEFT JOIN nodes n ON n.id = :node
WHERE a.id = :app_id;

-- find_online
-- point
-- reads: presence_totals
SELECT online FROM presence_totals WHERE app_id = :app_id;

-- store_totals
-- bulk
INSERT INTO presence_totals (app_id, sessions, online) VALUES (:app_id, :sessions, :online)
ON CONFLICT (app_id) DO UPDATE SET sessions = excluded.sessions, online = excluded.online;

-- find_session
-- point
-- reads: sessions
SELECT {session_columns} FROM sessions WHERE app_id = :app_id AND node = :node AND id = :id;

-- list_sessions_of_user
-- bulk
-- reads: sessions
SELECT uid, node, id FROM sessions WHERE app_id = :app_id AND uid = :uid LIMIT :limit;

-- list_all_sessions_of
-- reads: sessions
SELECT {session_columns} FROM sessions
WHERE app_id = :app_id AND uid = ANY(:uids) ORDER BY uid, node, id;

-- list_sessions_of_node
-- reads: sessions
SELECT {session_columns} FROM sessions
WHERE app_id = :app_id AND node = :node ORDER BY id LIMIT :limit;

-- insert_session
-- bulk
INSERT INTO sessions (app_id, {session_columns}) VALUES (:app_id, {session_columns(:)});

-- replace_session
UPDATE sessions SET uid = :uid, platform = :platform, resource = :resource,
    connected_at = :connected_at
WHERE app_id = :app_id AND node = :node AND id = :id;

-- delete_session
-- bulk
DELETE FROM sessions
WHERE app_id = :app_id AND node = :node AND id = :id;

-- delete_sessions_of_users
DELETE FROM sessions WHERE app_id = :app_id AND uid = ANY(:uids);

-- lock_node
-- reads: nodes
SELECT state FROM nodes WHERE id = :id FOR UPDATE;

-- put_node
-- bulk
INSERT INTO nodes (id, beat_at, state) VALUES (:id, :beat_at, :state)
ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at, state = excluded.state;

-- claim_node
-- Nobody else closes sessions of the node while its row is locked, and its next beat waits.
-- reads: nodes
SELECT beat_at FROM nodes
WHERE id = :id AND (beat_at <= :before OR beat_at > :latest) FOR UPDATE SKIP LOCKED;

-- set_state
UPDATE nodes SET state = :state WHERE id = :id;

-- list_failed
-- A beat after :latest is of a clock that was ahead: a node that runs soon beats again.
-- reads: nodes
SELECT id FROM nodes
WHERE (beat_at <= :before OR beat_at > :latest) AND id <> :own AND state <> 'empty' ORDER BY beat_at, id;

-- list_live
-- Nodes that have said that they run, since some time.
-- reads: nodes
SELECT id FROM nodes WHERE beat_at > :after AND state <> 'empty' ORDER BY id;

-- list_nodes
-- reads: nodes
SELECT id, beat_at FROM nodes WHERE state <> 'empty' ORDER BY beat_at DESC, id LIMIT :limit;

-- list_open_apps
-- Apps with open sessions. This looks at one row of each app.
-- reads: presence_totals
SELECT app_id FROM presence_totals WHERE sessions > 0 AND app_id > :after
ORDER BY app_id LIMIT :limit;

-- delete_old_nodes
DELETE FROM nodes WHERE beat_at <= :before AND state = 'empty';
