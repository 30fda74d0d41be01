//! A session of augtool: commands go in, the answer to each comes out.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::FileType;

use crate::kind::KindError;
use crate::kind::tools::inside;
use crate::kinds::augeas::commands::{Command, is_about_files};
use crate::kinds::augeas::process::{Request, Sessions};
use crate::kinds::augeas::transforms::{self, Transform};
use crate::kinds::augeas::tree::{Node, Tree, plain_context};
use crate::system::accounts;
use crate::system::host::Host;
use crate::system::path::is;
use crate::system::runner::Invocation;

/// Directories in which the program may be. The last one belongs to Puppet's own packages.
const DIRECTORIES: &[&str] = &["/usr/bin", "/usr/local/bin", "/bin", "/opt/puppetlabs/puppet/bin"];

/// No arguments.
pub(super) const NONE: [&str; 0] = [];

/// Commands of a session.
pub(super) struct Session {
    script: String,
    /// A text that follows each answer, which nobody can guess.
    mark: String,
    count: usize,
    /// The position of the answer that says whether the process could restore its settings.
    restored: Option<usize>,
    /// Whether the commands might leave something behind in the process.
    is_private: bool,
    /// The directory that the commands may change.
    writable: Option<PathBuf>,
}

/// A copy of the files and lenses that augtool knows at its start.
const KNOWN: &str = "/ordain-load";

/// The positions of the answers about nodes that match a path.
pub(super) struct Search {
    matches: usize,
    printed: usize,
}

/// The answers of a session.
pub(super) struct Answers {
    outputs: Vec<String>,
    errors: Vec<String>,
}

impl Session {
    fn new(writable: Option<&Path>) -> Self {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        Self {
            script: String::new(),
            mark: format!("ordain-{:016x}", hasher.finish()),
            count: 0,
            restored: None,
            is_private: false,
            writable: writable.map(Path::to_path_buf),
        }
    }

    /// A session that loads files. It can be one of many in a process, so it begins with the state of
    /// a new one. Its commands can change only files in `writable`.
    ///
    /// # Errors
    /// When augtool does not list its lenses.
    pub(super) fn loading(
        host: &Host,
        tree: &Tree,
        sessions: &Sessions,
        writable: Option<&Path>,
    ) -> Result<Self, KindError> {
        let mut session = Self::new(writable);
        for path in ["/files/*", "/augeas/files/*", "/augeas//error"] {
            session.ask("rm", &[path]);
        }
        if let Some((file, lens)) = &tree.only {
            session.ask("rm", &["/augeas/load/*"]);
            session.ask("set", &["/augeas/load/Xfm/lens", lens.as_str()]);
            session.ask("set", &["/augeas/load/Xfm/incl", file.as_str()]);
        } else {
            session.ask("rm", &["/augeas/load"]);
            // Lenses that cannot read the file of the context need not load theirs, unless none can.
            let names = match plain_context(&tree.context) {
                Some(path) => {
                    let all = known_transforms(host, tree, sessions)?;
                    let readers = all.iter().filter(|one| one.reads(path));
                    readers.map(|one| format!("/{}", one.name)).collect()
                }
                None => Vec::new(),
            };
            let all = if names.is_empty() { vec![String::new()] } else { names };
            for name in all {
                let (from, to) = (format!("{KNOWN}{name}"), format!("/augeas/load{name}"));
                session.restored = Some(session.ask("cp", &[from, to]));
            }
        }
        session.ask("load", &NONE);
        Ok(session)
    }

    /// Adds a command; returns the position of its answer.
    pub(super) fn ask<S: AsRef<str>>(&mut self, verb: &str, arguments: &[S]) -> usize {
        self.script.push_str(verb);
        for argument in arguments {
            self.script.push_str(" \"");
            escape(argument.as_ref(), &mut self.script);
            self.script.push('"');
        }
        let mark = &self.mark;
        // An unknown command marks the end on standard error.
        self.script.push_str(&format!("\n{mark}\nget \"{}\"\n", mark_path(mark)));
        self.count += 1;
        self.count - 1
    }

    /// Adds a command of a manifest, as [`Session::ask`] does.
    pub(super) fn command(&mut self, command: &Command) -> usize {
        self.is_private |= !command.is_about_files();
        self.ask(command.verb, &command.arguments)
    }

    /// Asks for the value of a node.
    pub(super) fn get(&mut self, path: &str) -> usize {
        self.is_private |= !is_about_files(path);
        self.ask("get", &[path])
    }

    /// Asks for the nodes that match a path.
    pub(super) fn find(&mut self, path: &str) -> Search {
        Search { matches: self.ask("match", &[path]), printed: self.ask("print", &[path]) }
    }

    /// As [`Session::find`], for a path of a manifest.
    pub(super) fn find_declared(&mut self, path: &str) -> Search {
        self.is_private |= !is_about_files(path);
        self.find(path)
    }

