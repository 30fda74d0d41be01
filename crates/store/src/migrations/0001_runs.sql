-- A run of the engine.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    -- What was asked for: apply, noop, ...
    kind TEXT NOT NULL,
    pid INTEGER NOT NULL,
    -- Milliseconds since 1970.
    started INTEGER NOT NULL,
    finished INTEGER,
    -- JSON; no values of attributes, so no secrets.
    summary TEXT,
    -- Whether the next run has said what this one left under way.
    told INTEGER NOT NULL DEFAULT 0
);

-- A change that a run was about to make.
CREATE TABLE steps (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    resource TEXT NOT NULL,
    -- What was about to be done, such as: create ensure.
    action TEXT NOT NULL,
    begun INTEGER NOT NULL,
    ended INTEGER,
    ok INTEGER
);

CREATE INDEX steps_by_run ON steps (run, resource);
