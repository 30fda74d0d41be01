#!/usr/bin/env python3
"""Measures `ordain fleet diff` on a fleet that it writes: 2,000 nodes of 500 resources.

usage: bench/fleet.py [ORDAIN] [--nodes N] [--resources N] [--dir DIR]

Figures are CPU seconds, user and system, and the largest memory. Each line is one run:
  cold         both revisions of a change of every node, without a cache
  cold, 100    a change of one template that 100 nodes use, without a cache
  second       the first comparison again, with its cache
  incremental  a further change of the template, with the cache
  first, 100   a change of one template that 100 nodes use, with an empty cache
  second, 100  the same again
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

RESOURCES_OF_DEFINE = 4


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def site(root, resources, roles):
    """Writes a site: each node gets `resources` resources, four in each instance of a define."""
    instances = resources // RESOURCES_OF_DEFINE
    write(root / "environment.conf", "modulepath = modules\n")
    write(
        root / "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: nodes\n    path: \"nodes/%{trusted.certname}.yaml\"\n"
        "  - name: roles\n    path: \"roles/%{facts.role}.yaml\"\n"
        "  - name: common\n    path: common.yaml\n",
    )
    write(root / "data/common.yaml", "base::owner: root\nbase::servers:\n  - one\n  - two\n")
    names = "".join(f"'{number}'," for number in range(instances - 1))
    write(
        root / "modules/base/manifests/init.pp",
        "class base(String $owner, Array[String] $servers) {\n"
        f"  [{names}].each |$n| {{\n"
        "    base::unit { $n: owner => $owner, servers => $servers }\n  }\n"
        "  include \"role::${facts['role']}\"\n}\n",
    )
    write(
        root / "modules/base/manifests/unit.pp",
        "define base::unit(String $owner, Array[String] $servers) {\n"
        "  file { \"/srv/${title}\": ensure => directory, owner => $owner }\n"
        "  file { \"/srv/${title}/conf\":\n"
        "    content => template('base/unit.erb'),\n"
        "    owner   => $owner,\n"
        "    notify  => Service[\"unit-${title}\"],\n  }\n"
        "  service { \"unit-${title}\": ensure => running, enable => true }\n}\n",
    )
    write(
        root / "modules/base/templates/unit.erb",
        "# <%= @title %> of <%= @facts['networking']['fqdn'] %>\n"
        "<% @servers.each do |server| -%>\nserver <%= server %>\n<% end -%>\n",
    )
    for role in roles:
        write(
            root / f"modules/role/manifests/{role}.pp",
            f"class role::{role} {{\n  file {{ '/etc/{role}': content => template('role/{role}.erb') }}\n}}\n",
        )
        write(root / f"modules/role/templates/{role}.erb", f"role {role}\n")
    write(root / "manifests/site.pp", "node default { include base }\n")


def facts(root, nodes, roles):
    """Writes facts of about 7 KB a node, as an agent has."""
    for number in range(nodes):
        role = roles[number * len(roles) // nodes]
        name = f"node{number:05}.example.org"
        disks = {f"sd{letter}": {"size": "1 TiB", "model": "x" * 60} for letter in "abcdefgh"}
        values = {
            "role": role,
            "networking": {"fqdn": name, "hostname": name.split(".")[0], "ip": f"10.0.{number // 250}.1"},
            "os": {"family": "Debian", "release": {"full": "12", "major": "12"}},
            "disks": disks,
            "more": {f"fact{n}": "value " * 8 for n in range(87)},
            "system_uptime": {"seconds": 1000 + number},
        }
        write(root / f"{name}.json", json.dumps(values))


def measure(label, ordain, arguments):
    """Runs the program and prints CPU seconds and memory."""
    with tempfile.NamedTemporaryFile() as out:
        pid = os.posix_spawn(
            ordain,
            [ordain, "fleet", "diff", *arguments],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_OPEN, 1, out.name, os.O_WRONLY, 0o600)],
        )
        _, status, usage = os.wait4(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        first = pathlib.Path(out.name).read_text().splitlines()[:1]
    cpu = usage.ru_utime + usage.ru_stime
    print(f"{label:12} {cpu:7.2f} s  {usage.ru_maxrss // 1024:5} MB  exit {code}  {' '.join(first)}", flush=True)
    return cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ordain", nargs="?", default="target/release/ordain")
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--resources", type=int, default=500)
    parser.add_argument("--dir")
    options = parser.parse_args()
    base = pathlib.Path(options.dir or tempfile.mkdtemp(prefix="ordain-fleet-"))
    repository, facts_dir, cache = base / "control", base / "facts", base / "cache"
    roles = [f"r{number:02}" for number in range(20)]
    shutil.rmtree(cache, ignore_errors=True)
    if not repository.exists():
        site(repository, options.resources, roles)
        facts(facts_dir, options.nodes, roles)
        git = ["git", "-C", str(repository), "-c", "user.name=b", "-c", "user.email=b@example.org"]

        def commit(message):
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", message], check=True)
            subprocess.run([*git, "tag", message], check=True)

        subprocess.run([*git, "init", "-q"], check=True)
        commit("base")
        write(repository / "data/common.yaml", "base::owner: root\nbase::servers:\n  - one\n  - three\n")
        commit("all")
        write(repository / "modules/role/templates/r03.erb", "role three\n")
        commit("template")
        write(repository / "modules/role/templates/r03.erb", "role three again\n")
        commit("again")
    ordain = str(pathlib.Path(options.ordain).resolve())
    common = ["--path", str(repository), "--facts", str(facts_dir)]
    measure("cold", ordain, ["base..all", *common, "--no-cache"])
    measure("cold, 100", ordain, ["all..template", *common, "--no-cache"])
    cached = [*common, "--cache", str(cache)]
    first = measure("first", ordain, ["base..all", *cached])
    second = measure("second", ordain, ["base..all", *cached])
    measure("incremental", ordain, ["all..template", *cached])
    measure("further", ordain, ["template..again", *cached])
    print(f"second / first: {100 * second / first:.1f} %")
    shutil.rmtree(cache)
    first = measure("first, 100", ordain, ["all..template", *cached])
    second = measure("second, 100", ordain, ["all..template", *cached])
    print(f"second / first: {100 * second / first:.1f} %")
    if not options.dir:
        shutil.rmtree(base)


main()
