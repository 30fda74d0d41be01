-- The revisions of code that the server compiles for nodes, in place of the current one.
CREATE TABLE pins (
    certname TEXT PRIMARY KEY,
    revision TEXT NOT NULL,
    pinned BIGINT NOT NULL,
    -- The user who pinned it.
    actor TEXT NOT NULL
);
