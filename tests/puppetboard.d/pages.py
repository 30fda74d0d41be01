"""Requests every page of Puppetboard within this process, and compares the counts on them."""

import collections
import html
import json
import re
import sys
import warnings

warnings.simplefilter("ignore")

import fleet  # noqa: E402
from puppetboard.app import app  # noqa: E402

ENVIRONMENTS = ("production", "staging", "*")
app.config["WTF_CSRF_ENABLED"] = False
client = app.test_client()
asked = {}
mistakes = []


def get(path, **options):
    """The text of a page; each is requested once."""
    if path not in asked or options:
        answer = client.get(path, follow_redirects=True, **options)
        asked[path] = answer.get_data(as_text=True)
        if answer.status_code != 200:
            mistakes.append(f"{path}: {answer.status_code}")
    return asked[path]


def table(path):
    """The document of a page in JSON."""
    nothing = {"recordsTotal": None, "data": [], "result": []}
    try:
        return nothing | json.loads(get(path))
    except ValueError as error:
        mistakes.append(f"{path}: {error}")
        return nothing


def words(page):
    """The text of a page without tags."""
    page = re.sub(r"(?s)<(script|style).*?</\1>", " ", page)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def expect(what, found, expected):
    if found != expected:
        mistakes.append(f"{what}: {found!r} instead of {expected!r}")


def overview(environment):
    path = f"/{environment}/"
    text = words(get(path))
    members = fleet.members(environment)
    states = collections.Counter(map(fleet.state, members))
    found = {}
    for state, pattern in {
        "failed": r"(\d+) nodes? with status failed", "noop": r"(\d+) nodes? with status pending",
        "changed": r"(\d+) nodes? with status changed", "unchanged": r"(\d+) nodes? with status unchanged",
        "unreported": r"(\d+) nodes? unreported in", "nodes": r"(\d+) Population",
        "resources": r"(\d+) Resources managed", "average": r"(\d+) Avg. resources/node",
    }.items():
        match = re.search(pattern, text)
        found[state] = int(match.group(1)) if match else None
    known = ("failed", "noop", "changed", "unchanged", "unreported")
    expected = {state: states[state] for state in known}
    expected |= {"nodes": len(members), "resources": fleet.RESOURCES * len(members), "average": fleet.RESOURCES}
    expect(path, found, expected)
    listed = set(re.findall(r"/node/([^\"/]+)\"", get(path)))
    expect(f"{path} lists", listed, {node for node in members if fleet.state(node) != "unchanged"})
    answer = client.get(f"/{environment}/radiator", headers={"Accept": "application/json"}, follow_redirects=True)
    radiator = answer.get_json() or collections.Counter()
    expect(f"/{environment}/radiator", answer.status_code, 200)
    expect(f"{path}radiator", {state: radiator[state] for state in known}, {state: states[state] for state in known})
    get(f"/{environment}/radiator")


def nodes(environment):
    members = fleet.members(environment)
    for state in (None, "failed", "changed", "unchanged", "noop", "unreported"):
        path = f"/{environment}/nodes" + (f"?status={state}" if state else "")
        listed = set(re.findall(r"/node/([^\"/]+)\"", get(path)))
        expect(path, listed, {node for node in members if state in (None, fleet.state(node))})
    page = get(f"/{environment}/nodes")
    for row in re.findall(r"(?s)<tr>.*?</tr>", page):
        node = re.search(r"/node/([^\"/]+)\"", row)
        if node:
            *_, events = fleet.NODES[node.group(1)]
            counts = [int(number) for number in re.findall(r">\s*(\d+)\s*</", row) if number != "0"]
            if fleet.state(node.group(1)) != "unreported":
                expect(f"events of {node.group(1)}", sorted(counts), sorted(collections.Counter(events).values()))


