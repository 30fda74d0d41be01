"""What runs after a compile."""


class Finalizers:
    _functions = []

    @classmethod
    def add_function(cls, function):
        cls._functions.append(function)

    @classmethod
    def call_finalizers(cls):
        for function in cls._functions:
            function()

    @classmethod
    def reset_finalizers(cls):
        cls._functions = []


def finalizer(function):
    Finalizers.add_function(function)
    return function


def finished():
    import ordain
    from inmanta import plugins
    errors = []
    for function in Finalizers._functions:
        try:
            ordain.timed(function)
        except ordain.Gone:
            raise
        except BaseException as error:
            errors.append(ordain.fault(error))
    return {"errors": errors, "warnings": plugins.warned()}
