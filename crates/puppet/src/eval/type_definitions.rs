//! The targets of type aliases: types, object types, and type sets with the types in them.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;

use crate::error::{EvalError, EvalResult, PlainError, Unwind, plain};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::state::types::Pending;
use crate::syntax::definitions::AliasDef;
use crate::syntax::{Attribute, Expr, ExprId, ExprList, Program};
use crate::types::aliases::resolved;
use crate::types::refusal::answered;
use crate::types::type_set::RUNTIME;
use crate::types::{Type, TypeAlias, TypeSet, object};
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Value};
use ordain_graph::language::Strict;
use ordain_syntax::ListRef;

impl Compiler<'_> {
    /// The type of an alias of the program.
    pub(super) fn alias_type(&mut self, def: &AliasDef, lower: &str) -> EvalResult<Type> {
        let alias = Arc::new(TypeAlias { name: def.name.clone(), target: OnceLock::new() });
        self.types.aliases.insert(lower.into(), Arc::clone(&alias));
        let f = Frame { program: Arc::clone(&def.program), scope: ScopeId::TOP };
        self.types.open.push(None);
        let result = self.define(&f, def.kind, &alias);
        self.types.open.pop();
        result.map(|()| named(&alias))
    }

    /// The type of a known alias. A member of a type set is evaluated now.
    pub(super) fn known_alias(&mut self, alias: &Arc<TypeAlias>, lower: &str) -> EvalResult<Type> {
        if let Some(pending) = self.types.pending.remove(lower) {
            self.types.open.push(Some(pending.set));
            let result = self.define(&pending.frame, pending.id, alias);
            self.types.open.pop();
            result?;
        }
        Ok(named(alias))
    }

    /// The type of a name in lower case in the type set that is being evaluated.
    pub(super) fn type_in_set(&mut self, lower: &str) -> EvalResult<Option<Type>> {
        let Some(Some(set)) = self.types.open.last() else { return Ok(None) };
        let mut full = ecow::eco_format!("{}::{lower}", set.name.to_lowercase());
        if let Some((first, rest)) = lower.split_once("::") {
            let reference = set.references.iter().find(|(name, _)| name.to_lowercase() == first);
            if let Some(target) = reference.and_then(|(_, reference)| reference.target()) {
                full = ecow::eco_format!("{}::{rest}", target.name.to_lowercase());
            }
        }
        match self.types.aliases.get(&full).cloned() {
            Some(alias) => self.known_alias(&alias, &full).map(Some),
            None => Ok(None),
        }
    }

    fn define(&mut self, f: &Frame, id: ExprId, alias: &Arc<TypeAlias>) -> EvalResult<()> {
        self.types.defining += 1;
        let result = self.definition(f, id, &alias.name);
        self.types.defining -= 1;
        let target = result?;
        if only_refers_to(&target, &alias.name, &mut Vec::new()) {
            let name = &alias.name;
            return plain(format!("Type alias '{name}' cannot be resolved to a real type"));
        }
        let target = answered(|| crate::types::normalize(&target))?;
        // The alias is new, so its target is not set yet.
        let _ = alias.target.set(without_itself(target, alias));
        Ok(())
    }

    fn definition(&mut self, f: &Frame, id: ExprId, name: &EcoString) -> EvalResult<Type> {
        let as_object = |given: Value| object::from_hash(name, &given).map(Type::Object);
        match &f.program[id] {
            Expr::Hash(_) => {
                refuse_expressions(f, not_literal(&f.program, id))?;
                return as_object(self.eval(f, id)?);
            }
            Expr::ResourceDefaults { kind, attributes, .. } => {
                return as_object(self.bracketless(f, id, *kind, *attributes)?);
            }
            _ => {}
        }
        if let Some((base, definition)) = bracketed(f, id) {
            match (base, &f.program[definition]) {
                ("Object", Expr::Hash(_)) => {
                    refuse_expressions(f, not_literal(&f.program, definition))?;
                    return as_object(self.eval(f, definition)?);
                }
                ("TypeSet", Expr::Hash(entries)) => return self.type_set(f, name, *entries),
                _ => {}
            }
        }
        refuse_expressions(f, not_of_types(&f.program, id))?;
        self.check_counts(f, id)?;
        match self.eval(f, id).map_err(|unwind| definition_error(unwind, f, id, name))? {
            Value::Type(kind) => Ok(Type::clone(&kind)),
            given @ (Value::Hash(_) | Value::Array(_)) => as_object(given),
            _ => {
                let text = f.program.text(f.program.range(id));
                Err(PlainError::not_a_type(text).into())
            }
        }
    }

    /// The definition of an object type in the form `Parent { key => value }`.
    fn bracketless(
        &mut self,
        f: &Frame,
        id: ExprId,
        parent: ExprId,
        attributes: ListRef<Attribute>,
    ) -> EvalResult {
        let mut given = HashValue::default();
        let is_base =
            matches!(&f.program[parent], Expr::Ref(name) if name == "Object" || name == "TypeSet");
        if !is_base {
            let kind = self.eval(f, parent)?;
            given.insert(Value::str("parent"), kind);
        }
        for attribute in f.program.attributes(attributes) {
            let value = self.eval(f, attribute.value)?;
            let key = Value::Str(attribute.name.clone());
            if given.insert(key, value).is_none() {
                continue;
            }
            let span = f.program.span(id);
            let text = format!("The key '{}' is declared more than once", attribute.name);
            match self.settings.strict {
                Strict::Error => return Err(EvalError::new("DUPLICATE_KEY", text, span).into()),
                Strict::Warning => self.warn(text, Some(span)),
                Strict::Off => {}
            }
        }
        Ok(Value::Hash(Arc::new(given)))
    }

    fn type_set(&mut self, f: &Frame, name: &EcoString, entries: ExprList) -> EvalResult<Type> {
        let mut given = HashValue::default();
        let mut members = Vec::new();
        for pair in f.program.list(entries).to_vec().chunks_exact(2) {
            let key = self.eval(f, pair[0])?;
            let value = match (key.as_str(), &f.program[pair[1]]) {
                (Some("types"), Expr::Hash(types)) => self.members(f, *types, &mut members)?,
                (Some("references"), Expr::Hash(all)) => self.references(f, *all)?,
                _ => self.eval(f, pair[1])?,
            };
            given.insert(key, value);
        }
        let set = Arc::new(TypeSet::new(name, RUNTIME, &Value::Hash(Arc::new(given)))?);
        let mut names = Vec::with_capacity(members.len());
        for (short, id) in members {
            let full = ecow::eco_format!("{name}::{short}");
            let lower = full.to_lowercase();
            let alias = Arc::new(TypeAlias { name: full, target: OnceLock::new() });
            self.types.aliases.insert(lower.clone(), alias);
            let pending = Pending { frame: f.clone(), id, set: Arc::clone(&set) };
            self.types.pending.insert(lower.clone(), pending);
            names.push((short, lower));
        }
        self.resolve_references(&set)?;
        let mut types = Vec::with_capacity(names.len());
        for (short, lower) in names {
            let alias = self.types.aliases.get(&lower).cloned();
            let kind = match alias {
                Some(alias) => self.known_alias(&alias, &lower)?,
                None => continue,
            };
            types.push((short, kind));
        }
        set.set_types(types);
        Ok(Type::TypeSet(set))
    }

    /// Declares the names of the types of a set. Until they are evaluated, each is an unknown type.
    fn members(
        &mut self,
        f: &Frame,
        types: ExprList,
        out: &mut Vec<(EcoString, ExprId)>,
    ) -> EvalResult {
        let mut given = HashValue::default();
        for pair in f.program.list(types).to_vec().chunks_exact(2) {
            let key = self.set_key(f, pair[0])?;
            if let Some(name) = key.as_str() {
                out.push((name.into(), pair[1]));
            }
            given.insert(key, Value::of_type(Type::Any));
        }
        Ok(Value::Hash(Arc::new(given)))
    }

    fn references(&mut self, f: &Frame, all: ExprList) -> EvalResult {
        let mut given = HashValue::default();
        for pair in f.program.list(all).to_vec().chunks_exact(2) {
            let key = self.set_key(f, pair[0])?;
            given.insert(key, self.eval(f, pair[1])?);
        }
        Ok(Value::Hash(Arc::new(given)))
    }

    /// A name in a set, with or without quotes.
    fn set_key(&mut self, f: &Frame, id: ExprId) -> EvalResult {
        match &f.program[id] {
            Expr::Ref(name) => Ok(Value::Str(name.clone())),
            _ => self.eval(f, id),
        }
    }

    fn resolve_references(&mut self, set: &Arc<TypeSet>) -> EvalResult<()> {
        for (_, reference) in &set.references {
            let label = reference.label(set);
            let kind = match reference.authority == RUNTIME {
                true => self.named_type(&reference.name)?,
                false => Type::Reference(reference.name.clone()),
            };
            match resolved(&kind) {
                Type::TypeSet(target) => reference.resolve(set, Arc::clone(target))?,
                Type::Reference(_) => return plain(format!("{label} cannot be resolved")),
                _ => {
                    let name = crate::types::display::expanded(&kind);
                    return plain(format!("{label} resolves to a {name}"));
                }
            }
        }
        Ok(())
    }
}

