"""Work that grows faster than its input: types, searches, merges, patterns, and files of the machine."""

import json

from common import chain, link, nest


def puppet(case):
    def code(name, text, verb=("eval",), **more):
        case("puppet-" + name, [verb[0], "in.pp", *verb[1:]], {"in.pp": text}, **more)

    doubled = lambda count, letter="A": chain(f"type {letter}0 = Tuple[Integer, Integer]\n", lambda n: f"type {letter}{n + 1} = Tuple[{letter}{n}, {letter}{n}]\n", count)
    code("types-double", lambda: doubled(50) + "notice([1, 2] =~ A50)\n")
    code("types-double-shown", lambda: doubled(50) + "notice(String(A50).length)\n")
    code("types-double-compared", lambda: doubled(40) + doubled(40, "B") + "notice(A40 == B40) notice(A40 < B40)\n")
    code("types-double-variant", lambda: chain("type V0 = Variant[Integer, String]\n", lambda n: f"type V{n + 1} = Variant[Array[V{n}], Hash[V{n}, V{n}]]\n", 40) + "notice([[[]]] =~ V40)\n")
    code("types-inferred", lambda: chain("$v0 = [1, 'a']\n", lambda n: f"$v{n + 1} = [$v{n}, $v{n}]\n", 16) + "notice(String(type($v16)).length)\n")
    code("types-variant-wide", lambda: "type V = Variant[" + ", ".join(f"Integer[{n}, {n}]" for n in range(9000)) + "]\nnotice(5 =~ V)\n")
    code("types-enum-wide", lambda: "type E = Enum[" + ", ".join(f"'e{n}'" for n in range(60000)) + "]\nnotice(Integer[1, 900].filter |$i| { \"e${i}\" =~ E }.length)\n")
    code("types-struct-wide", lambda: "type S = Struct[{" + ", ".join(f"k{n} => Integer" for n in range(9000)) + "}]\nnotice({ k1 => 1 } =~ S)\n")
    code("types-mismatch", lambda: "type S = Struct[{" + ", ".join(f"k{n} => Integer" for n in range(3000)) + "}]\nfunction f(S $x) { 1 }\nf({" + ", ".join(f"k{n} => 'x'" for n in range(3000)) + "})\n", fails=True)
    code("types-patterns", lambda: "type P = Pattern[" + ", ".join(f"/^(a+)+{n}$/" for n in range(3000)) + "]\nnotice('%s' =~ P)\n" % ("a" * 60))
    code("reduce-hash", "$h = Integer[1, 20000].reduce({}) |$m, $x| { $m + { $x => 1 } } notice($h.length)", fails=None)
    code("reduce-list", "$h = Integer[1, 20000].reduce([]) |$m, $x| { $m + $x } notice($h.length)", fails=None)
    code("reduce-text", "$h = Integer[1, 60000].reduce('') |$m, $x| { \"${m}x\" } notice($h.length)", fails=None)
    code("reduce-deep-merge", "$h = Integer[1, 3000].reduce({}) |$m, $x| { deep_merge($m, { \"k${x}\" => { 'a' => $x } }) } notice($h.length)", fails=None)
    code("unique-lists", "notice(unique(Integer[1, 20000].map |$x| { [$x, [$x]] }).length)")
    code("in-list", "$l = Integer[1, 20000].map |$x| { \"x${x}\" } notice($l.filter |$x| { $x in $l }.length)", fails=None)
    code("difference-lists", "$l = Integer[1, 20000].map |$x| { [$x] } notice(($l - $l).length) notice(intersection($l, $l).length) notice(union($l, $l).length)", fails=None)
    code("index-list", "$l = Integer[1, 9000].map |$x| { \"x${x}\" } notice($l.map |$x| { $l.index($x) }.length)", fails=None)
    code("sort-block", "notice(sort(Integer[1, 60000].map |$x| { ($x * 7919) % 60013 }) |$a, $b| { compare($a, $b) }.length)", fails=None)
    code("hash-of-lists", "$k = Integer[1, 3000].map |$x| { $x } notice(Integer[1, 900].map |$i| { { $k => $i } }.length)", fails=None)
    code("split-join", "$t = sprintf('%300000s', 'x') notice(Integer[1, 200].map |$i| { join(split($t, ''), ',').length }.length)", fails=None)
    code("match-long", "$t = sprintf('%3000000s', 'x') notice(Integer[1, 300].filter |$i| { $t =~ /(a|b|c)*y$/ }.length)", fails=None)
    code("scan-format", "notice(Integer[1, 60000].map |$i| { sprintf('%s %d %x %08.3f', $i, $i, $i, $i) }.length)")
    code("yaml-parsed", "$y = to_yaml(Integer[1, 20000].map |$x| { { 'a' => $x } }) notice(Integer[1, 50].map |$i| { parseyaml($y).length }.length)", fails=None)
    code("json-parsed", "$y = to_json(Integer[1, 60000].map |$x| { $x }) notice(Integer[1, 300].map |$i| { parsejson($y).length }.length)", fails=None)
    code("collectors", "Integer[1, 3000].each |$i| { @notify { \"n${i}\": tag => \"t${i}\" } } " + " ".join(f"Notify<| tag == 't{n}' |>" for n in range(1500)), ("compile",), fails=None)
    code("collectors-overriding", "Integer[1, 600].each |$i| { notify { \"n${i}\": } } " + " ".join(f"Notify<| title != 'x{n}' |> {{ tag +> 't{n}' }}" for n in range(300)), ("compile",), fails=None)
    code("defaults", "Integer[1, 3000].each |$i| { notify { \"n${i}\": } } " + " ".join(f"Notify {{ loglevel => notice }}" for n in range(1)) + "\n" + chain("", lambda n: f"class c{n} {{ Notify {{ tag => 't{n}' }} include c{n + 1} }}\n", 300) + "class c300 { Integer[1, 2000].each |$i| { notify { \"m${i}\": } } }\ninclude c0\n", ("compile",), fails=None)
    code("defines-nested", lambda: chain("", lambda n: f"define d{n}() {{ d{n + 1} {{ [\"${{title}}a\", \"${{title}}b\"]: }} }}\n", 14) + "define d14() { notify { $title: } }\nd0 { 'x': }\n", ("compile",), fails=None)
    code("classes-inherit", lambda: chain("class c0 { $x = 1 }\n", lambda n: f"class c{n + 1} inherits c{n} {{ }}\n", 3000) + "include c3000\n", ("compile",), fails=None)
    code("parameters", lambda: "define d(" + ", ".join(f"$p{n} = 1" for n in range(3000)) + ") { }\nInteger[1, 300].each |$i| { d { \"x${i}\": } }\n", ("compile",), fails=None)
    code("parameters-splat", lambda: "define d(" + ", ".join(f"$p{n}" for n in range(3000)) + ") { }\n$h = Integer[0, 2999].reduce({}) |$m, $i| { $m + { \"p${i}\" => 1 } }\nInteger[1, 200].each |$i| { d { default: * => $h; \"x${i}\": * => $h } }\n", ("compile",), fails=None)
    code("parameters-chain", lambda: "define d(" + ", ".join(f"$p{n + 1} = $p{n}" if n else "$p1 = 1" for n in range(3000)) + ") { }\nd { 'x': }\n", ("compile",), fails=None)
    code("create-resources", "create_resources('notify', Hash(Integer[1, 60000].map |$x| { [\"n${x}\", { 'message' => 'x' }] }))", ("compile",))
    code("relations-shared", "$f = Integer[1, 1500].map |$i| { \"/f${i}\" } file { $f: } $r = File[$f] Integer[1, 1500].each |$i| { notify { \"n${i}\": require => $r } }", ("compile",))
    code("relations-chained", lambda: "$a = Integer[1, 900].map |$i| { \"a${i}\" } notify { $a: }\n" + "Notify[$a] -> Notify[$a] -> " * 40 + "Notify[$a]\n", ("compile",), fails=None)
    code("globs", "file { '/a': ensure => directory, recurse => true, source => '/proc/self/cwd/tree', ignore => ['" + "*a" * 40 + "b'] }", ("plan", "--root", "r"))
    case("puppet-globs-matched", ["plan", "in.pp", "--root", "r"], {"in.pp": "tidy { '/t': recurse => true, matches => ['" + "*a" * 40 + "b'] }\n", **{f"r/t/{'a' * 90}{n}": "x" for n in range(20)}})
    case("puppet-templates", ["compile", "site"], {"site/manifests/site.pp": "Integer[1, 3000].each |$i| { notify { \"n${i}\": message => template('m/t.erb') } }\n", "site/modules/m/templates/t.erb": "<% 40.times do |i| %><%= i %> <%= @i %>\n<% end %>", "site/modules/m/manifests/init.pp": "class m { }\n"}, fails=None)


