"""A part of the interface that modules are written for."""
from configparser import RawConfigParser


def convert_boolean(value):
    """What settings know as true and false."""
    if isinstance(value, bool):
        return value
    known = RawConfigParser.BOOLEAN_STATES.get(value.lower())
    if known is None:
        raise ValueError("Not a boolean: %s" % value)
    return known
