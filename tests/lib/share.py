"""A share of the cases of a long comparison."""

import os
import re
import sys


def share(cases):
    """The cases that the variable ORDAIN_SHARE selects: `2/3` is every third one from the second on."""
    text = os.environ.get("ORDAIN_SHARE", "1/1")
    found = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        sys.exit(f"ORDAIN_SHARE is {text!r}, not of the form 2/3")
    return cases[int(found[1]) - 1::int(found[2])]
