//! Contexts of SELinux: what `seluser`, `selrole`, `seltype` and `selrange` say of a file.
//!
//! A context is the extended attribute `security.selinux`, as `user:role:type:range`. Where SELinux is
//! off, or a file system has no contexts, the attributes are ignored. Upstream:
//! `lib/puppet/util/selinux.rb`.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat, XattrFlags, lgetxattr, lsetxattr};
use rustix::io::Errno;

use super::FileInstance;
use crate::host::Host;
use crate::kind::KindError;
use crate::kinds::tools::{command, moved_inside, not_begun};
use crate::kinds::walk::Place;
use crate::kinds::write::real_path;

/// The extended attribute that holds a context.
const ATTRIBUTE: &str = "security.selinux";

/// The properties, in the order of the parts of a context.
pub(super) const PROPERTIES: [&str; 4] = ["seluser", "selrole", "seltype", "selrange"];

/// File systems that are known to have contexts.
const LABELLED: [&str; 10] =
    ["ext2", "ext3", "ext4", "gfs", "gfs2", "xfs", "jfs", "btrfs", "tmpfs", "zfs"];

/// The longest context that is read.
const LONGEST: usize = 4096;

/// The program that knows the contexts of the policy.
const MATCHPATHCON: &str = "matchpathcon";

/// The parts of a context; those that are not known or not managed are `None`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Parts(pub(super) [Option<String>; 4]);

impl Parts {
    /// The parts of a context; nothing of one that is not set.
    fn parse(context: &str) -> Result<Self, KindError> {
        if context.is_empty() || context == "unlabeled" {
            return Ok(Self::default());
        }
        let parts: Vec<&str> = context.splitn(4, ':').collect();
        let is_word = |part: &&&str| !part.is_empty() && !part.contains(char::is_whitespace);
        let range = parts.get(3);
        let of_range = |c: char| c.is_ascii_alphanumeric() || " \t:,._-".contains(c);
        let is_range = range.is_none_or(|range| !range.is_empty() && range.chars().all(of_range));
        if parts.iter().take(3).filter(is_word).count() < 3 || !is_range {
            return Err(KindError::new(format!("Invalid context to parse: {context}")));
        }
        let part = |at: usize| parts.get(at).map(|part| (*part).to_owned());
        Ok(Self([part(0), part(1), part(2), part(3)]))
    }

    /// These parts, and those of another where there are none.
    fn or(&self, other: &Self) -> Self {
        let part = |at: usize| self.0[at].clone().or_else(|| other.0[at].clone());
        Self([part(0), part(1), part(2), part(3)])
    }

    /// The whole context, if all parts that every context has are known.
    fn whole(&self) -> Option<String> {
        let [Some(user), Some(role), Some(kind), range] = &self.0 else { return None };
        let range = range.as_ref().map(|range| format!(":{range}")).unwrap_or_default();
        Some(format!("{user}:{role}:{kind}{range}"))
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

/// What is declared of a context.
#[derive(Clone, Default, Debug)]
pub(super) struct Declared {
    /// The parts that are.
    pub(super) parts: Parts,
    /// Whether the others are left as they are, and not those of the policy.
    pub(super) ignore_defaults: bool,
}

/// Whether SELinux is on.
fn is_enabled(host: &Host) -> bool {
    host.path("/sys/fs/selinux/enforce".as_ref()).exists()
        && host.path("/etc/selinux/config".as_ref()).exists()
}

/// Whether contexts are managed at a path: SELinux is on, and the file system has them.
pub(crate) fn are_managed(host: &Host, path: &Path) -> bool {
    is_enabled(host) && has_contexts(&host.path(path))
}

/// Whether the file system of a real path is one of those that have contexts.
fn has_contexts(path: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    file_system(&mounts, path).is_some_and(|kind| LABELLED.contains(&kind))
}

/// The type of the file system that a path is in: of several mounts at one place the last counts.
fn file_system<'m>(mounts: &'m str, path: &Path) -> Option<&'m str> {
    let mut found: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let mut words = line.split(' ').skip(1);
        let (Some(place), Some(kind)) = (words.next(), words.next()) else { continue };
        let place = unescaped(place);
        let depth = place.components().count();
        let is_nearer = found.is_none_or(|(known, _)| depth >= known);
        if kind != "rootfs" && path.starts_with(&place) && is_nearer {
            found = Some((depth, kind));
        }
    }
    found.map(|(_, kind)| kind)
}