def hiera(case):
    conf = lambda ending: f"version: 5\ndefaults:\n  data_hash: {ending}_data\nhierarchy:\n- name: c\n  path: c.{ending}\n"

    def data(name, ending, text, **more):
        case("hiera-" + name, ["compile", "site"], {"site/hiera.yaml": conf(ending), f"site/data/c.{ending}": text, "site/manifests/site.pp": "notice(lookup('x', undef, undef, 1))\n"}, **more)

    data("hocon-double", "hocon", lambda: chain('v0 = "abcdefgh"\n', lambda n: f"v{n + 1} = ${{v{n}}}${{v{n}}}\n", 60) + "x = ${v60}\n", fails=True)
    data("hocon-double-object", "hocon", lambda: chain("v0 = { k = 1 }\n", lambda n: f"v{n + 1} = {{ l = ${{v{n}}}, r = ${{v{n}}} }}\n", 60) + "x = ${v60}\n", fails=True)
    data("hocon-itself", "hocon", "x = ${x} a\n", fails=None)
    data("hocon-ring", "hocon", "x = ${y}\ny = ${x}\n", fails=True)
    data("hocon-deep", "hocon", lambda: "x = " + nest("[", "]", 90000), fails=True)
    data("hocon-open", "hocon", lambda: "x = " + "{ a = " * 90000, fails=True)
    data("hocon-include", "hocon", 'include "c.hocon"\nx = 1\n', fails=None, place=False)
    data("hocon-path", "hocon", lambda: "x" + ".a" * 90000 + " = 1\n", fails=None)
    data("hocon-append", "hocon", lambda: "x = []\n" + "x += 1\n" * 20000)
    data("hocon-keys", "hocon", lambda: chain("x = 1\n", lambda n: f"key{n} = value {n}\n", 60000))
    data("json-deep", "json", lambda: nest('{"x":', "}", 90000), fails=True)
    data("json-open", "json", lambda: '{"x": "' + "\\u0041" * 900000, fails=True)
    data("json-keys", "json", lambda: json.dumps({f"k{n}": n for n in range(200000)}))
    data("yaml-comments", "yaml", lambda: "x: 1 " + "# " * 900000 + "\n")
    data("yaml-questions", "yaml", lambda: "? " * 60000 + "a\n", fails=True)
    data("yaml-plain", "yaml", lambda: "x: a\n" + "  b\n" * 900000)
    data("yaml-merges", "yaml", lambda: "m: &m {a: 1}\nx:\n  <<: [" + "*m, " * 60000 + "*m]\n")
    data("yaml-merges-chain", "yaml", lambda: chain("m0: &m0 {k0: 1}\n", lambda n: f"m{n + 1}: &m{n + 1} {{<<: *m{n}, k{n + 1}: 1}}\n", 2000) + "x: 1\n", fails=None)


