"""Named types of Python's libraries, checked by the compiler."""
from dataclasses import dataclass


@dataclass
class Regex:
    pattern: str


def regex_string(regex):
    import typing
    return typing.Annotated[str, Regex(regex)]


def parametrize_type(base_type, validation_parameters=None, *, type_name=None):
    return base_type(**validation_parameters) if validation_parameters else base_type


def validate_type(fq_type_name, value, validation_parameters=None):
    import ordain
    from inmanta.execute import proxy
    given = proxy.given(validation_parameters)
    answer = ordain.ask("validate", fq_type_name, proxy.given(value), given)
    if "text" in answer:
        raise TypeError(answer["text"])
    if not answer["v"]:
        raise ValueError("%r is no %s" % (value, fq_type_name))
