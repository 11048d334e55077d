-- While the content of a deleted user is being erased, in the background, a row of `erasures` hides
-- it: messages up to one, and what they did up to an event. A new user with the same uid is newer.

-- fragment is_not_erased(m)
NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'
    AND e.subject = {m}.sender AND e.upto_message >= {m}.id)

-- fragment is_visible(m)
-- The same where many rows are looked at. Mostly nobody is being erased, which is asked only once.
(NOT EXISTS (SELECT 1 FROM erasures w WHERE w.app_id = :app_id AND w.kind = 'sender')
    OR {is_not_erased({m})})

-- fragment is_after_erasure(number, uid)
-- What this user, the present holder of the uid, did: it has a number in the log.
{number} > (SELECT coalesce(max(e.upto_event), -1) FROM erasures e
    WHERE e.app_id = :app_id AND e.kind = 'sender' AND e.subject = {uid})
