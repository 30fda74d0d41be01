//! Helpers that the function files share.

use ecow::EcoString;

use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::evaluator::{Builtin, Eager, Implementation, Lazy};
use crate::value::{Item, Value};

/// A function of values, by its name.
pub(super) fn eager(
    signature: &'static str,
    doc: &'static str,
    function: Eager,
) -> (&'static str, Builtin) {
    named(signature, doc, Implementation::Eager(function))
}

/// A function of expressions, by its name.
pub(super) fn lazy(
    signature: &'static str,
    doc: &'static str,
    function: Lazy,
) -> (&'static str, Builtin) {
    named(signature, doc, Implementation::Lazy(function))
}

/// Marks a function whose result is an argument in another notation, or a part of one.
pub(super) fn rewriting((name, builtin): (&'static str, Builtin)) -> (&'static str, Builtin) {
    (name, Builtin { is_rewriting: true, ..builtin })
}

fn named(
    signature: &'static str,
    doc: &'static str,
    implementation: Implementation,
) -> (&'static str, Builtin) {
    let name = signature.split_once('(').map_or(signature, |(name, _)| name);
    (name, Builtin { signature, doc, implementation, is_rewriting: false })
}

/// A failure with this text.
pub(super) fn fail<T>(text: impl Into<EcoString>) -> Eval<T> {
    Err(Stop::failed(text))
}

/// The shortest equivalent path, as in Go: `a/b` for `./a//c/../b`.
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
pub(super) fn items(value: &Value) -> Option<&[Item]> {
    if let Value::List(list) = value { Some(&list.items) } else { None }
}
