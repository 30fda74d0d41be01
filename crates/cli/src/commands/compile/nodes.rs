//! Compiles many nodes to a directory.

use std::fs;
use std::io::{self, Seek, Write};
use std::path::Path;

use ordain_driver::batch::{Batch, NodeResult};
use ordain_driver::{Error, Options, private_file};
use ordain_graph::json::Secrets;
use ordain_puppet::eval::LogEntry;
use ordain_source::{Diagnostic, SourceMap, render};

use super::args::{CompileCommandArgs, Format};
use super::output::write;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};

/// The number of failed nodes that are named.
const MAX_NAMES: usize = 5;

/// Compiles nodes and writes the graph of each to a file.
///
/// # Errors
/// When the sources cannot be opened, or the list of nodes cannot be read.
pub(super) fn run(
    ui: &mut Ui,
    args: &CompileCommandArgs,
    options: &Options,
    out: &Path,
    secrets: Secrets,
) -> Result<Exit, Failure> {
    let batch = Batch::open(ui, &args.path, args.nodes.as_deref(), options)?;
    let is_private = args.format == Format::PuppetCatalog || args.include_secrets;
    make_directory(out, is_private)?;
    let results = batch.compile(args.jobs, &|name, graph, sources| {
        let path = out.join(format!("{name}.{}", args.format.ending()));
        write_over(&path, is_private, |out| write(out, graph, sources, args.format, secrets))
            .map_err(unwritten)
    })?;
    let exit = show(ui, batch.sources(), &results, out)?;
    batch.store_exports(ui, results)?;
    // The process ends soon, and the system reclaims all memory at once.
    std::mem::forget(batch);
    Ok(exit)
}

fn unwritten(failure: Failure) -> Error {
    match failure {
        Failure::Message(diagnostic) => diagnostic.into(),
        Failure::Shown | Failure::ClosedPipe => Error::Reported,
    }
}

/// Makes the output directory, but not its parents, so that a mistyped path creates nothing.
fn make_directory(dir: &Path, is_private: bool) -> Result<(), Diagnostic> {
    if dir.is_dir() {
        return Ok(());
    }
    let failed = |e: io::Error| codes::io(&format!("cannot make {}", dir.display()), &e);
    let made = if is_private { private_file::make_directory(dir) } else { fs::create_dir(dir) };
    made.map_err(|e| match (e.kind(), dir.parent()) {
        (io::ErrorKind::NotFound, Some(parent)) => {
            failed(e).help(format!("make {} first", parent.display()))
        }
        _ => failed(e),
    })
}

/// Overwrites a file in place. File systems flush a file that was truncated first to the disk at once,
/// which takes longer than a small compile.
fn write_over(
    path: &Path,
    is_private: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let unwritable = |e: io::Error| codes::io(&format!("cannot write {}", path.display()), &e);
    let file = match is_private {
        true => private_file::open(path),
        false => fs::OpenOptions::new().write(true).create(true).truncate(false).open(path),
    };
    let file = file.map_err(unwritable)?;
    let had = file.metadata().map_err(unwritable)?.len();
    let mut out = io::BufWriter::new(file);
    let written = write(&mut out);
    let mut file = out.into_inner().map_err(|e| unwritable(e.into_error()))?;
    if had > 0 {
        let has = file.stream_position().map_err(unwritable)?;
        if has < had {
            file.set_len(has).map_err(unwritable)?;
        }
    }
    written
}

/// Prints the diagnostics, each once for all nodes that have it, and the number of nodes.
fn show(
    ui: &mut Ui,
    sources: &SourceMap,
    done: &[NodeResult],
    out: &Path,
) -> Result<Exit, Failure> {
    for node in done {
        let logs: Vec<LogEntry> = node.logs.iter().map(|entry| of_node(entry, node)).collect();
        ui.logs(&logs, sources);
    }
    ui.diagnostics(findings(done, sources), sources);
    let failed: Vec<&str> = done.iter().filter(|d| !d.is_done).map(|d| d.name.as_str()).collect();
    let nodes = count(done.len(), "node");
    if failed.is_empty() {
        writeln!(ui.out(), "{nodes} compiled to {}", out.display())?;
        return Ok(Exit::Done);
    }
    let (written, failed) = (done.len() - failed.len(), names(&failed));
    writeln!(ui.out(), "{written} of {nodes} compiled to {}; not {failed}", out.display())?;
    Ok(Exit::Failed)
}

fn of_node(entry: &LogEntry, node: &NodeResult) -> LogEntry {
    let mut entry = entry.clone();
    entry.source = match entry.source.is_empty() {
        true => node.name.to_string(),
        false => format!("{}: {}", node.name, entry.source),
    };
    entry
}

/// The diagnostics, each with the nodes that have it.
fn findings(done: &[NodeResult], sources: &SourceMap) -> Vec<Diagnostic> {
    let mut found: Vec<(&Diagnostic, Vec<&str>)> = Vec::new();
    let mut places = rustc_hash::FxHashMap::default();
    for node in done {
        for diagnostic in &node.diagnostics {
            let key = render::json(diagnostic, sources).to_string();
            let at = *places.entry(key).or_insert(found.len());
            if at == found.len() {
                found.push((diagnostic, Vec::new()));
            }
            let nodes = &mut found[at].1;
            if nodes.last() != Some(&node.name.as_str()) {
                nodes.push(&node.name);
            }
        }
    }
    let with_nodes = |(diagnostic, nodes): (&Diagnostic, Vec<&str>)| {
        diagnostic.clone().help(format!("this is of {}", names(&nodes)))
    };
    found.into_iter().map(with_nodes).collect()
}

/// The first names, and the number of the others.
fn names(names: &[&str]) -> String {
    let shown = names[..names.len().min(MAX_NAMES)].join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
