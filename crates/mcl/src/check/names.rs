//! Name resolution: definitions of blocks, imports, and a check that every used name exists.

use std::rc::Rc;
use std::sync::Arc;

use ordain_source::{FileId, Span, TextRange, suggest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::constants;
use super::order::{self, Space};
use super::program::{self, Import, LoadContext, ModId, Module, Modules};
use super::scope::{self, Alias, Frames, FuncHit, Scope, Target, VarDef};
use crate::Edition;
use crate::failure::{Failure, Phase};
use crate::functions;
use crate::functions::deprecated::{self, Deprecated};
use crate::syntax::ast::{ExprId, ExprKind, FuncDef, Name, Piece, StmtId, StmtKind};

/// A block of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Block {
    /// The file itself.
    Top(ModId),
    /// The first or second block of a statement.
    Of(ModId, StmtId, u8),
}

impl Block {
    /// The module it is in.
    pub fn module(self) -> ModId {
        let (Self::Top(module) | Self::Of(module, ..)) = self;
        module
    }
}

/// A block with its enclosing blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(u32);

/// The result of name resolution.
#[derive(Default, Debug)]
pub struct Names {
    /// The definitions of blocks.
    pub scopes: FxHashMap<Block, Rc<Scope>>,
}

/// Checks all names of a program, beginning with its main module.
pub struct Checker<'w> {
    /// The way in which modules are loaded.
    pub loading: &'w LoadContext<'w>,
    /// The modules that were read.
    pub modules: Modules,
    /// The definitions of blocks.
    pub names: Names,
    /// The error in words.
    pub found: Vec<Failure>,
    /// Calls of functions that only the wide edition has.
    pub old: Vec<(Span, &'static Deprecated)>,
    /// Blocks with their enclosing blocks, in order of discovery.
    at: Vec<(Block, Option<ScopeId>)>,
    ids: FxHashMap<Block, ScopeId>,
    /// The modules that are being read, outermost first.
    reading: Vec<ModId>,
    /// Blocks whose names are checked.
    done: FxHashMap<Block, ()>,
    locals: Vec<Name>,
    /// The number of enclosing functions.
    in_functions: usize,
    /// The names of imports that failed, by module. The names that they would define are unknown.
    failed_imports: FxHashSet<(FileId, Name)>,
}

impl Frames for Checker<'_> {
    type At = ScopeId;

    fn scope(&mut self, at: ScopeId) -> Rc<Scope> {
        let block = self.at[at.0 as usize].0;
        self.names.scopes.get(&block).map(Rc::clone).unwrap_or_default()
    }

    fn parent(&mut self, at: ScopeId) -> Option<ScopeId> {
        self.at[at.0 as usize].1
    }

    fn included(&mut self, at: ScopeId, include: StmtId) -> Option<ScopeId> {
        let module = self.module_at(at);
        let StmtKind::Include { name, .. } = &module.1.tree.stmts[include].kind else {
            return None;
        };
        let (around, class) = scope::find_class(self, at, name)?;
        let block = Block::Of(self.module_at(around).0, class, 0);
        Some(self.enter(block, Some(around)))
    }

    fn module(&mut self, module: ModId) -> ScopeId {
        self.enter(Block::Top(module), None)
    }

    fn edition(&self) -> Edition {
        self.loading.edition
    }
}

impl<'w> Checker<'w> {
    /// A checker of a program whose modules are read so far.
    pub fn new(loading: &'w LoadContext<'w>, modules: Modules) -> Self {
        Self {
            loading,
            modules,
            names: Names::default(),
            found: Vec::new(),
            old: Vec::new(),
            at: Vec::new(),
            ids: FxHashMap::default(),
            reading: Vec::new(),
            done: FxHashMap::default(),
            locals: Vec::new(),
            in_functions: 0,
            failed_imports: FxHashSet::default(),
        }
    }

    /// Checks a module and all that it imports.
    pub fn module(&mut self, id: ModId) {
        self.reading.push(id);
        let top = self.enter(Block::Top(id), None);
        self.block(top);
        self.classes(id);
        self.reading.pop();
    }

