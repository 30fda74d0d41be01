//! Resolves the names in expressions: types, plugins, attributes and variables.

use ordain_source::suggest;
use rustc_hash::FxHashMap;

use super::Resolution;
use crate::diagnostics::{Class, Error, Reporter, Result};
use crate::model::program::{
    Argument, DefinitionId, NamespaceId, NewInfo, Program, TargetAttribute,
};
use crate::symbol::Symbol;
use crate::syntax::ast::{
    BlockId, CallId, Callee, ExprId, ExprKind, Name, NewId, Slot, StmtId, StmtKind,
};
use crate::types::{Type, TypeId};

/// The target that the value of an expression is assigned to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hint {
    /// The type of the target.
    ty: Option<TypeId>,
    /// The object and attribute.
    left: TargetAttribute,
}

/// The attributes of indexes.
type IndexNames = smallvec::SmallVec<[Symbol; 8]>;

/// The values of a constructor's attributes.
type SetArguments = smallvec::SmallVec<[Argument; 16]>;

/// A level of names.
#[derive(Debug)]
enum Level {
    /// The variables of a block.
    Block(FxHashMap<Symbol, u16>),
    /// The variable of a comprehension.
    Element(Symbol),
    /// An instance. Names that it lacks are looked up in a namespace.
    Instance(NamespaceId),
    /// The top level of a namespace.
    Top(NamespaceId),
}

/// The scopes around an expression, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    levels: Vec<Level>,
}

impl Scopes {
    /// The scopes of a condition of an `implement` statement.
    pub(crate) fn instance(namespace: NamespaceId) -> Self {
        Self { levels: vec![Level::Instance(namespace)] }
    }
}

impl Program {
    /// Numbers the variables at the top level of all files.
    pub(crate) fn number_globals(&mut self) {
        for i in 0..self.tops.len() {
            let top = self.tops[i];
            self.tops[i].first = self.global_count;
            self.declare_variables(top.block, None);
            let variables = self.ast.blocks[top.block].variables.clone();
            for variable in variables {
                let number = self.global_count;
                self.namespaces[top.namespace as usize].globals.insert(variable, number);
                self.global_count += 1;
            }
        }
    }

    fn declare_variables(&mut self, block: BlockId, loop_variable: Option<Symbol>) {
        let mut seen = rustc_hash::FxHashSet::default();
        let assigned =
            self.ast.blocks[block].statements.iter().filter_map(|statement| {
                match self.ast.stmts[*statement].kind {
                    StmtKind::Assign(name, ..) => Some(name.symbol),
                    _ => None,
                }
            });
        let all = assigned.chain(loop_variable);
        let variables: Vec<Symbol> = all.filter(|name| seen.insert(*name)).collect();
        self.ast.blocks[block].variables = variables;
    }

    /// Resolves the names in the top-level block of a file.
    ///
    /// # Errors
    /// The first name that is not defined.
    pub(crate) fn normalize_top(&mut self, index: usize) -> Result<()> {
        let top = self.tops[index];
        let mut scopes = Scopes { levels: vec![Level::Top(top.namespace)] };
        self.normalize_statements(top.block, &mut scopes)
    }

    /// Resolves the names in an implementation.
    ///
    /// # Errors
    /// The first name that is not defined.
    pub(crate) fn normalize_implementation(&mut self, id: u32) -> Result<()> {
        let implementation = &self.implementations[id as usize];
        let mut scopes = Scopes::instance(implementation.namespace);
        let (text, at) = (implementation.full_name.to_string(), implementation.at);
        self.normalize_block(implementation.block, None, &mut scopes).map_err(|mut error| {
            let reporter = || Reporter { text: text.clone(), location: Some(at) };
            error.set_reporter(false, &reporter);
            error
        })
    }

