//! Environments in other languages than Puppet: models of Inmanta, programs of mgmt, YAML documents,
//! and projects of several sources.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::{Value as Data, json};
use ordain_driver::puppet::shared::puppet_message;
use ordain_driver::{
    CollectingReporter, Compiled, Error as DriverError, Handlers, Options, Purpose, SourceKind,
    compile,
};
use ordain_engine::cluster::Cluster;
use ordain_source::budget::Watch;
use ordain_source::{Severity, SourceMap};

use super::revision::RevisionFiles;

/// The names of documents that are the entry of an environment.
const DOCUMENTS: [&str; 2] = ["main.yml", "main.yaml"];
/// Entries of an environment that is Puppet's, whatever documents it has.
const PUPPETS: [&str; 3] = ["environment.conf", "manifests", "modules"];

/// The place to compile in an environment of another language; `None` if it is Puppet's.
pub(crate) fn entry_of(dir: &Path, options: &Options) -> Option<PathBuf> {
    match SourceKind::of(dir, options) {
        SourceKind::Mcl | SourceKind::Inmanta => return Some(dir.to_path_buf()),
        // The file may have the settings of the server only.
        SourceKind::Project(file)
            if std::fs::read_to_string(&file).is_ok_and(|text| text.contains("[[source]]")) =>
        {
            return Some(file);
        }
        _ => {}
    }
    if PUPPETS.iter().any(|name| dir.join(name).exists()) {
        return None;
    }
    DOCUMENTS.iter().map(|name| dir.join(name)).find(|path| path.is_file())
}

/// A node for which an environment is compiled.
pub(crate) struct NodeValues<'a> {
    pub(crate) name: &'a str,
    pub(crate) environment: &'a str,
    pub(crate) facts: &'a Data,
    pub(crate) trusted: &'a Data,
    /// The values that it shares with others, if the language has such.
    pub(crate) shared: Option<Arc<Cluster>>,
}

/// Whether the place to compile may read values that nodes share.
pub(crate) fn may_share_values(entry: &Path) -> bool {
    SourceKind::of(entry, &Options::default()).may_share_values()
}

fn not_passed(error: std::io::Error) -> String {
    format!("the facts cannot be passed on: {error}")
}

/// Compiles the graph of a node, from the files of a revision if the environment has one. Documents
/// get the node as a stub.
///
/// # Errors
/// The message for the agent.
pub(crate) fn compile_entry(
    entry: &Path,
    node: &NodeValues<'_>,
    revision: Option<&Arc<RevisionFiles>>,
) -> Result<Compiled, String> {
    let _watch = Watch::begin();
    let dir = tempfile::tempdir().map_err(not_passed)?;
    let file = |name: &str, content: Data| {
        let path = dir.path().join(name);
        // JSON is YAML.
        std::fs::write(&path, json::compact(&content)).map_err(not_passed).map(|()| path)
    };
    let values = Data::map([
        ("name", Data::str(node.name)),
        ("environment", Data::str(node.environment)),
        ("facts", node.facts.clone()),
        ("trusted", node.trusted.clone()),
    ]);
    let stub = file("node.yml", Data::map([("node", values)]))?;
    let facts = file("facts.json", node.facts.clone())?;
    let data = file("data.json", Data::map([("trusted", node.trusted.clone())]))?;
    let texts = Arc::new(SourceMap::new());
    let options = Options {
        layer: revision.map(RevisionFiles::layer),
        node: Some(node.name.to_string()),
        facts: Some(facts),
        node_data: Some(data),
        environment: Some(node.environment.to_string()),
        shared: node.shared.clone(),
        stubs: vec![stub],
        texts: Some(Arc::clone(&texts)),
        // There are no handlers on the machine of the agent.
        handlers: Handlers::None,
        // Each language gets the options of all, and ignores those of others.
        is_part: true,
        ..Options::default()
    };
    let mut reporter = CollectingReporter::default();
    compile(&mut reporter, entry, &options, Purpose::Application).map_err(|error| match error {
        DriverError::Message(diagnostic) => diagnostic.message.clone(),
        DriverError::Reported => {
            let mut errors =
                reporter.diagnostics.iter().filter(|one| one.severity == Severity::Error);
            let first = errors.next().map(|error| puppet_message(error, &texts));
            first.unwrap_or_else(|| "the compile has no result".to_string())
        }
    })
}
