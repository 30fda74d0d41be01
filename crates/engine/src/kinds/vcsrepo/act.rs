//! Makes, changes and removes repositories.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::renameat;

use super::model::{Ensure, Found, Remotes, Repository};
use super::observe::unknown_revision;
use crate::kind::KindError;
use crate::system::accounts;
use crate::system::host::Host;
use crate::system::path::{own_ids, real_path, resolve};
use crate::system::write::{Owner, make_directory, remove, rewrite, set_owner, temporary_name};

impl Repository {
    fn failed(&self, verb: &str, error: &io::Error) -> KindError {
        KindError::new(format!("Could not {verb} {}: {error}", self.path.display()))
    }

    /// Makes the repository the one that `ensure` says.
    pub(super) fn apply_ensure(&self, host: &Host) -> Result<(), KindError> {
        let found = self.found(host)?;
        let ensure = self.ensure.unwrap_or(Ensure::Present);
        if ensure != Ensure::Absent {
            self.add_safe_directory(host)?;
        }
        match (ensure, found) {
            (Ensure::Absent, Found::Absent) => Ok(()),
            (Ensure::Absent, _) => self.destroy(host),
            (Ensure::Latest, _) => self.update(host, found),
            (_, Found::Absent) => self.create(host),
            (Ensure::Present, Found::Bare | Found::Mirror) => self.make_working_copy(host),
            (Ensure::Present, Found::WorkingCopy) => Ok(()),
            (Ensure::Bare | Ensure::Mirror, Found::WorkingCopy) => self.make_bare(host),
            (Ensure::Bare, Found::Mirror) => self.set_mirror(host, false),
            (Ensure::Mirror, Found::Bare) => self.set_mirror(host, true),
            (Ensure::Bare | Ensure::Mirror, _) => Ok(()),
        }
    }

    fn update(&self, host: &Host, found: Found) -> Result<(), KindError> {
        if found == Found::Absent || self.force {
            self.notice(Some("ensure"), "Creating repository from latest".into());
            return self.create(host);
        }
        if found != Found::WorkingCopy {
            self.make_working_copy(host)?;
        }
        self.update_references(host)?;
        let reference = match (&self.revision, self.current_branch(host)?) {
            (Some(revision), _) => revision.clone(),
            (None, Some(branch)) => branch,
            (None, None) => self.current_revision(host)?,
        };
        self.notice(Some("ensure"), format!("Updating to latest '{reference}' revision"));
        self.set_revision(host, &reference)
    }

    /// Removes the repository with all files in it.
    fn destroy(&self, host: &Host) -> Result<(), KindError> {
        self.remove_safe_directory(host)?;
        self.remove_tree(host)
    }

    fn remove_tree(&self, host: &Host) -> Result<(), KindError> {
        let kept = host.keep_tree(&self.path).and_then(|()| resolve(host, &self.path, false));
        kept.and_then(|place| remove(host, &place)).map_err(|e| self.failed("remove", &e))
    }

    fn create(&self, host: &Host) -> Result<(), KindError> {
        let real = host.path(&self.path);
        if real.is_dir() && !is_empty(&real) {
            let path = self.path.display();
            if !self.force {
                let text = format!("Path {path} exists and is not the desired repository.");
                return Err(KindError::new(text));
            }
            self.notice(None, format!("Removing {path} to replace with desired repository."));
            self.destroy(host)?;
        }
        if let Some(revision) = self.revision.as_ref().filter(|_| self.is_bare()) {
            let text = format!("Cannot set a revision ({revision}) on a bare repository");
            return Err(KindError::new(text));
        }
        host.keep(&self.path, false).map_err(|e| self.failed("write", &e))?;
        match &self.source {
            Some(source) => self.clone_source(host, source)?,
            None => self.init(host)?,
        }
        self.set_owner_and_excludes(host)
    }

    fn clone_source(&self, host: &Host, source: &Remotes) -> Result<(), KindError> {
        let depth = self.depth.map(|depth| depth.to_string());
        let path = self.path.to_string_lossy();
        let mut words = vec!["clone"];
        if let Some(depth) = &depth {
            words.extend(["--depth", depth]);
            if let (Some(revision), None) = (&self.revision, &self.branch) {
                words.extend(["--branch", revision]);
            }
        }
        if let Some(branch) = &self.branch {
            words.extend(["--branch", branch]);
        }
        match self.ensure {
            Some(Ensure::Bare) => words.push("--bare"),
            Some(Ensure::Mirror) => words.push("--mirror"),
            _ => {}
        }
        if self.remote != "origin" {
            words.extend(["--origin", &self.remote]);
        }
        words.extend(["--", self.default_url().unwrap_or_default(), &path]);
        self.remote_git(host, Path::new("/"), &words)?;
        self.update_remotes(host, source)?;
        if self.ensure == Some(Ensure::Mirror) && matches!(source, Remotes::Many(_)) {
            self.set_mirror(host, true)?;
        }
        self.set_skip_hooks(host)?;
        if self.includes.is_some() {
            self.set_includes(host)?;
        }
        if self.revision.is_some() {
            self.checkout(host, self.revision.as_deref())?;
        }
        self.update_submodules(host)
    }