    fn normalize_block(
        &mut self,
        block: BlockId,
        loop_variable: Option<Symbol>,
        scopes: &mut Scopes,
    ) -> Result<()> {
        self.declare_variables(block, loop_variable);
        let variables = self.ast.blocks[block].variables.iter();
        let numbered = variables.enumerate().map(|(i, name)| (*name, i as u16)).collect();
        scopes.levels.push(Level::Block(numbered));
        let result = self.normalize_statements(block, scopes);
        scopes.levels.pop();
        result
    }

    fn normalize_statements(&mut self, block: BlockId, scopes: &mut Scopes) -> Result<()> {
        for i in 0..self.ast.blocks[block].statements.len() {
            let id = self.ast.blocks[block].statements[i];
            self.normalize_statement(id, scopes).map_err(|mut error| {
                if matches!(
                    error.class,
                    Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType
                ) {
                    let reporter = || Reporter {
                        text: self.ast.statement(id),
                        location: Some(self.ast.stmts[id].at),
                    };
                    error.set_reporter(false, &reporter);
                }
                error
            })?;
        }
        Ok(())
    }

    fn normalize_statement(&mut self, id: StmtId, scopes: &mut Scopes) -> Result<()> {
        match self.ast.stmts[id].kind.clone() {
            StmtKind::Assign(name, _, value) => {
                let slot = self.slot(name.symbol, self.ast.stmts[id].at.file, scopes);
                self.ast.stmts[id].kind = StmtKind::Assign(name, slot, value);
                self.normalize(value, None, scopes)
            }
            StmtKind::SetAttr { base, name, value, .. } => {
                self.resolve_reference(base, scopes);
                let left = TargetAttribute { object: Some(base), attribute: name };
                self.normalize(value, Some(Hint { ty: None, left }), scopes)
            }
            StmtKind::For { variable, iterable, block } => {
                self.normalize(iterable, None, scopes)?;
                self.normalize_block(block, Some(variable), scopes)?;
                let promises = self.promises_of(block);
                self.keep_promises(id, promises);
                Ok(())
            }
            StmtKind::If { condition, then, otherwise } => {
                self.normalize(condition, None, scopes)?;
                self.normalize_block(then, None, scopes)?;
                self.normalize_block(otherwise, None, scopes)?;
                let mut promises = self.promises_of(then);
                promises.extend(self.promises_of(otherwise));
                self.keep_promises(id, promises);
                Ok(())
            }
            StmtKind::Expr(expr) => self.normalize(expr, None, scopes),
            StmtKind::Annotations(list, ..) => {
                for expr in self.ast.lists.list(list).to_vec() {
                    self.normalize(expr, None, scopes)?;
                }
                Ok(())
            }
        }
    }

    fn keep_promises(&mut self, id: StmtId, promises: Vec<(StmtId, u16)>) {
        if !promises.is_empty() {
            self.promises.insert(id, promises);
        }
    }

    /// The attribute assignments in a block whose object is declared outside of it.
    fn promises_of(&self, block: BlockId) -> Vec<(StmtId, u16)> {
        let variables = &self.ast.blocks[block].variables;
        let mut out = Vec::new();
        for &statement in &self.ast.blocks[block].statements {
            match &self.ast.stmts[statement].kind {
                StmtKind::SetAttr { .. } => out.push((statement, 1)),
                StmtKind::For { .. } | StmtKind::If { .. } => {
                    let inner = self.promises.get(&statement).into_iter().flatten();
                    out.extend(inner.map(|(statement, up)| (*statement, up + 1)));
                }
                _ => {}
            }
        }
        out.retain(|(statement, _)| match self.ast.stmts[*statement].kind {
            StmtKind::SetAttr { base, .. } => {
                self.root_variable(base).is_some_and(|root| !variables.contains(&root))
            }
            _ => false,
        });
        out
    }

    fn root_variable(&self, id: ExprId) -> Option<Symbol> {
        let mut id = id;
        loop {
            match self.ast.exprs[id].kind {
                ExprKind::Attr(base, _) => id = base,
                ExprKind::Name(name, _) => return Some(name),
                _ => return None,
            }
        }
    }

