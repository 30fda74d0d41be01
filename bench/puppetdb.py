#!/usr/bin/env python3
"""Measures the queries of Puppetboard in PostgreSQL, with 100,000 nodes.

usage: bench/puppetdb.py [--nodes N] [--filled N] [--directory DIR] [--keep]

The example `fleet` of the crate `ordain-puppetdb` fills the store with commands of 2,000 nodes (--filled), of which
SQL makes copies with other names; so facts and events keep their shares, and the tables have their whole size. 100,000
nodes take about 20 GB in DIR. With --keep the database stays there, and the next call only measures.

Needs PostgreSQL's programs and `cargo build --release -p ordain-puppetdb --example fleet`.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

from postgresql import Database

FLEET = pathlib.Path(__file__).resolve().parent.parent / "target/release/examples/fleet"

# Copies have the ids of their originals plus a multiple of STRIDE.
STRIDE = 10_000_000
COPIES = {
    "certnames": """insert into certnames (id, certname, created, latest_report_id, latest_report_hash,
            latest_report_environment_id, latest_report_timestamp, latest_report_producer_timestamp,
            latest_report_status, latest_report_noop, latest_report_noop_pending, latest_report_corrective_change,
            cached_catalog_status, facts_environment_id, facts_timestamp, catalog_environment_id)
        select id + :s * k, 'node' || lpad((substr(certname, 5, 6)::bigint + :filled * k)::text, 6, '0') ||
            '.example.org', created, latest_report_id + :s * k, latest_report_hash, latest_report_environment_id,
            latest_report_timestamp, latest_report_producer_timestamp, latest_report_status, latest_report_noop,
            latest_report_noop_pending, latest_report_corrective_change, cached_catalog_status,
            facts_environment_id, facts_timestamp, catalog_environment_id
        from certnames, generate_series(1, :copies) k where id < :s""",
    "factsets": """insert into factsets select certname_id + :s * k, environment_id, producer_id, timestamp,
            producer_timestamp, hash, facts from factsets, generate_series(1, :copies) k where certname_id < :s""",
    "facts": """insert into facts select certname_id + :s * k, path_id, value_string, value_integer, value_float,
            value_boolean from generate_series(1, :copies) k, facts where certname_id < :s""",
    "catalogs": """insert into catalogs select certname_id + :s * k, environment_id, producer_id, timestamp,
            producer_timestamp, hash, catalog_version, transaction_uuid, catalog_uuid, code_id, job_id, resource_count
        from catalogs, generate_series(1, :copies) k where certname_id < :s""",
    "catalog_resources": """insert into catalog_resources select certname_id + :s * k, resource_id, tag_set_id
        from generate_series(1, :copies) k, catalog_resources where certname_id < :s""",
    "reports": """insert into reports select id + :s * k, sha256(hash || int8send(k)), certname_id + :s * k, environment_id, producer_id,
            report_type, status, noop, noop_pending, corrective_change, puppet_version, report_format,
            configuration_version, start_time, end_time, producer_timestamp, receive_time, transaction_uuid, catalog_uuid,
            code_id, job_id, cached_catalog_status, metrics_zstd, logs_zstd, resources_zstd
        from reports, generate_series(1, :copies) k where id < :s""",
    "events": """insert into events select report_id + :s * k, ordinal, certname_id + :s * k, status, corrective_change,
            timestamp, resource_type, resource_title, property, name, new_value, old_value, message, file, line,
            containment_path, containing_class
        from generate_series(1, :copies) k, events where report_id < :s""",
}


def fill(database, filled, copies):
    print(subprocess.check_output([FLEET, database.address, str(filled)], text=True).split("\n\n")[0], flush=True)
    for table, statement in COPIES.items():
        begin = time.monotonic()
        for name, value in {"s": STRIDE, "filled": filled, "copies": copies}.items():
            statement = statement.replace(f":{name}", str(value))
        database.query("set session_replication_role = replica; " + statement)
        print(f"{table}: {time.monotonic() - begin:.0f} s", flush=True)
    database.query("vacuum analyze")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--filled", type=int, default=2_000)
    parser.add_argument("--directory", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ordain-puppetdb-") as temporary:
        base = options.directory if options.keep else pathlib.Path(temporary)
        base.mkdir(exist_ok=True, parents=True)
        with Database(base) as database:
            if database.is_new:
                fill(database, options.filled, options.nodes // options.filled - 1)
            size = database.query("select pg_size_pretty(pg_database_size('postgres'))")
            print(f"size: {size}", flush=True)
            print(subprocess.check_output([FLEET, database.address, str(options.nodes)], text=True))


if __name__ == "__main__":
    main()
