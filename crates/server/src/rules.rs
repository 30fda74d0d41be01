//! The classification of nodes by rules of a file.

use std::sync::Arc;

use ecow::EcoString;
use ordain_ca::Certname;
use ordain_data::yaml::{self, Schema};
use ordain_data::{Value as Data, json};

use crate::classify::{Classification, entries};

/// The rules of a file, in their order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Rules(Vec<Rule>);

/// A rule.
#[derive(Clone, Debug)]
struct Rule {
    /// All of them have to hold.
    conditions: Vec<Condition>,
    classification: Classification,
}

/// A condition: a value of the node is like one of the patterns.
#[derive(Clone, Debug)]
struct Condition {
    subject: Subject,
    path: Vec<String>,
    patterns: Vec<String>,
}

/// The values that a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Subject {
    Certname,
    Trusted,
    Facts,
}

impl Rules {
    /// Reads a YAML document with the list `rules`.
    ///
    /// # Errors
    /// The message for a document of another form.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let document = yaml::read(text, Schema::Psych).map_err(|error| error.to_string())?;
        let map = document.as_map().ok_or("it has no list `rules`")?;
        if let Some(key) = map.keys().find(|key| key.as_str() != Some("rules")) {
            return Err(format!("{} is unknown; there is only `rules`", json::compact(key)));
        }
        let rules = document.get("rules").and_then(Data::as_list);
        let rules = rules.ok_or("it has no list `rules`")?;
        let rule =
            |(at, rule)| Rule::parse(rule).map_err(|message| format!("rule {}: {message}", at + 1));
        rules.iter().enumerate().map(rule).collect::<Result<_, _>>().map(Self)
    }

    /// The classification of a node: that of all rules whose conditions hold. A later rule overrides
    /// the environment, the parameters of the same name, and those of the same class.
    pub(crate) fn classify(
        &self,
        node: &Certname,
        trusted: &Data,
        facts: Option<&Data>,
    ) -> Classification {
        let mut found = Classification::default();
        let values = Values { certname: Data::str(node.as_str()), trusted, facts };
        for rule in self.0.iter().filter(|rule| rule.conditions.iter().all(|c| values.has(c))) {
            let Classification { environment, parameters, classes } = &rule.classification;
            if environment.is_some() {
                found.environment.clone_from(environment);
            }
            for (name, value) in parameters {
                set(&mut found.parameters, name, value.clone());
            }
            for (name, value) in classes {
                let known = found.classes.iter().find(|(known, _)| known == name);
                let value = known.map_or_else(|| value.clone(), |(_, known)| merged(known, value));
                set(&mut found.classes, name, value);
            }
        }
        found
    }
}

/// The values of a node.
struct Values<'a> {
    certname: Data,
    trusted: &'a Data,
    facts: Option<&'a Data>,
}

impl Values<'_> {
    /// Whether a condition holds. A value that does not exist is like no pattern.
    fn has(&self, condition: &Condition) -> bool {
        let values = match condition.subject {
            Subject::Certname => Some(&self.certname),
            Subject::Trusted => Some(self.trusted),
            Subject::Facts => self.facts,
        };
        let path = condition.path.iter().map(String::as_str);
        let Some(value) = values.and_then(|values| values.dig(path)) else { return false };
        let text = value.as_str().map_or_else(|| json::compact(value), str::to_string);
        condition.patterns.iter().any(|pattern| is_like(pattern, &text))
    }
}

impl Rule {
    fn parse(rule: &Data) -> Result<Self, String> {
        let map = rule.as_map().ok_or("it is not a map")?;
        let mut out = Self { conditions: Vec::new(), classification: Classification::default() };
        for (key, value) in map.iter() {
            let key = key.as_str().unwrap_or_default();
            let has_entries = value.as_map().is_some() || value.as_list().is_some();
            match key {
                "match" => {
                    let conditions = value.as_map().ok_or("`match` is not a map")?;
                    let conditions = conditions.iter().map(|(key, value)| {
                        Condition::parse(key.as_str().unwrap_or_default(), value)
                    });
                    out.conditions = conditions.collect::<Result<_, _>>()?;
                }
                "environment" => {
                    let name = value.as_str().ok_or("`environment` is not a text")?;
                    out.classification.environment = Some(name.to_string());
                }
                "classes" if has_entries => out.classification.classes = entries(value),
                "parameters" if value.as_map().is_some() => {
                    out.classification.parameters = entries(value);
                }
                "classes" => return Err("`classes` is neither a list nor a map".to_string()),
                "parameters" => return Err("`parameters` is not a map".to_string()),
                _ => {
                    return Err(format!(
                        "`{key}` is unknown; there are `match`, `environment`, `classes` and \
                         `parameters`"
                    ));
                }
            }
        }
        Ok(out)
    }
}