/// The number of parameters that types take in a definition, with the words of the error.
const COUNTS: &[(&str, usize, usize, &str)] = &[
    ("Array", 1, 3, "1 to 3"),
    ("Boolean", 1, 1, "1"),
    ("Class", 1, 1, "1"),
    ("Collection", 1, 2, "1 to 2"),
    ("Float", 1, 2, "1 or 2"),
    ("Hash", 2, 4, "2 to 4"),
    ("Integer", 1, 2, "1 or 2"),
    ("Iterable", 1, 1, "1"),
    ("Iterator", 1, 1, "1"),
    ("NotUndef", 0, 1, "0 to 1"),
    ("Optional", 1, 1, "1"),
    ("Regexp", 1, 1, "1"),
    ("Resource", 1, 2, "1 or 2"),
    ("Runtime", 2, 2, "2"),
    ("Sensitive", 0, 1, "0 to 1"),
    ("String", 1, 2, "1 to 2"),
    ("Struct", 1, 1, "1"),
    ("Timespan", 0, 2, "0 to 2"),
    ("Timestamp", 0, 2, "0 to 2"),
    ("Type", 1, 1, "1"),
    ("URI", 1, 1, "1"),
];

impl Compiler<'_> {
    /// Checks the number of parameters of the types in a definition, the inner ones first.
    fn check_counts(&mut self, f: &Frame, id: ExprId) -> EvalResult<()> {
        let parts = match &f.program[id] {
            Expr::Access(parts) => *parts,
            Expr::List(items) | Expr::Hash(items) => {
                let mut items = f.program.list(*items).iter();
                return items.try_for_each(|&item| self.check_counts(f, item));
            }
            _ => return Ok(()),
        };
        let [base, given @ ..] = f.program.list(parts) else { return Ok(()) };
        given.iter().try_for_each(|&part| self.check_counts(f, part))?;
        let Expr::Ref(name) = &f.program[*base] else { return Ok(()) };
        let known = COUNTS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        let (name, least, most, text) = match known {
            Some(&(name, least, most, text)) => (name, least, most, text),
            None => {
                let kind = self.named_type(name)?;
                let meant = self.referenced_resource(kind)?;
                if !matches!(meant, Type::Resource { kind: Some(_), title: None }) {
                    return Ok(());
                }
                (name.as_str(), 1, 1, "1")
            }
        };
        if (least..=most).contains(&given.len()) {
            return Ok(());
        }
        plain(format!(
            "Invalid number of type parameters specified: {name} requires {text}, {} provided",
            given.len()
        ))
    }
}

