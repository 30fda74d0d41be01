-- Lists of reports show the last ones of an environment, or of all, and count the others.
CREATE INDEX reports_environment_end
    ON reports (environment_id, report_type, end_time, certname_id);
CREATE INDEX reports_type_end ON reports (report_type, end_time, certname_id);