    /// Reports duplicate definitions in classes that nobody includes, which are not checked
    /// otherwise.
    fn classes(&mut self, id: ModId) {
        let module = self.modules.get(id);
        for (class, stmt) in module.tree.stmts.iter() {
            let StmtKind::Class(node) = &stmt.kind else { continue };
            if self.ids.contains_key(&Block::Of(id, class, 0)) {
                continue;
            }
            let mut known = FxHashMap::default();
            for stmt in &node.body {
                let kind = &module.tree.stmts[*stmt].kind;
                if let Some((space, name)) = order::defined(kind) {
                    self.is_first(&module, &mut known, *stmt, space, &name);
                }
            }
        }
    }

    /// Checks that a statement defines a name that no earlier statement of the block defines.
    fn is_first(
        &mut self,
        module: &Module,
        known: &mut FxHashMap<(Space, Name), StmtId>,
        id: StmtId,
        space: Space,
        name: &Name,
    ) -> bool {
        let stmt = &module.tree.stmts[id];
        let Some(before) = known.insert((space, name.clone()), id) else { return true };
        if space == Space::Class {
            let text = format!("duplicate class name of: `{name}`");
            let span = stmt.range.in_file(module.file);
            self.found.push(Failure::new(Phase::Interpolate, text, span));
            return false;
        }
        let word = space.word();
        let first = module.tree.stmts[before].range.in_file(module.file);
        let before = described(&module.tree.stmts[before].kind, name);
        let text = format!(
            "could not generate ordering: duplicate assignment to `{word}:{name}`, have: {before}"
        );
        self.refuse(module, text, stmt.range);
        if let Some(failure) = self.found.last_mut() {
            failure.related.push((first, "first defined here".into()));
            let sign = if space == Space::Var { "$" } else { "" };
            failure.plain = Some(format!("`{sign}{name}` is defined twice").into());
        }
        false
    }

    fn module_at(&self, at: ScopeId) -> (ModId, Arc<Module>) {
        let id = self.at[at.0 as usize].0.module();
        (id, self.modules.get(id))
    }

    fn refuse(&mut self, module: &Module, text: impl Into<String>, range: TextRange) {
        let mut text = text.into();
        for _ in 0..self.in_functions {
            text.insert_str(0, "failed to set scope on function body: ");
        }
        self.found.push(Failure::new(Phase::SetScope, text, range.in_file(module.file)));
    }

    /// The scope of a block, built on first entry.
    fn enter(&mut self, block: Block, around: Option<ScopeId>) -> ScopeId {
        if let Some(id) = self.ids.get(&block) {
            return *id;
        }
        let id = ScopeId(self.at.len() as u32);
        self.at.push((block, around));
        self.ids.insert(block, id);
        let scope = self.declare(block);
        self.names.scopes.insert(block, Rc::new(scope));
        id
    }

    /// Collects the definitions of a block.
    fn declare(&mut self, block: Block) -> Scope {
        let id = block.module();
        let module = self.modules.get(id);
        let mut scope = Scope { module: id, ..Scope::default() };
        let body = body(&module, block);
        if let Block::Of(_, owner, _) = block {
            match &module.tree.stmts[owner].kind {
                StmtKind::Class(class) => {
                    let params = class.params.iter().zip(0..);
                    scope.vars.extend(params.map(|(p, i)| (p.name.clone(), VarDef::Param(i))));
                }
                StmtKind::For(node) => {
                    scope.vars.insert(node.index.0.clone(), VarDef::Index);
                    scope.vars.insert(node.value.0.clone(), VarDef::Value);
                }
                _ => {}
            }
        }
        let mut known: FxHashMap<(Space, Name), StmtId> = FxHashMap::default();
        known.reserve(body.len());
        let mut imported: FxHashMap<Name, ()> = FxHashMap::default();
        for stmt_id in body {
            let stmt = &module.tree.stmts[*stmt_id];
            if let StmtKind::Import { path, alias } = &stmt.kind {
                if imported.insert(path.clone(), ()).is_some() {
                    let text = format!("import `{path}` already exists in this scope");
                    self.refuse(&module, text, stmt.range);
                    continue;
                }
                self.import(&module, &mut scope, &mut known, *stmt_id, path, alias.as_ref());
                continue;
            }
            let Some((space, name)) = order::defined(&stmt.kind) else { continue };
            if !self.is_first(&module, &mut known, *stmt_id, space, &name) {
                continue;
            }
            match space {
                Space::Var => {
                    scope.vars.insert(name, VarDef::Bind(*stmt_id));
                }
                Space::Func => {
                    scope.funcs.insert(name, *stmt_id);
                }
                Space::Class => {
                    scope.classes.insert(name, *stmt_id);
                }
                Space::Scoped => {
                    scope.aliases.insert(name, Alias::Include(*stmt_id));
                }
            }
        }
        scope.stars.reverse();
        scope
    }

