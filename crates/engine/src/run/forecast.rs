//! Predictions of a plan beyond single resources: missing parent directories, and the size of
//! removed trees.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use ordain_graph::{Resource, protected};
use rustix::fs::FileType;

use crate::kind::params::{reveal, scalar_text};
use crate::kind::report::{ResourceReport, Status};
use crate::kind::{Action, Change};
use crate::kinds::shared::account_files;
use crate::run::prepare::Prepared;
use crate::run::redact::Secrets;
use crate::system::host::Host;
use crate::system::path::real_path;
use crate::system::path::{is, resolve};

/// The maximum number of entries of a tree that are counted.
const MAX_COUNTED: usize = 10_000;

/// Kinds that create no directories; any other kind may create one in a way that a plan does not
/// see.
const MAKES_NONE: [&str; 34] = [
    "alternative_entry",
    "alternatives",
    "anchor",
    "augeas",
    "concat_file",
    "concat_fragment",
    "cron",
    "file_line",
    "filebucket",
    "group",
    "host",
    "ini_setting",
    "ini_subsetting",
    "mailalias",
    "mgmt::exit",
    "mgmt::hostname",
    "mgmt::line",
    "mgmt::noop",
    "mgmt::sysctl",
    "mgmt::test",
    "mgmt::timer",
    "mgmt::value",
    "notify",
    "resources",
    "schedule",
    "selboolean",
    "ssh_authorized_key",
    "sshkey",
    "stage",
    "sysctl",
    "sysctl_runtime",
    "std::testing::nullresource",
    "tidy",
    "yumrepo",
];

/// Kinds that keep accounts in files of one directory.
const ACCOUNTS: [&str; 2] = ["group", "user"];

/// The size of a removed tree.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tree {
    /// Directories below the one that goes.
    pub directories: usize,
    /// Everything else.
    pub files: usize,
    /// Whether there are more entries than were counted.
    pub is_more: bool,
}

impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let files = plural(self.files, "file", "files");
        let directories = plural(self.directories, "directory", "directories");
        match (self.is_more, self.files, self.directories) {
            (true, ..) => write!(f, "more than {MAX_COUNTED} files and directories"),
            (_, 0, 0) => f.write_str("nothing in it"),
            (_, _, 0) => f.write_str(&files),
            (_, 0, _) => f.write_str(&directories),
            _ => write!(f, "{files} and {directories}"),
        }
    }
}

/// The tree that a resource removes or replaces, if it does.
pub(crate) fn tree(prepared: &Prepared, host: &Host, report: &ResourceReport) -> Option<Tree> {
    let goes = |change: &Change| {
        change.property == "ensure" && reveal(&change.before).0.as_str() == Some("directory")
    };
    if report.status != Status::WouldChange || !report.changes.iter().any(goes) {
        return None;
    }
    let file = File::of(prepared, report)?;
    let place = resolve(host, &file.path, file.follows).ok()?;
    count(&real_path(&place)).ok()
}

fn count(root: &Path) -> io::Result<Tree> {
    let mut tree = Tree::default();
    let mut todo = vec![root.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir)? {
            let entry: DirEntry = entry?;
            if entry.file_type()?.is_dir() {
                tree.directories += 1;
                todo.push(entry.path());
            } else {
                tree.files += 1;
            }
            if tree.directories + tree.files > MAX_COUNTED {
                return Ok(Tree { is_more: true, ..tree });
            }
        }
    }
    Ok(tree)
}

/// A file as far as this looks at it.
struct File {
    path: PathBuf,
    follows: bool,
    makes_parents: bool,
}

impl File {
    fn of(prepared: &Prepared, report: &ResourceReport) -> Option<Self> {
        if report.resource.kind != "File" {
            return None;
        }
        let declared = prepared.graph.find(&report.resource);
        let declared: Option<&Resource> = declared.map(|id| prepared.graph.resource(id));
        let text = |name: &str| scalar_text(reveal(declared?.value(name)?).0);
        let path = text("path").unwrap_or_else(|| report.resource.title.to_string());
        Some(Self {
            path: protected::normal(&path).into(),
            follows: text("links").as_deref() == Some("follow"),
            makes_parents: text("parents").as_deref() == Some("true"),
        })
    }
}

/// Marks files and accounts as failed whose parent directory does not exist and is not created by
/// an earlier resource, as they would fail during an apply.
pub(crate) fn fail_without_directory(
    prepared: &Prepared,
    host: &Host,
    reports: &mut [ResourceReport],
) {
    // Whether each is created as a directory.
    let mut made: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for report in reports {
        // A check may only fail because an earlier resource has done nothing yet.
        let is_open = matches!(report.status, Status::WouldChange | Status::Failed);
        let Some(file) = File::of(prepared, report) else {
            let kind = report.resource.kind.to_lowercase();
            if report.status == Status::WouldChange
                && ACCOUNTS.contains(&kind.as_str())
                && !made.contains_key(Path::new(account_files::DIRECTORY))
                && let Some(missing) = account_files::missing_directory(host)
            {
                report.fail(missing.to_string());
                continue;
            }
            if is_open && !MAKES_NONE.contains(&kind.as_str()) {
                return;
            }
            continue;
        };
        let creates = |change: &Change| change.action == Action::Create;
        if report.status == Status::WouldChange
            && report.changes.iter().any(creates)
            && let Some(missing) = missing(host, &file, &made)
        {
            let (path, missing) = (file.path.display(), missing.display());
            let text = format!("Could not write {path}: directory {missing} does not exist");
            let resource = prepared.graph.find(&report.resource);
            let secrets = resource.and_then(|id| Secrets::of(prepared.graph.resource(id)));
            report.fail(secrets.map_or(text.clone(), |secrets| secrets.text(&text)));
            continue;
        }
        if is_open {
            let kind = |change: &Change| reveal(&change.after).0.as_str() == Some("directory");
            let is_directory = report.changes.iter().any(|c| c.property == "ensure" && kind(c));
            made.insert(file.path, is_directory);
        }
    }
}

/// The missing parent directory of a file, unless an earlier resource creates it.
fn missing<'f>(host: &Host, file: &'f File, made: &BTreeMap<PathBuf, bool>) -> Option<&'f Path> {
    let parent = file.path.parent()?;
    // A new link may lead to an existing directory.
    let may_lead_there = |above: &Path| made.get(above) == Some(&false);
    if file.makes_parents || made.contains_key(parent) || parent.ancestors().any(may_lead_there) {
        return None;
    }
    let there = resolve(host, parent, true).and_then(|place| place.stat());
    match there {
        Ok(Some(stat)) if is(&stat, FileType::Directory) => None,
        Ok(_) => Some(parent),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Some(parent)
        }
        // A path that cannot be read may exist.
        Err(_) => None,
    }
}
