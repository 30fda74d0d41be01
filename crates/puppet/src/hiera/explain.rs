//! The record of a lookup as a tree: the searched places and the found values.

use std::fmt::Write;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::REDACTED;
use serde_json::{Map, Value as Json, json};

use super::merge::Strategy;
use crate::value::Value;
use crate::value::ruby::write_inspect;

/// The subject of a node of the record.
#[derive(Clone, Debug)]
pub enum Node {
    /// The search for a key.
    Search {
        /// The key.
        key: EcoString,
        /// Whether it is the search for the options of lookups.
        meta: bool,
    },
    /// A layer, or a level of a hierarchy.
    Provider {
        /// Its name.
        name: String,
        /// The configuration of a layer.
        config: Option<String>,
        /// The module of a layer.
        module: Option<EcoString>,
    },
    /// A file or URI.
    Location {
        /// As it is written in the configuration.
        original: EcoString,
        /// After interpolation.
        location: EcoString,
        /// Whether it is a URI.
        uri: bool,
    },
    /// A merge of several values.
    Merge(Strategy),
    /// The source of the merge strategy.
    MergeSource(&'static str),
    /// The interpolation of a text.
    Interpolation(EcoString),
    /// The scope, or a step of a search in several parts.
    Scope(EcoString),
    /// Digging for these segments.
    SubKey(EcoString),
    /// One segment.
    Segment,
    /// A key that is not allowed.
    InvalidKey(EcoString),
    /// A module without data, or an unknown one.
    Module {
        /// Its name.
        name: EcoString,
        /// Whether the module exists.
        known: bool,
    },
    /// The whole.
    Root,
}

/// The result of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    Found,
    FoundInOverrides,
    FoundInDefaults,
    NotFound,
    LocationNotFound,
    Result,
}

#[derive(Debug)]
struct Entry {
    node: Node,
    parent: usize,
    branches: Vec<usize>,
    event: Option<Event>,
    key: EcoString,
    value: Value,
    texts: Vec<String>,
}

impl Entry {
    fn new(node: Node, parent: usize) -> Self {
        let (event, key, value) = (None, EcoString::new(), Value::Undef);
        Self { node, parent, branches: Vec::new(), event, key, value, texts: Vec::new() }
    }
}

/// A place that has a value of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DataSource<'e> {
    /// The level of the hierarchy as the record names it; empty for overrides and defaults.
    pub level: &'e str,
    /// The file or URI, if the level has some.
    pub path: Option<&'e str>,
    /// Whether the value was encrypted.
    pub is_secret: bool,
}

/// The record of a lookup.
#[derive(Debug)]
pub struct Explainer {
    entries: Vec<Entry>,
    at: usize,
    /// Whether only the search for the options of lookups is of interest.
    pub only_options: bool,
}

impl Default for Explainer {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Explainer {
    /// An empty record.
    pub fn new(only_options: bool) -> Self {
        Self { entries: vec![Entry::new(Node::Root, 0)], at: 0, only_options }
    }

    pub(super) fn push(&mut self, node: Node) {
        self.entries.push(Entry::new(node, self.at));
        let child = self.entries.len() - 1;
        self.entries[self.at].branches.push(child);
        self.at = child;
    }

    pub(super) fn pop(&mut self) {
        self.at = self.entries[self.at].parent;
    }

    pub(super) fn leaf(&mut self, node: Node) {
        self.push(node);
        self.pop();
    }

    fn set(&mut self, event: Event, key: EcoString, value: Value) {
        let entry = &mut self.entries[self.at];
        (entry.event, entry.key, entry.value) = (Some(event), key, value);
    }

    pub(super) fn found(&mut self, key: EcoString, value: Value) {
        self.set(Event::Found, key, value);
    }

    pub(super) fn found_in_overrides(&mut self, key: EcoString, value: Value) {
        self.set(Event::FoundInOverrides, key, value);
    }

    pub(super) fn found_in_defaults(&mut self, key: EcoString, value: Value) {
        self.set(Event::FoundInDefaults, key, value);
    }

    pub(super) fn not_found(&mut self, key: EcoString) {
        self.set(Event::NotFound, key, Value::Undef);
    }

