"""A mark without effect."""


def stable_api(value):
    return value