    /// Runs the commands.
    ///
    /// # Errors
    /// When the program is missing or breaks off.
    pub(super) fn run(
        self,
        host: &Host,
        tree: &Tree,
        sessions: &Sessions,
    ) -> Result<Answers, KindError> {
        let failed = |why: &str| KindError::new(format!("Could not run augtool: {why}"));
        let mut words = vec![program(host)?, "--noload".to_string()];
        words.push(format!("--root={}", tree.root));
        words.extend(tree.only.is_some().then(|| "--noautoload".to_string()));
        words.extend(tree.type_check.then(|| "--typecheck".to_string()));
        words.extend(tree.load_path.iter().map(|path| format!("--include={path}")));
        let output_mark = format!("{} = ", mark_path(&self.mark));
        let error_mark = format!("Unknown command '{}'", self.mark);
        let request = Request {
            script: self.script.as_bytes(),
            output_mark: &output_mark,
            error_mark: &error_mark,
            count: self.count,
        };
        let invocation = || self.invocation(host, &words);
        let start = format!("cp /augeas/load {KNOWN}\n");
        let own = Sessions::default();
        let sessions = if self.is_private { &own } else { sessions };
        let history = History::of(host);
        let answer = sessions.exchange(host, &words, start.as_bytes(), invocation, &request);
        history.remove();
        let [stdout, stderr] = answer.map_err(|e| failed(&e.to_string()))?;
        let [stdout, stderr] =
            [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let outputs = split(&stdout, &output_mark);
        let errors = split(&stderr, &error_mark);
        let errors: Vec<String> = errors.iter().map(|text| plain_error(text)).collect();
        let restored = self.restored.and_then(|at| errors.get(at));
        if let Some(error) = restored.filter(|error| !error.is_empty()) {
            return Err(failed(error));
        }
        Ok(Answers { outputs, errors })
    }

    /// How a process is started.
    fn invocation(&self, host: &Host, words: &[String]) -> Invocation {
        let mut invocation = inside(host, words);
        invocation.timeout = None;
        let launch = &mut invocation.launch;
        // Variables of the user would add lenses, or another root. A terminal must not be asked for
        // more than lines.
        for (name, value) in [("AUGEAS_LENS_LIB", ""), ("AUGEAS_ROOT", ""), ("TERM", "dumb")] {
            launch.set_env.push((name.into(), value.into()));
        }
        // With the privilege for it, it does not even begin a history of its commands.
        launch.writes_only = Some(self.writable.clone().into_iter().collect());
        invocation
    }
}

/// The lenses that augtool loads by itself; a run asks once for them.
fn known_transforms(
    host: &Host,
    tree: &Tree,
    sessions: &Sessions,
) -> Result<Arc<Vec<Transform>>, KindError> {
    if let Some(known) = sessions.transforms(&tree.load_path) {
        return Ok(known);
    }
    let mut session = Session::new(None);
    let all = session.ask("print", &[KNOWN]);
    let answers = session.run(host, tree, sessions)?;
    let found = Arc::new(transforms::read(&printed(answers.output(all)), KNOWN));
    sessions.set_transforms(&tree.load_path, &found);
    Ok(found)
}

impl Answers {
    /// The output of a command.
    pub(super) fn output(&self, at: usize) -> &str {
        &self.outputs[at]
    }

    /// The error of a command, if it failed.
    pub(super) fn error(&self, at: usize) -> Option<&str> {
        Some(self.errors[at].as_str()).filter(|error| !error.is_empty())
    }

    /// The value of a node that [`Session::get`] asked for; `None` if it has none.
    pub(super) fn value(&self, at: usize, path: &str) -> Option<String> {
        let text = self.outputs[at].strip_suffix('\n')?;
        Some(text.strip_prefix(path)?.strip_prefix(" = ")?.to_string())
    }

    /// The nodes that [`Session::find`] asked for, in order.
    ///
    /// # Errors
    /// When the path is no path.
    pub(super) fn nodes(&self, search: &Search) -> Result<Vec<Node>, String> {
        if let Some(error) = self.error(search.matches) {
            return Err(error.to_string());
        }
        // Values of several lines end where their printed forms say.
        let values: HashMap<String, Option<String>> = printed(self.output(search.printed))
            .into_iter()
            .map(|node| (node.path, node.value))
            .collect();
        let mut nodes = Vec::new();
        let mut rest = self.output(search.matches);
        if rest == "  (no matches)\n" {
            rest = "";
        }
        while !rest.is_empty() {
            let (node, length) =
                next_node(rest, &values).ok_or("augtool gave an unknown answer")?;
            nodes.push(node);
            rest = &rest[length..];
        }
        Ok(nodes)
    }
}

/// The first node of the output of `match`, and the length of its part.
fn next_node(text: &str, values: &HashMap<String, Option<String>>) -> Option<(Node, usize)> {
    const BETWEEN: &str = " = ";
    text.match_indices(BETWEEN).find_map(|(at, _)| {
        let path = &text[..at];
        let value = values.get(path)?;
        let shown = value.as_deref().unwrap_or("(none)");
        let length = at + BETWEEN.len() + shown.len() + 1;
        let is_whole = text.get(at + BETWEEN.len()..length)?.strip_suffix('\n') == Some(shown);
        is_whole.then(|| (Node { path: path.to_string(), value: value.clone() }, length))
    })
}

/// The nodes that `print` wrote, one per line.
pub(super) fn printed(text: &str) -> Vec<Node> {
    let node = |line: &str| match line.strip_suffix('"').and_then(|l| l.split_once(" = \"")) {
        Some((path, value)) => Node { path: path.to_string(), value: Some(unescape(value)) },
        None => Node { path: line.to_string(), value: None },
    };
    text.lines().map(node).collect()
}

/// The value of a printed line.
fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'v') => out.push(11),
            Some(b'f') => out.push(12),
            Some(digit @ b'0'..=b'7') => {
                let mut code = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                }
                out.push(u8::try_from(code).unwrap_or(b'?'));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A node that always exists, with a mark in its path.