    fn import(
        &mut self,
        module: &Arc<Module>,
        scope: &mut Scope,
        known: &mut FxHashMap<(Space, Name), StmtId>,
        stmt: StmtId,
        path: &Name,
        alias: Option<&Name>,
    ) {
        let range = module.tree.stmts[stmt].range;
        let (kind, own) = match program::parse_import(path) {
            Ok(parsed) => parsed,
            Err(cause) => {
                let text = format!("import `{path}` is not valid: {cause}");
                self.refuse(module, text, range);
                return;
            }
        };
        let alias = alias.unwrap_or(&own);
        let key = (Space::Scoped, alias.clone());
        if alias != "*" && known.insert(key, stmt).is_some() {
            let text = format!("import alias `{alias}` already exists in this scope");
            self.refuse(module, text, range);
            return;
        }
        let target = match kind {
            Import::System if is_system(path) => Some(Target::System(path.clone())),
            Import::System => {
                let prefix = format!("system import of `{path}` failed");
                let place = program::embedded(self.loading, path);
                let is_missing = place.is_none();
                let missing = || format!("could not find any non-empty scope named: {path}");
                let target = self.imported(module, place.ok_or_else(missing), &prefix, range);
                if is_missing && let Some(failure) = self.found.last_mut() {
                    let modules = functions::all().iter().map(|func| func.parts().0);
                    let near = suggest::nearest(path, modules.filter(|m| !m.is_empty()));
                    failure.help = near.map(|near| format!("did you mean `{near}`?").into());
                }
                target
            }
            Import::Local => {
                let place = program::local(self.loading.world, module, path);
                self.imported(module, place, &format!("local import of `{path}` failed"), range)
            }
            Import::Remote(dir) => {
                let place = program::remote(self.loading, module, &dir);
                self.imported(module, place, &format!("remote import of `{path}` failed"), range)
            }
        };
        let Some(target) = target else {
            self.failed_imports.insert((module.file, alias.clone()));
            return;
        };
        if alias == "*" {
            scope.stars.push(target);
        } else {
            scope.aliases.insert(alias.clone(), Alias::Import(target));
        }
    }

    /// Reads and checks a module that is imported.
    fn imported(
        &mut self,
        from: &Arc<Module>,
        place: Result<program::ModuleLocation, String>,
        prefix: &str,
        range: TextRange,
    ) -> Option<Target> {
        let place = match place {
            Ok(place) => place,
            Err(cause) => {
                self.refuse(from, format!("{prefix}: {cause}"), range);
                return None;
            }
        };
        let span = range.in_file(from.file);
        let known = self.modules.known(&place.path);
        if let Some(id) = known {
            if self.reading.contains(&id) {
                let text = format!("{prefix}: recursive import of: `{}`: not a dag", place.shown);
                self.found.push(Failure::new(Phase::SetScope, text, span));
                return None;
            }
            return Some(Target::Module(id));
        }
        let before = self.found.len();
        let text = match self.loading.world.read(&place.path) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| "it is no UTF-8".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let added = match text {
            Err(cause) => {
                self.refuse(from, format!("{prefix}: {cause}"), range);
                return None;
            }
            Ok(text) => self.modules.add(self.loading, &place, &text),
        };
        let target = match added {
            Err(failures) => {
                self.found.extend(failures.into_iter().map(of_import));
                None
            }
            Ok(id) => self.imported_module(id),
        };
        for failure in &mut self.found[before..] {
            failure.wrap(prefix);
            failure.places.push(vec![span]);
        }
        target
    }

