//! Finds the files to check and checks them without a run, one by one and together.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_mcl::{Edition, Mcl};
use ordain_source::{Diagnostic, FileId, read_input};

use crate::{Error, codes, languages, puppet};

/// The maximum depth of directories; it ends a cycle of links.
const MAX_DEPTH: usize = 64;
/// The maximum length of a document that no language claims, in bytes.
const MAX_DOCUMENT: u64 = 1 << 20;

/// The stack size in bytes of a thread that checks files. Only the used part takes memory.
pub const STACK_SIZE: usize = 256 << 20;

/// A file with the languages that may claim it.
pub struct Candidate {
    /// The path as the user wrote it; `-` is standard input.
    pub path: PathBuf,
    /// The first language wins, unless the text does not look like it.
    claims: Vec<(&'static dyn Language, Claim)>,
}

/// A file that was checked.
pub struct CheckedFile {
    /// The path as the user wrote it.
    pub path: PathBuf,
    /// The absolute path.
    pub full: PathBuf,
    /// The language and text, if the file could be read.
    pub text: Option<(&'static dyn Language, FileId, Arc<str>)>,
    /// Its diagnostics, and its definitions for the check of all files.
    pub report: CheckReport,
}

/// Finds the files to check.
pub struct FileFinder {
    /// The language, if the user named one.
    pub language: Option<&'static dyn Language>,
    /// The directories to search, with all links resolved.
    pub roots: Vec<PathBuf>,
    /// The edition of mcl.
    pub edition: Edition,
    /// Whether YAML documents that no language claims are found, too: stubs of templates.
    pub has_documents: bool,
}

impl FileFinder {
    /// Adds the files at a path: the file, or those below the directory.
    ///
    /// # Errors
    /// When the path cannot be read, or no language claims the file.
    pub fn find(&self, path: &Path, out: &mut Vec<Candidate>) -> Result<(), Diagnostic> {
        if path == Path::new("-") {
            let claims = match self.language {
                Some(language) => vec![(language, Claim::ByName)],
                None => self.claims(path, Discovery::Named),
            };
            out.push(Candidate { path: path.to_path_buf(), claims });
            return Ok(());
        }
        let meta = std::fs::metadata(path).map_err(|e| codes::unreadable(path, &e))?;
        if meta.is_dir() {
            let met =
                if self.language.is_some() { Discovery::Chosen } else { Discovery::Elsewhere };
            return self.walk(path, met, 0, out);
        }
        match self.named(path) {
            Some(candidate) => out.push(candidate),
            None => {
                let text = format!("{} cannot be checked", path.display());
                let error = Diagnostic::error(codes::ARGUMENTS, text);
                return Err(error.help("manifests (.pp), templates (.epp), YAML and JSON can"));
            }
        }
        Ok(())
    }

    /// A file that the user named, or opened in an editor; `None` if no language claims it.
    pub fn named(&self, path: &Path) -> Option<Candidate> {
        let claims = self.claims(path, Discovery::Named);
        (!claims.is_empty()).then(|| Candidate { path: path.to_path_buf(), claims })
    }

    /// A file below a directory, if a search of that directory finds it.
    pub fn below(&self, dir: &Path, path: &Path) -> Option<Candidate> {
        let mut met = Discovery::Elsewhere;
        let mut parts = path.strip_prefix(dir).ok()?.components().peekable();
        while let Some(part) = parts.next() {
            let name = part.as_os_str().to_string_lossy();
            if is_left_out(&name) {
                return None;
            }
            if parts.peek().is_some() && is_data(&name) {
                met = Discovery::InData;
            }
        }
        let claims = self.claims(path, met);
        let is_found = !claims.is_empty() || self.is_document(path);
        is_found.then(|| Candidate { path: path.to_path_buf(), claims })
    }

    /// Whether a file that no language claims is found as a document.
    fn is_document(&self, path: &Path) -> bool {
        let is_yaml = path.extension().is_some_and(|end| end == "yml" || end == "yaml");
        let is_short = || std::fs::metadata(path).is_ok_and(|found| found.len() <= MAX_DOCUMENT);
        self.has_documents && is_yaml && is_short()
    }

    fn walk(
        &self,
        dir: &Path,
        met: Discovery,
        depth: usize,
        out: &mut Vec<Candidate>,
    ) -> Result<(), Diagnostic> {
        if depth > MAX_DEPTH {
            return Ok(());
        }
        let entries = std::fs::read_dir(dir).map_err(|e| codes::unreadable(dir, &e))?;
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if is_left_out(&name) {
                continue;
            }
            // Without a leading dot, paths are printed as the user wrote them.
            let path = if dir == Path::new(".") { PathBuf::from(&*name) } else { dir.join(&*name) };
            if path.is_dir() {
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && self.is_searched(&path)
                {
                    continue;
                }
                let met = match met {
                    Discovery::Elsewhere if is_data(&name) => Discovery::InData,
                    met => met,
                };
                self.walk(&path, met, depth + 1, out)?;
                continue;
            }
            // A link out of the repository may lead to something that only some machines have.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && !path.exists() {
                continue;
            }
            let claims = self.claims(&path, met);
            if !claims.is_empty() || self.is_document(&path) {
                out.push(Candidate { path, claims });
            }
        }
        Ok(())
    }

