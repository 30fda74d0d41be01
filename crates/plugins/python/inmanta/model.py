"""The server's data."""
from inmanta.types import ResourceIdStr, ResourceVersionIdStr, ResourceType

try:
    from pydantic import BaseModel
except ImportError:

    class BaseModel:
        def __init__(self, **values):
            self.__dict__.update(values)


class AttributeStateChange:
    """The value of a field before and after a change."""

    def __init__(self, current=None, desired=None):
        self.current = _serializable(current)
        self.desired = _serializable(desired)

    def __eq__(self, other):
        return isinstance(other, AttributeStateChange) and vars(self) == vars(other)

    def __repr__(self):
        return "AttributeStateChange(current=%r, desired=%r)" % (self.current, self.desired)


def _serializable(value):
    if value is None or type(value) in (str, int, float, bool):
        return value
    from inmanta.protocol.common import json_encode
    try:
        json_encode(value)
    except TypeError:
        return str(value)
    return value
