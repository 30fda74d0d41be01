//! `ordain diff`: compares documents or graphs by their structure.

use std::io::Write;
use std::path::Path;

use clap::Args;
use ordain_data::diff::Difference;
use ordain_dynaml::diff::{Colours, Comparison, Format, Places, Side, compare_all, report};
use ordain_graph::diff::{Origins, differences};
use ordain_graph::json::{Secrets, write_value};
use ordain_graph::locate::place;
use ordain_graph::place::Place;
use ordain_source::{Diagnostic, HostWorld, SourceMap};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::commands::merge::shown;
use crate::exit::{DIFF_HELP, Exit, Failure};
use crate::options::{CompileArgs, TextOrJson};
use crate::screen::marks;
use crate::ui::Ui;
use ordain_driver::dynaml::merge::data;
use ordain_driver::{Compiled, Purpose, compile, is_graph};

/// The marks of removals and additions.
const COLOURS: Colours = Colours { left: marks::REMOVE, right: marks::ADD, end: marks::END };

/// Compare two YAML files, or two graphs, by their structure
///
/// In YAML, maps are compared by key, and lists by the `name` of their entries or else by position;
/// entries that only moved are no difference, except in the list `jobs` at the top. Streams of
/// several documents are compared one by one. Manifests, directories of them, graphs, catalogs and
/// saved plans are compared as graphs: resources by name, their attributes, and edges.
#[derive(Args)]
#[command(after_help = DIFF_HELP)]
pub(crate) struct DiffArgs {
    /// The first: YAML, a manifest, a directory, a graph, a catalog, or -
    left: String,
    /// The second
    right: String,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// A text to print after each difference
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    separator: String,
    /// Exit with 0 if there are differences, too
    #[arg(long)]
    exit_zero: bool,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Compares and prints the differences.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn run(ui: &mut Ui, args: &DiffArgs) -> Result<Exit, Failure> {
    let (left, right) = (Path::new(&args.left), Path::new(&args.right));
    let is_missing = |path: &&&Path| **path != Path::new("-") && !path.exists();
    let missing: Vec<Diagnostic> =
        [left, right].iter().filter(is_missing).map(|path| codes::missing(path)).collect();
    if !missing.is_empty() {
        ui.diagnostics(missing, &SourceMap::new());
        return Ok(Exit::Trouble);
    }
    let options = args.compile.options();
    match (is_graph(left, &options), is_graph(right, &options)) {
        (false, false) => compare_documents(ui, args),
        (true, true) => compare_graphs(ui, args),
        (graph, _) => {
            let (graph, other) =
                if graph { (&args.left, &args.right) } else { (&args.right, &args.left) };
            let text = format!("{graph} is a graph, but {other} is not");
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            let error = error.help("compare graphs with graphs, and YAML with YAML");
            Ok(trouble(ui, error.into()))
        }
    }
}

fn compare_documents(ui: &mut Ui, args: &DiffArgs) -> Result<Exit, Failure> {
    let world = HostWorld::new();
    let read = || Ok((data(&world, "a", &args.left)?, data(&world, "b", &args.right)?));
    let (left, right) = match read() {
        Ok(read) => read,
        Err(trouble) => {
            shown(ui, &trouble);
            return Ok(Exit::Trouble);
        }
    };
    print(ui, args, &compare_all(&left, &right), &|_, _| None)
}

fn compare_graphs(ui: &mut Ui, args: &DiffArgs) -> Result<Exit, Failure> {
    let options = args.compile.options();
    let mut load = |path: &str| compile(ui, Path::new(path), &options, Purpose::Inspection);
    let both = load(&args.left).and_then(|left| Ok((left, load(&args.right)?)));
    let (left, right) = match both {
        Ok(both) => both,
        Err(error) => return Ok(trouble(ui, error.into())),
    };
    let found = differences(&left.graph, &right.graph);
    let (before, after) = (Origins::new(&left.graph), Origins::new(&right.graph));
    let at = |loaded: &Compiled, origins: &Origins<'_>, difference: &Difference| {
        place(&loaded.graph, origins.of(difference)?, &loaded.sources)
    };
    let places = |difference: &Difference, side: Side| match side {
        Side::Left => at(&left, &before, difference),
        Side::Right => at(&right, &after, difference),
    };
    print(ui, args, &Comparison::Documents(vec![found]), &places)
}

/// Prints the reason why nothing can be compared.
fn trouble(ui: &mut Ui, failure: Failure) -> Exit {
    if let Failure::Message(diagnostic) = failure {
        ui.diagnostics(vec![diagnostic], &SourceMap::new());
    }
    Exit::Trouble
}

fn print(
    ui: &mut Ui,
    args: &DiffArgs,
    comparison: &Comparison,
    places: &dyn Fn(&Difference, Side) -> Option<Place>,
) -> Result<Exit, Failure> {
    match args.format {
        TextOrJson::Json => {
            let out = document(args, comparison, places);
            writeln!(ui.document(), "{out}")?;
        }
        TextOrJson::Text => {
            let places: Places<'_> =
                &|difference, side| Some(places(difference, side)?.to_string());
            let format = Format {
                left: &args.left,
                right: &args.right,
                colours: ui.colour().then_some(COLOURS),
                wide: false,
                separator: &args.separator,
                places: Some(places),
            };
            ui.out().write_all(report(comparison, &format).as_bytes())?;
        }
    }
    Ok(if comparison.is_equal() || args.exit_zero { Exit::Done } else { Exit::Different })
}

fn document(
    args: &DiffArgs,
    comparison: &Comparison,
    places: &dyn Fn(&Difference, Side) -> Option<Place>,
) -> Json {
    let mut out = json!({
        "format": "ordain-diff", "version": 1, "equal": comparison.is_equal(),
        "left": args.left, "right": args.right,
    });
    match comparison {
        Comparison::Counts(left, right) => out["documents"] = json!([left, right]),
        Comparison::Documents(documents) => {
            out["documents"] = json!([documents.len(), documents.len()]);
            let one = |n: usize, difference: &Difference| {
                let mut out = json!({ "document": n, "path": difference.path.join(".") });
                let sides = [
                    ("left", "left_at", &difference.left, Side::Left),
                    ("right", "right_at", &difference.right, Side::Right),
                ];
                for (key, at, value, side) in sides {
                    let Some(value) = value else { continue };
                    out[key] = write_value(value, Secrets::Omit);
                    if let Some(place) = places(difference, side) {
                        out[at] = json!(place.to_string());
                    }
                }
                out
            };
            let all = (1..).zip(documents);
            let all = all.flat_map(|(n, found)| found.iter().map(move |d| one(n, d)));
            out["differences"] = all.collect();
        }
    }
    out
}
