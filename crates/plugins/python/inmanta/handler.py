"""Handlers: the classes of modules that deploy resources, and the context in which they work."""
import abc
import inspect
import json
import logging
import sys
import traceback
import typing

from inmanta import const
from inmanta.const import Change, HandlerResourceState, ResourceState
from inmanta.resources import DiscoveryResource, PurgeableResource, Resource
from inmanta.stable_api import stable_api
from inmanta.util import hash_file

TResource = typing.TypeVar("TResource", bound=Resource)
TPurgeableResource = typing.TypeVar("TPurgeableResource", bound=PurgeableResource)
TDiscovery = typing.TypeVar("TDiscovery", bound=DiscoveryResource)
TDiscovered = typing.TypeVar("TDiscovered")
LOGGER = logging.getLogger("inmanta.agent.handler")


@stable_api
class SkipResource(Exception):
    """A handler raises it to skip a resource."""


@stable_api
class SkipResourceForDependencies(SkipResource):
    """A handler raises it to skip a resource because of one that it requires."""


@stable_api
class ResourcePurged(Exception):
    """`read_resource` raises it if the resource does not exist."""


class InvalidOperation(Exception):
    pass


class HandlerNotAvailableException(Exception):
    pass


class CannotLoadIO(Exception):
    pass


class Commander:
    """The handler class of each entity."""

    _handlers = {}

    @classmethod
    def add_provider(cls, resource, provider):
        cls._handlers[resource] = provider

    @classmethod
    def get_handlers(cls):
        return cls._handlers

    @classmethod
    def get_providers(cls):
        yield from cls._handlers.items()

    @classmethod
    def get_provider_class(cls, resource_type, name):
        return cls._handlers.get(resource_type)

    @classmethod
    def get_provider(cls, agent, resource):
        kind = cls._handlers.get(resource.id.get_entity_type())
        if kind is None:
            raise Exception("No resource handler registered for resource of type %s" % resource.id.get_entity_type())
        return kind(agent, io=None) if _needs_io(kind) else kind(agent)

    @classmethod
    def reset(cls):
        cls._handlers = {}

    @classmethod
    def close(cls):
        pass


def _needs_io(kind):
    """Whether a class was written for the time when handlers had a second argument."""
    if kind.__init__ is HandlerAPI.__init__:
        return False
    parameter = inspect.signature(kind.__init__).parameters.get("io")
    return parameter is not None and parameter.default is parameter.empty


@stable_api
class provider:
    """Registers a handler class for an entity."""

    def __init__(self, resource_type, name=None):
        self._resource_type = resource_type

    def __call__(self, cls):
        Commander.add_provider(self._resource_type, cls)
        return cls


@stable_api
def cache(func=None, ignore=(), timeout=None, for_version=None, cache_none=True, cacheNone=None,
          call_on_delete=None, evict_after_creation=0.0, evict_after_last_access=0.0):
    """Makes the cache of the agent store the results of a method of a handler."""

    def decorate(method):
        from inmanta.agent.cache import retention
        names = list(inspect.signature(method).parameters)[1:]
        ignored = set(ignore)
        policy = retention(for_version, timeout, evict_after_last_access, evict_after_creation)
        with_none = cache_none if cacheNone is None else cacheNone

        def cached(self, *args, **kwargs):
            kwargs.update(zip(names, args))
            return self.cache.result(
                method.__name__, lambda **named: method(self, **named), kwargs, policy, ignored, with_none, call_on_delete
            )

        return cached

    return decorate if func is None else decorate(func)


