"""Keeps secrets out of everything that is shown."""
import re

HIDDEN = "(sensitive)"
# Shorter texts occur everywhere.
LEAST_LENGTH = 4
_NAME = re.compile(r"(password|passwd|passphrase|secret|token|private_key|api_key|credentials?|psk)$", re.I)


def is_secret_name(name):
    """Whether a field of this name has a secret."""
    return _NAME.search(name) is not None


class Secrets:
    """The secrets of a resource: fields with such names, and the values of references."""

    def __init__(self, values, sensitive):
        self.fields = {name for name in values if is_secret_name(name)} | set(sensitive)
        self.texts = set()
        self._pattern = None
        for name, value in values.items():
            self._collect(value, name in self.fields)

    def _collect(self, value, is_secret):
        if isinstance(value, str):
            if is_secret and len(value) >= LEAST_LENGTH:
                self.texts.add(value)
        elif isinstance(value, dict):
            for key, inner in value.items():
                self._collect(inner, is_secret or is_secret_name(str(key)))
        elif isinstance(value, (list, tuple)):
            for inner in value:
                self._collect(inner, is_secret)

    def add_references(self, resource):
        """Adds the values of references, and the fields that have them."""
        for found in resource._references.values():
            if "_kept" in vars(found):
                self._collect(_content(found._kept), True)
        for said in resource.mutators:
            for argument in said["args"]:
                if argument["name"] == "destination":
                    self.fields.add(re.split(r"[.\[]", argument["value"].lstrip("$."), maxsplit=1)[0])
        self._pattern = None

    def is_secret(self, field):
        return field in self.fields or is_secret_name(field)

    def text(self, text):
        if not self.texts:
            return text
        if self._pattern is None:
            ordered = sorted(self.texts, key=len, reverse=True)
            self._pattern = re.compile("|".join(re.escape(one) for one in ordered))
        return self._pattern.sub(HIDDEN, text)

    def anywhere(self, value):
        """A value without secrets in its texts."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.anywhere(inner) for inner in value]
        if isinstance(value, dict):
            return {
                key: HIDDEN if is_secret_name(str(key)) and isinstance(inner, str) else self.anywhere(inner)
                for key, inner in value.items()
            }
        return value


def _content(value):
    """The fields of an object of a dataclass."""
    return vars(value) if hasattr(value, "__dataclass_fields__") else value
