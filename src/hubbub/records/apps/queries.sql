-- find_app
-- point
-- reads: apps
SELECT {app_columns} FROM apps WHERE id = :id;

-- list_apps
-- reads: apps
SELECT {app_columns} FROM apps
WHERE archived_at IS NULL
ORDER BY created_at, id LIMIT :limit OFFSET :offset;

-- list_ids
-- reads: apps
SELECT id FROM apps WHERE archived_at IS NULL ORDER BY id;

-- count_apps
-- reads: apps
SELECT count(*) FROM apps WHERE archived_at IS NULL;

-- insert_app
INSERT INTO apps (id, name, region, version, owner, created_at)
VALUES (:id, :name, :region, :version, :owner, :created_at)
ON CONFLICT (id) DO NOTHING;

-- archive_app
UPDATE apps SET archived_at = :archived_at WHERE id = :id AND archived_at IS NULL;

-- find_management_key
-- point
-- reads: management_keys
SELECT secret_hash FROM management_keys WHERE hash = :hash;

-- count_management_keys
-- reads: management_keys
SELECT count(*) FROM management_keys;

-- insert_management_key
-- The first pair has the place 1, so that only one of two starting nodes inserts it.
INSERT INTO management_keys (hash, secret_hash, place, created_at)
VALUES (:hash, :secret_hash, :place, :created_at)
ON CONFLICT (place) DO NOTHING;

-- insert_next_management_key
-- Two may be made at once: one of them inserts nothing then, and asks again.
INSERT INTO management_keys (hash, secret_hash, place, created_at)
SELECT :hash, :secret_hash, coalesce(max(place), 0) + 1, :created_at FROM management_keys WHERE TRUE
ON CONFLICT (place) DO NOTHING;

-- lock_management_keys
-- reads: management_keys
SELECT place, created_at FROM management_keys ORDER BY place FOR UPDATE;

-- list_management_keys
-- reads: management_keys
SELECT place, created_at FROM management_keys ORDER BY place;

-- delete_management_key
DELETE FROM management_keys WHERE place = :place;

-- list_archived_apps
-- Apps that were archived up to :before.
-- reads: apps
SELECT id FROM apps WHERE archived_at <= :before ORDER BY id;

-- delete_app
DELETE FROM apps WHERE id = :app_id AND archived_at IS NOT NULL;

-- insert_key_mark
INSERT INTO installation (name, value) VALUES ('key_mark', :mark) ON CONFLICT (name) DO NOTHING;

-- find_fact
-- point
-- reads: installation
SELECT value FROM installation WHERE name = :name;

-- list_facts
-- reads: installation
SELECT name, value FROM installation WHERE name >= :first AND name < :beyond ORDER BY name;

-- put_fact
INSERT INTO installation (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- delete_facts
DELETE FROM installation WHERE name >= :first AND name < :beyond;

-- store_probe
-- Finds out whether anything can be written: another value each time, since SQLite writes no page
-- that stays the same.
INSERT INTO installation (name, value) VALUES ('probe', :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- find_key_mark
-- reads: installation
SELECT value FROM installation WHERE name = 'key_mark';
