//! The results of the check of a single file that the check of all files uses.

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::hocon::Context;
use ordain_data::yaml::{Error, Schema, Tree};
use ordain_graph::language::CheckReport;
use ordain_source::TextRange;
use rustc_hash::FxHashMap;

use ordain_puppet::syntax::Program;

/// A file as it was read.
pub(crate) enum Unit {
    /// A manifest or template.
    Program(ProgramUnit),
    /// Data.
    Data(Arc<DataFile>),
    /// A configuration. The check reads it again, with the files that it refers to.
    Config,
    /// Data that cannot be read; the check of the file reported it.
    Broken,
}

/// A manifest or template.
#[derive(Clone)]
pub(crate) struct ProgramUnit {
    /// Its tree.
    pub(crate) program: Arc<Program>,
    /// Whether the file itself has no errors.
    pub(crate) sound: bool,
}

/// The entries of a data file that is a map.
#[derive(Default)]
pub(crate) struct DataFile {
    /// The entries with text keys.
    pub(crate) entries: Vec<DataEntry>,
    /// Duplicate keys of maps: the key, and both places.
    pub(crate) twice: Vec<(EcoString, TextRange, TextRange)>,
}

/// An entry of a data file.
pub(crate) struct DataEntry {
    /// Its key.
    pub(crate) key: EcoString,
    /// The place of the key.
    pub(crate) at: TextRange,
    /// The place of the value.
    pub(crate) value_at: TextRange,
    /// Its value.
    pub(crate) value: ordain_data::Value,
    /// The keys of its value with their places, if the value is a map.
    pub(crate) below: Vec<(EcoString, TextRange)>,
}

impl Unit {
    /// The unit that a check kept of a file.
    pub(crate) fn of(checked: &CheckReport) -> Option<&Self> {
        checked.defines.as_ref()?.downcast_ref()
    }
}

impl DataFile {
    /// Reads a document in HOCON. The place of a key is its first occurrence at the start of a line
    /// or after an opening brace or comma. An entry that is not found has the place of the
    /// document.
    ///
    /// # Errors
    /// When the text is not HOCON.
    pub(crate) fn hocon(text: &str) -> Result<Self, String> {
        let value = ordain_data::hocon::read(text, &Context::NONE).map_err(|e| e.to_string())?;
        let Some(map) = value.as_map() else { return Ok(Self::default()) };
        let entries = map.iter().filter_map(|(key, value)| {
            let key = EcoString::from(key.as_str()?);
            let at = hocon_key(text, &key);
            Some(DataEntry { key, at, value_at: at, value: value.clone(), below: Vec::new() })
        });
        Ok(Self { entries: entries.collect(), twice: Vec::new() })
    }

    /// Reads a document.
    ///
    /// # Errors
    /// When it is no YAML.
    pub(crate) fn yaml(text: &str) -> Result<Self, Error> {
        let tree = Tree::parse(text)?;
        let value = tree.value(Schema::Psych)?;
        let (Some(root), Some(map)) = (tree.root(), value.as_map()) else {
            return Ok(Self::default());
        };
        let entry = |(key, at): (ordain_data::yaml::NodeId, ordain_data::yaml::NodeId)| {
            let name = EcoString::from(tree.text(key)?);
            let value = map.get(&ordain_data::Value::Str(name.clone()))?.clone();
            let below = tree.entries(tree.target(at));
            let below = below.filter_map(|(k, _)| Some((tree.text(k)?.into(), tree.node(k).span)));
            Some(DataEntry {
                key: name,
                at: tree.node(key).span,
                value_at: tree.node(at).span,
                value,
                below: below.collect(),
            })
        };
        let entries = tree.entries(root).filter_map(entry).collect();
        Ok(Self { entries, twice: twice(&tree) })
    }
}

/// The duplicate keys of maps in a document.
fn twice(tree: &Tree) -> Vec<(EcoString, TextRange, TextRange)> {
    let mut found = Vec::new();
    let mut seen: FxHashMap<&str, TextRange> = FxHashMap::default();
    for n in (0..tree.len()).filter_map(|n| u32::try_from(n).ok()) {
        seen.clear();
        for (key, _) in tree.entries(ordain_data::yaml::NodeId(n)) {
            let (Some(text), at) = (tree.text(key), tree.node(key).span) else { continue };
            // Several maps may be merged into one.
            if let Some(first) = seen.insert(text, at).filter(|_| text != "<<") {
                found.push((text.into(), first, at));
            }
        }
    }
    found
}

fn hocon_key(text: &str, key: &str) -> TextRange {
    let begins = |at: usize| {
        let before = text[..at].trim_end_matches(['"', ' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '{', ','])
    };
    let found = text.match_indices(key).find(|(at, _)| begins(*at));
    let at = found.map_or(0, |(at, _)| at);
    TextRange::new(at as u32, (at + found.map_or(0, |(_, key)| key.len())) as u32)
}
