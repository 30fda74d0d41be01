"""Starts PostgreSQL and PuppetDB of Debian in a private directory, and sends requests to PuppetDB."""

import gzip
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

PACKAGES = ["puppetdb", "postgresql", "postgresql-contrib"]
JAR = "/usr/share/puppetdb/puppetdb.jar"
MEMORY = "-Xmx400m"


def install():
    """Installs the packages that are missing; false where that is impossible."""
    if os.path.exists(JAR) and binaries():
        return True
    lock = ["-o", "DPkg::Lock::Timeout=900"]
    for command in (["update", "-qq"], ["install", "-qq", "-y", "--no-install-recommends", *PACKAGES]):
        if subprocess.run(["apt-get", *lock, *command], stdout=subprocess.DEVNULL).returncode:
            return False
    return os.path.exists(JAR) and binaries() is not None


def binaries():
    """The directory of PostgreSQL's programs, or nothing."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Postgres:
    """A database server of its own, reachable through a port of this machine."""

    def __init__(self, work):
        self.data = f"{work}/postgres"
        self.port = free_port()
        os.makedirs(self.data)
        shutil.chown(self.data, "postgres", "postgres")
        self.run(f"{binaries()}/initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "-E", "UTF8",
                 "--locale=C.UTF-8", "--no-sync")
        options = (f"-p {self.port} -k {self.data} -h 127.0.0.1 -c fsync=off -c shared_buffers=64MB "
                   "-c jit=off -c max_connections=60")
        self.run(f"{binaries()}/pg_ctl", "-D", self.data, "-l", f"{self.data}/log", "-o", options, "-w", "start")

    def run(self, *command):
        subprocess.run(["runuser", "-u", "postgres", "--", *command], check=True, stdout=subprocess.DEVNULL,
                       cwd=self.data)

    def create(self, name):
        """Creates a database, and returns its URL."""
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name)
        self.sql(name, "create extension if not exists pg_trgm")
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"

    def sql(self, database, text):
        self.run("psql", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database, "-c", text)

    def stop(self):
        self.run(f"{binaries()}/pg_ctl", "-D", self.data, "-m", "immediate", "stop")


CONFIG = """
[global]
vardir = {work}/var
logging-config = {work}/logback.xml
[command-processing]
threads = 1
[database]
subname = //127.0.0.1:{database_port}/puppetdb
username = postgres
password = postgres
gc-interval = 0
[jetty]
host = 127.0.0.1
port = {port}
max-threads = 20
[puppetdb]
disable-update-checking = true
"""

LOGBACK = """<configuration><appender name="F" class="ch.qos.logback.core.FileAppender"><file>{work}/log</file>
<encoder><pattern>%d %-5p [%c] %m%n</pattern></encoder></appender>
<root level="warn"><appender-ref ref="F"/></root></configuration>"""


class PuppetDB:
    """PuppetDB over a database of `postgres`, in a directory of its own."""

    def __init__(self, work, postgres):
        self.work = f"{work}/puppetdb"
        self.port = free_port()
        postgres.create("puppetdb")
        os.makedirs(f"{self.work}/conf.d")
        os.makedirs(f"{self.work}/var")
        names = {"work": self.work, "database_port": postgres.port, "port": self.port}
        pathlib.Path(f"{self.work}/conf.d/config.ini").write_text(CONFIG.format(**names))
        shutil.copy("/etc/puppetdb/conf.d/auth.conf", f"{self.work}/conf.d/auth.conf")
        pathlib.Path(f"{self.work}/logback.xml").write_text(LOGBACK.format(**names))
        subprocess.run(["chown", "-R", "puppetdb:puppetdb", self.work], check=True)
        self.process = subprocess.Popen(
            ["runuser", "-u", "puppetdb", "--", "java", MEMORY, "-XX:+UseSerialGC", "-Djava.security.egd=/dev/urandom",
             "-cp", JAR, "clojure.main", "-m", "puppetlabs.puppetdb.core", "services",
             "--config", f"{self.work}/conf.d", "--bootstrap-config", "/etc/puppetdb/bootstrap.cfg"],
            stdout=open(f"{self.work}/output", "wb"), stderr=subprocess.STDOUT, cwd=self.work)
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit("puppetdb ended: " + open(f"{self.work}/output", errors="replace").read()[-2000:])
            try:
                if self.get("/pdb/meta/v1/version")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.5)
        sys.exit("puppetdb did not start")

    def open(self, path, body=None, headers=()):
        """The status, headers and body of the answer to a request."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, headers=dict(headers))
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode()

    def get(self, path, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        return self.open(path + query)

    def command(self, command):
        """Stores a command `{command, version, payload}`, and waits until it is processed."""
        payload = command["payload"]
        parameters = {
            "command": command["command"].replace(" ", "_"), "version": command["version"],
            "certname": payload["certname"], "producer-timestamp": payload["producer_timestamp"],
            "secondsToWaitForCompletion": 60,
        }
        body = gzip.compress(json.dumps(payload).encode())
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        status, _, answer = self.open("/pdb/cmd/v1?" + urllib.parse.urlencode(parameters), body, headers)
        answer = json.loads(answer) if answer.startswith("{") else answer
        if status != 200 or not answer.get("processed") or answer.get("error"):
            sys.exit(f"puppetdb refused {command['command']} of {payload['certname']}: {status} {answer}")

    def stop(self):
        # `runuser` passes the signal on.
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
