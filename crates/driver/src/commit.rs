//! The files of a git commit.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ordain_process::{Launch, OrphanPolicy, Running};
use ordain_source::layer::{FileLayer, LayerListing, absolute};
use ordain_source::suggest::nearest;
use ordain_source::world::{EntryKind, ProcessRequest};
use ordain_source::{Diagnostic, HostWorld, World};

use crate::codes;

/// The most symbolic links that are followed for one path, as on Linux.
const MAX_LINKS: usize = 40;

/// The most bytes of contents that stay in memory.
const MAX_KNOWN: usize = 32 << 20;

/// The largest file that is read, in bytes: the same as for files on disk.
const MAX_SIZE: usize = 256 << 20;

/// The tree of a commit, in place of the work tree. Files of the work tree that the commit lacks do
/// not exist; submodules are empty directories.
pub struct Commit {
    /// The root of the work tree, as the caller named it.
    root: PathBuf,
    /// All files, links and directories, relative to the root of the work tree.
    entries: BTreeMap<PathBuf, Entry>,
    git: Mutex<GitObjects>,
}

/// A commit in a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedCommit {
    /// The full id.
    pub id: String,
    /// The time of the commit in RFC 3339.
    pub time: String,
    /// The name of the author.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
}

enum Entry {
    Directory,
    File(Blob),
    Link(Blob),
}

/// A `git cat-file --batch`, which sends objects by their ids.
struct GitObjects {
    requests: PipeWriter,
    objects: BufReader<PipeReader>,
    /// The contents of objects that were read, since compiles of many nodes read the same files.
    known: HashMap<String, Vec<u8>>,
    /// The length of all these contents in bytes.
    known_size: usize,
    /// The process ends when this is dropped.
    _process: Running,
}

/// A git object.
#[derive(Clone)]
struct Blob {
    id: String,
    size: usize,
}

impl Commit {
    /// The tree of a revision, such as `HEAD~1`, of the repository that a directory is in.
    ///
    /// # Errors
    /// When there is no git, no repository or no such revision.
    pub fn open(dir: &Path, revision: &str) -> Result<Self, Diagnostic> {
        let world = HostWorld::new();
        let root = root(&world, dir)?;
        let tree = format!("{revision}^{{tree}}");
        let tree = git(&world, dir, &["rev-parse", "--verify", "--end-of-options", &tree])
            .map_err(|_| no_revision(&world, dir, revision))?;
        let tree = text(&tree)?.trim_end().to_owned();
        let list = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", &tree];
        let entries = entries(&git(&world, &root, &list)?)?;
        let git = GitObjects::start(&root).map_err(|e| codes::io("cannot run git", &e))?;
        Ok(Self { root, entries, git: Mutex::new(git) })
    }

    /// The root of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root of the work tree that a directory is in, and the full id of a revision.
    ///
    /// # Errors
    /// When there is no git, no repository or no such revision.
    pub fn find(dir: &Path, revision: &str) -> Result<(PathBuf, String), Diagnostic> {
        let world = HostWorld::new();
        let root = root(&world, dir)?;
        let commit = format!("{revision}^{{commit}}");
        let id = git(&world, dir, &["rev-parse", "--verify", "--end-of-options", &commit])
            .map_err(|_| no_revision(&world, dir, revision))?;
        Ok((root, text(&id)?.trim_end().to_owned()))
    }

    /// The last commits that touch a directory, the newest first. None without git or a repository.
    pub fn log(dir: &Path, most: usize) -> Vec<LoggedCommit> {
        let world = HostWorld::new();
        let number = format!("-n{most}");
        let form = "--format=%H%x1f%cI%x1f%an%x1f%s";
        let Ok(log) = git(&world, dir, &["log", &number, form, "--", "."]) else {
            return Vec::new();
        };
        let log = String::from_utf8_lossy(&log);
        let commit = |line: &str| {
            let mut parts = line.splitn(4, '\u{1f}').map(str::to_owned);
            let (id, time, author) = (parts.next()?, parts.next()?, parts.next()?);
            Some(LoggedCommit { id, time, author, subject: parts.next()? })
        };
        log.lines().filter_map(commit).collect()
    }

