CREATE TABLE schema_version (version BIGINT PRIMARY KEY);
CREATE TABLE environments (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL UNIQUE,
    -- Since when nothing refers to it; it is deleted a day later.
    unused_since INTEGER
) STRICT;
CREATE TABLE producers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE certnames (
    id INTEGER PRIMARY KEY,
    certname TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    deactivated INTEGER,
    expired INTEGER,
    facts_expire INTEGER NOT NULL DEFAULT TRUE,
    facts_expire_updated INTEGER,
    catalog_inputs_timestamp INTEGER,
    catalog_inputs_uuid TEXT,
    catalog_inputs_hash BLOB,
    package_hash BLOB,
    latest_report_id INTEGER,
    latest_report_hash BLOB,
    latest_report_environment_id INTEGER,
    -- The end of the run.
    latest_report_timestamp INTEGER,
    latest_report_producer_timestamp INTEGER,
    latest_report_status TEXT,
    latest_report_noop INTEGER,
    latest_report_noop_pending INTEGER,
    latest_report_corrective_change INTEGER,
    latest_report_job_id TEXT,
    cached_catalog_status TEXT
) STRICT;
CREATE INDEX certnames_inactive ON certnames (certname)
    WHERE deactivated IS NOT NULL OR expired IS NOT NULL;
