"""Plug-in functions: how they are declared, and how they are called."""
import collections.abc
import dataclasses
import inspect
import numbers
import os
import sys
import types
import typing

import ordain
from inmanta import ast
from inmanta.ast import ExternalException, PluginException
from inmanta.ast.type import Null
from inmanta.config import Config
from inmanta.execute import proxy
from inmanta.execute.proxy import DynamicProxy, ProxyContext, allow_reference_values
from inmanta.execute.runtime import Resolver, mirrored
from inmanta.execute.util import Unknown
from inmanta import _pairs as pairs
from inmanta.warnings import InmantaWarning

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
        module = function.__module__
        self.namespace = "::".join(module.split(".")[1:])
        self.name = self.namespace + "::" + (name or function.__name__)
        self.options = options
        self.replaced_by = None
        self.context = None
        self.taken = []
        # Whether all parameters can be given by position, and none takes the context.
        self.is_simple = False

    def get_full_name(self):
        return self.name

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    @property
    def _context(self):
        """At which place it takes the context; -1 if it does not."""
        for place, parameter in enumerate(inspect.signature(self.function).parameters.values()):
            if resolved(self.function, parameter.annotation) is Context:
                return place
        return -1

    def call_in_context(self, processed_args, resolver=None, queue=None, location=None):
        return DynamicProxy.unwrap(self.function(*processed_args.args, **processed_args.kwargs))


def plugin(function=None, commands=None, emits_statements=False, allow_unknown=False):
    def declare(name, function):
        made = Plugin(function, name, {"allow_unknown": allow_unknown})
        function.__plugin__ = made
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
        self.resolver = Resolver()
        self.queue = None
        self.plugin = plugin
        self.result = None
        self.owner = Owner(where)
        self.compiler = Compiler(where)

    def get_resolver(self):
        return self.resolver

    def get_type(self, name):
        answer = ordain.ask("type", str(name))
        if answer.get("missing"):
            raise ast.TypeNotFoundException(str(name))
        from inmanta.ast.entity import Entity
        return Entity(answer["v"])

    def get_queue_scheduler(self):
        return self.queue

    def get_environment_id(self):
        found = Config.get("config", "environment", None)
        if found is None:
            raise Exception("The environment of this model should be configured in config>environment")
        return str(found)

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
_warnings = []


def any_for(annotation):
    _warnings.append(
        "Python type %s was implicitly cast to 'Any' because no matching type was found in the Inmanta DSL. "
        "Please refer to the documentation for an overview of supported types at the plugin boundary." % (annotation,)
    )
    return ANY


def warned():
    """The warnings since it was asked last, each once."""
    found = list(dict.fromkeys(_warnings))
    _warnings.clear()
    return found
_PLAIN = {
    str: ["model", "string"], int: ["model", "int"], float: ["model", "float"], bool: ["model", "bool"],
    numbers.Number: ["number"], object: ANY, typing.Any: ANY,
    dict: ["dict", ANY], list: ["model", "list"], collections.abc.Mapping: ["dict", ANY],
    collections.abc.Sequence: ["model", "list"], type(None): ["null"], None: ["null"],
}


def kind_of(annotation, plugin, where, missing=()):
    """The type that an annotation means, for the wire."""
    if isinstance(annotation, str):
        return ["model", annotation]
    if isinstance(annotation, typing.TypeVar):
        return any_for(annotation)
    if isinstance(annotation, getattr(typing, "TypeAliasType", ())):
        return kind_of(annotation.__value__, plugin, where)
    if isinstance(annotation, typing.NewType if isinstance(typing.NewType, type) else ()):
        return kind_of(annotation.__supertype__, plugin, where)
    if isinstance(annotation, typing.ForwardRef):
        return ["model", annotation.__forward_arg__]
    try:
        if annotation in _PLAIN:
            return _PLAIN[annotation]
    except TypeError:
        pass
    from inmanta.references import Reference, computed_by
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        models = [part for part in parts[1:] if isinstance(part, ModelType)]
        return ["model", models[-1].model_type] if models else kind_of(parts[0], plugin, where)
    if origin is typing.Union or origin is getattr(types, "UnionType", ()):
        some = [kind_of(part, plugin, where) for part in parts if part is not type(None)]
        made = some[0] if len(some) == 1 else ["union", some]
        return made if len(some) == len(parts) else ["nullable", made]
    if annotation is typing.Union:
        raise ast.InvalidTypeAnnotation(None, "Union type must be subscripted, got typing.Union")
    if inspect.isclass(annotation) and issubclass(annotation, Reference):
        inner = computed_by(annotation)
        return ["ref", kind_of(inner, plugin, where) if inner is not None else ANY]
    if origin is not None and inspect.isclass(origin):
        if issubclass(origin, Reference):
            return ["ref", kind_of(parts[0], plugin, where)]
        if issubclass(origin, collections.abc.Mapping):
            if not parts or parts[0] is not str:
                raise ast.TypingException(
                    None, "invalid type %s, dictionary keys should be str, got %s" % (annotation, parts[0].__name__)
                )
            return ["dict", kind_of(parts[1], plugin, where)]
        if origin in (set, frozenset, tuple) or issubclass(origin, collections.abc.Set):
            raise ast.TypingException(
                None, "invalid type %s, set is not supported on the plugin boundary" % (annotation,)
            )
        if issubclass(origin, collections.abc.Sequence):
            return ["list", kind_of(parts[0], plugin, where)]
    if origin is typing.Literal:
        return ["union", [kind_of(type(part), plugin, where) for part in parts]]
    if inspect.isclass(annotation):
        if dataclasses.is_dataclass(annotation):
            return ["dataclass", pairs.names(annotation), str(annotation)]
        if issubclass(annotation, (set, frozenset)):
            raise ast.TypingException(
                None, "invalid type %s, set is not supported on the plugin boundary" % (annotation,)
            )
        return any_for(annotation)
    if annotation is Null:
        return ["null"]
    if origin is None and not callable(annotation) and not inspect.isclass(annotation):
        text = "Bad annotation in plugin %s for %s, expected str or python type but got %s (%s)"
        raise ast.InvalidTypeAnnotation(None, text % (plugin, where, type(annotation).__name__, annotation))
    return ANY


