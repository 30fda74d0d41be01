"""Runs Debian's agent through `ordain serve --shadow` in front of a puppetserver.

The run must be as without Ordain, the differences must be zero with the same code, and those of the
code with other code. Then the site switches: the authority is copied again, and the agent runs with
`ordain serve` alone. At last the site backs out: the old server gets the authority back, with the node
that was signed and the one that was revoked meanwhile.
"""

import http.client
import json
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import time

SITE = """
node default {
  include role
}
"""
ROLE = """
class role(String $owner = 'root', Array[String] $hosts = ['b', 'a']) {
  $lines = $hosts.map |$host| { "allow ${host}" }
  file { '/tmp/shadow-test': ensure => directory, owner => $owner, mode => '0755' }
  file { '/tmp/shadow-test/list': content => epp('role/list.epp', { 'lines' => $lines }) }
  file { '/tmp/shadow-test/key': content => Sensitive("secret of ${trusted['certname']}"), mode => '0600' }
  file { '/tmp/shadow-test/copied': source => 'puppet:///modules/role/copied', require => File['/tmp/shadow-test/list'] }
  file { '/tmp/shadow-test/tree': source => ['puppet:///modules/role/missing', 'puppet:///modules/role/tree'], recurse => true, ignore => '*.bak' }
  exec { "/bin/echo ${facts['os']['family']} ${trusted['extensions']['pp_role']}":
    refreshonly => true, subscribe => File['/tmp/shadow-test/copied'], loglevel => 'debug',
  }
  role::part { ['one', 'two']: text => "of ${facts['networking']['hostname']}", notify => Exec["/bin/echo ${facts['os']['family']} ${trusted['extensions']['pp_role']}"] }
  @notify { 'virtual': }
  Notify <| title == 'virtual' |> { message => 'collected' }
}
"""
CODE = {
    "environments/production/manifests/site.pp": SITE,
    "environments/production/modules/role/manifests/init.pp": ROLE,
    "environments/production/modules/role/manifests/part.pp":
        "define role::part(String $text) { notify { \"${title} ${text}\": } }\n",
    "environments/production/modules/role/templates/list.epp":
        "<%- | Array $lines | -%>\n<% $lines.each |$line| { -%>\n<%= $line %>\n<% } -%>\n",
    "environments/production/modules/role/files/copied": "copied\n",
    "environments/production/modules/role/files/tree/deep/a b.txt": "a\n",
    "environments/production/modules/role/files/tree/b.bak": "b\n",
    "environments/production/hiera.yaml":
        "version: 5\nhierarchy:\n  - { name: all, path: all.yaml }\n",
    "environments/production/data/all.yaml": "role::hosts: [x, y]\n",
}


def write_code(code, more=None):
    for name, text in {**CODE, **(more or {})}.items():
        path = code / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


HEADERS = "version: 1\n    allow-header-cert-info: true"


def trust_headers(conf):
    """The one setting of the old server."""
    path = conf / "auth.conf"
    text = path.read_text()
    assert "version: 1" in text, text
    path.write_text(text.replace("version: 1", HEADERS, 1))


def trust_certificates(conf):
    """Removes the setting."""
    path = conf / "auth.conf"
    text = path.read_text()
    assert HEADERS in text, text
    path.write_text(text.replace(HEADERS, "version: 1", 1))


