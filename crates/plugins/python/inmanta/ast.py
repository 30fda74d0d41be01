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

    def get_location(self):
        return self.location

    def __str__(self):
        return self.value


class CompilerException(Exception):
    def __init__(self, msg=""):
        super().__init__(msg)
        self.msg = msg
        self.location = None

    def get_message(self):
        return self.msg

    def get_location(self):
        return self.location

    def set_location(self, location):
        if self.location is None:
            self.location = location

    def format(self):
        return self.msg if self.location is None else "%s (%s)" % (self.msg, self.location)

    def format_trace(self, indent="", indent_level=0):
        lines = [indent * indent_level + self.format()]
        for cause in self.get_causes():
            lines.append(indent * indent_level + "caused by:")
            lines.append(cause.format_trace(indent, indent_level + 1))
        return "\n".join(lines)

    def get_causes(self):
        return []

    def __str__(self):
        return self.format()


class RuntimeException(CompilerException):
    def __init__(self, stmt=None, msg=""):
        super().__init__(msg)
        self.stmt = stmt
        if stmt is not None:
            self.set_location(stmt.get_location())


class TypingException(RuntimeException):
    pass


class InvalidTypeAnnotation(TypingException):
    pass


class NotFoundException(RuntimeException):
    def __init__(self, stmt=None, name="", msg=None):
        super().__init__(stmt, msg if msg is not None else "could not find value %s" % (name,))
        self.name = name


class TypeNotFoundException(RuntimeException):
    def __init__(self, type, ns):
        super().__init__(None, "could not find type %s in namespace %s" % (type, ns))
        self.type = type
        self.ns = ns
        self.set_location(type.get_location())


class OptionalValueException(RuntimeException):
    location = stmt = None

    def __init__(self, instance=None, attribute=None, msg=None):
        text = msg or "Optional variable accessed that has no value (attribute `%s` of `%s`)" % (attribute, instance)
        # Equivalent to the constructors of the base classes, but this is called often.
        Exception.__init__(self, text)
        self.msg = text
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
    def __init__(self, stmt, msg, cause):
        super().__init__(stmt, msg)
        self.__cause__ = cause

    def get_causes(self):
        return [self.__cause__]


class AttributeException(WrappingRuntimeException):
    def __init__(self, stmt, instance, attribute, cause):
        super().__init__(stmt, "Could not set attribute `%s` on instance `%s`" % (attribute, instance), cause)
        self.instance = instance
        self.attribute = attribute


class PluginTypeException(WrappingRuntimeException):
    pass


class DoubleSetException(RuntimeException):
    def __init__(self, variable, stmt, newvalue, newlocation):
        super().__init__(
            stmt,
            "value set twice:\n\told value: %s\n\t\tset at %s\n\tnew value: %s\n\t\tset at %s\n"
            % (variable.value, variable.location, newvalue, newlocation),
        )
        self.variable = variable
        self.newvalue = newvalue
        self.newlocation = newlocation


class DuplicateException(TypingException):
    def __init__(self, stmt, other, msg):
        super().__init__(stmt, msg)
        self.other = other


class ModifiedAfterFreezeException(RuntimeException):
    def __init__(self, rv, instance, attribute, value, location, reverse):
        super().__init__(None, "List modified after freeze")
        self.resultvariable = rv
        self.instance = instance
        self.attribute = attribute
        self.value = value
        self.location = location
        self.reverse = reverse


class KeyException(RuntimeException):
    pass


class MultiException(CompilerException):
    def __init__(self, others):
        super().__init__("")
        self.others = others

    def get_causes(self):
        return list(self.others)

    def format(self):
        return "Reported %d errors" % len(self.others)


class ExternalException(RuntimeException):
    def __init__(self, stmt, msg, cause):
        super().__init__(stmt, msg)
        self.__cause__ = cause


class ExplicitPluginException(ExternalException):
    def get_message(self):
        return self.msg + "\n" + self.__cause__.message


class UnexpectedReference(RuntimeException):
    def __init__(self, reference=None, message=""):
        super().__init__(None, message)
        self.reference = reference


class PluginException(Exception):
    # It prints the arguments of a subclass, not the message that the subclass makes of them.
    def __init__(self, message):
        self.message = message


class Named:
    pass
