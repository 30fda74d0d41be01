-- What a run was of: the path that was given, the node, the account that ran it, and the directory
-- that stood for the file system, if it was not `/`.
ALTER TABLE runs ADD COLUMN source TEXT;
ALTER TABLE runs ADD COLUMN node TEXT;
ALTER TABLE runs ADD COLUMN account TEXT;
ALTER TABLE runs ADD COLUMN root TEXT;

-- Resources that did not become what they shall be, and why.
CREATE TABLE outcomes (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    resource TEXT NOT NULL,
    -- The name of a status, such as: failed, skipped-for-failure.
    status TEXT NOT NULL,
    -- What the log says about it; no values that are secret.
    cause TEXT NOT NULL,
    -- Where it is declared.
    file TEXT,
    line INTEGER,
    -- Whether it came right later in the same run.
    is_over INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, resource)
) WITHOUT ROWID;

-- Properties that are only watched for changes, as they were seen last.
CREATE TABLE audited (
    resource TEXT NOT NULL,
    property TEXT NOT NULL,
    -- As a text; a digest under the key of the machine if it is secret.
    value TEXT NOT NULL,
    PRIMARY KEY (resource, property)
) WITHOUT ROWID;
