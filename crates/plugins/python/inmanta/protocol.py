"""The server's interface: there is no server, so every call is refused."""


class _Refused:
    def __init__(self, name="", *_, **__):
        self.name = name

    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(method)

        def refused(*_, **__):
            raise ConnectionRefusedError("connection refused: %s" % method)

        return refused


class Client(_Refused):
    pass


class SyncClient(_Refused):
    pass


# As the original names them.
Client.__module__ = SyncClient.__module__ = "inmanta.protocol.endpoints"


class Result:
    def __init__(self, code=0, result=None):
        self.code = code
        self.result = result
