"""Generates cases: a tree of code, with what surrounds it."""

import random

from expressions import Expressions
from manifests import Manifests, proper
from tree import Expr, Group, Node, smaller, without

SORTS = ("expr", "types", "parse", "program", "modules")


class Case:
    """A case: its kind, the code, files, and what else it takes."""

    def __init__(self, kind, code, files=None, extra=None):
        self.kind, self.code, self.files, self.extra = kind, code, files or {}, extra or {}

    def json(self, number):
        case = {"id": number, "kind": self.kind, "code": str(self.code), "node": "test", **self.extra}
        if self.files:
            case["files"] = {path: str(text) for path, text in self.files.items()}
        return case

    def __str__(self):
        extra = "".join(f"# {key}: {value}\n" for key, value in self.extra.items() if value)
        files = "".join(f"\n=== {path}\n{text}" for path, text in self.files.items())
        return f"{extra}{self.code}{files}"

    def without(self, path, line):
        """The case without the statement at a line, or nothing."""
        code = self.files.get(path) if path else self.code
        if self.kind != "compile" or line is None or not isinstance(code, Node):
            return None
        fewer = without(code, line - 1)
        if fewer is None:
            return None
        if path:
            return Case(self.kind, self.code, {**self.files, path: fewer}, self.extra)
        return Case(self.kind, fewer, self.files, self.extra)

    def smaller(self):
        for key in self.extra:
            yield Case(self.kind, self.code, self.files, {k: v for k, v in self.extra.items() if k != key})
        for path in self.files:
            yield Case(self.kind, self.code, {p: t for p, t in self.files.items() if p != path}, self.extra)
        for code in smaller(self.code):
            yield Case(self.kind, code, self.files, self.extra)
        for path, text in self.files.items():
            if isinstance(text, Node):
                for small in smaller(text):
                    yield Case(self.kind, self.code, {**self.files, path: small}, self.extra)


def settings(random):
    if random.random() < 0.75:
        return {}
    return {"settings": {"strict": random.choice(["off", "warning", "error"]), "strict_variables": random.choice(["true", "false"])}}


def generate(seed, sort=""):
    chance = random.Random(seed)
    sort = sort or chance.choice(SORTS)
    return globals()["generate_" + sort](chance)


def assigned(generator, count):
    """Variables with values, which the code after them may use."""
    lines = []
    for number in range(count):
        kind = generator.pick(["int", "str", "arr", "hash", "any", "float", "type", "sens"])
        lines.append(Node(f"${'xyz'[number]} = ", generator.expr(kind, 1), "\n"))
        generator.variables.append(("xyz"[number], kind))
    return lines


def generate_expr(chance):
    generator = Expressions(chance)
    lines = assigned(generator, chance.choice([0, 1, 1, 2]))
    kind = generator.pick(["int", "float", "str", "str", "arr", "arr", "hash", "bool", "bool", "any", "timespan", "binary"])
    made = generator.pick([generator.call, generator.call, generator.operator, generator.operator, generator.structure, generator.control,
                           generator.access])(kind, chance.choice([0, 1, 1, 2, 2, 3]))
    return Case("expr", Group("", [*lines, Node(made, "\n")], 1), extra=settings(chance))


def generate_types(chance):
    generator = Expressions(chance, 0.03)
    depth = chance.choice([1, 2, 2, 3])
    choice = chance.randint(0, 7)
    if choice == 0:
        code = Expr("[", Group(", ", [Node(generator.type(depth), f" {op} ", generator.type(depth)) for op in ("<=", ">=", "==", "<")]), "]")
    elif choice == 1:
        code = Expr(generator.expr("any", depth), " =~ ", generator.type(depth))
    elif choice == 2:
        code = Expr("assert_type(", generator.type(depth), ", ", generator.expr("any", depth), ")")
    elif choice == 3:
        code = Expr(generator.type(depth))
    elif choice == 4:
        code = Expr(generator.type(chance.choice([0, 0, 1])), ".new(", Group(", ", [generator.expr("any", 1) for _ in range(chance.choice([1, 1, 1, 2, 3]))]), ")")
    elif choice == 5:
        code = Expr("type(", generator.expr("any", depth), ", ", generator.the_infer(0), ")")
    elif choice == 6:
        code = Expr("String(", generator.expr("any", depth), ", ", generator.expr(generator.pick(["fmt", "fmtmap"])), ")")
    else:
        code = Expr("[", generator.expr("any", 2), "].map |", generator.type(depth), " $x| { $x }")
    return Case("expr", Group("", [Node(code, "\n")], 1), extra=settings(chance))


