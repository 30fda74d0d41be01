//! Resource types in Ruby as types of the language.
//!
//! The `ruby` process runs the file and reports the contents of the definition, and the places of
//! its blocks of code ([`Outline`]). The blocks are read and translated if they mean the same here
//! (`translate/`). Everything else becomes a comment that names the file and the line.

mod attribute;
mod translate;

use std::fmt::Write as _;
use std::sync::Arc;

use ordain_ruby::tree::{self, Tree};
use ordain_source::MemoryWorld;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::logic;
use crate::exchange::migrate::translate::code::{Purpose, Translator};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::plugins::Outline;
use ordain_puppet::schema::is_metaparameter;
use ordain_puppet::syntax::names::capitalized;
use ordain_puppet::types::models::{self, Feature, Invariant, Logic, TypeModel};

/// A type in the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Migrated {
    /// Its text, with comments.
    pub text: String,
    /// The number of translated parts.
    pub counts: Counts,
}

/// The amount of Ruby code that was translated.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Attributes.
    pub attributes: usize,
    /// Completely translated blocks of code.
    pub translated: usize,
    /// Blocks of code of which some statements were left out.
    pub partly: usize,
    /// Blocks of code that were not translated.
    pub left_out: usize,
    /// Other parts that were not translated: methods, relations, features.
    pub others: usize,
}

impl Counts {
    /// Adds the counts of another type.
    pub fn add(&mut self, other: Self) {
        self.attributes += other.attributes;
        self.translated += other.translated;
        self.partly += other.partly;
        self.left_out += other.left_out;
        self.others += other.others;
    }
}

/// Writes a type in the language. `read` returns the texts of Ruby files.
pub fn migrate(
    name: &str,
    outline: &Outline,
    read: &mut dyn FnMut(&str) -> Option<String>,
) -> Migrated {
    let json = &outline.0;
    let attributes = json["attributes"].as_array().map_or(&[][..], Vec::as_slice);
    let mut features = FxHashMap::default();
    for one in attributes {
        let name = text(one, "name");
        // Metaparameters belong to resources, not to objects.
        if name.starts_with(|c: char| c.is_ascii_lowercase()) && !is_metaparameter(name) {
            features.insert(name.to_owned(), one["array"] == true);
        }
    }
    let mut migration = Migration {
        features,
        names: attributes.iter().filter(|one| one["namevar"] == true).count(),
        read,
        texts: FxHashMap::default(),
        counts: Counts { attributes: attributes.len(), ..Counts::default() },
        notes: Vec::new(),
        out: String::new(),
    };
    comment(&mut migration.out, "", text(json, "doc"));
    let _ = writeln!(migration.out, "type {} {{", capitalized(name));
    for one in attributes {
        migration.attribute(one);
    }
    migration.invariants(json);
    migration.rest(json);
    migration.out.push_str("}\n");
    Migrated { text: migration.out, counts: migration.counts }
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_default()
}

/// Documentation as comments.
fn comment(out: &mut String, margin: &str, doc: &str) {
    for line in doc.lines() {
        let _ = writeln!(out, "{}", format!("{margin}# {}", line.trim_end()).trim_end());
    }
}

/// `file:line`, as it is shown.
fn place_text(place: &Json) -> String {
    match place["line"].as_u64() {
        Some(line) => format!("{}:{line}", text(place, "file")),
        None => text(place, "file").to_owned(),
    }
}

struct Migration<'r> {
    /// The attributes that code can read, and whether they have many values.
    features: FxHashMap<String, bool>,
    /// The number of name attributes.
    names: usize,
    read: &'r mut dyn FnMut(&str) -> Option<String>,
    texts: FxHashMap<String, Option<String>>,
    counts: Counts,
    /// Notes about the attribute or invariant that is being translated.
    notes: Vec<String>,
    out: String,
}

