//! Comparisons of small sites: the changes that are found, and those that are not.
#![allow(clippy::unwrap_used)]

mod queue;

use std::fs;
use std::path::Path;

use ordain_data::{Value as Data, json};
use ordain_driver::Options;
use ordain_fleet::render::{self, SCHEMA};
use ordain_fleet::{ChangeFilter, FleetDiff, FleetNode, IgnoreRule, Range, Request, diff};
use serde_json::Value as Json;
use tempfile::TempDir;

/// Two directories, `a` and `b`.
struct Pair(TempDir);

impl Pair {
    fn new() -> Self {
        let pair = Self(tempfile::tempdir().unwrap());
        pair.both("environment.conf", "modulepath = modules\n");
        pair
    }

    fn both(&self, path: &str, text: &str) {
        self.write("a", path, text);
        self.write("b", path, text);
    }

    fn write(&self, side: &str, path: &str, text: &str) {
        let path = self.0.path().join(side).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn sites(&self, before: &str, after: &str) {
        self.write("a", "manifests/site.pp", before);
        self.write("b", "manifests/site.pp", after);
    }

    fn diff(&self, nodes: &[FleetNode]) -> FleetDiff {
        let range = format!("{0}/a..{0}/b", self.0.path().display());
        compared(self.0.path(), &range, nodes, None)
    }

    /// The same for the nodes and resources that `chosen` chooses.
    fn diff_of(&self, nodes: &[FleetNode], chosen: &Chosen) -> FleetDiff {
        let range = format!("{0}/a..{0}/b", self.0.path().display());
        let (range, options) = (Range::parse(&range).unwrap(), Options::default());
        diff(&Request {
            having: &chosen.having,
            one_per_node_block: chosen.one_per_node_block,
            ignore_tags: &chosen.ignore_tags,
            ..Request::new(self.0.path(), &range, nodes, &options)
        })
        .unwrap()
    }

    /// The same with a cache.
    fn diff_again(&self, nodes: &[FleetNode]) -> FleetDiff {
        let range = format!("{0}/a..{0}/b", self.0.path().display());
        compared(self.0.path(), &range, nodes, Some(&self.0.path().join("cache")))
    }
}

#[derive(Default)]
struct Chosen {
    having: Vec<String>,
    one_per_node_block: bool,
    ignore_tags: Vec<String>,
}

fn compared(path: &Path, range: &str, nodes: &[FleetNode], cache: Option<&Path>) -> FleetDiff {
    let range = Range::parse(range).unwrap();
    let options = Options::default();
    diff(&Request { cache, ..Request::new(path, &range, nodes, &options) }).unwrap()
}

fn names(found: &FleetDiff) -> Vec<&str> {
    found.nodes.iter().map(|node| node.name.as_str()).collect()
}

fn node(name: &str) -> FleetNode {
    FleetNode::new(name, json::read(r#"{"os": {"family": "Debian"}}"#).unwrap(), None)
}

fn nodes() -> Vec<FleetNode> {
    ["db1", "web1", "web2"].map(node).to_vec()
}

fn shown(found: &FleetDiff) -> String {
    render::text(found, true).into_iter().map(|line| line.text + "\n").collect()
}

#[test]
fn only_nodes_whose_inputs_changed_are_compiled_twice() {
    let pair = Pair::new();
    let site = "node /^web/ { file { '/w': content => template('m/w.erb') } }\n\
                node default { file { '/d': content => 'd' } }\n";
    pair.sites(site, site);
    pair.write("a", "modules/m/templates/w.erb", "one\n");
    pair.write("b", "modules/m/templates/w.erb", "two\n");
    let found = pair.diff(&nodes());
    assert_eq!(found.compiles, 5, "three before, and two after");
    let groups = found.groups();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].nodes, ["web1", "web2"]);
    let text = shown(&found);
    assert!(text.contains("because of modules/m/templates/w.erb:1"), "{text}");
}

#[test]
fn contents_of_copied_files_are_compared_without_a_compile() {
    let pair = Pair::new();
    let site = "file { '/x': source => 'puppet:///modules/m/dir', recurse => true }\n\
                file { '/y': source => 'puppet:///modules/m/y' }";
    pair.sites(site, site);
    pair.both("modules/m/files/y", "same");
    pair.both("modules/m/files/dir/in/kept", "kept");
    pair.write("a", "modules/m/files/dir/in/gone", "gone");
    pair.write("b", "modules/m/files/dir/new.json", "{\"a\": 1}");
    let found = pair.diff(&nodes());
    assert_eq!(found.compiles, 3);
    let text = shown(&found);
    assert!(text.contains("puppet:///modules/m/dir/in/gone"), "{text}");
    assert!(text.contains("no file -> 8 bytes"), "{text}");
    assert!(!text.contains("kept") && !text.contains("modules/m/y"), "{text}");
}

#[test]
fn failures_cycles_and_orders_are_changes() {
    let pair = Pair::new();
    let before = "notify { 'a': } notify { 'b': } if $trusted['certname'] == 'db1' { fail('old') }";
    let after = "notify { 'a': before => Notify['b'] } notify { 'b': before => Notify['a'] }\n\
                 if $trusted['certname'] == 'web2' { fail('new') }";
    pair.sites(before, after);
    let text = shown(&pair.diff(&nodes()));
    assert!(text.contains("1 fails now") && text.contains("1 fails no more"), "{text}");
    assert!(text.contains("new dependency cycle"), "{text}");
    assert!(text.contains("(Notify[a] => Notify[b] => Notify[a])"), "{text}");
    assert!(text.contains("order: no order -> comes before"), "{text}");
}

#[test]
fn an_environment_that_cannot_be_opened_fails_on_all_nodes() {
    let pair = Pair::new();
    pair.sites("notify { 'a': }", "notify { 'a': ");
    let found = pair.diff(&nodes());
    let text = shown(&found);
    assert!(text.contains("3 fail now") && text.contains("at manifests/site.pp:1"), "{text}");
}

#[test]
fn secrets_are_in_no_format() {
    let pair = Pair::new();
    let site = |secret: &str, user: &str| {
        format!(
            "file {{ '/a': content => Sensitive('{secret}'), owner => '{user}' }}\n\
             notify {{ 'n': message => 'x {secret} y' }}\n\
             file {{ '/{user}': content => Sensitive({{ 'k' => '{secret}' }}) }}"
        )
    };
    pair.sites(&site("correct horse", "alice"), &site("battery staple", "bob"));
    let found = pair.diff(&nodes());
    let json = render::json(&found).to_string();
    for text in [shown(&found), json, render::html(&found), render::markdown(&found, 60_000)] {
        assert!(text.contains("File[/a]") && text.contains("bob"), "{text}");
        assert!(!text.contains("horse") && !text.contains("staple"), "{text}");
    }
    assert!(shown(&found).contains("content: another secret"));
}

#[test]
fn documents_are_compared_by_structure() {
    let pair = Pair::new();
    let site = |json: &str, yaml: &str| {
        format!(
            "file {{ '/a.json': content => '{json}' }} file {{ '/b.yaml': content => '{yaml}' }}"
        )
    };
    pair.sites(
        &site(r#"{"a": 1, "b": [1, 2]}"#, "a: {b: 1}\nc: 2\n"),
        &site(r#"{"b":[1,2],"a":1}"#, "c: 3\na:\n  b: 1\n"),
    );
    let mut found = pair.diff(&[node("web1")]);
    let text = shown(&found);
    assert!(text.contains("only the layout of the json differs"), "{text}");
    assert!(text.contains("c: 2 -> 3") && !text.contains("a.b"), "{text}");
    let mut filter = ChangeFilter::new(&[], &[]).unwrap();
    filter.ignores_layout = true;
    found.retain(|change| filter.has(&change.change));
    assert!(!shown(&found).contains("/a.json"));
}

#[test]
fn exported_resources_are_collected_from_nodes_of_the_same_side() {
    let pair = Pair::new();
    let site = |ip: &str| {
        format!(
            "if $trusted['certname'] == 'db1' {{ Host <<| |>> }}\n\
             else {{ @@host {{ $trusted['certname']: ip => '{ip}' }} }}"
        )
    };
    pair.sites(&site("10.0.0.1"), &site("10.0.0.2"));
    let found = pair.diff(&nodes());
    let groups = found.groups();
    let of_db: Vec<_> = groups.iter().filter(|group| group.nodes.contains(&"db1")).collect();
    assert!(!of_db.is_empty(), "{}", shown(&found));
    // A node exports a resource, and another one gets it: the same change.
    assert!(of_db.iter().all(|group| group.changes.iter().all(|found| {
        found.change.resource().is_some_and(|name| name.starts_with("Host[web"))
    })));
}

#[test]
fn a_page_has_no_markup_of_facts_and_texts() {
    let pair = Pair::new();
    let evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{1b}[31m```";
    let site = "file { \"/x${facts['evil']}\": content => \"a\\n${facts['evil']}SIDE\" }";
    pair.sites(&site.replace("SIDE", "1"), &site.replace("SIDE", "2"));
    let facts = Data::map([("evil", Data::str(evil))]);
    let evil_name = "<script>alert(2)</script>";
    let found = pair.diff(&[FleetNode::new(evil_name, facts, None)]);
    let page = render::html(&found);
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(!page.contains(['\u{202e}', '\u{1b}']), "{page}");
    assert!(page.contains("default-src 'none'"));
    let comment = render::markdown(&found, 60_000);
    let outside: Vec<&str> = comment.lines().take_while(|line| !line.starts_with("```")).collect();
    assert!(!outside.join("\n").contains('<'), "{comment}");
    // The fence is longer than any run of its mark inside.
    assert!(comment.lines().any(|line| line == "````diff"), "{comment}");
}

#[test]
fn a_comment_is_bounded() {
    let pair = Pair::new();
    let site = |value: usize| -> String {
        (0..300).map(|n| format!("notify {{ 'n{n}': message => '{value} {n}' }}\n")).collect()
    };
    pair.sites(&site(1), &site(2));
    let found = pair.diff(&nodes());
    for most in [300, 2_000, 10_000] {
        let comment = render::markdown(&found, most);
        assert!(comment.len() <= most, "{} of {most}", comment.len());
        assert!(comment.contains("not shown"), "{comment}");
        assert_eq!(comment.lines().filter(|line| line.starts_with("```")).count() % 2, 0);
    }
    assert!(!render::markdown(&found, 1 << 20).contains("not shown"));
}

#[test]
fn sources_of_other_languages_are_one_graph() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        |mode: &str| format!("file \"/tmp/x\" {{ state => \"exists\", mode => \"{mode}\", }}\n");
    for (side, mode) in [("a", "u=rw"), ("b", "u=r")] {
        let side = dir.path().join(side);
        fs::create_dir_all(&side).unwrap();
        fs::write(side.join("main.mcl"), text(mode)).unwrap();
    }
    let range = format!("{0}/a..{0}/b", dir.path().display());
    let found = compared(dir.path(), &range, &[], None);
    assert!(found.is_single);
    let text = shown(&found);
    assert!(text.contains("mode: 'u=rw' -> 'u=r'"), "{text}");
    assert!(text.contains("because of main.mcl:1"), "{text}");
}

#[test]
fn rules_ignore_changes_of_nodes() {
    let pair = Pair::new();
    pair.sites(
        "file { '/a': owner => 'joe', mode => '0600' }",
        "file { '/a': owner => 'root', mode => '0644' }",
    );
    let mut found = pair.diff(&nodes());
    let mut filter = ChangeFilter::new(&[], &[]).unwrap();
    filter.ignore = vec![IgnoreRule::parse("File[/a]::parameters::owner=->joe").unwrap()];
    found.retain(|change| filter.has(&change.change));
    let text = shown(&found);
    assert!(text.contains("mode:") && !text.contains("owner"), "{text}");
}

#[test]
fn documents_are_as_the_schema_says() {
    let pair = Pair::new();
    pair.sites(
        "file { '/a': mode => '0600' } file { '/old': } notify { 'x': }\n\
         file { '/j.json': content => '{\"a\": 1}' }",
        "file { '/a': mode => '0644', before => Notify['x'] } file { '/new': } notify { 'x': }\n\
         file { '/j.json': content => '{\"a\": 2}' }\n\
         if $trusted['certname'] == 'web2' { fail('no') }",
    );
    let document = render::json(&pair.diff(&nodes()));
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    let mut errors = Vec::new();
    check(&document, &schema, &schema, "", &mut errors);
    assert!(errors.is_empty(), "{errors:#?}");
    let mut kinds: Vec<String> = Vec::new();
    for group in document["groups"].as_array().unwrap() {
        let changes = group["changes"].as_array().unwrap();
        kinds.extend(changes.iter().map(|change| change["change"].as_str().unwrap().to_owned()));
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, ["added", "attribute", "fails", "order", "removed"]);
    // The check finds errors.
    let mut wrong = document.clone();
    wrong["groups"][0]["nodes"] = Json::from(1);
    wrong["more"] = Json::Null;
    let mut errors = Vec::new();
    check(&wrong, &schema, &schema, "", &mut errors);
    assert_eq!(errors, ["/groups/0/nodes: not array", "/more: unknown"]);
}

/// Checks the keywords of JSON Schema that the schema uses.
fn check(value: &Json, schema: &Json, root: &Json, at: &str, errors: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return check(value, target, root, at, errors);
    }
    let is_of = |name: &Json| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("the check does not know {other}"),
    };
    match &schema["type"] {
        Json::Null => {}
        Json::Array(names) if names.iter().any(is_of) => {}
        Json::Array(_) => errors.push(format!("{at}: wrong type")),
        name if is_of(name) => {}
        name => errors.push(format!("{at}: not {}", name.as_str().unwrap())),
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        errors.push(format!("{at}: {value} is not allowed"));
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        errors.push(format!("{at}: {value} is another constant"));
    }
    for (position, item) in value.as_array().into_iter().flatten().enumerate() {
        check(item, &schema["items"], root, &format!("{at}/{position}"), errors);
    }
    let Some(object) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !object.contains_key(name.as_str().unwrap()) {
            errors.push(format!("{at}: {name} is missing"));
        }
    }
    for (key, inner) in object {
        match schema["properties"].get(key) {
            Some(schema) => check(inner, schema, root, &format!("{at}/{key}"), errors),
            None if schema["additionalProperties"] == false => {
                errors.push(format!("{at}/{key}: unknown"))
            }
            None => {}
        }
    }
}