/// A path as the kernel lists it, where blanks are octal numbers.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let digits = more.get(..3).filter(|_| *first == b'\\');
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let number = number.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        rest = if number.is_some() { &more[3..] } else { more };
        bytes.push(number.unwrap_or(*first));
    }
    OsString::from_vec(bytes).into()
}

/// The context of what stands at a place, links not followed; empty if it has none.
pub(crate) fn read(place: &Place) -> io::Result<String> {
    let mut buffer = vec![0; LONGEST];
    match lgetxattr(real_path(place), ATTRIBUTE, &mut buffer) {
        Ok(length) => {
            buffer.truncate(length);
            let text = String::from_utf8_lossy(&buffer);
            Ok(text.trim_end_matches('\0').to_owned())
        }
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOENT) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

/// Sets the context of what stands at a place.
pub(crate) fn write(place: &Place, context: &str) -> io::Result<()> {
    let value = [context.as_bytes(), b"\0"].concat();
    Ok(lsetxattr(real_path(place), ATTRIBUTE, &value, XattrFlags::empty())?)
}

/// The context that the policy has for a path, empty if it has none; nothing if there is no program
/// to ask.
fn of_policy(host: &Host, path: &Path, kind: &str) -> Result<Option<String>, KindError> {
    let failed =
        |why: String| KindError::new(format!("Execution of '{MATCHPATHCON}' failed: {why}"));
    let places = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    let programs = places.map(|dir| Path::new(dir).join(MATCHPATHCON));
    let Some(program) = programs.into_iter().find(|path| host.stat(path).is_ok()) else {
        return Ok(None);
    };
    let mut invocation = command([program.as_os_str(), "-n".as_ref()]);
    if !kind.is_empty() {
        invocation.argv.extend(["-m".into(), kind.into()]);
    }
    invocation.argv.push(path.as_os_str().to_owned());
    let invocation = moved_inside(host, invocation).map_err(|e| failed(e.to_string()))?;
    let outcome = host.run(&invocation).map_err(|e| failed(e.to_string()))?;
    if let Some(why) = not_begun(host, &outcome) {
        return Err(failed(why));
    }
    // A path that the policy says nothing of is no error.
    let said = outcome.stdout_text();
    let context = if outcome.success() { said.trim() } else { "" };
    Ok(Some(if context == "<<none>>" { String::new() } else { context.to_owned() }))
}

/// What `matchpathcon` calls a type of file.
fn kind_of(mode: u32) -> &'static str {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => "file",
        FileType::Directory => "dir",
        FileType::Symlink => "lnk_file",
        FileType::Fifo => "pipe",
        FileType::Socket => "sock_file",
        FileType::CharacterDevice => "chr_file",
        FileType::BlockDevice => "blk_file",
        _ => "",
    }
}

/// A range with the names of its levels replaced by what stands for them.
fn range_of_label(host: &Host, label: &str) -> String {
    let read = |path: &str| std::fs::read_to_string(host.path(path.as_ref())).unwrap_or_default();
    let config = read("/etc/selinux/config");
    let policy = config.lines().find_map(|line| line.trim().strip_prefix("SELINUXTYPE="));
    let policy = policy.map_or("targeted", str::trim);
    if policy.contains('/') {
        return label.to_owned();
    }
    let table = read(&format!("/etc/selinux/{policy}/setrans.conf"));
    let lines = table.lines().map(|line| line.split_whitespace().collect::<String>());
    let mut pairs = lines.filter(|line| !line.starts_with('#'));
    pairs
        .find_map(|line| {
            let (range, name) = line.split_once('=')?;
            (name == label).then(|| range.to_owned())
        })
        .unwrap_or_else(|| label.to_owned())
}