    fn init(&self, host: &Host) -> Result<(), KindError> {
        if self.ensure == Some(Ensure::Mirror) {
            let text = "Cannot init repository with mirror option, try bare instead";
            return Err(KindError::new(text));
        }
        let owner = self.user.as_deref().map(|user| {
            let found = accounts::user(host, user).map(|user| user.uid);
            found.ok_or_else(|| KindError::new(format!("Could not find user {user}")))
        });
        let owner = owner.transpose()?.filter(|uid| *uid != own_ids().0);
        let place = resolve(host, &self.path, true).map_err(|e| self.failed("write", &e))?;
        if place.stat().map_err(|e| self.failed("read", &e))?.is_none() {
            let mode = 0o777 & !self.umask.unwrap_or(0o022);
            let made = make_directory(&place, (owner, None), mode);
            made.map_err(|e| self.failed("write", &e))?;
        }
        let words: &[&str] =
            if self.ensure == Some(Ensure::Bare) { &["init", "--bare"] } else { &["init"] };
        self.git(host, words)?;
        self.set_skip_hooks(host)
    }

    /// Fetches the branches and tags of the remote repository.
    pub(super) fn update_references(&self, host: &Host) -> Result<(), KindError> {
        if self.source.is_none() {
            return Ok(());
        }
        self.remote_git(host, &self.path, &["fetch", &self.remote])?;
        self.remote_git(host, &self.path, &["fetch", "--tags", "--force", &self.remote])?;
        self.set_owner_and_excludes(host)
    }

    fn has_branch(&self, host: &Host, name: &str) -> Result<bool, KindError> {
        Ok(self.branches(host)?.iter().any(|branch| branch == name))
    }

    /// Checks out a fetched revision, and resets a branch to the remote one.
    pub(super) fn set_revision(&self, host: &Host, revision: &str) -> Result<(), KindError> {
        let name = format!("{revision}^{{commit}}");
        let known = self.ask(host, &["rev-parse", "--verify", "--quiet", &name])?.success();
        let remote = format!("{}/{revision}", self.remote);
        if !known && !self.has_branch(host, &format!("remotes/{remote}"))? && self.source.is_some()
        {
            return Err(unknown_revision(revision));
        }
        self.checkout(host, Some(revision))?;
        if self.has_branch(host, revision)? {
            let target = if self.source.is_some() { remote.as_str() } else { revision };
            self.git(host, &["reset", "--hard", target])?;
        }
        self.update_submodules(host)?;
        self.set_owner_and_excludes(host)
    }

    /// Checks out a revision that the repository already has.
    pub(super) fn checkout(&self, host: &Host, revision: Option<&str>) -> Result<(), KindError> {
        let stashed = self.keep_local_changes && self.has_local_changes(host)?;
        if stashed {
            self.git(host, &["stash", "save"])?;
        }
        let remote = revision.map(|revision| format!("{}/{revision}", self.remote));
        match (revision, &remote) {
            (Some(revision), Some(remote))
                if !self.has_branch(host, revision)?
                    && self.has_branch(host, &format!("remotes/{remote}"))? =>
            {
                self.git(host, &["checkout", "--force", "-b", revision, "--track", remote])?;
            }
            (Some(revision), _) => drop(self.git(host, &["checkout", "--force", revision])?),
            (None, _) => drop(self.git(host, &["checkout", "--force"])?),
        }
        if stashed {
            self.git(host, &["stash", "pop"])?;
        }
        Ok(())
    }

    fn has_local_changes(&self, host: &Host) -> Result<bool, KindError> {
        let words = ["status", "--porcelain", "--untracked-files=no"];
        Ok(!self.git(host, &words)?.is_empty())
    }

    fn update_submodules(&self, host: &Host) -> Result<(), KindError> {
        if !self.is_bare() && self.submodules {
            self.git(host, &["submodule", "update", "--init", "--recursive"])?;
        }
        Ok(())
    }

    /// Sets the remote repositories.
    pub(super) fn apply_source(&self, host: &Host, source: &Remotes) -> Result<(), KindError> {
        let now = self.current_source(host)?;
        if let Remotes::Many(all) = &now {
            let stays = |name: &String| match source {
                Remotes::Many(wanted) => wanted.contains_key(name),
                Remotes::One(_) => *name == self.remote,
            };
            for name in all.keys().filter(|name| !stays(name)) {
                self.git(host, &["remote", "remove", name])?;
            }
        }
        match (&now, source) {
            (Remotes::One(_), Remotes::One(_)) => self.create(host),
            _ => self.update_remotes(host, source),
        }
    }

