"""Differences that are meant, told by their kind."""

import re

# What Ruby says of a value of a wrong class, where Hiera has no error of its own.
RUBY = re.compile(r"undefined method [`']|no implicit conversion|can't (convert|be coerced)|comparison of |string contains null byte")


def known(case, wanted, found, ours, theirs):
    """Why a difference is meant, or nothing."""
    if RUBY.search(theirs.get("error") or ""):
        return "Ruby's own error"
    if "override of the hierarchy is not supported" in (ours.get("error") or ""):
        return "the third argument of hiera() and its kin"
    return None
