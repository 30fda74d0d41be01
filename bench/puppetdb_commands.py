#!/usr/bin/env python3
"""Measures how PuppetDB's commands are stored: by Debian's PuppetDB, and by `ordain serve`.

usage: bench/puppetdb_commands.py [--nodes N] [--rounds N] [--heap MB]

Each node sends facts, a catalog of 100 resources and a report of as many, in each round; after the first one, only an uptime
has changed. Four clients wait for each command until it is stored. Both programs use PostgreSQL on the same machine, one after
the other; Ordain's clients use TLS, PuppetDB's do not. A line for each: commands a second, CPU time of the program without the database, and its peak of memory.

Needs root, Debian's packages of PuppetDB and PostgreSQL, and `cargo build --release -p ordain-cli`, or ORDAIN=PROGRAM.
"""

import argparse
import datetime
import gzip
import http.client
import json
import os
import pathlib
import queue
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/beside-puppetdb.d"))

import peer  # noqa: E402

ORDAIN = os.environ.get("ORDAIN", str(HERE.parent / "target/release/ordain"))
CLIENTS = 4
RESOURCES = 100


def moment(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds - 3600)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def common(node, at):
    return {"certname": node, "environment": "production", "producer": "puppet.example.org", "producer_timestamp": moment(at)}


def facts(node, number, turn):
    values = {f"site_fact_{fact}": {"path": f"/srv/{fact}", "ports": [8000 + fact, 9000 + fact], "enabled": fact % 2 == 0}
              for fact in range(60)}
    values |= {"kernel": "Linux", "hostname": node.split(".")[0], "uptime_seconds": 1800 * turn + number,
               "networking": {"ip": f"10.0.{number // 250}.{number % 250}", "fqdn": node, "interfaces": {
                   f"eth{port}": {"mtu": 1500, "mac": f"02:00:00:00:{number % 256:02x}:{port:02x}"} for port in range(4)}}}
    return "replace_facts", 5, common(node, turn) | {"values": values}


def catalog(node, number, turn):
    resources = [{"type": "File", "title": f"/srv/app/{one}", "aliases": [], "exported": False, "file": "/etc/site.pp",
                  "line": one, "tags": ["file", "class", "app"],
                  "parameters": {"ensure": "file", "mode": "0644", "content": f"{one} of {node}\n" * 3}}
                 for one in range(RESOURCES)]
    edges = [{"source": {"type": "File", "title": f"/srv/app/{one}"}, "target": {"type": "File", "title": f"/srv/app/{one + 1}"},
              "relationship": "required-by"} for one in range(RESOURCES - 1)]
    return "replace_catalog", 9, common(node, turn) | {
        "version": str(turn), "transaction_uuid": str(uuid.uuid4()), "catalog_uuid": str(uuid.uuid4()), "code_id": None,
        "job_id": None, "edges": edges, "resources": resources}


def report(node, number, turn):
    resources = [{"skipped": False, "timestamp": moment(turn), "resource_type": "File", "resource_title": f"/srv/app/{one}",
                  "file": "/etc/site.pp", "line": one, "containment_path": ["Stage[main]", "App", f"File[/srv/app/{one}]"],
                  "corrective_change": False, "events": []} for one in range(RESOURCES)]
    return "store_report", 8, common(node, turn) | {
        "puppet_version": "7.23.0", "report_format": 12, "configuration_version": str(turn), "start_time": moment(turn),
        "end_time": moment(turn + 1), "resources": resources, "logs": [],
        "metrics": [{"category": "time", "name": f"kind{one}", "value": one / 7} for one in range(20)],
        "transaction_uuid": str(uuid.uuid4()), "catalog_uuid": str(uuid.uuid4()), "code_id": None, "job_id": None,
        "cached_catalog_status": "not_used", "status": "unchanged", "noop": False, "noop_pending": False,
        "corrective_change": False, "type": "agent"}


