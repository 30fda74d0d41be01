"""Entities, as plug-ins see the types of instances."""
from inmanta.ast.type import NamedType


_entities = {}


def entity_of(name):
    """The entity of a full name; it is always the same object."""
    found = _entities.get(name)
    if found is None:
        found = _entities[name] = Entity(name)
    return found


class Entity(NamedType):
    def __init__(self, name):
        super().__init__(name)
        self._outline = None
        self._own = None

    @property
    def name(self):
        return self._name.split("::")[-1]

    def get_full_name(self):
        return self._name

    def __repr__(self):
        return "Entity(%s)" % self._name

    def type_string(self):
        return self._name

    def _asked(self):
        """The answer of the compiler about the entity."""
        if self._outline is None:
            import ordain
            self._outline = ordain.ask("entity", self._name)["v"]
        return self._outline

    @property
    def parent_entities(self):
        return [entity_of(name) for name in self._asked()["parents"]]

    def get_all_parent_names(self):
        return list(self._asked()["ancestors"])

    def get_all_parent_entities(self):
        return {entity_of(name) for name in self._asked()["ancestors"]}

    def is_subclass(self, other):
        return other.get_full_name() in self.get_all_parent_names()

    def get_all_attribute_names(self):
        return list(self._asked()["names"])

    def get_attributes(self):
        """The attributes that this entity defines itself."""
        if self._own is None:
            from inmanta.ast.attribute import Attribute, RelationAttribute
            self._own = {
                one["name"]: (RelationAttribute if one["relation"] else Attribute)(self, one)
                for one in self._asked()["own"]
            }
        return self._own

    attributes = property(get_attributes)

    def get_attribute(self, name):
        """An attribute of the entity, or of the nearest one that it extends."""
        for entity in [self, *map(entity_of, self._asked()["ancestors"])]:
            if name in entity.get_attributes():
                return entity.get_attributes()[name]
        return None
