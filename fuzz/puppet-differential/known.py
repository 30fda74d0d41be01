"""Differences that are meant, told by their kind."""


def known(case, found, ours, theirs):
    return False
