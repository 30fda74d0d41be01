"""Entities, as plug-ins see the types of instances."""
from inmanta.ast.type import NamedType


_entities = {}


def entity_of(name, number):
    """The entity of an instance; it is always the same object."""
    found = _entities.get(name)
    if found is None:
        found = _entities[name] = Entity(name, number)
    return found


class Entity(NamedType):
    def __init__(self, name, number=None):
        super().__init__(name)
        # The number by which the compiler identifies the instance.
        self._number = number
        self._parents = None
        self._attributes = None

    @property
    def name(self):
        return self._name.split("::")[-1]

    def get_full_name(self):
        return self._name

    def __repr__(self):
        return "Entity(%s)" % self._name

    def get_all_parent_names(self):
        if self._parents is None:
            import ordain
            self._parents = ordain.ask("parents", self._number)["v"]
        return list(self._parents)

    def is_subclass(self, other):
        return other.get_full_name() in self.get_all_parent_names()

    def get_all_attribute_names(self):
        return list(self._attributes or self._known_attributes())

    def get_attribute(self, name):
        return (self._attributes or self._known_attributes()).get(name)

    def get_attributes(self):
        return dict(self._known_attributes())

    def _known_attributes(self):
        if self._attributes is None:
            import ordain
            from inmanta.ast.attribute import Attribute, RelationAttribute
            self._attributes = {
                name: (RelationAttribute if kind == "relation" else Attribute)(name, kind)
                for name, kind in ordain.ask("attributes", self._number)["v"]
            }
        return self._attributes
