//! The definitions of an environment by name, and the files that were read.

use crate::load::erb_template::ErbTemplate;
use crate::load::node_names::node_name;
use crate::load::ruby_source::{RubyFile, RubySource};
use crate::load::ruby_types::RubyType;
use crate::syntax::Program;
use crate::syntax::definitions::{
    AliasDef, DefKind, Defined, FunctionDef, Item, ModelDef, NodeDef, TypeDef, items,
};
use crate::types::Type;
use crate::types::library::builtin;
use ecow::EcoString;
use indexmap::IndexMap;
use ordain_source::inputs::Definition;
use ordain_source::{Diagnostic, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Results per file. The compile that needs one first makes it; the others wait.
pub(super) type Slots<T> = FxHashMap<PathBuf, Arc<OnceLock<T>>>;

#[derive(Default)]
pub(super) struct Registry {
    pub(super) types: FxHashMap<EcoString, Arc<TypeDef>>,
    pub(super) functions: FxHashMap<EcoString, Arc<FunctionDef>>,
    /// By names in lower case.
    pub(super) aliases: FxHashMap<EcoString, Arc<AliasDef>>,
    /// By names in lower case.
    pub(super) models: IndexMap<EcoString, Arc<ModelDef>, FxBuildHasher>,
    /// Resource types of modules, by names in lower case; `None` for names that no module has.
    pub(super) ruby_types: FxHashMap<EcoString, Option<Arc<RubyType>>>,
    /// The names that node blocks match, with their places.
    pub(super) node_names: FxHashMap<EcoString, Span>,
    /// Functions in Ruby; `None` for names that no module has.
    pub(super) ruby_functions: FxHashMap<EcoString, Option<Arc<RubyFile>>>,
    /// Files of modules, each read by the first compile that needs it. The maps of names have their
    /// definitions, and the names without a file.
    pub(super) files: Slots<Result<Option<Arc<Program>>, Vec<Diagnostic>>>,
    /// Files as manifests get them.
    pub(super) contents: FileContents,
    /// Whether there is a template.
    pub(super) is_template: Slots<bool>,
    pub(super) templates: Slots<Result<Arc<LoadedFile>, String>>,
    pub(super) ruby_sources: Slots<Option<Arc<RubySource>>>,
    pub(super) erb: Slots<Result<Arc<ErbTemplate>, String>>,
    pub(super) inline_erb: FxHashMap<EcoString, Arc<ErbTemplate>>,
    /// Names that no file defines, with their kind, and whether a file may define them later.
    pub(super) missing: FxHashMap<(Definition, EcoString), bool>,
}

impl Registry {
    /// Nothing but these resource types.
    pub(super) fn knowing(kinds: Vec<(EcoString, RubyType)>) -> Self {
        let kinds = kinds.into_iter().map(|(name, kind)| (name, Some(Arc::new(kind))));
        Self { ruby_types: kinds.collect(), ..Self::default() }
    }
}

impl Registry {
    pub(super) fn add(
        &mut self,
        program: &Arc<Program>,
        module: &str,
        nodes: &mut Vec<Arc<NodeDef>>,
        place: &dyn Fn(Span) -> String,
    ) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for item in items(program, module) {
            match item {
                Item::Type(def) => match self.types.get(&def.name) {
                    Some(known) => {
                        let known = Defined::from(known.as_ref());
                        errors.push(duplicate(&(&def).into(), &known, &place(known.span)));
                    }
                    None => {
                        self.missing.remove(&(Definition::Class, def.name.clone()));
                        self.types.insert(def.name.clone(), Arc::new(def));
                    }
                },
                Item::Function(def) => {
                    self.missing.remove(&(Definition::Function, def.name.clone()));
                    match self.functions.get(&def.name) {
                        Some(known) if Arc::ptr_eq(&known.program, program) => {
                            let text = format!("Function '{}'", def.name);
                            errors.push(twice(&text, def.span, known.span));
                        }
                        Some(_) => {}
                        None => _ = self.functions.insert(def.name.clone(), Arc::new(def)),
                    }
                }
                Item::Alias(def) => {
                    let name = def.name.to_lowercase();
                    errors.extend(redefined_type(&def));
                    self.missing.remove(&(Definition::Alias, name.clone()));
                    match self.aliases.get(&name) {
                        Some(known) if Arc::ptr_eq(&known.program, program) => {
                            let text = format!("Type alias '{}'", def.name);
                            errors.push(twice(&text, def.span, known.span));
                        }
                        Some(_) => {}
                        None => _ = self.aliases.insert(name, Arc::new(def)),
                    }
                }
                Item::Model(def) => {
                    let name = def.name.to_lowercase();
                    self.missing.remove(&(Definition::Model, name.clone()));
                    if let Some(known) = self.models.get(&name) {
                        errors.push(duplicate_model(&def, known));
                    } else {
                        self.models.insert(name, Arc::new(def));
                    }
                }
                Item::Node(def) => {
                    errors.extend(self.add_node_names(&def, place));
                    nodes.push(Arc::new(def));
                }
            }
        }
        errors
    }
}

