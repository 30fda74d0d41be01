//! The files that the commands of a resource would change, found out on copies.
//!
//! Augeas itself can save to new files beside the old ones, but removes files at once. So a first
//! session compares the trees before and after the commands. If they differ, a second one saves to
//! copies of the loaded files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, PathBuf};

use rustix::fs::FileType;

use crate::kind::KindError;
use crate::kinds::augeas::commands::Command;
use crate::kinds::augeas::copies::{Copies, Edit, read};
use crate::kinds::augeas::process::Sessions;
use crate::kinds::augeas::session::{Answers, NONE, Session, printed};
use crate::kinds::augeas::tree::{Node, Tree, on_machine, plain_context};
use crate::system::host::Host;
use crate::system::path::is;

/// The prefix of files in the tree.
const FILES: &str = "/files";

/// The result of the commands on copies.
#[derive(Default)]
pub(super) struct EditResult {
    /// The files that they change.
    pub(super) edits: Vec<Edit>,
    /// Files of the resource that could not be loaded.
    pub(super) warning: Option<String>,
}

/// Tries the commands. With `secret`, errors show no arguments.
///
/// # Errors
/// When a command fails, or Augeas cannot write the result.
pub(super) fn attempt(
    host: &Host,
    tree: &Tree,
    commands: &[Command],
    secret: bool,
    sessions: &Sessions,
) -> Result<EditResult, KindError> {
    let mut session = Session::loading(host, tree, sessions, None)?;
    let before = session.ask("print", &[FILES]);
    let first = ask_all(&mut session, commands);
    let after = session.ask("print", &[FILES]);
    let loaded = session.find("/augeas/files//path");
    let errors = session.ask("print", &["/augeas//error"]);
    let answers = session.run(host, tree, sessions)?;
    check(&answers, commands, first, secret).map_err(|e| with_load_errors(e, &answers, errors))?;
    let warning = load_warning(tree, answers.output(errors));
    let (before, after) = (answers.output(before), answers.output(after));
    if before == after {
        return Ok(EditResult { edits: Vec::new(), warning });
    }
    let loaded = answers.nodes(&loaded).map_err(KindError::new)?;
    let loaded = loaded.iter().filter_map(|node| file_of(node.value.as_deref()?));
    let originals = read_originals(host, tree, loaded)?;
    let mut copies = sessions.copies();
    let copies = match &mut *copies {
        Some(copies) => {
            copies.clear().map_err(|e| failed_copy(&e))?;
            copies
        }
        none => none.insert(Copies::new(host).map_err(|e| failed_copy(&e))?),
    };
    copies.fill(host, tree, &originals, &touched(before, after)).map_err(|e| failed_copy(&e))?;
    let copied = Tree { root: copies.path.to_string_lossy().into_owned(), ..tree.clone() };
    let mut session = Session::loading(host, &copied, sessions, Some(&copies.real))?;
    let first = ask_all(&mut session, commands);
    let save = session.ask("save", &NONE);
    let errors = session.ask("print", &["/augeas//error"]);
    let answers = session.run(host, &copied, sessions)?;
    check(&answers, commands, first, secret)?;
    if let Some(error) = answers.error(save) {
        let details = if secret { String::new() } else { load_errors(answers.output(errors)) };
        let details = if details.is_empty() { error.to_string() } else { details };
        return Err(KindError::new(format!("Save failed: {details}")));
    }
    let edits = copies.changes(host, tree, originals).map_err(|e| failed_copy(&e))?;
    Ok(EditResult { edits, warning })
}

/// A warning about files that could not be loaded, if the resource is about one of them.
fn load_warning(tree: &Tree, errors: &str) -> Option<String> {
    let details = load_errors(errors);
    let of_context = || {
        let path = format!("/augeas/files{}/error", plain_context(&tree.context)?);
        printed(errors).iter().any(|node| node.path == path).then_some(())
    };
    let is_own = tree.only.is_some() || of_context().is_some();
    let warning = || format!("Loading failed for one or more files:\n{details}");
    (is_own && !details.is_empty()).then(warning)
}

fn failed_copy(error: &io::Error) -> KindError {
    KindError::new(format!("Could not try the changes on copies: {error}"))
}

/// Adds the commands to a session; returns the position of the first answer.
fn ask_all(session: &mut Session, commands: &[Command]) -> usize {
    let mut first = None;
    for command in commands {
        let at = session.command(command);
        first.get_or_insert(at);
    }
    first.unwrap_or_default()
}

