"""References: values that are computed when they are deployed."""
import copy
import dataclasses
import inspect
import typing

from inmanta import _paths

T = typing.TypeVar("T")
# References and dataclass objects that were sent, by number, so that the same object comes back.
kept = []
numbers = {}


def keep(value):
    """The number of something that is sent."""
    number = numbers.setdefault(id(value), len(kept))
    if number == len(kept):
        kept.append(value)
    return number


busy = []
PrimitiveTypes = typing.Union[str, int, float, bool]


class ReferenceCycleException(Exception):
    pass


class MutatorMissingError(TypeError):
    pass


class ReferenceMissingError(TypeError):
    pass


class DataclassProtocol(typing.Protocol):
    __dataclass_fields__: typing.ClassVar[dict]


class ArgumentTypes:
    pass


class BaseModel:
    def __init__(self, **values):
        self.__dict__.update(values)


class Argument(BaseModel):
    """An argument of an exported reference or mutator."""

    def get_arg_value(self, resource, logger):
        """The value of the argument when the resource is deployed."""
        if self.type == "reference":
            return resource.get_reference_value(self.id, logger)
        if self.type == "resource":
            if resource.id.resource_str() != self.id:
                raise Exception(
                    "This resource refers to another resource %s instead of itself %s, this is not supported"
                    % (self.id, resource.id.resource_str())
                )
            return resource
        if self.type == "python_type":
            return {"str": str, "int": int, "float": float, "bool": bool}[self.value]
        if self.type == "get":
            return None
        if self.type == "mjson":
            value = copy.deepcopy(self.value)
            for path, said in self.references.items():
                _paths.replace(value, path, Argument(**said).get_arg_value(resource, logger))
            return value
        return self.value


class SerializedReferenceLike(BaseModel):
    """An exported reference or mutator."""

    def __init__(self, type, args, **values):
        super().__init__(type=type, args=[Argument(**one) for one in args], **values)


class ReferenceModel(SerializedReferenceLike):
    pass


class MutatorModel(SerializedReferenceLike):
    pass


class ReferenceLike:
    """What references and mutators have in common."""

    type: str = ""

    @property
    def arguments(self):
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def resolve_other(self, value, logger):
        return value.get(logger) if isinstance(value, Reference) else value

    @classmethod
    def deserialize(cls, ref, resource, logger):
        return cls(**{argument.name: argument.get_arg_value(resource, logger) for argument in ref.args})

    def serialize_arguments(self):
        """The id of a reference and its exported arguments."""
        collector = Collector()
        arguments = [collector.argument(name, value) for name, value in self.arguments.items()]
        return identifier({"type": type(self).type, "args": arguments}), arguments


def is_reference_of(instance, kind):
    """Whether something is a reference to values of a type."""
    return isinstance(instance, Reference) and computed_by(type(instance)) is kind


def computed_by(kind):
    """What a class of references computes."""
    for base in inspect.getmro(kind):
        for generic in base.__dict__.get("__orig_bases__", ()):
            origin = typing.get_origin(generic)
            if inspect.isclass(origin) and issubclass(origin, Reference):
                part = typing.get_args(generic)[0]
                if not isinstance(part, typing.TypeVar):
                    return part
    return None


class Reference(ReferenceLike, typing.Generic[T]):
    def __init__(self):
        pass

    def resolve(self, logger):
        raise NotImplementedError()

    def get(self, logger):
        if "_kept" not in self.__dict__:
            self.__dict__["_kept"] = self.resolve(logger)
        else:
            logger.debug("Using cached value for reference %(reference)s", reference=repr(self))
        return self.__dict__["_kept"]

    def sent(self):
        """The reference for the wire."""
        from inmanta.execute import proxy
        from inmanta import _pairs as pairs
        from inmanta.plugins import converted
        kind = computed_by(type(self))
        shown = "<%s.%s object>" % (type(self).__module__, type(self).__qualname__)
        if type(self).__repr__ is not object.__repr__:
            shown = repr(self)
        return {
            "number": keep(self),
            "name": type(self).type,
            "class": type(self).__name__,
            "arguments": self._sent_arguments(proxy),
            "computes": converted(kind) if kind is not None else ["any"],
            "text": str(self) if type(self).__str__ is not object.__str__ else shown,
            "repr": shown,
            # No instances are created from its fields.
            "fields": None if busy else pairs.fields_of(kind),
        }

    def _sent_arguments(self, proxy):
        # A reference that contains itself is reported during the export.
        if any(other is self for other in busy):
            return []
        busy.append(self)
        try:
            return [[name, proxy.given(value)] for name, value in self.arguments.items()]
        finally:
            busy.pop()

    def __bool__(self):
        raise NotImplementedError("%s is an inmanta reference, not a boolean." % (self,))

    def __eq__(self, other):
        return type(self) is type(other) and self.arguments == other.arguments

    def __hash__(self):
        return hash((type(self).__name__, repr(sorted(self.arguments.items(), key=repr))))


