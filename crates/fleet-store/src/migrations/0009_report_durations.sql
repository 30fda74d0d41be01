-- The seconds that a run took for each resource, by its name. Reports of PuppetDB's commands have
-- none, and those of agents have them also for resources without events.
ALTER TABLE reports ADD COLUMN durations_zstd BYTEA;
