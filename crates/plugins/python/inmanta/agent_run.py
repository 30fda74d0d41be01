"""Deploys resources with the handlers of modules: the part of the child process behind `ordain plan`,
`apply` and `watch`."""
import importlib
import logging
import os
import resource as limits
import sys
import time

import ordain
from inmanta import _faults, _server
from inmanta.agent.cache import AgentCache
from inmanta.agent.handler import (
    Commander, CRUDHandler, DiscoveryHandler, HandlerAPI, HandlerContext, ResourceHandler, SkipResource,
)
from inmanta.const import Change, HandlerResourceState, ResourceState
from inmanta.resources import Id, Resource, resource as registered
from inmanta._secrets import Secrets, is_secret_name

# The fields that resources have in any case, with the values that exports leave out.
DEFAULTS = {
    "send_event": False, "receive_events": True, "report_only": False, "managed": True, "purged": False,
    "purge_on_delete": False,
}
# The attribute with the fields whose names mean something else to Ordain.
OTHER_FIELDS = "other_fields"
LEVELS = {"DEBUG": "debug", "INFO": "info", "WARNING": "warning", "ERROR": "err", "CRITICAL": "crit", "TRACE": "debug"}
# An environment has to have an id.
ENVIRONMENT = "00000000-0000-4000-8000-000000000000"
# The version of the model that is deployed.
VERSION = 1
MOST_LINES = 1000
MOST_TEXT = 16 << 10
MOST_SHOWN = 200
# After so many seconds a batch of observations is not continued.
LONG_BATCH = 20


class Agent:
    """The agent as handlers see it."""

    def __init__(self, name, session):
        from uuid import UUID
        self.name = name
        self.uri = "local:"
        self.environment = UUID(session.environment)
        self.sessionid = UUID(int=os.getpid())
        self.process = self
        self.cache = AgentCache(self)
        self.session = session
        self._loop = None

    @property
    def eventloop(self):
        """The event loop, which runs in a thread of its own from its first use on."""
        if self._loop is None:
            import asyncio
            import threading
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return self._loop

    @property
    def files(self):
        return self.session.files

    def is_stopped(self):
        return False

    def did_dependency_change(self, _):
        return self.session.is_notified

    def discovered(self, ctx, discovery, name, values):
        ctx.info("Discovered %(resource_id)s", resource_id=str(name), values=values)


class Loader:
    """Imports the Python code of modules when a resource needs it."""

    def __init__(self, modules):
        self.modules = modules
        self.done = set()
        self.failures = {}

    def load(self, name):
        if name in self.done or name not in self.modules:
            return
        self.done.add(name)
        for one in self.modules[name]["imports"]:
            try:
                ordain.timed(importlib.import_module, one)
            except (ordain.Gone, KeyboardInterrupt):
                raise
            except BaseException as error:
                self.failures[name] = _faults.described(error, name)
                return

    def load_until(self, name, is_there):
        """Imports the module of an entity, and then all others until something is there."""
        for one in [name, *self.modules]:
            if is_there():
                return
            self.load(one)