    /// The slot of a variable.
    fn slot(&self, name: Symbol, file: u32, scopes: &Scopes) -> Slot {
        if let Some((prefix, last)) = self.name(name).rsplit_once("::") {
            let namespace = &self.namespaces[self.namespace_at(file) as usize];
            let found = namespace.visible.get(prefix).and_then(|visible| {
                let last = self.ast.symbols.get(last)?;
                self.namespaces[visible.target as usize].globals.get(&last)
            });
            return found.map_or(Slot::Missing, |global| Slot::Global(*global));
        }
        let global = |namespace: &NamespaceId| {
            self.namespaces[*namespace as usize].globals.get(&name).copied()
        };
        let mut up = 0;
        for level in scopes.levels.iter().rev() {
            match level {
                Level::Block(variables) => {
                    if let Some(number) = variables.get(&name) {
                        return Slot::Local(up, *number);
                    }
                    up += 1;
                }
                Level::Element(variable) => {
                    if *variable == name {
                        return Slot::Local(up, 0);
                    }
                    up += 1;
                }
                Level::Instance(namespace) => return Slot::Instance(up, global(namespace)),
                Level::Top(namespace) => {
                    return global(namespace).map_or(Slot::Missing, Slot::Global);
                }
            }
        }
        Slot::Unresolved
    }

    /// Resolves the variable at the beginning of a reference; reports no errors.
    fn resolve_reference(&mut self, id: ExprId, scopes: &Scopes) {
        let mut id = id;
        while let ExprKind::Attr(base, _) = self.ast.exprs[id].kind {
            id = base;
        }
        if let ExprKind::Name(name, _) = self.ast.exprs[id].kind {
            let slot = self.slot(name, self.ast.exprs[id].at.file, scopes);
            self.ast.exprs[id].kind = ExprKind::Name(name, slot);
        }
    }

    /// Copies a reference, for use in other scopes.
    fn copy_reference(&mut self, id: ExprId, scopes: &Scopes) -> ExprId {
        let at = self.ast.exprs[id].at;
        match self.ast.exprs[id].kind.clone() {
            ExprKind::Attr(base, name) => {
                let base = self.copy_reference(base, scopes);
                self.ast.expr(ExprKind::Attr(base, name), at)
            }
            ExprKind::Name(name, _) => {
                let slot = self.slot(name, at.file, scopes);
                self.ast.expr(ExprKind::Name(name, slot), at)
            }
            kind => self.ast.expr(kind, at),
        }
    }

    /// Resolves the names in an expression.
    ///
    /// # Errors
    /// The first name that is not defined.
    pub(crate) fn normalize(
        &mut self,
        id: ExprId,
        hint: Option<Hint>,
        scopes: &mut Scopes,
    ) -> Result<()> {
        match self.ast.exprs[id].kind.clone() {
            ExprKind::Const(_) => Ok(()),
            ExprKind::Name(name, _) => self.normalize_name(id, name, scopes),
            ExprKind::Cond(c, a, b) => {
                self.normalize(c, None, scopes)?;
                self.normalize(a, hint, scopes)?;
                self.normalize(b, hint, scopes)
            }
            ExprKind::List(items) => {
                for item in self.ast.lists.list(items).to_vec() {
                    self.normalize(item, hint, scopes)?;
                }
                Ok(())
            }
            ExprKind::Comprehension { value, variable, iterable, guard } => {
                self.normalize_inside(variable, value, hint, scopes)?;
                self.normalize(iterable, None, scopes)?;
                guard.map_or(Ok(()), |guard| self.normalize_inside(variable, guard, None, scopes))
            }
            ExprKind::Defined(base, name, _) => match base {
                Some(base) => self.normalize(base, None, scopes),
                None => {
                    let slot = self.slot(name, self.ast.exprs[id].at.file, scopes);
                    self.ast.exprs[id].kind = ExprKind::Defined(None, name, slot);
                    Ok(())
                }
            },
            ExprKind::Call(call) => {
                self.normalize_children(id, scopes)?;
                self.ast.calls[call].callee = self.callee(id, call)?;
                Ok(())
            }
            ExprKind::New(new) => self.normalize_new(id, new, hint, scopes),
            ExprKind::Lookup(lookup) => {
                self.normalize_children(id, scopes)?;
                let Some(class) = self.ast.lookups[lookup].class else { return Ok(()) };
                let namespace = self.namespace_at(self.ast.exprs[id].at.file);
                let entity = self.find_entity(namespace, class)?;
                self.ast.lookups[lookup].entity = Some(entity);
                Ok(())
            }
            ExprKind::Attr(base, _) => self.normalize(base, None, scopes).map_err(|mut error| {
                // The original reports the whole reference.
                if error.class == Class::NotFound {
                    (error.reporter, error.location) = (None, None);
                    error = error.by(self.ast.reported(id), self.ast.exprs[id].at);
                }
                error
            }),
            _ => self.normalize_children(id, scopes),
        }
    }

