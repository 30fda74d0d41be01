"""What the comparisons share: CPU time and peak memory of whole processes."""

import os
import subprocess
import sys


def run(*command, directory=None, env=None):
    """Runs a command, its output thrown away; its CPU seconds and peak memory in MB."""
    # Not fork, because the pages of this interpreter would count in the measurement.
    to_null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    before = os.getcwd()
    os.chdir(directory or before)
    try:
        pid = os.posix_spawn(command[0], command, env or os.environ, file_actions=to_null)
    finally:
        os.chdir(before)
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(times, *command, **options):
    """The least CPU seconds and memory of several runs."""
    return tuple(min(column) for column in zip(*(run(*command, **options) for _ in range(times))))


def written(script, *arguments):
    """Lets a script write inputs in a process of its own, since what this one has held in memory
    would count as the peak of those it starts; the names that it prints."""
    command = [sys.executable, script, "--write", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"
