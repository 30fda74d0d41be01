"""Requests that known programs send, and one for each form of the languages."""

import json


def get(path, query=None, **parameters):
    if query is not None:
        parameters["query"] = query if isinstance(query, str) else json.dumps(query)
    return {"path": path, "parameters": parameters}


def post(path, body):
    return {"path": path, "body": body if isinstance(body, str) else json.dumps(body)}


def requests():
    from data import NODES

    node = NODES[0]
    listed = []
    for path in ("nodes", "facts", "resources", "edges", "inventory", "factsets", "fact-contents", "fact-paths", "fact-names",
                 "catalogs", "reports", "events", "environments", "producers", "packages", "package-inventory",
                 "catalog-inputs", "catalog-input-contents"):
        listed.append(get("/" + path))
        listed.append(get("/" + path, include_total="true", limit="2"))
    for path in (f"nodes/{node}", f"nodes/{node}/facts", f"nodes/{node}/facts/kernel", f"nodes/{node}/facts/kernel/Linux",
                 f"nodes/{node}/resources", f"nodes/{node}/resources/File", f"nodes/{node}/resources/Class/main",
                 "nodes/none", "nodes/none/facts", "nodes/gone.example.com", "nodes/gone.example.com/facts",
                 f"catalogs/{node}", "catalogs/none", "catalogs/no-catalog.example.com", f"catalogs/{node}/resources", f"catalogs/{node}/edges",
                 f"catalogs/{node}/resources/File", f"factsets/{node}", "factsets/none", f"factsets/{node}/facts",
                 "facts/kernel", "facts/kernel/Linux", "facts/none", "facts/os", "facts/uptime_seconds/5", "resources/File", "resources/Class/main",
                 "resources/File/%2Fetc%2Fmotd", "reports/none/events", "reports/none/logs", "environments/production", "environments/none",
                 "environments/production/facts", "environments/production/facts/kernel", "environments/production/resources/Class",
                 "environments/production/reports", "environments/production/events", "environments/none/facts",
                 "producers/puppet1.example.com", "producers/none", "producers/puppet1.example.com/factsets",
                 "producers/puppet1.example.com/catalogs", "producers/puppet1.example.com/reports",
                 f"package-inventory/{node}", "package-inventory/none", "nonsense", "nodes/a/b", "events/x"):
        listed.append(get("/" + path))
    for by in ("resource", "containing_class", "certname", "nonsense"):
        listed.append(get("/event-counts", summarize_by=by))
        listed.append(get("/aggregate-event-counts", summarize_by=by))
        listed.append(get("/event-counts", ["=", "latest_report?", True], summarize_by=by, count_by="certname"))
        listed.append(get("/event-counts", ["=", "latest_report?", True], summarize_by=by))
        listed.append(get("/aggregate-event-counts", ["=", "latest_report?", True], summarize_by=by))
    listed += [
        get("/event-counts"), get("/aggregate-event-counts", summarize_by="resource,certname"),
        get("/event-counts", summarize_by="certname", counts_filter='[">","failures",0]'),
        get("/event-counts", summarize_by="certname", counts_filter='["=","nonsense",0]'),
        get("/event-counts", summarize_by="certname", counts_filter='[">","nonsense",0]'),
        get("/event-counts", ["and", ["=", "latest_report?", True], ["~", "certname", "0"]], summarize_by="certname",
            counts_filter='[">","successes",0]', include_total="true"),
        get("/event-counts", summarize_by="certname", order_by='[{"field":"certname","order":"desc"}]', include_total="true"),
        get("/event-counts", summarize_by="certname", order_by='[{"field":"nonsense"}]'),
        get("/event-counts", summarize_by="certname", count_by="nonsense"),
        get("/events", distinct_resources="true", distinct_start_time="2026-11-20T00:00:00Z", distinct_end_time="2026-11-21T00:00:00Z"),
        get("/events", ["=", "status", "failure"], distinct_resources="true", distinct_start_time="2026-11-20T00:00:00Z",
            distinct_end_time="2026-11-21T00:00:00Z"),
        get("/event-counts", summarize_by="resource", distinct_resources="true", distinct_start_time="2026-11-20T00:00:00Z",
            distinct_end_time="2026-11-21T00:00:00Z"),
        get("/events", distinct_resources="true"), get("/events", distinct_start_time="x", distinct_end_time="y"),
        get("/events", distinct_resources="true", distinct_start_time="x", distinct_end_time="y"),
        get("/events", distinct_start_time="x"),
        get("/nodes", limit="x"), get("/nodes", limit="0"), get("/nodes", offset="-1"), get("/nodes", offset="1"), get("/nodes", order_by="x"),
        get("/nodes", order_by="{}"), get("/nodes", order_by="5"), get("/nodes", order_by='[{"field":"certname","order":"up"}]'), get("/nodes", order_by='[{"order":"asc"}]'),
        get("/nodes", order_by='[{"field":"certname","x":1}]'), get("/nodes", order_by='[{"field":"nonsense"}]'), get("/nodes", order_by='["certname"]'),
        get("/nodes", order_by='[{"field":"latest_report_status","order":"desc"},{"field":"certname"}]'),
        get("/nodes", order_by='[{"field":"report_timestamp"},{"field":"certname"}]'),
        get("/facts", ["=", "name", "mixed"], order_by='[{"field":"value"},{"field":"certname"}]'),
        get("/facts", ["=", "name", "load"], order_by='[{"field":"value","order":"desc"},{"field":"certname"}]'),
        get("/nodes", nonsense="1"), get("/nodes", pretty="true"), get("/nodes", include_facts_expiration="true"),
        get("/factsets", include_package_inventory="true"), get("/nodes", explain="x"), get("/nodes", ""), get(""), get("", ""), get("", "[]"),
        get("", "nodes{}", ast_only="true"), get("", '["from","nodes",["=","certname","a"]]', ast_only="true"),
        get("", 'nodes[certname]{facts{name="kernel"} or certname ~ "a" and !certname in ["x",\'y\']}', ast_only="true"),
        get("", "reports[count(),status]{group by status}", ast_only="true"), get("", "nonsense{}"), get("", '["from","nonsense"]'),
        get("", '["from","nodes"] 5'), get("", '{"a":1}'), get("", '["from","nodes",5]'), get("", '["from","nodes",["=","certname","a"],5]'), get("", '["nodes"]'), get("", "5"),
        post("", {"query": "nodes{}"}), post("", {"query": ["from", "nodes", ["=", "certname", node]]}), post("", "x"), post("", "[]"), post("", "{}"),
        post("/nodes", {"query": ["=", "certname", node], "order_by": [{"field": "certname"}], "limit": 1, "include_total": True}),
        post("/nodes", {"query": '["~","certname","a"]', "limit": "x"}), post("/nodes", {"limit": 1}), post("/nodes", {"nonsense": 1}),
        post("/nodes", {"order_by": "x"}),
    ]
    # Puppet's terminus.
    listed += [
        get("/resources", ["and", ["=", "type", "Nagios_host"], ["=", "exported", True], ["not", ["=", "certname", node]]]),
        get("/resources", ["and", ["=", "type", "File"], ["=", "exported", False], ["or", ["=", "tag", "Base"], ["=", "title", "/etc/motd"]]]),
        get("/nodes", ["and", ["=", ["fact", "kernel"], "Linux"], [">", ["fact", "uptime_seconds"], 1000]]),
        get("/nodes", ["=", ["fact", "mixed"], "5"]), get("/nodes", ["=", ["fact", "mixed"], 5]), get("/nodes", ["=", ["fact", "mixed"], True]),
        get("/nodes", [">", ["fact", "mixed"], "5"]), get("/nodes", ["~", ["fact", "role"], "W.*"]), get("/nodes", ["=", ["fact", "dotted.name"], "x"]),
        post("", {"query": "inventory[certname]{facts.os.family = 'Debian'}"}),
    ]
    # Puppetboard.
    environment = ["=", "catalog_environment", "production"]
    listed += [
        get("/nodes", ["extract", [["function", "count"]], ["and", environment]]), get("/resources", ["extract", [["function", "count"]], ["and", ["=", "environment", "production"]]]),
        get("/event-counts", ["=", "latest_report?", True], summarize_by="certname"),
        get("/event-counts", ["and", ["=", "latest_report?", True], ["in", "certname", ["extract", "certname", ["select_nodes", environment]]]], summarize_by="certname"),
        get("/reports", ["extract", [["function", "count"], "status"], ["and", [">=", "producer_timestamp", "2026-11-20"], ["<", "producer_timestamp", "2026-11-21"]], ["group_by", "status"]]),
        get("/nodes", ["and", environment, ["or", ["null?", "report_timestamp", True], ["<=", "report_timestamp", "2026-11-20T10:00:00Z"]]]),
        get("/nodes", ["and", ["null?", "catalog_timestamp", False]]),
        get("/reports", ["and", ["=", "environment", "production"], ["=", "certname", node]], order_by='[{"field":"start_time","order":"desc"}]', limit="10", offset="0", include_total="true"),
        get("/reports", ["and", ["or", ["~", "certname", "web"], ["~", "puppet_version", "7"], ["~", "configuration_version", "v"]]], order_by='[{"field":"hash","order":"asc"}]'),
        get("/facts", ["and", ["or", ["=", "name", "kernel"], ["=", "name", "os"], ["=", "name", "role"]]]), get("/facts/kernel", environment),
        get("/facts/kernel", ["=", "environment", "production"]), get("/facts", ["and", ["=", "name", "uptime_seconds"], [">", "value", 1000]]),
        get("/nodes", ["in", "certname", ["from", "resources", ["extract", "certname", ["and", ["=", "type", "Class"], ["=", "title", "Profile::Base"]]]]]),
        get("/nodes", ["=", "latest_report_status", "failed"]), get("/fact-names", limit="3"), get("/fact-names", order_by='[{"field":"name","order":"desc"}]'),
    ]
    # One for each form.
    for query in FORMS:
        listed.append(get("", query))
    for entity, query in CONDITIONS:
        listed.append(get("/" + entity, query))
    return listed


