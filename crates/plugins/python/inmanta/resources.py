"""Resources: what instances of the model are exported as."""
import re

from inmanta import references
from inmanta.ast import (
    CompilerException, ExplicitPluginException, ExternalException, PluginException, UnexpectedReference, UnknownException,
    UnsetException,
)
from inmanta.execute import proxy
from inmanta.execute.runtime import Instance
from inmanta.execute.util import Unknown
from inmanta.references import Reference


class ResourceException(Exception):
    pass


# As the original spells it.
class ResourceNotFoundExcpetion(Exception):
    pass


class HostNotFoundException(Exception):
    def __init__(self, hostname, user, error):
        super().__init__("%s@%s: %s" % (user, hostname, error))
        self.hostname, self.user, self.error = hostname, user, error


class IgnoreResourceException(Exception):
    pass


class resource:
    """Registers a class for an entity."""

    _resources = {}

    def __init__(self, name, id_attribute, agent):
        self._name = name
        self._options = {"name": id_attribute, "agent": agent}

    def __call__(self, cls):
        resource._resources[self._name] = (cls, self._options)
        cls.entity_name = self._name
        return cls

    @classmethod
    def get_entity_resources(cls):
        return list(cls._resources)

    @classmethod
    def get_class(cls, name):
        return cls._resources.get(name, (None, None))

    @classmethod
    def get_resources(cls):
        return ((name, pair[0]) for name, pair in cls._resources.items())

    @classmethod
    def reset(cls):
        cls._resources = {}


_RESERVED = {"id", "version", "model", "requires", "unknowns", "set_version", "clone", "is_type", "serialize"}


class ResourceMeta(type):
    @classmethod
    def _collect(cls, name, bases, own):
        fields = list(own.get("fields", ()))
        if isinstance(own.get("fields", ()), str):
            raise Exception("fields attribute of %s should be a tuple or list" % name)
        inherited = []
        mapping = {}
        for base in reversed(bases):
            inherited.extend(field for field in getattr(base, "fields", ()) if field not in inherited)
            mapping.update(getattr(base, "map", {}))
        mapping.update(own.get("map", {}))
        merged = []
        for field in inherited + fields:
            if field not in merged:
                merged.append(field)
        return merged, mapping

    def __new__(cls, name, bases, own):
        fields, mapping = cls._collect(name, bases, own)
        own["fields"] = tuple(fields)
        own["map"] = mapping
        return type.__new__(cls, name, bases, own)


