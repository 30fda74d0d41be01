//! The parts of modules that are not written in Puppet: resource types, functions, data types and
//! facts in Ruby, external facts, and templates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::World;
use rustc_hash::FxHashSet;

use super::layout::{ModuleDir, files_below};
use super::metadata::{self, Metadata};
use ordain_puppet::load::{RubySignature, RubyType};

/// These parts of one directory, a module's or the environment's own.
#[derive(Default)]
pub(super) struct Survey {
    /// Manifests, functions and types in Puppet.
    pub(super) programs: Vec<PathBuf>,
    /// Resource types by name.
    pub(super) types: BTreeMap<EcoString, Arc<RubyType>>,
    /// Functions in Ruby, with their signatures if their files show them.
    pub(super) functions: Vec<(EcoString, Option<RubySignature>)>,
    /// Functions that may read the variables of their caller.
    pub(super) reading: Vec<EcoString>,
    /// Data types in Ruby, in lower case.
    pub(super) data_types: Vec<EcoString>,
    pub(super) facts: Facts,
    /// Words in the code of templates.
    pub(super) words: FxHashSet<EcoString>,
    /// Templates in ERB.
    pub(super) erb: Vec<PathBuf>,
    /// Whether a type set defines types of the module.
    pub(super) type_set: bool,
    pub(super) metadata: Option<Metadata>,
    /// Modules that its tests ask for.
    pub(super) fixtures: Vec<EcoString>,
}

/// Names of facts.
#[derive(Default, Clone)]
pub(super) struct Facts {
    pub(super) names: FxHashSet<EcoString>,
    /// The beginnings of names that are computed while facts are collected.
    pub(super) prefixes: Vec<EcoString>,
    /// Whether there may be facts of any name.
    pub(super) open: bool,
}

impl Facts {
    /// Whether there may be a fact of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.open
            || self.names.contains(name)
            || self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.names.extend(other.names.iter().cloned());
        self.prefixes.extend(other.prefixes.iter().cloned());
        self.open |= other.open;
    }

    /// Reads the names that a file of facts in Ruby gives to `Facter.add`.
    fn read_ruby(&mut self, text: &str) {
        for (at, call) in text.match_indices("Facter.add") {
            let line = text[..at].rsplit('\n').next().unwrap_or_default();
            if !line.trim_start().starts_with('#') {
                self.added(&text[at + call.len()..]);
            }
        }
    }

    fn added(&mut self, rest: &str) {
        let rest = rest.trim_start_matches(['(', ' ', '\t', '\n']);
        let quoted = rest.trim_start_matches([':', '\'', '"']);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = quoted.find(|c| !is_name(c)).unwrap_or(quoted.len());
        let name = EcoString::from(quoted[..end].to_lowercase());
        match quoted.len() < rest.len() {
            false => self.open = true,
            true if quoted[end..].starts_with("#{") && name.is_empty() => self.open = true,
            true if quoted[end..].starts_with("#{") => self.prefixes.push(name),
            true => {
                self.names.insert(name);
            }
        }
    }

    /// Reads the names of facts in a file of `facts.d`.
    fn read_external(&mut self, path: &Path, text: &str) {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match extension {
            "txt" => {
                let names = text.lines().filter_map(|line| line.split_once('='));
                self.names.extend(names.map(|(name, _)| EcoString::from(name.trim())));
            }
            "yaml" | "yml" | "json" => {
                let data = ordain_data::yaml::read(text, ordain_data::yaml::Schema::Psych);
                let data = data.ok().unwrap_or_default();
                let keys = data.as_map().into_iter().flat_map(|map| map.keys());
                self.names.extend(keys.filter_map(|k| k.as_str()).map(EcoString::from));
            }
            // The output of a program is unknown.
            _ => self.open = true,
        }
    }
}

/// Words in the code of functions that read variables of the caller.
const READING: [&str; 7] =
    ["lookupvar", "to_hash", "scope[", "closure_scope", "scope_param", "emplate", "function_"];