CREATE TABLE factsets (
    certname_id INTEGER PRIMARY KEY REFERENCES certnames (id),
    environment_id INTEGER,
    producer_id INTEGER,
    -- When the command was received.
    timestamp INTEGER NOT NULL,
    producer_timestamp INTEGER NOT NULL,
    hash BLOB NOT NULL,
    -- An object: name to value.
    facts TEXT NOT NULL
) STRICT;
CREATE INDEX factsets_environment ON factsets (environment_id);
CREATE INDEX factsets_producer ON factsets (producer_id);
CREATE TABLE fact_paths (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of type and path: paths may be too long for an index.
    hash BLOB NOT NULL UNIQUE,
    -- The elements in PuppetDB's form: joined by "#~", names of digits in double quotes.
    path TEXT NOT NULL,
    -- The elements: names as strings, indices as numbers.
    path_array TEXT NOT NULL,
    -- The first element.
    name TEXT NOT NULL,
    -- The number of elements minus one.
    depth INTEGER NOT NULL,
    -- string, integer, float, boolean or null.
    value_type TEXT NOT NULL
) STRICT;
CREATE INDEX fact_paths_name ON fact_paths (name, depth);
CREATE TABLE facts (
    certname_id INTEGER NOT NULL,
    path_id INTEGER NOT NULL REFERENCES fact_paths (id),
    value_string TEXT,
    value_integer INTEGER,
    value_float REAL,
    value_boolean INTEGER,
    PRIMARY KEY (certname_id, path_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX facts_path_string ON facts (path_id, substr(value_string, 1, 64));
CREATE TABLE packages (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    provider TEXT NOT NULL,
    UNIQUE (name, version, provider)
) STRICT;
CREATE TABLE certname_packages (
    certname_id INTEGER NOT NULL,
    package_id INTEGER NOT NULL REFERENCES packages (id),
    PRIMARY KEY (certname_id, package_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX certname_packages_package ON certname_packages (package_id);
CREATE TABLE catalogs (
    certname_id INTEGER PRIMARY KEY REFERENCES certnames (id),
    environment_id INTEGER,
    producer_id INTEGER,
    timestamp INTEGER NOT NULL,
    producer_timestamp INTEGER NOT NULL,
    hash BLOB NOT NULL,
    catalog_version TEXT NOT NULL,
    transaction_uuid TEXT,
    catalog_uuid TEXT,
    code_id TEXT,
    job_id TEXT
, resource_count INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX catalogs_environment ON catalogs (environment_id);
CREATE INDEX catalogs_producer ON catalogs (producer_id);
CREATE TABLE resources (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of all other columns.
    hash BLOB NOT NULL UNIQUE,
    -- SHA-1 of type, title and parameters: PuppetDB's field "resource".
    resource BLOB NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    file TEXT,
    line INTEGER,
    exported INTEGER NOT NULL,
    parameters TEXT NOT NULL
) STRICT;
CREATE INDEX resources_type_title ON resources (type, substr(title, 1, 64));
CREATE INDEX resources_exported ON resources (type) WHERE exported;
CREATE TABLE tag_sets (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    -- A sorted array.
    tags TEXT NOT NULL
) STRICT;
CREATE TABLE tags (
    tag TEXT NOT NULL,
    tag_set_id INTEGER NOT NULL REFERENCES tag_sets (id),
    PRIMARY KEY (tag_set_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_tag ON tags (substr(tag, 1, 64));
CREATE TABLE catalog_resources (
    certname_id INTEGER NOT NULL,
    resource_id INTEGER NOT NULL REFERENCES resources (id),
    tag_set_id INTEGER NOT NULL REFERENCES tag_sets (id),
    PRIMARY KEY (certname_id, resource_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX catalog_resources_tag_set ON catalog_resources (tag_set_id);
CREATE TABLE edges (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    source_type TEXT NOT NULL,
    source_title TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_title TEXT NOT NULL,
    -- contains, required-by, notifies, before or subscription-of.
    relationship TEXT NOT NULL
) STRICT;
CREATE INDEX edges_source ON edges (source_type, substr(source_title, 1, 64));
CREATE INDEX edges_target ON edges (target_type, substr(target_title, 1, 64));
CREATE TABLE catalog_edges (
    certname_id INTEGER NOT NULL,
    edge_id INTEGER NOT NULL REFERENCES edges (id),
    PRIMARY KEY (certname_id, edge_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX catalog_edges_edge ON catalog_edges (edge_id);
CREATE TABLE catalog_inputs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    type TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;
CREATE INDEX catalog_inputs_name ON catalog_inputs (substr(name, 1, 64));
CREATE TABLE certname_catalog_inputs (
    certname_id INTEGER NOT NULL,
    catalog_input_id INTEGER NOT NULL REFERENCES catalog_inputs (id),
    -- The place in the command.
    ordinal INTEGER NOT NULL,
    PRIMARY KEY (certname_id, catalog_input_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX certname_catalog_inputs_input ON certname_catalog_inputs (catalog_input_id);
CREATE TABLE reports (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    certname_id INTEGER NOT NULL REFERENCES certnames (id),
    environment_id INTEGER,
    producer_id INTEGER,
    -- agent or plan.
    report_type TEXT NOT NULL,
    status TEXT,
    noop INTEGER,
    noop_pending INTEGER,
    corrective_change INTEGER,
    puppet_version TEXT NOT NULL,
    report_format INTEGER NOT NULL,
    configuration_version TEXT NOT NULL,
    start_time INTEGER NOT NULL,
    end_time INTEGER NOT NULL,
    producer_timestamp INTEGER NOT NULL,
    receive_time INTEGER NOT NULL,
    transaction_uuid TEXT,
    catalog_uuid TEXT,
    code_id TEXT,
    job_id TEXT,
    cached_catalog_status TEXT,
    -- [{"category", "name", "value"}]
    metrics_zstd BLOB NOT NULL,
    -- [{"file", "line", "level", "message", "source", "tags", "time"}]
    logs_zstd BLOB NOT NULL,
    -- The resources of the report as they were sent, unchanged ones too if the agent sends them.
    resources_zstd BLOB NOT NULL
, durations_zstd BLOB) STRICT;
CREATE INDEX reports_certname ON reports (certname_id, producer_timestamp);
CREATE INDEX reports_end_time ON reports (end_time);
CREATE TABLE events (
    report_id INTEGER NOT NULL REFERENCES reports (id),
    -- The place in the report.
    ordinal INTEGER NOT NULL,
    certname_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    corrective_change INTEGER,
    timestamp INTEGER NOT NULL,
    resource_type TEXT NOT NULL,
    resource_title TEXT NOT NULL,
    property TEXT,
    name TEXT,
    new_value TEXT,
    old_value TEXT,
    message TEXT,
    file TEXT,
    line INTEGER,
    -- An array of strings.
    containment_path TEXT,
    containing_class TEXT,
    PRIMARY KEY (report_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_timestamp ON events (timestamp);
CREATE INDEX events_resource ON events (resource_type, substr(resource_title, 1, 64), timestamp);
CREATE INDEX events_certname ON events (certname_id, timestamp);
CREATE TABLE contents (
    -- SHA-256 of the content; HMAC-SHA-256 under the key of the store if it is secret.
    digest BLOB PRIMARY KEY,
    -- The size before compression in bytes.
    size INTEGER NOT NULL,
    is_secret INTEGER NOT NULL,
    -- Compressed; sealed after that if it is secret.
    data BLOB NOT NULL,
    stored INTEGER NOT NULL
) STRICT;
CREATE TABLE compile_answers (
    id INTEGER PRIMARY KEY,
    certname_id INTEGER NOT NULL REFERENCES certnames (id),
    environment TEXT NOT NULL,
    -- What distinguishes requests of one node in one environment, such as the form of the catalog.
    variant TEXT NOT NULL,
    code_id TEXT,
    compiled INTEGER NOT NULL,
    -- When a compile last gave the same catalog.
    verified INTEGER,
    -- The catalog.
    content_digest BLOB NOT NULL REFERENCES contents (digest),
    -- The record of inputs.
    inputs_digest BLOB NOT NULL REFERENCES contents (digest),
    UNIQUE (certname_id, environment, variant)
) STRICT;
CREATE INDEX compile_answers_content ON compile_answers (content_digest);
CREATE INDEX compile_answers_inputs ON compile_answers (inputs_digest);
CREATE TABLE ca_certificates (
    -- In hexadecimal, without leading zeros.
    serial TEXT NOT NULL,
    -- SHA-256 of the issuer's name in DER.
    issuer BLOB NOT NULL,
    subject TEXT NOT NULL,
    not_before INTEGER NOT NULL,
    not_after INTEGER NOT NULL,
    -- SHA-256 of the certificate.
    fingerprint BLOB NOT NULL,
    pem TEXT NOT NULL,
    issued INTEGER NOT NULL,
    revoked INTEGER,
    revocation_reason INTEGER,
    -- Whether it is the one that the name's owner fetches.
    is_current INTEGER NOT NULL,
    PRIMARY KEY (issuer, serial)
) STRICT;
CREATE UNIQUE INDEX ca_certificates_current ON ca_certificates (issuer, subject) WHERE is_current;
CREATE INDEX ca_certificates_subject ON ca_certificates (subject);
CREATE INDEX ca_certificates_not_after ON ca_certificates (not_after);
CREATE INDEX ca_certificates_revoked ON ca_certificates (issuer, serial) WHERE revoked IS NOT NULL;
CREATE TABLE ca_requests (
    subject TEXT PRIMARY KEY,
    pem TEXT NOT NULL,
    received INTEGER NOT NULL
) STRICT;
CREATE TABLE ca_revocation_lists (
    issuer BLOB PRIMARY KEY,
    number INTEGER NOT NULL,
    pem TEXT NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
CREATE TABLE audit_log (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- An object as text: a hash covers its bytes.
    detail TEXT NOT NULL,
    previous_hash BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    sealed BLOB NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    -- Grows with each holder.
    epoch INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT;
CREATE TABLE sweeps (
    name TEXT PRIMARY KEY,
    position TEXT NOT NULL
) STRICT;
CREATE INDEX reports_environment_end
    ON reports (environment_id, report_type, end_time, certname_id);
CREATE INDEX reports_type_end ON reports (report_type, end_time, certname_id);
CREATE TABLE pins (
    certname TEXT PRIMARY KEY,
    revision TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    -- The user who pinned it.
    actor TEXT NOT NULL
) STRICT;
CREATE TABLE fleet_runs (
    id INTEGER PRIMARY KEY,
    started INTEGER NOT NULL,
    -- The user who started it.
    actor TEXT NOT NULL,
    -- The maximum number of nodes at a time.
    at_once INTEGER NOT NULL,
    -- The share of failed nodes, in percent, at which it stops.
    stop_at INTEGER NOT NULL,
    -- running, stopped or finished.
    state TEXT NOT NULL,
    -- When it stopped or finished.
    ended INTEGER
) STRICT;
CREATE TABLE fleet_run_nodes (
    run_id INTEGER NOT NULL REFERENCES fleet_runs (id),
    -- The place in the order of the run; canaries come first.
    ordinal INTEGER NOT NULL,
    certname TEXT NOT NULL,
    is_canary INTEGER NOT NULL,
    -- waiting, requested (of the servers), delivered (to the agent), or the outcome.
    state TEXT NOT NULL,
    -- When the state changed.
    changed INTEGER NOT NULL,
    PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX fleet_run_nodes_requested ON fleet_run_nodes (changed) WHERE state = 'requested';
CREATE INDEX reports_job ON reports (job_id) WHERE job_id IS NOT NULL;
CREATE TABLE fleet_jobs (
    id INTEGER PRIMARY KEY,
    created INTEGER NOT NULL,
    -- The user who created it.
    actor TEXT NOT NULL,
    -- The code and the options, as JSON.
    specification TEXT NOT NULL,
    -- Data that all batches need, compressed; NULL until all nodes had a first turn.
    shared BLOB,
    -- When the job is over, unless the process that waits for its results moves the time.
    expires INTEGER NOT NULL
) STRICT;
CREATE INDEX fleet_jobs_expiry ON fleet_jobs (expires);
CREATE TABLE fleet_job_batches (
    job_id INTEGER NOT NULL REFERENCES fleet_jobs (id),
    ordinal INTEGER NOT NULL,
    -- From when on a worker may lease the batch; NULL if it has its result.
    due INTEGER,
    -- The number of leases so far. A worker may only store a result with the number of its own.
    epoch INTEGER NOT NULL,
    -- The worker that has, or had, the last lease.
    worker TEXT,
    -- The nodes, compressed; NULL if the batch has its result.
    input BLOB,
    -- The result, compressed.
    result BLOB,
    -- The error of the last attempt that ended with one.
    error TEXT,
    PRIMARY KEY (job_id, ordinal)
) STRICT;
CREATE INDEX fleet_job_batches_due ON fleet_job_batches (job_id, due, ordinal) WHERE due IS NOT NULL;
CREATE TABLE shared_values (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The host that it belongs to, or an empty text.
    host TEXT NOT NULL,
    -- NULL after its removal, until all readers know of that.
    value TEXT,
    -- The revision that its last change made.
    revision INTEGER NOT NULL,
    -- The seconds for which it is kept, and the time when it ends unless its host renews it.
    ttl INTEGER,
    expires INTEGER,
    PRIMARY KEY (space, name, host)
) STRICT;
CREATE INDEX shared_values_by_revision ON shared_values (revision);
CREATE INDEX shared_values_by_expires ON shared_values (expires);
CREATE TABLE shared_revision (
    id INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    forgotten INTEGER NOT NULL
) STRICT;
CREATE INDEX reports_environment_status
    ON reports (environment_id, producer_timestamp, status, report_type);
CREATE INDEX reports_status ON reports (producer_timestamp, status, report_type);
CREATE INDEX catalog_resources_certname ON catalog_resources (resource_id, certname_id);
INSERT INTO catalog_edges VALUES (1, 1);
INSERT INTO catalog_edges VALUES (1, 2);
INSERT INTO catalog_edges VALUES (1, 4);
INSERT INTO catalog_edges VALUES (2, 1);
INSERT INTO catalog_edges VALUES (2, 2);
INSERT INTO catalog_edges VALUES (2, 3);
INSERT INTO catalog_inputs VALUES (1, X'599C2F95DB59AB054C5B2F0DA69975B041AD4883B2D7151D36E69D68AE3A9ECC', 'hiera', 'z');
INSERT INTO catalog_inputs VALUES (2, X'7BAAB2B8A72D3852102C5ECCD7DD8ADEDFB0A46367347A907128C0B1DF7FE5E2', 'hiera', 'a');
INSERT INTO catalog_inputs VALUES (3, X'6FD93CD5AF47683C23B85DE3D6BCF7478CED64717F29B04F7512CEAD5A2EB284', 'hiera', 'b');
INSERT INTO catalog_resources VALUES (1, 2, 5);
INSERT INTO catalog_resources VALUES (1, 3, 3);
INSERT INTO catalog_resources VALUES (1, 5, 6);
INSERT INTO catalog_resources VALUES (1, 6, 1);
INSERT INTO catalog_resources VALUES (2, 1, 2);
INSERT INTO catalog_resources VALUES (2, 2, 4);
INSERT INTO catalog_resources VALUES (2, 3, 3);
INSERT INTO catalog_resources VALUES (2, 4, 1);
INSERT INTO catalog_resources VALUES (3, 3, 3);
INSERT INTO catalogs VALUES (1, 1, 1, 1795662060000000, 1795662000000000, X'5CB599FC7AF5DD4F70328387A8AEF01EF1C9787F', '7', '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', '11111111-2222-3333-4444-555555555555', 'abc', NULL, 4);
INSERT INTO catalogs VALUES (2, 1, 1, 1795654920000000, 1795654800000000, X'0F83C4EA48F601BEDA0266DF5EE0EF7C814BB16A', '7', '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', '11111111-2222-3333-4444-555555555555', 'abc', NULL, 4);
INSERT INTO catalogs VALUES (3, 1, NULL, 1795662180000000, 1795654800000000, X'998DA23999C1336F9B58D5BF28338ED20141482E', '7', '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, 1);
INSERT INTO certname_catalog_inputs VALUES (1, 2, 0);
INSERT INTO certname_catalog_inputs VALUES (1, 3, 1);
INSERT INTO certname_packages VALUES (1, 3);
INSERT INTO certnames VALUES (1, 'a.example.com', 1795654860000000, NULL, NULL, 1, NULL, 1795658400000000, '11111111-2222-3333-4444-555555555555', X'0FFAF75718DE00B56A180A66757412ACBAA68D22', X'131F1E78034E5C6ED898F9E76CFA69D5D901B41E894DF5C278E4FCEF8FA19D72', 3, X'1A98FD65D25E53648D07FE7BA62A231648CA1D9D', 2, 1795662060000000, 1795662300000000, 'failed', 1, 1, 1, '9', 'not_used');
INSERT INTO certnames VALUES (2, 'b.example.com', 1795662180000000, NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 5, X'871B2D199D1B08B5F4DCAFA3C7DDF0995CB21220', 1, 1795665660000000, 1795665900000000, NULL, NULL, NULL, NULL, NULL, 'not_used');
INSERT INTO certnames VALUES (3, 'c.example.com', 1795665840000000, NULL, NULL, 0, 1795658400000000, NULL, NULL, NULL, NULL, 6, X'8F532BFDE5633F31D06A7378E14219FFB5EFD771', 1, 1795669260000000, 1795669500000000, 'changed', 0, NULL, NULL, NULL, NULL);
INSERT INTO certnames VALUES (4, 'd.example.com', 1795669560000000, NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 7, X'ABDC09B61AF1CD896F7BF3B608C241AC7AD7F504', 1, 1795669260000000, 1795669500000000, 'changed', 0, NULL, NULL, NULL, 'not_used');
INSERT INTO certnames VALUES (5, 'new.example.com', 1795654800000000, 1795654800000000, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO certnames VALUES (6, 'a�b', 1795654800000000, 1795654800000000, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO edges VALUES (1, X'4B4ACE1338C40A93A348926823FFBF6F8260FAF8DF7412706B887C808707CACE', 'Class', 'main', 'File', '/etc/a', 'contains');
INSERT INTO edges VALUES (2, X'5C6230AED79B4C4A902E2B0705C3AD55C2FA68015A6E0844C28970274FF6337C', 'Class', 'main', 'Notify', 'n é😀', 'contains');
INSERT INTO edges VALUES (3, X'91E70E6BF557A8CD0B0CDB91E9CC1BC697CD30CF6C4271E559D991338BCA8A87', 'File', '/etc/a', 'Notify', 'n é😀', 'before');
INSERT INTO edges VALUES (4, X'4EF47E8DEE0A72E088FE75D71FB3262FCFB9C55DC45D703B6D32F876561B0DE3', 'User', 'u', 'File', '/etc/a', 'required-by');
INSERT INTO environments VALUES (1, 'production', NULL);
INSERT INTO environments VALUES (2, 'testing', NULL);
INSERT INTO events VALUES (1, 0, 1, 'success', 0, 1795654800000000, 'File', '/etc/a', 'ensure', 'changed', '"file"', '"absent"', 'created', '/site.pp', 3, '["Stage[main]","Web::Config","File[/etc/a]"]', 'Web::Config');
INSERT INTO events VALUES (1, 1, 1, 'failure', 0, 1795654800000000, 'File', '/etc/a', NULL, NULL, '["a",1]', NULL, 'no�pe', '/site.pp', 3, '["Stage[main]","Web::Config","File[/etc/a]"]', 'Web::Config');
INSERT INTO events VALUES (1, 2, 1, 'skipped', 0, 1795654800000000, 'Notify', 'n', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', NULL);
INSERT INTO events VALUES (6, 0, 3, 'success', NULL, 1795654800000000, 'File', '/a', 'ensure', NULL, '"file"', '"absent"', 'created', NULL, NULL, '["Stage[main]"]', NULL);
INSERT INTO events VALUES (6, 1, 3, 'failure', NULL, 1795654800000000, 'File', '/a', 'mode', NULL, '"file"', '"absent"', 'created', NULL, NULL, '["Stage[main]"]', NULL);
INSERT INTO events VALUES (6, 2, 3, 'skipped', 0, 1795654800000000, 'File', '/b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["Stage[main]"]', NULL);
INSERT INTO events VALUES (7, 0, 4, 'success', NULL, 1795654800000000, 'File', '/x', 'ensure', NULL, '"file"', '"absent"', 'created', '/site.pp', 3, '["Stage[main]","Web::Config","File[/x]"]', 'Web::Config');
INSERT INTO fact_paths VALUES (1, X'2673F75F5A13CB3946EB2676C7819DBDFA53E4F595D75580CA39EADFFEA4313F', 'uptime', '["uptime"]', 'uptime', 0, 'integer');
INSERT INTO fact_paths VALUES (10, X'A55222631D93D90CDB3CF6F4EED968D4933D5D80D540FF88356F90918EAEF920', 'virtual', '["virtual"]', 'virtual', 0, 'boolean');
INSERT INTO fact_paths VALUES (11, X'B7C477CB86671BAA5C3D3795333542A92C5CA97752AA589B3CB3D41D81952234', 'list#~1', '["list",1]', 'list', 1, 'string');
INSERT INTO fact_paths VALUES (12, X'BD12848F096867FF40079A179440BF939F143E3EA6F0E45B02A14CB5DBD8CC6F', 'list#~0', '["list",0]', 'list', 1, 'integer');
INSERT INTO fact_paths VALUES (13, X'E932F475B5F536DACFCD787288D2633F296D3BF038DB5F87452101B8933F1A96', 'list#~2#~b', '["list",2,"b"]', 'list', 2, 'boolean');
INSERT INTO fact_paths VALUES (14, X'E9425FA972DAB469244326BE2174950F91FA1C7BB9D1E4F81725C5826FDD7E99', 'uptime', '["uptime"]', 'uptime', 0, 'string');
INSERT INTO fact_paths VALUES (15, X'F7C04DCCECDBD8B0BC95B22D26E67A06397D1CC59BE8BA88A735242E6B788DFD', 'nul', '["nul"]', 'nul', 0, 'string');
INSERT INTO fact_paths VALUES (2, X'339267311D668ED6DA36DB2024014E837D1A84A367D71C3FACE89CF6B5370FD7', 'os#~family', '["os","family"]', 'os', 1, 'string');
INSERT INTO fact_paths VALUES (3, X'475F96AF83C59A88BE277E8AE24CB2D731749F04BFF46260BBEE0FA0EE3F2900', 'os#~release#~full', '["os","release","full"]', 'os', 2, 'string');
INSERT INTO fact_paths VALUES (4, X'5472F853EA2780ED402ED1474276453A0CAE6DE9493253EDC78F3DFAD61CD62A', '"10"', '["10"]', '10', 0, 'string');
INSERT INTO fact_paths VALUES (5, X'5B4BE918700EF32394A950DD219A7F570AA2434BEB2E5C6A4D9B5786C64E5DCB', 'a\#\~b#~"7"', '["a#~b","7"]', 'a#~b', 1, 'string');
INSERT INTO fact_paths VALUES (6, X'6827E93405F720949B831B27635A85EBEE2F225285E78CC8DA0A23109043359F', 'big', '["big"]', 'big', 0, 'integer');
INSERT INTO fact_paths VALUES (7, X'6EA0FF3FEB1FD58798E388038BF69C7F8DB19AC76A72B06BA26F7607C22D7926', 'load', '["load"]', 'load', 0, 'float');
INSERT INTO fact_paths VALUES (8, X'6ED461F973471B65E3D8A9869EF40A9CD281DFDC9073ACFC272D7CCB024D4EB1', 'kernel', '["kernel"]', 'kernel', 0, 'string');
INSERT INTO fact_paths VALUES (9, X'75386315A0C82225D9F2C0153408C1D0F92991F31B6DBA39FB9500938C3296A8', 'nothing', '["nothing"]', 'nothing', 0, 'null');
INSERT INTO facts VALUES (1, 10, NULL, NULL, NULL, 1);
INSERT INTO facts VALUES (1, 11, 'a', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 12, NULL, 1, NULL, NULL);
INSERT INTO facts VALUES (1, 14, 'long', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 15, 'a�b', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 2, 'Debian', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 3, '12.2', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 4, 'digits', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 5, 'x', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 6, NULL, NULL, 1.8446744073709552e+19, NULL);
INSERT INTO facts VALUES (1, 7, NULL, NULL, 0.25, NULL);
INSERT INTO facts VALUES (1, 8, 'Linux', NULL, NULL, NULL);
INSERT INTO facts VALUES (1, 9, NULL, NULL, NULL, NULL);
INSERT INTO facts VALUES (2, 8, 'Linux', NULL, NULL, NULL);
INSERT INTO facts VALUES (3, 8, 'Linux', NULL, NULL, NULL);
INSERT INTO factsets VALUES (1, 1, 1, 1795662060000000, 1795662000000000, X'E8D89E3EF88E2AF21E38D5B28B45D829769DD8F0', '{"kernel":"Linux","uptime":"long","load":0.25,"big":18446744073709551615,"virtual":true,"nothing":null,"empty":{},"list":[1,"a"],"os":{"family":"Debian","release":{"full":"12.2"}},"10":"digits","a#~b":{"7":"x"},"nul":"a�b"}');
INSERT INTO factsets VALUES (2, 1, 2, 1795665780000000, 1795665600000000, X'D3845D1279DEAF5354C2B780D4A7727A34DCCBDA', '{"kernel":"Linux"}');
INSERT INTO factsets VALUES (3, NULL, NULL, 1795665840000000, 1795651200000000, X'01148C009838F86EFE902473F8529E1B7360A84A', '{"kernel":"Linux"}');
INSERT INTO packages VALUES (1, 'bash', '5.2', 'apt');
INSERT INTO packages VALUES (2, 'zsh', '5.9', 'apt');
INSERT INTO packages VALUES (3, 'bash', '5.3', 'apt');
INSERT INTO producers VALUES (1, 'server.example.com');
INSERT INTO producers VALUES (2, 'other.example.com');
INSERT INTO reports VALUES (1, X'6C4A7467647E20CA990D9FFB2E365098CBFCA464', 1, 1, 1, 'agent', 'changed', 0, 0, 0, '7.23.0', 12, '77', 1795658400000000, 1795658460000000, 1795658700000000, 1795658760000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, NULL, 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F75030072861720B0271D0C03CC9224B091B07BDB41C83E6C43C466244474299F0999ACA94FA62A0AC283FF803FFFC40B10348EC340F09810F329497A350BF399E9F3B400A1D09CE57342B1484E6BB3ACA5C9678751C8E955832AB4BEDDA6D2BA88F1210904004385A2AA599C199E6F250C', X'28B52FFD60A503750B0066533D2D90A54907FFFF33FAEEEE4ED68A45D488B4C3269244B6CD12495B229B6E6235B6B2FE045BE66F69DB169BDC4F09320030002E00FA9CC1D5153E5AD1161F87351E7D21A5744849A5A49294A0481892C4A048A4C4D56193CDDAB83E527EC9A82F0AA103C087ACCC3A044A2D54E1E86C5D364B19D9085FEA8D4EA8F46AB32E7B9D7634A0AEEBDED1213C683B465C31474F446B45BC76014A00DDF8F0EAD51F1D153A111E7D6972CFACAD3D7C757E3A9B0F59EADCAB0E55C666A329EA70DD344676B6D0192E2CC216371550B00FC6B573F0C466912B1C40A080B32C41CFAFF79E7D2E1914F9A29D1ADB93599BF72A2F7279CED1F3D2112C2030826494550F79B340CB5EDB1AE23B043F1FFAE57AA169C093A0A70CABF5C03F27C47EC04F0CA50708B4B807479717E48CC13E700601972101240CA4E1181A0C0C07C0A61C79034AC2C84F37F91F4BBF92195BEAEE0B6DE3F8B3EC19D0331870031D28AB0E0E8ECB48F1C61922EBCBD6387A1433', NULL);
INSERT INTO reports VALUES (2, X'11C26AF9FE6C44890766F52B394F6699FEFE6C3F', 1, 1, 1, 'agent', 'unchanged', 0, 0, 0, '7.23.0', 12, '77', 1795654800000000, 1795654860000000, 1795655100000000, 1795658880000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, NULL, 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F75030072861720B0271D0C03CC9224B091B07BDB41C83E6C43C466244474299F893D47AB3659A908C283FF803FFF441718E920748CF4B494332247BA2D8933DA69D3BC00A1F098667442B1584EEB92B4A6CB684661CAE9558332B5C6DDC7D2BA4AF1E10804004385A2AA599C199E6F250C', X'28B52FFD20021100005B5D', NULL);
INSERT INTO reports VALUES (3, X'1A98FD65D25E53648D07FE7BA62A231648CA1D9D', 1, 2, 1, 'agent', 'failed', 1, 1, 1, '7.23.0', 12, '77', 1795662000000000, 1795662060000000, 1795662300000000, 1795662360000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, '9', 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F7D030072C61721B0271D0C03CC9224B091B07BDB41C83E6C43C466244474299FCCEEC448B5C94A050AC283FFC69F7F022E40123A0E84A4A7A59C5149D2AD599CD14E9FE7050885E734A3138AC5725A9BA5355D463B0C534EAF1A94A935EE3E96D6558C0F4904004385A2AA599C199E6F250C', X'28B52FFD20021100005B5D', NULL);
INSERT INTO reports VALUES (4, X'1CB58FD4E38408000BE147111BA0511A30B049FA', 1, 1, 1, 'plan', 'changed', 0, 0, 0, '7.23.0', 12, '77', 1795665600000000, 1795665660000000, 1795665900000000, 1795665960000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, NULL, 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F7D030072C61721B0271D0C03CC9224B091B07BDB41C83E6C43C466244474294F9BD889916A93950A0AC283FFC69F7F022E40123A0E84A4A7A59C5149D2AD599CD14E9FE7050885E734A3138AC5725A9BA5355D463B0C534EAF1A94A935EE3E96D6558C0F4904004385A2AA599C199E6F250C', X'28B52FFD20021100005B5D', NULL);
INSERT INTO reports VALUES (5, X'871B2D199D1B08B5F4DCAFA3C7DDF0995CB21220', 2, 1, 1, 'agent', NULL, NULL, NULL, NULL, '7.23.0', 12, '77', 1795665600123456, 1795665660000000, 1795665900000000, 1795665960000000, NULL, NULL, NULL, NULL, 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F7D030072C61721B0271D0C03CC9224B091B07BDB41C83E6C43C466244474294F9BD889916A93950A0AC283FFC69F7F022E40123A0E84A4A7A59C5149D2AD599CD14E9FE7050885E734A3138AC5725A9BA5355D463B0C534EAF1A94A935EE3E96D6558C0F4904004385A2AA599C199E6F250C', X'28B52FFD20021100005B5D', NULL);
INSERT INTO reports VALUES (6, X'8F532BFDE5633F31D06A7378E14219FFB5EFD771', 3, 1, NULL, 'agent', 'changed', 0, NULL, NULL, '7.23.0', 12, '77', 1795669200000000, 1795669260000000, 1795669500000000, 1795669560000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, NULL, X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F7D030072C61721B0271D0C03CC9224B091B07BDB41C83E6C43C46624447429EF0CEFC448B5C94A050AC283FFC69F7F022E40123A0E84A4A7A59C5149D2AD599CD14E9FE7050885E734A3138AC5725A9BA5355D463B0C534EAF1A94A935EE3E96D6558C0F4904004385A2AA599C199E6F250C', X'28B52FFD607702B50700F24E2C206067AB03086BB609BA55568F02BD3C29EFF747528AA6ABD68C14B3C12008EC0249847D4816D7D84AE61C6C2694A2CD6AA5102EDAA950219259DBCF7B950FB930C744968D62A00B23AF3E5DD1509F83EFCCAA54E4A773EC6CFE0249E75E6DF447992593BEE87BAB807F9227BBB2218AC81638929EE87C4AAFB65DD9EBD4CF13E0BD029EAE4FD18A2A181D2BFC390142A8805042281968C070100C836038D0F1F4D7B259DBEA5DEC87B1B8E9CA16F3051218006C2B0407A0304364E0810007105D81206904EDBE6532D30C11B43108CA0C89560441E32FCD19C0569BC5C1089C0557B2602B28033306AB75D8A2842DF4A28401', NULL);
INSERT INTO reports VALUES (7, X'ABDC09B61AF1CD896F7BF3B608C241AC7AD7F504', 4, 1, NULL, 'agent', 'changed', 0, NULL, NULL, '7.23.0', 12, '77', 1795669200000000, 1795669260000000, 1795669500000000, 1795669560000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, NULL, 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F7D030072C61721B0271D0C03CC9224B091B07BDB41C83E6C43C46624447429EF0CEFC448B5C94A050AC283FFC69F7F022E40123A0E84A4A7A59C5149D2AD599CD14E9FE7050885E734A3138AC5725A9BA5355D463B0C534EAF1A94A935EE3E96D6558C0F4904004385A2AA599C199E6F250C', X'28B52FFD6087008D07007690322150A7360760887F137BDBDBE70C529E9466CE1EF2AB0010D72086C293173333B3062B002700280057EF71F4CFC8062925434A9812221281225140200A8A444A18ED9A5C7DB3D6E8CAB28166DCB975A09E2801B90356D08F4DC76C7BD3566E73941100FA6D31233B67F82E3D181B468E1CD8AEB32560F49D6499EFCE79CEAA57EA51A3F5D95CF54441EBB6436EB478891C1464C76A34270071F102232F6D65A3DC114B02634F6BF950CC216BD5DF33E39B7FCA91AA6F8CBCEDBA4806738C1E961006E1ED3DDA6EB464030D003EA308BA9F6A9603ABDAE8FFBE2DCE964BDABA8869F0C51ADA00B570E7EA1C3D6614', NULL);
INSERT INTO reports VALUES (8, X'361FFA94CFF43C46C0F5CE27D95C31E2196C22AA', 2, 1, 1, 'agent', 'changed', 0, 0, 0, '7.23.0', 12, '77', 1795665600000000, 1795665660000000, 1795665900000000, 1795665600000000, '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5', NULL, NULL, NULL, 'not_used', X'28B52FFD205F15020084035B7B2263617465676F7279223A2274696D65222C226E616D65223A22746F74616C222C2276616C7565223A312E357D2C6576656E74737D5D020054D905E4A1A0', X'28B52FFD207F7D030072C61721B0271D0C03CC9224B091B07BDB41C83E6C43C466244474294F9BD889916A93950A0AC283FFC69F7F022E40123A0E84A4A7A59C5149D2AD599CD14E9FE7050885E734A3138AC5725A9BA5355D463B0C534EAF1A94A935EE3E96D6558C0F4904004385A2AA599C199E6F250C', X'28B52FFD20021100005B5D', NULL);
INSERT INTO resources VALUES (1, X'317F9288127E7A496338B8F66B51D1C93159F094869996FE7292EB52A8351385', X'FB28948044355F181ED090F3EA7B1034B3507715', 'Host', 'web', NULL, NULL, 1, '{"ip":"192.0.2.1"}');
INSERT INTO resources VALUES (2, X'44282FFD9C6DEA7B3D35E11F602F3F93B4B39C81F4A51DC74055F89B2B46CEF0', X'A2D54C1DA94E6AC0AB36C284B33DD3EA254B4A07', 'Notify', 'n é😀', '/site.pp', 4, 0, '{"message":"hello"}');
INSERT INTO resources VALUES (3, X'8951AB51A53D93B1F8423D05E3D1454262C4EF6F44EF387BFA6255F834D95389', X'02EEDF3D0C02CBA430C3E9B147A69D9FA5D15C60', 'Class', 'main', NULL, NULL, 0, '{"alias":["main"],"name":"main"}');
INSERT INTO resources VALUES (4, X'AA496DC927E2BDAE444E9E2E873F258BFCA92EA2305CF7D203BBA244FCC69EEE', X'E7866C54948143EF840E922FBC2EDF4F59B98C3E', 'File', '/etc/a', '/site.pp', 3, 0, '{"a/b":1,"content":"x","ensure":"file","nested":{"/k":"�","z":[1.5,null]}}');
INSERT INTO resources VALUES (5, X'78FB65CD52356370ECA5F3A0B7D092C19FADEB6C10A0147DC6981A639F3B5E1F', X'1B5CE5CA2005D97ED117E33A58EF948E2E58DD2D', 'User', 'u', NULL, NULL, 0, '{}');
INSERT INTO resources VALUES (6, X'CFE3574E0CC3E0E017A5E464606FB888143A4861948BC22494D825E7FF5F2410', X'2BBF756FE112A2FA98F79942E9B0327919937CF7', 'File', '/etc/a', '/site.pp', 3, 0, '{"a/b":1,"content":"y","ensure":"file","nested":{"/k":"�","z":[1.5,null]}}');
INSERT INTO schema_version VALUES (1);
INSERT INTO schema_version VALUES (2);
INSERT INTO schema_version VALUES (3);
INSERT INTO schema_version VALUES (4);
INSERT INTO schema_version VALUES (5);
INSERT INTO schema_version VALUES (6);
INSERT INTO schema_version VALUES (7);
INSERT INTO schema_version VALUES (8);
INSERT INTO schema_version VALUES (9);
INSERT INTO shared_revision VALUES (1, 0, 0);
INSERT INTO tag_sets VALUES (1, X'51A8C36E8275278752446E4D49A633001550A437C2708771DFAEA49E7C52A7DB', '["class","file"]');
INSERT INTO tag_sets VALUES (2, X'686DE0F93CFA374C1C0D2602E0BCEFB377E56973C813503C9672F527ED3C320A', '["class","host"]');
INSERT INTO tag_sets VALUES (3, X'C2C9D9173F7B87D2E81CC18F935528E089D01C9D0AC9FCED927A7F875029E627', '["class"]');
INSERT INTO tag_sets VALUES (4, X'D68BBFCE2D87CD7A4461BB3466B42B8A76BC612AD4E9A05E73573A80C2C62A78', '["class","n","notify"]');
INSERT INTO tag_sets VALUES (5, X'5AAB9D704903477ABD3DA3D2F52298579639F25DBAEC57D2D046F0BFE10FD971', '["class","extra","n","notify"]');
INSERT INTO tag_sets VALUES (6, X'CEC35D191F4A2CA2E8D72E0D763C69A3AB0876B05292F7ACCCA6D7511AB9BAF0', '["user"]');
INSERT INTO tags VALUES ('class', 1);
INSERT INTO tags VALUES ('class', 2);
INSERT INTO tags VALUES ('class', 3);
INSERT INTO tags VALUES ('class', 4);
INSERT INTO tags VALUES ('class', 5);
INSERT INTO tags VALUES ('extra', 5);
INSERT INTO tags VALUES ('file', 1);
INSERT INTO tags VALUES ('host', 2);
INSERT INTO tags VALUES ('n', 4);
INSERT INTO tags VALUES ('n', 5);
INSERT INTO tags VALUES ('notify', 4);
INSERT INTO tags VALUES ('notify', 5);
INSERT INTO tags VALUES ('user', 6);
