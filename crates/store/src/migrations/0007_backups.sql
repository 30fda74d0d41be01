ALTER TABLE kept RENAME TO backups;
-- Of an unfinished run: 0, 1 if a later run completed its work, 2 if a later run reported it.
ALTER TABLE runs RENAME COLUMN told TO recovery;
