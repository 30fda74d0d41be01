from inmanta.execute.util import Unknown
from inmanta.export import dependency_manager
from inmanta.resources import IgnoreResourceException, PurgeableResource, Resource, resource

order = []


def path_of(context):
    return context._get_context().path if hasattr(context, "_get_context") else "plain"


@resource("m::File", agent="node.name", id_attribute="path")
class File(PurgeableResource):
    fields = ("path", "mode", "data", "items", "number", "chain", "readers", "backup", "types", "missing")
    map = {"types": lambda exporter, file: [type(file.data).__name__, type(file.items).__name__, type(file.mode).__name__]}

    @staticmethod
    def get_number(_, file):
        order.append(file.path)
        return len(order)

    @classmethod
    def get_chain(cls, exporter, file):
        node, names = file.node, []
        while True:
            names.append(node.name)
            try:
                node = node.next
            except Exception as error:
                names.append(type(error).__name__)
                return names

    @staticmethod
    def get_readers(_, file):
        return sorted(reader.path + ":" + str(len(reader.reads)) for reader in file.readers)

    @staticmethod
    def get_backup(_, file):
        try:
            return file.backup.path
        except Exception as error:
            return str(error).split(" (")[0]

    @staticmethod
    def get_missing(_, file):
        return [getattr(file, "nothing", "none"), hasattr(file, "node"), hasattr(file.node, "nope")]


@resource("m::Skipped", agent="agent", id_attribute="name")
class Skipped(Resource):
    fields = ("name", "seen", "first", "second")

    @staticmethod
    def get_first(_, one):
        print("first of", one.name)
        if one.name == "two":
            raise IgnoreResourceException()
        return len(order)

    @staticmethod
    def get_second(_, one):
        if one.name == "bad":
            raise KeyError("second of " + one.name)
        return {"a": [1, 2.5, None, True], "n": len(one.requires)}

    @staticmethod
    def get_seen(_, one):
        return list(order)


@dependency_manager
def last(model, resources):
    print("manager", len(resources), len(order))
    for one in resources.values():
        if one.id.entity_type == "m::Skipped":
            one.requires.update(other for other in resources.values() if other.id.entity_type == "m::File")
