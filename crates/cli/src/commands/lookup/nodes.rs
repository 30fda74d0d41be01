//! `ordain lookup --all-nodes`: the values of a key for all nodes, with the levels that win.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use ordain_driver::Options;
use ordain_driver::puppet::{self, OpenEnvironment};
use ordain_fleet::{FleetNode, nodes_of_directory, nodes_of_store};
use ordain_puppet::hiera::Request;
use ordain_puppet::hiera::explain::{Explainer, to_json};
use ordain_puppet::session::{Node, look_up};
use ordain_puppet::types::format::quoted::quoted;
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::from_data;
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use crate::codes;
use crate::commands::fleet::failure;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::ui::Ui;

/// A lookup for all nodes.
pub(super) struct Query<'a> {
    /// The keys as the user wrote them.
    pub(super) keys: &'a [String],
    /// The control repository.
    pub(super) path: &'a Path,
    /// The database that has the facts, if not a directory of the options.
    pub(super) database: Option<&'a str>,
    /// Whether the catalogs of the nodes are compiled first.
    pub(super) compiles: bool,
    /// The output format.
    pub(super) format: TextOrJson,
}

/// The outcome of a lookup for some nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    /// The places that the value comes from: the level, and the file.
    sources: Vec<(String, Option<String>)>,
    /// The value as Puppet writes it.
    text: Result<Option<String>, String>,
}

/// The nodes with the same outcome.
#[derive(Default)]
struct Group {
    value: Option<Json>,
    nodes: Vec<String>,
}

/// Looks up the keys for all nodes with facts, and prints the nodes by their values and sources.
///
/// # Errors
/// When there are no facts, or a lookup fails for a node.
pub(super) fn run(
    ui: &mut Ui,
    query: &Query<'_>,
    mut options: Options,
    request: &Request,
) -> Result<Exit, Failure> {
    let nodes = nodes(options.facts.take().as_deref(), query.database)?;
    let site = puppet::open_for_all(ui, query.path, &options)?;
    let mut groups: BTreeMap<Outcome, Group> = BTreeMap::new();
    for node in nodes {
        let (outcome, value) = one(query.compiles, request, &site, &options, &node)?;
        let group = groups.entry(outcome).or_default();
        group.value = value;
        group.nodes.push(node.name);
    }
    // The values of most nodes come first, as in `fleet diff`.
    let mut groups: Vec<(Outcome, Group)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.nodes.len()));
    match query.format {
        TextOrJson::Json => {
            let groups: Vec<Json> =
                groups.iter().map(|(outcome, group)| document(outcome, group)).collect();
            let out = json!({
                "format": "ordain-lookup-nodes", "version": 1, "keys": query.keys, "groups": groups,
            });
            writeln!(ui.document(), "{out}")?;
        }
        TextOrJson::Text => {
            for (outcome, group) in &groups {
                write(ui, outcome, group)?;
            }
        }
    }
    match groups.iter().any(|(outcome, _)| outcome.text.is_err()) {
        true => Err(Failure::Shown),
        false => Ok(Exit::Done),
    }
}

/// The nodes whose facts are known.
fn nodes(facts: Option<&Path>, database: Option<&str>) -> Result<Vec<FleetNode>, Failure> {
    let found = match (facts, database) {
        (Some(path), _) => nodes_of_directory(path),
        (None, Some(place)) => nodes_of_store(place, None),
        (None, None) => {
            let error = Diagnostic::error(codes::ARGUMENTS, "the facts of the nodes are unknown");
            let help =
                "name a directory with --facts, or a database of `ordain serve` with --database";
            return Err(error.help(help).into());
        }
    };
    found.map_err(failure)
}

/// The outcome for a node, with the value unless it is secret.
fn one(
    compiles: bool,
    request: &Request,
    site: &OpenEnvironment,
    options: &Options,
    node: &FleetNode,
) -> Result<(Outcome, Option<Json>), Failure> {
    let known = node.parse().map_err(failure)?;
    let values = |entries: Vec<(ecow::EcoString, ordain_data::Value)>| {
        entries.into_iter().map(|(name, value)| (name, from_data(&value))).collect()
    };
    let server = [
        ("environment", Value::Str(site.env.name.clone())),
        ("servername", Value::from(node.name.as_str())),
    ];
    let described = Node {
        name: node.name.as_str().into(),
        facts: from_data(&known.facts),
        trusted: from_data(&known.trusted),
        server_facts: Value::hash(server),
        parameters: values(known.parameters),
        classes: values(known.classes),
    };
    let settings = site.settings(options, &described);
    let explainer = Some(Explainer::new(false));
    let found = look_up(&site.env, settings, &described, request, explainer, compiles);
    if let Some(error) = found.report.error {
        return Ok((Outcome { sources: Vec::new(), text: Err(error.message) }, None));
    }
    let record = found.explanation.unwrap_or_default();
    let sources = record.sources();
    let is_secret = found.has_encrypted || sources.iter().any(|source| source.is_secret);
    let value = found.value.filter(|_| !is_secret);
    let text = match &value {
        _ if is_secret => Some("(not shown)".to_owned()),
        value => value.as_ref().map(quoted),
    };
    let place = |source: &ordain_puppet::hiera::explain::DataSource<'_>| {
        let path = source.path.map(|path| {
            let path = Path::new(path);
            let dir = site.env.dir.as_deref().unwrap_or(Path::new("/"));
            path.strip_prefix(dir).unwrap_or(path).display().to_string()
        });
        (source.level.to_owned(), path)
    };
    let sources = sources.iter().map(place).collect();
    Ok((Outcome { sources, text: Ok(text) }, value.as_ref().map(to_json)))
}

fn document(outcome: &Outcome, group: &Group) -> Json {
    let source = |(level, path): &(String, Option<String>)| json!({"level": level, "path": path});
    let mut out = json!({
        "found": matches!(outcome.text, Ok(Some(_))),
        "value": group.value,
        "sources": outcome.sources.iter().map(source).collect::<Vec<_>>(),
        "nodes": group.nodes,
    });
    if let Err(message) = &outcome.text {
        out["error"] = json!(message);
    }
    out
}

fn write(ui: &mut Ui, outcome: &Outcome, group: &Group) -> Result<(), Failure> {
    let text = match &outcome.text {
        Ok(Some(text)) => text.clone(),
        Ok(None) => "nothing is found".to_owned(),
        Err(message) => format!("error: {message}"),
    };
    let out = ui.out();
    writeln!(out, "{text}")?;
    for (level, path) in &outcome.sources {
        let path = path.as_ref().map_or(String::new(), |path| format!(", {path}"));
        writeln!(out, "  from {level}{path}")?;
    }
    let count = group.nodes.len();
    let word = if count == 1 { "node" } else { "nodes" };
    writeln!(out, "  {count} {word}: {}", group.nodes.join(", "))?;
    Ok(())
}
