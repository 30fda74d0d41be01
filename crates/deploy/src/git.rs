//! Mirrors of git repositories.
//!
//! git runs as a child process, without a shell. References and URLs that git could take for
//! options are refused, and only common protocols are allowed. Each mirror is fetched at most once
//! per run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_functions::digest::sha256;
use ordain_functions::shell::escape;
use ordain_process::{Launch, Limits, OrphanPolicy};
use ordain_source::without_passwords;

use crate::error::{AtPath, Error, Result};
use crate::files;
use crate::lock;
use crate::settings::{Access, GitSettings};

/// The time limit of a fetch or clone.
const TRANSFER: Duration = Duration::from_secs(15 * 60);

/// The time limit of a local git command.
const LOCAL: Duration = Duration::from_secs(5 * 60);

/// The largest output of a git command, in bytes.
const MAX_OUTPUT: u64 = 256 << 20;

/// The protocols that git may use.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// Variables that point git to another repository. A hook that calls Ordain has them set.
const OF_A_REPOSITORY: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// The mirrors of a run, by repository URL.
pub(crate) struct Mirrors<'s> {
    directory: PathBuf,
    settings: &'s GitSettings,
    mirrors: Mutex<BTreeMap<String, Arc<Mirror>>>,
}

/// A mirror: a bare clone with all references of a repository.
pub(crate) struct Mirror {
    remote: String,
    directory: PathBuf,
    access: Access,
    state: Mutex<State>,
    /// Locked during a fetch, so that other threads wait for its result.
    transfer: Mutex<Option<std::result::Result<(), String>>>,
}

#[derive(Default)]
struct State {
    commits: BTreeMap<String, Option<String>>,
}

impl<'s> Mirrors<'s> {
    pub(crate) fn new(cache: &Path, settings: &'s GitSettings) -> Self {
        let mirrors = Mutex::new(BTreeMap::new());
        Self { directory: cache.join("git"), settings, mirrors }
    }

    pub(crate) fn get(&self, remote: &str) -> Arc<Mirror> {
        let mut mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let mirror = Mirror {
                remote: remote.to_owned(),
                directory: self.directory.join(directory_name(remote)),
                access: self.settings.access(remote).clone(),
                state: Mutex::default(),
                transfer: Mutex::new(None),
            };
            Arc::new(mirror)
        };
        Arc::clone(mirrors.entry(remote.to_owned()).or_insert_with(new))
    }
}

/// The directory name of a mirror: a readable part and a digest. It contains no password.
fn directory_name(remote: &str) -> String {
    let shown = without_passwords(remote);
    let tail: Vec<char> = shown.trim_end_matches('/').chars().rev().take(60).collect();
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let tail: String = tail.into_iter().rev().map(safe).collect();
    let digest = sha256(remote.as_bytes());
    format!("{}-{}", tail.trim_start_matches(['-', '.']), &digest[..16])
}

impl Mirror {
    /// The URL without its password.
    pub(crate) fn shown(&self) -> String {
        without_passwords(&self.remote).into_owned()
    }

    /// The directory of the mirror.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Updates the mirror, at most once per run.
    pub(crate) fn fetch(&self) -> Result<()> {
        let mut transfer = self.transfer.lock().unwrap_or_else(PoisonError::into_inner);
        if transfer.is_none() {
            *transfer = Some(self.transfer().map_err(|error| error.to_string()));
            self.state.lock().unwrap_or_else(PoisonError::into_inner).commits.clear();
        }
        match &*transfer {
            Some(Err(text)) => Err(Error::new(text.clone())),
            _ => Ok(()),
        }
    }

    /// A path next to the mirror.
    fn beside(&self, end: &str) -> PathBuf {
        let mut path = self.directory.clone().into_os_string();
        path.push(".");
        path.push(end);
        path.into()
    }

    fn exists(&self) -> bool {
        self.directory.join("HEAD").exists()
    }

    fn transfer(&self) -> Result<()> {
        let parent = self.directory.parent().unwrap_or(&self.directory);
        files::private_directory(parent)?;
        let lock = self.beside("lock");
        let _lock = lock::exclusive(&lock)?;
        let failed = |error: Error| Error::new(format!("cannot fetch {}: {error}", self.shown()));
        if self.exists() {
            return self.update().map_err(failed);
        }
        let new = self.beside("new");
        if new.exists() {
            fs::remove_dir_all(&new).at_path(&new)?;
        }
        let target = new.as_os_str().to_owned();
        let mut args: Vec<OsString> =
            ["clone", "--quiet", "--mirror", "--template=", "--"].map(Into::into).to_vec();
        args.extend([self.remote.clone().into(), target]);
        run(&args, &self.transfer_environment()?, None, TRANSFER).map_err(failed)?;
        fs::rename(&new, &self.directory).at_path(&self.directory)
    }

