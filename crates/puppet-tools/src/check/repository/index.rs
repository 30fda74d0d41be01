//! The definitions and uses in the files of an environment, or of modules. The index is built once,
//! then all rules read it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::{Kind, ModuleDir};
use super::members::Members;
use super::metadata::Puppetfile;
use super::scopes::{ScopeKind, Scopes};
use super::survey::{Facts, Survey};
use super::types::Types;
use crate::check::repository::takes::ArgumentCounts;
use crate::check::repository::titles::Titles;
use ordain_puppet::load::native_type::NativeType;
use ordain_puppet::load::{RubySignature, RubyType};
use ordain_puppet::schema;
use ordain_puppet::syntax::definitions::{DefKind, FunctionDef, Item, TypeDef, items};
use ordain_puppet::syntax::*;
use ordain_puppet::types::models::{self, TypeModel};
use ordain_puppet::validation::names::{bare, plain, split_name};

/// A present module.
pub(super) struct Module {
    pub(super) name: EcoString,
    pub(super) dir: PathBuf,
    pub(super) survey: Survey,
}

/// The definitions and uses of a group of files.
pub(super) struct Index {
    pub(super) kind: Kind,
    pub(super) dir: PathBuf,
    pub(super) modules: Vec<Module>,
    by_module: FxHashMap<EcoString, usize>,
    pub(super) classes: FxHashMap<EcoString, TypeDef>,
    pub(super) defines: FxHashMap<EcoString, TypeDef>,
    pub(super) functions: FxHashMap<EcoString, FunctionDef>,
    pub(super) types: Types,
    /// Names that may follow a dot besides functions.
    pub(super) members: Members,
    ruby_types: FxHashMap<EcoString, Arc<RubyType>>,
    ruby_functions: FxHashMap<EcoString, Option<ArgumentCounts>>,
    ruby_signatures: Vec<(EcoString, Option<RubySignature>)>,
    reading: FxHashSet<EcoString>,
    ruby_data_types: FxHashSet<EcoString>,
    /// The variables of classes.
    pub(super) class_variables: FxHashMap<EcoString, FxHashSet<EcoString>>,
    /// Variables of the site program and of its nodes.
    pub(super) top_variables: FxHashSet<EcoString>,
    /// Classes from which others inherit.
    pub(super) inherited: FxHashSet<EcoString>,
    /// Variables that are read by their qualified name, as `class::name`.
    pub(super) qualified: FxHashSet<EcoString>,
    /// The beginnings of computed names.
    pub(super) prefixes: Vec<EcoString>,
    /// Types whose resources get attributes outside of their declarations.
    pub(super) changed: FxHashSet<EcoString>,
    /// Attributes that defaults and collectors set, as `type/name`.
    pub(super) defaults: FxHashSet<EcoString>,
    pub(super) facts: Facts,
    /// Words in the code of templates.
    pub(super) words: FxHashSet<EcoString>,
    /// Required modules that are missing.
    pub(super) missing: FxHashSet<EcoString>,
    /// Modules in a Puppetfile or in metadata, present or not.
    pub(super) declared: FxHashSet<EcoString>,
    /// Modules that the environment itself asks for.
    pub(super) of_site: BTreeSet<EcoString>,
    pub(super) puppetfile: Option<Puppetfile>,
    /// Modules that are hidden by another one of the same name: the directory of that one, and the
    /// hidden module.
    pub(super) hidden: Vec<(PathBuf, ModuleDir)>,
    /// The classes and defines that files with errors should have, with these files.
    pub(super) broken: FxHashMap<EcoString, PathBuf>,
    /// Whether every directory of the module path exists.
    pub(super) whole_path: bool,
    /// Whether all of the repository was named, not only some files of it.
    pub(super) is_whole: bool,
    /// The files of tests and examples, whose definitions only such files may use.
    pub(super) test_files: FxHashSet<FileId>,
    /// The titles of all resources.
    pub(super) titles: Titles,
}

