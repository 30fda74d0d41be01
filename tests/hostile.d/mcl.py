"""mgmt's mcl."""

from functools import partial

import common
from common import chain, nest


def cases(case):
    def program(name, text, verb=("compile",), **more):
        case(name, [verb[0], "in.mcl", *verb[1:]], {"in.mcl": text}, **more)

    grown = partial(common.grown, first='$v0 = "abcdefgh"\n', sigil="$")

    use = "import \"fmt\"\nimport \"iter\"\nimport \"golang\"\nimport \"regexp\"\nimport \"strings\"\n"
    program("double-text", lambda: grown('{b} = "${{{a}}}${{{a}}}"'.replace("${$", "${")) + "print $v50 {}\n", fails=True)
    program("double-plus", lambda: grown("{b} = {a} + {a}") + "print $v50 {}\n", fails=True)
    program("double-struct", lambda: grown("{b} = struct{{l => {a}, r => {a},}}"))
    program("double-list", lambda: grown("{b} = [{a}, {a},]") + "$x = $v50\n")
    program("function-tree", lambda: chain(use, lambda n: f"func f{n}($x) {{\n\tf{n + 1}($x) + f{n + 1}($x)\n}}\n", 40) + 'func f40($x) {\n\t$x + 1\n}\nprint fmt.printf("%d", f0(1)) {}\n', fails=True)
    program("lambda-tree", lambda: chain("$f0 = func($x) { $x + 1 }\n", lambda n: f"$f{n + 1} = func($x) {{ $f{n}($f{n}($x)) }}\n", 40) + use + 'print fmt.printf("%d", $f40(1)) {}\n', fails=True)
    program("class-tree", lambda: chain("", lambda n: f"class c{n}() {{\n\tinclude c{n + 1}\n\tinclude c{n + 1}\n}}\n", 40) + 'class c40() {\n\tprint "x" {}\n}\ninclude c0\n', fails=True)
    program("class-itself", "class c($n) {\n\tinclude c($n + 1)\n}\ninclude c(1)\n", fails=True)
    program("function-itself", "func f($x) {\n\tf($x)\n}\n$y = f(1)\n", fails=True)
    program("lambda-itself", "$f = func($x) {\n\t$x($x)\n}\n$y = $f($f)\n")
    program("for-nested", "$l = [" + "1," * 900 + "]\nfor $a, $x in $l {\n\tfor $b, $y in $l {\n\t\tfor $c, $z in $l {\n\t\t\tprint \"${a}${b}${c}\" {}\n\t\t}\n\t}\n}\n", fails=True)
    program("for-range", use + "for $i, $x in iter.range(900000000) {\n\tprint \"${i}\" {}\n}\n", fails=True)
    program("edges", "$l = [" + ",".join(f'"n{n}"' for n in range(1900)) + ",]\nprint $l {}\ntest $l {}\nPrint[$l] -> Test[$l]\n")
    program("edges-twice", "$l = [" + ",".join(f'"n{n}"' for n in range(20000)) + ",]\nprint $l {}\ntest $l {}\nPrint[$l] -> Test[$l]\n", fails=None)
    program("edges-own", "$l = [" + ",".join(f'"n{n}"' for n in range(1900)) + ",]\nprint $l {}\ntest $l {\n\tDepend => Print[$l],\n}\n", fails=None)
    program("resources", "$l = [" + ",".join(f'"n{n}"' for n in range(60000)) + ",]\nprint $l {}\n")
    program("cycle", chain("", lambda n: f'print "n{n}" {{\n\tBefore => Print["n{(n + 1) % 3000}"],\n}}\n', 3000), fails=True)
    program("printf", use + 'print fmt.printf("%900000000d", 1) {}\n', fails=None)
    program("pad", use + 'print strings.left_pad("a", "x", 900000000) {}\n', fails=True)
    program("pattern", use + 'print "x" {\n\tmsg => if regexp.match("(x+)+$", "%s!") { "a" } else { "b" },\n}\n' % ("x" * 200))
    program("pattern-counts", use + 'print "x" {\n\tmsg => if regexp.match("(((x{1,200}){1,200}){1,200})", "x") { "a" } else { "b" },\n}\n', fails=True)
    for name, text in [
        ("range", "{{ range 900000000 }}x{{ end }}"), ("itself", '{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}'),
        ("width", '{{ printf "%900000000d" 1 }}'), ("deep", "{{ if true }}" * 9000), ("double", "".join('{{ $a := printf "%s%s" "xxxxxxxx" "y" }}' for _ in range(900))),
    ]:
        quoted = text.replace('"', '\\"')
        program("template-" + name, use + f'print "x" {{\n\tmsg => golang.template("{quoted}", 1),\n}}\n')
    for name, opening, closing, inner in [
        ("parens", "(", ")", "1"), ("lists", "[", ",]", "1"), ("maps", '{"k" => ', ",}", "1"), ("structs", "struct{k => ", ",}", "1"),
        ("not", "not ", "", "true"), ("lambdas", "func($x) { ", " }", "1"), ("ifs", "if true { ", " } else { 2 }", "1"),
    ]:
        program(f"deep-{name}", lambda o=opening, c=closing, i=inner: "$x = " + nest(o, c, 60000, i) + "\n", fails=True)
        program(f"deep-{name}-check", lambda o=opening, c=closing, i=inner: "$x = " + nest(o, c, 60000, i) + "\n", ("check",), fails=True)
    program("deep-fmt", lambda: "$x = " + nest("(", ")", 60000) + "\n", ("fmt", "--check"), fails=True)
    program("large-fmt", lambda: chain("", lambda n: f'print   "n{n}"   {{}}\n', 60000), ("fmt", "--check"), fails=True, place=False)
    program("bytes-fmt", lambda: bytes(range(1, 256)) * 4000, ("fmt", "--check"), fails=True, place=False)
    program("long-plus", lambda: "$x = 1" + " + 1" * 20000 + "\n")
    program("long-text", lambda: '$x = "' + "a" * 9000000 + '"\nprint $x {}\n')
    program("interpolations", lambda: '$a = "x"\n$x = "' + "${a}" * 60000 + '"\nprint $x {}\n')
    program("bind-loop", chain("", lambda n: f"$v{n} = $v{(n + 1) % 3000}\n", 3000), fails=True)
    program("number", lambda: "$x = " + "9" * 90000 + "\n", fails=True)
    program("import-itself", 'import "./in.mcl"\n', fails=True)
    program("import-device", 'import "/dev/zero"\n', fails=True)
    program("read-device", 'import "os"\nprint os.readfile("/dev/zero") {}\n', fails=True)
    program("graph-functions", use + "$l = [" + "1," * 9000 + "]\nfor $i, $x in $l {\n\tprint \"${i}\" {}\n}\n", ("graph", "--functions"))
    program("parse-errors", lambda: "$x = \n" * 60000, ("check",), fails=True)
