//! Certnames.

use std::fmt;

use crate::CaError;

/// Leaves room for `.pem` and the suffix of a temporary file in a name of 255 bytes.
const MAX_LEN: usize = 240;

/// The name of a node: the common name of its certificate.
///
/// A certname has only the characters `a-z`, `0-9`, `.`, `_` and `-`. It starts with a letter, a
/// digit or `_`, and has no empty part between dots and no part that ends with `-`. So a certname
/// is always a single file name and never a pattern, and two names are equal if their bytes are.
/// The rules are those of puppetserver (`validate-subject!`), except that puppetserver also accepts
/// a trailing dot and the name `ca`.
///
/// # Examples
/// ```
/// use ordain_ca::Certname;
/// assert_eq!(Certname::new("web.example.org")?.as_str(), "web.example.org");
/// assert!(Certname::new("*.example.org").is_err());
/// assert!(Certname::new("../web").is_err());
/// # Ok::<(), ordain_ca::CaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Certname(Box<str>);

impl Certname {
    /// Checks a name.
    ///
    /// # Errors
    /// [`CaError::InvalidName`] with the rule that the name breaks.
    pub fn new(name: &str) -> Result<Self, CaError> {
        match broken_rule(name) {
            None => Ok(Self(name.into())),
            Some(reason) => {
                Err(CaError::InvalidName { name: name.chars().take(80).collect(), reason })
            }
        }
    }

    /// Checks the name in a certificate; upper-case letters count as lower-case ones.
    ///
    /// # Errors
    /// [`CaError::InvalidName`] with the rule that the name breaks.
    pub fn normalized(name: &str) -> Result<Self, CaError> {
        Self::new(&name.to_ascii_lowercase())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Certname {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Certname {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

fn broken_rule(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > MAX_LEN {
        return Some("it is longer than 240 bytes");
    }
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        return Some("certificate names must be lower case");
    }
    if name.contains('*') {
        return Some("it contains a wildcard");
    }
    let allowed = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    if !name.bytes().all(allowed) {
        return Some("only a-z, 0-9, '.', '_' and '-' are allowed");
    }
    if name.split('.').any(str::is_empty) {
        return Some("it has an empty part");
    }
    if name.starts_with('-') {
        return Some("it starts with '-'");
    }
    if name.split('.').any(|part| part.ends_with('-')) {
        return Some("a part of it ends with '-'");
    }
    // `GET certificate/ca` returns the certificates of the authority.
    (name == "ca").then_some("it is reserved for the authority")
}