    pub(super) fn location_not_found(&mut self) {
        self.entries[self.at].event = Some(Event::LocationNotFound);
    }

    pub(super) fn result(&mut self, value: Value) {
        let entry = &mut self.entries[self.at];
        (entry.event, entry.value) = (Some(Event::Result), value);
    }

    /// Adds a remark where the lookup is now.
    pub fn text(&mut self, text: impl Into<String>) {
        self.entries[self.at].texts.push(text.into());
    }

    /// Hides the values of the last search, with those below it.
    pub(super) fn hide_last_search(&mut self) {
        let is_search = |id: &&usize| matches!(self.entries[**id].node, Node::Search { .. });
        let Some(&search) = self.entries[self.at].branches.iter().rev().find(is_search) else {
            return;
        };
        let mut todo = vec![search];
        while let Some(id) = todo.pop() {
            let entry = &mut self.entries[id];
            todo.extend(&entry.branches);
            if !entry.value.is_undef() {
                entry.value = Value::Sensitive(Arc::new(std::mem::take(&mut entry.value)));
            }
            // An interpolated text is part of the value.
            if let Node::Interpolation(text) = &mut entry.node {
                *text = REDACTED.into();
            }
        }
    }

    /// The places whose values are in the result, in the order of the search: one without a merge.
    pub fn sources(&self) -> Vec<DataSource<'_>> {
        let mut out = Vec::new();
        self.add_sources(0, "", &mut out);
        out
    }