    fn update(&self) -> Result<()> {
        let args = [
            "-c",
            "gc.autoDetach=false",
            "fetch",
            "--quiet",
            "--prune",
            "--force",
            "--no-write-fetch-head",
            "--",
            &self.remote,
            "+refs/*:refs/*",
        ];
        let environment = self.transfer_environment()?;
        let fetch = || run(&self.args(&args), &environment, None, TRANSFER).map(|_| ());
        match fetch() {
            // A killed git leaves lock files. They are stale, because only this run may write to
            // the mirror.
            Err(_) if remove_locks(&self.directory) => fetch(),
            result => result,
        }
    }

    fn args(&self, args: &[&str]) -> Vec<OsString> {
        let mut all: Vec<OsString> = vec!["--git-dir".into(), self.directory.clone().into()];
        all.extend(args.iter().map(OsString::from));
        all
    }

    /// The environment variables of commands that contact the repository. Secrets are passed as
    /// variables because all users can see arguments.
    fn transfer_environment(&self) -> Result<Vec<(OsString, OsString)>> {
        let mut all: Vec<(OsString, OsString)> = Vec::new();
        if let Some(key) = &self.access.private_key {
            let key = escape(&key.display().to_string());
            let command = format!("ssh -o BatchMode=yes -o IdentitiesOnly=yes -i {key}");
            all.push(("GIT_SSH_COMMAND".into(), command.into()));
        } else if std::env::var_os("GIT_SSH_COMMAND").is_none() {
            all.push(("GIT_SSH_COMMAND".into(), "ssh -o BatchMode=yes".into()));
        }
        if let Some(proxy) = &self.access.proxy {
            all.extend(["http_proxy", "https_proxy"].map(|name| (name.into(), proxy.into())));
        }
        if let Some(path) = &self.access.oauth_token
            && ordain_source::is_web(&self.remote)
        {
            let token = ordain_source::read_input_text(path).at_path(path)?;
            let pair = STANDARD.encode(format!("x-oauth-token:{}", token.trim()));
            // git sends the header only to this repository.
            let key = format!("http.{}.extraHeader", self.remote);
            all.push(("GIT_CONFIG_COUNT".into(), "1".into()));
            all.push(("GIT_CONFIG_KEY_0".into(), key.into()));
            let header = format!("Authorization: Basic {pair}");
            all.push(("GIT_CONFIG_VALUE_0".into(), header.into()));
        }
        Ok(all)
    }

    /// Runs git in the mirror and returns its output.
    fn ask(&self, args: &[&str]) -> Result<Vec<u8>> {
        run(&self.args(args), &[], None, LOCAL)
    }

    /// The branches with their commits.
    pub(crate) fn branches(&self) -> Result<Vec<(String, String)>> {
        let format = "--format=%(refname)%00%(objectname)";
        let list = self.ask(&["for-each-ref", format, "refs/heads/"])?;
        let list = String::from_utf8_lossy(&list);
        let branch = |line: &str| {
            let (name, commit) = line.split_once('\0')?;
            Some((name.strip_prefix("refs/heads/")?.to_owned(), commit.to_owned()))
        };
        Ok(list.lines().filter_map(branch).collect())
    }

    /// The commit of a reference in the mirror; `None` if there is none.
    pub(crate) fn commit(&self, reference: &str) -> Option<String> {
        if !self.exists() {
            return None;
        }
        let known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.commits.get(reference) {
            return found.clone();
        }
        drop(known);
        let pattern = format!("{reference}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &pattern];
        let found = self.ask(&args).ok();
        let found = found.and_then(|id| Some(String::from_utf8(id).ok()?.trim().to_owned()));
        let found = found.filter(|id| !id.is_empty());
        let mut known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        known.commits.insert(reference.to_owned(), found.clone());
        found
    }

    /// Whether a reference is fixed: a commit or a tag that the mirror already has.
    pub(crate) fn is_fixed(&self, reference: &str) -> bool {
        let is_id =
            (5..=64).contains(&reference.len()) && reference.bytes().all(|b| b.is_ascii_hexdigit());
        let is_tag = || self.commit(&format!("refs/tags/{reference}")).is_some();
        let has_id = || self.commit(reference).is_some_and(|id| id.starts_with(reference));
        is_id && has_id() || is_tag()
    }

    /// The content of a file in a commit; `None` if the commit has no such file.
    pub(crate) fn file(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        let listed = self.ask(&["ls-tree", "-z", "--full-tree", commit, "--", path])?;
        let listed = String::from_utf8_lossy(&listed);
        let Some((facts, _)) = listed.split_once('\t') else { return Ok(None) };
        let mut facts = facts.split(' ');
        match (facts.next(), facts.next(), facts.next()) {
            (Some("120000"), _, _) => {
                Err(Error::new(format!("{path} of {} is a symbolic link", self.shown())))
            }
            (_, Some("blob"), Some(id)) => self.ask(&["cat-file", "blob", id]).map(Some),
            _ => Ok(None),
        }
    }

    /// The paths of all files of a commit.
    pub(crate) fn tracked(&self, commit: &str) -> Result<Vec<PathBuf>> {
        use std::os::unix::ffi::OsStrExt;
        let args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
        let list = self.ask(&args)?;
        let paths = list.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path))).collect())
    }

    /// Writes the tree of a commit to an empty directory. `index` is the path for git's temporary
    /// index file.
    pub(crate) fn write(&self, commit: &str, target: &Path, index: &Path) -> Result<()> {
        let mut args: Vec<OsString> =
            ["-c", "core.bare=false", "-c", "core.hooksPath=/dev/null"].map(Into::into).to_vec();
        args.extend(["--work-tree".into(), target.as_os_str().to_owned()]);
        args.extend(self.args(&["read-tree", "--reset", "-u", commit]));
        let environment = [("GIT_INDEX_FILE".into(), index.as_os_str().to_owned())];
        run(&args, &environment, Some(target), LOCAL).map(|_| ())
    }
}

