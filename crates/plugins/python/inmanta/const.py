"""Names of states."""
from enum import Enum


class _Text(str, Enum):
    pass


class ResourceState(_Text):
    unavailable = "unavailable"
    skipped = "skipped"
    dry = "dry"
    deployed = "deployed"
    failed = "failed"
    deploying = "deploying"
    available = "available"
    cancelled = "cancelled"
    undefined = "undefined"
    skipped_for_undefined = "skipped_for_undefined"
    non_compliant = "non_compliant"


class HandlerResourceState(_Text):
    unavailable = "unavailable"
    skipped = "skipped"
    dry = "dry"
    deployed = "deployed"
    failed = "failed"
    skipped_for_dependency = "skipped_for_dependency"
    non_compliant = "non_compliant"


class Change(_Text):
    nochange = "nochange"
    created = "created"
    purged = "purged"
    updated = "updated"


class LogLevel(_Text):
    CRITICAL = "CRITICAL"
    ERROR = "ERROR"
    WARNING = "WARNING"
    INFO = "INFO"
    DEBUG = "DEBUG"
    TRACE = "TRACE"


class ParameterSource(_Text):
    fact = "fact"
    plugin = "plugin"
    user = "user"


PLUGINS_PACKAGE = "inmanta_plugins"
INMANTA_URN = "urn:inmanta:"
UNDEPLOYABLE_STATES = [ResourceState.undefined, ResourceState.skipped_for_undefined]
