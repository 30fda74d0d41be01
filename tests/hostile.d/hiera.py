"""Hiera's data, facts and node data."""

import json

from common import chain, nest, yaml_bomb

LEVELS = "version: 5\nhierarchy:\n- name: common\n  path: common.yaml\n"
SITE = "notice(lookup('x'))\n"


def cases(case):
    def data(name, text, conf=LEVELS, verbs=("compile",), manifest=SITE, **more):
        for verb in verbs:
            files = {"site/hiera.yaml": conf, "site/data/common.yaml": text, "site/manifests/site.pp": manifest}
            suffix = "" if verb == verbs[0] else f"-{verb}"
            case(name + suffix, [verb, "site"], files, **more)

    both = ("compile", "check")
    data("bomb", yaml_bomb(), verbs=both, fails=True)
    data("bomb-map", lambda: chain("m0: &m0 {k: v}\n", lambda n: f"m{n + 1}: &m{n + 1} {{l: *m{n}, r: *m{n}}}\n", 60) + "x: *m60\n", fails=True)
    data("bomb-below-limit", lambda: chain("m0: &m0 [v, w]\n", lambda n: f"m{n + 1}: &m{n + 1} [*m{n}, *m{n}]\n", 17) + "x: *m17\n")
    data("bomb-merge-keys", lambda: chain("m0: &m0 {k: v}\n", lambda n: f"m{n + 1}: &m{n + 1}\n  <<: [*m{n}, *m{n}]\n  k{n}: v\n", 2500) + "x: 1\n")
    data("alias-itself", "x: &x {a: *x}\n", fails=True)
    data("deep-flow", lambda: "x: " + nest("{a: ", "}", 90000), verbs=both, fails=True)
    data("deep-flow-open", lambda: "x: " + "[{" * 90000, fails=True)
    data("deep-block", lambda: "x:\n" + "".join(" " * n + "k:\n" for n in range(1, 4000)), fails=True)
    data("deep-dashes", lambda: "x:\n  " + "- " * 90000 + "a", fails=True)
    data("keys-many", lambda: chain("x: 1\n", lambda n: f"key{n}: value {n}\n", 200000))
    data("keys-equal", lambda: "x: 1\n" * 150000)
    data("anchors-many", lambda: chain("", lambda n: f"k{n}: &a{n} [*a{n - 1}]\n" if n else "k0: &a0 1\n", 500) + "x: 1\n")
    data("documents-many", lambda: "--- a\n" * 150000)
    data("text-long", lambda: "x: " + "word " * 4000000)
    data("text-open", lambda: 'x: "' + "word\\\n" * 1000000, fails=True)
    data("binary-long", lambda: "x: !!binary " + "QUJD" * 3000000)
    data("number-long", lambda: "x: " + "7" * 900000)
    data("bytes", lambda: b"x: " + bytes(range(128, 256)) * 9000, fails=True)
    data("comments", lambda: "# comment\n" * 900000 + "x: 1\n")
    data("rubies", "x: !ruby/object:Gem::Requirement\n  requirements: [x]\n", fails=True)

    data("interpolate-itself", "x: \"%{lookup('x')}\"\n", fails=True)
    data("interpolate-loop", "".join(f"x{n}: \"%{{lookup('x{(n + 1) % 9}')}}\"\n" for n in range(9)) + "x: \"%{alias('x0')}\"\n", fails=True)
    data("interpolate-double", lambda: chain("", lambda n: f"x{n}: \"%{{lookup('x{n + 1}')}}%{{lookup('x{n + 1}')}}\"\n", 50) + "x50: text\nx: \"%{lookup('x0')}\"\n", fails=True)
    data("interpolate-double-alias", lambda: chain("", lambda n: f"x{n}: [\"%{{alias('x{n + 1}')}}\", \"%{{alias('x{n + 1}')}}\"]\n", 50) + "x50: text\nx: \"%{alias('x0')}\"\n", fails=True)
    data("interpolate-chain", lambda: chain("", lambda n: f"x{n}: \"%{{lookup('x{n + 1}')}}\"\n", 5000) + "x5000: text\nx: \"%{lookup('x0')}\"\n", fails=True)
    data("interpolate-many", lambda: "x: \"" + "%{facts.kernel} " * 150000 + "\"\n")
    data("interpolate-open", lambda: "x: \"" + "%{" * 150000 + "\"\n")
    data("merge-deep", lambda: "lookup_options:\n  x: {merge: deep}\nx: " + json.dumps({f"k{n}": {f"l{m}": [n, m] for m in range(30)} for n in range(3000)}) + "\n",
         conf="version: 5\nhierarchy:\n" + "".join(f"- name: l{n}\n  path: common.yaml\n" for n in range(30)))
    data("merge-unique", lambda: "lookup_options:\n  x: {merge: unique}\nx: " + json.dumps([f"v{n}" for n in range(100000)]) + "\n",
         conf="version: 5\nhierarchy:\n" + "".join(f"- name: l{n}\n  path: common.yaml\n" for n in range(8)))
    data("options-pattern", "x: 1\nlookup_options:\n  '^(x+x+)+y$': {merge: deep}\n", manifest="notice(lookup('%s', undef, undef, 1))\n" % ("x" * 60))
    data("options-many", lambda: "x: 1\nlookup_options:\n" + chain("", lambda n: f"  '^k{n}_.*$': {{merge: deep}}\n", 5000))
    data("key-dotted", lambda: "x: {a: 1}\n", manifest="notice(lookup('x" + ".a" * 50000 + "', undef, undef, 1))\n", place=False)
    data("levels-many", "x: 1\n", conf="version: 5\nhierarchy:\n" + "".join(f"- name: l{n}\n  path: \"l{n}.yaml\"\n" for n in range(20000)) + "- name: common\n  path: common.yaml\n")
    data("levels-deep", "x: 1\n", conf=lambda: "version: 5\nhierarchy: " + nest("[", "]", 90000), fails=True)
    data("levels-bomb", "x: 1\n", conf=yaml_bomb(), fails=True)
    data("levels-braces", "x: 1\n", conf="version: 5\nhierarchy:\n- name: g\n  glob: '" + "{a,b}" * 60 + ".yaml'\n", fails=True)
    data("levels-stars", "x: 1\n", conf="version: 5\nhierarchy:\n- name: g\n  glob: '" + "*/" * 60 + "*.yaml'\n", fails=True)
    data("levels-mapped", "x: 1\n", conf="version: 5\nhierarchy:\n- name: g\n  mapped_paths: [big, one, \"%{one}.yaml\"]\n",
         manifest="$big = Integer[1, 30000].map |$i| { \"p${i}\" }\nnotice(lookup('x', undef, undef, 1))\n")
    data("datadir-device", "x: 1\n", conf="version: 5\nhierarchy:\n- name: z\n  datadir: /dev\n  path: zero\n", place=False, fails=True)
    case("lookup-bomb", ["lookup", "x", "--path", "site", "--explain"], {"site/hiera.yaml": LEVELS, "site/data/common.yaml": yaml_bomb(), "site/manifests/site.pp": ""}, fails=True)
    case("lookup-double", ["lookup", "x", "--path", "site", "--explain"], {"site/hiera.yaml": LEVELS, "site/data/common.yaml": lambda: chain("", lambda n: f"x{n}: \"%{{lookup('x{n + 1}')}}%{{lookup('x{n + 1}')}}\"\n", 50) + "x50: text\nx: \"%{lookup('x0')}\"\n", "site/manifests/site.pp": ""}, fails=True)

    def facts(name, text, ending="json", **more):
        case("facts-" + name, ["compile", "in.pp", "--facts", f"facts.{ending}"], {"in.pp": "notice($facts['a'])", f"facts.{ending}": text}, **more)

    facts("deep", lambda: '{"a":' * 90000, fails=True)
    facts("deep-closed", lambda: nest('{"a":', "}", 90000), fails=True)
    facts("deep-below-limit", lambda: nest('{"a":', "}", 100))
    facts("many", lambda: json.dumps({f"k{n}": n for n in range(200000)} | {"a": 1}))
    facts("long", lambda: json.dumps({"a": "x" * 20000000}))
    facts("number", lambda: '{"a":' + "8" * 500000 + "}")
    facts("bomb", yaml_bomb() + "a: 1\n", "yaml", fails=True)
    facts("list", "[1, 2]", fails=True, place=False)
    facts("bytes", lambda: bytes(range(256)) * 100, fails=True, place=False)
    case("node-data-deep", ["compile", "in.pp", "--node-data", "n.json"], {"in.pp": "", "n.json": lambda: '{"parameters":' + nest("[", "]", 90000) + "}"}, fails=True)
    case("node-data-classes", ["compile", "in.pp", "--node-data", "n.json"], {"in.pp": "", "n.json": lambda: json.dumps({"classes": [f"c{n}" for n in range(100000)]})}, place=False, fails=True)
