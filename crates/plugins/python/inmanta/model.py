"""Names of the server's data."""
from inmanta.types import ResourceIdStr, ResourceVersionIdStr, ResourceType

try:
    from pydantic import BaseModel
except ImportError:

    class BaseModel:
        def __init__(self, **values):
            self.__dict__.update(values)
