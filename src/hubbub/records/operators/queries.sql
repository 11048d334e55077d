-- fragment shown_operator(o)
{o}.name, {o}.role, {o}.app, {o}.created_at, CASE WHEN {o}.totp IS NULL THEN 0 ELSE 1 END

-- has_operators
-- reads: operators
SELECT 1 FROM operators LIMIT 1;

-- list_operators
-- reads: operators
SELECT {shown_operator(o)} FROM operators o ORDER BY o.name;

-- find_operator
-- reads: operators
SELECT {shown_operator(o)} FROM operators o WHERE o.name = :name;

-- find_credentials
-- reads: operators
SELECT password_hash, totp, totp_step FROM operators WHERE name = :name FOR UPDATE;

-- find_password_hash
-- reads: operators
SELECT password_hash FROM operators WHERE name = :name;

-- insert_operator
INSERT INTO operators (name, role, app, password_hash, totp_step, created_at)
VALUES (:name, :role, :app, :password_hash, 0, :created_at)
ON CONFLICT (name) DO NOTHING;

-- delete_operator
DELETE FROM operators WHERE name = :name;

-- delete_operators_of_app
-- An app that gets the id of an erased one is none of theirs.
DELETE FROM operators WHERE app = :app;

-- set_password
UPDATE operators SET password_hash = :password_hash WHERE name = :name;

-- set_totp
UPDATE operators SET totp = :totp, totp_step = 0 WHERE name = :name;

-- take_totp_step
UPDATE operators SET totp_step = :step WHERE name = :name AND totp_step < :step;

-- find_session
-- point
-- reads: operator_sessions, operators
SELECT s.used_at, {shown_operator(o)} FROM operator_sessions s
JOIN operators o ON o.name = s.operator
WHERE s.hash = :hash AND s.created_at > :created_after AND s.used_at > :used_after;

-- insert_session
INSERT INTO operator_sessions (hash, operator, created_at, used_at)
VALUES (:hash, :operator, :at, :at);

-- use_session
UPDATE operator_sessions SET used_at = :at WHERE hash = :hash;

-- delete_session
DELETE FROM operator_sessions WHERE hash = :hash;

-- delete_sessions_of
DELETE FROM operator_sessions WHERE operator = :operator;

-- delete_other_sessions
DELETE FROM operator_sessions WHERE operator = :operator AND hash <> :hash;

-- delete_ended_sessions
DELETE FROM operator_sessions WHERE created_at <= :created_upto OR used_at <= :used_upto;

-- take_sign_in
INSERT INTO operator_sign_ins (hash, ends_at) VALUES (:hash, :ends_at)
ON CONFLICT (hash) DO NOTHING;

-- delete_ended_sign_ins
DELETE FROM operator_sign_ins WHERE ends_at <= :now;
