"""Types, as far as plug-ins ask for them."""


class Type:
    def __init__(self, name="any"):
        self._name = name

    def type_string(self):
        return self._name

    def __str__(self):
        return self._name

    def validate(self, value):
        from inmanta.ast import RuntimeException
        from inmanta.execute.runtime import Instance
        import ordain
        if isinstance(value, Instance):
            if not ordain.ask("is", value.number, self._name)["v"]:
                raise RuntimeException(None, "Invalid type for value '%s', should be type %s" % (value, self._name))
        return True


class NamedType(Type):
    pass


class Primitive(Type):
    pass


class Null(Type):
    pass


class List(Type):
    pass


class TypedList(List):
    pass


class Dict(Type):
    pass


class NullableType(Type):
    pass


class Union(Type):
    pass


class ReferenceType(Type):
    pass


class Any(Type):
    pass
