"""Settings."""


class Config:
    _values = {}

    @classmethod
    def _set(cls, values):
        cls._values = {section: dict(entries) for section, entries in values.items()}

    @classmethod
    def get(cls, section=None, name=None, default_value=None):
        if section is None:
            return cls._values
        return cls._values.get(section, {}).get(name.replace("_", "-"), cls._values.get(section, {}).get(name, default_value))

    @classmethod
    def set(cls, section, name, value):
        cls._values.setdefault(section, {})[name] = value

    @classmethod
    def getboolean(cls, section, name, default_value=None):
        return is_bool(cls.get(section, name, default_value))

    @classmethod
    def is_set(cls, section, name):
        return name in cls._values.get(section, {})


def is_bool(value):
    return value if isinstance(value, bool) else str(value).lower() in ("true", "1", "yes", "on")


def is_str(value):
    return str(value)


def is_str_opt(value):
    return None if value is None else str(value)


def is_int(value):
    return int(value)


def is_float(value):
    return float(value)


def is_list(value):
    return [] if not value else [part.strip() for part in str(value).split(",")]


def is_uuid_opt(value):
    return value


class Option:
    def __init__(self, section, name, default, documentation="", validator=is_str, predecessor_option=None):
        self.section = section
        self.name = name
        self.default = default
        self.validate = validator

    def get(self):
        default = self.default() if callable(self.default) else self.default
        found = Config.get(self.section, self.name, None)
        return default if found is None else self.validate(found)

    def set(self, value):
        Config.set(self.section, self.name, value)


state_dir = Option("config", "state-dir", "/var/lib/inmanta")
log_dir = Option("config", "log-dir", "/var/log/inmanta")
