"""Compares two answers to a model and sorts what differs."""

import json
import re

# The module std is reimplemented, so the line numbers of its model differ.
STD = re.compile(r"(\{std\}|std)/model/(\w+)\.cf:\d+(:\d+)?")


def plain(value):
    """A value of an answer without addresses and numbers of instances."""
    if isinstance(value, str):
        value = re.sub(r"/tmp/\.tmp\w+/", "{dir}/", value)
        # The driver of the other program mistakes the ends of reference numbers for addresses.
        value = re.sub(r"\b[0-9a-f]{12}\b", "<id>", value)
        value = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x<id>", value)
        value = re.sub(r" at 0x<id>| <id>| #\d+", "", value)
        return STD.sub(r"std/\2.cf", value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def named(value, names):
    """A value with the names of instances in place of their numbers."""
    if isinstance(value, dict):
        if "$ref" in value:
            return {"$ref": names.get(value["$ref"])}
        return {key: named(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [named(item, names) for item in value]
    return value


def canonical(answer):
    """The variables and instances, where an instance is named by what it has and leads to."""
    instances = answer.get("instances", [])
    for instance in instances:
        instance["loc"] = sorted(STD.sub(r"std/\2.cf", place) for place in instance["loc"])
    names = {instance["id"]: "" for instance in instances}
    for _ in range(4):
        names = {
            i["id"]: str(hash(json.dumps([i["type"], i["loc"], i["implementations"], named(i["attrs"], names)], sort_keys=True)))
            for i in instances
        }
    shown = [{**i, "id": names[i["id"]], "attrs": named(i["attrs"], names)} for i in instances]
    return named(answer.get("vars"), names), sorted(shown, key=lambda i: json.dumps(i, sort_keys=True))


def resources(answer):
    return plain(sorted(json.dumps(resource, sort_keys=True) for resource in answer.get("resources") or []))


def sorted_trace(trace):
    """The trace with its errors in the order of their texts: instances have none."""
    head, *errors = re.split(r"(?m)^error \d+:\n", trace or "")
    return head + "".join(sorted(error.strip("\n") + "\n" for error in errors)) if errors else head


def location(error):
    return STD.sub(r"std/\2.cf", json.dumps(error.get("location"), sort_keys=True))


def error_difference(ours, theirs):
    if not theirs.get("module", "inmanta").startswith("inmanta"):
        # An error of Python itself, without class and place.
        return None
    if ours["class"] != theirs["class"]:
        return "class", f"{ours['class']} for {theirs['class']}: {ours['trace']} | {theirs.get('trace')}"
    if plain(ours.get("msg")) != plain(theirs.get("msg")):
        return "msg", f"{plain(ours.get('msg'))} | {plain(theirs.get('msg'))}"
    left, right = sorted_trace(plain(ours["trace"])), sorted_trace(plain(theirs["trace"]))
    if left != right:
        return "trace", f"{left} | {right}"
    if location(ours) != location(theirs):
        return "location", f"{ours.get('location')} for {theirs.get('location')}: {ours['trace']}"
    return None


def instance_difference(ours, theirs):
    """What differs in the first instance that differs."""
    for instance in ours:
        other = next((o for o in theirs if o["type"] == instance["type"] and o["loc"] == instance["loc"] and o not in ours), None)
        if instance in theirs or other is None:
            continue
        keys = [k for k in instance["attrs"] if instance["attrs"][k] != other["attrs"].get(k)]
        kind = "order" if all(sorted_text(instance["attrs"][k]) == sorted_text(other["attrs"].get(k)) for k in keys) else "attributes"
        shown = "; ".join(f"{k}: {instance['attrs'][k]} for {other['attrs'].get(k)}" for k in keys)
        return kind, f"{instance['type']} {instance['loc']} {shown} {instance['implementations']} {other['implementations']}"
    extra = [f"{i['type']} {i['loc']}" for i in ours if i not in theirs]
    missing = [f"{i['type']} {i['loc']}" for i in theirs if i not in ours]
    return "instances", f"extra {extra} missing {missing}"


def sorted_text(value):
    return sorted(map(json.dumps, value)) if isinstance(value, list) else value


def difference(ours, theirs):
    """The kind of a difference and what it is, or nothing."""
    if theirs.get("broken"):
        return None if ours.get("status") == "error" else ("theirs " + theirs["broken"], "")
    if ours.get("broken") or ours.get("status") not in ("ok", "error"):
        return "ours breaks", str(ours.get("broken") or ours.get("status"))
    if ours["status"] != theirs["status"]:
        if ours["status"] == "ok":
            return "only theirs fails", theirs["error"].get("trace") or theirs["error"]["msg"]
        return "only ours fails", ours["error"]["trace"]
    if ours["status"] == "error":
        found = error_difference(ours["error"], theirs["error"])
        if found:
            return found
    else:
        left, right = canonical(ours), canonical(theirs)
        if left[1] != right[1]:
            return instance_difference(left[1], right[1])
        if left[0] != right[0]:
            return "variables", f"{left[0]} for {right[0]}"
        if ours["plugin_calls"] != theirs["plugin_calls"]:
            return "calls", f"{ours['plugin_calls']} for {theirs['plugin_calls']}"
        if "resources" in theirs and resources(ours) != resources(theirs):
            return "resources", f"{ours.get('resources')} for {theirs['resources']}"
    for part in ("stdout", "warnings"):
        if plain(ours.get(part)) != plain(theirs.get(part)):
            return part, f"{plain(ours.get(part))!r} for {plain(theirs.get(part))!r}"
    return None


def shape(kind, text):
    """What is the same for differences that are the same but for names and numbers."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'", text)
    text = re.sub(r"main\.cf:\d+(:\d+)?", "F", text)
    text = re.sub(r"-?\d[\d.e+]*", "1", text)
    text = re.sub(r"\b[a-z]\w?\b", "x", text)
    return f"{kind}: {text[:140]}"
