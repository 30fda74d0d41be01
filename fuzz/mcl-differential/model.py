"""Programs of mgmt at random, with what comes of them.

An expression is made for a type, so that programs are well typed because of how they are made; and a
second, slow evaluator says what value it has, so that what the program is to give is known without
running it. An error that can be caught is the value `ERROR`.
"""

import random
import struct
from decimal import Decimal

ERROR = object()
SCALARS = ["bool", "str", "int", "float"]
WORDS = ["", "a", "b", "ab", "x y", "é", "q\"q", "back\\slash", "line\nline", "$", "${", "z"]


class Func:
    """A function value: parameters and body, and what was in sight."""

    def __init__(self, params, body, env):
        self.params, self.body, self.env = params, body, env


def wrap(number):
    return (number + 2**63) % 2**64 - 2**63


def type_text(ty):
    if isinstance(ty, str):
        return ty
    if ty[0] == "list":
        return "[]" + type_text(ty[1])
    if ty[0] == "map":
        return f"map{{{type_text(ty[1])}: {type_text(ty[2])}}}"
    if ty[0] == "struct":
        return "struct{" + "; ".join(f"{name} {type_text(part)}" for name, part in ty[1]) + "}"
    return f"func({', '.join(type_text(part) for part in ty[1])}) {type_text(ty[2])}"


