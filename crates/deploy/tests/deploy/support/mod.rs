//! Repositories and deploys for tests.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_deploy::{Report, Request, Settings, deploy};
use ordain_source::SourceMap;

/// Runs a program, which must succeed, and returns its output.
pub(crate) fn run(program: &str, args: &[&str], cwd: &Path) -> String {
    let mut command = Command::new(program);
    let identity = ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"];
    for name in identity {
        command.env(format!("GIT_{name}"), "test@example.org");
    }
    let output = command.args(args).current_dir(cwd).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {text}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Whether r10k is installed. Without it the tests pass, except in CI.
pub(crate) fn has_r10k() -> bool {
    let there = Command::new("r10k").arg("version").output().is_ok_and(|o| o.status.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "r10k is not installed");
        eprintln!("r10k is not installed; nothing is compared");
    }
    there
}

/// A repository with a work tree.
pub(crate) struct Repository(pub(crate) PathBuf);

impl Repository {
    pub(crate) fn new(path: PathBuf, branch: &str) -> Self {
        fs::create_dir_all(&path).unwrap();
        run("git", &["init", "-q", "-b", branch], &path);
        Self(path)
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        run("git", args, &self.0)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything and returns the commit.
    pub(crate) fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Commits a file to a branch. Creates a missing branch.
    pub(crate) fn on_branch(&self, branch: &str, path: &str, text: &str) -> String {
        let exists = self.git(&["branch", "--list", branch]);
        let args: &[&str] =
            if exists.is_empty() { &["checkout", "-q", "-b"] } else { &["checkout", "-q"] };
        self.git(&[args, &[branch]].concat());
        self.write(path, text);
        self.commit()
    }

    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.0.display())
    }
}

/// A temporary directory with a control repository and one module.
pub(crate) struct Site {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) control: Repository,
    pub(crate) module: Repository,
}

impl Site {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let control = Repository::new(dir.path().join("control"), "production");
        let module = Repository::new(dir.path().join("ntp"), "main");
        module.write("manifests/init.pp", "class ntp {}\n");
        module.write("spec/ntp_spec.rb", "# 1\n");
        module.commit();
        module.git(&["tag", "v1"]);
        control.write("manifests/site.pp", "include ntp\n");
        let site = Self { dir, control, module };
        site.puppetfile(&site.module_line("main"));
        site
    }

    pub(crate) fn module_line(&self, reference: &str) -> String {
        format!("mod 'ntp', :git => '{}', :ref => '{reference}'\n", self.module.url())
    }

    /// Commits a Puppetfile to production.
    pub(crate) fn puppetfile(&self, text: &str) -> String {
        self.control.on_branch("production", "Puppetfile", text)
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.dir.path().join("environments")
    }

    pub(crate) fn environment(&self) -> PathBuf {
        self.base().join("production")
    }

    pub(crate) fn settings(&self) -> Settings {
        let settings = Settings::for_remote(&self.control.url(), &self.base()).unwrap();
        settings.with_cache(&self.dir.path().join("cache")).unwrap()
    }

    /// Writes an `r10k.yaml` with additional lines after the source, and reads it.
    pub(crate) fn configured(&self, more: &str) -> Settings {
        let path = self.dir.path().join("r10k.yaml");
        let (cache, base) = (self.dir.path().join("cache"), self.base());
        let text = format!(
            "cachedir: {}\nsources:\n  main:\n    remote: {}\n    basedir: {}\n{more}",
            cache.display(),
            self.control.url(),
            base.display()
        );
        fs::write(&path, text).unwrap();
        Settings::read(&path, &SourceMap::new()).unwrap().0
    }

    pub(crate) fn deploy(&self) -> Report {
        deploy(&self.settings(), &Request::default(), &SourceMap::new()).unwrap()
    }
}

/// The results as lines `action name`.
pub(crate) fn actions(report: &Report) -> Vec<String> {
    let environments = report.environments.iter();
    environments.map(|e| format!("{} {}", e.action.name(), e.name)).collect()
}

/// The messages, one per line.
pub(crate) fn messages(report: &Report) -> String {
    let lines: Vec<_> = report.diagnostics.iter().map(|d| d.message.clone()).collect();
    lines.join("\n")
}

/// All files, links and directories below a directory: type, permissions that git stores, and
/// content. Skips entries with the names in `without`.
pub(crate) fn tree(root: &Path, without: &[&str]) -> BTreeMap<PathBuf, String> {
    let mut out = BTreeMap::new();
    let mut queue = vec![PathBuf::new()];
    while let Some(at) = queue.pop() {
        for entry in fs::read_dir(root.join(&at)).unwrap() {
            let entry = entry.unwrap();
            if without.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            let path = at.join(entry.file_name());
            let metadata = entry.metadata().unwrap();
            let text = if metadata.is_dir() {
                queue.push(path.clone());
                "directory".to_owned()
            } else if metadata.is_symlink() {
                format!("link {}", fs::read_link(entry.path()).unwrap().display())
            } else {
                let executable = metadata.permissions().mode() & 0o100 != 0;
                let content = fs::read(entry.path()).unwrap();
                format!("file {executable} {}", String::from_utf8_lossy(&content))
            };
            out.insert(path, text);
        }
    }
    out
}
