-- A deleted user's content is erased in the background. Until that is done, a row of `erasures` hides
-- it: the user's messages up to an id, and other rows up to an event number. Rows of a new user with
-- the same uid have higher numbers.

-- fragment is_not_erased(m)
NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
    AND e.subject = {m}.sender AND e.upto_message >= {m}.id)

-- fragment is_visible(m)
-- The same for queries of many rows: the first condition is evaluated once, and is mostly true.
(NOT EXISTS (SELECT 1 FROM erasures w WHERE w.app_id = :app_id AND w.kind = 'sender')
    OR {is_not_erased({m})})

-- fragment is_after_erasure(number, uid)
-- For rows of other tables, which have the number of an event.
{number} > (SELECT coalesce(max(e.upto_event), -1) FROM erasures e
    WHERE e.app_id = :app_id AND e.kind = 'sender' AND e.subject = {uid})

-- fragment unread_in(p, c)
-- The number of unread messages: a one-to-one conversation counts the messages of both sides.
({c}.counted - {p}.read_count - {p}.own
    - CASE WHEN {c}.left_id = {p}.uid THEN {c}.left_own ELSE {c}.right_own END)