    /// Resolves a part of a comprehension, where the loop variable is visible.
    fn normalize_inside(
        &mut self,
        variable: Symbol,
        id: ExprId,
        hint: Option<Hint>,
        scopes: &mut Scopes,
    ) -> Result<()> {
        scopes.levels.push(Level::Element(variable));
        let result = self.normalize(id, hint, scopes);
        scopes.levels.pop();
        result
    }

    /// Resolves a callee.
    fn callee(&mut self, id: ExprId, call: CallId) -> Result<Callee> {
        let name = self.ast.calls[call].name;
        let namespace = self.namespace_at(self.ast.exprs[id].at.file);
        match self.find(namespace, name)? {
            Resolution::Type(ty)
                if !matches!(self.types.get(ty), Type::LiteralList | Type::LiteralDict) =>
            {
                Ok(Callee::Cast(ty.0))
            }
            Resolution::Definition(DefinitionId::Plugin(plugin)) => Ok(Callee::Plugin(plugin)),
            _ => {
                let message = format!(
                    "Can not call '{}', can only call plugin or primitive type cast",
                    self.name(name.symbol)
                );
                let error = Error::new(Class::Runtime, message);
                Err(error.by(self.ast.reported(id), self.ast.exprs[id].at))
            }
        }
    }

    fn normalize_children(&mut self, id: ExprId, scopes: &mut Scopes) -> Result<()> {
        let mut children = Vec::new();
        self.ast.children(id, &mut children);
        for child in children {
            self.normalize(child, None, scopes)?;
        }
        Ok(())
    }

    fn normalize_name(&mut self, id: ExprId, name: Symbol, scopes: &Scopes) -> Result<()> {
        let at = self.ast.exprs[id].at;
        if let Some((prefix, _)) = self.name(name).rsplit_once("::") {
            let namespace = &self.namespaces[self.namespace_at(at.file) as usize];
            if !namespace.visible.contains_key(prefix) {
                let error = Error::new(Class::NotFound, namespace_not_found(prefix));
                return Err(error.by(self.name(name), at));
            }
        }
        let slot = self.slot(name, at.file, scopes);
        self.ast.exprs[id].kind = ExprKind::Name(name, slot);
        Ok(())
    }

    fn normalize_new(
        &mut self,
        id: ExprId,
        new: NewId,
        hint: Option<Hint>,
        scopes: &mut Scopes,
    ) -> Result<()> {
        let entity = self.entity_of(id, new, hint)?;
        let names: smallvec::SmallVec<[Name; 8]> =
            self.ast.names.list(self.ast.news[new].names).into();
        self.normalize_arguments(id, new, entity, &names, hint, scopes)
    }

