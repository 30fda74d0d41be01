"""Generates environments with data in all layers, and lookups in them."""

import random

FACTS = {"os": {"family": "Debian", "release": {"major": "12"}}, "role": "web", "list": ["a", "b"],
         "zones": {"north": 1, "south": 2}, "empty": "", "number": 7, "one": "a"}  # fmt: skip

ROOTS = ["k1", "k2", "list", "map", "both", "x_one", "x_two", "text"]
OWN = ["m::k1", "m::list", "m::map", "m::x_one"]
FILES = ["common", "web", "a", "b", "sub/a", "Debian"]

FUNCTIONS = {
    "modules/m/functions/dh.pp": """\
function m::dh(Hash $options, Puppet::LookupContext $context) {
  { 'k1' => "dh ${options['o']}", 'm::k1' => $context.module_name, 'list' => ['dh', '%{role}'],
    'map' => { 'a' => $options['path'] =~ Undef, 'c' => 'dh' } }
}
""",
    "modules/m/functions/lk.pp": """\
function m::lk(String $key, Hash $options, Puppet::LookupContext $context) {
  case $key {
    'k1', 'm::k1': { $context.cache('x', "lk ${key}") $context.cached_value('x') }
    'k2': { $context.explain || { "told of ${key}" } $context.interpolate('<%{role} %{lookup("text")}>') }
    'list': { $context.cache_has_key('x') ? { true => ['cached'], default => ['lk', "${$context.environment_name}"] } }
    'map': { { 'a' => 'lk', 'd' => $options['o'] } }
    'x_one': { undef }
    default: { $context.not_found() }
  }
}
""",
    "modules/m/functions/dd.pp": """\
function m::dd(Array $segments, Hash $options, Puppet::LookupContext $context) {
  if $segments[0] in ['map', 'm::map', 'both'] {
    if $segments.size > 1 { "dug ${segments[1]}" } else { { 'a' => 'dd', 'e' => $options['o'] } }
  } else { $context.not_found }
}
""",
}