/// A part of a context that differs: its attribute, what it is and what it shall be.
type PartChange = (&'static str, Option<String>, String);

impl FileInstance {
    /// The parts that the context of this file shall have: what is declared, else what the policy has
    /// for the path. `mode` says of what type the file is or shall be.
    pub(super) fn wanted_context(&self, host: &Host, mode: u32) -> Result<Parts, KindError> {
        let Declared { parts, ignore_defaults } = &self.context;
        let mut wanted = parts.clone();
        if !ignore_defaults && parts.0.iter().any(Option::is_none) {
            // Without the program there are no defaults, which `remarks` says.
            let default = of_policy(host, &self.path, kind_of(mode))?.unwrap_or_default();
            wanted = wanted.or(&Parts::parse(&default)?);
        }
        wanted.0[3] = wanted.0[3].take().map(|range| range_of_label(host, &range));
        Ok(wanted)
    }

    /// The parts of a context that differ, with what is and what shall be.
    pub(super) fn context_changes(
        &self,
        host: &Host,
        place: &Place,
        stat: &Stat,
    ) -> Result<Vec<PartChange>, KindError> {
        if !are_managed(host, &self.path) {
            return Ok(Vec::new());
        }
        let mut now = self.context_at(place)?;
        now.0[3] = now.0[3].take().map(|range| range_of_label(host, &range));
        let wanted = self.wanted_context(host, stat.st_mode)?;
        let parts = PROPERTIES.into_iter().zip(now.0.into_iter().zip(wanted.0));
        let differing = parts.filter_map(|(name, (is, should))| {
            let should = should.filter(|should| is.as_ref() != Some(should))?;
            Some((name, is, should))
        });
        Ok(differing.collect())
    }

    /// The parts of the context of what stands at a place.
    pub(super) fn context_at(&self, place: &Place) -> Result<Parts, KindError> {
        Parts::parse(&read(place).map_err(|e| self.error("read the context of", &e))?)
    }

    /// Sets the parts of a context that are managed. The others are those of `before`, or those that
    /// the system gave to what is new.
    pub(super) fn set_context(
        &self,
        host: &Host,
        place: &Place,
        mode: u32,
        before: Option<&Parts>,
    ) -> Result<(), KindError> {
        if !are_managed(host, &self.path) {
            return Ok(());
        }
        let now = self.context_at(place)?;
        let wanted = self.wanted_context(host, mode)?;
        let wanted = before.map_or_else(|| wanted.clone(), |before| wanted.or(before));
        if wanted.is_empty() {
            return Ok(());
        }
        let Some(context) = wanted.or(&now).whole() else {
            let path = self.path.display();
            let text = format!(
                "Could not set a part of the context of {path}: it has no context yet, so user, \
                 role and type are needed"
            );
            return Err(KindError::new(text));
        };
        if now.whole().as_ref() == Some(&context) {
            return Ok(());
        }
        write(place, &context).map_err(|e| self.error("set the context of", &e))
    }

    /// Why defaults of the policy are not known, where they would count.
    pub(super) fn context_remark(&self, host: &Host) -> Option<String> {
        let counts = !self.context.parts.is_empty()
            && !self.context.ignore_defaults
            && self.context.parts.0.iter().take(3).any(Option::is_none);
        if !counts || !are_managed(host, &self.path) {
            return None;
        }
        let known = of_policy(host, &self.path, "").ok().flatten();
        known.is_none().then(|| {
            format!(
                "{MATCHPATHCON} is missing: the parts of the context that are not declared stay"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn contexts_have_three_or_four_parts() {
        let parts = Parts::parse("system_u:object_r:etc_t:s0:c1,c2").unwrap();
        assert_eq!(parts.0[3].as_deref(), Some("s0:c1,c2"));
        assert_eq!(parts.whole().unwrap(), "system_u:object_r:etc_t:s0:c1,c2");
        let parts = Parts::parse("system_u:object_r:etc_t").unwrap();
        assert_eq!(parts.whole().unwrap(), "system_u:object_r:etc_t");
        assert!(Parts::parse("unlabeled").unwrap().is_empty());
        for wrong in ["a:b", "a::c", "a:b:c:", "a b:c:d", "a:b:c:s0=x"] {
            assert!(Parts::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_nearest_mount_says_the_file_system() {
        let mounts = "rootfs / rootfs rw 0 0\n/dev/a / ext4 rw 0 0\nproc /proc proc rw 0 0\n\
                      x /mnt/a\\040b vfat rw 0 0\nx /srv nfs rw 0 0\nx /srv xfs rw 0 0\n";
        let of = |path: &str| file_system(mounts, path.as_ref()).unwrap();
        assert_eq!(of("/etc/hosts"), "ext4");
        assert_eq!(of("/proc/1"), "proc");
        assert_eq!(of("/mnt/a b/c"), "vfat");
        assert_eq!(of("/mnt/a"), "ext4");
        assert_eq!(of("/srv/x"), "xfs");
    }
}
