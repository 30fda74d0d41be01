//! Finds errors without a run: constants in constructors that do not fit the attribute, instances
//! without an implementation, attributes that do not exist.

use ordain_kinds::ScalarType;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::{Background, Class, Error, Fault};
use crate::location::Location;
use crate::model::program::Program;
use crate::syntax::ast::{BlockId, Callee, ExprId, ExprKind, NewId, Slot, StmtKind};
use crate::types::{Type, TypeId};
use crate::value::Value;

/// An error that is found without a run.
pub struct StaticError {
    /// The error.
    pub error: Box<Error>,
    /// Whether every run fails with it, since the constructor is at the top level of a file.
    pub is_certain: bool,
}

/// A constant for an attribute whose typedef has a condition.
pub(crate) struct TypedefConstant {
    pub(crate) value: Value,
    pub(crate) typedef: u32,
    /// The place where the constructor names the attribute.
    pub(crate) at: Location,
    pub(crate) background: Background,
    pub(crate) is_certain: bool,
}

impl Program {
    /// All errors that are found without a run. The model must be checked already.
    pub fn static_errors(&self) -> Vec<StaticError> {
        let mut certain = vec![false; self.news.len()];
        let mut calls = Vec::new();
        for top in &self.tops {
            self.mark(top.block, &mut certain, &mut calls);
        }
        let mut found = Vec::new();
        self.unknown_attributes(&mut found);
        for call in calls {
            self.arguments(call, &mut found);
        }
        for (number, info) in self.news.iter().enumerate() {
            let Some(info) = info else { continue };
            let new = NewId::new(number as u32);
            let node = &self.ast.news[new];
            let entity = &self.entities[info.entity as usize];
            // In other blocks, an implementation from another file may come first.
            if entity.all_implements.is_empty() && certain[number] {
                let name = entity.name.map_or("", |name| self.name(name));
                let text = format!("Unable to select implementation for entity {name}");
                let mut error = Error::new(Class::Runtime, text).at(node.class.at);
                error.background = Some(Box::new(self.about_implementations(info.entity)));
                found.push(StaticError { error, is_certain: true });
            }
            let names = self.ast.names.list(node.names).iter();
            for (name, value) in names.zip(self.ast.lists.list(node.values)) {
                let ExprKind::Const(value) = &self.ast.exprs[*value].kind else { continue };
                let Some(attribute) = self.attribute(info.entity, name.symbol) else { continue };
                if self.may_fit(value, self.attributes[attribute as usize].internal) {
                    if let Some(text) =
                        refused_by_kind(&entity.full_name, self.name(name.symbol), value)
                    {
                        let error = Error::new(Class::Runtime, text).at(name.at);
                        found.push(StaticError { error, is_certain: false });
                    }
                    continue;
                }
                let wanted = self.type_text(self.attributes[attribute as usize].internal);
                let text = format!("Invalid value {}, expected {wanted}", shown(value));
                let mut error = Error::new(Class::Runtime, text).at(name.at);
                let background = self.about_attribute(attribute, name.at);
                error.background = Some(Box::new(background));
                found.push(StaticError { error, is_certain: certain[number] });
            }
        }
        self.conflicts(&certain, &mut found);
        found
    }

    /// The constants of constructors whose typedefs have conditions. Leaves out typedefs that call
    /// Python code.
    pub(crate) fn typedef_constants(&self) -> Vec<TypedefConstant> {
        let mut certain = vec![false; self.news.len()];
        for top in &self.tops {
            self.mark(top.block, &mut certain, &mut Vec::new());
        }
        let mut found = Vec::new();
        for (number, info) in self.news.iter().enumerate() {
            let Some(info) = info else { continue };
            let node = &self.ast.news[NewId::new(number as u32)];
            let names = self.ast.names.list(node.names).iter();
            for (name, value) in names.zip(self.ast.lists.list(node.values)) {
                let ExprKind::Const(value) = &self.ast.exprs[*value].kind else { continue };
                let Some(attribute) = self.attribute(info.entity, name.symbol) else { continue };
                let ty = self.attributes[attribute as usize].internal;
                let Some(typedef) = self.typedef_of(ty).filter(|_| self.may_fit(value, ty)) else {
                    continue;
                };
                if matches!(value, Value::Null)
                    || self.asks_python(self.typedefs[typedef as usize].condition)
                {
                    continue;
                }
                let background = self.about_attribute(attribute, name.at);
                found.push(TypedefConstant {
                    value: value.clone(),
                    typedef,
                    at: name.at,
                    background,
                    is_certain: certain[number],
                });
            }
        }
        found
    }

