-- find_reaction
-- One of several look-ups by key.
-- point
-- reads: reactions
SELECT {reaction_columns} FROM reactions
WHERE app_id = :app_id AND message = :message AND reaction = :reaction AND uid = :uid;

-- find_text
-- One of several look-ups.
-- reads: reactions
SELECT number, reaction FROM reactions
WHERE app_id = :app_id AND message = :message AND number = :number;

-- list_counts
-- Each with whether the viewer gave it; reactions of an erased user with the same uid don't count.
-- reads: reaction_counts, reactions, erasures
SELECT c.message, c.reaction, c.count, EXISTS (
    SELECT 1 FROM reactions r
    WHERE r.app_id = :app_id AND r.message = c.message AND r.reaction = c.reaction
        AND r.uid = :viewer AND {is_after_erasure(r.number, :viewer)})
FROM reaction_counts c
WHERE c.app_id = :app_id AND c.message = ANY(:messages)
ORDER BY c.message, c.number;

-- list_counted
-- reads: reaction_counts
SELECT DISTINCT message FROM reaction_counts
WHERE app_id = :app_id AND message = ANY(:messages);

-- list_reactions
-- reads: reactions, members
SELECT {reaction_columns(r)} FROM reactions r
WHERE r.app_id = :app_id AND r.message = :message {where}
ORDER BY {order: r.number} LIMIT :limit;

-- list_of_messages
-- Those of several messages, after one; not those of users who are being erased.
-- reads: reactions, erasures
SELECT {reaction_columns(r)} FROM reactions r
WHERE r.app_id = :app_id AND r.message = ANY(:messages) AND {is_after_erasure(r.number, r.uid)}
    AND (r.message, r.reaction, r.uid) > (:message, :reaction, :uid)
ORDER BY r.message, r.reaction, r.uid LIMIT :limit;

-- list_given
-- Those that a user gave, after one.
-- reads: reactions, erasures
SELECT {reaction_columns(r)} FROM reactions r
WHERE r.app_id = :app_id AND r.uid = :uid AND {is_after_erasure(r.number, :uid)}
    AND (r.message, r.reaction) > (:message, :reaction)
ORDER BY r.message, r.reaction LIMIT :limit;

-- insert_reaction
-- bulk
INSERT INTO reactions (app_id, message, reaction, uid, number, reacted_at)
VALUES (:app_id, :message, :reaction, :uid, :number, :reacted_at);

-- delete_reaction
DELETE FROM reactions
WHERE app_id = :app_id AND message = :message AND reaction = :reaction AND uid = :uid;

-- add_count
-- Adds a positive or negative number. The row keeps the number of the first such reaction.
-- bulk
INSERT INTO reaction_counts (app_id, message, reaction, count, number)
VALUES (:app_id, :message, :reaction, :count, :number)
ON CONFLICT (app_id, message, reaction) DO UPDATE SET count = reaction_counts.count + excluded.count;

-- delete_empty_counts
DELETE FROM reaction_counts WHERE app_id = :app_id AND message = ANY(:messages) AND count <= 0;

-- delete_of_messages
DELETE FROM reactions WHERE app_id = :app_id AND message = ANY(:messages);

-- delete_counts_of_messages
DELETE FROM reaction_counts WHERE app_id = :app_id AND message = ANY(:messages);

-- list_of_user
-- Up to an event: later reactions are by a new user with the same uid.
-- reads: reactions
SELECT {reaction_columns} FROM reactions
WHERE app_id = :app_id AND uid = :uid AND number <= :upto ORDER BY message LIMIT :limit;
