-- The exported resources of all nodes.
CREATE TABLE exports (
  node TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  -- JSON: a list of pairs of a name and a value in the form of ordain-graph, secrets included.
  attributes TEXT NOT NULL,
  -- JSON: a list of texts.
  tags TEXT NOT NULL,
  file TEXT,
  line INTEGER,
  PRIMARY KEY (kind, node, title)
) WITHOUT ROWID;

CREATE INDEX exports_of_node ON exports (node);
