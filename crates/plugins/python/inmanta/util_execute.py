"""Values that have no counterpart in Python."""


class Unknown:
    def __init__(self, source=None):
        self.source = source

    def __iter__(self):
        return iter([])


class NoneValue:
    def __eq__(self, other):
        return isinstance(other, NoneValue)

    def __hash__(self):
        return hash(None)

    def __repr__(self):
        return "null"


class AnyType:
    pass
