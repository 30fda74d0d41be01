"""Three servers, their database in a network of its own, and their authority."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path

SERVERS = 3
DATABASE = "10.77.0.2"
# The most that the database and the authority may write.
# With room for all that a long run stores: only a fault fills them.
DISKS = {"database": "3g", "authority": "128m"}
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
        self.database_process = None
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise SystemExit("PostgreSQL is not installed")
        self.programs = Path(programs[-1])
        owner = pwd.getpwnam("postgres")
        self.as_postgres = {"user": owner.pw_uid, "group": owner.pw_gid, "cwd": "/"}
        self.data = base / "database/data"
        self.can_set_clocks = FAKETIME is not None

    def start(self):
        self.base.chmod(0o755)
        for name, size in DISKS.items():
            (self.base / name).mkdir()
            run("mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", name, self.base / name)
        self.make_networks()
        os.chown(self.base / "database", self.as_postgres["user"], self.as_postgres["group"])
        run(self.programs / "initdb", "--auth=trust", "--encoding=UTF8", "--no-sync", "--username=postgres", "--wal-segsize=1",
            f"--pgdata={self.data}", stdout=subprocess.DEVNULL, **self.as_postgres)
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"listen_addresses = '{DATABASE}'\nunix_socket_directories = '{self.base}/database'\n"
                       "min_wal_size = 2\nmax_wal_size = 64\nshared_buffers = 32MB\n")
        with open(self.data / "pg_hba.conf", "a") as rules:
            rules.write("host all all 10.77.0.0/24 trust\n")
        self.start_database()
        self.query("create database ordain", "postgres")
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
        self.beside_database("ip", "address", "add", f"{DATABASE}/24", "dev", "to-servers")
        self.beside_database("ip", "link", "set", "to-servers", "up")
        for inside in ([], ["nsenter", "--net", "--target", self.holder.pid]):
            run(*inside, "nft", "add table inet cut")
            run(*inside, "nft", "add chain inet cut input { type filter hook input priority 0; }")

    def beside_database(self, *words, **more):
        return run("nsenter", "--net", "--target", self.holder.pid, *words, **more)

    def start_database(self):
        """Starts PostgreSQL, as a service manager would: again if it does not come up at once."""
        end = time.monotonic() + 30
        while True:
            log = open(self.base / "postgresql.log", "a")
            process = subprocess.Popen(
                ["nsenter", "--net", "--target", str(self.holder.pid), "setpriv", f"--reuid={self.as_postgres['user']}",
                 f"--regid={self.as_postgres['group']}", "--clear-groups", self.programs / "postgres", "-D", self.data],
                stdout=log, stderr=log, cwd="/", start_new_session=True)
            while process.poll() is None:
                if self.database_answers():
                    self.database_process = process
                    return
                time.sleep(0.05)
            if time.monotonic() > end:
                raise SystemExit("PostgreSQL does not start:\n" + (self.base / "postgresql.log").read_text()[-3000:])

    def database_answers(self):
        done = subprocess.run([self.programs / "pg_isready", "--quiet", "--host", self.base / "database"])
        return done.returncode == 0

    def stop_database(self):
        """As a crash: nothing is written any more."""
        self.database_process.send_signal(signal.SIGQUIT)
        self.database_process.wait()

    def query(self, sql, database="ordain"):
        """The rows of a query, as texts."""
        done = run(self.programs / "psql", "-At", "-F", "\t", "--host", self.base / "database", "--username", "postgres",
                   "--dbname", database, "--command", sql, stdout=subprocess.PIPE, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

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
             "--listen", f"0.0.0.0:{self.ports[number]}", "--autosign", "all", "--database",
             f"host={DATABASE} user=postgres dbname=ordain"],
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
        if self.database_process and self.database_process.poll() is None:
            self.database_process.send_signal(signal.SIGCONT)
            self.stop_database()
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
