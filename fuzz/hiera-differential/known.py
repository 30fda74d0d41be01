"""Differences that are meant, told by their kind."""

import re

# Ruby's messages for a value of a wrong class, where Hiera has no error.
RUBY = re.compile(r"undefined method [`']|no implicit conversion|can't (convert|be coerced)|comparison of |string contains null byte")


def known(case, wanted, found, ours, theirs):
    """Why a difference is meant, or nothing."""
    if RUBY.search(theirs.get("error") or ""):
        return "Ruby's own error"
    if "override of the hierarchy is not supported" in (ours.get("error") or ""):
        return "the third argument of hiera() and its kin"
    if all("was called with arguments it does not accept" in (answer.get("error") or "") for answer in (ours, theirs)):
        return "signatures are shown without the names of their types"
    both = [answer.get("error") or answer.get("value") or "" for answer in (ours, theirs)]
    if "Tried to load unspecified class" in both[1] and "Tried to load unspecified class" in both[0]:
        return "ours has the place in the data"
    if all("Unable to parse" in text and ".conf)" in text for text in both):
        return "the words of the reader of HOCON"
    if "the lookup_options pattern" in both[0] and re.search(r"(pattern|regular expression|regexp)", both[1]):
        return "ours says where the pattern stands"
    if "#<Puppet::Pops::Types::" in both[1]:
        return "Ruby's own words for an object"
    return None
