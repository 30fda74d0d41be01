#!/usr/bin/env python3
"""Compares compiles of Inmanta's models with the original, side by side in one run.

    bench/inmanta.py            all, with a table in Markdown
    bench/inmanta.py base ...   some: trivial, base, larger, largest, relation, members, loops, chain, files,
                                resources, modules, calls, rounds

Needs a release build (`cargo build --release -p ordain-cli`). The variable INMANTA names the command
`inmanta` of an installed inmanta-core with the module std, and for `modules` with the modules fs and
exec; without it there are only our own figures. Figures are CPU seconds, user and system, of whole
processes and of the Python that they start, and the peak of memory of the largest one; what the best
of several runs took. Ours also print the resources; the original exports them in the cases with
Python code of modules only.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import best, seconds

HERE = Path(__file__).resolve().parent
ORDAIN = os.environ.get("ORDAIN", str(HERE.parent / "target/release/ordain"))
INMANTA = os.environ.get("INMANTA")

PROJECT = """name: bench
modulepath: libs
downloadpath: libs
repo: []
pip:
  use_system_config: false
"""
HOSTS = """entity Host:
    string name
    string os = "linux"
end
entity Service:
    string name
    int port = 80
    bool tls = false
end
entity Check:
    string name
end
Host.services [0:] -- Service.host [1]
Service.checks [0:] -- Check.service [1]
index Host(name)
index Service(host, name)
index Check(service, name)
implement Host using std::none
implement Service using std::none
implement Service using checked when tls
implement Check using std::none
implementation checked for Service:
    Check(service=self, name="tls-{{name}}")
end
"""
FILES = """import std::testing
entity Host:
    string name
end
entity File:
    string path
    string content
end
Host.files [0:] -- File.host [1]
index Host(name)
index File(host, path)
implement Host using files
implement File using resource
implementation files for Host:
    for number in std::sequence(4):
        File(host=self, path="/etc/{{name}}/{{number}}", content=std::template("/file.j2"))
    end
end
implementation resource for File:
    std::testing::NullResource(name=path, agentname=host.name, value=content)
end
for number in std::sequence(1000):
    Host(name="host{{number}}")
end
"""
TEMPLATE = """# {{ name }}
{% for line in [1, 2, 3] %}
listen {{ name }}:{{ line }}{{ number }}
{% endfor %}
"""

# A module whose resource classes read attributes, walk relations and count in the module's state.
MODEL_OF_MODULE = """entity Network:
    string name
    string domain
end
entity Node extends std::Entity:
    string name
    string address
    int memory = 4
end
entity File extends std::PurgeableResource:
    string path
    string content
    string owner = "root"
    int? mode = 644
end
entity Command extends std::PurgeableResource:
    string command
    dict environment = {}
    string unless = ""
    int[] returns = [0]
    int timeout = 300
end
entity Unit extends std::Resource:
    string name
    bool enabled = true
end
Network.nodes [0:] -- Node.network [1]
File.node [1] -- Node.files [0:]
Command.node [1] -- Node.commands [0:]
Unit.node [1] -- Node.units [0:]
Unit.reads [0:] -- File
index Node(name)
index File(node, path)
implement Network using std::none
implement Node using std::none
implement File using std::none
implement Command using std::none
implement Unit using std::none
"""
PYTHON_OF_MODULE = """
import hashlib
import shlex

from inmanta.export import dependency_manager
from inmanta.plugins import plugin
from inmanta.resources import PurgeableResource, Resource, resource

made = {}


@plugin
def join(name: "string", number: "int") -> "string":
    return "%s-%d" % (name, number)


@plugin
def prefix(number: "int", width: "int" = 8) -> "int":
    return (number * 2654435761) % (1 << width)


@plugin
def words(text: "string") -> "string[]":
    return text.split("-")


@plugin
def options(name: "string", values: "list") -> "dict":
    return {"name": name, "count": len(values), "values": list(values), "nested": {"a": [1, 2.5, None]}}


@plugin
def host_name(node: "server::Node") -> "string":
    return node.name + "." + node.network.domain


