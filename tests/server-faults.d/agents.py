"""Simulated agents, and the notes of what servers have acknowledged to them."""

import http.client
import json
import random
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
import uuid

FACTS = {f"fact{number}": {"of": number, "list": [number, str(number)]} for number in range(40)}


class Account:
    """The requests of one kind that a node has sent: the last one that was acknowledged, and the later ones that may be
    stored although no reply arrived."""

    def __init__(self):
        self.acknowledged = None
        self.uncertain = []

    def note(self, number, is_acknowledged):
        if is_acknowledged:
            self.acknowledged, self.uncertain = number, []
        else:
            self.uncertain.append(number)

    def allows(self, stored):
        return stored == self.acknowledged or stored in self.uncertain


class Client:
    """Connections to all servers with one certificate, or with none."""

    def __init__(self, site, name=None):
        self.site, self.connections = site, {}
        ssl_dir = site.base / "ssl"
        self.context = ssl.create_default_context(cafile=ssl_dir / "certs/ca.pem")
        if name:
            self.context.load_cert_chain(ssl_dir / f"certs/{name}.pem", ssl_dir / f"private_keys/{name}.pem")

    def request(self, server, method, path, body=None, kind="application/json", timeout=8):
        """The status and the body, or None and the reason why there is no reply."""
        connection = self.connections.get(server)
        if connection is None:
            connection = http.client.HTTPSConnection(
                "localhost", self.site.ports[server], context=self.context, timeout=timeout)
            self.connections[server] = connection
        try:
            connection.request(method, path, body, {"content-type": kind, "accept": "application/json, text/plain"})
            reply = connection.getresponse()
            return reply.status, reply.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            del self.connections[server]
            return None, repr(error)

    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.connections = {}


def catalog_body(name, run, mode, transaction):
    facts = json.dumps({"name": name, "values": {**FACTS, "run": run, "mode": mode}})
    quoted = urllib.parse.quote(urllib.parse.quote(facts, safe=""), safe="")
    return (f"facts_format=application%2Fjson&facts={quoted}&environment=production&transaction_uuid={transaction}"
            "&checksum_type=sha256")


def report_body(name, transaction):
    metric = {"name": "time", "label": "Time", "values": [["total", "Total", 1.0]]}
    status = {
        "title": "/etc/motd", "file": None, "line": None, "resource": "File[/etc/motd]", "resource_type": "File",
        "provider_used": "posix", "containment_path": ["Stage[main]", "Main", "File[/etc/motd]"], "evaluation_time": 0.01,
        "tags": ["file"], "time": now(), "failed": False, "failed_to_restart": False, "changed": False,
        "out_of_sync": False, "skipped": False, "change_count": 0, "out_of_sync_count": 0, "events": [],
        "corrective_change": False,
    }
    return json.dumps({
        "host": name, "time": now(), "configuration_version": "1", "transaction_uuid": transaction, "report_format": 12,
        "puppet_version": "7.23.0", "status": "unchanged", "transaction_completed": True, "noop": False,
        "noop_pending": False, "environment": "production", "logs": [], "metrics": {"time": metric},
        "resource_statuses": {"File[/etc/motd]": status}, "corrective_change": False,
    })


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000000+00:00", time.gmtime())


class Node:
    """One agent. It tries a request once, and then goes on at this or another server."""

    def __init__(self, fleet, name, seed):
        self.fleet, self.name, self.chance = fleet, name, random.Random(seed)
        self.facts, self.catalogs, self.reports = Account(), Account(), {}
        self.client, self.run = Client(fleet.site, name), 0
        self.server = self.chance.randrange(len(fleet.site.ports))

    def step(self):
        if self.chance.random() < 0.3:
            self.server = self.chance.randrange(len(self.fleet.site.ports))
        what = self.chance.choices((self.catalog, self.report, self.send_facts), (5, 3, 2))[0]
        status = what()
        self.fleet.count(status)
        if status != 200:
            time.sleep(self.chance.uniform(0.05, 0.3))

    def catalog(self):
        self.run += 1
        # Few modes: a catalog is often that of earlier runs, which other servers have stored.
        mode, transaction = self.chance.randrange(3), str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        status, body = self.client.request(
            self.server, "POST", f"/puppet/v3/catalog/{self.name}?environment=production",
            catalog_body(self.name, self.run, mode, transaction), "application/x-www-form-urlencoded")
        self.facts.note(str(self.run), status == 200)
        self.catalogs.note((transaction, f"for {self.name} mode {mode}"), status == 200)
        if status == 200:
            self.look_at(json.loads(body), mode)
        return status

    def look_at(self, catalog, mode):
        found = {one["title"]: one.get("parameters", {}).get("content") for one in catalog["resources"]}
        expected = f"for {self.name} mode {mode}"
        others = [title for title in found if title.startswith("/etc/of-") and f"/etc/of-{self.name}/" not in title]
        if catalog["name"] != self.name or found.get("/etc/motd") != expected or others or len(found) < 20:
            self.fleet.wrong.append(f"{self.name} got a wrong catalog for mode {mode}: {catalog['name']} {found.get('/etc/motd')}")

    def report(self):
        transaction = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        status, _ = self.client.request(
            self.server, "PUT", f"/puppet/v3/report/{self.name}?environment=production", report_body(self.name, transaction))
        self.reports[transaction] = status == 200
        return status

    def send_facts(self):
        self.run += 1
        facts = json.dumps({"name": self.name, "values": {**FACTS, "run": self.run, "mode": 0}})
        status, _ = self.client.request(self.server, "PUT", f"/puppet/v3/facts/{self.name}?environment=production", facts)
        self.facts.note(str(self.run), status == 200)
        return status


