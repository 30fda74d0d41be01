"""Requests: those of known programs, one for each form of the languages, and generated ones."""

import json
import random
import re

# How fields are compared. Fields that are left out cannot be named in conditions.
TEXT, NUMBER, BOOLEAN, TIME, ARRAY, SCALAR, PATH, DOCUMENT = "text number boolean time array scalar path document".split()
FIELDS = {
    "nodes": {"certname": TEXT, "deactivated": None, "expired": TIME, "facts_environment": TEXT, "catalog_environment": TEXT,
              "report_environment": TEXT, "report_timestamp": TIME, "latest_report_hash": TEXT, "latest_report_noop": BOOLEAN,
              "latest_report_noop_pending": BOOLEAN, "latest_report_status": TEXT, "cached_catalog_status": TEXT},
    "facts": {"certname": TEXT, "environment": TEXT, "name": TEXT, "value": SCALAR},
    "fact_contents": {"certname": TEXT, "environment": TEXT, "name": TEXT, "value": SCALAR, "path": PATH},
    "fact_paths": {"name": TEXT, "type": TEXT, "path": PATH, "depth": NUMBER},
    "factsets": {"certname": TEXT, "environment": TEXT, "producer_timestamp": TIME, "producer": TEXT, "hash": TEXT},
    "inventory": {"certname": TEXT, "environment": TEXT, "facts": DOCUMENT, "trusted": DOCUMENT},
    "resources": {"certname": TEXT, "environment": TEXT, "resource": TEXT, "type": TEXT, "title": TEXT, "tags": ARRAY,
                  "tag": ARRAY, "exported": BOOLEAN, "file": TEXT, "line": NUMBER, "parameters": DOCUMENT},
    "edges": {"certname": TEXT, "relationship": TEXT, "source_type": TEXT, "source_title": TEXT, "target_type": TEXT,
              "target_title": TEXT},
    "catalogs": {"certname": TEXT, "version": TEXT, "transaction_uuid": TEXT, "catalog_uuid": TEXT, "code_id": TEXT,
                 "job_id": TEXT, "environment": TEXT, "producer_timestamp": TIME, "producer": TEXT},
    "reports": {"certname": TEXT, "hash": TEXT, "environment": TEXT, "status": TEXT, "noop": BOOLEAN, "noop_pending": BOOLEAN,
                "puppet_version": TEXT, "report_format": NUMBER, "configuration_version": TEXT, "start_time": TIME,
                "end_time": TIME, "producer_timestamp": TIME, "producer": TEXT, "transaction_uuid": TEXT, "type": TEXT,
                "code_id": TEXT, "job_id": TEXT, "cached_catalog_status": TEXT},
    "events": {"certname": TEXT, "report": TEXT, "configuration_version": TEXT, "run_start_time": TIME, "status": TEXT,
               "timestamp": TIME, "resource_type": TEXT, "resource_title": TEXT, "property": TEXT, "name": TEXT,
               "new_value": SCALAR, "old_value": SCALAR, "message": TEXT, "file": TEXT, "line": NUMBER,
               "containment_path": ARRAY, "containing_class": TEXT, "environment": TEXT},
    "environments": {"name": TEXT}, "producers": {"name": TEXT},
    "packages": {"package_name": TEXT, "version": TEXT, "provider": TEXT},
    "package_inventory": {"certname": TEXT, "package_name": TEXT, "version": TEXT, "provider": TEXT},
    "catalog_inputs": {"certname": TEXT, "producer_timestamp": TIME, "catalog_uuid": TEXT},
    "catalog_input_contents": {"certname": TEXT, "name": TEXT, "type": TEXT},
}
# Fields that order rows without ties.
KEYS = {"nodes": ["certname"], "facts": ["certname", "name"], "factsets": ["certname"], "inventory": ["certname"],
        "resources": ["certname", "type", "title"], "catalogs": ["certname"], "reports": ["certname", "hash"],
        "edges": ["certname", "source_type", "source_title", "target_type", "target_title"], "environments": ["name"],
        "packages": ["package_name", "version"], "package_inventory": ["certname", "package_name", "version"]}
