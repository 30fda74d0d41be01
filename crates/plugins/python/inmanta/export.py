"""From instances to resources."""
import dataclasses
import datetime
import enum

import ordain
from inmanta.ast import UnknownException
from inmanta.execute import proxy
from inmanta.execute.util import Unknown
from inmanta.references import Collector, Reference, identifier
from inmanta.util import is_uuid
from inmanta._plans import PLAIN, Plan
from inmanta.resources import Id, IgnoreResourceException, Resource, ResourceException, resource

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
    # The one of the last export.
    current = None

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


def jsonable(value, path):
    """A field as JSON; the path is for messages."""
    if type(value) in PLAIN:
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
        elif type(value) in PLAIN:
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
        # They have ids like references, which are not exported but determine their order.
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
    exporter = Exporter.current = Exporter()
    resources, of_instance, skipped, warnings = exporter.resources, {}, [], []
    wanted = message["instances"]
    for name in resource.get_entity_resources():
        plan = Plan(name, *resource.get_class(name))
        for number in wanted.get(name, ()):
            held = runtime.instances[number]
            try:
                made = ordain.timed_alive(plan.made, exporter, held)
            except IgnoreResourceException:
                continue
            if made is None:
                skipped.append(held.text)
                continue
            if resources.setdefault(made.id, made) is not made:
                raise ResourceException("Resource %s exists more than once in the configuration model" % made.id)
            of_instance[number] = (made, plan)
    for number, (made, _) in of_instance.items():
        set_requires(made, runtime.instances[number], of_instance, warnings)
    model = ModelDict()
    for manager in Exporter.managers:
        ordain.show_life()
        try:
            ordain.timed(manager, model, resources)
        except UnknownException:
            # Continues with the next one, as the original does.
            pass
    for made in resources.values():
        if made.requires or made.resource_requires or type(made.requires) is not set:
            made.requires = {required(other) for other in made.requires}
            made.resource_requires = {resources[other] for other in made.requires}
    numbers = {id(made): number for number, (made, _) in of_instance.items()}
    groups = Groups()
    for made in resources.values():
        number = numbers.get(id(made))
        row = of_instance[number][1].row(made, runtime.instances[number]) if number is not None else None
        groups.add(made, row)
    texts, requires = requirements(resources)
    check_cycles(texts, requires)
    # Freeing many objects takes time, and usually the process ends soon.
    exporter.last = of_instance, groups
    answer = {
        "resources": groups.columns(),
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


def set_requires(made, held, of_instance, warnings):
    """Sets the resources that a resource requires, as far as the model says so."""
    if held.sent.get("requires") == []:
        made.requires, made.resource_requires = set(), set()
        return
    needed = proxy.checked(held, "requires")
    had = [other for other in needed if not isinstance(other, Unknown)]
    found = [of_instance[other.number][0] for other in had if other.number in of_instance]
    made.requires = {other.id for other in found}
    made.resource_requires = set(found)
    if had and not found:
        warnings.append(
            "The resource %s had requirements before flattening, but not after flattening."
            " Initial set was %s. Perhaps provides relation is not wired through correctly?" % (made.id, had)
        )


def requirements(resources):
    """The texts of the ids of all resources, and for each resource the positions of those it requires."""
    texts = [made.id.resource_str() for made in resources.values()]
    positions = {number: at for at, number in enumerate(resources)}
    return texts, [
        sorted((positions[other] for other in made.requires), key=texts.__getitem__) if made.requires else []
        for made in resources.values()
    ]


class Groups:
    """The fields of resources for the message: resources of one class that come one after the other are
    a group, with the values of each field in a column."""

    def __init__(self):
        self.groups = []
        self.names = self.rows = self.kind = None

    def add(self, made, row):
        if row is None:
            said = dumped(made)
            row, names = list(said.values()), tuple(said)
        else:
            names = self.names if type(made) is self.kind else type(made).fields
        if names != self.names:
            self.names, self.rows = names, []
            self.groups.append((names, self.rows))
        self.kind = type(made)
        self.rows.append(row)

    def columns(self):
        return [[names, len(rows), [column(values) for values in zip(*rows)]] for names, rows in self.groups]


# Classes of values whose equal values are equal in JSON, too.
_EXACT = (frozenset((str,)), frozenset((int,)), frozenset((bool,)), frozenset((type(None),)))


def column(values):
    """The values of a column; only one if all are the same."""
    kinds = frozenset(map(type, values))
    is_constant = kinds in _EXACT and values.count(values[0]) == len(values) or kinds == {list} and not any(values)
    return values[:1] if is_constant else values


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
    """Refuses resources that require each other in a circle."""
    edges = {text: [texts[at] for at in needed] for text, needed in zip(texts, requires)}
    state = {}
    for start in edges:
        if start in state:
            continue
        path = [(start, iter(edges[start]))]
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
