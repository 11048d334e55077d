-- insert_receipt
-- bulk
INSERT INTO receipts (app_id, conversation, uid, kind, after_id, upto_id, at, alone)
VALUES (:app_id, :conversation, :uid, :kind, :after_id, :upto_id, :at, :alone)
ON CONFLICT (app_id, conversation, uid, kind, upto_id) DO NOTHING;

-- list_covering
-- The first stretches that reach a message, and those after it; one of a row of look-ups.
-- reads: receipts
SELECT conversation, uid, kind, after_id, upto_id, at, alone FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
    AND upto_id >= :message
ORDER BY upto_id LIMIT :limit;

-- list_behind_reading
-- Of groups in which everybody, or all but one, have moved on: who has read least, how far he has
-- come, and the next to him, and how far the receipts of everybody reach, and of all but the one.
-- Two who have come as far as each other are as good as one another.
-- reads: conversations, participants, receipts
WITH behind AS MATERIALIZED (
    SELECT c.number, c.left_id,
        (SELECT p.uid FROM participants p WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.read_reached LIMIT 1) AS last,
        (SELECT p.read_reached FROM participants p
            WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.read_reached LIMIT 1) AS least,
        (SELECT p.read_reached FROM participants p
            WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.read_reached LIMIT 1 OFFSET 1) AS next_one,
        coalesce((SELECT r.upto_id FROM receipts r
            WHERE r.app_id = :app_id AND r.conversation = c.number AND r.uid = :everybody
                AND r.kind = 'read'
            ORDER BY r.upto_id DESC LIMIT 1), 0) AS reach
    FROM conversations c WHERE c.app_id = :app_id AND c.number = ANY(:conversations)
)
SELECT number, left_id, last, least, next_one, reach,
    coalesce((SELECT r.upto_id FROM receipts r
        WHERE r.app_id = :app_id AND r.conversation = behind.number AND r.uid = :but || behind.last
            AND r.kind = 'read'
        ORDER BY r.upto_id DESC LIMIT 1), 0)
FROM behind WHERE least > reach OR next_one > least
ORDER BY number;

-- list_behind_receiving
-- The same, of what was delivered.
-- reads: conversations, participants, receipts
WITH behind AS MATERIALIZED (
    SELECT c.number, c.left_id,
        (SELECT p.uid FROM participants p WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.delivered_reached LIMIT 1) AS last,
        (SELECT p.delivered_reached FROM participants p
            WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.delivered_reached LIMIT 1) AS least,
        (SELECT p.delivered_reached FROM participants p
            WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.delivered_reached LIMIT 1 OFFSET 1) AS next_one,
        coalesce((SELECT r.upto_id FROM receipts r
            WHERE r.app_id = :app_id AND r.conversation = c.number AND r.uid = :everybody
                AND r.kind = 'delivered'
            ORDER BY r.upto_id DESC LIMIT 1), 0) AS reach
    FROM conversations c WHERE c.app_id = :app_id AND c.number = ANY(:conversations)
)
SELECT number, left_id, last, least, next_one, reach,
    coalesce((SELECT r.upto_id FROM receipts r
        WHERE r.app_id = :app_id AND r.conversation = behind.number AND r.uid = :but || behind.last
            AND r.kind = 'delivered'
        ORDER BY r.upto_id DESC LIMIT 1), 0)
FROM behind WHERE least > reach OR next_one > least
ORDER BY number;
