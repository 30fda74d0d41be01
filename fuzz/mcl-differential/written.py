"""Whole programs: binds, functions, classes, choices and loops around expressions, and programs that
are wrong in a way that is known."""

from model import ERROR, Func, Maker, evaluate, literal, printed, show, type_text

IMPORTS = "".join(f'import "{name}"\n' for name in ["convert", "fmt", "iter", "list", "math", "strings"])


class Program:
    """The text of a program, and the names of the resources that it gives."""

    def __init__(self, text, names, wrong=None):
        self.text, self.names, self.wrong = text, names, wrong


class Writer(Maker):
    """Makes programs statement by statement."""

    def program(self):
        names, lines = set(), []
        self.block(lines, "", [], {}, names, 3, self.random.randint(2, 6))
        return Program(IMPORTS + "".join(lines), names)

    def block(self, lines, indent, scope, env, names, depth, count, live=True):
        """Statements. What stands in a branch that is not taken gives nothing."""
        scope, env = list(scope), dict(env)
        for _ in range(count):
            kinds = [self.bind] * 4 + [self.resource] * 3 + [self.func]
            kinds += [self.branch, self.loop, self.include] if depth > 0 else []
            self.pick(kinds)(lines, indent, scope, env, names, depth, live)
        self.resource(lines, indent, scope, env, names, depth, live)

    def bind(self, lines, indent, scope, env, names, depth, live):
        name, ty = self.name(), self.type()
        node = self.expr(ty, 3, scope)
        annotation = f" {type_text(ty)}" if self.chance(40) else ""
        lines.append(f"{indent}${name}{annotation} = {show(node)}\n")
        scope.append((name, ty))
        env[name] = evaluate(node, env) if live else None

    def func(self, lines, indent, scope, env, names, depth, live):
        name, result = self.name(), self.type(1)
        params = [(self.name(), self.type(1)) for _ in range(self.random.randint(0, 2))]
        if self.chance(50):
            node = self.function([ty for _, ty in params], result, 2, scope)
            lines.append(f"{indent}${name} = {show(node)}\n")
            scope.append((name, ("func", tuple(ty for _, ty in params), result)))
            env[name] = evaluate(node, env)
            return
        body = self.expr(result, 2, scope + params)
        declared = ", ".join(f"${one} {type_text(ty)}" for one, ty in params)
        lines.append(f"{indent}func {name}({declared}) {{\n{indent}\t{show(body)}\n{indent}}}\n")
        scope.append((name, ("named", tuple(ty for _, ty in params), result)))
        env[name] = Func([one for one, _ in params], body, dict(env))

    def resource(self, lines, indent, scope, env, names, depth, live):
        ty = self.type(1)
        node = self.expr(ty, 3, scope)
        value = evaluate(node, env) if live else None
        if value is ERROR:
            node = ("except", node, self.default(ty))
            value = evaluate(node, env)
        lines.append(f'{indent}test fmt.printf("r%v", {show(node)}) {{}}\n')
        if live:
            names.add("r" + printed(ty, value))

    def default(self, ty):
        """A literal without variables."""
        return self.value(ty, 0, [])

    def branch(self, lines, indent, scope, env, names, depth, live):
        condition = self.expr("bool", 2, scope)
        value = evaluate(condition, env) if live else None
        if value is ERROR:
            condition = ("except", condition, ("value", "bool", True))
            value = evaluate(condition, env)
        lines.append(f"{indent}if {show(condition)} {{\n")
        self.block(lines, indent + "\t", scope, env, names, depth - 1, self.random.randint(0, 2), live and value)
        lines.append(f"{indent}}} else {{\n")
        self.block(lines, indent + "\t", scope, env, names, depth - 1, self.random.randint(0, 2), live and not value)
        lines.append(f"{indent}}}\n")

    def loop(self, lines, indent, scope, env, names, depth, live):
        index, item, ty = self.name(), self.name(), self.type(1)
        values = [self.scalar(ty) if isinstance(ty, str) else None for _ in range(self.random.randint(1, 3))]
        if not isinstance(ty, str):
            return self.resource(lines, indent, scope, env, names, depth, live)
        text = ", ".join(show(("value", ty, value)) for value in values)
        is_map = self.chance(40)
        if is_map:
            text = ", ".join(f"{literal(f'k{n}')} => {show(('value', ty, value))}" for n, value in enumerate(values))
            text, head, keys, key = f"{{{text}}}", "forkv", [f"k{n}" for n in range(len(values))], "str"
        else:
            text, head, keys, key = f"[{text}]", "for", list(range(len(values))), "int"
        lines.append(f"{indent}{head} ${index}, ${item} in {text} {{\n")
        inside, state = scope + [(index, key), (item, ty)], self.random.getstate()
        names_before = self.names
        for number, value in enumerate(values):
            # The same body for each: the random choices are repeated.
            self.random.setstate(state)
            self.names = names_before
            body = []
            here = {**env, index: keys[number], item: value}
            self.simple(body, indent + "\t", inside, here, names, live)
        lines.extend(body)
        lines.append(f"{indent}}}\n")

    def simple(self, lines, indent, scope, env, names, live):
        """A body whose text is the same whatever the values are."""
        name, ty = self.name(), self.type(1)
        node = self.expr(ty, 2, scope)
        safe = ("except", node, self.default(ty))
        lines.append(f"{indent}${name} = {show(safe)}\n")
        lines.append(f'{indent}test fmt.printf("l%v", ${name}) {{}}\n')
        value = evaluate(safe, env) if live else None
        if live:
            names.add("l" + printed(ty, value))

    def include(self, lines, indent, scope, env, names, depth, live):
        name, param, ty, inner = self.name(), self.name(), self.type(1), self.name()
        arg = self.value(ty, 1, scope)
        if evaluate(arg, env) is ERROR if live else False:
            arg = self.default(ty)
        lines.append(f"{indent}class {name}(${param} {type_text(ty)}) {{\n")
        body, result = self.expr("str", 2, scope + [(param, ty)]), self.name()
        body = ("except", body, ("value", "str", "d"))
        lines.append(f"{indent}\t${inner} = {show(body)}\n{indent}\ttest \"c${{{inner}}}\" {{}}\n{indent}}}\n")
        lines.append(f"{indent}include {name}({show(arg)}) as {result}\n")
        if live:
            value = evaluate(body, {**env, param: evaluate(arg, env)})
            names.add("c" + value)
            scope.append((f"{result}.{inner}", "str"))
            env[f"{result}.{inner}"] = value


