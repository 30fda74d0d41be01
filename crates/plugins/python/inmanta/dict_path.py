"""Paths into nested dicts and lists: `a.b`, `list[key=value]`, `*`."""
import re

_UNESCAPED = re.compile(r"\\([\[\].*=\\])")
NullPath = "."


class InvalidPathException(Exception):
    pass


def _split(text, sign):
    parts, now, at = [], "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            now += text[at:at + 2]
            at += 2
            continue
        if text[at] == sign:
            parts.append(now)
            now = ""
        else:
            now += text[at]
        at += 1
    return parts + [now]


def _plain(text):
    return None if text == "\\0" else _UNESCAPED.sub(r"\1", text)


class _Step:
    """A key, with what the items of the list behind it must have."""

    def __init__(self, text, wild):
        self.text = text
        match = re.match(r"^((?:\\.|[^\[\]\\])*)((?:\[.*\])?)$", text, re.S)
        if match is None or (not match.group(1)):
            raise InvalidPathException("Invalid path: %s" % text)
        name, filters = match.groups()
        self.any = wild and name == "*"
        self.name = _plain(name)
        self.pairs = []
        for pair in re.findall(r"\[((?:\\.|[^\]\\])*)\]", filters, re.S):
            sides = _split(pair, "=")
            if len(sides) != 2:
                raise InvalidPathException("Invalid path: %s" % text)
            self.pairs.append(tuple(_plain(side) for side in sides))

    def fits(self, item):
        return isinstance(item, dict) and all(
            key in item and (item[key] is None if value is None else str(item[key]) == value)
            for key, value in self.pairs if key != "*"
        )


class DictPath:
    def __init__(self, text, wild=False):
        self._text = text
        self._wild = wild
        self._steps = [] if text == NullPath else [_Step(part, wild) for part in _split(text, ".")]

    def to_str(self):
        return self._text

    __str__ = to_str

    def __repr__(self):
        return "DictPath(%r)" % self._text

    def __eq__(self, other):
        return isinstance(other, DictPath) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def get_path_sections(self):
        return [DictPath(step.text, self._wild) for step in self._steps]

    def get_key(self):
        return self._steps[-1].name

    def __add__(self, other):
        return DictPath(".".join(part for part in (self._text, other._text) if part != NullPath) or NullPath, self._wild)

    def _step(self, container, step, construct):
        if not isinstance(container, dict):
            raise KeyError("Container is not a dict: %s" % (container,))
        if step.name not in container:
            if not construct:
                raise KeyError("Path element %s not found" % step.text)
            container[step.name] = [] if step.pairs else {}
        found = container[step.name]
        if not step.pairs:
            return found
        fitting = [item for item in found if step.fits(item)]
        if not fitting and construct:
            made = dict(step.pairs)
            found.append(made)
            return made
        if len(fitting) != 1:
            raise KeyError("%s elements match %s" % (len(fitting), step.text))
        return fitting[0]

    def get_element(self, container, construct=False):
        for step in self._steps:
            container = self._step(container, step, construct)
        return container

    def get_elements(self, container):
        found = [container]
        for step in self._steps:
            after = []
            for item in found:
                if not isinstance(item, dict):
                    continue
                names = list(item) if step.any else [step.name]
                for name in names:
                    if name not in item:
                        continue
                    if step.pairs:
                        after.extend(one for one in item[name] if step.fits(one))
                    else:
                        after.append(item[name])
            found = after
        return found

    def resolve_wild_cards(self, container):
        return [self]

    def set_element(self, container, value, construct=True):
        for step in self._steps[:-1]:
            container = self._step(container, step, construct)
        last = self._steps[-1]
        if not last.pairs:
            container[last.name] = value
            return
        items = container.setdefault(last.name, []) if construct else container[last.name]
        for at, item in enumerate(items):
            if last.fits(item):
                items[at] = value
                return
        items.append(value)

    def remove(self, container):
        for step in self._steps[:-1]:
            try:
                container = self._step(container, step, False)
            except KeyError:
                return
        last = self._steps[-1]
        if last.name not in container:
            return
        if not last.pairs:
            del container[last.name]
            return
        container[last.name] = [item for item in container[last.name] if not last.fits(item)]


class WildDictPath(DictPath):
    pass


InDict = NormalValue = KeyedList = WildInDict = DictPath


def to_path(text):
    return DictPath(text)


def to_wild_path(text):
    return WildDictPath(text, True)
