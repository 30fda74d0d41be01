"""Attributes of entities."""
from inmanta.ast.type import Type


class Attribute:
    # The inverse relation.
    end = None

    def __init__(self, entity, outline):
        self.entity = entity
        self.name = outline["name"]
        self.type = Type("relation" if outline["relation"] else "any")
        self._is_multi = outline["is_many"]
        self._is_optional = outline["is_nullable"]

    def get_name(self):
        return self.name

    def is_multi(self):
        return self._is_multi

    def is_optional(self):
        return self._is_optional


class RelationAttribute(Attribute):
    def __init__(self, entity, outline):
        super().__init__(entity, outline)
        self.low, self.high = outline["relation"]
        self._end = outline["end"]

    @property
    def end(self):
        if self._end is None:
            return None
        from inmanta.ast.entity import entity_of
        name, attribute = self._end
        return entity_of(name).get_attribute(attribute)
