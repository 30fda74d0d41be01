//! The attributes that restore the current file at a path.

use std::path::Path;

use ordain_data::Value;
use rustix::fs::FileType;

use super::model::{Ensure, FileInstance};
use super::selinux_context::PROPERTIES;
use crate::kind::KindError;
use crate::kind::ReversalAttributes;
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;
use crate::system::path::{is, resolve};
use crate::system::selinux_label;

/// A file that is larger is not noted.
const MAX_BYTES: i64 = 64 << 20;

/// The attributes of the current file, or its absence.
pub(super) fn of(file: &FileInstance, host: &Host) -> Result<ReversalAttributes, KindError> {
    let refused =
        |what: &str| KindError::new(format!("{} cannot be undone: {what}", file.path.display()));
    if file.ensure == Some(Ensure::Directory) {
        return Err(refused("it is a directory"));
    }
    if !file.sources.is_empty() || !file.fragments.is_empty() {
        return Err(refused("it is made from other files"));
    }
    let failed = |error: std::io::Error| file.error("look at", &error);
    let absent = || vec![("ensure", Value::str("absent")), ("backup", Value::Bool(false))];
    let place = match resolve(host, &file.path, false) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(absent()),
        place => place.map_err(failed)?,
    };
    let Some(stat) = place.stat().map_err(failed)? else { return Ok(absent()) };
    if !is(&stat, FileType::RegularFile) {
        return Err(refused("the path is not a file"));
    }
    if stat.st_size > MAX_BYTES {
        return Err(refused("it is larger than 64 MiB"));
    }
    let opened = place.open().map_err(failed)?;
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&opened));
    let bytes = read_bytes(Path::new(&path)).map_err(failed)?.unwrap_or_default();
    let content = match String::from_utf8(bytes) {
        Ok(text) => Value::str(text),
        Err(error) => Value::Bytes(error.into_bytes().into()),
    };
    let mut attributes = vec![
        ("ensure", Value::str("file")),
        ("content", content),
        ("owner", Value::str(stat.st_uid.to_string())),
        ("group", Value::str(stat.st_gid.to_string())),
        ("mode", Value::str(format!("{:04o}", stat.st_mode & 0o7777))),
        ("backup", Value::Bool(false)),
    ];
    if selinux_label::are_managed(host, &file.path) {
        let parts = PROPERTIES.into_iter().zip(file.context_at(&place)?.0);
        attributes.extend(parts.filter_map(|(name, part)| Some((name, Value::str(part?)))));
        attributes.push(("selinux_ignore_defaults", Value::Bool(true)));
    }
    Ok(attributes)
}
