-- find_settings
-- point
-- reads: counters
SELECT settings FROM counters WHERE app_id = :app_id;

-- update_settings
UPDATE counters SET settings = :settings WHERE app_id = :app_id;