FORMS = [
    "nodes{certname=\"a\"}", "nodes {certname = 'a'}", " nodes { } ", "nodes[]{}", "nodes[certname]{limit 2}", "nodes[certname]{order by certname limit 2 offset 1}",
    "nodes[certname]{certname ~ 'web' order by certname desc, report_timestamp asc limit 3}", "nodes[certname]{order by certname, asc}", "nodes{limit x}", "nodes{order by}",
    "facts[name, count(value)]{group by name}", "facts[value, count()]{name='kernel' group by value}", "facts[count(*)]{}", "nodes[count()]{}", "nodes[count(),certname]{}",
    "reports[to_string(producer_timestamp, 'YYYY-MM-DD HH24:MI'), count()]{group by to_string(producer_timestamp, 'YYYY-MM-DD HH24:MI')}",
    "reports[to_string(producer_timestamp, 'FMDay, DDth Month YYYY')]{}", "reports[to_string(start_time,'IYYY-IW-ID Q J')]{}", "reports[to_string(start_time)]{}",
    "reports[max(end_time)]{}", "reports[avg(report_format), sum(report_format), min(report_format)]{}", "nodes[min(certname),max(certname)]{}", "resources[sum(line)]{}", "resources[avg(line), type]{group by type}",
    "nodes{facts{name='kernel' and value='Linux'}}", "nodes{!facts{name='role'}}", "nodes{resources{type='Class'} and !reports{status='failed'}}", "facts{nodes{certname='single'}}",
    "nodes{environments{name='production'}}", "nodes{package_inventory{package_name='bash'}}", "reports{events{status='failure'}}", "events{reports{status='failed'}}", "facts{}", "nodes{facts{}}",
    "nodes{certname in facts[certname]{name='role'}}", "[certname] in facts[certname]{}", "nodes{[certname] in facts[certname]{name='role'}}", "facts{[certname,name] in fact_contents[certname,name]{value='web'}}",
    "nodes{certname in ['single', 'x']}", "nodes{certname in []}", "nodes{certname in facts{name='role'}}", "nodes{certname in facts[name]{}}", "nodes{certname in facts[certname,name]{}}",
    "inventory{facts.os.family='Debian'}", "inventory[facts.os.family, certname]{}", "inventory[facts.os, facts.kernel]{facts.kernel='Linux'}", "inventory[facts.tags[0]]{}", "inventory[count(), facts.os.family]{group by facts.os.family}",
    "inventory{facts.disks[0].size = 2}", "inventory{facts.\"dotted.name\".\"in.ner\" = 'x'}", "inventory[certname]{facts.match(\"o.*\").family ~ 'D'}", "inventory{trusted.extensions.pp_role='a'}",
    "inventory[certname,facts.\"dotted.name\".\"in.ner\"]{}", "inventory{facts.os.family in ['Debian']}", "inventory{facts.uptime_seconds > 1000}", "inventory{facts.mixed < 6}", "inventory{facts.mixed >= 5}",
    "inventory{facts.os ~ 'Debian'}", "inventory{facts.role is null}", "inventory{facts.nothing is null}", "inventory{facts.nothing is not null}", "inventory{facts is not null}", "inventory{facts.trusted.certname ~ 'web'}",
    "resources[title]{parameters.ensure='file'}", "resources[title,parameters.ensure]{type='File'}", "resources{parameters.message.b[1]=2.5}", "resources{!(parameters.x=1)}", "resources{parameters.x is null}", "resources{parameters.ensure is not null}",
    "fact_contents{path ~> ['os','.*']}", "fact_contents{path = ['os','family']}", "fact_contents{path ~> ['tags', '1']}", "fact_paths{path ~> ['o.*','.*']}", "fact_paths{path ~ 'os'}", "fact_contents{path ~ 'os'}", "fact_paths{depth = 1}", "fact_paths{depth > 1 and type='string'}", "fact_paths[name]{}", "fact_paths[depth]{}",
    "facts{value = 5}", "facts{value = '5'}", "facts{value = 5.0}", "facts{value = true}", "facts{value > 5}", "facts{value ~ '^5'}", "facts{value in ['5', 5]}", "facts{value is null}", "facts{name='mixed' and !(value=5)}", "facts{name='mixed' and !(value ~ '5')}",
    "events{latest_report? = true}", "reports{latest_report? = true}", "nodes{latest_report? = true}", "reports{type='any'}", "reports{type='plan'}", "events[count()]{reports{type='any'}}", "reports{!type='agent'}",
    "nodes{node_state='inactive'}", "nodes{node_state='any'}", "nodes{node_state='x'}", "facts[certname]{node_state='inactive' and name='kernel'}", "nodes{certname ~ '('}", "nodes{certname !~ 'web'}", "nodes{certname != 'single'}", "reports{code_id !~ 'x'}", "reports{code_id != 'x'}",
    "nodes{certname = 5}", "nodes{certname > 'a'}", "nodes{report_timestamp > 'x'}", "nodes{report_timestamp > '2026-11-20'}", "nodes{nonsense = 1}", "nodes[nonsense]{}", "nodes[certname,nonsense,other]{}", "nodes{facts.os='x'}", "nodes[facts.os]{}", "nodes{tags='x'}", "resources{tags='base'}", "resources{tag='Base'}", "resources{tag ~ 'ba'}", "resources{tags ~ 'ba'}", "resources[tag]{}", "resources{line='5'}", "resources{line > 5}", "resources{line ~ '5'}", "resources{exported='true'}", "resources{exported=true}", "resources{tags in ['base']}", "resources{line in [5]}", "resources{file is null}",
    "nodes{certname='a'or certname='b'}", "nodes{certname='a' or certname='b' and certname='c'}", "nodes{(certname='a')or(certname='b')}", "nodes{!certname='a' and certname~'b'}", "nodes{!!certname='a'}", "nodes{certname = \"a\\u0041\"}", "nodes{certname = \"a\\n\"}", "nodes{certname='it\\'s'}", "nodes{certname=\"a\nb\"}", "nodes{certname=true}", "nodes{certname=1.5e3}", "nodes{certname=-1}", "nodes{certname=99999999999999999999}", "nodes{certname ~> ['a']}", "nodes{", "nodes", "nodes}", "nodes{certname}", "nodes{certname=}", "nodes{certname 'a'}", "nodes{and}", "nodes{certname='a' and}", "nodes[certname", "nodes[certname,]{}", "nodes{} x", "Nodes{}", "nodes{limit 1 limit 2}", "nodes{limit 1 group by certname}", "nodes[certname]{group by certname limit 1}", "nodes[certname]{group by nonsense}", "catalog_inputs{}", "producers{}", "nodes{certname = 'a' limit 1 offset 0 order by certname}", "nodes{limit=1}", "nodes{ certname is null }", "nodes{certname is  null}", "catalogs[certname,version]{}", "catalogs[edges]{certname='single'}", "edges{source_type='Class'}", "environments{}", "package_inventory{package_name='openssl'}", "packages[version]{package_name='openssl'}", "factsets[certname,hash]{}", "reports[metrics]{certname='single'}",
]

