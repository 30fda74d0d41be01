//! Names in mcl, Inmanta and YAML, from the tokens of a text. No tree is needed, so an unfinished file
//! has the same names as a finished one.

pub(crate) mod inmanta;
pub(crate) mod mcl;
pub(crate) mod scan;
mod word;
pub(crate) mod yaml;

use std::path::Path;

use crate::language::Language;

pub(crate) use word::{Word, Words};

/// The names of a text.
pub(crate) fn of(language: Option<Language>, path: &Path, text: &str) -> Words {
    match language {
        Some(Language::Mcl) => mcl::words(text),
        Some(Language::Inmanta) => {
            Words { namespace: inmanta::namespace(path), ..inmanta::words(text) }
        }
        Some(Language::Dynaml | Language::Data) => yaml::words(text),
        Some(Language::Puppet | Language::Erb) | None => Words::default(),
    }
}
