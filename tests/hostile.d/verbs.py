"""The verbs with hostile arguments, and with hostile files that stand beside what is compiled."""

import json
import os
import sqlite3

from common import chain, fifo, link, nest, yaml_bomb

NOTE = {"in.pp": "notify { 'a': }\n"}
LEVELS = "version: 5\nhierarchy:\n- name: c\n  path: common.yaml\n"
SITE = {"site/hiera.yaml": LEVELS, "site/data/common.yaml": "x: 1\n", "site/manifests/site.pp": "notify { 'a': }\n"}
NODES = "Integer[1, 300].each |$i| { notify { \"n${i}\": } }\n"


def dump(name, rows):
    """Makes a database with one large table in place of a file."""
    def make():
        connection = sqlite3.connect(name)
        connection.execute("create table runs (a, b, c)")
        connection.executemany("insert into runs values (?, ?, ?)", ((n, "x" * 400, n) for n in range(rows)))
        connection.commit()
        connection.close()
    return make


def tree(path, width, depth, name="f.txt"):
    """Makes directories in directories, each with a file."""
    def fill(at, left):
        os.makedirs(at, exist_ok=True)
        with open(os.path.join(at, name), "w", encoding="ascii") as file:
            file.write("x")
        for number in range(width if left else 0):
            fill(os.path.join(at, f"d{number}"), left - 1)
    return lambda: fill(path, depth)


def program(path, text):
    """Makes an executable file."""
    def make():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    return make


def plans(case):
    """Saved plans, targets, tags, journals."""
    def plan(name, text, verbs=("plan", "apply", "show", "explain"), **more):
        for verb in verbs:
            argv = {"plan": ["plan", "p.json", "--root", "r"], "apply": ["apply", "p.json", "--root", "r"],
                    "show": ["graph", "p.json"], "explain": ["explain", "Notify[a]", "p.json"]}[verb]
            case(f"plan-{name}-{verb}", argv, {"p.json": text, "r/x": ""}, place=False, **more)

    head = '{"format": "ordain-plan", "version": 1, '
    plan("deep", lambda: head + '"graph": ' + nest("[", "]", 90000) + "}", fails=True)
    plan("open", lambda: head + '"steps": [' + '{"a": [' * 90000, fails=True)
    plan("steps-many", lambda: head + '"steps": ' + json.dumps([{"resource": "Notify[a]", "changes": []}] * 90000) + "}", fails=True)
    plan("keys-many", lambda: "{" + ", ".join(f'"k{n}": {n}' for n in range(200000)) + "}", fails=True)
    plan("signature-long", lambda: head + '"signature": "' + "0" * 9000000 + '"}', fails=True)
    plan("twice", lambda: head[1:].join(["{", ""]) + '"graph": {}, ' * 90000 + '"steps": []}', ("plan", "apply"), fails=True)
    target = "File[" * 20000
    case("target-brackets", ["plan", "in.pp", "--root", "r", "--target", target], {**NOTE, "r/x": ""}, fails=True, place=False)
    case("target-many", ["plan", "in.pp", "--root", "r", *(word for n in range(1, 300) for word in ("--target", f"Notify[n{n}]"))], {"in.pp": NODES, "r/x": ""})
    case("target-far", ["plan", "in.pp", "--root", "r", "--target", "Notify[n20000]"],
         {"in.pp": "Integer[1, 20000].each |$i| { notify { \"n${i}\": } } Integer[1, 19999].each |$i| { Notify[\"n${i}\"] -> Notify[\"n${$i + 1}\"] }\n", "r/x": ""})
    case("tags-long", ["plan", "in.pp", "--root", "r", "--tags", ",".join(f"t{n}" for n in range(15000))], {"in.pp": NODES, "r/x": ""}, place=False)
    case("skip-tags-long", ["plan", "in.pp", "--root", "r", "--skip-tags", "a" * 120000], {"in.pp": NODES, "r/x": ""}, place=False)
    case("allow-remove", ["plan", "in.pp", "--root", "r", "--allow-remove", "/" + "a/" * 60000], {"in.pp": NODES, "r/x": ""}, place=False)
    for kind, make in [("device", link(".state/state.db", "/dev/zero")), ("pipe", fifo(".state/state.db")), ("table", lambda: (os.makedirs(".state"), dump(".state/state.db", 60000)())),
                       ("lock", link(".state/run.lock", "/dev/zero"))]:
        for verb in ("history", "show", "doctor", "apply", "rollback"):
            argv = {"apply": ["apply", "in.pp", "--root", "r"], "show": ["show", "1"], "rollback": ["rollback", "1"]}.get(verb, [verb])
            case(f"state-{kind}-{verb}", argv, {**NOTE, "r/x": ""}, setup=make, place=False)
    case("state-random", ["doctor"], {".state/state.db": lambda: bytes((n * 7919) % 251 for n in range(3000000))}, place=False)
    case("exports-random", ["compile", "in.pp", "--store", "store"], {"in.pp": "@@notify { 'a': }\n", "store/exports.db": lambda: bytes((n * 7919) % 251 for n in range(3000000))}, place=False)
    for kind, make in [("device", link("store/exports.db", "/dev/zero")), ("pipe", fifo("store/exports.db")), ("table", lambda: (os.makedirs("store"), dump("store/exports.db", 60000)()))]:
        case(f"exports-{kind}", ["compile", "in.pp", "--store", "store"], {"in.pp": "@@notify { 'a': } Notify <<| |>>\n"}, setup=make, place=False)
    case("exports-many", ["compile", "in.pp", "--store", "store"], {"in.pp": "Integer[1, 20000].each |$i| { @@notify { \"n${i}\": } } Notify <<| |>>\n"}, setup=lambda: os.mkdir("store"))
    for name, code in [("recurse", "file { '/srv': ensure => directory, recurse => true, source => '%s/tree' }"), ("purge", "file { '/tree': ensure => directory, recurse => true, purge => true, force => true }"),
                       ("tidy", "tidy { '/tree': recurse => true, matches => '*.txt' }")]:
        case(f"tree-{name}", ["plan", "in.pp", "--root", "r"], {"in.pp": lambda c=code: c.replace("%s", os.getcwd()) + "\n", "r/x": ""},
             setup=lambda n=name: tree("tree" if n == "recurse" else "r/tree", 5, 5)())
    case("content-lines", ["plan", "in.pp", "--root", "r"], {"in.pp": "file { '/a': content => file('/proc/self/cwd/new') }\n", "new": lambda: chain("", lambda n: f"line {n * 7 % 60001}\n", 60000), "r/a": lambda: chain("", lambda n: f"line {n}\n", 60000)})
    case("content-one-line", ["plan", "in.pp", "--root", "r"], {"in.pp": "file { '/a': content => file('/proc/self/cwd/new') }\n", "new": lambda: "ab" * 4000000, "r/a": lambda: "ba" * 4000000})
    case("content-show-diff", ["apply", "in.pp", "--root", "r", "--noop", "--show-diff"], {"in.pp": "file { '/a': content => file('/proc/self/cwd/new') }\n", "new": lambda: chain("", lambda n: f"line {n * 7 % 60001}\n", 60000), "r/a": lambda: chain("", lambda n: f"line {n}\n", 60000)}, place=False)