def others(case):
    mcl = lambda name, text, verb=("compile",), **more: case("mcl-" + name, [verb[0], "in.mcl", *verb[1:]], {"in.mcl": text}, **more)
    use = 'import "fmt"\nimport "iter"\nimport "strings"\nimport "golang"\n'
    mcl("types-double", lambda: "$f = func($x) { struct{a => $x, b => $x,} }\n" + chain("$v0 = 1\n", lambda n: f"$v{n + 1} = $f($v{n})\n", 50) + "$y = $v50\n", fails=None)
    mcl("types-double-list", lambda: chain("$v0 = struct{a => 1, b => 1,}\n", lambda n: f"$v{n + 1} = struct{{a => $v{n}, b => $v{n},}}\n", 50) + use + 'print fmt.printf("%v", $v50) {}\n', fails=True)
    mcl("compare-double", lambda: chain("$v0 = [1,]\n", lambda n: f"$v{n + 1} = [$v{n}, $v{n},]\n", 40) + chain("$w0 = [1,]\n", lambda n: f"$w{n + 1} = [$w{n}, $w{n},]\n", 40) + 'if $v40 == $w40 {\n\tprint "x" {}\n}\n', fails=True)
    mcl("map", lambda: use + '$l = iter.range(60000)\n$m = iter.map($l, func($x) { fmt.printf("%d", $x) })\nprint $m {}\n', fails=None)
    mcl("map-nested", lambda: use + "$l = iter.range(900)\n$m = iter.map($l, func($x) { iter.map($l, func($y) { $x + $y }) })\n" + '$n = len($m)\nprint fmt.printf("%d", $n) {}\n', fails=None)
    mcl("in-list", lambda: "$l = [" + ",".join(f'"x{n}"' for n in range(9000)) + ",]\nfor $i, $x in $l {\n\tif $x in $l {\n\t\tprint $x {}\n\t}\n}\n", fails=None)
    mcl("template-loops", use + 'print "x" {\n\tmsg => golang.template("' + "{{ range $i := . }}" * 9 + "x" + "{{ end }}" * 9 + '", [1,2,3,4,5,6,7,8,9,]),\n}\n', fails=None)
    mcl("send-chain", lambda: chain('print "n0" {}\n', lambda n: f'print "n{n + 1}" {{}}\nPrint["n{n}"] -> Print["n{n + 1}"]\n', 9000))
    mcl("grouped", lambda: "$l = [" + ",".join(f'"p{n}"' for n in range(20000)) + ',]\npkg $l {\n\tstate => "installed",\n}\n')
    model = lambda name, text, files=None, **more: case("inmanta-" + name, ["compile", "p"], {"p/project.yml": "name: p\nmodulepath: libs\n", "p/main.cf": text} | {"p/" + path: content for path, content in (files or {}).items()}, **more)
    none = "implement E using none\nimplementation none for E:\nend\n"
    model("lists-shared", lambda: "entity E:\n int n\nend\nE.to [0:] -- E.of [0:]\n" + none + "l = [E(n=i) for i in std::sequence(700)]\nfor a in l:\n a.to = l\nend\n", fails=None)
    model("where", lambda: "entity E:\n int n\nend\n" + none + "l = [E(n=i) for i in std::sequence(2000)]\nfor a in l:\n m = [x for x in l if x.n == a.n]\nend\n", fails=None)
    model("dict-merge", lambda: 'v0 = {"k": 1}\n' + chain("", lambda n: f'v{n + 1} = {{"k{n}": {n}, **v{n}}}\n', 3000), fails=None)
    model("json-bomb", 'x = std::json_loads("' + "[" * 60000 + '")\n', fails=True)
    model("typedef-patterns", lambda: chain("", lambda n: f"typedef t{n} as string matching /^(a+)+{n}$/\n", 300) + "entity E:\n" + chain("", lambda n: f" t{n} a{n}\n", 300) + "end\nimplement E using std::none\n", fails=None)
    model("format", 'x = "{{{{y}}}}"\ny = "' + "{" * 60000 + '"\n', fails=None)
    for name, text in [
        ("filters", "{% for i in range(90000) %}{% set x = range(900)|list|sort|reverse|list %}{% endfor %}"), ("map-chain", "{{ range(90000)" + "|map('string')" * 300 + "|list|length }}"),
        ("groupby", "{% for i in range(900) %}{% set x = range(9000)|list|unique|list %}{% endfor %}"), ("tojson", "{% set l = range(90000)|list %}{% for i in range(900) %}{% set x = l|tojson %}{% endfor %}"),
        ("tilde", "{% set t = 'x' * 900000 %}{% for i in range(9000) %}{% set x = t ~ i %}{% endfor %}"), ("slices", "{% set t = 'x' * 9000000 %}{% for i in range(9000) %}{% set x = t[::-1] %}{% endfor %}"),
        ("in-text", "{% set t = 'a' * 900000 %}{% for i in range(9000) %}{% set x = 'ab' in t %}{% endfor %}"), ("in-list", "{% set l = range(90000)|list %}{% for i in range(9000) %}{% set x = -1 in l %}{% endfor %}"),
        ("whitespace", "{%- " * 60000), ("comments", "{# " * 90000), ("raw", "{% raw %}" + "{{ " * 300000 + "{% endraw %}"), ("lists", "{{ [" + "[1]," * 60000 + "]|length }}"),
    ]:
        model("template-" + name, 'import std\nx = std::template("/t.j2")\n', {"templates/t.j2": text}, fails=None)
    merge = lambda name, text, **more: case("dynaml-" + name, ["merge", "in.yml"], {"in.yml": text}, **more)
    merge("uniq", "l: (( [1..20000] ))\nx: (( uniq(l) ))\n", fails=None)
    merge("contains", "l: (( [1..9000] ))\nx: (( map[l|i|->contains(l, i)] ))\n", fails=None)
    merge("index", "l: (( [1..9000] ))\nx: (( map[l|i|->index(l, i)] ))\n", fails=None)
    merge("intersect", "l: (( [1..20000] ))\nx: (( intersect(l, l) ))\n", fails=None)
    merge("reverse", "l: (( [1..9000] ))\nx: (( map[l|i|->reverse(l)[0]] ))\n", fails=None)
    merge("sort", "l: (( [1..60000] ))\nx: (( sort(l) ))\n")
    merge("sort-lambda", "l: (( [1..20000] ))\nx: (( sort[l|a,b|->b < a] ))\n", fails=None)
    merge("concat-reduce", 'x: (( sum[[1..60000]|""|s,i|->s "x"] ))\n', fails=None)
    merge("list-reduce", "x: (( sum[[1..20000]|[]|s,i|->s i] ))\n", fails=None)
    merge("map-reduce", 'x: (( sum[[1..9000]|{}|s,i|->merge(s, { "k" i = i })] ))\n', fails=None)
    merge("split", 't: (( join(",", [1..90000]) ))\nx: (( length(split(",", t)) ))\n')
    merge("match", 't: (( join("", map[[1..90000]|i|->"a"]) ))\nx: (( map[[1..900]|i|->match("(a|b)*c", t)] ))\n', fails=None)
    merge("hash", 't: (( join("", map[[1..90000]|i|->"a"]) ))\nx: (( map[[1..9000]|i|->hash(t)] ))\n', fails=None)
    merge("parse", 't: (( asjson([1..60000]) ))\nx: (( map[[1..300]|i|->length(parse(t))] ))\n', fails=None)
    merge("crypt", 'x: (( map[[1..9]|i|->bcrypt("x", 10)] ))\n', fails=None)
    merge("keys", "x: (( map[[1..900]|i|->x509genkey(2048)] ))\n", fails=True)
    merge("archive", 'f:\n- path: a\n  data: (( join("", map[[1..90000]|i|->"aaaaaaaa"]) ))\nx: (( map[[1..200]|i|->length(archive(f, "targz"))] ))\n', fails=None)
    merge("semver", 'x: (( semver("' + "1." * 60000 + '") ))\n', fails=True)
    merge("semver-match", 'x: (( semvermatch("1.2.3", "' + ">1.0.0 || " * 20000 + '>1.0.0") ))\n', fails=None)
    merge("cidr", 'x: (( map[[1..900]|i|->split_cidr("10.0.0.0/8", 12)] ))\n', fails=None)


