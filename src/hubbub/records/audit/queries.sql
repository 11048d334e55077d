-- insert_entry
INSERT INTO audit (at, id, operator, app, action, subject, before, after, address)
VALUES (:at, :id, :operator, :app, :action, :subject, :before, :after, :address);

-- list_newest
-- reads: audit
SELECT {entry_columns(a)} FROM audit a
WHERE a.at >= :since{where}
ORDER BY a.at DESC, a.id DESC LIMIT :limit;

-- list_oldest
-- reads: audit
SELECT {entry_columns(a)} FROM audit a
WHERE a.at >= :since{where}
ORDER BY a.at, a.id LIMIT :limit;