    /// Whether a link leads into a directory that is searched anyway.
    fn is_searched(&self, link: &Path) -> bool {
        let Ok(target) = link.canonicalize() else { return false };
        self.roots.iter().any(|root| target.starts_with(root) || root.starts_with(&target))
    }

    /// The languages that may claim a file. If a language was selected, files of other languages
    /// are its data, or ignored.
    fn claims(&self, path: &Path, met: Discovery) -> Vec<(&'static dyn Language, Claim)> {
        let selected = self.language.map(|language| language.name());
        let all = languages::ALL.iter().filter(|l| {
            met != Discovery::Chosen || selected.is_none_or(|selected| l.name() == selected)
        });
        let claims = all.filter_map(|l| Some((*l, l.claim(path, met)?)));
        let sure = |(language, claim): (&'static dyn Language, Claim)| {
            let is_selected = selected == Some(language.name());
            let is_upstream =
                self.edition == Edition::Upstream && language.name() == Mcl::WIDE.name();
            let language = if is_upstream { &Mcl::UPSTREAM } else { language };
            (language, if is_selected { Claim::ByName } else { claim })
        };
        claims.map(sure).collect()
    }
}

/// Whether a search leaves out a file or directory. Plans are programs of another tool in the
/// notation of manifests.
pub(crate) fn is_left_out(name: &str) -> bool {
    name.starts_with('.') || name == "plans"
}

/// Whether a directory is one for data.
fn is_data(name: &str) -> bool {
    name == "data" || name == "hieradata"
}

/// Reads a file and checks it.
pub fn check_file(candidate: &Candidate, checking: &CheckOptions<'_>) -> CheckedFile {
    let path = &candidate.path;
    let text = if path == Path::new("-") { read_stdin() } else { read(path) };
    match text {
        Ok(text) => check_text(candidate, text.into(), checking),
        Err(error) => CheckedFile { report: vec![error].into(), ..unread(path) },
    }
}

/// Checks a file with this text, such as that of an editor.
pub fn check_text(
    candidate: &Candidate,
    text: Arc<str>,
    checking: &CheckOptions<'_>,
) -> CheckedFile {
    let path = &candidate.path;
    let mut done = unread(path);
    let speaks = |(language, claim): &&(&dyn Language, Claim)| {
        *claim == Claim::ByName || language.speaks(&text)
    };
    let Some((language, _)) = candidate.claims.iter().find(speaks) else { return done };
    let is_stdin = path == Path::new("-");
    let shown = if is_stdin { Path::new("") } else { path };
    let file = checking.sources.add(shown, Arc::clone(&text));
    let source = SourceText { path, full: &done.full, file, text: Arc::clone(&text) };
    done.report = language.check(&source, checking);
    done.text = Some((*language, file, text));
    done
}

fn unread(path: &Path) -> CheckedFile {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    CheckedFile { path: path.to_path_buf(), full, text: None, report: CheckReport::default() }
}

/// The files of a language, as its check of all files takes them.
pub fn files_of<'a, F: Borrow<CheckedFile>>(
    language: &dyn Language,
    files: &'a [F],
) -> Vec<(SourceText<'a>, &'a CheckReport)> {
    let source = |done: &'a F| {
        let done: &CheckedFile = done.borrow();
        let (_, file, text) = done.text.as_ref().filter(|t| t.0.name() == language.name())?;
        let (path, full, text) = (&*done.path, &*done.full, Arc::clone(text));
        Some((SourceText { path, full, file: *file, text }, &done.report))
    };
    files.iter().filter_map(source).collect()
}

/// Runs the checks that need all files of a language.
pub fn check_together<F: Borrow<CheckedFile>>(
    files: &[F],
    checking: &CheckOptions<'_>,
) -> Vec<Diagnostic> {
    let of = |language: &&'static dyn Language| {
        language.check_together(&files_of(*language, files), checking)
    };
    languages::ALL.iter().flat_map(of).collect()
}

fn read_stdin() -> Result<String, Diagnostic> {
    puppet::read_stdin().map_err(|error| match error {
        Error::Message(diagnostic) => *diagnostic,
        Error::Reported => codes::io("cannot read standard input", &"it was closed"),
    })
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    let bytes = read_input(path).map_err(|e| codes::unreadable(path, &e))?;
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
        let text = format!("{}:{line} is not valid UTF-8", path.display());
        Diagnostic::error(codes::DOCUMENT, text)
    })
}