class LogCapture(logging.Handler):
    """Adds warnings of libraries to the log of the operation that runs."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.ctx = None

    def emit(self, record):
        if self.ctx is not None:
            from inmanta.data import LogLine
            text = record.getMessage()
            self.ctx._logs.append(LogLine(level=record.levelname, msg="%s: %s" % (record.name, text), kwargs={}))


def revealed(value):
    """A value of a message with the secrets in it."""
    if isinstance(value, list):
        return [revealed(item) for item in value]
    if isinstance(value, dict):
        if value.get("__ptype") == "Sensitive":
            return revealed(value["__pvalue"])
        return {key: revealed(item) for key, item in value.items()}
    return value


class Prepared:
    """A resource of the graph."""

    def __init__(self, said, session):
        self.values = {name: revealed(value) for name, value in said["values"].items()}
        self.values.update(self.values.pop(OTHER_FIELDS, None) or {})
        self.entity = session.entity_of(said["kind"])
        self.kind = said["kind"]
        self.title = said["title"]
        self.agent = session.agent(said.get("agent") or session.agent_name)
        self.is_sensitive = set(said.get("sensitive", ()))
        self.requires = []

    def resource(self):
        """The resource as handlers get it."""
        if self.entity is None:
            raise Exception("no module has a resource class for %s" % self.kind)
        kind, options = registered.get_class(self.entity)
        number = Id(self.entity, self.agent.name, options["name"], self.title, VERSION)
        values = {field: self.values.get(field, DEFAULTS.get(field)) for field in kind.fields}
        values["references"] = values.get("references") or []
        values["mutators"] = values.get("mutators") or []
        values["id"] = number.resource_version_str()
        values["requires"] = self.requires
        return Resource.deserialize(values)


class Operation:
    """One operation of a handler: the handler, its context, and what became of it."""

    def __init__(self, session, prepared, is_dry):
        self.session = session
        self.prepared = prepared
        self.is_dry = is_dry
        self.ctx = self.handler = self.resource = None
        self.error = None
        self.secrets = Secrets(prepared.values, prepared.is_sensitive)

    def run(self, work):
        """Does work with the handler within its time."""
        ordain.taken_output()
        try:
            with self.prepared.agent.cache:
                ordain.timed(self._work, work)
        except (ordain.Gone, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.failed(error)
        finally:
            self.session.log_capture.ctx = None
        if ordain.is_fork:
            os._exit(1)
        return self

    def _work(self, work):
        if self.ctx is None:
            self._open()
        self.session.log_capture.ctx = self.ctx
        work(self)

    def _open(self):
        self.resource = self.prepared.resource()
        self.ctx = HandlerContext(self.resource, self.is_dry)
        self.session.log_capture.ctx = self.ctx
        self.session.load_references(self.resource)
        self.handler = Commander.get_provider(self.prepared.agent, self.resource)
        self.handler.set_cache(self.prepared.agent.cache)
        try:
            self.resource.resolve_all_references(self.ctx)
        finally:
            self.secrets.add_references(self.resource)

    def failed(self, error):
        """Notes an exception that the handler did not handle."""
        module = (self.prepared.entity or "").split("::")[0]
        self.error = skipped(error) if isinstance(error, SkipResource) else _faults.described(error, module)
        if isinstance(error, ordain.Late):
            # A connection may be in the middle of a message.
            self.prepared.agent.cache = AgentCache(self.prepared.agent)

    def close(self):
        if self.handler is None:
            return
        try:
            ordain.timed(self.handler.close)
        except (ordain.Gone, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.ctx.warning("the handler could not be closed: %(error)s", error=str(error))

    def outcome(self):
        """The error of the operation, if it has one."""
        if self.error is not None or self.ctx is None:
            return self.error
        state = self.ctx.resource_state
        if state in (HandlerResourceState.skipped, HandlerResourceState.skipped_for_dependency):
            if isinstance(self.ctx._exception, SkipResource):
                return skipped(self.ctx._exception)
            return {"message": self._last_line("WARNING", "INFO") or "it was skipped", "skip": True}
        if state in (HandlerResourceState.failed, HandlerResourceState.unavailable):
            if self.ctx._exception is not None:
                return _faults.described(self.ctx._exception, self.prepared.entity.split("::")[0])
            return {"message": self._last_line("ERROR", "CRITICAL") or "the handler says that it failed"}
        return None

    def _last_line(self, *levels):
        return next((line.msg for line in reversed(self.ctx.logs) if line._data["level"] in levels), None)

    def lines(self):
        """The lines of the log for the answer."""
        found = []
        outcome = self.outcome()
        for line in self.ctx.logs if self.ctx is not None else ():
            # The error of the operation says the same.
            is_error = "traceback" in line._data["kwargs"] or " was skipped: " in line.msg
            if not is_error or outcome is None:
                found.append([LEVELS.get(line._data["level"], "info"), self.secrets.text(line.msg[:MOST_TEXT])])
        if self.ctx is not None:
            self.ctx._logs.clear()
        for text in ordain.taken_output().splitlines():
            found.append(["info", self.secrets.text(text[:MOST_TEXT])])
        if len(found) > MOST_LINES:
            left = len(found) - MOST_LINES
            found[MOST_LINES:] = [["warning", "the handler wrote %s more lines" % left]]
        return found

    def shown_error(self):
        return self.secrets.anywhere(self.outcome())

    def changes(self):
        """The changes of the operation for the answer."""
        if self.ctx is None:
            return []
        changes = self.ctx.changes
        purged = changes.get("purged")
        if purged is not None:
            action = "remove" if purged.desired else "create"
            states = ["present", "absent"] if purged.desired else ["absent", "present"]
            text = "removed" if purged.desired else "created"
            return [{"name": "ensure", "is": states[0], "should": states[1], "action": action, "secret": False, "text": text}]
        found = [self._change(name, change) for name, change in changes.items()]
        if not found and self.ctx.change is not Change.nochange:
            word = self.ctx.change.value
            found = [{"name": "state", "is": None, "should": word, "action": "modify", "secret": False, "text": word}]
        return found

    def _change(self, name, change):
        name = name if isinstance(name, str) else str(name)
        if self.secrets.is_secret(name):
            return {"name": name, "is": None, "should": None, "secret": True, "action": "modify", "text": name + " changed"}
        current, desired = (self.secrets.anywhere(_plain(one)) for one in (change.current, change.desired))
        text = "%s changed %s to %s" % (name, shown(current), shown(desired))
        return {
            "name": name, "is": current, "should": desired, "secret": False, "action": "modify",
            "text": text if len(text) <= MOST_SHOWN else name + " changed",
        }


def skipped(error):
    """A handler's wish to skip its resource as an error of an answer."""
    reason = ", ".join(str(part) for part in error.args)
    return {"message": "skipped: " + reason if reason else "skipped", "skip": True}


