//! `ordain diff`: documents compared by their structure.

use std::io::Write;

use clap::Args;
use ordain_dynaml::diff::{Comparison, Difference, Format, compare_all, report};
use ordain_dynaml::value::Value;
use serde_json::{Value as Json, json};

use crate::commands::merge::shown;
use crate::exit::{DIFF_HELP, Exit, Failure};
use crate::merging::documents;
use crate::options::TextOrJson;
use crate::ui::Ui;

/// Compare two YAML files by their structure
///
/// Maps are compared by key, lists by the `name` of their entries and else by position; entries
/// that only moved are no difference, except in the list `jobs` at the top. Streams of several
/// documents are compared one by one.
#[derive(Args)]
#[command(after_help = DIFF_HELP)]
pub struct DiffArgs {
    /// The first file, or -
    left: String,
    /// The second file, or -
    right: String,
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// A text to print after each difference
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    separator: String,
    /// Exit with 0 if there are differences, too
    #[arg(long)]
    exit_zero: bool,
}

/// Compares and prints.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(ui: &mut Ui, args: &DiffArgs) -> Result<Exit, Failure> {
    let read = || Ok((documents("a", &args.left)?, documents("b", &args.right)?));
    let (left, right) = match read() {
        Ok(read) => read,
        Err(trouble) => {
            shown(ui, &trouble);
            return Ok(Exit::Trouble);
        }
    };
    let comparison = compare_all(&left, &right);
    match args.format {
        TextOrJson::Json => {
            let out = document(args, &comparison);
            writeln!(ui.out(), "{out}")?;
        }
        TextOrJson::Text => {
            let format = Format {
                left: &args.left,
                right: &args.right,
                colour: ui.colour(),
                wide: false,
                separator: &args.separator,
            };
            ui.out().write_all(report(&comparison, &format).as_bytes())?;
        }
    }
    Ok(if comparison.is_equal() || args.exit_zero { Exit::Done } else { Exit::Different })
}

fn document(args: &DiffArgs, comparison: &Comparison) -> Json {
    let mut out = json!({
        "format": "ordain-document-diff", "version": 1, "equal": comparison.is_equal(),
        "left": args.left, "right": args.right,
    });
    match comparison {
        Comparison::Counts(left, right) => out["documents"] = json!([left, right]),
        Comparison::Documents(documents) => {
            out["documents"] = json!([documents.len(), documents.len()]);
            let all = (1..).zip(documents);
            let all = all.flat_map(|(n, found)| found.iter().map(move |d| difference(n, d)));
            out["differences"] = all.collect();
        }
    }
    out
}

fn difference(document: usize, difference: &Difference) -> Json {
    let mut out = json!({ "document": document, "path": difference.path.join(".") });
    for (side, value) in [("left", &difference.left), ("right", &difference.right)] {
        if let Some(value) = value {
            out[side] = json_value(value);
        }
    }
    out
}

fn json_value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(n) => json!(n),
        Value::Float(x) => json!(x),
        Value::Str(s) => json!(s.as_str()),
        Value::List(list) => list.items.iter().map(|i| json_value(&i.value)).collect(),
        Value::Map(map) => {
            let entries = map.entries().iter();
            Json::Object(entries.map(|(k, i)| (k.to_string(), json_value(&i.value))).collect())
        }
        // Documents that nothing is evaluated in have neither.
        Value::Lambda(_) | Value::Template(_) => Json::Null,
    }
}
