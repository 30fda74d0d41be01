"""Files that are none: devices, pipes, loops of links, very many, very large, in every place that is read."""

import os

from common import chain, fifo, link

SITE = {
    "site/hiera.yaml": "version: 5\nhierarchy:\n- name: c\n  path: common.yaml\n",
    "site/data/common.yaml": "x: 1\n",
    "site/manifests/site.pp": "include m\nnotice(lookup('x'))\nm::d { 'a': }\n",
    "site/modules/m/manifests/init.pp": "class m { notice(m::f()) notice(file('m/f.txt')) notice(template('m/t.erb')) notice(epp('m/t.epp')) }\n",
    "site/modules/m/manifests/d.pp": "define m::d() { }\n",
    "site/modules/m/functions/f.pp": "function m::f() { 1 }\n",
    "site/modules/m/files/f.txt": "x",
    "site/modules/m/templates/t.erb": "x",
    "site/modules/m/templates/t.epp": "x",
    "site/modules/m/metadata.json": '{"name": "a-m", "version": "1.0.0"}',
    "site/environment.conf": "modulepath = modules\n",
}
# The other files of a site.
OTHER = ["site/Puppetfile", "site/modules/m/lib/puppet/functions/f.rb", "site/.resource_types/x.pp", "site/modules/m/facts.d/a.yaml",
         "site/modules/m/hiera.yaml", "site/modules/m/types/t.pp", "site/modules/m/plans/p.pp"]


def trees(depth):
    """A directory so deep that its path is longer than a path may be."""
    def make():
        os.makedirs("site/manifests", exist_ok=True)
        os.chdir("site/manifests")
        for _ in range(depth):
            os.mkdir("deep")
            os.chdir("deep")
        with open("a.pp", "w", encoding="ascii") as file:
            file.write("notice('deep')\n")
    return make


def directories(path, count):
    def make():
        for number in range(count):
            os.makedirs(f"{path}/d{number}")
    return make


def cases(case):
    for path in [*SITE, *OTHER]:
        short = path.removeprefix("site/").replace("/", "-")
        for kind, make in [("device", link(path, "/dev/zero")), ("pipe", fifo(path)), ("loop", link(path, os.path.basename(path)))]:
            for verb in ("compile", "check"):
                case(f"{kind}-{short}-{verb}", [verb, "site"], SITE, setup=make, place=False)
    for verb in ("compile", "check", "eval", "parse", "plan", "graph", "explain", "fmt", "types", "lookup"):
        for target in ("/dev/zero", "/dev/urandom"):
            argv = {"explain": ["explain", "File[/a]", target], "types": ["types", "import", target], "lookup": ["lookup", "x", "--hiera", target],
                    "plan": ["plan", target, "--root", "."]}.get(verb, [verb, target])
            case(f"argument-{os.path.basename(target)}-{verb}", argv, place=False, fails=None)
    for flag in ("--facts", "--node-data", "--hiera", "--modulepath", "--kinds", "--nodes"):
        more = ["--out", "out"] if flag == "--nodes" else []
        case(f"flag{flag}", ["compile", "in.pp", flag, "/dev/zero", *more], {"in.pp": "notice(1)"}, place=False)
    for language, name in (("mcl", "in.mcl"), ("inmanta", "in.cf"), ("dynaml", "in.yml")):
        case(f"argument-{language}", ["check", "--language", language, "/dev/zero"], place=False)
        case(f"pipe-{language}", ["check", name], setup=fifo(name), place=False, fails=True)
    for name, code in [("file", "file('/dev/zero')"), ("template", "template('/dev/zero')"), ("epp", "epp('/dev/zero')"), ("binary", "binary_file('/dev/zero')"),
                       ("loadyaml", "loadyaml('/dev/zero')"), ("loadjson", "loadjson('/dev/zero')"), ("find", "find_file('/" + "a/" * 90000 + "')"), ("kcore", "file('/proc/kcore')")]:
        case(f"function-{name}", ["eval", "in.pp"], {"in.pp": f"notice({code})"}, fails=None)
    case("many-modules", ["compile", "site"], SITE, setup=directories("site/modules", 9000))
    case("many-modules-check", ["check", "site"], SITE, setup=directories("site/modules", 9000))
    case("deep", ["compile", "site"], SITE, setup=trees(1200), place=False)
    case("deep-check", ["check", "site"], SITE, setup=trees(1200), place=False)
    case("links-up", ["check", "site"], SITE, setup=link("site/modules/up", "../.."), place=False)
    case("many-manifests", ["check", "site"], {**SITE, **{f"site/modules/m/manifests/c{n}.pp": f"class m::c{n} {{ notice({n}) }}\n" for n in range(3000)}})
    case("large-manifest", ["compile", "in.pp"], {"in.pp": lambda: chain("", lambda n: f"notify {{ 'n{n}': message => 'text {n}', }}\n", 60000)})
    case("large-text", ["eval", "in.pp"], {"in.pp": "notice(file('/proc/self/cwd/big').length)", "big": lambda: "x" * 60000000}, fails=None)
    case("large-comment", ["check", "in.pp"], {"in.pp": lambda: ("# " + "x" * 78 + "\n") * 1200000})
    case("large-yaml", ["merge", "in.yml"], {"in.yml": lambda: ("# " + "x" * 78 + "\n") * 600000 + "a: 1\n"})
    case("too-large", ["compile", "big.pp"], setup=lambda: os.truncate(os.open("big.pp", os.O_CREAT | os.O_WRONLY), 9 << 30), fails=True, place=False)
    case("too-large-yaml", ["merge", "big.yml"], setup=lambda: os.truncate(os.open("big.yml", os.O_CREAT | os.O_WRONLY), 9 << 30), fails=True, place=False)
    case("stdin-large", ["merge", "-"], stdin=lambda: "x" * 70000000, fails=True, place=False)
    case("stdin-large-eval", ["eval", "-"], stdin=lambda: "# x\n" * 18000000, fails=True, place=False)
