"""A server of answers: a process that reads a case a line and answers each with a line."""

import json
import os
import select
import subprocess


# The maximum length of an answer.
MOST = 64 << 20


class Server:
    """A program that answers cases; it is started again when it ends or takes too long."""

    def __init__(self, command, seconds):
        self.command, self.seconds, self.process, self.rest = command, seconds, None, b""

    def start(self):
        self.process = subprocess.Popen(self.command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        self.rest = b""

    def stop(self):
        if self.process:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        self.process = None

    def line(self):
        """The next line, or why there is none: `ends`, `hangs`, or `floods` for one without end."""
        parts, size = [self.rest], len(self.rest)
        while b"\n" not in parts[-1]:
            ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
            data = os.read(self.process.stdout.fileno(), 1 << 20) if ready else None
            if not data:
                return "ends" if ready else "hangs"
            parts.append(data)
            size += len(data)
            if size > MOST:
                return "floods"
        line, self.rest = b"".join(parts).split(b"\n", 1)
        return line

    def answers(self, cases):
        for case in cases:
            if self.process is None:
                self.start()
            try:
                self.process.stdin.write(json.dumps(case).encode() + b"\n")
                self.process.stdin.flush()
                line = self.line()
            except BrokenPipeError:
                line = "ends"
            if isinstance(line, str):
                self.stop()
                yield {"ok": False, "broken": line}
            else:
                yield json.loads(line)
