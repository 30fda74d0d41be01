"""Data of the server that modules use: log lines and values of settings."""
import datetime
import logging
from configparser import RawConfigParser


def convert_boolean(value):
    """A setting as a boolean."""
    if isinstance(value, bool):
        return value
    known = RawConfigParser.BOOLEAN_STATES.get(value.lower())
    if known is None:
        raise ValueError("Not a boolean: %s" % value)
    return known


class LogLine:
    """A line of the log of an operation."""

    def __init__(self, **values):
        self._data = values

    @classmethod
    def log(cls, level, msg, timestamp=None, **kwargs):
        if timestamp is None:
            timestamp = datetime.datetime.now().astimezone()
        name = level if isinstance(level, str) else logging.getLevelName(level)
        return cls(level=name, msg=msg % kwargs, args=[], kwargs=kwargs, timestamp=timestamp)

    @property
    def msg(self):
        return self._data["msg"]

    @property
    def args(self):
        return self._data["args"]

    @property
    def log_level(self):
        from inmanta.const import LogLevel
        return LogLevel(self._data["level"])

    @property
    def timestamp(self):
        return self._data["timestamp"]
