"""Replaces values inside fields: the paths of JSONPath that exports have, such as `values[0].'a b'`."""
import re

_STEP = re.compile(
    r"""\.?(?:
        '(?P<quoted>(?:\\.|[^'\\])*)' | "(?P<double>(?:\\.|[^"\\])*)" | \[\s*(?P<index>-?\d+)\s*\]
        | \[\s*(?P<key>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")\s*\] | \[\s*(?P<all>\*)\s*\]
        | (?P<name>[A-Za-z_@*][\w@-]*|\$)
    )""",
    re.X | re.S,
)
ALL = object()


def _steps(path):
    steps, at = [], 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or found.end() == at:
            raise ValueError("invalid path %r" % path)
        at = found.end()
        quoted = found.group("quoted")
        quoted = found.group("double") if quoted is None else quoted
        if found.group("key") is not None:
            quoted = found.group("key")[1:-1]
        if quoted is not None:
            steps.append(re.sub(r"\\(.)", r"\1", quoted, flags=re.S))
        elif found.group("index") is not None:
            steps.append(int(found.group("index")))
        elif found.group("all") or found.group("name") == "*":
            steps.append(ALL)
        elif found.group("name") != "$" or steps:
            steps.append(found.group("name"))
    return steps


def _keys(container, step):
    """The keys or indexes of a container that a step means and that exist."""
    if isinstance(container, list):
        if step is ALL:
            return range(len(container))
        return [step] if isinstance(step, int) and -len(container) <= step < len(container) else []
    if container is None or isinstance(container, (str, int, float, bool)):
        return []
    if step is ALL:
        return [key for key, _ in container.items()]
    return [step] if step in container else []


def replace(container, path, value):
    """Sets the value of a path as far as it exists."""
    steps = _steps(path)
    containers = [container]
    for step in steps[:-1]:
        containers = [inner[key] for inner in containers for key in _keys(inner, step)]
    for inner in containers if steps else ():
        for key in list(_keys(inner, steps[-1])):
            inner[key] = value
