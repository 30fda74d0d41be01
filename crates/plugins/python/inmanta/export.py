"""From instances to resources."""
import dataclasses
import datetime
import enum

import ordain
from inmanta.ast import ExternalException, UnknownException
from inmanta.execute import proxy
from inmanta.execute.util import Unknown
from inmanta.references import Collector, Reference, identifier
from inmanta.util import is_uuid
from inmanta.resources import (
    Id, IgnoreResourceException, Resource, ResourceException, failed, getter_of, look_through, resource, source_of,
    value_of,
)

unknown_parameters = []
ModelDict = dict
ResourceDict = dict


class DependencyCycleException(Exception):
    def __init__(self, cycle):
        super().__init__()
        self.start = cycle[0]
        self.cycle = cycle

    def __str__(self):
        return "Cycle in dependencies: [%s]" % ", ".join(str(x) for x in self.cycle)


class dependency_manager:
    """Registers a function that adds requirements between resources."""

    def __init__(self, function):
        Exporter.managers.append(function)


class code_manager:
    def __init__(self, function):
        pass


class export:
    def __init__(self, name, *types):
        self.name = name

    def __call__(self, function):
        return function


class Exporter:
    managers = []

    def __init__(self, compiler=None, options=None):
        self.options = options
        self.files = {}
        self.resources = self._resources = {}

    def upload_file(self, content):
        import hashlib
        data = content if isinstance(content, bytes) else str(content).encode("utf-8")
        number = hashlib.sha1(data).hexdigest()
        self.files[number] = data
        return number

    def add_resource(self, made):
        if made.id in self.resources:
            raise ResourceException("Resource %s exists more than once in the configuration model" % made.id)
        self.resources[made.id] = made

    def get_environment_id(self):
        from inmanta.config import Config
        found = Config.get("config", "environment", None)
        if found is None:
            raise Exception("The environment for this model should be set!")
        return str(found)

    @classmethod
    def add_dependency_manager(cls, function):
        cls.managers.append(function)


# The classes of values that are JSON as they are.
_PLAIN = frozenset((str, int, float, bool, type(None)))
# Those that messages have as they are.
_AS_IS = frozenset((str, int, float, bool))