class Newcomers:
    """Asks for certificates of new nodes, as agents do: again until there is one."""

    def __init__(self, fleet, seed):
        self.fleet, self.chance, self.number = fleet, random.Random(seed), 0
        # Name, and the key of the certificate that a server has handed out.
        self.signed, self.waiting = {}, None
        self.client = Client(fleet.site)

    def step(self):
        time.sleep(self.chance.uniform(0.05, 0.3))
        server = self.chance.randrange(len(self.fleet.site.ports))
        if self.waiting is None:
            self.number += 1
            name = f"new{self.number}.example.org"
            self.waiting = (name, *self.make_request(name), time.monotonic())
        name, request, key, _ = self.waiting
        status, body = self.client.request(server, "GET", f"/puppet-ca/v1/certificate/{name}", timeout=4)
        if status == 404:
            status, _ = self.client.request(
                server, "PUT", f"/puppet-ca/v1/certificate_request/{name}", request, "text/plain", timeout=4)
        elif status == 200:
            if public_key(body) != key:
                self.fleet.wrong.append(f"{name} got a certificate with another key")
            self.signed[name] = body
            self.waiting = None
        self.fleet.count(status)

    def make_request(self, name):
        key = self.fleet.site.base / "newcomer.pem"
        made = subprocess.run(
            ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
             "-subj", f"/CN={name}"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        public = subprocess.run(["openssl", "req", "-noout", "-pubkey"], input=made.stdout, check=True, stdout=subprocess.PIPE)
        return made.stdout, public.stdout


def public_key(pem):
    done = subprocess.run(["openssl", "x509", "-noout", "-pubkey"], input=pem, stdout=subprocess.PIPE)
    return done.stdout


class Fleet:
    """All agents, each in a thread."""

    def __init__(self, site, count, chance):
        self.site, self.wrong, self.had_full_disk = site, [], False
        self.counts, self.lock = {}, threading.Lock()
        self.running, self.ends, self.paused = threading.Event(), False, threading.Semaphore(0)
        names = [f"node{number}.example.org" for number in range(count)] + ["probe.example.org"]
        for name in names:
            subprocess.run([site.ordain, "ca", "generate", name, "--ssl-dir", site.base / "ssl", "--ca-dir",
                            site.base / "authority/ca"], check=True, stdout=subprocess.DEVNULL)
        self.nodes = [Node(self, name, chance.getrandbits(64)) for name in names[:-1]]
        self.newcomers = Newcomers(self, chance.getrandbits(64))
        self.workers = []

    def start(self):
        self.running.set()
        for server in range(len(self.site.ports)):
            self.site.wait(lambda server=server: self.answers(server), 60, "all servers answer")
        self.workers = [threading.Thread(target=self.work, args=(one,), daemon=True) for one in [*self.nodes, self.newcomers]]
        for worker in self.workers:
            worker.start()

    def work(self, one):
        while not self.ends:
            if not self.running.is_set():
                self.paused.release()
                self.running.wait()
            try:
                one.step()
            except Exception as error:  # noqa: BLE001 - a bug of this program must fail the test.
                self.wrong.append(f"an agent ends: {error!r}")
                return

    def pause(self):
        """Returns when no request is under way."""
        self.running.clear()
        for _ in self.workers:
            if not self.paused.acquire(timeout=60):
                raise SystemExit(f"an agent does not come to rest: {self.wrong}")

    def resume(self):
        self.running.set()

    def stop(self):
        self.ends = True
        self.running.set()
        for worker in self.workers:
            worker.join(30)

    def count(self, status):
        with self.lock:
            self.counts[status] = self.counts.get(status, 0) + 1

    def wait_for_some(self, more):
        """Waits until servers have acknowledged some requests, so that faults do not follow at once."""
        before = self.counts.get(200, 0)
        self.site.wait(lambda: self.counts.get(200, 0) >= before + more, 60, "the agents work")

    def summary(self):
        with self.lock:
            known = {"no reply" if status is None else status: count for status, count in self.counts.items()}
        return f"requests by status {dict(sorted(known.items(), key=str))}"

    def answers(self, server, timeout=1.0):
        """Whether a server stores facts and compiles, on a new connection."""
        client = Client(self.site, "probe.example.org")
        transaction = str(uuid.uuid4())
        status, _ = client.request(
            server, "POST", "/puppet/v3/catalog/probe.example.org?environment=production",
            catalog_body("probe.example.org", 0, 0, transaction), "application/x-www-form-urlencoded", timeout)
        client.close()
        return status == 200


def silent_connections(port, count):
    """Connections that say nothing, from many addresses: a server limits those of one."""
    made = []
    for number in range(count):
        one = socket.socket()
        try:
            one.bind((f"127.0.1.{1 + number % 200}", 0))
            one.settimeout(2)
            one.connect(("127.0.0.1", port))
        except OSError:
            one.close()
            continue
        made.append(one)
    return made
