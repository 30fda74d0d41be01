"""Differences that are meant, told by their kind."""


def known(case, wanted, found, ours, theirs):
    """Why a difference is meant, or nothing."""
    return None
