"""The interface of the server."""
from inmanta.protocol.common import Result, json_encode
from inmanta.protocol.endpoints import Client, SyncClient
