from inmanta.resources import Resource, resource
from inmanta.plugins import plugin

@plugin
def shift(bits: "int") -> "int":
    return 1 << bits

@resource("m::Big", agent="name", id_attribute="name")
class Big(Resource):
    fields = ("number", "value", "ratio", "twice", "shown")

    @staticmethod
    def get_twice(_, big):
        return [big.number * 2, -big.number]

    @staticmethod
    def get_shown(_, big):
        return {"$i": "5", "$d": [["a", 1]], "n": str(big.number)}
