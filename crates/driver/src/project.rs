//! `ordain.toml`: a project of several sources in any languages, compiled to one graph.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::{Edge, EdgeKind, Graph, Origin, ResourceId, Step};
use ordain_source::{
    Diagnostic, EntryKind, FileId, HostWorld, SourceMap, Span, TextRange, World, suggest,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::codes;
use crate::compiled::Compiled;
use crate::error::Error;
use crate::options::Options;
use crate::reporter::Reporter;

/// The name of the file.
const NAME: &str = "ordain.toml";

/// The content of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    /// The sources, in the order in which their resources are declared.
    #[serde(rename = "source")]
    sources: Vec<Source>,
    /// Relations between resources of any of them.
    #[serde(rename = "edge", default)]
    edges: Vec<Relation>,
    /// Paths that may be removed, as of `--allow-remove`.
    #[serde(rename = "allow-remove", default, deserialize_with = "machine_paths")]
    allow_remove: Vec<PathBuf>,
    /// The same as `--allow-hard-links`.
    #[serde(rename = "allow-hard-links", default)]
    allow_hard_links: bool,
    /// The same as `--ruby-types`.
    #[serde(rename = "ruby-types", default)]
    ruby_types: Vec<String>,
    /// The same as `--puppet-libs`.
    #[serde(rename = "puppet-libs")]
    puppet_libs: Option<PathBuf>,
    /// The settings of `ordain serve`, which reads them itself.
    #[serde(rename = "server", default)]
    _server: serde::de::IgnoredAny,
}

/// The changes that a project allows on the machine.
#[derive(Default)]
pub struct Settings {
    /// Paths that may be removed.
    pub allow_remove: Vec<PathBuf>,
    /// Whether files with several hard links may be changed.
    pub allow_hard_links: bool,
}

/// Parses an absolute path on a machine.
///
/// # Errors
/// With the error message.
pub fn machine_path(text: &str) -> Result<PathBuf, String> {
    if text.starts_with('/') { Ok(text.into()) } else { Err("it is not an absolute path".into()) }
}

fn machine_paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let path = |text: &String| {
        machine_path(text).map_err(|why| D::Error::custom(format!("`{text}`: {why}")))
    };
    texts.iter().map(path).collect()
}

