//! Advice for errors without help, by their issue and their source text.

use ordain_source::{Diagnostic, suggest};

use crate::parser::STATEMENT_CALLS;

/// Adds a line of help to an error without help. `text` is the text of its file.
pub fn advise(diagnostic: Diagnostic, text: Option<&str>) -> Diagnostic {
    if !diagnostic.help.is_empty() {
        return diagnostic;
    }
    match help(&diagnostic, text) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn help(diagnostic: &Diagnostic, text: Option<&str>) -> Option<String> {
    let fixed = match diagnostic.issue.as_deref().unwrap_or_default() {
        "ILLEGAL_VAR_NAME" | "ILLEGAL_PARAM_NAME" => {
            "a variable's name begins with a small letter or `_`; letters, digits and `_` follow"
        }
        "ILLEGAL_DEFINITION_NAME" | "ILLEGAL_CLASSREF" => {
            "such a name has small letters, digits and `_`, and `::` between its parts"
        }
        "ILLEGAL_ASSIGNMENT" => return assignment(at(diagnostic, text)?),
        "ILLEGAL_REASSIGNMENT" => {
            "a variable is set once in its scope: give the second value another name"
        }
        "NOT_NUMERIC" => {
            "arithmetic is done with numbers; texts are joined in double quotes: \"${a}${b}\""
        }
        "BAD_STRING_SLICE_KEY_TYPE" => return reference(diagnostic, text?),
        "HEREDOC_WITHOUT_END_TAGGED_LINE" => {
            "the text ends with a line that has only its tag, with `|` or `-` before it if wanted"
        }
        "UNKNOWN_FUNCTION" => return member(at(diagnostic, text)?, before(diagnostic, text)?),
        "IDEM_EXPRESSION_NOT_LAST" => return statement(diagnostic, text?),
        "ILLEGAL_RESOURCE_TYPE" if at(diagnostic, text).is_some_and(|at| at.starts_with('$')) => {
            return Some(format!(
                "a type by its name is `Resource[{}] {{ ... }}`",
                at(diagnostic, text)?
            ));
        }
        "ILLEGAL_ATTRIBUTE_APPEND" => {
            "defaults are set with `=>`; `+>` appends where a resource or a collector is named"
        }
        "UNCLOSED_MLCOMMENT" => "a comment that begins with `/*` ends with `*/`",
        _ => return None,
    };
    Some(fixed.to_owned())
}

/// The source at the place of an error.
fn at<'t>(diagnostic: &Diagnostic, text: Option<&'t str>) -> Option<&'t str> {
    let range = diagnostic.primary.as_ref()?.span.range;
    text?.get(range.start as usize..range.end as usize)
}

/// The source on the same line before the place of an error.
fn before<'t>(diagnostic: &Diagnostic, text: Option<&'t str>) -> Option<&'t str> {
    let start = diagnostic.primary.as_ref()?.span.range.start as usize;
    text?.get(..start)?.rsplit('\n').next()
}

/// Suggests `$facts['os']` for `$facts.os`: a name behind a variable and a dot is a function.
pub fn member(name: &str, before: &str) -> Option<String> {
    let name = name.trim_start_matches('.');
    let value = before.strip_suffix('.').unwrap_or(before);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '[' | ']' | '\'');
    let start = value.trim_end_matches(is_part).len().checked_sub(1)?;
    let value = value.get(start..).filter(|value| value.starts_with('$'))?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then(|| format!("the value under a key is `{value}['{name}']`"))
}

/// Suggests `include ntp` for `inclde ntp`: a name with something after it on its line.
fn statement(diagnostic: &Diagnostic, text: &str) -> Option<String> {
    let word = at(diagnostic, Some(text))?;
    let end = diagnostic.primary.as_ref()?.span.range.end as usize;
    let rest = text.get(end..)?.strip_prefix(' ')?;
    let is_argument = |c: char| c.is_ascii_alphabetic() || matches!(c, '\'' | '"' | '$' | ':');
    if !rest.starts_with(is_argument) || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let meant = suggest::nearest(word, STATEMENT_CALLS)?;
    Some(format!("did you mean `{meant}`?"))
}

/// The advice for something that cannot be assigned to, by its source: a name or a minus sign.
fn assignment(source: &str) -> Option<String> {
    if source == "-" {
        return Some("the name of a variable has no `-`: write `_`".to_owned());
    }
    let is_name = source.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && source.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':'));
    is_name.then(|| format!("a variable begins with `$`: ${source}"))
}

/// Suggests `Package['ntp']` for `package['ntp']`.
fn reference(diagnostic: &Diagnostic, text: &str) -> Option<String> {
    let start = diagnostic.primary.as_ref()?.span.range.start as usize;
    let before = text.get(..start)?.trim_end().strip_suffix('[')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let word = &before[before.trim_end_matches(is_word).len()..];
    if before[..before.len() - word.len()].ends_with('$') || !word.starts_with(char::is_alphabetic)
    {
        return None;
    }
    if word == "enum" {
        return Some(
            "a type of texts is `Enum['a', 'b']`; `enum[a, b]` is one in a type's body".into(),
        );
    }
    let parts = word.split("::").map(|part| {
        let mut chars = part.chars();
        chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
    });
    let name = parts.collect::<Vec<String>>().join("::");
    Some(format!("a reference to a resource begins with a capital letter: {name}[...]"))
}

#[cfg(test)]
mod tests {
    use ordain_source::{FileId, TextRange};

    use super::*;

    fn advice(issue: &'static str, message: &str, text: &str, at: &str) -> String {
        let start = text.find(at).expect("it is in the text") as u32;
        let range = TextRange::new(start, start + at.len() as u32);
        let error = Diagnostic::error("puppet::x", message).issue(issue);
        advise(error.at(range.in_file(FileId(0))), Some(text)).help.join("\n")
    }

    #[test]
    fn names_are_those_of_the_text() {
        let text = "x => my::package['ntp']";
        let help = advice("BAD_STRING_SLICE_KEY_TYPE", "A substring", text, "'ntp'");
        assert!(help.ends_with("My::Package[...]"), "{help}");
        assert_eq!(advice("BAD_STRING_SLICE_KEY_TYPE", "A substring", "$x['a']", "'a'"), "");
        let idle = |text, at| advice("IDEM_EXPRESSION_NOT_LAST", "No effect", text, at);
        assert_eq!(idle("inclde role::web", "inclde"), "did you mean `include`?");
        assert_eq!(idle("inclde\nrole::web", "inclde"), "", "two statements");
        assert_eq!(idle("something role::web", "something"), "");
        let assigned = |text, at| advice("ILLEGAL_ASSIGNMENT", "Not assignable", text, at);
        assert!(assigned("port = 1", "port").ends_with("$port"));
        assert!(assigned("$http-port = 1", "-").ends_with("write `_`"));
        assert_eq!(assigned("'port' = 1", "'port'"), "");
    }
}
