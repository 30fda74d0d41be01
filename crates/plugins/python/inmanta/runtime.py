"""The instances of the model, mirrored: what was read once is kept, since nothing ever changes."""
import ordain


class Missing:
    """That an attribute will never have a value, and why."""

    def __init__(self, kind, text):
        self.kind = kind
        self.text = text


class Instance:
    __slots__ = ("number", "type_name", "text", "values", "sent", "python", "__weakref__")

    def __init__(self, number, type, text):
        self.number = number
        self.type_name = type
        self.text = text
        # The attributes that were read, and those that came along and were not read yet, as messages
        # have them: many never are.
        self.values = {}
        self.sent = {}
        # The object of a dataclass that it was made from, or the reference to one.
        self.python = None

    @property
    def type(self):
        from inmanta.ast.entity import entity_of
        return entity_of(self.type_name, self.number)

    def get_type(self):
        return self.type

    def read(self, name):
        value = self.values.get(name)
        if value is None:
            value = self._taken(name)
            if value is None:
                answer = ordain.ask("attribute", self.number, name)
                self.sent.update(answer.get("known", ()))
                take_rows(answer.get("rows", ()))
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
# How values are taken from messages; `inmanta.execute.proxy`, which needs this module, says it.
inner = None


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


def take_rows(groups):
    """Keeps all attributes of instances: for each entity the names, and rows of a number and values."""
    for names, rows in groups:
        for row in rows:
            owner = instances[row[0]]
            owner.sent = dict(zip(names, row[1:]))
