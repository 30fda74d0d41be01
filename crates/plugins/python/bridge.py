"""The child's end of the conversation: messages, the mirror of the model, calls."""
import atexit
import gc
import importlib
import importlib.machinery
import importlib.util
import inspect
import io
import json
import os
import signal
import sys
import time
import traceback

SECONDS = 60
sources = {}


class Gone(BaseException):
    """The other end is gone."""


# Created once: `json.dumps` and `json.loads` examine their options at each call.
writer = json.JSONEncoder(separators=(",", ":"), check_circular=False)
encoded = writer.encode
decoded = json.JSONDecoder().scan_once
if json.encoder.c_make_encoder is not None:
    pieces = json.encoder.c_make_encoder(
        None, writer.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
    )

    def encoded(message):
        return "".join(pieces(message, 0))


class Wire:
    """Messages with their length before them, on a socket that no plug-in knows.

    A message is read at one go where it comes so: turns of the system cost more than bytes."""

    def __init__(self, socket):
        self.socket = socket
        self.rest = b""

    def read(self):
        data = self.rest
        while len(data) < 4:
            data += self._some()
        end = 4 + int.from_bytes(data[:4], "big")
        if len(data) < end:
            parts, count = [data], len(data)
            while count < end:
                parts.append(self._some())
                count += len(parts[-1])
            data = b"".join(parts)
        self.rest = data[end:]
        return decoded(data[4:end].decode("utf-8", "surrogatepass"), 0)[0]

    def _some(self):
        part = os.read(self.socket, 1 << 16)
        if not part:
            raise Gone()
        return part

    def write(self, message):
        self.send(encoded(message))

    def send(self, text):
        # JSON is ASCII here.
        text = text.encode("ascii")
        data = len(text).to_bytes(4, "big") + text
        done = os.write(self.socket, data)
        if done < len(data):
            data = memoryview(data)[done:]
            while data:
                data = data[os.write(self.socket, data):]


wire = None
# Whether this process is a fork of the one that talks to the compiler.
is_fork = False
printed = io.StringIO()


def ask(question, *arguments):
    """Asks the compiler while a call is under way."""
    text = encoded({"ask": question, "with": arguments, "out": taken_output()})
    # The results of earlier calls go first.
    wire.send(taken_results() + "," + text[1:] if results else text)
    while True:
        message = wire.read()
        if "told" in message:
            tell(message["told"])
        if "do" not in message:
            return message
        # The compiler needs another plug-in to answer.
        reply(message)


def tell(told):
    """Keeps what a message tells of instances."""
    from inmanta.execute import runtime
    runtime.tell(told)


def taken_output():
    if not printed.tell():
        return ""
    text = printed.getvalue()
    printed.seek(0)
    printed.truncate()
    return text


# The time of the last sign of life during long work.
heard = time.monotonic()


def show_life():
    """Says that a work of many parts goes on, if that has not been said for some time: the compiler
    does not wait for ever."""
    global heard
    if time.monotonic() - heard > 5:
        ask("life")
        heard = time.monotonic()


class Finder:
    """Finds the light package `inmanta`, and the Python code of modules in their directories."""

    def __init__(self):
        self.modules = {}
        # The directories of modules that the model does not import.
        self.modulepath = []

    def directory_of(self, module):
        """The directory of the Python code of a module."""
        if module in self.modules:
            return self.modules[module]
        places = [os.path.join(path, module, "plugins") for path in self.modulepath]
        return next((place for place in places if os.path.isdir(place)), None)

    def invalidate_caches(self):
        pass

    def find_spec(self, name, path=None, target=None):
        if name in sources:
            is_package = any(other.startswith(name + ".") for other in sources)
            return importlib.machinery.ModuleSpec(name, self, is_package=is_package)
        if name == "inmanta_plugins":
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            places = [os.path.join(place, name) for place in sys.path]
            spec.submodule_search_locations = [place for place in places if os.path.isdir(place)]
            return spec
        parts = name.split(".")
        if parts[0] != "inmanta_plugins" or len(parts) != 2:
            return None
        directory = self.directory_of(parts[1])
        if directory is None:
            return None
        file = os.path.join(directory, "__init__.py")
        if not os.path.isfile(file):
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [directory]
            return spec
        return importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[directory]
        )

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = compile(sources[module.__name__], "<%s>" % module.__name__, "exec")
        exec(code, module.__dict__)


finder = Finder()


class Late(BaseException):
    """A call takes too long."""


# The start of the current call, and the time for which the alarm is set.
began = None
alarmed = 0.0


def too_late(*_):
    global alarmed
    alarmed = 0.0
    if began is None:
        return
    left = began + SECONDS - time.monotonic()
    if left <= 0:
        raise Late()
    arm(left)


def arm(seconds):
    global alarmed
    alarmed = time.monotonic() + seconds
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))


