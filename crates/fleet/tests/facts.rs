//! The forms in which programs write facts.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpListener;

use ordain_engine::tls::TlsFiles;
use ordain_fleet::{
    DriftState, FleetNode, NodeFilter, NodeSelection, NodeStore, add_node_data, nodes_of_directory,
    nodes_of_puppetdb, nodes_of_store,
};
use ordain_fleet_store::{Command, Sqlite, apply, now};

#[test]
fn all_forms_have_the_same_facts() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("plain.json", r#"{"os": {"family": "Debian"}}"#);
    write("facts.json", r#"{"name": "facts", "values": {"os": {"family": "Debian"}}}"#);
    write(
        "stored.yaml",
        "--- !ruby/object:Puppet::Node::Facts\nname: stored\nvalues:\n  os:\n    family: Debian\n",
    );
    write("yaml.yml", "os: {family: Debian}\n");
    write(
        "set.json",
        r#"{"certname": "set", "facts": {"href": "/x", "data": [{"name": "os", "value": {"family": "Debian"}}]}}"#,
    );
    write(
        "sets.json",
        r#"[{"certname": "One", "facts": {"data": [{"name": "os", "value": {"family": "Debian"}}]}},
            {"certname": "two", "name": "os", "value": {"family": "Debian"}},
            {"certname": "two", "name": "trusted", "value": {"certname": "two", "extensions": {"pp_role": "x"}}}]"#,
    );
    write("README", "not facts");
    let nodes = nodes_of_directory(dir.path()).unwrap();
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["facts", "one", "plain", "set", "stored", "two", "yaml"]);
    for node in &nodes {
        let known = node.parse().unwrap();
        let family = known.facts.dig(["os", "family"]).and_then(|family| family.as_str());
        assert_eq!(family, Some("Debian"), "{}", node.name);
        let certname = known.trusted.get("certname").and_then(|name| name.as_str());
        assert_eq!(certname, Some(node.name.as_str()));
    }
    let two = nodes.iter().find(|node| node.name == "two").unwrap().parse().unwrap();
    assert!(two.trusted.dig(["extensions", "pp_role"]).is_some());
    let choose = |names: &[&str], facts: &[&str]| {
        let texts = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let filter = NodeFilter::new(&texts(names), &texts(facts)).unwrap();
        nodes.iter().filter(|node| filter.has(node)).count()
    };
    assert_eq!(choose(&["s*", "two"], &[]), 3);
    assert_eq!(choose(&[], &["os.family=deb*"]), 7);
    assert_eq!(choose(&[], &["os.family=RedHat"]), 0);
    assert_eq!(choose(&["plain"], &["os.family=Debian", "os.name=x"]), 0);
}

#[test]
fn a_directory_without_facts_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(nodes_of_directory(dir.path()).is_err());
    assert!(nodes_of_directory(&dir.path().join("missing")).is_err());
}

#[test]
fn the_store_has_active_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fleet.db");
    let database = Sqlite::open(&path, 1, Vec::new()).unwrap();
    let apply_command = |name: &str, version: i64, payload: String| {
        let command = Command::parse(name, version, payload.as_bytes(), now()).unwrap();
        apply(&database, &command, now()).unwrap();
    };
    for name in ["web.example.com", "old.example.com"] {
        let payload = format!(
            r#"{{"certname": "{name}", "environment": "production", "producer": "server",
            "producer_timestamp": "2026-11-26T12:00:00Z", "values": {{"os": {{"family": "Debian"}},
            "trusted": {{"certname": "{name}", "extensions": {{"pp_role": "x"}}}}}}}}"#
        );
        apply_command("replace_facts", 5, payload);
    }
    let time = "2026-11-26T13:00:00Z";
    let gone = format!(r#"{{"certname": "old.example.com", "producer_timestamp": "{time}"}}"#);
    apply_command("deactivate_node", 3, gone);
    let nodes = nodes_of_store(path.to_str().unwrap(), None).unwrap();
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["web.example.com"]);
    let known = nodes[0].parse().unwrap();
    assert!(known.facts.dig(["os", "family"]).is_some());
    assert!(known.trusted.dig(["extensions", "pp_role"]).is_some());
    assert!(nodes_of_store(dir.path().join("missing").to_str().unwrap(), None).is_err());
}

#[test]
fn puppetdb_is_asked_for_sets_of_facts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut asked, mut buffer) = (Vec::new(), [0; 1024]);
        while !asked.ends_with(b"\r\n\r\n") {
            let size = stream.read(&mut buffer).unwrap();
            asked.extend_from_slice(&buffer[..size]);
        }
        let body = r#"[{"certname": "web", "facts": {"data": [{"name": "x", "value": 1}]}}]"#;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).unwrap();
        String::from_utf8(asked).unwrap()
    });
    let nodes = nodes_of_puppetdb(&url, &TlsFiles::default()).unwrap();
    assert!(server.join().unwrap().starts_with("GET /pdb/query/v4/factsets "));
    assert_eq!(nodes.len(), 1);
    assert_eq!(nodes[0].parse().unwrap().facts.get("x").and_then(|x| x.as_int()), Some(1));
    assert!(nodes_of_puppetdb("http://127.0.0.1:1", &TlsFiles::default()).is_err());
}