def checks(case):
    """Findings in large numbers, and names that are like many others."""
    def check(name, text, more=(), **options):
        case("check-" + name, ["check", "in.pp", *more], {"in.pp": text}, **options)

    unknown = lambda: chain("", lambda n: f"$a{n} = $b{n}\n", 12000)
    for form in ("json", "sarif", "github", "gitlab", "checkstyle"):
        check("form-" + form, unknown, ("--format", form), place=False)
    check("ignore", unknown, tuple(word for n in range(3000) for word in ("--ignore", f"code-{n}")), place=False)
    check("like-classes", lambda: chain("", lambda n: f"class profile::service{n} {{ }}\n", 4000) + chain("", lambda n: f"include profile::servicex{n}\n", 4000))
    check("like-variables", lambda: chain("", lambda n: f"$service_variable_{n} = {n}\n", 5000) + chain("", lambda n: f"notice($service_variable_x{n})\n", 5000))
    check("like-defines", lambda: chain("", lambda n: f"define profile::service{n}($parameter) {{ }}\n", 3000) + chain("", lambda n: f"profile::service{n} {{ 'a{n}': paramter => 1 }}\n", 3000))
    check("like-parameters", lambda: "class c(" + ", ".join(f"$parameter_{n} = 1" for n in range(4000)) + ") { }\nclass { 'c': " + ", ".join(f"parameter_x{n} => 1" for n in range(4000)) + " }\n")
    check("like-functions", lambda: chain("", lambda n: f"function service_function_{n}() {{ 1 }}\n", 3000) + chain("", lambda n: f"service_function_x{n}()\n", 3000))
    check("like-types", lambda: chain("", lambda n: f"type Servicetype{n} = Integer\n", 3000) + chain("", lambda n: f"$x{n} = 1 =~ Servicetypex{n}\n", 3000))
    check("like-relations", lambda: chain("", lambda n: f"notify {{ 'message number {n}': require => Notify['message number x{n}'] }}\n", 5000))
    check("like-facts", lambda: chain("", lambda n: f"notice($facts['operatingsystemx{n}'])\n", 8000))
    check("defines-twice", lambda: "class a { }\n" * 20000)
    check("hash-keys-twice", lambda: "$x = {" + "'a' => 1, " * 60000 + "}\n")
    check("case-options", lambda: "case $facts['a'] {\n" + chain("", lambda n: f"'a{n}': {{ notice({n}) }}\n", 30000) + "}\n")
    check("variables-shadowed", lambda: chain("", lambda n: f"[1].each |$x| {{ notice($x) }}\n", 40000))
    check("nodes", lambda: chain("", lambda n: f"node 'web{n}.example.org' {{ }}\n", 20000))
    check("nodes-patterns", lambda: chain("", lambda n: f"node /^web{n}-.*(a+)+$/ {{ }}\n", 8000))
    check("classes-inherit", lambda: chain("class c0 { }\n", lambda n: f"class c{n + 1} inherits c{n} {{ }}\n", 4000))
    check("lines-long", lambda: "$x = '" + "é" * 3000000 + "' $y\n")
    check("tabs", lambda: "\t" * 900000 + "$x = \n", fails=True)
    check("line-ends", lambda: "$x = 1\r" * 300000)
    check("control", lambda: "$x = \"" + "\x1b[31m\x07" * 90000 + "\n", fails=True)
    data = {"site/hiera.yaml": LEVELS, "site/manifests/site.pp": "include app\n"}
    case("check-data-keys", ["check", "site"], {**data, "site/modules/app/manifests/init.pp": "class app($port = 1) { }\n",
                                               "site/data/common.yaml": lambda: chain("", lambda n: f"app::port{n}: {n}\n", 20000)}, place=False)
    case("check-data-interpolations", ["check", "site"], {**data, "site/data/common.yaml": lambda: chain("", lambda n: f"k{n}: \"%{{lookpu('k{n + 1}')}}\"\n", 12000)}, place=False)
    case("check-metadata-deep", ["check", "site"], {**SITE, "site/modules/m/metadata.json": lambda: nest('{"name":', "}", 90000)})
    case("check-metadata-many", ["check", "site"], {**SITE, "site/modules/m/metadata.json": lambda: json.dumps({"name": "a-m", "version": "1.0.0", "dependencies": [{"name": f"a/m{n}", "version_requirement": ">= 1.0.0 < 2.0.0"} for n in range(30000)]})}, place=False)
    case("check-metadata-versions", ["check", "site"], {**SITE, "site/modules/m/metadata.json": json.dumps({"name": "a-m", "version": "9" * 90000 + ".0.0", "dependencies": [{"name": "a/b", "version_requirement": ">= " + "1." * 90000}]})}, place=False)
    case("check-puppetfile", ["check", "site"], {**SITE, "site/Puppetfile": lambda: chain("", lambda n: f"mod 'a/m{n}', '1.0.{n}'\n", 60000)}, place=False)
    case("check-puppetfile-deep", ["check", "site"], {**SITE, "site/Puppetfile": lambda: "mod 'a/m', " + nest("[", "]", 90000)}, place=False)
    case("check-environment-conf", ["check", "site"], {**SITE, "site/environment.conf": lambda: "modulepath = " + ":".join(f"m{n}" for n in range(60000)) + "\n"}, place=False)
    case("check-fixtures", ["check", "site"], {**SITE, "site/modules/m/.fixtures.yml": yaml_bomb(), "site/.sync.yml": yaml_bomb()}, place=False)
    case("check-templates", ["check", "site"], {**SITE, **{f"site/modules/m/templates/t{n}.epp": "<% if true { %>" * 900 for n in range(40)}}, fails=True)
    case("check-ruby", ["check", "site"], {**SITE, "site/modules/m/lib/puppet/functions/f.rb": lambda: "Puppet::Functions.create_function(:f) do\n" + "dispatch :a do\nparam 'Any', :x\nend\n" * 30000 + "end\n"}, place=False)
    case("check-ruby-type", ["check", "site"], {**SITE, "site/modules/m/lib/puppet/type/t.rb": lambda: "Puppet::Type.newtype(:t) do\n" + chain("", lambda n: f"newparam(:p{n}) do\ndesc 'x'\nend\n", 30000) + "end\n"}, place=False)
    case("check-paths-many", ["check", *(f"nope{n}.pp" for n in range(9000))], fails=True, place=False)
    case("check-language", ["check", "--language", "x" * 90000, "in.pp"], NOTE, fails=True, place=False)


