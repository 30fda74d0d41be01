"""The model as plug-ins see it."""
import binascii
from collections import deque
from collections.abc import Mapping, Sequence, Set, ValuesView
from dataclasses import dataclass, is_dataclass, replace
from numbers import Number
from typing import Optional

from inmanta.ast import (
    OptionalValueException, RuntimeException, UnexpectedReference, UnknownException, UnsetException
)
from inmanta.execute import runtime
from inmanta.execute.runtime import Instance, Missing, instances
from inmanta.execute.util import NoneValue, Unknown
from inmanta.util import JSONSerializable


@dataclass(frozen=True)
class ProxyContext:
    path: str = "?"
    # Whether the value was checked when it was passed; that includes items of lists and dicts, but
    # not attributes of instances.
    validated: bool = True
    # Applies to one value, not to its items.
    allow_reference_values: Optional[bool] = None
    unwrap_dynamic: bool = False

    def nested(self, *, relative_path):
        return self._below(relative_path, self.validated)

    def _below(self, step, validated):
        """The context of a value that this one has. Its path is put together when somebody asks for
        it, which is only what errors do: there is one of these for each value that is read."""
        made = object.__new__(ProxyContext)
        made.__dict__.update(
            _above=self, _step=step, validated=validated, allow_reference_values=None,
            unwrap_dynamic=self.unwrap_dynamic,
        )
        return made

    def _joined(self):
        steps, context = [], self
        while "_path" not in context.__dict__:
            steps.append(context._step)
            context = context._above
        steps.append(context.__dict__["_path"])
        return "".join(reversed([str(step) for step in steps]))

    def allows(self):
        return self.validated if self.allow_reference_values is None else self.allow_reference_values


def _keep_path(context, path):
    context.__dict__["_path"] = path


# The class sets the default of the field in its constructor.
ProxyContext.path = property(ProxyContext._joined, _keep_path)
_CONTEXT = ProxyContext()
_set = object.__setattr__

NULL = NoneValue()
# Classes of values that plug-ins get unchanged.
_PLAIN = frozenset((str, int, bool, float))
# Objects that have no meaning in a model, and their numbers; equal ones share a number.
objects = []
numbers = {}
# Instances of subclasses of str: a plug-in that returned one gets the same object back.
marked = {}


def inner(value):
    """A value from the wire as the compiler's side has it."""
    if value is None:
        return NULL
    if isinstance(value, list):
        return [inner(item) for item in value]
    if not isinstance(value, dict):
        return marked.get(value, value) if marked and type(value) is str else value
    ((kind, what),) = value.items()
    if kind == "$d":
        return {key: inner(item) for key, item in what}
    if kind == "$o":
        return instances[what]
    if kind == "$u":
        unknown = Unknown(what[1])
        unknown.number = what[0]
        return unknown
    if kind == "$i":
        return int(what)
    if kind == "$f":
        return float(what)
    if kind == "$r":
        from inmanta import references
        return references.made(what)
    if kind == "$p":
        return objects[what[0]]
    raise ValueError(kind)


runtime.inner = inner
runtime.null = NULL


def given(value):
    """An argument of a plug-in for the wire: what is like a list or a dict is taken for one."""
    return outer(value, (Sequence, tuple), Mapping)


_LARGE = 1 << 63
_TEXT = frozenset((str,))