/// The target of an alias without the alias among its alternatives, where it adds nothing.
fn without_itself(target: Type, alias: &Arc<TypeAlias>) -> Type {
    let Type::Variant(members) = &target else { return target };
    let is_itself =
        |member: &&Type| matches!(member, Type::Alias(other) if Arc::ptr_eq(other, alias));
    let others: Vec<Type> = members.iter().filter(|m| !is_itself(m)).cloned().collect();
    match &others[..] {
        [only] => only.clone(),
        all if all.len() < members.len() => Type::Variant(others.into()),
        _ => target,
    }
}

/// The type of a defined name. The name of an object type or type set means that type itself; other
/// names are aliases.
fn named(alias: &Arc<TypeAlias>) -> Type {
    match alias.target.get() {
        Some(Type::Object(object)) if object.name == alias.name => Type::Object(Arc::clone(object)),
        Some(Type::TypeSet(set)) if set.name == alias.name => Type::TypeSet(Arc::clone(set)),
        _ => Type::Alias(Arc::clone(alias)),
    }
}

/// The error of an expression where only types and literals are allowed.
pub(super) fn refuse_expressions(f: &Frame, found: Option<ExprId>) -> EvalResult<()> {
    let Some(found) = found else { return Ok(()) };
    let mut range = f.program.range(found);
    // The range of an operation is its operator.
    let (mut first, mut last) = (found, found);
    while let Expr::Binary { left, .. } = f.program[first] {
        first = left;
        range.start = range.start.min(f.program.range(first).start);
    }
    while let Expr::Binary { right, .. } = f.program[last] {
        last = right;
        range.end = range.end.max(f.program.range(last).end);
    }
    Err(PlainError::not_a_type(f.program.text(range)).into())
}