impl Condition {
    fn parse(key: &str, value: &Data) -> Result<Self, String> {
        let mut parts = key.split('.').map(str::to_string);
        let subject = match parts.next().as_deref() {
            Some("certname") => Subject::Certname,
            Some("trusted") => Subject::Trusted,
            Some("facts") => Subject::Facts,
            _ => return Err(format!("`{key}` is not `certname`, `trusted.…` or `facts.…`")),
        };
        let path: Vec<String> = parts.collect();
        if (subject == Subject::Certname) != path.is_empty() {
            return Err(format!("`{key}` is not `certname`, `trusted.…` or `facts.…`"));
        }
        let text = |value: &Data| match value {
            Data::Map(_) | Data::List(_) | Data::Null => {
                Err(format!("`{key}` is neither a value nor a list of values"))
            }
            value => Ok(value.as_str().map_or_else(|| json::compact(value), str::to_string)),
        };
        let patterns = match value.as_list() {
            Some(values) => values.iter().map(text).collect::<Result<_, _>>()?,
            None => vec![text(value)?],
        };
        Ok(Self { subject, path, patterns })
    }
}

fn set(all: &mut Vec<(EcoString, Data)>, name: &EcoString, value: Data) {
    match all.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => *known = value,
        None => all.push((name.clone(), value)),
    }
}

/// The parameters of a class, where the later ones win.
fn merged(known: &Data, later: &Data) -> Data {
    match (known.as_map(), later.as_map()) {
        (Some(known), Some(later)) => {
            let mut all = known.clone();
            for (name, value) in later.iter() {
                all.insert(name.clone(), value.clone());
            }
            Data::Map(Arc::new(all))
        }
        (Some(_), None) => known.clone(),
        _ => later.clone(),
    }
}

/// Whether a text is like a pattern, in which `*` stands for any characters.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(begin) else { return false };
    let (inner, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in inner.split('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "
rules:
  - classes: {ntp: {servers: [a], panic: 0}}
    parameters: {level: low, site: north}
  - match: {certname: 'web*.example.org', trusted.extensions.pp_role: [edge, web]}
    environment: web
    classes: [nginx]
    parameters: {level: high}
  - match: {facts.os.family: Debian, facts.is_virtual: true}
    classes: {ntp: {servers: [b]}}
";

    fn trusted(role: &str) -> Data {
        Data::map([("extensions", Data::map([("pp_role", Data::str(role))]))])
    }

    fn classify(node: &str, role: &str, facts: Option<&str>) -> Classification {
        let facts = facts.map(|text| json::read(text).unwrap());
        let rules = Rules::parse(RULES).unwrap();
        rules.classify(&Certname::new(node).unwrap(), &trusted(role), facts.as_ref())
    }

    fn shown(found: &Classification) -> String {
        let text = |all: &[(EcoString, Data)]| json::compact(&Data::map(all.iter().cloned()));
        format!("{:?} {} {}", found.environment, text(&found.classes), text(&found.parameters))
    }

    #[test]
    fn all_rules_that_hold_apply_and_later_ones_win() {
        assert_eq!(
            shown(&classify("db.example.org", "web", None)),
            r#"None {"ntp":{"servers":["a"],"panic":0}} {"level":"low","site":"north"}"#
        );
        let debian = r#"{"os":{"family":"Debian"},"is_virtual":true}"#;
        assert_eq!(
            shown(&classify("web1.example.org", "web", Some(debian))),
            r#"Some("web") {"ntp":{"servers":["b"],"panic":0},"nginx":null} {"level":"high","site":"north"}"#
        );
        assert_eq!(classify("web1.example.org", "db", None).environment, None);
        assert_eq!(classify("web1.example.org.evil", "web", None).environment, None);
    }

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, is) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("a*c", "abc", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("ab*ba", "aba", false),
            ("a**c", "ac", true),
            ("a", "ab", false),
            ("*.org", "x.org.evil", false),
            ("[a]", "a", false),
        ] {
            assert_eq!(is_like(pattern, text), is, "{pattern} {text}");
        }
    }

    #[test]
    fn wrong_files_have_messages() {
        for (text, message) in [
            ("[]", "it has no list `rules`"),
            ("rules: 1", "it has no list `rules`"),
            ("rules: []\nmore: 1", "\"more\" is unknown; there is only `rules`"),
            ("rules: [1]", "rule 1: it is not a map"),
            ("rules: [{}, {class: a}]", "rule 2: `class` is unknown; there are `match`,"),
            ("rules: [{match: {role: a}}]", "rule 1: `role` is not `certname`, `trusted.…`"),
            ("rules: [{match: {facts: a}}]", "rule 1: `facts` is not `certname`, `trusted.…`"),
            ("rules: [{match: {certname: {}}}]", "rule 1: `certname` is neither a value nor"),
            ("rules: [{classes: a}]", "rule 1: `classes` is neither a list nor a map"),
        ] {
            let found = Rules::parse(text).unwrap_err();
            assert!(found.starts_with(message), "{text}: {found}");
        }
    }
}