def generate_program(chance):
    generator = Manifests(chance, chance.choice([0.0, 0.02, 0.06]))
    extra = settings(chance)
    if chance.random() < 0.3:
        extra["facts"] = {"os": {"family": "Debian", "name": "Ubuntu"}, "fact": chance.choice(["f", 1, [1, "a"], {"a": {"b": 2}}, True])}
    return Case("compile", generator.program(), extra=extra)


def generate_modules(chance):
    """Definitions in the files of a module, with data for the parameters."""
    generator = Manifests(chance, 0.02)
    files = {}
    if chance.random() < 0.4:
        files["modules/m/types/t.pp"] = generator.definition_alias("M::T")
    if chance.random() < 0.5:
        files["modules/m/functions/f.pp"] = generator.definition_function("m::f")
    if chance.random() < 0.6:
        files["modules/m/manifests/d.pp"] = generator.definition_define("m::d")
    files["modules/m/manifests/k.pp"] = generator.definition_class("m::k")
    if chance.random() < 0.6:
        files["modules/m/manifests/init.pp"] = generator.definition_class("m")
    files.update(data(chance, generator, "", ["m::k", "m"]))
    if chance.random() < 0.3:
        files.update(data(chance, generator, "modules/m/", ["m::k", "m"]))
    if chance.random() < 0.2:
        files["modules/m/templates/t.epp"] = "<%- |$p = 1| -%>\nv <%= $p %> <%= $title %>\n"
    parts = [generator.inclusion(1, "") for _ in range(chance.choice([1, 1, 2]))]
    parts += [Node(f"notice(lookup(", lookup(chance), "))\n") for _ in range(chance.choice([0, 1, 2]))]
    parts.append(generator.statements(chance.randint(0, 3), 1, ""))
    if "modules/m/templates/t.epp" in files:
        parts.append("notice(epp('m/t.epp'" + chance.choice(["", ", {p => 2}", ", {q => 1}"]) + "))\n")
    return Case("compile", Group("", parts), files, extra=settings(chance))


KEYS = ["k1", "k2", "m::k1", "list", "map", "m::k::p", "m::k::q", "m::p"]


def lookup(chance):
    key = chance.choice(KEYS + ["map.a", "list.0", "nope"])
    merge = chance.choice(["first", "unique", "hash", "deep", "x", {"strategy": "deep", "knockout_prefix": "--"}, {"strategy": "deep", "sort_merged_arrays": True},
                           {"strategy": "hash"}, {"strategy": "deep", "merge_hash_arrays": True}])
    shown = f"'{merge}'" if isinstance(merge, str) else "{" + ", ".join(f"{k} => {str(v).lower() if v is True else repr(v)}" for k, v in merge.items()) + "}"
    kind = chance.choice(["undef", "Any", "String", "Array", "Hash", "Array[Integer]"])
    forms = [f"'{key}'", f"'{key}', {kind}", f"'{key}', {kind}, {shown}", f"'{key}', {kind}, {shown}, 'dflt'", f"'{key}', {{merge => {shown}, default_value => undef}}",
             f"'{key}', {{'value_type' => {kind}, 'override' => {{'k1' => 'over'}}}}", f"['nope', '{key}']", f"'{key}', {{default_values_hash => {{'{key}' => 1}}}}",
             f"{{'name' => '{key}', 'merge' => {shown}}}"]
    shown = chance.choice(forms)
    return shown if chance.random() < 0.9 else shown + ") |$k| { \"d ${k}\" }.with |$v| { $v }"