def outer(value, lists=list, dicts=dict):
    """A value of a plug-in for the wire."""
    kind = type(value)
    if value is None or kind is str or kind is bool or kind is int and -_LARGE <= value < _LARGE:
        return value
    if kind is list:
        return [item if type(item) is str else outer(item, lists, dicts) for item in value]
    if kind is float and value - value == 0.0:
        return value
    if kind is dict and _TEXT.issuperset(map(type, value)):
        return {"$d": [[key, outer(item, lists, dicts)] for key, item in value.items()]}
    from inmanta.references import Reference
    if isinstance(value, NoneValue):
        return None
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, str):
        text = str.__add__("", value) if type(value).__str__ is str.__str__ else str.__add__(value, "")
        text = str.__str__(text)
        runtime.mark()
        marked[text] = value
        return text
    if isinstance(value, int):
        number = int(value)
        return number if -(1 << 63) <= number < 1 << 63 else {"$i": str(number)}
    if isinstance(value, float):
        number = float(value)
        if number != number or number in (float("inf"), float("-inf")):
            return {"$f": repr(number)}
        return number
    if isinstance(value, Instance):
        return {"$o": [value.number]}
    if isinstance(value, Unknown):
        number = getattr(value, "number", None)
        return {"$u": [number, str(DynamicProxy.unwrap(value.source)) if value.source is not None else ""]}
    if isinstance(value, DynamicProxy):
        return outer(value._get_instance(), lists, dicts)
    if isinstance(value, Reference):
        said = value.sent()
        if lists is list:
            value.__dict__["_crossed"] = True
        return {"$r": said}
    if isinstance(value, dicts):
        entries = []
        for key, item in value.items():
            if not isinstance(key, str):
                raise RuntimeException(
                    None,
                    "dict keys should be strings, got %s of type %s with dict value %s" % (key, type(key), item),
                )
            entries.append([str(key), outer(item, lists, dicts)])
        return {"$d": entries}
    if isinstance(value, lists) and not isinstance(value, (bytes, bytearray)):
        return [outer(item, lists, dicts) for item in value]
    from inmanta import _pairs
    made = _pairs.constructed(value)
    if made is not None:
        return made
    return {"$p": described(value)}


