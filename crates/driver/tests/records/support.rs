//! A site in a temporary directory.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ordain_data::Value as Data;
use ordain_driver::inputs::FileStates;
use ordain_driver::puppet::shared::{NodeRequest, SharedEnvironment};
use ordain_driver::{CollectingReporter, Options};
use ordain_graph::exports::{Exported, Exports};
use tempfile::TempDir;

/// The exported resources of all nodes.
#[derive(Default, Debug)]
pub(crate) struct Pool(Mutex<Vec<Exported>>);

impl Pool {
    /// Replaces those of a node.
    pub(crate) fn replace(&self, node: &str, exported: Vec<Exported>) {
        let mut all = self.0.lock().unwrap();
        all.retain(|one| one.node != node);
        all.extend(exported);
        all.sort_by(|a, b| (&a.node, &a.id.title).cmp(&(&b.node, &b.id.title)));
    }
}

impl Exports for Pool {
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String> {
        let all = self.0.lock().unwrap();
        let found = all.iter().filter(|one| one.id.kind == kind && one.node != except);
        Ok(found.cloned().collect())
    }
}

/// A site.
pub(crate) struct Site {
    dir: TempDir,
    pub(crate) pool: Arc<Pool>,
}

impl Default for Site {
    fn default() -> Self {
        let site = Self { dir: tempfile::tempdir().unwrap(), pool: Arc::default() };
        site.write("environment.conf", "modulepath = modules\n");
        site.write("manifests/.keep", "");
        site
    }
}

impl Site {
    /// A line about an input, with paths below the site. `None` for the directories around it, which
    /// have other names each time.
    pub(crate) fn shown(&self, line: &str) -> Option<String> {
        let dir = self.path().display().to_string();
        match line.split_once(" /") {
            Some((_, rest)) if dir[1..].starts_with(rest) => None,
            _ => Some(line.replace(&format!("{dir}/"), "")),
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("production")
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Deletes a file; it need not exist.
    pub(crate) fn delete(&self, path: &str) {
        let _ = std::fs::remove_file(self.path().join(path));
    }

    /// Opens the environment as it is now.
    pub(crate) fn open(&self) -> SharedEnvironment {
        let mut reporter = CollectingReporter::default();
        let options = Options {
            states: Some(FileStates::default()),
            has_history: false,
            ..Options::default()
        };
        let opened = SharedEnvironment::open(&mut reporter, &self.path(), &options);
        opened.unwrap_or_else(|_| panic!("{:?}", reporter.diagnostics))
    }
}

/// The inputs of a compile of an empty manifest.
pub(crate) fn inputs_of_nothing() -> Vec<String> {
    let site = Site::default();
    site.write("manifests/site.pp", "");
    let facts = Data::map::<&str>([]);
    let record = site.open().compile(request("web.example.org", facts, &site)).record.unwrap();
    record.describe().iter().filter_map(|line| site.shown(line)).collect()
}

/// A node asks for its catalog.
pub(crate) fn request(name: &str, facts: Data, site: &Site) -> NodeRequest {
    let extensions = Data::map([("pp_role", Data::str("web"))]);
    NodeRequest {
        name: name.to_string(),
        facts,
        trusted: Data::map([("certname", Data::str(name)), ("extensions", extensions)]),
        server_facts: Data::map([("environment", Data::str("production"))]),
        exports: Some(Arc::clone(&site.pool) as Arc<dyn Exports>),
        ..NodeRequest::default()
    }
}
