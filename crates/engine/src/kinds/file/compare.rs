//! Compares a path with its desired state.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use ordain_data::Value;
use ordain_functions::checksum::{Checksum, LITE};
use ordain_functions::time;
use ordain_graph::protected::TreeAction;
use rustix::fs::{FileType, Stat};

use super::checksum::same;
use super::fragments;
use super::model::{Content, Ensure, FileInstance, SourcePermissions};
use super::selinux_context::PROPERTIES;
use super::source::{self, FirstSource, SourceMetadata};
use super::web::WebFile;
use crate::kind::report::quoted;
use crate::kind::{Action, Change, KindError, Level, TextChange};
use crate::system::accounts;
use crate::system::host::Host;
use crate::system::path::{Place, is, resolve};
use crate::system::safety::{check_links, is_closed_by, planted_in};
use crate::system::selinux_label;

/// The maximum size of content that is shown as a line diff.
const MAX_TEXT: u64 = 256 << 10;

/// The desired state of the path, once the source is known.
pub(super) enum DesiredState {
    Nothing,
    Absent,
    /// Any type; a file if nothing exists.
    Present,
    File(ContentSource),
    Directory,
    Link(String),
}

/// The origin of a file's content.
pub(super) enum ContentSource {
    /// It is not managed.
    Unmanaged,
    Content(Content),
    Source(Box<SourceMetadata>),
    Web(Box<WebFile>),
}

impl FileInstance {
    /// The desired state, and the status of the source if its permissions count.
    pub(super) fn want(&self, host: &Host) -> Result<DesiredState, KindError> {
        if self.ensure == Some(Ensure::Absent) {
            return Ok(DesiredState::Absent);
        }
        if !self.sources.is_empty() {
            return match source::first(&self.sources, self.follow, host)? {
                FirstSource::Disk(found) => self.want_source(found),
                FirstSource::Web(_) if self.ensure == Some(Ensure::Directory) => {
                    Ok(DesiredState::Directory)
                }
                FirstSource::Web(found) => {
                    Ok(DesiredState::File(ContentSource::Web(Box::new(found))))
                }
            };
        }
        if !self.fragments.is_empty() {
            let bytes = Arc::from(fragments::read(&self.fragments, &self.declared_files, host)?);
            return Ok(DesiredState::File(ContentSource::Content(Content {
                bytes,
                secret: false,
            })));
        }
        Ok(match (&self.ensure, &self.content) {
            (Some(Ensure::Directory), _) => DesiredState::Directory,
            (Some(Ensure::Link), _) => DesiredState::Link(self.target.clone().unwrap_or_default()),
            (_, Some(content)) => DesiredState::File(ContentSource::Content(content.clone())),
            (Some(Ensure::File), None) => DesiredState::File(ContentSource::Unmanaged),
            (Some(Ensure::Present), None) => DesiredState::Present,
            (_, None) => DesiredState::Nothing,
        })
    }

    fn want_source(&self, found: SourceMetadata) -> Result<DesiredState, KindError> {
        let kind = found.meta.file_type();
        if self.ensure == Some(Ensure::Directory) {
            return Ok(DesiredState::Directory);
        }
        if kind.is_symlink() {
            let target = std::fs::read_link(&found.path).map_err(|e| {
                KindError::new(format!("Could not read source {}: {e}", found.text))
            })?;
            return Ok(DesiredState::Link(target.to_string_lossy().into_owned()));
        }
        if kind.is_dir() {
            return Ok(DesiredState::Directory);
        }
        if !kind.is_file() {
            let text = format!("source {} is not a file, which ensure requires", found.text);
            return Err(KindError::new(text));
        }
        Ok(DesiredState::File(ContentSource::Source(Box::new(found))))
    }
}

/// The name of a type, as `ensure` has it.
pub(super) fn type_name(stat: &Stat) -> &'static str {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => "file",
        FileType::Directory => "directory",
        FileType::Symlink => "link",
        FileType::Fifo => "fifo",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "characterSpecial",
        FileType::BlockDevice => "blockSpecial",
        _ => "unknown",
    }
}

/// The place of the path; nothing if a directory on the way is missing.
fn place(file: &FileInstance, host: &Host) -> Result<Option<Place>, KindError> {
    match resolve(host, &file.path, file.follow) {
        Ok(place) => Ok(Some(place)),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(e) => Err(file.error("look at", &e)),
    }
}

