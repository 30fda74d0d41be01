//! The aliases of files, for types without an environment.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use rustc_hash::FxHashMap;

use ordain_puppet::syntax::{Definition, Expr, Program};
use ordain_puppet::types::specialize::parse_text;
use ordain_puppet::types::{Type, TypeAlias};

/// The maximal length of a chain of aliases.
const MAX_DEPTH: usize = 100;

/// Loads the text of an alias that is not defined in the read files.
pub type Load<'l> = &'l dyn Fn(&str) -> Option<String>;

/// Aliases by name: their texts, and the types of those that were used.
pub struct Aliases<'l> {
    texts: FxHashMap<EcoString, String>,
    made: FxHashMap<EcoString, Type>,
    load: Load<'l>,
    depth: usize,
}

impl<'l> Aliases<'l> {
    /// No aliases. `load` finds the texts that define them.
    pub fn new(load: Load<'l>) -> Self {
        Self { texts: FxHashMap::default(), made: FxHashMap::default(), load, depth: 0 }
    }

    /// Adds the aliases of a program.
    pub fn add(&mut self, program: &Program) {
        for &id in &program.definitions {
            let Expr::Definition(definition) = program[id] else { continue };
            let Definition::TypeAlias { name, .. } = program.definition(definition) else {
                continue;
            };
            let text = program.text(program.range(id));
            if let Some((_, kind)) = text.split_once('=') {
                self.texts.insert(name.clone(), kind.trim().to_owned());
            }
        }
    }

    /// The alias of a name.
    pub fn find(&mut self, name: &str) -> Option<Type> {
        if let Some(made) = self.made.get(name) {
            return Some(made.clone());
        }
        if self.depth >= MAX_DEPTH {
            return None;
        }
        if !self.texts.contains_key(name) {
            let text = (self.load)(name)?;
            self.add(&ordain_puppet::syntax::parse(ordain_source::FileId(0), text).program);
        }
        let text = self.texts.get(name)?.clone();
        let alias = Arc::new(TypeAlias { name: name.into(), target: OnceLock::new() });
        self.made.insert(name.into(), Type::Alias(Arc::clone(&alias)));
        self.depth += 1;
        let target = parse_text(&text, &mut |name| self.find(name));
        self.depth -= 1;
        // The alias is new, so its target is not set.
        let _ = alias.target.set(target.ok()?);
        Some(Type::Alias(alias))
    }
}