/// The first part of a parameterized type that is neither a type nor a literal. Aliases may only
/// have these.
pub(super) fn not_of_types(program: &Program, id: ExprId) -> Option<ExprId> {
    let Expr::Access(parts) = &program[id] else { return None };
    let (base, keys) = program.list(*parts).split_first()?;
    match &program[*base] {
        Expr::Access(_) if not_of_types(program, *base).is_some() => Some(id),
        Expr::Ref(_) | Expr::Access(_) => keys.iter().find_map(|&key| not_literal(program, key)),
        _ => Some(id),
    }
}

fn not_literal(program: &Program, id: ExprId) -> Option<ExprId> {
    match &program[id] {
        Expr::Access(_) => not_of_types(program, id),
        Expr::List(items) | Expr::Hash(items) => {
            program.list(*items).iter().find_map(|&item| not_literal(program, item))
        }
        Expr::Minus(inner) => not_literal(program, *inner),
        Expr::Binary { .. }
        | Expr::Concat(_)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Not(_)
        | Expr::Call(_)
        | Expr::Dot(..)
        | Expr::Var(_)
        | Expr::Paren(_)
        | Expr::Splat(_)
        | Expr::If(..)
        | Expr::Unless(..)
        | Expr::Case(..)
        | Expr::Selector(..) => Some(id),
        _ => None,
    }
}

/// The error of an alias belongs to the name that is used, as the definition is first read there.
#[allow(clippy::boxed_local, reason = "errors travel boxed, so that results stay small")]
fn definition_error(unwind: Box<Unwind>, f: &Frame, id: ExprId, name: &str) -> Box<Unwind> {
    let error = match *unwind {
        Unwind::Error(error) if error.diagnostics.is_empty() && error.span.is_some() => error,
        other => return Box::new(other),
    };
    let mut placed = match error.issue.as_deref() {
        Some("RUNTIME_ERROR") => {
            // The message names the expression again where it is used.
            let help = error.help.first().cloned();
            PlainError { help, ..PlainError::new(error.reason()) }
        }
        Some("OPERATOR_NOT_APPLICABLE") => {
            let text = f.program.text(f.program.range(id));
            let base = text.split('[').next().unwrap_or(text);
            PlainError::new(format!("Not a parameterized type <{base}>"))
        }
        Some(issue) if issue.starts_with("BAD_") => {
            // The text ends with the last parameter.
            let text = f.program.text(f.program.range(id)).trim_end_matches(']');
            PlainError::not_a_type(&format!("{name} = {text}"))
        }
        _ => return error.into(),
    };
    placed.related.extend(error.span.map(|span| (span, error.message.clone())));
    placed.into()
}

/// The name and the argument of `Name[argument]`.
fn bracketed(f: &Frame, kind: ExprId) -> Option<(&str, ExprId)> {
    let Expr::Access(parts) = &f.program[kind] else { return None };
    match f.program.list(*parts) {
        &[base, argument] => match &f.program[base] {
            Expr::Ref(name) => Some((name, argument)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the target of an alias is only the alias itself. `seen` are the visited aliases, because
/// two may refer to each other.
pub fn only_refers_to(kind: &Type, name: &str, seen: &mut Vec<*const TypeAlias>) -> bool {
    match kind {
        Type::Alias(alias) => {
            let known = Arc::as_ptr(alias);
            if alias.name == name || seen.contains(&known) {
                return true;
            }
            seen.push(known);
            alias.target.get().is_some_and(|target| only_refers_to(target, name, seen))
        }
        Type::Variant(members) => members.iter().all(|m| only_refers_to(m, name, seen)),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => {
            let is_empty = matches!(&**inner, Type::Variant(members) if members.is_empty());
            !is_empty && only_refers_to(inner, name, seen)
        }
        _ => false,
    }
}