def data(chance, generator, root, classes):
    """A configuration of data with two levels."""
    def scalar():
        return chance.choice(["1", "'s'", "true", "~", "2.5", "\"%{facts.os.family}\"", "\"%{lookup('k1')}\"", "\"%{alias('list')}\"", "\"x%{literal('%')}{y}\"", "\"%{nope}\"",
                              "\"%{hiera('k2')}-\"", "\"%{::environment}\"", "\"%{}\"", "2001-01-01" if chance.random() < 0.03 else "7", "0x1f", "a: b" if chance.random() < 0.03 else "plain", "\"%{title}\"", "'--s'"])
    def value(depth=2):
        choice = chance.random()
        if depth and choice < 0.25:
            return "[" + ", ".join(value(depth - 1) for _ in range(chance.randint(0, 3))) + "]"
        if depth and choice < 0.5:
            return "{" + ", ".join(f"{k}: {value(depth - 1)}" for k in chance.sample(["a", "b", "c", "1", "name"], chance.randint(0, 3))) + "}"
        return scalar()
    def file():
        prefix = "m::" if root else ""
        lines = []
        for key in KEYS:
            if chance.random() < 0.5:
                made = {"list": "[" + ", ".join(value(1) for _ in range(chance.randint(0, 3))) + "]", "map": "{a: " + value(1) + ", b: " + value(1) + "}"}.get(key) or value()
                lines.append(f"{key if key.startswith('m::') else prefix + key}: {made}\n")
        for name in classes:
            for param in generator.classes.get(name, []):
                if chance.random() < 0.4:
                    good = {"int": "3", "str": "'text'", "arr": "[1, 2]", "hash": "{a: 1}", "bool": "false"}.get(param[1])
                    lines.append(f"{name}::{param[0]}: {good if good and chance.random() < 0.8 else value()}\n")
        if chance.random() < 0.3:
            options = chance.choice(["{merge: deep}", "{merge: unique}", "{merge: hash}", "{convert_to: Sensitive}", "{convert_to: [Array, true]}", "{convert_to: String}",
                                     "{merge: {strategy: deep, knockout_prefix: '--'}}", "{merge: first}", "{merge: nope}", "{}"])
            names = [prefix + "list", prefix + "map", "m::k::p", '"^m::.*"', "map"]
            lines.append(f"lookup_options:\n  {chance.choice(names)}: {options}\n")
        return Group("", lines) if lines else Group("", ["{}\n"])
    levels = "  - {name: one, path: one.yaml}\n  - {name: two, " + chance.choice(["path: two.yaml", "paths: [two.yaml, '%{facts.os.family}.yaml']", "glob: 't*.yaml'"]) + "}\n"
    config = "version: 5\n" + chance.choice(["", "defaults: {datadir: data, data_hash: yaml_data}\n"]) + "hierarchy:\n" + levels
    return {f"{root}hiera.yaml": config, f"{root}data/one.yaml": file(), f"{root}data/two.yaml": file()}


def generate_parse(chance):
    base = generate(chance.random(), chance.choice([s for s in SORTS if s != "parse"]))
    return Case("parse", mutated(chance, str(base.code)))


def mutated(chance, text):
    """The text with some of its tokens changed; a group of its pieces."""
    pieces = pieces_of(text)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        place = chance.randrange(len(pieces))
        other = chance.choice(pieces + PIECES)
        choice = chance.randint(0, 4)
        if choice == 0:
            del pieces[place]
        elif choice == 1:
            pieces.insert(place, other)
        elif choice == 2:
            pieces[place] = other
        elif choice == 3:
            pieces[place:place + 2] = reversed(pieces[place:place + 2])
        else:
            pieces.insert(place, pieces[place])
        pieces = pieces or ["1"]
    return Group("", pieces)


PIECES = ["{", "}", "(", ")", "[", "]", "|", ",", ";", ":", "=>", "+>", "->", "~>", "<-", "<~", "=", "+=", "==", "!", "=~", "@", "@@", "*", "?", ".", "<|", "|>", "<<|", "|>>",
          "'", '"', "$", "${", "/", "\\", "\n", " ", "#", "/*", "*/", "if", "else", "elsif", "unless", "case", "default", "class", "define", "node", "function", "type",
          "inherits", "and", "or", "in", "undef", "true", "import", "application", "site", "produces", "consumes", "attr", "private", "plan", "apply", "-", "+", "%", "<<", ">>",
          "0x", "0xG", "08", "1.", ".5", "1e", "1_0", "a-b", "::a", "A::b", "a::B", "$::x", "$a::b", "$1", "$0x", "%>", "<%", "\u00e9", "\u00a0", "@(X)", "X", "'a'", "1", "->", ">>", "_a", "$_a", "$A"]


def pieces_of(text):
    import re
    return re.findall(r"\s+|\w+|=>|\+>|->|~>|<-|<~|==|!=|=~|!~|<\||\|>|<=|>=|<<|>>|::|\$\w+|.", text, re.DOTALL) or ["1"]
