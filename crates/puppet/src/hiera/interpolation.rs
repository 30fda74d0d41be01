//! `%{…}` in data and in paths.
//!
//! [`parse`] is a pure function of the text. The lookup resolves the expressions within a budget,
//! since texts that refer to each other may double at every step.

use ecow::EcoString;
use ordain_source::suggest;

use super::explain::Node;
use super::key::{Segment, split, text_keys};
use super::lookup::{Lookup, lookup_error, unwind};
use crate::error::{EvalResult, Unwind};
use crate::value::ruby::ruby_text;
use crate::value::{HashValue, Value};

/// A part of a text with interpolations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece<'t> {
    /// Literal text.
    Text(&'t str),
    /// An empty expression such as `%{}`.
    Empty,
    /// An expression without a method: a variable, with segments.
    Variable(&'t str),
    /// `%{method('argument')}`
    Method {
        /// The method's name.
        name: &'t str,
        /// The text between the quotes.
        argument: &'t str,
    },
}

/// The issue code and message of a method where only variables are allowed.
pub(super) const METHOD_NOT_ALLOWED_ISSUE: &str = "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED";
pub(super) const METHOD_NOT_ALLOWED: &str =
    "Interpolation using method syntax is not allowed in this context";

/// The methods that there are.
pub const METHODS: [&str; 5] = ["lookup", "hiera", "scope", "literal", "alias"];

/// The parts of a text. Never fails: anything that is not an expression is text.
///
/// ```
/// use ordain_puppet::hiera::interpolation::{Piece, parse};
/// let pieces = parse("a %{ facts.os } %{lookup('k')}%{");
/// assert_eq!(pieces[1], Piece::Variable("facts.os"));
/// assert_eq!(pieces[3], Piece::Method { name: "lookup", argument: "k" });
/// assert_eq!(pieces[4], Piece::Text("%{"));
/// ```
pub fn parse(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("%{") {
        let Some(length) = rest[start + 2..].find('}') else { break };
        if start > 0 {
            pieces.push(Piece::Text(&rest[..start]));
        }
        pieces.push(expression(&rest[start + 2..start + 2 + length]));
        rest = &rest[start + length + 3..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

fn expression(text: &str) -> Piece<'_> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
    match text {
        "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'" => return Piece::Empty,
        _ => {}
    }
    method(text).unwrap_or(Piece::Variable(text))
}

fn method(text: &str) -> Option<Piece<'_>> {
    let (name, rest) = text.split_once('(')?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(word) {
        return None;
    }
    let quoted = rest.strip_suffix(')')?;
    let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let argument = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    (!argument.is_empty() && !argument.contains(quote)).then_some(Piece::Method { name, argument })
}

/// Whether a value has no interpolations, judging by its type.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Str(text) => !text.contains("%{"),
        value => !matches!(value, Value::Array(_) | Value::Hash(_)),
    }
}

/// Records the expression in which an error happened, if none inside of it is known.
fn in_expression(mut unwind: Box<Unwind>, expression: &str) -> Box<Unwind> {
    if let Unwind::Error(error) = &mut *unwind {
        error.interpolation.get_or_insert_with(|| expression.into());
    }
    unwind
}

fn issue<T>(code: &'static str, message: impl Into<String>) -> EvalResult<T> {
    Err(unwind(Some(code), message, None))
}

