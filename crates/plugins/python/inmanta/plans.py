"""The ways in which the resources of classes are made and written, found once for each class."""
import operator

import ordain
from inmanta.ast import ExternalException, UnknownException
from inmanta.execute import proxy
from inmanta.execute.runtime import Instance
from inmanta.execute.util import Unknown
from inmanta.resources import ATTRIBUTE, Id, Resource, failed, getter_of, look_through, source_of, value_of

# Classes of values that need no conversion to JSON.
PLAIN = frozenset((str, int, float, bool, type(None)))
_TEXT = frozenset((str,))
_CONTEXT = proxy.ProxyContext(validated=False, allow_reference_values=True)
_PROXIES = {list: proxy.SequenceProxy, dict: proxy.DictProxy}
_PROXY_KINDS = frozenset(_PROXIES.values())
# Getters that always return an empty list.
_EMPTY = (Resource.get_references, Resource.get_mutators)
_OWN = ("id", "version", "requires", "resource_requires", "unknowns", "model")


def is_as_is(value):
    """Whether a list or a dict has nothing but values that are JSON as they are."""
    if type(value) is list:
        return PLAIN.issuperset(map(type, value))
    return type(value) is dict and _TEXT.issuperset(map(type, value)) and PLAIN.issuperset(map(type, value.values()))


def picked(names):
    """The function that gives the values of several keys of a dict."""
    if len(names) == 1:
        return lambda entries: (entries[names[0]],)
    return operator.itemgetter(*names) if names else lambda entries: ()


def has_plain_attributes(kind):
    """Whether to set attributes of an object of a class is to set them in its dict."""
    if kind.__setattr__ is not object.__setattr__ or kind.__new__ is not object.__new__:
        return False
    names = _OWN + kind.fields
    found = [vars(base)[name] for base in kind.__mro__ for name in names if name in vars(base)]
    return not any(hasattr(type(value), "__set__") for value in found)