/// Reads the settings of the project at a path. Returns the defaults if there is no readable one.
pub fn settings(path: &Path) -> Settings {
    let text = file_of(&HostWorld::new(), path)
        .and_then(|file| ordain_source::read_input_text(&file).ok());
    let project = text.and_then(|text| toml::from_str::<Project>(&text).ok());
    let settings = |project: Project| {
        let Project { allow_remove, allow_hard_links, .. } = project;
        Settings { allow_remove, allow_hard_links }
    };
    project.map(settings).unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    /// The path, relative to the directory of the file.
    path: Spanned<PathBuf>,
    /// The stubs that are merged into a YAML document; the last one wins.
    #[serde(default)]
    stubs: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Relation {
    /// The resource that comes first, such as `File[/etc/motd]`.
    from: Spanned<String>,
    /// The resource that comes later.
    to: Spanned<String>,
    /// Whether a change of the first refreshes the second.
    #[serde(default)]
    notify: bool,
}

/// The project file at a path, or in the directory at the path.
pub fn file_of(world: &dyn World, path: &Path) -> Option<PathBuf> {
    if path.file_name().is_some_and(|name| name == NAME) {
        return Some(path.to_path_buf());
    }
    let inside = path.join(NAME);
    (world.kind(&inside) == Some(EntryKind::File)).then_some(inside)
}

/// A project file that was read.
pub struct SourceList {
    project: Project,
    /// The project file.
    file: FileId,
    dir: PathBuf,
    options: Options,
    texts: Arc<SourceMap>,
}

impl SourceList {
    /// Reads a project file.
    ///
    /// # Errors
    /// When the file has errors. They are reported to `reporter`.
    pub fn read(
        reporter: &mut dyn Reporter,
        path: &Path,
        options: &Options,
    ) -> Result<Self, Error> {
        let texts = options.sources();
        let texts_of_all = Some(Arc::clone(&texts));
        let options = Options { texts: texts_of_all, is_part: true, ..options.clone() };
        let text = options.world().read(path).map_err(|e| codes::unreadable(path, &e))?;
        let text = String::from_utf8(text).map_err(|e| codes::document(path, e))?;
        let file = texts.add(path, text.clone());
        let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        match toml::from_str::<Project>(&text) {
            Ok(project) if project.sources.is_empty() => {
                let text = format!("{} names no source", path.display());
                let help = "name at least one: [[source]] and below it path = \"...\"";
                Err(Diagnostic::error(codes::NOTHING, text).help(help).into())
            }
            Ok(project) => {
                let mut options = options;
                options.ruby_types.extend(project.ruby_types.iter().cloned());
                let libraries = project.puppet_libs.as_ref().map(|path| dir.join(path));
                options.puppet_libs = options.puppet_libs.or(libraries);
                Ok(Self { project, file, dir, options, texts })
            }
            Err(error) => {
                let found = Diagnostic::error(codes::DOCUMENT, error.message().to_string());
                // TOML reports too deep nesting without a span.
                let found = found.at(span(file, &error.span().unwrap_or_default()));
                reporter.diagnostics(vec![found], &texts);
                Err(Error::Reported)
            }
        }
    }

    /// The sources in their order, each with its options.
    ///
    /// # Errors
    /// When a source is itself a project. It is reported to `reporter`.
    pub fn parts(&self, reporter: &mut dyn Reporter) -> Result<Vec<(PathBuf, Options)>, Error> {
        let (mut parts, mut errors) = (Vec::new(), Vec::new());
        for source in &self.project.sources {
            let place = self.dir.join(source.path.get_ref());
            if file_of(self.options.world().as_ref(), &place).is_some() {
                let text = format!("{} is itself a list of sources", place.display());
                let error = Diagnostic::error(codes::DOCUMENT, text);
                let place = span(self.file, &source.path.span());
                errors.push(error.labelled(place, "name its sources here"));
                continue;
            }
            let stubs = source.stubs.iter().map(|path| self.dir.join(path)).collect();
            parts.push((place, Options { stubs, ..self.options.clone() }));
        }
        if errors.is_empty() {
            return Ok(parts);
        }
        reporter.diagnostics(errors, &self.texts);
        Err(Error::Reported)
    }

    /// Joins the graphs of the sources.
    ///
    /// # Errors
    /// When two sources declare the same resource, or a relation names an unknown one. Errors are
    /// reported to `reporter`.
    pub fn join(
        &self,
        reporter: &mut dyn Reporter,
        parts: impl IntoIterator<Item = Compiled>,
    ) -> Result<Compiled, Error> {
        let mut joined = Compiled::of_graph(Graph::default(), Arc::clone(&self.texts));
        let mut errors = Vec::new();
        for compiled in parts {
            if compiled.plan.is_some() {
                let text = "a saved plan is applied alone, not as one of several sources";
                return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
            }
            errors.extend(conflicts(&mut joined, compiled));
        }
        let graph = Arc::make_mut(&mut joined.graph);
        let mut names = ResourceNames::default();
        for relation in &self.project.edges {
            match edge(graph, self.file, relation, &mut names) {
                Ok(edge) => graph.edges.push(edge),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            return Ok(joined);
        }
        reporter.diagnostics(errors, &self.texts);
        Err(Error::Reported)
    }
}

/// Joins a graph. Returns an error for each resource that two sources declare.
fn conflicts(joined: &mut Compiled, compiled: Compiled) -> Vec<Diagnostic> {
    let found = joined.join(compiled);
    let place = |id| joined.graph.origins.chain(id).find_map(|origin| origin.span);
    let errors = found.iter().map(|conflict| {
        let text = format!("{} is declared by two sources", conflict.resource);
        let mut error = Diagnostic::error(codes::RESOURCE, text);
        if let Some(second) = place(conflict.second) {
            error = error.labelled(second, "declared here again");
        }
        match place(conflict.first) {
            Some(first) => error.related(first, "declared here first"),
            None => error,
        }
    });
    errors.collect()
}

/// Resource names for suggestions. They are collected on first use.
#[derive(Default)]
struct ResourceNames {
    all: Option<Vec<String>>,
    /// The number of suggestions so far.
    suggestions: usize,
}

impl ResourceNames {
    /// The most similar resource name.
    fn near(&mut self, graph: &Graph, name: &str) -> Option<&str> {
        self.suggestions += 1;
        if self.suggestions > suggest::MAX_SUGGESTIONS {
            return None;
        }
        let all = || graph.resources().map(|(_, r)| r.id.to_string()).collect();
        let all = self.all.get_or_insert_with(all);
        suggest::nearest(name, all.iter().map(String::as_str))
    }
}

fn edge(
    graph: &mut Graph,
    file: FileId,
    relation: &Relation,
    names: &mut ResourceNames,
) -> Result<Edge, Diagnostic> {
    let from = resource(graph, file, &relation.from, names)?;
    let to = resource(graph, file, &relation.to, names)?;
    let place = Some(span(file, &relation.from.span()));
    let origin = graph.origins.intern(Origin { step: Step::Relation, span: place, parent: None });
    let kind = if relation.notify { EdgeKind::Notify } else { EdgeKind::Before };
    Ok(Edge { from, to, kind, origin })
}

fn resource(
    graph: &Graph,
    file: FileId,
    name: &Spanned<String>,
    names: &mut ResourceNames,
) -> Result<ResourceId, Diagnostic> {
    let text = name.get_ref();
    graph.find_text(text).ok_or_else(|| {
        let error = Diagnostic::error(codes::UNKNOWN_NAME, format!("no source declares {text}"));
        let error = error.at(span(file, &name.span()));
        match names.near(graph, text) {
            Some(near) => error.help(format!("did you mean {near}?")),
            None => error,
        }
    })
}

fn span(file: FileId, range: &std::ops::Range<usize>) -> Span {
    let (start, end) = (range.start as u32, range.end as u32);
    Span { file, range: TextRange { start, end } }
}
