"""The instances of the model, mirrored: what was read once is kept, since nothing ever changes."""
import ordain


class Missing:
    """That an attribute will never have a value, and why."""

    def __init__(self, kind, text):
        self.kind = kind
        self.text = text


class Instance:
    def __init__(self, number, type, text):
        self.number = number
        self.type_name = type
        self.text = text
        self.values = {}
        # The object of a dataclass that it was made from, or the reference to one.
        self.python = None

    @property
    def type(self):
        from inmanta.ast.entity import Entity
        return Entity(self.type_name, self.number)

    def get_type(self):
        return self.type

    def read(self, name):
        value = self.values.get(name)
        if value is None:
            answer = ordain.ask("attribute", self.number, name)
            take(self, answer["known"])
            value = self.values.get(name)
            if value is None:
                from inmanta import plugins
                plugins.stopped(answer)
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


def instance(number, type=None, text=None, number_kept=None):
    found = instances.get(number)
    if found is None:
        if type is None:
            type, text = ordain.ask("instance", number)["v"]
        found = instances[number] = Instance(number, type, text)
    if number_kept is not None:
        from inmanta import references
        found.python = references.kept[number_kept]
    return found


def mirrored(instances):
    """Keeps what comes along of instances."""
    for number, type, text, number_kept, known in instances:
        take(instance(number, type, text, number_kept), known)


def take(owner, known):
    """Keeps what is known of an instance."""
    from inmanta.execute import proxy
    for name, value in known:
        if isinstance(value, dict) and "$m" in value:
            owner.values[name] = Missing(*value["$m"])
        else:
            owner.values[name] = proxy.inner(value)
