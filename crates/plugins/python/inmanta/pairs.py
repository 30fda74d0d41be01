"""Dataclasses, and the entities whose counterparts they are."""
import dataclasses
import importlib
import inspect
import typing

import ordain
from inmanta.ast import TypingException
from inmanta.execute import proxy
from inmanta.execute.runtime import Instance
from inmanta.execute.util import NoneValue, Unknown
from inmanta.references import Reference, keep

# The Python class for an entity, by the full name of the entity.
classes = {}


def paired(message):
    """Looks the counterparts of entities up, and says what they are like."""
    from inmanta import plugins
    found = []
    for name in message["names"]:
        namespace, _, short = name.rpartition("::")
        module = "inmanta_plugins." + namespace.replace("::", ".")
        held = getattr(ordain.timed(importlib.import_module, module), short, None)
        if held is not None:
            classes[name] = held
        found.append((held, {"module": module}))
    said = [described(held, said) for held, said in found]
    return {"classes": said, "warnings": plugins.warned()}


def described(held, said):
    # The original treats falsy values as absent.
    if not held:
        return said
    said["name"] = getattr(held, "__name__", None) or repr(held)
    said["is_dataclass"] = dataclasses.is_dataclass(held) and inspect.isclass(held)
    if not said["is_dataclass"]:
        return said
    said["comment"] = held.__doc__
    said["is_frozen"] = held.__dataclass_params__.frozen
    hints = typing.get_type_hints(held)
    said["fields"] = [[field.name, kind_of_field(held, hints[field.name])] for field in dataclasses.fields(held)]
    try:
        said["file"] = inspect.getfile(held)
        said["line"] = inspect.getsourcelines(held)[1]
    except (OSError, TypeError):
        pass
    return said


def kind_of_field(held, annotation):
    """The type of a field for the wire; none for one that means nothing in a model."""
    from inmanta import plugins
    try:
        return plugins.converted(annotation)
    except TypingException:
        return None


def names(kind):
    """The entities that a dataclass may be the counterpart of, the nearest first."""
    found = []
    for part in kind.__mro__:
        parts = part.__module__.split(".")
        if parts[0] == "inmanta_plugins":
            found.append("::".join(parts[1:] + [part.__name__]))
    return found


def entity_of(kind):
    """The entity whose counterpart a dataclass is."""
    for part, name in zip((part for part in kind.__mro__ if part.__module__.startswith("inmanta_plugins.")), names(kind)):
        if classes.get(name) is part:
            return name
    return None


def is_meant(annotation, namespace):
    """Whether instances of dataclasses are converted for an annotation."""
    if isinstance(annotation, str):
        base = annotation.strip().rstrip("?").removesuffix("[]").strip()
        return base in classes or namespace + "::" + base in classes
    if inspect.isclass(annotation) and dataclasses.is_dataclass(annotation):
        return True
    parts = typing.get_args(annotation)
    if typing.get_origin(annotation) is typing.Annotated:
        from inmanta.plugins import ModelType
        models = [part.model_type for part in parts[1:] if isinstance(part, ModelType)]
        if not models:
            return is_meant(parts[0], namespace)
        return parts[0] is not proxy.DynamicProxy and is_meant(models[-1], namespace)
    if isinstance(annotation, getattr(typing, "TypeAliasType", ())):
        return is_meant(annotation.__value__, namespace)
    return any(is_meant(part, namespace) for part in parts)


class Misfit(Exception):
    """That an argument cannot be given to a plug-in."""


def converted(held, takes_references, context):
    """Instances of dataclasses as objects; what has none of them as plug-ins get it otherwise."""
    if isinstance(held, (list, dict)) and held and not holds_object(held):
        return proxy.DynamicProxy.return_value(held, context=context)
    if isinstance(held, list):
        return [converted(item, takes_references, context) for item in held]
    if isinstance(held, dict):
        return {key: converted(item, takes_references, context) for key, item in held.items()}
    kind = classes.get(held.type_name) if isinstance(held, Instance) else None
    if kind is None:
        return proxy.DynamicProxy.return_value(held, context=context)
    if isinstance(held.python, Reference):
        return held.python if takes_references else made(held, kind)
    if held.python is None:
        held.python = made(held, kind)
    return held.python


def holds_object(held):
    if isinstance(held, dict):
        held = held.values()
    elif not isinstance(held, list):
        return isinstance(held, Instance) and held.type_name in classes
    return any(holds_object(item) for item in held)


def made(held, kind):
    values = {}
    for field in dataclasses.fields(kind):
        value = proxy.checked(held, field.name)
        if holds_unknown(value):
            raise Misfit(
                "Encountered unknown in field '%s'. Unknowns are not currently supported in dataclass instances "
                "in the Python domain." % field.name
            )
        values[field.name] = plainly(value)
    return kind(**values)


def holds_unknown(value):
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return isinstance(value, Unknown)
    return any(holds_unknown(item) for item in value)


def plainly(value):
    if isinstance(value, NoneValue):
        return None
    if isinstance(value, list):
        return [plainly(item) for item in value]
    if isinstance(value, dict):
        return {key: plainly(item) for key, item in value.items()}
    return value


def constructed(value):
    """A dataclass object as an instance to make, for the wire."""
    if not dataclasses.is_dataclass(value) or inspect.isclass(value):
        return None
    name = entity_of(type(value))
    if name is None:
        return None
    fields = []
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        fields.append([field.name, None if held is None else proxy.bare(held)])
    return {"$c": [name, fields, keep(value)]}


def fields_of(kind):
    """The entity and the fields of what a reference computes, if that is a dataclass."""
    if not inspect.isclass(kind) or not dataclasses.is_dataclass(kind):
        return None
    name = entity_of(kind)
    return None if name is None else [name, [field.name for field in dataclasses.fields(classes[name])]]
