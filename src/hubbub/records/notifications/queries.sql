-- list_providers
-- reads: push_providers
SELECT provider_id, place, config, sealed, is_default, created_at, updated_at
FROM push_providers WHERE app_id = :app_id AND kind = :kind ORDER BY place;

-- count_providers
-- reads: push_providers
SELECT count(*) FROM push_providers WHERE app_id = :app_id;

-- insert_provider
INSERT INTO push_providers
    (app_id, kind, provider_id, place, config, sealed, is_default, created_at)
VALUES (:app_id, :kind, :provider_id, :place, :config, :sealed, FALSE, :created_at);

-- update_provider
UPDATE push_providers SET config = :config, sealed = :sealed, updated_at = :updated_at
WHERE app_id = :app_id AND kind = :kind AND provider_id = :provider_id;

-- clear_default_provider
-- Run before set_default_provider: a kind has at most one default at any moment.
UPDATE push_providers SET is_default = FALSE
WHERE app_id = :app_id AND kind = :kind AND is_default;

-- set_default_provider
UPDATE push_providers SET is_default = TRUE
WHERE app_id = :app_id AND kind = :kind AND provider_id = :provider_id;

-- delete_provider
DELETE FROM push_providers
WHERE app_id = :app_id AND kind = :kind AND provider_id = :provider_id;

-- list_all_providers
-- reads: push_providers
SELECT kind, provider_id, place, config, sealed, is_default, created_at, updated_at
FROM push_providers WHERE app_id = :app_id ORDER BY kind, place;

-- list_channels
-- reads: channel_providers
SELECT kind, config, sealed FROM channel_providers WHERE app_id = :app_id;

-- find_channel
-- point
-- reads: channel_providers
SELECT kind, config, sealed FROM channel_providers WHERE app_id = :app_id AND kind = :kind;

-- find_channel_by_token
-- reads: channel_providers
SELECT kind, config, sealed FROM channel_providers
WHERE app_id = :app_id AND kind = :kind AND token_hash = :token_hash;

-- put_channel
INSERT INTO channel_providers (app_id, kind, config, sealed, token_hash, created_at)
VALUES (:app_id, :kind, :config, :sealed, :token_hash, :now)
ON CONFLICT (app_id, kind) DO UPDATE SET config = excluded.config, sealed = excluded.sealed,
    token_hash = excluded.token_hash, updated_at = excluded.created_at;

-- delete_channel
DELETE FROM channel_providers WHERE app_id = :app_id AND kind = :kind;

-- find_contact_details
-- reads: contact_details
SELECT email, phone_number FROM contact_details WHERE app_id = :app_id AND uid = :uid;

-- list_contact_details
-- reads: contact_details
SELECT uid, email, phone_number FROM contact_details WHERE app_id = :app_id AND uid = ANY(:uids);

-- list_all_contact_details
-- Those of an app, after a uid.
-- reads: contact_details
SELECT uid, email, phone_number FROM contact_details
WHERE app_id = :app_id AND uid > :after ORDER BY uid LIMIT :limit;

-- put_contact_details
INSERT INTO contact_details (app_id, uid, email, phone_number)
VALUES (:app_id, :uid, :email, :phone_number)
ON CONFLICT (app_id, uid) DO UPDATE SET
    email = excluded.email, phone_number = excluded.phone_number;

-- delete_contact_details
DELETE FROM contact_details WHERE app_id = :app_id AND uid = :uid;

-- insert_log
-- bulk
INSERT INTO notification_logs
    (app_id, id, uid, channel, provider, trigger_id, message, reaction, sent_at_ms, category, type,
    sender, receiver, receiver_type, reaction_sender, reaction_receiver, is_triggered, reason,
    is_success, entry)
VALUES (:app_id, :id, :uid, :channel, :provider, :trigger, :message_id, :reaction_id,
    :message_sent_at_ms, :message_category, :message_type, :sender, :receiver, :receiver_type,
    :reaction_sender, :reaction_receiver, :is_triggered, :reason, :is_success, :entry);

-- list_logs
-- reads: notification_logs
SELECT l.id, l.entry FROM notification_logs l
WHERE l.app_id = :app_id{where}
ORDER BY {order: l.id} LIMIT :limit;

-- find_log_behind
-- The entry behind so many of the newest ones.
-- reads: notification_logs
SELECT l.id FROM notification_logs l
WHERE l.app_id = :app_id{where}
ORDER BY l.id DESC LIMIT 1 OFFSET :count;

-- find_old_log
-- reads: notification_logs
SELECT id FROM notification_logs WHERE app_id = :app_id AND id < :before LIMIT 1;

