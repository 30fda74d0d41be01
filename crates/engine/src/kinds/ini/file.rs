//! The file of a setting, and the form in which its values are shown.

use std::path::PathBuf;

use md5::{Digest as _, Md5};
use ordain_data::Value;
use ordain_functions::digest::hex;

use crate::kind::KindError;
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kinds::ini::document::{Document, Syntax};
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;
use crate::system::write::{Owner, editing, rewrite};

/// An ini file.
pub(super) struct IniFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// Its notation.
    pub(super) syntax: Syntax,
}

impl IniFile {
    fn failed(&self, verb: &str, error: &dyn std::fmt::Display) -> KindError {
        KindError::new(format!("Could not {verb} {}: {error}", self.path.display()))
    }

    /// The document; an empty one if there is no such file.
    pub(super) fn read(&self, host: &Host) -> Result<Document<'_>, KindError> {
        let path = host.path(&self.path);
        let text = match std::fs::metadata(&path) {
            Ok(meta) if meta.is_file() => read_bytes(&path).map_err(|e| self.failed("read", &e))?,
            // Anything else has no text, and cannot be written.
            _ => None,
        };
        Document::parse(&self.syntax, text.unwrap_or_default())
    }

    /// Changes the document.
    pub(super) fn edit(
        &self,
        host: &Host,
        change: impl FnOnce(&mut Document<'_>) -> Result<(), KindError>,
    ) -> Result<(), KindError> {
        let _editing = editing(&self.path);
        let mut document = self.read(host)?;
        change(&mut document)?;
        if std::fs::metadata(host.path(&self.path)).is_ok_and(|meta| !meta.is_file()) {
            return Err(self.failed("write", &"it is no file"));
        }
        let new = Owner { mode: 0o644, ids: None };
        rewrite(host, &self.path, &document.text(), new).map_err(|e| self.failed("write", &e))
    }
}

/// The text in the place of a value that is not shown.
const HIDDEN: &str = "[redacted sensitive information]";

/// How values are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueDisplay {
    /// As they are.
    Whole,
    /// As checksums.
    Md5,
    /// Not at all.
    Hidden,
}

impl ValueDisplay {
    /// The attribute `show_diff`.
    pub(super) fn of(p: &mut Params<'_>) -> Self {
        match p.choice("show_diff") {
            Some("md5") => Self::Md5,
            Some("false") => Self::Hidden,
            _ => Self::Whole,
        }
    }

    /// Adds the change of the property `value`. The line for the log never has the values: logs have
    /// more readers than plans.
    pub(super) fn differ(self, to: &mut Differences<'_>, before: Value, after: Value) {
        let (before, after) = (self.show(before), self.show(after));
        to.property_as("value", before, after, format!("value changed {HIDDEN} to {HIDDEN}"));
    }

    fn show(self, value: Value) -> Value {
        match self {
            Self::Whole => value,
            Self::Hidden => Value::str(HIDDEN),
            Self::Md5 => {
                let text = value.as_str().map_or_else(|| format!("{value:?}"), str::to_string);
                Value::str(format!("{{md5}}{}", hex(&Md5::digest(text))))
            }
        }
    }
}
