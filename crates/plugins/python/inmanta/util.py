"""Small helpers."""
import dataclasses
import datetime
import enum
import sys


def is_uuid(value):
    # Without the module, which is slow to import, there can be no instance.
    return "uuid" in sys.modules and isinstance(value, sys.modules["uuid"].UUID)


def hash_file(content):
    import hashlib
    return hashlib.sha1(content).hexdigest()


def get_free_tcp_port():
    import socket
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


class JSONSerializable:
    """What says itself how it is written as JSON."""

    def json_serialization_step(self):
        raise NotImplementedError()


def internal_json_encoder(value):
    if isinstance(value, JSONSerializable):
        return value.json_serialization_step()
    if is_uuid(value) or isinstance(value, Exception):
        return str(value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.name
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError("%r is not JSON serializable" % (value,))


api_boundary_json_encoder = custom_json_encoder = internal_json_encoder


def is_sub_dict(part, whole):
    return all(key in whole and whole[key] == value for key, value in part.items())