-- delete_old_logs
-- Bounded by the last id of the chunk.
DELETE FROM notification_logs WHERE app_id = :app_id AND id < :before AND id <= (
    SELECT max(id) FROM (
        SELECT id FROM notification_logs
        WHERE app_id = :app_id AND id < :before ORDER BY id LIMIT :limit
    ) AS found);

-- delete_logs_of_messages
DELETE FROM notification_logs WHERE app_id = :app_id AND message = ANY(:message_ids);

-- delete_logs_of_reactor
DELETE FROM notification_logs
WHERE app_id = :app_id AND message = ANY(:message_ids) AND reaction_sender = :uid;

-- list_logs_of_messages
-- reads: notification_logs
SELECT id FROM notification_logs
WHERE app_id = :app_id AND message = ANY(:message_ids) LIMIT :limit;

-- list_logs_of_user
-- For the one who had the uid until that message.
-- reads: notification_logs
SELECT id FROM notification_logs
WHERE app_id = :app_id AND uid = :uid AND coalesce(message, 0) <= :upto LIMIT :limit;

-- delete_logs
DELETE FROM notification_logs WHERE app_id = :app_id AND id = ANY(:ids);

-- find_settings
-- point
-- reads: notification_settings
SELECT settings FROM notification_settings WHERE app_id = :app_id;

-- put_settings
INSERT INTO notification_settings (app_id, settings) VALUES (:app_id, :settings)
ON CONFLICT (app_id) DO UPDATE SET settings = excluded.settings;

-- delete_settings
DELETE FROM notification_settings WHERE app_id = :app_id;

-- find_choices
-- point
-- reads: notification_preferences
SELECT choices FROM notification_preferences WHERE app_id = :app_id AND uid = :uid;

-- list_choices
-- reads: notification_preferences
SELECT uid, choices FROM notification_preferences WHERE app_id = :app_id AND uid = ANY(:uids);

-- put_choices
INSERT INTO notification_preferences (app_id, uid, choices) VALUES (:app_id, :uid, :choices)
ON CONFLICT (app_id, uid) DO UPDATE SET choices = excluded.choices;

-- delete_choices
DELETE FROM notification_preferences WHERE app_id = :app_id AND uid = :uid;

-- list_muted_groups
-- Those of a user, in the order of the guids.
-- reads: muted_groups, groups
SELECT g.guid, m.until FROM muted_groups m
JOIN groups g ON g.app_id = m.app_id AND g.conversation = m.conversation
WHERE m.app_id = :app_id AND m.uid = :uid AND m.until > :now ORDER BY g.guid;

-- list_muted_users
-- reads: muted_users
SELECT muted, until FROM muted_users
WHERE app_id = :app_id AND uid = :uid AND until > :now ORDER BY muted;

-- list_mutes_of_group
-- reads: muted_groups, groups
SELECT m.uid, m.until FROM groups g
JOIN muted_groups m ON m.app_id = g.app_id AND m.conversation = g.conversation
WHERE g.app_id = :app_id AND g.guid = :receiver AND m.uid = ANY(:uids);

-- list_mutes_of_user
-- reads: muted_users
SELECT uid, until FROM muted_users
WHERE app_id = :app_id AND muted = :receiver AND uid = ANY(:uids);

-- put_muted_group
-- bulk
INSERT INTO muted_groups (app_id, conversation, uid, until)
VALUES (:app_id, :conversation, :uid, :until)
ON CONFLICT (app_id, conversation, uid) DO UPDATE SET until = excluded.until;

-- put_muted_user
-- bulk
INSERT INTO muted_users (app_id, uid, muted, until) VALUES (:app_id, :uid, :muted, :until)
ON CONFLICT (app_id, uid, muted) DO UPDATE SET until = excluded.until;

-- delete_muted_groups
DELETE FROM muted_groups
WHERE app_id = :app_id AND uid = :uid AND conversation = ANY(:conversations);

-- delete_muted_users
DELETE FROM muted_users WHERE app_id = :app_id AND uid = :uid AND muted = ANY(:muted);

-- delete_expired_muted_groups
DELETE FROM muted_groups WHERE app_id = :app_id AND uid = :uid AND until <= :now;

-- delete_expired_muted_users
DELETE FROM muted_users WHERE app_id = :app_id AND uid = :uid AND until <= :now;

-- delete_muted_groups_of
DELETE FROM muted_groups WHERE app_id = :app_id AND uid = :uid;

-- delete_muted_users_of
DELETE FROM muted_users WHERE app_id = :app_id AND uid = :uid;

-- delete_mutes_of
DELETE FROM muted_users WHERE app_id = :app_id AND muted = :uid;
