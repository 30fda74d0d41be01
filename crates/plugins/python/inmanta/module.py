"""The project and its modules."""


class Module:
    def __init__(self, name, path):
        self.name = name
        self._path = path
        self.path = path

    def get_plugin_dir(self):
        return None


class Metadata:
    def __init__(self, name):
        self.name = name


class Project:
    _project = None

    def __init__(self, path, name):
        self.project_path = path
        self._path = path
        self.modules = {}
        self.metadata = Metadata(name)
        self.virtualenv = None

    @classmethod
    def _set(cls, said):
        cls._project = cls(said["project"], said.get("name") or "project")
        cls._project._add({name: one["directory"] for name, one in said["modules"].items()})

    def _add(self, known):
        for name, directory in known.items():
            self.modules[name] = Module(name, directory)

    @classmethod
    def get(cls, main_file="main.cf", strict_deps_check=None):
        return cls._project


class InmantaModuleRequirement:
    pass


class InvalidModuleException(Exception):
    pass
