"""Plug-in functions: how they are declared, and how they are called."""
import collections.abc
import dataclasses
import inspect
import numbers
import os
import types
import typing

import ordain
from inmanta import ast
from inmanta.ast import ExternalException, PluginException
from inmanta.ast.type import Null
from inmanta.config import Config
from inmanta.execute import proxy
from inmanta.execute.proxy import DynamicProxy, ProxyContext, allow_reference_values, outer
from inmanta.execute.runtime import ExecutionContext, Instance, QueueScheduler, ResultVariable, mirrored
from inmanta.execute.util import Unknown
from inmanta import _pairs as pairs
from inmanta.warnings import InmantaWarning, noted

_registered = []
_sent = 0


class PluginDeprecationWarning(InmantaWarning):
    pass


class ModelType:
    """A type of the model in an annotation."""

    def __init__(self, model_type):
        self.model_type = model_type

    def __class_getitem__(cls, key):
        return cls(key)


class CheckedArgs:
    def __init__(self, args, kwargs, unknowns=False):
        self.args = args
        self.kwargs = kwargs
        self.unknowns = unknowns


class PluginMeta(type):
    @classmethod
    def get_functions(cls):
        return {plugin.name: plugin for plugin in _registered}

    @classmethod
    def clear(cls, inmanta_module=None):
        _registered[:] = [p for p in _registered if inmanta_module and p.namespace.split("::")[0] != inmanta_module]


class Plugin:
    def __init__(self, function, name, options):
        self.function = function
        name = name or function.__name__
        self.namespace = "::".join(function.__module__.split(".")[1:])
        self.name = self.namespace + "::" + name
        self.options = options
        self.replaced_by = None
        self.context = None
        self.taken = []

    def get_full_name(self):
        return self.name

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    @property
    def _context(self):
        """At which place it takes the context; -1 if it does not."""
        for place, parameter in enumerate(inspect.signature(self.function, follow_wrapped=False).parameters.values()):
            if is_context(parameter):
                return place
        return -1

    def call_in_context(self, processed_args, resolver=None, queue=None, location=None):
        return DynamicProxy.unwrap(self.function(*processed_args.args, **processed_args.kwargs))


def require(commands, name):
    """Refuses the call of a plug-in that needs a command which is not there."""
    import shutil
    for command in commands:
        if shutil.which(command) is None:
            raise Exception("%s requires %s to be available in $PATH" % (name, command))


def plugin(function=None, commands=None, emits_statements=False, allow_unknown=False):
    def declare(name, function):
        made = Plugin(function, name, {"allow_unknown": allow_unknown, "bin": commands})
        function.__plugin__ = made
        # Of two with one name the later one counts.
        for place in range(_sent, len(_registered)):
            if _registered[place].name == made.name:
                _registered[place] = made
                return function
        _registered.append(made)
        return function

    if function is None:
        return lambda function: declare(None, function)
    if isinstance(function, str):
        return lambda inner: declare(function, inner)
    return declare(None, function)


def deprecated(function=None, *, replaced_by=None, **_):
    def mark(function):
        if not hasattr(function, "__plugin__"):
            raise Exception(
                "Can not deprecate '%s': The '@deprecated' decorator should be used in combination with the "
                "'@plugin' decorator and should be placed at the top." % function.__name__
            )
        function.__plugin__.replaced_by = replaced_by or ""
        return function

    return mark if function is None else mark(function)


class Context:
    """What a plug-in that asks for it learns of the compile."""

    def __init__(self, plugin, where):
        self.resolver = ExecutionContext()
        self.queue = QueueScheduler()
        self.plugin = plugin
        self.result = ResultVariable(None, None)
        self.owner = Owner(where)
        self.compiler = Compiler(where)

    def get_resolver(self):
        return self.resolver

    def get_type(self, name):
        text = str(name)
        # The types of the model have full names.
        is_full = "::" in text and text[-1] not in "]?"
        answer = ordain.ask("type", text) if is_full else {"missing": True}
        if answer.get("missing"):
            raise ast.TypeNotFoundException(name, self.owner.namespace)
        from inmanta.ast.entity import Entity
        return Entity(answer["v"])

    def get_queue_scheduler(self):
        return self.queue

    def get_environment_id(self):
        return str(Config.get("config", "environment", None))

    def get_compiler(self):
        return self.compiler

    def get_data_dir(self):
        from inmanta.module import Project
        path = os.path.join(Project.get().project_path, "data", self.plugin.namespace)
        os.makedirs(path, exist_ok=True)
        return path

    def get_client(self):
        from inmanta.protocol import Client
        return Client("compiler")

    def get_sync_client(self):
        from inmanta.protocol import SyncClient
        return SyncClient("compiler")

    def run_sync(self, function, timeout=5):
        import asyncio
        return asyncio.run(asyncio.wait_for(function(), timeout))


