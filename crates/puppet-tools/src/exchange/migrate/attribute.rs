//! Attributes: their types, defaults and code.

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::METAPARAMETERS;
use ordain_ruby::tree::Tree;
use serde_json::Value as Json;

use super::{Migration, lambda, place_text, text};
use crate::exchange::logic;
use crate::exchange::migrate::translate::code::{Purpose, Translator};
use crate::exchange::migrate::translate::text::{quoted, regex};
use ordain_puppet::types::Regexp;
use ordain_puppet::types::models::{Feature, FeatureKind, Logic, Multiplicity, ValueType};

/// The indentation of settings.
const MARGIN: usize = 4;
/// An absolute path of either kind of machine.
const PATH: &str = r"Pattern[/\A(?:\/|[A-Za-z]:[\\\/]|\\\\)/]";

impl Migration<'_> {
    pub(super) fn attribute(&mut self, one: &Json) {
        let name = text(one, "name");
        if name == "title" || METAPARAMETERS.contains(&name) {
            self.counts.others += 1;
            self.note(format_args!("attribute {name}: every resource has one"));
            return self.write_notes();
        }
        let (kind, set) = self.kind(one);
        let mut out = Feature::new(name, FeatureKind::Attribute(kind));
        out.set = set.map(Logic::new);
        let is_many = one["array"] == true;
        if is_many {
            out.multiplicity = Multiplicity { lower: 0, upper: None };
        }
        if one["namevar"] == true {
            out.multiplicity = Multiplicity { lower: 1, upper: Some(1) };
            out.namevar = self.names == 1;
        }
        self.resource_api(one, &mut out);
        self.code(one, name, is_many, &mut out);
        self.default(one, &mut out);
        for method in one["methods"].as_array().into_iter().flatten() {
            self.counts.others += 1;
            self.note(format_args!("method {}, {}", text(method, "name"), place_text(method)));
        }
        let features: Vec<&str> =
            one["features"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        if !features.is_empty() {
            self.counts.others += 1;
            self.note(format_args!("it needs the features {} of a provider", features.join(", ")));
        }
        // The behaviour of Puppet's own base classes is code without a counterpart here.
        if text(one, "base") == "list" {
            self.counts.others += 1;
            self.note("how lists are compared");
        }
        self.feature(out, text(one, "doc"));
    }

    /// The type of the values, and the code that normalises synonyms.
    fn kind(&mut self, one: &Json) -> (ValueType, Option<String>) {
        let said = text(one, "type");
        if !said.is_empty() {
            return (self.data_type(one, said), None);
        }
        let words = one["words"].as_array().map_or(&[][..], Vec::as_slice);
        let patterns = one["patterns"].as_array().map_or(&[][..], Vec::as_slice);
        if self.is_munged(one) {
            return (self.named(one, ValueType::Any), None);
        }
        if words.is_empty() && patterns.is_empty() {
            return match text(one, "base") {
                "path" if one["validate"].is_null() && one["namevar"] != true => {
                    (ValueType::Other(PATH.into()), None)
                }
                _ => (self.named(one, ValueType::Any), None),
            };
        }
        let names = first_words(words);
        if text(one, "base") == "boolean" && patterns.is_empty() {
            let set = "|$given| { $given ? { /\\A(?i:true|yes)\\z/ => true, /\\A(?i:false|no)\\z/ => \
                       false, default => $given } }";
            return (ValueType::Boolean, Some(set.to_owned()));
        }
        let set = aliases(words);
        let is_truth = |name: &EcoString| matches!(name.as_str(), "true" | "false");
        if patterns.is_empty() && !names.iter().any(is_truth) && one["namevar"] != true {
            return (ValueType::Enum(names), set);
        }
        let mut parts = Vec::new();
        if names.iter().any(is_truth) {
            parts.push("Boolean".to_owned());
        }
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            parts.push(format!("Enum[{}]", names.join(", ")));
        }
        let regexes = match regexes(patterns) {
            Ok(regexes) => regexes,
            Err(why) => {
                self.note(format_args!("{why}: any value is allowed"));
                return (self.named(one, ValueType::Any), None);
            }
        };
        if one["namevar"] != true {
            parts.extend(numbers(&regexes).map(str::to_owned));
        }
        if !regexes.is_empty() {
            parts.push(format!("Pattern[{}]", regexes.join(", ")));
        }
        let kind = match &*parts {
            [one] => one.clone(),
            several => format!("Variant[{}]", several.join(", ")),
        };
        (ValueType::Other(kind.into()), set)
    }

    /// Whether code, which can be translated, may turn a value into one of any type.
    fn is_munged(&mut self, one: &Json) -> bool {
        !one["munge"].is_null()
            && self.block(&one["munge"], "munge").is_ok_and(|code| {
                let mut translator = Translator::new(Purpose::Value, &self.features, Some("x"));
                code.params.iter().flatten().for_each(|param| drop(translator.declare(param)));
                translator.value(&code.body).is_ok()
            })
    }

    /// The value of a name attribute is a text.
    fn named(&self, one: &Json, kind: ValueType) -> ValueType {
        if one["namevar"] == true { ValueType::String } else { kind }
    }

    /// The type in a definition of the Resource API.
    fn data_type(&mut self, one: &Json, said: &str) -> ValueType {
        let inner = said.strip_prefix("Optional[").and_then(|rest| rest.strip_suffix(']'));
        let text = inner.unwrap_or(said).split_whitespace().collect::<Vec<_>>().join(" ");
        let model = logic::only_model(&format!("type X {{ attr x, {text} }}"));
        let found = model.and_then(|mut model| model.features.pop());
        match found.map(|feature| feature.kind) {
            Some(FeatureKind::Attribute(kind)) => kind,
            _ => {
                self.note(format_args!("the type {said}"));
                self.named(one, ValueType::Any)
            }
        }
    }

    /// The other properties in a definition of the Resource API.
    fn resource_api(&mut self, one: &Json, out: &mut Feature) {
        let said = text(one, "type");
        match text(one, "behaviour") {
            "read_only" => out.setable = false,
            "parameter" if !said.starts_with("Optional[") && one["default"].is_null() => {
                out.multiplicity.lower = 1;
            }
            "init_only" => {
                self.counts.others += 1;
                self.note("it cannot be changed later (init_only)");
            }
            _ => {}
        }
    }

    fn code(&mut self, one: &Json, name: &str, is_many: bool, out: &mut Feature) {
        self.munge(one, name, is_many, out);
        self.unmunge(one, name, is_many, out);
        let place = &one["validate"];
        if place.is_null() {
            return;
        }
        let code = match self.block(place, "validate") {
            Ok(code) => code,
            Err(why) => return self.left_out("validate", place, &why),
        };
        let mut translator = Translator::new(Purpose::Check, &self.features, Some(name));
        let Some([param]) = code.params.as_deref() else {
            return self.left_out("validate", place, "it has other than one parameter");
        };
        let param = translator.declare(param);
        let body = translator.refusals(&code.body);
        let source = lambda(&param, &body.lines, MARGIN);
        if body.lines.is_empty() || !logic::is_logic("check", &source) {
            if body.left_out.is_empty() {
                self.counts.translated += 1;
                return;
            }
            return self.left_out("validate", place, &body.left_out.join("; "));
        }
        match body.left_out.is_empty() {
            true => self.counts.translated += 1,
            false => self.counts.partly += 1,
        }
        for why in body.left_out {
            self.note(format_args!("a part of validate, {} ({why})", place_text(place)));
        }
        if out.set.is_some() {
            let note = format!(
                "the check sees the value after `set`; validate, {}, saw the one before",
                place_text(place)
            );
            self.notes.push(note);
        }
        out.check = Some(Logic::new(source));
    }

    fn left_out(&mut self, what: &str, place: &Json, why: &str) {
        self.counts.left_out += 1;
        self.note(format_args!("{what}, {} ({why})", place_text(place)));
    }

    /// The lambda of a block with a value.
    fn value_lambda(
        &mut self,
        place: &Json,
        method: &str,
        name: &str,
        is_many: bool,
    ) -> Result<String, String> {
        let code = self.block(place, method)?;
        let mut translator = Translator::new(Purpose::Value, &self.features, Some(name));
        let Some([param]) = code.params.as_deref() else {
            return Err("it has other than one parameter".to_owned());
        };
        let param = translator.declare(param);
        let lines = translator.value(&code.body)?;
        if !is_many {
            return Ok(lambda(&param, &lines, MARGIN));
        }
        let inner = lambda(&param, &lines, MARGIN + 2);
        Ok(lambda("all", &[format!("[$all].flatten.map {inner}")], MARGIN))
    }

    fn munge(&mut self, one: &Json, name: &str, is_many: bool, out: &mut Feature) {
        let place = &one["munge"];
        if place.is_null() {
            return;
        }
        match self.value_lambda(place, "munge", name, is_many) {
            Ok(source) if logic::is_logic("set", &source) => {
                self.counts.translated += 1;
                out.set = Some(Logic::new(source));
                let has_values = !one["words"].as_array().is_none_or(Vec::is_empty)
                    || !one["patterns"].as_array().is_none_or(Vec::is_empty);
                if has_values {
                    self.note("newvalues: `set` gives values of any type");
                }
            }
            Ok(_) => self.left_out("munge", place, "its form"),
            Err(why) => self.left_out("munge", place, &why),
        }
    }

    fn unmunge(&mut self, one: &Json, name: &str, is_many: bool, out: &mut Feature) {
        let place = &one["unmunge"];
        if place.is_null() {
            return;
        }
        match self.value_lambda(place, "unmunge", name, is_many) {
            Ok(source) if logic::is_logic("get", &source) => {
                self.counts.translated += 1;
                out.get = Some(Logic::new(source));
            }
            Ok(_) => self.left_out("unmunge", place, "its form"),
            Err(why) => self.left_out("unmunge", place, &why),
        }
    }

    fn default(&mut self, one: &Json, out: &mut Feature) {
        let given = &one["default"];
        if given.is_null() {
            return;
        }
        let value = match (data(&given["value"]), given["line"].is_null()) {
            (Some(value), _) => value,
            (None, false) => match self.block(given, "defaultto").map(|code| literal(&code.body)) {
                Ok(Some(Data::Null)) => return,
                Ok(Some(value)) => {
                    self.counts.translated += 1;
                    value
                }
                Ok(None) => return self.left_out("defaultto", given, "it is computed"),
                Err(why) => return self.left_out("defaultto", given, &why),
            },
            (None, true) => {
                self.counts.others += 1;
                let what = match given["ensure"] == true {
                    true => "its default is present where another property is given".to_owned(),
                    false => format!("the default {}", text(given, "shown")),
                };
                return self.note(what);
            }
        };
        // `:undef` is Puppet's word for nothing.
        if value.as_str() == Some("undef") {
            return;
        }
        if fits(&value, out) {
            out.default = Some(value);
        } else {
            self.counts.others += 1;
            self.note(format_args!("a default that is no value of the type: {}", shown(&value)));
        }
    }
}