class Shadow:
    """`ordain serve` with a copy of the authority, in front of the old server or in its place."""

    def __init__(self, ordain, base, code, port, old, is_shadow=True):
        self.base, self.port, self.ordain = base, port, ordain
        base.mkdir()
        ca = base / "state/ca"
        subprocess.run([ordain, "ca", "import", "--from", old.ca_dir, "--ca-dir", ca], check=True)
        self.log = base / "log.txt"
        in_front = ["--shadow", f"https://localhost:{old.port}"] if is_shadow else ["--autosign", "all"]
        self.process = subprocess.Popen(
            [ordain, "serve", "--code", code, "--state-dir", base / "state", "--listen", f"127.0.0.1:{port}",
             "--names", "localhost", *in_front, "--strict", "warning", "--strict-variables", "false"],
            stdout=subprocess.PIPE, stderr=open(self.log, "w"), text=True)
        if "Serving" not in self.process.stdout.readline():
            raise SystemExit(f"ordain serve does not start: {self.log.read_text()}")
        subprocess.run([ordain, "ca", "generate", "shadow-admin", "--admin", "--ssl-dir", base / "ssl", "--ca-dir", ca],
                       check=True, stdout=subprocess.DEVNULL)

    def document(self):
        ssl_dir = self.base / "ssl"
        context = ssl.create_default_context(cafile=ssl_dir / "certs/ca.pem")
        context.load_cert_chain(ssl_dir / "certs/shadow-admin.pem", ssl_dir / "private_keys/shadow-admin.pem")
        connection = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=60)
        connection.request("GET", "/ordain/v1/shadow")
        return json.loads(connection.getresponse().read())

    def wait(self, compared):
        end = time.monotonic() + 60
        while self.document()["counts"]["compared"] < compared:
            if time.monotonic() > end:
                raise SystemExit(f"nothing is compared: {self.document()}\n{self.log.read_text()[-3000:]}")
            time.sleep(0.2)
        return self.document()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def agent(base, port, name="web.example.org"):
    """Runs an agent without changing the machine. Returns its exit code and output."""
    base.mkdir(exist_ok=True)
    attributes = base / "csr_attributes.yaml"
    attributes.write_text("extension_requests:\n  pp_role: web\n")
    done = subprocess.run(
        ["puppet", "agent", "--test", "--noop", "--server", "localhost", "--serverport", str(port), "--certname",
         name, "--confdir", base, "--vardir", base / "var", "--ssldir", base / "ssl", "--rundir", base,
         "--logdir", base, "--csr_attributes", attributes, "--waitforcert", "0", "--color", "false"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def fails(code, output):
    return code not in (0, 2) or re.search("^Error: (?!Facter)", output, re.M) is not None


def back_out(ordain, base, old, switched):
    """The phase of docs/move-a-site.md, with a node that enrols and one that is revoked after the switch. Yields the faults."""
    for name in ("new", "gone"):
        code, output = agent(base / f"agent-{name}", switched.port, f"{name}.example.org")
        if fails(code, output):
            yield f"the agent {name} fails after the switch:\n{output}"
    ca = switched.base / "state/ca"
    subprocess.run([ordain, "ca", "revoke", "gone.example.org", "--ca-dir", ca], check=True)
    switched.stop()
    subprocess.run([ordain, "ca", "export", base / "new-ca", "--ca-dir", ca], check=True)
    old.ca_dir.rename(old.base / "ca-before")
    shutil.move(base / "new-ca", old.ca_dir)
    trust_certificates(old.base / "conf.d")
    old.start()
    old.wait()
    for name, directory, is_refused in (
            ("web", "agent", False), ("new", "agent-new", False), ("gone", "agent-gone", True), ("later", "agent-later", False)):
        code, output = agent(base / directory, old.port, f"{name}.example.org")
        print(f"the agent {name} after backing out: exit code {code}")
        # Java's TLS sends one of two alerts for a revoked certificate.
        is_alert = any(f"alert certificate {word}" in output for word in ("revoked", "unknown"))
        if fails(code, output) != is_refused or (is_refused and not is_alert):
            yield f"the agent {name} after backing out: exit code {code}\n{output}"
    signed = (old.ca_dir / "inventory.txt").read_text().splitlines()
    numbers = [line.split()[0] for line in signed]
    if len(set(numbers)) != len(numbers) or "later.example.org" not in signed[-1]:
        yield f"the inventory after backing out: {signed}"


def check(ordain, base, puppetserver, ports):
    """Returns the faults."""
    faults = []
    write_code(base / "code")
    other = {
        "environments/production/data/all.yaml": "role::hosts: [x, z]\nrole::owner: daemon\n",
        "environments/production/modules/role/files/copied": "other\n",
        "environments/production/modules/role/files/tree/deep/a b.txt": "other\n",
        "environments/production/modules/role/files/tree/b.bak": "other\n",
    }
    write_code(base / "code-other", other)
    old = puppetserver.PuppetServer(base / "old", base / "code", ports[0], instances=1, change=trust_headers, autosign=True)
    shadows = []
    try:
        old.wait()
        shadow = Shadow(ordain, base / "shadow", base / "code", ports[1], old)
        shadows.append(shadow)
        for run in (1, 2):
            code, output = agent(base / "agent", ports[1])
            print(f"run {run} of the agent: exit code {code}")
            if fails(code, output):
                faults.append(f"the agent fails through Ordain:\n{output}")
        document = shadow.wait(2)
        print(json.dumps(document["counts"]), document["zero_since"])
        not_compared = sum(node["files_not_compared"] for node in document["nodes"])
        if not document["zero_since"] or document["counts"]["skipped"] or not_compared:
            faults.append(f"the same code differs: {json.dumps(document, indent=1)}")
        shadow.stop()
        shutil.rmtree(base / "agent/var/client_data", ignore_errors=True)
        shadow = Shadow(ordain, base / "shadow-other", base / "code-other", ports[2], old)
        shadows.append(shadow)
        agent(base / "agent", ports[2])
        document = shadow.wait(1)
        names = [one["resource"] for one in document["resources"]]
        print("differences of other code:", ", ".join(names))
        expected = {"Class[Role]", "File[/tmp/shadow-test]", "File[/tmp/shadow-test/list]", "File[/tmp/shadow-test/copied]",
                    "File[/tmp/shadow-test/tree]"}
        if set(names) != expected or "secret of" in json.dumps(document):
            faults.append(f"other differences: {json.dumps(document, indent=1)}")
        old.stop()
        shadow = Shadow(ordain, base / "switched", base / "code", ports[3], old, is_shadow=False)
        shadows.append(shadow)
        code, output = agent(base / "agent", ports[3])
        print(f"the agent after the switch: exit code {code}")
        if fails(code, output):
            faults.append(f"the agent fails after the switch:\n{output}")
        faults += back_out(ordain, base, old, shadow)
    finally:
        for shadow in shadows:
            if shadow.process.poll() is None:
                shadow.stop()
        if old.process.poll() is None:
            old.stop()
    return faults