def bare(value):
    """A value in a field of a dataclass object for the wire. What the compiler has other values for
    is not converted there; it is told apart by its tag."""
    from inmanta.references import Reference
    if isinstance(value, Reference) and not value.__dict__.get("_crossed"):
        return {"$b": described(value)}
    if value is None:
        return {"$b": described(value)}
    if isinstance(value, list):
        return [bare(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"$d": [[str(key), bare(item)] for key, item in value.items()]}
    if isinstance(value, DynamicProxy) or is_dataclass(value):
        return {"$p": described(value)}
    return outer(value)


# The maximum number of items that are sent with an object.
MOST_ITEMS = 100000


def described(value):
    """The number of an object, its class, how it prints (itself, in others, handed over), of what
    sort it is, and its items if it has some."""
    shown = printed(value, repr)
    said = [numbered(value), type(value).__name__, printed(value, str), shown]
    if isinstance(value, tuple):
        return said + [shown, "tuple", outer(list(value))]
    if isinstance(value, (bytes, bytearray)):
        return said + ["@" + shown, "bytes", binascii.b2a_base64(value, newline=False).decode("ascii")]
    if isinstance(value, (Set, range, deque, ValuesView)) and len(value) <= MOST_ITEMS:
        return said + ["@" + shown, "items", outer(list(value))]
    return said + ["@" + shown, "number" if isinstance(value, Number) else ""]


def numbered(value):
    try:
        number = numbers.setdefault((type(value), value), len(objects))
    except Exception:
        # It is not hashable. Equal ones are searched among the last ones.
        alike = numbers.setdefault(type(value), [])
        for number in alike[-1000:]:
            if is_alike(objects[number], value):
                return number
        number = len(objects)
        alike.append(number)
    if number == len(objects):
        objects.append(value)
    return number


def is_alike(one, other):
    try:
        return one is other or bool(one == other)
    except Exception:
        return False


def printed(value, how):
    try:
        return how(value)
    except Exception:
        return object.__repr__(value)


def plain(value):
    """A value of the compiler's side in Python's own terms, as far as it has any."""
    if isinstance(value, NoneValue):
        return None
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def checked(owner, name):
    """The value of an attribute, or the exception that says why there is none."""
    value = owner.read(name)
    if isinstance(value, Missing):
        if value.kind == "optional":
            raise OptionalValueException(owner, name, value.text_for(owner))
        raise AttributeError(None, name)
    return value


class DynamicProxy:
    """An instance."""

    # The context may be the parent proxy, the step from it, and whether this proxy is validated if
    # the parent is, until the context is first requested.
    __slots__ = ("_held", "_context", "__dict__", "__weakref__")

    def __init__(self, instance, *, context=_CONTEXT):
        _set(self, "_held", instance)
        _set(self, "_context", context or _CONTEXT)
        if type(instance) is Instance and type(self) is DynamicProxy:
            _set(self, "__dict__", instance.plain)

    def __getstate__(self):
        return self._held, self._context, {} if type(self) is DynamicProxy else self.__dict__

    def __setstate__(self, state):
        DynamicProxy.__init__(self, state[0], context=state[1])
        self.__dict__.update(state[2])

    @classmethod
    def return_value(cls, value, *, context=None):
        kind = type(value)
        if kind is list:
            return SequenceProxy(value, context=context)
        if kind is dict:
            return DictProxy(value, context=context)
        if isinstance(value, NoneValue):
            return None
        if isinstance(value, (bool, int, float, str, tuple)) or value is None:
            return value
        if isinstance(value, DynamicProxy):
            return value
        if isinstance(value, Unknown):
            raise UnknownException(value)
        if isinstance(value, dict):
            return DictProxy(value, context=context)
        if isinstance(value, list):
            return SequenceProxy(value, context=context)
        if isinstance(value, Instance):
            if context is not None and context.validated:
                context = context._below("", False)
            return DynamicProxy(value, context=context)
        return cls._wrapped(value, context)

    @staticmethod
    def _wrapped(value, context):
        """What is none of the model's."""
        from inmanta.references import Reference
        if isinstance(value, Reference):
            return value
        kind = SequenceProxy if hasattr(value, "__len__") else CallProxy if callable(value) else DynamicProxy
        return kind(value, context=context)

    @classmethod
    def unwrap(cls, item, **_):
        if item is None:
            return NULL
        if isinstance(item, DynamicProxy):
            return item._get_instance()
        if isinstance(item, list):
            return [cls.unwrap(x) for x in item]
        if isinstance(item, dict):
            return {key: cls.unwrap(x) for key, x in item.items()}
        return item

    def _get_instance(self):
        return self._held

    def _get_context(self):
        context, steps = self._context, []
        while type(context) is tuple:
            steps.append(context)
            context = context[0]._context
        if steps:
            for _, step, inherits in reversed(steps):
                context = context._below(step, inherits and context.validated)
            _set(self, "_context", context)
        return context

    def _get_delegate(self):
        return self

    def _return_value(self, value, *, relative_path):
        """A value that this one has, as plug-ins get it."""
        kind = type(value)
        # The most frequent case first.
        if kind in _PLAIN:
            return value
        if kind is NoneValue:
            return None
        if kind is Instance:
            return proxy_of(value, (self, relative_path, False))
        if kind is list:
            return _lazy(SequenceProxy, value, (self, relative_path, True))
        if kind is dict:
            return _lazy(DictProxy, value, (self, relative_path, True))
        context = self._get_context()
        from inmanta.references import Reference
        if isinstance(value, Reference) and not context.allows():
            path = context.path + relative_path
            raise UnexpectedReference(
                value,
                "Encountered unexpected reference value during plugin execution. Plugins are only allowed to access "
                "reference values when declared explicitly. Either use a dataclass entity that supports references (e.g. "
                "`int | Reference[int]` attribute annotation), or explicitly allow references on attribute access with "
                "the `inmanta.plugins.allow_reference_values()` wrapper. Encountered at %s (= `%r`)." % (path, value),
            )
        return DynamicProxy.return_value(value, context=context.nested(relative_path=relative_path))

    def __getattr__(self, name):
        # It is empty while it is being copied.
        held = _held_of(self)
        if type(held) is Instance:
            value = held.values.get(name)
            kind = type(value)
            if kind is Instance:
                return proxy_of(value, (self, "." + name, False))
            if kind is Missing and value.kind == "optional":
                raise OptionalValueException(held, name, value.text_for(held))
            if kind is list:
                return _lazy(SequenceProxy, value, (self, "." + name, True))
            if value is None and not marked:
                value = held.sent.get(name)
                kind = type(value)
            if kind in _PLAIN:
                return value
            if value is NULL:
                return None
        # Called for attributes that objects themselves should have.
        if name[:2] == "__" and name.endswith("__"):
            raise AttributeError(name)
        if type(held) is not Instance:
            # The original accesses this attribute of each object; it appears in the error message.
            held.get_attribute
        return self._return_value(checked(held, name), relative_path="." + name)

    def __setattr__(self, name, value):
        raise Exception("Readonly object")

    def _type(self):
        return self._get_instance().type

    def is_unknown(self):
        return isinstance(self._get_instance(), Unknown)

    def __hash__(self):
        return hash(self._get_instance())

    def __eq__(self, other):
        held = self._get_instance()
        if isinstance(other, DynamicProxy):
            return held == other._get_instance()
        return NotImplemented if isinstance(held, Instance) else held == other

    def __lt__(self, other):
        return self._get_instance() < (other._get_instance() if isinstance(other, DynamicProxy) else other)

    def __repr__(self):
        return "@" + repr(self._get_instance())


_new = object.__new__
_held_of = DynamicProxy._held.__get__
_put_held = DynamicProxy._held.__set__
_put_context = DynamicProxy._context.__set__
_put_dict = DynamicProxy.__dict__["__dict__"].__set__
# The attribute names that proxy classes define themselves.
runtime.reserved = frozenset(dir(DynamicProxy))


def proxy_of(instance, context):
    """The proxy of an instance. This is its constructor, called often."""
    made = _new(DynamicProxy)
    _put_held(made, instance)
    _put_context(made, context)
    _put_dict(made, instance.plain)
    return made


def _lazy(kind, value, context):
    """The proxy of a list or dict. This is its constructor, called often."""
    made = _new(kind)
    _put_held(made, value)
    _put_context(made, context)
    return made


class _Items(DynamicProxy, JSONSerializable):
    def __len__(self):
        return len(self._held)

    def __eq__(self, other):
        held = other._get_instance() if isinstance(other, DynamicProxy) else DynamicProxy.unwrap(other)
        return self._get_instance() == held

    def __getattr__(self, name):
        # It is empty while it is being copied.
        if name == "_held":
            raise AttributeError(name)
        held = type(self._get_instance()).__name__
        raise AttributeError("'%s' object has no attribute 'get_attribute'" % held)

    def __hash__(self):
        return id(self._get_instance())

    def __bool__(self):
        return bool(self._get_instance())

    def json_serialization_step(self):
        return plain(self._get_instance())


class SequenceProxy(_Items):
    """A list."""

    def __getitem__(self, key):
        if isinstance(key, str):
            raise RuntimeException(self, "can not get a attribute %s, %s is a list" % (key, self._get_instance()))
        if isinstance(key, slice):
            return SequenceProxy(self._get_instance()[key], context=self._get_context())
        return self._return_value(self._get_instance()[key], relative_path="[%s]" % (key,))

    def __iter__(self):
        held = self._held
        if _PLAIN.issuperset(map(type, held)):
            return iter(held)
        if not isinstance(held, list):
            return (self._return_value(item, relative_path="[%s]" % at) for at, item in enumerate(held))
        # Not a generator, because the iteration continues after an unknown item.
        return map(self._item, range(len(held)))

    def _item(self, index):
        value = self._held[index]
        return value if type(value) in _PLAIN else self._return_value(value, relative_path="[%s]" % index)


class DictProxy(_Items, Mapping):
    """A dict."""

    def __getitem__(self, key):
        if not isinstance(key, str):
            raise RuntimeException(self, "Expected string key, but got %s, %s is a dict" % (key, self._get_instance()))
        return self._return_value(self._get_instance()[key], relative_path="['%s']" % key)

    def __iter__(self):
        return iter(self._get_instance())

    __eq__ = _Items.__eq__
    __hash__ = _Items.__hash__


class IteratorProxy(DynamicProxy):
    def __iter__(self):
        return self

    def __next__(self):
        return self._return_value(next(self._get_instance()), relative_path="[...]")


class CallProxy(DynamicProxy):
    def __call__(self, *args, **kwargs):
        return self._get_instance()(*args, **kwargs)


def allow_reference_values(value):
    """The value with leave to give references."""
    if not isinstance(value, DynamicProxy):
        return value
    context = value._get_context()
    if context.allow_reference_values is True:
        return value
    context = context._below("", context.validated)
    context.__dict__["allow_reference_values"] = True
    return type(value)(value._get_instance(), context=context)