    fn update_remotes(&self, host: &Host, source: &Remotes) -> Result<(), KindError> {
        let mut all: Vec<(&str, &str)> = match source {
            Remotes::One(url) => vec![(&self.remote, url)],
            Remotes::Many(all) => all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect(),
        };
        all.sort_unstable();
        let mut changed = false;
        for (name, url) in all {
            let key = format!("remote.{name}.url");
            let now = self.ask(host, &["config", "--get", &key])?;
            let words = match now.success() {
                true if now.stdout_text().trim_end_matches('\n') == url => continue,
                true => ["remote", "set-url", name, url],
                false => ["remote", "add", name, url],
            };
            self.git(host, &words)?;
            changed = true;
        }
        if changed {
            self.remote_git(host, &self.path, &["remote", "update"])?;
        }
        Ok(())
    }

    /// Mirrors the remote repositories, or no longer.
    fn set_mirror(&self, host: &Host, mirror: bool) -> Result<(), KindError> {
        let names: Vec<&String> = match &self.source {
            Some(Remotes::Many(all)) => all.keys().collect(),
            _ => vec![&self.remote],
        };
        for name in names {
            let key = format!("remote.{name}.mirror");
            match mirror {
                true => drop(self.git(host, &["config", &key, "true"])?),
                // It need not be set.
                false => drop(self.ask(host, &["config", "--unset", &key])?),
            }
        }
        Ok(())
    }

    pub(super) fn set_skip_hooks(&self, host: &Host) -> Result<(), KindError> {
        match self.skip_hooks {
            Some(true) => {
                self.git(host, &["config", "--local", "core.hooksPath", "/dev/null"]).map(drop)
            }
            // It need not be set.
            Some(false) => {
                self.ask(host, &["config", "--local", "--unset", "core.hooksPath"]).map(drop)
            }
            None => Ok(()),
        }
    }

    /// Checks out only some paths.
    pub(super) fn set_includes(&self, host: &Host) -> Result<(), KindError> {
        let includes = self.includes.iter().flatten().map(String::as_str);
        let words = ["sparse-checkout", "set", "--no-cone"];
        self.git(host, &words.into_iter().chain(includes).collect::<Vec<_>>()).map(drop)
    }

    fn rename(&self, host: &Host, from: &Path, to: &Path) -> Result<(), KindError> {
        let places = resolve(host, from, false).and_then(|a| Ok((a, resolve(host, to, false)?)));
        let renamed = places.and_then(|(a, b)| Ok(renameat(&a.dir, &a.name, &b.dir, &b.name)?));
        renamed.map_err(|e| self.failed("move", &e))
    }

    /// A free path beside the repository.
    fn aside(&self) -> PathBuf {
        self.path.with_file_name(temporary_name(self.path.file_name().unwrap_or_default()))
    }

    /// Makes the working copy a bare repository.
    fn make_bare(&self, host: &Host) -> Result<(), KindError> {
        let aside = self.aside();
        host.keep_tree(&self.path).map_err(|e| self.failed("read", &e))?;
        self.notice(None, "Converting working copy repository to bare repository".into());
        self.rename(host, &self.path.join(".git"), &aside)?;
        let place = resolve(host, &self.path, false);
        let removed = place.and_then(|place| remove(host, &place));
        if let Err(error) = removed {
            // The repository itself goes back.
            self.rename(host, &aside, &self.path.join(".git"))?;
            return Err(self.failed("remove", &error));
        }
        self.rename(host, &aside, &self.path)?;
        self.git(host, &["config", "--local", "--bool", "core.bare", "true"])?;
        match (self.ensure, &self.source) {
            (Some(Ensure::Mirror), None) => {
                Err(KindError::new("Cannot have empty repository that is also a mirror."))
            }
            (Some(Ensure::Mirror), Some(_)) => self.set_mirror(host, true),
            _ => Ok(()),
        }
    }