def wrong(seed):
    """A program with a type that does not fit where one is fixed, and what is used of it."""
    writer = Writer(seed)
    program = writer.program()
    ty = writer.type(1)
    other = writer.type(1)
    while other == ty:
        other = writer.type(1)
    node = show(writer.default(other))
    name = writer.name()
    ways = [
        f"${name} {type_text(ty)} = {node}\ntest fmt.printf(\"%v\", ${name}) {{}}\n",
        f"func {name}($p {type_text(ty)}) {{\n\t$p\n}}\ntest fmt.printf(\"%v\", {name}({node})) {{}}\n",
        f"test fmt.printf(\"%v\", if true {{ {node} }} else {{ {show(writer.default(ty))} }}) {{}}\n",
        f"test fmt.printf(\"%v\", [{show(writer.default(ty))}, {node}]) {{}}\n",
        f"test fmt.printf(\"%v\", {node} == {show(writer.default(ty))}) {{}}\n",
        f"class {name}($p {type_text(ty)}) {{\n\ttest fmt.printf(\"%v\", $p) {{}}\n}}\ninclude {name}({node})\n",
        f"test \"x\" {{\n\tint64 => {show(writer.default('str'))},\n}}\n",
    ]
    return Program(program.text + writer.pick(ways), set(), "errUnify")


def spoiled(seed):
    """A program with some of its characters or words changed: whether it is still one is not known."""
    writer = Writer(seed)
    text = writer.program().text
    for _ in range(writer.random.randint(1, 4)):
        at = writer.random.randrange(len(text))
        end = at + writer.random.randint(0, 8)
        new = writer.pick(["", text[at:end] * 2, "(", ")", "{", "}", "[", "]", "\n", ",", "->", "<|>", "?:", "$", "\"",
                           "func", "if", "9" * 25, "struct{}", "[]", "\x00", "é", "\\", "include", "class", "#"])
        text = text[:at] + new + text[end:]
    return Program(text, None)
