# Notes the bodies of requests.
import http.server
import json
import os
import sys

STATE = os.environ["TOOL_STATE"]


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

    def do_POST(self):
        with open(STATE, "a") as file:
            file.write(f"{self.path} {self.headers['X-Of']} {json.dumps(self.body())}\n")
        self.answer(201, {"is_made": True})


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("ready", flush=True)
server.serve_forever()
