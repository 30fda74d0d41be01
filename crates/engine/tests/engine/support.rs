//! A machine in a directory, and short builders for graphs.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ordain_data::Value;
use ordain_engine::apply::{Report, apply};
use ordain_engine::host::Host;
use ordain_engine::kind::Registry;
use ordain_engine::observer::{NoObserver, Observer};
use ordain_engine::plan::{Plan, plan};
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::runner::HostRunner;
use ordain_engine::runner::{Invocation, Outcome, RunAs, Runner, Running};
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, Resource, ResourceId, ResourceRef, Step,
};

/// Runs commands and remembers them.
#[derive(Clone, Default)]
pub(crate) struct Recorder(pub Arc<Mutex<Vec<String>>>);

impl Runner for Recorder {
    fn run(&self, invocation: &Invocation) -> std::io::Result<Outcome> {
        let words: Vec<_> = invocation.launch.argv.iter().map(|w| w.to_string_lossy()).collect();
        self.0.lock().unwrap().push(words.join(" "));
        HostRunner.run(&outside(invocation))
    }

    fn start(&self, invocation: &Invocation, stdio: [OwnedFd; 3]) -> std::io::Result<Running> {
        HostRunner.start(&outside(invocation), stdio)
    }
}

/// The command without the change of the root directory, because this root has no programs.
fn outside(invocation: &Invocation) -> Invocation {
    let mut invocation = invocation.clone();
    let is_chroot = |word: &OsString| word.to_string_lossy().ends_with("/chroot");
    if !invocation.launch.argv.first().is_some_and(is_chroot) {
        return invocation;
    }
    let numbers = |word: &OsString, option: &str| {
        let text = word.to_str()?.strip_prefix(option)?.to_owned();
        Some(text.split([':', ',']).map(|n| n[1..].parse().unwrap()).collect::<Vec<u32>>())
    };
    let mut words = invocation.launch.argv.drain(1..).collect::<VecDeque<_>>();
    if let Some(ids) = numbers(&words[0], "--userspec=") {
        let groups = numbers(&words[1], "--groups=");
        invocation.launch.run_as = Some(RunAs { uid: ids[0], gid: ids[1], groups });
        words.drain(..2);
    }
    invocation.launch.argv = words.into_iter().skip(1).collect();
    invocation
}

pub(crate) struct Machine {
    pub dir: tempfile::TempDir,
    pub host: Host,
    pub commands: Recorder,
    pub options: Options,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let commands = Recorder::default();
        let host = Host::new(dir.path().to_path_buf(), Box::new(commands.clone()));
        std::fs::create_dir(dir.path().join("etc")).unwrap();
        std::fs::write(dir.path().join("etc/passwd"), "root:x:0:0::/:\nweb:x:33:33::/:\n").unwrap();
        std::fs::write(dir.path().join("etc/group"), "root:x:0:\nweb:x:33:\n").unwrap();
        Self { dir, host, commands, options: Options::default() }
    }

    /// A machine that seems to have a few programs; they run outside of it.
    pub(crate) fn with_programs() -> Self {
        let machine = Self::new();
        machine.add_programs();
        machine
    }

    pub(crate) fn add_programs(&self) {
        for name in ["sh", "echo", "true", "false", "sleep", "touch", "id"] {
            let path = format!("/bin/{name}");
            self.write(&path, "");
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(self.path(&path), mode).unwrap();
        }
    }

    /// The real path of a path of the machine.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.host.path(Path::new(path))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        std::fs::symlink_metadata(self.path(path)).unwrap().mode() & 0o7777
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.path(path)).is_ok()
    }

    pub(crate) fn prepared(&self, graph: &Graph) -> Prepared {
        let registry = Arc::new(Registry::default());
        let (graph, options) = (Arc::new(graph.clone()), self.options.clone());
        Prepared::new(graph, registry, Arc::new(|_| None), options).unwrap()
    }

    pub(crate) fn observed(&self, graph: &Graph, observer: &dyn Observer) -> Report {
        let prepared = self.prepared(graph);
        apply(&prepared, &self.host, observer, self.options.jobs)
    }

    pub(crate) fn apply(&self, graph: &Graph) -> Report {
        self.observed(graph, &NoObserver)
    }

    pub(crate) fn plan(&self, graph: &Graph) -> Plan {
        let prepared = self.prepared(graph);
        plan(&prepared, &self.host, &NoObserver, self.options.jobs)
    }

    /// Applies and gives the lines of the log.
    pub(crate) fn lines(&self, graph: &Graph) -> Vec<String> {
        lines(&self.apply(graph))
    }

    /// A snapshot of everything that a mutating call would change: inode and change time of each
    /// path.
    fn snapshot(&self) -> BTreeMap<PathBuf, (u64, i64, i64)> {
        let mut out = BTreeMap::new();
        let mut todo = vec![self.dir.path().to_path_buf()];
        while let Some(path) = todo.pop() {
            let meta = std::fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                todo.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
            }
            out.insert(path, (meta.ino(), meta.ctime(), meta.ctime_nsec()));
        }
        out
    }

    /// A second apply finds nothing to do, touches nothing and runs nothing but checks.
    pub(crate) fn assert_settled(&self, graph: &Graph, checks: usize) {
        let before = self.snapshot();
        self.commands.0.lock().unwrap().clear();
        assert_eq!(self.lines(graph), Vec::<String>::new());
        assert_eq!(self.snapshot(), before);
        assert_eq!(self.commands.0.lock().unwrap().len(), checks);
    }
}

