"""Differences that are meant, told by their kind."""

import json
import re

# Ruby's messages for a value of a wrong class, where the language has no error.
RUBY = re.compile(r"undefined method [`']|undefined local variable|no implicit conversion|can't (convert|be coerced)|wrong number of arguments|comparison of |"
                  r"is a required option for Puppet|wrong argument type|can't dup|stack level too deep|can't modify frozen|is not a (class|module)|string contains null byte|bad value for range")


# Crashes of the program.
CRASH = re.compile(r"Initializer for class Puppet::Pops|uninitialized constant|Endless recursion detected|undefined method [`']")

VALIDATION = re.compile(r"Unrecognized escape|Unicode escape|declared more than once|has no effect|is not a legal")
LIMITS = re.compile(r"Use of a Ruby Integer outside|2\*\*\d{4,}|is too long|too big|outside of the range of an Integer")

# Ruby's messages for an invalid regular expression.
REGEX = re.compile(r": /.*", re.S)

# Braces after `new`, which a type in the language has for a hash.
NEW = re.compile(r"\.new\s*\{")

# Parts of values in Ruby's notation of objects.
OBJECT = re.compile(r"#<(Puppet|Sensitive|SemanticPuppet|URI)")


# The end of a warning without a place, which the program logs once.
ONCE = "(file & line not available)"


def said_before(ours, theirs):
    """Whether ours has just such warnings more."""
    rest = list(theirs.get("logs") or [])
    for entry in ours.get("logs") or []:
        if rest and entry == rest[0]:
            rest.pop(0)
        elif entry[0] != "warning" or not entry[1].endswith(ONCE):
            return False
    return not rest


def known(case, found, ours, theirs):
    """Why a difference is meant, or nothing."""
    kind, _ = found
    if kind in ("issue", "words", "line", "only theirs fails") and RUBY.search(theirs.get("error") or ""):
        return "Ruby's own error"
    if (theirs.get("error") or "").startswith("INTERNAL"):
        return "an error of the program itself"
    if kind in ("value", "logs", "words", "type", "parameters") and OBJECT.search(json.dumps(theirs)):
        return "Ruby's notation of an object"
    if kind == "logs" and VALIDATION.search(json.dumps(theirs.get("logs", []))):
        return "warnings of the validator are diagnostics, not logs"
    if kind == "type" and str(2**63 - 1) in theirs["type"]:
        return "the largest integer stands for no bound"
    if kind in ("issue", "line", "only ours fails") and LIMITS.search(ours.get("error") or ""):
        return "numbers and sizes beyond the limits"
    if kind in ("issue", "line") and REGEX.search(ours.get("error") or "") and ours["error"].split(" (")[0] in theirs.get("error", ""):
        return "a broken regular expression in a file that is loaded has its own place"
    if kind in ("issue", "only ours fails", "only theirs fails") and NEW.search(str(case)):
        return "braces behind new are a hash"
    if "Invalid EPP" in (theirs.get("error") or ""):
        return "an error in a template keeps its code"
    if "Could not parse" in found[1] and "JSON" in found[1] or "syntax checker" in found[1]:
        return "words of the parser of JSON"
    if kind == "only ours fails" and re.search(r"Could not find resource '.*' in parameter", found[1]):
        return "a relationship to what stays virtual fails before the node gets it"
    if kind == "words" and re.search(r"lambda:\s", theirs.get("error") or ""):
        return "a template is named, not called lambda"
    if kind == "logs" and said_before(ours, theirs):
        return "a warning that the program gives once, however many cases it runs"
    if "must be a literal type" in json.dumps(theirs.get("logs") or []):
        return "warnings of the validator are diagnostics, not logs"
    if kind == "edges" and re.search(r"missing \[\('(Class\[[^\]]*\])', '\1'\)\]$", found[1]):
        return "a class that contains itself has no edge to itself"
    if "Init[" in str(case) and theirs.get("line") is None and re.search("Creation of new instance|valid set of parameters", json.dumps(theirs)):
        return "Init of what cannot be made"
    if "Init[" in str(case) and kind == "value" and "false" in str(ours.get("value")) and "undef" in str(theirs.get("value")):
        return "Ruby's nil, where a type has no answer to a comparison"
    if kind == "issue" and theirs.get("error") == "invalid byte sequence in UTF-8" == (ours.get("error") or "").rpartition(", ")[2]:
        return "what is no character is refused where it is made"
    if "Tried to load unspecified class" in found[1]:
        return "where in the data"
    if CRASH.search(theirs.get("error") or ""):
        return "an error of the program itself"
    if kind in ("value", "type") and str(2**63) in found[1]:
        return "numbers and sizes beyond the limits"
    if kind == "logs" and "certname => , " in found[1]:
        return "trusted data is that of the node, also where no fact says so"
    return None
