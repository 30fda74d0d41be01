//! Regular expressions as values and in types.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use ecow::EcoString;
use ordain_functions::regex::{Dialect, Regex, compile, slashes_escaped};
use ordain_puppet_syntax::regexp::is_encoded;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The maximal number of cached expressions.
const MAX_COMPILED: usize = 1024;
/// The longest source of those, in bytes.
const MAX_COMPILED_LENGTH: usize = 1 << 10;

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
    if source.len() <= MAX_COMPILED_LENGTH {
        let mut compiled = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(source.into(), Arc::clone(&regex));
    }
    Ok(regex)
}

/// A regular expression with its source; compiled when first used.
pub struct Regexp {
    /// The source between the slashes.
    pub source: EcoString,
    compiled: OnceLock<Result<Arc<Regex>, String>>,
}

impl Regexp {
    /// A regular expression of this source; it is compiled when first used.
    #[inline]
    pub fn new(source: impl Into<EcoString>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The compiled form.
    ///
    /// # Errors
    /// The fault of the source, in Ruby's words.
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
    #[inline]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
    }

    /// Writes the expression between slashes. Slashes in it get a backslash. An expression that
    /// forces its encoding is written with its flags.
    pub fn write_delimited(&self, out: &mut String) {
        out.push('/');
        match self.is_encoded() {
            true => out.push_str(&self.with_flags()),
            false => out.push_str(&slashes_escaped(&self.source)),
        }
        out.push('/');
    }

    /// The source as text. An expression that forces its encoding is in a group with its flags, all
    /// off.
    pub fn text(&self) -> EcoString {
        match self.is_encoded() {
            true => ecow::eco_format!("(?-imx:{})", self.source),
            false => self.source.clone(),
        }
    }

    /// The expression as a group with its flags, as Ruby inserts it into a text. If the whole is a
    /// group with flags already, these are used.
    pub fn with_flags(&self) -> String {
        let (mut on, mut source) = (String::new(), &*self.source);
        let mut set = |flags: &str| {
            let (more, fewer) = flags.split_once('-').unwrap_or((flags, ""));
            on.push_str(more);
            on.retain(|c| !fewer.contains(c));
        };
        while let Some((flags, rest)) = flags_in_front(source) {
            set(flags);
            source = rest;
        }
        if let Some((flags, inner)) = whole_group(source) {
            set(flags);
            source = inner;
        }
        let mut out = String::from("(?");
        out.extend("mix".chars().filter(|c| on.contains(*c)));
        if "mix".chars().any(|c| !on.contains(c)) {
            out.push('-');
            out.extend("mix".chars().filter(|c| !on.contains(*c)));
        }
        out.push(':');
        out.push_str(&slashes_escaped(source));
        out.push(')');
        out
    }

    fn is_encoded(&self) -> bool {
        is_encoded(&self.source)
    }
}

/// The flags of a group at the start that has nothing but flags, and the rest.
fn flags_in_front(source: &str) -> Option<(&str, &str)> {
    let (flags, rest) = source.strip_prefix("(?")?.split_once(')')?;
    are_flags(flags).then_some((flags, rest))
}

/// The flags and the inside of a group with flags, if it is the whole source.
fn whole_group(source: &str) -> Option<(&str, &str)> {
    let (flags, inner) = source.strip_prefix("(?")?.split_once(':')?;
    let inner = inner.strip_suffix(')')?;
    // `(?i:a)|(?i:b)` has no group around the whole; the inside would be broken.
    (are_flags(flags) && shared(inner).is_ok()).then_some((flags, inner))
}

fn are_flags(text: &str) -> bool {
    text.chars().all(|c| "mix-".contains(c)) && text.matches('-').count() < 2
}

impl PartialEq for Regexp {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Regexp {}

impl Hash for Regexp {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.source)
    }
}
