//! `ordain convert`: a document in the form that merging prints, without evaluating it.

use std::io::Write;

use clap::Args;
use ordain_dynaml::output::Writer;
use ordain_dynaml::session::find;
use ordain_dynaml::syntax::ast::Exprs;
use ordain_dynaml::value::Value;

use crate::commands::merge::shown;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use ordain_driver::dynaml::merge::{MergeError, documents};
use ordain_source::HostWorld;

/// Print YAML in normal form or as JSON, without evaluating it
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain convert template.yml
  ordain convert stub.yml --json --path networks.[0]")]
pub struct ConvertArgs {
    /// The file, or -
    file: String,
    #[command(flatten)]
    wanted: Wanted,
}

/// What is printed of a document.
#[derive(Args, Clone, Default, Debug)]
pub struct Wanted {
    /// Print JSON, a document a line
    #[arg(long)]
    pub json: bool,
    /// Print only the node at this path, such as `a.b.[1]`
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Print a map of these nodes, by the last step of their paths
    #[arg(long, value_name = "PATH")]
    pub select: Vec<String>,
    /// Print a list as documents of their own
    #[arg(long)]
    pub split: bool,
}

/// Converts and prints.
///
/// # Errors
/// When the file cannot be read, or has no such node.
pub fn run(ui: &mut Ui, args: &ConvertArgs) -> Result<Exit, Failure> {
    let text = convert(&args.file, &args.wanted).map_err(|trouble| shown(ui, &trouble))?;
    ui.document().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// The text of a file in normal form.
///
/// # Errors
/// When the file cannot be read, or has no such node.
pub fn convert(file: &str, wanted: &Wanted) -> Result<String, MergeError> {
    let documents = documents(&HostWorld::new(), "template", file)?;
    let several = documents.len() > 1;
    let mut results: Vec<Option<Value>> = Vec::new();
    for (n, document) in (1..).zip(documents) {
        if matches!(document, Value::Null) {
            results.push(None);
            continue;
        }
        let select = |value: &Value, path: &str| {
            find(value, path).ok_or_else(|| {
                let which = if several { format!(" (document {n})") } else { String::new() };
                MergeError::Usage(format!("path {path:?} not found{which}"))
            })
        };
        let mut value = document;
        if let Some(path) = &wanted.path {
            value = select(&value, path)?;
        }
        if !wanted.select.is_empty() {
            let paths = wanted.select.iter();
            let entries = paths.map(|path| {
                let last = path.rsplit('.').next().unwrap_or(path);
                Ok((last, select(&value, path)?))
            });
            value = Value::map(entries.collect::<Result<Vec<_>, MergeError>>()?);
        }
        match &value {
            Value::List(list) if wanted.split => {
                results.extend(list.items.iter().map(|i| Some(i.value.clone())));
            }
            _ => results.push(Some(value)),
        }
    }
    Ok(print(&results, wanted.json))
}

fn print(results: &[Option<Value>], json: bool) -> String {
    let exprs = Exprs::default();
    let writer = Writer::verbatim(&exprs);
    let mut out = String::new();
    for value in results {
        match value {
            Some(value) if json => {
                out.push_str(&writer.json(value));
                out.push('\n');
            }
            None if json => {}
            _ => {
                if results.len() > 1 || value.is_none() {
                    out.push_str("---\n");
                }
                if let Some(value) = value {
                    out.push_str(&writer.yaml(value));
                }
            }
        }
    }
    out
}
