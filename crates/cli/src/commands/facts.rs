//! `ordain facts`: prints the facts of this machine.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use ordain_data::{Map, Value};
use ordain_source::{Diagnostic, EntryKind, SourceMap, suggest};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use ordain_driver::missing_modules;
use ordain_driver::puppet::node::machine_facts;
use ordain_driver::puppet::open_for_facts;

/// Print facts of this machine
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain facts os.release.major
  ordain facts --format json > facts.json")]
pub(crate) struct FactsArgs {
    /// Facts to print, such as os.family; default: all
    names: Vec<String>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Format,
    /// Also print the legacy flat facts, such as osfamily
    #[arg(long)]
    legacy: bool,
    /// A directory of further external facts
    #[arg(long, value_name = "DIR")]
    external_dir: Vec<PathBuf>,
    /// A directory of custom facts in Ruby
    #[arg(long, value_name = "DIR")]
    custom_dir: Vec<PathBuf>,
    /// The directory of an environment, whose modules have facts
    #[arg(long, value_name = "DIR")]
    environment: Option<PathBuf>,
    /// Module directories with facts, separated by colons
    #[arg(long, value_name = "DIRS", value_parser = NonEmptyStringValueParser::new())]
    modulepath: Option<String>,
}

/// The output format of facts.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per fact, `os.family => Debian`
    Text,
    /// An object, as `facter --json` prints it
    Json,
    /// A versioned document with the machine's name, for `--facts` and for keeping
    Document,
    /// A map
    Yaml,
}

/// Collects facts and prints them.
///
/// # Errors
/// When a named fact does not exist.
pub(super) fn run(ui: &mut Ui, args: &FactsArgs) -> Result<Exit, Failure> {
    let external = args.external_dir.iter().map(|dir| ("--external-dir", dir));
    let custom = args.custom_dir.iter().map(|dir| ("--custom-dir", dir));
    if let Some((flag, dir)) = external.chain(custom).find(|(_, dir)| !dir.is_dir()) {
        let text = format!("{flag} names {}, which is not a directory", dir.display());
        return Err(Diagnostic::error(codes::FILE, text).into());
    }
    ui.diagnostics(missing_modules(args.modulepath.as_deref()), &SourceMap::new());
    let env = open_for_facts(ui, args.environment.as_deref(), args.modulepath.as_deref())?;
    let modules = env.modules.values().map(|module| module.dir.join("facts.d"));
    let is_dir = |dir: &PathBuf| env.world.kind(dir) == Some(EntryKind::Directory);
    let mut external: Vec<PathBuf> = modules.filter(is_dir).collect();
    external.extend(args.external_dir.iter().cloned());
    let mut custom = env.fact_dirs();
    custom.extend(args.custom_dir.iter().cloned());
    let facts = machine_facts(&env, external, custom, args.legacy);
    ui.diagnostics(facts.problems, &SourceMap::new());
    let name = machine_name(&facts.values);
    let values = if args.names.is_empty() {
        facts.values
    } else {
        let chosen =
            args.names.iter().map(|name| Ok((name.as_str().into(), find(&facts.values, name)?)));
        Value::Map(chosen.collect::<Result<Map, Diagnostic>>()?.into())
    };
    let text = match args.format {
        Format::Json => ordain_data::json::pretty(&values) + "\n",
        Format::Document => document(name, values.clone()),
        Format::Yaml => ordain_data::yaml::psych::write(&values),
        Format::Text => text(&values, args.names.len() == 1),
    };
    match args.format {
        Format::Text => ui.out().write_all(text.as_bytes())?,
        _ => ui.document().write_all(text.as_bytes())?,
    }
    Ok(Exit::Done)
}

/// The machine's full name, or null.
fn machine_name(facts: &Value) -> Value {
    let name = facts.dig(["networking", "fqdn"]).or_else(|| facts.dig(["networking", "hostname"]));
    name.cloned().unwrap_or(Value::Null)
}

/// The document `ordain-facts`.
pub(super) fn document(name: Value, values: Value) -> String {
    let document = [
        ("format", Value::str("ordain-facts")),
        ("version", Value::Int(1)),
        ("name", name),
        ("values", values),
    ];
    let document: Map = document.into_iter().map(|(k, v)| (k.into(), v)).collect();
    ordain_data::json::pretty(&Value::Map(document.into())) + "\n"
}

/// A fact by its name or its path.
///
/// # Errors
/// When it does not exist, with the most similar name.
pub(super) fn find(facts: &Value, name: &str) -> Result<Value, Diagnostic> {
    let found = facts.get(name).or_else(|| facts.dig(name.split('.')));
    found.cloned().ok_or_else(|| {
        let error = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no fact `{name}`"));
        let mut names = Vec::new();
        flatten(facts, "", &mut |name, _| names.push(name.to_string()));
        match suggest::nearest(name, names.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    })
}

/// A line for each scalar; with `bare`, the value alone if there is only one.
pub(super) fn text(values: &Value, bare: bool) -> String {
    let mut lines = Vec::new();
    flatten(values, "", &mut |name, value| lines.push((name.to_string(), shown(value))));
    let mut out = String::new();
    for (name, value) in &lines {
        let _written = if bare && lines.len() == 1 {
            writeln!(out, "{value}")
        } else {
            writeln!(out, "{name} => {value}")
        };
    }
    out
}

/// A value for people: a text without quotes.
pub(super) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| ordain_data::json::compact(value), ToString::to_string)
}

/// Calls `each` for every value that is not a map, with its dotted name.
pub(super) fn flatten(value: &Value, name: &str, each: &mut impl FnMut(&str, &Value)) {
    let Some(map) = value.as_map().filter(|m| !m.is_empty()) else { return each(name, value) };
    for (key, value) in map.iter() {
        let key = key.as_str().unwrap_or_default();
        let name = if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
        flatten(value, &name, each);
    }
}