    /// Checks a module after its import. Returns `None` if modules must not have its statements.
    fn imported_module(&mut self, id: ModId) -> Option<Target> {
        let module = self.modules.get(id);
        if let Some((stmt, range)) = program::unused(&module) {
            let text = format!("module contains unused statements: found stmt: {stmt}");
            let span = range.in_file(module.file);
            self.found.push(Failure::new(Phase::SetScope, text, span));
            return None;
        }
        let before = self.found.len();
        self.module(id);
        for failure in &mut self.found[before..] {
            failure.wrap("could not set scope from import");
        }
        Some(Target::Module(id))
    }

    /// Checks the names of a block.
    fn block(&mut self, at: ScopeId) {
        let block = self.at[at.0 as usize].0;
        if self.done.insert(block, ()).is_some() {
            return;
        }
        let (_, module) = self.module_at(at);
        let body: Vec<StmtId> = body(&module, block).to_vec();
        let cycles = order::cycles(&module.tree, &body);
        if !cycles.is_empty() {
            for cycle in cycles {
                let spans = cycle.iter().map(|range| range.in_file(module.file)).collect();
                let text = "recursive reference while setting scope: not a dag";
                let first = cycle[0].in_file(module.file);
                let mut failure = Failure::new(Phase::SetScope, text, first);
                failure.places = vec![spans];
                failure.help = Some(
                    "nothing can be defined by itself; a name that shadows an outer one hides it \
                     in its whole block"
                        .into(),
                );
                self.found.push(failure);
            }
            return;
        }
        for id in body {
            self.statement(at, &module, id);
        }
    }

    fn statement(&mut self, at: ScopeId, module: &Arc<Module>, id: StmtId) {
        let id_of = self.module_at(at).0;
        let stmt = &module.tree.stmts[id];
        match &stmt.kind {
            StmtKind::Class(_) | StmtKind::Import { .. } => {}
            StmtKind::Func(_, func) => self.func(at, module, func),
            StmtKind::Include { name, args, .. } => {
                // Errors of the include itself come before those of its arguments.
                let inside = self.included_class(at, module, stmt.range, name, args.len());
                for arg in args {
                    self.expr(at, module, *arg);
                }
                if let Some(inside) = inside {
                    self.block(inside);
                }
            }
            kind => {
                kind.each_expr(&mut |expr| self.expr(at, module, expr));
                for (block, number) in kind.blocks().into_iter().zip(0..) {
                    if !block.is_empty() {
                        let inner = self.enter(Block::Of(id_of, id, number), Some(at));
                        self.block(inner);
                    }
                }
            }
        }
    }

    /// The block of a class that is included with this many arguments.
    fn included_class(
        &mut self,
        at: ScopeId,
        module: &Arc<Module>,
        range: TextRange,
        name: &Name,
        count: usize,
    ) -> Option<ScopeId> {
        let Some((around, class)) = scope::find_class(self, at, name) else {
            if self.is_of_failed_import(module, name) {
                return None;
            }
            let text = format!("class `{name}` does not exist in this scope");
            self.refuse(module, text, range);
            self.explain(at, Space::Class, name, self.named_in(module, range, name));
            return None;
        };
        let (class_module_id, class_module) = self.module_at(around);
        let StmtKind::Class(node) = &class_module.tree.stmts[class].kind else { return None };
        if node.params.len() != count {
            let want = node.params.len();
            let text = format!("class `{name}` expected {want} args but got {count}");
            self.refuse(module, text, range);
            return None;
        }
        Some(self.enter(Block::Of(class_module_id, class, 0), Some(around)))
    }

    fn func(&mut self, at: ScopeId, module: &Arc<Module>, func: &FuncDef) {
        let depth = self.locals.len();
        self.locals.extend(func.params.iter().map(|param| param.name.clone()));
        self.in_functions += 1;
        self.expr(at, module, func.body);
        self.in_functions -= 1;
        self.locals.truncate(depth);
    }