def shown(value):
    """A value in a line of the log."""
    import json
    return "'%s'" % value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _plain(value):
    """A value as JSON."""
    import json
    from inmanta.protocol.common import json_encode
    try:
        return json.loads(json_encode(value))
    except Exception:
        return str(value)


class Session:
    """A run: the agents, the resources, and the last operation."""

    def __init__(self, message):
        self.loader = Loader(message["modules"])
        self.agents = {}
        self.update(message)
        self.resources = {}
        self.is_notified = False
        # The operation that applied a resource last, which a refresh continues.
        self.applied = None
        self.applied_id = None
        # Errors of a batch: whoever asks for one of these resources alone wants to know the same.
        self.failed = {}
        self.log_capture = LogCapture()
        logging.getLogger().addHandler(self.log_capture)

    def update(self, message):
        """Takes what the first message and later ones of its kind say."""
        from inmanta.config import Config
        self.noop = bool(message.get("noop"))
        self.agent_name = message.get("agent") or "internal"
        self.environment = str(Config.get("config", "environment", None) or ENVIRONMENT)
        directory = message.get("statedir")
        files = message.get("files") or {}
        self.files = _server.Files(files.get)
        path = os.path.join(directory, "inmanta", "parameters.json") if directory else None
        self.parameters = _server.Parameters(path)
        if directory and Config.get("config", "state-dir", None) is None:
            Config.set("config", "state-dir", os.path.join(directory, "inmanta"))
        _server.activate(_server.Answers(self.files, self.parameters, lambda: self.is_notified))

    def agent(self, name):
        if name not in self.agents:
            self.agents[name] = Agent(name, self)
        return self.agents[name]

    def entity_of(self, kind):
        """The entity whose resources a graph calls by this kind; none if no module has it."""
        wanted = kind.lower()

        def found():
            return next((name for name in registered.get_entity_resources() if name.lower() == wanted), None)

        module = wanted.split("::")[0]
        module = next((name for name in self.loader.modules if name.lower() == module), module)
        self.loader.load_until(module, lambda: found() is not None and found() in Commander.get_handlers())
        return found()

    def load_references(self, made):
        """Imports the modules that define the references of a resource."""
        from inmanta.references import mutator, reference
        for said, known in [(one, reference) for one in made.references] + [(one, mutator) for one in made.mutators]:
            name = said["type"]
            self.loader.load_until(name.split("::")[0], lambda: name in known._classes)

    def unsuitable(self, prepared):
        """The reason why there is no handler for a resource, if there is none."""
        module = prepared.kind.lower().split("::")[0]
        failure = next((self.loader.failures[name] for name in self.loader.failures if name.lower() == module), None)
        if prepared.entity in Commander.get_handlers():
            return None
        if failure is None:
            failure = next(iter(self.loader.failures.values()), None)
        if failure is None:
            return {"message": "no module has a handler for %s" % (prepared.entity or prepared.kind)}
        return failure

    def take_facts(self, operation):
        """Stores the facts that a handler has found."""
        for fact in operation.ctx.facts:
            self._take_fact(operation, fact["resource_id"], fact["id"], fact["value"])
        operation.ctx._facts.clear()
        kind = type(operation.handler)
        if kind.facts is HandlerAPI.facts and kind.check_facts in (ResourceHandler.check_facts, DiscoveryHandler.check_facts):
            return
        try:
            found = operation.handler.check_facts(operation.ctx, operation.resource) or {}
        except Exception as error:
            # The deployment has succeeded: facts are asked for after it.
            operation.ctx.warning("the facts cannot be retrieved: %(error)s", error=ordain.text_of(error))
            return
        for name, value in found.items():
            self._take_fact(operation, operation.resource.id.resource_str(), name, value)
        for fact in operation.ctx.facts:
            self._take_fact(operation, fact["resource_id"], fact["id"], fact["value"])

    def _take_fact(self, operation, resource_id, name, value):
        value = value if isinstance(value, str) else str(_plain(value))
        if self.parameters.set(resource_id, str(name), value, "fact"):
            shown = "(sensitive)" if is_secret_name(str(name)) else operation.secrets.text(str(value))
            operation.ctx.info("fact %(name)s: %(value)s", name=str(name), value=shown)

    def leave_applied(self):
        """Closes the handler that applied a resource."""
        if self.applied is not None:
            self.applied.close()
        self.applied = self.applied_id = None


