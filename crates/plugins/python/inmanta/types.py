"""Names of types."""
import typing

PrimitiveTypes = typing.Union[str, int, float, bool]
SimpleTypes = typing.Union[str, int, float, bool, None]
StrictNonIntBool = bool
JsonType = dict
ResourceIdStr = str
ResourceVersionIdStr = str
ResourceType = str
AgentName = str
