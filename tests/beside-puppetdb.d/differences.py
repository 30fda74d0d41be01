"""What may differ from PuppetDB, with the reasons."""

import json
import re

REASONS = {
    "failure": "PuppetDB answers 500: PostgreSQL refuses the types, or PuppetDB fails; Ordain answers or explains",
}
# When a command arrived, which differs between the programs.
RECEIVED = {"facts_timestamp", "catalog_timestamp", "receive_time", "report_receive_time", "expires_facts_updated",
            "deactivated"}


def normal(value, key=None):
    """An answer without what depends on the moment or on the order within sets."""
    if isinstance(value, dict):
        if "facts" in value and "timestamp" in value:
            value = {**value, "timestamp": "received"}
        return {k: "received" if k in RECEIVED and v is not None else normal(v, k) for k, v in value.items()}
    if isinstance(value, list):
        items = [normal(item) for item in value]
        is_set = key in ("tags", "data", "package_inventory", "inputs")
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if is_set else items
    if isinstance(value, float):
        return round(value, 9)
    return value


def text(body):
    """The text of an error, without what the languages of the programs word in their own way."""
    if body.startswith("PQL parse error"):
        return body.split("\n", 1)[0]
    body = re.sub(r"'([a-z_?]+)'(?:, | and |, and )?", r"\1 ", body)
    return " ".join(sorted(body.split()))


def declared(request, theirs, ours, found, database):
    """The name of the declared difference that two answers show, or nothing."""
    if theirs["status"] == 500 and ours["status"] in (200, 400, 404):
        return "failure"
    return None
