"""What deploys resources, as far as modules need it to be there."""
import functools
import logging
import traceback

from inmanta import const
from inmanta.const import Change, HandlerResourceState
from inmanta.resources import Resource


class SkipResource(Exception):
    pass


class SkipResourceForDependencies(SkipResource):
    pass


class ResourcePurged(Exception):
    pass


class InvalidOperation(Exception):
    pass


class HandlerNotAvailableException(Exception):
    pass


class CannotLoadIO(Exception):
    pass


class Commander:
    _handlers = {}

    @classmethod
    def add_provider(cls, resource, name, handler):
        cls._handlers.setdefault(resource, {})[name] = handler

    @classmethod
    def get_handlers(cls):
        return cls._handlers

    @classmethod
    def get_provider(cls, cache, agent, resource):
        kinds = cls._handlers.get(resource.id.get_entity_type())
        if not kinds:
            raise Exception("No resource handler registered for resource of type %s" % resource.id.get_entity_type())
        return next(iter(kinds.values()))(agent)

    @classmethod
    def reset(cls):
        cls._handlers = {}


class provider:
    def __init__(self, resource_type, name=None):
        self._resource_type = resource_type
        self._name = name

    def __call__(self, cls):
        Commander.add_provider(self._resource_type, self._name or cls.__name__, cls)
        return cls


def cache(function=None, ignore=(), timeout=None, for_version=None, cache_none=True, cacheNone=True,
          call_on_delete=None, evict_after_creation=0.0, evict_after_last_access=60.0):
    """Keeps what a method of a handler gives for the same arguments."""

    def decorate(inner):
        kept = {}

        @functools.wraps(inner)
        def wrapper(self, *args, **kwargs):
            left = {name: value for name, value in kwargs.items() if name not in ignore}
            key = (id(self), repr(args), repr(sorted(left.items())))
            if key not in kept:
                value = inner(self, *args, **kwargs)
                if value is None and not cache_none:
                    return None
                kept[key] = value
            return kept[key]

        return wrapper

    return decorate if function is None else decorate(function)


class LoggerABC:
    def _log(self, level, msg, **kwargs):
        raise NotImplementedError()

    def debug(self, msg, *args, **kwargs):
        self._log_msg(logging.DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self._log_msg(logging.INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self._log_msg(logging.WARNING, msg, *args, **kwargs)

    def error(self, msg, *args, **kwargs):
        self._log_msg(logging.ERROR, msg, *args, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self._log_msg(logging.CRITICAL, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self._log_msg(logging.ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def _log_msg(self, level, msg, *args, exc_info=False, **kwargs):
        if args:
            raise Exception("Args not supported")
        if exc_info:
            kwargs["traceback"] = traceback.format_exc()
        self._log(level, msg, **kwargs)


class PythonLogger(LoggerABC):
    def __init__(self, logger):
        self.logger = logger

    def _log(self, level, msg, **kwargs):
        self.logger.log(level, msg % kwargs if kwargs else msg)


def unique_id():
    # Few modules need it, and its import is slow.
    import uuid
    return uuid.uuid4()


class HandlerContext(LoggerABC):
    def __init__(self, resource, dry_run=False, action_id=None, logger=None):
        self.resource = resource
        self._dry_run = dry_run
        self.action_id = action_id or unique_id()
        self._values = {}
        self._facts = []
        self.logs = []
        self._status = None
        self._resource_state = None
        self.changes = {}
        self.change = Change.nochange

    @property
    def facts(self):
        return self._facts

    @property
    def status(self):
        return self._status

    @property
    def resource_state(self):
        return self._resource_state

    @property
    def changed(self):
        return bool(self.changes) or self.change is not Change.nochange

    def _log(self, level, msg, **kwargs):
        self.logs.append((level, msg % kwargs if kwargs else msg))

    def set_fact(self, fact_id, value, expires=True):
        self._facts.append({"id": fact_id, "value": value, "expires": expires, "resource_id": self.resource.id.resource_str()})

    def set(self, name, value):
        self._values[name] = value

    def get(self, name):
        return self._values[name]

    def contains(self, name):
        return name in self._values

    def is_dry_run(self):
        return self._dry_run

    def _set_change(self, change):
        if self.change is not Change.nochange:
            raise InvalidOperation("Unable to set %s operation, %s already set." % (change.value, self.change.value))
        self.change = change

    def set_created(self):
        self._set_change(Change.created)

    def set_purged(self):
        self._set_change(Change.purged)

    def set_updated(self):
        self._set_change(Change.updated)

    def set_status(self, status):
        self._status = status

    def set_resource_state(self, state):
        self._resource_state = HandlerResourceState(state)

    def add_change(self, name, desired, current=None):
        self.changes[name] = {"desired": desired, "current": current}

    def add_changes(self, **kwargs):
        for name, value in kwargs.items():
            self.add_change(name, value)

    def fields_updated(self, fields):
        for field in fields:
            self.changes.setdefault(field, {"desired": None, "current": None})

    def update_changes(self, changes):
        for name, value in changes.items():
            pair = value if isinstance(value, dict) else {"current": value[0], "desired": value[1]}
            self.changes[name] = pair


class HandlerAPI:
    def __init__(self, agent=None, io=None):
        self._agent = agent
        self._io = io

    def __class_getitem__(cls, item):
        return cls

    def set_cache(self, cache):
        self.cache = cache

    def close(self):
        pass

    def pre(self, ctx, resource):
        pass

    def post(self, ctx, resource):
        pass

    def available(self, resource):
        return True

    def check_facts(self, ctx, resource):
        return {}

    def facts(self, ctx, resource):
        pass

    def can_reload(self):
        return False

    def do_reload(self, ctx, resource):
        pass

    def run_sync(self, function):
        import asyncio
        return asyncio.run(function())

    def get_client(self):
        from inmanta.protocol import Client
        return Client("agent")

    def get_file(self, hash_id):
        return None

    def stat_file(self, hash_id):
        return False

    def upload_file(self, hash_id, content):
        raise ConnectionRefusedError("connection refused")

    @classmethod
    def is_valid_resource(cls, resource):
        return True


class ResourceHandler(HandlerAPI):
    def check_resource(self, ctx, resource):
        raise NotImplementedError()

    def list_changes(self, ctx, resource):
        return self._diff(self.check_resource(ctx, resource), resource)

    def do_changes(self, ctx, resource, changes):
        raise NotImplementedError()

    def _diff(self, current, desired):
        changes = {}
        for field in type(current).fields:
            wanted, there = getattr(desired, field), getattr(current, field)
            if there != wanted and wanted is not None:
                changes[field] = {"current": there, "desired": wanted}
        return changes


class CRUDHandler(ResourceHandler):
    def read_resource(self, ctx, resource):
        pass

    def create_resource(self, ctx, resource):
        pass

    def delete_resource(self, ctx, resource):
        pass

    def update_resource(self, ctx, changes, resource):
        pass

    def calculate_diff(self, ctx, current, desired):
        return self._diff(current, desired)


CRUDHandlerGeneric = CRUDHandler


class DiscoveryHandler(HandlerAPI):
    def discover_resources(self, ctx, discovery_resource):
        raise NotImplementedError()


class DiscoveredPurgeableResource:
    pass