class Resource(metaclass=ResourceMeta):
    fields = ("send_event", "receive_events", "references", "mutators", "report_only")
    send_event = False
    map = {}

    @staticmethod
    def get_send_event(_exporter, obj):
        return getattr(obj, "send_event", False)

    @staticmethod
    def get_receive_events(_exporter, obj):
        return getattr(obj, "receive_events", True)

    @staticmethod
    def get_report_only(_exporter, obj):
        try:
            return obj.report_only
        except AttributeError:
            return False

    @staticmethod
    def get_references(_exporter, obj):
        return []

    @staticmethod
    def get_mutators(_exporter, obj):
        return []

    def __init__(self, _id):
        self.id = _id
        self.version = 0
        self.requires = set()
        self.resource_requires = set()
        self.unknowns = set()
        self.model = None
        for field in type(self).fields:
            setattr(self, field, None)
        # Resources that the export makes have none: only deployed ones resolve references.
        self._references_model = {}
        self._references = {}
        self._resolved = False

    def populate(self, fields, force_fields=False):
        for field in type(self).fields:
            if field not in fields and not force_fields:
                raise Exception("Resource with id %s does not have field %s" % (fields["id"], field))
            setattr(self, field, fields[field])
        if "requires" in fields:
            for other in fields["requires"]:
                self.requires.add(Id.parse_id(other))

    def set_version(self, version):
        self.version = version
        self.id.set_version(version)

    def clone(self, **values):
        made = Resource.deserialize(self.serialize())
        made.model = self.model
        for name, value in values.items():
            setattr(made, name, value)
        # The clone has the same values, so it need not resolve its references again.
        made._resolved = self._resolved
        made._references = self._references
        made._references_model = self._references_model
        return made

    @classmethod
    def is_type(cls, name):
        return cls.entity_name == name

    @classmethod
    def deserialize(cls, values, force_fields=False):
        found = Id.parse_id(values["id"])
        kind, _ = resource.get_class(found.entity_type)
        if kind is None:
            raise TypeError("No resource class registered for entity %s" % found.entity_type)
        # Earlier versions did not export these fields.
        values = {"receive_events": True, "report_only": False, **values}
        if values.get("mutators") is None or values.get("references") is None:
            values["mutators"], values["references"] = [], []
        values.pop("version", None)
        made = kind(found)
        made.populate(values, force_fields)
        return made

    def serialize(self):
        said = {field: getattr(self, field) for field in type(self).fields}
        said["requires"] = [str(x) for x in self.requires]
        said["id"] = self.id.resource_version_str()
        return said

    def get_reference_value(self, number, logger):
        """The value of a reference of this resource."""
        number = str(number)
        if number not in self._references:
            if number not in self._references_model:
                raise KeyError("The reference with id %s is not defined in resource %s" % (number, self.id))
            model = self._references_model[number]
            kind = references.reference.get_class(model.type)
            self._references[number] = kind.deserialize(model, self, logger)
        return self._references[number].get(logger)

    def resolve_all_references(self, logger):
        """Runs the mutators, which replace the references of fields by their values."""
        if self._resolved:
            return
        for said in self.references:
            self._references_model.setdefault(str(said["id"]), references.ReferenceModel(**said))
        for said in self.mutators:
            kind = references.mutator.get_class(said["type"])
            kind.deserialize(references.MutatorModel(**said), self, logger).run(logger)
        self._resolved = True

    def get(self, key, default=None):
        return getattr(self, key) if key in self.fields else default

    def items(self):
        for key in self.fields:
            yield key, getattr(self, key)

    def clear(self):
        raise Exception("Deleting fields is not allowed on a resource")

    def __contains__(self, key):
        return key in self.fields

    def __delitem__(self, key):
        raise Exception("Deleting fields is not allowed on a resource")

    def __getitem__(self, name):
        if name not in self.fields:
            raise KeyError()
        return getattr(self, name)

    def __setitem__(self, name, value):
        if name not in self.fields:
            raise KeyError()
        setattr(self, name, value)

    def __str__(self):
        return str(self.id)

    __repr__ = __str__

    @classmethod
    def validate(cls):
        """Checks the names of the fields."""
        for field in cls.fields:
            if field.startswith("_"):
                raise ResourceException("Resource field names can not start with _, reported in %s" % cls.__name__)
            if field in _RESERVED:
                raise ResourceException(
                    "Resource %s is a reserved keyword and not a valid field name, reported in %s" % (field, cls.__name__)
                )

    @classmethod
    def object_to_id(cls, obj, entity_name, attribute_name, agent_attribute):
        obj = proxy.DynamicProxy(obj._get_instance())
        parts = agent_attribute.split(".")
        agent = obj
        for place, part in enumerate(parts, 1):
            try:
                agent = getattr(agent, part)
            except UnexpectedReference:
                raise no_reference("agent", ".".join(parts[:place]), obj)
            except (ResourceException, UnsetException, UnknownException):
                raise
            except Exception:
                raise Exception(
                    "Unable to get the name of agent %s belongs to. In path %s, '%s' does not exist"
                    % (obj, agent_attribute, part)
                )
        if not isinstance(agent, str):
            raise ResourceException(
                "The agent attribute should lead to a string, got %s of type %s" % (agent, type(agent))
            )
        kind, _ = resource.get_class(entity_name)
        try:
            value = kind.map_field(None, entity_name, attribute_name, obj)
        except UnexpectedReference:
            raise no_reference("id", attribute_name, obj)
        if isinstance(value, Reference):
            raise no_reference("id", attribute_name, obj)
        return Id(entity_name, str(agent), attribute_name, str(value))

    @classmethod
    def map_field(cls, exporter, entity_name, field, obj):
        return value_of(getter_of(cls, field), exporter, entity_name, field, obj)


