"""A module `p` with Python code, made at random: plugins, a dataclass, references and a resource."""

from dataclasses import dataclass

from schema import CONSTANTS
from tree import Group, Node

HEAD = """import dataclasses
import numbers
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from inmanta.execute.proxy import DynamicProxy
from inmanta.execute.util import Unknown
from inmanta.plugins import Context, ModelType, PluginException, plugin
from inmanta.references import Reference, reference
from inmanta.resources import Resource, resource

"""

# The annotation of a type: in the model, and in Python.
ANNOTATIONS = {
    "int": ['"int"', "int", '"number"', "numbers.Number"],
    "string": ['"string"', "str"],
    "bool": ['"bool"', "bool"],
    "float": ['"float"', "float", '"number"'],
    "int[]": ['"int[]"', "list[int]", "Sequence[int]", '"list"'],
    "string[]": ['"string[]"', "list[str]", "Sequence[str]", "list"],
    "dict": ['"dict"', "dict[str, object]", "Mapping[str, Any]"],
    "list": ['"list"', "list", "Sequence[object]", "list[Any]"],
    "any": ['"any"', "object", "Any"],
    "entity": ['"std::Entity"', 'Annotated[DynamicProxy, ModelType["std::Entity"]]', "object"],
    "entities": ['"std::Entity[]"', '"list"', 'Sequence[Annotated[Any, ModelType["std::Entity"]]]', "object"],
    "pair": ['"p::Pair"', "Pair", "Pair | Reference[Pair]"],
    "reference": ["Reference[str]", "str | Reference[str]", "Reference[str] | None"],
}
PARAMETERS = ["int", "int", "string", "string", "bool", "float", "int[]", "string[]", "dict", "list", "any", "entity", "entity", "entities"]
FIELDS = {
    "int": ("int", ["int", "int | Reference[int]"]),
    "string": ("string", ["str", "str | Reference[str]"]),
    "bool": ("bool", ["bool"]),
    "int?": ("int?", ["int | None"]),
    "string[]": ("string[]", ["list[str]", "Sequence[str]"]),
    "dict": ("dict", ["dict[str, object]", "Mapping[str, object]"]),
    "float": ("float", ["float"]),
}
# Dataclasses refuse restricted types.
REFUSED = {"small": ("small", ["int"])}


@dataclass
class Plugin:
    """A plugin: the kinds of its parameters by name, what it gives, and how many parameters have defaults."""

    name: str
    parameters: dict
    gives: str
    defaults: int = 0
    rest: str | None = None


