-- Whether the servers move the run on, for a user of the web explorer, and not a process of its own.
ALTER TABLE fleet_runs ADD COLUMN by_server BOOLEAN NOT NULL DEFAULT FALSE;
-- The user who has stopped it.
ALTER TABLE fleet_runs ADD COLUMN stopped_by TEXT;
-- The reason why it stopped, for people.
ALTER TABLE fleet_runs ADD COLUMN stop_reason TEXT;
-- When it was resumed after a stop. Earlier failures do not count any more.
ALTER TABLE fleet_runs ADD COLUMN resumed BIGINT;
