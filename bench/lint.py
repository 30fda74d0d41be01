#!/usr/bin/env python3
"""Ordain beside puppet-lint over the same manifests.

    bench/lint.py DIRECTORY...

Needs a release build (`cargo build --release -p ordain-cli`) and puppet-lint. Both run alternately with the same
arguments and must print the same. Figures are CPU seconds, user and system, of whole processes with their
start; the best of three runs.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROUNDS = 3
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "target/release/ordain"


def run(program, files):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "--no-config", "--ignore-paths", "", *files]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def main():
    files = sorted(str(path) for name in sys.argv[1:] for path in pathlib.Path(name).rglob("*.pp"))
    if not files:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        link = os.path.join(work, "puppet-lint")
        os.symlink(PROGRAM, link)
        runs = [(run("puppet-lint", files), run(link, files)) for _ in range(ROUNDS)]
    if any(theirs[1] != ours[1] for theirs, ours in runs):
        sys.exit("the outputs differ; tests/beside-puppet-lint shows where")
    theirs = min(theirs[0] for theirs, _ in runs)
    ours = min(ours[0] for _, ours in runs)
    size = sum(os.path.getsize(path) for path in files)
    print(f"{len(files)} manifests, {size / 1e6:.1f} MB: "
          f"puppet-lint {theirs:.2f} s, ordain {ours:.3f} s, {theirs / ours:.0f} times")


if __name__ == "__main__":
    main()
