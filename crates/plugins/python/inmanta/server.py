"""Answers requests of handlers to the server, as far as no server is needed for that."""
import base64
import json
import os
import tempfile

from inmanta.protocol.common import Result

# The answers of this process; none while a model is compiled.
_answers = None


def activate(answers):
    global _answers
    _answers = answers


def is_active():
    return _answers is not None


def answer(method, arguments, named):
    """The answer to a request."""
    if _answers is None:
        raise ConnectionRefusedError("connection refused: %s" % method)
    function = getattr(_answers, method, None)
    if function is None or method.startswith("_"):
        raise ConnectionRefusedError(
            "connection refused: %s: Ordain deploys without a server, and only a server can answer this request" % method
        )
    return function(*arguments, **named)


class Files:
    """The files of the compile, and those that handlers have uploaded."""

    def __init__(self, fetch):
        self._fetch = fetch
        self._found = {}

    def get(self, digest):
        if digest not in self._found:
            content = self._fetch(digest)
            if content is None:
                return None
            self._found[digest] = base64.b64decode(content)
        return self._found[digest]

    def add(self, digest, content):
        self._found[digest] = content if isinstance(content, bytes) else str(content).encode("utf-8")


class Parameters:
    """Parameters and facts by resource and name, in a file that only its owner can read."""

    def __init__(self, path):
        self._path = path
        self._known = self._read()

    def _read(self):
        if self._path is None:
            return {}
        try:
            with open(self._path, encoding="utf-8") as opened:
                known = json.load(opened)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise Exception("cannot read the parameters in %s: %s" % (self._path, error))
        return known if isinstance(known, dict) else {}

    def get(self, resource, name):
        return self._known.get(resource, {}).get(name)

    def of(self, resource):
        return self._known.get(resource, {})

    def all(self):
        return self._known

    def set(self, resource, name, value, source):
        entry = {"value": value, "source": source}
        if self.get(resource, name) == entry:
            return False
        self._known.setdefault(resource, {})[name] = entry
        self._write()
        return True

    def delete(self, resource, name):
        if self.get(resource, name) is None:
            return False
        del self._known[resource][name]
        self._write()
        return True

    def _write(self):
        if self._path is None:
            return
        directory = os.path.dirname(self._path)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        # Only the owner can read a file of this function.
        number, temporary = tempfile.mkstemp(dir=directory)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as opened:
                json.dump(self._known, opened, sort_keys=True)
            os.replace(temporary, self._path)
        except BaseException:
            os.unlink(temporary)
            raise


class Answers:
    """The requests that are answered, by the names of the server's methods."""

    def __init__(self, files, parameters, did_dependency_change):
        self._files = files
        self._parameters = parameters
        self._did_dependency_change = did_dependency_change

    def get_file(self, id):
        content = self._files.get(id)
        if content is None:
            return Result(404, {"message": "Request or referenced resource does not exist"})
        return Result(200, {"content": base64.b64encode(content).decode("ascii")})

    def stat_file(self, id):
        return Result(200 if self._files.get(id) is not None else 404, {})

    def stat_files(self, files):
        return Result(200, {"files": [one for one in files if self._files.get(one) is None]})

    def upload_file(self, id, content):
        self._files.add(id, base64.b64decode(content))
        return Result(200, {})

    def get_param(self, tid, id, resource_id=""):
        found = self._parameters.get(resource_id or "", id)
        if found is None:
            return Result(404, {"message": "The parameter does not exist"})
        return Result(200, {"parameter": self._described(resource_id or "", id, found)})

    def set_param(self, tid, id, source, value, resource_id="", metadata=None, recompile=False, expires=None):
        self._parameters.set(resource_id or "", id, value, getattr(source, "value", source))
        return self.get_param(tid, id, resource_id)

    def delete_param(self, tid, id, resource_id=""):
        return Result(200 if self._parameters.delete(resource_id or "", id) else 404, {})

    def list_params(self, tid, query=None):
        every = [
            self._described(resource, name, found)
            for resource, names in self._parameters.all().items() for name, found in names.items()
        ]
        return Result(200, {"parameters": every})

    def set_parameters(self, tid, parameters):
        for one in parameters:
            self.set_param(tid, one["id"], one["source"], one["value"], one.get("resource_id", ""))
        return Result(200, {})

    def get_facts(self, tid, rid):
        found = self._parameters.of(rid).items()
        return Result(200, {"data": [self._described(rid, name, one) for name, one in found]})

    def resource_did_dependency_change(self, tid, rvid):
        return Result(200, {"data": self._did_dependency_change()})

    def discovered_resource_create_batch(self, tid, discovered_resources):
        return Result(200, {})

    def _described(self, resource, name, found):
        return {"id": name, "name": name, "resource_id": resource, "value": found["value"], "source": found["source"]}