def jsonable(value, path):
    """A field as JSON; the path is for messages."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (proxy.NoneValue, type(None))):
        return None
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Unknown):
        return "<<undefined>>"
    if isinstance(value, Reference):
        return value
    if isinstance(value, (proxy.SequenceProxy, proxy.DictProxy)):
        return jsonable(value._get_instance(), path)
    if isinstance(value, (list, tuple)):
        return [jsonable(item, "%s[%s]" % (path, at)) for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {str(key): jsonable(item, "%s.%s" % (path, key)) for key, item in value.items()}
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="microseconds")
    if is_uuid(value) or isinstance(value, Exception):
        return str(value)
    if hasattr(value, "model_dump"):
        return jsonable(value.model_dump(by_alias=True), path)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return jsonable(dataclasses.asdict(value), path)
    raise TypeError("%r is not JSON serializable" % (value,))


_CONTEXT = proxy.ProxyContext(validated=False, allow_reference_values=True)


def getters(kind):
    """The fields of a class of resources, each with what gives its value; none if the class looks for
    values in a way of its own."""
    if getattr(kind.map_field, "__func__", None) is not Resource.map_field.__func__:
        return None
    found = [(field, getter_of(kind, field)) for field in kind.fields]
    return [(field, getter, source_of(getter, field)) for field, getter in found]


def one(exporter, name, held, kind, options, fields):
    """The resource of an instance; None if it is left out."""
    obj = proxy.DynamicProxy(held, context=_CONTEXT)
    field = options["name"]
    try:
        try:
            number = kind.object_to_id(obj, name, field, options["agent"])
        except UnknownException:
            return None
        if isinstance(kind.map_field(exporter, name, field, obj), Unknown):
            return None
        made = kind(number)
        made.model = obj
        sent = held.sent if not proxy.marked else {}
        for field, getter, source in fields or [(field, None, None) for field in kind.fields]:
            value = sent.get(source)
            if type(value) not in _AS_IS:
                if fields is None:
                    value = kind.map_field(exporter, name, field, obj)
                else:
                    value = value_of(getter, exporter, name, field, obj, look_through)
                if isinstance(value, Unknown):
                    made.unknowns.add(field)
            setattr(made, field, value)
    except ordain.Late:
        raise ExternalException(None, failed(field, name), TimeoutError("it takes longer than %s s" % ordain.SECONDS))
    return made


def dumped(made):
    """The fields of a resource as JSON, with its references apart."""
    collector = Collector()
    places = {}
    said = {}
    unknowns = made.unknowns
    for field in type(made).fields:
        value = getattr(made, field)
        if field == "references" or field == "mutators":
            said[field] = value
        elif unknowns and field in unknowns:
            said[field] = "<<undefined>>"
        elif type(value) in _PLAIN:
            said[field] = value
        else:
            said[field] = collector.separated(jsonable(value, field), field, places)
    own = made.id.resource_str()
    mutators = {}
    for path, number in places.items():
        arguments = [
            {"type": "resource", "name": "resource", "id": own},
            {"type": "reference", "name": "value", "id": number},
            {"type": "literal", "name": "destination", "value": path},
        ]
        model = {"type": "core::Replace", "args": arguments}
        # They have ids like references, which are not exported but say their order.
        mutators[identifier(model)] = model
    said["references"] = sorted(collector.models.values(), key=lambda model: model["id"])
    said["mutators"] = [mutators[number] for number in sorted(mutators)]
    return said


def exported(message):
    """All resources of the model."""
    from inmanta.execute import runtime
    runtime.take_rows(message["rows"])
    for name in resource.get_entity_resources():
        resource.get_class(name)[0].validate()
    exporter = Exporter()
    resources, of_instance, skipped, warnings = exporter.resources, {}, [], []
    wanted = message["instances"]
    for name in resource.get_entity_resources():
        kind, options = resource.get_class(name)
        fields = getters(kind)
        for number in wanted.get(name, ()):
            held = runtime.instances[number]
            ordain.show_life()
            try:
                made = ordain.timed(one, exporter, name, held, kind, options, fields)
            except IgnoreResourceException:
                continue
            if made is None:
                skipped.append(held.text)
                continue
            if made.id in resources:
                raise ResourceException("Resource %s exists more than once in the configuration model" % made.id)
            resources[made.id] = made
            of_instance[number] = made
    for number, made in of_instance.items():
        needed = proxy.checked(runtime.instances[number], "requires")
        had = [other for other in needed if not isinstance(other, Unknown)]
        found = [of_instance[other.number] for other in had if other.number in of_instance]
        made.requires = {other.id for other in found}
        made.resource_requires = set(found)
        if had and not found:
            warnings.append(
                "The resource %s had requirements before flattening, but not after flattening."
                " Initial set was %s. Perhaps provides relation is not wired through correctly?" % (made.id, had)
            )
    model = ModelDict()
    for manager in Exporter.managers:
        ordain.show_life()
        ordain.timed(manager, model, resources)
    for made in resources.values():
        made.requires = {required(other) for other in made.requires}
        made.resource_requires = {resources[other] for other in made.requires}
    fields = [dumped(made) for made in resources.values()]
    positions = {number: at for at, number in enumerate(resources)}
    texts = [made.id.resource_str() for made in resources.values()]
    requires = [
        sorted((positions[other] for other in made.requires), key=texts.__getitem__) for made in resources.values()
    ]
    check_cycles(texts, requires)
    numbers = {id(made): number for number, made in of_instance.items()}
    answer = {
        "resources": fields,
        "ids": [
            [str(part) for part in (own.entity_type, own.agent_name, own.attribute, own.attribute_value)]
            for own in (held.id for held in resources.values())
        ],
        "requires": requires,
        "of": [numbers.get(id(made)) for made in resources.values()],
        "skipped": skipped,
        "warnings": warnings,
    }
    if message.get("files"):
        import base64
        answer["files"] = {
            digest: base64.b64encode(data).decode("ascii") for digest, data in exporter.files.items()
        }
    return answer


def required(other):
    """The id of what a dependency manager says that a resource requires."""
    if isinstance(other, str):
        return Id.parse_id(other)
    if isinstance(other, Resource):
        return other.id
    if isinstance(other, Id):
        return other
    raise Exception(
        f"A dependency manager inserted the object {other!r} of type {type(other)} into a requires relation."
        " However, only string, Resource or Id are allowable types "
    )


def check_cycles(texts, requires):
    edges = {text: [texts[at] for at in needed] for text, needed in zip(texts, requires)}
    state = {}
    for start in edges:
        path = [(start, iter(edges[start]))]
        if start in state:
            continue
        state[start] = 1
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in edges:
                    continue
                if state.get(other) == 1:
                    names = [name for name, _ in path]
                    raise DependencyCycleException(names[names.index(other):])
                if other not in state:
                    state[other] = 1
                    path.append((other, iter(edges[other])))
                    break
            else:
                state[node] = 2
                path.pop()
