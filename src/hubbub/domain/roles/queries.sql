-- insert_role
INSERT INTO roles (app_id, role, name, created_at) VALUES (:app_id, :role, :name, :created_at);

-- find_roles
-- reads: roles
SELECT role FROM roles WHERE app_id = :app_id AND role = ANY(:roles);