pub(super) fn compare(file: &FileInstance, host: &Host) -> Result<Vec<Change>, KindError> {
    if file.ensure == Some(Ensure::Absent) && (file.force || file.remove_empty) {
        host.may(TreeAction::Remove, &file.path).map_err(|e| file.error("remove", &e))?;
    }
    let want = file.want(host)?;
    let place = place(file, host)?;
    let stat = match &place {
        Some(place) => place.stat().map_err(|e| file.error("look at", &e))?,
        None => None,
    };
    let (Some(place), Some(stat)) = (place, stat) else {
        if file.must_exist {
            let text = format!("{} does not exist, and must not be created", file.path.display());
            return Err(KindError::new(text));
        }
        return Ok(creation(file, &want)?.into_iter().collect());
    };
    let there = type_name(&stat);
    let wanted = match &want {
        DesiredState::Nothing | DesiredState::Present => there,
        DesiredState::Absent => return removal(file, there, &place, host),
        DesiredState::File(_) => "file",
        DesiredState::Directory => "directory",
        DesiredState::Link(_) => "link",
    };
    if there != wanted {
        if !file.replace {
            return Ok(Vec::new());
        }
        host.may_at(TreeAction::Remove, &place).map_err(|e| file.error("replace", &e))?;
        return Ok(vec![replacement(file, &want, there, wanted)?]);
    }
    let mut changes = Vec::new();
    // A file with hard links elsewhere is neither shown nor changed.
    let linked = check_links(host, &place, &stat).map_err(|e| file.error("change", &e));
    match &want {
        DesiredState::File(wanted) if file.replace => {
            changes.extend(content(file, wanted, &place, &stat)?)
        }
        DesiredState::Link(target) => changes.extend(link(file, target, &place, host)?),
        _ => {}
    }
    changes.extend(permissions(file, &want, &stat, host));
    for (property, is, should) in file.context_changes(host, &place, &stat)? {
        let before = is.map_or(Value::Null, Value::str);
        let after = Value::str(should);
        let message = format!("{property} changed {} to {}", quoted(&before), quoted(&after));
        changes.push(change(Action::Modify, property, before, after, message));
    }
    if !changes.is_empty() {
        linked?;
        refuse_planted(file, host, &place, &stat, &want)?;
    }
    Ok(changes)
}

/// Refuses to close a directory to its current writers while it holds a link to a foreign file that
/// one of them may have created: later nobody could tell.
fn refuse_planted(
    file: &FileInstance,
    host: &Host,
    place: &Place,
    stat: &Stat,
    want: &DesiredState,
) -> Result<(), KindError> {
    if !is(stat, FileType::Directory) {
        return Ok(());
    }
    let wanted = file.permissions(want, host, false);
    let uid = wanted.owner.and_then(|name| accounts::user(host, &name)).map(|user| user.uid);
    let gid = wanted.group.and_then(|name| accounts::group(host, &name));
    let mode = stat.st_mode & 0o7777;
    let mode = wanted.mode.map_or(mode, |wanted| wanted.bits(mode, true));
    let after = (uid.unwrap_or(stat.st_uid), gid.unwrap_or(stat.st_gid), mode);
    if !is_closed_by(host, stat, after) {
        return Ok(());
    }
    match planted_in(host, place, stat).map_err(|e| file.error("look into", &e))? {
        None => Ok(()),
        Some(name) => Err(planted(file, &name)),
    }
}

/// The error for a directory that holds such a link.
pub(super) fn planted(file: &FileInstance, name: &OsStr) -> KindError {
    KindError::new(format!(
        "Could not change {}: {} in it is a hard link to a file of another user, which whoever can \
         write there may have made; --allow-hard-links permits it",
        file.path.display(),
        name.to_string_lossy()
    ))
}

