//! Types and values of expressions, if they are the same in every compile.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use ordain_puppet::eval::type_definitions::only_refers_to;
use ordain_puppet::syntax::definitions::AliasDef;
use ordain_puppet::syntax::names::capitalize_segments;
use ordain_puppet::syntax::{parse as parse_program, *};
use ordain_puppet::types::{Regexp, Type, TypeAlias, builtin, specialize};
use ordain_puppet::value::{HashValue, Value};

/// The type aliases, and other meanings of capitalised names.
#[derive(Default)]
pub(super) struct Types {
    definitions: BTreeMap<EcoString, AliasDef>,
    aliases: FxHashMap<EcoString, Arc<TypeAlias>>,
    /// Names in lower case of types in Ruby, which are not evaluated.
    foreign: FxHashSet<EcoString>,
    /// Names in lower case of aliases that could not be evaluated.
    unclear: FxHashSet<EcoString>,
    /// Names in lower case of types with features.
    pub(super) models: FxHashSet<EcoString>,
}

impl Types {
    pub(super) fn add(&mut self, def: AliasDef) {
        self.definitions.entry(def.name.to_lowercase()).or_insert(def);
    }

    /// Adds the name in lower case of a type with features.
    pub(super) fn add_model(&mut self, name: EcoString) {
        self.models.insert(name);
    }

    /// Evaluates the aliases. One that depends on something unknown becomes `Any`.
    pub(super) fn evaluate_aliases(&mut self, foreign: &FxHashSet<EcoString>) {
        self.foreign = foreign.iter().cloned().collect();
        let unset = |def: &AliasDef| TypeAlias { name: def.name.clone(), target: OnceLock::new() };
        let aliases = self.definitions.iter().map(|(k, def)| (k.clone(), Arc::new(unset(def))));
        self.aliases = aliases.collect();
        // Patterns may consist of aliases of patterns, which must be known first.
        for round in 0..2 {
            for (key, def) in &self.definitions {
                let alias = &self.aliases[key];
                if alias.target.get().is_some() {
                    continue;
                }
                let target = self.type_of(&def.program, def.kind);
                let target = target.filter(|t| !only_refers_to(t, &def.name, &mut Vec::new()));
                if target.is_none() && round > 0 {
                    self.unclear.insert(key.clone());
                }
                if target.is_some() || round > 0 {
                    // It is unset, as was just seen.
                    let _ = alias.target.set(target.unwrap_or(Type::Any));
                }
            }
        }
    }

    /// Whether a name is a type, resource types excluded.
    pub(super) fn knows(&self, name: &str) -> bool {
        if builtin(name).is_some() {
            return true;
        }
        let lower = name.to_lowercase();
        self.definitions.contains_key(lower.as_str())
            || self.models.contains(lower.as_str())
            || self.foreign.contains(lower.replace('_', "").as_str())
    }

    /// The names of all aliases.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions.values().map(|def| def.name.as_str())
    }

    fn named(&self, name: &str) -> Option<Type> {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(kind) = builtin(name) {
            return Some(kind);
        }
        let lower = name.to_lowercase();
        if self.unclear.contains(lower.as_str()) {
            return None;
        }
        if let Some(alias) = self.aliases.get(lower.as_str()) {
            return Some(match alias.target.get() {
                Some(Type::Object(object)) if object.name == alias.name => {
                    Type::Object(Arc::clone(object))
                }
                _ => Type::Alias(Arc::clone(alias)),
            });
        }
        if self.models.contains(lower.as_str())
            || self.foreign.contains(lower.replace('_', "").as_str())
        {
            return None;
        }
        ordain_puppet::schema::find(&lower)?;
        Some(Type::Resource { kind: Some(capitalize_segments(&lower)), title: None })
    }

    /// The type of an expression; `None` if it is unknown.
    pub(super) fn type_of(&self, program: &Program, id: ExprId) -> Option<Type> {
        match &program[id] {
            Expr::Ref(name) => self.named(name),
            Expr::Paren(inner) => self.type_of(program, *inner),
            Expr::Access(parts) => {
                let parts = program.list(*parts);
                let base = match &program[parts[0]] {
                    Expr::Ref(name) => self.named(name)?,
                    _ => return None,
                };
                // Attributes of objects are checked when objects are made.
                if matches!(base, Type::Object(_) | Type::TypeSet(_) | Type::Init(_)) {
                    return None;
                }
                let keys: Option<Vec<Value>> =
                    parts[1..].iter().map(|&key| self.value(program, key)).collect();
                specialize(&base, &keys?).ok()
            }
            _ => None,
        }
    }

    /// The type of a text; `None` if it is unknown.
    pub(super) fn of_text(&self, text: &str) -> Option<Type> {
        let parsed = parse_program(FileId(0), text);
        if !parsed.diagnostics.is_empty() {
            return None;
        }
        let program = &parsed.program;
        match &program[program.body] {
            Expr::Block(all) => match program.list(*all) {
                [one] => self.type_of(program, *one),
                _ => None,
            },
            _ => self.type_of(program, program.body),
        }
    }

    /// The value of a completely literal expression.
    pub(super) fn value(&self, program: &Program, id: ExprId) -> Option<Value> {
        Some(match &program[id] {
            Expr::Str(text) | Expr::Name(text) => Value::Str(text.clone()),
            Expr::Int { value, radix: 1.. } => Value::Int(*value),
            Expr::Float(value) => Value::Float(*value),
            Expr::Bool(value) => Value::Bool(*value),
            Expr::Undef => Value::Undef,
            Expr::Default => Value::Default,
            Expr::Regex(source) => Value::Regexp(Arc::new(Regexp::new(source.clone()))),
            Expr::Heredoc { text, .. } => return self.value(program, *text),
            Expr::Paren(inner) => return self.value(program, *inner),
            Expr::Minus(inner) => match self.value(program, *inner)? {
                Value::Int(value) => Value::Int(value.checked_neg()?),
                Value::Float(value) => Value::Float(-value),
                _ => return None,
            },
            Expr::List(items) => {
                let items = program.list(*items).iter();
                Value::array(
                    items.map(|&i| self.value(program, i)).collect::<Option<Vec<Value>>>()?,
                )
            }
            Expr::Hash(entries) => {
                let pairs = program.list(*entries).chunks_exact(2);
                let entry =
                    |p: &[ExprId]| Some((self.value(program, p[0])?, self.value(program, p[1])?));
                Value::Hash(Arc::new(pairs.map(entry).collect::<Option<HashValue>>()?))
            }
            Expr::Ref(_) | Expr::Access(_) => Value::of_type(self.type_of(program, id)?),
            _ => return None,
        })
    }
}

/// The text of an expression that is a literal text.
pub(super) fn text(program: &Program, id: ExprId) -> Option<&EcoString> {
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(text),
        Expr::Paren(inner) => text(program, *inner),
        _ => None,
    }
}

/// The literal texts of an expression, which may be a list of texts.
pub(super) fn texts(program: &Program, id: ExprId) -> Vec<(&EcoString, ExprId)> {
    match &program[id] {
        Expr::List(items) => {
            let items = program.list(*items).iter();
            items.filter_map(|&item| Some((text(program, item)?, item))).collect()
        }
        _ => text(program, id).map(|text| (text, id)).into_iter().collect(),
    }
}
