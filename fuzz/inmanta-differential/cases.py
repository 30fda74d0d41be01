"""Generates cases: a main file with modules, as a tree of texts."""

import random

from models import Models, Scope
from python import Python
from schema import Schema
from tree import Group, Node, smaller, without

# The fraction of cases with Python code.
PYTHON = 0.5
NAMESPACES = [["__config__"]] * 4 + [["__config__", "m"], ["m", "m::sub", "__config__"]]


class Case:
    """A case: the main file, further files, and what else it takes."""

    def __init__(self, code, files=None, extra=None):
        self.code, self.files, self.extra = code, files or {}, extra or {}

    def json(self, number):
        case = {"id": number, "snippet": str(self.code), "autostd": True, **self.extra}
        if self.files:
            case["files"] = {path: str(text) for path, text in self.files.items()}
        return case

    def __str__(self):
        extra = "".join(f"# {key}: {value}\n" for key, value in self.extra.items())
        files = "".join(f"\n=== {path}\n{text}" for path, text in self.files.items())
        return f"{extra}{self.code}{files}"

    def without(self, path, line):
        """The case without the statement at a line, or nothing."""
        code = self.files.get(path) if path != "main.cf" else self.code
        if not isinstance(code, Node):
            return None
        fewer = without(code, line - 1)
        if fewer is None:
            return None
        if path != "main.cf":
            return Case(self.code, {**self.files, path: fewer}, self.extra)
        return Case(fewer, self.files, self.extra)

    def smaller(self):
        for key in self.extra:
            yield Case(self.code, self.files, {k: v for k, v in self.extra.items() if k != key})
        for code in smaller(self.code):
            yield Case(code, self.files, self.extra)
        for path, text in self.files.items():
            if isinstance(text, Node):
                for small in smaller(text):
                    yield Case(self.code, {**self.files, path: small}, self.extra)


def definitions(chance, schema, models, namespace):
    """What one file defines."""
    lines, late = [], []
    if namespace == "__config__" or chance.random() < 0.9:
        lines.append(Node("typedef small as int matching self > 0 and self < 5\n"))
        lines.append(Node("typedef word as string matching /^[a-z]+$/\n"))
    for entity in [e for e in schema.entities if e.namespace == namespace]:
        lines.append(entity_text(entity, chance))
        late += [Node(f"index {entity.name}({', '.join(index)})\n") for index in entity.indexes]
        late += implementations(chance, models, entity)
        for relation in entity.relations.values():
            if relation.end is None:
                arrow = chance.choice(["--", "->", "<-"]) if chance.random() < 0.95 else '"note"'
                late.append(Node(f"{entity.name}.{relation.name} {relation.multiplicity} {arrow} {relation.target.seen_from(namespace)}\n"))
            elif relation.name.startswith("r"):
                end, target = relation.end, relation.target.seen_from(namespace)
                late.append(Node(f"{entity.name}.{relation.name} {relation.multiplicity} -- {target}.{end.name} {end.multiplicity}\n"))
    if chance.random() < 0.3:
        chance.shuffle(late)
    return lines + late


def entity_text(entity, chance):
    parents = f" extends {', '.join(p.seen_from(entity.namespace) for p in entity.parents)}" if entity.parents else ""
    attributes = []
    for name, kind in entity.attributes.items():
        default = f" = {entity.defaults[name]}" if name in entity.defaults else ""
        attributes.append(Node(f"    {kind} {name}{default}\n"))
    doc = '    """ Something. """\n' if chance.random() < 0.1 else ""
    return Node(f"entity {entity.name}{parents}:\n{doc}", Group("", attributes), "end\n")


def implementations(chance, models, entity):
    made, names = [], []
    for number in range(chance.choice([0, 0, 1, 1, 2])):
        name = f"{entity.name.lower()}{number}"
        names.append(name)
        scope = Scope(entity.namespace, owner=entity, rank=entity.rank)
        body = models.block(scope, "    ", chance.choice([1, 2, 2, 3]), 2)
        made.append(Node(f"implementation {name} for {entity.name}:\n", body, "end\n"))
    implements = [f"implement {entity.name} using std::none"] if not names or chance.random() < 0.6 else []
    parts = [Node(f"{line}\n") for line in implements]
    for name in names:
        condition = []
        if chance.random() < 0.5:
            scope = Scope(entity.namespace, owner=entity, rank=10)
            condition = [" when ", models.plain("bool", scope, 2)]
        parts.append(Node(f"implement {entity.name} using {name}", *condition, "\n"))
    if entity.parents and chance.random() < 0.6:
        parts.append(Node(f"implement {entity.name} using parents\n"))
    return made + parts


def generate(seed, wild=None):
    chance = random.Random(seed)
    namespaces = chance.choice(NAMESPACES)
    schema = Schema(chance, namespaces)
    python = Python(chance, schema) if chance.random() < PYTHON else None
    models = Models(chance, schema, chance.choice([0, 0, 0, 0.01, 0.04]) if wild is None else wild, python)
    files = python.files() if python else {}
    imports = [Node("import p\n")] if python else []
    for namespace in namespaces:
        if namespace == "__config__":
            continue
        path = "libs/m/model/" + ("_init.cf" if namespace == "m" else "sub.cf")
        own = definitions(chance, schema, models, namespace)
        if namespace == "m::sub":
            own = [Node("import m\n"), *own]
        elif "m::sub" in namespaces:
            own = [Node("import m::sub\n"), *own]
        files[path] = Group("", own)
        imports.append(Node(f"import {namespace}\n"))
    if any(namespace != "__config__" for namespace in namespaces):
        files["libs/m/module.yml"] = "name: m\nlicense: free\nversion: 1.0\n"
        files.setdefault("libs/m/model/_init.cf", Group("", [Node("\n")]))
    lines = imports + definitions(chance, schema, models, "__config__")
    scope = Scope("__config__")
    lines += models.block(scope, "", chance.choice([2, 3, 4, 5, 6, 8]), 2).parts
    if chance.random() < 0.3:
        statements = lines[-4:]
        chance.shuffle(statements)
        lines[-4:] = statements
    extra = {"export": True} if python and python.is_exported() else {}
    rules = [f"{e.namespace}::{e.name}.{r}" for e in schema.entities for r in e.relations]
    if len(rules) > 1 and chance.random() < 0.15:
        extra["precedence"] = [f"{a} before {b}" for a, b in (chance.sample(rules, 2) for _ in range(chance.choice([1, 1, 2])))]
    return Case(Group("", lines), files, extra)
