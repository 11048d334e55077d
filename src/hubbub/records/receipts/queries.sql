-- insert_receipt
-- bulk
INSERT INTO receipts (app_id, conversation, uid, kind, after_id, upto_id, at, alone)
VALUES (:app_id, :conversation, :uid, :kind, :after_id, :upto_id, :at, :alone)
ON CONFLICT (app_id, conversation, uid, kind, upto_id) DO NOTHING;

-- fragment covering(kind)
SELECT * FROM (
    SELECT {receipt_columns} FROM receipts
    WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = {kind}
        AND upto_id >= :message AND upto_id <= coalesce((SELECT r.upto_id FROM receipts r
            WHERE r.app_id = :app_id AND r.conversation = :conversation AND r.uid = :uid
                AND r.kind = {kind} AND r.upto_id >= :last ORDER BY r.upto_id LIMIT 1), :last)
    ORDER BY upto_id LIMIT 2 * :messages) AS covering

-- list_covering
-- Of each kind, the receipts from the one that reaches a message to the one that reaches the last
-- message, at most two for each message; one of several look-ups.
-- bulk
-- reads: receipts
{covering('delivered')} UNION ALL {covering('read')};

-- fragment list_behind(reached, kind)
-- The groups in which all members, or all but one, have come further than the receipts say: the
-- member who is furthest behind and their position, the position of the next one, and how far the
-- receipts of all go, and those of all but that one. Of two members at the same position either may
-- be taken.
WITH behind AS MATERIALIZED (
    SELECT c.number, c.left_id,
        (SELECT p.uid FROM participants p WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.{reached} LIMIT 1) AS slowest,
        (SELECT p.{reached} FROM participants p
            WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.{reached} LIMIT 1) AS slowest_id,
        (SELECT p.{reached} FROM participants p
            WHERE p.app_id = :app_id AND p.conversation = c.number
            ORDER BY p.{reached} LIMIT 1 OFFSET 1) AS next_id,
        coalesce((SELECT r.upto_id FROM receipts r
            WHERE r.app_id = :app_id AND r.conversation = c.number AND r.uid = :everybody
                AND r.kind = {kind}
            ORDER BY r.upto_id DESC LIMIT 1), 0) AS reach
    FROM conversations c WHERE c.app_id = :app_id AND c.number = ANY(:conversations)
)
SELECT number, left_id, slowest, slowest_id, next_id, reach,
    coalesce((SELECT r.upto_id FROM receipts r
        WHERE r.app_id = :app_id AND r.conversation = behind.number AND r.uid = :all_but || behind.slowest
            AND r.kind = {kind}
        ORDER BY r.upto_id DESC LIMIT 1), 0)
FROM behind WHERE slowest_id > reach OR next_id > slowest_id
ORDER BY number

-- list_behind_reading
-- reads: conversations, participants, receipts
{list_behind(read_reached, 'read')};

-- list_behind_receiving
-- reads: conversations, participants, receipts
{list_behind(delivered_reached, 'delivered')};

-- list_receipts_from
-- In the order of the key, so receipts that follow each other are neighbours.
-- reads: receipts
SELECT {receipt_columns} FROM receipts
WHERE app_id = :app_id AND (conversation, uid, kind, upto_id) >= (:conversation, :uid, :kind, :upto_id)
ORDER BY conversation, uid, kind, upto_id LIMIT :limit;

-- widen_receipt
-- Does nothing if the receipt is not as it was read: another node may have merged it.
UPDATE receipts SET after_id = :after_id
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
    AND upto_id = :upto_id AND after_id = :seen;

-- delete_merged_receipts
DELETE FROM receipts
WHERE app_id = :app_id AND conversation = :conversation AND uid = :uid AND kind = :kind
    AND upto_id >= :first AND upto_id < :upto_id;

-- find_merge
-- reads: receipt_merges
SELECT began_at, at_conversation FROM receipt_merges WHERE app_id = :app_id;

-- store_merge
INSERT INTO receipt_merges (app_id, began_at, at_conversation)
VALUES (:app_id, :began_at, :at_conversation)
ON CONFLICT (app_id) DO UPDATE
SET began_at = excluded.began_at, at_conversation = excluded.at_conversation;