    /// Makes the bare repository a working copy.
    fn make_working_copy(&self, host: &Host) -> Result<(), KindError> {
        let was_mirror = self.is_mirror(host)?;
        let aside = self.aside();
        host.keep_tree(&self.path).map_err(|e| self.failed("read", &e))?;
        self.notice(None, "Converting bare repository to working copy repository".into());
        self.rename(host, &self.path, &aside)?;
        let place = resolve(host, &self.path, false);
        let made = place.and_then(|place| make_directory(&place, (None, None), 0o755));
        if let Err(error) = made {
            self.rename(host, &aside, &self.path)?;
            return Err(self.failed("write", &error));
        }
        self.rename(host, &aside, &self.path.join(".git"))?;
        let commits = self.ask(host, &["rev-list", "--all", "--count"])?;
        if commits.success() && commits.stdout_text().trim() != "0" {
            self.git(host, &["config", "--local", "--bool", "core.bare", "false"])?;
            self.git(host, &["reset", "--hard", "HEAD"])?;
            self.git(host, &["checkout", "--force"])?;
            self.set_owner_and_excludes(host)?;
        }
        if was_mirror { self.set_mirror(host, false) } else { Ok(()) }
    }

    fn set_owner_and_excludes(&self, host: &Host) -> Result<(), KindError> {
        if self.owner.is_some() || self.group.is_some() {
            self.set_ownership(host)?;
        }
        if self.excludes.is_empty() {
            return Ok(());
        }
        let directory = if self.is_bare() { "info" } else { ".git/info" };
        let mut text = self.excludes.join("\n");
        text.push('\n');
        let path = self.path.join(directory).join("exclude");
        rewrite(host, &path, text.as_bytes(), Owner { mode: 0o644, ids: None })
            .map_err(|e| self.failed("write the excludes of", &e))
    }

    /// Gives all files to the owner and group, but those that are excluded.
    fn set_ownership(&self, host: &Host) -> Result<(), KindError> {
        let owner = self.owner.as_deref().map(|name| {
            let found = accounts::user(host, name).map(|user| user.uid);
            found.ok_or_else(|| KindError::new(format!("Could not find user {name}")))
        });
        let group = self.group.as_deref().map(|name| {
            let found = accounts::group(host, name);
            found.ok_or_else(|| KindError::new(format!("Could not find group {name}")))
        });
        let ids = (owner.transpose()?, group.transpose()?);
        let mut todo = vec![self.path.clone()];
        while let Some(path) = todo.pop() {
            let below = path.strip_prefix(&self.path).unwrap_or(&path).to_string_lossy();
            if self.excludes.iter().any(|exclude| below.starts_with(exclude.as_str())) {
                continue;
            }
            let owned = resolve(host, &path, false).and_then(|place| {
                set_owner(host, &place, ids)?;
                Ok(place)
            });
            let place = owned.map_err(|e| self.failed("set the owner of", &e))?;
            let real = real_path(&place);
            if std::fs::symlink_metadata(&real).is_ok_and(|meta| meta.is_dir()) {
                let entries = std::fs::read_dir(&real).map_err(|e| self.failed("list", &e))?;
                todo.extend(entries.flatten().map(|entry| path.join(entry.file_name())));
            }
        }
        Ok(())
    }

    /// The directories that git works in although others own them.
    fn safe_directories(&self, host: &Host) -> Result<Vec<String>, KindError> {
        let words = ["config", "--system", "--get-all", "safe.directory"];
        let outcome = self.ask_in(host, Path::new("/"), &words)?;
        Ok(outcome.stdout_text().lines().map(str::to_string).collect())
    }

    /// Lets this user work in a repository of another one.
    fn add_safe_directory(&self, host: &Host) -> Result<(), KindError> {
        let path = self.path.to_string_lossy();
        if self.owner.is_none() || self.owner == self.user {
            return Ok(());
        }
        if self.safe_directories(host)?.iter().any(|safe| *safe == path) {
            return Ok(());
        }
        self.notice(None, format!("Adding '{path}' to safe directory list"));
        self.change_safe_directories(
            host,
            &["config", "--system", "--add", "safe.directory", &path],
        )
    }

    fn remove_safe_directory(&self, host: &Host) -> Result<(), KindError> {
        let path = self.path.to_string_lossy();
        if !self.safe_directories(host)?.iter().any(|safe| *safe == path) {
            return Ok(());
        }
        self.notice(None, format!("Removing '{path}' from safe directory list"));
        let pattern = format!("^{}$", regex::escape(&path));
        let words = ["config", "--system", "--unset", "safe.directory", &pattern];
        self.change_safe_directories(host, &words)
    }

    fn change_safe_directories(&self, host: &Host, words: &[&str]) -> Result<(), KindError> {
        let settings = Path::new("/etc/gitconfig");
        let unwritten = |e| KindError::new(format!("Could not write {}: {e}", settings.display()));
        host.keep(settings, true).map_err(unwritten)?;
        let outcome = self.ask_in(host, Path::new("/"), words)?;
        match outcome.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&outcome.stderr).trim().to_string();
                Err(KindError::new(format!("Could not change {}: {said}", settings.display())))
            }
        }
    }
}

/// Whether a directory has nothing in it.
fn is_empty(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
