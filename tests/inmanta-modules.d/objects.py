# Keeps JSON objects below paths, as the servers that the modules netbird and kubernetes speak to: a collection is
# listed, an object is made in it, read, replaced and deleted. Objects of kubernetes are found by their names, those
# of netbird by a number.
import http.server
import json
import os
import re
import sys

STATE = os.environ["TOOL_STATE"]
COLLECTION = re.compile(r"/api/(v1/namespaces(/[^/]+/\w+)?|[a-z-]+)")
objects = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")

    def save(self, body):
        with open(STATE, "w") as file:
            json.dump(objects, file, indent=1, sort_keys=True)
        self.answer(200, body)

    def do_GET(self):
        if self.path in objects:
            self.answer(200, objects[self.path])
        elif COLLECTION.fullmatch(self.path) and "/v1/" not in self.path:
            self.answer(200, [value for path, value in objects.items() if path.rpartition("/")[0] == self.path])
        else:
            self.answer(404, {"kind": "Status", "status": "Failure", "code": 404, "message": "not found"})

    def do_POST(self):
        made = self.body()
        if "metadata" in made:
            name = made["metadata"]["name"]
        else:
            name = made["id"] = f"n{len(objects)}"
        objects[f"{self.path}/{name}"] = made
        self.save(made)

    def do_PUT(self):
        objects[self.path] = {**objects[self.path], **self.body()}
        self.save(objects[self.path])

    do_PATCH = do_PUT

    def do_DELETE(self):
        del objects[self.path]
        self.save({})


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
with open(STATE, "w") as file:
    file.write("{}")
print("ready", flush=True)
server.serve_forever()
