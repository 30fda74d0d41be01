"""Nodes of each state that Puppetboard knows, and the counts that follow."""

import datetime
import uuid

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
PRODUCER = "server.example.org"
RUN_MINUTES = 5

# The environment of each node, the age of its last report in minutes, the status of that report, and
# the statuses of its events. A node without a report has no status.
NODES = {
    "changed.example.org": ("production", 10, "changed", ["success", "success"]),
    "unchanged.example.org": ("production", 11, "unchanged", []),
    "failed.example.org": ("production", 12, "failed", ["failure", "skipped", "skipped"]),
    "noop.example.org": ("production", 13, "noop", ["noop", "noop", "noop"]),
    "late.example.org": ("production", 400, "unchanged", []),
    "silent.example.org": ("production", None, None, []),
    "stage.example.org": ("staging", 15, "changed", ["success"]),
}
GONE = "gone.example.org"
# How many resources the catalog of each node has.
RESOURCES = 4
# The pages of pictures.
PICTURES = {
    "overview": "/", "nodes": "/nodes", "node": "/node/failed.example.org", "reports": "/reports",
    "failures": "/failures", "facts": "/facts", "fact": "/fact/kernel", "inventory": "/inventory",
    "catalogs": "/catalogs", "catalog": "/catalog/changed.example.org", "classes": "/classes",
    "metrics": "/metrics", "radiator": "/radiator",
    "compare": "/catalogs/compare/changed.example.org...failed.example.org",
}


def text(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def ago(minutes):
    return NOW - datetime.timedelta(minutes=minutes)


def members(environment):
    """The nodes of an environment, `*` for all."""
    return [name for name, (own, *_) in NODES.items() if environment in ("*", own)]


def values(node):
    return {
        "kernel": "Linux", "osfamily": "Debian", "architecture": "x86_64", "hostname": node.split(".")[0],
        "fqdn": node, "puppetversion": "8.10.0", "kernelrelease": "6.1.0", "domain": "example.org",
        "processorcount": 4, "is_virtual": True, "path": "/usr/bin:/bin", "nothing": None,
        "os": {"name": "Debian", "family": "Debian", "architecture": "amd64", "release": {"full": "12.5", "major": "12"}},
        "networking": {"ip": "10.0.0.1", "interfaces": {"eth0": {"ip": "10.0.0.1", "mtu": 1500}}},
        "trusted": {"certname": node, "hostname": node.split(".")[0], "authenticated": "remote", "extensions": {}},
    }


def facts(node, environment):
    return {"command": "replace_facts", "version": 5, "payload": {
        "certname": node, "environment": environment, "values": values(node), "producer_timestamp": text(ago(500)),
        "producer": PRODUCER}}


def catalog(node, environment):
    def resource(kind, title, **parameters):
        return {"type": kind, "title": title, "exported": False, "aliases": [], "tags": [kind.lower()],
                "file": "/etc/puppetlabs/code/environments/production/manifests/site.pp", "line": 3,
                "parameters": parameters}

    listed = [resource("Stage", "main"), resource("Class", "Profile::Base"),
              resource("File", "/etc/motd", ensure="file", content=f"{node}\n"),
              resource("Service", "ssh", ensure="running")]
    edges = [{"source": {"type": "Class", "title": "Profile::Base"}, "target": {"type": kind, "title": title},
              "relationship": "contains"} for kind, title in (("File", "/etc/motd"), ("Service", "ssh"))]
    return {"command": "replace_catalog", "version": 9, "payload": {
        "certname": node, "version": "1", "environment": environment, "transaction_uuid": None,
        "catalog_uuid": None, "code_id": None, "job_id": None, "producer_timestamp": text(ago(500)),
        "producer": PRODUCER, "edges": edges, "resources": listed}}


def report(node, environment, minutes, status, events):
    start = ago(minutes + RUN_MINUTES)

    def resource(number, event):
        change = {"status": event, "timestamp": text(start), "property": "ensure", "name": "ensured",
                  "new_value": "file", "old_value": "absent", "message": f"event {number}",
                  "corrective_change": event == "success"}
        return {"skipped": event == "skipped", "timestamp": text(start), "resource_type": "File",
                "resource_title": f"/srv/{number}", "file": None, "line": None, "corrective_change": event == "success",
                "containment_path": ["Stage[main]", "Profile::Base", f"File[/srv/{number}]"], "events": [change]}

    counts = {"events": {"success": "success", "failure": "failure", "noop": "noop"}, "resources": {"skipped": "skipped"}}
    metrics = [{"category": category, "name": name, "value": events.count(event)}
               for category, names in counts.items() for name, event in names.items()]
    metrics += [{"category": "resources", "name": "total", "value": RESOURCES},
                {"category": "time", "name": "total", "value": 1.5}]
    level = "err" if status == "failed" else "notice"
    logs = [{"file": "/etc/puppetlabs/code/environments/production/manifests/site.pp", "line": 3, "level": level,
             "message": f"message of {node}", "source": "/Stage[main]/Profile::Base/File[/srv/0]/ensure",
             "tags": ["file"], "time": text(start)}]
    return {"command": "store_report", "version": 8, "payload": {
        "certname": node, "environment": environment, "puppet_version": "8.10.0", "report_format": 12,
        "configuration_version": "1", "start_time": text(start), "end_time": text(ago(minutes)),
        "producer_timestamp": text(ago(minutes)), "producer": PRODUCER, "metrics": metrics, "logs": logs,
        "resources": [resource(number, event) for number, event in enumerate(events)],
        "transaction_uuid": str(uuid.uuid4()), "catalog_uuid": None, "code_id": None, "job_id": None,
        "cached_catalog_status": "not_used", "noop": status == "noop", "noop_pending": status == "noop",
        "status": "unchanged" if status == "noop" else status, "corrective_change": "success" in events}}


def reports():
    """All reports: the last of each node, and one of a day before."""
    listed = []
    for node, (environment, minutes, status, events) in NODES.items():
        if minutes is not None:
            listed.append(report(node, environment, minutes + 1440, "unchanged", []))
            listed.append(report(node, environment, minutes, status, events))
    return listed


def commands():
    listed = []
    for node in [*NODES, GONE]:
        environment = NODES.get(node, ("production",))[0]
        listed += [facts(node, environment), catalog(node, environment)]
    listed += reports()
    listed.append({"command": "deactivate_node", "version": 3, "payload": {
        "certname": GONE, "producer_timestamp": text(NOW)}})
    return listed


def state(node):
    """The state that Puppetboard shows."""
    _, minutes, status, _ = NODES[node]
    return "unreported" if minutes is None or minutes > 120 else status
