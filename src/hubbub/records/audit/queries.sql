-- insert_entry
INSERT INTO audit (at, id, operator, app, action, subject, before, after, address, events)
VALUES (:at, :id, :operator, :app, :action, :subject, :before, :after, :address, :events);

-- list_newest
-- reads: audit
SELECT {entry_columns(a)} FROM audit a
WHERE a.at >= :since{where}
ORDER BY a.at DESC, a.id DESC LIMIT :limit;

-- find_time_behind
-- The time of the entry behind so many of the newest ones.
-- reads: audit
SELECT a.at FROM audit a
WHERE a.at >= :since{where}
ORDER BY a.at DESC, a.id DESC LIMIT 1 OFFSET :count;

-- list_oldest
-- reads: audit
SELECT {entry_columns(a)} FROM audit a
WHERE a.at >= :since{where}
ORDER BY a.at, a.id LIMIT :limit;
