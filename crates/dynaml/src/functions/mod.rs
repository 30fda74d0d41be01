//! The built-in functions: a file a family.
//!
//! Most functions get their arguments as values ([`Builtin::Eager`]); a few look at the expressions
//! themselves ([`Builtin::Lazy`]), since they ask whether these have a value at all.

mod archive;
mod collections;
mod control;
mod convert;
pub(crate) mod encode;
mod exec;
mod files;
mod format;
mod names;
pub mod network;
pub use ordain_functions::go::regexp as pattern;
mod rand;
pub mod secrets;
mod semver;
mod static_ips;
mod strings;
mod url;
mod validate;
mod wireguard;
mod x509;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use ecow::EcoString;
use regex::Regex;
use rustc_hash::FxHashMap;

use crate::eval::stop::Stop;
use crate::eval::{Env, Eval, Evaluator, Info};
use crate::load::SrcId;
use crate::syntax::ast::Arg;
use crate::value::{Item, Value};

pub use crate::eval::tags::Tags;

pub(crate) use format::quoted;

/// A call of a function: its arguments, and where it stands.
pub struct Call<'a, 'w> {
    /// The evaluator.
    pub ev: &'a mut Evaluator<'w>,
    /// The arguments.
    pub args: &'a [Value],
    /// Where the call stands.
    pub env: &'a Env,
    /// What the expression says about its node.
    pub info: &'a mut Info,
}

/// A function of values.
pub type Eager = fn(&mut Call<'_, '_>) -> Eval<Value>;

/// A function of expressions.
pub type Lazy = fn(&mut Evaluator<'_>, &[Arg], &Env, &mut Info) -> Eval<Value>;

/// A built-in function.
#[derive(Clone, Copy)]
pub enum Builtin {
    /// Its arguments are evaluated first.
    Eager(Eager),
    /// It evaluates its arguments itself.
    Lazy(Lazy),
}

/// The functions whose result is a text that they were given, written in another way or a part of it.
pub const REWRITING: [&str; 13] = [
    "base64",
    "base64_decode",
    "asjson",
    "asyaml",
    "format",
    "lower",
    "match",
    "replace",
    "replace_match",
    "split",
    "split_match",
    "substr",
    "upper",
];

/// All built-in functions by name.
pub type Table = FxHashMap<&'static str, Builtin>;

/// Results that are kept for a run.
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
    /// How often a command was run or a file read whose result may differ the next time.
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
        let pattern = Rc::new(pattern::compile(text)?);
        self.patterns.insert(text.clone(), Rc::clone(&pattern));
        Ok(pattern)
    }
}

/// All built-in functions.
pub fn table() -> Table {
    let mut table = Table::default();
    collections::register(&mut table);
    control::register(&mut table);
    convert::register(&mut table);
    encode::register(&mut table);
    exec::register(&mut table);
    files::register(&mut table);
    format::register(&mut table);
    network::register(&mut table);
    rand::register(&mut table);
    archive::register(&mut table);
    x509::register(&mut table);
    wireguard::register(&mut table);
    secrets::register(&mut table);
    semver::register(&mut table);
    static_ips::register(&mut table);
    strings::register(&mut table);
    url::register(&mut table);
    validate::register(&mut table);
    table
}

fn eager(function: Eager) -> Builtin {
    Builtin::Eager(function)
}

fn lazy(function: Lazy) -> Builtin {
    Builtin::Lazy(function)
}

/// A failure with this text.
fn fail<T>(text: impl Into<EcoString>) -> Eval<T> {
    Err(Stop::failed(text))
}

/// The shortest path that means the same, as errors show it: `a/b` for `./a//c/../b`.
pub fn clean_path(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => match steps.last() {
                Some(last) if *last != ".." => {
                    steps.pop();
                }
                _ if rooted => {}
                _ => steps.push(".."),
            },
            step => steps.push(step),
        }
    }
    let joined = steps.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".into(),
        (false, false) => joined,
    }
}

/// The items of a list.
fn items(value: &Value) -> Option<&[Item]> {
    if let Value::List(list) = value { Some(&list.items) } else { None }
}