RELATED = {"nodes": ["facts", "resources", "reports", "catalogs", "factsets", "inventory", "events", "edges", "fact_contents"],
           "facts": ["nodes", "fact_contents", "environments", "resources"], "resources": ["nodes", "catalogs", "environments"],
           "reports": ["events", "nodes", "producers", "environments"], "events": ["reports", "nodes"],
           "environments": ["facts", "reports", "resources"], "fact_paths": ["facts", "fact_contents"],
           "factsets": ["producers", "nodes"], "catalogs": ["resources", "producers"]}
IN_PQL = ["facts", "reports", "catalogs", "packages", "package_inventory", "resources", "nodes", "environments", "factsets",
          "fact_paths", "fact_contents", "inventory", "edges", "events"]
PATHS = {
    "facts": ["facts.os.family", "facts.os.release.major", "facts.kernel", "facts.uptime_seconds", "facts.load", "facts.mixed",
              "facts.networking.interfaces.eth0.ip", "facts.is_virtual", "facts.\"dotted.name\".\"in.ner\"", "facts.nothing",
              "facts.disks[0].size", "facts.tags[0]", "facts.tags.0", "facts.role", "facts.trusted.certname", "facts.missing",
              "facts.missing.deep", "facts.networking.interfaces.match(\"eth.*\").ip", "facts.match(\"o.*\").family",
              "facts.disks.match(\".*\").size", "facts.networking.interfaces.eth0.bindings[0].address", "facts.os", "facts.big"],
    "trusted": ["trusted.certname", "trusted.extensions.pp_role", "trusted.authenticated", "trusted.missing"],
    "parameters": ["parameters.ensure", "parameters.mode", "parameters.enable", "parameters.weight", "parameters.message.a",
                   "parameters.message.b[1]", "parameters.install_options[0]", "parameters.count", "parameters.missing"],
}
VALUES = ["Debian", "RedHat", "12", "5", 5, 5.0, 2, 2.5, 12, True, False, "true", "x", "10.0.1.1", "file", "present", "running",
          1, 10, "a", "b", "Linux", "hello", 9007199254740993, 1500, "é", ""]
REGEXES = ["^web", ".*", "e", "[0-9]+", "^[A-Z]", "\\.com$", "(?i)MAIL", "a|b", "\\d{2}", "^$", "\\mssh\\M", "[[:alpha:]]+1", "x",
           "(", "[", "*", "a{2,1}", "\\", "e{1,2}?", "^(File|Class)$", "/etc/.*", "5", "tru"]


