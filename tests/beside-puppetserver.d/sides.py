"""A server, with the certificates and commands of an administrator."""

import http.client
import itertools
import json
import re
import signal
import ssl
import subprocess

CODE = {
    "environments/production/manifests/site.pp": "notify { 'a': }\n",
    "environments/production/environment.conf": "modulepath = modules\nenvironment_timeout = unlimited\n",
    "environments/production/modules/m/manifests/init.pp": "class m(Integer $count = 3) { }\n",
    "environments/production/modules/m/metadata.json": '{"name":"a-m","version":"1.2.3","author":"a",'
    '"source":"","dependencies":[],"license":"Apache-2.0","summary":""}',
    "environments/production/modules/m/tasks/init.sh": "#!/bin/sh\necho init\n",
    "environments/production/modules/m/tasks/both.json":
        '{"description":"Does both","input_method":"stdin","parameters":{"name":{"type":"String"}},'
        '"implementations":[{"name":"both.sh","requirements":["shell"]},{"name":"both.ps1","requirements":["powershell"]}],'
        '"files":["m/files/helper.sh","m/lib/helper.rb"]}',
    "environments/production/modules/m/tasks/both.sh": "echo sh\n",
    "environments/production/modules/m/tasks/both.ps1": "echo ps1\n",
    "environments/production/modules/m/tasks/hidden.json": '{"private":true,"description":"Is hidden"}',
    "environments/production/modules/m/tasks/hidden.rb": "puts 1\n",
    "environments/production/modules/m/tasks/alone.json": '{"description":"Has no program"}',
    "environments/production/modules/m/tasks/wrong.json": "{",
    "environments/production/modules/m/tasks/wrong.sh": "echo wrong\n",
    "environments/production/modules/m/tasks/Upper.sh": "echo upper\n",
    "environments/production/modules/m/files/helper.sh": "helper\n",
    "environments/production/modules/m/lib/helper.rb": "# helper\n",
    "environments/production/modules/m/plans/init.pp": "plan m() { }\n",
    "environments/production/modules/m/plans/deep/inner.pp": "plan m::deep::inner() { }\n",
    "environments/production/modules/m/plans/yaml.yaml": "steps: []\n",
    "environments/production/modules/other/tasks/go.py": "print(1)\n",
    "environments/production/modules/empty/manifests/init.pp": "class empty { }\n",
}


def write_code(code):
    for name, text in CODE.items():
        path = code / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Ordain:
    """A running `ordain serve`."""

    def __init__(self, program, base, code, port, autosign="off"):
        base.mkdir()
        self.ca_dir = base / "ca"
        self.log = base / "log.txt"
        self.process = subprocess.Popen(
            [program, "serve", "--code", code, "--state-dir", base / "state", "--ca-dir", self.ca_dir,
             "--listen", f"127.0.0.1:{port}", "--names", "localhost", "--autosign", autosign],
            stdout=subprocess.PIPE, stderr=open(self.log, "w"), text=True,
        )

    def wait(self):
        if "Serving" not in self.process.stdout.readline():
            raise SystemExit(f"ordain serve does not start: {self.log.read_text()}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Side:
    """A server and the directory of its administrator, `admin.example.org`."""

    def __init__(self, ordain, base, port, ca_dir):
        self.base, self.port, self.ca_dir = base, port, ca_dir
        base.mkdir()
        ssl_dir = base / "ssl"
        for name, more in (("admin.example.org", ["--admin"]), ("node.example.org", [])):
            subprocess.run(
                [ordain, "ca", "generate", name, "--ssl-dir", ssl_dir, "--ca-dir", ca_dir, *more],
                check=True, stdout=subprocess.DEVNULL,
            )
        (base / "puppet.conf").write_text(
            f"[main]\ncertname = admin.example.org\nserver = localhost\nserverport = {port}\n"
            f"ssldir = {ssl_dir}\ncadir = {base}/no-ca\nkeylength = 2048\nconfdir = {base}\n"
        )

    def ca(self, *arguments):
        """Runs `puppetserver ca`, and returns output and exit code."""
        command = ["puppetserver", "ca", *arguments, "--config", str(self.base / "puppet.conf")]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = [line for line in done.stdout.splitlines() if "Permission denied" not in line]
        return normal("\n".join(lines).replace(str(self.base), "[dir]").replace(str(self.port), "[port]"),
                      done.returncode)

    def request(self, method, path, body=None, headers=None, name="admin.example.org"):
        """Sends a request, with the certificate of a node or without one."""
        context = ssl.create_default_context(cafile=self.base / "ssl/certs/ca.pem")
        if name:
            ssl_dir = self.base / "ssl"
            context.load_cert_chain(ssl_dir / f"certs/{name}.pem", ssl_dir / f"private_keys/{name}.pem")
        connection = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=60)
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        return reply.status, reply.getheader("content-type") or "", reply.read()


def normal(text, code):
    """The text without what differs between two authorities."""
    lines = []
    for line in text.splitlines():
        if line.startswith("{") or line.startswith("["):
            try:
                lines.append(json.dumps(normal_json(json.loads(line)), indent=1, sort_keys=True))
                continue
            except ValueError:
                pass
        # The server's own certificate has extensions of its own.
        if not re.match(r"\s+(localhost|node\.example\.org) ", line):
            lines.append(re.sub(r"([0-9A-F]{2}:){19,}[0-9A-F]{2}", "[digest]", line))
    return "\n".join(in_order(lines)) + f"\nexit code {code}"


def in_order(lines):
    """Orders the rows of each list: puppetserver has them in the order of its directory."""
    ordered = []
    for is_row, rows in itertools.groupby(lines, lambda line: "(SHA256)" in line or line.startswith("Successfully signed")):
        ordered += sorted(rows) if is_row else rows
    return ordered


def normal_json(value, key=""):
    if isinstance(value, list):
        items = [normal_json(item) for item in value if not is_own(item)]
        # puppetserver has them in the order of its directory.
        return sorted(items, key=lambda item: item["name"]) if key in STATES else items
    if isinstance(value, dict):
        return {key: normal_json(item, key) for key, item in value.items()}
    if key in ("fingerprint", "SHA1", "SHA256", "SHA512", "default", "serial_number"):
        return f"[{type(value).__name__}]"
    if key in ("not_after", "not_before"):
        return re.sub(r"[0-9]", "0", value)
    return value


STATES = ("requested", "signed", "revoked")


def is_own(item):
    return isinstance(item, dict) and item.get("name") in ("localhost", "node.example.org") and "state" in item
