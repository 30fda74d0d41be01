//! A machine in a temporary directory, and a runner that records its commands.

// Each test binary uses a part of this.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod serving;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::kind::{AttributeError, Change, Instance, Kind, ParseContext};
use ordain_engine::runner::{Invocation, Outcome, Runner};
use ordain_graph::{Attribute, Containment, OriginId, Resource, ResourceRef, ServedFiles};
use tempfile::TempDir;

/// Replaces a command; it also gets the root directory.
pub(crate) type Answer = dyn Fn(&Path, &Invocation) -> Outcome + Send + Sync;

/// A machine whose root is a temporary directory.
pub(crate) struct Machine {
    directory: TempDir,
    pub host: Host,
    log: Arc<Mutex<Vec<Invocation>>>,
}

struct Recorder {
    root: PathBuf,
    log: Arc<Mutex<Vec<Invocation>>>,
    answer: Box<Answer>,
}

impl Runner for Recorder {
    fn run(&self, invocation: &Invocation) -> io::Result<Outcome> {
        self.log.lock().unwrap().push(invocation.clone());
        Ok((self.answer)(&self.root, invocation))
    }
}

impl Machine {
    /// A machine where commands are answered by a function.
    pub(crate) fn answering(
        answer: impl Fn(&Path, &Invocation) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let root = directory.path().to_path_buf();
        let runner = Recorder { root: root.clone(), log: log.clone(), answer: Box::new(answer) };
        Self { directory, host: Host::new(root, Box::new(runner)), log }
    }

    /// A machine on which any command fails the test.
    pub(crate) fn silent() -> Self {
        Self::answering(|_, i| panic!("unexpected command {:?}", i.launch.argv))
    }

    /// A machine where commands really run.
    pub(crate) fn real() -> Self {
        Self::answering(|_, invocation| really(invocation))
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.root().join(path)).unwrap()).unwrap()
    }

    /// The command lines since the last call, with ROOT for the root directory.
    pub(crate) fn commands(&self) -> Vec<String> {
        let log = std::mem::take(&mut *self.log.lock().unwrap());
        log.iter().map(|i| self.line(i)).collect()
    }

    fn line(&self, invocation: &Invocation) -> String {
        let words: Vec<_> = invocation.launch.argv.iter().map(|a| a.to_string_lossy()).collect();
        words.join(" ").replace(&*self.root().to_string_lossy(), "ROOT")
    }

    /// The invocations since the last call.
    pub(crate) fn invocations(&self) -> Vec<Invocation> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// The log lines of the pending changes.
    pub(crate) fn messages(&self, instance: &dyn Instance) -> Vec<String> {
        lines(&instance.compare(&self.host).unwrap())
    }

    /// Makes all changes and checks that none are left. Returns the messages for the log.
    pub(crate) fn converge(&self, instance: &dyn Instance) -> Vec<String> {
        let changes = instance.compare(&self.host).unwrap();
        instance.apply(&self.host, &changes).unwrap();
        let left = instance.compare(&self.host).unwrap();
        assert!(left.is_empty(), "changes in the second run: {:?}", lines(&left));
        lines(&changes)
    }
}

/// Changes as `property: message`.
pub(crate) fn lines(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|c| format!("{}: {}", c.property, c.message)).collect()
}

/// Runs a command for real.
pub(crate) fn really(invocation: &Invocation) -> Outcome {
    let mut command = Command::new(&invocation.launch.argv[0]);
    command.args(&invocation.launch.argv[1..]).envs(invocation.launch.set_env.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&invocation.stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    let status = output.status.code().unwrap_or(128);
    Outcome { status, stdout: output.stdout, stderr: output.stderr }
}

/// An answer of success with this output.
pub(crate) fn says(text: &str) -> Outcome {
    Outcome { status: 0, stdout: text.as_bytes().to_vec(), stderr: Vec::new() }
}

/// A failing outcome with this text on standard error.
pub(crate) fn fails(status: i32, text: &str) -> Outcome {
    Outcome { status, stdout: Vec::new(), stderr: text.as_bytes().to_vec() }
}

pub(crate) fn word(invocation: &Invocation, at: usize) -> String {
    invocation
        .launch
        .argv
        .get(at)
        .map(|a: &OsString| a.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// A resource with these attributes.
pub(crate) fn resource(kind: &str, title: &str, attributes: &[(&str, Value)]) -> Resource {
    let origin = OriginId(0);
    let attribute = |(name, value): &(&str, Value)| Attribute {
        name: (*name).into(),
        value: value.clone(),
        origin,
        losers: Vec::new(),
    };
    Resource {
        id: ResourceRef { kind: kind.into(), title: title.into() },
        containment: Containment::Leaf,
        attributes: attributes.iter().map(attribute).collect(),
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    }
}

/// Parses a resource.
pub(crate) fn try_parse(
    kind: &dyn Kind,
    title: &str,
    attributes: &[(&str, Value)],
) -> ordain_engine::kind::ParseResult {
    let mut name = kind.name().to_string();
    name[..1].make_ascii_uppercase();
    let context = ParseContext {
        resolve_source: &|_| None,
        find: &|_| None,
        files: &|| Arc::default(),
        of_kind: &|_| Vec::new(),
        registry: &Arc::default(),
        served: &ServedFiles::default(),
        graph: &ordain_graph::Graph::default(),
        graph_number: 0,
        without_deferred: &|resource| std::borrow::Cow::Borrowed(resource),
    };
    kind.parse(&resource(&name, title, attributes), &context)
}

/// Parses a resource that is right.
pub(crate) fn parse(
    kind: &dyn Kind,
    title: &str,
    attributes: &[(&str, Value)],
) -> Box<dyn Instance> {
    try_parse(kind, title, attributes).map_err(|e| format!("{e:?}")).unwrap()
}

/// The errors of an invalid resource, as `attribute: message`.
pub(crate) fn errors(kind: &dyn Kind, title: &str, attributes: &[(&str, Value)]) -> Vec<String> {
    let Err(errors) = try_parse(kind, title, attributes) else {
        panic!("no error for {attributes:?}");
    };
    let name = |e: &AttributeError| e.attribute.clone().unwrap_or_else(|| "-".to_string());
    errors.iter().map(|e| format!("{}: {}", name(e), e.message)).collect()
}

/// Text as a value.
pub(crate) fn s(text: &str) -> Value {
    Value::str(text)
}

/// A list of texts as a value.
pub(crate) fn list(items: &[&str]) -> Value {
    Value::list(items.iter().map(|i| Value::str(*i)))
}

/// A secret text.
pub(crate) fn secret(text: &str) -> Value {
    Value::Secret(Arc::new(Value::str(text)))
}