class Plan:
    """The way in which the resources of a class are made."""

    def __init__(self, name, kind, options):
        self.name = name
        self.kind = kind
        self.id_field = options["name"]
        self.agent_path = options["agent"]
        self.fields = self._getters()
        self.is_direct = kind.__init__ is Resource.__init__ and has_plain_attributes(kind)
        self.template = {**dict.fromkeys(_OWN), "version": 0, **dict.fromkeys(kind.fields)}
        self.splits = {}
        self.all_parts = {}
        self.pick_fields = picked(kind.fields)
        # The names of agents by the first instances on the path to them.
        self.agents = {}
        self.first_step, _, self.further_steps = self.agent_path.partition(".")
        # Whether the id takes its value from the attribute of the same name.
        self.has_id_attribute = (
            self.fields is not None
            and getattr(kind.object_to_id, "__func__", None) is Resource.object_to_id.__func__
            and getter_of(kind, self.id_field) is ATTRIBUTE
        )

    def _getters(self):
        """The fields, each with what gives its value and the attribute that has the value; none if
        the class looks for values in a way of its own."""
        if getattr(self.kind.map_field, "__func__", None) is not Resource.map_field.__func__:
            return None
        found = [(field, getter_of(self.kind, field)) for field in self.kind.fields]
        return [(field, getter, source_of(getter, field)) for field, getter in found]

    def split(self, names):
        """The fields whose attributes have texts, numbers and the like: their names, and the function
        that picks their values; and the other fields. The names are those of such attributes."""
        found = self.splits.get(names)
        if found is None:
            known = frozenset(names or ()) if self.is_direct else frozenset()
            fields = self.fields or [(field, None, None) for field in self.kind.fields]
            plain = [(field, source) for field, _, source in fields if source in known]
            rest = [one for one in fields if one[2] not in known]
            if self.is_direct and self.fields is not None:
                rest = [(field, None if getter in _EMPTY else getter, source) for field, getter, source in rest]
            pick = picked([source for _, source in plain])
            found = self.splits[names] = (tuple(field for field, _ in plain), pick, rest)
        return found

    def parts(self, names):
        """The function that picks the fields with texts, numbers and the like, and the places and names
        of the other fields."""
        found = self.all_parts.get(names)
        if found is None:
            plain = self.split(names)[0]
            rest = [(at, field) for at, field in enumerate(self.kind.fields) if field not in plain]
            found = self.all_parts[names] = (picked(plain), rest)
        return found

    def quick_id(self, held):
        """The id of the resource of an instance, if nothing of it needs care."""
        if not self.has_id_attribute:
            return None
        value = held.plain.get(self.id_field)
        agent = self._agent_of(held)
        if value is None or agent is None:
            return None
        return Id(self.name, agent, self.id_field, str(value))

    def _agent_of(self, held):
        """The name of the agent of an instance, if it has been found already or is an attribute."""
        if not self.further_steps:
            found = held.plain.get(self.first_step)
            return found if type(found) is str else None
        first = held.values.get(self.first_step)
        return self.agents.get(first.number) if type(first) is Instance else None

    def id_of(self, exporter, held, obj):
        """The id of the resource of an instance; none if it is not known yet."""
        try:
            found = self.kind.object_to_id(obj, self.name, self.id_field, self.agent_path)
        except UnknownException:
            return None
        if isinstance(self.kind.map_field(exporter, self.name, self.id_field, obj), Unknown):
            return None
        first = held.values.get(self.first_step)
        if self.has_id_attribute and type(first) is Instance:
            self.agents[first.number] = found.agent_name
        return found

    def made(self, exporter, held):
        """The resource of an instance; none if it is left out."""
        obj = proxy.proxy_of(held, _CONTEXT)
        field = self.id_field
        try:
            number = self.quick_id(held) or self.id_of(exporter, held, obj)
            if number is None:
                return None
            names, pick, rest = self.split(held.names)
            if self.is_direct:
                made = object.__new__(self.kind)
                values = self.template.copy()
                values["id"], values["model"] = number, obj
                values["requires"], values["resource_requires"], values["unknowns"] = set(), set(), set()
                values.update(zip(names, pick(held.plain)))
                made.__dict__ = values
            else:
                made = self.kind(number)
                made.model = obj
            for field, getter, source in rest:
                self.set_field(exporter, held, obj, made, field, getter, source)
        except ordain.Late:
            late = TimeoutError("it takes longer than %s s" % ordain.SECONDS)
            raise ExternalException(None, failed(field, self.name), late)
        return made

    def set_field(self, exporter, held, obj, made, field, getter, source):
        """Sets one of the fields that are not picked."""
        if source is not None:
            value = held.plain.get(source)
            if value is None and type(held.sent.get(source)) in (list, dict):
                value = held.read(source)
                value = _PROXIES[type(value)](value, context=(obj, "." + source, True)) if is_as_is(value) else None
            if value is not None:
                setattr(made, field, value)
                return
        elif getter is None and self.fields is not None:
            setattr(made, field, [])
            return
        if self.fields is None:
            value = self.kind.map_field(exporter, self.name, field, obj)
        else:
            value = value_of(getter, exporter, self.name, field, obj, look_through)
        if isinstance(value, Unknown):
            made.unknowns.add(field)
        setattr(made, field, value)

    def row(self, made, held):
        """The values of the fields as JSON; none if there are some that need care."""
        if not self.is_direct or made.unknowns or type(made) is not self.kind:
            return None
        entries = made.__dict__
        pick, rest = self.parts(held.names)
        try:
            row = list(self.pick_fields(entries))
        except KeyError:
            return None
        if not PLAIN.issuperset(map(type, pick(entries))):
            rest = enumerate(self.kind.fields)
        for at, field in rest:
            value = row[at]
            if field == "references" or field == "mutators":
                row[at] = []
            elif type(value) not in PLAIN:
                if type(value) in _PROXY_KINDS:
                    value = row[at] = value._get_instance()
                if not is_as_is(value):
                    return None
        return row