class Mutator(ReferenceLike):
    def run(self, logger):
        raise NotImplementedError()


class reference:
    """Registers a class of references."""

    _classes = {}

    def __init__(self, name):
        self.name = name

    def __call__(self, cls):
        cls.type = self.name
        reference._classes[self.name] = cls
        return cls

    @classmethod
    def get_class(cls, name):
        if name not in cls._classes:
            raise ReferenceMissingError("There is no reference class registered with name %s" % name)
        return cls._classes[name]

    @classmethod
    def get_references(cls):
        return list(cls._classes.items())

    @classmethod
    def reset(cls):
        cls._classes = {name: kind for name, kind in cls._classes.items() if name.startswith("core::")}


class mutator:
    _classes = {}

    def __init__(self, name):
        self.name = name

    def __call__(self, cls):
        cls.type = self.name
        mutator._classes[self.name] = cls
        return cls

    @classmethod
    def get_class(cls, name):
        if name not in cls._classes:
            raise MutatorMissingError("There is no mutator class registered with name %s" % name)
        return cls._classes[name]

    @classmethod
    def get_mutators(cls):
        return list(cls._classes.items())

    @classmethod
    def reset(cls):
        cls._classes = {name: kind for name, kind in cls._classes.items() if name.startswith("core::")}


@reference("core::AttributeReference")
class AttributeReference(Reference[PrimitiveTypes]):
    def __init__(self, reference, attribute_name):
        super().__init__()
        self.attribute_name = attribute_name
        self.reference = reference

    def resolve(self, logger):
        return getattr(self.resolve_other(self.reference, logger), self.attribute_name)


@mutator("core::Replace")
class ReplaceValue(Mutator):
    def __init__(self, resource, value, destination):
        self.resource = resource
        self.value = value
        self.destination = destination

    def run(self, logger):
        _paths.replace(self.resource, self.destination, self.resolve_other(self.value, logger))


def made(said):
    """A reference out of what came over the wire."""
    from inmanta.execute import proxy
    from inmanta._pairs import plainly
    if said.get("number") is not None:
        return kept[said["number"]]
    kind = reference._classes.get(said["name"])
    if kind is None:
        kind = type(said["class"], (Reference,), {"type": said["name"]})
    found = kind.__new__(kind)
    for name, value in said["arguments"]:
        value = proxy.inner(value)
        found.__dict__[name] = plainly(value)
    found.__dict__["_crossed"] = True
    return found


def identifier(model):
    """The id of a reference or a mutator."""
    import hashlib
    import json
    import uuid
    digest = hashlib.md5(json.dumps(model, sort_keys=True).encode()).digest()
    return str(uuid.UUID(bytes=hashlib.md5(uuid.NAMESPACE_OID.bytes + digest).digest(), version=3))


class Collector:
    """Collects the references of a resource."""

    def __init__(self):
        self.models = {}
        self.busy = []

    def add(self, found):
        if any(other is found for other in self.busy):
            raise ReferenceCycleException("Reference cycle detected: %s" % " -> ".join(
                str(other) for other in self.busy + [found]))
        self.busy.append(found)
        if type(found).serialize_arguments is not ReferenceLike.serialize_arguments:
            # A class may prepare its arguments for the export there.
            found.serialize_arguments()
        arguments = [self.argument(name, value) for name, value in found.arguments.items()]
        self.busy.pop()
        model = {"type": type(found).type, "args": arguments}
        number = identifier(model)
        self.models[number] = {"type": model["type"], "args": arguments, "id": number}
        return number

    def argument(self, name, value):
        if isinstance(value, Reference):
            return {"type": "reference", "name": name, "id": self.add(value)}
        from inmanta.resources import Resource
        if isinstance(value, Resource):
            return {"type": "resource", "name": name, "id": value.id.resource_str()}
        if value in (str, int, float, bool) if inspect.isclass(value) else False:
            return {"type": "python_type", "name": name, "value": value.__name__}
        if value is None or isinstance(value, (str, int, float, bool)):
            return {"type": "literal", "name": name, "value": value}
        inner = {}
        plain = self.separated(value, "$", inner)
        if inner:
            said = {path: {"type": "reference", "name": path, "id": number} for path, number in inner.items()}
            return {"type": "mjson", "name": name, "value": plain, "references": said}
        return {"type": "json", "name": name, "value": plain}

    def separated(self, value, path, found):
        """A value with null for its references, which are collected by their paths."""
        if isinstance(value, Reference):
            found[path] = self.add(value)
            return None
        if isinstance(value, (list, tuple)):
            return [self.separated(item, "%s[%d]" % (path, at), found) for at, item in enumerate(value)]
        if isinstance(value, dict):
            quoted = lambda key: str(key).replace("\\", "\\\\").replace("'", "\\'")
            return {key: self.separated(item, "%s.'%s'" % (path, quoted(key)), found) for key, item in value.items()}
        return value
