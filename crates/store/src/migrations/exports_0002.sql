-- What programs export, in an encoding of their own, each for the hosts that it names.
CREATE TABLE given (
  host TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- JSON: a list of names of hosts; `*` is all of them.
  hosts TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (kind, name, host)
) WITHOUT ROWID;

CREATE INDEX given_of_host ON given (host);