    /// Follows all links of a path relative to the root of the work tree. Fails if the path leaves
    /// the tree or its links form a loop. A missing path is returned as it is written.
    fn follow(&self, path: &Path) -> io::Result<PathBuf> {
        let mut links = 0;
        let mut done = PathBuf::new();
        let mut left: Vec<String> = names(path).rev().collect();
        while let Some(name) = left.pop() {
            if name == ".." {
                if !done.pop() {
                    return Err(io::ErrorKind::NotFound.into());
                }
                continue;
            }
            let next = done.join(&name);
            let Some(Entry::Link(blob)) = self.entries.get(&next) else {
                done = next;
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                let text = format!("too many symbolic links: {}", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let target = self.contents(blob)?;
            let target = PathBuf::from(String::from_utf8_lossy(&target).into_owned());
            let inside = match target.is_absolute() {
                true => {
                    done = PathBuf::new();
                    let rest = target.strip_prefix(&self.root);
                    rest.map_err(|_| io::Error::from(io::ErrorKind::NotFound))?.to_path_buf()
                }
                false => target,
            };
            left.extend(names(&inside).collect::<Vec<_>>().into_iter().rev());
        }
        Ok(done)
    }

    /// The entry at an absolute path; `None` if the path is outside of the work tree.
    fn entry(&self, path: &Path) -> Option<io::Result<(PathBuf, &Entry)>> {
        let inside = path.strip_prefix(&self.root).ok()?;
        // Git's own files belong to no tree.
        if inside.starts_with(".git") {
            return None;
        }
        let found = self.follow(inside).and_then(|inside| {
            if inside.as_os_str().is_empty() {
                return Ok((inside, &Entry::Directory));
            }
            let entry = self.entries.get(&inside);
            entry.map(|entry| (inside, entry)).ok_or_else(|| io::ErrorKind::NotFound.into())
        });
        Some(found)
    }

    fn contents(&self, blob: &Blob) -> io::Result<Vec<u8>> {
        if blob.size > MAX_SIZE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.git.lock().unwrap_or_else(PoisonError::into_inner).contents(blob)
    }
}

/// The root of the work tree that a directory is in, as the caller named the directory.
fn root(world: &HostWorld, dir: &Path) -> Result<PathBuf, Diagnostic> {
    let prefix = git(world, dir, &["rev-parse", "--show-prefix"])?;
    let mut root = absolute(dir);
    for _ in Path::new(text(&prefix)?.trim_end_matches('\n')).components() {
        root.pop();
    }
    Ok(root)
}

/// The error for a revision that a repository lacks.
fn no_revision(world: &HostWorld, dir: &Path, revision: &str) -> Diagnostic {
    let error = Diagnostic::error(
        codes::FILE,
        format!("the repository of {} has no revision `{revision}`", dir.display()),
    );
    let names = git(world, dir, &["for-each-ref", "--format=%(refname:short)"]).unwrap_or_default();
    let names = String::from_utf8_lossy(&names);
    match nearest(revision, names.lines()) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error,
    }
}

impl GitObjects {
    fn start(root: &Path) -> io::Result<Self> {
        let argv = ["git", "cat-file", "--batch"].map(Into::into).to_vec();
        let launch = Launch {
            argv,
            cwd: Some(root.to_path_buf()),
            // An object that a partial clone lacks is an error; git must not fetch it.
            set_env: vec![("GIT_NO_LAZY_FETCH".into(), "1".into())],
            orphans: OrphanPolicy::End,
            ..Launch::default()
        };
        let (input, requests) = io::pipe()?;
        let (objects, output) = io::pipe()?;
        let errors = File::options().write(true).open("/dev/null")?;
        let process = ordain_process::start(&launch, [input.into(), output.into(), errors.into()])?;
        let (objects, known) = (BufReader::new(objects), HashMap::new());
        Ok(Self { requests, objects, known, known_size: 0, _process: process })
    }

    fn contents(&mut self, blob: &Blob) -> io::Result<Vec<u8>> {
        if let Some(known) = self.known.get(&blob.id) {
            return Ok(known.clone());
        }
        let contents = self.read(blob)?;
        if contents.len() <= MAX_KNOWN - self.known_size {
            self.known_size += contents.len();
            self.known.insert(blob.id.clone(), contents.clone());
        }
        Ok(contents)
    }

    fn read(&mut self, blob: &Blob) -> io::Result<Vec<u8>> {
        writeln!(self.requests, "{}", blob.id)?;
        let mut header = String::new();
        self.objects.read_line(&mut header)?;
        if header != format!("{} blob {}\n", blob.id, blob.size) {
            let text = format!("git has no object {}", blob.id);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        // A line break follows the object.
        let mut bytes = vec![0; blob.size + 1];
        self.objects.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(bytes)
    }
}

/// The components of a path, by name.
fn names(path: &Path) -> impl DoubleEndedIterator<Item = String> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        _ => None,
    };
    path.components().filter_map(name)
}