class Generator:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.odd = self.chance.random() < 0.3

    def pick(self, items):
        return self.chance.choice(items)

    def often(self, likelihood):
        return self.chance.random() < likelihood

    def some(self, items, most):
        return self.chance.sample(items, self.chance.randint(0, min(most, len(items))))

    # Values of data, as YAML and JSON write them.

    def key(self):
        key = self.pick(ROOTS + OWN)
        return key + self.pick(["", "", "", ".a", ".0", ".b.0", ".1.a"]) if self.often(0.5) else key

    def expression(self):
        known = ["role", "::role", "facts.os.family", "os.family", "facts.list.0", "facts.zones.north", "number", "empty",
                 "lookup('%s')" % self.key(), "hiera('%s')" % self.key(), "alias('%s')" % self.key(), "scope('role')",
                 "literal('%')", "environment", "trusted.certname"]  # fmt: skip
        strange = ["", "::", "nosuch", "facts.nope.x", "role.x", "list.7", "facts.list.x", "nope('x')", "lookup('')", "a..b", "lookup(\"k1\")",
                   "lookup(k1)", " role ", "lookup('none')", "alias('none')", "scope('none')", "::m::x", "facts['os']['family']",
                   "literal('%'){role}", "lookup('list.0') ", "Role", "server_facts.x", "calling_module", "''", "\"role\""]  # fmt: skip
        return self.pick(known + strange if self.odd else known)

    def text(self):
        if self.often(0.65):
            plain = ["s", "t", "x y", "--a", "--s", "1", "", "true", "a", "b", "web"]
            return self.pick(plain)
        inner = "%{" + self.expression() + "}"
        return inner if self.often(0.6) else self.pick(["<", "p "]) + inner + self.pick(["", ">", "%", "-%{role}"])

    def value(self, depth=2):
        choice = self.chance.random()
        if depth and choice < 0.3:
            return [self.value(depth - 1) for _ in range(self.chance.randint(0, 3))]
        if depth and choice < 0.55:
            keys = self.some(["a", "b", "c", "--a", "--b", "%{role}"] if self.odd else ["a", "b", "c", "--a"], 3)
            return {key: self.value(depth - 1) for key in keys}
        return self.pick([1, 2, 2.5, True, False, None, self.text(), self.text(), self.text(), self.text()])

    def list(self):
        return [self.value(1) for _ in range(self.chance.randint(0, 4))]

    def hash(self):
        return {key: self.value(2) for key in self.some(["a", "b", "c", "--a", "--c", "d"], 4)}

    def options(self, names):
        merge = self.pick(["deep", "unique", "hash", "first", self.strategy(), self.strategy()])
        convert = self.pick(["Array", "String", ["Array", True], "Integer", "Sensitive", ["Integer", 16], "Hash"])
        each = [{"merge": merge}, {"merge": merge}, {"convert_to": convert}, {"merge": merge, "convert_to": convert}]
        if self.odd:
            each += [{}, {"merge": "nope"}, {"convert_to": "Inte ger"}, {"convert_to": "Nope"}, {"merge": {"strategy": "deep", "x": 1}}, {"convert_to": []},
                     {"merge": None}, {"merge": {"knockout_prefix": "--"}}, "deep"]  # fmt: skip
        return {name: self.pick(each) for name in self.some(names, 3)}

    def strategy(self):
        strategy = {"strategy": self.pick(["deep", "deep", "deep", "hash", "unique", "reverse_deep", "unconstrained_deep"])}
        if strategy["strategy"] in ("deep", "reverse_deep", "unconstrained_deep") or self.odd and self.often(0.2):
            for name, values in (("knockout_prefix", ["--", "--", "x"]), ("sort_merged_arrays", [True, False]), ("merge_hash_arrays", [True, False])):
                if self.often(0.4):
                    strategy[name] = self.pick(values)
        return strategy

    def data(self, module):
        keys = OWN + self.some(ROOTS, 2 if self.odd else 0) if module else ROOTS + OWN
        data = {}
        for key in self.some(keys, 6):
            last = key.split("::")[-1]
            fits = {"list": self.list, "map": self.hash, "text": self.text}.get(last, self.value) if self.often(0.9) else self.value
            data[key] = fits()
        if self.often(0.35):
            names = OWN + ["^m::.*", "^m::x_.*"] if module else ROOTS + OWN + ["^x_.*", "^k\\d$", "^m::", "map.a"]
            data["lookup_options"] = self.options(names)
            if self.odd and self.often(0.1):
                data["lookup_options"] = self.pick([1, "s", [], {"^(": {"merge": "deep"}}, {"k1": {"merge": "hash"}}, None])
        return data

    # Files.

    def file(self, ending, module):
        data = self.data(module)
        if self.odd and self.often(0.04):
            return self.pick(["", "---\n", "- 1\n", "a: b: c\n", "text\n", "{", "[]", "{}", "k1: *nope\n", "k1: &x [1]\nk2: *x\n", "k1: 2001-01-01\n", ":k1: symbol\n",
                              "1: number\ntrue: bool\n", "k1: !ruby/object:Object {}\n"])  # fmt: skip
        if ending == "json":
            return json(data)
        if ending == "conf":
            return "".join(f"{json(key)} = {json(value)}\n" for key, value in data.items())
        return "---\n" + "".join(f"{json(key)}: {json(value)}\n" for key, value in data.items())

    def path(self, ending):
        name = self.pick(["%{role}", "common", "%{facts.one}", "sub/%{one}", "%{::role}", "%{facts.os.family}", "web", "a", "b"]
                         + (["%{nosuch}", "none", "%{m::x}", "%{lookup('text')}", "%{facts.nope.x}", "../data/common", ""] if self.odd else ["none"]))  # fmt: skip
        return f"{name}.{ending}"

    def level(self, number, module):
        ending = self.pick(["yaml", "yaml", "yaml", "json", "conf"])
        level = {"name": f"Level {number}" if not (self.odd and self.often(0.05)) else self.pick(["Level 0", "", "%{role}"])}
        kind = {"yaml": "yaml_data", "json": "json_data", "conf": "hocon_data"}[ending]
        if ending != "yaml" or self.often(0.3):
            level["data_hash"] = kind
        choice = self.chance.random()
        if choice < 0.4:
            level["path"] = self.path(ending)
        elif choice < 0.55:
            level["paths"] = [self.path(ending) for _ in range(self.chance.randint(1, 3))]
        elif choice < 0.62:
            level["glob"] = self.glob(ending)
        elif choice < 0.69:
            level["globs"] = [self.glob(ending) for _ in range(self.chance.randint(1, 2))]
        elif choice < 0.8:
            what = self.pick(["facts.list", "facts.zones", "one", "facts.role", "list"] + (["nosuch", "facts.nope", "number", "empty"] if self.odd else []))
            name = self.pick(["item", "it", "role"])
            level["mapped_paths"] = [what, name, self.pick([f"%{{{name}}}.{ending}", f"sub/%{{{name}}}.{ending}", f"%{{{name}.0}}.{ending}", f"%{{role}}.{ending}"])]
        elif choice < 0.99:
            level = self.called(level)
        if self.odd:
            self.spoil(level)
        return level

    def called(self, level):
        level.pop("data_hash", None)
        function = self.pick(["dh", "lk", "dd"])
        level[{"dh": "data_hash", "lk": "lookup_key", "dd": "data_dig"}[function]] = f"m::{function}"
        choice = self.chance.random()
        if choice < 0.3:
            level["options"] = {"o": self.pick(["%{role}", "plain", 1, ["%{one}"]])}
        elif choice < 0.5:
            level["uri"] = self.pick(["http://example.org/%{role}", "urn:x", "%{role}:y"])
        elif choice < 0.65:
            level["uris"] = ["http://example.org/%{role}", "http://example.org/b"]
        elif choice < 0.8:
            level["paths"] = ["common.yaml", "none.yaml"]
        return level

    def spoil(self, level):
        if not self.often(0.08):
            return
        change = self.pick([{"path": "common.yaml"}, {"lookup_key": "m::lk"}, {"options": {"path": "x"}}, {"options": {"a b": 1}}, {"datadir": "%{nosuch}"},
                            {"extra": 1}, {"name": 1}, {"paths": []}, {"mapped_paths": ["a"]}, {"data_hash": "nope"}, {"data_hash": "m::lk"}, {"uri": "::"},
                            {"hiera3_backend": "yaml"}, {"datadir": "/nowhere"}, {"globs": "x"}])  # fmt: skip
        level.update(change)

    def glob(self, ending):
        return self.pick(["*.", "%{role}*.", "**/a.", "{a,b}.", "[ab].", "?.", "sub/*.", "**/*.", "%{facts.one}."]) + ending

    def config(self, module=False, owner=""):
        if self.odd and self.often(0.04):
            return self.pick(["version: 4\nhierarchy:\n  - name: x\n    backend: yaml\n    path: common\n", "version: 9\n", "", "---\n", "- 1\n", "version: 5\nhierarchy: 7\n",
                              "version: 5\nextra: 1\n", "version: '5'\n", "hierarchy: []\n", "version: 5\nhierarchy:\n", "---\n:backends: yaml\n", "version: 5\n  x: [\n"])  # fmt: skip
        config = {"version": 5}
        if self.often(0.4):
            config["defaults"] = {"datadir": "data", "data_hash": "yaml_data"} if self.often(0.7) else self.pick([{"datadir": "data"}, {"data_hash": "yaml_data"}])
        if self.often(0.95):
            config["hierarchy"] = [self.level(n, module) for n in range(self.chance.randint(1, 4))]
        if module and self.often(0.4) or self.odd and self.often(0.03):
            config["default_hierarchy"] = [self.level(n, module) for n in range(self.chance.randint(1, 2))]
        return json(config)

    def version3(self):
        backends = self.pick([["yaml"], ["yaml", "json"], ["json", "yaml"]])
        hierarchy = [self.pick(["common", "%{role}", "%{::one}", "sub/%{one}", "%{facts.os.family}", "a", "none", "%{nosuch}"]) for _ in range(self.chance.randint(1, 3))]
        config = {":backends": backends, ":hierarchy": hierarchy}
        if self.often(0.5):
            config[":merge_behavior"] = self.pick(["native", "deep", "deeper"])
        if self.often(0.3):
            config[":deep_merge_options"] = self.pick([{":knockout_prefix": "--"}, {":sort_merged_arrays": True}])
        for backend in backends:
            config[f":{backend}"] = {":datadir": "<env>/global/data"}
        if self.often(0.3):
            config[":logger"] = "console"
        return "---\n" + "".join(f"{name}: {json(value) if not isinstance(value, dict) else hash3(value)}\n" for name, value in config.items())

    def files(self):
        files = {"modules/m/manifests/init.pp": "class m {}\n", **FUNCTIONS}
        if self.often(0.92):
            files["hiera.yaml"] = self.config()
            self.layer(files, "data", False)
        choice = self.chance.random()
        if choice < 0.45:
            files["global/hiera.yaml"] = self.config() if choice < 0.25 else self.version3()
            self.layer(files, "global/data", False)
        if self.often(0.5):
            files["modules/m/hiera.yaml"] = self.config(True)
            self.layer(files, "modules/m/data", True)
        return files

    def layer(self, files, directory, module):
        for name in self.some(FILES, 5):
            ending = self.pick(["yaml", "yaml", "yaml", "json", "conf"])
            files[f"{directory}/{name}.{ending}"] = self.file(ending, module)

    # Lookups.

    def lookup(self):
        key, merge = self.key(), self.pick(["first", "unique", "hash", "deep", "reverse_deep", self.strategy()])
        if self.often(0.22):
            wanted = {"key": self.pick([key, key, "lookup_options"]), "explain": True}
            if self.often(0.15):
                wanted["explain_options"] = True
                wanted["explain"] = self.often(0.5)
            return {**wanted, "merge": merge} if self.often(0.4) else wanted
        kind = self.pick(["Any", "Any", "Any", "Any", "String", "Array", "Hash", "Array[Integer]", "Integer", "Optional[String]"])
        forms = [f"'{key}'", f"'{key}'", f"'{key}', {kind}", f"'{key}', {kind}, {code(merge)}", f"'{key}', Any, {code(merge)}", f"'{key}', {kind}, {code(merge)}, 'dflt'",
                 f"'{key}', {{ merge => {code(merge)} }}", f"'{key}', {{ default_value => [1] }}", f"'{key}', {{ value_type => {kind}, override => {{'k1' => 'over'}} }}",
                 f"['none', '{key}']", f"['none', '{key}'], {{ merge => {code(merge)} }}", f"'{key}', {{ default_values_hash => {{'{key}' => '%{{role}}'}} }}"]  # fmt: skip
        form = self.pick(forms)
        if self.often(0.08):
            return {"code": self.pick(["hiera", "hiera_array", "hiera_hash"]) + f"('{key}'" + self.pick([")", ")", ", 'dflt')", ", 'dflt')", ", undef, 'common')"])}
        if self.often(0.05):
            return {"code": f"lookup({form}) |$k| {{ \"block ${{k}}\" }}"}
        return {"code": f"lookup({form})"}

    def settings(self):
        if self.often(0.7):
            return {}
        return {"strict": self.pick(["off", "warning", "error"]), "strict_variables": self.pick(["true", "false"])}


def hash3(entries):
    return "\n" + "\n".join(f"  {name}: {json(value)}" for name, value in entries.items())


def json(value):
    import json as library
    return library.dumps(value)


def code(value):
    """A value in the Puppet language."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{code(key)} => {code(item)}" for key, item in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


def generate(seed):
    made = Generator(seed)
    case = {"id": seed, "kind": "lookups", "files": made.files(), "facts": FACTS, "settings": made.settings(), "node": "test"}
    case["lookups"] = [made.lookup() for _ in range(8)]
    return case