/// Whether a default is one of the values, as far as the type shows this.
fn fits(value: &Data, feature: &Feature) -> bool {
    let FeatureKind::Attribute(kind) = &feature.kind else { return false };
    if let Data::List(items) = value {
        let is_list = matches!(kind, ValueType::Any)
            || matches!(kind, ValueType::Other(text) if text.starts_with("Array"));
        return if feature.multiplicity.is_many() {
            let single = Feature {
                multiplicity: Multiplicity { lower: 0, upper: Some(1) },
                ..feature.clone()
            };
            items.iter().all(|item| fits(item, &single))
        } else {
            is_list && items.iter().all(|item| !matches!(item, Data::List(_)))
        };
    }
    let is_truth = matches!(value, Data::Bool(_))
        || value.as_str().is_some_and(|text| matches!(text, "true" | "false"));
    match kind {
        ValueType::Any => true,
        ValueType::Enum(values) => {
            value.as_str().is_some_and(|text| values.iter().any(|v| v == text))
        }
        ValueType::Boolean => is_truth,
        ValueType::Integer => matches!(value, Data::Int(_)),
        ValueType::Float => matches!(value, Data::Int(_) | Data::Float(_)),
        ValueType::String => matches!(value, Data::Str(_)),
        ValueType::Other(text) => {
            let named = &mut |_: &str| None;
            let kind = ordain_puppet::types::specialize::parse_text(text, named);
            kind.is_ok_and(|kind| {
                ordain_puppet::types::is_instance(
                    &kind,
                    &ordain_puppet::value::rich::from_data(value),
                )
            })
        }
    }
}

