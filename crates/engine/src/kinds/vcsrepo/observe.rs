//! The state of a repository, found out without changing it.

use rustc_hash::FxHashMap;

use super::model::{Found, Remotes, Repository};
use crate::kind::KindError;
use crate::system::host::Host;

/// The branches and tags of the remote repository with their commits.
#[derive(Default)]
struct RemoteReferences {
    branches: FxHashMap<String, String>,
    tags: FxHashMap<String, String>,
}

impl Repository {
    /// The kind of repository that is there.
    pub(super) fn found(&self, host: &Host) -> Result<Found, KindError> {
        if self.is_working_copy(host)? {
            return Ok(Found::WorkingCopy);
        }
        Ok(match self.is_bare_repository(host)? {
            false => Found::Absent,
            true if self.is_mirror(host)? => Found::Mirror,
            true => Found::Bare,
        })
    }

    /// The address of the remote repository that is tracked.
    pub(super) fn default_url(&self) -> Option<&str> {
        match self.source.as_ref()? {
            Remotes::One(url) => Some(url),
            Remotes::Many(all) => all.get(&self.remote).map(String::as_str),
        }
    }

    /// Whether there is a working copy, of the declared repository if one is declared.
    pub(super) fn is_working_copy(&self, host: &Host) -> Result<bool, KindError> {
        if !host.path(&self.path.join(".git")).is_dir() {
            return Ok(false);
        }
        let Some(url) = self.default_url() else {
            return Ok(self.ask(host, &["status"])?.success());
        };
        let key = format!("remote.{}.url", self.remote);
        let now = self.ask(host, &["config", "--get", &key])?;
        Ok(now.success() && chomped(&now.stdout_text()) == url)
    }

    fn is_bare_repository(&self, host: &Host) -> Result<bool, KindError> {
        if !host.path(&self.path.join("config")).exists() || !host.path(&self.path).is_dir() {
            return Ok(false);
        }
        Ok(self.ask(host, &["config", "--list", "--file", "config"])?.success())
    }

    /// Whether a remote repository is mirrored.
    pub(super) fn is_mirror(&self, host: &Host) -> Result<bool, KindError> {
        Ok(self.ask(host, &["config", "--get-regexp", r"remote\..*\.mirror"])?.success())
    }

    /// The remote repositories as they are set.
    pub(super) fn current_source(&self, host: &Host) -> Result<Remotes, KindError> {
        let remotes = self.git(host, &["remote"])?;
        let url = |name: &str| {
            let key = format!("remote.{name}.url");
            self.git(host, &["config", "--get", &key]).map(|url| chomped(&url).to_string())
        };
        let names: Vec<&str> = remotes.lines().collect();
        if let [one] = names[..] {
            return url(one).map(Remotes::One);
        }
        let all = names.into_iter().map(|name| Ok((name.to_string(), url(name)?)));
        all.collect::<Result<_, KindError>>().map(Remotes::Many)
    }

    fn head(&self, host: &Host) -> Result<String, KindError> {
        Ok(self.git(host, &["rev-parse", "HEAD"])?.trim().to_string())
    }

    fn remote_references(&self, host: &Host) -> Result<RemoteReferences, KindError> {
        let words = ["ls-remote", "--heads", "--tags", &self.remote];
        let text = self.remote_git(host, &self.path, &words)?;
        let mut out = RemoteReferences::default();
        for line in text.lines() {
            let Some((commit, name)) = line.split_once('\t') else { continue };
            if let Some(branch) = name.strip_prefix("refs/heads/") {
                out.branches.insert(branch.into(), commit.into());
            } else if let Some(tag) = name.strip_prefix("refs/tags/") {
                // The commit of an annotated tag follows the tag.
                let tag = tag.strip_suffix("^{}").unwrap_or(tag);
                out.tags.insert(tag.into(), commit.into());
            }
        }
        Ok(out)
    }

    /// The names that `git branch` lists.
    pub(super) fn branches(&self, host: &Host) -> Result<Vec<String>, KindError> {
        let text = self.git(host, &["branch", "--no-color", "-a"])?;
        Ok(text.lines().map(|line| line.replace('*', " ").trim().to_string()).collect())
    }