def timed(function, *arguments, **named):
    """A call within its time. The alarm is not set for each call: one that comes early looks at the
    clock, and is set again."""
    global began
    outer, began = began, time.monotonic()
    if alarmed < began:
        arm(SECONDS)
    try:
        return function(*arguments, **named)
    finally:
        began = outer


def timed_alive(function, *arguments):
    """A call within its time that is one part of a long work: this is `show_life` and `timed` in one,
    as it runs often."""
    global began
    now = time.monotonic()
    if now - heard > 5:
        show_life()
        now = time.monotonic()
    outer, began = began, now
    if alarmed < now:
        arm(SECONDS)
    try:
        return function(*arguments)
    finally:
        began = outer


def class_name(kind):
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", "__main__") else module + "." + kind.__qualname__


def text_of(error):
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"


def fault(error):
    """An exception as a message."""
    from inmanta import _pairs, ast

    if isinstance(error, ast.UnsetException):
        # The call is repeated, often many times, and nobody reads the place.
        wait = error.variables or getattr(error, "result_variables", [])
        return {"class": class_name(type(error)), "text": str(error), "trace": [], "kind": "unset", "wait": wait}
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(("<inmanta", "<ordain", "<frozen"))
    ]
    trace = ["%s:%s in %s" % (frame.filename, frame.lineno, frame.name) for frame in frames]
    said = {"class": class_name(type(error)), "text": text_of(error), "trace": trace[-12:]}
    if isinstance(error, Late):
        said["class"] = "TimeoutError"
        said["text"] = "it takes longer than %s s" % SECONDS
    elif isinstance(error, SystemExit):
        said["text"] = text_of(error.code)
    elif isinstance(error, ast.UnknownException):
        said["kind"] = "unknown"
    elif isinstance(error, _pairs.Misfit):
        said["kind"] = "argument"
        said["parameter"] = error.parameter
    elif isinstance(error, ast.PluginException):
        said["kind"] = "explicit"
        said["text"] = error.message
        said["shown"] = text_of(error)
    elif isinstance(error, ast.CompilerException):
        said["kind"] = "compiler"
        said["class"] = type(error).__name__
        said["text"] = getattr(error, "msg", None)
        if said["text"] is None:
            said["text"] = text_of(error)
        elif isinstance(error, ast.ExplicitPluginException):
            said["text"] = error.get_message()
        if isinstance(error, ast.ExternalException) and error.__cause__ is not None:
            cause = error.__cause__
            said["cause"] = "%s: %s" % (class_name(type(cause)), text_of(cause))
    if isinstance(error, SyntaxError) and error.filename:
        said["trace"].append("%s:%s" % (error.filename, error.lineno))
    return said


def loaded_modules(modules):
    """Imports all Python files of modules."""
    failures = []
    for module in modules:
        if module["directory"]:
            finder.modules[module["name"]] = module["directory"]
    for module in modules:
        for name in module["imports"]:
            try:
                timed(importlib.import_module, name)
            except Gone:
                raise
            except BaseException as error:
                failure = {"module": module["name"], "name": name, "error": fault(error)}
                failures.append({**failure, **place_of(error, module["directory"], name)})
                break
        if failures:
            break
    return failures


def place_of(error, directory, name):
    """The file of a module, and the line in it where an exception went through."""
    path = os.path.join(directory or "", *name.split(".")[2:])
    file = os.path.join(path, "__init__.py") if os.path.isdir(path) else path + ".py"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return {"file": file, "line": lines[-1] if lines else 0}


def start(message):
    from inmanta import module, config

    finder.modules.update({name: m["python"] for name, m in message["modules"].items() if m["python"]})
    finder.modulepath = message["modulepath"]
    module.Project._set(message)
    config.Config._set(message["settings"])
    return {}


def load(message):
    from inmanta import module, plugins, resources

    module.Project.get()._add(message["known"])
    failures = loaded_modules(message["modules"])
    if failures:
        return {"failures": failures}
    importlib.import_module("inmanta_plugins.std")
    return {
        "plugins": plugins.declared(),
        "resources": resources.resource.get_entity_resources(),
        "identities": resources.identities(),
        "warnings": plugins.warned(),
    }


def pair(message):
    from inmanta import _pairs
    return _pairs.paired(message)


def call(message):
    from inmanta import plugins
    function, arguments, named = plugins.prepared(message["call"])
    return {"v": plugins.outer(timed(function, *arguments, **named))}


# The results of batched calls that were not sent yet. An object without a tag has more than a
# value: the output of the call, or its error.
results = []
in_batch = False
# The maximum time in seconds without results from batched calls. The compiler continues with the
# results that it has while further calls run.
MOST_SILENCE = 1
# The number of results in a message is limited by about this many characters.
MOST_LENGTH = 1 << 16
MOST_RESULTS = 256
most = 8