def node_pages(node):
    environment, minutes, _, events = fleet.NODES[node]
    for of in (environment, "*"):
        expect(f"/{of}/node/{node}", node in words(get(f"/{of}/node/{node}")), True)
        listed = table(f"/{of}/node/{node}/facts/json")
        expect(f"facts of {node}", len(listed["data"]), len(fleet.values(node)))
        listed = table(f"/{of}/reports/{node}/json")
        expect(f"reports of {node}", listed["recordsTotal"], 0 if minutes is None else 2)
        get(f"/{of}/reports/{node}")
        page = words(get(f"/{of}/catalog/{node}"))
        expect(f"catalog of {node}", all(title in page for title in ("/etc/motd", "Profile::Base", "ssh")), True)
        for other in fleet.members(environment):
            get(f"/{of}/catalogs/compare/{node}...{other}")
        for path in set(re.findall(r"/report/[^\"/]+/[0-9a-f]{40}", json.dumps(listed))):
            for shown in ("", "/friendly", "/raw"):
                page = get(f"/{of}{path}{shown}")
                expect(f"/{of}{path}{shown} has its log", f"message of {node}" in page, True)
    listed = table(f"/{environment}/reports/{node}/json")
    paths = re.findall(r"/report/[^\"/]+/[0-9a-f]{40}", json.dumps(listed["data"][:1]))
    if paths:
        page = get(f"/{environment}{paths[0]}")
        rows = re.findall(r'"resource": "File\[/srv/(\d+)\]", "status": "(\w+)"', page)
        expect(f"events in the last report of {node}", sorted(rows), [(str(i), e) for i, e in enumerate(events)])


def reports(environment):
    path = f"/{environment}/reports/json"
    payloads = [report["payload"] for report in fleet.reports()]
    payloads = [report for report in payloads if environment in ("*", report["environment"])]
    expect(path, table(path)["recordsTotal"], len(payloads))
    expect(f"{path} page", len(table(f"{path}?start=1&length=3")["data"]), min(3, len(payloads) - 1))
    conditions = {
        "failed": lambda r: r["status"] == "failed" and not r["noop"],
        "changed": lambda r: r["status"] == "changed" and not r["noop"],
        "unchanged": lambda r: r["status"] == "unchanged" and not r["noop"] or r["noop"] and not r["noop_pending"],
        "noop": lambda r: r["noop"] and r["noop_pending"],
    }
    for status, condition in conditions.items():
        filtered = f"{path}?columns[1][search][value]={status}"
        expect(filtered, table(filtered)["recordsTotal"], sum(map(condition, payloads)))
    for column in range(5):
        for direction in ("asc", "desc"):
            ordered = table(f"{path}?order[0][column]={column}&order[0][dir]={direction}")
            expect(f"{path} ordered", len(ordered["data"]), len(payloads))
    found = table(f"{path}?search[value]=^(changed|failed)")
    expect(f"{path} found", found["recordsTotal"],
           sum(report["certname"].startswith(("changed", "failed")) for report in payloads))
    least = (fleet.NOW - fleet.datetime.timedelta(hours=20)).strftime("%Y-%m-%dT%H:%M:%SZ")
    dated = table(f'{path}?columns[0][search][value]={{"min":"{least}"}}')
    expect(f"{path} since", dated["recordsTotal"], sum(report["end_time"] >= least for report in payloads))
    for name in ("daily_reports_chart.json", "daily_reports_chart.json?certname=changed.example.org"):
        of_node = [r for r in payloads if "?" not in name or r["certname"] == "changed.example.org"]
        days = table(f"/{environment}/{name}")["result"]
        expected = collections.Counter((r["producer_timestamp"][:10], r["status"]) for r in of_node)
        found = {(day["day"], status): day[status] for day in days for status in ("changed", "unchanged", "failed")}
        expect(f"{environment} {name}", {key: count for key, count in found.items() if count}, dict(expected))
    get(f"/{environment}/reports")
    for shown in ("", "/friendly", "/raw"):
        page = words(get(f"/{environment}/failures{shown}"))
        failing = {node for node in fleet.members("*") if f"message of {node}" in page}
        members = fleet.members(environment)
        expect(f"/{environment}/failures{shown}", failing, {n for n in members if fleet.NODES[n][2] == "failed"})


def facts(environment):
    members = fleet.members(environment)
    page = words(get(f"/{environment}/facts"))
    for name in fleet.values("x"):
        expect(f"/{environment}/facts has {name}", name in page, True)
        get(f"/{environment}/fact/{name}")
        listed = table(f"/{environment}/fact/{name}/json")
        expect(f"/{environment}/fact/{name}", listed["recordsTotal"], len(members))
    for name, value in (("kernel", "Linux"), ("processorcount", 4), ("is_virtual", True)):
        get(f"/{environment}/fact/{name}/{value}")
        path = f"/{environment}/fact/{name}/{value}/json"
        expect(path, table(path)["recordsTotal"], len(members))
    if "/<env>/fact/<path:fact>/children/json" in [rule.rule for rule in app.url_map.iter_rules()]:
        listed = table(f"/{environment}/fact/os.family/json")
        expect("os.family", listed["recordsTotal"], len(members))
        get(f"/{environment}/fact/os/children/json")
    get(f"/{environment}/inventory")
    listed = table(f"/{environment}/inventory/json")
    expect(f"/{environment}/inventory", listed["recordsTotal"], len(members))
    expect(f"/{environment}/inventory", json.dumps(listed).count("8.10.0") == len(members), True)