fn shown(value: &Data) -> String {
    super::super::default::source(value)
}

/// A literal of Ruby.
fn literal(tree: &Tree) -> Option<Data> {
    match tree {
        Tree::Nil => Some(Data::Null),
        Tree::Bool(flag) => Some(Data::Bool(*flag)),
        Tree::Int(number) => Some(Data::Int(*number)),
        Tree::Float(number) => Some(Data::Float(*number)),
        Tree::Str(text) | Tree::Symbol(text) => Some(Data::Str(text.clone())),
        Tree::Array(items) => {
            let items: Option<Vec<Data>> = items.iter().map(literal).collect();
            items.filter(|items| !items.iter().any(Data::is_null)).map(Data::list)
        }
        Tree::Sequence(all) if all.len() == 1 => literal(&all[0]),
        _ => None,
    }
}

fn data(json: &Json) -> Option<Data> {
    match json {
        Json::Bool(flag) => Some(Data::Bool(*flag)),
        Json::Number(number) => {
            number.as_i64().map(Data::Int).or_else(|| number.as_f64().map(Data::Float))
        }
        Json::String(text) => Some(Data::str(text.as_str())),
        Json::Array(items) => items.iter().map(data).collect::<Option<Vec<_>>>().map(Data::list),
        _ => None,
    }
}