class Owner:
    def __init__(self, where):
        self.namespace = ast.Namespace(where["namespace"])
        self.location = ast.Location(where["file"], where["line"])

    def get_location(self):
        return self.location


class Compiler:
    def __init__(self, where):
        self.refs = {"facts": where["facts"]} if where.get("facts") else {}

    def get_plugins(self):
        native = {name: NativePlugin(name) for name in ordain.ask("plugins")["v"] if name.startswith("std::")}
        return {**native, **{plugin.name: plugin for plugin in _registered}}


# As the original names it.
Compiler.__module__ = "inmanta.compiler"


class NativePlugin:
    """A plug-in that is built in."""

    _context = -1

    def __init__(self, name):
        self.name = name

    def get_full_name(self):
        return self.name

    def __call__(self, *args, **kwargs):
        return DynamicProxy.return_value(self._value(args, kwargs))

    def _value(self, args, kwargs):
        given = [[name, proxy.given(value)] for name, value in kwargs.items()]
        answer = ordain.ask("call", self.name, [proxy.given(value) for value in args], given)
        if "v" not in answer:
            stopped(answer)
        return proxy.inner(answer["v"])

    def call_in_context(self, processed_args, resolver=None, queue=None, location=None):
        return self._value(processed_args.args, processed_args.kwargs)


ANY = ["any"]


def any_for(annotation):
    text = (
        "Python type %s was implicitly cast to 'Any' because no matching type was found in the Inmanta DSL. "
        "Please refer to the documentation for an overview of supported types at the plugin boundary." % (annotation,)
    )
    noted.append((InmantaWarning.__name__, text))
    return ANY


def warned():
    """The warnings since it was asked last, each once."""
    found = list(dict.fromkeys(noted))
    noted.clear()
    return found


_PLAIN = {
    str: ["model", "string"], int: ["model", "int"], float: ["model", "float"], bool: ["model", "bool"],
    numbers.Number: ["number"], object: ANY, typing.Any: ANY,
    dict: ["dict", ANY], list: ["model", "list"], collections.abc.Mapping: ["dict", ANY],
    collections.abc.Sequence: ["model", "list"], type(None): ["null"], None: ["null"],
}


def written(text):
    """The type that a text means, for the wire."""
    if text in ("any", "expression"):
        return ANY
    if text == "null":
        return ["null"]
    if text in ("list", "dict"):
        return ["model", text]
    is_nullable = text.endswith("?")
    base = text[:-1] if is_nullable else text
    made = ["list", ["written", base[:-2]]] if base.endswith("[]") else ["written", base]
    return ["nullable", made] if is_nullable else made


def kind_of(annotation, plugin, where):
    """The type that the annotation of a plug-in means, for the wire."""
    if isinstance(annotation, str):
        return written(annotation)
    if annotation is typing.Union:
        raise ast.InvalidTypeAnnotation(None, "Union type must be subscripted, got typing.Union")
    types_of_python = (type, getattr(typing, "TypeAliasType", type))
    is_type = annotation in (None, typing.Any) or isinstance(annotation, types_of_python)
    if is_type or typing.get_origin(annotation) is not None:
        return converted(annotation)
    text = "Bad annotation in plugin %s for %s, expected str or python type but got %s (%s)"
    raise ast.InvalidTypeAnnotation(None, text % (plugin, where, type(annotation).__name__, annotation))


