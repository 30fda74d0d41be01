//! `ordain explain-code`: prints the documentation of diagnostic codes.

use std::io::Write;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use ordain_source::{CodeDoc, Diagnostic, suggest};
use serde_json::json;

use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::ui::{Ui, styles};

/// Print what a diagnostic code means, or list all codes
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain explain-code puppet::unknown-variable
  ordain explain-code")]
pub(crate) struct ExplainCodeArgs {
    /// The code, such as puppet::unknown-variable
    #[arg(add = ArgValueCompleter::new(complete::codes))]
    code: Option<String>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

/// Prints the documentation of a code, or lists all codes.
///
/// # Errors
/// When the code is unknown.
pub(super) fn run(ui: &mut Ui, args: &ExplainCodeArgs) -> Result<Exit, Failure> {
    let all = codes::all();
    let chosen: Vec<&CodeDoc> = match &args.code {
        Some(code) => vec![find(&all, code)?],
        None => all,
    };
    match args.format {
        TextOrJson::Json => {
            let codes: Vec<_> = chosen
                .iter()
                .map(|d| json!({ "code": d.code, "summary": d.summary, "details": d.details }))
                .collect();
            let out = json!({ "format": "ordain-codes", "version": 1, "codes": codes });
            writeln!(ui.document(), "{out}")?;
        }
        TextOrJson::Text if args.code.is_some() => {
            for doc in chosen {
                let code = ui.styled(styles::BOLD, doc.code);
                writeln!(ui.out(), "{code}: {}\n\n{}", doc.summary, wrapped(doc.details))?;
            }
        }
        TextOrJson::Text => {
            let width = chosen.iter().map(|d| d.code.len()).max().unwrap_or(0);
            for doc in chosen {
                writeln!(ui.out(), "{:width$}  {}", doc.code, doc.summary)?;
            }
        }
    }
    Ok(Exit::Done)
}

fn find<'a>(all: &[&'a CodeDoc], code: &str) -> Result<&'a CodeDoc, Diagnostic> {
    let same = |doc: &&&CodeDoc| doc.code == code || doc.code.ends_with(&format!("::{code}"));
    if let Some(doc) = all.iter().find(same) {
        return Ok(doc);
    }
    let error = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no code `{code}`"));
    Err(match suggest::nearest(code, all.iter().map(|d| d.code)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`ordain explain-code` lists all codes"),
    })
}

/// Wraps paragraphs at 80 columns; indented lines stay unchanged.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with(' ') {
            out.push_str(line);
        } else {
            let mut column = 0;
            for word in line.split(' ') {
                if column > 0 && column + 1 + word.len() > 80 {
                    out.push('\n');
                    column = 0;
                } else if column > 0 {
                    out.push(' ');
                    column += 1;
                }
                out.push_str(word);
                column += word.len();
            }
        }
        out.push('\n');
    }
    out.trim_end().to_string()
}