/// The code that replaces a synonym by the value that is kept.
fn aliases(words: &[Json]) -> Option<String> {
    let mut out = Vec::new();
    for all in words {
        let all: Vec<&str> =
            all.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let Some((name, others)) = all.split_first() else { continue };
        let others: Vec<String> =
            others.iter().filter(|other| *other != name).map(|other| quoted(other)).collect();
        if !others.is_empty() {
            out.push(format!("Enum[{}] => {}", others.join(", "), quoted(name)));
        }
    }
    if out.is_empty() {
        return None;
    }
    out.push("default => $given".to_owned());
    Some(format!("|$given| {{ $given ? {{ {} }} }}", out.join(", ")))
}

/// The integers whose texts match the patterns; Ruby accepts these, too.
fn numbers(patterns: &[String]) -> Option<&'static str> {
    let matches = |text: &str| {
        patterns.iter().any(|pattern| {
            let source = pattern[1..pattern.len() - 1].replace("\\/", "/");
            Regexp::new(source).regex().is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
        })
    };
    match (matches("0") && matches("12"), matches("-1")) {
        (true, true) => Some("Integer"),
        (true, false) => Some("Integer[0]"),
        _ => None,
    }
}

/// The allowed words without duplicates and synonyms.
fn first_words(words: &[Json]) -> Vec<EcoString> {
    let mut names: Vec<EcoString> = Vec::new();
    for name in words.iter().filter_map(|all| all[0].as_str()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
    }
    names
}

/// Patterns in the syntax of Puppet, or the reason why one cannot be written.
fn regexes(patterns: &[Json]) -> Result<Vec<String>, String> {
    let translated = |pattern: &Json| {
        let (source, flags) = (pattern[0].as_str(), pattern[1].as_str());
        regex(source.unwrap_or_default(), flags.unwrap_or_default())
    };
    patterns.iter().map(translated).collect()
}