def quoted(text):
    out = ""
    for char in text:
        out += {"\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(char, char)
    return f'"{out}"'


def literal(text):
    """A text as it is written: a dollar sign before a bracket would be a variable."""
    return quoted(text).replace("${", "\\${")


def number_text(value):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    text = format(Decimal(repr(value)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "-0" if value == 0 and str(value)[0] == "-" else text


def printed(ty, value, inner=False):
    """A value as `%v` prints it."""
    if ty == "bool":
        return "true" if value else "false"
    if ty == "str":
        return quoted(value) if inner else value
    if ty == "int":
        return str(value)
    if ty == "float":
        return number_text(value)
    if ty[0] == "list":
        return "[" + ", ".join(printed(ty[1], item, True) for item in value) + "]"
    if ty[0] == "map":
        keys = sorted(value, key=lambda key: key.encode() if isinstance(key, str) else key)
        return "{" + ", ".join(f"{printed(ty[1], key, True)}: {printed(ty[2], value[key], True)}" for key in keys) + "}"
    parts = [f"{name}: {printed(part, value[name], True)}" for name, part in ty[1]]
    return "struct{" + "; ".join(parts) + "}"


def show(node):
    """An expression as text."""
    kind, *parts = node
    if kind == "value":
        ty, value = parts
        return literal(value) if ty == "str" else printed(ty, value) if ty != "float" else float_text(value)
    if kind == "var":
        return "$" + parts[0]
    if kind == "text":
        return '"' + "".join(f"${{{part[1]}}}" if isinstance(part, tuple) else literal(part)[1:-1] for part in parts[0]) + '"'
    if kind == "list":
        return "[" + ", ".join(map(show, parts[0])) + "]"
    if kind == "map":
        return "{" + ", ".join(f"{show(key)} => {show(value)}" for key, value in parts[0]) + "}"
    if kind == "struct":
        return "struct{" + ", ".join(f"{name} => {show(value)}" for name, value in parts[0]) + "}"
    if kind == "op":
        return f"({show(parts[1])} {parts[0]} {show(parts[2])})"
    if kind == "not":
        return f"(not {show(parts[0])})"
    if kind == "if":
        return f"(if {show(parts[0])} {{ {show(parts[1])} }} else {{ {show(parts[2])} }})"
    if kind == "except":
        return f"({show(parts[0])} <|> {show(parts[1])})"
    if kind == "index":
        return f"{show(parts[0])}[{show(parts[1])}]"
    if kind == "field":
        # Without brackets a following default would apply to a missing field.
        return f"({show(parts[0])}->{parts[1]})"
    if kind == "lambda":
        params = ", ".join(f"${name} {type_text(ty)}" if typed else f"${name}" for name, ty, typed in parts[0])
        return f"func({params}) {{ {show(parts[1])} }}"
    if kind in ("call", "apply"):
        return f"{parts[0]}({', '.join(map(show, parts[1]))})"
    raise AssertionError(kind)


def float_text(value):
    text = number_text(value)
    return text if "." in text else text + ".0"


def evaluate(node, env):
    """The value of an expression, or `ERROR`."""
    kind, *parts = node
    if kind == "value":
        return parts[1]
    if kind == "var":
        return env[parts[0]]
    if kind == "lambda":
        return Func([name for name, *_ in parts[0]], parts[1], env)
    if kind == "if":
        condition = evaluate(parts[0], env)
        return ERROR if condition is ERROR else evaluate(parts[1] if condition else parts[2], env)
    if kind == "except":
        value = evaluate(parts[0], env)
        return evaluate(parts[1], env) if value is ERROR else value
    if kind == "text":
        pieces = [env[part[1]] if isinstance(part, tuple) else part for part in parts[0]]
        return ERROR if any(piece is ERROR for piece in pieces) else "".join(pieces)
    if kind == "list":
        return sound(lambda *items: list(items), parts[0], env)
    if kind == "map":
        flat = [part for pair in parts[0] for part in pair]
        return sound(lambda *items: dict(zip(items[::2], items[1::2])), flat, env)
    if kind == "struct":
        names = [name for name, _ in parts[0]]
        return sound(lambda *items: dict(zip(names, items)), [value for _, value in parts[0]], env)
    if kind == "op":
        return sound(lambda a, b: operator(parts[0], a, b), parts[1:], env)
    if kind == "not":
        return sound(lambda a: not a, parts, env)
    if kind == "index":
        return sound(index, parts, env)
    if kind == "field":
        return sound(lambda record: record[parts[1]], parts[:1], env)
    if kind == "apply":
        func = env[parts[0].lstrip("$")]
        return called(func, [evaluate(arg, env) for arg in parts[1]])
    return builtin(parts[0], parts[1], env)


def sound(make, parts, env):
    values = [evaluate(part, env) for part in parts]
    return ERROR if any(value is ERROR for value in values) else make(*values)


def called(func, args):
    return evaluate(func.body, {**func.env, **dict(zip(func.params, args))})


def operator(op, a, b):
    if op == "/":
        return ERROR if float(b) == 0 else float(a) / float(b)
    if op in "+-*":
        value = a + b if op == "+" else a - b if op == "-" else a * b
        return wrap(value) if isinstance(value, int) else value
    return {"==": lambda: a == b, "!=": lambda: a != b, "<": lambda: a < b, ">": lambda: a > b, "<=": lambda: a <= b,
            ">=": lambda: a >= b, "and": lambda: a and b, "or": lambda: a or b, "in": lambda: a in b}[op]()


def index(of, key):
    if isinstance(of, dict):
        return of.get(key, ERROR)
    return of[key] if 0 <= key < len(of) else ERROR


def builtin(name, args, env):
    if name == "iter.map":
        return over(args, env, lambda items, func: [called(func, [item]) for item in items])
    if name == "iter.filter":
        return over(args, env, kept)
    if name == "iter.reduce":
        return over(args, env, folded)
    table = {
        "len": lambda of: len(of.encode()) if isinstance(of, str) else len(of),
        "convert.int_to_str": str,
        "convert.to_float": float,
        "convert.format_bool": lambda value: "true" if value else "false",
        "strings.to_upper": lambda text: text.upper(),
        "strings.has_prefix": lambda text, start: text.startswith(start),
        "strings.trim_space": lambda text: text.strip(" \n\t"),
        "math.minus1": lambda number: wrap(number - 1),
        "list.concat": lambda *lists: [item for one in lists for item in one],
        "iter.range": lambda *bounds: list(range(*bounds)),
    }
    return sound(table[name], args, env)


def over(args, env, work):
    values = [evaluate(arg, env) for arg in args]
    if any(value is ERROR for value in values):
        return ERROR
    result = work(*values)
    return ERROR if isinstance(result, list) and any(item is ERROR for item in result) else result


def kept(items, func):
    wanted = [called(func, [item]) for item in items]
    return ERROR if any(flag is ERROR for flag in wanted) else [item for item, flag in zip(items, wanted) if flag]


def folded(start, items, func):
    for item in items:
        start = called(func, [start, item])
    return start


class Maker:
    """Makes programs."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, items):
        return self.random.choice(items)

    def name(self):
        self.names += 1
        return f"{self.pick('abcdxyz')}{self.names}"

    def type(self, depth=2):
        if depth == 0 or self.chance(55):
            return self.pick(SCALARS)
        kind = self.pick(["list", "list", "map", "struct"])
        if kind == "list":
            return ("list", self.type(depth - 1))
        if kind == "map":
            return ("map", self.pick(["str", "int"]), self.type(depth - 1))
        return ("struct", tuple((f"f{n}", self.type(depth - 1)) for n in range(self.random.randint(1, 3))))

    def scalar(self, ty):
        if ty == "bool":
            return self.chance(50)
        if ty == "str":
            return self.pick(WORDS)
        if ty == "int":
            return self.pick([0, 1, 2, 3, -1, 7, 100, 2**63 - 1, -2**63, self.random.randint(-50, 50)])
        return self.pick([0.0, 1.0, -1.5, 0.1, 3.25, 1e20, self.random.randint(-99, 99) / 8])

    def value(self, ty, depth, scope):
        """A literal."""
        if isinstance(ty, str):
            return ("value", ty, self.scalar(ty))
        if ty[0] == "list":
            # An empty list has no type of its own.
            return ("list", [self.expr(ty[1], depth - 1, scope) for _ in range(self.random.randint(1, 3))])
        if ty[0] == "map":
            keys = dict.fromkeys(self.scalar(ty[1]) for _ in range(self.random.randint(1, 3)))
            return ("map", [(("value", ty[1], key), self.expr(ty[2], depth - 1, scope)) for key in keys])
        return ("struct", [(name, self.expr(part, depth - 1, scope)) for name, part in ty[1]])

    def expr(self, ty, depth, scope):
        """An expression of a type."""
        known = [("var", name) for name, own in scope if own == ty]
        if known and self.chance(40):
            return self.pick(known)
        if depth <= 0:
            return self.value(ty, depth, scope)
        ways = [self.value] * 3 + [self.choice, self.exception, self.lookup, self.field, self.call]
        ways += {"bool": [self.logic] * 3, "str": [self.text] * 3, "int": [self.number] * 4,
                 "float": [self.number] * 3}.get(ty, [])
        if ty[0] == "list":
            ways += [self.mapped, self.filtered, self.joined]
        return self.pick(ways)(ty, depth, scope)

    def choice(self, ty, depth, scope):
        return ("if", *(self.expr(part, depth - 1, scope) for part in ("bool", ty, ty)))

    def exception(self, ty, depth, scope):
        return ("except", self.expr(ty, depth - 1, scope), self.expr(ty, depth - 1, scope))

    def lookup(self, ty, depth, scope):
        if self.chance(50):
            of = ("list", [self.expr(ty, depth - 1, scope) for _ in range(self.random.randint(1, 3))])
            key = ("value", "int", self.random.randint(-1, 3))
        else:
            of = self.value(("map", "str", ty), depth, scope)
            key = self.expr("str", depth - 1, scope)
        return ("index", of, key)

    def field(self, ty, depth, scope):
        others = [(f"o{n}", self.type(1)) for n in range(self.random.randint(0, 2))]
        fields = others + [("it", ty)]
        self.random.shuffle(fields)
        return ("field", self.value(("struct", tuple(fields)), depth, scope), "it")

    def call(self, ty, depth, scope):
        known = [(name, own) for name, own in scope if own[0] in ("func", "named") and own[2] == ty]
        if known:
            name, own = self.pick(known)
            # An error in an argument that the function ignores would end the program.
            args = [("except", self.expr(part, depth - 1, scope), self.value(part, 0, [])) for part in own[1]]
            return ("apply", name if own[0] == "named" else "$" + name, args)
        return self.value(ty, depth, scope)

    def logic(self, ty, depth, scope):
        if self.chance(20):
            return ("not", self.expr("bool", depth - 1, scope))
        if self.chance(40):
            return ("op", self.pick(["and", "or"]), *(self.expr("bool", depth - 1, scope) for _ in "ab"))
        if self.chance(20):
            return ("call", "strings.has_prefix", [self.expr("str", depth - 1, scope) for _ in "ab"])
        if self.chance(20):
            part = self.pick(SCALARS)
            return ("op", "in", self.expr(part, depth - 1, scope), self.value(("list", part), depth, scope))
        part, op = self.pick([("int", "<"), ("float", ">="), ("int", "<="), ("float", ">"), (self.type(1), "=="), (self.type(1), "!=")])
        return ("op", op, *(self.expr(part, depth - 1, scope) for _ in "ab"))

    def text(self, ty, depth, scope):
        known = [("var", name) for name, own in scope if own == "str"]
        if known and self.chance(40):
            parts = [self.pick(known) if self.chance(50) else self.pick(WORDS[1:]) for _ in range(self.random.randint(2, 4))]
            # A dollar sign at the end and the following bracket would be read as a variable.
            return ("text", [part.replace("$", "d") if isinstance(part, str) else part for part in parts])
        if self.chance(30):
            name, of = self.pick([("convert.int_to_str", "int"), ("convert.format_bool", "bool"),
                                  ("strings.to_upper", "str"), ("strings.trim_space", "str")])
            if name != "strings.to_upper":
                return ("call", name, [self.expr(of, depth - 1, scope)])
        return ("op", "+", self.expr("str", depth - 1, scope), self.expr("str", depth - 1, scope))

    def number(self, ty, depth, scope):
        if ty == "float" and self.chance(40):
            part = self.pick(["int", "float"])
            return ("op", "/", *(self.expr(part, depth - 1, scope) for _ in "ab"))
        if ty == "float" and self.chance(20):
            return ("call", "convert.to_float", [self.expr("int", depth - 1, scope)])
        if ty == "int" and self.chance(20):
            part = self.pick(["str", ("list", "int"), ("map", "str", "bool")])
            return ("call", "len", [self.value(part, depth, scope)])
        if ty == "int" and self.chance(10):
            return ("call", "math.minus1", [self.expr("int", depth - 1, scope)])
        if ty == "int" and self.chance(15):
            func = self.function(["int", "int"], "int", depth, scope)
            return ("call", "iter.reduce", [self.expr("int", depth - 1, scope), self.numbers(), func])
        return ("op", self.pick("+-*"), *(self.expr(ty, depth - 1, scope) for _ in "ab"))

    def numbers(self):
        return ("call", "iter.range", [("value", "int", self.random.randint(0, 4))])

    def function(self, params, result, depth, scope):
        names = [(self.name(), ty, self.chance(50)) for ty in params]
        inside = scope + [(name, ty) for name, ty, _ in names]
        body = self.expr(result, depth - 1, inside)
        # Unused parameters have to declare their types.
        return ("lambda", [(name, ty, True) for name, ty, _ in names], body)

    def mapped(self, ty, depth, scope):
        part = self.type(1)
        of = self.numbers() if part == "int" and self.chance(50) else self.value(("list", part), depth, scope)
        func = self.function([part], ty[1], depth, scope)
        return ("except", ("call", "iter.map", [of, func]), self.value(ty, depth, scope))

    def filtered(self, ty, depth, scope):
        func = self.function([ty[1]], "bool", depth, scope)
        return ("call", "iter.filter", [self.value(ty, depth, scope), func])

    def joined(self, ty, depth, scope):
        return ("call", "list.concat", [self.value(ty, depth, scope) for _ in range(self.random.randint(1, 3))])