impl Index {
    /// An index of modules.
    pub(super) fn new(kind: Kind, dir: PathBuf, modules: Vec<Module>) -> Self {
        let mut by_module = FxHashMap::default();
        for (i, module) in modules.iter().enumerate() {
            by_module.entry(module.name.clone()).or_insert(i);
        }
        let mut out = Self {
            kind,
            dir,
            modules,
            by_module,
            classes: FxHashMap::default(),
            defines: FxHashMap::default(),
            functions: FxHashMap::default(),
            types: Types::default(),
            members: Members::default(),
            ruby_types: FxHashMap::default(),
            ruby_functions: FxHashMap::default(),
            ruby_signatures: Vec::new(),
            reading: FxHashSet::default(),
            ruby_data_types: FxHashSet::default(),
            class_variables: FxHashMap::default(),
            top_variables: FxHashSet::default(),
            inherited: FxHashSet::default(),
            qualified: FxHashSet::default(),
            prefixes: Vec::new(),
            changed: FxHashSet::default(),
            defaults: FxHashSet::default(),
            facts: Facts::default(),
            words: FxHashSet::default(),
            missing: FxHashSet::default(),
            declared: FxHashSet::default(),
            of_site: BTreeSet::new(),
            puppetfile: None,
            hidden: Vec::new(),
            broken: FxHashMap::default(),
            whole_path: true,
            is_whole: false,
            test_files: FxHashSet::default(),
            titles: Titles::default(),
        };
        let modules = std::mem::take(&mut out.modules);
        modules.iter().for_each(|module| out.add_survey(&module.survey));
        out.modules = modules;
        out
    }

    /// Adds the Ruby definitions of a directory.
    pub(super) fn add_survey(&mut self, survey: &Survey) {
        for (name, kind) in &survey.types {
            self.ruby_types.entry(name.clone()).or_insert_with(|| Arc::clone(kind));
        }
        self.ruby_signatures.extend(survey.functions.iter().cloned());
        self.reading.extend(survey.reading.iter().cloned());
        self.ruby_data_types.extend(survey.data_types.iter().cloned());
        self.facts.add(&survey.facts);
        self.words.extend(survey.words.iter().cloned());
        let dependencies = survey.metadata.iter().flat_map(|m| &m.dependencies);
        self.declared.extend(dependencies.map(|d| d.name.clone()));
    }

    /// Adds the Puppetfile, and the modules of its lock file.
    pub(super) fn add_puppetfile(&mut self, file: Option<Puppetfile>, locked: Vec<EcoString>) {
        let listed = file.iter().flat_map(|f| &f.modules).map(|m| m.name.clone());
        self.of_site.extend(listed.chain(locked));
        self.declared.extend(self.of_site.iter().cloned());
        self.puppetfile = file;
    }

    /// Finds the missing modules and evaluates aliases, after everything was added.
    pub(super) fn finish(&mut self) {
        let fixtures = self.modules.iter().flat_map(|module| &module.survey.fixtures);
        let missing = self.declared.iter().chain(fixtures).filter(|name| !self.has_module(name));
        self.missing = missing.cloned().collect();
        self.types.evaluate_aliases(&self.ruby_data_types);
        // If two functions have the same name, the first wins.
        for (name, signature) in std::mem::take(&mut self.ruby_signatures) {
            let takes = || signature.map(|signature| ArgumentCounts::of(&signature, &self.types));
            self.ruby_functions.entry(name).or_insert_with(takes);
        }
    }

    /// Removes the classes, defines and functions of a file. Type aliases, models and uses stay.
    pub(super) fn remove_file(&mut self, file: FileId) {
        self.classes.retain(|_, def| def.span.file != file);
        self.defines.retain(|_, def| def.span.file != file);
        self.functions.retain(|_, def| def.span.file != file);
    }

    /// Adds the definitions and uses of a text that replaces another one of the same file. Type
    /// aliases and models were evaluated together with others, so the old ones stay.
    pub(super) fn add_edited(&mut self, program: &Arc<Program>, module: &str, scopes: &Scopes) {
        for item in items(program, module) {
            match item {
                Item::Type(_) | Item::Function(_) => self.add_item(item),
                Item::Alias(_) | Item::Model(_) | Item::Node(_) => {}
            }
        }
        for scope in scopes.scopes.iter().filter(|scope| scope.kind == ScopeKind::Class) {
            self.class_variables.remove(&scope.name);
        }
        self.add_uses(program, scopes);
    }

    /// Adds the definitions and uses of a text.
    pub(super) fn add_program(&mut self, program: &Arc<Program>, module: &str, scopes: &Scopes) {
        items(program, module).for_each(|item| self.add_item(item));
        self.add_uses(program, scopes);
    }