/// The branch that is checked out in a work tree; `None` without a branch or a repository.
pub(crate) fn checked_out_branch(work_tree: &Path) -> Option<String> {
    let args = ["symbolic-ref", "--quiet", "--short", "HEAD"].map(OsString::from);
    let name = run(&args, &[], Some(work_tree), LOCAL).ok()?;
    Some(String::from_utf8(name).ok()?.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The commits that the references of a clone point to.
pub(crate) struct CloneCommits {
    /// The commit of `HEAD`; `None` before the first one.
    pub(crate) head: Option<String>,
    others: Vec<String>,
}

impl CloneCommits {
    /// All commits.
    pub(crate) fn all(&self) -> impl Iterator<Item = &String> {
        self.head.iter().chain(&self.others)
    }
}

/// Reads the references of a clone.
pub(crate) fn commits_of_clone(directory: &Path) -> Result<CloneCommits> {
    // A `.git` that is no repository must not lead to the one around it.
    let in_clone = |args: &[&str]| {
        let mut all: Vec<OsString> = vec!["--git-dir".into(), directory.join(".git").into()];
        all.extend(args.iter().map(OsString::from));
        let output = run(&all, &[], None, LOCAL)?;
        Ok::<_, Error>(String::from_utf8_lossy(&output).into_owned())
    };
    let head = in_clone(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).ok();
    // An annotated tag points to an object that is no commit.
    let format = "--format=%(objecttype) %(objectname) %(*objectname)";
    let list = in_clone(&["for-each-ref", format])?;
    let commit = |line: &str| {
        let mut fields = line.split_whitespace();
        match (fields.next(), fields.next(), fields.next()) {
            (Some("tag"), _, target) => target.map(str::to_owned),
            (_, object, _) => object.map(str::to_owned),
        }
    };
    let others = list.lines().filter_map(commit).collect();
    Ok(CloneCommits { head: head.map(|id| id.trim().to_owned()), others })
}

/// Removes lock files that a killed git left in a mirror. Returns whether there were any.
fn remove_locks(directory: &Path) -> bool {
    let mut found = false;
    let mut queue = vec![directory.to_path_buf(), directory.join("refs")];
    let objects = directory.join("objects");
    queue.push(objects.join("info"));
    while let Some(at) = queue.pop() {
        let Ok(entries) = fs::read_dir(&at) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && at.starts_with(directory.join("refs")) {
                queue.push(path);
            } else if !is_directory && path.extension().is_some_and(|end| end == "lock") {
                found |= fs::remove_file(path).is_ok();
            }
        }
    }
    found
}

/// Runs git and returns its standard output.
fn run(
    args: &[OsString],
    environment: &[(OsString, OsString)],
    cwd: Option<&Path>,
    time: Duration,
) -> Result<Vec<u8>> {
    let mut argv: Vec<OsString> = vec!["git".into()];
    argv.extend(args.iter().cloned());
    let is_bound = |name: &OsString| OF_A_REPOSITORY.iter().any(|bound| name == bound);
    let launch = Launch {
        argv,
        env: Some(std::env::vars_os().filter(|(name, _)| !is_bound(name)).collect()),
        set_env: [("GIT_TERMINAL_PROMPT", "0"), ("GIT_ALLOW_PROTOCOL", PROTOCOLS)]
            .map(|(name, value)| (name.into(), value.into()))
            .into_iter()
            .chain(environment.iter().cloned())
            .collect(),
        cwd: cwd.map(Path::to_path_buf),
        orphans: OrphanPolicy::End,
        ..Launch::default()
    };
    let limits = Limits { time: Some(time), output: MAX_OUTPUT };
    let output = ordain_process::run(&launch, b"", false, limits)
        .map_err(|error| Error::new(format!("git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let text = without_passwords(text.trim().trim_start_matches("fatal: "));
    Err(Error::new(match text.is_empty() {
        true => format!("git ended with {}", output.status),
        false => format!("git: {text}"),
    }))
}
