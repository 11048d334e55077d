-- find_member
-- Run for each of several pairs.
-- point
-- reads: members
SELECT {member_columns} FROM members
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- fragment available_user(m)
-- A scalar subquery: planners make no join of it.
(SELECT 1 FROM users u WHERE u.app_id = :app_id AND u.uid = {m}.uid AND u.status = 'available')

-- list_members
-- reads: members, users
SELECT {member_columns(m)} FROM members m
WHERE m.app_id = :app_id AND m.conversation = :conversation {where}
ORDER BY {order: m.joined_at, m.uid} LIMIT :limit OFFSET :offset;

-- count_members
-- The order makes both engines scan the index that has it instead of all rows.
-- reads: members, users
SELECT count(*) FROM (
    SELECT 1 FROM members m WHERE m.app_id = :app_id AND m.conversation = :conversation {where}
    ORDER BY m.joined_at, m.uid
) AS listed;

-- list_available
-- The available members of a large group, and when they joined: NULL if a condition leaves them out.
-- Both halves lie in the order of uids: each is scanned once. With joins instead, PostgreSQL looks up
-- every member among the available users, or scans them all once for each member.
-- reads: members, users
SELECT found.uid, (
    SELECT m.joined_at FROM members m
    WHERE m.app_id = :app_id AND m.conversation = :conversation AND m.uid = found.uid {where}
)
FROM (
    SELECT m.uid FROM members m WHERE m.app_id = :app_id AND m.conversation = :conversation
    INTERSECT
    SELECT u.uid FROM users u WHERE u.app_id = :app_id AND u.status = 'available'
    LIMIT :limit
) AS found;

-- list_bans
-- reads: bans
SELECT {ban_columns(b)} FROM bans b
WHERE b.app_id = :app_id AND b.conversation = :conversation {where}
ORDER BY {order: b.banned_at, b.uid} LIMIT :limit OFFSET :offset;

-- count_bans
-- reads: bans
SELECT count(*) FROM bans WHERE app_id = :app_id AND conversation = :conversation;

-- find_ban
-- Run for each of several pairs.
-- point
-- reads: bans
SELECT {ban_columns} FROM bans
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_by_uid
-- The members of a group, after a uid.
-- reads: members
SELECT {member_columns} FROM members
WHERE app_id = :app_id AND conversation = :conversation AND uid > :after
ORDER BY uid LIMIT :limit;

-- list_bans_by_uid
-- reads: bans
SELECT {ban_columns} FROM bans
WHERE app_id = :app_id AND conversation = :conversation AND uid > :after
ORDER BY uid LIMIT :limit;

-- list_of_user
-- The memberships of a user, in groups that exist.
-- reads: members, groups
SELECT g.guid, {member_columns(m)} FROM members m
JOIN groups g ON g.app_id = m.app_id AND g.conversation = m.conversation
WHERE m.app_id = :app_id AND m.uid = :uid ORDER BY g.guid;

-- list_bans_of_user
-- reads: bans, groups
SELECT g.guid, {ban_columns(b)} FROM bans b
JOIN groups g ON g.app_id = b.app_id AND g.conversation = b.conversation
WHERE b.app_id = :app_id AND b.uid = :uid ORDER BY g.guid;

-- list_groups_of
-- reads: members
SELECT conversation FROM members WHERE app_id = :app_id AND uid = :uid;

-- find_memberships_of
-- reads: members
SELECT {member_columns} FROM members
WHERE app_id = :app_id AND uid = :uid AND conversation = ANY(:conversations);

-- list_memberships
-- Those that last, and those that ended after an event.
-- bulk
-- reads: memberships
SELECT uid, conversation, from_event, to_event, hidden_upto FROM memberships
WHERE app_id = :app_id AND uid = :uid AND (to_event IS NULL OR to_event > :after);

-- count_groups_of
-- The join leaves out groups that are being erased.
-- reads: members, groups
SELECT m.uid, count(*) FROM members m
JOIN groups g ON g.app_id = m.app_id AND g.conversation = m.conversation
WHERE m.app_id = :app_id AND m.uid = ANY(:uids) GROUP BY m.uid;

-- insert_member
-- bulk
INSERT INTO members (app_id, conversation, uid, scope, joined_at)
VALUES (:app_id, :conversation, :uid, :scope, :joined_at);

-- insert_membership
-- bulk
INSERT INTO memberships (app_id, conversation, uid, from_event, hidden_upto)
VALUES (:app_id, :conversation, :uid, :from_event, :hidden_upto)
ON CONFLICT (app_id, conversation, uid, from_event)
DO UPDATE SET to_event = NULL, hidden_upto = excluded.hidden_upto;

-- end_membership
UPDATE memberships SET to_event = :to_event
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND to_event IS NULL;

-- end_memberships_of
UPDATE memberships SET to_event = :to_event
WHERE app_id = :app_id AND uid = :uid AND to_event IS NULL;

-- delete_member
DELETE FROM members WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- delete_members_of
DELETE FROM members WHERE app_id = :app_id AND uid = :uid;

-- set_scope
UPDATE members SET scope = :scope
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND scope <> :scope;

-- set_joined_at
UPDATE members SET joined_at = :joined_at
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- insert_ban
-- bulk
INSERT INTO bans (app_id, conversation, uid, scope, joined_at, banned_at)
VALUES (:app_id, :conversation, :uid, :scope, :joined_at, :banned_at);

-- delete_ban
DELETE FROM bans WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- delete_bans_of
DELETE FROM bans WHERE app_id = :app_id AND uid = :uid;

-- list_heirs
-- The longest-standing member of one scope for each group. Of members who joined in the same second,
-- the log shows who was first. Planners make no joins of the subqueries: they scan the members of a
-- group from the first on, whatever the statistics say.
-- reads: groups, members, memberships, users
SELECT g.conversation, (
    SELECT m.uid FROM members m
    WHERE m.app_id = :app_id AND m.conversation = g.conversation AND m.scope = :scope
        AND m.uid <> :leaving AND :is_active = (SELECT u.deactivated_at IS NULL FROM users u
            WHERE u.app_id = :app_id AND u.uid = m.uid)
    ORDER BY m.joined_at, (SELECT max(s.from_event) FROM memberships s
        WHERE s.app_id = :app_id AND s.conversation = m.conversation AND s.uid = m.uid
            AND s.to_event IS NULL), m.uid
    LIMIT 1
)
FROM groups g WHERE g.app_id = :app_id AND g.conversation = ANY(:conversations);

-- list_ended_memberships
-- reads: memberships
SELECT conversation, uid, from_event FROM memberships
WHERE app_id = :app_id AND to_event IS NOT NULL AND to_event <= :upto
ORDER BY to_event LIMIT :limit;

-- delete_membership
DELETE FROM memberships WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid
    AND from_event = :from_event;