    fn add_item(&mut self, item: Item) {
        match item {
            Item::Type(def) if def.kind == DefKind::Class => {
                self.inherited.extend(def.parent.clone());
                self.classes.entry(def.name.clone()).or_insert(def);
            }
            Item::Type(def) => {
                self.defines.entry(def.name.clone()).or_insert(def);
            }
            Item::Function(def) => {
                self.functions.entry(def.name.clone()).or_insert(def);
            }
            Item::Alias(def) => self.types.add(def),
            Item::Model(def) => {
                if let Some(model) = models::model(&def.program, def.id) {
                    let lower: EcoString = def.name.to_lowercase();
                    self.types.add_model(lower.clone());
                    self.members.add_model(&model);
                    let known = Arc::new(resource_type(&model));
                    self.ruby_types.entry(lower).or_insert(known);
                }
            }
            Item::Node(_) => {}
        }
    }

    fn add_uses(&mut self, program: &Arc<Program>, scopes: &Scopes) {
        for scope in &scopes.scopes {
            let names = scope.declared.iter().map(|d| d.name.clone());
            match scope.kind {
                ScopeKind::Class => {
                    self.class_variables.entry(scope.name.clone()).or_default().extend(names);
                }
                ScopeKind::Top | ScopeKind::Node => self.top_variables.extend(names),
                _ => {}
            }
        }
        for used in &scopes.uses {
            let Expr::Var(name) = &program[used.at] else { continue };
            let name = bare(name);
            if split_name(name).is_some() && !self.qualified.contains(name) {
                self.qualified.insert(name.into());
            }
        }
        self.qualified
            .extend(scopes.asked.iter().filter(|name| split_name(name).is_some()).cloned());
        self.prefixes.extend(scopes.asked_prefixes.iter().cloned());
        self.members.add_objects(program);
        self.add_defaults(program);
    }

    fn add_defaults(&mut self, program: &Program) {
        for (_, expr) in program.exprs.iter() {
            self.changed.extend(changed_type(program, expr));
            let (Expr::ResourceDefaults { kind, attributes, .. }
            | Expr::Collect { kind, attributes, .. }) = expr
            else {
                continue;
            };
            let Expr::Ref(kind) = &program[*kind] else { continue };
            let kind = bare(kind).to_lowercase();
            for attribute in program.attributes(*attributes) {
                self.defaults.insert(ecow::eco_format!("{kind}/{}", attribute.name));
            }
        }
    }

    /// The module of this name.
    pub(super) fn module(&self, name: &str) -> Option<&Module> {
        self.by_module.get(name).map(|&i| &self.modules[i])
    }

    /// Whether a module is present.
    pub(super) fn has_module(&self, name: &str) -> bool {
        self.by_module.contains_key(name)
    }

    /// Whether all modules are present that the files of a module may use, so that an unknown name
    /// in them is an error. Files without a module are those of the environment.
    pub(super) fn is_complete_for(&self, module: &str) -> bool {
        self.kind != Kind::Loose && self.whole_path && self.missing_for(module).is_none()
    }

    /// A missing module that the files of a module may use.
    pub(super) fn missing_for(&self, module: &str) -> Option<&EcoString> {
        let is_missing = |name: &&EcoString| self.missing.contains(*name);
        let own = self.module(module).map(|module| &module.survey);
        let of_modules = own.filter(|survey| survey.metadata.is_some());
        match of_modules {
            Some(survey) => survey.asks_for().find(is_missing),
            None => {
                let survey = own.into_iter().flat_map(Survey::asks_for);
                // Files beside modules, such as examples, may use all that those use.
                let beside = self
                    .modules
                    .iter()
                    .filter(|_| own.is_none() && matches!(self.kind, Kind::Module | Kind::Modules));
                let beside = beside.flat_map(|module| module.survey.asks_for());
                self.of_site.iter().chain(survey).chain(beside).find(is_missing)
            }
        }
    }

    /// Whether a name without a definition here is unknown in a run, too: the index has all
    /// modules that the files of a module may use.
    pub(super) fn has_all_names(&self, module: &str) -> bool {
        self.is_complete_for(module) || self.kind == Kind::Loose && self.whole_path
    }

