-- fragment rule_fields
r.id, v.revision, r.number, v.is_enabled, r.created_at, v.content, v.made_at

-- find_rule
-- point
-- reads: moderation_rules, moderation_rule_revisions
SELECT {rule_fields} FROM moderation_rules r
JOIN moderation_rule_revisions v
  ON v.app_id = r.app_id AND v.rule = r.id AND v.revision = r.revision
WHERE r.app_id = :app_id AND r.id = :id;

-- list_rules
-- An app has few.
-- reads: moderation_rules, moderation_rule_revisions
SELECT {rule_fields} FROM moderation_rules r
JOIN moderation_rule_revisions v
  ON v.app_id = r.app_id AND v.rule = r.id AND v.revision = r.revision
WHERE r.app_id = :app_id ORDER BY r.created_at DESC, r.id;

-- list_enabled
-- Tells whether a node's compiled rules are those that hold.
-- reads: moderation_rules
SELECT id, number FROM moderation_rules WHERE app_id = :app_id AND is_enabled ORDER BY id;

-- list_revisions
-- A rule has few.
-- reads: moderation_rules, moderation_rule_revisions
SELECT {rule_fields} FROM moderation_rules r
JOIN moderation_rule_revisions v ON v.app_id = r.app_id AND v.rule = r.id
WHERE r.app_id = :app_id AND r.id = :id ORDER BY v.revision DESC;

-- store_rule
INSERT INTO moderation_rules (app_id, id, revision, is_enabled, number, created_at)
VALUES (:app_id, :id, :revision, :is_enabled, :number, :created_at)
ON CONFLICT (app_id, id) DO UPDATE
SET revision = excluded.revision, is_enabled = excluded.is_enabled, number = excluded.number;

-- insert_revision
INSERT INTO moderation_rule_revisions (app_id, rule, revision, content, is_enabled, made_at)
VALUES (:app_id, :id, :revision, :content, :is_enabled, :made_at);

-- prune_revisions
DELETE FROM moderation_rule_revisions
WHERE app_id = :app_id AND rule = :id AND revision <= :upto;

-- delete_rule
DELETE FROM moderation_rules WHERE app_id = :app_id AND id = :id;

-- delete_revisions
DELETE FROM moderation_rule_revisions WHERE app_id = :app_id AND rule = :id;
