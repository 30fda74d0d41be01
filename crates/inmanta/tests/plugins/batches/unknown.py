from inmanta.execute.util import Unknown
from inmanta.plugins import plugin

calls = []


def said(text):
    calls.append(text)
    print(len(calls), text)


@plugin
def unknown(text: "string") -> "any":
    said("unknown " + text)
    return Unknown(source=None)


@plugin
def step(number: "int") -> "int":
    said("step %d" % number)
    return number + len(calls)


@plugin(allow_unknown=True)
def shown(value: "any") -> "string":
    text = "not known" if isinstance(value, Unknown) else str(value)
    said("shown " + text)
    return text


@plugin
def address(host: "m::Host") -> "string":
    said("address of " + host.name)
    found = host.address
    said("address is " + found)
    return found


@plugin
def joined(items: "list") -> "string":
    said("joined %d" % len(items))
    return "-".join(items)


@plugin
def nested(text: "string") -> "dict":
    said("nested " + text)
    return {"text": text, "inner": [Unknown(source=None), text]}