def compiles(case):
    """Many nodes, kinds of other programs, static catalogs, lists of sources."""
    case("nodes-many", ["compile", "in.pp", "--nodes", "n.txt", "--out", "out"], {"in.pp": "notify { 'a': }\n", "n.txt": lambda: chain("", lambda n: f"node{n}\n", 300)}, place=False)
    case("nodes-long", ["compile", "in.pp", "--nodes", "n.txt", "--out", "out"], {**NOTE, "n.txt": lambda: "a" * 900000}, fails=True, place=False)
    case("nodes-binary", ["compile", "in.pp", "--nodes", "n.txt", "--out", "out"], {**NOTE, "n.txt": lambda: bytes(range(256)) * 9000}, fails=True, place=False)
    case("nodes-fail", ["compile", "in.pp", "--nodes", "n.txt", "--out", "out"], {"in.pp": "fail(\"no ${trusted['certname']}\")\n", "n.txt": lambda: chain("", lambda n: f"node{n}\n", 300)}, fails=True)
    case("node-long", ["compile", "in.pp", "--node", "a." * 60000], NOTE, place=False)
    case("nodes-patterns", ["compile", "in.pp", "--node", "x" * 60], {"in.pp": lambda: chain("node default { }\n", lambda n: f"node /^(x+x+)+y{n}$/ {{ }}\n", 400)})
    case("facts-files", ["compile", "in.pp", "--facts", "facts", "--out", "out"], {**NOTE, **{f"facts/n{n}.json": "{" * 20000 for n in range(30)}}, fails=True, place=False)
    case("static-tree", ["compile", "site", "--static", "--format", "puppet-catalog"],
         {**SITE, "site/manifests/site.pp": "file { '/srv': ensure => directory, recurse => true, source => 'puppet:///modules/m/tree' }\n"}, setup=tree("site/modules/m/files/tree", 5, 5))
    case("static-loop", ["compile", "site", "--static", "--format", "puppet-catalog"],
         {**SITE, "site/manifests/site.pp": "file { '/srv': ensure => directory, recurse => true, links => follow, source => 'puppet:///modules/m/tree' }\n"},
         setup=lambda: (tree("site/modules/m/files/tree", 2, 2)(), link("site/modules/m/files/tree/d0/up", "..")()), place=False)
    case("static-device", ["compile", "site", "--static", "--format", "puppet-catalog"],
         {**SITE, "site/manifests/site.pp": "file { '/a': source => 'puppet:///modules/m/zero' }\n"}, setup=link("site/modules/m/files/zero", "/dev/zero"), place=False)
    for form in ("dot", "yaml", "puppet-catalog"):
        case("form-" + form, ["compile", "in.pp", "--format", form], {"in.pp": "Integer[1, 20000].each |$i| { notify { \"n${i}\": message => \"${i}\" } }\n"})
    kinds = {"in.pp": "notify { 'a': }\n"}
    case("kinds-deep", ["plan", "in.pp", "--root", "r", "--kinds", "k"], {**kinds, "r/x": "", "k/a.dsc.resource.json": lambda: nest('{"type":', "}", 90000)}, fails=True)
    case("kinds-many", ["plan", "in.pp", "--root", "r", "--kinds", "k"], {**kinds, "r/x": "", **{f"k/a{n}.dsc.resource.json": json.dumps({"type": f"A/B{n}", "get": {"executable": "true"}}) for n in range(2000)}}, place=False)
    case("kinds-device", ["plan", "in.pp", "--root", "r", "--kinds", "k"], {**kinds, "r/x": ""}, setup=link("k/a.ordain.json", "/dev/zero"), fails=True, place=False)
    list_of = lambda text: {**NOTE, "ordain.toml": text}
    case("toml-deep", ["plan", ".", "--root", "r"], {**list_of(lambda: "a = " + nest("[", "]", 90000)), "r/x": ""}, fails=True)
    case("toml-keys", ["plan", ".", "--root", "r"], {**list_of(lambda: chain("", lambda n: f"k{n} = 1\n", 60000)), "r/x": ""}, fails=True)
    case("toml-dots", ["plan", ".", "--root", "r"], {**list_of(lambda: "a" + ".a" * 90000 + " = 1\n"), "r/x": ""}, fails=True)
    case("toml-sources", ["plan", ".", "--root", "r"], {**list_of(lambda: '[[source]]\npath = "in.pp"\n' * 300), "r/x": ""}, place=False)
    case("toml-edges", ["plan", ".", "--root", "r"], {**list_of(lambda: '[[source]]\npath = "in.pp"\n' + '[[edge]]\nfrom = "Notify[message 1]"\nto = "Notify[message x]"\n' * 3000), "in.pp": "Integer[1, 3000].each |$i| { notify { \"message ${i}\": } }\n", "r/x": ""}, fails=True)
    case("toml-itself", ["plan", ".", "--root", "r"], {**list_of('[[source]]\npath = "ordain.toml"\n'), "r/x": ""}, fails=True, place=False)
    case("toml-device", ["plan", ".", "--root", "r"], {**list_of('[[source]]\npath = "/dev/zero"\n'), "r/x": ""}, fails=True, place=False)
    case("toml-stubs", ["plan", ".", "--root", "r"], {**list_of(lambda: '[[source]]\npath = "a.yml"\nstubs = [' + '"b.yml", ' * 2000 + "]\n"), "a.yml": "resources: {notify: {a: {}}}\n", "b.yml": "x: 1\n", "r/x": ""})
    case("toml-text", ["plan", ".", "--root", "r"], {**list_of(lambda: "a = \"" + "x" * 9000000), "r/x": ""}, fails=True)
    case("stdin-deep", ["compile", "-"], stdin=lambda: nest("[", "]", 90000), fails=True)
    case("stdin-graph", ["plan", "-", "--root", "."], stdin=lambda: nest('{"a":', "}", 90000), fails=True, place=False)
    case("stdin-binary", ["compile", "-"], stdin=lambda: bytes(range(256)) * 9000, fails=True, place=False)


