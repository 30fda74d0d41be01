"""Compares two answers to a case and sorts what differs."""

import json
import re


def said(answer):
    """The message of an error without where it was."""
    text = answer.get("error") or ""
    text = re.sub(r"^(Evaluation Error: |Puppet::Parser::Compiler failed with error \w+: |Could not parse for environment \w+: )+", "", text)
    text, nodes = re.subn(r" on node \S+$", "", text)
    for _ in range(2 if nodes or "eclass" in answer else 1):
        text = re.sub(r" \((file: [^()]*?, )?(line: \d+(, column: \d+)?)?\)$", "", text)
    text = re.sub(r"\(file: [^() ]*, line: (\d+)(, column: \d+)?\)", r"(line: \1\2)", text)
    text = re.sub(r"0x[0-9a-f]{12,16}", "0xADDR", text)
    return text.replace("<env>", "/env").strip()


def place(answer):
    """The file and the line of an error, as far as it says them."""
    found = re.findall(r"\(file: ([^() ,]*), line: (\d+)", answer.get("error") or "")
    path = found[-1][0].replace("<env>/", "") if found else ""
    return path, answer.get("line")


def resources(catalog):
    found = {}
    for resource in catalog.get("resources", []):
        resource = dict(resource)
        resource["tags"] = sorted(resource.get("tags", []))
        if not resource.get("parameters"):
            resource.pop("parameters", None)
        resource["file"] = re.sub(r"^.*?/env[^/]*/", "", resource.get("file") or "").replace("unknown", "")
        found[f"{resource['type']}[{resource['title']}]"] = resource
    return found


def catalog_difference(ours, theirs):
    left, right = resources(ours), resources(theirs)
    for name in sorted(left.keys() | right.keys()):
        if name not in left or name not in right:
            return "resource", f"{'extra' if name in left else 'missing'} {name}"
        if left[name] != right[name]:
            keys = [k for k in sorted(left[name].keys() | right[name].keys()) if left[name].get(k) != right[name].get(k)]
            shown = "; ".join(f"{k}: {json.dumps(left[name].get(k))} for {json.dumps(right[name].get(k))}" for k in keys)
            return "parameters", f"{name} {shown}"
    edges = [{(e["source"], e["target"]) for e in c.get("edges", [])} for c in (ours, theirs)]
    if edges[0] != edges[1]:
        return "edges", f"extra {sorted(edges[0] - edges[1])} missing {sorted(edges[1] - edges[0])}"
    for key in ("classes", "tags"):
        if sorted(ours.get(key, [])) != sorted(theirs.get(key, [])):
            return key, f"{ours.get(key)} for {theirs.get(key)}"
    return None


def logs(answer):
    return [entry for entry in answer.get("logs") or [] if entry[0] != "err" and "deprecated" not in entry[1]]


def difference(ours, theirs):
    """The kind of a difference and what it is, or nothing."""
    if theirs.get("broken"):
        return ("theirs " + theirs["broken"], "") if ours.get("ok") or ours.get("broken") or ours.get("panic") else None
    if ours.get("broken") or ours.get("panic"):
        return "ours breaks", ours.get("broken") or "panic"
    if ours.get("ok") != theirs.get("ok"):
        return ("only theirs fails", said(theirs)) if ours.get("ok") else ("only ours fails", said(ours))
    if not ours["ok"]:
        return failure_difference(ours, theirs)
    for key in ("pn", "value", "type"):
        if ours.get(key) != theirs.get(key):
            return key, f"{ours.get(key)} for {theirs.get(key)}"
    if "pn" in ours and ours.get("diagnostics", []) != [d[1] for d in theirs.get("diagnostics", [])]:
        return "diagnostics", f"{ours.get('diagnostics')} for {theirs.get('diagnostics')}"
    if "catalog" in theirs:
        found = catalog_difference(ours["catalog"], theirs["catalog"])
        if found:
            return found
    if logs(ours) != logs(theirs):
        pair = next((p for p in zip(logs(ours), logs(theirs)) if p[0] != p[1]), (logs(ours)[-1:], logs(theirs)[-1:]))
        return "logs", f"{pair[0]} for {pair[1]}"
    return None


def failure_difference(ours, theirs):
    if said(theirs).startswith("INTERNAL"):
        return None
    if "Language validation logged" in said(theirs):
        return None
    if ours.get("issue_code") != theirs.get("issue_code"):
        return "issue", f"{ours.get('issue_code')} for {theirs.get('issue_code')}: {said(ours)} | {said(theirs)}"
    if theirs.get("line") is not None and ours.get("line") != theirs.get("line"):
        return "line", f"{ours.get('line')} for {theirs.get('line')}: {said(theirs)}"
    if theirs.get("pos") is not None and ours.get("pos") != theirs.get("pos"):
        return "column", f"{ours.get('pos')} for {theirs.get('pos')}: {said(theirs)}"
    if said(ours) != said(theirs):
        return "words", f"{said(ours)} | {said(theirs)}"
    return None


def shape(kind, text):
    """What is the same for differences that are the same but for names and numbers."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'", text)
    text = re.sub(r"-?\d[\d.e+]*", "1", text)
    text = re.sub(r"\b(Any|Integer|Float|String|Boolean|Undef|Array|Hash|Tuple|Struct|Variant|Optional|Type|Regexp|Default|Enum|Pattern|Timespan|Timestamp|SemVer|SemVerRange|"
                  r"Binary|URI|Sensitive|Callable|Numeric|Scalar|ScalarData|Data|RichData|Collection|NotUndef|Iterable|Iterator|CatalogEntry|Resource|Class|File|Notify|Runtime|Unit|Init|Object)\b(\[[^ ]*\])?", "T", text)
    return f"{kind}: {text[:160]}"