    fn typedef_of(&self, ty: TypeId) -> Option<u32> {
        match self.types.get(ty) {
            Type::Nullable(inner) | Type::OrReference(inner) => self.typedef_of(*inner),
            Type::Typedef(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether an expression calls a plugin in Python.
    fn asks_python(&self, expr: ExprId) -> bool {
        let mut left = vec![expr];
        while let Some(id) = left.pop() {
            if let ExprKind::Call(call) = self.ast.exprs[id].kind
                && let Callee::Plugin(plugin) = self.ast.calls[call].callee
                && !self.plugins[plugin as usize].plugin.signature().file.is_empty()
            {
                return true;
            }
            self.ast.children(id, &mut left);
        }
        false
    }

    /// Finds attributes that the entities of top-level variables do not have.
    fn unknown_attributes(&self, found: &mut Vec<StaticError>) {
        // The entity of each variable whose only assignment is a constructor.
        let mut entities: FxHashMap<u32, Option<u32>> = FxHashMap::default();
        for (_, stmt) in self.ast.stmts.iter() {
            let StmtKind::Assign(_, Slot::Global(number), value) = stmt.kind else { continue };
            let entity = match self.ast.exprs[value].kind {
                ExprKind::New(new) => self.news.get(new.raw() as usize).copied().flatten(),
                _ => None,
            };
            let entity = entity.map(|info| info.entity);
            let known = entities.entry(number).or_insert(entity);
            if *known != entity {
                *known = None;
            }
        }
        let entity_of = |base: ExprId| match self.ast.exprs[base].kind {
            ExprKind::Name(_, Slot::Global(number)) => entities.get(&number).copied().flatten(),
            _ => None,
        };
        let read = self.ast.exprs.iter().filter_map(|(_, expr)| match expr.kind {
            ExprKind::Attr(base, name) => Some((base, name, expr.at)),
            _ => None,
        });
        let set = self.ast.stmts.iter().filter_map(|(_, stmt)| match stmt.kind {
            StmtKind::SetAttr { base, name, .. } => Some((base, name, stmt.at)),
            _ => None,
        });
        let mut seen = FxHashSet::default();
        for (base, name, at) in read.chain(set) {
            let Some(entity) = entity_of(base) else { continue };
            // The tree has two nodes for an assigned attribute, so each place is reported once.
            if !seen.insert((at.file, at.line, name)) {
                continue;
            }
            let known = &self.entities[entity as usize];
            if known.slot_of.contains_key(&name) || self.self_name == Some(name) {
                continue;
            }
            let (name_text, full) = (self.name(name), &known.full_name);
            let text = format!("could not find attribute with name: {name_text} in type {full}");
            let near = self.attribute_like(entity, name);
            let fault = Fault::UnknownAttribute(name_text.to_owned());
            let error = Error::new(Class::NotFound, text).with_fault(fault).at(at).meaning(near);
            found.push(StaticError { error, is_certain: true });
        }
    }

    /// A cycle of variables that need each other: `a -> b -> a`.
    pub(crate) fn circle(&self) -> Option<String> {
        let mut needs: FxHashMap<u32, (&str, Vec<u32>)> = FxHashMap::default();
        for (_, stmt) in self.ast.stmts.iter() {
            let StmtKind::Assign(name, Slot::Global(number), value) = stmt.kind else { continue };
            let mut left = vec![value];
            let entry = needs.entry(number).or_insert_with(|| (self.name(name.symbol), Vec::new()));
            while let Some(id) = left.pop() {
                if let ExprKind::Name(_, Slot::Global(other)) = self.ast.exprs[id].kind {
                    entry.1.push(other);
                }
                self.ast.children(id, &mut left);
            }
        }
        let mut starts: Vec<u32> = needs.keys().copied().collect();
        starts.sort_unstable();
        let mut done: FxHashSet<u32> = FxHashSet::default();
        for start in starts {
            let mut path: Vec<(u32, usize)> = vec![(start, 0)];
            while let Some((number, next)) = path.last_mut() {
                let other = needs.get(number).and_then(|(_, others)| others.get(*next)).copied();
                *next += 1;
                let Some(other) = other else {
                    done.insert(*number);
                    path.pop();
                    continue;
                };
                if let Some(at) = path.iter().position(|(known, _)| *known == other) {
                    let names = path[at..].iter().map(|(number, _)| number).chain([&other]);
                    let names: Vec<&str> =
                        names.filter_map(|number| Some(needs.get(number)?.0)).collect();
                    return Some(names.join(" -> "));
                }
                if !done.contains(&other) && needs.contains_key(&other) {
                    path.push((other, 0));
                }
            }
        }
        None
    }

    /// Finds arguments that do not fit the parameters of a built-in plugin.
    fn arguments(&self, id: ExprId, found: &mut Vec<StaticError>) {
        let ExprKind::Call(call) = self.ast.exprs[id].kind else { return };
        let call = &self.ast.calls[call];
        let Callee::Plugin(plugin) = call.callee else { return };
        let entry = &self.plugins[plugin as usize];
        let signature = entry.plugin.signature();
        // The parameters of plugins in Python are not known here.
        let is_known = signature.file.is_empty() && self.ast.lists.list(call.splats).is_empty();
        if !is_known {
            return;
        }
        let positional = self.ast.lists.list(call.positional);
        let is_named = |name: &str| call.names.iter().any(|known| self.name(*known) == name);
        if let Err(error) = signature.check_count(positional.len(), &is_named) {
            found.push(StaticError { error: error.at(self.ast.exprs[id].at), is_certain: true });
            return;
        }
        for (value, ty) in positional.iter().zip(&entry.params) {
            let node = &self.ast.exprs[*value];
            let ExprKind::Const(value) = &node.kind else { continue };
            if !self.may_fit(value, *ty) {
                let wanted = self.type_text(*ty);
                let text = format!("Invalid value {}, expected {wanted}", shown(value));
                let error = Error::new(Class::Runtime, text).at(node.at);
                found.push(StaticError { error, is_certain: true });
            }
        }
    }

    /// Marks the constructors that a block always executes, and lists its calls.
    fn mark(&self, block: BlockId, certain: &mut [bool], calls: &mut Vec<ExprId>) {
        let mut left: Vec<ExprId> = Vec::new();
        for stmt in &self.ast.blocks[block].statements {
            match &self.ast.stmts[*stmt].kind {
                StmtKind::Assign(_, _, value) | StmtKind::Expr(value) => left.push(*value),
                StmtKind::SetAttr { base, value, .. } => left.extend([*base, *value]),
                StmtKind::For { iterable, .. } => left.push(*iterable),
                StmtKind::If { condition, .. } => left.push(*condition),
                StmtKind::Annotations(..) => {}
            }
        }
        while let Some(id) = left.pop() {
            match &self.ast.exprs[id].kind {
                ExprKind::New(new) => {
                    if let Some(mark) = certain.get_mut(new.raw() as usize) {
                        *mark = true;
                    }
                }
                ExprKind::Call(_) => calls.push(id),
                // A branch may never be evaluated.
                ExprKind::Cond(condition, ..) => {
                    left.push(*condition);
                    continue;
                }
                ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Comprehension { .. } => continue,
                _ => {}
            }
            self.ast.children(id, &mut left);
        }
    }

    /// Whether a constant fits a type. Ignores the conditions of typedefs.
    fn may_fit(&self, value: &Value, ty: TypeId) -> bool {
        match (self.types.get(ty), value) {
            (Type::Nullable(_), Value::Null) => true,
            (Type::Nullable(inner) | Type::OrReference(inner), _) => self.may_fit(value, *inner),
            (Type::Typedef(id), _) => self.may_fit(value, self.typedefs[*id as usize].base),
            (Type::Union(items), _) => items.iter().any(|item| self.may_fit(value, *item)),
            (Type::String, _) => matches!(value, Value::Str(_)),
            (Type::Int, _) => matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)),
            (Type::Float, _) => matches!(value, Value::Float(_)),
            (Type::Number, _) => {
                matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_))
            }
            (Type::Bool, _) => matches!(value, Value::Bool(_)),
            (
                Type::List(_)
                | Type::AnyList
                | Type::LiteralList
                | Type::Dict(_)
                | Type::LiteralDict
                | Type::Entity(_),
                _,
            ) => !is_plain(value),
            _ => true,
        }
    }
}

