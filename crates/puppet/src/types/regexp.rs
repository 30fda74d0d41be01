//! Regular expressions as values and in types.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use ecow::EcoString;
use ordain_functions::regex::{Dialect, Regex, compile};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::value::Value;

/// How many compiled expressions are kept.
const KEPT: usize = 1024;
/// The longest source of those, in bytes.
const KEPT_LENGTH: usize = 1 << 10;

/// Compiled expressions by their sources, for all compiles of the process: compiling one takes far
/// longer than most matches.
static COMPILED: RwLock<FxHashMap<EcoString, Arc<Regex>>> =
    RwLock::new(FxHashMap::with_hasher(FxBuildHasher));

/// The compiled form of a source in Ruby's dialect.
///
/// # Errors
/// When it is broken.
pub fn shared(source: &str) -> ordain_functions::Result<Arc<Regex>> {
    let known = COMPILED.read().unwrap_or_else(PoisonError::into_inner).get(source).cloned();
    if let Some(regex) = known {
        return Ok(regex);
    }
    let regex = Arc::new(compile(Dialect::Ruby, source)?);
    if source.len() <= KEPT_LENGTH {
        let mut compiled = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
        if compiled.len() >= KEPT {
            compiled.clear();
        }
        compiled.insert(source.into(), Arc::clone(&regex));
    }
    Ok(regex)
}

/// A regular expression with its source; compiled when first used.
pub struct Regexp {
    /// What stands between the slashes.
    pub source: EcoString,
    compiled: OnceLock<Result<Arc<Regex>, String>>,
}

impl Regexp {
    /// A regular expression of this source; it is compiled when first used.
    pub fn new(source: impl Into<EcoString>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The compiled form.
    ///
    /// # Errors
    /// What is wrong with the source, in Ruby's words.
    pub fn regex(&self) -> Result<&Regex, &str> {
        let compiled =
            self.compiled.get_or_init(|| shared(&self.source).map_err(|error| error.to_string()));
        match compiled {
            Ok(regex) => Ok(regex),
            Err(reason) => Err(reason),
        }
    }

    /// Whether it matches somewhere in the text; a broken expression, or one that takes too many
    /// steps, matches nothing.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
    }

    /// The first match: the whole and the groups, `undef` for a group that took no part.
    ///
    /// # Errors
    /// When the source is broken or the match takes too many steps.
    pub fn groups(&self, text: &str) -> Result<Option<Vec<Value>>, String> {
        let regex = self.regex().map_err(str::to_owned)?;
        let captures = regex.captures(text).map_err(|error| error.to_string())?;
        Ok(captures.map(|captures| {
            let spans = captures.spans().iter();
            spans.map(|span| span.clone().map_or(Value::Undef, |s| Value::str(&text[s]))).collect()
        }))
    }

    /// The expression between slashes, as it is written; slashes in it get a backslash.
    pub fn write_delimited(&self, out: &mut String) {
        out.push('/');
        let mut escaped = false;
        for c in self.source.chars() {
            if c == '/' && !escaped {
                out.push('\\');
            }
            escaped = c == '\\' && !escaped;
            out.push(c);
        }
        out.push('/');
    }
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Regexp {}

impl Hash for Regexp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.source)
    }
}