    fn normalize_arguments(
        &mut self,
        id: ExprId,
        new: NewId,
        entity: u32,
        names: &[Name],
        hint: Option<Hint>,
        scopes: &mut Scopes,
    ) -> Result<()> {
        let (list, splats) = (self.ast.news[new].values, self.ast.news[new].splats);
        let values: smallvec::SmallVec<[ExprId; 8]> = self.ast.lists.list(list).into();
        let mut all = self.with_defaults(entity, names, &values);
        let (indexed, dynamic) = self.index_names(entity, &all);
        let has_splats = !splats.is_empty();
        let mut left = None;
        if !dynamic.is_empty() {
            left = hint.map(|hint| hint.left);
            if !has_splats && (left.is_none() || dynamic.len() > 1) {
                return Err(self.missing_attributes(id, entity, &dynamic));
            }
            if let Some(TargetAttribute { object: Some(object), attribute }) = left {
                let object = self.copy_reference(object, scopes);
                left = Some(TargetAttribute { object: Some(object), attribute });
            }
        }
        let mut owns = false;
        for (name, value) in names.iter().zip(&values) {
            let Some(attribute) = self.attribute(entity, name.symbol) else {
                return Err(self
                    .no_attribute(entity, name.symbol)
                    .by(self.name(name.symbol), name.at));
            };
            let hint = (!indexed.contains(&name.symbol)).then_some(Hint {
                ty: Some(self.attributes[attribute as usize].ty),
                left: TargetAttribute { object: None, attribute: name.symbol },
            });
            self.normalize(*value, hint, scopes)?;
            owns |= hint.is_some() && self.needs_owner(*value);
        }
        for splat in self.ast.lists.list(splats).to_vec() {
            self.normalize(splat, None, scopes)?;
        }
        // Attributes of indexes come first; otherwise the order is kept.
        let count = all.iter().filter(|(name, _)| indexed.contains(name)).count();
        if count > 0 && count < all.len() {
            all.sort_by_key(|(name, _)| !indexed.contains(name));
        }
        let arguments = self.arguments.extend(all);
        let dynamic = self.dynamic.extend(dynamic);
        let info = NewInfo { entity, arguments, direct: count as u32, dynamic, left, owns };
        let number = new.raw() as usize;
        if self.news.len() <= number {
            self.news.resize(self.ast.news.len().max(number + 1), None);
        }
        self.news[number] = Some(info);
        Ok(())
    }

    /// The attributes of the entity's indexes: those that are set, and those that are not.
    fn index_names(&self, entity: u32, set: &SetArguments) -> (IndexNames, Vec<Symbol>) {
        let mut indexed = IndexNames::new();
        let mut dynamic = Vec::new();
        for number in &self.entities[entity as usize].indexes {
            for name in &self.index_lists[*number as usize] {
                if set.iter().any(|(known, _)| known == name) {
                    indexed.push(*name);
                } else {
                    dynamic.push(*name);
                }
            }
        }
        (indexed, dynamic)
    }

    /// The values of a constructor together with the defaults of the entity.
    fn with_defaults(&self, entity: u32, names: &[Name], values: &[ExprId]) -> SetArguments {
        let mut all: SetArguments = self.entities[entity as usize].defaults.as_slice().into();
        for (name, value) in names.iter().zip(values) {
            match all.iter_mut().find(|(known, _)| *known == name.symbol) {
                Some(known) => known.1 = *value,
                None => all.push((name.symbol, *value)),
            }
        }
        all
    }

    /// Whether a constructor in an expression needs the instance that the expression belongs to.
    fn needs_owner(&self, id: ExprId) -> bool {
        match &self.ast.exprs[id].kind {
            ExprKind::New(new) => self
                .news
                .get(new.raw() as usize)
                .and_then(Option::as_ref)
                .is_some_and(|info| info.left.is_some_and(|left| left.object.is_none())),
            ExprKind::Cond(_, a, b) => self.needs_owner(*a) || self.needs_owner(*b),
            ExprKind::List(items) => {
                self.ast.lists.list(*items).iter().any(|item| self.needs_owner(*item))
            }
            ExprKind::Comprehension { value, .. } => self.needs_owner(*value),
            _ => false,
        }
    }

