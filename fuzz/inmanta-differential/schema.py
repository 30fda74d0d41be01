"""Entities with attributes, relations, indexes and implementations, made at random."""

from dataclasses import dataclass, field

PLAIN = ["int", "int", "string", "string", "bool", "float", "int[]", "string[]", "dict", "list", "small", "word", "number", "int?", "string?", "small?", "int[]?", "dict?"]
CONSTANTS = {
    "int": ["0", "1", "2", "-3", "7"],
    "small": ["1", "2", "3"],
    "number": ["1", "2.5", "true"],
    "string": ['"a"', '"b"', "'it'", '"x y"', 'r"{{raw}}"', '""'],
    "word": ['"ab"', '"cd"'],
    "bool": ["true", "false"],
    "float": ["1.0", "2.5", "-0.5"],
    "int[]": ["[1, 2]", "[]", "[3]"],
    "string[]": ['["a", "b"]', "[]", '["c"]'],
    "list": ["[1, 'a']", "[]", "[true, null]"],
    "dict": ['{"a": 1, "b": 2}', "{}", '{"a": 3}'],
}
MULTIPLICITIES = ["[0:]"] * 7 + ["[1]"] * 3 + ["[0:1]"] * 4 + ["[1:]", "[2]", "[0:2]", "[1:3]", "[:2]"]


@dataclass(eq=False)
class Relation:
    name: str
    multiplicity: str
    target: "Entity"
    end: "Relation | None" = None

    def is_many(self):
        return self.multiplicity not in ("[1]", "[0:1]")

    def is_needed(self):
        return self.multiplicity in ("[1]", "[1:]", "[2]", "[1:3]")


@dataclass(eq=False)
class Entity:
    name: str
    namespace: str
    rank: int
    parents: list = field(default_factory=list)
    attributes: dict = field(default_factory=dict)
    defaults: dict = field(default_factory=dict)
    relations: dict = field(default_factory=dict)
    indexes: list = field(default_factory=list)

    def family(self):
        """The entity and those that it extends."""
        found = [self]
        for parent in self.parents:
            found += [e for e in parent.family() if e not in found]
        return found

    def least_rank(self):
        return min(entity.rank for entity in self.family())

    def all_attributes(self):
        return {name: kind for entity in reversed(self.family()) for name, kind in entity.attributes.items()}

    def all_defaults(self):
        return {name for entity in self.family() for name in entity.defaults}

    def all_relations(self):
        return {name: relation for entity in reversed(self.family()) for name, relation in entity.relations.items()}

    def all_indexes(self):
        return [index for entity in self.family() for index in entity.indexes]

    def seen_from(self, namespace):
        return self.name if namespace == self.namespace or namespace.startswith(self.namespace + "::") else f"{self.namespace}::{self.name}"


class Schema:
    """The definitions of a model."""

    def __init__(self, chance, namespaces):
        self.chance = chance
        self.entities = []
        for rank in range(chance.choice([1, 2, 2, 3, 3, 4])):
            entity = Entity("ABCDE"[rank], chance.choice(namespaces), rank)
            self.entities.append(entity)
            earlier = [e for e in self.entities[:-1] if e.namespace == entity.namespace or entity.namespace == "__config__"]
            if earlier and chance.random() < 0.35:
                entity.parents = chance.sample(earlier, min(len(earlier), chance.choice([1, 1, 2])))
            taken = set(entity.all_attributes())
            for name in chance.sample(["n", "m", "s", "t", "k"], chance.choice([1, 1, 2, 2, 3])):
                if name in taken and chance.random() < 0.9:
                    continue
                kind = chance.choice(PLAIN) if name not in ("n", "s") else {"n": "int", "s": "string"}[name]
                entity.attributes[name] = kind
                if chance.random() < 0.3:
                    entity.defaults[name] = self.constant(kind)
        for number in range(chance.choice([0, 1, 1, 2, 2, 3, 4])):
            self.relation(number)
        for entity in self.entities:
            if chance.random() < 0.4:
                single = [n for n, k in entity.all_attributes().items() if k in ("int", "string", "bool", "float", "small")]
                single += [n for n, r in entity.all_relations().items() if r.multiplicity == "[1]"]
                if single:
                    entity.indexes.append(chance.sample(single, min(len(single), chance.choice([1, 1, 2]))))

    def constant(self, kind):
        if kind.endswith("?"):
            return "null" if self.chance.random() < 0.4 else self.constant(kind[:-1])
        return self.chance.choice(CONSTANTS[kind])

    def relation(self, number):
        chance = self.chance
        left, right = chance.choice(self.entities), chance.choice(self.entities)
        if left.namespace != "__config__" and right.namespace != left.namespace:
            left, right = right, left
        if left.namespace != right.namespace and left.namespace != "__config__":
            return
        made = Relation(f"r{number}", chance.choice(MULTIPLICITIES), right)
        left.relations[made.name] = made
        if chance.random() < 0.65:
            made.end = Relation(f"q{number}", chance.choice(MULTIPLICITIES), left, made)
            right.relations[made.end.name] = made.end

    def below(self, entity):
        """The entity and those that extend it."""
        return [e for e in self.entities if entity in e.family()]