_PLAIN = frozenset((str, int, float, bool, type(None), proxy.NoneValue))


def look_through(value, path, is_inner=False):
    """Refuses what no resource can have: instances, and values that are not known, unless they are
    part of the model."""
    if type(value) in _PLAIN:
        return
    if isinstance(value, (proxy.SequenceProxy, proxy.DictProxy)):
        look_through(value._get_instance(), path, True)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            if type(item) not in _PLAIN:
                look_through(item, "%s[%s]" % (path, at), is_inner)
    elif isinstance(value, dict):
        for key, item in value.items():
            step = key.replace("'", "\\'")
            if type(item) not in _PLAIN:
                look_through(item, "%s.'%s'" % (path, step), is_inner)
    elif isinstance(value, Unknown) and is_inner:
        raise UnknownException(value)
    elif isinstance(value, (Unknown, Instance, proxy.DynamicProxy)):
        shown = proxy.DynamicProxy(value) if isinstance(value, Instance) else value
        raise TypeError("%r in resource is not JSON serializable at path %s" % (shown, path))


# Marks an attribute with the name of a field as its value.
ATTRIBUTE = object()


def getter_of(kind, field):
    """What gives the value of a field."""
    getter = getattr(kind, "get_" + field, ATTRIBUTE)
    return kind.map.get(field, ATTRIBUTE) if getter is ATTRIBUTE else getter


def value_of(getter, exporter, entity_name, field, obj, check=None):
    """The value of a field for export, after a check of the value and its path."""
    try:
        if getter is not ATTRIBUTE:
            value = getter(exporter, obj)
        else:
            value = getattr(proxy.allow_reference_values(obj), field)
        if check is not None and type(value) not in _PLAIN:
            check(value, field)
        return value
    except UnknownException as error:
        return error.unknown
    except IgnoreResourceException:
        raise
    except PluginException as error:
        raise ExplicitPluginException(None, failed(field, entity_name), error)
    except CompilerException:
        raise
    except Exception as error:
        raise ExternalException(None, failed(field, entity_name), error)


def no_reference(what, path, obj):
    return ResourceException(
        "Encountered reference in resource's %s attribute. %s attribute values can not be references. "
        "Encountered at attribute %r of resource instance %s" % (what, what.capitalize(), path, obj)
    )


def failed(field, entity_name):
    return "Failed to get attribute '%s' for export on '%s'" % (field, entity_name)


# The attributes that getters return if they have a value.
_PASSED_ON = {
    Resource.get_send_event: "send_event", Resource.get_receive_events: "receive_events",
    Resource.get_report_only: "report_only",
}


def source_of(getter, field):
    """The attribute that has the value of a field, if it has one; none where code computes it."""
    return field if getter is ATTRIBUTE else _PASSED_ON.get(getter)


class PurgeableResource(Resource):
    fields = ("purged", "purge_on_delete")

    @staticmethod
    def get_purged(_exporter, obj):
        return obj.purged

    @staticmethod
    def get_purge_on_delete(_exporter, obj):
        return getattr(obj, "purge_on_delete", False)


_PASSED_ON[PurgeableResource.get_purged] = "purged"
_PASSED_ON[PurgeableResource.get_purge_on_delete] = "purge_on_delete"


class ManagedResource(Resource):
    fields = ("managed",)

    @staticmethod
    def get_managed(_exporter, obj):
        if not obj.managed:
            raise IgnoreResourceException()
        return obj.managed


class DiscoveryResource(Resource):
    fields = ()


_ID = re.compile(
    r"^(?P<id>(?P<type>(?P<ns>[\w-]+(::[\w-]+)*)::(?P<class>[\w-]+))\[(?P<hostname>[^,]+),"
    r"(?P<attr>[^=]+)=(?P<value>[^\]]+)\])(,v=(?P<version>[0-9]+))?$"
)


