-- When resources that have a schedule were applied last.
CREATE TABLE applied (
    resource TEXT PRIMARY KEY,
    -- Seconds since 1970.
    at INTEGER NOT NULL
) WITHOUT ROWID;