@stable_api
class LoggerABC(abc.ABC):
    """The methods of a logger."""

    def critical(self, msg, *args, exc_info=False, **kwargs):
        self._log_msg(logging.CRITICAL, msg, *args, exc_info=exc_info, **kwargs)

    def error(self, msg, *args, exc_info=False, **kwargs):
        self._log_msg(logging.ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def warning(self, msg, *args, exc_info=False, **kwargs):
        self._log_msg(logging.WARNING, msg, *args, exc_info=exc_info, **kwargs)

    def info(self, msg, *args, exc_info=False, **kwargs):
        self._log_msg(logging.INFO, msg, *args, exc_info=exc_info, **kwargs)

    def debug(self, msg, *args, exc_info=False, **kwargs):
        self._log_msg(logging.DEBUG, msg, *args, exc_info=exc_info, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.error(msg, *args, exc_info=exc_info, **kwargs)

    @abc.abstractmethod
    def _log_msg(self, level, msg, *args, exc_info=False, **kwargs):
        raise NotImplementedError()


@stable_api
class PythonLogger(LoggerABC):
    """A logger of the library `logging` with these methods."""

    def __init__(self, logger):
        self.logger = logger

    def _log_msg(self, level, msg, *args, exc_info=False, **kwargs):
        if args:
            raise Exception("Args not supported")
        arguments = (kwargs,) if kwargs else ()
        self.logger.log(level, msg, *arguments, exc_info=exc_info)


def unique_id():
    # Few modules need it, and its import is slow.
    import uuid
    return uuid.uuid4()


def _logged(value):
    """An argument of a log line as it is stored: as JSON, or else as a text."""
    from inmanta.protocol.common import json_encode
    try:
        return json.loads(json_encode(value))
    except TypeError:
        return str(value)
    except Exception as error:
        raise Exception("Exception during serializing log message arguments") from error


@stable_api
class HandlerContext(LoggerABC):
    """The log, the changes and the outcome of one operation of a handler."""

    def __init__(self, resource, dry_run=False, action_id=None, logger=None):
        self._resource = resource
        self._dry_run = dry_run
        self._cache = {}
        self._purged = self._updated = self._created = False
        self._change = Change.nochange
        self._changes = {}
        self._action_id = action_id
        self._status = None
        self._resource_state = None
        self._logs = []
        self.logger = LOGGER if logger is None else logger
        self._facts = []
        # The exception that was logged last.
        self._exception = None

    def set_fact(self, fact_id, value, expires=True):
        self._facts.append({
            "id": fact_id,
            "source": const.ParameterSource.fact.value,
            "value": value,
            "resource_id": self._resource.id.resource_str(),
            "expires": expires,
        })

    @property
    def facts(self):
        return self._facts

    @property
    def action_id(self):
        if self._action_id is None:
            self._action_id = unique_id()
        return self._action_id

    @property
    def status(self):
        return self._status

    @property
    def resource_state(self):
        return self._resource_state

    @property
    def logs(self):
        return self._logs

    def set_status(self, status):
        self._status = status
        try:
            self._resource_state = HandlerResourceState(status)
        except ValueError:
            self._resource_state = HandlerResourceState.failed
            self.logger.warning("Called set_status with status %s which is not supported on the handler API", status)

    def set_resource_state(self, new_state):
        if new_state is HandlerResourceState.non_compliant and not self._changes:
            raise InvalidOperation("Unable to set state to non_compliant before changes are set.")
        self._resource_state = new_state
        if new_state is HandlerResourceState.skipped_for_dependency:
            self._status = ResourceState.skipped
        else:
            self._status = ResourceState(new_state)

    def is_dry_run(self):
        return self._dry_run

    def get(self, name):
        return self._cache[name]

    def contains(self, key):
        return key in self._cache

    def set(self, name, value):
        self._cache[name] = value

    def _set_change(self, change):
        if self._change is not Change.nochange:
            raise InvalidOperation("Unable to set %s operation, %s already set." % (change, self._change))
        self._change = change

    def set_created(self):
        self._created = True
        self._set_change(Change.created)

    def set_purged(self):
        self._purged = True
        self._set_change(Change.purged)

    def set_updated(self):
        self._updated = True
        self._set_change(Change.updated)

    @property
    def changed(self):
        return self._created or self._updated or self._purged

    @property
    def change(self):
        return self._change

    def add_change(self, name, desired, current=None):
        from inmanta.data.model import AttributeStateChange
        self._changes[name] = AttributeStateChange(current=current, desired=desired)

    def add_changes(self, **kwargs):
        for name, value in kwargs.items():
            self.add_change(name, value)

    def fields_updated(self, fields):
        for field in [fields] if isinstance(fields, str) else fields:
            if field not in self._changes:
                self.add_change(field, None)

    def update_changes(self, changes):
        from inmanta.data.model import AttributeStateChange
        for name, change in changes.items():
            if isinstance(change, dict):
                self.add_change(name, change.get("desired"), change.get("current"))
            elif isinstance(change, tuple):
                if len(change) != 2:
                    raise InvalidOperation(
                        "Reported changes for %s not valid. Tuple changes should contain 2 element." % name
                    )
                self.add_change(name, change[1], change[0])
            elif isinstance(change, AttributeStateChange):
                self._changes[name] = change
            else:
                raise InvalidOperation("Reported changes for %s not in a type that is recognized." % name)

    @property
    def changes(self):
        return self._changes

    def _log_msg(self, level, msg, *args, exc_info=False, **kwargs):
        from inmanta.data import LogLine
        if args:
            raise Exception("Args not supported")
        if exc_info:
            kwargs["traceback"] = traceback.format_exc()
            self._exception = sys.exc_info()[1]
        self._logs.append(LogLine.log(level, msg, **{name: _logged(value) for name, value in kwargs.items()}))


def _guarded(handler, ctx, resource, work):
    """Does the work of an operation, turns its exceptions into the state of the resource, and calls
    `post`."""
    name = resource.id.resource_str()
    try:
        work()
    except SkipResource as error:
        is_for_dependency = isinstance(error, SkipResourceForDependencies)
        state = HandlerResourceState.skipped_for_dependency if is_for_dependency else HandlerResourceState.skipped
        ctx.set_resource_state(state)
        ctx._exception = error
        ctx.warning("Resource %(resource_id)s was skipped: %(reason)s", resource_id=name, reason=error.args)
    except Exception as error:
        ctx.set_resource_state(HandlerResourceState.failed)
        ctx.exception(
            "An error occurred during deployment of %(resource_id)s (exception: %(exception)s)",
            resource_id=name, exception="%s('%s')" % (type(error).__name__, error),
        )
    finally:
        _post(handler, ctx, resource, "after deployment of")


def _post(handler, ctx, resource, when):
    try:
        handler.post(ctx, resource)
    except Exception as error:
        ctx.exception(
            "An error occurred " + when + " %(resource_id)s (exception: %(exception)s)",
            resource_id=resource.id.resource_str(), exception="%s('%s')" % (type(error).__name__, error),
        )


def _report_compliance(ctx, resource, changes):
    """Sets the state of a resource that is only reported."""
    if not changes:
        ctx.set_resource_state(HandlerResourceState.deployed)
        return
    ctx.set_resource_state(HandlerResourceState.non_compliant)
    ctx.info(
        "Resource %(resource_id)s was marked as non-compliant.",
        resource_id=resource.id.resource_str(), changes=changes,
    )


class HandlerAPI(abc.ABC, typing.Generic[TResource]):
    """The interface of a handler."""

    def __init__(self, agent, io=None):
        self._agent = agent
        self._client = None

    @property
    def _ioloop(self):
        return self._agent.eventloop

    def close(self):
        pass

    def deploy(self, ctx, resource, requires):
        """Deploys a resource if the states of those that it requires allow it."""
        name = resource.id.resource_version_str()
        if resource.report_only:
            self._execute_and_reload(ctx, resource)
            return
        unexpected = _in_state(
            requires, ResourceState.dry, ResourceState.undefined, ResourceState.skipped_for_undefined
        )
        waiting = _in_state(requires, ResourceState.available, ResourceState.deploying)
        failed = [other for other, state in requires.items() if state != ResourceState.deployed]
        if unexpected:
            ctx.set_resource_state(HandlerResourceState.skipped_for_dependency)
            ctx.warning(
                "Resource %(resource)s skipped because a dependency is in an unexpected state: %(unexpected_states)s",
                resource=name,
                unexpected_states=str({other: state.value for other, state in unexpected.items()}),
            )
        elif waiting:
            ctx.set_resource_state(HandlerResourceState.skipped_for_dependency)
            ctx.info(
                "Resource %(resource)s skipped because some dependencies %(reqs)s got a new desired state while we"
                " were preparing to deploy. We will retry when all dependencies get deployed successfully",
                resource=name, reqs=str(set(waiting)),
            )
        elif any(failed):
            ctx.set_resource_state(HandlerResourceState.skipped_for_dependency)
            ctx.info(
                "Resource %(resource)s skipped due to failed dependencies: %(failed)s",
                resource=name, failed=str(failed),
            )
        else:
            self._execute_and_reload(ctx, resource)

    def _execute_and_reload(self, ctx, resource):
        self.execute(ctx, resource)
        if self.can_reload() and self._agent.did_dependency_change(resource):
            self.do_reload(ctx, resource)

    @abc.abstractmethod
    def execute(self, ctx, resource, dry_run=False):
        pass

    @abc.abstractmethod
    def check_facts(self, ctx, resource):
        raise NotImplementedError()

    def set_cache(self, cache):
        self.cache = cache

    def available(self, resource):
        return True

    def can_reload(self):
        return False

    def do_reload(self, ctx, resource):
        pass

    def pre(self, ctx, resource):
        pass

    def post(self, ctx, resource):
        pass

    def facts(self, ctx, resource):
        return {}

    def run_sync(self, func):
        """Runs an asynchronous function in the event loop of the agent, and waits for its result."""
        import asyncio

        async def work():
            found = func()
            return await found if inspect.isawaitable(found) else found

        return asyncio.run_coroutine_threadsafe(work(), self._ioloop).result()

    def get_client(self):
        from inmanta.protocol.endpoints import Client
        if self._client is None:
            self._client = Client("agent")
        return self._client

    def get_file(self, hash_id):
        content = self._agent.files.get(hash_id)
        if content is not None and hash_file(content) != hash_id:
            raise Exception(
                "File hash verification failed, expected: %s but got %s" % (hash_id, hash_file(content))
            )
        return content

    def stat_file(self, hash_id):
        return self._agent.files.get(hash_id) is not None

    def upload_file(self, hash_id, content):
        self._agent.files.add(hash_id, content)

    @classmethod
    def is_valid_resource(cls, resource):
        return True


def _in_state(requires, *states):
    return {other: state for other, state in requires.items() if state in states}


@stable_api
class ResourceHandler(HandlerAPI[TResource]):
    """A handler that lists the changes of a resource and makes them."""

    def _diff(self, current, desired):
        changes = {}
        for field in type(current).fields:
            there, wanted = getattr(current, field), getattr(desired, field)
            if there != wanted and wanted is not None:
                changes[field] = {"current": there, "desired": wanted}
        return changes

    def check_resource(self, ctx, resource):
        raise NotImplementedError()

    def list_changes(self, ctx, resource):
        return self._diff(self.check_resource(ctx, resource), resource)

    def do_changes(self, ctx, resource, changes):
        raise NotImplementedError()

    def execute(self, ctx, resource, dry_run=False):
        def work():
            self.pre(ctx, resource)
            changes = self.list_changes(ctx, resource)
            ctx.update_changes(changes)
            if resource.report_only:
                _report_compliance(ctx, resource, changes)
            elif dry_run:
                ctx.set_resource_state(HandlerResourceState.dry)
            else:
                self.do_changes(ctx, resource, changes)
                ctx.set_resource_state(HandlerResourceState.deployed)

        _guarded(self, ctx, resource, work)

    def check_facts(self, ctx, resource):
        found = {}
        try:
            self.pre(ctx, resource)
            found = self.facts(ctx, resource)
        finally:
            _post(self, ctx, resource, "after getting facts about")
        return found


@stable_api
class CRUDHandler(ResourceHandler[TPurgeableResource]):
    """A handler that creates, reads, updates and deletes a resource."""

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

    def execute(self, ctx, resource, dry_run=False):
        def work():
            self.pre(ctx, resource)
            changes = self._changes_of(ctx, resource)
            for field, values in changes.items():
                ctx.add_change(field, desired=values["desired"], current=values["current"])
            if resource.report_only:
                _report_compliance(ctx, resource, changes)
            elif dry_run:
                ctx.set_resource_state(HandlerResourceState.dry)
            else:
                self._change(ctx, resource, changes)
                ctx.set_resource_state(HandlerResourceState.deployed)

        _guarded(self, ctx, resource, work)

    def _changes_of(self, ctx, resource):
        # Handlers often forget to say that the resource exists.
        current = resource.clone(purged=False)
        try:
            ctx.debug("Calling read_resource")
            self.read_resource(ctx, current)
            return self.calculate_diff(ctx, current, resource)
        except ResourcePurged:
            return {} if resource.purged else {"purged": {"desired": resource.purged, "current": True}}

    def _change(self, ctx, resource, changes):
        if "purged" in changes:
            if changes["purged"]["desired"]:
                ctx.debug("Calling delete_resource")
                self.delete_resource(ctx, resource)
            else:
                ctx.debug("Calling create_resource")
                self.create_resource(ctx, resource)
        elif not resource.purged and changes:
            ctx.debug("Calling update_resource", changes=changes)
            self.update_resource(ctx, dict(changes), resource)


CRUDHandlerGeneric = CRUDHandler


@stable_api
class DiscoveryHandler(HandlerAPI[TDiscovery], typing.Generic[TDiscovery, TDiscovered]):
    """A handler that looks for resources which no model manages."""

    def check_facts(self, ctx, resource):
        return {}

    @abc.abstractmethod
    def discover_resources(self, ctx, discovery_resource):
        raise NotImplementedError()

    def execute(self, ctx, resource, dry_run=False):
        if dry_run:
            return

        def work():
            self.pre(ctx, resource)
            found = self.discover_resources(ctx, resource)
            for name, values in found.items():
                self._agent.discovered(ctx, resource, name, values.model_dump())
            ctx.set_resource_state(HandlerResourceState.deployed)

        _guarded(self, ctx, resource, work)


class DiscoveredPurgeableResource:
    pass