class Generator:
    """Makes conditions for entities. `samples` has rows of each entity."""

    def __init__(self, rng, samples):
        self.rng = rng
        self.samples = samples

    def sample(self, entity, field):
        rows = self.samples.get(entity)
        value = self.rng.choice(rows).get(field) if rows else None
        return value if value is not None and not isinstance(value, (list, dict)) else "x"

    def scalar(self, entity, field):
        return self.rng.choice([self.sample(entity, field), self.rng.choice(VALUES)])

    def regex(self, text):
        text = str(text)
        return self.rng.choice([self.rng.choice(REGEXES), "^" + re.escape(text[:3]), text[1:4] + ".*", re.escape(text[-3:]) + "$"])

    def condition(self, entity, depth=0, pql=False):
        roll = self.rng.random()
        if depth < 3 and roll < 0.35:
            operator = self.rng.choice(["and", "or"])
            return [operator, *(self.condition(entity, depth + 1, pql) for _ in range(self.rng.randrange(2, 4)))]
        if depth < 3 and roll < 0.45:
            return ["not", self.condition(entity, depth + 1, pql)]
        if depth < 2 and roll < 0.55 and entity in RELATED:
            related = self.rng.choice([e for e in RELATED[entity] if not pql or e in IN_PQL])
            return ["subquery", related, self.condition(related, depth + 2, pql)]
        if depth < 2 and roll < 0.63 and "certname" in FIELDS[entity]:
            return self.membership(entity, depth, pql)
        if not pql and roll < 0.70:
            special = self.special(entity)
            if special:
                return special
        return self.comparison(entity)

    def membership(self, entity, depth, pql):
        inner = self.rng.choice([e for e in FIELDS if "certname" in FIELDS[e] and (not pql or e in IN_PQL)])
        condition = self.condition(inner, depth + 2, pql)
        if pql or self.rng.random() < 0.5:
            return ["in", "certname", ["from", inner, ["extract", "certname" if not pql else ["certname"], condition]]]
        return ["in", ["certname"], ["extract", ["certname"], ["select_" + inner, condition]]]

    def special(self, entity):
        if "certname" not in FIELDS[entity]:
            return None
        choices = [["=", ["node", "active"], self.rng.choice([True, False])],
                   ["=", "node_state", self.rng.choice(["active", "inactive", "any"])],
                   [self.rng.choice(["=", "~"]), ["fact", self.rng.choice(["kernel", "role", "mixed"])], self.rng.choice(["Linux", "web", "5", "5|a"])],
                   [self.rng.choice(["=", ">", "<=", "<"]), ["fact", self.rng.choice(["uptime_seconds", "load", "mixed"])], self.rng.choice([5, 2.5, 100000])],
                   ["=", ["fact", "is_virtual"], self.rng.choice([True, False])],
                   ["in", ["fact", "kernel"], ["array", ["Linux", "Darwin"]]]]
        if entity == "resources":
            choices += [[self.rng.choice(["=", "~"]), ["parameter", self.rng.choice(["ensure", "mode", "message"])],
                         self.rng.choice(["present", "file", "0644", ".*", "hello"])],
                        ["=", ["parameter", "enable"], True], ["=", ["parameter", "weight"], 10]] * 2
        if entity in ("events", "reports"):
            choices += [["=", "latest_report?", True]] * 4
        return self.rng.choice(choices)

    def comparison(self, entity):
        field, kind = self.rng.choice([item for item in FIELDS[entity].items() if item[1]])
        rng = self.rng
        if rng.random() < 0.08 and kind not in (DOCUMENT, PATH) and field not in ("tag", "new_value", "old_value"):
            return ["null?", field, rng.choice([True, False])]
        if kind == TEXT:
            sample = self.sample(entity, field)
            return rng.choice([["=", field, str(sample)], ["~", field, self.regex(sample)],
                               ["in", field, ["array", [str(self.sample(entity, field)) for _ in range(3)]]]])
        if kind == NUMBER:
            return [rng.choice(["=", ">", "<", ">=", "<="]), field, rng.choice([5, 12, 40, 2.5, self.number(entity, field)])]
        if kind == BOOLEAN:
            return ["=", field, rng.choice([True, False])]
        if kind == TIME:
            moment = self.sample(entity, field)
            return [rng.choice(["=", ">", "<", ">=", "<="]), field, moment if moment != "x" else "2026-11-20T10:00:00Z"]
        if kind == ARRAY:
            member = rng.choice(["base", "class", "file", "Stage[main]", "Profile::Base", "Base"])
            return rng.choice([["=", field, member], ["~", field, self.regex(member)]])
        if kind == SCALAR:
            value = self.scalar(entity, field)
            if field != "value":
                return rng.choice([["=", field, rng.choice([value, "present", 5, "absent"])], ["~", field, self.regex(value)]])
            return rng.choice([["=", field, value], ["~", field, self.regex(value)],
                               [rng.choice([">", "<", ">=", "<="]), field, rng.choice([5, 2.5, 1000])],
                               ["in", field, ["array", [value]]], ["null?", field, rng.choice([True, False])]])
        if kind == PATH:
            path = rng.choice([["os", "family"], ["disks", 0, "size"], ["tags", 1], ["kernel"], ["dotted.name", "0"], ["networking", "interfaces", "eth0", "ip"]])
            return rng.choice([["=", field, path], ["in", field, ["array", [path, ["kernel"]]]],
                               ["~>", field, rng.choice([["os", ".*"], ["disks", 0, ".*"], [".*"], ["networking", ".*", "e.*", "ip"],
                                                         ["o.", "f.+"], ["disks", ".*", "size"], ["tags", "1"], [".{2}", ".*"]])]])
        path = rng.choice(PATHS[field])
        roll = rng.random()
        if roll < 0.5:
            return ["=", path, rng.choice(VALUES)]
        if roll < 0.7:
            return ["~", path, rng.choice(REGEXES)]
        if roll < 0.85:
            return [rng.choice([">", "<", ">=", "<="]), path, rng.choice([5, 2.5, 1000, 2])]
        return ["null?", path, rng.choice([True, False])]

    def number(self, entity, field):
        value = self.sample(entity, field)
        return value if isinstance(value, (int, float)) else 7

    def columns(self, entity):
        plain = [f for f, kind in FIELDS[entity].items() if f not in ("tag", "depth")]
        count = self.rng.randrange(1, min(5, len(plain)) + 1)
        return self.rng.sample(plain, count)

    def query(self, entity, pql=False):
        """A whole query: `["from", entity, …]`."""
        rng = self.rng
        condition = self.condition(entity, 0, pql)
        roll = rng.random()
        if roll < 0.35:
            inner = condition
        elif roll < 0.6:
            inner = ["extract", self.columns(entity), condition]
        elif roll < 0.8:
            groups = [f for f in self.columns(entity) if FIELDS[entity][f] in (TEXT, BOOLEAN, NUMBER)]
            function = rng.choice([["function", "count"], ["function", "count", rng.choice(self.columns(entity))]])
            numbers = [f for f, kind in FIELDS[entity].items() if kind == NUMBER and f != "depth"]
            times = [f for f, kind in FIELDS[entity].items() if kind == TIME]
            if numbers and rng.random() < 0.4:
                function = ["function", rng.choice(["avg", "sum", "min", "max"]), rng.choice(numbers)]
            elif times and rng.random() < 0.3:
                function = ["function", rng.choice(["min", "max"]), rng.choice(times)]
            inner = ["extract", [*groups, function], condition]
            if groups:
                inner.append(["group_by", *groups])
        else:
            inner = condition
        pages = []
        if entity in KEYS and inner is condition and rng.random() < 0.5:
            terms = [[key, rng.choice(["asc", "desc"])] for key in KEYS[entity]]
            pages = [["order_by", terms], ["limit", rng.randrange(1, 9)]]
            if rng.random() < 0.5:
                pages.append(["offset", rng.randrange(0, 5)])
        return ["from", entity, inner, *pages]


