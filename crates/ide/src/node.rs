//! Nodes, and the values that Hiera has for the chosen one. Code of modules does not run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_data::Value as Data;
use ordain_driver::puppet::{self, DEFAULT_ENVIRONMENT, OpenEnvironment};
use ordain_driver::{CollectingReporter, Options};
use ordain_puppet::hiera::Request;
use ordain_puppet::hiera::explain::Explainer;
use ordain_puppet::session::{Node, look_up};
use ordain_puppet::syntax::{Definition, Expr, Program};
use ordain_puppet::types::format::quoted::quoted;
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::from_data;
use ordain_source::{EntryKind, World};

/// The endings of files of facts.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// The fact set of a node without a file of facts, as of `ordain test`.
const FACT_SET: &str = "debian-12";

/// The choices that concern nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeSettings {
    /// The name of the chosen node.
    pub name: Option<String>,
    /// A file of facts, or a directory with a file `NAME.json` or `NAME.yaml` for each node.
    pub facts: Option<PathBuf>,
    /// The fact set of nodes without a file of facts.
    pub fact_set: Option<String>,
}

impl NodeSettings {
    /// The names of the nodes that have facts in the directory.
    pub(crate) fn names(&self, world: &dyn World) -> Vec<String> {
        let entries = self.facts.as_ref().and_then(|dir| world.list(dir).ok());
        let names = entries.iter().flatten().filter_map(|(entry, _)| {
            let (name, end) = entry.rsplit_once('.')?;
            ENDINGS.contains(&end).then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.dedup();
        names
    }

    /// The names of the nodes of an environment: those with facts, or without facts those that its
    /// site program names.
    pub(crate) fn names_of(&self, world: &dyn World, site: &[Arc<Program>]) -> Vec<String> {
        let mut names = self.names(world);
        if names.is_empty() {
            names = site.iter().flat_map(|program| node_names(program)).collect();
            names.extend(self.name.clone());
            names.sort();
            names.dedup();
        }
        names
    }

    /// The file with the facts of a node.
    pub(crate) fn file(&self, world: &dyn World, name: &str) -> Option<PathBuf> {
        let path = self.facts.as_ref()?;
        if world.kind(path)? != EntryKind::Directory {
            return Some(path.clone());
        }
        let mut files = ENDINGS.iter().map(|end| path.join(format!("{name}.{end}")));
        files.find(|path| world.kind(path) == Some(EntryKind::File))
    }

    /// The facts of a node without a file of facts. `None` if there is no such fact set.
    pub(crate) fn other_facts(&self, name: &str) -> Option<Data> {
        ordain_testing::fact_set(self.fact_set.as_deref().unwrap_or(FACT_SET), name)
    }

    /// A node with its facts.
    pub(crate) fn node(&self, world: &dyn World, name: &str) -> Option<Node> {
        let facts = match self.file(world, name) {
            Some(path) => puppet::node::read_facts(world, &path).ok()?.1,
            None => self.other_facts(name)?,
        };
        let server = [("environment", DEFAULT_ENVIRONMENT), ("servername", name)];
        Some(Node {
            name: name.into(),
            facts: from_data(&facts),
            trusted: Value::Undef,
            server_facts: Value::hash(server.map(|(key, value)| (key, Value::from(value)))),
            parameters: Vec::new(),
            classes: Vec::new(),
        })
    }
}

/// The names that the node definitions of a program have as plain texts.
fn node_names(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    for &id in &program.definitions {
        let Expr::Definition(definition) = &program[id] else { continue };
        let Definition::Node { matches, .. } = program.definition(*definition) else { continue };
        let texts = program.list(*matches).iter().filter_map(|&id| match &program[id] {
            Expr::Str(text) => Some(text.as_str().to_lowercase()),
            _ => None,
        });
        names.extend(texts);
    }
    names
}

/// A value of a node, and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeValue {
    /// The value as Puppet writes it, in one line; `None` if it must not be shown.
    pub(crate) text: Option<String>,
    /// The levels and files that have it.
    pub(crate) sources: Vec<String>,
}

/// The environments around the files that were asked about, each with the chosen node. They are opened
/// when they are needed first.
#[derive(Default)]
pub(crate) struct NodeData {
    open: Mutex<BTreeMap<PathBuf, Option<Arc<Environment>>>>,
}

/// An environment with the chosen node.
struct Environment {
    dir: PathBuf,
    site: OpenEnvironment,
    options: Options,
    node: Node,
}

impl NodeData {
    /// The value of a key for the chosen node, in the environment around a file.
    pub(crate) fn value(
        &self,
        settings: &NodeSettings,
        world: &Arc<dyn World>,
        file: &Path,
        key: &str,
    ) -> Option<NodeValue> {
        let name = settings.name.as_deref()?;
        let dir = environment_dir(world.as_ref(), file)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = open
            .entry(dir.clone())
            .or_insert_with(|| Environment::open(settings, world, dir, name).map(Arc::new));
        let environment = opened.clone()?;
        drop(open);
        environment.value(key)
    }
}

/// The directory of the environment around a file: the innermost one with a configuration that is no
/// module.
pub(crate) fn environment_dir(world: &dyn World, file: &Path) -> Option<PathBuf> {
    let has = |dir: &Path, name: &str| world.kind(&dir.join(name)).is_some();
    let is_environment = |dir: &&Path| {
        has(dir, "environment.conf") || has(dir, "hiera.yaml") && !has(dir, "metadata.json")
    };
    file.ancestors().skip(1).find(is_environment).map(Path::to_path_buf)
}

impl Environment {
    fn open(
        settings: &NodeSettings,
        world: &Arc<dyn World>,
        dir: PathBuf,
        name: &str,
    ) -> Option<Self> {
        let node = settings.node(world.as_ref(), name)?;
        let options = Options::default();
        // An environment that cannot be opened has diagnostics of its own.
        let mut reporter = CollectingReporter::default();
        let site = puppet::open_data(&mut reporter, Arc::clone(world), &dir, &options).ok()?;
        Some(Self { dir, site, options, node })
    }

    fn value(&self, key: &str) -> Option<NodeValue> {
        let settings = self.site.settings(&self.options, &self.node);
        let request = Request { names: vec![key.into()], single: true, ..Request::default() };
        let explainer = Some(Explainer::new(false));
        let found = look_up(&self.site.env, settings, &self.node, &request, explainer, false);
        let value = found.value?;
        let record = found.explanation?;
        let sources = record.sources();
        let is_secret = found.has_encrypted
            || matches!(value, Value::Sensitive(_))
            || sources.iter().any(|source| source.is_secret);
        let source = |source: &ordain_puppet::hiera::explain::DataSource<'_>| {
            let path = source.path.map(|path| {
                let path = Path::new(path);
                path.strip_prefix(&self.dir).unwrap_or(path).display().to_string()
            });
            [Some(source.level.to_owned()), path]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", ")
        };
        let text = quoted(&value);
        Some(NodeValue {
            text: (!is_secret).then(|| ordain_source::shortened(&text).into_owned()),
            sources: sources.iter().map(source).collect(),
        })
    }
}