@resource("server::File", agent="node.name", id_attribute="path")
class File(PurgeableResource):
    fields = ("path", "hash", "owner", "permissions", "number")

    @staticmethod
    def get_hash(exporter, file):
        return exporter.upload_file("# of %s\\n%s" % (file.node.network.name, file.content))

    @staticmethod
    def get_permissions(_, file):
        return int(file.mode) if file.mode is not None else None

    @staticmethod
    def get_number(_, file):
        return made.setdefault(file.node.name, len(made))


@resource("server::Command", agent="node.name", id_attribute="command")
class Command(PurgeableResource):
    fields = ("command", "environment", "unless", "returns", "timeout", "words")

    @staticmethod
    def get_words(_, command):
        return shlex.split(command.command)


@resource("server::Unit", agent="node.name", id_attribute="name")
class Unit(Resource):
    fields = ("name", "enabled", "digest", "fqdn")

    @staticmethod
    def get_digest(_, unit):
        paths = sorted(file.path + file.content for file in unit.reads)
        return hashlib.sha1("".join(paths).encode()).hexdigest()

    @staticmethod
    def get_fqdn(_, unit):
        return unit.node.name + "." + unit.node.network.domain


@dependency_manager
def files_first(model, resources):
    files = {}
    for one in resources.values():
        if one.id.entity_type == "server::File":
            files.setdefault(one.id.agent_name, []).append(one)
    for one in resources.values():
        if one.id.entity_type == "server::Unit":
            one.requires.update(files.get(one.id.agent_name, ()))
"""
RESOURCES = """import server
network = server::Network(name="inner", domain="example.org")
for number in std::sequence(600):
    node = server::Node(name="node{{number}}", address="10.0.0.{{number}}", network=network)
    for at in std::sequence(5):
        server::File(node=node, path="/etc/app/{{at}}.conf", content="listen {{number}} {{at}}")
    end
    for at in std::sequence(3):
        server::Command(node=node, command="/usr/bin/run --part {{at}} 'for {{number}}'", environment={"AT": "{{at}}"})
    end
    for at in std::sequence(2):
        server::Unit(node=node, name="app{{at}}.service", reads=node.files)
    end
end
"""
MODULES = """import fs
import exec
import mitogen
local = mitogen::Local()
for number in std::sequence(600):
    host = std::Host(name="host{{number}}", os=std::linux, via=local)
    fs::Directory(host=host, path="/etc/app", owner="root", group="root", mode=755)
    fs::Symlink(host=host, src="/etc/app", dst="/opt/app")
    for at in std::sequence(5):
        fs::ConfigFile(host=host, path="/etc/app/{{at}}.conf", content="listen {{number}} {{at}}")
    end
    for at in std::sequence(3):
        exec::Run(host=host, command="/usr/bin/run --part {{at}} 'for {{number}}'", environment={"AT": "{{at}}"})
    end
end
"""
CALLS = """import server
network = server::Network(name="inner", domain="example.org")
entity Made:
    string name
    int prefix
    string[] words
    dict options
    string host
end
implement Made using std::none
for number in std::sequence(4000):
    node = server::Node(name="node{{number}}", address="10.0.0.1", network=network)
    name = server::join("node", number)
    made = Made(
        name=name, prefix=server::prefix(number, width=16), words=server::words("a-b-{{number}}"),
        options=server::options("node", [number, 1, 2]), host=server::host_name(node),
    )
end
"""


def rounds(count):
    """Calls each of which needs the result of the one before."""
    calls = "".join(f"x{n + 1} = server::prefix(x{n}, width=16)\n" for n in range(count))
    return f"import server\nx0 = 1\n{calls}"


def trivial():
    return "x = 1\n"


def base(count):
    """Instances that are written out: hosts, four services of each, one of which makes a check."""
    lines, made, host = [], 0, 0
    while made < count:
        host += 1
        made += 6
        lines.append(f'h{host} = Host(name="h{host}")')
        lines += [f'Service(host=h{host}, name="s{n}"{", tls=true" if n == 0 else ""})' for n in range(4)]
    return HOSTS + "\n".join(lines) + "\n"


def relation(count):
    return f"""entity A:
