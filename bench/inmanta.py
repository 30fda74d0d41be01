#!/usr/bin/env python3
"""Compares compiles of Inmanta's models with the original, side by side in one run.

    bench/inmanta.py            all, with a table in Markdown
    bench/inmanta.py base ...   some: trivial, base, larger, largest, relation, loops, chain, files

Needs a release build (`cargo build --release -p ordain-cli`). The variable INMANTA names the command
`inmanta` of an installed inmanta-core with the module std; without it there are only our own figures.
Figures are CPU seconds, user and system, of whole processes, and the peak of memory; what the best of
several runs took. Ours also print the resources, which `inmanta compile` does not even export.
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


# What it is, the model, how often we run, how often they do; nothing where it would take minutes.
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
}


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


def main():
    print("| | inmanta | Ordain | |")
    print("| --- | ---: | ---: | ---: |")
    for name in sys.argv[1:] or CASES:
        what, _, ours, theirs = CASES[name]
        with tempfile.TemporaryDirectory() as directory:
            project(name, directory)
            cpu, memory = best(ours, ORDAIN, "compile", directory, "--format", "resources")
            row = [what, "", f"{seconds(cpu)}, {memory:.0f} MB", ""]
            if INMANTA and theirs:
                env = os.environ | {"INMANTA_MAX_ITERATIONS": "100000000"}
                old, old_memory = best(theirs, INMANTA, "compile", "--no-cache", directory=directory, env=env)
                row[1] = f"{seconds(old)}, {old_memory:.0f} MB"
                row[3] = f"{old / cpu:.0f}x"
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
