//! The table of mounts of the kernel.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The kernel's list of mounts.
const TABLE: &str = "/proc/self/mountinfo";

/// Mount points of ZFS file systems, each with its name.
pub(crate) fn zfs_mounts() -> Vec<(String, PathBuf)> {
    // Without a table no mounts are known.
    zfs_mounts_in(&std::fs::read(TABLE).unwrap_or_default())
}

fn zfs_mounts_in(table: &[u8]) -> Vec<(String, PathBuf)> {
    let mount = |line: &[u8]| {
        let fields: Vec<&[u8]> = line.split(|b| *b == b' ').collect();
        let place = PathBuf::from(unescaped(fields.get(4)?));
        // A single dash ends the fields of which there may be any number.
        let [_, kind, source, ..] = &fields[fields.iter().position(|field| *field == b"-")?..]
        else {
            return None;
        };
        let source = unescaped(source).to_string_lossy().into_owned();
        (*kind == b"zfs").then_some((source, place))
    };
    table.split(|b| *b == b'\n').filter_map(mount).collect()
}

/// The mount points at a real path and below it.
pub(crate) fn mounts_below(real: &Path) -> io::Result<Vec<PathBuf>> {
    let real = std::fs::canonicalize(real)?;
    let table = std::fs::read(TABLE)?;
    let places = table.split(|b| *b == b'\n').filter_map(|line| line.split(|b| *b == b' ').nth(4));
    let places = places.map(|place| PathBuf::from(unescaped(place)));
    Ok(places.filter(|place| place.starts_with(&real)).collect())
}

/// A field of the kernel's table, where blanks and backslashes are octal numbers.
fn unescaped(field: &[u8]) -> OsString {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| byte == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(escaped) => {
                out.push(escaped);
                rest = &after[3..];
            }
            None => {
                out.push(byte);
                rest = after;
            }
        }
    }
    OsString::from_vec(out)
}

/// The type of the file system of a path: of several mounts at one place the last wins.
pub(crate) fn file_system<'m>(mounts: &'m str, path: &Path) -> Option<&'m str> {
    let mut found: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let mut words = line.split(' ').skip(1);
        let (Some(place), Some(kind)) = (words.next(), words.next()) else { continue };
        let place = PathBuf::from(unescaped(place.as_bytes()));
        let depth = place.components().count();
        let is_nearer = found.is_none_or(|(known, _)| depth >= known);
        if kind != "rootfs" && path.starts_with(&place) && is_nearer {
            found = Some((depth, kind));
        }
    }
    found.map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fields_of_the_table_of_mounts_are_unescaped() {
        assert_eq!(unescaped(b"/a\\040b\\134c"), "/a b\\c");
        assert_eq!(unescaped(b"/plain\\x"), "/plain\\x");
    }

    #[test]
    fn mounts_of_zfs_are_found_among_others() {
        let table = b"22 1 0:20 / / rw,noatime shared:1 - zfs rpool/ROOT/debian rw\n\
            23 22 0:21 / /home rw - zfs rpool/home rw,xattr\n\
            24 22 8:1 / /boot rw shared:2 master:3 - ext4 /dev/sda1 rw\n";
        let want = [("rpool/ROOT/debian", "/"), ("rpool/home", "/home")];
        assert_eq!(zfs_mounts_in(table), want.map(|(name, place)| (name.into(), place.into())));
    }

    #[test]
    fn everything_is_mounted_below_the_root() {
        let mounts = mounts_below(Path::new("/"));
        assert!(mounts.is_ok_and(|mounts| mounts.contains(&PathBuf::from("/"))));
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
