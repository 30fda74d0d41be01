"""Answers of the server, and their format."""
import json


def json_encode(value, tz_aware=True):
    from inmanta.util import internal_json_encoder
    return json.dumps(value, default=internal_json_encoder).replace("</", "<\\/")


class Result:
    """An answer of the server."""

    def __init__(self, code=0, result=None):
        self.code = code
        self.result = result

    def get_result(self):
        if not 200 <= self.code < 300:
            raise Exception("The request failed with code %s: %s" % (self.code, self.result))
        return self.result

    def value(self):
        return self.get_result()["data"]
