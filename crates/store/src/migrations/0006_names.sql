-- What messages call a path that is secret; nothing of others.
ALTER TABLE kept ADD COLUMN name TEXT;