fn read(world: &dyn World, path: &Path) -> String {
    let bytes = world.read(path).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// The name of a file by its path below a directory: `a/b.rb` is `a::b`.
fn name_of(dir: &Path, path: &Path) -> Option<EcoString> {
    let rest = path.strip_prefix(dir).ok()?.with_extension("");
    let parts: Vec<_> = rest.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    Some(parts.join("::").into())
}

impl Survey {
    /// The modules that its metadata and its tests ask for.
    pub(super) fn asks_for(&self) -> impl Iterator<Item = &EcoString> {
        let dependencies = self.metadata.iter().flat_map(|m| &m.dependencies);
        dependencies.map(|d| &d.name).chain(&self.fixtures)
    }

    /// Looks at a directory.
    pub(super) fn of(world: &dyn World, module: &ModuleDir) -> Self {
        let dir = &module.dir;
        let mut out = Self { metadata: Metadata::read(world, dir), ..Self::default() };
        out.fixtures = metadata::fixtures(world, dir);
        for folder in ["manifests", "functions", "types"] {
            out.programs.extend(files_below(world, &dir.join(folder), &[".pp"]));
        }
        out.type_set = out.programs.iter().any(|p| p.ends_with("types/init_typeset.pp"));
        out.ruby(world, &dir.join("lib"));
        for path in files_below(world, &dir.join("facts.d"), &[""]) {
            let is_windows = path.extension().is_some_and(|e| e == "ps1" || e == "bat");
            if !is_windows || !out.facts.open {
                let text = read(world, &path);
                out.facts.read_external(&path, &text);
            }
        }
        for path in files_below(world, &dir.join("templates"), &[""]) {
            let text = read(world, &path);
            out.template(&text);
            if path.extension().is_some_and(|e| e == "erb") {
                out.erb.push(path);
            }
        }
        out
    }

    fn ruby(&mut self, world: &dyn World, lib: &Path) {
        let folder = lib.join("puppet/type");
        for path in files_below(world, &folder, &[".rb"]) {
            if path.parent() != Some(&folder) {
                continue;
            }
            let Some(name) = name_of(&folder, &path) else { continue };
            let ruby = RubyType { file: path.clone(), ..RubyType::read(&read(world, &path)) };
            self.types.insert(name, Arc::new(ruby));
        }
        for folder in ["functions", "parser/functions"] {
            let folder = lib.join("puppet").join(folder);
            let files = files_below(world, &folder, &[".rb"]);
            for path in files {
                let Some(name) = name_of(&folder, &path) else { continue };
                let text = read(world, &path);
                if READING.iter().any(|word| text.contains(word)) {
                    self.reading.push(name.clone());
                }
                self.functions.push((name, RubySignature::read(&text)));
            }
        }
        let folder = lib.join("puppet/datatypes");
        let files = files_below(world, &folder, &[".rb"]);
        let names = files.iter().filter_map(|path| name_of(&folder, path));
        self.data_types.extend(names.map(|n| n.replace("_", "")));
        for path in files_below(world, &lib.join("facter"), &[".rb"]) {
            self.facts.read_ruby(&read(world, &path));
        }
    }

    /// Records the words in the code of a template.
    pub(super) fn template(&mut self, text: &str) {
        for part in text.split("<%").skip(1) {
            let code = part.split("%>").next().unwrap_or(part);
            add_words(code, &mut self.words);
        }
    }
}

/// Records the words of a text.
pub(super) fn add_words(text: &str, words: &mut FxHashSet<EcoString>) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        if !word.is_empty() && !words.contains(word) {
            words.insert(word.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_in_ruby() {
        let mut facts = Facts::default();
        facts.read_ruby(
            "Facter.add(:pond) do\nend\nFacter.add 'fish_count' do\nend\n# Facter.add(x)",
        );
        assert!(facts.has("pond") && facts.has("fish_count") && !facts.has("x") && !facts.open);
        facts.read_ruby("Facter.add(\"pond_#{name}_depth\") {}");
        assert!(facts.has("pond_a_depth") && !facts.open);
        facts.read_ruby("Facter.add(name) do");
        assert!(facts.open);
    }
}