/// The current state of all properties, managed or not.
pub(super) fn observed(
    file: &FileInstance,
    host: &Host,
) -> Result<Vec<(&'static str, Value)>, KindError> {
    const NAMES: [&str; 9] =
        ["ensure", "content", "target", "owner", "group", "mode", "type", "ctime", "mtime"];
    let failed = |e: io::Error| file.error("look at", &e);
    let found = match place(file, host)? {
        Some(place) => place.stat().map_err(failed)?.map(|stat| (place, stat)),
        None => None,
    };
    let Some((place, stat)) = found else {
        return Ok(NAMES.map(|name| (name, Value::Null)).to_vec());
    };
    let kind = type_name(&stat);
    let time = |seconds: i64| {
        let text =
            time::format("%Y-%m-%d %H:%M:%S %z", i128::from(seconds) * 1_000_000_000, Some(0));
        Value::str(text.unwrap_or_else(|_| seconds.to_string()))
    };
    let mut out = vec![("ensure", Value::str(kind))];
    if is(&stat, FileType::RegularFile) {
        let digest = Value::str(place.open().and_then(|f| file.checksum.show(f)).map_err(failed)?);
        let is_secret = file.content.as_ref().is_some_and(|content| content.secret);
        out.push(("content", if is_secret { secret(digest) } else { digest }));
    }
    let target = match is(&stat, FileType::Symlink) {
        true => place.read_link().map_err(failed)?.to_string_lossy().into_owned(),
        false => "notlink".into(),
    };
    out.extend([
        ("target", Value::str(target)),
        ("owner", named(accounts::user_name(host, stat.st_uid))),
        ("group", named(accounts::group_name(host, stat.st_gid))),
        ("mode", Value::str(format!("{:04o}", stat.st_mode & 0o7777))),
        ("type", Value::str(kind)),
        ("ctime", time(stat.st_ctime)),
        ("mtime", time(stat.st_mtime)),
    ]);
    if selinux_label::are_managed(host, &file.path) {
        let parts = file.context_at(&place)?.0.into_iter();
        let parts = parts.map(|part| part.map_or(Value::Null, Value::str));
        out.extend(PROPERTIES.into_iter().zip(parts));
    }
    Ok(out)
}

fn change(action: Action, property: &str, before: Value, after: Value, message: String) -> Change {
    Change { action, property: property.into(), before, after, text: None, message }
}

fn removal(
    file: &FileInstance,
    there: &str,
    place: &Place,
    host: &Host,
) -> Result<Vec<Change>, KindError> {
    if there == "directory" && !file.force && !file.remove_empty {
        file.log(Level::Notice, "Not removing directory; use 'force' to override");
        return Ok(Vec::new());
    }
    host.may_at(TreeAction::Remove, place).map_err(|e| file.error("remove", &e))?;
    let (before, after) = (Value::str(there), Value::Null);
    Ok(vec![change(Action::Remove, "ensure", before, after, "removed".into())])
}

fn secret(value: Value) -> Value {
    Value::Secret(Arc::new(value))
}

fn creation(file: &FileInstance, want: &DesiredState) -> Result<Option<Change>, KindError> {
    let kind = match want {
        DesiredState::Nothing | DesiredState::Absent => return Ok(None),
        DesiredState::Present | DesiredState::File(_) => "file",
        DesiredState::Directory => "directory",
        DesiredState::Link(_) => "link",
    };
    let mut created =
        change(Action::Create, "ensure", Value::Null, Value::str(kind), "created".into());
    describe_content(file, want, &mut created)?;
    Ok(Some(created))
}

fn replacement(
    file: &FileInstance,
    want: &DesiredState,
    there: &str,
    wanted: &str,
) -> Result<Change, KindError> {
    let message = format!("ensure changed '{there}' to '{wanted}'");
    let (before, after) = (Value::str(there), Value::str(wanted));
    let mut change = change(Action::Modify, "ensure", before, after, message);
    describe_content(file, want, &mut change)?;
    Ok(change)
}

/// Reports the content of a new file.
fn describe_content(
    file: &FileInstance,
    want: &DesiredState,
    change: &mut Change,
) -> Result<(), KindError> {
    let DesiredState::File(wanted) = want else { return Ok(()) };
    if matches!(wanted, ContentSource::Unmanaged) {
        return Ok(());
    }
    if wanted.is_secret() {
        change.before = secret(std::mem::take(&mut change.before));
        change.after = secret(std::mem::take(&mut change.after));
        change.message = "changed [redacted] to [redacted]".into();
        return Ok(());
    }
    let digest = wanted.digest(file)?;
    change.message = format!("defined content as '{digest}'");
    if file.show_diff
        && let Some(after) = wanted.text()
    {
        change.text = Some(TextChange { before: String::new(), after });
    }
    Ok(())
}

impl ContentSource {
    fn is_secret(&self) -> bool {
        matches!(self, Self::Content(content) if content.secret)
    }