def explains(case):
    """References, keys and paths as arguments, and what is far from where it is asked for."""
    far = lambda: chain("$v0 = 'x'\n", lambda n: f"$v{n + 1} = $v{n}\n", 20000) + "notify { 'a': message => $v20000 }\n"
    case("explain-chain", ["explain", "Notify[a].message", "in.pp"], {"in.pp": far})
    case("explain-tree", ["explain", "Notify[a].message", "in.pp"], {"in.pp": lambda: chain("$v0 = 'x'\n", lambda n: f"$v{n + 1} = [$v{n}, $v{n}]\n", 16) + "notify { 'a': message => $v16 }\n"})
    case("explain-brackets", ["explain", "Notify" + "[" * 100000, "in.pp"], NOTE, fails=True, place=False)
    case("explain-dots", ["explain", "a" + ".a" * 60000, "in.yml"], {"in.yml": "a: 1\n"}, fails=True, place=False)
    case("explain-document", ["explain", "--at", "v3000", "in.yml"], {"in.yml": lambda: chain("v0: 1\n", lambda n: f"v{n + 1}: (( v{n} + 1 ))\n", 3000)}, place=False)
    case("explain-document-tree", ["explain", "--at", "v16", "in.yml"], {"in.yml": lambda: chain("v0: 1\n", lambda n: f"v{n + 1}: (( [v{n}, v{n}] ))\n", 16)}, place=False)
    case("explain-model", ["explain", "std::File[/a]", "p"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": lambda: chain("v0 = \"x\"\n", lambda n: f"v{n + 1} = v{n}\n", 3000)}, place=False)
    case("explain-program", ["explain", "print[a].msg", "in.mcl"], {"in.mcl": lambda: chain('$v0 = "x"\n', lambda n: f"$v{n + 1} = $v{n}\n", 3000) + 'print "a" {\n\tmsg => $v3000,\n}\n'}, place=False)
    case("lookup-key-long", ["lookup", "x" * 120000, "--path", "site"], SITE, fails=True, place=False)
    case("lookup-key-dots", ["lookup", "x" + ".0" * 50000, "--path", "site"], SITE, fails=True, place=False)
    case("lookup-key-quotes", ["lookup", "x." + "'" * 100001, "--path", "site"], SITE, fails=True, place=False)
    case("lookup-keys", ["lookup", *(f"k{n}" for n in range(9000)), "--path", "site"], SITE, fails=True, place=False)
    case("lookup-explain-levels", ["lookup", "x", "--path", "site", "--explain", "--merge", "deep"],
         {**SITE, "site/hiera.yaml": "version: 5\nhierarchy:\n" + "".join(f"- name: l{n}\n  path: common.yaml\n" for n in range(600)), "site/data/common.yaml": lambda: "x: " + json.dumps({f"k{n}": n for n in range(300)}) + "\n"})
    case("lookup-deep-lists", ["lookup", "x", "--path", "site", "--merge", "deep", "--merge-hash-arrays"],
         {**SITE, "site/hiera.yaml": "version: 5\nhierarchy:\n" + "".join(f"- name: l{n}\n  path: common.yaml\n" for n in range(40)), "site/data/common.yaml": lambda: "x: " + json.dumps([{"a": n} for n in range(9000)]) + "\n"})
    case("lookup-knock-out", ["lookup", "x", "--path", "site", "--merge", "deep", "--knock-out-prefix=--"],
         {**SITE, "site/hiera.yaml": "version: 5\nhierarchy:\n" + "".join(f"- name: l{n}\n  path: common.yaml\n" for n in range(6)), "site/data/common.yaml": lambda: "x: " + json.dumps([f"--v{n}" for n in range(20000)] + [f"v{n}" for n in range(20000)]) + "\n"})
    case("eval-expression", ["eval", "-e", "(" * 60000], fails=True)
    case("eval-expression-long", ["eval", "-e", "1" + "+1" * 60000], fails=None)
    case("eval-result", ["eval", "-e", "Integer[1, 400000].map |$x| { $x }"])
    case("eval-result-json", ["eval", "-e", "Integer[1, 400000].map |$x| { [$x] }", "--format", "json"])
    case("eval-path", ["eval", "-e", "lookup('x')", "--path", "site"], {**SITE, "site/data/common.yaml": yaml_bomb()}, fails=True)
    case("parse-template", ["parse", "t.epp"], {"t.epp": lambda: "<% if true { %>" * 60000}, fails=True)
    case("parse-template-long", ["parse", "t.epp"], {"t.epp": lambda: "<%= 1 %>text\n" * 60000})
    for form in ("tree", "json", "pn"):
        case("parse-deep-" + form, ["parse", "in.pp", "--format", form], {"in.pp": lambda: "$x = " + nest("[", "]", 190) + "\n"})
    case("parse-pn", ["parse", "in.pp", "--format", "pn"], {"in.pp": lambda: chain("", lambda n: f"notify {{ 'n{n}': message => 'x' }}\n", 40000)})
    case("parse-texts", ["parse", "in.pp"], {"in.pp": lambda: '$x = "' + "${a}" * 60000 + '"\n'})
    case("graph-functions-tree", ["graph", "in.mcl", "--functions"], {"in.mcl": lambda: chain('import "fmt"\n', lambda n: f"$v{n} = fmt.printf(\"%d\", {n})\n", 5000)}, place=False)
    case("graph-instances", ["graph", "p", "--instances"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": "entity N:\n int n\nend\nimplement N using none\nimplementation none for N:\nend\nfor i in std::sequence(9000):\n N(n=i)\nend\n"})
    case("graph-instances-svg", ["graph", "p", "--instances", "--format", "svg"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": "entity N:\n int n\nend\nN.to [0:] -- N.of [0:]\nimplement N using none\nimplementation none for N:\nend\nl = [N(n=i) for i in std::sequence(60)]\nfor a in l:\n a.to = l\nend\n"})


def documents(case):
    """The verbs on YAML documents, with paths, stubs, bindings, state and formats."""
    doc = {"in.yml": "a: {b: [1, 2]}\n"}
    for verb in ("merge", "convert"):
        case(f"{verb}-path-long", [verb, "in.yml", "--path", "a" + ".b" * 60000], doc, fails=True, place=False)
        case(f"{verb}-path-brackets", [verb, "in.yml", "--path", "a." + "[" * 100000], doc, fails=True, place=False)
        case(f"{verb}-select-many", [verb, "in.yml", *(word for _ in range(9000) for word in ("--select", "a.b"))], doc, place=False)
        case(f"{verb}-split", [verb, "in.yml", "--split"], {"in.yml": lambda: json.dumps([{"a": n} for n in range(60000)])})
        case(f"{verb}-documents", [verb, "in.yml"], {"in.yml": lambda: "--- {a: 1}\n" * 60000})
        case(f"{verb}-key-long", [verb, "in.yml"], {"in.yml": lambda: "? " + "k" * 3000000 + "\n: 1\n"}, place=False)
        case(f"{verb}-numbers", [verb, "in.yml", "--json"], {"in.yml": lambda: "a: [" + ", ".join("9" * 4000 for _ in range(900)) + ", 1e99999999, 0x" + "f" * 90000 + ", " + "59:" * 60000 + "1]\n"}, place=False)
        case(f"{verb}-keys-twice", [verb, "in.yml"], {"in.yml": lambda: "a: 1\n" * 60000}, place=False)
        case(f"{verb}-quotes", [verb, "in.yml"], {"in.yml": lambda: "a: '" + "''" * 3000000 + "'\n"})
        case(f"{verb}-escapes", [verb, "in.yml"], {"in.yml": lambda: 'a: "' + "\\u001b\\x07" * 300000 + '"\n'})
        case(f"{verb}-folded", [verb, "in.yml"], {"in.yml": lambda: "a: >\n" + "  word word\n\n" * 300000})
        case(f"{verb}-anchors", [verb, "in.yml"], {"in.yml": lambda: "a: &a " + nest("[", "]", 60) + "\nl:\n" + "- *a\n" * 60000})
        case(f"{verb}-tags", [verb, "in.yml"], {"in.yml": lambda: "a: " + "!x " * 60000 + "1\n"}, place=False)
    evaluated = lambda name, code, **more: case("evaluate-" + name, ["merge", "in.yml", "--evaluate", code], doc, **more)
    evaluated("range", "[1..900000000]", fails=True)
    evaluated("deep", "(" * 60000, fails=True, place=False)
    evaluated("double", "map[[1..20]|x|->[1..90000]]")
    evaluated("recursion", "(|x|->x(x))((|x|->x(x)))", fails=True, place=False)
    case("define-dots", ["merge", "in.yml", "-D", "a" + ".a" * 60000 + "=1"], doc, place=False)
    case("define-many", ["merge", "in.yml", *(word for n in range(9000) for word in ("-D", f"a{n}={n}"))], doc, place=False)
    case("define-deep", ["merge", "in.yml", "-D", "a=" + "[" * 100000], doc, place=False)
    case("bindings-bomb", ["merge", "in.yml", "--bindings", "b.yml"], {"in.yml": "a: (( x ))\n", "b.yml": yaml_bomb()}, fails=True)
    case("state-bomb", ["merge", "in.yml", "--state", "s.yml"], {"in.yml": "a: 1\n", "s.yml": yaml_bomb()}, fails=True)
    case("tag-bomb", ["merge", "in.yml", "--tag", "t:s.yml"], {"in.yml": "a: (( t::x ))\n", "s.yml": yaml_bomb()}, fails=True)
    case("stubs-many", ["merge", "in.yml", *["s.yml"] * 4000], {"in.yml": "a: (( merge ))\n", "s.yml": "b: 1\n"}, fails=True)
    case("stubs-large", ["merge", "in.yml", *["s.yml"] * 20], {"in.yml": "a: (( merge ))\n", "s.yml": lambda: chain("a: 1\n", lambda n: f"k{n}: {n}\n", 2000)})
    case("process-many", ["process", "d.yml", "t.yml"], {"d.yml": lambda: "--- {a: 1}\n" * 900, "t.yml": "b: (( document.a || 1 ))\n"}, place=False)
    case("process-double", ["process", "d.yml", "t.yml"], {"d.yml": "a: 1\n", "t.yml": lambda: chain("v0: (( [1, 2] ))\n", lambda n: f"v{n + 1}: (( [v{n}, v{n}] ))\n", 50)}, fails=True)
    for form in ("spiff", "spiff++"):
        case(f"report-{form}", ["merge", "in.yml", "--report", form], {"in.yml": lambda: chain("", lambda n: f"v{n}: (( missing{n} ))\n", 2000)}, fails=True, place=False)
    case("unresolved-like", ["merge", "in.yml"], {"in.yml": lambda: chain("", lambda n: f"variable_{n}: 1\n", 6000) + chain("", lambda n: f"w{n}: (( variable_x{n} ))\n", 6000)}, fails=True)
    case("unresolved-stub", ["merge", "in.yml", "s.yml"], {"in.yml": lambda: chain("", lambda n: f"variable_x{n}: (( merge ))\n", 6000), "s.yml": lambda: chain("", lambda n: f"variable_{n}: 1\n", 6000)}, fails=True)
    case("unresolved-chain", ["merge", "in.yml"], {"in.yml": lambda: "v0: (( missing ))\n" + chain("", lambda n: f"v{n + 1}: (( v{n} ))\n", 20000)}, fails=True)
    case("unresolved-nested", ["merge", "in.yml"], {"in.yml": lambda: chain("", lambda n: f"m{n}: {{k: (( m{n + 1}.k ))}}\n", 9000)}, fails=True)
    case("unknown-functions", ["merge", "in.yml"], {"in.yml": lambda: chain("", lambda n: f"v{n}: (( jion(\"a\", {n}) ))\n", 9000)}, fails=True)
    case("interpolation", ["merge", "in.yml", "--interpolation"], {"in.yml": lambda: "a: b\nx: \"" + "text (( a )) " * 20000 + "\"\n"})
    case("control-nested", ["merge", "in.yml", "--features", "control"], {"in.yml": lambda: "x:\n" + "".join("  " * n + "<<if: true\n" + "  " * n + "<<then:\n" for n in range(1, 400)) + "  " * 400 + "a: 1\n"}, place=False)
    case("diff-deep", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: nest("[", "]", 90000), "b.yml": lambda: nest("{a: ", "}", 90000)}, fails=True)
    case("diff-keys", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: json.dumps({f"k{n}": n for n in range(60000)}), "b.yml": lambda: json.dumps({f"q{n}": n for n in range(60000)})})
    case("diff-texts-one-line", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: json.dumps({"t": "ab" * 4000000}), "b.yml": lambda: json.dumps({"t": "ba" * 4000000})})
    case("diff-nested-lists", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: json.dumps([[n, [n]] for n in range(20000)]), "b.yml": lambda: json.dumps([[n, [n + 1]] for n in range(20000)])})
    case("diff-json", ["diff", "a.yml", "b.yml", "--format", "json"], {"a.yml": lambda: json.dumps({f"k{n}": n for n in range(60000)}), "b.yml": lambda: json.dumps({f"k{n}": n + 1 for n in range(60000)})})
    case("diff-anchors", ["diff", "a.yml", "b.yml"], {"a.yml": yaml_bomb(5), "b.yml": yaml_bomb(5).replace("y", "z", 1)}, place=False)
    for verb, flags in (("encrypt", []), ("decrypt", ["--decrypt"])):
        case(f"{verb}-device", ["encrypt", "/dev/zero", "key", *flags], fails=True, place=False)
        case(f"{verb}-large", ["encrypt", "in.yml", "key", *flags], {"in.yml": lambda: "a: " + "QUJD" * 1000000 + "\n"}, place=False)
        case(f"{verb}-deep", ["encrypt", "in.yml", "key", *flags], {"in.yml": lambda: nest("[", "]", 90000)}, place=False)
        case(f"{verb}-key", ["encrypt", "in.yml", "k" * 120000, *flags], {"in.yml": "a: QUJD\n"}, place=False)


