-- The counts of reports by day and status, and the nodes of a resource, are read from indexes alone.
CREATE INDEX reports_environment_status
    ON reports (environment_id, producer_timestamp, status, report_type);
DROP INDEX reports_environment;
CREATE INDEX reports_status ON reports (producer_timestamp, status, report_type);
DROP INDEX reports_producer_timestamp;
CREATE INDEX catalog_resources_certname ON catalog_resources (resource_id, certname_id);
DROP INDEX catalog_resources_resource;
