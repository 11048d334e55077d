-- list_devices
-- The latest registration of each user first.
-- reads: devices
SELECT {device_columns} FROM devices
WHERE app_id = :app_id AND uid = ANY(:uids) ORDER BY uid, number DESC;

-- find_devices
-- reads: devices
SELECT {device_columns} FROM devices WHERE app_id = :app_id AND digest = ANY(:digests);

-- list_replaced
-- The devices whose place a registration takes: of the same auth token and kind.
-- reads: devices
SELECT {device_columns} FROM devices
WHERE app_id = :app_id AND auth_hash = :auth_hash AND kind = :kind;

-- insert_device
INSERT INTO devices (app_id, digest, kind, {device_columns}, number)
SELECT :app_id, :digest, :kind, :uid, :platform, :token, :provider_id, :auth_hash,
    CAST(:created_at AS BIGINT), CAST(:updated_at AS BIGINT), coalesce(max(d.number), 0) + 1
FROM devices d WHERE d.app_id = :app_id AND d.uid = :uid;

-- delete_devices
DELETE FROM devices WHERE app_id = :app_id AND digest = ANY(:digests);

-- delete_unchanged_device
-- bulk
DELETE FROM devices
WHERE app_id = :app_id AND digest = :digest AND uid = :uid AND updated_at = :updated_at;

-- delete_devices_of_auth_tokens
DELETE FROM devices WHERE app_id = :app_id AND auth_hash = ANY(:hashes);

-- delete_devices_of_users
DELETE FROM devices WHERE app_id = :app_id AND uid = ANY(:uids);
