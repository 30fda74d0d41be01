#!/usr/bin/env python3
"""Runs rspec-puppet specs of modules twice, compiled by Puppet and by Ordain, and compares them.

    bench/rspec.py --ordain target/release/ordain [--preload] MODULE...

A MODULE is the directory of a module with its fixtures in spec/fixtures/modules. Only specs of
classes, defines, hosts and type aliases run. Each example has to have the same result. Seconds are CPU
seconds, user and system, of rspec with all processes that it starts. With --preload, Ordain's runs are those
of `ordain-rspec`; the process that has loaded Puppet before counts from the start of the run. With
--mistakes N, N lines of the module's manifests are broken one after the other, and the same examples have to
fail.
"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ("classes", "defines", "hosts", "type_aliases")
GEM = ROOT / "compat/rspec-puppet/lib"
PRELOAD = ROOT / "compat/rspec-puppet/bin/ordain-rspec"
MISTAKES = [
    (r"=> present\b", "=> absent"),
    (r"=> 'present'", "=> 'absent'"),
    (r"=> installed\b", "=> absent"),
    (r"=> true\b", "=> false"),
    (r"=> running\b", "=> stopped"),
    (r"'0644'", "'0600'"),
    (r"'root'", "'toor'"),
    (r"\brequire(\s+)=>", r"before\1=>"),
    (r"\bnotify(\s+)=>", r"require\1=>"),
    (r"=> File\[", "=> Exec["),
    (r"\$\{name\}", "${title}x"),
    (r"\binclude (::)?\w+", "include ::absent_class"),
    (r"==", "!="),
]


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def process_seconds(process):
    """CPU seconds of a process and of its children that have ended."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def run(module, ordain, specs, process=None):
    """The result of each example, the CPU seconds, and the lines of the summary."""
    environment = dict(os.environ)
    command = ["rspec", "--format", "json", "--out", ""]
    if ordain:
        environment["ORDAIN"] = str(ordain)
        command += ["-I", str(GEM), "-r", "ordain-rspec-puppet"]
    if process:
        command[0] = str(PRELOAD)
    with tempfile.NamedTemporaryFile("r", suffix=".json") as out:
        command[4] = out.name
        begin = cpu_seconds() + (process_seconds(process) if process else 0)
        done = subprocess.run(
            command + specs, cwd=module, env=environment, capture_output=True, text=True, check=False
        )
        if process:
            time.sleep(0.3)  # until the process has collected the one that ran the suite
        seconds = cpu_seconds() + (process_seconds(process) if process else 0) - begin
        try:
            report = json.load(out)
        except json.JSONDecodeError:
            raise SystemExit(f"{module}: {done.stdout[-2000:]}{done.stderr[-2000:]}") from None
    examples = {}
    for example in report["examples"]:
        error = example.get("exception") or {}
        examples[example["id"]] = (example["status"], error.get("class"), error.get("message"))
    summary = [line for line in done.stderr.splitlines() if line.startswith(("ordain ", "  "))]
    return examples, seconds, summary


def compare(module, before, after, limit):
    """Prints and counts the examples with another status."""
    other = [id for id in before if before[id][0] != after.get(id, ("missing",))[0]]
    for id in other[:limit]:
        print(f"  {module.name} {id}\n    puppet: {before[id]}\n    ordain: {after.get(id)}")
    return len(other)


def mistakes(module, number):
    """Lines of manifests that are changed one after the other."""
    found = []
    for path in sorted(module.glob("manifests/**/*.pp")):
        for at, line in enumerate(path.read_text().splitlines()):
            if line.lstrip().startswith("#"):
                continue
            for pattern, new in MISTAKES:
                changed = re.sub(pattern, new, line)
                if changed != line:
                    found.append((path, at, changed))
                    break
    return random.Random(module.name).sample(found, min(number, len(found)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ordain", type=pathlib.Path, required=True)
    parser.add_argument("--preload", action="store_true")
    parser.add_argument("--mistakes", type=int, default=0)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    ordain = args.ordain.resolve()
    # The default action would leave a broken line in the module.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    process = None
    if args.preload:
        process = int(subprocess.run([PRELOAD, "--process"], capture_output=True, check=True).stdout)
        print(f"loaded once: {process_seconds(process):.1f} s\n")
    print("| module | examples | passed | other result | puppet s | ordain s | ratio | in Ruby |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for module in args.modules:
        module = module.resolve()
        specs = [f"spec/{kind}" for kind in KINDS if (module / "spec" / kind).is_dir()]
        before, slow, _ = run(module, None, specs)
        after, fast, summary = run(module, ordain, specs, process)
        other = compare(module, before, after, args.show)
        passed = sum(status == "passed" for status, *_ in before.values())
        counted = re.search(r"Ruby (\d+)", summary[0]).group(1) if summary else "?"
        print(
            f"| {module.name} | {len(before)} | {passed} | {other} | {slow:.1f} | {fast:.1f} "
            f"| {slow / fast:.1f} | {counted} |",
            flush=True,
        )
        for line in summary[1:8]:
            print(line)
        for path, at, changed in mistakes(module, args.mistakes):
            text = path.read_text()
            lines = text.splitlines(keepends=True)
            lines[at] = changed + "\n"
            path.write_text("".join(lines))
            try:
                broken, _, _ = run(module, None, specs)
                ours, _, _ = run(module, ordain, specs, process)
            finally:
                path.write_text(text)
            failed = sum(status == "failed" for status, *_ in broken.values())
            other = compare(module, broken, ours, args.show)
            print(f"  {path.relative_to(module)}:{at + 1}: {failed} fail, {other} other", flush=True)


if __name__ == "__main__":
    main()
