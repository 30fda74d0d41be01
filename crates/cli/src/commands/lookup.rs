//! `ordain lookup`: looks up keys in Hiera.

mod nodes;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_puppet::hiera::explain::{Explainer, to_json};
use ordain_puppet::hiera::{Request, without_configuration};
use ordain_puppet::session::{LookupReport, look_up};
use ordain_puppet::types::format::quoted::quoted;
use ordain_puppet::value::Value;
use ordain_source::Diagnostic;
use serde_json::json;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::{CompileArgs, TextOrJson};
use crate::ui::Ui;
use ordain_driver::puppet;

/// Look up a key in Hiera
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain lookup ntp::servers --path . --node web1.example.org
  ordain lookup ntp::servers --path . --explain
  ordain lookup ntp::servers --path . --all-nodes --facts facts/")]
pub(crate) struct LookupArgs {
    /// The keys; the first one that is found wins
    #[arg(required = true)]
    keys: Vec<String>,
    /// The control repository
    #[arg(long, value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Explain where Hiera looked and which values it found
    #[arg(long)]
    explain: bool,
    /// Explain only how lookup options were found, such as merge strategies
    #[arg(long)]
    explain_options: bool,
    /// The merge strategy for values of several levels
    #[arg(long, value_name = "HOW")]
    merge: Option<Merge>,
    /// In a deep merge: the prefix of values that remove others
    #[arg(long, value_name = "PREFIX", requires = "merge")]
    knock_out_prefix: Option<String>,
    /// In a deep merge: sort the lists
    #[arg(long, requires = "merge")]
    sort_merged_arrays: bool,
    /// In a deep merge: merge the hashes in lists by their positions
    #[arg(long, requires = "merge")]
    merge_hash_arrays: bool,
    /// The value if nothing is found
    #[arg(long, value_name = "TEXT")]
    default: Option<String>,
    /// Look up the key for all nodes: those with facts in the directory of --facts (NAME.json or
    /// NAME.yaml), or in --database. Nodes are grouped by their values and by the levels that win;
    /// encrypted values are not shown
    #[arg(long, conflicts_with_all = ["explain", "explain_options", "node"])]
    all_nodes: bool,
    /// The database of `ordain serve` that has the facts of all nodes: its state directory, a file, or
    /// postgresql://...
    #[arg(long, value_name = "PLACE", requires = "all_nodes", conflicts_with = "facts")]
    database: Option<String>,
    /// Compile the node's catalog first, for variables that data interpolates
    #[arg(long)]
    compile: bool,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    compile_args: CompileArgs,
}

/// A merge strategy.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Merge {
    /// The first that is found
    First,
    /// A list of all without duplicates
    Unique,
    /// One hash, keys of higher levels first
    Hash,
    /// One hash, merged at all depths
    Deep,
}

/// The merge strategy of the arguments; `undef` leaves the choice to the data.
fn merge(args: &LookupArgs) -> Result<Value, Failure> {
    let Some(merge) = args.merge else { return Ok(Value::Undef) };
    let name = match merge {
        Merge::First => "first",
        Merge::Unique => "unique",
        Merge::Hash => "hash",
        Merge::Deep => "deep",
    };
    let mut options = vec![("strategy", Value::from(name))];
    if let Some(prefix) = &args.knock_out_prefix {
        options.push(("knockout_prefix", Value::from(prefix.as_str())));
    }
    let flags = [
        ("sort_merged_arrays", args.sort_merged_arrays),
        ("merge_hash_arrays", args.merge_hash_arrays),
    ];
    options.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, true.into())));
    if options.len() == 1 {
        return Ok(Value::from(name));
    }
    if merge != Merge::Deep {
        let text = format!("a merge of the kind `{name}` has no options");
        let help = "--merge deep has";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).help(help).into());
    }
    Ok(Value::hash(options))
}

/// Looks up a key and prints its value.
///
/// # Errors
/// When nothing is found, or the data has errors.
pub(super) fn run(ui: &mut Ui, args: &LookupArgs) -> Result<Exit, Failure> {
    let merge = merge(args)?;
    let request = Request {
        names: args.keys.iter().map(|k| k.as_str().into()).collect(),
        single: args.keys.len() == 1,
        merge,
        default: args.default.as_deref().map(Value::from),
        ..Request::default()
    };
    if args.all_nodes {
        let query = nodes::Query {
            keys: &args.keys,
            path: &args.path,
            database: args.database.as_deref(),
            compiles: args.compile,
            format: args.format,
        };
        return nodes::run(ui, &query, args.compile_args.options(), &request);
    }
    let input = puppet::open(ui, Some(&args.path), &args.compile_args.options())?;
    let settings = input.settings.clone();
    let explainer = (args.explain || args.explain_options)
        .then(|| Explainer::new(args.explain_options && !args.explain));
    let found = look_up(&input.env, settings, &input.node, &request, explainer, args.compile);
    ui.logs(&found.report.logs, &input.sources);
    ui.diagnostics(found.report.diagnostics.clone(), &input.sources);
    if found.report.error.is_some() {
        return Err(Failure::Shown);
    }
    let is_found = found.value.is_some();
    write(ui, args, found)?;
    if is_found {
        return Ok(Exit::Done);
    }
    let mut error = Diagnostic::error(
        codes::UNKNOWN_NAME,
        format!("nothing is found for {}", args.keys.join(", ")),
    );
    if let Some(help) = without_configuration(&input.env) {
        error = error.help(help);
    } else if !args.explain {
        error = error.help("--explain shows the search");
    }
    Err(error.into())
}

fn write(ui: &mut Ui, args: &LookupArgs, found: LookupReport) -> Result<(), Failure> {
    let LookupReport { value, explanation, .. } = found;
    match args.format {
        TextOrJson::Json => {
            let mut out = json!({
                "format": "ordain-lookup", "version": 1, "found": value.is_some(),
                "value": value.as_ref().map(to_json),
            });
            if let Some(explanation) = &explanation {
                out["explanation"] = explanation.to_json();
            }
            writeln!(ui.document(), "{out}")?;
        }
        TextOrJson::Text => match (&explanation, &value) {
            (Some(explanation), _) => ui.out().write_all(explanation.render().as_bytes())?,
            (None, Some(value)) => writeln!(ui.out(), "{}", quoted(value))?,
            (None, None) => {}
        },
    }
    Ok(())
}
