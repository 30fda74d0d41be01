from inmanta.plugins import plugin

calls = []


def said(text):
    calls.append(text)
    print(len(calls), text)


@plugin
def step(number: "int") -> "int":
    said("step %d" % number)
    return number + len(calls)


@plugin
def total(host: "m::Host") -> "int":
    said("total of " + host.name)
    found = sum(disk.size for disk in host.disks)
    said("total is %d" % found)
    return found


@plugin
def words(text: "string", *rest: "string", **named: "any") -> "dict":
    said("words " + text)
    return {"text": text, "rest": list(rest), "named": dict(named), "calls": len(calls)}


@plugin
def fail(text: "string") -> "string":
    said("fail " + text)
    raise ValueError("not " + text)


@plugin
def wrong(number: "int") -> "int":
    said("wrong %d" % number)
    return number if number < 2 else "two"
