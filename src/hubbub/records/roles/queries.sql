-- insert_role
INSERT INTO roles (app_id, role, name, created_at, description, metadata, list_users,
    send_messages_to)
VALUES (:app_id, :role, :name, :created_at, :description, :metadata, :list_users,
    :send_messages_to);

-- find_roles
-- reads: roles
SELECT role FROM roles WHERE app_id = :app_id AND role = ANY(:roles);

-- find_role
-- point
-- reads: roles
SELECT {role_columns} FROM roles WHERE app_id = :app_id AND role = :role;

-- list_roles
-- reads: roles
SELECT {role_columns} FROM roles WHERE app_id = :app_id
ORDER BY created_at DESC, role DESC LIMIT :limit OFFSET :offset;

-- list_by_id
-- reads: roles
SELECT {role_columns} FROM roles WHERE app_id = :app_id ORDER BY role;

-- count_roles
-- reads: roles
SELECT count(*) FROM roles WHERE app_id = :app_id;

-- update_role
UPDATE roles SET name = :name, description = :description, metadata = :metadata,
    list_users = :list_users, send_messages_to = :send_messages_to, permissions = :permissions,
    restricted = :restricted, updated_at = :updated_at
WHERE app_id = :app_id AND role = :role;

-- delete_role
DELETE FROM roles WHERE app_id = :app_id AND role = :role;

-- find_user_of_role
-- Two parts: the index by role holds active users only, and few users are deactivated. Softly deleted
-- users can't be restored, so they don't count.
-- reads: users
SELECT uid FROM users
WHERE app_id = :app_id AND role = :role AND deactivated_at IS NULL AND deleted_at IS NULL
UNION ALL
SELECT uid FROM users
WHERE app_id = :app_id AND role = :role AND deactivated_at IS NOT NULL AND deleted_at IS NULL
LIMIT 1;
