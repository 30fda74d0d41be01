"""A PostgreSQL of its own for measurements."""

import glob
import os
import pathlib
import pwd
import subprocess
import time


class Database:
    def __init__(self, base):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise SystemExit("PostgreSQL is not installed")
        self.bin, self.dir = pathlib.Path(programs[-1]), base / "postgresql"
        self.is_new = not self.dir.exists()
        self.dir.mkdir(exist_ok=True)
        base.chmod(0o755)
        self.run_as = {}
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.dir, user.pw_uid, user.pw_gid)
            self.run_as = {"user": user.pw_uid, "group": user.pw_gid}
        data = self.dir / "data"
        if self.is_new:
            self.initialize(data)
        server = [self.bin / "postgres", "-D", data, "-k", self.dir, "-c", "listen_addresses=", "-c", "shared_buffers=512MB"]
        self.server = subprocess.Popen(server, cwd="/", stderr=subprocess.DEVNULL, **self.run_as)
        while subprocess.run([self.bin / "pg_isready", "-q", "-h", self.dir], check=False).returncode:
            time.sleep(0.1)
        self.address = f"postgresql:///postgres?host={self.dir}&user=ordain"

    def initialize(self, data):
        init = [self.bin / "initdb", "-A", "trust", "-U", "ordain", "--encoding=UTF8", "--locale=C", "-D", data]
        subprocess.run(init, check=True, stdout=subprocess.DEVNULL, cwd="/", **self.run_as)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def query(self, text):
        psql = ["psql", "-h", self.dir, "-U", "ordain", "-qtA", "-v", "ON_ERROR_STOP=1", "postgres"]
        return subprocess.run(psql, input=text, check=True, capture_output=True, text=True).stdout.strip()

    def pgbench(self, script, clients, transactions):
        file = self.dir.parent / "lease.sql"
        file.write_text(script)
        start = time.monotonic()
        subprocess.run(
            [self.bin / "pgbench", "-h", self.dir, "-U", "ordain", "-n", "-M", "prepared", "-c", str(clients),
             "-t", str(transactions // clients), "-f", file, "postgres"], check=True, capture_output=True)
        return transactions / (time.monotonic() - start)