session = None


def open_session(message):
    global session
    from inmanta import config, module
    ordain.finder.modules.update({name: one["python"] for name, one in message["modules"].items() if one.get("python")})
    ordain.finder.modulepath = message.get("modulepath", [])
    module.Project._set(message)
    config.Config._set(message.get("settings", {}))
    if session is None:
        importlib.import_module("inmanta_plugins.std")
        session = Session(message)
    else:
        session.update(message)
    return {"ok": {"python": sys.version.split()[0]}}


def kinds(message):
    """The schemas of kinds."""
    found = []
    for name in message["names"]:
        entity = session.entity_of(name)
        module = name.lower().split("::")[0]
        failure = next((one for key, one in session.loader.failures.items() if key.lower() == module), None)
        if entity is None:
            # The failure is that of each resource: the others can be deployed.
            known = {"namevars": ["name"], "attributes": [], "instances": False, "error": None}
            found.append({"name": name, **known} if failure else {"name": name, "unknown": True})
            continue
        kind, options = registered.get_class(entity)
        attributes = [options["name"], *(field for field in kind.fields if field != options["name"]), OTHER_FIELDS]
        found.append({
            "name": name, "namevars": [options["name"]], "attributes": attributes, "instances": False, "error": None,
        })
    return {"ok": found}


def prepare(message):
    for number in (message.get("forget") or {}).get("resources", ()):
        session.resources.pop(number, None)
    answers = []
    for said in message["resources"]:
        prepared = session.resources[said["id"]] = Prepared(said, session)
        answers.append(prepared_answer(said["id"], prepared))
    return {"ok": answers}


def prepared_answer(number, prepared):
    answer = {
        "id": number, "errors": [], "values": {}, "relations": [], "refreshable": False, "generates": False,
        "checks": False, "watch": [], "warnings": [], "acts_always": False,
    }
    unsuitable = session.unsuitable(prepared)
    if unsuitable is not None and not session.loader.failures:
        return {**answer, "errors": [unsuitable]}
    if unsuitable is not None:
        return {**answer, "unsuitable": unsuitable["message"]}
    kind = Commander.get_handlers()[prepared.entity]
    answer["provider"] = kind.__name__
    # A handler without a list of its changes may change something in each deployment.
    answer["acts_always"] = kind.execute is not CRUDHandler.execute
    if kind.can_reload is not HandlerAPI.can_reload:
        answer["refreshable"] = ask_can_reload(prepared)
    return answer


def ask_can_reload(prepared):
    """Whether the handler of a resource reloads. An exception is reported when the resource is observed."""
    def ask():
        handler = Commander.get_provider(prepared.agent, prepared.resource())
        try:
            return bool(handler.can_reload())
        finally:
            handler.close()

    try:
        return ordain.timed(ask)
    except (ordain.Gone, KeyboardInterrupt):
        raise
    except BaseException:
        return False


def observe(message):
    """Observes several resources. The answer may leave out the last ones: they are asked for again."""
    failed, session.failed = session.failed, {}
    numbers = message["of"]
    if len(numbers) == 1 and numbers[0] in failed:
        return {"ok": [failed[numbers[0]]]}
    end = time.monotonic() + LONG_BATCH
    answers = []
    for number in numbers:
        answer = observed(number)
        answers.append(answer)
        if answer["error"] is not None and len(numbers) > 1:
            session.failed[number] = answer
        if time.monotonic() > end:
            break
    return {"ok": answers}


