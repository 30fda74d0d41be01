//! Brings a path into the desired state.

use std::ffi::OsStr;
use std::io;

use ordain_functions::checksum::Checksum;
use ordain_graph::protected::TreeAction;
use rustix::fs::{FileType, Stat, renameat};

use super::compare::{ContentSource, DesiredState, planted, type_name};
use super::model::FileInstance;
use super::selinux_context::PROPERTIES;
use crate::kind::tools::{in_root, start_failure};
use crate::kind::{Change, KindError};
use crate::system::accounts;
use crate::system::host::Host;
use crate::system::path::{Place, is, own_ids, resolve};
use crate::system::runner::Invocation;
use crate::system::safety::{is_closed_by, planted_in};
use crate::system::selinux_label;
use crate::system::write;
use crate::system::write::{Data, Ids, WriteError};

/// The mode of a new file or directory without a declared mode.
const NEW_FILE: u32 = 0o644;
const NEW_DIRECTORY: u32 = 0o755;

pub(super) fn apply(file: &FileInstance, host: &Host, changes: &[Change]) -> Result<(), KindError> {
    if changes.is_empty() {
        return Ok(());
    }
    let want = file.want(host)?;
    if file.parents && matches!(want, DesiredState::Directory) {
        write::make_parents(host, &file.path, NEW_DIRECTORY & !umask())
            .map_err(|e| file.error("make directories around", &e))?;
    }
    let place = resolve(host, &file.path, file.follow).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            let parent = file.path.parent().unwrap_or(&file.path).display();
            let text = format!(
                "Could not write {}: directory {parent} does not exist",
                file.path.display()
            );
            KindError::new(text)
        }
        _ => file.error("write", &e),
    })?;
    let stat = place.stat().map_err(|e| file.error("look at", &e))?;
    let ids = ids(file, &want, host, stat.is_none())?;
    let is_removed =
        has_ensure(changes) && stat.as_ref().is_some_and(|s| is(s, FileType::Directory));
    let kept =
        if is_removed { host.keep_tree(&file.path) } else { host.keep(&file.path, file.follow) };
    kept.map_err(|e| file.error("back up", &e))?;
    let work = Replacement { file, host, place: &place, stat: stat.as_ref(), ids, want: &want };
    let has = |property: &str| changes.iter().any(|c| c.property == property);
    if has("ensure") {
        return work.ensure();
    }
    if has("content") {
        work.back_up()?;
        return work.write_file();
    }
    if has("target") {
        work.write_link()?;
    }
    work.set_permissions(has("mode"))?;
    match PROPERTIES.iter().any(|property| has(property)) {
        true => work.label(&place, FileType::Unknown),
        false => Ok(()),
    }
}

fn has_ensure(changes: &[Change]) -> bool {
    changes.iter().any(|change| change.property == "ensure")
}

/// The numbers of owner and group, where they are managed.
fn ids(
    file: &FileInstance,
    want: &DesiredState,
    host: &Host,
    creating: bool,
) -> Result<Ids, KindError> {
    let wanted = file.permissions(want, host, creating);
    let owner = wanted.owner.map(|name| {
        let user = accounts::user(host, &name).map(|u| u.uid);
        user.ok_or_else(|| KindError::new(format!("Could not find user {name}")))
    });
    let group = wanted.group.map(|name| {
        let gid = accounts::group(host, &name);
        gid.ok_or_else(|| KindError::new(format!("Could not find group {name}")))
    });
    Ok((owner.transpose()?, group.transpose()?))
}

struct Replacement<'a> {
    file: &'a FileInstance,
    host: &'a Host,
    place: &'a Place,
    stat: Option<&'a Stat>,
    ids: Ids,
    want: &'a DesiredState,
}