impl Registry {
    /// Registers the names that a node block matches; returns an error for each duplicate.
    fn add_node_names(&mut self, def: &NodeDef, place: &dyn Fn(Span) -> String) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for &id in def.program.list(def.matches) {
            let Some(name) = node_name(&def.program[id]) else { continue };
            if let Some(&first) = self.node_names.get(&name) {
                let place = place(first);
                let text = format!("Node '{name}' is already defined{place}; cannot redefine");
                let error = Diagnostic::error("puppet::duplicate-definition", text)
                    .labelled(def.program.span(id), "defined again here");
                errors.push(error.related(first, "first defined here"));
            } else {
                self.node_names.insert(name, def.program.span(id));
            }
        }
        errors
    }
}

/// The error of a second class or define of a name. `place` is that of the first one, as in
/// ` (file: a.pp, line: 1)`, or empty.
pub fn duplicate(def: &Defined, known: &Defined, place: &str) -> Diagnostic {
    let name = &def.name;
    let message = match (def.kind, known.kind) {
        (DefKind::Class, DefKind::Class) => {
            format!("Class '{name}' is already defined{place}; cannot redefine")
        }
        (DefKind::Class, DefKind::Define) => {
            format!("Definition '{name}' is already defined{place}; cannot be redefined as a class")
        }
        (DefKind::Define, DefKind::Class) => format!(
            "'{name}' is already defined{place} as a class; cannot redefine as a definition"
        ),
        (DefKind::Define, DefKind::Define) => {
            format!("Definition '{name}' is already defined{place}; cannot be redefined")
        }
    };
    Diagnostic::error("puppet::duplicate-definition", message)
        .labelled(def.span, "defined again here")
        .related(known.span, "first defined here")
}

/// Names of types that Puppet makes before it reads manifests: aliases, object types and its own
/// resource types.
const MADE_TYPES: [&str; 19] = [
    "annotation",
    "component",
    "data",
    "deferred",
    "exec",
    "file",
    "filebucket",
    "group",
    "notify",
    "package",
    "resources",
    "richdata",
    "richdatakey",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];

/// The error of an alias with the name of a type of the language.
fn redefined_type(def: &AliasDef) -> Option<Diagnostic> {
    let name = def.name.to_lowercase();
    let origin = if MADE_TYPES.contains(&name.as_str()) {
        "Set at unknown location"
    } else {
        let known = builtin(&def.name)?;
        let is_root = name == "object";
        if matches!(known, Type::Object(_) | Type::Alias(_) | Type::Unit) && !is_root {
            return None;
        }
        "Originally set by Puppet-Type-System/Static-Loader."
    };
    let message = format!(
        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{name}'. {origin}"
    );
    let error = Diagnostic::error("puppet::duplicate-definition", message);
    let error = error.labelled(def.span, "this is the name of a type of the language");
    Some(error.help("give the alias another name"))
}

/// The error of a second function or alias of a name in one text.
pub(super) fn twice(what: &str, again: Span, first: Span) -> Diagnostic {
    let message = format!("{what} is already defined; cannot redefine");
    Diagnostic::error("puppet::duplicate-definition", message)
        .labelled(again, "defined again here")
        .related(first, "first defined here")
}

/// The error of a second type with features of a name.
pub(super) fn duplicate_model(def: &ModelDef, known: &ModelDef) -> Diagnostic {
    let message = format!("Type '{}' is already defined; cannot be redefined", def.name);
    Diagnostic::error("puppet::duplicate-definition", message)
        .labelled(def.span, "defined again here")
        .related(known.span, "first defined here")
}

/// The contents of files for functions such as `file`, cached because instances of a define often
/// read the same file.
#[derive(Default)]
pub(super) struct FileContents {
    pub(super) files: FxHashMap<PathBuf, Arc<Vec<u8>>>,
    pub(super) bytes: usize,
}

/// A text that was read and parsed.
#[derive(Debug)]
pub struct LoadedFile {
    /// Its tree.
    pub program: Arc<Program>,
    /// Errors first found in it; a program with errors is not evaluated.
    pub errors: Vec<Diagnostic>,
    /// Warnings found in it.
    pub warnings: Vec<Diagnostic>,
}
