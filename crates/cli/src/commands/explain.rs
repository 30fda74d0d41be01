//! `ordain explain`: explains why a resource exists, and why an attribute has its value.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use ordain_dynaml::eval::Dialect;
use ordain_graph::explain::{Explainer, Explanation};
use ordain_graph::{Attribute, Graph, ResourceId, ResourceRef};
use ordain_puppet::eval::UsedCode;
use ordain_puppet::provenance::Provenance;
use ordain_source::{Diagnostic, HostWorld, SourceMap, suggest};

use crate::codes;
use crate::commands::merge::shown as shown_error;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::options::{CompileArgs, TextOrJson};
use crate::references;
use crate::show::explanation;
use crate::show::value::shown;
use crate::ui::Ui;
use ordain_driver::dynaml::merge::{Merge, MergeOptions, merge};
use ordain_driver::puppet::explain_absence;
use ordain_driver::{Options, Purpose, SourceKind, compile, inmanta, mcl};

/// Say where a resource or the value of an attribute comes from
///
/// RESOURCE is a reference such as `File[/etc/motd]`, with `.mode` behind it for one attribute.
/// Values that lost are shown, too. In models of Inmanta it may also be an instance, such as
/// `app::Host#2` or `app::Host[name=web]`. With --at, the arguments are a dynaml template and its stubs, and
/// a node of the merged document is explained.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain explain 'File[/etc/ntp.conf].mode' .
  ordain explain 'Class[ntp]' site.pp --format json
  ordain explain 'file[/etc/motd].content' main.mcl
  ordain explain 'app::Host[name=web].port' main.cf
  ordain explain manifest.yml stub.yml --at jobs.[0].instances")]
pub(crate) struct ExplainArgs {
    /// The resource, or one of its attributes
    #[arg(add = ArgValueCompleter::new(complete::resources))]
    resource: String,
    /// A manifest, a directory, a graph, a catalog, or - [default: .]
    path: Vec<PathBuf>,
    /// The path of a node of the document that template and stubs give
    #[arg(long, value_name = "NODE")]
    at: Option<String>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    compile: CompileArgs,
}

/// Compiles, finds the resource and prints the explanation.
///
/// # Errors
/// When the sources have errors, or there is no such resource or attribute.
pub(super) fn run(ui: &mut Ui, args: &ExplainArgs) -> Result<Exit, Failure> {
    if let Some(node) = &args.at {
        return explain_document(ui, args, node);
    }
    let path = match &args.path[..] {
        [] => Path::new("."),
        [path] => path,
        [_, second, ..] => {
            let text = format!("{} is one path too many", second.display());
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            return Err(error.help("a template with stubs is explained with --at NODE").into());
        }
    };
    let explanation = explain_source(ui, path, &args.compile.options(), &args.resource)?;
    print(ui, args.format, &explanation)
}

/// Explains a resource of a source in any language, or one of its attributes.
///
/// # Errors
/// When the source has errors, or there is no such resource or attribute.
pub(super) fn explain_source(
    ui: &mut Ui,
    path: &Path,
    options: &Options,
    resource: &str,
) -> Result<Explanation, Failure> {
    let kind = SourceKind::of(path, options);
    // A kind that only the engine knows is explained from the graph.
    if kind == SourceKind::Mcl && mcl::names_own_kind(resource) {
        let request = mcl::Request::of(path, options)?;
        return Ok(mcl::explain(ui, &request, resource)?);
    }
    if kind == SourceKind::Inmanta
        && let Some(explanation) = inmanta::explain(ui, path, options, resource)?
    {
        return Ok(explanation);
    }
    let (name, attribute) = references::parse_with_attribute(resource)?;
    let used = UsedCode::default();
    let mut options = options.clone();
    options.used = (kind == SourceKind::Puppet).then(|| used.clone());
    let loaded = compile(ui, path, &options, Purpose::Inspection)?;
    if kind == SourceKind::Puppet && loaded.graph.find(&name).is_none() {
        let error = references::unknown(&name, &loaded.graph);
        let code = (&*loaded.graph, &*loaded.sources);
        let error = explain_absence(error, &name, path, &options, code, &used);
        ui.diagnostics(vec![error], &loaded.sources);
        return Err(Failure::Shown);
    }
    Ok(explain_graph(&loaded.graph, &loaded.sources, &name, attribute.as_deref())?)
}

/// Explains a resource of a graph, or one of its attributes.
///
/// # Errors
/// When there is no such resource or attribute.
pub(super) fn explain_graph(
    graph: &Graph,
    sources: &SourceMap,
    name: &ResourceRef,
    attribute: Option<&str>,
) -> Result<Explanation, Diagnostic> {
    let id = graph.find(name).ok_or_else(|| references::unknown(name, graph))?;
    let (provenance, secrets) = (Provenance::new(graph, sources), graph.redactor());
    let explainer = Explainer {
        graph,
        sources,
        line: &line_of_file,
        shown: &shown,
        secrets: &secrets,
        variables: &|explainer, origin| provenance.variables(explainer, origin),
    };
    Ok(match attribute {
        Some(name) => explainer.attribute(id, find_attribute(graph, id, name)?),
        None => explainer.resource(id),
    })
}

/// Prints an explanation.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn print(
    ui: &mut Ui,
    format: TextOrJson,
    explanation: &Explanation,
) -> Result<Exit, Failure> {
    match format {
        TextOrJson::Json => writeln!(ui.document(), "{}", explanation.json())?,
        TextOrJson::Text => explanation::write(ui, explanation)?,
    }
    Ok(Exit::Done)
}

/// A line of a file that is not among the sources.
fn line_of_file(file: &str, line: u32) -> Option<String> {
    let text = ordain_source::read_input_text(Path::new(file)).ok()?;
    text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned)
}

/// Explains a node of a merged document.
fn explain_document(ui: &mut Ui, args: &ExplainArgs, node: &str) -> Result<Exit, Failure> {
    let stubs: Vec<String> = args.path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let documents = Merge {
        template: &args.resource,
        stubs: &stubs,
        options: MergeOptions { preserve_temporary: true, ..MergeOptions::default() },
        dialect: Dialect::SpiffPlusPlus,
        explain: Some(node.to_owned()),
        ..Merge::default()
    };
    let output = merge(&HostWorld::new(), &documents).map_err(|error| shown_error(ui, &error))?;
    let Some(explained) = output.explained else {
        let text = format!("the document has no node `{node}`");
        return Err(Diagnostic::error(codes::UNKNOWN_NAME, text).into());
    };
    let mut explanation = explained.explanation(&output.files, &SourceMap::new());
    explanation.hide(&output.secrets);
    print(ui, args.format, &explanation)
}

fn find_attribute<'g>(
    graph: &'g Graph,
    id: ResourceId,
    name: &str,
) -> Result<&'g Attribute, Diagnostic> {
    let resource = graph.resource(id);
    resource.attribute(name).ok_or_else(|| {
        let text = format!("{} has no value for `{name}`", resource.id);
        let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
        let names = resource.attributes.iter().map(|a| a.name.as_str());
        match suggest::nearest(name, names.clone()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("it has: {}", names.collect::<Vec<_>>().join(", "))),
        }
    })
}
