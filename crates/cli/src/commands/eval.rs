//! `ordain eval`: evaluates an expression.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_puppet::session::{Evaluated, evaluate};
use ordain_puppet::types::format::quoted::quoted;
use ordain_puppet::types::infer::infer;
use ordain_source::{Severity, render};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::{CompileArgs, TextOrJson};
use crate::ui::{Ui, log_json};
use ordain_driver::puppet::{self, Input};

/// Evaluate code and print the value of its last expression
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain eval -e '[1, 2, 3].map |$x| { $x * $x }'
  ordain eval -e 'lookup(\"ntp::servers\")' --path .
  echo '1 + 1' | ordain eval -")]
pub(crate) struct EvalArgs {
    /// The code
    #[arg(short = 'e', long = "expression", value_name = "CODE", conflicts_with = "file")]
    code: Option<String>,
    /// A file with the code, or -
    #[arg(required_unless_present = "code")]
    file: Option<PathBuf>,
    /// The manifest or control repository in whose scope the code runs
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Evaluates code and prints its value.
///
/// # Errors
/// When the code has errors.
pub(super) fn run(ui: &mut Ui, args: &EvalArgs) -> Result<Exit, Failure> {
    let (file, code) = match (&args.code, &args.file) {
        (Some(code), _) => (PathBuf::new(), code.clone()),
        (None, Some(file)) if file != Path::new("-") => {
            let code =
                ordain_source::read_input_text(file).map_err(|e| codes::unreadable(file, &e))?;
            (file.clone(), code)
        }
        _ => (PathBuf::new(), puppet::read_stdin()?),
    };
    let input = puppet::open(ui, args.path.as_deref(), &args.compile.options())?;
    let evaluated = evaluate(&input.env, input.settings.clone(), &input.node, &file, &code);
    match args.format {
        TextOrJson::Text => text(ui, &input, evaluated),
        TextOrJson::Json => document(ui, &input, &evaluated),
    }
}

fn text(ui: &mut Ui, input: &Input, evaluated: Evaluated) -> Result<Exit, Failure> {
    ui.logs(&evaluated.report.logs, &input.sources);
    ui.diagnostics(evaluated.report.diagnostics, &input.sources);
    let value = evaluated.value.ok_or(Failure::Shown)?;
    writeln!(ui.out(), "{}", quoted(&value))?;
    Ok(Exit::Done)
}

fn document(ui: &mut Ui, input: &Input, evaluated: &Evaluated) -> Result<Exit, Failure> {
    let report = &evaluated.report;
    let logs: Json = report.logs.iter().map(log_json).collect();
    let diagnostics: Json =
        report.diagnostics.iter().map(|d| render::json(d, &input.sources)).collect();
    let mut out =
        json!({ "format": "ordain-value", "version": 1, "ok": evaluated.value.is_some() });
    if let Some(value) = &evaluated.value {
        out["value"] = json!(quoted(value));
        out["type"] = json!(infer(value).to_string());
    } else if let Some(first) = report.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        out["error"] = json!(first.message);
        out["issue"] = json!(first.issue);
    }
    out["logs"] = logs;
    out["diagnostics"] = diagnostics;
    writeln!(ui.document(), "{out}")?;
    Ok(if evaluated.value.is_some() { Exit::Done } else { Exit::Failed })
}