#[test]
fn a_second_comparison_compiles_only_nodes_whose_inputs_changed() {
    let pair = Pair::new();
    let site = "node /^web/ { file { '/w': content => template('m/w.erb') } }\n\
                node default { file { '/d': source => 'puppet:///modules/m/d',\n\
                owner => Sensitive('correct horse'), group => $facts['os']['family'] } }\n";
    pair.sites(site, &site.replace("correct horse", "battery staple"));
    pair.both("modules/m/files/d", "d");
    pair.both("modules/m/templates/w.erb", "one\n");
    let again = |nodes: &[FleetNode], compiles: usize| {
        let (cached, plain) = (pair.diff_again(nodes), pair.diff(nodes));
        assert_eq!(shown(&cached), shown(&plain));
        assert_eq!(cached.compiles, compiles, "{}", shown(&plain));
    };
    again(&nodes(), 6);
    again(&nodes(), 0);
    // A template costs the nodes that use it.
    pair.write("b", "modules/m/templates/w.erb", "two\n");
    again(&nodes(), 4);
    again(&nodes(), 0);
    // A copied file costs no compile.
    pair.write("b", "modules/m/files/d", "e");
    again(&nodes(), 0);
    // A fact that no compile reads costs none, one that is read costs both.
    let facts = |name: &str, text: &str| FleetNode::new(name, json::read(text).unwrap(), None);
    let uptime = facts("db1", r#"{"os": {"family": "Debian"}, "uptime": 3}"#);
    again(&[uptime, node("web1")], 0);
    let family = facts("db1", r#"{"os": {"family": "RedHat"}}"#);
    again(&[family], 2);
    // No secret is in the cache, and nobody else can read it.
    use std::os::unix::fs::PermissionsExt;
    let mut files = 0;
    for entry in fs::read_dir(pair.0.path().join("cache")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("horse") && !text.contains("staple"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // A damaged file counts as none.
        fs::write(&path, "{").unwrap();
        files += 1;
    }
    assert_eq!(files, 1);
    again(&nodes(), 6);
}

#[test]
fn nodes_are_chosen_by_their_resources() {
    let pair = Pair::new();
    let site = "class one { notify { 'x': message => 'A' } }\n\
                node 'db1' { include one } node default { notify { 'y': message => 'A' } }";
    pair.sites(site, &site.replace("'A'", "'B'"));
    for (having, want) in [("Class[One]", vec!["db1"]), ("Notify[y]", vec!["web1", "web2"])] {
        let chosen = Chosen { having: vec![having.to_owned()], ..Chosen::default() };
        let found = pair.diff_of(&nodes(), &chosen);
        assert_eq!(names(&found), want);
        assert_eq!(found.changed_nodes(), want.len());
    }
}

#[test]
fn one_node_of_each_block_stands_for_the_others() {
    let pair = Pair::new();
    let site = "node 'db1' { notify { 'x': message => 'A' } }\n\
                node /^web/ { notify { 'y': message => 'A' } } node default { }";
    pair.sites(site, &site.replace("'A'", "'B'"));
    let nodes: Vec<FleetNode> = ["web2", "web1", "other", "db1", "another"].map(node).to_vec();
    let chosen = Chosen { one_per_node_block: true, ..Chosen::default() };
    assert_eq!(names(&pair.diff_of(&nodes, &chosen)), ["another", "db1", "web1"]);
    // A node that matches another block on one side is a block of its own.
    pair.write("b", "manifests/site.pp", &site.replace("'db1'", "'db1', 'web2'"));
    assert_eq!(names(&pair.diff_of(&nodes, &chosen)), ["another", "db1", "web1", "web2"]);
}

#[test]
fn changes_of_resources_with_a_tag_are_ignored() {
    let pair = Pair::new();
    let site = "notify { 'a': message => 'A', tag => ['skip'] }\n\
                notify { 'b': message => 'A', tag => ['skip__notify'] }\n\
                notify { 'c': message => 'A', tag => ['skip__file'] }\n\
                notify { 'd': message => 'A' }\n";
    // The tags of the side after decide.
    let after = site.replace("'A'", "'B'").replace("'d': ", "'d': tag => ['skip'], ");
    pair.sites(&format!("{site}notify {{ 'e': tag => 'skip' }}"), &after);
    let chosen = Chosen { ignore_tags: vec!["skip".to_owned()], ..Chosen::default() };
    let found = pair.diff_of(&[node("web1")], &chosen);
    let resources: Vec<_> = found.changes.iter().map(|found| found.change.resource()).collect();
    assert_eq!(resources, [Some("Notify[c]")]);
}
