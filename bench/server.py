#!/usr/bin/env python3
"""Loads `ordain serve` with simulated agents: catalogs a second, times, memory.

    bench/server.py [--seconds N] [--gzip] [--compile] [--connections N] [--postgresql]
                    [--beside puppetserver]

Needs `cargo build --release -p ordain-cli -p ordain-server --bins --examples`, and `facter` for the facts
(or `FACTS=FILE`). Server and agents share the machine. Catalogs have 500 resources (125 defines) and
2,000 resources (500 defines). `--compile` has each one
compiled, `--connections` only opens connections that are idle or wait for changes. `--beside puppetserver` also measures Debian's puppetserver (1 GB heap, two
JRubies, environments cached, warmed up for a minute) with the same code, facts and agents.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import postgresql
import puppetserver

HERE = Path(__file__).resolve().parent
ORDAIN = os.environ.get("ORDAIN", str(HERE.parent / "target/release/ordain"))
AGENTS = os.environ.get("AGENTS", str(HERE.parent / "target/release/examples/agents"))
PORT = 18150
# What is asked for, the environment, and the number of clients.
CATALOGS = ("catalog", "small", 4), ("catalog", "large", 2)

DEFINE = """define load::vhost(Integer $number, String $text) {
  file { "/etc/load/${title}.conf": content => "${text} ${number} ${facts['kernel']}\\n", mode => '0644' }
  file { "/etc/load/${title}.d": ensure => directory, require => File["/etc/load/${title}.conf"] }
  exec { "/bin/true ${title}": refreshonly => true, subscribe => File["/etc/load/${title}.conf"] }
}
"""


def write_code(code):
    for name, defines in (("small", 125), ("large", 500)):
        environment = code / "environments" / name
        (environment / "manifests").mkdir(parents=True)
        module = environment / "modules" / "load" / "manifests"
        module.mkdir(parents=True)
        (module / "vhost.pp").write_text(DEFINE)
        (environment / "manifests" / "site.pp").write_text(
            f"range(1, {defines}).each |$i| {{\n"
            "  load::vhost { \"host${i}\": number => $i, text => \"server number ${i} of the load\" }\n"
            "}\n"
        )


def facts(path):
    named = os.environ.get("FACTS")
    text = Path(named).read_text() if named else subprocess.check_output(["facter", "--json"], text=True)
    path.write_text(text)


def load(address, ca_dir, base, pid, seconds, cases, more=()):
    """Loads a server, and prints a line for each case."""
    for what, environment, clients in cases:
        output = subprocess.check_output(
            [AGENTS, "--address", address, "--ca-dir", ca_dir, "--facts", base / "facts.json", "--nodes", "20",
             "--clients", str(clients), "--seconds", seconds, "--environment", environment, "--what", what,
             "--pid", str(pid), *more], text=True,
        )
        print(f"{what} {environment} {clients} clients: {output.strip()}", flush=True)


def measure_ordain(base, seconds, more, database=()):
    began = time.monotonic()
    settings = base / "ordain.toml"
    settings.write_text("[server]\nconnections = 50000\nconnections-per-address = 50000\n")
    server = subprocess.Popen(
        [ORDAIN, "serve", *database, "--config", settings, "--code", base / "code", "--state-dir", base / "state",
         "--listen", f"127.0.0.1:{PORT}", "--names", "localhost", "--autosign", "off",
         *(["--answers", "false"] if "--compile" in sys.argv else []),],
        stdout=subprocess.PIPE, stderr=open(base / "log", "w"), text=True,
    )
    try:
        server.stdout.readline()
        print(f"start to listening: {time.monotonic() - began:.3f} s")
        if "--connections" in sys.argv:
            measure_connections(base, server.pid, sys.argv[sys.argv.index("--connections") + 1])
            return
        cases = ("status", "small", 4), ("catalog", "small", 1), *CATALOGS, ("run", "small", 4)
        load(f"127.0.0.1:{PORT}", base / "state/ca", base, server.pid, seconds, cases, more)
    finally:
        server.terminate()
        server.wait()


def measure_connections(base, pid, count):
    for what in "hold", "idle":
        output = subprocess.check_output(
            [AGENTS, "--address", f"127.0.0.1:{PORT}", "--ca-dir", base / "state/ca", "--nodes", count,
             "--environment", "small", "--what", what, "--pid", str(pid)], text=True,
        )
        print(output.strip(), flush=True)


def measure_puppetserver(base, seconds, more):
    began = time.monotonic()
    server = puppetserver.PuppetServer(base / "puppetserver", base / "code", PORT + 1)
    try:
        server.wait()
        print(f"puppetserver, start to listening: {time.monotonic() - began:.1f} s")
        arguments = f"127.0.0.1:{PORT + 1}", server.ca_dir, base, server.process.pid
        print("to warm up:")
        load(*arguments, "30", CATALOGS, more)
        print("measured:")
        load(*arguments, seconds, CATALOGS, more)
    finally:
        server.stop()


def main():
    seconds = sys.argv[sys.argv.index("--seconds") + 1] if "--seconds" in sys.argv else "10"
    more = ["--gzip"] if "--gzip" in sys.argv else []
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory)
        write_code(base / "code")
        facts(base / "facts.json")
        if "--postgresql" in sys.argv:
            with postgresql.Database(base) as database:
                measure_ordain(base, seconds, more, ("--database", database.address))
        else:
            measure_ordain(base, seconds, more)
        if "--beside" in sys.argv:
            measure_puppetserver(base, seconds, more)


if __name__ == "__main__":
    main()
