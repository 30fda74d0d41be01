"""Differences that are meant, told by their kind."""

import re

# What Ruby says of a value of a wrong class, where the language has no error of its own.
RUBY = re.compile(r"undefined method [`']|undefined local variable|no implicit conversion|can't (convert|be coerced)|wrong number of arguments|comparison of |"
                  r"wrong argument type|can't dup|stack level too deep|can't modify frozen|is not a (class|module)|string contains null byte|bad value for range")


def known(case, found, ours, theirs):
    """Why a difference is meant, or nothing."""
    kind, _ = found
    if kind in ("issue", "words", "line") and RUBY.search(theirs.get("error") or ""):
        return "Ruby's own error"
    return None