def calls(message):
    """Runs calls one after the other, until one fails: then the model has failed."""
    from inmanta import plugins
    global in_batch
    in_batch = True
    told = time.monotonic()
    for said in message["calls"]:
        now = time.monotonic()
        if len(results) >= most or results and now - told > MOST_SILENCE:
            wire.send(taken_results() + ',"more":true}')
            told = now
        results.append(result_of(said, now, plugins.prepared, plugins.outer))
        if failed:
            break
    in_batch = False
    wire.send(taken_results() + "}")


# Whether the last of the batched calls failed with an error that ends the compile.
failed = False


def result_of(said, now, prepared, outer):
    """The result of one of the calls that run together. This is `timed` and `outcome` in one: it runs
    often."""
    global began, failed
    failed = is_error = False
    try:
        function, arguments, named = prepared(said)
        began = now
        if alarmed < now:
            arm(SECONDS)
        try:
            value = function(*arguments, **named) if named else function(*arguments)
        finally:
            began = None
        value = outer(value)
    except Gone:
        raise
    except BaseException as error:
        is_error, value = True, {"error": fault(error)}
        failed = value["error"].get("kind") not in ("unset", "unknown")
    if is_fork:
        os._exit(1)
    if printed.tell():
        value = value if is_error else {"v": value}
        value["out"] = taken_output()
    return value


def leave(status):
    """`os._exit`, but the compiler learns of the calls that have run before this one."""
    if not is_fork and in_batch:
        wire.send(taken_results() + ',"more":true,"last":true}')
    os_exit(status)


os_exit, os._exit = os._exit, leave


def taken_results():
    """The beginning of a message with the results."""
    global most
    text = encoded(results)
    if len(text) > MOST_LENGTH:
        most = max(1, most // 2)
    elif len(results) >= most:
        most = min(MOST_RESULTS, most * 2)
    results.clear()
    return '{"results":' + text


def export(message):
    from inmanta import export as exporting
    return exporting.exported(message)


def finish(message):
    from inmanta import compiler
    return compiler.finished()


HANDLERS = {"start": start, "load": load, "pair": pair, "call": call, "calls": calls, "export": export, "finish": finish}


# The messages to a process that deploys resources.
DEPLOYMENT = frozenset(("open", "kinds", "prepare", "observe", "apply", "refresh", "facts", "close"))


def deployed(message):
    """Answers a message about the deployment of resources."""
    from inmanta import _agent
    answer = _agent.answered(message)
    if is_fork:
        os._exit(1)
    wire.write(answer)
    if message["do"] == "close":
        end()


def reply(message):
    """Does what a message says, and says what came of it."""
    if message["do"] in DEPLOYMENT:
        deployed(message)
        return
    answer = done(message)
    # Batched calls have sent their results already.
    if answer is None:
        return
    # Resources are a message of their own.
    resources = answer.pop("resources", []) if message["do"] == "export" else None
    wire.write(answer)
    if resources is not None and "error" not in answer:
        wire.write(resources)


def done(message):
    """What came of doing what a message says."""
    if "told" in message:
        tell(message["told"])
    return outcome(HANDLERS[message["do"]], message)


def outcome(function, message):
    """What came of a function, with what was printed."""
    try:
        answer = function(message)
    except Gone:
        raise
    except BaseException as error:
        answer = {"error": fault(error)}
    if is_fork:
        os._exit(1)
    if answer is not None and printed.tell():
        answer["out"] = taken_output()
    return answer


def watch_memory(limit):
    """Ends the process when it takes more memory than it may."""
    import threading

    def watch():
        page = os.sysconf("SC_PAGE_SIZE")
        while True:
            with open("/proc/self/statm") as opened:
                used = int(opened.read().split()[1]) * page
            if used > limit:
                os.write(2, b"it takes more than %d MiB of memory\n" % (limit >> 20))
                os_exit(1)
            time.sleep(0.25)

    threading.Thread(target=watch, daemon=True).start()


def end():
    """Ends the process as Python does, but leaves it to the system to free what the model had."""
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    sys.stderr.flush()
    os_exit(0)


def run(socket):
    """Answers messages until there are no more."""
    global wire
    wire = Wire(socket)
    sys.meta_path.insert(0, finder)
    sys.stdin = open(os.devnull)
    sys.stdout = printed
    signal.signal(signal.SIGALRM, too_late)

    def forked():
        global is_fork
        is_fork = True
        os.close(socket)

    os.register_at_fork(after_in_child=forked)
    sys.setrecursionlimit(5000)
    # A model has many long-lived objects, which repeated garbage collections would examine in vain.
    gc.set_threshold(400_000, 10, 10)
    while True:
        try:
            reply(wire.read())
        except Gone:
            end()