impl Lookup<'_, '_> {
    /// Interpolates all texts in a value. `methods` allows functions such as `%{lookup('k')}`,
    /// which data may use, but `hiera.yaml` may not.
    pub(super) fn interpolate(&mut self, value: &Value, methods: bool) -> EvalResult {
        match value {
            Value::Str(text) if text.contains("%{") => self.interpolate_text(text, methods),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.interpolate(item, methods));
                Ok(Value::array(items.collect::<EvalResult<Vec<_>>>()?))
            }
            Value::Hash(entries) => {
                let mut out = HashValue::default();
                for (key, value) in entries.iter() {
                    let key = self.interpolate(key, methods)?;
                    out.insert(key, self.interpolate(value, methods)?);
                }
                Ok(Value::Hash(out.into()))
            }
            other => Ok(other.clone()),
        }
    }

    fn interpolate_text(&mut self, subject: &EcoString, methods: bool) -> EvalResult {
        self.with(
            || Node::Interpolation(subject.clone()),
            |lookup| lookup.interpolate_pieces(subject, methods),
        )
    }

    fn interpolate_pieces(&mut self, subject: &EcoString, methods: bool) -> EvalResult {
        let pieces = parse(subject);
        let whole = pieces.len() == 1;
        let mut out = String::new();
        for piece in pieces {
            let value = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Empty => continue,
                Piece::Variable(key) => self
                    .variable_value(key, subject, methods)
                    .map_err(|unwind| in_expression(unwind, key))?,
                Piece::Method { .. } if !methods => {
                    return issue(METHOD_NOT_ALLOWED_ISSUE, METHOD_NOT_ALLOWED);
                }
                Piece::Method { name: "alias", argument } if whole => {
                    self.spend(1, 0)?;
                    return self.nested(argument).map_err(|e| in_expression(e, argument));
                }
                Piece::Method { name, argument } => {
                    self.spend(1, 0)?;
                    self.method_value(name, argument, subject)
                        .map_err(|unwind| in_expression(unwind, argument))?
                }
            };
            let text = ruby_text(&value);
            self.spend(0, text.len() as u64)?;
            out.push_str(&text);
        }
        Ok(Value::str(out))
    }

    fn variable_value(&mut self, key: &str, subject: &str, methods: bool) -> EvalResult {
        self.spend(1, 0)?;
        let value = self.scope_value(key, subject)?;
        match is_plain(&value) {
            true => Ok(value),
            false => self.interpolate_found(&format!("scope:{key}"), value, methods),
        }
    }

    fn method_value(&mut self, name: &str, argument: &str, subject: &str) -> EvalResult {
        match name {
            "lookup" | "hiera" => {
                let value = self.nested(argument)?;
                self.interpolate_found(argument, value, true)
            }
            "scope" => {
                let value = self.scope_value(argument, subject)?;
                self.interpolate_found(&format!("scope:{argument}"), value, true)
            }
            "literal" => self.interpolate_found(argument, argument.into(), true),
            "alias" => issue(
                "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
                "'alias' interpolation is only permitted if the expression is equal to the \
                 entire string",
            ),
            other => {
                let text = format!("Unknown interpolation method '{other}'");
                let code = "HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD";
                let mut unwind = unwind(Some(code), text, None);
                if let Unwind::Error(error) = &mut *unwind
                    && let Some(near) = suggest::nearest(other, METHODS)
                {
                    error.help.push(format!("did you mean `{near}`?"));
                }
                Err(unwind)
            }
        }
    }

    /// Interpolates the value of an expression.
    fn interpolate_found(&mut self, name: &str, value: Value, methods: bool) -> EvalResult {
        self.check(&name.into(), |lookup| lookup.interpolate(&value, methods))
    }

    /// The value of a variable with segments; `undef` if it does not exist.
    pub(super) fn scope_value(&mut self, key: &str, subject: &str) -> EvalResult {
        let Some(mut segments) = split(key) else {
            return lookup_error(format!("Syntax error in string: {subject}"));
        };
        let root = match segments.remove(0) {
            Segment::Text(root) => root,
            Segment::Index(index) => ecow::eco_format!("{index}"),
        };
        self.c.note_entry(self.scope, &root, text_keys(&segments));
        let value =
            self.with(|| Node::Scope("Global Scope".into()), |lookup| lookup.root_value(&root))?;
        let value = match value {
            Some(value) if !segments.is_empty() && !value.is_undef() => {
                self.dig(key, &segments, value)?
            }
            other => other,
        };
        self.remember(key, root, segments, value.clone());
        Ok(value.unwrap_or_default())
    }

    fn root_value(&mut self, root: &EcoString) -> EvalResult<Option<Value>> {
        let key = crate::value::Key(root);
        if let Some(value) = self.overrides.get(&key).cloned() {
            self.explain(|e| e.found_in_overrides(root.clone(), value.clone()));
            return Ok(Some(value));
        }
        let default = self.defaults.get(&key).cloned();
        match self.variable(root, default.is_some())? {
            Some(value) => {
                self.explain(|e| e.found(root.clone(), value.clone()));
                Ok(Some(value))
            }
            None => {
                if let Some(value) = &default {
                    self.explain(|e| e.found_in_defaults(root.clone(), value.clone()));
                }
                Ok(default)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_methods_are_variables() {
        for text in ["lookup(k)", "lookup('k'", "lookup('')", "lo-ok('k')", "lookup('a'b')"] {
            assert_eq!(parse(&format!("%{{{text}}}")), [Piece::Variable(text)], "{text}");
        }
        assert_eq!(parse("%{ :: }%{''}"), [Piece::Empty, Piece::Empty]);
    }
}