impl Migration<'_> {
    /// Notes something that is not carried over.
    fn note(&mut self, what: impl std::fmt::Display) {
        self.notes.push(format!("not carried over: {what}"));
    }

    fn write_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            // A reason may quote code of several lines.
            let note = note.replace(['\n', '\r'], " ");
            let _ = writeln!(self.out, "  # {note}");
        }
    }

    /// The block of a method call at a place.
    fn block(&mut self, place: &Json, method: &str) -> Result<tree::Code, String> {
        let file = text(place, "file");
        if !self.texts.contains_key(file) {
            let found = (self.read)(file);
            self.texts.insert(file.to_owned(), found);
        }
        let source =
            self.texts.get(file).and_then(Option::as_deref).ok_or("its file is not here")?;
        let line = place["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        tree::block_of(source, line, method).map_err(|error| error.message)
    }

    /// Writes a feature with its documentation and notes.
    fn feature(&mut self, mut feature: Feature, doc: &str) {
        if feature.check.is_some() && feature.default.is_some() && is_default_refused(&feature) {
            feature.default = None;
            self.note("its default, which its own check refuses, so that a value is needed");
        }
        comment(&mut self.out, "  ", doc);
        self.write_notes();
        let model = TypeModel { features: vec![feature], ..TypeModel::new("X") };
        self.out.push_str(body(&models::write(&[model])));
    }

    /// The invariants of the type, one for each independent statement.
    fn invariants(&mut self, json: &Json) {
        let place = &json["validate"];
        if place.is_null() {
            return;
        }
        let code = match self.block(place, "validate") {
            Ok(code) => code,
            Err(why) => {
                self.counts.left_out += 1;
                self.note(format_args!("validate, {} ({why})", place_text(place)));
                return self.write_notes();
            }
        };
        let statements = translate::statements(&code.body);
        let hang_together =
            statements.iter().any(|one| matches!(one, Tree::Assign(..) | Tree::Leave(_)));
        let parts: Vec<&Tree> = if hang_together { vec![&code.body] } else { statements };
        let (mut made, mut missing) = (0, 0);
        for part in parts {
            let mut translator = Translator::new(Purpose::Invariant, &self.features, None);
            let body = translator.refusals(part);
            missing += body.left_out.len();
            let source = match translator.leaves {
                true => lambda("object", &body.lines, 2),
                false => braces(&body.lines, 2),
            };
            for why in body.left_out {
                self.note(format_args!("a part of validate, {} ({why})", place_text(place)));
            }
            let is_good = !body.lines.is_empty() && logic::is_logic("invariant", &source);
            self.write_notes();
            if is_good {
                made += 1;
                let invariant = Invariant { title: None, logic: Logic::new(source) };
                let model = TypeModel { invariants: vec![invariant], ..TypeModel::new("X") };
                self.out.push_str(self::body(&models::write(&[model])));
            }
        }
        match (made, missing) {
            (_, 0) => self.counts.translated += 1,
            (0, _) => self.counts.left_out += 1,
            _ => self.counts.partly += 1,
        }
    }

    /// The other parts of the type, which have no counterpart.
    fn rest(&mut self, json: &Json) {
        let places = |key: &str| json[key].as_array().map_or(&[][..], Vec::as_slice);
        for one in places("automatic") {
            self.note(format_args!(
                "{} of {}, {}",
                text(one, "kind"),
                text(one, "type"),
                place_text(one)
            ));
        }
        for one in places("methods") {
            self.note(format_args!("method {}, {}", text(one, "name"), place_text(one)));
        }
        if !json["titles"].is_null() {
            self.note(format_args!("title_patterns, {}", place_text(&json["titles"])));
        } else if self.names > 1 {
            self.note("title_patterns: several attributes name a resource");
        }
        let features: Vec<&str> = places("features").iter().filter_map(Json::as_str).collect();
        if !features.is_empty() {
            self.note(format_args!("features of providers: {}", features.join(", ")));
        }
        if json["isomorphic"] == false {
            self.note("two resources may have the same name");
        }
        if json["providers"] == true {
            self.note("providers");
        }
        self.counts.others += self.notes.len();
        self.write_notes();
    }
}

/// Whether the check of a feature refuses its default.
fn is_default_refused(feature: &Feature) -> bool {
    let model = TypeModel { features: vec![feature.clone()], ..TypeModel::new("X") };
    let site = Site::Code(models::write(&[model]));
    let options = Options::new(Arc::new(MemoryWorld::default()), site);
    let Ok((env, _)) = Environment::open(options) else { return false };
    let found = ordain_puppet::session::check_models(&env, &[]);
    found.iter().any(|found| found.code == "puppet::type-bad-default")
}

/// The lines of a type between the first and the last.
fn body(text: &str) -> &str {
    let inner = text.split_once("{\n").map_or(text, |(_, rest)| rest);
    inner.strip_suffix("}\n").unwrap_or(inner)
}

/// A lambda with these lines, for a setting or statement of this indentation.
fn lambda(param: &str, lines: &[String], margin: usize) -> String {
    format!("|${param}| {}", braces(lines, margin))
}

fn braces(lines: &[String], margin: usize) -> String {
    if let [one] = lines
        && one.len() < 80
    {
        return format!("{{ {one} }}");
    }
    let mut out = String::from("{\n");
    for line in lines {
        let _ = writeln!(out, "{:margin$}  {line}", "");
    }
    let _ = write!(out, "{:margin$}}}", "");
    out
}
