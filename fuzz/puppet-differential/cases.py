"""Generates cases: a tree of code, with what surrounds it."""

import random

from expressions import Expressions
from tree import Expr, Group, Node

SORTS = ("expr", "types", "parse")


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

    def smaller(self, smaller):
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
