//! Values that resource types refuse, where the value is written in the code.
//!
//! Only what the type itself refuses on every machine is looked at: what depends on the provider,
//! the operating system or other attributes is left to the run.

use std::net::IpAddr;
use std::sync::LazyLock;

use ordain_functions::time::{MONTHS, WEEKDAYS};
use ordain_graph::protected;
use ordain_source::{Diagnostic, Severity};
use rustc_hash::FxHashMap;

use crate::check::repository::pass::Pass;
use ordain_puppet::schema::TypeSchema;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::nearest;
use ordain_puppet::value::Value;

const INVALID_VALUE: &str = "puppet::invalid-value";
const PROTECTED_PATH: &str = "puppet::protected-path";

/// A line for each attribute: the resource type, the name, and the values there are or the name of
/// a rule in angle brackets.
const TABLE: &str = include_str!("values.txt");

static RULES: LazyLock<FxHashMap<(&'static str, &'static str), Rule>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        let key = (words.next()?, words.next()?);
        let rest = words.next()?;
        let rule = match rest.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            Some(name) => Rule::Form(name),
            None => Rule::Words(rest.split(' ').collect()),
        };
        Some((key, rule))
    };
    TABLE.lines().filter_map(read).collect()
});

/// What values of an attribute are.
enum Rule {
    /// One of some.
    Words(Vec<&'static str>),
    /// Of a form that has a name.
    Form(&'static str),
}

/// Why a value is refused.
struct Refusal {
    /// What the attribute takes.
    takes: String,
    help: Option<String>,
}

/// Looks at the values of a resource of a type that is not written in Puppet.
pub(super) fn check(pass: &mut Pass<'_>, schema: &'static TypeSchema, attributes: &[Attribute]) {
    let kind = schema.name;
    // The module that is installed may have another version of the type.
    let severity = if schema.is_core() { Severity::Error } else { Severity::Warning };
    for attribute in attributes.iter().filter(|a| a.op == AttributeOp::Set) {
        if kind == "file" && attribute.name == "ensure" {
            link(pass, attribute);
            continue;
        }
        let Some(rule) = RULES.get(&(kind, attribute.name.as_str())) else { continue };
        let Some(value) = pass.index.types.value(pass.program, attribute.value) else { continue };
        let Some(text) = text(&value) else { continue };
        let Some(refusal) = refusal(rule, &value, &text) else { continue };
        if pass.is_full() {
            return;
        }
        let range = pass.program.range(attribute.value);
        let (name, written) = (&attribute.name, pass.program.text(range));
        let takes = &refusal.takes;
        let message = format!("`{name}` of a resource `{kind}` is {takes}, not {written}");
        let at = range.in_file(pass.file);
        let mut found = Diagnostic::new(severity, INVALID_VALUE, message).at(at);
        found.help.extend(refusal.help);
        pass.found.push(found);
    }
}

/// What a `file` can be, besides a link that leads to any other text.
const FILE_STATES: [&str; 7] = ["present", "absent", "file", "directory", "link", "true", "false"];

/// A `file` that is a link to what is rather a misspelt state.
fn link(pass: &mut Pass<'_>, attribute: &Attribute) {
    let Some(Value::Str(target)) = pass.index.types.value(pass.program, attribute.value) else {
        return;
    };
    if FILE_STATES.contains(&target.as_str()) || target.contains('/') || pass.is_full() {
        return;
    }
    let Some(near) = nearest(&target, FILE_STATES) else { return };
    let at = pass.program.range(attribute.value).in_file(pass.file);
    let message = format!("`ensure` of a resource `file` makes a link that leads to `{target}`");
    let found = Diagnostic::warning(INVALID_VALUE, message).at(at);
    pass.found.push(found.help(format!("did you mean `{near}`?")));
}

/// A single value as the types see it; a list has values of its own.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

fn refusal(rule: &Rule, value: &Value, text: &str) -> Option<Refusal> {
    match rule {
        Rule::Words(words) => {
            let near = || nearest(text, words.iter().copied());
            let help = || near().map(|near| format!("did you mean `{near}`?"));
            (!words.contains(&text)).then(|| Refusal { takes: listed(words), help: help() })
        }
        Rule::Form(name) => {
            let (takes, fits) = form(name, value, text)?;
            (!fits).then(|| Refusal { takes: takes.to_owned(), help: None })
        }
    }
}

/// `a`, `b` or `c`
fn listed(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// What values of a form are, and whether this is one.
fn form(name: &str, value: &Value, text: &str) -> Option<(&'static str, bool)> {
    let is_text = matches!(value, Value::Str(_));
    Some(match name {
        "text" => ("a text", is_text),
        "mode" => ("a text such as '0644' or 'u=rw,go=r'", is_text && is_mode(text)),
        "umask" => ("a text such as '022'", is_text && is_octal(text, 4)),
        "digits" => ("a number", is_digits(text)),
        "integer" => ("a number", !is_text || is_digits(text.strip_prefix('-').unwrap_or(text))),
        "number" => ("a number", !matches!(value, Value::Bool(_)) && text.parse::<f64>().is_ok()),
        "positive" => ("a number of at least 1", text.parse::<f64>().is_ok_and(|n| n >= 1.0)),
        "path" => ("a whole path", is_text && is_path(text)),
        "source" => ("a whole path or URL", is_text && is_source(text)),
        "address" => {
            let bare = text.split('%').next().unwrap_or(text);
            ("an IP address", is_text && bare.parse::<IpAddr>().is_ok())
        }
        "unspaced" => ("a text without blanks", !text.contains(char::is_whitespace)),
        "minute" => ("a minute from 0 to 59", is_time(text, 0, 59, &[])),
        "hour" => ("an hour from 0 to 23", is_time(text, 0, 23, &[])),
        "monthday" => ("a day from 1 to 31", is_time(text, 1, 31, &[])),
        "month" => ("a month from 1 to 12, or its name", is_time(text, 1, 12, &MONTHS)),
        "weekday" => ("a day from 0 to 7, or its name", is_time(text, 0, 7, &WEEKDAYS)),
        _ => return None,
    })
}

/// Whether a text may be a field of a cron entry. Steps and ranges are not looked into.
fn is_time(text: &str, least: u64, most: u64, names: &[&str]) -> bool {
    if is_digits(text) {
        return text.parse::<u64>().is_ok_and(|n| (least..=most).contains(&n));
    }
    if text.is_empty() || text.contains(',') {
        return false;
    }
    if text == "absent" || !text.bytes().all(|b| b.is_ascii_alphabetic()) {
        return true;
    }
    names.iter().any(|name| name.eq_ignore_ascii_case(text) || name[..3].eq_ignore_ascii_case(text))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_octal(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|b| matches!(b, b'0'..=b'7'))
}

/// Whether a text is a mode: octal digits, or clauses such as `u+x` with commas between.
fn is_mode(text: &str) -> bool {
    is_octal(text, 4)
        || text.strip_prefix('0').is_some_and(|rest| is_octal(rest, 4))
        || text.split(',').all(is_clause)
}

/// `ug+rw`, `=r`, `o=u`
fn is_clause(clause: &str) -> bool {
    let rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
    rest.starts_with(['+', '-', '=']) && rest.bytes().all(|b| b"+-=ugorwxXst".contains(&b))
}

/// Whether a path is a whole one, on some operating system.
fn is_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    has_drive || text.starts_with('/') || text.starts_with("\\\\")
}

fn is_source(text: &str) -> bool {
    let scheme = text.split(':').next().filter(|scheme| scheme.len() < text.len());
    is_path(text)
        || scheme.is_some_and(|s| matches!(s, "puppet" | "file" | "http" | "https"))
        // What is no scheme may be anything.
        || scheme.is_some_and(|s| !s.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The title of a `file` that has to be its path and is none.
pub(super) fn title(pass: &mut Pass<'_>, body: &ResourceBody, shared: &[Attribute]) {
    let program = pass.program;
    let attributes = program.attributes(body.attributes);
    if matches!(program[body.title], Expr::Default) {
        return;
    }
    let names_path = |a: &Attribute| a.name == "path" || a.op == AttributeOp::Splat;
    if attributes.iter().chain(shared).any(names_path) || pass.index.defaults.contains("file/path")
    {
        return;
    }
    for (title, at) in super::types::texts(program, body.title) {
        if is_path(title) {
            continue;
        }
        let message = format!("A `file` is named by a whole path, not '{title}'");
        let at = program.range(at).in_file(pass.file);
        let found = Diagnostic::error(INVALID_VALUE, message).at(at);
        pass.found.push(found.help("or give it the attribute `path`"));
    }
}

/// A resource that would do away with what a machine runs on, as far as it is written in the code.
pub(super) fn protected(
    pass: &mut Pass<'_>,
    kind: &str,
    body: &ResourceBody,
    shared: &[Attribute],
) {
    let program = pass.program;
    let own = program.attributes(body.attributes);
    let all = || own.iter().chain(shared);
    if all().any(|a| a.op == AttributeOp::Splat) {
        return;
    }
    let types = &pass.index.types;
    let value = |name: &str| {
        let attribute = all().find(|a| a.name == name)?;
        text(&types.value(program, attribute.value)?)
    };
    // What is computed may be anything: only a list of patterns is told from none at all.
    let is_computed = |a: &Attribute| a.name == "path" && types.value(program, a.value).is_none();
    if all().any(|a| is_computed(a) || a.name == "matches") {
        return;
    }
    let mut found = Vec::new();
    for (title, at) in super::types::texts(program, body.title) {
        let Some((path, act)) = protected::refusal(kind, title, value) else { continue };
        let done = act.done();
        let message = format!("`{path}` is not {done}: a machine runs on it");
        let at = program.range(at).in_file(pass.file);
        let help = format!("`--allow-remove {path}` of plan and apply permits it");
        found.push(Diagnostic::error(PROTECTED_PATH, message).at(at).help(help));
    }
    pass.found.extend(found);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refuses(kind: &'static str, name: &'static str, value: &Value) -> bool {
        let rule = RULES.get(&(kind, name)).unwrap();
        refusal(rule, value, &text(value).unwrap()).is_some()
    }

    #[test]
    fn every_line_is_an_attribute_with_a_rule() {
        assert_eq!(RULES.len(), TABLE.lines().count());
        for line in TABLE.lines() {
            let mut words = line.split(' ');
            let (kind, name) = (words.next().unwrap(), words.next().unwrap());
            let schema = ordain_puppet::schema::find(kind).unwrap();
            assert!(schema.attributes.contains(&name), "{kind} {name}");
            if let Some(Rule::Form(rule)) = RULES.get(&(kind, name)) {
                assert!(form(rule, &Value::Undef, "").is_some(), "{rule}");
            }
        }
    }

    #[test]
    fn values_that_are_refused() {
        let refused: [(&str, &str, Value); 16] = [
            ("file", "mode", Value::Int(644)),
            ("file", "mode", "77777".into()),
            ("file", "mode", "u=r,".into()),
            ("file", "mode", "rw".into()),
            ("file", "source", "files/x".into()),
            ("file", "source", "ftp://x/y".into()),
            ("file", "content", Value::Int(1)),
            ("cron", "hour", Value::Int(24)),
            ("cron", "minute", "1,2".into()),
            ("cron", "month", "monday".into()),
            ("cron", "month", Value::Int(0)),
            ("exec", "timeout", "5m".into()),
            ("exec", "tries", Value::Int(0)),
            ("exec", "cwd", "x".into()),
            ("service", "ensure", "runing".into()),
            ("host", "ip", "300.1.1.1".into()),
        ];
        for (kind, name, value) in refused {
            assert!(refuses(kind, name, &value), "{kind} {name} {value:?}");
        }
    }

    #[test]
    fn values_that_are_taken() {
        let taken: [(&str, &str, Value); 21] = [
            ("file", "mode", "7".into()),
            ("file", "mode", "00777".into()),
            ("file", "mode", "u=rwX,go=".into()),
            ("file", "mode", "g+u".into()),
            ("file", "source", "puppet:///modules/x/y".into()),
            ("file", "source", "C:/x".into()),
            ("file", "source", "https://x/y".into()),
            ("file", "purge", Value::Bool(true)),
            ("cron", "hour", "*/5".into()),
            ("cron", "minute", "05".into()),
            ("cron", "month", "Jan".into()),
            ("cron", "weekday", "monday".into()),
            ("cron", "weekday", "1-5/2".into()),
            ("exec", "timeout", Value::Int(-1)),
            ("exec", "timeout", "1.5".into()),
            ("exec", "umask", "0022".into()),
            ("service", "enable", "mask".into()),
            ("service", "ensure", Value::Bool(false)),
            ("group", "gid", "-1".into()),
            ("host", "ip", "fe80::1%eth0".into()),
            ("yumrepo", "enabled", Value::Int(1)),
        ];
        for (kind, name, value) in taken {
            assert!(!refuses(kind, name, &value), "{kind} {name} {value:?}");
        }
    }
}
