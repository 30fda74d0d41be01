-- Overviews show the events of the last run of each node, and a fleet has hundreds of runs of each. So a
-- node has their numbers. `latest_report_events` also counts those of other statuses.
ALTER TABLE certnames ADD COLUMN latest_report_events BIGINT NOT NULL DEFAULT 0;
ALTER TABLE certnames ADD COLUMN latest_report_failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE certnames ADD COLUMN latest_report_skips BIGINT NOT NULL DEFAULT 0;
ALTER TABLE certnames ADD COLUMN latest_report_successes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE certnames ADD COLUMN latest_report_noops BIGINT NOT NULL DEFAULT 0;
UPDATE certnames SET
    latest_report_events = (SELECT count(*) FROM events e WHERE e.report_id = latest_report_id),
    latest_report_failures =
        (SELECT count(*) FROM events e WHERE e.report_id = latest_report_id AND e.status = 'failure'),
    latest_report_skips =
        (SELECT count(*) FROM events e WHERE e.report_id = latest_report_id AND e.status = 'skipped'),
    latest_report_successes =
        (SELECT count(*) FROM events e WHERE e.report_id = latest_report_id AND e.status = 'success'),
    latest_report_noops =
        (SELECT count(*) FROM events e WHERE e.report_id = latest_report_id AND e.status = 'noop')
    WHERE latest_report_id IS NOT NULL;
-- Active nodes are counted by environment without a look at their rows, which are wide. SQLite would
-- read whole lists of nodes by this index, too, which takes longer.
-- postgresql: CREATE INDEX certnames_active ON certnames (catalog_environment_id)
-- postgresql:     WHERE deactivated IS NULL AND expired IS NULL;