    fn add_sources<'e>(&'e self, id: usize, level: &'e str, out: &mut Vec<DataSource<'e>>) {
        let entry = &self.entries[id];
        let (mut level, mut path) = (level, None);
        match &entry.node {
            // Searches for options and inside of values find other keys.
            Node::Search { meta: true, .. } | Node::Interpolation(_) => return,
            Node::Provider { name, .. } => level = name,
            Node::Location { location, .. } => path = Some(location.as_str()),
            _ => {}
        }
        let before = out.len();
        for &branch in &entry.branches {
            self.add_sources(branch, level, out);
        }
        let is_found = matches!(
            entry.event,
            Some(Event::Found | Event::FoundInOverrides | Event::FoundInDefaults)
        );
        if is_found && out.len() == before {
            let is_secret = matches!(entry.value, Value::Sensitive(_));
            out.push(DataSource { level, path, is_secret });
        }
    }

    /// The record as text, as `puppet lookup --explain` prints it.
    pub fn render(&self) -> String {
        let mut out = String::new();
        let root = &self.entries[0];
        for branch in &root.branches {
            self.dump(*branch, &mut out, 0);
        }
        texts(root, &mut out, 0);
        out
    }

    fn dump(&self, id: usize, out: &mut String, depth: usize) {
        let entry = &self.entries[id];
        let inner = depth + 1;
        match &entry.node {
            Node::Root | Node::Segment => outcome(entry, out, depth),
            Node::Search { key, .. } => {
                line(out, depth, &format!("Searching for \"{key}\""));
                self.branches(entry, out, inner);
            }
            Node::InvalidKey(key) => line(out, depth, &format!("Invalid key \"{key}\"")),
            Node::MergeSource(source) => {
                line(out, depth, &format!("Using merge options from \"{source}\" hash"));
            }
            Node::Module { name, known: false } => {
                line(out, depth, &format!("Module \"{name}\" not found"));
            }
            Node::Module { name, known: true } => {
                line(out, depth, &format!("Module data provider for module \"{name}\" not found"));
            }
            Node::Interpolation(text) => {
                line(out, depth, &format!("Interpolation on \"{text}\""));
                self.branches(entry, out, inner);
            }
            Node::Merge(strategy) => self.dump_merge(entry, strategy, out, depth),
            Node::Provider { name, config, .. } => {
                line(out, depth, name);
                if let Some(config) = config {
                    line(out, inner, &format!("Using configuration \"{config}\""));
                }
                self.branches(entry, out, inner);
                outcome(entry, out, inner);
            }
            Node::Location { original, location, uri } => {
                let (kind, small) = if *uri { ("URI", "uri") } else { ("Path", "path") };
                line(out, depth, &format!("{kind} \"{location}\""));
                line(out, inner, &format!("Original {small}: \"{original}\""));
                self.branches(entry, out, inner);
                if entry.event == Some(Event::LocationNotFound) {
                    line(out, inner, &format!("{kind} not found"));
                }
                outcome(entry, out, inner);
            }
            Node::SubKey(key) => {
                line(out, depth, &format!("Sub key: \"{key}\""));
                self.branches(entry, out, inner);
                outcome(entry, out, inner);
            }
            Node::Scope(name) => {
                line(out, depth, name);
                self.branches(entry, out, inner);
                outcome(entry, out, inner);
            }
        }
    }

    fn branches(&self, entry: &Entry, out: &mut String, depth: usize) {
        for branch in &entry.branches {
            self.dump(*branch, out, depth);
        }
    }

    fn dump_merge(&self, entry: &Entry, strategy: &Strategy, out: &mut String, depth: usize) {
        match entry.branches.as_slice() {
            [] => return,
            // A merge of a single value is not shown as a merge.
            [only] => return self.dump(*only, out, depth),
            _ => {}
        }
        line(out, depth, &format!("Merge strategy {}", strategy.name()));
        let inner = depth + 1;
        if let Some(options) = strategy.options() {
            indent(out, inner);
            out.push_str("Options: ");
            dump_value(&Value::Hash(Arc::new(options.clone())), out, inner);
            out.push('\n');
        }
        self.branches(entry, out, inner);
        if entry.event == Some(Event::Result) {
            indent(out, inner);
            out.push_str("Merged result: ");
            dump_value(&entry.value, out, inner);
            out.push('\n');
        }
    }

    /// The record as JSON, with the keys of `puppet lookup --explain --render-as json`.
    pub fn to_json(&self) -> Json {
        let root = &self.entries[0];
        match root.branches.as_slice() {
            [only] => self.json(*only),
            _ => Json::Object(self.json_branches(root)),
        }
    }

    fn json_branches(&self, entry: &Entry) -> Map<String, Json> {
        let mut map = Map::new();
        if !entry.branches.is_empty() {
            let branches = entry.branches.iter().map(|id| self.json(*id)).collect();
            map.insert("branches".into(), Json::Array(branches));
        }
        map
    }

    fn json(&self, id: usize) -> Json {
        let entry = &self.entries[id];
        if let Node::MergeSource(source) = entry.node {
            return json!({"type": "merge_source", "merge_source": source});
        }
        if let (Node::Merge(_), [only]) = (&entry.node, entry.branches.as_slice()) {
            return self.json(*only);
        }
        let mut map = self.json_branches(entry);
        json_outcome(entry, &mut map);
        let mut put = |key: &str, value: Json| _ = map.insert(key.to_owned(), value);
        match &entry.node {
            Node::Root | Node::MergeSource(_) => put("type", json!("root")),
            Node::Search { .. } => put("type", json!("root")),
            Node::InvalidKey(_) => put("type", json!("invalid_key")),
            Node::Segment => put("type", json!("segment")),
            Node::Module { .. } => put("type", json!("module")),
            Node::SubKey(_) => put("type", json!("sub_key")),
            Node::Scope(name) => {
                put("type", json!("scope"));
                put("name", json!(name.as_str()));
            }
            Node::Interpolation(text) => {
                put("type", json!("interpolate"));
                put("expression", json!(text.as_str()));
            }
            Node::Merge(strategy) => {
                put("type", json!("merge"));
                put("merge", json!(strategy.name()));
                if let Some(options) = strategy.options() {
                    put("options", to_json(&Value::Hash(Arc::new(options.clone()))));
                }
            }
            Node::Provider { name, config, module } => {
                put("type", json!("data_provider"));
                put("name", json!(name));
                config.iter().for_each(|c| put("configuration_path", json!(c)));
                module.iter().for_each(|m| put("module", json!(m.as_str())));
            }
            Node::Location { original, location, uri } => {
                let kind = if *uri { "uri" } else { "path" };
                put("type", json!(kind));
                put(&format!("original_{kind}"), json!(original.as_str()));
                put(kind, json!(location.as_str()));
            }
        }
        Json::Object(map)
    }
}

