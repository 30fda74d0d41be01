//! Chooses nodes and changes.

use ordain_data::Value as Data;
use regex::Regex;

use crate::change::Change;
use crate::error::FleetError;
use crate::ignore::IgnoreRule;
use crate::nodes::FleetNode;

/// Chooses nodes by name and facts. All conditions have to hold; of several names one.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    names: Vec<Regex>,
    facts: Vec<(Vec<String>, Regex)>,
}

/// Chooses changes by kind, class and attribute, and by the rules that ignore some.
#[derive(Clone, Debug, Default)]
pub struct ChangeFilter {
    kinds: Vec<Regex>,
    attributes: Vec<Regex>,
    /// Rules whose changes are not shown.
    pub ignore: Vec<IgnoreRule>,
    /// Whether documents that differ only in their layout are equal.
    pub ignores_layout: bool,
}

/// The resource of a class by its name in manifests: `Class[Profile::Base]` of `profile::base`.
pub fn class_resource(name: &str) -> String {
    let capital = |segment: &str| {
        let mut chars = segment.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    };
    let name = name.trim_start_matches("::");
    let segments: Vec<String> = name.split("::").map(capital).collect();
    format!("Class[{}]", segments.join("::"))
}

/// A pattern for a whole text: `*` stands for any characters. Case does not matter.
pub(crate) fn pattern(text: &str) -> Result<Regex, FleetError> {
    let escaped = regex::escape(text).replace("\\*", ".*");
    Regex::new(&format!("(?is)\\A(?:{escaped})\\z"))
        .map_err(|error| FleetError::Rule(format!("`{text}` is no pattern: {error}")))
}

/// The path and the pattern of the value in `os.family=Debian`.
pub(crate) fn fact_condition(text: &str) -> Result<(&str, Regex), FleetError> {
    let wrong = || FleetError::Rule(format!("`{text}` is no fact: it has to be NAME=VALUE"));
    let (path, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((path, pattern(value)?))
}

/// The text of a fact's value that patterns are compared with.
pub(crate) fn fact_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn patterns(texts: &[String]) -> Result<Vec<Regex>, FleetError> {
    texts.iter().map(|text| pattern(text)).collect()
}

impl NodeFilter {
    /// Chooses nodes whose name matches one of the patterns, and whose facts have all the values:
    /// `os.family=Debian`, where the value is a pattern.
    ///
    /// # Errors
    /// When a pattern is invalid, or a fact has no value.
    pub fn new(names: &[String], facts: &[String]) -> Result<Self, FleetError> {
        let fact = |text: &String| {
            let (path, value) = fact_condition(text)?;
            Ok((path.split('.').map(str::to_owned).collect(), value))
        };
        let facts = facts.iter().map(fact).collect::<Result<_, FleetError>>()?;
        Ok(Self { names: patterns(names)?, facts })
    }

    /// Whether all nodes are chosen.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.facts.is_empty()
    }

    /// Whether a name is chosen, whatever the facts of the node.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|pattern| pattern.is_match(name))
    }

    /// Whether nodes are chosen by their facts, too.
    pub fn has_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// Whether a node is chosen. One whose facts cannot be read is chosen by no fact.
    pub fn has(&self, node: &FleetNode) -> bool {
        if !self.has_name(&node.name) {
            return false;
        }
        if self.facts.is_empty() {
            return true;
        }
        let Ok(known) = node.parse() else { return false };
        self.facts.iter().all(|(path, value)| {
            let found = known.facts.dig(path.iter().map(String::as_str));
            found.is_some_and(|found| value.is_match(&text(found)))
        })
    }
}

fn text(value: &Data) -> String {
    value.as_str().map_or_else(|| ordain_data::json::compact(value), str::to_owned)
}

impl ChangeFilter {
    /// Chooses changes of resources of these kinds (`file`, `apache::vhost`, or `File[/etc/*]`) and
    /// of these attributes.
    ///
    /// # Errors
    /// When a pattern is invalid.
    pub fn new(kinds: &[String], attributes: &[String]) -> Result<Self, FleetError> {
        let whole = |kind: &String| match kind.contains('[') {
            true => kind.clone(),
            false => format!("{kind}[*]"),
        };
        let kinds: Vec<String> = kinds.iter().map(whole).collect();
        let (kinds, attributes) = (patterns(&kinds)?, patterns(attributes)?);
        Ok(Self { kinds, attributes, ..Self::default() })
    }

    /// Whether a change is shown. Failures and cycles always are.
    pub fn has(&self, change: &Change) -> bool {
        let Some(resource) = change.resource() else { return true };
        if self.ignores_layout && is_layout(change) {
            return false;
        }
        let is_one = |patterns: &[Regex], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.is_match(text))
        };
        let has_attribute = change
            .attribute()
            .map_or(self.attributes.is_empty(), |attribute| is_one(&self.attributes, attribute));
        is_one(&self.kinds, resource)
            && has_attribute
            && !self.ignore.iter().any(|rule| rule.matches(change))
    }
}

/// Whether only the layout of a document differs.
fn is_layout(change: &Change) -> bool {
    let (Change::Attribute { document, .. } | Change::File { document, .. }) = change else {
        return false;
    };
    document.as_ref().is_some_and(|document| document.differences.is_empty())
}
