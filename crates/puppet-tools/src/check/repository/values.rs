//! Literal values that the schemas of resource types refuse.
//!
//! Only values that the type refuses on every machine are reported. Values that depend on the
//! provider, the operating system or other attributes are left to the run.

use ordain_graph::protected;
use ordain_kinds::{Form, ScalarType};
use ordain_source::{Diagnostic, Severity};

use crate::check::repository::pass::Pass;
use ordain_puppet::schema::TypeSchema;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::nearest;
use ordain_puppet::value::Value;

const INVALID_VALUE: &str = "puppet::invalid-value";
const CONFLICTING_ATTRIBUTES: &str = "puppet::conflicting-attributes";
const PROTECTED_PATH: &str = "puppet::protected-path";

/// Checks the values of a native resource.
pub(super) fn check(pass: &mut Pass<'_>, schema: &'static TypeSchema, attributes: &[Attribute]) {
    let kind = schema.name;
    // The installed module may have another version of the type.
    let severity = if schema.is_core() { Severity::Error } else { Severity::Warning };
    for attribute in attributes.iter().filter(|a| a.op == AttributeOp::Set) {
        if kind == "file" && attribute.name == "ensure" {
            link(pass, attribute);
            continue;
        }
        if kind == "user" && attribute.name == "uid" {
            user_id(pass, attribute);
            continue;
        }
        let Some(form) = schema.form(&attribute.name) else { continue };
        let Some(value) = pass.index.types.value(pass.program, attribute.value) else { continue };
        let Some(text) = text(&value) else { continue };
        if fits(form, &value, &text) {
            continue;
        }
        if pass.is_full() {
            return;
        }
        let range = pass.program.range(attribute.value);
        let (name, written) = (&attribute.name, pass.program.text(range));
        let takes = form.description();
        let message = format!("`{name}` of a resource `{kind}` is {takes}, not {written}");
        let at = range.in_file(pass.file);
        let mut found = Diagnostic::new(severity, INVALID_VALUE, message).at(at);
        found.help.extend(nearest_word(form, &text));
        pass.found.push(found);
    }
}

/// Functions whose result is a text.
const MAKING_TEXT: [&str; 7] =
    ["template", "inline_template", "epp", "inline_epp", "file", "sprintf", "join"];

/// Attributes that each give the content of a `file`.
const CONTENTS: [&str; 3] = ["content", "source", "target"];

/// Reports a `file` that gets its content in several ways, and an `exec` whose program cannot be
/// found. Values that may be `undef` are not looked at.
pub(super) fn body(pass: &mut Pass<'_>, kind: &str, body: &ResourceBody, shared: &[Attribute]) {
    let program = pass.program;
    let own = program.attributes(body.attributes);
    match kind {
        "file" => {
            let mut given = own
                .iter()
                .filter(|a| CONTENTS.contains(&a.name.as_str()) && is_certain(program, a.value));
            if let (Some(first), Some(second)) = (given.next(), given.next())
                && first.name != second.name
            {
                let message = format!("A `file` has either `{}` or `{}`", first.name, second.name);
                let at = |a: &Attribute| a.range.in_file(pass.file);
                let found = Diagnostic::error(CONFLICTING_ATTRIBUTES, message).at(at(second));
                pass.found.push(found.related(at(first), "the other one"));
            }
        }
        "exec" => program_of(pass, body, shared),
        _ => {}
    }
}

/// Whether an expression certainly has a value.
fn is_certain(program: &Program, id: ExprId) -> bool {
    match &program[id] {
        Expr::Str(_) | Expr::Name(_) | Expr::Concat(_) | Expr::Heredoc { .. } => true,
        Expr::Call(call) => {
            let callee = &program[program.call(*call).callee];
            matches!(callee, Expr::Name(name) if MAKING_TEXT.contains(&name.as_str()))
        }
        _ => false,
    }
}

