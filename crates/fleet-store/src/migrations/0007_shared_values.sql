-- Values that hosts share: those of mgmt's `kv`, elections, and exported resources of programs.
CREATE TABLE shared_values (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The host that it belongs to, or an empty text.
    host TEXT NOT NULL,
    -- NULL after its removal, until all readers know of that.
    value TEXT,
    -- The revision that its last change made.
    revision BIGINT NOT NULL,
    -- The seconds for which it is kept, and the time when it ends unless its host renews it.
    ttl BIGINT,
    expires BIGINT,
    PRIMARY KEY (space, name, host)
);
CREATE INDEX shared_values_by_revision ON shared_values (revision);
CREATE INDEX shared_values_by_expires ON shared_values (expires);
-- One row: the last revision, and the last one whose removals are forgotten.
CREATE TABLE shared_revision (
    id BIGINT PRIMARY KEY,
    revision BIGINT NOT NULL,
    forgotten BIGINT NOT NULL
);
INSERT INTO shared_revision (id, revision, forgotten) VALUES (1, 0, 0);