#[test]
fn a_classifier_gives_classes_and_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let data = r#"{"classes": ["a"], "parameters": {"p": 1}, "environment": "test",
        "trusted": {"certname": "web", "extensions": {"pp_role": "db"}}}"#;
    std::fs::write(dir.path().join("web.json"), data).unwrap();
    let facts = ordain_data::Value::map::<&str>([]);
    let mut nodes = [FleetNode::new("web", facts.clone(), None), FleetNode::new("db", facts, None)];
    add_node_data(&mut nodes, dir.path()).unwrap();
    let known = nodes[0].parse().unwrap();
    assert_eq!((known.classes.len(), known.parameters.len()), (1, 1));
    assert_eq!(known.environment.as_deref(), Some("test"));
    assert!(known.trusted.dig(["extensions", "pp_role"]).is_some());
    assert!(nodes[1].parse().unwrap().classes.is_empty());
    assert!(add_node_data(&mut nodes, &dir.path().join("missing")).is_err());
}

/// Stores a report with this number of resources, of which some differ from the catalog.
fn store_report(database: &Sqlite, clock: &str, total: u64, differing: &[&str]) {
    let time = format!("2026-11-26T{clock}:00Z");
    let resource = |title: &&str| {
        serde_json::json!({
            "skipped": false, "timestamp": time, "resource_type": "File", "resource_title": title,
            "file": "/site.pp", "line": 1, "containment_path": [], "corrective_change": false,
            "events": [{
                "status": "noop", "timestamp": time, "name": "mode_changed", "property": "mode",
                "new_value": "0644", "old_value": "0600", "corrective_change": false,
                "message": "would change",
            }],
        })
    };
    let payload = serde_json::json!({
        "certname": "web.example.com", "puppet_version": "7.23.0", "report_format": 12,
        "configuration_version": "1", "producer_timestamp": time, "start_time": time,
        "end_time": time, "environment": "production", "transaction_uuid": null,
        "status": "unchanged", "noop": true, "noop_pending": true, "corrective_change": false,
        "logs": [], "catalog_uuid": null, "code_id": null, "cached_catalog_status": null,
        "metrics": [{ "category": "resources", "name": "total", "value": total }],
        "producer": "server", "resources": differing.iter().map(resource).collect::<Vec<_>>(),
    });
    let command = Command::from_json("store_report", 8, payload, now()).unwrap();
    apply(database, &command, now()).unwrap();
}

#[test]
fn only_a_complete_report_ends_a_difference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fleet.db");
    let database = Sqlite::open(&path, 1, Vec::new()).unwrap();
    store_report(&database, "10:00", 50, &["/a", "/b"]);
    store_report(&database, "10:30", 50, &["/b"]);
    store_report(&database, "11:00", 50, &["/a", "/b"]);
    // An agent that stays reports a single resource.
    store_report(&database, "11:10", 1, &["/c"]);
    let store = NodeStore::open(path.to_str().unwrap()).unwrap();
    let nodes = store.nodes(&NodeSelection::default()).unwrap();
    let drift = |since: Option<&str>| {
        let found = store.drift(&nodes, since).unwrap();
        let line = |one: ordain_fleet::Drift| {
            assert_eq!(one.state, DriftState::Differs);
            format!("{} {} {}", one.resource, &one.since.unwrap()[11..16], one.count)
        };
        found.into_iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(drift(None), ["File[/a] 11:00 1", "File[/b] 10:00 3", "File[/c] 11:10 1"]);
    assert_eq!(drift(Some("2026-11-26T11:05:00Z")), ["File[/c] 11:10 1"]);
    store_report(&database, "11:30", 50, &["/b"]);
    assert_eq!(drift(None), ["File[/b] 10:00 4"]);
}

#[test]
fn nodes_are_chosen_by_queries_and_conditions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("nodes.sqlite");
    let database = Sqlite::open(&path, 1, Vec::new()).unwrap();
    for (name, count) in [("web1.example.com", 2), ("web2.example.com", 8)] {
        let payload = format!(
            r#"{{"certname": "{name}", "environment": "e{count}", "producer": "server",
            "producer_timestamp": "2026-11-26T12:00:00Z",
            "values": {{"cpus": {count}, "os": {{"family": "Debian"}}}}}}"#
        );
        let command = Command::parse("replace_facts", 5, payload.as_bytes(), now()).unwrap();
        apply(&database, &command, now()).unwrap();
    }
    let store = NodeStore::open(dir.path().to_str().unwrap()).unwrap();
    let choose = |selection: NodeSelection| -> Result<Vec<String>, String> {
        let nodes = store.nodes(&selection).map_err(|error| error.to_string())?;
        Ok(nodes.into_iter().map(|node| node.name).collect())
    };
    let query = |query: &str| {
        choose(NodeSelection { query: Some(query.to_owned()), ..NodeSelection::default() })
    };
    let fact = |fact: &str| {
        choose(NodeSelection { facts: vec![fact.to_owned()], ..NodeSelection::default() })
    };
    let (first, second) =
        (vec!["web1.example.com".to_owned()], vec!["web2.example.com".to_owned()]);
    assert_eq!(query("WEB1.example.com"), Ok(first.clone()));
    assert_eq!(query("*1.*"), Ok(first.clone()));
    assert_eq!(query("facts.cpus > 4"), Ok(second.clone()));
    assert_eq!(query("nodes[certname] { facts_environment = 'e8' }"), Ok(second.clone()));
    assert_eq!(query(r#"["from", "nodes", ["=", "certname", "web1.example.com"]]"#), Ok(first));
    assert_eq!(fact("cpus=8"), Ok(second));
    assert_eq!(fact("os.family=deb*").unwrap().len(), 2);
    assert_eq!(fact("cpus=80"), Ok(Vec::new()));
    for wrong in ["web3.example.com", "facts[name] { name = 'cpus' }", "cpus <", "[1"] {
        assert!(query(wrong).is_err(), "{wrong}");
    }
    assert!(fact("cpus").is_err());
}