def types(case):
    """Types and facts."""
    case("types-generate", ["types", "generate", "--environment", "site"], {**SITE, **{f"site/modules/m{n}/lib/puppet/type/t{n}.rb": f"Puppet::Type.newtype(:t{n}) do\n newparam(:name)\nend\n" for n in range(300)}}, place=False)
    case("types-ruby-many", ["types", "from-ruby", "t.rb"], {"t.rb": lambda: "Puppet::Type.newtype(:t) do\n" + chain("", lambda n: f"newproperty(:p{n}) do\nnewvalues(:a, :b)\nend\n", 20000) + "end\n"}, place=False)
    case("types-ruby-text", ["types", "from-ruby", "t.rb"], {"t.rb": lambda: "Puppet::Type.newtype(:t) do\n@doc = \"" + "#{" * 60000 + "\"\nend\n"}, fails=True, place=False)
    case("types-ruby-heredocs", ["types", "from-ruby", "t.rb"], {"t.rb": lambda: "Puppet::Type.newtype(:t) do\n" + "desc <<-EOT\ntext\nEOT\n" * 20000 + "end\n"}, place=False)
    case("types-export-tree", ["types", "export", "t.pp"], {"t.pp": lambda: chain("type T0 = Integer\n", lambda n: f"type T{n + 1} = Variant[Array[T{n}], Hash[T{n}, T{n}]]\n", 200)}, place=False)
    case("types-export-deep", ["types", "export", "t.pp"], {"t.pp": lambda: "type T = " + nest("Array[", "]", 90000, "Any") + "\n"}, fails=True)
    case("types-load-references", ["types", "load", "in.json", "--types", "t.pp"], {"in.json": lambda: json.dumps([{"__ptype": "T", "a": {"$ref": f"#/{n + 1}"}} for n in range(9000)]), "t.pp": "type T { attr a, Any }"}, place=False)
    case("types-save", ["types", "save", "-e", "Integer[1, 200000].map |$x| { $x }", "--types", "t.pp"], {"t.pp": "type T { attr a, Any }"}, place=False)
    facts = lambda name, text, ending="yaml", **more: case("facts-external-" + name, ["facts", "x", "--external-dir", "d"], {f"d/f.{ending}": text}, place=False, **more)
    facts("bomb", yaml_bomb())
    facts("deep", lambda: nest('{"a":', "}", 90000), "json")
    facts("lines", lambda: chain("", lambda n: f"k{n}=v{n}\n", 200000), "txt")
    facts("line-long", lambda: "x=" + "v" * 9000000, "txt")
    facts("bytes", lambda: bytes(range(256)) * 9000, "txt")
    for kind, make in [("device", link("d/f.json", "/dev/zero")), ("pipe", fifo("d/f.yaml")), ("endless", program("d/f.sh", "#!/bin/sh\nexec yes x=y\n"))]:
        case(f"facts-external-{kind}", ["facts", "x", "--external-dir", "d"], setup=make, place=False)
    case("facts-names", ["facts", *("x" + ".y" * 9 for _ in range(3000))], fails=None, place=False)
    case("facts-name-long", ["facts", "a" + ".b" * 60000], fails=None, place=False)