pub(crate) fn lines(report: &Report) -> Vec<String> {
    report.resources.iter().flat_map(|r| &r.lines).map(ToString::to_string).collect()
}

/// A value of an attribute.
pub(crate) fn text(text: &str) -> Value {
    Value::str(text)
}

pub(crate) fn texts(items: &[&str]) -> Value {
    Value::list(items.iter().map(|t| text(t)))
}

pub(crate) fn secret(inner: &str) -> Value {
    Value::Secret(Arc::new(text(inner)))
}

/// Builds graphs.
#[derive(Default)]
pub(crate) struct Builder {
    pub graph: Graph,
}

impl Builder {
    fn origin(&mut self, step: Step) -> ordain_graph::OriginId {
        self.graph.origins.intern(Origin { step, span: None, parent: None })
    }

    fn resource(
        &mut self,
        kind: &str,
        title: &str,
        of: Containment,
        with: &[(&str, Value)],
    ) -> ResourceId {
        let origin = self.origin(Step::Declaration);
        let attributes = with.iter().map(|(name, value)| Attribute {
            name: (*name).into(),
            value: value.clone(),
            origin,
            losers: Vec::new(),
        });
        self.graph.add(Resource {
            id: ResourceRef { kind: kind.into(), title: title.into() },
            containment: of,
            attributes: attributes.collect(),
            tags: vec![kind.to_lowercase().into()],
            exported: false,
            is_virtual: false,
            origin,
        })
    }

    pub(crate) fn add(&mut self, kind: &str, title: &str, with: &[(&str, Value)]) -> ResourceId {
        self.resource(kind, title, Containment::Leaf, with)
    }

    pub(crate) fn class(&mut self, title: &str, inside: &[ResourceId]) -> ResourceId {
        let class = self.resource("Class", title, Containment::Class, &[]);
        self.graph.containment.extend(inside.iter().map(|i| (class, *i)));
        class
    }

    pub(crate) fn edge(&mut self, from: ResourceId, to: ResourceId, kind: EdgeKind) {
        let origin = self.origin(Step::Relation);
        self.graph.edges.push(Edge { from, to, kind, origin });
    }
}

/// A graph of one resource.
pub(crate) fn one(kind: &str, title: &str, with: &[(&str, Value)]) -> Graph {
    let mut builder = Builder::default();
    builder.add(kind, title, with);
    builder.graph
}

pub(crate) fn file(title: &str, with: &[(&str, Value)]) -> Graph {
    one("File", title, with)
}
