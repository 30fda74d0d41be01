"""Debian's agent gets the plugins and facts of many modules from both servers, and runs with `--tags`.

Both servers have the same code: all modules of a directory. The trees of the agents must be equal, with the metadata that an
agent takes over; a second run must copy nothing; and with tags, the same resources must be applied and skipped.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import time

import puppetserver as peer
import yaml

SITE = """
notify { 'plain': }
notify { 'tagged': tag => 'wanted' }
class inside { notify { 'in a class': } file { '/tmp/plugins-test': ensure => directory, noop => true } }
include inside
define of_define() { notify { "in ${title}": require => Notify['tagged'] } }
of_define { ['one', 'two']: tag => ['wanted', 'other'] }
schedule { 'never': period => 'never' }
notify { 'not now': schedule => 'never', tag => 'wanted' }
"""
TAGS = "wanted", "inside", "notify", "of_define,inside", "missing", "other"


def write_code(code, modules):
    """An environment whose modules are those of a directory, copied without links."""
    environment = code / "environments/production"
    (environment / "manifests").mkdir(parents=True)
    (environment / "manifests/site.pp").write_text(SITE)
    (environment / "environment.conf").write_text("environment_timeout = unlimited\n")
    names = set()
    for module in sorted(modules.iterdir()):
        # A package's name has the author first.
        name = re.sub("[^a-z0-9_]", "_", module.name.split("-", 1)[-1].lower())
        if module.is_dir() and name not in names:
            names.add(name)
            shutil.copytree(module, environment / "modules" / name, ignore_dangling_symlinks=True)
    return len(names)


def ambiguous(code):
    """The plugins that several modules have with different contents. puppetserver sends that of the module which the file system
    lists first, so its choice differs from machine to machine; Ordain sends that of the first module by name."""
    contents = {}
    for path in (code / "environments/production/modules").glob("*/lib/**/*"):
        if path.is_file():
            relative = path.relative_to(code / "environments/production/modules")
            contents.setdefault("/".join(relative.parts[2:]), set()).add(hashlib.sha256(path.read_bytes()).hexdigest())
    return {name for name, digests in contents.items() if len(digests) > 1}


def tree(directory):
    """The paths below a directory, with type, mode and content."""
    found = {}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        kind = stat.S_IFMT(status.st_mode)
        content = hashlib.sha256(path.read_bytes()).hexdigest() if kind == stat.S_IFREG else ""
        link = os.readlink(path) if kind == stat.S_IFLNK else ""
        found[str(path.relative_to(directory))] = (kind, oct(stat.S_IMODE(status.st_mode)), content, link)
    return found


class Agent:
    def __init__(self, base, port):
        self.base, self.port = base, port
        base.mkdir()

    def run(self, *more):
        """Runs the agent once. Returns seconds, exit code and output."""
        for report in (self.base / "var/state").glob("last_run_report.yaml"):
            report.unlink()
        begin = time.monotonic()
        done = subprocess.run(
            ["puppet", "agent", "--test", "--server", "localhost", "--serverport", str(self.port), "--certname",
             "plugins.example.org", "--confdir", self.base, "--vardir", self.base / "var", "--ssldir", self.base / "ssl",
             "--rundir", self.base, "--logdir", self.base, "--waitforcert", "0", "--color", "false",
             "--keylength", "2048", *more],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return time.monotonic() - begin, done.returncode, done.stdout

    def trees(self):
        return {name: tree(self.base / "var" / name) for name in ("lib", "facts.d", "locales") if (self.base / "var" / name).is_dir()}

    def report(self):
        """The resources of the last report: what was skipped, changed, and failed."""
        path = self.base / "var/state/last_run_report.yaml"
        # The tags of YAML name Ruby's classes.
        text = re.sub(r"!ruby/[^\s]+", "", path.read_text())
        statuses = yaml.safe_load(text)["resource_statuses"]
        keys = "skipped", "changed", "failed", "out_of_sync", "scheduled"
        return {name: {key: one.get(key) for key in keys} for name, one in statuses.items()}


def requests(agent, url_count=3):
    """The seconds of a listing of all plugins, and its length."""
    ssl_dir = agent.base / "ssl"
    url = (f"https://localhost:{agent.port}/puppet/v3/file_metadatas/plugins?environment=production&recurse=true&links=follow"
           "&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&checksum_type=sha256&source_permissions=ignore&max_files=-1")
    command = ["curl", "--silent", "--fail", "--cacert", ssl_dir / "certs/ca.pem", "--cert", ssl_dir / "certs/plugins.example.org.pem",
               "--key", ssl_dir / "private_keys/plugins.example.org.pem", "--header", "accept: application/json", url]
    times = []
    for _ in range(url_count):
        begin = time.monotonic()
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        times.append(time.monotonic() - begin)
    entries = json.loads(text)
    for entry in entries:
        # The path of the first module that has the directory, and the times of the code.
        for key in ("path",) if entry["type"] == "directory" else ():
            entry.pop(key)
        if entry["type"] == "directory":
            entry.pop("checksum")
    return times, sorted(entries, key=lambda entry: entry["relative_path"])


def difference(theirs, ours, left_out=()):
    names = sorted((set(theirs) | set(ours)) - set(left_out))
    return [f"{name}: {theirs.get(name)} there, {ours.get(name)} here" for name in names if theirs.get(name) != ours.get(name)]


def check(ordain, base, ports, modules, make_ordain):
    """Returns the faults."""
    count = write_code(base / "code", modules)
    several = ambiguous(base / "code")
    print(f"{len(several)} plugins are in several modules with different contents: {', '.join(sorted(several))}")
    real = peer.PuppetServer(base / "real", base / "code", ports[0], instances=1, autosign=True)
    own = make_ordain(ordain, base / "own", base / "code", ports[1], "all")
    faults = []
    try:
        own.wait()
        real.wait()
        pair = [Agent(base / name, port) for name, port in (("agent-real", ports[0]), ("agent-own", ports[1]))]
        for run in ("first run", "second run"):
            outcomes = [agent.run() for agent in pair]
            print(f"{run}, {count} modules: {outcomes[0][0]:.1f} s with puppetserver, {outcomes[1][0]:.1f} s with ordain")
            if outcomes[0][1] != outcomes[1][1] or re.search("^Error: (?!Facter)", outcomes[1][2], re.M):
                faults.append(f"{run}: exit codes {outcomes[0][1]}, {outcomes[1][1]}\n{outcomes[0][2][-1500:]}\n{outcomes[1][2][-1500:]}")
            if run == "second run" and "/ensure: defined content" in outcomes[1][2]:
                faults.append(f"the second run copies plugins again:\n{outcomes[1][2]}")
        theirs, ours = (agent.trees() for agent in pair)
        for name in sorted(set(theirs) | set(ours)):
            found = difference(theirs.get(name, {}), ours.get(name, {}), several)
            print(f"{name}: {len(ours.get(name, {}))} files and directories, {len(found)} differences")
            faults += found[:20]
        listings = [requests(agent) for agent in pair]
        found = difference(*({one["relative_path"]: one for one in listing} for _, listing in listings), several)
        print(f"metadata of {len(listings[1][1])} plugins: {min(listings[0][0]):.2f} s from puppetserver, "
              f"{min(listings[1][0]):.3f} s from ordain, {len(found)} differences")
        faults += found[:20]
        for tags in TAGS:
            outcomes = [agent.run("--tags", tags) for agent in pair]
            theirs, ours = (agent.report() for agent in pair)
            found = difference(theirs, ours)
            skipped = sum(1 for one in ours.values() if one["skipped"])
            print(f"--tags {tags}: {len(ours) - skipped} applied, {skipped} skipped, {len(found)} differences")
            faults += [f"--tags {tags}: {text}" for text in found]
            if outcomes[0][1] != outcomes[1][1]:
                faults.append(f"--tags {tags}: exit codes {outcomes[0][1]}, {outcomes[1][1]}\n{outcomes[1][2][-1500:]}")
    finally:
        own.stop()
        real.stop()
    return faults
