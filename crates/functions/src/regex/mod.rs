//! Regular expressions in the dialects of the compiled languages.
//!
//! [`compile`] rewrites a pattern of a [`Dialect`] for one of two engines: the linear-time `regex`
//! where the pattern has neither look-around nor back-reference (nor anything else that needs
//! backtracking), `fancy-regex` with a bounded number of steps for the rest. All offsets are byte
//! offsets.
//!
//! ```
//! use ordain_functions::regex::{Dialect, compile};
//! let host = compile(Dialect::Ruby, r"^(?<name>[a-z]+)(?<number>\d+)$")?;
//! let found = host.captures("web12")?.expect("it matches");
//! assert_eq!(found.name("number").map(|span| &"web12"[span]), Some("12"));
//! # Ok::<(), ordain_functions::Error>(())
//! ```

mod chars;
mod class;
pub(crate) mod cost;
mod python;
mod quantifier;
mod replace;
mod ruby;

use std::ops::Range;
use std::sync::OnceLock;

use crate::{Error, Result};
use cost::{CompileError, MAX_SIZE};

pub use cost::forget;
pub use replace::{escape, take_match};

/// The maximum number of steps of the backtracking engine per match.
const MAX_BACKTRACK_STEPS: usize = 1_000_000;
/// The maximum number of instructions of a backtracking program.
const MAX_PROGRAM_SIZE: usize = 200_000;
/// The longest pattern accepted, in bytes.
const MAX_PATTERN_LENGTH: usize = 1 << 18;

/// The dialect of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Ruby's (Onigmo).
    Ruby,
    /// Python's (the module `re`).
    Python,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Regex {
    pattern: String,
    engine: Engine,
    /// The pattern for the backtracking engine with the exact meaning of `^`, compiled when a match
    /// of the linear engine is unreliable.
    exact: Option<(String, OnceLock<Box<fancy_regex::Regex>>)>,
    /// Whether the linear engine misses matches in a text that ends in a newline.
    misses: bool,
    names: Vec<(String, Vec<usize>)>,
}