    fn reader(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Unmanaged => Box::new(io::empty()),
            Self::Content(content) => Box::new(&content.bytes[..]),
            Self::Source(found) => Box::new(File::open(&found.path)?),
            Self::Web(_) => return Err(io::ErrorKind::Unsupported.into()),
        })
    }

    fn size(&self) -> u64 {
        match self {
            Self::Unmanaged => 0,
            Self::Content(content) => content.bytes.len() as u64,
            Self::Source(found) => found.meta.len(),
            // It is not fetched to be shown.
            Self::Web(_) => u64::MAX,
        }
    }

    fn digest(&self, file: &FileInstance) -> Result<String, KindError> {
        match (&file.checksum_value, self) {
            (Some(value), Self::Source(_) | Self::Web(_)) => {
                return Ok(format!("{{{}}}{value}", file.checksum.name()));
            }
            (None, Self::Web(found)) => return Ok(found.shown(file.checksum)),
            _ => {}
        }
        let shown = self.reader().and_then(|r| file.checksum.show(r));
        shown.map_err(|e| file.error("read the source of", &e))
    }

    /// The content as text, if it is short text.
    fn text(&self) -> Option<String> {
        if self.size() > MAX_TEXT {
            return None;
        }
        let mut bytes = Vec::new();
        self.reader().ok()?.take(MAX_TEXT + 1).read_to_end(&mut bytes).ok()?;
        String::from_utf8(bytes).ok()
    }
}

fn content(
    file: &FileInstance,
    wanted: &ContentSource,
    place: &Place,
    stat: &Stat,
) -> Result<Option<Change>, KindError> {
    if matches!(wanted, ContentSource::Unmanaged) || in_sync(file, wanted, place, stat)? {
        return Ok(None);
    }
    let read = |e: io::Error| file.error("read", &e);
    let current = place.open().and_then(|f| match wanted {
        ContentSource::Web(found) if file.checksum_value.is_none() => {
            found.shown_here(file.checksum, stat.st_mtime, f)
        }
        _ => file.checksum.show(f),
    });
    let current = current.map_err(read)?;
    let desired = wanted.digest(file)?;
    if wanted.is_secret() {
        let (before, after) = (secret(Value::str(current)), secret(Value::str(desired)));
        let message = "changed [redacted] to [redacted]".to_string();
        return Ok(Some(change(Action::Modify, "content", before, after, message)));
    }
    let message = format!("content changed '{current}' to '{desired}'");
    let (before, after) = (Value::str(current), Value::str(desired));
    let mut change = change(Action::Modify, "content", before, after, message);
    if file.show_diff
        && stat.st_size as u64 <= MAX_TEXT
        && let Some(after) = wanted.text()
    {
        let mut bytes = Vec::new();
        place.open().and_then(|f| f.take(MAX_TEXT).read_to_end(&mut bytes)).map_err(read)?;
        change.text = String::from_utf8(bytes).ok().map(|before| TextChange { before, after });
    }
    Ok(Some(change))
}

fn in_sync(
    file: &FileInstance,
    wanted: &ContentSource,
    place: &Place,
    stat: &Stat,
) -> Result<bool, KindError> {
    let read = |e: io::Error| file.error("read", &e);
    let time = |seconds: i64, nanos: i64| (seconds, nanos);
    if let ContentSource::Web(found) = wanted {
        return in_sync_with_server(file, found, place, stat).map_err(read);
    }
    let source = if let ContentSource::Source(found) = wanted { Some(&found.meta) } else { None };
    match (file.checksum, source) {
        (Checksum::None, _) => Ok(true),
        (Checksum::Mtime, Some(meta)) => {
            Ok(time(stat.st_mtime, stat.st_mtime_nsec as i64)
                >= time(meta.mtime(), meta.mtime_nsec()))
        }
        (Checksum::Ctime, Some(meta)) => {
            Ok(time(stat.st_ctime, stat.st_ctime_nsec as i64)
                >= time(meta.ctime(), meta.ctime_nsec()))
        }
        (Checksum::Digest(algorithm, lite), Some(_)) if file.checksum_value.is_some() => {
            let limit = if lite { LITE } else { u64::MAX };
            let hex = place.open().and_then(|f| algorithm.hex(f.take(limit))).map_err(read)?;
            Ok(file.checksum_value.as_deref() == Some(&hex))
        }
        (Checksum::Digest(_, true), _) => {
            let (a, b) = (place.open().map_err(read)?, wanted.reader().map_err(read)?);
            same(a.take(LITE), b.take(LITE)).map_err(read)
        }
        _ if stat.st_size as u64 != wanted.size() => Ok(false),
        _ => same(place.open().map_err(read)?, wanted.reader().map_err(read)?).map_err(read),
    }
}

