//! The names of a file.

use ecow::EcoString;
use ordain_source::TextRange;

use crate::types::ItemKind;

/// A name in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// The name as written, without a sigil.
    pub(crate) name: EcoString,
    pub(crate) range: TextRange,
    /// The kind, if the name is defined here.
    pub(crate) defines: Option<ItemKind>,
    /// The definition in one line, or the type of an attribute.
    pub(crate) detail: EcoString,
    /// The thing that a name belongs to: an entity, or the path above a key.
    pub(crate) owner: EcoString,
    /// All of the definition.
    pub(crate) extent: TextRange,
}

impl Word {
    pub(crate) fn used(name: &str, range: TextRange) -> Self {
        let (detail, owner) = (EcoString::new(), EcoString::new());
        Self { name: name.into(), range, defines: None, detail, owner, extent: range }
    }

    pub(super) fn defined(name: &str, range: TextRange, kind: ItemKind) -> Self {
        Self { defines: Some(kind), ..Self::used(name, range) }
    }

    /// The last part of the name.
    pub(crate) fn last(&self) -> &str {
        self.name.rsplit("::").next().unwrap_or(&self.name)
    }
}

/// The names of a file.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    /// The imports: the path, and the name that the file uses for it.
    pub(crate) imports: Vec<(EcoString, EcoString)>,
    /// The namespace of a model: `libs/net/model/dns.cf` is `net::dns`.
    pub(crate) namespace: String,
}

impl Words {
    /// The name at an offset.
    pub(crate) fn at(&self, offset: u32) -> Option<&Word> {
        let at = self.words.partition_point(|word| word.range.end < offset);
        self.words.get(at).filter(|word| word.range.start <= offset)
    }

    /// The definitions.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| word.defines.is_some())
    }
}
