-- Lists and counts of nodes are read from fewer tables with these columns. The time of the catalog is
-- not among them: it changes with each run, in one statement that finds the catalog by its hash.
ALTER TABLE certnames ADD COLUMN facts_environment_id BIGINT;
ALTER TABLE certnames ADD COLUMN facts_timestamp BIGINT;
ALTER TABLE certnames ADD COLUMN catalog_environment_id BIGINT;
UPDATE certnames SET
    facts_environment_id = (SELECT f.environment_id FROM factsets f WHERE f.certname_id = certnames.id),
    facts_timestamp = (SELECT f.timestamp FROM factsets f WHERE f.certname_id = certnames.id),
    catalog_environment_id = (SELECT c.environment_id FROM catalogs c WHERE c.certname_id = certnames.id);
