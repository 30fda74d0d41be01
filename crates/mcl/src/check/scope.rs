//! The visible names of a block, and their lookup.
//!
//! The same rules apply twice: to scopes during name resolution, and to frames during elaboration.
//! A class has one scope, but one frame for each include.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::program::ModId;
use crate::Edition;
use crate::functions::{self, Builtin, deprecated};
use crate::syntax::ast::{Name, StmtId};

/// The definition of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarDef {
    /// A bind.
    Bind(StmtId),
    /// A parameter of the class, by number.
    Param(u32),
    /// The index or key of the loop.
    Index,
    /// The value of the loop.
    Value,
}

/// The name before a dot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    /// `include … as x`
    Include(StmtId),
    /// An import.
    Import(Target),
}

/// The target of an import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// Built-in functions and variables, by their prefix.
    System(Name),
    /// A module.
    Module(ModId),
}

/// The names that a block defines.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    /// The module it is in.
    pub module: ModId,
    /// Variables.
    pub vars: FxHashMap<Name, VarDef>,
    /// Functions.
    pub funcs: FxHashMap<Name, StmtId>,
    /// Classes.
    pub classes: FxHashMap<Name, StmtId>,
    /// The name before a dot.
    pub aliases: FxHashMap<Name, Alias>,
    /// Imports without a name of their own, the last one first.
    pub stars: Vec<Target>,
}

/// The scopes in which names are looked up.
pub trait Frames {
    /// A block, or one instance of it.
    type At: Copy;
    /// Its definitions.
    fn scope(&mut self, at: Self::At) -> Rc<Scope>;
    /// The enclosing one.
    fn parent(&mut self, at: Self::At) -> Option<Self::At>;
    /// The content of a class that one of its statements includes.
    fn included(&mut self, at: Self::At, include: StmtId) -> Option<Self::At>;
    /// The content of a module.
    fn module(&mut self, module: ModId) -> Self::At;
    /// The edition of mcl.
    fn edition(&self) -> Edition;
}

/// A variable that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VarHit<A> {
    /// In a block.
    In(A, VarDef),
    /// Everywhere, by its full name.
    Global(Name),
}

/// A function that was found.
#[derive(Clone, Copy, Debug)]
pub enum FuncHit<A> {
    /// A statement of a block.
    In(A, StmtId),
    /// A built-in one.
    Builtin(&'static Builtin),
}

/// Finds a variable.
pub fn find_var<F: Frames>(frames: &mut F, at: F::At, name: &str) -> Option<VarHit<F::At>> {
    search(
        frames,
        Some(at),
        name,
        &|scope, at, name| scope.vars.get(name).map(|def| VarHit::In(at, *def)),
        &|full| is_global(full).then(|| VarHit::Global(full.into())),
    )
}

/// Finds a function.
pub fn find_func<F: Frames>(frames: &mut F, at: F::At, name: &str) -> Option<FuncHit<F::At>> {
    let is_wide = frames.edition() == Edition::Wide;
    let old = |full: &str| deprecated::find(full).filter(|_| is_wide).map(|old| &old.builtin);
    search(
        frames,
        Some(at),
        name,
        &|scope, at, name| scope.funcs.get(name).map(|stmt| FuncHit::In(at, *stmt)),
        &|full| functions::find(full).or_else(|| old(full)).map(FuncHit::Builtin),
    )
}

/// Finds a class: its enclosing block and its statement.
pub fn find_class<F: Frames>(frames: &mut F, at: F::At, name: &str) -> Option<(F::At, StmtId)> {
    search(
        frames,
        Some(at),
        name,
        &|scope, at, name| scope.classes.get(name).map(|stmt| (at, *stmt)),
        &|_| None,
    )
}

type Direct<'a, A, R> = &'a dyn Fn(&Scope, A, &str) -> Option<R>;
type Builtins<'a, R> = &'a dyn Fn(&str) -> Option<R>;

fn search<F: Frames, R>(
    frames: &mut F,
    mut at: Option<F::At>,
    name: &str,
    direct: Direct<'_, F::At, R>,
    system: Builtins<'_, R>,
) -> Option<R> {
    let parts = name.split_once('.');
    while let Some(here) = at {
        let scope = frames.scope(here);
        let found = match parts {
            None => direct(&scope, here, name),
            Some((first, rest)) => match scope.aliases.get(first) {
                Some(Alias::Import(target)) => in_target(frames, target, rest, direct, system),
                Some(Alias::Include(include)) => {
                    let inside = frames.included(here, *include);
                    search(frames, inside, rest, direct, system)
                }
                None => None,
            },
        };
        if found.is_some() {
            return found;
        }
        for target in &scope.stars {
            if let Some(found) = in_target(frames, target, name, direct, system) {
                return Some(found);
            }
        }
        at = frames.parent(here);
    }
    // Functions of modules are only visible through their import.
    let is_known = || functions::find(name).is_some() || deprecated::find(name).is_some();
    let is_function = name.contains('.') && is_known();
    if is_function { None } else { system(name) }
}

fn in_target<F: Frames, R>(
    frames: &mut F,
    target: &Target,
    name: &str,
    direct: Direct<'_, F::At, R>,
    system: Builtins<'_, R>,
) -> Option<R> {
    match target {
        Target::System(prefix) => system(&format!("{prefix}.{name}")),
        Target::Module(module) => {
            let top = frames.module(*module);
            search(frames, Some(top), name, direct, system)
        }
    }
}

/// Predefined variables.
pub const GLOBALS: &[&str] = &["hostname", "purpleidea"];

/// Whether a variable is predefined, or part of a built-in module.
pub fn is_global(name: &str) -> bool {
    GLOBALS.contains(&name) || super::constants::value(name).is_some()
}
