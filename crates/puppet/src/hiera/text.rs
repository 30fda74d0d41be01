//! Names of types in Hiera's messages, and the texts of files.

use crate::value::Value;
use ordain_source::World;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// The name of the type of a value in messages about wrong types.
pub(super) fn type_word(value: &Value) -> &'static str {
    match value {
        Value::Undef => "Undef",
        Value::Default => "Default",
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(items) if items.is_empty() => "Array",
        Value::Array(_) => "Tuple",
        Value::Hash(entries) if entries.is_empty() => "Hash",
        Value::Hash(entries)
            if entries.keys().all(|k| k.as_str().is_some_and(|k| !k.is_empty())) =>
        {
            "Struct"
        }
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(_) | Value::Reference(_) => "Type",
        Value::Sensitive(_) => "Sensitive",
        Value::Binary(_) => "Binary",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "SemVer",
        Value::SemVerRange(_) => "SemVerRange",
        Value::Uri(_) => "URI",
        Value::Callable(_) => "Callable",
        Value::Object(_) | Value::Instance(_) => "Object",
        Value::Iterator(_) => "Iterator",
        Value::Runtime(object) if object.is_integer() => "Integer",
        Value::Runtime(_) => "Runtime",
    }
}

/// The message about the problems with the type of `subject`; `None` without problems.
pub(super) fn mismatches(subject: &str, problems: &[String]) -> Option<String> {
    match problems {
        [] => None,
        [problem] => Some(format!("{subject} has wrong type, {problem}")),
        several => {
            let lines = several.iter().map(|p| format!(" {subject} has wrong type, {p}"));
            Some(lines.collect::<Vec<_>>().join("\n "))
        }
    }
}

/// The text of a file.
pub(super) fn read_text(world: &dyn World, path: &Path) -> Result<String, String> {
    text_of(path, world.read(path).map_err(|e| unreadable(path, &e))?)
}

/// The text of a file for code; errors have the words of Ruby.
pub(super) fn text_for_code(world: &dyn World, path: &Path) -> Result<String, String> {
    text_of(path, world.read(path).map_err(|error| refused_read(path, &error))?)
}

/// Ruby's message for a file that code cannot read.
pub(super) fn refused_read(path: &Path, error: &Error) -> String {
    let (reason, call) = match error.kind() {
        ErrorKind::NotFound => ("No such file or directory", "rb_file_s_stat"),
        ErrorKind::NotADirectory => ("Not a directory", "rb_file_s_stat"),
        ErrorKind::IsADirectory => ("Is a directory", "io_fread"),
        ErrorKind::PermissionDenied => ("Permission denied", "rb_sysopen"),
        _ => return unreadable(path, error),
    };
    format!("{reason} @ {call} - {}", path.display())
}

pub(super) fn unreadable(path: &Path, error: &Error) -> String {
    format!("{}: {error}", path.display())
}

pub(super) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes);
    let mut text = text.map_err(|_| format!("({}): the text is not UTF-8", path.display()))?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}
