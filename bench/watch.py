#!/usr/bin/env python3
"""What it costs to keep a machine true, and how soon it is repaired.

    bench/watch.py [FILES]      5,000 files if not said otherwise

Needs a release build (`cargo build --release -p ordain-cli`). It works in directories of its own under the
system's temporary directory. With `puppet` installed the same files are also applied by that.

- a run that changes nothing: CPU and memory of the whole process, next to `puppet apply`;
- watching: memory, and CPU while nothing happens for ten seconds;
- repairs: the time from a damage to its repair, over 1,000 damages of three kinds;
- swaps: the time from an edit of the manifest until the graph of it is kept true and one resource that
  differs is in place.
"""

import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from measure import best, seconds

ORDAIN = os.environ.get("ORDAIN", str(Path(__file__).resolve().parent.parent / "target/release/ordain"))
DAMAGES = 1000
SWAPS = 20
TICK = os.sysconf("SC_CLK_TCK")


def manifest(files, directory, edition=0):
    """Files in directories of a hundred; the edition is in the last of them."""
    lines = [f"file {{ '{directory}': ensure => directory }}"]
    for i in range(files):
        if i % 100 == 0:
            lines.append(f"file {{ '{directory}/d{i // 100}': ensure => directory }}")
        text = f"edition {edition}" if i == files - 1 else f"file {i}"
        lines.append(f"file {{ '{directory}/d{i // 100}/f{i}': content => '{text}', mode => '0644' }}")
    return "\n".join(lines) + "\n"


class Watch:
    """A process that watches, and what it says."""

    def __init__(self, path, state):
        command = [ORDAIN, "watch", path, "--format", "json", "--state-dir", state]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.events = queue.Queue()
        # It blocks until its output is read, so a thread reads all the time.
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.events.put(json.loads(line))

    def forget(self):
        """Forgets what was said so far."""
        while not self.events.empty():
            self.events.get()

    def until(self, wanted):
        while True:
            event = self.events.get(timeout=60)
            if event["event"] == wanted:
                return event

    def cpu(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self, name):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


def damage(kind, path):
    """Spoils a file; gives what holds once it is repaired."""
    if kind == "removed":
        path.unlink()
        return path.exists
    if kind == "mode":
        path.chmod(0o600)
        return lambda: path.stat().st_mode & 0o777 == 0o644
    wanted = path.read_text()
    path.write_text("spoiled")

    def is_right():
        try:
            return path.read_text() == wanted
        except FileNotFoundError:
            return False

    return is_right


def repairs(directory, files):
    chance = random.Random(1)
    times = []
    for _ in range(DAMAGES):
        number = chance.randrange(files - 1)
        path = directory / f"d{number // 100}" / f"f{number}"
        start = time.monotonic()
        is_right = damage(chance.choice(["removed", "mode", "content"]), path)
        while not is_right():
            if time.monotonic() - start > 30:
                sys.exit(f"{path} is not repaired")
            time.sleep(0.0002)
        times.append(time.monotonic() - start)
    times.sort()
    return times


def swaps(watch, source, directory, files):
    times = []
    for edition in range(1, SWAPS + 1):
        text = manifest(files, directory, edition)
        start = time.monotonic()
        watch.forget()
        source.write_text(text)
        last = directory / f"d{(files - 1) // 100}" / f"f{files - 1}"
        while last.read_text() != f"edition {edition}":
            time.sleep(0.0005)
        times.append(time.monotonic() - start)
        watch.until("settled")
    return sorted(times)


def main():
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    place = Path(tempfile.mkdtemp(prefix="ordain-watch-"))
    watch = None
    try:
        directory, source, state = place / "managed", place / "site.pp", str(place / "state")
        source.write_text(manifest(files, directory))
        subprocess.run([ORDAIN, "apply", str(source), "--state-dir", state, "-q"], stdout=subprocess.DEVNULL)
        command = [ORDAIN, "apply", str(source), "--state-dir", state, "-q"]
        cpu, memory = best(5, *command)
        print(f"apply, nothing to change: {seconds(cpu)}, {memory:.0f} MB")
        if puppet := shutil.which("puppet"):
            cpu, memory = best(1, puppet, "apply", str(source))
            print(f"puppet apply, nothing to change: {seconds(cpu)}, {memory:.0f} MB")
        watch = Watch(str(source), state)
        watch.until("settled")
        before = watch.cpu()
        time.sleep(10)
        print(f"watch, nothing happens for 10 s: {watch.cpu() - before:.2f} s of CPU, {watch.memory('VmRSS'):.0f} MB "
              f"(at most {watch.memory('VmHWM'):.0f} MB)")
        times = repairs(directory, files)
        print(f"{DAMAGES} repairs: median {seconds(times[len(times) // 2])}, 99 of 100 within "
              f"{seconds(times[len(times) * 99 // 100])}, all within {seconds(times[-1])}")
        times = swaps(watch, source, directory, files)
        print(f"{SWAPS} edits with one change, from the edit to the changed file: median {seconds(times[len(times) // 2])}, "
              f"all within {seconds(times[-1])}")
        if watch.end() != 0:
            sys.exit("watch failed")
    finally:
        if watch:
            watch.process.kill()
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