fn mark_path(mark: &str) -> String {
    format!("/augeas/version[. != '{mark}']")
}

/// Cuts a text after each line that begins with a mark; the marks are left out.
fn split(text: &str, mark: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.starts_with(mark) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    parts.pop();
    parts
}

/// An error without the heading, which stands above the next mark, too.
fn plain_error(text: &str) -> String {
    const HEADING: &str = "error: Failed to execute command";
    let lines = text.lines().filter(|line| *line != HEADING);
    let lines = lines.map(|line| line.strip_prefix("error: ").unwrap_or(line).trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Writes an argument as augtool reads it within double quotes.
fn escape(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek().is_some_and(|next| matches!(next, '[' | ']')) => {
                // augtool keeps both, and does not count the bracket.
                out.push(c);
                out.extend(chars.next());
            }
            '\\' => {
                out.push_str("\\\\");
                if chars.next_if_eq(&'\\').is_some() {
                    out.push_str("\\\\");
                }
            }
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
}

/// The history of typed commands, which augtool also writes if it reads a script. It is empty then.
struct History {
    directory: Option<PathBuf>,
}

/// Whether the directories of histories existed before the first session.
static FOUND: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());

impl History {
    /// The history of this user on a machine, unless it existed before.
    fn of(host: &Host) -> Self {
        let home = accounts::home(host, rustix::process::getuid().as_raw());
        let directory = home.map(|home| host.path(&home.join(".augeas")));
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let mut existed = |path: &PathBuf| {
            *found.entry(path.clone()).or_insert_with(|| path.symlink_metadata().is_ok())
        };
        Self { directory: directory.filter(|path| !existed(path)) }
    }

    /// Removes it unless something was typed. Failures do not matter: the file is empty.
    fn remove(&self) {
        let Some(directory) = &self.directory else { return };
        let file = directory.join("history");
        if file.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
            let _ = fs::remove_file(&file);
        }
        let _ = fs::remove_dir(directory);
    }
}

fn program(host: &Host) -> Result<String, KindError> {
    let runs = |path: &String| {
        host.stat(Path::new(path))
            .is_ok_and(|stat| is(&stat, FileType::RegularFile) && stat.st_mode & 0o111 != 0)
    };
    let found = DIRECTORIES.iter().map(|directory| format!("{directory}/augtool")).find(runs);
    found.ok_or_else(|| {
        let text = "Could not find augtool: install the package augeas-tools (Debian, Ubuntu), \
                    augeas (Fedora, Red Hat, SUSE, Arch)";
        KindError::new(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_escaped() {
        let escaped = |text: &str| {
            let mut out = String::new();
            escape(text, &mut out);
            out
        };
        assert_eq!(escaped("a\"b'c\td\n"), r#"a\"b'c\td\n"#);
        assert_eq!(escaped(r"a\b\\c\"), r"a\\b\\\\c\\");
        assert_eq!(escaped(r"a\[b\\[c"), r"a\[b\\\\[c");
    }

    #[test]
    fn values_of_several_lines_are_told_apart() {
        let answers = Answers {
            outputs: vec![
                "/a = x = y\n/b = 1\n/c = 2\n/b = (none)\n/d = \n".to_string(),
                "/a = \"x = y\\n/b = 1\"\n/c = \"2\"\n/b\n/d = \"\"\n".to_string(),
            ],
            errors: vec![String::new(); 2],
        };
        let nodes = answers.nodes(&Search { matches: 0, printed: 1 });
        let node = |path: &str, value: Option<&str>| Node {
            path: path.to_string(),
            value: value.map(str::to_string),
        };
        let wanted = [
            node("/a", Some("x = y\n/b = 1")),
            node("/c", Some("2")),
            node("/b", None),
            node("/d", Some("")),
        ];
        assert_eq!(nodes.as_deref(), Ok(wanted.as_slice()));
    }

    #[test]
    fn errors_stand_between_marks() {
        let text = "error: No match\nerror: Failed to execute command\nUnknown command 'm'\n\
                    error: Failed to execute command\nUnknown command 'm'\n";
        let errors: Vec<String> =
            split(text, "Unknown command 'm'").iter().map(|t| plain_error(t)).collect();
        assert_eq!(errors, ["No match", ""]);
    }

    #[test]
    fn printed_values_are_read() {
        assert_eq!(unescape(r"a\\b\t\303\251\042"), "a\\b\t\u{e9}\"");
    }
}
