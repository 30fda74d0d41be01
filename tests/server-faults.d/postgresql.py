"""A PostgreSQL in the network of the databases, which may be the replica of another one."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path

ADDRESS = "10.77.0.2"
# Where servers look for the primary.
BOTH = f"host={ADDRESS},{ADDRESS} port=5432,5433 user=postgres dbname=ordain target_session_attrs=read-write"

PROGRAMS = [Path(one) for one in sorted(glob.glob("/usr/lib/postgresql/*/bin"))]
if not PROGRAMS:
    raise SystemExit("PostgreSQL is not installed")


class Database:
    def __init__(self, site, disk, port):
        self.site, self.disk, self.port = site, disk, port
        self.data, self.process = disk / "data", None
        owner = pwd.getpwnam("postgres")
        self.ids = owner.pw_uid, owner.pw_gid

    def run(self, program, *words, **more):
        user, group = self.ids
        return subprocess.run([PROGRAMS[-1] / program, *map(str, words)], check=True, cwd="/", user=user, group=group, **more)

    def create(self):
        os.chown(self.disk, *self.ids)
        self.run("initdb", "--auth=trust", "--encoding=UTF8", "--no-sync", "--username=postgres", "--wal-segsize=1",
                 f"--pgdata={self.data}", stdout=subprocess.DEVNULL)
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"listen_addresses = '{ADDRESS}'\nmin_wal_size = 2\nmax_wal_size = 64\nwal_keep_size = 64\n"
                       "shared_buffers = 32MB\n")
        with open(self.data / "pg_hba.conf", "a") as rules:
            rules.write("host all all 10.77.0.0/24 trust\n")

    def start(self):
        """Starts PostgreSQL, as a service manager would: again if it does not come up at once."""
        user, group = self.ids
        log_path, end = self.site.base / f"postgresql-{self.port}.log", time.monotonic() + 30
        while True:
            log = open(log_path, "a")
            process = subprocess.Popen(
                ["nsenter", "--net", "--target", str(self.site.holder.pid), "setpriv", f"--reuid={user}", f"--regid={group}",
                 "--clear-groups", PROGRAMS[-1] / "postgres", "-D", self.data, "-k", self.disk, "-p", str(self.port)],
                stdout=log, stderr=log, cwd="/", start_new_session=True)
            while process.poll() is None:
                if self.answers():
                    self.process = process
                    return
                time.sleep(0.05)
            if time.monotonic() > end:
                raise SystemExit("PostgreSQL does not start:\n" + log_path.read_text()[-3000:])

    def answers(self):
        done = subprocess.run([PROGRAMS[-1] / "pg_isready", "--quiet", "--host", self.disk, "--port", str(self.port)])
        return done.returncode == 0

    def has_ended(self):
        return self.process.poll() is not None

    def crash(self):
        """Ends it in immediate mode: nothing is written any more."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def signal(self, number):
        """Sends a signal to all its processes: each of them leads a group of its own."""
        if not self.process or self.has_ended():
            return
        main = self.process.pid
        for one in [*Path(f"/proc/{main}/task/{main}/children").read_text().split(), main]:
            try:
                os.kill(int(one), number)
            except ProcessLookupError:
                pass
        if number == signal.SIGKILL:
            self.process.wait()

    def query(self, sql, database="postgres"):
        """The rows of a query, as texts."""
        done = self.run("psql", "-At", "-F", "\t", "--host", self.disk, "--port", self.port, "--username", "postgres",
                        "--dbname", database, "--command", sql, stdout=subprocess.PIPE, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def start_as_replica_of(self, primary):
        os.chown(self.disk, *self.ids)
        self.run("pg_basebackup", "--checkpoint=fast", "--no-sync", "--write-recovery-conf", "--host", primary.disk, "--port",
                 primary.port, "--username", "postgres", "--pgdata", self.data)
        self.start()

    def set_synchronous(self, is_synchronous):
        """Sets whether commits wait for the replica."""
        change = "set synchronous_standby_names = '*'" if is_synchronous else "reset synchronous_standby_names"
        self.query(f"alter system {change}")
        self.query("select pg_reload_conf()")

    def has_synchronous_replica(self):
        return self.query("select sync_state from pg_stat_replication") == [["sync"]]

    def promote(self):
        self.run("pg_ctl", "promote", "--wait", "--pgdata", self.data, stdout=subprocess.DEVNULL)

    def remove(self):
        """Ends it, and removes its data."""
        self.signal(signal.SIGKILL)
        shutil.rmtree(self.data)
