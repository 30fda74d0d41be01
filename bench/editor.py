#!/usr/bin/env python3
"""The answers of `ordain lsp` in a large repository: how soon, and in how much memory.

    bench/editor.py [KEYS]      60 keys if not said otherwise

Needs a release build (`cargo build --release -p ordain-cli`). The repository is that of `production`, with
3,450 manifests and their templates and data, and one manifest of 3,000 lines that is edited.

- load: from the start to the diagnostics of all files;
- a key: from the change to the diagnostics of the file;
- completion, definition, references, outline: from the request to the answer, right after a key;
- memory: the peak of the process, and what it has at the end.

Times are wall time, since an editor waits for it; the median and the slowest of all keys.
"""

import json
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import production
from measure import seconds

ORDAIN = os.environ.get("ORDAIN", str(Path(__file__).resolve().parent.parent / "target/release/ordain"))
LINES = 3000
MISSING = "long::missing"


class Server:
    """A server with a client."""

    def __init__(self, root):
        self.process = subprocess.Popen([ORDAIN, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()
        self.last = 0
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("initialize", {"capabilities": {}, "workspaceFolders": [{"uri": root.as_uri(), "name": "x"}]})
        self.tell("initialized", {})

    def read(self):
        out = self.process.stdout
        while line := out.readline():
            length = int(line.split(b":")[1])
            out.readline()
            self.messages.put((time.monotonic(), json.loads(out.read(length))))

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        """The seconds until the answer, and the answer."""
        self.last += 1
        start = time.monotonic()
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            at, message = self.messages.get(timeout=120)
            if message.get("id") == self.last and "method" not in message:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return at - start, message["result"]

    def diagnostics(self, uri, start, version):
        """The seconds until the diagnostics of this version of a document, and the diagnostics."""
        while True:
            at, message = self.messages.get(timeout=120)
            params = message.get("params") or {}
            is_it = message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri
            if is_it and params.get("version") == version:
                return at - start, params["diagnostics"]

    def memory(self, field):
        """A figure of the process in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(field))
        return int(line.split()[1]) / 1024

    def quiet(self, seconds_):
        """Waits until no message comes for some time; the time of the last."""
        last = time.monotonic()
        while True:
            try:
                last, _ = self.messages.get(timeout=seconds_)
            except queue.Empty:
                return last

    def stop(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        if self.process.wait(10) != 0:
            sys.exit("the server did not end in order")


def long_manifest():
    """A class of about 3,000 lines."""
    lines = ["# @param port The port", "class long(", "  Integer $port = 80,", "  String $owner = 'root',", ") {"]
    i = 0
    while len(lines) < LINES - 10:
        lines += [f"  $v{i} = \"${{port}}/${{facts['os']['family']}}/{i}\"", f"  file {{ \"/srv/long/{i}\":",
                  "    ensure  => file,", "    owner   => $owner,", "    mode    => '0644',",
                  f"    content => \"${{v{i}}}\\n\",", "  }"]
        i += 1
    # Only a check against all other files finds that.
    lines += [f"  include {MISSING}"]
    return lines + ["  file { '/srv/long/last':", "    ensure => file,", "    ", "  }", "  $typed = $po", "}"]


def main():
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "site"
        production.write(root)
        lines = long_manifest()
        # In a module, so that each key changes a class that the index has.
        path = root / "modules/long/manifests/init.pp"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(lines) + "\n")
        uri = path.as_uri()
        start = time.monotonic()
        server = Server(root)
        document = {"uri": uri, "languageId": "puppet", "version": 1, "text": path.read_text()}
        server.tell("textDocument/didOpen", {"textDocument": document})
        first, found = server.diagnostics(uri, start, 1)
        load = first
        while not any(MISSING in one["message"] for one in found):
            load, found = server.diagnostics(uri, start, 1)
        print(f"first diagnostics of the open file {seconds(first)}, all files {seconds(load)}")
        figures = {"diagnostics": [], "completion": [], "attributes": [], "definition": [], "references": [],
                   "outline": []}
        document = {"uri": uri}
        variable, attribute = len(lines) - 2, len(lines) - 4
        column = len(lines[variable])
        for n in range(keys):
            # A key at the end of the variable that is typed, and one that removes it again.
            is_typed = n % 2 == 0
            place = {"line": variable, "character": column}
            end = place if is_typed else {"line": variable, "character": column + 1}
            change = {"range": {"start": place, "end": end}, "text": "r" if is_typed else ""}
            began = time.monotonic()
            server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": n + 2},
                                                   "contentChanges": [change]})
            figures["diagnostics"].append(server.diagnostics(uri, began, n + 2)[0])
            at = {"line": variable, "character": column + is_typed}
            took, found = server.ask("textDocument/completion", {"textDocument": document, "position": at})
            figures["completion"].append(took)
            if not any(item["label"] == "port" for item in found["items"]):
                sys.exit("the completion has no `port`")
            place = {"textDocument": document, "position": {"line": attribute, "character": 4}}
            took, found = server.ask("textDocument/completion", place)
            figures["attributes"].append(took)
            if not any(item["label"] == "owner" for item in found["items"]):
                sys.exit("the completion has no `owner`")
            place = {"textDocument": document, "position": {"line": 1, "character": 7}}
            figures["definition"].append(server.ask("textDocument/definition", place)[0])
            place = {"textDocument": document, "position": {"line": 2, "character": 12},
                     "context": {"includeDeclaration": True}}
            figures["references"].append(server.ask("textDocument/references", place)[0])
            figures["outline"].append(server.ask("textDocument/documentSymbol", {"textDocument": document})[0])
            # After a pause, all files are checked.
            if n % 10 == 9:
                server.quiet(0.8)
        for name, times in figures.items():
            print(f"{name}: median {seconds(statistics.median(times))}, slowest {seconds(max(times))}")
        print(f"memory: peak {server.memory('VmHWM'):.0f} MB, at the end {server.memory('VmRSS'):.0f} MB")
        server.stop()


if __name__ == "__main__":
    main()
