"""Statements and expressions of models, made at random.

What an implementation or a loop over instances makes has a higher rank than what it stands for, so
that a model ends.
"""

from schema import CONSTANTS
from tree import Group, Node, Statement


class Expr(Node):
    sort = "expr"
    leaves = ("1", "true", "'a'", "[]")


class Scope:
    """The variables that can be seen, the instance of an implementation, and the least rank of what may be made."""

    def __init__(self, namespace, parent=None, owner=None, rank=-1):
        self.namespace, self.parent, self.owner = namespace, parent, owner or (parent and parent.owner)
        self.rank = max(rank, parent.rank if parent else -1)
        self.variables = {}

    def all(self):
        found = dict(self.parent.all()) if self.parent else {}
        found.update(self.variables)
        return found


class Models:
    def __init__(self, chance, schema, wild, python=None):
        self.chance, self.schema, self.wild, self.count, self.python = chance, schema, wild, 0, python

    def pick(self, options):
        return self.chance.choice(options)

    def name(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    # Values of attributes.

    def plain(self, kind, scope, depth=1):
        chance = self.chance
        if chance.random() < self.wild:
            kind = self.pick(list(CONSTANTS))
        if kind.endswith("?"):
            if chance.random() < 0.3:
                return Expr("null")
            kind = kind[:-1]
        if kind in ("pair", "reference", "any", "entity", "entities"):
            return self.of_python(kind, scope, depth)
        if self.uses_python(scope) and depth > 0 and chance.random() < 0.15:
            made = self.call(kind, scope, depth - 1)
            if made:
                return Expr(*made)
        known = self.known(kind, scope)
        if known and chance.random() < 0.45:
            return Expr(self.pick(known))
        if depth > 0 and chance.random() < 0.6:
            made = getattr(self, "make_" + {"int[]": "ints", "string[]": "strings", "small": "int", "word": "string"}.get(kind, kind), None)
            if made:
                return Expr(*made(scope, depth - 1))
        return Expr(self.pick(CONSTANTS[kind]))

    def known(self, kind, scope):
        """References that have a type."""
        found = []
        fits = {kind, kind.rstrip("?"), {"int": "small", "string": "word"}.get(kind)}
        for name, what in scope.all().items():
            if isinstance(what, str):
                found += [name] if what in fits else []
                if what == "pair":
                    found += [f"{name}.{field}" for field, k in self.python.fields.items() if k in fits]
            elif not isinstance(what, list):
                found += [f"{name}.{a}" for a, k in what.all_attributes().items() if k in fits]
                for relation, r in what.all_relations().items():
                    if not r.is_many():
                        found += [f"{name}.{relation}.{a}" for a, k in r.target.all_attributes().items() if k in fits and self.chance.random() < 0.5]
        if scope.owner:
            found += [a for a, k in scope.owner.all_attributes().items() if k in fits]
        return found

    def make_int(self, scope, depth):
        choice = self.chance.randint(0, 9)
        if choice < 3:
            return [self.plain("int", scope, depth), f" {self.pick('+-*+')} ", self.plain("int", scope, depth)]
        if choice < 6:
            return [self.pick(["std::count(", "std::len("]), self.instances(None, scope, depth), ")"]
        if choice == 6:
            return [self.plain("bool", scope, depth), " ? ", self.plain("int", scope, depth), " : ", self.plain("int", scope, depth)]
        if choice == 7:
            return [self.pick(["int", "string", "bool"]), "(", self.plain(self.pick(["int", "string", "float", "bool"]), scope, depth), ")"]
        if choice == 8:
            return [self.pick(['{"a": ', '{"b": 2, "a": ']), self.plain("int", scope, depth), '}']
        return ["std::count(", self.plain("int[]", scope, depth), ")"]

    def make_string(self, scope, depth):
        choice = self.chance.randint(0, 6)
        names = self.known("int", scope) + self.known("string", scope) + self.known("float", scope)
        if choice < 3 and names:
            spec = self.pick(["", "", ":>4", "!r", ":03d", ":.2f"])
            return [f'f"{{{self.pick(names)}{spec}}}-"'] if choice == 0 else [f'"{{{{{self.pick(names)}}}}}-{{{{ {self.pick(names)} }}}}"']
        if choice == 3:
            return [self.plain("string", scope, depth), " + ", self.plain("string", scope, depth)]
        if choice == 4:
            return ["std::", self.pick(["upper", "lower", "capitalize"]), "(", self.plain("string", scope, depth), ")"]
        if choice == 5:
            return ["string(", self.plain(self.pick(["int", "float", "bool", "dict", "int[]"]), scope, depth), ")"]
        return [self.pick(['std::get_env("NOT_SET_ANYWHERE")', "std::replace(\"abc\", \"b\", \"x\")"])]

    def make_bool(self, scope, depth):
        choice = self.chance.randint(0, 9)
        if choice < 3:
            kind = self.pick(["int", "string", "float"])
            return [self.plain(kind, scope, depth), f" {self.pick(['==', '!=', '<', '<=', '>', '>='] if kind != 'string' else ['==', '!='])} ", self.plain(kind, scope, depth)]
        if choice == 3:
            return [self.plain("bool", scope, depth), f" {self.pick(['and', 'or'])} ", self.plain("bool", scope, depth)]
        if choice == 4:
            return ["not ", self.plain("bool", scope, 0)]
        if choice == 5:
            return [self.plain("int", scope, 0), f" {self.pick(['in', 'not in'])} ", self.plain("int[]", scope, depth)]
        if choice == 6:
            return ["(", self.instances(None, scope, depth), f" {self.pick(['==', '!='])} ", self.instances(None, scope, depth), ")"]
        defined = self.slots(scope)
        if defined:
            return [self.pick(defined), " is defined"]
        return [self.plain("string", scope, depth), " in ", self.plain("dict", scope, depth)]

    def make_float(self, scope, depth):
        return [self.plain("int", scope, depth), " / ", self.pick(["2", "4", "0.5"])]

    def make_ints(self, scope, depth):
        choice = self.chance.randint(0, 3)
        if choice == 0:
            return ["[", Group(", ", [self.plain("int", scope, depth) for _ in range(self.chance.randint(0, 3))]), "]"]
        if choice == 1:
            name, inner = self.name("c"), Scope(scope.namespace, scope)
            inner.variables[name] = "int"
            return ["[", self.plain("int", inner, depth), f" for {name} in ", self.plain("int[]", scope, depth), *self.guard(inner, depth), "]"]
        if choice == 2:
            return [f"std::sequence({self.chance.randint(0, 3)})"]
        return self.comprehension(scope, depth, lambda inner: self.plain("int", inner, depth))

    def make_strings(self, scope, depth):
        if self.chance.random() < 0.5:
            return ["[", Group(", ", [self.plain("string", scope, depth) for _ in range(self.chance.randint(0, 3))]), "]"]
        return self.comprehension(scope, depth, lambda inner: self.plain("string", inner, depth))

    def make_dict(self, scope, depth):
        keys = self.chance.sample(["a", "b", "c"], self.chance.randint(0, 3))
        return ["{", Group(", ", [Node(f'"{key}": ', self.plain(self.pick(["int", "string", "bool", "int[]"]), scope, depth)) for key in keys]), "}"]

    def guard(self, scope, depth):
        return [" if ", self.plain("bool", scope, depth)] if self.chance.random() < 0.4 else []

    def comprehension(self, scope, depth, value):
        name, inner = self.name("c"), Scope(scope.namespace, scope)
        entity = self.pick(self.schema.entities)
        inner.variables[name] = entity
        return ["[", value(inner), f" for {name} in ", self.instances(entity, scope, depth), *self.guard(inner, depth), "]"]

    # The content of a module with Python code.

    def uses_python(self, scope):
        return self.python and scope.namespace == "__config__"

    def of_python(self, kind, scope, depth):
        """A value of a kind that only plugins know."""
        chance = self.chance
        if kind == "any":
            kind = self.pick(["int", "string", "dict", "list", "entity", "int[]"])
        if kind == "entity":
            return self.instance(self.pick(self.schema.entities), scope, depth)
        if kind == "entities":
            return self.instances(self.pick([None, *self.schema.entities]), scope, depth)
        known = [name for name, what in scope.all().items() if what == kind]
        if known and chance.random() < 0.5:
            return Expr(self.pick(known))
        if depth > 0 and chance.random() < 0.4 and (made := self.call(kind, scope, depth - 1)):
            return Expr(*made)
        if kind == "reference":
            return Expr(*self.pick([["std::create_environment_reference(", self.plain("string", scope, 0), ")"], ["p::text(", self.plain("string", scope, 0), ")"]]))
        if kind == "pair":
            given = [(n, k) for n, k in self.python.fields.items() if chance.random() < 0.97]
            return Expr("p::Pair(", Group(", ", [Node(f"{n}=", self.plain(k, scope, depth - 1)) for n, k in given]), ")")
        return self.plain(kind, scope, depth)

    def call(self, kind, scope, depth):
        """A call of a plugin that gives a kind, or of any; nothing if there is none."""
        chance = self.chance
        fits = [p for p in self.python.plugins if kind is None or p.gives == kind]
        if not fits:
            return None
        plugin = self.pick(fits)
        arguments, named = [], False
        parameters = list(plugin.parameters.items())
        if plugin.defaults and chance.random() < 0.5 or parameters and chance.random() < 0.01:
            parameters.pop()
        for name, what in parameters:
            named = named or chance.random() < 0.15
            if what.rstrip("?") in ("string", "int") and self.python.has_references and chance.random() < 0.05:
                what = "reference"
            value = self.plain(what, scope, depth)
            arguments.append(Node(f"{name}=", value) if named else value)
        if plugin.rest and not named:
            arguments += [self.plain(plugin.rest, scope, depth) for _ in range(chance.randint(0, 2))]
        return [f"p::{plugin.name}(", Group(", ", arguments), ")"]

    def thing(self, scope):
        """A resource."""
        chance = self.chance
        if self.python.has_references and chance.random() < 0.5:
            value = self.plain("reference", scope)
        else:
            value = self.plain("string?", scope)
        deep = self.plain("reference", scope) if self.python.has_references and chance.random() < 0.5 else self.plain("int", scope)
        arguments = [Node("name=", self.plain("string", scope)), Node("value=", value)]
        if chance.random() < 0.3:
            arguments.append(Node('data={"k": [', deep, ']}'))
        if chance.random() < 0.3:
            arguments.append(Node("items=[1, ", deep, "]"))
        if chance.random() < 0.3:
            arguments.append(Node("number=", self.plain("int", scope)))
        things = [name for name, what in scope.all().items() if what == "thing"]
        if things and chance.random() < 0.4:
            arguments.append(Node("requires=", Expr(self.pick(things))))
        return ["p::Thing(", Group(", ", arguments), ")"]

    def python_statement(self, scope, indent):
        """A statement that has to do with Python code."""
        chance, name = self.chance, self.name()
        if self.python.has_resource and chance.random() < 0.4:
            made = Statement(indent, name, " = ", *self.thing(scope), "\n")
            scope.variables[name] = "thing"
            return made
        plugin = self.pick(self.python.plugins)
        made = self.call(plugin.gives, scope, 1)
        if chance.random() < 0.4:
            return Statement(indent, "std::print(", *made, ")\n")
        scope.variables[name] = plugin.gives
        return Statement(indent, name, " = ", *made, "\n")

    # Instances.

    def slots(self, scope):
        """References to relations."""
        found = []
        for name, what in scope.all().items():
            if not isinstance(what, (str, list)):
                found += [f"{name}.{relation}" for relation in what.all_relations()]
                found += [f"{name}.{attribute}" for attribute in list(what.all_attributes())[:1]]
        return found

    def relations(self, entity, scope, many):
        found = []
        fits = self.schema.below(entity) if entity else self.schema.entities
        for name, what in scope.all().items():
            if not isinstance(what, (str, list)):
                for relation, r in what.all_relations().items():
                    if r.is_many() == many and r.target in fits:
                        found.append(f"{name}.{relation}")
                    elif not r.is_many() and self.chance.random() < 0.3:
                        found += [f"{name}.{relation}.{n}" for n, s in r.target.all_relations().items() if s.is_many() == many and s.target in fits]
        if scope.owner:
            found += [n for n, r in scope.owner.all_relations().items() if r.is_many() == many and r.target in fits]
        return found

    def instance(self, entity, scope, depth=1):
        """An instance of an entity."""
        chance = self.chance
        if chance.random() < self.wild:
            return self.plain(self.pick(["int", "string"]), scope, 0)
        choice = chance.random()
        names = [n for n, what in scope.all().items() if not isinstance(what, (str, list)) and entity in what.family()]
        if scope.owner and entity in scope.owner.family():
            names.append("self")
        if names and choice < 0.6:
            return Expr(self.pick(names))
        single = self.relations(entity, scope, False)
        if single and choice < 0.7:
            return Expr(self.pick(single))
        if depth >= 0 and choice < 0.8 and entity.all_indexes():
            return Expr(*self.lookup(entity, scope, depth - 1))
        if depth > 0 and choice < 0.84:
            return Expr(self.plain("bool", scope, 0), " ? ", self.instance(entity, scope, depth - 1), " : ", self.instance(entity, scope, depth - 1))
        made = self.construct(entity, scope, depth)
        return made if made else Expr(self.pick(names or ["null"]))

    def lookup(self, entity, scope, depth):
        index = self.pick(entity.all_indexes())
        arguments = []
        for name in index:
            kind = entity.all_attributes().get(name)
            value = Expr(self.pick(CONSTANTS[kind.rstrip("?")][:2])) if kind else self.instance(entity.all_relations()[name].target, scope, depth)
            arguments.append(Node(f"{name}=", value))
        return [entity.seen_from(scope.namespace), "[", Group(", ", arguments), "]"]

    def instances(self, entity, scope, depth=1):
        """A list of instances."""
        chance = self.chance
        lists = [n for n, what in scope.all().items() if isinstance(what, list) and (entity is None or what[0] in self.schema.below(entity))]
        many = self.relations(entity, scope, True)
        choice = chance.random()
        if many and choice < 0.55:
            return Expr(self.pick(many))
        if lists and choice < 0.65:
            return Expr(self.pick(lists))
        entity = entity or self.pick(self.schema.entities)
        if depth > 0 and choice < 0.8:
            return Expr(*self.comprehension_of(entity, scope, depth - 1))
        if depth > 0 and choice < 0.84:
            return Expr(self.plain("bool", scope, 0), " ? ", self.instances(entity, scope, depth - 1), " : ", self.instances(entity, scope, depth - 1))
        count = chance.choice([0, 1, 1, 2, 2, 3]) if depth >= 0 else 0
        items = [self.instance(entity, scope, depth - 1) if chance.random() < 0.85 else self.instances(entity, scope, min(depth - 1, 0)) for _ in range(count)]
        return Expr("[", Group(", ", items), "]")

    def comprehension_of(self, entity, scope, depth):
        name = self.name("c")
        if self.chance.random() < 0.4:
            inner = Scope(scope.namespace, scope)
            inner.variables[name] = "int"
            return ["[", self.instance(entity, inner, depth), f" for {name} in ", self.plain("int[]", scope, depth), *self.guard(inner, depth), "]"]
        source = self.pick(self.schema.entities)
        inner = Scope(scope.namespace, scope, rank=source.rank)
        inner.variables[name] = source
        value = Expr(name) if entity in source.family() and self.chance.random() < 0.6 else self.instance(entity, inner, depth)
        return ["[", value, f" for {name} in ", self.instances(source, scope, depth), *self.guard(inner, depth), "]"]

    def construct(self, entity, scope, depth=1):
        """A constructor, or nothing where it might not end."""
        chance = self.chance
        fits = [e for e in self.schema.below(entity) if e.least_rank() > scope.rank]
        if not fits or depth < -1:
            return None
        entity = self.pick(fits)
        arguments, spread = [], []
        defaults, indexed = entity.all_defaults(), {name for index in entity.all_indexes() for name in index}
        for name, kind in entity.all_attributes().items():
            if name in defaults and chance.random() < 0.6 and name not in indexed or chance.random() < 0.04:
                continue
            if chance.random() < 0.04 and kind in CONSTANTS:
                spread.append(f'"{name}": {self.pick(CONSTANTS[kind])}')
                continue
            value = self.plain(kind, scope, depth) if name not in indexed or chance.random() < 0.4 else Expr(self.pick(CONSTANTS.get(kind.rstrip("?"), ["1"])[:2]))
            arguments.append(Node(f"{name}=", value))
        for name, relation in entity.all_relations().items():
            if chance.random() < (0.9 if relation.is_needed() and not (relation.end and relation.end.is_many() and chance.random() < 0.3) else 0.2):
                value = self.instances(relation.target, scope, depth - 1) if relation.is_many() else self.instance(relation.target, scope, depth - 1)
                arguments.append(Node(f"{name}=", value))
        chance.shuffle(arguments)
        if spread:
            arguments.append(Node("**{" + ", ".join(spread) + "}"))
        return Expr(entity.seen_from(scope.namespace), "(", Group(", ", arguments), ")")

    # Statements.

    def block(self, scope, indent, count, depth):
        made = [self.statement(scope, indent, depth) for _ in range(count)]
        return Group("", [line for line in made if line is not None])

    def statement(self, scope, indent, depth):
        chance = self.chance
        if self.uses_python(scope) and chance.random() < 0.3:
            return self.python_statement(scope, indent)
        choice = chance.random()
        if choice < 0.22:
            return self.assignment(scope, indent)
        if choice < 0.5:
            return self.relate(scope, indent) or self.assignment(scope, indent)
        if choice < 0.62 and depth > 0:
            return self.loop(scope, indent, depth)
        if choice < 0.76 and depth > 0:
            return self.branch(scope, indent, depth)
        if choice < 0.86:
            return Statement(indent, "std::print(", self.shown(scope), ")\n")
        made = self.construct(self.pick(self.schema.entities), scope)
        return Statement(indent, made, "\n") if made else None

    def shown(self, scope):
        choice = self.chance.randint(0, 4)
        if choice == 0:
            return self.plain(self.pick(["int[]", "dict", "bool", "float"]), scope)
        if choice == 1:
            return Expr("std::count(", self.instances(None, scope), ")")
        if choice == 2:
            return Expr(*self.comprehension(scope, 0, lambda inner: self.plain(self.pick(["int", "string"]), inner, 0)))
        return self.plain(self.pick(["string", "int"]), scope)

    def assignment(self, scope, indent):
        chance = self.chance
        name = self.name()
        if chance.random() < 0.05 and scope.variables:
            name = self.pick(list(scope.variables))
        choice = chance.random()
        entity = self.pick(self.schema.entities)
        if choice < 0.45:
            kind, value = entity, self.instance(entity, scope)
        elif choice < 0.6:
            kind, value = [entity], self.instances(entity, scope)
        else:
            kind = self.pick(["int", "string", "bool", "int[]", "dict", "float"])
            value = self.plain(kind, scope, 2)
        made = Statement(indent, name, " = ", value, "\n")
        scope.variables.setdefault(name, kind)
        return made

    def relate(self, scope, indent):
        """An assignment to an attribute or relation of an instance."""
        chance = self.chance
        targets = [(n, what) for n, what in scope.all().items() if not isinstance(what, (str, list))]
        if scope.owner:
            targets += [("self", scope.owner)] * 2
        if not targets:
            return None
        name, entity = self.pick(targets)
        relations = [r for r in entity.all_relations().values() if r.is_many() or chance.random() < 0.5]
        if not relations or chance.random() < 0.08:
            attribute, kind = self.pick(list(entity.all_attributes().items()) or [("n", "int")])
            return Statement(indent, f"{name}.{attribute} = ", self.plain(kind, scope), "\n")
        relation = self.pick(relations)
        if relation.is_many():
            value = self.instances(relation.target, scope) if chance.random() < 0.5 else self.instance(relation.target, scope)
            return Statement(indent, f"{name}.{relation.name} {self.pick(['=', '+=', '+='])} ", value, "\n")
        return Statement(indent, f"{name}.{relation.name} = ", self.instance(relation.target, scope) if chance.random() < 0.9 else Expr("null"), "\n")

    def loop(self, scope, indent, depth):
        name = self.name("i")
        if self.chance.random() < 0.35:
            inner = Scope(scope.namespace, scope)
            inner.variables[name] = "int"
            source = self.plain("int[]", scope)
        else:
            entity = self.pick(self.schema.entities)
            inner = Scope(scope.namespace, scope, rank=entity.rank)
            inner.variables[name] = entity
            source = self.instances(entity, scope)
        body = self.block(inner, indent + "    ", self.chance.choice([1, 1, 2, 3]), depth - 1)
        return Statement(indent, f"for {name} in ", source, ":\n", body, indent, "end\n")

    def branch(self, scope, indent, depth):
        def body():
            return self.block(Scope(scope.namespace, scope), indent + "    ", self.chance.choice([1, 1, 2]), depth - 1)

        parts = [indent, "if ", self.plain("bool", scope, 2), ":\n", body()]
        if self.chance.random() < 0.15:
            parts += [indent, "elif ", self.plain("bool", scope), ":\n", body()]
        if self.chance.random() < 0.35:
            parts += [indent, "else:\n", body()]
        return Statement(*parts, indent, "end\n")
