-- Earlier catalogs of nodes, each as what differs from the next one. A catalog that does not change
-- writes nothing.
CREATE TABLE catalog_history (
    certname_id BIGINT NOT NULL REFERENCES certnames (id),
    -- The place in the order of the node's catalogs.
    number BIGINT NOT NULL,
    environment_id BIGINT,
    -- When the server sent it for the first and the last time. NULL if the schema was older then.
    first_sent BIGINT,
    last_sent BIGINT NOT NULL,
    -- When the server sent the next one.
    replaced BIGINT NOT NULL,
    catalog_version TEXT NOT NULL,
    code_id TEXT,
    resource_count BIGINT NOT NULL,
    -- The content that makes this catalog from the next one (src/history/delta.rs).
    content_digest BYTEA NOT NULL REFERENCES contents (digest),
    PRIMARY KEY (certname_id, number)
)/* clustered */;
CREATE INDEX catalog_history_content ON catalog_history (content_digest);
CREATE INDEX catalog_history_replaced ON catalog_history (replaced);
CREATE INDEX catalog_history_environment ON catalog_history (environment_id);

-- When the server sent a catalog with this content for the first time.
ALTER TABLE catalogs ADD COLUMN first_sent BIGINT;
-- The number of earlier catalogs, also of those that are deleted.
ALTER TABLE catalogs ADD COLUMN change_count BIGINT NOT NULL DEFAULT 0;
