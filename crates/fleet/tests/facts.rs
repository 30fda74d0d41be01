//! The forms in which programs write facts.
#![allow(clippy::unwrap_used)]

use ordain_fleet::{NodeFilter, nodes_of_directory};

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
    let nodes = nodes_of_directory(dir.path(), None).unwrap();
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
    assert!(nodes_of_directory(dir.path(), None).is_err());
    assert!(nodes_of_directory(&dir.path().join("missing"), None).is_err());
}
