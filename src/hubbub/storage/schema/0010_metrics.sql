-- Metrics. Days are counted from 1970, in UTC.

-- days: the days on which the user was active, as bits of a hexadecimal number; the lowest bit is
-- first_day. A bot has none.
CREATE TABLE active_users (
    app_id TEXT NOT NULL,
    uid TEXT NOT NULL,
    is_bot BOOLEAN NOT NULL,
    first_day BIGINT NOT NULL,
    days TEXT NOT NULL,
    PRIMARY KEY (app_id, uid)
) {warm};
INSERT INTO active_users (app_id, uid, is_bot, first_day, days)
SELECT app_id, uid, TRUE, 0, '0' FROM users WHERE is_bot;

-- users: the number of users who were active on this day, and before that last on `previous`;
-- -1 is never.
CREATE TABLE active_counts (
    app_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    previous BIGINT NOT NULL,
    users BIGINT NOT NULL,
    PRIMARY KEY (app_id, day, previous)
) {warm};

-- What happened in a second of the last hours; reads and deliveries are receipts.
CREATE TABLE traffic (
    app_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    reads BIGINT NOT NULL,
    deliveries BIGINT NOT NULL,
    PRIMARY KEY (app_id, at)
) {warm};

-- The most connections that were open at once on a day, on all nodes together.
CREATE TABLE connection_peaks (
    app_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    connections BIGINT NOT NULL,
    PRIMARY KEY (app_id, day)
) {warm};
