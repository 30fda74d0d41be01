"""The instances of the model, mirrored: what was read once is kept, since nothing ever changes."""
from itertools import repeat

import ordain


class Missing:
    """That an attribute will never have a value, and why. One of an optional relation names the
    attribute: its text has the instance, too."""

    def __init__(self, kind, text, attribute=None):
        self.kind = kind
        self.text = text
        self.attribute = attribute

    def text_for(self, owner):
        if self.attribute is None:
            return self.text
        return "Optional variable accessed that has no value (attribute `%s` of `%s (instantiated at %s)`)" % (
            self.attribute, owner.type_name, owner.place
        )


class Instance:
    __slots__ = (
        "number", "type_name", "text", "values", "sent", "plain", "names", "place", "python", "__weakref__"
    )

    def __init__(self, number, type, text):
        self.number = number
        self.type_name = type
        self.text = text
        # The attributes that were read, and those that arrived unread, in the form of messages:
        # many are never read.
        self.values = {}
        self.sent = {}
        # The texts, numbers and booleans among the attributes, and `None` for null. Proxies of the
        # instance use this dict as their own, so that Python itself finds the attributes.
        self.plain = {}
        # The names of attributes that all arrived with a row; `None` if the instance has no row.
        self.names = None
        # The place of its creation, if a message needs it.
        self.place = None
        # The dataclass object that it was created from, or a reference to it.
        self.python = None

    @property
    def type(self):
        found = entities.get(self.type_name)
        if found is None:
            from inmanta.ast.entity import entity_of
            found = entities[self.type_name] = entity_of(self.type_name)
        return found

    def get_type(self):
        return self.type

    def read(self, name):
        value = self.values.get(name)
        if value is None:
            if name in self.plain:
                value = self.plain[name]
                return null if value is None else value
            value = self._taken(name)
            if value is None:
                answer = ordain.ask("attribute", self.number, name)
                self.sent.update(answer.get("known", ()))
                take_rows(answer.get("rows", ()))
                if name in self.values or name in self.plain:
                    return self.read(name)
                value = self._taken(name)
                if value is None:
                    from inmanta import plugins
                    plugins.stopped(answer)
        return value

    def _taken(self, name):
        """The value of an attribute that came along; None if it did not, or had no value then."""
        if name not in self.sent:
            return None
        value = self.sent.pop(name)
        kind = type(value)
        if kind is dict and "$m" in value:
            value = Missing(*value["$m"])
        elif kind is dict and "$n" in value:
            return None
        else:
            value = inner(value)
        self.values[name] = value
        return value

    def get_attribute(self, name):
        return ResultVariable(self, name)

    def __repr__(self):
        return self.text

    __str__ = __repr__

    def __eq__(self, other):
        return isinstance(other, Instance) and other.number == self.number

    def __hash__(self):
        return hash(self.number)


class ResultVariable:
    def __init__(self, instance, name):
        self.instance = instance
        self.name = name

    def get_value(self):
        from inmanta.execute import proxy
        return proxy.checked(self.instance, self.name)


class QueueScheduler:
    pass


class Resolver:
    def lookup(self, name, root=None):
        from inmanta.ast import NotFoundException
        answer = ordain.ask("lookup", name)
        if answer.get("missing"):
            raise NotFoundException(None, name, "variable %s not found" % name)
        return Found(answer)


class ExecutionContext(Resolver):
    """The names at the place of a call."""


class Found:
    def __init__(self, answer):
        self.answer = answer

    def get_value(self):
        from inmanta import plugins
        from inmanta.execute import proxy
        if "v" not in self.answer:
            plugins.stopped(self.answer)
        return proxy.inner(self.answer["v"])


instances = {}
# The entities by their names.
entities = {}
# The conversion of values from messages, null, and the reserved attribute names of proxies; set by
# `inmanta.execute.proxy`, which needs this module.
inner = null = None
reserved = frozenset()
# Whether texts are looked up among the marked ones.
has_marked = False


def tell(told):
    """Keeps the instances that a message has for the first time: their numbers, entities and texts,
    and the numbers of the objects that they were made from."""
    for number, type, text, number_kept in told:
        found = instances.get(number)
        if found is None:
            found = instances[number] = Instance(number, type, text)
        if number_kept is not None:
            from inmanta import references
            found.python = references.kept[number_kept]


def mirrored(known):
    """Keeps attributes that come along with a call: the numbers of instances, and dicts."""
    for number, attributes in known:
        instances[number].sent.update(attributes)


def mark():
    """From now on texts are looked up, so proxies no longer have them as their own."""
    global has_marked
    if has_marked:
        return
    has_marked = True
    for owner in instances.values():
        owner.sent.update(owner.plain)
        owner.plain.clear()
        owner.names = None


def take_rows(groups):
    """Keeps all attributes of instances: for each entity the numbers, and for each attribute the name,
    the kind of its values and the values, and the places where instances were made if texts need them.
    A list of one value says that all have it."""
    for numbers, columns, places in groups:
        places = repeat(places[0]) if len(places) == 1 else places or repeat(None)
        plain, values, sent = Columns(), Columns(), Columns()
        for name, kind, column in columns:
            if kind == "missing":
                values.constants[name] = Missing(*column)
            elif kind == "instance":
                values.add(name, [instances[number] for number in column])
            elif kind == "plain" and not has_marked and name not in reserved:
                plain.add(name, column)
            else:
                sent.add(name, column)
        names = None if has_marked else plain.all_names()
        rows = zip(numbers, plain.rows(), values.rows(), sent.rows(), places)
        for number, of_plain, of_values, of_sent, place in rows:
            owner = instances[number]
            owner.place = place
            owner.names = names
            owner.plain.update(plain.constants)
            owner.plain.update(of_plain)
            owner.values.update(values.constants)
            owner.values.update(of_values)
            owner.sent = sent.constants.copy()
            owner.sent.update(of_sent)


class Columns:
    """Attributes of the instances of an entity: those that are the same for all, and the others."""

    def __init__(self):
        self.constants = {}
        self.names = []
        self.columns = []

    def add(self, name, column):
        if len(column) == 1:
            self.constants[name] = column[0]
        else:
            self.names.append(name)
            self.columns.append(column)

    def all_names(self):
        return (*self.constants, *self.names)

    def rows(self):
        """For each instance the pairs of the others; without end if there are none."""
        return (zip(self.names, row) for row in zip(*self.columns)) if self.names else repeat(())
