-- find_active_users
-- reads: active_users
SELECT {active_user_columns} FROM active_users WHERE app_id = :app_id AND uid = ANY(:uids);

-- put_active_user
-- bulk
INSERT INTO active_users (app_id, {active_user_columns})
VALUES (:app_id, {active_user_columns(:)})
ON CONFLICT (app_id, uid) DO UPDATE SET is_bot = excluded.is_bot, first_day = excluded.first_day,
    days = excluded.days;

-- delete_active_users
DELETE FROM active_users WHERE app_id = :app_id AND uid = ANY(:uids);

-- add_active_count
-- bulk
INSERT INTO active_counts (app_id, day, previous, users)
VALUES (:app_id, :day, :previous, :users)
ON CONFLICT (app_id, day, previous) DO UPDATE SET users = active_counts.users + excluded.users;

-- count_active_users
-- reads: active_counts
SELECT coalesce(sum(users), 0) FROM active_counts
WHERE app_id = :app_id AND day >= :first AND day <= :last AND previous < :first;

-- add_traffic
-- bulk
INSERT INTO traffic (app_id, {traffic_columns})
VALUES (:app_id, {traffic_columns(:)})
ON CONFLICT (app_id, at) DO UPDATE SET messages = traffic.messages + excluded.messages,
    reads = traffic.reads + excluded.reads, deliveries = traffic.deliveries + excluded.deliveries;

-- sum_traffic
-- reads: traffic
SELECT (at - :first) / :seconds, sum(messages), sum(reads), sum(deliveries) FROM traffic
WHERE app_id = :app_id AND at >= :first AND at <= :last
GROUP BY (at - :first) / :seconds;

-- delete_traffic_before
DELETE FROM traffic WHERE app_id = :app_id AND at < :at;

-- raise_peak
-- bulk
INSERT INTO connection_peaks (app_id, day, connections) VALUES (:app_id, :day, :connections)
ON CONFLICT (app_id, day) DO UPDATE SET connections = excluded.connections
WHERE connection_peaks.connections < excluded.connections;

-- find_peak
-- reads: connection_peaks
SELECT coalesce(max(connections), 0) FROM connection_peaks
WHERE app_id = :app_id AND day >= :first AND day <= :last;
