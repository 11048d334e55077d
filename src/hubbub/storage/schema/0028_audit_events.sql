-- The ids of the events that a change announced: `1883120394594489-7`, or `1883120394594489-7..9`.
ALTER TABLE audit ADD COLUMN events TEXT;
