"""The names of classes that gave handlers access to a machine, for annotations."""


class IOBase:
    pass


class LocalIO(IOBase):
    pass
