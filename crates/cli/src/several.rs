//! Compiling many nodes of one site: files are read once for all of them, and as many nodes are
//! compiled at a time as the machine has processors.

use std::fs;
use std::io::{self, Seek, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_graph::Graph;
use ordain_graph::exports::Exported;
use ordain_puppet::eval::{LogEntry, STACK_SIZE};
use ordain_puppet::session::compile_node_here;
use ordain_source::budget::{self, Watch};
use ordain_source::{Diagnostic, EntryKind, Severity, SourceMap, World, read_input_text, render};
use rayon::prelude::*;

use crate::exit::{Exit, Failure};
use crate::input::{self, Opened};
use crate::options::CompileArgs;
use crate::served::StaticArgs;
use crate::show::cycle;
use crate::ui::{Ui, count};
use crate::{codes, node, private};

/// The endings that a file of facts may have.
const FACTS: [&str; 3] = ["json", "yaml", "yml"];

/// How many nodes are named where many fail.
const NAMED: usize = 5;

/// What to compile, and where to.
pub struct Run<'a> {
    /// What has the sources.
    pub path: &'a Path,
    /// A file with the names of the nodes, or `-`.
    pub nodes: Option<&'a Path>,
    /// The directory for what is compiled.
    pub out: &'a Path,
    /// The ending of the files in it.
    pub ending: &'static str,
    /// Whether only their owner can read the files.
    pub is_private: bool,
    /// How many nodes at the same time.
    pub jobs: Option<NonZeroUsize>,
    /// How to compile.
    pub compile: &'a CompileArgs,
    /// What the catalogs say of files.
    pub served: &'a StaticArgs,
}

/// Writes the graph of a node.
pub type WriteGraph<'a> =
    dyn Fn(&Graph, &SourceMap, &mut dyn Write) -> Result<(), Failure> + Sync + 'a;

/// What became of a node.
#[derive(Default)]
struct Done {
    name: EcoString,
    logs: Vec<LogEntry>,
    found: Vec<Diagnostic>,
    exported: Vec<Exported>,
    is_written: bool,
    /// Whether a bound was exceeded while it was compiled, be it by this node or by another.
    is_in_doubt: bool,
}

/// Compiles nodes, and writes what they give to files.
///
/// # Errors
/// When the sources cannot be opened, or it cannot be said which nodes there are.
pub fn run(ui: &mut Ui, run: &Run<'_>, write: &WriteGraph<'_>) -> Result<Exit, Failure> {
    let site = input::open_for_all(ui, run.path, run.compile)?;
    if site.env.site.is_empty() && run.compile.node_data.is_none() {
        input::declares_nothing(ui, site.env.world.as_ref(), run.path)?;
    }
    let nodes = nodes(site.env.world.as_ref(), run)?;
    make_directory(run.out, run.is_private)?;
    let one = |args: &CompileArgs| compile(&site, args, run, write);
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = run.jobs.map_or_else(processors, NonZeroUsize::get).clamp(1, nodes.len().max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_SIZE).build();
    let pool = pool.map_err(|e| codes::io("cannot start threads", &e))?;
    let mut done: Vec<Done> = pool.install(|| nodes.par_iter().map(one).collect());
    // The memory that is watched is that of the process: whose it was is seen where each is alone.
    for (done, args) in done.iter_mut().zip(&nodes).filter(|_| threads > 1) {
        if done.is_in_doubt && !done.is_written {
            *done = pool.install(|| one(args));
        }
    }
    let exit = show(ui, &site, &done, run.out)?;
    for done in done.into_iter().filter(|done| done.is_written) {
        site.exports(&done.name, done.exported).keep(ui)?;
    }
    // The process ends here, and the system takes all memory back at once.
    std::mem::forget(site);
    Ok(exit)
}