    /// The branch that is checked out.
    pub(super) fn current_branch(&self, host: &Host) -> Result<Option<String>, KindError> {
        let outcome = self.ask(host, &["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        let name = outcome.stdout_text().trim().to_string();
        Ok(Some(name).filter(|name| outcome.success() && !name.is_empty()))
    }

    /// The revision that is checked out: the declared name if it is that one, else the commit.
    pub(super) fn current_revision(&self, host: &Host) -> Result<String, KindError> {
        let references = || match self.source {
            Some(_) => self.remote_references(host),
            None => Ok(RemoteReferences::default()),
        };
        if self.source.is_none()
            && !self.ask(host, &["rev-parse", "--verify", "--quiet", "HEAD"])?.success()
        {
            // No commit yet.
            return Ok(self.current_branch(host)?.unwrap_or_default());
        }
        let head = self.head(host)?;
        if self.revision.as_ref() == Some(&head) {
            return Ok(head);
        }
        self.named(host, head, &references()?)
    }

    /// The declared revision if a commit is that one, else the commit.
    fn named(
        &self,
        host: &Host,
        commit: String,
        references: &RemoteReferences,
    ) -> Result<String, KindError> {
        let Some(revision) = &self.revision else { return Ok(commit) };
        match self.canonical(host, revision, references)? {
            Some(canonical) if canonical == commit => Ok(revision.clone()),
            Some(_) => Ok(commit),
            // A commit that has to be fetched first.
            None if is_commit(revision) => Ok(commit),
            None => Err(unknown_revision(revision)),
        }
    }

    /// The commit of a tag, of a branch here, of a branch there, or of anything that git knows.
    fn canonical(
        &self,
        host: &Host,
        revision: &str,
        references: &RemoteReferences,
    ) -> Result<Option<String>, KindError> {
        let commit = |name: &str| -> Result<Option<String>, KindError> {
            let outcome = self.ask(host, &["rev-parse", "--verify", "--quiet", name])?;
            let text = outcome.stdout_text().trim().to_string();
            Ok(Some(text).filter(|text| outcome.success() && !text.is_empty()))
        };
        if let Some(found) = references.tags.get(revision) {
            return Ok(Some(found.clone()));
        }
        if let Some(found) = commit(&format!("refs/tags/{revision}^0"))? {
            return Ok(Some(found));
        }
        if let Some(found) = commit(&format!("refs/heads/{revision}"))? {
            return Ok(Some(found));
        }
        if let Some(found) = references.branches.get(revision) {
            return Ok(Some(found.clone()));
        }
        let remote = format!("refs/remotes/{}/{revision}", self.remote);
        if let Some(found) = commit(&remote)? {
            return Ok(Some(found));
        }
        commit(revision)
    }

    /// Whether the working copy agrees with the remote repository.
    pub(super) fn is_latest(&self, host: &Host) -> Result<bool, KindError> {
        if self.source.is_none() {
            return Ok(true);
        }
        let references = self.remote_references(host)?;
        let head = self.head(host)?;
        let Some(branch) = self.current_branch(host)? else {
            // A tag or a commit; `revision` says whether it is the right one.
            return Ok(true);
        };
        let latest = match references.branches.get(&branch) {
            Some(latest) => latest.clone(),
            None => self
                .git(host, &["rev-parse", &format!("{}/{branch}", self.remote)])?
                .trim()
                .to_string(),
        };
        let head = self.named(host, head, &references)?;
        Ok(head == self.named(host, latest, &references)?)
    }

    /// The paths of a sparse working copy.
    pub(super) fn current_includes(
        &self,
        host: &Host,
        found: Found,
    ) -> Result<Option<Vec<String>>, KindError> {
        if found != Found::WorkingCopy {
            return Ok(None);
        }
        let path = host.path(&self.path.join(".git/info/sparse-checkout"));
        if !path.is_file() {
            return Ok(None);
        }
        let text = crate::system::file_cache::read_text(&path)
            .map_err(|e| KindError::new(format!("Could not read {}: {e}", path.display())))?;
        Ok(text.map(|text| text.lines().map(str::to_string).collect()))
    }

    /// Whether hooks are turned off.
    pub(super) fn skips_hooks(&self, host: &Host) -> Result<bool, KindError> {
        let outcome = self.ask(host, &["config", "--local", "--get", "core.hooksPath"])?;
        Ok(outcome.success() && chomped(&outcome.stdout_text()) == "/dev/null")
    }
}

/// The error of a revision that is nowhere.
pub(super) fn unknown_revision(revision: &str) -> KindError {
    KindError::new(format!("{revision} is not a local or remote ref"))
}

fn is_commit(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn chomped(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}