def converted(annotation):
    """The type that a type of Python means, for the wire."""
    if isinstance(annotation, getattr(typing, "TypeAliasType", ())):
        return converted(annotation.__value__)
    if isinstance(annotation, typing.ForwardRef):
        return written(annotation.__forward_arg__)
    try:
        if annotation in _PLAIN:
            return _PLAIN[annotation]
    except TypeError:
        pass
    from inmanta.references import Reference, computed_by
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        models = [part for part in parts[1:] if isinstance(part, ModelType)]
        return written(models[-1].model_type) if models else converted(parts[0])
    if origin is typing.Union or origin is getattr(types, "UnionType", ()):
        some = [converted(part) for part in parts if part is not type(None)]
        made = some[0] if len(some) == 1 else ["union", some]
        return made if len(some) == len(parts) else ["nullable", made]
    if inspect.isclass(annotation):
        if dataclasses.is_dataclass(annotation):
            return ["dataclass", pairs.names(annotation), str(annotation)]
        if issubclass(annotation, Reference):
            inner = computed_by(annotation)
            return ["ref", converted(inner) if inner is not None else ANY]
    if origin is not None and origin not in (tuple, collections.abc.Callable):
        made = generic(annotation, origin, parts)
        if made is not None:
            return made
    if annotation is Null:
        return ["null"]
    return any_for(annotation)


def generic(annotation, origin, parts):
    """The type that a type of Python with parameters means; none if it means nothing."""
    from inmanta.references import Reference
    if issubclass(origin, collections.abc.Mapping):
        if origin not in (dict, collections.abc.Mapping):
            raise ast.TypingException(None, "invalid type %s, dictionary types should be Mapping or dict" % (annotation,))
        if not parts:
            return ["dict", ANY]
        if not issubclass(parts[0], str):
            raise ast.TypingException(
                None, "invalid type %s, the keys of any dict should be 'str', got %s instead" % (annotation, parts[0])
            )
        return ["dict", converted(parts[1])]
    if issubclass(origin, collections.abc.Sequence):
        if origin not in (list, collections.abc.Sequence):
            raise ast.TypingException(None, "invalid type %s, list types should be Sequence or list" % (annotation,))
        return ["list", converted(parts[0])] if parts else ["model", "list"]
    if issubclass(origin, collections.abc.Set):
        raise ast.TypingException(None, "invalid type %s, set is not supported on the plugin boundary" % (annotation,))
    return ["ref", converted(parts[0])] if issubclass(origin, Reference) else None


def converts(annotation):
    """Whether an annotation leaves it to the compiler what instances of dataclasses are handed over as."""
    return typing.get_origin(annotation) is not typing.Annotated or typing.get_args(annotation)[0] is not DynamicProxy


def is_context(parameter):
    """Whether a parameter asks for the context, which none does that is given by name only."""
    plain = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    return parameter.annotation is Context and parameter.kind in plain


def allows_reference(annotation):
    from inmanta.references import Reference
    if inspect.isclass(annotation) and issubclass(annotation, Reference):
        return True
    origin = typing.get_origin(annotation)
    if inspect.isclass(origin) and issubclass(origin, Reference):
        return True
    return any(allows_reference(part) for part in typing.get_args(annotation))


def signature(made):
    function = made.function
    parameters = []
    made.taken = []
    made.context = None
    for parameter in inspect.signature(function, follow_wrapped=False).parameters.values():
        annotation = parameter.annotation
        if is_context(parameter):
            made.context = parameter.name
            made.taken.append(Taken(parameter, None, True, made.namespace))
            continue
        if parameter.annotation is inspect.Parameter.empty:
            text = "All arguments of plugin '%s' should be annotated: '%s' has no annotation"
            raise ast.RuntimeException(None, text % (made.name, parameter.name))
        made.taken.append(Taken(parameter, annotation, False, made.namespace))
        default = None
        has_default = parameter.default is not inspect.Parameter.empty
        if has_default:
            try:
                default = [proxy.outer(parameter.default)]
            except Exception:
                default = None
        parameters.append({
            "name": parameter.name,
            "kind": {
                parameter.VAR_POSITIONAL: "rest", parameter.VAR_KEYWORD: "keywords",
                parameter.KEYWORD_ONLY: "named",
            }.get(parameter.kind, "plain"),
            "type": kind_of(annotation, made.name, parameter.name),
            "has_default": has_default,
            "default": default,
            "converts": converts(annotation),
        })
    given = inspect.signature(function, follow_wrapped=False).return_annotation
    returns = ANY if given is inspect.Signature.empty else kind_of(given, made.name, "return value")
    code = function.__code__ if hasattr(function, "__code__") else None
    return {
        "name": made.name,
        "params": parameters,
        "returns": returns,
        "allow_unknown": made.options["allow_unknown"],
        "has_context": made.context is not None,
        "deprecated": made.replaced_by,
        "file": code.co_filename if code else "",
        # The line below that of the first decorator.
        "line": code.co_firstlineno + 1 if code else 0,
    }


