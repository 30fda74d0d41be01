//! The `--ignore` rules of octocatalog-diff.

use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;
use similar::{ChangeTag, TextDiff};

use crate::change::Change;
use crate::error::FleetError;

/// The separator of the parts of an attribute, as in octocatalog-diff.
const SEPARATOR: &str = "\u{c}";

/// A rule: a change that it matches is not shown. Types and titles are compared without regard to
/// case, and `*` in a title stands for any characters.
#[derive(Clone, Debug)]
pub struct IgnoreRule {
    kind: Option<String>,
    title: Option<Regex>,
    part: Option<Subject>,
}

/// The part of a change that a rule is about.
#[derive(Clone, Debug)]
enum Subject {
    /// Changes of these types: `+` added, `-` removed, `~` and `!` changed.
    Types(String),
    Attribute(AttributeRule),
}

#[derive(Clone, Debug)]
struct AttributeRule {
    /// Whether the attribute has to be new (`+`) or gone (`-`).
    presence: Option<char>,
    path: String,
    test: Option<Test>,
}

/// A condition on the values.
#[derive(Clone, Debug)]
enum Test {
    /// Either value is this text.
    Either(String),
    New(String),
    Old(String),
    /// A changed line matches.
    AnyLine(Regex),
    /// All changed lines match.
    AllLines(Regex),
    /// Both are lists of the same items.
    SameItems,
}

impl IgnoreRule {
    /// Parses `Type[title]`, `Type[title]+`, `Type[title]::parameters::name=>value` and the like.
    ///
    /// # Errors
    /// When the text has another form, or an invalid regular expression.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let wrong = || {
            FleetError::Rule(format!(
                "`{text}` is no rule: it has to be Type[title] or Type[title]::attribute"
            ))
        };
        let (kind, rest) =
            text.split_once('[').filter(|(kind, _)| !kind.is_empty()).ok_or_else(wrong)?;
        // The original takes the last bracket, which may be one of a pattern.
        let ends = rest.match_indices(']').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
        let is_end = |(title, part): &(&str, &str)| {
            let begins = ["::", "\\f", "+", "-", "~", "!"].iter().any(|s| part.starts_with(s));
            !title.is_empty() && (part.is_empty() || begins)
        };
        let (title, part) = ends.into_iter().find(is_end).ok_or_else(wrong)?;
        let mut rule = Self::of_title(kind, title)?;
        if !part.is_empty() {
            rule.part = Some(Subject::parse(part)?);
        }
        Ok(rule)
    }

    /// Parses the name of an attribute, as `--ignore-attr` has it.
    ///
    /// # Errors
    /// When a condition has an invalid regular expression.
    pub fn of_attribute(text: &str) -> Result<Self, FleetError> {
        Ok(Self { kind: None, title: None, part: Some(Subject::parse(text)?) })
    }

    fn of_title(kind: &str, title: &str) -> Result<Self, FleetError> {
        let pattern = format!("\\A{}\\z", regex::escape(title).replace("\\*", ".*"));
        let title = (title != "*").then(|| regex(&pattern, text_of(kind, title).as_str()));
        Ok(Self {
            kind: (kind != "*").then(|| kind.to_owned()),
            title: title.transpose()?,
            part: None,
        })
    }

    /// Whether the rule matches a change. Orders and failures are matched by no rule, since
    /// octocatalog-diff does not have them, except notifications, which are parameters there.
    pub fn matches(&self, change: &Change) -> bool {
        let Some((kind, title)) = change.resource().and_then(|name| name.split_once('[')) else {
            return false;
        };
        let title = title.strip_suffix(']').unwrap_or(title);
        if self.kind.as_ref().is_some_and(|wanted| !wanted.eq_ignore_ascii_case(kind)) {
            return false;
        }
        if self.title.as_ref().is_some_and(|wanted| !wanted.is_match(title)) {
            return false;
        }
        let sign = match change {
            Change::Added { .. } => '+',
            Change::Removed { .. } => '-',
            Change::Attribute { before: Some(_), after: Some(_), .. } => '~',
            _ => '!',
        };
        match &self.part {
            None => true,
            Some(Subject::Types(types)) => types.contains(sign),
            Some(Subject::Attribute(rule)) => rule.matches(change),
        }
    }
}

fn text_of(kind: &str, title: &str) -> String {
    format!("{kind}[{title}]")
}

impl Subject {
    fn parse(text: &str) -> Result<Self, FleetError> {
        let text = text.replace("\\f", SEPARATOR).replace("::", SEPARATOR);
        if text.chars().all(|c| "+-~!".contains(c)) {
            return Ok(Self::Types(text));
        }
        let presence = text.chars().next().filter(|c| "+-".contains(*c));
        let text = text.strip_prefix(['+', '-']).unwrap_or(&text);
        let operators = ["=s>=", "=+>", "=->", "=~>", "=&>", "=>"];
        // The leftmost operator counts; its value may contain others.
        let found = operators.iter().filter_map(|operator| Some((text.find(operator)?, *operator)));
        let found = found.filter(|(at, _)| *at > 0).min_by_key(|(at, _)| *at);
        let Some((at, operator)) = found else {
            let path = text.to_owned();
            return Ok(Self::Attribute(AttributeRule { presence, path, test: None }));
        };
        // Separators inside of the value were `::` in the text.
        let value = text[at + operator.len()..].replace(SEPARATOR, "::");
        let test = match operator {
            "=>" => Test::Either(value),
            "=+>" => Test::New(value),
            "=->" => Test::Old(value),
            "=~>" => Test::AnyLine(regex(&value, &value)?),
            "=&>" => Test::AllLines(regex(&value, &value)?),
            _ => Test::SameItems,
        };
        let path = text[..at].to_owned();
        Ok(Self::Attribute(AttributeRule { presence, path, test: Some(test) }))
    }
}

