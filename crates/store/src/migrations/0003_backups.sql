-- What stood at paths before a run changed them.
CREATE TABLE kept (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    -- The bytes of the path.
    path BLOB NOT NULL,
    -- JSON: what stood there; contents are files by their digests, beside the database.
    before TEXT NOT NULL,
    -- The same after the run; nothing if it did not come to its end.
    after TEXT,
    PRIMARY KEY (run, path)
) WITHOUT ROWID;