#[derive(Debug)]
enum Engine {
    Linear(::regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// The byte range of a match or of a group.
pub type Span = Range<usize>;

/// One match with its groups.
#[derive(Debug, Clone)]
pub struct Captures<'r> {
    regex: &'r Regex,
    spans: Vec<Option<Span>>,
}

/// Compiles a pattern.
///
/// # Errors
/// [`Error::Regex`], with the dialect's message for common mistakes.
pub fn compile(dialect: Dialect, pattern: &str) -> Result<Regex> {
    let fail = |error: BuildError| error.into_error(slashes_escaped(pattern));
    if pattern.len() > MAX_PATTERN_LENGTH {
        return Err(Error::Regex { reason: TOO_BIG.into(), pattern: "…".into() });
    }
    let plain = translate(dialect, pattern, false)?;
    let exact = match plain.is_approximate {
        true => Some(translate(dialect, pattern, true)?),
        false => None,
    };
    let (engine, exact) = if plain.needs_backtracking {
        let text = exact.map_or(plain.text, |exact| exact.text);
        (Engine::Backtracking(Box::new(backtracking(&text).map_err(fail)?)), None)
    } else {
        let linear = linear(&plain.text).map_err(fail)?;
        (Engine::Linear(linear), exact.map(|exact| (exact.text, OnceLock::new())))
    };
    let misses = dialect == Dialect::Python && exact.is_some();
    Ok(Regex { pattern: pattern.into(), engine, exact, misses, names: plain.names })
}

/// A pattern in the engines' notation.
struct Plain {
    text: String,
    needs_backtracking: bool,
    /// Whether only the backtracking engine can represent it exactly.
    is_approximate: bool,
    names: Vec<(String, Vec<usize>)>,
}

fn translate(dialect: Dialect, pattern: &str, exact: bool) -> Result<Plain> {
    match dialect {
        Dialect::Ruby => match ruby::translate(pattern, exact) {
            Ok(done) => Ok(Plain {
                text: done.text,
                needs_backtracking: done.needs_backtracking,
                is_approximate: done.has_line_start,
                names: done.names,
            }),
            Err(reason) => Err(Error::Regex { reason, pattern: slashes_escaped(pattern) }),
        },
        Dialect::Python => match python::translate(pattern, exact) {
            Ok(done) => Ok(Plain {
                text: done.text,
                needs_backtracking: done.needs_backtracking,
                is_approximate: done.has_end,
                names: done.names,
            }),
            Err(reason) => Err(Error::PythonRegex(reason)),
        },
    }
}

/// Checks that a pattern is well formed, in time proportional to its length. Unlike [`compile`] it
/// builds no engine, so that patterns that are too big or unsupported pass.
///
/// # Errors
/// [`Error::Regex`] as from [`compile`].
pub fn check(dialect: Dialect, pattern: &str) -> Result<()> {
    translate(dialect, pattern, false).map(|_| ())
}

/// The pattern with its slashes escaped, for use between slashes.
pub fn slashes_escaped(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut escaped = false;
    for c in pattern.chars() {
        if c == '/' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// The reason why an engine refuses a translated pattern.
enum BuildError {
    /// The engine lacks a construct.
    Unsupported,
    /// The pattern is wrong or too big, in words.
    Refused(String),
}

impl BuildError {
    fn into_error(self, pattern: String) -> Error {
        match self {
            Self::Unsupported => Error::RegexUnsupported { pattern },
            Self::Refused(reason) => Error::Regex { reason, pattern },
        }
    }
}

fn linear(text: &str) -> Result<::regex::Regex, BuildError> {
    let build = |size| ::regex::RegexBuilder::new(text).size_limit(size).build();
    cost::compile(build).map_err(|refused| match refused {
        CompileError::Pattern(::regex::Error::CompiledTooBig(_)) => {
            BuildError::Refused(TOO_BIG.into())
        }
        CompileError::Pattern(_) => BuildError::Unsupported,
        CompileError::Cost(reason) => BuildError::Refused(reason),
    })
}

fn backtracking(text: &str) -> Result<fancy_regex::Regex, BuildError> {
    // A long pattern is one that becomes large.
    const LONG: usize = 2048;
    cost::add((text.len() / LONG) as u64).map_err(BuildError::Refused)?;
    fancy_regex::RegexBuilder::new(text)
        .backtrack_limit(MAX_BACKTRACK_STEPS)
        .delegate_size_limit(MAX_SIZE)
        .max_prog_size(MAX_PROGRAM_SIZE)
        .build()
        .map_err(|error| {
            let fancy_regex::Error::CompileError(inner) = error else {
                return BuildError::Unsupported;
            };
            let reason = match *inner {
                fancy_regex::CompileError::NeverEndingRecursion
                | fancy_regex::CompileError::LeftRecursiveSubroutineCall(..) => {
                    "never ending recursion"
                }
                fancy_regex::CompileError::InvalidBackref(_) => "invalid backref number/name",
                fancy_regex::CompileError::LookBehindNotConst => "invalid pattern in look-behind",
                _ => TOO_BIG,
            };
            BuildError::Refused(reason.into())
        })
}

const TOO_BIG: &str = "regular expression is too big";

impl Regex {
    /// The pattern as it was given to [`compile`].
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The names of groups in the order of their first occurrence.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// The names of groups with the numbers of their groups, from 1.
    pub fn named_groups(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.names.iter().map(|(name, groups)| (name.as_str(), groups.as_slice()))
    }

    /// Whether the pattern runs in linear time.
    #[cfg(test)]
    fn is_linear(&self) -> bool {
        matches!(self.engine, Engine::Linear(_))
    }

    /// Whether the pattern matches somewhere in the text.
    ///
    /// # Errors
    /// [`Error::RegexBudget`]
    pub fn is_match(&self, text: &str) -> Result<bool> {
        match &self.engine {
            Engine::Linear(linear) if !self.is_doubtful(text) => Ok(linear.is_match(text)),
            _ => Ok(self.find_at(text, 0)?.is_some()),
        }
    }

    /// Whether there is a match at the start of the text: Python's `re.match`.
    ///
    /// # Errors
    /// [`Error::RegexBudget`]
    pub fn matches_start(&self, text: &str) -> Result<bool> {
        Ok(self.find_at(text, 0)?.is_some_and(|found| found.start == 0))
    }

    /// The first match in the text.
    ///
    /// # Errors
    /// [`Error::RegexBudget`]
    pub fn find(&self, text: &str) -> Result<Option<Span>> {
        self.find_at(text, 0)
    }

    /// The first match that starts at `start` (a character boundary) or later. The text before
    /// `start` counts as context of `^`, `\b` and look-behind.
    fn find_at(&self, text: &str, start: usize) -> Result<Option<Span>> {
        match &self.engine {
            Engine::Linear(_) if self.misses && self.is_doubtful(text) => {
                let found = self.exact_captures(text, start)?;
                Ok(found.and_then(|spans| spans.into_iter().next().flatten()))
            }
            Engine::Linear(linear) => {
                let Some(found) = linear.find_at(text, start) else { return Ok(None) };
                if found.end() == text.len() && self.is_doubtful(text) {
                    let found = self.exact_captures(text, start)?;
                    return Ok(found.and_then(|spans| spans.into_iter().next().flatten()));
                }
                Ok(Some(found.range()))
            }
            Engine::Backtracking(fancy) => match fancy.find_from_pos(text, start) {
                Ok(found) => Ok(found.map(|found| found.range())),
                Err(_) => Err(self.over_budget()),
            },
        }
    }

    /// The first match in the text, with its groups.
    ///
    /// # Errors
    /// [`Error::RegexBudget`]
    pub fn captures(&self, text: &str) -> Result<Option<Captures<'_>>> {
        self.captures_at(text, 0)
    }

    /// As [`Regex::find_at`], with the groups.
    fn captures_at(&self, text: &str, start: usize) -> Result<Option<Captures<'_>>> {
        let spans = match &self.engine {
            Engine::Linear(_) if self.misses && self.is_doubtful(text) => {
                self.exact_captures(text, start)?
            }
            Engine::Linear(linear) => {
                let Some(found) = linear.captures_at(text, start) else { return Ok(None) };
                let whole_end = found.get(0).map(|whole| whole.end());
                if whole_end == Some(text.len()) && self.is_doubtful(text) {
                    self.exact_captures(text, start)?
                } else {
                    Some(found.iter().map(|group| group.map(|group| group.range())).collect())
                }
            }
            Engine::Backtracking(fancy) => self.fancy_captures(fancy, text, start)?,
        };
        Ok(spans.map(|spans| Captures { regex: self, spans }))
    }

    /// All matches from left to right that do not overlap. An empty match may touch the match
    /// before it, as in Ruby.
    pub fn captures_iter<'r, 't>(&'r self, text: &'t str) -> CapturesIter<'r, 't> {
        CapturesIter { regex: self, text, next: Some(0) }
    }

    /// Ruby's `^` does not match after a newline at the end of the text, the engine's does. So
    /// matches that reach such an end need another check. Python's `$` matches before such a
    /// newline, the engine's `\z` does not.
    fn is_doubtful(&self, text: &str) -> bool {
        self.exact.is_some() && text.ends_with('\n')
    }

    fn exact_captures(&self, text: &str, start: usize) -> Result<Option<Vec<Option<Span>>>> {
        let Some((pattern, cell)) = &self.exact else { return Ok(None) };
        let fancy = match cell.get() {
            Some(fancy) => fancy,
            None => {
                let built = backtracking(pattern)
                    .map_err(|error| error.into_error(self.pattern.clone()))?;
                cell.get_or_init(|| Box::new(built))
            }
        };
        self.fancy_captures(fancy, text, start)
    }

    fn fancy_captures(
        &self,
        fancy: &fancy_regex::Regex,
        text: &str,
        start: usize,
    ) -> Result<Option<Vec<Option<Span>>>> {
        match fancy.captures_from_pos(text, start) {
            Ok(found) => Ok(found
                .map(|found| found.iter().map(|group| group.map(|group| group.range())).collect())),
            Err(_) => Err(self.over_budget()),
        }
    }

    fn over_budget(&self) -> Error {
        Error::RegexBudget { pattern: self.pattern.clone() }
    }
}

impl Captures<'_> {
    /// The range of the whole match.
    pub fn whole(&self) -> Span {
        self.get(0).unwrap_or_default()
    }

