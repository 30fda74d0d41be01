//! Paths as addresses `file://…`.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;

/// The path of an address; `None` for other schemes, such as those of unsaved documents.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // A host name may come first.
    let encoded = &rest[rest.find('/')?..];
    let encoded = encoded.split(['?', '#']).next()?.as_bytes();
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while at < encoded.len() {
        let code = (encoded[at] == b'%').then(|| encoded.get(at + 1..at + 3)).flatten();
        let code =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(encoded[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    let path = PathBuf::from(std::ffi::OsString::from_vec(bytes));
    Some(ordain_source::layer::absolute(&path))
}

/// The address of an absolute path.
pub(super) fn of(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_addresses_and_back() {
        for text in ["/a/b c.pp", "/ä/%41#x?.pp", "/a:b"] {
            let uri = of(Path::new(text));
            assert_eq!(uri.and_then(|uri| path(&uri)).as_deref(), Some(Path::new(text)));
        }
        let of = |text: &str| Uri::from_str(text).ok().and_then(|uri| path(&uri));
        assert_eq!(of("file://host/a/../b").as_deref(), Some(Path::new("/b")));
        assert_eq!(of("untitled:Untitled-1"), None);
        assert_eq!(of("file:///a%zz").as_deref(), None, "no valid address");
    }
}
