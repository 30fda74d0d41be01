//! `augeas`: edits files by the lenses of Augeas, with its program augtool.

mod commands;
mod condition;
mod copies;
mod edits;
mod process;
mod session;
mod transforms;
mod tree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, files};

use crate::kind::params::Params;
use crate::kind::{
    Action, Change, Instance, Kind, KindError, Level, LogLine, LogSource, ParseContext,
    ParseResult, TextChange,
};
use crate::kinds::augeas::commands::Command;
use crate::kinds::augeas::condition::Condition;
use crate::kinds::augeas::copies::{Edit, read};
use crate::kinds::augeas::edits::{EditResult, attempt};
use crate::kinds::augeas::process::Sessions;
use crate::kinds::augeas::tree::{Tree, plain_context};
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, remove, rewrite};

/// The interval of checks of resources whose files are not known: each loads many files.
const INTERVAL: Duration = Duration::from_secs(60);

/// Longer texts are not shown.
const MAX_SHOWN: usize = 64 << 10;

/// The number of attempts if a file changes between its copy and its write.
const ATTEMPTS: usize = 3;

/// The kind.
#[derive(Clone, Default)]
pub struct Augeas {
    sessions: Arc<Sessions>,
}

impl Kind for Augeas {
    fn schema(&self) -> &KindSchema {
        &files::AUGEAS
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["augeas"], &[]);
        p.name();
        let tree = tree(&mut p);
        let commands = commands(&mut p, &tree.context);
        let condition = condition(&mut p, &tree.context);
        if p.text("returns").is_some_and(|returns| returns != "0") {
            p.error("returns", "returns must be 0");
        }
        let secrets = p.secrets();
        let is_secret = secrets.iter().any(|name| name != "name");
        let shows = !p.has("show_diff") || p.boolean("show_diff");
        let edited = AugeasInstance {
            sessions: Arc::clone(&self.sessions),
            declared: (context.files)(),
            log: Mutex::default(),
            force: p.has("force") && p.boolean("force"),
            shows_difference: shows && !is_secret,
            is_secret,
            tree,
            commands,
            condition,
        };
        p.finish(Box::new(edited) as Box<dyn Instance>)
    }
}

/// The files to load.
fn tree(p: &mut Params<'_>) -> Tree {
    let only = p.text("incl").zip(p.text("lens"));
    if p.has("incl") != p.has("lens") {
        p.error_of_all("You must specify both the lens and incl parameters, or neither.");
    }
    let root = p.text("root").unwrap_or_else(|| "/".to_string());
    if !root.starts_with('/') {
        p.error("root", "root must be an absolute path");
    }
    let load_path = p.list("load_path").unwrap_or_default();
    let load_path = load_path.iter().flat_map(|paths| paths.split(':'));
    let load_path: Vec<String> =
        load_path.filter(|path| !path.is_empty()).map(str::to_string).collect();
    let context = p.text("context").filter(|context| !context.is_empty());
    let context = context.or_else(|| only.as_ref().map(|(file, _)| format!("/files{file}")));
    let tree = Tree {
        root,
        load_path,
        only,
        type_check: p.choice("type_check") == Some("true"),
        context: context.unwrap_or_default(),
    };
    let only = tree.only.iter().flat_map(|(file, lens)| [("incl", file), ("lens", lens)]);
    for (attribute, text) in only.chain([("context", &tree.context)]) {
        if !commands::can_be_sent(text) {
            p.error(attribute, format!("{text:?} has a control character"));
        }
    }
    tree
}

/// The commands of `changes`: each element of a list is one, a text has one in each line.
fn commands(p: &mut Params<'_>, context: &str) -> Vec<Command> {
    let lines = p.list("changes").unwrap_or_default();
    let is_list = matches!(p.raw("changes"), Some(Value::List(_)));
    let lines: Vec<&str> = if is_list {
        lines.iter().map(String::as_str).collect()
    } else {
        lines.iter().flat_map(|text| text.split('\n')).collect()
    };
    let mut all = Vec::new();
    for line in lines {
        match commands::command(line, context) {
            Ok(command) => all.extend(command),
            Err(error) => refuse(p, "changes", error),
        }
    }
    all
}

fn condition(p: &mut Params<'_>, context: &str) -> Option<Condition> {
    // Of several conditions only the first counts.
    let text = p.text("onlyif")?;
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Condition::parse(line, context).map_err(|e| refuse(p, "onlyif", e)).ok()
}

/// Records an error, without its text if the attribute is secret.
fn refuse(p: &mut Params<'_>, attribute: &str, error: String) {
    let is_secret = p.secrets().iter().any(|name| name == attribute);
    p.error(attribute, if is_secret { "the secret value is wrong".to_string() } else { error });
}