/// Makes the directory for what is compiled, but none around it: of a path that was mistyped nothing
/// is made.
fn make_directory(dir: &Path, is_private: bool) -> Result<(), Diagnostic> {
    if dir.is_dir() {
        return Ok(());
    }
    let failed = |e: io::Error| codes::io(&format!("cannot make {}", dir.display()), &e);
    let made = if is_private { private::make_directory(dir) } else { fs::create_dir(dir) };
    made.map_err(|e| match (e.kind(), dir.parent()) {
        (io::ErrorKind::NotFound, Some(parent)) => {
            failed(e).help(format!("make {} first", parent.display()))
        }
        _ => failed(e),
    })
}

/// The nodes, each with its own arguments.
fn nodes(world: &dyn World, run: &Run<'_>) -> Result<Vec<CompileArgs>, Failure> {
    let given = run.compile;
    let is_directory = |path: &PathBuf| world.kind(path) == Some(EntryKind::Directory);
    let facts = given.facts.as_ref().filter(|path| is_directory(path));
    let data = given.node_data.as_ref().filter(|path| is_directory(path));
    let names = match (run.nodes, facts, &given.node) {
        (Some(path), ..) => listed(path)?,
        (None, Some(dir), None) => of_directory(world, dir)?,
        _ => return Ok(vec![given.clone()]),
    };
    let mut out = Vec::with_capacity(names.len());
    for name in names {
        check_name(&name)?;
        let mut args = given.clone();
        if let Some(dir) = facts {
            args.facts = Some(file_of(world, dir, &name, &FACTS));
        }
        if let Some(dir) = data {
            args.node_data = Some(file_of(world, dir, &name, &["json"]));
        }
        args.node = Some(name);
        out.push(args);
    }
    Ok(out)
}

/// The names in a file: one a line; empty lines and comments after `#` do not count.
fn listed(path: &Path) -> Result<Vec<String>, Failure> {
    let text = match path == Path::new("-") {
        true => input::read_stdin()?,
        false => read_input_text(path).map_err(|e| codes::unreadable(path, &e))?,
    };
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(unique(lines.filter(|line| !line.is_empty()).map(str::to_lowercase).collect()))
}

/// The nodes whose facts a directory has.
fn of_directory(world: &dyn World, dir: &Path) -> Result<Vec<String>, Failure> {
    let entries = world.list(dir).map_err(|e| codes::unreadable(dir, &e))?;
    let names = entries.iter().filter_map(|(name, _)| {
        let (name, ending) = name.rsplit_once('.')?;
        FACTS.contains(&ending).then(|| name.to_owned())
    });
    let names = unique(names.collect());
    if names.is_empty() {
        let text = format!("there are no facts in {}", dir.display());
        let help = "the facts of a node are in NAME.json or NAME.yaml";
        return Err(Diagnostic::error(codes::ARGUMENTS, text).help(help).into());
    }
    Ok(names)
}