/// Whether a value is neither a list nor a dict.
fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_)
    )
}

/// The error of a value that fits the model and that the kind of the resource refuses when it is
/// deployed.
fn refused_by_kind(entity: &str, attribute: &str, value: &Value) -> Option<String> {
    let (kind, description) = ordain_kinds::of_inmanta(entity)?;
    let (_, sets) = description.attributes.iter().find(|(name, _)| *name == attribute)?;
    let form = kind.attribute(sets)?.value_form()?;
    let (text, ty) = match value {
        // An empty text is no value.
        Value::Str(text) if !text.is_empty() => (text.to_string(), ScalarType::Text),
        // A mode is written as a number of digits from 0 to 7.
        Value::Int(number) if *sets == "mode" => (format!("{number:04}"), ScalarType::Text),
        Value::Int(number) => (number.to_string(), ScalarType::Number),
        Value::Bool(truth) => (truth.to_string(), ScalarType::Boolean),
        _ => return None,
    };
    let is_refused = !form.fits(&text, ty);
    is_refused.then(|| {
        let takes = form.description();
        format!("The {attribute} of {entity} is {takes}, not {}", shown(value))
    })
}

/// A constant as the model language writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("'{text}'"),
        Value::Int(number) => format!("'{number}'"),
        Value::BigInt(number) => format!("'{number}'"),
        Value::Float(number) => format!("'{}'", crate::value::float_text(*number)),
        Value::Bool(true) => "'true'".into(),
        Value::Bool(false) => "'false'".into(),
        _ => "'null'".into(),
    }
}