fn json_outcome(entry: &Entry, map: &mut Map<String, Json>) {
    let key = match &entry.node {
        Node::Search { key, .. } | Node::InvalidKey(key) => key,
        _ => &entry.key,
    };
    if !key.is_empty() {
        map.insert("key".into(), json!(key.as_str()));
    }
    let (event, has_value) = match (entry.event, &entry.node) {
        (Some(Event::Found), _) => ("found", true),
        (Some(Event::FoundInOverrides), _) => ("found_in_overrides", true),
        (Some(Event::FoundInDefaults), _) => ("found_in_defaults", true),
        (Some(Event::Result), _) => ("result", true),
        (Some(Event::NotFound), _) => ("not_found", false),
        (Some(Event::LocationNotFound), _) => ("location_not_found", false),
        (None, Node::Module { known: true, .. }) => ("module_provider_not_found", false),
        (None, Node::Module { known: false, .. }) => ("module_not_found", false),
        (None, _) => ("", false),
    };
    if has_value {
        map.insert("value".into(), to_json(&entry.value));
    }
    if !event.is_empty() {
        map.insert("event".into(), json!(event));
    }
    if !entry.texts.is_empty() {
        map.insert("texts".into(), json!(entry.texts));
    }
}

/// A value as plain JSON; parts that JSON cannot represent become texts.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(i) => json!(i),
        Value::Float(f) => json!(f),
        Value::Str(text) => json!(text.as_str()),
        Value::Array(items) => Json::Array(items.iter().map(to_json).collect()),
        Value::Hash(entries) => {
            let entries = entries.iter();
            Json::Object(
                entries
                    .map(|(k, v)| (crate::value::ruby::ruby_text(k).into(), to_json(v)))
                    .collect(),
            )
        }
        other => json!(crate::value::ruby::ruby_text(other).as_str()),
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn line(out: &mut String, depth: usize, text: &str) {
    indent(out, depth);
    out.push_str(text);
    out.push('\n');
}

fn texts(entry: &Entry, out: &mut String, depth: usize) {
    entry.texts.iter().for_each(|text| line(out, depth, text));
}

fn outcome(entry: &Entry, out: &mut String, depth: usize) {
    let suffix = match entry.event {
        Some(Event::Found) => Some(""),
        Some(Event::FoundInOverrides) => Some(" in overrides"),
        Some(Event::FoundInDefaults) => Some(" in defaults"),
        _ => None,
    };
    if let Some(suffix) = suffix {
        indent(out, depth);
        let _ = write!(out, "Found key: \"{}\" value: ", entry.key);
        dump_value(&entry.value, out, depth);
        out.push_str(suffix);
        out.push('\n');
    } else if entry.event == Some(Event::NotFound) {
        line(out, depth, &format!("No such key: \"{}\"", entry.key));
    }
    texts(entry, out, depth);
}

fn dump_value(value: &Value, out: &mut String, depth: usize) {
    match value {
        Value::Hash(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i == 0 { "\n" } else { ",\n" });
                indent(out, depth + 1);
                dump_value(key, out, depth + 1);
                out.push_str(" => ");
                dump_value(value, out, depth + 1);
            }
            close(out, entries.is_empty(), '}', depth);
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "\n" } else { ",\n" });
                indent(out, depth + 1);
                dump_value(item, out, depth + 1);
            }
            close(out, items.is_empty(), ']', depth);
        }
        other => write_inspect(out, other),
    }
}

fn close(out: &mut String, empty: bool, bracket: char, depth: usize) {
    if !empty {
        out.push('\n');
        indent(out, depth);
    }
    out.push(bracket);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_of_one_is_not_shown() {
        let mut explainer = Explainer::default();
        explainer.push(Node::Search { key: "k".into(), meta: false });
        explainer.push(Node::Merge(Strategy::Unique));
        explainer.push(Node::Scope("Global Scope".into()));
        explainer.found("k".into(), Value::hash([("a", Value::Int(1))]));
        for _ in 0..3 {
            explainer.pop();
        }
        let expected = "Searching for \"k\"\n  Global Scope\n    Found key: \"k\" value: {\n      \"a\" => 1\n    }\n";
        assert_eq!(explainer.render(), expected);
    }
}
