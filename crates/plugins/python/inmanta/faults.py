"""Exceptions of modules as errors of resources: the message, the file and the line."""
import sys
import traceback

import ordain

# The packages of names that are imported under others.
PACKAGES = {
    "yaml": "PyYAML", "dateutil": "python-dateutil", "google": "protobuf", "grpc": "grpcio", "OpenSSL": "pyOpenSSL",
    "openstack": "openstacksdk", "bs4": "beautifulsoup4", "git": "GitPython", "jwt": "PyJWT", "nacl": "PyNaCl",
}
MOST_TEXT = 16 << 10


def described(error, module):
    """An exception as an error of an answer; the module is the one whose code ran."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(("<inmanta", "<ordain", "<frozen"))
    ]
    # The code of the module says more than that of a library that it calls.
    own = [frame for frame in frames if "inmanta_plugins" in frame.filename or "/plugins/" in frame.filename]
    place = (own or frames or [None])[-1]
    said = {
        "message": text_of(error, module)[:MOST_TEXT],
        "trace": ["%s:%s in %s" % (frame.filename, frame.lineno, frame.name) for frame in frames[-12:]],
    }
    if isinstance(error, SyntaxError) and error.filename:
        said["file"], said["line"] = error.filename, error.lineno or 0
    elif place is not None:
        said["file"], said["line"] = place.filename, place.lineno or 0
    return said


def text_of(error, module):
    if isinstance(error, ordain.Late):
        return "it takes longer than %s s" % ordain.SECONDS
    if isinstance(error, SystemExit):
        return "the handler ends the process (SystemExit: %s)" % ordain.text_of(error.code)
    text = ordain.text_of(error)
    shown = "%s: %s" % (ordain.class_name(type(error)), text) if text else ordain.class_name(type(error))
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.split(".")[0]
        if top not in ("inmanta", "inmanta_plugins"):
            shown += " (install it with `%s -m pip install %s`)" % (sys.executable, package_of(top, module))
        elif top == "inmanta":
            shown += " (Ordain brings the parts of inmanta-core that handlers use, and this one is not among them)"
    return shown


def package_of(name, module):
    """The package that has a Python module, as the requirements of an Inmanta module name it."""
    import importlib.metadata
    import re
    usual = PACKAGES.get(name, name)

    def alike(text):
        return re.sub(r"[-_.]+", "-", text).lower()

    try:
        wanted = importlib.metadata.requires("inmanta-module-%s" % module.replace("_", "-")) or [] if module else []
    except importlib.metadata.PackageNotFoundError:
        wanted = []
    for one in wanted:
        found = re.match(r"[\w.-]+", one)
        if found and alike(found.group()) in (alike(name), alike(usual), "python-" + alike(name), alike(name) + "-py"):
            return found.group()
    return usual
