"""Warnings."""


class InmantaWarning(Warning):
    pass


def warn(warning):
    pass
