//! Cached results of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use ecow::EcoString;
use ordain_functions::go::regexp;
use regex::Regex;
use rustc_hash::FxHashMap;

use crate::ids::SrcId;
use crate::value::Value;

/// Cached results of a run.
#[derive(Debug, Default)]
pub struct Cache {
    /// Results of commands, by the command and its input.
    pub commands: FxHashMap<Vec<u8>, Result<Value, EcoString>>,
    /// The bytes of files by path.
    pub files: FxHashMap<EcoString, Result<Rc<[u8]>, EcoString>>,
    /// The documents of files by path.
    pub sources: FxHashMap<EcoString, Rc<[SrcId]>>,
    /// Files to be removed at the end of the run, by permissions and content.
    pub temporary: BTreeMap<(u32, Vec<u8>), PathBuf>,
    /// The number of commands and files whose result may differ the next time.
    pub uncached: u64,
    /// Compiled patterns.
    patterns: FxHashMap<EcoString, Rc<Regex>>,
}

impl Cache {
    /// A pattern, compiled once.
    pub(crate) fn pattern(&mut self, text: &EcoString) -> Result<Rc<Regex>, String> {
        if let Some(found) = self.patterns.get(text) {
            return Ok(Rc::clone(found));
        }
        let pattern = Rc::new(regexp::compile(text)?);
        self.patterns.insert(text.clone(), Rc::clone(&pattern));
        Ok(pattern)
    }
}
