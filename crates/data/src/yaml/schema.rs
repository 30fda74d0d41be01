//! The meaning of scalars, which differs between programs that read YAML.

use ecow::EcoString;

use super::error::ScalarError;
use super::ruby::SYMBOL;
use super::{core, ruby};
use crate::value::Key;
use crate::{Map, Value};

/// The program whose rules apply to scalars, tags and merge keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Schema {
    /// Ruby's Psych as Puppet calls it: YAML 1.1 with Ruby's extensions. Symbols become text
    /// without the colon; dates, times and Ruby objects are refused.
    Psych,
    /// Like [`Self::Psych`], but a symbol becomes a map whose only key is
    /// [`SYMBOL`](super::SYMBOL), with the name as its value: data has no symbols.
    PsychSymbols,
    /// Like [`Self::Psych`], but dates and times are text, as Facter reads its files.
    PsychDates,
    /// The core schema of YAML 1.2. Merge keys work, as they do in most programs.
    Core,
}

impl Schema {
    /// The value of a plain scalar without a tag.
    ///
    /// # Errors
    /// When the schema refuses it; the message has the reason.
    pub(super) fn plain(self, text: &str) -> Result<Value, ScalarError> {
        match self {
            Self::Psych => ruby::value(text),
            Self::PsychSymbols => ruby::value_with_symbols(text),
            Self::PsychDates => ruby::value_with_dates(text),
            Self::Core => Ok(core::value(text)),
        }
    }

    pub(super) fn tagged(
        self,
        tag: &str,
        text: &EcoString,
        plain: bool,
    ) -> Result<Value, ScalarError> {
        match self {
            Self::PsychSymbols if ruby::is_symbol_tag(tag) => Ok(ruby::symbol_value(text)),
            Self::Psych | Self::PsychSymbols | Self::PsychDates => {
                ruby::tagged(tag, text, |text| self.plain(text))
            }
            Self::Core => core::tagged(tag, text, plain),
        }
    }

    /// Whether a map stands for a symbol.
    pub(super) fn is_symbol(self, map: &Map) -> bool {
        self == Self::PsychSymbols && map.len() == 1 && map.contains_key(&Key(SYMBOL))
    }

    /// Whether this follows Ruby's rules.
    pub(super) fn is_ruby(self) -> bool {
        matches!(self, Self::Psych | Self::PsychSymbols | Self::PsychDates)
    }

    /// Whether the schema accepts this tag on a list or map.
    pub(super) fn check_container_tag(self, tag: &str, is_map: bool) -> Result<(), ScalarError> {
        match self {
            Self::Psych | Self::PsychSymbols | Self::PsychDates => {
                ruby::check_container_tag(tag, is_map)
            }
            Self::Core => Ok(()),
        }
    }

    /// Whether a key with this text and tag merges its value into the map.
    pub(super) fn is_merge_key(self, text: &str, tag: Option<&str>, plain: bool) -> bool {
        text == "<<"
            && match self {
                Self::Psych | Self::PsychSymbols | Self::PsychDates => {
                    tag != Some("tag:yaml.org,2002:str")
                }
                Self::Core => plain && tag.is_none(),
            }
    }
}