    fn expr(&mut self, at: ScopeId, module: &Arc<Module>, id: ExprId) {
        // The name of the function is looked up after the arguments.
        let mut work = vec![(id, false)];
        while let Some((id, is_name)) = work.pop() {
            let expr = &module.tree.exprs[id];
            match &expr.kind {
                ExprKind::Call(name, args) if is_name => {
                    self.called(at, module, name, args.len(), expr.range);
                    continue;
                }
                ExprKind::CallVar(name, _) if is_name => {
                    self.var(at, module, name, expr.range, true);
                    continue;
                }
                ExprKind::Call(..) | ExprKind::CallVar(..) => work.push((id, true)),
                ExprKind::CallLambda(func, args) => {
                    work.push((*func, false));
                    work.extend(args.iter().rev().map(|arg| (*arg, false)));
                    continue;
                }
                ExprKind::Str(pieces) => {
                    for piece in pieces {
                        if let Piece::Var(name) = piece {
                            self.var(at, module, name, expr.range, false);
                        }
                    }
                }
                ExprKind::Var(name) => self.var(at, module, name, expr.range, false),
                ExprKind::Lambda(func) => {
                    self.func(at, module, func);
                    continue;
                }
                _ => {}
            }
            let from = work.len();
            expr.kind.each_part(&mut |part| work.push((part, false)));
            work[from..].reverse();
        }
    }

    fn called(
        &mut self,
        at: ScopeId,
        module: &Arc<Module>,
        name: &Name,
        count: usize,
        range: TextRange,
    ) {
        match scope::find_func(self, at, name) {
            None if self.is_of_failed_import(module, name) => {}
            None => {
                let text = format!("func `{name}` does not exist in this scope");
                self.refuse(module, text, range);
                self.explain(at, Space::Func, name, self.named_in(module, range, name));
            }
            Some(FuncHit::Builtin(func)) if self.loading.edition == Edition::Wide => {
                let old =
                    deprecated::find(func.name).or_else(|| deprecated::with_arguments(func, count));
                self.old.extend(old.map(|old| (range.in_file(module.file), old)));
            }
            Some(_) => {}
        }
    }

    fn var(
        &mut self,
        at: ScopeId,
        module: &Arc<Module>,
        name: &Name,
        range: TextRange,
        is_call: bool,
    ) {
        if self.locals.contains(name)
            || scope::find_var(self, at, name).is_some()
            || self.is_of_failed_import(module, name)
        {
            return;
        }
        let text = if is_call {
            format!("lambda `$${name}` does not exist in this scope")
        } else {
            format!("var `${name}` does not exist in this scope")
        };
        self.refuse(module, text, range);
        self.explain(at, Space::Var, name, self.named_in(module, range, name));
    }

    /// Whether a name may be of an import that failed, which is the error to report.
    fn is_of_failed_import(&self, module: &Module, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        let is_of = |alias: &str| self.failed_imports.contains(&(module.file, alias.into()));
        is_of(first) || is_of("*")
    }

    /// Adds the place of the name and a suggestion to the last error, which is about an unknown
    /// name.
    fn explain(&mut self, at: ScopeId, space: Space, name: &Name, place: Option<Span>) {
        let known = match self.found.len() <= suggest::MAX_SUGGESTIONS {
            true => self.visible(at, space),
            false => Default::default(),
        };
        let missing = name.split_once('.').filter(|(first, _)| {
            is_system(first) && !known.iter().any(|k| k.split('.').next() == Some(first))
        });
        let Some(failure) = self.found.last_mut() else { return };
        failure.focus = place.map(|place| Box::new((place, String::new())));
        failure.help = match missing {
            Some((module, _)) => Some(format!("`import \"{module}\"` is missing").into()),
            None => {
                let near = suggest::nearest(name, known.iter().map(String::as_str));
                near.map(|near| match space {
                    Space::Var => format!("did you mean `${near}`?").into(),
                    _ => format!("did you mean `{near}`?").into(),
                })
            }
        };
    }

