-- find_list
-- point
-- reads: moderation_lists
SELECT {list_columns} FROM moderation_lists WHERE app_id = :app_id AND id = :id;

-- list_lists
-- An app has few.
-- reads: moderation_lists
SELECT {list_columns} FROM moderation_lists WHERE app_id = :app_id ORDER BY created_at DESC, id;

-- list_numbers
-- Without the terms, which may be long.
-- reads: moderation_lists
SELECT id, number, category, length FROM moderation_lists WHERE app_id = :app_id ORDER BY id;

-- store_list
INSERT INTO moderation_lists (app_id, id, revision, number, category, name, description, is_csv, terms,
    length, created_at, updated_at)
VALUES (:app_id, :id, :revision, :number, :category, :name, :description, :is_csv, :terms,
    :length, :created_at, :updated_at)
ON CONFLICT (app_id, id) DO UPDATE
SET revision = excluded.revision, number = excluded.number, category = excluded.category,
    name = excluded.name, description = excluded.description, is_csv = excluded.is_csv,
    terms = excluded.terms, length = excluded.length, updated_at = excluded.updated_at;

-- delete_list
DELETE FROM moderation_lists WHERE app_id = :app_id AND id = :id;
