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

-- find_contact_details
-- reads: contact_details
SELECT email, phone_number FROM contact_details WHERE app_id = :app_id AND uid = :uid;

-- put_contact_details
INSERT INTO contact_details (app_id, uid, email, phone_number)
VALUES (:app_id, :uid, :email, :phone_number)
ON CONFLICT (app_id, uid) DO UPDATE SET
    email = excluded.email, phone_number = excluded.phone_number;

-- delete_contact_details
DELETE FROM contact_details WHERE app_id = :app_id AND uid = :uid;
