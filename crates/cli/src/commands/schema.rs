//! `ordain schema`: JSON Schemas of the documents that Ordain writes.
//!
//! The files in `schemas/` refer to definitions of `schemas/common.json`; a printed schema contains
//! those that it needs.

use std::ffi::OsStr;
use std::io::Write;

use clap::Args;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use ordain_source::{Diagnostic, suggest};
use serde_json::{Map, Value as Json, json};

use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Print the JSON Schema of a document, or list the schemas
///
/// Ordain writes these documents with `--format json`, `--out` and `--diagnostics json`. A schema
/// describes one version of a format and allows unknown members, since later versions of Ordain may
/// add some.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain schema --list
  ordain schema graph > graph.schema.json
  ordain schema ordain-report")]
pub(crate) struct SchemaArgs {
    /// The format, such as graph or ordain-graph
    #[arg(required_unless_present = "list", add = ArgValueCompleter::new(candidates))]
    name: Option<String>,
    /// List the formats
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

/// Includes the schemas of formats by name.
macro_rules! schemas {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../schemas/", $name, ".json")))),*]
    };
}

const COMMON: &str = include_str!("../../schemas/common.json");

/// The formats in the order of their names, without `ordain-`, and their schemas.
const SCHEMAS: &[(&str, &str)] = schemas! {
    "ca",
    "ca-change",
    "ca-export",
    "ca-generated",
    "ca-list",
    "ca-prune",
    "check",
    "codes",
    "deploy",
    "deployed",
    "diagnostic",
    "diff",
    "doctor",
    "event",
    "explanation",
    "facts",
    "fleet-change",
    "fleet-drift",
    "fleet-fact-counts",
    "fleet-facts",
    "fleet-nodes",
    "fleet-pins",
    "fleet-report",
    "fleet-reports",
    "fleet-run",
    "graph",
    "history",
    "kinds",
    "lookup",
    "lookup-nodes",
    "plan",
    "puppetfile",
    "report",
    "run",
    "syntax",
    "test-report",
    "type-logic",
    "value",
    "verbs",
};

/// The format whose schema belongs to another crate.
const FLEET_DIFF: (&str, &str) = ("fleet-diff", ordain_fleet::render::SCHEMA);

/// All formats by name.
pub(super) fn all() -> Vec<(&'static str, &'static str)> {
    let mut all = SCHEMAS.to_vec();
    all.push(FLEET_DIFF);
    all.sort_unstable();
    all
}

/// Names of formats, for completions.
fn candidates(current: &OsStr) -> Vec<CompletionCandidate> {
    complete::starting(current, all().into_iter().map(|(name, _)| (name.to_owned(), None)))
}

/// Prints a schema or the list.
///
/// # Errors
/// When there is no such format.
pub(super) fn run(ui: &mut Ui, args: &SchemaArgs) -> Result<Exit, Failure> {
    let all = all();
    let Some(name) = &args.name else {
        let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, text) in all {
            let schema = parse(text);
            let title = schema["description"].as_str().unwrap_or_default();
            writeln!(ui.out(), "{name:width$}  {title}")?;
        }
        return Ok(Exit::Done);
    };
    let short = name.strip_prefix("ordain-").unwrap_or(name);
    let Some((name, text)) = all.iter().find(|(known, _)| *known == short) else {
        let text = format!("there is no format `{name}`");
        let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
        let near = suggest::nearest(short, all.iter().map(|(name, _)| *name));
        return Err(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`ordain schema --list` lists the formats"),
        }
        .into());
    };
    let schema = with_definitions(name, parse(text));
    writeln!(ui.document(), "{schema:#}")?;
    Ok(Exit::Done)
}

/// A schema of the program; a test reads all of them.
fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_default()
}

/// The schema with its name and the definitions that it refers to.
fn with_definitions(name: &str, schema: Json) -> Json {
    let mut out = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:ordain:{name}"),
        "title": format!("ordain-{name}"),
    });
    let mut used = Map::new();
    // A schema with definitions of its own refers to those.
    if schema.get("$defs").is_none() {
        add_definitions(&schema, &parse(COMMON)["$defs"], &mut used);
    }
    if let (Json::Object(out), Json::Object(members)) = (&mut out, schema) {
        out.extend(members);
        if !used.is_empty() {
            used.sort_keys();
            out.insert("$defs".into(), used.into());
        }
    }
    out
}

/// Adds the definitions that a part of a schema refers to, also through others.
fn add_definitions(part: &Json, all: &Json, used: &mut Map<String, Json>) {
    match part {
        Json::Object(members) => {
            let target = members.get("$ref").and_then(Json::as_str);
            let name = target.and_then(|target| target.strip_prefix("#/$defs/"));
            if let Some(name) = name
                && let Some(definition) = all.get(name)
                && !used.contains_key(name)
            {
                used.insert(name.to_owned(), definition.clone());
                add_definitions(definition, all, used);
            }
            members.values().for_each(|member| add_definitions(member, all, used));
        }
        Json::Array(items) => items.iter().for_each(|item| add_definitions(item, all, used)),
        _ => {}
    }
}
