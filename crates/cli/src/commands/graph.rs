//! `ordain graph`: draws resources and relationships.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use ordain_graph::json::{self, Secrets};
use ordain_graph::{Relations, dot};
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::CompileArgs;
use crate::show::picture;
use crate::ui::Ui;
use ordain_driver::{Compiled, Purpose, SourceKind, check_exists, compile, cycle, inmanta, mcl};

/// Draw resources and relations, as DOT, SVG or a page
///
/// Classes and defines are frames around their resources; arrows lead to later resources.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain graph site.pp --out site.html
  ordain graph . --node web1.example.org --format svg > web1.svg")]
pub(crate) struct GraphArgs {
    /// A manifest, a directory, a graph, a catalog, a program of mgmt, or -
    #[arg(default_value = ".")]
    path: PathBuf,
    /// The output format [default: by the name of the file, else dot]
    #[arg(long, value_name = "FORM")]
    format: Option<Format>,
    /// Draw the instances of a model of Inmanta, not its resources
    #[arg(long)]
    instances: bool,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the functions of a program of mgmt in place of its resources
    #[arg(long)]
    functions: bool,
    #[command(flatten)]
    compile: CompileArgs,
}

/// The output format of a picture.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// DOT, for Graphviz
    Dot,
    /// A picture
    Svg,
    /// A page with the picture, that needs nothing else
    Html,
    /// The graph itself
    Json,
}

/// Compiles and draws the graph.
///
/// # Errors
/// When the sources have errors, or the file cannot be written.
pub(super) fn run(ui: &mut Ui, args: &GraphArgs) -> Result<Exit, Failure> {
    let format = format(args)?;
    let loaded = if args.instances {
        instances(ui, args)?
    } else if args.functions {
        functions(ui, args)?
    } else {
        graph(ui, args)?
    };
    let text = draw(&loaded, format);
    match &args.out {
        None => ui.document().write_all(text.as_bytes())?,
        Some(path) => std::fs::write(path, text)
            .map_err(|e| codes::io(&format!("cannot write {}", path.display()), &e))?,
    }
    Ok(Exit::Done)
}

/// The instances of a model as a graph.
fn instances(ui: &mut Ui, args: &GraphArgs) -> Result<Compiled, Failure> {
    let options = args.compile.options();
    if SourceKind::of(&args.path, &options) != SourceKind::Inmanta {
        let text = "only models of Inmanta have instances";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    Ok(inmanta::instances(ui, &args.path, &options)?)
}

/// The function graph of a program.
fn functions(ui: &mut Ui, args: &GraphArgs) -> Result<Compiled, Failure> {
    let options = args.compile.options();
    if SourceKind::of(&args.path, &options) != SourceKind::Mcl {
        let text = "only programs of mgmt have a graph of functions";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    check_exists(ui, &args.path, &options)?;
    let sources = Arc::new(SourceMap::new());
    let request = mcl::Request::of(&args.path, &options)?;
    let graph = mcl::functions(ui, &request, &sources)?;
    Ok(Compiled::of_graph(graph, sources))
}

fn graph(ui: &mut Ui, args: &GraphArgs) -> Result<Compiled, Failure> {
    // A program may declare resources that only mgmt can apply. They are drawn as well.
    let options = args.compile.options();
    let purpose = match SourceKind::of(&args.path, &options) {
        SourceKind::Mcl => Purpose::Inspection,
        _ => Purpose::Application,
    };
    let mut compiled = compile(ui, &args.path, &options, purpose)?;
    if purpose == Purpose::Inspection {
        return Ok(compiled);
    }
    if let Err(found) = Relations::new(&compiled.graph).order() {
        let warning = cycle::diagnostic(&found, &compiled.graph, Severity::Warning);
        ui.diagnostics(vec![warning], &compiled.sources);
    }
    ordain_engine::automatic::add(Arc::make_mut(&mut compiled.graph));
    Ok(compiled)
}

/// The format of the argument, else that of the file name.
fn format(args: &GraphArgs) -> Result<Format, Diagnostic> {
    let ending = args.out.as_ref().and_then(|path| path.extension());
    let (Some(ending), None) = (ending, args.format) else {
        return Ok(args.format.unwrap_or(Format::Dot));
    };
    let ending = ending.to_string_lossy().to_lowercase();
    match ending.as_str() {
        "dot" | "gv" => Ok(Format::Dot),
        "svg" => Ok(Format::Svg),
        "html" | "htm" => Ok(Format::Html),
        "json" => Ok(Format::Json),
        _ => {
            let text = format!("a picture cannot be written as .{ending}");
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            let help = "use .svg, .html, .dot or .json, or set --format";
            Err(error.help(help))
        }
    }
}

fn draw(loaded: &Compiled, format: Format) -> String {
    match format {
        Format::Svg => picture::svg(loaded),
        Format::Html => picture::html(loaded),
        Format::Json => {
            let mut text = Vec::new();
            // Writing to memory cannot fail.
            let _ = json::write(&loaded.graph, &loaded.sources, Secrets::Omit, &mut text);
            String::from_utf8_lossy(&text).into_owned() + "\n"
        }
        Format::Dot => {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = dot::write(&loaded.graph, &mut text);
            text
        }
    }
}
