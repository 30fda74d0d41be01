//! `ordain kinds`: the kinds of resources and their attributes.

use std::io::Write;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use ordain_kinds::{AttributeSchema, AttributeType, KindSchema};
use ordain_source::{Diagnostic, suggest};
use serde_json::{Map, Value as Json, json};

use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::ui::{Ui, styles};

/// List the kinds of resources, or print the attributes of one
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain kinds
  ordain kinds file
  ordain kinds http:server --format json")]
pub(crate) struct KindsArgs {
    /// The kind, by its name in Ordain or in any language, such as file or http:server
    #[arg(add = ArgValueCompleter::new(complete::kinds))]
    name: Option<String>,
    /// The output format; json prints a JSON Schema
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

/// Prints kinds.
///
/// # Errors
/// When the kind is not known.
pub(super) fn run(ui: &mut Ui, args: &KindsArgs) -> Result<Exit, Failure> {
    let chosen = args.name.as_deref().map(find).transpose()?;
    match (args.format, chosen) {
        (TextOrJson::Json, Some(kind)) => {
            let mut schema = schema(kind);
            schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
            writeln!(ui.document(), "{schema}")?;
        }
        (TextOrJson::Json, None) => {
            let kinds: Vec<Json> = ordain_kinds::all().into_iter().map(schema).collect();
            let out = json!({ "format": "ordain-kinds", "version": 1, "kinds": kinds });
            writeln!(ui.document(), "{out}")?;
        }
        (TextOrJson::Text, Some(kind)) => show(ui, kind, args.name.as_deref().unwrap_or_default())?,
        (TextOrJson::Text, None) => {
            let all = ordain_kinds::all();
            let width = all.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
            for kind in all {
                writeln!(ui.out(), "{:width$}  {}", kind.name, kind.doc)?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The kind of a name in Ordain, else in a language.
fn find(name: &str) -> Result<&'static KindSchema, Diagnostic> {
    if let Some(kind) = ordain_kinds::find_in_languages(name).first() {
        return Ok(kind);
    }
    let error = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no kind `{name}`"));
    Err(match suggest::nearest(name, ordain_kinds::names()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`ordain kinds` lists all kinds"),
    })
}

fn show(ui: &mut Ui, kind: &KindSchema, asked: &str) -> Result<(), Failure> {
    let name = ui.styled(styles::BOLD, kind.name);
    writeln!(ui.out(), "{name}: {}\n", kind.doc)?;
    if !kind.is_applied {
        writeln!(ui.out(), "Ordain compiles it and does not apply it.")?;
    }
    let width = kind.attributes.iter().map(|a| a.name.len()).max().unwrap_or(0);
    for attribute in kind.attributes {
        let AttributeSchema { name, doc, .. } = attribute;
        writeln!(ui.out(), "{name:width$}  {doc} ({})", ordain_kinds::manual::value(attribute))?;
    }
    let names = ordain_kinds::manual::names(kind);
    for sentence in [names, ordain_kinds::manual::in_root(kind)] {
        if !sentence.is_empty() {
            writeln!(ui.out(), "\n{sentence}")?;
        }
    }
    for other in ordain_kinds::find_in_languages(asked) {
        if other.name != kind.name {
            let names = ordain_kinds::manual::names(other);
            writeln!(ui.out(), "See also `{}`. {names}", other.name)?;
        }
    }
    Ok(())
}

/// A kind as a JSON Schema of its attributes.
fn schema(kind: &KindSchema) -> Json {
    let properties: Map<String, Json> =
        kind.attributes.iter().map(|a| (a.name.to_string(), property(a))).collect();
    json!({
        "title": kind.name,
        "description": kind.doc,
        "type": "object",
        "properties": properties,
        "additionalProperties": kind.is_open,
    })
}

fn property(attribute: &AttributeSchema) -> Json {
    let mut out = match attribute.ty {
        AttributeType::Any => json!({}),
        AttributeType::Text | AttributeType::Bytes => json!({ "type": "string" }),
        AttributeType::List => {
            json!({ "type": ["array", "string"], "items": { "type": "string" } })
        }
        AttributeType::Boolean => json!({ "type": "boolean" }),
        AttributeType::Integer => json!({ "type": "integer" }),
        AttributeType::Number => json!({ "type": "number" }),
        AttributeType::Choice(words) => json!({ "enum": words }),
    };
    out["description"] = json!(attribute.doc);
    if let Some(default) = attribute.default {
        // A default that is no JSON is a text.
        out["default"] = match attribute.ty {
            AttributeType::Boolean | AttributeType::Integer | AttributeType::Number => {
                serde_json::from_str(default).unwrap_or_else(|_| json!(default))
            }
            _ => json!(default),
        };
    }
    if attribute.is_secret {
        out["writeOnly"] = json!(true);
    }
    out
}
