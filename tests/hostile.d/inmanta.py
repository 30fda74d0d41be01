"""Inmanta's models and their templates."""

from functools import partial

import common
from common import chain, nest, yaml_bomb

PROJECT = "name: p\nmodulepath: libs\n"
NODE = "entity N:\n int n\nend\nimplement N using make\nimplementation make for N:\n%s\nend\nN(n=1)\n"


def cases(case):
    def model(name, text, files=None, verb="compile", project=PROJECT, **more):
        files = {"p/project.yml": project, "p/main.cf": text} | {"p/" + path: text for path, text in (files or {}).items()}
        case(name, [verb, "p"], files, **more)

    def template(name, text, **more):
        model("template-" + name, 'import std\nx = std::template("/t.j2")\n', {"templates/t.j2": text}, **more)

    grown = partial(common.grown, first='v0 = "abcdefgh"\n')

    model("endless", NODE % " N(n=self.n + 1)", fails=True)
    model("endless-tree", NODE % " N(n=self.n + 1)\n N(n=self.n + 2)\n N(n=self.n + 3)", fails=True)
    model("endless-chain", "entity N:\n int n\nend\nN.next [0:1] -- N.last [0:1]\n" + (NODE % " self.next = N(n=self.n + 1)").replace("entity N:\n int n\nend\n", ""), fails=True)
    model("endless-texts", "entity N:\n string n\nend\nimplement N using make\nimplementation make for N:\n N(n=\"{{self.n}}{{self.n}}\")\nend\nN(n=\"abcd\")\n", fails=True)
    model("instances", "entity N:\n int n\nend\nimplement N using none\nimplementation none for N:\nend\nfor i in std::sequence(50000):\n N(n=i)\nend\n")
    model("relation-many", "entity N:\n int n\nend\nN.to [0:] -- N.of [0:]\nimplement N using none\nimplementation none for N:\nend\nl = [N(n=i) for i in std::sequence(2000)]\nfor a in l:\n a.to = l\nend\n", fails=True)
    model("loops", "for a in std::sequence(2000):\n for b in std::sequence(2000):\n  for c in std::sequence(2000):\n   x = a + b + c\n  end\n end\nend\n", fails=True)
    model("comprehensions", "x = [[[1 for a in std::sequence(3000)] for b in std::sequence(3000)] for c in std::sequence(3000)]\n", fails=True)
    model("sequence", "x = std::sequence(900000000)\n", fails=True)
    model("double-text", lambda: grown('{b} = "{{{{{a}}}}}{{{{{a}}}}}"'), fails=True)
    model("double-fstring", lambda: grown('{b} = f"{{{a}}}{{{a}}}"'), fails=True)
    model("double-plus", lambda: grown("{b} = {a} + {a}"), fails=True)
    model("double-list", lambda: grown("{b} = [{a}, {a}]", first="v0 = [1, 2]\n"), fails=True)
    model("double-dict", lambda: grown('{b} = {{"l": {a}, "r": {a}}}', first='v0 = {"k": 1}\n') + "std::print(v50)\n", fails=True)
    model("double-format", lambda: grown('{b} = std::format("{{0}}{{0}}", {a})'), fails=True)
    model("double-replace", lambda: grown('{b} = std::replace({a}, "a", "aaaa")'), fails=True)
    model("double-json", lambda: grown('{b} = std::json_dumps({{"l": {a}, "r": {a}}})'), fails=True)
    model("double-base64", lambda: grown("{b} = std::base64_encode({a} + {a})"), fails=True)
    model("power", "x = 9 ** 9 ** 9\n")
    model("power-chain", "x = 3 ** 400000\ny = x ** 400000\n", fails=True)
    model("product", lambda: "x = 7" + " * 999999999999" * 5000 + "\n")
    model("width", 'a = 1\nx = f"{a:900000000}"\n', fails=True)
    model("deep-parens", lambda: "x = " + nest("(", ")", 90000) + "\n", fails=True)
    model("deep-lists", lambda: "x = " + nest("[", "]", 90000) + "\n", fails=True)
    model("deep-dicts", lambda: "x = " + nest('{"k": ', "}", 90000) + "\n", fails=True)
    model("deep-not", lambda: "x = " + "not " * 90000 + "true\n", fails=True)
    model("deep-if", lambda: "if true:\n" * 20000 + "x = 1\n" + "end\n" * 20000, fails=True)
    model("long-plus", lambda: "x = 1" + " + 1" * 60000 + "\n")
    model("long-attributes", lambda: "x = y" + ".a" * 60000 + "\n", fails=True)
    model("pattern", 'typedef t as string matching /^(x+)+$/\nentity N:\n t n\nend\nimplement N using none\nimplementation none for N:\nend\nN(n="%s!")\n' % ("x" * 80), fails=True)
    model("pattern-many", lambda: chain("", lambda n: f"typedef t{n} as string matching /(\\w{{1,60}}|[a-z]{{1,500}}){{1,6}}{n}/\n", 3000), fails=True)
    model("inherit-loop", "entity A extends B:\nend\nentity B extends A:\nend\n", fails=True)
    model("inherit-many", lambda: chain("entity E0:\nend\n", lambda n: f"entity E{n + 1} extends E{n}:\nend\n", 3000))
    model("project-bomb", "x = 1\n", project=yaml_bomb().replace("x: ", "name: "), fails=True)
    model("project-deep", "x = 1\n", project=lambda: "name: " + nest("[", "]", 90000), fails=True)
    model("check-large", lambda: chain("", lambda n: f"entity E{n}:\n int n\nend\nimplement E{n} using std::none\n", 20000), verb="check")
    model("file-device", 'import std\nx = std::file("/dev/zero")\n', fails=True)
    model("print-many", "for i in std::sequence(2000000):\n std::print(i)\nend\n", fails=True)

    for name, text in [
        ("slice", "{{ range(10)|slice(900000000)|list|length }}"), ("batch", "{{ range(10)|batch(900000000, 'x')|list|length }}"),
        ("join", "{% set a = 'x' * 90000 %}{{ range(90000)|join(a)|length }}"), ("times", "{% set a = 'x' * 90000000 %}{% set b = a ~ a ~ a ~ a %}{{ b|length }}"),
        ("double-tilde", "{% set ns = namespace(t='abcdefgh') %}{% for i in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t|length }}"),
        ("double-plus", "{% set ns = namespace(t='abcdefgh') %}{% for i in range(60) %}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t|length }}"),
        ("double-list", "{% set ns = namespace(l=[1, 2]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}{{ ns.l|length }}"),
        ("double-list-made", "{% set ns = namespace(l=[1, 2]) %}{% for i in range(60) %}{% set ns.l = (ns.l + ns.l)|list %}{% endfor %}{{ ns.l|length }}"),
        ("double-dict", "{% set ns = namespace(d={'k': 1}) %}{% for i in range(60) %}{% set ns.d = {'l': ns.d, 'r': ns.d} %}{% endfor %}{{ ns.d|string|length }}"),
        ("double-replace", "{% set ns = namespace(t='abcdefgh') %}{% for i in range(60) %}{% set ns.t = ns.t|replace('a', 'aaaa') %}{% endfor %}{{ ns.t|length }}"),
        ("double-join", "{% set ns = namespace(t='abcdefgh') %}{% for i in range(60) %}{% set ns.t = [ns.t, ns.t]|join %}{% endfor %}{{ ns.t|length }}"),
        ("double-format", "{% set ns = namespace(t='abcdefgh') %}{% for i in range(60) %}{% set ns.t = '%s%s'|format(ns.t, ns.t) %}{% endfor %}{{ ns.t|length }}"),
        ("double-indent", "{% set ns = namespace(t='a\\n' * 90000) %}{% for i in range(60) %}{% set ns.t = ns.t|indent(90000) %}{% endfor %}{{ ns.t|length }}"),
        ("double-json", "{% set ns = namespace(d={'k': 1}) %}{% for i in range(60) %}{% set ns.d = {'l': ns.d, 'r': ns.d} %}{% endfor %}{{ ns.d|tojson|length }}"),
        ("double-macro", "{% macro m(t, n) %}{% if n %}{{ m(t, n - 1) }}{{ m(t, n - 1) }}{% else %}{{ t }}{% endif %}{% endmacro %}{{ m('x' * 900, 60) }}"),
        ("double-set-block", "{% set t0 %}abcdefgh{% endset %}" + "".join(f"{{% set t{n + 1} %}}{{{{ t{n} }}}}{{{{ t{n} }}}}{{% endset %}}" for n in range(60)) + "{{ t60|length }}"),
        ("center", "{{ 'x'.center(900000000)|length }}"), ("ljust", "{{ 'x'.ljust(900000000)|length }}"), ("zfill", "{{ 'x'.zfill(900000000)|length }}"),
        ("format", "{{ '%900000000d'|format(1) }}"), ("multiply-list", "{{ ([0] * 900000000)|list|length }}"), ("power", "{{ 9 ** 9 ** 9 }}"),
        ("range", "{{ range(900000000)|list|length }}"), ("range-sum", "{{ range(900000000)|sum }}"), ("loop", "{% for i in range(90000) %}{% for j in range(90000) %}x{% endfor %}{% endfor %}"),
        ("recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"), ("include-itself", "{% include '/t.j2' %}"), ("deep", "{% if 1 %}" * 20000),
        ("deep-parens", "{{ " + "(" * 60000 + " }}"), ("products", "{% set a = range(900)|list %}{% for x in a %}{% for y in a %}{% for z in a %}{% set q = x * y * z %}{% endfor %}{% endfor %}{% endfor %}"),
        ("sort", "{{ range(90000)|map('string')|sort|list|length }}"), ("chain", "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l|chain(ns.l)|list %}{% endfor %}{{ ns.l|length }}"),
        ("split", "{{ ('a,' * 9000000).split(',')|length }}"), ("upper", "{% set a = 'x' * 9000000 %}{% for i in range(900) %}{% set b = a|upper %}{% endfor %}"),
        ("unique", "{{ range(99999)|list|unique|list|length }}"), ("groupby", "{{ range(90000)|groupby('x')|length }}"),
        ("pprint", "{% set ns = namespace(d={'k': 1}) %}{% for i in range(60) %}{% set ns.d = [ns.d, ns.d] %}{% endfor %}{{ ns.d|pprint|length }}"),
        ("compare", "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}"),
        ("key", "{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ {ns.a: 1} }}"),
    ]:
        template(name, text)
