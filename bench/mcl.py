#!/usr/bin/env python3
"""What programs of mgmt cost, from the file to the first graph of resources.

    bench/mcl.py             all, with a table in Markdown
    bench/mcl.py chain ...   some: start, files, chain, long, sum, list, map, loop, ifs
    bench/mcl.py wave        what one event costs, and whether a million leave something behind

Needs a release build (`cargo build --release -p ordain-cli`), and for the wave `cargo build --release
-p ordain-mcl --example wave`. The column of mgmt has the figures that were measured once with its
revision 60c024dd on a machine of the same kind; of mgmt only the stages from parser to first graph
count, of Ordain whole processes: CPU seconds, user and system, and the peak of memory; the least of
several runs.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import best, seconds, written

HERE = Path(__file__).resolve().parent
RELEASE = HERE.parent / "target/release"
ORDAIN = os.environ.get("ORDAIN", str(RELEASE / "ordain"))
WAVE = os.environ.get("WAVE", str(RELEASE / "examples/wave"))


def start():
    return 'test "a" {}\n'


def files():
    fields = '\tstate => "exists",\n\tcontent => "c{n}",\n\tmode => "0644",\n\towner => "root",\n'
    entry = 'file "/tmp/d/f{n}" {{\n' + fields + "}}\n"
    return "".join(entry.format(n=n) for n in range(10_000))


def chain(count):
    binds = "".join(f"$x{n} = $x{n - 1} + 1\n" for n in range(1, count))
    return f'$x0 = 1\n{binds}test "a" {{\n\tint64 => $x{count - 1},\n}}\n'


def sum_of_terms():
    return 'test "a" {\n\tint64 => ' + " + ".join(["1"] * 800) + ",\n}\n"


def long_list():
    items = ", ".join(map(str, range(4_000)))
    return f'$l = [{items}]\ntest "a" {{\n\tint64 => $l[7],\n}}\n'


def map_over():
    return ('import "iter"\n$l = iter.map(iter.range(4000), func($x) { $x + 1 })\n'
            'test "a" {\n\tint64 => $l[7],\n}\n')


def loop():
    return ('import "iter"\nimport "fmt"\nfor $i, $v in iter.range(2560) {\n'
            '\ttest fmt.printf("t%d", $v) {}\n}\n')


def nested_ifs():
    depth = 40
    opened = "".join("\t" * n + "if true {\n" for n in range(depth))
    closed = "".join("\t" * n + "}\n" for n in reversed(range(depth)))
    return opened + "\t" * depth + 'test "a" {}\n' + closed


# Name, program, number of runs, and the time of mgmt.
CASES = {
    "start": ("start, one resource", start, 50, "1.5 ms"),
    "files": ("10,000 files with four fields", files, 10, "5.0 s, 326 MB"),
    "chain": ("a chain of 1,600 binds", lambda: chain(1_600), 30, "30.6 s, 2.9 GB"),
    "long": ("a chain of 100,000 binds", lambda: chain(100_000), 5, ""),
    "sum": ("a sum of 800 terms", sum_of_terms, 30, "more than 60 s"),
    "list": ("a list of 4,000 numbers", long_list, 30, "2.0 s"),
    "map": ("`iter.map` over 4,000", map_over, 20, "427 ms"),
    "loop": ("`for` over 2,560", loop, 20, "297 ms, 105 MB"),
    "ifs": ("40 nested `if`", nested_ifs, 30, "263 ms"),
}


def wave():
    """The instructions of a wave do not depend on what else the machine does."""
    for events in (20_000, 1_000_000):
        command = ["/usr/bin/time", "-f", "%U s user, peak %M kB", WAVE, str(events)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(done.stdout.strip(), done.stderr.strip(), sep="\n")


def main():
    names = sys.argv[1:] or [*CASES, "wave"]
    print("| | mgmt | Ordain |")
    print("| --- | ---: | ---: |")
    for name in (name for name in names if name != "wave"):
        what, _, times, theirs = CASES[name]
        with tempfile.TemporaryDirectory() as directory:
            [path] = written(__file__, name, directory)
            cpu, memory = best(times, ORDAIN, "compile", "--format", "mgmt", path)
        print(f"| {what} | {theirs} | {seconds(cpu)}, {memory:.0f} MB |", flush=True)
    if "wave" in names:
        wave()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        path = Path(sys.argv[3]) / "main.mcl"
        path.write_text(CASES[sys.argv[2]][1]())
        print(path)
    else:
        main()
