"""Entities, as plug-ins see the types of instances."""
from inmanta.ast.type import NamedType


class Entity(NamedType):
    def __init__(self, name, number=None, about=None):
        super().__init__(name)
        self._number = number
        self._about = about

    @property
    def name(self):
        return self._name.split("::")[-1]

    def get_full_name(self):
        return self._name

    def __repr__(self):
        return "Entity(%s)" % self._name

    def get_all_parent_names(self):
        import ordain
        return ordain.ask("parents", self._number)["v"]

    def is_subclass(self, other):
        return other.get_full_name() in self.get_all_parent_names()

    def get_all_attribute_names(self):
        return list(self.get_attributes())

    def get_attribute(self, name):
        return self.get_attributes().get(name)

    def get_attributes(self):
        import ordain
        from inmanta.ast.attribute import Attribute, RelationAttribute
        found = {}
        for name, kind in ordain.ask("attributes", self._number)["v"]:
            found[name] = (RelationAttribute if kind == "relation" else Attribute)(name, kind)
        return found