    /// The error that an entity has no attribute of this name.
    pub(crate) fn no_attribute(&self, entity: u32, name: Symbol) -> Box<Error> {
        let full = &self.entities[entity as usize].full_name;
        let text = format!("no attribute {} on type {full}", self.name(name));
        Error::new(Class::Typing, text).meaning(self.attribute_like(entity, name))
    }

    /// The attribute of an entity with the most similar name.
    pub(crate) fn attribute_like(&self, entity: u32, name: Symbol) -> Option<&str> {
        let slots = self.entities[entity as usize].slots.iter();
        let known = slots.map(|slot| self.name(self.attributes[*slot as usize].name));
        suggest::nearest(self.name(name), known)
    }

    /// The error that a constructor lacks an attribute of an index.
    pub(crate) fn missing_attributes(
        &self,
        id: ExprId,
        entity: u32,
        names: &[Symbol],
    ) -> Box<Error> {
        let mut message = String::from("Invalid Constructor call:");
        let full = &self.entities[entity as usize].full_name;
        for name in names {
            let is_relation = self
                .attribute(entity, *name)
                .is_some_and(|id| self.attributes[id as usize].is_relation());
            let kind = if is_relation { "relation" } else { "attribute" };
            let name = self.name(*name);
            message.push_str(&format!(
                "\n\t* Missing {kind} '{name}'. The {kind} {full}.{name} is part of an index."
            ));
        }
        let error = Error::new(Class::IndexAttributeMissing, message);
        error.by(self.ast.reported(id), self.ast.exprs[id].at)
    }

    /// The entity of a constructor, from its name and from the type of its target.
    fn entity_of(&mut self, id: ExprId, new: NewId, hint: Option<Hint>) -> Result<u32> {
        let at = self.ast.exprs[id].at;
        let class = self.ast.news[new].class;
        let namespace = self.namespace_at(at.file);
        let local = self.find_entity(namespace, class);
        let Some(wanted) = hint.and_then(|hint| hint.ty) else { return local };
        let text = self.name(class.symbol).to_owned();
        let Type::Entity(wanted_entity) = *self.types.get(wanted) else {
            return Err(self.unfit(id, &text, wanted));
        };
        let failure = match local {
            Ok(found) if self.is_entity(found, wanted_entity) => return Ok(found),
            Ok(found) => {
                let full = self.entities[found as usize].full_name.to_string();
                return Err(self.unfit(id, &full, wanted));
            }
            Err(failure) => failure,
        };
        if text.contains("::") {
            return Err(failure);
        }
        let mut candidates: Vec<u32> = Vec::new();
        let mut work = vec![wanted_entity];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(entity) = work.pop() {
            if !seen.insert(entity) {
                continue;
            }
            work.extend(&self.entities[entity as usize].children);
            if self.entities[entity as usize].name == Some(class.symbol) {
                candidates.push(entity);
            }
        }
        match candidates.as_slice() {
            [] => Err(failure),
            [only] => Ok(*only),
            _ => {
                let mut names: Vec<&str> = candidates
                    .iter()
                    .map(|id| self.entities[*id as usize].full_name.as_str())
                    .collect();
                names.sort_unstable();
                let message = format!(
                    "Could not determine namespace for type {text}. {} possible candidates \
                     exists: [{}]. To resolve this, use the fully qualified name instead of the \
                     short name.",
                    names.len(),
                    names.join(", ")
                );
                Err(Error::new(Class::AmbiguousType, message).at(class.at))
            }
        }
    }

    fn unfit(&self, id: ExprId, what: &str, wanted: TypeId) -> Box<Error> {
        let wanted = self.type_text(wanted);
        let message =
            format!("Can not assign a value of type {what} to a variable of type {wanted}");
        let error = Error::new(Class::Typing, message);
        error.by(self.ast.reported(id), self.ast.exprs[id].at)
    }
}

/// The message that a namespace is not visible.
pub(crate) fn namespace_not_found(name: &str) -> String {
    format!("Namespace {name} not found.\nTry importing it with `import {name}`")
}