def others(case):
    """Programs of mgmt and models of Inmanta beyond what their own modules have."""
    mcl = lambda name, text, verb=("compile",), **more: case("mcl-" + name, [verb[0], "in.mcl", *verb[1:]], {"in.mcl": text}, **more)
    for verb in (("fmt", "--check"), ("check",)):
        mcl("text-open-" + verb[0], lambda: '$x = "' + "a" * 9000000, verb, fails=True, place=False)
        mcl("comments-" + verb[0], lambda: "# comment\n" * 300000, verb, place=False)
        mcl("line-" + verb[0], lambda: "$x = [" + "1," * 200000 + "]\n", verb, place=False)
        mcl("nested-classes-" + verb[0], lambda: "class c {\n" * 3000 + "}\n" * 3000, verb, place=False)
    mcl("like-names", lambda: chain("", lambda n: f"$variable_{n} = {n}\n", 4000) + chain("", lambda n: f"$w{n} = $variable_x{n}\n", 4000), fails=True)
    mcl("like-names-check", lambda: chain("", lambda n: f"$variable_{n} = {n}\n", 4000) + chain("", lambda n: f"$w{n} = $variable_x{n}\n", 4000), ("check",), fails=True)
    mcl("unknown-kinds", lambda: chain("", lambda n: f'fil{n} "/a{n}" {{}}\n', 9000), ("check",), fails=True)
    mcl("unknown-fields", lambda: chain("", lambda n: f'file "/a{n}" {{\n\tcontnt => "x",\n}}\n', 9000), ("check",), fails=True)
    mcl("same-resources", lambda: 'print "a" {}\n' * 20000)
    mcl("unequal-resources", lambda: chain("", lambda n: f'print "a" {{\n\tmsg => "{n}",\n}}\n', 9000), fails=True)
    mcl("types", lambda: "$x = " + nest("[", ",]", 60) + "\n" + chain("", lambda n: f"$y{n} = [$x, $x,]\n", 2000))
    mcl("functions-generic", lambda: "$id = func($x) { $x }\n" + chain("$v0 = $id(1)\n", lambda n: f"$v{n + 1} = $id($v{n})\n", 2000))
    mcl("ifs", lambda: "".join(f"$v{n + 1} = if $v{n} {{ $v{n} }} else {{ true }}\n" for n in range(2000)) + "$v0 = true\n")
    mcl("edges-chain", lambda: "".join(f'print "n{n}" {{}}\n' for n in range(5000)) + "".join(f'Print["n{n}"] -> Print["n{n + 1}"]\n' for n in range(4999)))
    mcl("edges-missing", lambda: "".join(f'print "n{n}" {{\n\tDepend => Print["x{n}"],\n}}\n' for n in range(9000)), fails=True)
    model = lambda name, text, verb="compile", **more: case("inmanta-" + name, [verb, "p"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": text}, **more)
    model("like-names", lambda: chain("", lambda n: f"variable_{n} = {n}\n", 4000) + chain("", lambda n: f"w{n} = variable_x{n}\n", 4000), fails=True)
    model("like-names-check", lambda: chain("", lambda n: f"variable_{n} = {n}\n", 4000) + chain("", lambda n: f"w{n} = variable_x{n}\n", 4000), "check")
    model("like-entities", lambda: chain("", lambda n: f"entity Service{n}:\nend\nimplement Service{n} using std::none\n", 3000) + chain("", lambda n: f"Servicex{n}()\n", 3000), "check", fails=True)
    model("like-attributes", lambda: "entity E:\n" + chain("", lambda n: f" int attribute_{n} = 1\n", 2000) + "end\nimplement E using std::none\n" + chain("", lambda n: f"E(attribute_x{n}=1)\n", 2000), "check", fails=True)
    model("index", lambda: "entity E:\n int n\nend\nindex E(n)\nimplement E using std::none\nfor i in std::sequence(5000):\n E(n=i)\n x = E[n=i]\nend\n")
    model("implementations", lambda: "entity E:\n int n\nend\n" + chain("", lambda n: f"implementation i{n} for E:\nend\nimplement E using i{n} when self.n == {n}\n", 2000) + "for i in std::sequence(300):\n E(n=i)\nend\n")
    model("waiting", lambda: chain("", lambda n: f"v{n} = v{n + 1}\n", 5000) + "v5000 = 1\n")
    model("waiting-ring", lambda: chain("", lambda n: f"v{n} = v{(n + 1) % 5000}\n", 5000), fails=True)
    model("set-twice", lambda: "x = 1\n" + "x = 2\n" * 20000, fails=True)
    model("dict-large", lambda: "x = {" + ", ".join(f'"k{n}": {n}' for n in range(40000)) + "}\ny = x[\"k39999\"]\n")
    model("list-index", lambda: "x = std::sequence(40000)\nfor i in x:\n y = i in x\nend\n", fails=None)
    model("texts", lambda: 'v0 = "x"\n' + chain("", lambda n: f'v{n + 1} = "{{{{v{n}}}}}x"\n', 9000))
    model("fstrings", lambda: 'v0 = "x"\n' + chain("", lambda n: f'v{n + 1} = f"{{v{n}}}x"\n', 9000))
    model("typedefs", lambda: chain("typedef t0 as int matching self > 0\n", lambda n: f"typedef t{n + 1} as t{n} matching self > {n}\n", 3000) + "entity E:\n t3000 n\nend\nimplement E using std::none\nE(n=5000)\n")
    case("inmanta-module-deep", ["compile", "p"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": "import m\n", "p/libs/m/module.yml": lambda: nest('{"name":', "}", 90000), "p/libs/m/model/_init.cf": ""})
    case("inmanta-module-loop", ["compile", "p"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": "import m0\n", **{f"p/libs/m{n}/module.yml": f"name: m{n}\nversion: 1.0\nlicense: x\n" for n in range(60)}, **{f"p/libs/m{n}/model/_init.cf": f"import m{(n + 1) % 60}\n" for n in range(60)}}, place=False)
    case("inmanta-requirements", ["compile", "p"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": "x = 1\n", "p/requirements.txt": lambda: "a==1\n" * 200000}, place=False)


def cases(case):
    for part in (plans, checks, compiles, explains, documents, types, others):
        part(case)
