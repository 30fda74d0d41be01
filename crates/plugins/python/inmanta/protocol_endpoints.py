"""Clients of the server.

There is no server. While resources are deployed, the process answers the requests itself that need
nothing but the files, the parameters and the facts of this machine. It refuses all others."""
from inmanta import _server


class SyncClient:
    """A client whose methods return answers."""

    def __init__(self, name="", *_, **__):
        self.name = name

    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(method)
        return lambda *arguments, **named: _server.answer(method, arguments, named)


class Client(SyncClient):
    """A client whose methods return awaitable answers."""

    def __getattr__(self, method):
        ask = super().__getattr__(method)
        if not _server.is_active():
            return ask

        def asynchronous(*arguments, **named):
            async def answer():
                return ask(*arguments, **named)

            return answer()

        return asynchronous