def declared():
    """The signatures of the plug-ins that have been declared since it was asked last."""
    global _sent
    new, _sent = _registered[_sent:], len(_registered)
    found = []
    for number, made in enumerate(new, _sent - len(new)):
        if made.namespace.split("::")[0] == "std":
            continue
        said = signature(made)
        said["number"] = number
        found.append(said)
    return found


def stopped(answer):
    """Raises what keeps the compiler from answering."""
    if "wait" in answer:
        raise ast.UnsetException("a value is not set yet", variables=answer["wait"])
    if "unknown" in answer:
        raise ast.UnknownException(proxy.inner(answer["unknown"]))
    raise ast.RuntimeException(None, answer.get("text", "the compiler gave no answer"))


class Taken:
    """How an argument is made of what came over the wire; found out once for each parameter."""

    def __init__(self, parameter, annotation, is_context, namespace):
        self.namespace = namespace
        self.name = parameter.name
        self.is_context = is_context
        self.is_rest = parameter.kind is parameter.VAR_POSITIONAL
        self.is_keywords = parameter.kind is parameter.VAR_KEYWORD
        self.by_name = parameter.kind is parameter.KEYWORD_ONLY
        self.annotation = annotation
        self.converts = None
        self.context = ProxyContext(path=parameter.name)
        self.context_of_instance = self.context._below("", False)
        self.takes_references = not is_context and allows_reference(annotation)

    def is_converted(self):
        """Whether instances of dataclasses become objects; known once all modules are loaded."""
        if self.converts is None:
            self.converts = bool(pairs.classes) and pairs.is_meant(self.annotation, self.namespace)
        return self.converts

    def python(self, value, name=None):
        """A value of the wire as the plug-in gets it."""
        if value is None or type(value) in (int, bool, float):
            return value
        if type(value) is str:
            return proxy.marked.get(value, value) if proxy.marked else value
        held = proxy.inner(value)
        if isinstance(held, Unknown):
            return held
        if type(held) is Instance and not pairs.classes:
            return DynamicProxy(held, context=self.context_of_instance)
        context = self.context if name is None else dataclasses.replace(self.context, path=name)
        if self.is_converted():
            try:
                return pairs.converted(held, self.takes_references, context)
            except pairs.Misfit as error:
                error.parameter = self.name
                raise
        return DynamicProxy.return_value(held, context=context)


def prepared(said):
    """The function of a call, with its arguments as the function gets them. A call that gives all
    arguments by position is a list: the number of the plugin, the arguments, and the attributes of
    instances that come along."""
    if type(said) is not list:
        made = _registered[said["number"]]
        args, kwargs = given_to(made, said)
    else:
        made = _registered[said[0]]
        if len(said) > 2:
            mirrored(said[2])
        plain = _PLAIN_OR_MARKED if proxy.marked else _AS_IS
        args = [
            value if type(value) in plain else taken.python(value) for value, taken in zip(said[1], made.taken)
        ]
        kwargs = {}
    if made.options["bin"]:
        require(made.options["bin"], made.name.split("::")[-1])
    return made.function, args, kwargs


# Classes of arguments that functions get unchanged, unless texts are marked.
_PLAIN_OR_MARKED = frozenset((int, bool, float, type(None)))
_AS_IS = _PLAIN_OR_MARKED | {str}


def given_to(made, message):
    """The arguments of a call, as the function gets them."""
    given = message["named"]
    if "known" in message:
        mirrored(message["known"])
    args, kwargs = [], {}
    # The context is inserted among the positional arguments, at its index or the end, which may be
    # the index of a keyword argument.
    left = message["positional"] if "positional" in message else len(made.taken)
    context = None
    for place, taken in enumerate(made.taken):
        if taken.is_context:
            context = place
            continue
        if taken.is_rest:
            args.extend(taken.python(item) for item in message.get("rest", ()))
            left = 0
            continue
        if taken.is_keywords:
            kwargs.update((key, taken.python(item, key)) for key, item in message.get("keywords", ()))
            continue
        if taken.name not in given:
            left = 0
            continue
        value = taken.python(given[taken.name])
        if left and not taken.by_name:
            args.append(value)
            left -= 1
        else:
            kwargs[taken.name] = value
    if context is not None:
        args.insert(context, Context(made, message["where"]))
    return args, kwargs
