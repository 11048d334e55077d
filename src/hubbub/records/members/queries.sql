-- find_member
-- One of a row of look-ups by pair.
-- point
-- reads: members
SELECT {member_columns} FROM members
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_members
-- Newest first.
-- reads: members, users
SELECT {member_columns(m)} FROM members m
WHERE m.app_id = :app_id AND m.conversation = :conversation {where}
ORDER BY {order: m.joined_at DESC, m.uid DESC} LIMIT :limit OFFSET :offset;

-- count_members
-- The order makes both engines go through the index that has it, and not through all rows.
-- reads: members, users
SELECT count(*) FROM (
    SELECT 1 FROM members m WHERE m.app_id = :app_id AND m.conversation = :conversation {where}
    ORDER BY m.joined_at, m.uid
) AS listed;

-- list_available
-- Who is available, and when he joined: nothing, when he has not the scope. Both halves lie in the
-- order of uids, so that each is gone through once.
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

-- count_available
-- reads: members, users
SELECT count(*) FROM (
    SELECT m.uid FROM members m WHERE m.app_id = :app_id AND m.conversation = :conversation
    INTERSECT
    SELECT u.uid FROM users u WHERE u.app_id = :app_id AND u.status = 'available'
) AS available;

-- list_bans
-- Newest first.
-- reads: bans
SELECT {ban_columns(b)} FROM bans b
WHERE b.app_id = :app_id AND b.conversation = :conversation {where}
ORDER BY {order: b.banned_at DESC, b.uid DESC} LIMIT :limit OFFSET :offset;

-- count_bans
-- reads: bans
SELECT count(*) FROM bans WHERE app_id = :app_id AND conversation = :conversation;

-- find_ban
-- One of a row of look-ups by pair.
-- point
-- reads: bans
SELECT {ban_columns} FROM bans
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- list_groups_of
-- reads: members
SELECT conversation FROM members WHERE app_id = :app_id AND uid = :uid;

-- find_memberships_of
-- A user's memberships in some groups.
-- reads: members
SELECT {member_columns} FROM members
WHERE app_id = :app_id AND uid = :uid AND conversation = ANY(:conversations);

-- count_groups_of
-- Those of groups that are being erased don't count.
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
INSERT INTO memberships (app_id, conversation, uid, from_event)
VALUES (:app_id, :conversation, :uid, :from_event)
ON CONFLICT (app_id, conversation, uid, from_event) DO UPDATE SET to_event = NULL;

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

-- insert_ban
-- bulk
INSERT INTO bans (app_id, conversation, uid, scope, joined_at, banned_at)
VALUES (:app_id, :conversation, :uid, :scope, :joined_at, :banned_at);

-- delete_ban
DELETE FROM bans WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid;

-- delete_bans_of
DELETE FROM bans WHERE app_id = :app_id AND uid = :uid;

-- list_heirs
-- Who may own each of those groups next, of one scope: the longest-standing. Of those who came in one
-- second the log tells who was first. No planner makes joins of this: it goes through the members of
-- a group from the first on, whatever it knows of the tables.
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