fn unique(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// Refuses a name that is no name of a file.
fn check_name(name: &str) -> Result<(), Failure> {
    if name.contains(['/', '\\', '\0']) || name.starts_with('.') {
        let text = format!("`{name}` is no name of a node");
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    Ok(())
}

/// The file of a node in a directory; that of the first ending, if there is none.
fn file_of(world: &dyn World, dir: &Path, name: &str, endings: &[&str]) -> PathBuf {
    let path = |ending: &&str| dir.join(format!("{name}.{ending}"));
    let found = endings.iter().map(path).find(|path| world.kind(path).is_some());
    found.unwrap_or_else(|| path(&endings[0]))
}

fn compile(site: &Opened, args: &CompileArgs, run: &Run<'_>, write: &WriteGraph<'_>) -> Done {
    let _watch = Watch::begin();
    let exceeded = budget::exceeded_count();
    let name = args.node.clone().unwrap_or_default();
    let mut done = Done { name: name.into(), ..Done::default() };
    match compiled(site, args, run, write, &mut done) {
        Ok(()) => done.is_written = true,
        Err(Failure::Message(diagnostic)) => done.found.push(diagnostic),
        Err(Failure::Shown | Failure::ClosedPipe) => {}
    }
    done.is_in_doubt = budget::exceeded_count() != exceeded;
    done
}

fn compiled(
    site: &Opened,
    args: &CompileArgs,
    run: &Run<'_>,
    write: &WriteGraph<'_>,
    done: &mut Done,
) -> Result<(), Failure> {
    let data = node::read_data(site.env.world.as_ref(), args.node_data.as_deref())?;
    if let Some(other) = data.environment.as_ref().filter(|name| **name != site.env.name) {
        let text = format!(
            "{} is in environment {other}, not in {}, which is compiled here",
            done.name, site.env.name
        );
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let (node, problems) = node::describe(&site.env, args, data)?;
    done.name = node.name.clone();
    check_name(&node.name)?;
    done.found.extend(problems);
    let compiled = compile_node_here(&site.env, site.settings(args, &node), &node);
    done.logs = compiled.report.logs;
    done.found.extend(compiled.report.diagnostics);
    done.exported = compiled.exports;
    let mut graph = compiled.graph.ok_or(Failure::Shown)?;
    let found = run.served.apply(&site.env, &mut graph, &done.exported)?;
    let fails = found.iter().any(|d| d.severity == Severity::Error);
    done.found.extend(found);
    if fails {
        return Err(Failure::Shown);
    }
    if let Some(loop_) = ordain_graph::order::find_loop(&graph) {
        done.found.push(cycle::diagnostic(&loop_, &graph, Severity::Warning));
    }
    let path = run.out.join(format!("{}.{}", done.name, run.ending));
    write_over(&path, run.is_private, |out| write(&graph, &site.sources, out))
}

/// Writes a file over what it had. It keeps its blocks: one that is emptied first makes file systems
/// write what it gets to the disk at once, which takes longer than a small compile.
fn write_over(
    path: &Path,
    is_private: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let unwritable = |e: io::Error| codes::io(&format!("cannot write {}", path.display()), &e);
    let file = match is_private {
        true => private::open(path),
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

/// Shows what was found, equal findings of several nodes once, and how many nodes there are.
fn show(ui: &mut Ui, site: &Opened, done: &[Done], out: &Path) -> Result<Exit, Failure> {
    for node in done {
        let logs: Vec<LogEntry> = node.logs.iter().map(|entry| of_node(entry, node)).collect();
        ui.logs(&logs, &site.sources);
    }
    ui.diagnostics(findings(done, &site.sources), &site.sources);
    let failed: Vec<&str> =
        done.iter().filter(|d| !d.is_written).map(|d| d.name.as_str()).collect();
    let nodes = count(done.len(), "node");
    if failed.is_empty() {
        writeln!(ui.out(), "{nodes} compiled to {}", out.display())?;
        return Ok(Exit::Done);
    }
    let (written, failed) = (done.len() - failed.len(), names(&failed));
    writeln!(ui.out(), "{written} of {nodes} compiled to {}; not {failed}", out.display())?;
    Ok(Exit::Failed)
}

fn of_node(entry: &LogEntry, node: &Done) -> LogEntry {
    let mut entry = entry.clone();
    entry.source = match entry.source.is_empty() {
        true => node.name.to_string(),
        false => format!("{}: {}", node.name, entry.source),
    };
    entry
}

/// What was found, each finding with the nodes that have it.
fn findings(done: &[Done], sources: &SourceMap) -> Vec<Diagnostic> {
    let mut found: Vec<(&Diagnostic, Vec<&str>)> = Vec::new();
    let mut places = rustc_hash::FxHashMap::default();
    for node in done {
        for diagnostic in &node.found {
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
    let told = |(diagnostic, nodes): (&Diagnostic, Vec<&str>)| {
        diagnostic.clone().help(format!("this is of {}", names(&nodes)))
    };
    found.into_iter().map(told).collect()
}

/// Some names, and how many more there are.
fn names(names: &[&str]) -> String {
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