class Id:
    def __init__(self, entity_type, agent_name, attribute, attribute_value, version=0):
        self._entity_type = entity_type
        self._agent_name = agent_name
        self._attribute = attribute
        self._attribute_value = attribute_value
        self._version = version
        if "," in agent_name or "," in attribute or "=" in attribute or "]" in attribute_value:
            self._refuse()
        # Ids are compared often.
        self._text = "%s[%s,%s=%s]" % (entity_type, agent_name, attribute, attribute_value)

    def _refuse(self):
        """Raises the error of a sign that an id cannot have."""
        for part, value, bad in (
            ("agent name", self._agent_name, ","),
            ("attribute name", self._attribute, ",="),
            ("attribute value", self._attribute_value, "]"),
        ):
            for sign in bad:
                if sign in value:
                    raise ValueError("Invalid %s '%s': cannot contain '%s'." % (part, value, sign))

    def get_entity_type(self):
        return self._entity_type

    def get_agent_name(self):
        return self._agent_name

    def get_attribute(self):
        return self._attribute

    def get_attribute_value(self):
        return self._attribute_value

    def get_version(self):
        return self._version

    def set_version(self, version):
        self._version = version

    entity_type = property(get_entity_type)
    agent_name = property(get_agent_name)
    attribute = property(get_attribute)
    attribute_value = property(get_attribute_value)
    version = property(get_version, set_version)

    def copy(self, *, version):
        return Id(self.entity_type, self.agent_name, self.attribute, self.attribute_value, version)

    def resource_str(self):
        return self._text

    def resource_version_str(self):
        return "%s,v=%s" % (self.resource_str(), self.version)

    def to_dict(self):
        return {
            "entity_type": self.entity_type, "agent_name": self.agent_name, "attribute": self.attribute,
            "attribute_value": self.attribute_value, "version": self.version,
        }

    def get_inmanta_module(self):
        return self._entity_type.split("::", 1)[0]

    def is_resource_version_id_obj(self):
        return self.version != 0

    def get_instance(self):
        """A new resource with this id."""
        kind, _ = resource.get_class(self.entity_type)
        if kind is None:
            return None
        made = kind(self)
        setattr(made, self.attribute, self.attribute_value)
        return made

    @classmethod
    def is_resource_id(cls, text):
        return _ID.match(text) is not None

    @classmethod
    def parse_resource_version_id(cls, text):
        found = cls.parse_id(text)
        if found.version == 0:
            raise ValueError("Version is missing from resource id: %s" % text)
        return found

    @classmethod
    def set_version_in_id(cls, text, new_version):
        return cls.parse_id(text).copy(version=new_version).resource_version_str()

    @classmethod
    def is_resource_version_id(cls, text):
        found = _ID.match(text)
        return found is not None and found.group("version") is not None

    @classmethod
    def parse_id(cls, text, version=None):
        found = _ID.match(str(text))
        if found is None:
            raise ValueError("Invalid id for resource %s" % text)
        return cls(
            found.group("type"), found.group("hostname"), found.group("attr"), found.group("value"),
            version if version is not None else int(found.group("version") or 0),
        )

    def __str__(self):
        return self.resource_version_str() if self._version else self._text

    __repr__ = __str__

    def __hash__(self):
        return hash(str(self) if self._version else self._text)

    def __eq__(self, other):
        if type(other) is Id and not self._version and not other._version:
            return self._text == other._text
        return str(self) == str(other)


def identities():
    """The resource classes whose ids are attributes of the model: the entity, the attribute of the id and
    the path to the agent."""
    return [
        [name, options["name"], options["agent"]] for name, (kind, options) in resource._resources.items()
        if getattr(kind.object_to_id, "__func__", None) is Resource.object_to_id.__func__
        and getter_of(kind, options["name"]) is ATTRIBUTE
    ]


def to_id(obj):
    """The id of an instance, if its entity or one above it is a resource."""
    import ordain
    number = obj._get_instance().number
    for kind, (cls, options) in resource._resources.items():
        if ordain.ask("is", number, kind)["v"]:
            return cls.object_to_id(obj, kind, options["name"], options["agent"])
    return None