def pql(query):
    """A query in PQL."""
    _, entity, inner, *pages = query
    columns, condition, group = "", inner, ""
    if inner and inner[0] == "extract":
        columns = "[" + ", ".join(map(column, inner[1])) + "]"
        condition = inner[2] if len(inner) > 2 else None
        if len(inner) > 3:
            group = " group by " + ", ".join(map(column, inner[3][1:]))
    clauses = []
    for name, argument in pages:
        shown = ", ".join(" ".join(term) for term in argument) if name == "order_by" else str(argument)
        clauses.append(f"{name.replace('_', ' ')} {shown}")
    return f"{entity}{columns} {{ {expression(condition)}{group} {' '.join(clauses)} }}"


def column(node):
    return node if isinstance(node, str) else f"{node[1]}({', '.join(node[2:])})"


def literal(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return json.dumps(value)


def expression(node):
    operator = node[0]
    if operator in ("and", "or"):
        return "(" + f" {operator} ".join(map(expression, node[1:])) + ")"
    if operator == "not":
        return "!" + expression(node[1])
    if operator == "null?":
        return f"{node[1]} {'is null' if node[2] else 'is not null'}"
    if operator == "subquery":
        return f"{node[1]} {{ {expression(node[2])} }}"
    if operator == "in":
        source = literal(node[2][1]) if node[2][0] == "array" else pql(node[2])
        return f"{node[1]} in {source}"
    return f"{node[1]} {operator} {literal(node[2])}"


def broken(rng, query):
    """A query with a mistake."""
    text = json.dumps(query)
    tree = json.loads(text)
    nodes = []

    def walk(node):
        if isinstance(node, list):
            nodes.append(node)
            for part in node:
                walk(part)

    walk(tree[2])
    node = rng.choice(nodes or [tree])
    kind = rng.randrange(4)
    if kind == 0 and len(node) > 1:
        node.pop(rng.randrange(1, len(node)))
    elif kind == 1:
        node[0] = rng.choice(["foo", "extract", "~>", ">", "=", "and", "select_nodes", "AND", "null?"])
    elif kind == 2 and len(node) > 1:
        node[1] = rng.choice(["nonsense", "certname", "facts.x", "value", 5, [], "type"])
    else:
        node.append(rng.choice(["x", 5, ["=", "certname", "a"]]))
    return tree
