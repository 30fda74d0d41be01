"""The part of the module `std` that other modules' Python code uses; its plug-ins are built in."""
import os

import ordain
from inmanta.agent.handler import CRUDHandler, provider
from inmanta.config import Config
from inmanta._jinja import (
    JinjaCallProxy, JinjaDictProxy, JinjaDynamicProxy, JinjaGetItemProxy, JinjaIteratorProxy, JinjaSequenceProxy
)
from inmanta.execute import proxy
from inmanta.module import Project
from inmanta.plugins import Context, plugin
from inmanta.references import Reference, reference
from inmanta.resources import IgnoreResourceException, ManagedResource, PurgeableResource, resource


class FileMarker(str):
    def __new__(cls, filename):
        made = str.__new__(cls, "imp-module-source:file://" + filename)
        made.filename = filename
        return made


def _extend_path(ctx, path):
    if not path.startswith("./"):
        return path
    name = ctx.owner.namespace.get_full_name()
    module = name.split("::")[0]
    if module not in Project.get().modules:
        raise Exception("Unable to determine current module for path %s, called from %s" % (path, name))
    return module + path[1:]


def determine_path(ctx, module_dir, path):
    path = _extend_path(ctx, path)
    first, _, rest = path.partition("/")
    known = Project.get().modules
    if first and first not in known:
        raise Exception("Module %s does not exist for path %s" % (first, path))
    return os.path.join(known[first]._path if first else Project.get().project_path, module_dir, rest)


def get_file_content(ctx, module_dir, path):
    filename = determine_path(ctx, module_dir, path)
    if not os.path.isfile(filename):
        raise Exception("%s isn't a valid file (%s)" % (path, filename))
    with open(filename) as opened:
        return opened.read()


def _native(name, *arguments):
    """Calls a plug-in that is built in."""
    from inmanta import plugins
    answer = ordain.ask("call", "std::" + name, [proxy.given(argument) for argument in arguments])
    if "v" not in answer:
        plugins.stopped(answer)
    return proxy.DynamicProxy.return_value(proxy.inner(answer["v"]))


def source(ctx: Context, path: "string") -> "string":
    return get_file_content(ctx, "files", path)


def file(ctx: Context, path: "string") -> "string":
    filename = determine_path(ctx, "files", path)
    if not os.path.isfile(filename):
        raise Exception("%s isn't a valid file" % filename)
    return FileMarker(os.path.abspath(filename))


def template(ctx, path, **kwargs):
    from inmanta import plugins
    given = [[name, proxy.given(value)] for name, value in kwargs.items()]
    answer = ordain.ask("call", "std::template", [path], given)
    if "v" not in answer:
        plugins.stopped(answer)
    return answer["v"]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "printf":
        name = "print"
    return lambda *arguments: _native(name, *arguments)


@reference("std::Environment")
class EnvironmentReference(Reference[str]):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def resolve(self, logger):
        name = self.resolve_other(self.name, logger)
        if name not in os.environ:
            raise LookupError("Environment variable %s is not set" % name)
        return os.environ[name]


@reference("std::IntReference")
class IntReference(Reference[int]):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def resolve(self, logger):
        return int(self.resolve_other(self.value, logger))


@reference("std::FactReference")
class FactReference(Reference[str]):
    def __init__(self, environment, resource_id, fact_name, mocked_facts=None):
        super().__init__()
        self.environment = environment
        self.resource_id = resource_id
        self.fact_name = fact_name
        self.mocked_facts = mocked_facts

    def resolve(self, logger):
        logger.info(
            "Resolving fact `%(fact_name)s` for resource `%(resource_id)s`",
            fact_name=self.fact_name, resource_id=self.resource_id,
        )
        try:
            return self.mocked_facts[self.resource_id][self.fact_name]
        except (KeyError, TypeError):
            from inmanta.protocol.endpoints import SyncClient
            found = SyncClient("agent").get_facts(tid=self.environment, rid=self.resource_id).get_result()["data"]
            for fact in found if self.mocked_facts is None else ():
                if fact["name"] == self.fact_name:
                    return fact["value"]
            raise LookupError("Didn't find fact `%s` for resource `%s`" % (self.fact_name, self.resource_id))

    def __str__(self):
        return "FactReference[resource_id=%s,fact_name=%s]" % (self.resource_id, self.fact_name)


def create_environment_reference(name):
    return EnvironmentReference(name=name)


def create_int_reference(value):
    return IntReference(value)


@resource("std::testing::NullResource", agent="agentname", id_attribute="name")
class Null(ManagedResource, PurgeableResource):
    fields = ("name", "agentname", "fail", "value", "int_value")


@resource("std::AgentConfig", agent="agent", id_attribute="agentname")
class AgentConfig(PurgeableResource):
    fields = ("agentname", "uri", "autostart")

    @staticmethod
    def get_autostart(exporter, obj):
        raise IgnoreResourceException()


@provider("std::testing::NullResource", name="null")
class NullProvider(CRUDHandler):
    def read_resource(self, ctx, resource):
        if resource.fail:
            raise Exception("This resource is set to fail")
        ctx.debug("Observed value: %(value)s", value=resource.value)
        ctx.debug("Observed int value: %(value)s", value=resource.int_value)

    def create_resource(self, ctx, resource):
        ctx.set_created()

    def delete_resource(self, ctx, resource):
        ctx.set_purged()

    def update_resource(self, ctx, changes, resource):
        ctx.set_updated()
