"""Graphs, catalogs, plans and models in JSON and XML."""

import json

from common import chain, nest

HEAD = {"format": "ordain-graph", "version": 1, "name": "n", "environment": "e", "classes": [], "tags": [],
        "origins": [{"step": "declaration"}], "aliases": [], "containment": [], "edges": []}


def graph(count, edges, **more):
    """A graph of so many messages with these edges."""
    resources = [{"kind": "Notify", "title": f"n{n}", "containment": "leaf", "origin": 0, "tags": [],
                  "attributes": [{"name": "message", "value": f"m{n}", "origin": 0}]} for n in range(count)]
    edges = [{"from": a, "to": b, "kind": "before", "origin": 0} for a, b in edges]
    return json.dumps(HEAD | {"resources": resources, "edges": edges} | more)


def catalog(count, parameters):
    resources = [{"type": "Notify", "title": f"n{n}", "tags": [], "exported": False, "parameters": parameters(n)} for n in range(count)]
    return json.dumps({"name": "n", "version": 1, "environment": "e", "resources": resources, "edges": [], "classes": [], "tags": []})


def cases(case):
    def document(name, text, verbs=("plan", "graph"), **more):
        for verb in verbs:
            argv = {"plan": ["plan", "in.json", "--root", "r"], "apply": ["apply", "in.json", "--root", "r"], "explain": ["explain", "Notify[n1]", "in.json"],
                    "diff": ["diff", "in.json", "in.json"]}.get(verb, [verb, "in.json"])
            case(f"{name}-{verb}", argv, {"in.json": text, "r/x": ""}, place=False, **more)

    every = ("plan", "apply", "graph", "explain", "diff", "convert")
    document("deep-lists", lambda: nest("[", "]", 90000), every, fails=None)
    document("deep-objects", lambda: nest('{"a":', "}", 90000), every, fails=None)
    document("deep-value", lambda: json.dumps(HEAD | {"resources": []})[:-1] + ',"x":' + nest("[", "]", 90000) + "}")
    document("open", lambda: '{"format":"ordain-graph","resources":' + "[{" * 90000, every)
    document("edges-million", lambda: graph(1001, [(a, b) for a in range(0, 500) for b in range(500, 1000)] * 2))
    document("edges-million-explain", lambda: graph(1001, [(a, b) for a in range(0, 500) for b in range(500, 1000)] * 2), ("explain", "diff"))
    document("cycle", lambda: graph(30000, [(n, (n + 1) % 30000) for n in range(30000)]))
    document("cycle-dense", lambda: graph(500, [(a, b) for a in range(500) for b in range(500) if a != b]))
    document("barriers", lambda: graph(4000, [], version=2, barriers=[{"from": list(range(2000)), "to": list(range(2000, 4000)), "kind": "before", "origin": 0}] * 20), every)
    document("barriers-wrong", lambda: graph(4, [], version=2, barriers=[{"from": [1, 99], "to": [2], "kind": "before", "origin": 0}]), every, fails=None)
    document("edges-wrong", lambda: graph(4, [(1, 4000000000)]), every, fails=None)
    document("newer", lambda: graph(4, [], version=99), every, fails=None)
    document("origins-long", lambda: json.dumps(HEAD | {"resources": [], "origins": [{"step": "declaration"}] + [{"step": "class", "name": "c", "parent": n} for n in range(200000)]}))
    document("value-long", lambda: graph(3, []).replace('"m1"', json.dumps("x" * 9000000)), ("plan", "graph", "explain", "diff"))
    document("value-lines", lambda: graph(3, []).replace('"m1"', json.dumps("line\n" * 900000)), ("plan", "explain"))
    document("value-deep", lambda: graph(3, []).replace('"m1"', nest("[", "]", 100)), ("plan", "explain", "diff"))
    document("integer", lambda: graph(3, []).replace('"m1"', json.dumps({"$integer": "9" * 200000})), ("plan", "explain"))
    document("resources-many", lambda: graph(60000, []))
    document("catalog-many", lambda: catalog(60000, lambda n: {"message": f"m{n}", "require": f"Notify[n{n - 1}]" if n else "Notify[n59999]"}))
    document("catalog-relations", lambda: catalog(1200, lambda n: {"require": [f"Notify[n{m}]" for m in range(n)]}))
    document("catalog-weird", '{"name": 1, "version": [], "resources": {"a": 1}, "edges": "x"}', every, fails=None)
    document("plan-empty", '{"format": "ordain-plan", "version": 1}', ("plan", "apply", "graph"), fails=None)
    document("picture-many", lambda: graph(1500, [(n // 2, n) for n in range(1, 1500)]), ("graph",))
    case("picture-svg", ["graph", "in.json", "--format", "svg"], {"in.json": lambda: graph(1200, [(n // 3, n) for n in range(1, 1200)])})
    case("picture-dense", ["graph", "in.json", "--format", "svg"], {"in.json": lambda: graph(160, [(a, b) for a in range(80) for b in range(80, 160)])})
    case("picture-loose", ["graph", "in.json", "--format", "html"], {"in.json": lambda: graph(20000, [])})
    case("diff-many", ["diff", "a.json", "b.json"], {"a.json": lambda: graph(30000, []), "b.json": lambda: graph(30000, []).replace('"m', '"q')})

    def ecore(name, text, **more):
        case("ecore-" + name, ["types", "import", "in.ecore"], {"in.ecore": text}, **more)

    start = '<?xml version="1.0"?><ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" name="p" nsURI="http://p" nsPrefix="p">'
    ecore("laughs", '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol">' + "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' if n else '<!ENTITY a0 "x">' for n in range(60)) + "]>" + "<l>&a59;</l>", fails=True, place=False)
    ecore("deep", lambda: start + nest("<eClassifiers>", "</eClassifiers>", 60000, "") + "</ecore:EPackage>", fails=True)
    ecore("many", lambda: start + chain("", lambda n: f'<eClassifiers xsi:type="ecore:EClass" name="C{n}"/>', 60000) + "</ecore:EPackage>")
    ecore("attributes", lambda: start + "<eClassifiers " + " ".join(f'a{n}="x"' for n in range(90000)) + "/></ecore:EPackage>", fails=True)
    ecore("inherit-loop", start + '<eClassifiers xsi:type="ecore:EClass" name="A" eSuperTypes="#//B"/><eClassifiers xsi:type="ecore:EClass" name="B" eSuperTypes="#//A"/></ecore:EPackage>', place=False)
    ecore("open", lambda: start + "<eClassifiers>" * 60000, fails=True)
    ecore("text", lambda: start + "x" * 9000000 + "</ecore:EPackage>", fails=None)
    case("load-deep", ["types", "load", "in.json", "--types", "t.pp"], {"in.json": lambda: nest('{"a":', "}", 60000), "t.pp": "type T { attr a, Any }"}, place=False, fails=True)
    case("load-many", ["types", "load", "in.json", "--types", "t.pp"], {"in.json": lambda: json.dumps([{"__ptype": "T", "a": n} for n in range(60000)]), "t.pp": "type T { attr a, Any }"}, place=False)
    case("export-many", ["types", "export", "t.pp"], {"t.pp": lambda: chain("", lambda n: f"type T{n} {{ attr a, String }}\n", 20000)})
    case("from-ruby-deep", ["types", "from-ruby", "t.rb"], {"t.rb": lambda: "Puppet::Type.newtype(:t) do\n" + "if true\n" * 30000 + "end\n" * 30000 + "end\n"}, place=False)