    /// The range of group `index`; 0 is the whole match.
    pub fn get(&self, index: usize) -> Option<Span> {
        self.spans.get(index).cloned().flatten()
    }

    /// The range of the named group; of several with the name, the last that matched.
    pub fn name(&self, name: &str) -> Option<Span> {
        let (_, groups) = self.regex.names.iter().find(|(other, _)| other == name)?;
        groups.iter().rev().find_map(|&group| self.get(group))
    }

    /// The ranges of all groups; the whole match is the first.
    pub fn spans(&self) -> &[Option<Span>] {
        &self.spans
    }
}

/// The position to continue the search after a match.
fn after(text: &str, found: &Span) -> Option<usize> {
    if !found.is_empty() {
        return Some(found.end);
    }
    text.get(found.end..)?.chars().next().map(|c| found.end + c.len_utf8())
}

/// Iterator of [`Regex::captures_iter`].
#[derive(Debug)]
pub struct CapturesIter<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    next: Option<usize>,
}

impl<'r> Iterator for CapturesIter<'r, '_> {
    type Item = Result<Captures<'r>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next.take()?;
        let found = self.regex.captures_at(self.text, start).transpose()?;
        if let Ok(captures) = &found {
            self.next = after(self.text, &captures.whole());
        }
        Some(found)
    }
}
