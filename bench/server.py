#!/usr/bin/env python3
"""Loads `ordain serve` with simulated agents: catalogs a second, times, memory.

    bench/server.py [--seconds N] [--gzip]

Needs `cargo build --release -p ordain-cli -p ordain-server --bins --examples`, and `facter` for the facts
(or `FACTS=FILE`). Server and agents share the machine. Catalogs have 500 resources (125 defines) and
2,000 resources (500 defines), as those that Puppet's server was measured with.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDAIN = os.environ.get("ORDAIN", str(HERE.parent / "target/release/ordain"))
AGENTS = os.environ.get("AGENTS", str(HERE.parent / "target/release/examples/agents"))
PORT = 18150

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


def main():
    seconds = sys.argv[sys.argv.index("--seconds") + 1] if "--seconds" in sys.argv else "10"
    gzip = ["--gzip"] if "--gzip" in sys.argv else []
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory)
        write_code(base / "code")
        facts(base / "facts.json")
        began = time.monotonic()
        server = subprocess.Popen(
            [ORDAIN, "serve", "--code", base / "code", "--state-dir", base / "state",
             "--listen", f"127.0.0.1:{PORT}", "--names", "localhost", "--autosign", "off"],
            stdout=subprocess.PIPE, stderr=open(base / "log", "w"), text=True,
        )
        try:
            server.stdout.readline()
            print(f"start to listening: {time.monotonic() - began:.3f} s")
            for what, environment, clients in (
                ("status", "small", 4), ("catalog", "small", 1), ("catalog", "small", 4),
                ("catalog", "large", 2), ("run", "small", 4),
            ):
                output = subprocess.check_output(
                    [AGENTS, "--address", f"127.0.0.1:{PORT}", "--ca-dir", base / "state/ca",
                     "--facts", base / "facts.json", "--nodes", "20", "--clients", str(clients),
                     "--seconds", seconds, "--environment", environment, "--what", what,
                     "--pid", str(server.pid), *gzip], text=True,
                )
                print(f"{what} {environment} {clients} clients: {output.strip()}", flush=True)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
