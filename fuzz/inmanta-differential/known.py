"""Differences that are meant, told by their kind."""

import re


def known(case, found, ours, theirs):
    """Why a difference is meant, or nothing."""
    error = theirs.get("error") or {}
    trace = error.get("trace") or error.get("msg") or ""
    if not error.get("module", "inmanta").startswith("inmanta"):
        return "an error of Python itself, without class and place"
    if found[0] in ("trace", "msg") and re.search(r"(LocatableString|IsDefined|Implement) object", trace):
        return "Python's notation of an object"
    if found[0] in ("trace", "location") and "Incompatible attributes" in trace:
        return "what is extended comes in the order of addresses"
    if found[0] == "only theirs fails" and re.search("iterations", trace):
        return "the limit of turns"
    return None