struct AugeasInstance {
    tree: Tree,
    commands: Vec<Command>,
    condition: Option<Condition>,
    force: bool,
    shows_difference: bool,
    is_secret: bool,
    sessions: Arc<Sessions>,
    /// The files of the graph: in a plan they may be missing.
    declared: Arc<BTreeSet<PathBuf>>,
    log: Mutex<Vec<LogLine>>,
}

impl AugeasInstance {
    fn attempt(&self, host: &Host) -> Result<EditResult, KindError> {
        attempt(host, &self.tree, &self.commands, self.is_secret, &self.sessions)
    }

    /// The file or directory that the resource is about, if it names one.
    fn place(&self) -> Option<PathBuf> {
        let path = match &self.tree.only {
            Some((file, _)) => file.as_str(),
            None => plain_context(&self.tree.context)?,
        };
        Some(Path::new(&self.tree.root).join(path.trim_start_matches('/')))
    }

    /// Whether a resource of the graph makes the file later in the run.
    fn is_to_come(&self, host: &Host) -> bool {
        let Some(place) = self.place() else { return false };
        let file = place.ancestors().find(|path| self.declared.contains(*path));
        file.is_some_and(|file| host.stat(file).is_err())
    }

    fn compare_now(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if let Some(condition) = &self.condition
            && !condition.holds(host, &self.tree, &self.sessions)?
        {
            return Ok(Vec::new());
        }
        let EditResult { edits, warning } = self.attempt(host)?;
        let line =
            |message| LogLine { level: Some(Level::Warning), source: LogSource::Resource, message };
        *self.log() = warning.map(line).into_iter().collect();
        Ok(if edits.is_empty() && !self.force { Vec::new() } else { vec![self.change(&edits)] })
    }

    fn log(&self) -> MutexGuard<'_, Vec<LogLine>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, edits: &[Edit]) -> Change {
        Change {
            // A forced change is there again at once.
            action: if self.force { Action::Run } else { Action::Modify },
            property: "returns".to_string(),
            before: Value::str("need_to_run"),
            after: Value::Int(0),
            text: self.shows_difference.then(|| difference(edits)).flatten(),
            message: "executed successfully".to_string(),
        }
    }
}

/// The texts of files; of several, each below its path.
fn difference(edits: &[Edit]) -> Option<TextChange> {
    let before = text(edits.iter().map(|edit| (&*edit.path, edit.before.as_deref())))?;
    let after = text(edits.iter().map(|edit| (&*edit.path, edit.after.as_deref())))?;
    let is_short = before.len().max(after.len()) <= MAX_SHOWN;
    (is_short && !edits.is_empty()).then_some(TextChange { before, after })
}

fn text<'a>(
    contents: impl ExactSizeIterator<Item = (&'a Path, Option<&'a [u8]>)>,
) -> Option<String> {
    let are_several = contents.len() > 1;
    let mut all = String::new();
    for (path, content) in contents {
        let Some(content) = content else { continue };
        if are_several {
            all.push_str(&format!("==> {} <==\n", path.display()));
        }
        all.push_str(std::str::from_utf8(content).ok()?);
    }
    Some(all)
}

/// Makes an edit, unless the file has changed since.
fn write(host: &Host, edit: &Edit) -> Result<bool, KindError> {
    let path = &edit.path;
    let failed =
        |e: std::io::Error| KindError::new(format!("Could not write {}: {e}", path.display()));
    let _editing = editing(path);
    if host.stat(path).is_ok() != edit.before.is_some()
        || edit.before.as_ref().is_some_and(|old| read(host, path).ok().as_ref() != Some(old))
    {
        return Ok(false);
    }
    match &edit.after {
        Some(content) => {
            rewrite(host, path, content, Owner { mode: 0o644, ids: None }).map_err(failed)?;
        }
        None => {
            host.keep(path, false).map_err(failed)?;
            remove(host, &resolve(host, path, false).map_err(failed)?).map_err(failed)?;
        }
    }
    Ok(true)
}

impl Instance for AugeasInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.place().filter(|_| self.tree.only.is_some()).map(Watch::Path).into_iter().collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        self.tree.only.is_none().then_some(INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        match self.compare_now(host) {
            Err(_) if self.is_to_come(host) => Ok(vec![self.change(&[])]),
            result => result,
        }
    }

    fn take_log(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.log())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        /// Held meanwhile: the changes of two resources may be about the same file.
        static TURN: Mutex<()> = Mutex::new(());
        if changes.is_empty() {
            return Ok(());
        }
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..ATTEMPTS {
            let mut is_current = true;
            for edit in self.attempt(host)?.edits {
                is_current &= write(host, &edit)?;
            }
            if is_current {
                return Ok(());
            }
        }
        Err(KindError::new("the files change all the time"))
    }
}
