"""spiff's dynaml, and the verbs on documents."""

import json
from functools import partial

import common
from common import chain, nest, yaml_bomb


def cases(case):
    def merge(name, text, *stubs, verb=("merge",), **more):
        files = {"in.yml": text} | {f"stub{n}.yml": stub for n, stub in enumerate(stubs)}
        case(name, [*verb, "in.yml", *(f"stub{n}.yml" for n in range(len(stubs)))], files, **more)

    grown = partial(common.grown, first="v0: abcdefgh\n")

    merge("double-text", lambda: grown("{b}: (( {a} {a} ))"), fails=True)
    merge("double-list", lambda: grown("{b}: (( {a} {a} ))", first="v0: [1, 2]\n"), fails=True)
    merge("double-nested", lambda: grown("{b}: (( [{a}, {a}] ))"), fails=True)
    merge("double-map", lambda: grown("{b}:\n  l: (( {a} ))\n  r: (( {a} ))"), fails=True)
    merge("double-template", lambda: chain("v0:\n  <<: (( &template ))\n  k: 1\n", lambda n: f"v{n + 1}:\n  <<: (( &template ))\n  l: (( *v{n} ))\n  r: (( *v{n} ))\n", 50) + "x: (( *v50 ))\n", fails=True)
    merge("double-template-list", lambda: chain("v0:\n- <<: (( &template ))\n- k\n", lambda n: f"v{n + 1}:\n- <<: (( &template ))\n- (( *v{n} ))\n- (( *v{n} ))\n", 50) + "x: (( *v50 ))\n", fails=True)
    merge("double-lambda", lambda: chain("f0: (( |x|->x x ))\n", lambda n: f"f{n + 1}: (( |x|->f{n}(f{n}(x)) ))\n", 8) + "x: (( .f8(\"ab\") ))\n", fails=True)
    merge("double-join", lambda: grown('{b}: (( join(",", {a}, {a}) ))'), fails=True)
    merge("double-replace", lambda: grown('{b}: (( replace({a}, "a", "aaaa") ))'), fails=True)
    merge("double-format", lambda: grown('{b}: (( format("%s%s", {a}, {a}) ))'), fails=True)
    merge("double-json", lambda: grown("{b}: (( asjson([{a}, {a}]) ))"), fails=True)
    merge("double-base64", lambda: grown("{b}: (( base64({a} {a}) ))"), fails=True)
    merge("double-merge", lambda: grown("{b}: (( merge(v0, {{ \"l\" = {a}, \"r\" = {a} }}) ))", first="v0: {k: 1}\n"))
    merge("template-itself", "t:\n  <<: (( &template ))\n  k: (( *t ))\nx: (( *t ))\n", fails=True)
    merge("range", "x: (( [1..900000000] ))", fails=True)
    merge("sum", "x: (( sum[[1..900000000]|0|s,e|->s + e] ))", fails=True)
    merge("sum-million", "x: (( sum[[1..900000]|0|s,e|->s + e] ))")
    merge("map-nested", "x: (( map[[1..3000]|x|->map[[1..3000]|y|->x * y]] ))", fails=True)
    merge("map-compact", "x: (( map[[1..90000]|x|->map[[1..90]|y|->y]] ))", fails=True)
    merge("select-nested", "x: (( select[[1..3000]|x|->sum[[1..3000]|0|s,y|->s + y] > x] ))", fails=True)
    merge("recursion", "f: (( |x|->_(x + 1) ))\nx: (( .f(1) ))", fails=True)
    merge("recursion-tree", "f: (( |x|->x < 1 ? 1 :(_(x - 1) + _(x - 1)) ))\nx: (( .f(60) ))", fails=True)
    merge("recursion-self", "a: (( |x|->x(x) ))\nx: (( .a(.a) ))", fails=True)
    merge("for-nested", "x:\n  <<for:\n    a: (( [1..900] ))\n    b: (( [1..900] ))\n    c: (( [1..900] ))\n  <<do: (( a b c ))\n", verb=("merge", "--features", "control"), fails=True)
    merge("sync", "x: (( sync[1|x|->false|900] ))", fails=True)
    merge("rand", "x: (( rand(\"[a-z]\", 900000000) ))", fails=True)
    merge("key-huge", "x: (( x509genkey(16384) ))", fails=True)
    merge("key-usual", "x: (( x509genkey(2048) ))")
    merge("bcrypt", "x: (( bcrypt(\"x\", 31) ))", fails=True)
    merge("format-wide", "x: (( format(\"%900000000d\", 1) ))")
    merge("ips", "x: (( static_ips(0, 1) ))\nnetworks:\n- name: n\n  subnets:\n  - static: [0.0.0.0 - 255.255.255.255]\njobs:\n- name: j\n  instances: 4000000000\n  networks:\n  - name: n\n    static_ips: (( static_ips([0..4000000000]) ))\n", fails=True)
    merge("cidr", "x: (( split_cidr(\"0.0.0.0/0\", 32) ))", fails=True)
    merge("pattern", "x: (( match(\"(x+)+$\", \"%s!\") ))" % ("x" * 200))
    merge("pattern-counts", "x: (( match(\"(((x{1,200}){1,200}){1,200})\", \"x\") ))", fails=True)
    merge("patterns-many", "x: (( map[[1..20000]|i|->match(\"(\\\\p{L}{1,60}|[a-z]{1,500}){1,6}\" i, \"x\")] ))", fails=True)
    merge("deep-parens", lambda: "x: (( " + nest("(", ")", 90000) + " ))", fails=True)
    merge("deep-lists", lambda: "x: (( " + nest("[", "]", 90000) + " ))", fails=True)
    merge("deep-yaml", lambda: "x: " + nest("[", "]", 90000), fails=True)
    merge("deep-valid", lambda: "x: " + nest("[", "]", 90))
    merge("long-or", lambda: "x: (( a" + " || a" * 60000 + " ))", fails=True)
    merge("long-plus", lambda: "x: (( 1" + " + 1" * 60000 + " ))")
    merge("long-question", lambda: "x: (( " + "true ? 1 :" * 30000 + "1 ))", fails=True)
    merge("bomb", yaml_bomb(), fails=True)
    merge("bomb-stub", "x: (( merge ))", yaml_bomb(), fails=True)
    merge("bomb-parse", "x: (( parse(read(\"stub0.yml\", \"text\")) ))", yaml_bomb(), fails=True)
    merge("read-device", "x: (( read(\"/dev/zero\") ))", fails=True)
    merge("cycle", lambda: chain("", lambda n: f"v{n}: (( v{(n + 1) % 9000} ))\n", 9000), fails=True)
    merge("references", lambda: chain("v0: 1\n", lambda n: f"v{n + 1}: (( v{n} + 1 ))\n", 50000))
    merge("unresolved-many", lambda: chain("", lambda n: f"v{n}: (( missing{n} ))\n", 30000), fails=True)
    merge("keys-many", lambda: chain("", lambda n: f"v{n}: {{a: {n}, b: [x, y]}}\n", 60000))
    merge("list-by-name", lambda: "l:\n" + chain("", lambda n: f"- {{name: n{n}, v: 1}}\n", 20000), lambda: "l:\n" + chain("", lambda n: f"- {{name: n{19999 - n}, v: 2}}\n", 20000))

    for verb in ("merge", "convert"):
        case(f"device-{verb}", [verb, "/dev/zero"], fails=True, place=False)
    case("device-diff", ["diff", "/dev/zero", "/dev/zero"], fails=True, place=False)
    case("device-process", ["process", "/dev/zero", "/dev/urandom"], fails=True, place=False)
    case("device-stub", ["merge", "in.yml", "/dev/zero"], {"in.yml": "a: 1\n"}, fails=True, place=False)
    case("device-bindings", ["merge", "in.yml", "--bindings", "/dev/zero"], {"in.yml": "a: 1\n"}, fails=True, place=False)
    case("convert-bomb", ["convert", "in.yml"], {"in.yml": yaml_bomb()}, fails=True)
    case("convert-deep", ["convert", "--json", "in.yml"], {"in.yml": lambda: nest("[", "]", 90000)}, fails=True)
    case("convert-large", ["convert", "--json", "in.yml"], {"in.yml": lambda: chain("", lambda n: f"key{n}: value {n}\n", 200000)})
    case("diff-bomb", ["diff", "a.yml", "b.yml"], {"a.yml": yaml_bomb(), "b.yml": yaml_bomb()}, fails=True)
    case("diff-lists", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: json.dumps(list(range(60000))), "b.yml": lambda: json.dumps(list(range(59999, -1, -1)))})
    case("diff-texts", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: json.dumps({"t": "\n".join(f"line {n}" for n in range(60000))}), "b.yml": lambda: json.dumps({"t": "\n".join(f"line {n * 7 % 60001}" for n in range(60000))})})
    case("diff-named", ["diff", "a.yml", "b.yml"], {"a.yml": lambda: "l:\n" + chain("", lambda n: f"- {{name: n{n}, v: 1}}\n", 20000), "b.yml": lambda: "l:\n" + chain("", lambda n: f"- {{name: n{19999 - n}, v: 1}}\n", 20000)})
    case("explain-double", ["explain", "--at", "v12", "in.yml"], {"in.yml": grown("{b}: (( [{a}, {a}] ))", 12)})