/// Reports an `exec` of a program without its path, if nothing tells where to search.
fn program_of(pass: &mut Pass<'_>, body: &ResourceBody, shared: &[Attribute]) {
    let program = pass.program;
    let own = program.attributes(body.attributes);
    let searches = |a: &Attribute| {
        matches!(a.name.as_str(), "path" | "provider") || a.op == AttributeOp::Splat
    };
    let defaults = &pass.index.defaults;
    let is_set = ["exec/path", "exec/provider"].iter().any(|name| defaults.contains(*name));
    if is_set || own.iter().chain(shared).any(searches) || pass.is_full() {
        return;
    }
    let value_of = |name: &str| own.iter().chain(shared).find(|a| a.name == name).map(|a| a.value);
    let command = value_of("command").or_else(|| value_of("name"));
    let command = command.map_or(body.title, |command| match &program[command] {
        // The others are the arguments of the program.
        Expr::List(words) => program.list(*words).first().copied().unwrap_or(command),
        _ => command,
    });
    for (command, at) in super::types::texts(program, command) {
        let name = command.split_whitespace().next().unwrap_or_default();
        let quoted = name.trim_start_matches(['"', '\'']);
        if quoted.is_empty() || Form::Path.fits(quoted, ScalarType::Text) {
            continue;
        }
        let message = format!("The program `{name}` has no path, and this `exec` has no `path`");
        // The site's manifest may have defaults that a module does not see.
        let severity = match pass.index.is_environment() {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let found = Diagnostic::new(severity, INVALID_VALUE, message).at(program.span(at));
        let help = "write the whole path of the program, or `path => ['/usr/bin', '/bin']`";
        pass.found.push(found.help(help));
    }
}

/// The values of `ensure` of a `file`. Any other text makes it a link.
const FILE_STATES: [&str; 7] = ["present", "absent", "file", "directory", "link", "true", "false"];

/// A `file` that is a link because its state is probably misspelt.
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

/// The id of a user, which is a number. On Windows the type takes none at all.
fn user_id(pass: &mut Pass<'_>, attribute: &Attribute) {
    let Some(Value::Str(text)) = pass.index.types.value(pass.program, attribute.value) else {
        return;
    };
    if text.parse::<i64>().is_ok() || pass.is_full() {
        return;
    }
    let message = format!("`uid` of a resource `user` is a number, not '{text}'");
    let at = pass.program.span(attribute.value);
    pass.found.push(Diagnostic::error(INVALID_VALUE, message).at(at));
}

/// A single value as the types see it; lists are checked by item.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether a value has a form.
fn fits(form: Form, value: &Value, text: &str) -> bool {
    let ty = match value {
        Value::Str(_) => ScalarType::Text,
        Value::Bool(_) => ScalarType::Boolean,
        _ => ScalarType::Number,
    };
    form.fits(text, ty)
}

/// The help that suggests the nearest allowed word.
fn nearest_word(form: Form, text: &str) -> Option<String> {
    let Form::Words(words) = form else { return None };
    nearest(text, words.iter().copied()).map(|near| format!("did you mean `{near}`?"))
}

/// Reports the title of a `file` that is not an absolute path and no `path` is set.
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
        if Form::Path.fits(title, ScalarType::Text) {
            continue;
        }
        let message = format!("A `file` is named by a whole path, not '{title}'");
        let at = program.range(at).in_file(pass.file);
        let found = Diagnostic::error(INVALID_VALUE, message).at(at);
        pass.found.push(found.help("or give it the attribute `path`"));
    }
}

/// A resource that would remove paths that a machine needs, as far as its attributes are literal.
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
    // A computed value may be anything. Only an array type proves that it is a list of patterns.
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

    fn refuses(kind: &str, name: &str, value: &Value) -> bool {
        let form = ordain_puppet::schema::find(kind).unwrap().form(name).unwrap();
        !fits(form, value, &text(value).unwrap())
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
