-- The record caches of nodes are validated by the counters: storage/cached.py.
ALTER TABLE counters ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;

-- The counting messages of the two users of a one-to-one conversation, from here on.
ALTER TABLE conversations ADD COLUMN left_own BIGINT NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN right_own BIGINT NOT NULL DEFAULT 0;