    /// Whether a Puppetfile, metadata of any module, or the tests of a module ask for a module.
    pub(super) fn declares(&self, asking: &str, module: &str) -> bool {
        let of_tests = self.module(asking).map(|asking| &asking.survey.fixtures);
        self.declared.contains(module)
            || of_tests.is_some_and(|names| names.iter().any(|name| name == module))
            // Files beside a module are mostly its tests and examples.
            || of_tests.is_none()
                && self.modules.iter().any(|m| m.survey.fixtures.iter().any(|n| n == module))
    }

    /// Whether this is an environment, which has all that is used of it.
    pub(super) fn is_environment(&self) -> bool {
        self.kind == Kind::Environment
    }

    /// The native resource type of this name.
    pub(super) fn native(&self, name: &str) -> Option<NativeType> {
        let table = schema::find(name);
        let ruby = self.ruby_types.get(name).cloned();
        let ruby = if table.is_some_and(|t| t.is_core()) { None } else { ruby };
        (table.is_some() || ruby.is_some()).then_some(NativeType { table, ruby, model: None })
    }

    /// Whether a function of this name is written in Ruby here.
    pub(super) fn has_ruby_function(&self, name: &str) -> bool {
        self.ruby_functions.contains_key(name)
    }

    /// The arity of a function in Ruby, if its file shows it.
    pub(super) fn ruby_function(&self, name: &str) -> Option<&ArgumentCounts> {
        self.ruby_functions.get(name)?.as_ref()
    }

    /// Whether a value may have a member of this name: types in Ruby may give theirs any.
    pub(super) fn may_have_member(&self, name: &str) -> bool {
        self.members.knows(name) || !self.ruby_data_types.is_empty()
    }

    /// Whether a function in Ruby may read the variables of where it is called.
    pub(super) fn reads_variables(&self, function: &str) -> bool {
        self.reading.contains(function)
    }

    /// The names of all functions that are defined here.
    pub(super) fn function_names(&self) -> impl Iterator<Item = &str> {
        let written = self.functions.keys().map(EcoString::as_str);
        written.chain(self.ruby_functions.keys().map(EcoString::as_str))
    }

    /// The names of all resource types.
    pub(super) fn type_names(&self) -> impl Iterator<Item = &str> {
        let defines = self.defines.keys().map(EcoString::as_str);
        let ruby = self.ruby_types.keys().map(EcoString::as_str);
        defines.chain(ruby).chain(schema::TYPES.iter().map(|t| t.name))
    }

    /// The variables of a class, own and inherited; `None` if an ancestor is unknown.
    pub(super) fn variables_of(&self, class: &str) -> Option<Vec<&FxHashSet<EcoString>>> {
        let mut out = Vec::new();
        let mut at = class;
        // Cycles of inheritance are reported elsewhere.
        for _ in 0..64 {
            let def = self.classes.get(at)?;
            out.extend(self.class_variables.get(at));
            match &def.parent {
                Some(parent) => at = parent,
                None => return Some(out),
            }
        }
        None
    }
}

/// The type of the resources that an expression changes after their declaration.
fn changed_type(program: &Program, expr: &Expr) -> Option<EcoString> {
    let kind = match expr {
        Expr::ResourceDefaults { kind, .. } => *kind,
        Expr::Collect { kind, attributes, .. } if !attributes.is_empty() => *kind,
        Expr::ResourceOverride { resources, .. } => match program[*resources] {
            Expr::Access(parts) => *program.list(parts).first()?,
            _ => return None,
        },
        _ => return None,
    };
    match &program[kind] {
        Expr::Ref(name) => Some(plain(name)),
        _ => None,
    }
}

/// A type with features as a resource type. Inherited features are not included, and a feature that
/// names resources is not required.
fn resource_type(model: &TypeModel) -> RubyType {
    let given = model.features.iter().filter(|f| f.derived.is_none() || f.setable);
    let said = model.features.iter().filter(|f| f.namevar);
    let mut namevars: Vec<EcoString> = said.map(|f| f.name.clone()).collect();
    if namevars.is_empty() {
        namevars.push("name".into());
    }
    RubyType {
        attributes: given.map(|f| f.name.clone()).collect(),
        namevars,
        patterns: !model.title_patterns.is_empty(),
        open: model.parent.is_some(),
        isomorphic: true,
        ..RubyType::default()
    }
}
