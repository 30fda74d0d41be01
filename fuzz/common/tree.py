"""Texts as trees that can be made smaller."""


class Node:
    """A part of a program: texts and parts. `sort` says what may stand in its place."""

    sort = "other"

    def __init__(self, *parts):
        self.parts = parts

    def __str__(self):
        return "".join(map(str, self.parts))

    def rebuilt(self, parts):
        return type(self)(*parts)


class Expr(Node):
    sort = "expr"
    leaves = ("1", "'a'", "undef", "$x")


class Type(Node):
    sort = "type"
    leaves = ("Any", "Integer", "String")


class Statement(Node):
    sort = "statement"


class Group(Node):
    """Parts of which each can go, with something between them."""

    def __init__(self, between, parts, least=0):
        super().__init__(*parts)
        self.between, self.least = between, least

    def __str__(self):
        return self.between.join(map(str, self.parts))

    def rebuilt(self, parts):
        return Group(self.between, parts, self.least)


def inner(node, sort):
    """The nearest parts of a sort below a node."""
    for part in node.parts:
        if isinstance(part, Node):
            if part.sort == sort:
                yield part
            else:
                yield from inner(part, sort)


def smaller(node):
    """Trees that are smaller in one place, the smallest first."""
    if isinstance(node, Group):
        count = len(node.parts)
        size = count
        while size > 1:
            size //= 2
            for start in range(0, count, size):
                kept = node.parts[:start] + node.parts[start + size:]
                if len(kept) >= node.least:
                    yield node.rebuilt(kept)
    elif node.sort in ("expr", "type"):
        yield from inner(node, node.sort)
        if len(str(node)) > 4 or any(isinstance(part, Node) for part in node.parts):
            yield from (type(node)(leaf) for leaf in type(node).leaves)
    elif node.sort == "statement":
        yield from inner(node, "statement")
    for number, part in enumerate(node.parts):
        if isinstance(part, Node):
            for small in smaller(part):
                yield node.rebuilt(node.parts[:number] + (small,) + node.parts[number + 1:])


def without(node, line):
    """The tree without the innermost removable part that has a line, counted from 0."""
    start = 0
    for number, part in enumerate(node.parts):
        lines = str(part).count("\n")
        if isinstance(part, Node) and start <= line <= start + lines:
            fewer = without(part, line - start)
            if fewer is not None:
                return node.rebuilt(node.parts[:number] + (fewer,) + node.parts[number + 1:])
            if isinstance(node, Group) and node.between == "" and line < start + max(lines, 1):
                return node.rebuilt(node.parts[:number] + node.parts[number + 1:])
        start += lines + (node.between.count("\n") if isinstance(node, Group) else 0)
    return None
