//! The languages of files.

use std::path::Path;

use ordain_driver::check::CheckedFile;

/// The language of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// A manifest or EPP template.
    Puppet,
    /// An ERB template.
    Erb,
    /// Data or configuration of Hiera.
    Data,
    /// A program of mgmt.
    Mcl,
    /// A model of Inmanta.
    Inmanta,
    /// A YAML template.
    Dynaml,
}

impl Language {
    /// The language of a path, and of a text if several languages share its ending.
    pub(crate) fn of(path: &Path, checked: Option<&CheckedFile>) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "pp" | "epp" => Self::Puppet,
            "erb" => Self::Erb,
            "mcl" => Self::Mcl,
            "cf" => Self::Inmanta,
            "yaml" | "yml" | "eyaml" | "json" => {
                let language = checked.and_then(|checked| checked.text.as_ref());
                match language.is_some_and(|(language, ..)| language.name() == "dynaml") {
                    true => Self::Dynaml,
                    false => Self::Data,
                }
            }
            _ => return None,
        })
    }
}