fn regex(pattern: &str, shown: &str) -> Result<Regex, FleetError> {
    let mut builder = RegexBuilder::new(pattern);
    let built = builder.case_insensitive(true).multi_line(true).dot_matches_new_line(false).build();
    built.map_err(|error| {
        FleetError::Rule(format!("the rule `{shown}` has an invalid pattern: {error}"))
    })
}

impl AttributeRule {
    fn matches(&self, change: &Change) -> bool {
        let (name, old, new) = match change {
            Change::Attribute { attribute, before, after, .. } => {
                (attribute.as_str(), before.as_ref(), after.as_ref())
            }
            Change::File { .. } => ("content", None, None),
            _ => return false,
        };
        match self.presence {
            Some('+') if old.is_some() => return false,
            Some('-') if new.is_some() => return false,
            _ => {}
        }
        let full = ["parameters", name].join(SEPARATOR).to_lowercase();
        let path = self.path.to_lowercase();
        let is_named = match path.strip_prefix(SEPARATOR) {
            Some(path) => full == path || full.starts_with(&format!("{path}{SEPARATOR}")),
            None if path.contains(SEPARATOR) => full == path,
            None => full.split(SEPARATOR).any(|part| part == path),
        };
        is_named && self.test.as_ref().is_none_or(|test| test.holds(old, new))
    }
}

impl Test {
    fn holds(&self, old: Option<&Json>, new: Option<&Json>) -> bool {
        let is = |value: Option<&Json>, text: &String| {
            value.and_then(Json::as_str).is_some_and(|value| value == text)
        };
        match self {
            Self::Either(text) => is(old, text) || is(new, text),
            Self::New(text) => is(new, text),
            Self::Old(text) => is(old, text),
            Self::AnyLine(regex) => changed_lines(old, new).iter().any(|line| regex.is_match(line)),
            Self::AllLines(regex) => {
                changed_lines(old, new).iter().all(|line| regex.is_match(line))
            }
            Self::SameItems => {
                let sorted = |value: Option<&Json>| {
                    let mut items: Vec<String> =
                        value?.as_array()?.iter().map(ToString::to_string).collect();
                    items.sort();
                    items.dedup();
                    Some(items)
                };
                sorted(old).is_some_and(|items| Some(items) == sorted(new))
            }
        }
    }
}

/// The changed lines with their signs, without surrounding space.
fn changed_lines(old: Option<&Json>, new: Option<&Json>) -> Vec<String> {
    let text = |value: Option<&Json>| match value {
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let (old, new) = (text(old), text(new));
    let diff = TextDiff::from_lines(old.as_str(), new.as_str());
    let changed = diff.iter_all_changes().filter_map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => return None,
        };
        Some(format!("{sign}{}", change.value()).trim().to_owned())
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn attribute(name: &str, before: Json, after: Json) -> Change {
        let value = |value: Json| (!value.is_null()).then_some(value);
        Change::Attribute {
            resource: "File[/tmp/foo/bar]".into(),
            attribute: name.into(),
            before: value(before),
            after: value(after),
            document: None,
        }
    }

    #[test]
    fn rules_match_as_in_octocatalog_diff() {
        let owner = attribute("owner", json!("joe"), json!("root"));
        let new = attribute("mode", Json::Null, json!("0644"));
        let text = attribute("content", json!("a\nold x\n"), json!("a\nnew x\n"));
        let list = attribute("groups", json!(["a", "b"]), json!(["b", "a"]));
        let added = Change::Added { resource: "File[/tmp/foo]".into(), attributes: Vec::new() };
        // The results are those of `octocatalog-diff` for these rules, by its manual.
        let table: [(&str, &Change, bool); 25] = [
            ("file[*]", &owner, true),
            ("Exec[*]", &owner, false),
            ("File[/TMP/*]", &owner, true),
            ("File[/tmp/foo]", &owner, false),
            ("File[*/bar]", &owner, true),
            ("File[/tmp/*/bar]::parameters::owner", &owner, true),
            ("File[*]::parameters::mode", &owner, false),
            ("File[*]::parameters::owner=>joe", &owner, true),
            ("File[*]::parameters::owner=+>joe", &owner, false),
            ("File[*]::parameters::owner=->joe", &owner, true),
            ("File[*]::parameters::owner=~>^\\+root$", &owner, true),
            ("File[*]::parameters::owner=&>^\\+root$", &owner, false),
            ("File[*]::parameters::content=~>new", &text, true),
            ("File[*]::parameters::content=&>^[-+](old|new) x$", &text, true),
            ("File[*]::parameters::content=&>^[+]new x$", &text, false),
            ("File[*]+::parameters::mode", &new, true),
            ("File[*]-::parameters::mode", &new, false),
            ("File[*]+::parameters::owner", &owner, false),
            ("File[*]+", &added, true),
            ("File[*]-", &added, false),
            ("File[*]+-", &added, true),
            ("File[*]+", &owner, false),
            ("File[*]~", &owner, true),
            ("File[*]::parameters::groups=s>=", &list, true),
            ("File[*]::parameters::owner=s>=", &owner, false),
        ];
        for (rule, change, want) in table {
            assert_eq!(IgnoreRule::parse(rule).unwrap().matches(change), want, "{rule}");
        }
        for (rule, want) in
            [("owner", true), ("::parameters::owner", true), ("own", false), ("parameters", true)]
        {
            assert_eq!(IgnoreRule::of_attribute(rule).unwrap().matches(&owner), want, "{rule}");
        }
        for rule in ["File", "[x]", "File[]", "File[x]::a=~>("] {
            assert!(IgnoreRule::parse(rule).is_err(), "{rule}");
        }
    }
}