def commands(nodes, rounds):
    """Addresses and compressed bodies, in the order in which they are sent."""
    made = []
    for turn in range(rounds):
        for number in range(nodes):
            node = f"node{number:06}.example.org"
            for name, version, payload in (one(node, number, turn) for one in (facts, catalog, report)):
                parameters = {"command": name, "version": version, "certname": node, "secondsToWaitForCompletion": 120,
                              "producer-timestamp": payload["producer_timestamp"]}
                made.append(("/pdb/cmd/v1?" + urllib.parse.urlencode(parameters), gzip.compress(json.dumps(payload).encode(), 5)))
    return made


def send(connect, made):
    """Sends the commands, each after the one before on its connection. The seconds that it took."""
    left, wrong = queue.SimpleQueue(), []
    for one in made:
        left.put(one)

    def client():
        connection = connect()
        while not wrong:
            try:
                address, body = left.get_nowait()
            except queue.Empty:
                return
            connection.request("POST", address, body, {"content-type": "application/json", "content-encoding": "gzip"})
            reply = connection.getresponse()
            text = reply.read().decode()
            if reply.status != 200 or '"error"' in text:
                wrong.append(f"{address}: {reply.status} {text[:500]}")

    begin = time.monotonic()
    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if wrong:
        raise SystemExit(wrong[0])
    return time.monotonic() - begin


def usage(pid):
    """The CPU seconds and the peak of memory in MB of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return cpu, int(status.split("VmHWM:")[1].split()[0]) / 1024


def measure(name, pid, connect, made):
    before, _ = usage(pid)
    seconds = send(connect, made)
    after, memory = usage(pid)
    rate = len(made) / seconds
    print(f"{name}: {len(made)} commands in {seconds:.1f} s, {rate:.0f} a second, {1000 * (after - before) / len(made):.2f} ms of "
          f"CPU each, {memory:.0f} MB, {rate / memory:.3f} a second for each MB", flush=True)
    return rate / memory


def serve(work, postgres):
    """Starts `ordain serve`, which takes commands from certificates of administrators only. The process, and connections."""
    (work / "code/environments/production").mkdir(parents=True)
    port, database, log = peer.free_port(), postgres.create("ordain"), work / "ordain.log"
    server = subprocess.Popen(
        [ORDAIN, "serve", "--code", work / "code", "--state-dir", work / "state", "--names", "localhost", "--database",
         database, "--listen", f"127.0.0.1:{port}"], stdout=open(log, "w"), stderr=subprocess.STDOUT)
    while "Serving" not in log.read_text():
        if server.poll() is not None:
            raise SystemExit(log.read_text())
        time.sleep(0.1)
    ssl_dir = work / "ssl"
    subprocess.run([ORDAIN, "ca", "generate", "terminus.example.org", "--admin", "--ssl-dir", ssl_dir, "--ca-dir",
                    work / "state/ca"], check=True, stdout=subprocess.DEVNULL)
    context = ssl.create_default_context(cafile=ssl_dir / "certs/ca.pem")
    context.load_cert_chain(ssl_dir / "certs/terminus.example.org.pem", ssl_dir / "private_keys/terminus.example.org.pem")
    return server, lambda: http.client.HTTPSConnection("localhost", port, context=context, timeout=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--heap", type=int, default=192, help="PuppetDB's heap in MB; Debian's default is 192")
    options = parser.parse_args()
    if not peer.install():
        raise SystemExit("PuppetDB and PostgreSQL are not installed")
    peer.MEMORY = f"-Xmx{options.heap}m"
    made = commands(options.nodes, options.rounds)
    with tempfile.TemporaryDirectory(prefix="puppetdb-commands-") as work:
        os.chmod(work, 0o755)
        postgres = peer.Postgres(work)
        try:
            puppetdb = peer.PuppetDB(work, postgres)
            try:
                java = int(subprocess.check_output(["pgrep", "-P", str(puppetdb.process.pid), "java"], text=True))
                theirs = measure("PuppetDB", java, lambda: http.client.HTTPConnection("127.0.0.1", puppetdb.port, timeout=150), made)
            finally:
                puppetdb.stop()
            server, connect = serve(pathlib.Path(work), postgres)
            try:
                ours = measure("Ordain", server.pid, connect, made)
            finally:
                server.terminate()
                server.wait()
            print(f"commands a second for each MB: {ours / theirs:.0f} times as many")
        finally:
            postgres.stop()


if __name__ == "__main__":
    main()
