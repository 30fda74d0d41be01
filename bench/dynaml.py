#!/usr/bin/env python3
"""Compares `ordain merge` with spiff++, side by side in one run.

    bench/dynaml.py             the table of docs/dynaml.md
    bench/dynaml.py chain ...   some: start, lite, aws, deployment, plain, chain, long, names, many,
                                fibonacci

Needs a release build (`cargo build --release -p ordain-cli`). The variable SPIFF names a spiff++
binary to compare with; without it there are only our own figures. The variable CF_RELEASE names a
checkout of github.com/cloudfoundry/cf-release, whose manifests `lite` and `aws` are; without it they
are left out. Figures are CPU seconds, user and system, of whole processes, and of plain YAML the peak
of memory; what the best of several runs took. Both programs must print the same bytes.
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
CF_RELEASE = os.environ.get("CF_RELEASE")


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


def cloud_foundry(infrastructure):
    """A manifest of Cloud Foundry as its script for deployments makes it, with the stub of its tests."""
    root = Path(CF_RELEASE)
    names = ["generic-manifest-mask.yml", "cf.yml", f"cf-infrastructure-{infrastructure}.yml"]
    files = [root / "templates" / name for name in names]
    return [str(f) for f in files + [root / "spec/fixtures" / infrastructure / "cf-stub.yml"]]


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


# Name, inputs, our number of runs, and theirs; `None` if a run would take minutes.
CASES = {
    "start": ("one key", start, 50, 20),
    "lite": ("Cloud Foundry on one machine: 4,518 lines give 4,444",
             lambda d: cloud_foundry("bosh-lite"), 50, 5),
    "aws": ("Cloud Foundry on AWS: 1,917 lines give 1,864", lambda d: cloud_foundry("aws"), 50, 5),
    "deployment": ("a generated deployment: 1,584 lines give 1,877", deployment, 50, 5),
    "plain": ("plain YAML, 100,000 leaves", plain, 20, 3),
    "chain": ("a chain of 1,000 references", lambda d: chain_of(1_000, d), 50, 2),
    "long": ("a chain of 100,000 references", lambda d: chain_of(100_000, d), 8, 0),
    "names": ("lists of 2,000 + 2,000 entries by name", lambda d: names_of(2_000, d), 40, 2),
    "many": ("lists of 100,000 + 100,000 entries by name", lambda d: names_of(100_000, d), 5, 0),
    "fibonacci": ("`fibonacci(25)`", fibonacci, 8, 2),
}

# Cases that need a checkout, and those whose memory is shown.
REAL = {"lite", "aws"}
WITH_MEMORY = {"plain"}


def written(name, directory):
    """Writes the inputs of a case; their names. By a process of its own: what this one has held in
    memory would count as the peak of those it starts."""
    command = [sys.executable, __file__, "--write", name, directory]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def output(program, files):
    """What a program prints."""
    return subprocess.run([program, "merge", *files], check=True, capture_output=True).stdout


def row(name, files):
    """The line of the table for a case."""
    what, _, ours, theirs = CASES[name]

    def shown(cpu, memory):
        return seconds(cpu) + (f", {memory:.0f} MB" if name in WITH_MEMORY else "")

    own = best(ours, ORDAIN, "merge", *files)
    if not SPIFF or not theirs:
        return [what, "", shown(*own), ""]
    if output(SPIFF, files) != output(ORDAIN, files):
        sys.exit(f"{name}: the programs print different documents")
    other = best(theirs, SPIFF, "merge", *files)
    return [what, shown(*other), shown(*own), f"{other[0] / own[0]:.0f}x"]


def main():
    print("| | spiff++ | Ordain | |")
    print("| --- | ---: | ---: | ---: |")
    for name in sys.argv[1:] or [name for name in CASES if CF_RELEASE or name not in REAL]:
        if name in REAL and not CF_RELEASE:
            sys.exit(f"{name} needs the variable CF_RELEASE")
        with tempfile.TemporaryDirectory() as directory:
            print("| " + " | ".join(row(name, written(name, directory))) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        print(*CASES[sys.argv[2]][1](Path(sys.argv[3])), sep="\n")
    else:
        main()