/// Runs git and returns its standard output.
fn git(world: &HostWorld, dir: &Path, args: &[&str]) -> Result<Vec<u8>, Diagnostic> {
    let argv = ["git", "-C"].map(str::to_owned).into_iter();
    let argv = argv.chain([dir.display().to_string()]).chain(args.iter().map(|a| (*a).to_owned()));
    let request = ProcessRequest {
        argv: argv.collect(),
        cwd: None,
        env: Vec::new(),
        stdin: Vec::new(),
        timeout: None,
    };
    let output = world.run(&request).map_err(|e| codes::io("cannot run git", &e))?;
    if output.status == Some(0) {
        return Ok(output.stdout);
    }
    let error_text = String::from_utf8_lossy(&output.stderr);
    let error_text = error_text.trim_end().trim_start_matches("fatal: ");
    Err(Diagnostic::error(codes::FILE, format!("git {}: {error_text}", args[0])))
}

fn text(bytes: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(bytes).map_err(|e| codes::io("cannot read the output of git", &e))
}

/// The entries that `git ls-tree -l -z` prints: `MODE TYPE OBJECT SIZE<tab>PATH`.
fn entries(list: &[u8]) -> Result<BTreeMap<PathBuf, Entry>, Diagnostic> {
    let mut out = BTreeMap::new();
    for line in text(list)?.split('\0').filter(|line| !line.is_empty()) {
        let unknown = || codes::io("cannot read the output of git", &line.to_owned());
        let (facts, path) = line.split_once('\t').ok_or_else(unknown)?;
        let facts: Vec<&str> = facts.split_whitespace().collect();
        let [mode, kind, id, size] = facts[..] else { return Err(unknown()) };
        let blob = || {
            let size = size.parse().map_err(|_| unknown())?;
            Ok::<_, Diagnostic>(Blob { id: id.to_owned(), size })
        };
        let entry = match (kind, mode) {
            ("blob", "120000") => Entry::Link(blob()?),
            ("blob", _) => Entry::File(blob()?),
            _ => Entry::Directory,
        };
        out.insert(PathBuf::from(path), entry);
    }
    Ok(out)
}

impl FileLayer for Commit {
    fn kind(&self, path: &Path) -> Option<Option<EntryKind>> {
        let kind = match self.entry(path)? {
            Ok((_, Entry::Directory)) => Some(EntryKind::Directory),
            Ok((_, Entry::File(_))) => Some(EntryKind::File),
            Ok((_, Entry::Link(_))) | Err(_) => None,
        };
        Some(kind)
    }

    fn read(&self, path: &Path) -> Option<io::Result<Vec<u8>>> {
        let read = self.entry(path)?.and_then(|(_, entry)| match entry {
            Entry::File(blob) => self.contents(blob),
            Entry::Directory => Err(io::ErrorKind::IsADirectory.into()),
            Entry::Link(_) => Err(io::ErrorKind::NotFound.into()),
        });
        Some(read)
    }

    fn list(&self, path: &Path) -> Option<LayerListing> {
        let dir = match self.entry(path)? {
            Ok((dir, Entry::Directory)) => dir,
            Ok(_) => return Some(LayerListing::Whole(Err(io::ErrorKind::NotADirectory.into()))),
            Err(error) => return Some(LayerListing::Whole(Err(error))),
        };
        let after = self.entries.range::<Path, _>((
            std::ops::Bound::Excluded(dir.as_path()),
            std::ops::Bound::Unbounded,
        ));
        let inside = after.map(|(path, _)| path).take_while(|path| path.starts_with(&dir));
        let names: BTreeSet<&str> = inside
            .filter(|path| path.parent() == Some(&dir))
            .filter_map(|path| path.file_name()?.to_str())
            .collect();
        let kind = |name: &str| match self.kind(&self.root.join(&dir).join(name)) {
            Some(Some(kind)) => kind,
            _ => EntryKind::Other,
        };
        Some(LayerListing::Whole(Ok(names
            .into_iter()
            .map(|name| (name.to_owned(), kind(name)))
            .collect())))
    }

    fn read_link(&self, path: &Path) -> Option<io::Result<PathBuf>> {
        let inside = path.strip_prefix(&self.root).ok()?;
        let dir = inside.parent().unwrap_or(Path::new(""));
        let link = self.follow(dir).map(|dir| match inside.file_name() {
            Some(name) => dir.join(name),
            None => dir,
        });
        Some(link.and_then(|link| match self.entries.get(&link) {
            Some(Entry::Link(blob)) => {
                let target = self.contents(blob)?;
                Ok(PathBuf::from(String::from_utf8_lossy(&target).into_owned()))
            }
            Some(_) => Err(io::ErrorKind::InvalidInput.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }))
    }

    fn resolve(&self, path: &Path) -> Option<Option<PathBuf>> {
        let found = self.entry(path)?;
        Some(found.ok().map(|(inside, _)| self.root.join(inside)))
    }
}
