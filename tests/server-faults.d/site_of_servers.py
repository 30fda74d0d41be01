"""Three servers, their database in a network of its own, and their authority."""

import glob
import os
import shutil
import signal
import subprocess
import time

import postgresql

SERVERS = 3
# The most that the databases and the authority may write, with room for all that a long run stores: only a fault fills them.
DISKS = {"database-0": "3g", "database-1": "3g", "authority": "128m"}
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)

SITE = """
$text = "for ${trusted['certname']} mode ${facts['mode']}"
file { '/etc/motd': content => $text }
range(1, 20).each |$i| {
  file { "/etc/of-${trusted['certname']}/${i}": content => "${text} ${i}", require => File['/etc/motd'] }
}
@@host { $trusted['certname']: ip => "10.0.0.${facts['mode']}" }
"""


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


class Site:
    def __init__(self, ordain, base):
        self.ordain, self.base = ordain, base
        self.servers = [None] * SERVERS
        self.ports = [18241 + number for number in range(SERVERS)]
        # The primary, and the place of its replica.
        self.database, self.other_database = (
            postgresql.Database(self, base / f"database-{number}", 5432 + number) for number in range(2))
        self.can_set_clocks = FAKETIME is not None

    def start(self):
        self.base.chmod(0o755)
        for name, size in DISKS.items():
            (self.base / name).mkdir()
            run("mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", name, self.base / name)
        self.make_networks()
        self.database.create()
        self.database.start()
        self.database.query("create database ordain", "postgres")
        manifests = self.base / "code/environments/production/manifests"
        manifests.mkdir(parents=True)
        (manifests / "site.pp").write_text(SITE)
        for number in range(SERVERS):
            state = self.base / f"state-{number}"
            (state / "nodes").mkdir(parents=True)
            if number:
                shutil.copy(self.base / "state-0/nodes/store.key", state / "nodes/store.key")
            self.set_clock(number, 0)
            self.start_server(number)

    def make_networks(self):
        """The database has a network of its own behind a pair of devices; the servers are in that of the test."""
        self.holder = subprocess.Popen(["unshare", "--net", "--", "sleep", "infinity"])
        outside = os.readlink("/proc/self/ns/net")
        self.wait(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != outside, 10, "the network of the database")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "to-db", "type", "veth", "peer", "name", "to-servers", "netns", self.holder.pid)
        run("ip", "address", "add", "10.77.0.1/24", "dev", "to-db")
        run("ip", "link", "set", "to-db", "up")
        self.beside_database("ip", "link", "set", "lo", "up")
        self.beside_database("ip", "address", "add", f"{postgresql.ADDRESS}/24", "dev", "to-servers")
        self.beside_database("ip", "link", "set", "to-servers", "up")
        for inside in ([], ["nsenter", "--net", "--target", self.holder.pid]):
            run(*inside, "nft", "add table inet cut")
            run(*inside, "nft", "add chain inet cut input { type filter hook input priority 0; }")

    def beside_database(self, *words, **more):
        return run("nsenter", "--net", "--target", self.holder.pid, *words, **more)

    def query(self, sql):
        """The rows of a query, as texts."""
        return self.database.query(sql, "ordain")

    def attach_replica(self):
        """Starts a replica for which each commit waits."""
        self.other_database.start_as_replica_of(self.database)
        self.database.set_synchronous(True)
        self.wait(self.database.has_synchronous_replica, 30, "the replica has all data")

    def detach_replica(self):
        self.database.set_synchronous(False)
        self.other_database.remove()

    def promote_replica(self):
        """Makes the replica the primary. The old one is gone."""
        self.database.remove()
        self.database, self.other_database = self.other_database, self.database
        self.database.promote()

    def set_clock(self, number, seconds):
        (self.base / f"clock-{number}").write_text(f"{seconds:+d}s\n")

    def start_server(self, number):
        environment = dict(os.environ)
        if self.can_set_clocks:
            environment.update({
                "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.base / f"clock-{number}"),
                "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1",
            })
        log = open(self.base / f"server-{number}.log", "a")
        self.servers[number] = subprocess.Popen(
            [self.ordain, "serve", "--code", self.base / "code", "--state-dir", self.base / f"state-{number}",
             "--ca-dir", self.base / "authority/ca", "--names", f"server{number}.example.org,localhost",
             "--listen", f"0.0.0.0:{self.ports[number]}", "--autosign", "all", "--database", postgresql.BOTH],
            stdout=log, stderr=log, env=environment)
        if number == 0 and not (self.base / "state-0/nodes/store.key").exists():
            self.wait((self.base / "state-0/nodes/store.key").exists, 30, "the first server starts")
            self.wait((self.base / "state-0/server/certificate.pem").exists, 30, "the first server starts")

    def kill_server(self, number):
        self.servers[number].kill()
        self.servers[number].wait()

    def wait(self, is_true, seconds, what):
        end = time.monotonic() + seconds
        while not is_true():
            if time.monotonic() > end:
                logs = "\n".join((self.base / f"server-{at}.log").read_text()[-1500:] for at in range(SERVERS)
                                 if (self.base / f"server-{at}.log").exists())
                raise SystemExit(f"not within {seconds} seconds: {what}\n{logs}")
            time.sleep(0.02)

    def stop(self):
        for server in filter(None, self.servers):
            server.kill()
            server.wait()
        for database in (self.database, self.other_database):
            database.signal(signal.SIGKILL)
        if getattr(self, "holder", None):
            self.holder.kill()
            self.holder.wait()

    def remove(self, keeps):
        for name in DISKS:
            subprocess.run(["umount", "--lazy", self.base / name], stderr=subprocess.DEVNULL)
        if keeps:
            print(f"the logs are in {self.base}")
        else:
            shutil.rmtree(self.base, ignore_errors=True)
