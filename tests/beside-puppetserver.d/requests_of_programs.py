"""Requests that load balancers, orchestrators and other programs send."""

import json

P = "/puppet/v3"
E = "environment=production"

# A method, a path, and the client: an administrator, a node, or nobody.
REQUESTS = [
    ("GET", f"{P}/tasks?{E}", "node"),
    ("GET", f"{P}/tasks", "node"),
    ("GET", f"{P}/tasks?environment=missing", "node"),
    ("GET", f"{P}/tasks?environment=a-b", "node"),
    ("GET", f"{P}/tasks?{E}", None),
    *(("GET", f"{P}/tasks/{task}?{E}", "node") for task in (
        "m/init", "m/both", "m/hidden", "m/alone", "m/wrong", "m/Upper", "m/missing", "missing/init", "other/go", "m/both.sh",
        "empty/init")),
    ("GET", f"{P}/tasks/m/both", "node"),
    ("GET", f"{P}/tasks/m/both?environment=missing", "node"),
    ("GET", f"{P}/file_content/tasks/m/both.sh?{E}", "node"),
    ("GET", f"{P}/file_content/tasks/m/missing.sh?{E}", "node"),
    ("GET", f"{P}/file_content/modules/m/helper.sh?{E}", "node"),
    ("GET", f"{P}/plans?{E}", "node"),
    ("GET", f"{P}/plans?{E}", "admin"),
    ("GET", f"{P}/plans/m/init?{E}", "admin"),
    ("GET", f"{P}/environment_transports?{E}", "node"),
    ("GET", f"{P}/environment_transports?{E}", "admin"),
    ("GET", f"{P}/environments", "node"),
    ("GET", "/puppet-admin-api/v1", "admin"),
    ("GET", "/puppet-admin-api/v1/", "node"),
    ("DELETE", "/puppet-admin-api/v1/jruby-pool", "node"),
    ("DELETE", "/puppet-admin-api/v1/jruby-pool", "admin"),
    ("GET", "/puppet-admin-api/v1/jruby-pool/thread-dump", "admin"),
    ("GET", "/puppet-admin-api/v1/jruby-pool/thread-dump", "node"),
    ("DELETE", "/puppet-admin-api/v1/environment-cache", "node"),
    *(("GET", f"/status/v1/simple{service}", None) for service in ("", "/", "/server", "/master", "/ca", "/other")),
    ("GET", "/status/v1/services", None),
    *(("GET", f"/status/v1/services/{service}", None) for service in (
        "server", "master", "ca", "status-service", "jruby-metrics", "puppet-profiler", "other")),
    *(("GET", f"/status/v1/services/{service}?level={level}", None) for service in ("server", "ca")
      for level in ("critical", "info", "debug", "other")),
    ("POST", "/status/v1/simple", None),
    ("GET", "/", None),
    ("GET", "/production/certificate/ca", None),
    ("GET", f"{P}/unknown?{E}", "node"),
    ("GET", "/puppet-ca/v1/unknown", "node"),
    ("GET", "/metrics/v2/list", "node"),
]


def shape(value):
    """Keys and types, for documents whose numbers are of the moment."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return type(value).__name__


def shown(side, method, path, client):
    name = f"{client}.example.org" if client else None
    status, kind, body = side.request(method, path, headers={"Accept": "*/*"}, name=name)
    kind, text = kind.split(";")[0], body.decode(errors="replace")
    # Refusals have texts of their own. puppetserver forbids some routes that do not exist.
    if status in (403, 405) or kind == "text/html" or "no route for" in text:
        return "refused"
    if kind == "application/json":
        document = json.loads(text)
        if path.startswith("/status/v1/services") and status == 200:
            document = shape(document)
        if isinstance(document, list):
            document.sort(key=lambda item: item["name"])
        text = json.dumps(document, indent=1, sort_keys=True)
    # puppetserver leaves the type of some texts out.
    kind = "" if kind == "text/plain" else kind
    return f"{status} {kind}\n{text}".replace(str(side.base.parent), "[dir]")


def cases(real, own):
    return [
        (f"{method} {path} by {client or 'nobody'}", shown(real, method, path, client), shown(own, method, path, client))
        for method, path, client in REQUESTS
    ]