def machine(case):
    """Files of the machine below `--root`."""
    def plan(name, code, files, **more):
        case("machine-" + name, ["plan", "in.pp", "--root", "r"], {"in.pp": code + "\n", "r/x": "", **{"r/" + path: text for path, text in files.items()}}, **more)

    plan("passwd", "user { 'x': ensure => present }", {"etc/passwd": lambda: chain("root:x:0:0::/:/bin/sh\n", lambda n: f"u{n}:x:{n + 1000}:{n + 1000}::/:/bin/sh\n", 200000), "etc/group": "root:x:0:\n"})
    plan("group", "group { 'x': ensure => present }", {"etc/group": lambda: "root:x:0:" + ",".join(f"u{n}" for n in range(300000)) + "\n"})
    plan("hosts", "host { 'x': ip => '10.0.0.1' }", {"etc/hosts": lambda: chain("", lambda n: f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255} h{n}\n", 300000)})
    plan("hosts-device", "host { 'x': ip => '10.0.0.1' }", {}, setup=link("r/etc/hosts", "/dev/zero"), place=False)
    plan("fstab", "mount { '/x': ensure => present, device => '/dev/x', fstype => 'ext4' }", {"etc/fstab": lambda: chain("", lambda n: f"/dev/x{n} /m{n} ext4 defaults 0 0\n", 60000)})
    plan("status", "package { 'x': ensure => present }", {"var/lib/dpkg/status": lambda: chain("", lambda n: f"Package: p{n}\nStatus: install ok installed\nVersion: 1\nArchitecture: all\nDescription: x\n\n", 60000)}, place=False)
    plan("status-binary", "package { 'x': ensure => present }", {"var/lib/dpkg/status": lambda: bytes(range(256)) * 9000}, place=False)
    plan("crontab", "cron { 'x': command => 'true', user => 'root' }", {"etc/passwd": "root:x:0:0::/:/bin/sh\n", "var/spool/cron/crontabs/root": lambda: chain("", lambda n: f"# Puppet Name: j{n}\n* * * * * true\n", 60000)}, place=False)
    plan("keys", "ssh_authorized_key { 'x': user => 'root', type => 'ssh-ed25519', key => 'AAAA' }", {"etc/passwd": "root:x:0:0::/root:/bin/sh\n", "root/.ssh/authorized_keys": lambda: chain("", lambda n: f"ssh-ed25519 AAAA{n} k{n}\n", 60000)}, place=False)
    plan("line", "line { '/l': content => 'x' }", {"l": lambda: "y\n" * 3000000}, place=False)
    plan("file-line", "file_line { 'a': path => '/l', line => 'x', match => '^(y+y+)+z$' }", {"l": lambda: ("y" * 60 + "\n") * 20000}, place=False)
    plan("sysctl", "sysctl { 'a.b': value => '1' }", {"etc/sysctl.conf": lambda: "a.c = 1\n" * 300000}, place=False)
    plan("file-device", "file { '/a': content => 'x' }", {}, setup=link("r/a", "/dev/zero"), place=False)
    plan("file-source-device", "file { '/a': source => '/dev/zero' }", {}, place=False)
    plan("file-source-large", "file { '/a': source => '/proc/self/cwd/big' }", {}, setup=lambda: open("big", "wb").truncate(3 << 30), place=False)


def cases(case):
    for part in (puppet, hiera, others, machine):
        part(case)
