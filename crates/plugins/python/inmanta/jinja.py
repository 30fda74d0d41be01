"""The model as templates see it that Python code renders itself: what has no value is undefined."""
from inmanta.ast import OptionalValueException, PluginException
from inmanta.execute import proxy
from inmanta.execute.runtime import Instance
from inmanta.references import Reference


class JinjaDynamicProxy(proxy.DynamicProxy):
    """Stands before the proxy of an instance, a list or the like."""

    def __init__(self, instance):
        super().__init__(instance._get_instance(), context=instance._get_context())
        object.__setattr__(self, "_behind", instance)

    def _get_delegate(self):
        return object.__getattribute__(self, "_behind")

    @classmethod
    def return_value(cls, value, *, context=None):
        context = context or proxy.ProxyContext(path=object.__repr__(value), validated=False)
        if isinstance(value, Reference):
            raise PluginException(
                "Encountered reference in Jinja template for variable %s (= `%r`)" % (context.path, value)
            )
        return cls.wrap(super().return_value(value, context=context))

    def _return_value(self, value, *, relative_path):
        return self.wrap(self._get_delegate()._return_value(value, relative_path=relative_path))

    @classmethod
    def wrap(cls, value):
        if not isinstance(value, proxy.DynamicProxy) or isinstance(value, JinjaDynamicProxy):
            return value
        for kind, wrapper in WRAPPERS:
            if isinstance(value, kind):
                return wrapper(value)
        return JinjaDynamicProxy(value)

    def __getattr__(self, name):
        held = self._get_instance()
        if not isinstance(held, Instance):
            return self._return_value(getattr(held, name), relative_path="." + name)
        try:
            return self.wrap(getattr(self._get_delegate(), name))
        except (AttributeError, OptionalValueException):
            from jinja2.runtime import Undefined
            return Undefined("variable %s not set on %s" % (name, held), held, name)


class JinjaIteratorProxy(JinjaDynamicProxy):
    def __iter__(self):
        return self

    def __next__(self):
        return self.wrap(next(self._get_delegate()))


class JinjaGetItemProxy(JinjaDynamicProxy):
    def __getitem__(self, key):
        return self.wrap(self._get_delegate()[key])

    def __iter__(self):
        return map(self.wrap, self._get_delegate())

    def __len__(self):
        return len(self._get_delegate())


class JinjaSequenceProxy(JinjaGetItemProxy):
    pass


class JinjaDictProxy(JinjaGetItemProxy):
    pass


class JinjaCallProxy(JinjaDynamicProxy):
    def __call__(self, *args, **kwargs):
        return self._return_value(self._get_delegate()(*args, **kwargs), relative_path="(...)")


WRAPPERS = [
    (proxy.SequenceProxy, JinjaSequenceProxy),
    (proxy.DictProxy, JinjaDictProxy),
    (proxy.IteratorProxy, JinjaIteratorProxy),
    (proxy.CallProxy, JinjaCallProxy),
]
