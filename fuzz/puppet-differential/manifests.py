"""Generates programs of Puppet's language: definitions, resources, relations, data."""

from expressions import Expressions, LITERALS
from tree import Expr, Group, Node, Statement, Type

PARAMETERS = {
    "notify": ["message", "name", "withpath"],
    "file": ["ensure", "mode", "content", "owner", "path", "recurse", "target", "source", "group"],
    "exec": ["command", "path", "onlyif", "unless", "creates", "cwd", "refreshonly", "environment"],
    "package": ["ensure", "name", "provider", "source"],
    "service": ["ensure", "enable", "name", "hasstatus"],
    "user": ["ensure", "uid", "gid", "home", "groups"],
    "group": ["ensure", "gid"],
    "schedule": ["period", "repeat"],
}
META = ["require", "before", "notify", "subscribe", "tag", "noop", "loglevel", "alias", "schedule", "audit", "consume", "export"]
TITLES = ["a", "b", "c", "/tmp/x", "/tmp/y"]
CLASSES = ["c0", "c1", "c2", "m::k"]
DEFINES = ["d0", "d1", "m::d"]
FUNCTIONS = ["f0", "f1", "m::f"]


def proper(name):
    return "::".join(part.capitalize() for part in name.split("::"))


class Manifests(Expressions):
    """Generates programs; what is defined is known to what comes after."""

    def __init__(self, random, wrong=0.04):
        super().__init__(random, wrong)
        self.classes, self.defines = {}, {}

    # Expressions in definitions

    def expr(self, kind="any", depth=3):
        """Mostly what is simple, so that programs mostly compile."""
        if kind in LITERALS and self.chance(0.6):
            return self.leaf(kind)
        return super().expr(kind, min(depth, self.pick([0, 1, 1, 2])))

    def parameters(self, count):
        found = []
        for number in range(count):
            kind = self.pick(["int", "str", "arr", "hash", "bool", "any"])
            type_ = {"int": "Integer", "str": "String", "arr": "Array", "hash": "Hash", "bool": "Boolean", "any": ""}[kind]
            if self.chance(0.2):
                type_ = self.type(2)
            default = None
            if self.chance(0.65):
                default = self.expr(kind, 1)
            found.append(("pqrs"[number], kind, type_, default))
        return found

    def parameter_list(self, params):
        items = []
        for name, _, type_, default in params:
            items.append(Node(type_, " " if type_ else "", "$" + name, *([" = ", default] if default else [])))
        return Node("(", Group(", ", items), ")") if items or self.chance(0.3) else ""

    def inside(self, params, make):
        start, self.variables = self.variables, [(name, kind) for name, kind, _, _ in params] + self.variables[:1]
        made = make()
        self.variables = start
        return made

    def definition_class(self, name):
        params = self.parameters(self.pick([0, 0, 1, 2]))
        parent = ""
        if self.classes and self.chance(0.3):
            parent = f" inherits {self.pick(list(self.classes) + ['nope'] * self.chance(0.05))}"
        body = self.inside(params, lambda: self.statements(self.random.randint(0, 4), 2, name))
        self.classes[name] = params
        return Statement(f"class {name}", self.parameter_list(params), parent, " {\n", body, "}\n")

    def definition_define(self, name):
        params = self.parameters(self.pick([0, 1, 2, 2]))
        extra = [("title", "str", "", None)]
        body = self.inside(params + extra, lambda: self.statements(self.random.randint(0, 3), 2, name))
        self.defines[name] = params
        return Statement(f"define {name}", self.parameter_list(params), " {\n", body, "}\n")

    def definition_function(self, name):
        params = self.parameters(self.pick([0, 1, 2]))
        params.sort(key=lambda p: p[3] is not None)
        result = f" >> {self.type(1)}" if self.chance(0.25) else ""
        listed = self.parameter_list(params) or "()"
        body = self.inside(params, lambda: Group("", [self.plain_statement(1) for _ in range(self.pick([0, 0, 1]))] + [Node("  ", self.expr("any", 2), "\n")]))
        self.functions.append((name, len(params)))
        return Statement(f"function {name}", listed, result, " {\n", body, "}\n")

    def definition_alias(self, name):
        made = Statement(f"type {name} = ", self.type(2), "\n")
        self.aliases.append(name)
        return made

    def plain_statement(self, depth):
        choice = self.random.randint(0, 3)
        if choice == 0:
            name = f"v{self.random.randint(0, 9)}"
            made = Statement(f"${name} = ", self.expr("any", depth), "\n")
            self.variables.append((name, "any"))
            return made
        if choice == 1:
            return Statement("notice(", self.expr("any", depth), ")\n")
        if choice == 2:
            return Statement("notice(String(", self.expr("any", depth), ", '%p'))\n")
        return Statement("if ", self.expr("bool", depth), " { ", self.plain_statement(0), "}\n")

    # Statements

    def statements(self, count, depth, where):
        return Group("", [self.statement(depth, where) for _ in range(count)])

    def statement(self, depth, where):
        options = [self.resource] * 6 + [self.plain] * 3 + [self.defaults, self.override, self.collector, self.chain, self.chain, self.inclusion,
                                                            self.inclusion, self.loop, self.branch, self.call_statement, self.variable_use, self.multiple]
        return self.pick(options)(depth, where)

    def plain(self, depth, where):
        return self.plain_statement(2)

    def multiple(self, depth, where):
        return Statement(self.pick(["[$m1, $m2] = ", "[$m1, [$m2]] = ", "{a => $n1} = " if self.chance(0.1) else "[$m3] = "]), self.expr("arr/arr/hash", 1), "\n")

    def title(self, depth=1):
        choice = self.random.random()
        if choice < 0.6:
            return Expr(f"'{self.pick(TITLES)}'")
        if choice < 0.7:
            return Expr("[", Group(", ", [f"'{self.pick(TITLES)}'" for _ in range(self.random.randint(0, 3))]), "]")
        if choice < 0.85:
            names = [name for name, kind in self.variables if kind in ("str", "int", "any")]
            return Expr('"', self.pick(["", "t", "/tmp/"]), "${" + self.pick(names) + "}" if names else "z", '"')
        if choice < 0.92:
            return self.pick([Expr("$title"), Expr("$name"), Expr(self.pick(["bare", "1", "$x", "A::B", "File['a']", "undef", "''", "[]", "default"]))])
        return self.expr("str/arr/any", depth)

    def kind(self):
        known = [*self.defines, *self.defines] or ["notify"]
        return self.pick(["notify", "notify", "notify", "file", "file", "exec", "package", "service", "user", *known, *known])

    def attribute(self, kind, depth, arrow="=>"):
        name = self.pick(PARAMETERS.get(kind, ["p"]))
        if kind in self.defines:
            params = self.defines[kind]
            name, of = self.pick([(p[0], p[1]) for p in params] or [("tag", "str")])
        else:
            of = {"recurse": "bool", "withpath": "bool", "environment": "arr", "groups": "arr"}.get(name, "str/int")
        if self.chance(0.22):
            name = self.pick(META)
            of = {"noop": "bool", "tag": "str/arr", "loglevel": "str", "alias": "str"}.get(name, "reference")
        if self.chance(0.03):
            name, of = self.pick(["nope", "stage", "title", "P", "type"]), "any"
        if self.chance(0.1):
            arrow = self.pick(["=>", "+>"])
        return Node(name, f" {arrow} ", self.expr(of, depth))

    def the_reference(self, depth):
        choice = self.random.random()
        if choice < 0.1:
            return Expr("[", Group(", ", [self.the_reference(0) for _ in range(2)]), "]")
        if choice < 0.2:
            return Expr("Class[", self.pick(["'", ""]) and f"'{self.pick(CLASSES)}'", "]")
        if choice < 0.25:
            return Expr(self.pick(["undef", "'Notify[a]'", "[]", "Notify['a', 'b']", "File[['/tmp/x']]", "'x'", "Stage['main']", "Notify"]))
        kind = self.pick(["Notify", "Notify", "File", "Exec", *map(proper, self.defines)])
        return Expr(f"{kind}['{self.pick(TITLES)}']")

    def attributes(self, kind, depth, least=0):
        count = self.pick([0, 1, 1, 2, 3])
        items = [self.attribute(kind, depth) for _ in range(max(count, least))]
        seen, unique = set(), []
        for item in items:
            key = item.parts[0]
            if key in seen and self.chance(0.9):
                continue
            seen.add(key)
            unique.append(item)
        if kind in self.defines and self.chance(0.9):
            unique += [Node(p[0], " => ", self.expr(p[1], 1)) for p in self.defines[kind] if p[3] is None and p[0] not in seen]
        if self.chance(0.08):
            unique.append(Node("* => ", self.expr("hash", 1) if self.chance(0.3) else Expr("{", Group(", ", [
                Node(f"'{self.pick(PARAMETERS.get(kind, ['p']))}' => ", self.expr("str", 1))]), "}")))
        return Group(", ", unique)

    def resource(self, depth, where):
        kind = self.kind()
        prefix = self.pick(["", "", "", "", "@", "@@"])
        if self.chance(0.05):
            params = self.classes.get(name := self.pick(list(self.classes) or ["nope"]), [])
            given = [Node(p[0], " => ", self.expr(p[1], 1)) for p in params if p[3] is None or self.chance(0.5)]
            if self.chance(0.2):
                given.append(Node(self.pick(["stage => 's'", "stage => main", "tag => 't'", "noop => true", "require => Notify['a']", "nope => 1"])))
            return Statement("class { '", self.pick(["", "::"]), name, "': ", Group(", ", given), " }\n")
        bodies = []
        for number in range(self.pick([1, 1, 1, 2, 3])):
            title = self.title() if number or self.chance(0.95) else "default"
            bodies.append(Node(title, ": ", self.attributes(kind, depth)))
        if self.chance(0.06):
            bodies.insert(0, Node("default: ", self.attributes(kind, 1)))
        name = kind if self.chance(0.93) else self.pick([f"::{kind}", "Resource['notify']", "nope", "$kind", proper(kind), "'notify'"])
        return Statement(prefix, name, " { ", Group(";\n  ", bodies, 1), " }\n")

    def defaults(self, depth, where):
        kind = self.kind()
        return Statement(proper(kind), " { ", self.attributes(kind, 1), " }\n")

    def override(self, depth, where):
        kind = self.kind()
        return Statement(f"{proper(kind)}['{self.pick(TITLES)}'] {{ ", self.attributes(kind, 1), " }\n")

    def query(self, kind, depth):
        choice = self.random.random()
        if depth > 0 and choice < 0.25:
            made = Node(self.query(kind, depth - 1), self.pick([" and ", " or "]), self.query(kind, depth - 1))
            return Node("(", made, ")") if self.chance(0.4) else made
        name = self.pick([*PARAMETERS.get(kind, ["p", "q"]), "tag", "title", "tag", "title"])
        value = f"'{self.pick(TITLES + ['c0', 't', 'notify'])}'" if self.chance(0.8) else self.expr("str/int/bool/reference/undef", 0)
        return Node(name, self.pick([" == ", " == ", " != "]), value)

    def collector(self, depth, where):
        kind = self.kind()
        query = self.query(kind, 2) if self.chance(0.6) else ""
        marks = ("<| ", " |>") if self.chance(0.85) else ("<<| ", " |>>")
        body = Node(" { ", self.attributes(kind, 1), " }") if self.chance(0.4) else ""
        return Statement(proper(kind), " ", marks[0], query, marks[1], body, "\n")

    def operand(self, kind, depth=1):
        if kind != "relation":
            return super().operand(kind, depth)
        choice = self.random.random()
        if choice < 0.5:
            return self.the_reference(0)
        if choice < 0.6:
            return Node(self.pick(["Notify <| |>", "Notify <| title == 'a' |>", "File <<| |>>", "Notify <| tag == 'c0' |> { message => 'm' }"]))
        if choice < 0.75:
            return Node(self.pick(["notify", "file", "@notify"]), " { ", self.title(0), ": }")
        if choice < 0.85:
            return Node("[", Group(", ", [self.the_reference(0) for _ in range(self.random.randint(0, 3))]), "]")
        if choice < 0.9:
            return Node(self.pick(["include", "contain", "require"]), "(", self.pick(["c0", "'c1'", "Class['c0']"]), ")")
        return self.expr("str/any/arr", 1)

    def chain(self, depth, where):
        parts = [self.operand("relation")]
        for _ in range(self.pick([1, 1, 2, 3])):
            parts += [Node(self.pick([" -> ", " -> ", " ~> ", " <- ", " <~ ", "\n-> "])), self.operand("relation")]
        return Statement(*parts, "\n")

    def inclusion(self, depth, where):
        names = list(self.classes) or CLASSES
        name = self.pick(names if self.chance(0.95) else ["nope", "C0", ""])
        shown = self.pick([f"'{name}'", name or "''", f"'::{name}'", f"Class['{name}']", f"['{name}', '{self.pick(names)}']"])
        word = self.pick(["include", "include", "contain", "require"])
        return Statement(word, self.pick([f" {shown}", f"({shown})"]), "\n")

    def loop(self, depth, where):
        if depth <= 0:
            return self.plain_statement(1)
        start = len(self.variables)
        source = self.expr("arr/arr/hash/rangetype", 1)
        self.variables.append(("i", "any"))
        body = self.statements(self.random.randint(1, 2), depth - 1, where)
        del self.variables[start:]
        return Statement(self.operand_for_dot(source), self.pick([".each", ".each", ".map", ".filter"]), self.pick([" |$i| {\n", " |$i| {\n", " |$n, $i| {\n"]), body, "}\n")

    def branch(self, depth, where):
        if depth <= 0:
            return self.plain_statement(1)
        body = lambda: self.statements(self.random.randint(0, 2), depth - 1, where)
        choice = self.random.randint(0, 2)
        if choice == 0:
            other = Node(" else {\n", body(), "}") if self.chance(0.5) else ""
            return Statement("if ", self.expr("bool", 2), " {\n", body(), "}", other, "\n")
        if choice == 1:
            return Statement("unless ", self.expr("bool", 1), " {\n", body(), "}\n")
        arms = [Node(self.option(1), ": {\n", body(), "}\n") for _ in range(self.random.randint(1, 3))]
        if self.chance(0.5):
            arms.append(Node("default: {\n", body(), "}\n"))
        return Statement("case ", self.expr("any", 1), " {\n", Group("", arms, 1), "}\n")

    def call_statement(self, depth, where):
        kind = self.kind()
        choice = self.random.randint(0, 8)
        reference = self.the_reference(0)
        if choice == 0:
            return Statement("realize(", Group(", ", [self.the_reference(0) for _ in range(self.random.randint(1, 2))]), ")\n")
        if choice in (1, 2):
            entries = [Node(f"'{self.pick(TITLES)}' => {{", self.splatted(kind), "}") for _ in range(self.random.randint(0, 2))]
            extra = Node(", {", self.splatted(kind), "}") if self.chance(0.3) else ""
            name = self.pick([kind, kind, proper(kind), f"@{kind}", f"@@{kind}", "class", f"::{kind}", "nope"])
            return Statement(f"create_resources('{name}', {{", Group(", ", entries), "}", extra, ")\n")
        if choice == 3:
            return Statement("tag(", self.pick(["'t1'", "'a', 'b::c'", "['x', 'Y']", "1", "'A b'"]), ")\n")
        if choice == 4:
            return Statement("notice(defined(", self.pick([reference, "'c0'", "'notify'", "'d0'", "'$x'", "'nope'", Expr("Notify"), "'f0'"]), "))\n")
        if choice == 5:
            return Statement("notice(tagged(", self.pick(["'c0'", "'t1'", "'a', 't1'", "['c0']"]), "))\n")
        if choice == 6:
            return Statement("notice(", reference, "[", self.pick(["'message'", "message", "tag", "'nope'", "p", "'title'", "require"]), "])\n")
        if choice == 7:
            return Statement("notice(getvar('", self.pick(["c0::p", "x.a", "c1::v1.0", "::x", "facts.os"]), "'))\n")
        return Statement(self.pick(["fail('x')", "notice('a', 1, undef)", "warning(\"w\")", "info [1, {a=>b}]", "debug('d')", "err('e')", "alert(1.5)",
                                    "crit(:a)" if self.chance(0.1) else "crit('a')", "notice $facts['os']", "notice($trusted)", "notice $title", "return()",
                                    "notice $module_name", "notice $caller_module_name", "notice($environment)", "next()", "break()"]), "\n")

    def splatted(self, kind):
        names = PARAMETERS.get(kind) or [p[0] for p in self.defines.get(kind, [])] or ["tag"]
        return Group(", ", [Node(f"'{self.pick([*names, 'tag', 'require'])}' => ", self.expr("str", 0)) for _ in range(self.random.randint(0, 2))])

    def variable_use(self, depth, where):
        name = self.pick(["$c0::p", "$c1::q", "$::x", "$x", "$m::k::p", "$title", "$name", "$facts['os']['family']", "$0", "$1", "$c0::v1", "${x}", "$nope", "$::c0::p", "$settings::strict",
                          "$osfamily", "$fact", "$::fact"])
        return Statement("notice(\"", name if name[1] != "{" else name, "\", ", name.replace("${x}", "$x"), ")\n")

    # Programs

    def program(self):
        """The definitions, then the body; perhaps nodes."""
        before, parts = [], []
        for number in range(self.pick([0, 0, 1, 2])):
            before.append(self.definition_alias(["T0", "M::T"][number]))
        for name in FUNCTIONS[:self.pick([0, 0, 1, 2])]:
            before.append(self.definition_function(name))
        for name in DEFINES[:self.pick([0, 1, 1, 2])]:
            before.append(self.definition_define(name))
        for name in CLASSES[:self.pick([0, 1, 2, 3])]:
            before.append(self.definition_class(name))
        self.variables = []
        if self.chance(0.5):
            parts.append(Statement("$x = ", self.expr("any", 1), "\n"))
            self.variables.append(("x", "any"))
        if self.chance(0.1):
            parts.append(Statement("stage { 's': ", self.pick(["before => Stage['main'] ", "require => Stage[main] ", ""]), "}\n"))
        parts.append(self.statements(self.random.randint(1, 7), 2, ""))
        if self.chance(0.15):
            parts.append(self.node())
        if self.chance(0.5):
            self.random.shuffle(before)
        whole = [*before, *parts] if self.chance(0.7) else [*parts, *before]
        return Group("", whole)

    def node(self):
        names = self.pick(["test", "default", "'test', other", "/te/", "/t(.)s/, 'x'", "'other.dom'", "'test.dom', /^t/"])
        second = Statement("node default {\n", self.statements(1, 1, "node"), "}\n") if self.chance(0.5) and names != "default" else ""
        return Node(Statement("node ", names, " {\n", self.statements(self.random.randint(0, 3), 1, "node"), "}\n"), second)