def observed(number):
    """The changes that a deployment of a resource would make."""
    prepared = session.resources[number]
    if session.applied_id is not None:
        session.leave_applied()
    unsuitable = session.unsuitable(prepared)
    if unsuitable is not None:
        return {"id": number, "changes": [], "logs": [], "error": unsuitable}

    def work(operation):
        operation.handler.execute(operation.ctx, operation.resource, True)
        is_in_place = not operation.changes() and operation.outcome() is None
        if is_in_place and not session.noop and not prepared.values.get("report_only"):
            session.take_facts(operation)

    operation = Operation(session, prepared, True).run(work)
    error = operation.shown_error()
    answer = {
        "id": number, "changes": [] if error else operation.changes(), "logs": operation.lines(), "error": error,
    }
    operation.close()
    return answer


def apply(message):
    """Deploys a resource, all of whose requirements are deployed."""
    session.leave_applied()
    number = message["of"]
    prepared = session.resources[number]
    operation = deploy(prepared, False)
    error = operation.shown_error()
    if error is None:
        session.applied, session.applied_id = operation, number
    events = [
        {"status": "success", **change}
        for change in ([] if error else operation.changes())
    ]
    answer = {"ok": {"events": events, "logs": operation.lines(), "error": error}}
    if error is not None:
        operation.close()
    return answer


def deploy(prepared, is_notified):
    def work(operation):
        requires = {other: ResourceState.deployed for other in prepared.requires}
        operation.handler.deploy(operation.ctx, operation.resource, requires)
        if operation.ctx.status is None:
            operation.ctx.set_resource_state(HandlerResourceState.deployed)
        if operation.outcome() is None:
            session.take_facts(operation)

    session.is_notified = is_notified
    try:
        return Operation(session, prepared, False).run(work)
    finally:
        session.is_notified = False


def refresh(message):
    """Reloads a resource because one that it requires has changed."""
    number = message["of"]
    if session.applied_id == number:
        operation = session.applied
        operation.run(lambda operation: operation.handler.do_reload(operation.ctx, operation.resource))
        if operation.error is not None and operation.error.get("skip"):
            operation.ctx.set_resource_state(HandlerResourceState.skipped)
    else:
        session.leave_applied()
        operation = deploy(session.resources[number], True)
    answer = {"ok": {"logs": operation.lines(), "error": operation.shown_error()}}
    operation.close()
    session.applied = session.applied_id = None
    return answer


def facts(message):
    """The facts of a resource."""
    session.leave_applied()
    found = {}

    def work(operation):
        found.update(operation.handler.check_facts(operation.ctx, operation.resource) or {})
        found.update({fact["id"]: fact["value"] for fact in operation.ctx.facts})

    operation = Operation(session, session.resources[message["of"]], False).run(work)
    answer = {"facts": _plain(found), "logs": operation.lines(), "error": operation.shown_error()}
    operation.close()
    return {"ok": answer}


def close(_):
    if session is not None:
        session.leave_applied()
        for agent in session.agents.values():
            try:
                ordain.timed(agent.cache.close)
            except (ordain.Gone, KeyboardInterrupt):
                raise
            except BaseException:
                # The connection may be gone. The process ends in any case.
                pass
    used = [limits.getrusage(who) for who in (limits.RUSAGE_SELF, limits.RUSAGE_CHILDREN)]
    return {"ok": {"cpu": sum(one.ru_utime + one.ru_stime for one in used)}}


VERBS = {
    "open": open_session, "kinds": kinds, "prepare": prepare, "observe": observe, "apply": apply, "refresh": refresh,
    "facts": facts, "close": close,
}


def answered(message):
    """The answer to a message."""
    usual, ordain.SECONDS = ordain.SECONDS, message.get("seconds") or ordain.SECONDS
    # An alarm that is set for another limit would come at the wrong time.
    ordain.arm(ordain.SECONDS)
    try:
        return VERBS[message["do"]](message)
    except (ordain.Gone, KeyboardInterrupt):
        raise
    except BaseException as error:
        return {"error": _faults.described(error, None)}
    finally:
        ordain.SECONDS = usual
