//! Emits expressions and statements: creates their units and the variables that these wait for.

use super::net::Net;
use super::state::ids::{ListenerId, NONE, Place, Scope, ScopeId, UnitId};
use super::state::unit::{Comprehension, Listener, Promise, Requires, Root, Unit, Work};
use super::state::variable::Kind;
use crate::check::namespace_not_found;
use crate::diagnostics::{Class, Error, Result};
use crate::symbol::Symbol;
use crate::syntax::ast::{BlockId, ExprId, ExprKind, Slot, StmtId, StmtKind};
use crate::value::{InstanceId, Value, VarId};

impl Net<'_> {
    /// Creates a unit. It runs when all variables that it waits for are ready.
    pub(super) fn unit(&mut self, work: Work, scope: ScopeId, requires: Requires) -> UnitId {
        self.sequence += 1;
        self.living += 1;
        let unit = Unit { work, scope, requires, waits: 1, sequence: self.sequence };
        let id = match self.free_units.pop() {
            Some(id) => {
                self.units[id as usize] = unit;
                id
            }
            None => {
                self.units.push(unit);
                self.units.len() as UnitId - 1
            }
        };
        for i in 0..self.units[id as usize].requires.len() {
            let var = self.units[id as usize].requires[i];
            self.wait(id, var);
        }
        self.wake(id);
        id
    }

    /// Creates a unit that evaluates an expression into a variable.
    pub(super) fn exec(
        &mut self,
        expr: ExprId,
        target: VarId,
        owner: Place,
        root: Root,
        scope: ScopeId,
        requires: Requires,
    ) {
        self.promise(target);
        self.unit(Work::Exec { expr, target, owner, root }, scope, requires);
    }

    fn push_scope(&mut self, scope: Scope) -> ScopeId {
        self.scopes.push(scope);
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// Creates a scope with `count` variables.
    pub(super) fn block_scope(&mut self, parent: ScopeId, count: usize, block: BlockId) -> ScopeId {
        let first = self.vars.len() as u32;
        for _ in 0..count {
            self.plain(0);
        }
        let id = self.push_scope(Scope { parent, first, owner: NONE });
        if count > 0 {
            self.scope_blocks.insert(id.0, block);
        }
        id
    }

    /// Creates a scope with the loop variable of a comprehension.
    pub(super) fn element_scope(&mut self, parent: ScopeId, value: &Value, at: Place) -> ScopeId {
        let first = self.ready(Kind::Element, value.clone(), at).0;
        self.push_scope(Scope { parent, first, owner: NONE })
    }

    /// Creates a scope for the values of an instance.
    pub(super) fn owner_scope(&mut self, parent: ScopeId, owner: InstanceId) -> ScopeId {
        self.push_scope(Scope { parent, first: NONE, owner: owner.0 })
    }

    /// The instance that a scope computes values for.
    pub(super) fn owner(&self, scope: ScopeId) -> Option<InstanceId> {
        let mut at = scope;
        while at != ScopeId::TOP && at.as_instance().is_none() {
            let scope = self.scopes[at.0 as usize];
            if scope.owner != NONE {
                return Some(InstanceId(scope.owner));
            }
            at = scope.parent;
        }
        None
    }

    /// The scope `levels` levels up.
    pub(super) fn up(&self, scope: ScopeId, levels: u16) -> ScopeId {
        let mut at = scope;
        let mut levels = levels;
        loop {
            if at == ScopeId::TOP || at.as_instance().is_some() {
                return at;
            }
            let found = self.scopes[at.0 as usize];
            if found.owner == NONE {
                if levels == 0 {
                    return at;
                }
                levels -= 1;
            }
            at = found.parent;
        }
    }

    /// The variable that a slot refers to.
    fn lookup(
        &self,
        name: Symbol,
        slot: Slot,
        scope: ScopeId,
        lift: u16,
        file: u32,
    ) -> Result<VarId> {
        let found = match slot {
            Slot::Local(up, number) => {
                let scope = self.up(scope, up.saturating_sub(lift));
                Some(VarId(self.scopes[scope.0 as usize].first + u32::from(number)))
            }
            Slot::Global(number) => Some(VarId(number)),
            Slot::Instance(up, global) => {
                let scope = self.up(scope, up.saturating_sub(lift));
                let own = scope.as_instance().and_then(|id| self.slot_var(id, name));
                own.or(global.map(VarId))
            }
            Slot::Missing | Slot::Unresolved => None,
        };
        found.ok_or_else(|| self.no_variable(name, file))
    }

    pub(super) fn no_variable(&self, name: Symbol, file: u32) -> Box<Error> {
        let mut text = self.program.name(name);
        if let Some((prefix, last)) = text.rsplit_once("::") {
            let namespace = self.program.namespace_at(file);
            if !self.program.namespaces[namespace as usize].visible.contains_key(prefix) {
                return Error::new(Class::NotFound, namespace_not_found(prefix));
            }
            text = last;
        }
        Error::new(Class::NotFound, format!("variable {text} not found"))
    }

    /// Emits the statements of a block.
    pub(super) fn emit_block(&mut self, block: BlockId, scope: ScopeId) -> Result<()> {
        for i in 0..self.program.ast.blocks[block].statements.len() {
            let id = self.program.ast.blocks[block].statements[i];
            self.emit_statement(id, scope).map_err(|error| self.through(error, Place::stmt(id)))?;
        }
        Ok(())
    }

    fn emit_statement(&mut self, id: StmtId, scope: ScopeId) -> Result<()> {
        let file = self.program.ast.stmts[id].at.file;
        match self.program.ast.stmts[id].kind {
            StmtKind::Assign(name, slot, value) => {
                let target = self.lookup(name.symbol, slot, scope, 0, file)?;
                let mut requires = Requires::new();
                self.emit(value, scope, &mut requires)?;
                self.exec(value, target, Place::stmt(id), Root::Plain, scope, requires);
            }
            StmtKind::SetAttr { base, .. } => {
                let mut requires = Requires::new();
                self.emit(base, scope, &mut requires)?;
                self.unit(Work::SetAttr(id), scope, requires);
            }
            StmtKind::For { iterable, .. } => {
                let promises = self.take_promises(id, scope)?;
                let listener = self.listener(Listener::For { stmt: id, scope });
                let mut requires = Requires::new();
                let root = self.emit_gradual(iterable, scope, listener, &mut requires)?;
                let work = Work::For { stmt: id, root, promises };
                self.unit(work, scope, requires);
            }
            StmtKind::If { condition, .. } => {
                let promises = self.take_promises(id, scope)?;
                let mut requires = Requires::new();
                self.emit(condition, scope, &mut requires)?;
                self.unit(Work::If { stmt: id, promises }, scope, requires);
            }
            StmtKind::Expr(expr) => {
                let target = self.plain(0);
                let mut requires = Requires::new();
                self.emit(expr, scope, &mut requires)?;
                self.exec(expr, target, Place::expr(expr), Root::Plain, scope, requires);
            }
            StmtKind::Annotations(list, ..) => {
                let mut vars = Vec::new();
                for expr in self.program.ast.lists.list(list).to_vec() {
                    let target = self.plain(0);
                    vars.push((expr, target));
                    let mut requires = Requires::new();
                    self.emit(expr, scope, &mut requires)?;
                    self.exec(expr, target, Place::expr(expr), Root::Plain, scope, requires);
                }
                self.annotations.push(vars);
            }
        }
        Ok(())
    }

    pub(super) fn listener(&mut self, listener: Listener) -> ListenerId {
        self.listeners.push(listener);
        self.listeners.len() as ListenerId - 1
    }

    /// Promises the assignments in a statement; returns the number of the first promise.
    fn take_promises(&mut self, id: StmtId, scope: ScopeId) -> Result<u32> {
        let first = self.promises.len() as u32;
        let Some(promised) = self.program.promises.get(&id) else { return Ok(first) };
        let promised = promised.clone();
        self.promises.extend(promised.iter().map(|_| Promise::default()));
        for (i, (stmt, lift)) in promised.into_iter().enumerate() {
            let StmtKind::SetAttr { base, .. } = self.program.ast.stmts[stmt].kind else {
                continue;
            };
            let mut requires = Requires::new();
            self.emit_lifted(base, scope, lift, &mut requires)?;
            let work = Work::Promise { stmt, promise: first + i as u32 };
            self.unit(work, scope, requires);
        }
        Ok(first)
    }

    /// Emits a reference from an inner scope in an outer one.
    fn emit_lifted(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        lift: u16,
        out: &mut Requires,
    ) -> Result<()> {
        match self.program.ast.exprs[id].kind {
            ExprKind::Attr(base, _) => {
                let proxy = self.proxy(None);
                let mut requires = Requires::new();
                self.emit_lifted(base, scope, lift, &mut requires)?;
                self.unit(Work::Attr { expr: id, proxy, is_lenient: true }, scope, requires);
                out.push(proxy);
            }
            ExprKind::Name(name, slot) => {
                let file = self.program.ast.exprs[id].at.file;
                out.push(self.lookup(name, slot, scope, lift, file)?);
            }
            _ => self.emit(id, scope, out)?,
        }
        Ok(())
    }

    /// Adds the variables that an expression waits for.
    pub(super) fn emit(&mut self, id: ExprId, scope: ScopeId, out: &mut Requires) -> Result<()> {
        match self.program.ast.exprs[id].kind {
            ExprKind::Const(_) => {}
            ExprKind::Name(name, slot) => {
                let file = self.program.ast.exprs[id].at.file;
                out.push(self.lookup(name, slot, scope, 0, file)?);
            }
            ExprKind::Attr(base, _) => {
                let proxy = self.proxy(None);
                let mut requires = Requires::new();
                self.emit(base, scope, &mut requires)?;
                self.unit(Work::Attr { expr: id, proxy, is_lenient: false }, scope, requires);
                out.push(proxy);
            }
            ExprKind::And(left, _) | ExprKind::Or(left, _) => {
                let target = self.typed(self.bool_type);
                let mut requires = Requires::new();
                self.emit(left, scope, &mut requires)?;
                self.unit(Work::Logic { expr: id, target }, scope, requires);
                out.push(target);
            }
            ExprKind::Cond(..) => self.emit_cond(id, scope, None, out)?,
            ExprKind::Comprehension { .. } => self.emit_comprehension(id, scope, None, out)?,
            ExprKind::Call(_) => {
                let mut requires = Requires::new();
                self.emit_children(id, scope, &mut requires)?;
                let target = self.plain(0);
                self.unit(Work::Call { expr: id, target, arguments: None }, scope, requires);
                out.push(target);
            }
            ExprKind::New(new) => self.emit_new(new.raw(), scope, out)?,
            ExprKind::Lookup(lookup) => {
                let entity = self.program.ast.lookups[lookup].entity;
                out.push(self.emit_lookup(id, entity, scope)?);
            }
            ExprKind::Defined(base, name, slot) => {
                let target = self.plain(0);
                match base {
                    Some(base) => {
                        let mut requires = Requires::new();
                        self.emit(base, scope, &mut requires)?;
                        self.unit(Work::Defined { expr: id, target }, scope, requires);
                    }
                    None => {
                        let file = self.program.ast.exprs[id].at.file;
                        let var = self.lookup(name, slot, scope, 0, file)?;
                        self.watch(id, target, var, scope)?;
                    }
                }
                out.push(target);
            }
            ExprKind::Splat(inner) => self.emit(inner, scope, out)?,
            _ => self.emit_children(id, scope, out)?,
        }
        Ok(())
    }

    fn emit_lookup(&mut self, id: ExprId, entity: Option<u32>, scope: ScopeId) -> Result<VarId> {
        let mut requires = Requires::new();
        self.emit_children(id, scope, &mut requires)?;
        let target = match entity {
            Some(entity) => {
                let ty = self.program.types.add(crate::types::Type::Entity(entity));
                self.typed(ty)
            }
            None => self.plain(0),
        };
        self.unit(Work::Lookup { expr: id, target }, scope, requires);
        Ok(target)
    }

    fn emit_children(&mut self, id: ExprId, scope: ScopeId, out: &mut Requires) -> Result<()> {
        let result = match self.program.ast.exprs[id].kind {
            ExprKind::Binary(_, a, b) | ExprKind::Entry(a, b) => {
                self.emit(a, scope, out).and_then(|()| self.emit(b, scope, out))
            }
            ExprKind::Not(a) | ExprKind::Regex(a, _) => self.emit(a, scope, out),
            _ => {
                let mut children = Vec::new();
                self.program.ast.children(id, &mut children);
                children.into_iter().try_for_each(|child| self.emit(child, scope, out))
            }
        };
        result.map_err(|error| self.through(error, Place::expr(id)))
    }

    fn emit_new(&mut self, number: u32, scope: ScopeId, out: &mut Requires) -> Result<()> {
        let Some(info) = self.program.news.get(number as usize).copied().flatten() else {
            return Ok(());
        };
        let left = info.left;
        for i in 0..info.direct as usize {
            let (_, value) = self.program.direct(info)[i];
            self.emit(value, scope, out)?;
        }
        let splats = self.program.ast.news[ordain_syntax::Idx::new(number)].splats;
        for i in 0..splats.len() {
            let splat = self.program.ast.lists.list(splats)[i];
            self.emit(splat, scope, out)?;
        }
        if let Some(object) = left.and_then(|left| left.object) {
            self.emit(object, scope, out)?;
        }
        Ok(())
    }

    fn emit_cond(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        listener: Option<ListenerId>,
        out: &mut Requires,
    ) -> Result<()> {
        let ExprKind::Cond(condition, ..) = self.program.ast.exprs[id].kind else { return Ok(()) };
        let target = self.plain(0);
        let mut requires = Requires::new();
        self.emit(condition, scope, &mut requires)?;
        self.unit(Work::Cond { expr: id, target, listener }, scope, requires);
        out.push(target);
        Ok(())
    }

    fn emit_comprehension(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        listener: Option<ListenerId>,
        out: &mut Requires,
    ) -> Result<()> {
        let ExprKind::Comprehension { iterable, .. } = self.program.ast.exprs[id].kind else {
            return Ok(());
        };
        let number = self.comprehensions.len() as u32;
        let target = self.plain(0);
        let results = Vec::new();
        self.comprehensions.push(Comprehension { expr: id, scope, listener, results, target });
        let mut requires = Requires::new();
        let root = if listener.is_some() {
            let own = self.listener(Listener::Comprehension(number));
            self.emit_gradual(iterable, scope, own, &mut requires)?
        } else {
            self.emit(iterable, scope, &mut requires)?;
            Root::Plain
        };
        self.unit(Work::Comprehension { number, root }, scope, requires);
        out.push(target);
        Ok(())
    }

    /// Adds the variables that an expression waits for. A listener gets the elements of its value
    /// as they arrive. Returns how the value is read at the end.
    pub(super) fn emit_gradual(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        listener: ListenerId,
        out: &mut Requires,
    ) -> Result<Root> {
        match self.program.ast.exprs[id].kind {
            ExprKind::Name(..) => {
                self.emit(id, scope, out)?;
                let Some(&var) = out.last() else { return Ok(Root::Plain) };
                let is_registered = self.listen(var, listener, Place::expr(id))?;
                Ok(if is_registered { Root::Plain } else { Root::Notify(listener) })
            }
            ExprKind::Attr(base, _) => {
                let proxy = self.proxy(Some(listener));
                let mut requires = Requires::new();
                self.emit(base, scope, &mut requires)?;
                self.unit(Work::Attr { expr: id, proxy, is_lenient: false }, scope, requires);
                out.push(proxy);
                Ok(Root::Plain)
            }
            ExprKind::Cond(..) => {
                self.emit_cond(id, scope, Some(listener), out)?;
                Ok(Root::Plain)
            }
            ExprKind::Comprehension { .. } => {
                self.emit_comprehension(id, scope, Some(listener), out)?;
                Ok(Root::Plain)
            }
            ExprKind::List(items) => {
                if items.is_empty() {
                    return Ok(Root::Plain);
                }
                let target = self.collected();
                for i in 0..items.len() {
                    let item = self.program.ast.lists.list(items)[i];
                    let mut requires = Requires::new();
                    let root = self.emit_gradual(item, scope, listener, &mut requires)?;
                    self.exec(item, target, Place::expr(id), root, scope, requires);
                }
                out.push(target);
                Ok(Root::Collected)
            }
            _ => {
                self.emit(id, scope, out)?;
                Ok(Root::Notify(listener))
            }
        }
    }
}