    /// The range of a name within a range of a file, including the `$` of a variable.
    fn named_in(&self, module: &Module, range: TextRange, name: &str) -> Option<Span> {
        let file = self.loading.sources.file(module.file);
        let text = file.text.get(range.start as usize..range.end as usize)?;
        let at = text.find(name)?;
        let marked = text[..at].ends_with('$');
        let start = range.start + at as u32 - u32::from(marked);
        let end = range.start + (at + name.len()) as u32;
        Some(TextRange::new(start, end).in_file(module.file))
    }

    /// All visible names of a namespace in a block, for suggestions.
    fn visible(&mut self, at: ScopeId, space: Space) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if space == Space::Var {
            names.extend(self.locals.iter().map(ToString::to_string));
            names.extend(scope::GLOBALS.iter().map(ToString::to_string));
            let constants = constants::names("const.");
            names.extend(constants.map(|name| format!("const.{name}")));
        }
        if space == Space::Func {
            let all = functions::all().iter().filter(|func| !func.is_internal());
            names.extend(all.filter(|f| f.parts().0.is_empty()).map(|f| f.name.to_owned()));
        }
        let mut next = Some(at);
        while let Some(here) = next {
            let scope = self.scope(here);
            names.extend(own_names(&scope, space));
            let imports = scope.aliases.iter().filter_map(|(alias, target)| match target {
                Alias::Import(target) => Some((alias.clone(), target.clone())),
                Alias::Include(_) => None,
            });
            let mut imports: Vec<(Name, Target)> = imports.collect();
            imports.sort_by(|a, b| a.0.cmp(&b.0));
            for (alias, target) in imports {
                let members = self.members(&target, space);
                names.extend(members.into_iter().map(|member| format!("{alias}.{member}")));
            }
            for target in &scope.stars {
                names.extend(self.members(target, space));
            }
            next = self.parent(here);
        }
        names.sort();
        names.dedup();
        names
    }

    /// The names of a namespace from an import.
    fn members(&mut self, target: &Target, space: Space) -> Vec<String> {
        match target {
            Target::System(path) if space == Space::Func => {
                functions::in_module(path).map(|func| func.parts().1.to_owned()).collect()
            }
            Target::System(path) if space == Space::Var => {
                constants::names(&format!("{path}.")).map(ToOwned::to_owned).collect()
            }
            Target::System(_) => Vec::new(),
            Target::Module(module) => {
                let top = Frames::module(self, *module);
                own_names(&self.scope(top), space)
            }
        }
    }
}

/// The names of a namespace that a block itself defines.
fn own_names(scope: &Scope, space: Space) -> Vec<String> {
    match space {
        Space::Var => scope.vars.keys().map(ToString::to_string).collect(),
        Space::Func => scope.funcs.keys().map(ToString::to_string).collect(),
        Space::Class => scope.classes.keys().map(ToString::to_string).collect(),
        Space::Scoped => Vec::new(),
    }
}

/// A definition as messages have it.
fn described(kind: &StmtKind, name: &str) -> String {
    match kind {
        StmtKind::Func(..) => format!("func({name})"),
        StmtKind::Include { name, .. } => format!("include({name})"),
        StmtKind::Import { path, .. } => format!("import({path})"),
        _ => format!("bind({name})"),
    }
}

fn is_system(path: &str) -> bool {
    functions::is_module(path) || constants::is_module(path)
}

/// The statements of a block.
pub fn body(module: &Module, block: Block) -> &[StmtId] {
    match block {
        Block::Top(_) => &module.tree.body,
        Block::Of(_, owner, number) => module.tree.stmts[owner].kind.blocks()[usize::from(number)],
    }
}

/// An error in the text of an imported module, as an error of the import.
fn of_import(mut failure: Failure) -> Failure {
    let stage = match failure.phase {
        Phase::LexParse => "could not generate AST from import",
        Phase::Init => "could not init and validate AST",
        _ => "could not interpolate AST",
    };
    failure.wrap(stage);
    failure.phase = Phase::SetScope;
    failure
}
