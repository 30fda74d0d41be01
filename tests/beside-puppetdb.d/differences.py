"""What may differ from PuppetDB, with the reasons."""

import json
import re

REASONS = {
    "failure": "PuppetDB answers 500: PostgreSQL refuses the types, or PuppetDB fails; Ordain answers or explains",
    "internal text": "PuppetDB shows a message of Clojure's; Ordain says what is wrong",
    "json text": "each JSON reader has its own words",
    "redirect": "PuppetDB redirects unknown paths to its dashboard; Ordain answers 404",
    "another fault": "a generated query with several mistakes: each program names the one that it finds first",
    "function of nothing": "PuppetDB takes an unknown field of a function as a text; Ordain refuses it",
    "values as operators": "PuppetDB takes an array of values whose first one is the name of an operator as a condition",
    "ignored": "PuppetDB ignores a condition with something after it, and shows all rows; Ordain refuses it",
    "not the latest": "PuppetDB finds no report that is not the latest one as soon as a node has no report",
    "null of events": "PuppetDB stores null as JSON, so `null?` never finds the null values of events",
    "edges of all nodes": "PuppetDB does not restrict /catalogs/NODE/edges to the node",
}
# When a command arrived, which differs between the programs. The version of PuppetDB without a
# licence stores no corrective changes. The hash of catalogs covers how the store orders them.
MASKED = {"facts_timestamp", "catalog_timestamp", "receive_time", "report_receive_time", "deactivated",
          "corrective_change", "latest_report_corrective_change"}
INTERNAL = ("No implementation of method", "No matching clause", "Don't know how to create", "Value does not match schema",
            "nth not supported", "Input to", "cannot be cast", "for null.")


def normal(value, key=None):
    """An answer without what depends on the moment or on the order within sets."""
    if isinstance(value, dict):
        if "facts" in value and "timestamp" in value:
            value = {**value, "timestamp": "received"}
        if "edges" in value and "hash" in value:
            value = {**value, "hash": "masked"}
        return {k: "masked" if k in MASKED else normal(v, k) for k, v in value.items()}
    if isinstance(value, list):
        items = [normal(item) for item in value]
        is_set = key in ("tags", "data", "package_inventory", "inputs")
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if is_set else items
    if isinstance(value, float):
        value = round(value, 9)
        return int(value) if value.is_integer() else value
    return value


def text(body):
    """The text of an error, without what the languages of the programs word in their own way."""
    if body.startswith("{"):
        return json.dumps(json.loads(body))
    if body.startswith("PQL parse error"):
        return body.split("\n", 1)[0]
    # Names are listed in any order.
    return " ".join(sorted(re.sub(r"[',]", " ", body).split()))


def declared(request, theirs, ours, found, database):
    """The name of the declared difference that two answers show, or nothing."""
    if theirs["status"] == 500 and ours["status"] in (200, 400, 404):
        return "failure"
    if theirs["status"] == 200 and ours["body"].startswith("extract takes columns"):
        return "ignored"
    if theirs["status"] == 200 and "is not a field of" in ours["body"] and "function" in json.dumps(request):
        return "function of nothing"
    if found == ["text"] and request.get("broken") and theirs["status"] == ours["status"] == 400:
        return "another fault"
    if request.get("broken") and '"array' in json.dumps(request).replace("\\", "") and (theirs["status"], ours["status"]) == (400, 200):
        return "values as operators"
    if theirs["status"] == 302 and ours["status"] == 404:
        return "redirect"
    if found == ["text"] and any(text in theirs["body"] for text in INTERNAL):
        return "internal text"
    if found == ["text"] and all(answer["body"].startswith("Json parse error") for answer in (theirs, ours)):
        return "json text"
    if request["path"].startswith("/catalogs/") and request["path"].endswith("/edges"):
        return "edges of all nodes"
    if re.search(r"latest_report\?", json.dumps(request)) and "not" in json.dumps(request) + "!" and found[0] in ("rows", "records"):
        return "not the latest"
    if re.search(r"(new|old)_value", json.dumps(request)) and "null" in json.dumps(request):
        return "null of events"
    return None
