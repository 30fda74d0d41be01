"""Commands that fill both programs with the same nodes."""

import datetime
import random
import uuid

BASE = datetime.datetime(2026, 11, 20, 8, 0, 0, tzinfo=datetime.timezone.utc)
ENVIRONMENTS = ["production", "staging", "test_1"]
PRODUCERS = ["puppet1.example.com", "puppet2.example.com"]
NODES = [f"{kind}{number}.example.{domain}" for kind in ("web", "db", "Mail") for number in range(1, 5)
         for domain in (("com",) if number % 2 else ("org",))] + ["single", "no-catalog.example.com"]
DEACTIVATED = "gone.example.com"


def time(minutes, micros=0):
    moment = BASE + datetime.timedelta(minutes=minutes, microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def identifier(rng):
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def facts(rng, node, number):
    family = rng.choice(["Debian", "RedHat", "Suse"])
    values = {
        "kernel": "Linux", "hostname": node.split(".")[0], "uptime_seconds": rng.randrange(10, 2_000_000),
        "load": rng.choice([0.25, 1.5, 12.0, 3]), "is_virtual": rng.random() < 0.5, "empty": "",
        "role": rng.choice(["web", "db", "WEB", "a b", "é", "5"]),
        "os": {"family": family, "name": family, "release": {"major": str(rng.randrange(7, 13)), "full": "12.5"},
               "selinux": {"enabled": False}},
        "networking": {"interfaces": {"eth0": {"ip": f"10.0.{number}.1", "mtu": 1500, "bindings":
                                               [{"address": f"10.0.{number}.1", "netmask": "255.255.255.0"}]},
                                      "lo": {"ip": "127.0.0.1", "mtu": 65536}}, "fqdn": node},
        "disks": [{"size": rng.randrange(1, 5)}, {"size": 2.5}], "tags": ["a", "b", number, True, None],
        "mixed": rng.choice(["5", 5, 5.0, True, "true", None, [5], {"a": 5}, 10, "10"]),
        "dotted.name": {"in.ner": "x", "0": "zero"}, "nothing": None, "big": 9007199254740993,
        "empty_hash": {}, "empty_list": [],
        "trusted": {"certname": node, "authenticated": "remote", "extensions": {"pp_role": rng.choice(["a", "b"])}},
    }
    if rng.random() < 0.3:
        del values["role"]
    return {
        "command": "replace facts", "version": 5,
        "payload": {"certname": node, "environment": rng.choice(ENVIRONMENTS), "values": values,
                    "producer_timestamp": time(number, number), "producer": rng.choice(PRODUCERS),
                    "package_inventory": [["openssl", f"3.0.{rng.randrange(3)}", "apt"], ["bash", "5.2", "apt"],
                                          [f"p{number}", "1", "gem"]]},
    }


def resources(rng, node, number):
    def resource(kind, title, parameters, **more):
        tags = sorted({kind.lower(), title.lower() if title.isalnum() else "x", "class", rng.choice(["base", "extra"])})
        return {"type": kind, "title": title, "aliases": [], "exported": False, "file": "/etc/puppet/site.pp",
                "line": rng.randrange(1, 90), "tags": tags, "parameters": parameters, **more}

    listed = [
        resource("Stage", "main", {}, file=None, line=None), resource("Class", "main", {}, file=None, line=None),
        resource("Class", "Profile::Base", {"message": "hello", "count": number}),
        resource("File", "/etc/motd", {"ensure": "file", "content": f"node {node}\n", "mode": "0644"}),
        resource("File", "/etc/hosts", {"ensure": rng.choice(["file", "absent"]), "backup": False}),
        resource("Package", "ntp", {"ensure": "installed", "install_options": ["-y", {"a": 1}]}),
        resource("Notify", "hello world", {"message": {"a": 1, "b": [1, 2.5, None]}, "loglevel": "notice"}),
        resource("Service", "ssh", {"ensure": "running", "enable": True, "weight": rng.choice([1, 2.5, 10])}),
        resource("Nagios_host", node, {"address": f"10.0.{number}.1", "use": "generic"}, exported=True),
    ]
    return [r for r in listed if r["type"] != "Package" or number % 3]


def catalog(rng, node, number):
    listed = resources(rng, node, number)
    edges = [{"source": {"type": "Stage", "title": "main"}, "target": {"type": "Class", "title": "main"},
              "relationship": "contains"}]
    for r in listed[3:]:
        edges.append({"source": {"type": "Class", "title": "Profile::Base"},
                      "target": {"type": r["type"], "title": r["title"]}, "relationship": "contains"})
    edges.append({"source": {"type": "File", "title": "/etc/motd"}, "target": {"type": "Service", "title": "ssh"},
                  "relationship": rng.choice(["notifies", "before"])})
    return {
        "command": "replace catalog", "version": 9,
        "payload": {"certname": node, "version": str(1000 + number), "environment": rng.choice(ENVIRONMENTS),
                    "transaction_uuid": identifier(rng), "catalog_uuid": identifier(rng),
                    "code_id": rng.choice([None, "abc123"]), "job_id": rng.choice([None, "7"]),
                    "producer_timestamp": time(number + 1), "producer": rng.choice(PRODUCERS),
                    "edges": edges, "resources": listed},
    }


def report(rng, node, number, run):
    minutes = 100 + run * 30 + number
    status = rng.choice(["changed", "unchanged", "failed"])
    kinds = []
    for index in range(rng.randrange(0, 5)):
        outcome = rng.choice(["success", "failure", "noop", "skipped"])
        file = rng.choice([None, "/etc/puppet/site.pp"])
        event = {"status": outcome, "timestamp": time(minutes, index * 1000), "name": rng.choice(["ensured", None]),
                 "property": rng.choice(["ensure", "content", None]), "message": rng.choice(["did it", None]),
                 "new_value": rng.choice(["present", 5, None, ["a"], {"x": 1}]), "old_value": rng.choice(["absent", True]),
                 "corrective_change": None}
        kinds.append({
            "skipped": outcome == "skipped", "timestamp": time(minutes), "resource_type": rng.choice(["File", "Service"]),
            "resource_title": rng.choice(["/etc/motd", "ssh", "hello world"]), "file": file,
            "line": 5 if file else None, "containment_path": ["Stage[main]", rng.choice(["Profile::Base", "Other"]), "x"],
            "corrective_change": None, "events": [event]})
    return {
        "command": "store report", "version": 8,
        "payload": {"certname": node, "environment": rng.choice(ENVIRONMENTS), "puppet_version": rng.choice(["7.23.0", "8.4.0"]),
                    "report_format": rng.choice([10, 12]), "configuration_version": f"v{run}", "start_time": time(minutes),
                    "end_time": time(minutes + 1), "producer_timestamp": time(minutes + 2), "producer": rng.choice(PRODUCERS),
                    "resources": kinds, "metrics": [{"category": "time", "name": "total", "value": 1.5 + run}],
                    "logs": [{"file": None, "line": None, "level": "notice", "message": f"run {run}", "source": "Puppet",
                              "tags": ["notice"], "time": time(minutes)}],
                    "transaction_uuid": identifier(rng), "catalog_uuid": identifier(rng), "code_id": None,
                    "cached_catalog_status": rng.choice(["not_used", "on_failure"]), "status": status,
                    "noop": rng.random() < 0.3, "noop_pending": rng.random() < 0.3, "corrective_change": None,
                    "job_id": None, "type": "plan" if run == 9 else "agent"},
    }


def commands(seed=1):
    """All commands, in the order in which they are sent."""
    rng = random.Random(seed)
    listed = []
    for number, node in enumerate([*NODES, DEACTIVATED]):
        listed.append(facts(rng, node, number))
        if node != "no-catalog.example.com":
            listed.append(catalog(rng, node, number))
        for run in range(rng.randrange(0, 3)):
            listed.append(report(rng, node, number, run))
    listed.append(report(rng, NODES[0], 0, 9))
    for number, node in enumerate(NODES[:3]):
        listed.append({"command": "replace catalog inputs", "version": 1, "payload": {
            "certname": node, "producer_timestamp": time(3 + number), "catalog_uuid": identifier(rng),
            "inputs": [["hiera", "profile::base::message"], ["hiera", f"key{number}"]]}})
    listed.append({"command": "configure expiration", "version": 1, "payload": {
        "certname": NODES[1], "producer_timestamp": time(5), "expire": {"facts": False}}})
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    listed.append({"command": "deactivate node", "version": 3, "payload": {
        "certname": DEACTIVATED, "producer_timestamp": now}})
    return listed
