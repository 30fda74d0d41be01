"""A provider of OpenID Connect that signs in every browser at once, as the same user."""

import base64
import hashlib
import http.server
import json
import pathlib
import ssl
import subprocess
import threading
import time
import urllib.parse

USER, GROUP = "carol", "ops"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider:
    """A provider on a port of its own. `sign_ins` counts the browsers that were sent to it."""

    def __init__(self, work, port, certificate, key):
        self.issuer = f"https://localhost:{port}"
        self.sign_ins = 0
        self.begun = {}
        self.key = pathlib.Path(work, "provider.pem")
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, stderr=subprocess.DEVNULL)
        text = subprocess.run(["openssl", "rsa", "-noout", "-modulus", "-in", self.key], check=True,
                              capture_output=True, text=True).stdout
        self.modulus = encoded(bytes.fromhex(text.strip().removeprefix("Modulus=")))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        server.provider = self
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def settings(self, address, authorities):
        """The table of the server's settings."""
        return (f'[server.oidc]\nissuer = "{self.issuer}"\nclient = "ordain"\naddress = "{address}"\n'
                f'roles = ["{GROUP}=plan"]\nauthorities = "{authorities}"\n')

    def token(self, begun):
        """The signed ID token of a sign-in."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "ordain", "exp": now + 300, "iat": now, "nonce": begun["nonce"],
                  "sub": "1", "preferred_username": USER, "groups": [GROUP]}
        parts = [{"alg": "RS256", "kid": "one", "typ": "JWT"}, claims]
        text = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=text.encode(), check=True,
                                capture_output=True).stdout
        return f"{text}.{encoded(signed)}"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers the requests of the server and of the browser."""

    def do_GET(self):
        provider = self.server.provider
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/.well-known/openid-configuration":
            base = provider.issuer
            self.document(200, {"issuer": base, "authorization_endpoint": f"{base}/authorize",
                                "token_endpoint": f"{base}/token", "jwks_uri": f"{base}/keys"})
        elif url.path == "/keys":
            self.document(200, {"keys": [{"kty": "RSA", "kid": "one", "use": "sig", "n": provider.modulus, "e": "AQAB"}]})
        elif url.path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(url.query))
            provider.sign_ins += 1
            code = f"code{provider.sign_ins}"
            provider.begun[code] = asked
            back = urllib.parse.urlencode({"code": code, "state": asked["state"]})
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self.document(404, {})

    def do_POST(self):
        provider = self.server.provider
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        fields = dict(urllib.parse.parse_qsl(body))
        begun = provider.begun.pop(fields.get("code"), None)
        challenge = encoded(hashlib.sha256(fields.get("code_verifier", "").encode()).digest())
        if begun is None or begun["code_challenge"] != challenge:
            self.document(400, {"error": "invalid_grant"})
        else:
            self.document(200, {"token_type": "Bearer", "id_token": provider.token(begun)})

    def document(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
