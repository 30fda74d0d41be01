-- Overviews count the resources of all nodes, which are thousands per node.
ALTER TABLE catalogs ADD COLUMN resource_count BIGINT NOT NULL DEFAULT 0;
UPDATE catalogs SET resource_count =
    (SELECT count(*) FROM catalog_resources r WHERE r.certname_id = catalogs.certname_id);
