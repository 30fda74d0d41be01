"""Errors and places."""


class Location:
    def __init__(self, file, lnr):
        self.file = file
        self.lnr = lnr

    def __str__(self):
        return "%s:%s" % (self.file, self.lnr)


class Range(Location):
    def __init__(self, file, start_lnr, start_char, end_lnr, end_char):
        super().__init__(file, start_lnr)
        self.start_char = start_char
        self.end_lnr = end_lnr
        self.end_char = end_char

    def __str__(self):
        return "%s:%s:%s" % (self.file, self.lnr, self.start_char)


class Namespace:
    def __init__(self, name):
        self._name = name

    def get_full_name(self):
        return self._name

    def get_name(self):
        return self._name.split("::")[-1]

    def __str__(self):
        return self._name


class LocatableString:
    def __init__(self, value, location=None, lexpos=0, namespace=None):
        self.value = value
        self.location = location
        self.namespace = namespace

    def get_value(self):
        return self.value

    def __str__(self):
        return self.value


class CompilerException(Exception):
    def __init__(self, msg=""):
        super().__init__(msg)
        self.msg = msg
        self.location = None

    def get_message(self):
        return self.msg

    def format(self):
        return self.msg

    def format_trace(self, indent="", indent_level=0):
        return indent * indent_level + self.msg

    def get_causes(self):
        return []

    def __str__(self):
        return self.msg


class RuntimeException(CompilerException):
    def __init__(self, stmt=None, msg=""):
        super().__init__(msg)
        self.stmt = stmt


class TypingException(RuntimeException):
    pass


class InvalidTypeAnnotation(TypingException):
    pass


class NotFoundException(RuntimeException):
    def __init__(self, stmt=None, name="", message=None):
        super().__init__(stmt, message if message is not None else "could not find value " + str(name))
        self.name = name


class TypeNotFoundException(RuntimeException):
    def __init__(self, type="", ns=None):
        super().__init__(None, "could not find type %s" % (type,))


class OptionalValueException(RuntimeException):
    def __init__(self, instance=None, attribute=None, msg=None):
        text = msg or "Optional variable accessed that has no value (attribute `%s` of `%s`)" % (attribute, instance)
        super().__init__(instance, text)
        self.instance = instance
        self.attribute = attribute


class UnsetException(RuntimeException):
    def __init__(self, msg="", instance=None, attribute=None, variables=()):
        super().__init__(None, msg)
        self.instance = instance
        self.attribute = attribute
        self.variables = list(variables)

    def get_result_variable(self):
        return self.variables[0] if self.variables else None


class MultiUnsetException(UnsetException):
    def __init__(self, msg="", result_variables=()):
        super().__init__(msg)
        self.result_variables = list(result_variables)


class UnknownException(Exception):
    def __init__(self, unknown=None):
        super().__init__()
        self.unknown = unknown


class WrappingRuntimeException(RuntimeException):
    pass


class AttributeException(WrappingRuntimeException):
    pass


class DoubleSetException(RuntimeException):
    pass


class DuplicateException(RuntimeException):
    pass


class ModifiedAfterFreezeException(RuntimeException):
    pass


class ExternalException(RuntimeException):
    def __init__(self, stmt=None, msg="", cause=None):
        super().__init__(stmt, msg)
        self.__cause__ = cause


class ExplicitPluginException(ExternalException):
    pass


class UnexpectedReference(RuntimeException):
    def __init__(self, reference=None, message=""):
        super().__init__(None, message)
        self.reference = reference


class PluginException(Exception):
    # What it prints are the arguments of a subclass, not what that makes of them.
    def __init__(self, message=""):
        self.message = message


class Named:
    pass
