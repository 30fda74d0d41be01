import copy

from inmanta.ast import OptionalValueException
from inmanta.export import dependency_manager
from inmanta.plugins import plugin
from inmanta.resources import Resource, resource


class Text(str):
    pass


@plugin
def label(text: "string") -> "string":
    return Text(text)


def attempt(function):
    try:
        return function()
    except OptionalValueException as error:
        return "%s: %s" % (type(error).__name__, str(error).split(" (inst")[0])
    except AttributeError:
        return "AttributeError"
    except Exception as error:
        return str(error)


def assign(thing):
    thing.number = 5


@resource("m::Thing", agent="owner.name", id_attribute="name")
class Thing(Resource):
    fields = ("name", "number", "ratio", "flag", "note", "options", "words", "read", "missing", "copied")

    @staticmethod
    def get_read(_, thing):
        first = thing.owner.things[0]
        return [
            thing.name, thing.owner.name, thing.owner.note, first.name, first == thing, hash(first) == hash(thing),
            sorted(other.name for other in thing.owner.things), len(thing.words), list(thing.words),
            "b" in thing.options, callable(thing.unwrap), type(thing.label).__name__, thing.label,
        ]

    @staticmethod
    def get_missing(_, thing):
        return [
            attempt(lambda: thing.other.name), attempt(lambda: thing.nothing), attempt(lambda: assign(thing)),
            getattr(thing, "nothing", 7), hasattr(thing, "other") if thing.name == "b" else None, thing.number,
        ]

    @staticmethod
    def get_copied(_, thing):
        twin = copy.copy(thing)
        return [twin == thing, twin.name, twin.owner.name, type(twin) is type(thing), thing.options.get("b", 0)]


@resource("m::Counted", agent="owner.name", id_attribute="name")
class Counted(Resource):
    fields = ("name", "number", "sum")

    def __init__(self, number):
        super().__init__(number)
        self.begun = True

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 10 if name == "number" and value else value)

    @classmethod
    def get_sum(cls, _, counted):
        return counted.number + 1


@dependency_manager
def change(model, resources):
    by_name = {made.name: made for made in resources.values()}
    by_name["a"].ratio = [1, (2, None), {"k": {"l": [3]}}]
    by_name["a"].note = by_name["a"].words
    by_name["c"].requires.add(by_name["f"])
    by_name["c"].requires.add(by_name["e"].id)
    by_name["f"].requires = [by_name["e"].id]
