#!/usr/bin/env python3
"""Compares `ordain merge` with spiff++, side by side in one run.

    bench/dynaml.py             all, with a table in Markdown
    bench/dynaml.py chain ...   some: start, deployment, plain, chain, long, names, many, fibonacci

Needs a release build (`cargo build --release -p ordain-cli`). The variable SPIFF names a spiff++
binary to compare with; without it there are only our own figures. Figures are CPU seconds, user and
system, of whole processes, and the peak of memory; what the best of several runs took.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import best, seconds

HERE = Path(__file__).resolve().parent
ORDAIN = os.environ.get("ORDAIN", str(HERE.parent / "target/release/ordain"))
SPIFF = os.environ.get("SPIFF")


def write(path, text):
    path.write_text(text)
    return str(path)


def start(directory):
    return [write(directory / "t.yml", "a: 1\n")]


def deployment(directory):
    """A manifest of the usual kind: jobs on networks, properties with defaults; the 1,584 lines
    give 1,877."""
    jobs = [f"job{n}" for n in range(60)]
    text = ["meta:", "  env: (( merge ))", "  domain: (( merge || \"example.org\" ))"]
    text += ["  stemcell:", "    name: (( merge ))", "    version: (( merge || nil ))"]
    text += ["networks: (( merge ))", "properties:", "  <<: (( merge ))"]
    for n in range(60):
        text += [f"  part{n}:", "    host: (( \"part" f"{n}\" \".\" meta.domain ))",
                 f"    port: (( merge || {8000 + n} ))", "    user: admin",
                 f"    password: (( merge || \"secret{n}\" ))",
                 "    endpoint: (( \"https://\" host \":\" port ))", "    tls:",
                 "      enabled: true", "      skip: (( merge || false ))",
                 "    limits: [10, 20, 30]"]
    text.append("jobs:")
    for n, name in enumerate(jobs):
        text += [f"- name: {name}", f"  instances: (( merge || {n % 3 + 1} ))",
                 "  resource_pool: small", "  networks:", "  - name: default",
                 f"    static_ips: (( static_ips({n * 3}, {n * 3 + 1}, {n * 3 + 2}) ))",
                 "  properties:", f"    host: (( .properties.part{n}.host ))",
                 f"    url: (( .properties.part{n}.endpoint ))", "    env: (( meta.env ))",
                 "  templates:", "  - name: agent", f"  - name: {name}",
                 "  stemcell: (( meta.stemcell ))"]
    text += ["resource_pools:", "- name: small", "  size: (( auto ))"]
    infra = ["meta:", "  env: prod", "  stemcell:", "    name: bosh", "networks:",
             "- name: default", "  subnets:", "  - range: 10.0.0.0/16",
             "    static: [10.0.1.1 - 10.0.4.250]", "jobs:"]
    for n in range(0, 60, 2):
        infra += [f"- name: {jobs[n]}", "  instances: 2"]
    secrets = ["properties:"]
    for n in range(0, 60, 3):
        secrets += [f"  part{n}:", f"    password: changed{n}", "    port: 9000"]
    texts = {"t": text, "s1": infra, "s2": secrets}
    return [write(directory / f"{n}.yml", "\n".join(t) + "\n") for n, t in texts.items()]


def plain(directory):
    lines = []
    for n in range(1_000):
        lines += [f"group{n:04}:", "  list:"]
        for m in range(50):
            lines.append(f"  - entry {m} of {n}")
        for m in range(49):
            lines.append(f"  key{m:02}: {n * m}")
        lines.append("  flag: true")
    return [write(directory / "t.yml", "\n".join(lines) + "\n")]


def chain_of(count, directory):
    lines = [f"k{n:06}: (( k{n + 1:06} ))" for n in range(count)] + [f"k{count:06}: 1"]
    return [write(directory / "t.yml", "\n".join(lines) + "\n")]


def names_of(count, directory):
    template = ["list:", "- <<: (( merge ))"]
    stub = ["list:"]
    for n in range(count):
        template += [f"- name: entry{n:06}", f"  value: {n}", "  kept: true"]
        stub += [f"- name: entry{n + count // 2:06}", f"  value: {n * 2}", "  kept: false"]
    return [write(directory / "t.yml", "\n".join(template) + "\n"),
            write(directory / "s.yml", "\n".join(stub) + "\n")]


def fibonacci(directory):
    text = 'fib: (( lambda |x|-> x <= 0 ? 0 :(x == 1 ? 1 :_( x - 1 ) + _( x - 2 )) ))\n'
    return [write(directory / "t.yml", text + "value: (( .fib(25) ))\n")]


# What it is, the inputs, how often we run, how often they do; nothing where it would take minutes.
CASES = {
    "start": ("start, one key", start, 50, 20),
    "deployment": ("a deployment of 1,584 lines", deployment, 50, 5),
    "plain": ("plain YAML, 100,000 leaves", plain, 20, 3),
    "chain": ("a chain of 1,000 references", lambda d: chain_of(1_000, d), 50, 2),
    "long": ("a chain of 100,000 references", lambda d: chain_of(100_000, d), 8, 0),
    "names": ("lists of 2,000 + 2,000 entries by name", lambda d: names_of(2_000, d), 40, 2),
    "many": ("lists of 100,000 + 100,000 entries by name", lambda d: names_of(100_000, d), 5, 0),
    "fibonacci": ("`fibonacci(25)`", fibonacci, 8, 2),
}


def written(name, directory):
    """Writes the inputs of a case; their names. By a process of its own: what this one has held in
    memory would count as the peak of those it starts."""
    command = [sys.executable, __file__, "--write", name, directory]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def main():
    print("| | spiff++ | Ordain | |")
    print("| --- | ---: | ---: | ---: |")
    for name in sys.argv[1:] or CASES:
        what, _, ours, theirs = CASES[name]
        with tempfile.TemporaryDirectory() as directory:
            files = written(name, directory)
            cpu, memory = best(ours, ORDAIN, "merge", *files)
            row = [what, "", f"{seconds(cpu)}, {memory:.0f} MB", ""]
            if SPIFF and theirs:
                old, old_memory = best(theirs, SPIFF, "merge", *files)
                row[1] = f"{seconds(old)}, {old_memory:.0f} MB"
                row[3] = f"{old / cpu:.0f}x"
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        print(*CASES[sys.argv[2]][1](Path(sys.argv[3])), sep="\n")
    else:
        main()