fn in_sync_with_server(
    file: &FileInstance,
    found: &WebFile,
    place: &Place,
    stat: &Stat,
) -> io::Result<bool> {
    let (checksum, wanted) = match (&file.checksum_value, found.digest(file.checksum)) {
        _ if file.checksum == Checksum::None => return Ok(true),
        (Some(value), _) => (file.checksum, value.as_str()),
        (None, Some(digest)) => digest,
        (None, None) => return Ok(!found.is_newer_than(stat.st_mtime)),
    };
    let (algorithm, limit) = checksum.algorithm();
    Ok(algorithm.hex(place.open()?.take(limit))? == wanted)
}

fn link(
    file: &FileInstance,
    target: &str,
    place: &Place,
    host: &Host,
) -> Result<Option<Change>, KindError> {
    let current = place.read_link().map_err(|e| file.error("read the link", &e))?;
    let current = current.to_string_lossy();
    if current == target {
        return Ok(None);
    }
    host.may_at(TreeAction::Remove, place).map_err(|e| file.error("replace the link at", &e))?;
    let message = format!("target changed '{current}' to '{target}'");
    let (before, after) = (Value::str(&*current), Value::str(target));
    Ok(Some(change(Action::Modify, "target", before, after, message)))
}

/// The desired owner, group and mode, from the declaration or the source.
pub(super) struct Permissions {
    pub(super) owner: Option<String>,
    pub(super) group: Option<String>,
    pub(super) mode: Option<super::mode::Mode>,
}

impl FileInstance {
    pub(super) fn permissions(
        &self,
        want: &DesiredState,
        host: &Host,
        creating: bool,
    ) -> Permissions {
        let counts = match self.source_permissions {
            SourcePermissions::Ignore => false,
            SourcePermissions::Use => true,
            SourcePermissions::UseWhenCreating => creating,
        };
        let source = match want {
            DesiredState::File(ContentSource::Source(found)) if counts => Some(found.meta.clone()),
            DesiredState::Directory if counts => source::existing(&self.sources, self.follow, host)
                .into_iter()
                .next()
                .map(|f| f.meta),
            _ => None,
        };
        let from = source.as_ref();
        Permissions {
            owner: self.owner.clone().or_else(|| from.map(|m| m.uid().to_string())),
            group: self.group.clone().or_else(|| from.map(|m| m.gid().to_string())),
            mode: self
                .mode
                .clone()
                .or_else(|| from.map(|m| super::mode::Mode::Octal(m.mode() & 0o7777))),
        }
    }
}

/// The name of a user or group, or its number.
fn named(text: String) -> Value {
    text.parse().map_or_else(|_| Value::str(text), Value::Int)
}

fn permissions(file: &FileInstance, want: &DesiredState, stat: &Stat, host: &Host) -> Vec<Change> {
    let wanted = file.permissions(want, host, false);
    let mut changes = Vec::new();
    let mut differ = |property: &str, before: Value, after: Value, remark: String| {
        let (is, should) = (quoted(&before), quoted(&after));
        let message = format!("{property} changed {is} to {should}{remark}");
        changes.push(change(Action::Modify, property, before, after, message));
    };
    if let Some(owner) = &wanted.owner {
        let uid = accounts::user(host, owner).map(|u| u.uid);
        if uid != Some(stat.st_uid) {
            let name = |uid| named(accounts::user_name(host, uid));
            let after = uid.map_or_else(|| Value::str(owner.as_str()), name);
            differ("owner", name(stat.st_uid), after, String::new());
        }
    }
    if let Some(group) = &wanted.group {
        let gid = accounts::group(host, group);
        if gid != Some(stat.st_gid) {
            let name = |gid| named(accounts::group_name(host, gid));
            let after = gid.map_or_else(|| Value::str(group.as_str()), name);
            differ("group", name(stat.st_gid), after, String::new());
        }
    }
    if let Some(mode) = &wanted.mode
        && !is(stat, FileType::Symlink)
    {
        let current = stat.st_mode & 0o7777;
        let bits = mode.bits(current, is(stat, FileType::Directory));
        if bits != current {
            let text = |bits: u32| Value::str(format!("{bits:04o}"));
            differ("mode", text(current), text(bits), mode.remark());
        }
    }
    changes
}
