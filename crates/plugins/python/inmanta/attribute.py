"""Attributes of entities."""
from inmanta.ast.type import Type


class Attribute:
    def __init__(self, name, kind="any"):
        self.name = name
        self.type = Type(kind)

    def get_name(self):
        return self.name


class RelationAttribute(Attribute):
    pass
