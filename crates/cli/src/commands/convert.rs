//! `ordain convert`: prints a document in the output format of a merge, without evaluating it.

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
pub(crate) struct ConvertArgs {
    /// The file, or -
    file: String,
    #[command(flatten)]
    options: ConvertOptions,
}

/// The parts of a document to print, and their format.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct ConvertOptions {
    /// Print JSON, one document per line
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

/// Converts a document and prints it.
///
/// # Errors
/// When the file cannot be read, or has no such node.
pub(crate) fn run(ui: &mut Ui, args: &ConvertArgs) -> Result<Exit, Failure> {
    let text = convert(&args.file, &args.options).map_err(|trouble| shown(ui, &trouble))?;
    ui.document().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// Converts a file to the output format of a merge.
///
/// # Errors
/// When the file cannot be read, or has no such node.
pub(crate) fn convert(file: &str, options: &ConvertOptions) -> Result<String, MergeError> {
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
        if let Some(path) = &options.path {
            value = select(&value, path)?;
        }
        if !options.select.is_empty() {
            let paths = options.select.iter();
            let entries = paths.map(|path| {
                let last = path.rsplit('.').next().unwrap_or(path);
                Ok((last, select(&value, path)?))
            });
            value = Value::map(entries.collect::<Result<Vec<_>, MergeError>>()?);
        }
        match &value {
            Value::List(list) if options.split => {
                results.extend(list.items.iter().map(|i| Some(i.value.clone())));
            }
            _ => results.push(Some(value)),
        }
    }
    Ok(print(&results, options.json))
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