def catalogs(environment):
    members = fleet.members(environment)
    get(f"/{environment}/catalogs")
    get(f"/{environment}/catalogs/compare/changed.example.org")
    for path in (f"/{environment}/catalogs/json", f"/{environment}/catalogs/compare/changed.example.org/json"):
        expect(path, table(path)["recordsTotal"], len(members))
    get(f"/{environment}/classes")
    listed = table(f"/{environment}/classes/json")
    expect(f"/{environment}/classes", listed["recordsTotal"], 1)
    get(f"/{environment}/class_resource/Profile::Base")
    get(f"/{environment}/class_resource/Profile::Base/json")


def queries(environment):
    path = f"/{environment}/query"
    get(path)
    client.post(path, data={"endpoints": "pql", "query": "nodes {}"})
    everybody = fleet.members("*")
    for endpoint, query, expected in (
        ("pql", "nodes[certname] { order by certname }", everybody),
        ("pql", "nodes[certname] { latest_report_status = 'failed' }", ["failed.example.org"]),
        ("nodes", '"=", "certname", "failed.example.org"', ["failed.example.org"]),
        ("facts", '["=", "name", "kernel"]', ["Linux"]), ("resources", '["=", "type", "Service"]', ["ssh"]),
        ("reports", '["=", "status", "failed"]', ["failed.example.org"]), ("environments", "", ["staging"]),
        ("catalogs", "", []), ("events", '["=", "status", "noop"]', ["noop.example.org"]), ("edges", "", []),
        ("factsets", "", []), ("fact-names", "", []), ("fact-paths", "", []), ("fact-contents", "", []),
        ("event-counts", "", []), ("pql", "nodes {", []),
    ):
        answer = client.post(path, data={"endpoints": endpoint, "query": query, "rawjson": "y"}, follow_redirects=True)
        page = html.unescape(answer.get_data(as_text=True))
        expect(f"{path} {endpoint} {query}", answer.status_code, 200)
        for one in expected:
            expect(f"{path} {endpoint} {query} has {one}", one in page, True)


def metrics(environment):
    page = html.unescape(get(f"/{environment}/metrics"))
    names = set(re.findall(r"puppetlabs\.puppetdb\.population:name=[a-z-]+", page))
    expect("metrics", {"num-nodes", "num-resources"} <= {name.split("=")[1] for name in names}, True)
    for name in names:
        page = words(get(f"/{environment}/metric/{name}"))
        if name.endswith("num-nodes"):
            expect(name, str(len(fleet.members("*"))) in page, True)


def all_rules():
    """Every route is requested: those without an environment have the default one."""
    arguments = {"node": "changed.example.org", "node_name": "changed.example.org", "fact": "kernel", "value": "Linux",
                 "compare": "changed.example.org", "against": "failed.example.org", "env": "production",
                 "class_name": "Profile::Base", "show_error_as": "raw",
                 "metric": "puppetlabs.puppetdb.population:name=num-nodes"}
    found = re.search(r"/report/changed.example.org/([0-9a-f]{40})", get("/production/reports/changed.example.org/json"))
    arguments["report_id"] = found.group(1) if found else "x"
    for rule in app.url_map.iter_rules():
        if "GET" in rule.methods and "filename" not in rule.arguments:
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: arguments[match.group(1)], rule.rule)
            get(path)


def main():
    for environment in ENVIRONMENTS:
        for check in (overview, nodes, reports, facts, catalogs, queries, metrics):
            check(environment)
    for node in fleet.NODES:
        node_pages(node)
    all_rules()
    links = {link for page in list(asked.values()) for link in re.findall(r'href="(/[^"#]*)"', page)}
    for link in sorted(map(html.unescape, links)):
        # A node without reports has a link to the report "False", which leads nowhere.
        if not link.startswith(("/static", "/offline")) and not link.endswith("/False"):
            get(link)
    print(f"{len(asked)} pages, {len(mistakes)} mistakes")
    for mistake in mistakes[:40]:
        print("  " + mistake)
    sys.exit(1 if mistakes else 0)


main()