impl Replacement<'_> {
    fn back_up(&self) -> Result<(), KindError> {
        let kept = self.file.backup.keep(self.place, &self.file.path, self.host);
        kept.map_err(|e| self.file.error("back up", &e))
    }

    fn mode(&self, directory: bool) -> u32 {
        let new = if directory { NEW_DIRECTORY } else { NEW_FILE };
        let old = self
            .stat
            .filter(|s| is(s, FileType::Directory) == directory && !is(s, FileType::Symlink));
        let current = old.map_or(new & !umask(), |s| s.st_mode & 0o7777);
        let permissions = self.file.permissions(self.want, self.host, self.stat.is_none());
        permissions.mode.map_or(current, |mode| mode.bits(current, directory))
    }

    fn ensure(&self) -> Result<(), KindError> {
        if self.stat.is_some() {
            let allowed = self.host.may_at(TreeAction::Remove, self.place);
            allowed.map_err(|e| self.file.error("remove", &e))?;
        }
        if matches!(self.want, DesiredState::Absent) {
            if self.is_directory() && !self.file.force {
                if self.file.remove_empty {
                    return write::remove_directory(self.host, self.place)
                        .map_err(|e| self.file.error("remove", &e));
                }
                return Err(self.needs_force());
            }
            self.back_up()?;
            return write::remove(self.host, self.place).map_err(|e| self.file.error("remove", &e));
        }
        let Some(stat) = self.stat else { return self.create() };
        let to_directory = matches!(self.want, DesiredState::Directory);
        if !self.is_directory() && !to_directory {
            // A rename puts the new one in its place.
            self.back_up()?;
            return self.create();
        }
        if self.is_directory() && !self.file.force {
            return Err(self.needs_force());
        }
        self.swap(stat)
    }

    fn is_directory(&self) -> bool {
        self.stat.is_some_and(|s| is(s, FileType::Directory))
    }

    fn needs_force(&self) -> KindError {
        KindError::new("Not removing directory; use 'force' to override")
    }

    /// Moves the old one aside, creates the new one, and removes the old one; on failure moves it
    /// back.
    fn swap(&self, stat: &Stat) -> Result<(), KindError> {
        let doing = format!("replace the {} at", type_name(stat));
        let failed = |e: io::Error| self.file.error(&doing, &e);
        self.back_up()?;
        if self.place.stat().map_err(failed)?.is_none() {
            return self.create();
        }
        let aside = Place {
            dir: self.place.dir.try_clone().map_err(failed)?,
            name: write::temporary_name(&self.place.name),
        };
        let _in_use = write::lock(self.place);
        let (dir, name) = (&self.place.dir, &self.place.name);
        renameat(dir, name, dir, &aside.name).map_err(|e| failed(e.into()))?;
        if let Err(error) = self.create() {
            // The error that led here matters more.
            let _ = renameat(dir, &aside.name, dir, name);
            return Err(error);
        }
        write::remove(self.host, &aside).map_err(failed)
    }

    /// Sets the SELinux context of the file at a place; `kind` is the type of a new file. A file
    /// that replaces one of the same type keeps the unmanaged parts.
    fn label(&self, place: &Place, kind: FileType) -> Result<(), KindError> {
        if !selinux_label::are_managed(self.host, &self.file.path) {
            return Ok(());
        }
        let same = |stat: &&Stat| kind == FileType::Unknown || is(stat, kind);
        let before = self.stat.filter(same).filter(|_| place.name != self.place.name);
        let before = before.map(|_| self.file.context_at(self.place)).transpose()?;
        let mode = match (kind, self.stat) {
            (FileType::Unknown, Some(stat)) => stat.st_mode,
            _ => kind.as_raw_mode(),
        };
        self.file.set_context(self.host, place, mode, before.as_ref())
    }

    fn create(&self) -> Result<(), KindError> {
        match self.want {
            DesiredState::Directory => {
                write::make_directory(self.place, self.ids, self.mode(true))
                    .map_err(|e| self.file.error("make directory", &e))?;
                self.label(self.place, FileType::Directory)
            }
            DesiredState::Link(_) => self.write_link(),
            DesiredState::File(_) | DesiredState::Present => self.write_file(),
            DesiredState::Nothing | DesiredState::Absent => Ok(()),
        }
    }

    fn write_link(&self) -> Result<(), KindError> {
        let DesiredState::Link(target) = self.want else { return Ok(()) };
        write::replace_link(self.host, self.place, target.as_ref(), self.ids)
            .map_err(|e| self.file.error("link", &e))?;
        self.label(self.place, FileType::Symlink)
    }

    fn write_file(&self) -> Result<(), KindError> {
        let produce = |out: &mut dyn io::Write| match self.want {
            DesiredState::File(ContentSource::Web(found)) => {
                io::copy(&mut found.reader(self.host)?, out).map(|_| ())
            }
            _ => Ok(()),
        };
        let data = match self.want {
            DesiredState::File(ContentSource::Content(content)) => Data::Bytes(&content.bytes),
            DesiredState::File(ContentSource::Source(found)) => Data::File(&found.path),
            DesiredState::File(ContentSource::Web(_)) => Data::Made(&produce),
            _ => Data::Bytes(&[]),
        };
        // Unmanaged permissions stay as they were.
        let kept = self.stat.filter(|s| is(s, FileType::RegularFile));
        let ids = match kept {
            Some(s) => (Some(self.ids.0.unwrap_or(s.st_uid)), Some(self.ids.1.unwrap_or(s.st_gid))),
            None => self.ids,
        };
        let own = own_ids();
        let ids = if ids == (Some(own.0), Some(own.1)) { (None, None) } else { ids };
        let check = |name: &OsStr| self.check(name);
        write::replace_file(self.place, &data, ids, self.mode(false), &check).map_err(|e| match e {
            WriteError::Io(e) => self.file.error("write", &e),
            WriteError::Check(e) => e,
        })
    }

    /// Checks new content before it takes its place.
    fn check(&self, name: &OsStr) -> Result<(), KindError> {
        let staged = Place {
            dir: self.place.dir.try_clone().map_err(|e| self.file.error("check", &e))?,
            name: name.to_os_string(),
        };
        self.label(&staged, FileType::RegularFile)?;
        if let (Some(value), Checksum::Digest(algorithm, _)) =
            (&self.file.checksum_value, self.file.checksum)
        {
            let hex = staged.open().and_then(|f| algorithm.hex(f));
            let hex = hex.map_err(|e| self.file.error("check", &e))?;
            if hex != *value {
                let text = format!(
                    "File written to disk did not match checksum; discarding changes ({hex} vs {value})"
                );
                return Err(KindError::new(text));
            }
        }
        let Some(command) = &self.file.validate else { return Ok(()) };
        let path = self.host.path_of(&staged).map_err(|e| self.file.error("check", &e))?;
        let mut run = Invocation::new(["/bin/sh", "-c", command, "sh"]);
        run.launch.argv.push(path.into_os_string());
        run.merge_stderr = true;
        let shown = command.replace("\"$1\"", &self.file.path.to_string_lossy());
        let failed = |why: &str| KindError::new(format!("Execution of '{shown}' failed: {why}"));
        let run = in_root(self.host, run).map_err(|e| failed(&e.to_string()))?;
        let outcome = self.host.run(&run).map_err(|e| failed(&e.to_string()))?;
        if let Some(why) = start_failure(self.host, &outcome) {
            return Err(failed(&why));
        }
        if outcome.success() {
            return Ok(());
        }
        let output = if self.file.content.as_ref().is_some_and(|c| c.secret) {
            "[output redacted]".to_string()
        } else {
            outcome.stdout_text()
        };
        let (status, output) = (outcome.status, output.trim_end());
        Err(KindError::new(format!("Execution of '{shown}' returned {status}: {output}")))
    }

    fn set_permissions(&self, mode_changes: bool) -> Result<(), KindError> {
        let Some(stat) = self.stat else { return Ok(()) };
        let ids = (
            self.ids.0.filter(|uid| *uid != stat.st_uid),
            self.ids.1.filter(|gid| *gid != stat.st_gid),
        );
        write::set_owner(self.host, self.place, ids)
            .map_err(|e| self.file.error("change the owner of", &e))?;
        // A change of the owner clears the set-id bits, so the mode is set again.
        if !is(stat, FileType::Symlink) && (mode_changes || ids != (None, None)) {
            let mode = self.mode(is(stat, FileType::Directory));
            write::set_mode(self.host, self.place, mode)
                .map_err(|e| self.file.error("change the mode of", &e))?;
        }
        self.refuse_planted(stat)?;
        if mode_changes || ids != (None, None) {
            write::sync(self.place).map_err(|e| self.file.error("write", &e))?;
        }
        Ok(())
    }

    /// Restores the old permissions of a directory that was just closed to others, if one of them
    /// created a link to a foreign file in it: there was time for that between check and change.
    fn refuse_planted(&self, before: &Stat) -> Result<(), KindError> {
        let failed = |e: io::Error| self.file.error("look into", &e);
        if !is(before, FileType::Directory) {
            return Ok(());
        }
        let Some(now) = self.place.stat().map_err(failed)? else { return Ok(()) };
        let after = (now.st_uid, now.st_gid, now.st_mode & 0o7777);
        if !is_closed_by(self.host, before, after) {
            return Ok(());
        }
        let Some(name) = planted_in(self.host, self.place, before).map_err(failed)? else {
            return Ok(());
        };
        let ids = (Some(before.st_uid), Some(before.st_gid));
        write::set_owner(self.host, self.place, ids)
            .and_then(|()| write::set_mode(self.host, self.place, before.st_mode & 0o7777))
            .map_err(|e| self.file.error("give back", &e))?;
        Err(planted(self.file, &name))
    }
}

/// Removes temporary files that a killed run left beside the path.
pub(super) fn recover(file: &FileInstance, host: &Host) -> Result<(), KindError> {
    match resolve(host, &file.path, file.follow).and_then(|place| write::recover(host, &place)) {
        // Without the directory there are no leftovers.
        Err(e) if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(file.error("remove leftovers beside", &e))
        }
        _ => Ok(()),
    }
}

/// This process's umask, without changing it.
fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("Umask:"));
    line.and_then(|l| u32::from_str_radix(l.trim(), 8).ok()).unwrap_or(0o022)
}