def converts(annotation):
    """Whether an annotation leaves it to the compiler what instances of dataclasses are handed over as."""
    return typing.get_origin(annotation) is not typing.Annotated or typing.get_args(annotation)[0] is not DynamicProxy


def resolved(function, annotation):
    """A string annotation that is no type of the model but Python, as `from __future__ import annotations` has."""
    future = sys.modules.get("__future__")
    flag = future.annotations.compiler_flag if future else 0x1000000
    if isinstance(annotation, str) and function.__code__.co_flags & flag:
        try:
            return eval(annotation, function.__globals__)
        except Exception:
            return annotation
    return annotation


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
    for parameter in inspect.signature(function).parameters.values():
        annotation = resolved(function, parameter.annotation)
        if annotation is Context:
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
    made.is_simple = not any(
        taken.is_context or taken.is_rest or taken.is_keywords or taken.by_name for taken in made.taken
    )
    given = inspect.signature(function).return_annotation
    returns = ANY if given is inspect.Signature.empty else kind_of(resolved(function, given), made.name, "return type")
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
        self.takes_references = not is_context and allows_reference(annotation)

    def is_converted(self):
        """Whether instances of dataclasses become objects; known once all modules are loaded."""
        if self.converts is None:
            self.converts = bool(pairs.classes) and pairs.is_meant(self.annotation, self.namespace)
        return self.converts

    def python(self, value, allow_unknown, name=None):
        """A value of the wire as the plug-in gets it."""
        if value is None or type(value) in (int, bool, float):
            return value
        if type(value) is str:
            return proxy.marked.get(value, value) if proxy.marked else value
        held = proxy.inner(value)
        if isinstance(held, Unknown):
            return held
        context = self.context if name is None else dataclasses.replace(self.context, path=name)
        if self.is_converted():
            try:
                return pairs.converted(held, self.takes_references, context)
            except pairs.Misfit as error:
                error.parameter = self.name
                raise
        if allow_unknown and isinstance(held, list) and any(isinstance(item, Unknown) for item in held):
            return held
        return DynamicProxy.return_value(held, context=context)


def called(message):
    made = _registered[message["number"]]
    args, kwargs = given_to(made, message)
    return {"v": proxy.outer(ordain.timed(made.function, *args, **kwargs))}


def given_to(made, message):
    """The arguments of a call, as the function gets them."""
    unknown = made.options["allow_unknown"]
    given = message["named"]
    if "known" in message:
        mirrored(message["known"])
    if made.is_simple and len(given) == len(made.taken):
        return [taken.python(given[taken.name], unknown) for taken in made.taken], {}
    args, kwargs = [], {}
    # The context goes among those that were given by position, at its place or the end; which may
    # be the place of one that was given by name.
    left = message["positional"] if "positional" in message else len(made.taken)
    context = None
    for place, taken in enumerate(made.taken):
        if taken.is_context:
            context = place
            continue
        if taken.is_rest:
            args.extend(taken.python(item, unknown) for item in message.get("rest", ()))
            left = 0
            continue
        if taken.is_keywords:
            kwargs.update((key, taken.python(item, unknown, key)) for key, item in message.get("keywords", ()))
            continue
        if taken.name not in given:
            left = 0
            continue
        value = taken.python(given[taken.name], unknown)
        if left and not taken.by_name:
            args.append(value)
            left -= 1
        else:
            kwargs[taken.name] = value
    if context is not None:
        args.insert(context, Context(made, message["where"]))
    return args, kwargs