/// Fails with the first command that did.
fn check(
    answers: &Answers,
    commands: &[Command],
    first: usize,
    secret: bool,
) -> Result<(), KindError> {
    for (command, at) in commands.iter().zip(first..) {
        let Some(error) = answers.error(at) else { continue };
        let verb = command.verb;
        let text = if secret {
            format!("Error sending command '{verb}' with params [redacted]")
        } else {
            let arguments = &command.arguments;
            format!("Error sending command '{verb}' with params {arguments:?}: {error}")
        };
        return Err(KindError::new(text));
    }
    Ok(())
}

/// Adds files that could not be loaded: commands often fail because of them.
fn with_load_errors(error: KindError, answers: &Answers, errors: usize) -> KindError {
    let details = load_errors(answers.output(errors));
    if details.is_empty() { error } else { KindError::new(format!("{error}\n{details}")) }
}

/// The errors of files, one per line.
fn load_errors(text: &str) -> String {
    let nodes = printed(text);
    let mut lines = Vec::new();
    let mut seen = BTreeSet::new();
    for node in &nodes {
        let Some(of) = node.path.strip_suffix("/error") else { continue };
        if !seen.insert(of) {
            continue;
        }
        let detail = |name: &str| {
            let path = format!("{}/{name}", node.path);
            nodes.iter().find(|node| node.path == path).and_then(|node| node.value.as_deref())
        };
        let of = of.strip_prefix("/augeas/files").unwrap_or(of);
        let line = detail("line").map(|line| format!(" line {line}")).unwrap_or_default();
        let value = node.value.as_deref().unwrap_or("error");
        let message = detail("message").map(|text| format!(": {text}")).unwrap_or_default();
        lines.push(format!("{of}{line}: {value}{message}"));
    }
    lines.join("\n").trim_end().to_string()
}

/// The file that a path of the tree means: without positions and escapes.
fn file_of(path: &str) -> Option<PathBuf> {
    let path = path.strip_prefix(FILES)?;
    let mut out = String::new();
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            '[' => while chars.next().is_some_and(|c| c != ']') {},
            other => out.push(other),
        }
    }
    let path = PathBuf::from(out);
    let is_plain =
        path.components().all(|c| matches!(c, Component::Normal(_) | Component::RootDir));
    (is_plain && path.is_absolute()).then_some(path)
}

/// The paths of nodes that are in only one of two printed trees.
fn touched(before: &str, after: &str) -> BTreeSet<PathBuf> {
    let before: BTreeSet<&str> = before.lines().collect();
    let new = after.lines().filter(|line| !before.contains(line));
    new.filter_map(|line| {
        let nodes: Vec<Node> = printed(line);
        file_of(&nodes.first()?.path)
    })
    .collect()
}

/// The contents of the loaded files, by their paths in the tree.
fn read_originals(
    host: &Host,
    tree: &Tree,
    loaded: impl Iterator<Item = PathBuf>,
) -> Result<BTreeMap<PathBuf, Vec<u8>>, KindError> {
    let mut originals = BTreeMap::new();
    for path in loaded {
        let real = on_machine(tree, &path);
        if !host.stat(&real).is_ok_and(|stat| is(&stat, FileType::RegularFile)) {
            continue;
        }
        let content = read(host, &real)
            .map_err(|e| KindError::new(format!("Could not read {}: {e}", real.display())))?;
        originals.insert(path, content);
    }
    Ok(originals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_files() {
        let file = |path: &str| file_of(path).map(|path| path.to_string_lossy().into_owned());
        assert_eq!(file("/files/etc/a\\ b/c[2]/d").as_deref(), Some("/etc/a b/c/d"));
        assert_eq!(file("/files/../etc"), None);
        assert_eq!(file("/augeas/x"), None);
    }

    #[test]
    fn errors_of_files_are_one_line_each() {
        let text = "/augeas/files/etc/hosts/error = \"parse_failed\"\n\
                    /augeas/files/etc/hosts/error/line = \"2\"\n\
                    /augeas/files/etc/hosts/error/message = \"Syntax error\"\n\
                    /augeas/load/Xfm/error = \"Can not find lens X.lns\"\n";
        let wanted = "/etc/hosts line 2: parse_failed: Syntax error\n\
                      /augeas/load/Xfm: Can not find lens X.lns";
        assert_eq!(load_errors(text), wanted);
        assert_eq!(load_errors("  (no matches)\n"), "");
    }
}