end
entity B:
    int n
end
A.bs [0:] -- B.a [0:1]
implement A using std::none
implement B using std::none
a = A()
for i in std::sequence({count}):
    a.bs += B(n=i)
end
c = std::count(a.bs)
"""


def loops(count):
    return HOSTS + f"""for i in std::sequence({count // 5}):
    h = Host(name="h{{{{i}}}}")
    for j in std::sequence(4):
        Service(host=h, name="s{{{{j}}}}")
    end
end
"""


def chain(count):
    return f"""entity N:
    int n
end
N.next [0:1] -- N.prev [0:1]
implement N using more when n > 0
implement N using std::none
implementation more for N:
    self.next = N(n=self.n - 1)
end
N(n={count})
"""


# Name, model, our number of runs, and theirs; `None` if a run would take minutes.
CASES = {
    "trivial": ("trivial model", trivial, 50, 3),
    "base": ("10,000 instances written out", lambda: base(10_000), 20, 2),
    "larger": ("50,000 instances written out", lambda: base(50_000), 10, 2),
    "largest": ("1,000,000 instances written out", lambda: base(1_000_000), 2, 0),
    "relation": ("one relation with 20,000 members", lambda: relation(20_000), 10, 1),
    "members": ("one relation with 100,000 members", lambda: relation(100_000), 5, 0),
    "loops": ("50,000 instances in nested loops", lambda: loops(50_000), 5, 1),
    "chain": ("10,000 instances that make each other", lambda: chain(10_000), 10, 1),
    "files": ("1,000 hosts with 4,000 files of a template", lambda: FILES, 5, 1),
    "resources": ("6,000 exported resources of a module with Python", lambda: RESOURCES, 5, 2),
    "modules": ("6,000 exported resources of the modules fs and exec", lambda: MODULES, 5, 2),
    "calls": ("20,000 calls of plugins in Python", lambda: CALLS, 5, 2),
    "rounds": ("5,000 such calls, each of which needs the one before", lambda: rounds(5_000), 5, 2),
}
# The cases that the original exports, too.
EXPORTS = ("resources", "modules")


def project(name, directory):
    """Writes the project of a case. By a process of its own: what this one has held in memory would
    count as the peak of those it starts."""
    subprocess.run([sys.executable, __file__, "--write", name, directory], check=True)


def write(name, directory):
    (directory / "libs").mkdir()
    (directory / "templates").mkdir()
    (directory / "project.yml").write_text(PROJECT)
    (directory / "templates/file.j2").write_text(TEMPLATE)
    (directory / "main.cf").write_text(CASES[name][1]())
    module = directory / "libs/server"
    (module / "model").mkdir(parents=True)
    (module / "plugins").mkdir()
    (module / "module.yml").write_text("name: server\nversion: 1.0.0\nlicense: none\n")
    (module / "model/_init.cf").write_text(MODEL_OF_MODULE)
    (module / "plugins/__init__.py").write_text(PYTHON_OF_MODULE)


def main():
    print("| | inmanta | Ordain | |")
    print("| --- | ---: | ---: | ---: |")
    for name in sys.argv[1:] or CASES:
        what, _, ours, theirs = CASES[name]
        if name == "modules" and not INMANTA:
            continue
        with tempfile.TemporaryDirectory() as directory:
            project(name, directory)
            # Ordain finds installed modules in the environment of the original.
            env = os.environ | ({"VIRTUAL_ENV": str(Path(INMANTA).absolute().parent.parent)} if INMANTA else {})
            cpu, memory = best(ours, ORDAIN, "compile", directory, "--format", "resources", env=env)
            row = [what, "", f"{seconds(cpu)}, {memory:.0f} MB", ""]
            if INMANTA and theirs:
                env |= {"INMANTA_MAX_ITERATIONS": "100000000"}
                verb = ("export", "-j", "exported.json") if name in EXPORTS else ("compile",)
                old, old_memory = best(theirs, INMANTA, *verb, "--no-cache", directory=directory, env=env)
                row[1] = f"{seconds(old)}, {old_memory:.0f} MB"
                row[3] = f"{old / cpu:.0f}x"
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
