#!/usr/bin/env python3
"""Measures the queue of `ordain fleet diff --queue` in PostgreSQL, with 100,000 simulated nodes.

usage: bench/fleet_queue.py [ORDAIN] [--nodes N] [--workers N] [--no-compile]

The nodes have three facts and one resource, so that compiles cost little. With --no-compile the code has a syntax error,
which each node gets without a compile, so that only the queue is measured. Figures:
  add       the time until all batches are in the queue
  compare   the time of the whole comparison, CPU and largest memory of the waiting process, CPU of the workers
  batches   leases and results a second by pgbench, which sends the queue's own statements with as many clients as
            there are workers, from a queue of one batch a node

Needs PostgreSQL's programs, git, and root or an ordinary user.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import threading
import time

from postgresql import Database

SITE = "file { '/etc/motd': content => \"%s of ${facts['role']}\\n\" }\n"

NODES = """
insert into certnames (certname, created)
  select 'node' || lpad(n::text, 6, '0') || '.example.org', 0 from generate_series(1, {nodes}) n;
insert into factsets (certname_id, timestamp, producer_timestamp, hash, facts)
  select id, 0, 0, '', jsonb_build_object('role', 'role' || id % 20, 'number', id, 'name', certname) from certnames;
analyze;
"""

QUEUE = """
insert into fleet_jobs (id, created, actor, specification, expires) values (1000000, 0, 'bench', '{{}}', 0);
insert into fleet_job_batches (job_id, ordinal, due, epoch, input)
  select 1000000, n, 0, 0, decode(repeat('ab', 2000), 'hex') from generate_series(1, {nodes}) n;
analyze fleet_job_batches;
"""

# The statements of crates/fleet-store/src/fleet_jobs/batch.rs, each step in its own transaction.
LEASE = """
begin;
select ordinal, epoch, input from fleet_job_batches
  where job_id = 1000000 and due <= 1 and epoch < 3 order by due, ordinal limit 1 for update skip locked \\gset
update fleet_job_batches set due = 1000, epoch = :epoch + 1, worker = 'bench' where job_id = 1000000 and ordinal = :ordinal;
commit;
begin;
update fleet_job_batches set result = decode(repeat('cd', 500), 'hex'), due = null, input = null
  where job_id = 1000000 and ordinal = :ordinal and epoch = :epoch + 1 and due > 1;
commit;
"""


def wait(process):
    """The CPU seconds, the largest memory in MB and the exit code of a process."""
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, os.waitstatus_to_exitcode(status)


def repository(path, site):
    git = ["git", "-C", str(path), "-c", "user.name=b", "-c", "user.email=b@example.org"]
    (path / "manifests").mkdir(parents=True)
    subprocess.run([*git, "init", "-q"], check=True)
    for word in ("before", "after"):
        (path / "manifests/site.pp").write_text(site % word)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", word], check=True)
        subprocess.run([*git, "tag", word], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ordain", nargs="?", default="target/release/ordain")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    ordain = str(pathlib.Path(options.ordain).resolve())
    with tempfile.TemporaryDirectory(prefix="ordain-queue-") as base:
        base = pathlib.Path(base)
        repository(base / "control", "}  # %s\n" if options.no_compile else SITE)
        with Database(base) as database:
            # The first command makes the tables.
            subprocess.run([ordain, "fleet", "nodes", "--database", database.address], check=True, stdout=subprocess.DEVNULL)
            database.query(NODES.format(nodes=options.nodes))
            compare(ordain, options, base, database)
            database.query(QUEUE.format(nodes=options.nodes))
            rate = database.pgbench(LEASE, options.workers, options.nodes)
            print(f"batches  {rate:.0f} leases and results a second, from a queue of {options.nodes}")


def compare(ordain, options, base, database):
    common = ["--path", str(base / "control")]
    worker = [ordain, "worker", *common, "--database", database.address, "--jobs", "1", "--idle", "10"]
    workers = [subprocess.Popen(worker, stderr=subprocess.DEVNULL) for _ in range(options.workers)]
    start = time.monotonic()
    diff = [ordain, "fleet", "diff", "before..after", *common, "--queue", database.address]
    process = subprocess.Popen(diff, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    batches = -(-options.nodes // 128)
    added = threading.Event()

    def watch():
        while not added.wait(0.05):
            if int(database.query("select count(*) from fleet_job_batches") or 0) >= batches:
                print(f"add      {time.monotonic() - start:.1f} s, {batches} batches", flush=True)
                return

    watching = threading.Thread(target=watch)
    watching.start()
    first = process.stdout.readline().strip()
    process.stdout.read()
    cpu, memory, code = wait(process)
    elapsed = time.monotonic() - start
    added.set()
    watching.join()
    cpu_of_workers = sum(wait(worker)[0] for worker in workers)
    print(f"compare  {elapsed:.1f} s, {cpu:.1f} s CPU, {memory} MB, workers {cpu_of_workers:.1f} s CPU, exit {code}: {first}")


main()
