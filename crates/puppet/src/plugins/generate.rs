//! Writes resource types of Ruby in the Puppet language, as `puppet generate types` does.

use std::fmt::Write as _;
use std::path::Path;

use ordain_source::{FileId, Span, TextRange};
use serde_json::{Value as Json, json};

use crate::error::{PlainError, UnknownName, Unwind};
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::value::quoting::write_text_quoted;

const NOWHERE: Span = Span { file: FileId(0), range: TextRange { start: 0, end: 0 } };

/// The reason why a type has no generated text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotGenerated {
    /// Its file does not run.
    Unloadable(String),
    /// Its file runs, but does not define the type.
    Undefined,
    /// The language cannot express the type.
    Unwritable(String),
}

/// The definition of a resource type from the `ruby` process: its attributes, and the places of its
/// blocks of code.
#[derive(Clone, Debug)]
pub struct Outline(pub Json);

impl Compiler<'_> {
    /// The definition of a type of a file, without the comment with its date.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn generate_type(
        &mut self,
        name: &str,
        file: &Path,
    ) -> Result<String, NotGenerated> {
        self.ask_about_type("model", name, file).map(|model| written(name, &model))
    }

    /// Describes the type that a file defines.
    ///
    /// # Errors
    /// The reason why there is no description.
    pub(crate) fn outline_type(
        &mut self,
        name: &str,
        file: &Path,
    ) -> Result<Outline, NotGenerated> {
        self.ask_about_type("outline", name, file).map(Outline)
    }

    /// Runs the file of a type, and asks a question about the type.
    fn ask_about_type(
        &mut self,
        question: &str,
        name: &str,
        file: &Path,
    ) -> Result<Json, NotGenerated> {
        let place = file.display().to_string();
        let callee = Callee { what: "the resource type", place: &place };
        let text = self.env.world.read(file);
        let text = text.map_err(|error| NotGenerated::Unloadable(error.to_string()))?;
        let text = String::from_utf8_lossy(&text);
        let loaded = self.with_ruby(callee, NOWHERE, |this| {
            this.converse(callee, NOWHERE, json!(["type", name, place, text]))
        });
        if let Err(unwind) = loaded {
            let error = error_of(*unwind);
            return Err(match error.unknown == Some(UnknownName::RubyType) {
                true => NotGenerated::Undefined,
                false => NotGenerated::Unloadable(error.message),
            });
        }
        let model = self.with_ruby(callee, NOWHERE, |this| {
            this.converse(callee, NOWHERE, json!([question, name]))
        });
        model.map_err(|unwind| NotGenerated::Unwritable(error_of(*unwind).message))
    }
}

fn error_of(unwind: Unwind) -> PlainError {
    match unwind {
        Unwind::Plain(error) => error,
        Unwind::Error(error) => PlainError::new(error.message),
        _ => PlainError::new("it jumps out of its file"),
    }
}

/// The text of a type.
fn written(name: &str, model: &Json) -> String {
    let mut out = String::new();
    comment(&mut out, "", &model["doc"]);
    out.push_str("Puppet::Resource::ResourceType3.new(\n  ");
    write_text_quoted(&mut out, name);
    out.push_str(",\n");
    for list in ["properties", "parameters"] {
        let all = model[list].as_array().map_or(&[][..], Vec::as_slice);
        out.push_str("  [\n");
        for (i, one) in all.iter().enumerate() {
            attribute(&mut out, one);
            if i + 1 < all.len() {
                out.push_str(",\n\n");
            }
        }
        out.push_str("\n  ],\n");
    }
    patterns(&mut out, &model["patterns"]);
    let _ = write!(out, "  {},\n  false)\n", model["isomorphic"] == true);
    out
}

/// Lines of documentation as comments.
fn comment(out: &mut String, margin: &str, doc: &Json) {
    let doc = doc.as_str().unwrap_or_default();
    if doc.is_empty() {
        return;
    }
    for line in doc.split_inclusive('\n') {
        let _ = write!(out, "{margin}# {line}");
    }
    out.push('\n');
}

fn attribute(out: &mut String, one: &Json) {
    comment(out, "    ", &one["doc"]);
    let _ = write!(out, "    Puppet::Resource::Param({}, ", data_type(one));
    write_text_quoted(out, one["name"].as_str().unwrap_or_default());
    out.push_str(if one["namevar"] == true { ", true)" } else { ")" });
}

/// The type that the listed values make.
fn data_type(one: &Json) -> String {
    let texts = |key: &str| -> Vec<String> {
        let values = one[key].as_array().into_iter().flatten();
        values.filter_map(Json::as_str).map(str::to_owned).collect()
    };
    let (words, patterns) = (texts("words"), texts("patterns"));
    let mut parts = Vec::new();
    if words.iter().any(|word| word == "true" || word == "false") {
        parts.push("Boolean".to_owned());
    }
    if !words.is_empty() {
        let quoted: Vec<String> = words.iter().map(|word| text_literal(word)).collect();
        parts.push(format!("Enum[{}]", quoted.join(", ")));
    }
    if !patterns.is_empty() {
        parts.push(format!("Pattern[{}]", patterns.join(", ")));
    }
    match &*parts {
        [] => "Any".to_owned(),
        [one] => one.clone(),
        _ => format!("Variant[{}]", parts.join(", ")),
    }
}

fn patterns(out: &mut String, patterns: &Json) {
    // A repeated pattern keeps its first position and gets the last attributes.
    let mut found: indexmap::IndexMap<String, String> = indexmap::IndexMap::new();
    for pair in patterns.as_array().into_iter().flatten() {
        let names = pair[1].as_array().into_iter().flatten();
        let names: Vec<String> =
            names.map(|name| name.as_str().map_or("undef".into(), text_literal)).collect();
        let pattern = pair[0].as_str().unwrap_or_default().to_owned();
        found.insert(pattern, format!("[{}]", names.join(", ")));
    }
    out.push_str("  {\n");
    for (i, (pattern, names)) in found.iter().enumerate() {
        let comma = if i + 1 < found.len() { "," } else { "" };
        let _ = writeln!(out, "    {pattern} => {names}{comma}");
    }
    out.push_str("  },\n");
}

fn text_literal(text: &str) -> String {
    let mut out = String::new();
    write_text_quoted(&mut out, text);
    out
}