CONDITIONS = [
    ("nodes", ["=", "certname"]), ("nodes", ["=", "certname", "a", "b"]), ("nodes", ["and"]), ("nodes", ["or"]), ("nodes", ["not"]), ("nodes", ["not", ["=", "certname", "a"], ["=", "certname", "b"]]),
    ("nodes", ["foo", "certname", "a"]), ("nodes", []), ("nodes", [[]]), ("nodes", ["and", []]), ("nodes", ["AND", ["=", "certname", "single"], ["~", "certname", "s"]]), ("nodes", ["="]), ("nodes", "certname"), ("nodes", {"a": 1}),
    ("nodes", ["in", "certname", ["extract", "certname", ["select_facts", ["=", "name", "role"]]]]), ("nodes", ["in", "certname", ["extract", "certname", ["select-facts", ["=", "name", "role"]]]]),
    ("nodes", ["in", "certname", ["extract", "certname", ["select_nonsense", ["=", "name", "role"]]]]), ("nodes", ["in", "certname", ["extract", "nonsense", ["select_facts", ["=", "name", "role"]]]]),
    ("nodes", ["in", "nonsense", ["extract", "certname", ["select_facts", ["=", "name", "role"]]]]), ("nodes", ["in", "certname", ["extract", "certname", ["select_facts"]]]), ("nodes", ["in", "certname", ["from", "facts", ["extract", "certname", ["=", "name", "role"]]]]),
    ("nodes", ["in", "certname", ["from", "facts", ["extract", "certname"], ["limit", 3], ["order_by", ["certname"]]]]), ("nodes", ["in", "certname", ["array", ["single", "x"]]]), ("nodes", ["in", "certname", ["array", "single"]]), ("nodes", ["in", "certname", ["array", []]]), ("nodes", ["in", "certname", "x"]),
    ("nodes", ["extract", "certname"]), ("nodes", ["extract", ["certname", "report_timestamp"], ["=", "certname", "single"]]), ("nodes", ["extract", ["function", "count"]]), ("nodes", ["extract", [["function", "count"]]]), ("nodes", ["extract", [["function", "nonsense"]]]), ("nodes", ["extract", [["function", "avg", "certname"]]]), ("nodes", ["extract", "certname", ["foo", "x", "y"]]),
    ("nodes", ["extract", [["function", "count"], ["function", "count", "certname"]]]), ("nodes", ["extract", [["function", "count"], "facts_environment"], ["~", "certname", ".*"], ["group_by", "facts_environment"]]), ("nodes", ["extract", [["function", "count"], "facts_environment"], ["group_by", "facts_environment"]]), ("nodes", ["extract", [["function", "count"], "facts_environment"]]), ("nodes", ["extract", ["certname"], ["group_by", "nonsense"]]),
    ("nodes", ["subquery", "facts", ["=", "name", "role"]]), ("nodes", ["subquery", "nonsense", ["=", "name", "role"]]), ("packages", ["subquery", "facts", ["=", "name", "role"]]), ("nodes", ["null?", "certname"]), ("nodes", ["null?", "nonsense", True]), ("nodes", ["null?", "deactivated", True]), ("nodes", ["=", "deactivated", None]), ("nodes", ["=", "certname", None]), ("nodes", ["=", ["node", "active"], True]), ("nodes", ["=", ["node", "active"], False]), ("nodes", ["or", ["=", ["node", "active"], True], ["=", ["node", "active"], False]]), ("nodes", ["~", ["node", "active"], True]), ("nodes", ["=", ["nonsense", "x"], 1]), ("facts", ["=", ["function", "jsonb_typeof", "value"], "number"]), ("facts", ["=", ["function", "avg", "value"], 5]), ("facts", ["=", ["function", "to_string", "value"], 5]), ("facts", ["=", ["function", "nonsense", "value"], 5]), ("facts", ["=", ["function", "jsonb_typeof"], "number"]), ("facts", ["extract", [["function", "avg", "value"]], ["=", "name", "uptime_seconds"]]), ("facts", ["extract", [["function", "sum", "value"], ["function", "min", "value"], ["function", "max", "value"]], ["=", "name", "uptime_seconds"]]), ("facts", ["extract", ["name", ["function", "jsonb_typeof", "value"]], ["=", "name", "mixed"]]), ("facts", ["=", "value", ["a"]]), ("facts", ["=", "value", {"a": 1}]), ("facts", [">", "name", "a"]), ("facts", [">", "value", "5"]), ("facts", ["~>", "name", ["a"]]), ("fact-contents", ["~>", "path", ["disks", 0, ".*"]]), ("fact-contents", ["=", "path", ["disks", 0, "size"]]), ("fact-contents", ["=", "path", ["disks", "0", "size"]]), ("fact-contents", ["in", "path", ["array", [["disks", 0, "size"], ["kernel"]]]]), ("fact-paths", ["in", "path", ["array", [["os", "family"], ["kernel"]]]]), ("fact-paths", ["=", "path", ["os", "family"]]), ("fact-contents", ["in", "path", ["extract", "path", ["select_fact_paths", ["=", "type", "integer"]]]]),
    ("resources", ["=", ["parameter", "ensure"], "file"]), ("resources", ["~", ["parameter", "ensure"], "fi.*"]), ("resources", ["~", ["parameter", "mode"], "file"]), ("resources", ["=", ["parameter", "enable"], True]), ("resources", ["=", ["parameter", "weight"], 1]), ("resources", ["not", ["=", ["parameter", "ensure"], "file"]]), ("nodes", ["=", ["parameter", "ensure"], "file"]), ("resources", ["=", "type", "any"]), ("resources", ["not", ["=", "type", "any"]]), ("resources", ["and", ["=", "type", "any"], ["=", "title", "main"]]), ("resources", ["=", "line", None]), ("resources", ["not", ["=", "parameters.x", 1]]), ("events", ["=", "new_value", "present"]), ("events", ["=", "new_value", 5]), ("events", ["~", "new_value", "pres"]), ("events", ["~", "old_value", ".*"]), ("events", ["=", "new_value", ["a"]]), ("events", ["null?", "new_value", True]), ("events", ["=", "containment_path", "Profile::Base"]), ("events", ["~", "containment_path", "^Prof"]), ("events", ["not", ["=", "latest_report?", True]]), ("reports", ["=", "latest_report?", False]), ("nodes", ["=", "latest_report?", True]), ("reports", ["=", "type", "any"]), ("reports", ["or", ["=", "type", "plan"], ["=", "status", "failed"]]), ("nodes", ["in", "certname", ["extract", "certname", ["select_reports", ["=", "status", "failed"]]]]), ("nodes", ["in", "certname", ["from", "reports", ["extract", "certname", ["=", "type", "plan"]]]]), ("inventory", ["=", "facts.os.family", "Debian"]), ("inventory", ["extract", ["facts.os.family", ["function", "count"]], ["group_by", "facts.os.family"]]), ("inventory", ["in", "facts.kernel", ["array", ["Linux"]]]), ("nodes", ["in", ["fact", "kernel"], ["array", ["Linux", 5]]]), ("nodes", ["in", ["fact", "kernel"], ["array", ["Linux"]]]), ("facts", ["in", ["certname", "name"], ["extract", ["certname", "name"], ["select_fact_contents", ["=", "value", "web"]]]]), ("catalogs", ["=", "edges", "x"]), ("factsets", ["=", "facts", "x"]), ("inventory", ["=", "facts", "x"]), ("inventory", ["null?", "facts", False]), ("environments", ["=", "name", "production"]), ("environments", ["subquery", "facts", ["=", "name", "kernel"]]), ("producers", ["~", "name", "1"]), ("environments", ["=", "node_state", "active"]),
]