class Python:
    """The module: what models can call, and its texts."""

    def __init__(self, chance, schema):
        self.chance, self.schema = chance, schema
        self.fields = {name: chance.choice(list(FIELDS) * 5 + ["small"]) for name in chance.sample(["name", "gb", "note", "more"], chance.choice([1, 2, 2, 3]))}
        self.has_pair = chance.random() < 0.6
        self.has_references = chance.random() < 0.6
        self.has_resource = chance.random() < 0.4
        self.plugins, self.texts = [], []
        if self.has_references:
            self.plugins.append(Plugin("text", {"value": "string"}, "reference"))
            if self.has_pair:
                self.plugins.append(Plugin("found", {"value": "string"}, "pair"))
        for number in range(chance.choice([1, 2, 3, 4])):
            self.texts.append(self.plugin(f"f{number}"))

    def pick(self, options):
        return self.chance.choice(options)

    def kinds(self):
        return PARAMETERS + ["pair"] * 3 * self.has_pair + ["reference"] * 3 * self.has_references

    def annotation(self, kind):
        """How a kind is written; sometimes another one is."""
        if self.chance.random() < 0.04:
            kind = self.pick(self.kinds())
        if kind.endswith("?"):
            found = self.pick(ANNOTATIONS[kind[:-1]])
            return found[:-1] + '?"' if found.endswith('"') else f"{found} | None"
        return self.pick(ANNOTATIONS[kind])

    def plugin(self, name):
        """A plugin's text; what it is comes to the list."""
        chance = self.chance
        kinds = {f"a{i}": self.pick(self.kinds()) for i in range(chance.choice([0, 1, 1, 2, 2, 3]))}
        for parameter, kind in kinds.items():
            if kind in CONSTANTS and chance.random() < 0.15:
                kinds[parameter] = kind + "?"
        gives = self.pick(["int", "string", "bool", "int[]", "string[]", "dict", "any", "entity", "float", *self.kinds()[len(PARAMETERS):]])
        made = Plugin(name, kinds, gives)
        parameters = [f"{name}: {self.annotation(kind)}" for name, kind in kinds.items()]
        if parameters and kinds[list(kinds)[-1]] in ("int", "string", "int?") and chance.random() < 0.3:
            parameters[-1] += " = " + {"int": "4", "string": "'z'", "int?": "None"}[kinds[list(kinds)[-1]]]
            made.defaults = 1
        elif chance.random() < 0.1:
            made.rest = self.pick(["int", "string"])
            parameters.append(f"*rest: {self.annotation(made.rest)}")
        if chance.random() < 0.1:
            parameters.insert(chance.randint(0, len(kinds) - made.defaults), "context: Context")
        result = f" -> {self.annotation(gives)}" if chance.random() < 0.85 else ""
        decorator = "@plugin" if chance.random() < 0.93 else "@plugin(allow_unknown=True)"
        body = self.body(made)
        self.plugins.append(made)
        return Node(f"{decorator}\ndef {name}({', '.join(parameters)}){result}:\n", body, "\n\n")

    def body(self, made):
        chance, lines = self.chance, []
        if chance.random() < 0.3:
            shown = [f"str({name})" for name, kind in made.parameters.items() if self.is_simple(kind)]
            lines.append(Node(f"    print('{made.name}'{''.join(', ' + s for s in shown)})\n"))
        for name, kind in made.parameters.items():
            if kind in ("entity", "pair") and chance.random() < 0.7:
                lines.append(Node(f"    got_{name} = {self.attribute(name, kind)}\n"))
            if kind == "entities" and chance.random() < 0.7:
                lines.append(Node(f"    for item in {name}:\n        got = {self.attribute('item', 'entity')}\n"))
        if chance.random() < 0.12:
            what = self.pick(["PluginException('no')", "ValueError('bad')", "Exception()", "KeyError('k')"])
            lines.append(Node(f"    if {self.expression('bool', made)}:\n        raise {what}\n"))
        if chance.random() < 0.04:
            lines.append(Node("    return Unknown(source=None)\n"))
        return Group("", [*lines, Node(f"    return {self.expression(made.gives, made)}\n")], 1)

    @staticmethod
    def is_simple(kind):
        return kind.rstrip("?") in ("int", "string", "bool", "float", "int[]", "string[]")

    def attribute(self, name, kind):
        if kind == "pair":
            return f"{name}.{self.pick([*self.fields, 'name'])}"
        names = sorted({n for e in self.schema.entities for n in [*e.all_attributes(), *e.all_relations()]})
        return f"{name}.{self.pick(names or ['requires'])}" if self.chance.random() < 0.75 else f"getattr({name}, '{self.pick(names or ['requires'])}', None)"

    def expression(self, kind, made):
        """A Python expression of a kind from the parameters."""
        chance = self.chance
        if chance.random() < 0.03:
            kind = self.pick(["int", "string", "dict", "int[]", "any"])
        same = [name for name, k in made.parameters.items() if k.rstrip("?") == kind]
        if same and chance.random() < 0.6:
            return self.pick(same)
        sized = [name for name, k in made.parameters.items() if k in ("int[]", "string[]", "dict", "list", "entities", "string")]
        simple = [name for name, k in made.parameters.items() if self.is_simple(k)]
        match kind:
            case "int":
                return f"len({self.pick(sized)})" if sized and chance.random() < 0.6 else self.pick(["1", "7", "-2"])
            case "string":
                return f"str({self.pick(simple)})" if simple and chance.random() < 0.6 else self.pick(["'a'", "'b c'"])
            case "bool":
                return f"bool({self.pick(simple)})" if simple and chance.random() < 0.6 else self.pick(["True", "False"])
            case "float":
                return self.pick(["1.5", "2.0", "float(3)"])
            case "int[]":
                return self.pick(["[1, 2]", "[]", "list(range(3))"])
            case "string[]":
                return f"[str(x) for x in {self.pick(sized)}]" if sized and chance.random() < 0.4 else self.pick(["['a']", "[]", "['b', 'a']"])
            case "dict":
                return f"{{'a': {self.pick(simple)}}}" if simple else self.pick(["{}", "{'a': 1}", "{'b': [1, {'c': None}]}"])
            case "pair" if self.has_pair:
                return "Pair(" + ", ".join(f"{name}={self.field(kind, made)}" for name, kind in self.fields.items()) + ")"
            case "reference" if self.has_references:
                return f"Text({self.expression('string', made)})"
            case "entity":
                many = [name for name, k in made.parameters.items() if k == "entities"]
                return f"{self.pick(many)}[0]" if many else "None"
            case _:
                return self.pick([*made.parameters, "None", "[None, 1]", "{'a': True}", "1"])

    def field(self, kind, made):
        if kind == "small":
            return self.pick(["1", "2", "9"])
        if kind == "int?":
            return self.pick(["None", "3"])
        return self.expression(kind, made)

    # The texts.

    def files(self):
        return {
            "libs/p/module.yml": "name: p\nlicense: free\nversion: 1.0\n",
            "libs/p/model/_init.cf": self.model(),
            "libs/p/plugins/__init__.py": Group("", [HEAD, *self.classes(), *self.texts]),
        }

    def model(self):
        parts = [Node("typedef small as int matching self > 0 and self < 5\n")]
        if self.has_pair:
            fields = [Node(f"    {self.written(kind)[0]} {name}{self.default(kind)}\n") for name, kind in self.fields.items()]
            parts.append(Node("entity Pair extends std::Dataclass:\n", Group("", fields), "end\n"))
            parts.append(Node("implement Pair using std::none\n"))
        if self.has_resource:
            parts.append(Node(
                "entity Thing extends std::Resource:\n    string name\n    string agent = \"here\"\n    string? value = null\n"
                "    int number = 1\n    dict data = {}\n    list items = []\nend\n"
                "index Thing(name)\nimplement Thing using std::none\n"))
        return Group("", parts)

    @staticmethod
    def written(kind):
        return FIELDS.get(kind) or REFUSED[kind]

    def default(self, kind):
        return f" = {CONSTANTS[kind.rstrip('?')][0]}" if self.chance.random() < 0.2 and kind != "small" else ""

    def classes(self):
        chance, found = self.chance, []
        if self.has_pair:
            fields = [Node(f"    {name}: {self.pick(self.written(kind)[1])}\n") for name, kind in self.fields.items() if chance.random() < 0.985]
            frozen = "(frozen=True)" if chance.random() < 0.98 else ""
            found.append(Node(f"@dataclasses.dataclass{frozen}\nclass Pair:\n", Group("", fields, 1), "\n\n"))
        if self.has_references:
            found.append(Node(
                "@reference(\"p::Text\")\nclass Text(Reference[str]):\n    def __init__(self, value: str | Reference[str]) -> None:\n"
                "        super().__init__()\n        self.value = value\n\n    def resolve(self, logger) -> str:\n        return self.value\n\n"
                f"    def __str__(self) -> str:\n        return 'a text'\n\n\n@plugin\ndef text(value: {self.pick(['str', 'str | Reference[str]'])}) -> {self.pick(['Reference[str]', 'Text', 'Reference[str] | str'])}:\n"
                "    return Text(value)\n\n\n"))
        if self.has_references and self.has_pair:
            found.append(Node(
                "@reference(\"p::Found\")\nclass Found(Reference[Pair]):\n    def __init__(self, value: str) -> None:\n"
                "        super().__init__()\n        self.value = value\n\n    def resolve(self, logger) -> Pair:\n        raise Exception\n\n\n"
                f"@plugin\ndef found(value: str) -> {self.pick(['Reference[Pair]', 'Found', 'Found'])}:\n    return Found(value)\n\n\n"))
        if self.has_resource:
            getter = "\n    @staticmethod\n    def get_number(exporter, obj):\n        return obj.number + 1\n" if chance.random() < 0.4 else ""
            found.append(Node(
                "@resource(\"p::Thing\", id_attribute=\"name\", agent=\"agent\")\nclass Thing(Resource):\n"
                f"    fields = (\"name\", \"agent\", \"value\", \"number\", \"data\", \"items\")\n{getter}\n\n"))
        return found

    def is_exported(self):
        return self.has_resource
