//! Scopes: where variables live.
//!
//! Most scopes hold a handful of variables, so they are searched in order; a scope that grows
//! beyond `INLINE` gets an index. Scopes of lambdas and functions are reused when they end.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::inputs;
use rustc_hash::FxHashMap;

use crate::catalog::ResourceId;
use crate::value::Value;
use crate::value::closure::ScopeId;

/// The number of variables above which a scope gets an index.
const INLINE: usize = 12;

/// The construct that made a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    /// The compile.
    Top,
    /// The matching node block.
    Node,
    /// A class.
    Class,
    /// An instance of a define.
    Define,
    /// A call of a function, or a template.
    Function,
    /// A call of a lambda.
    Lambda,
}

/// The groups of a regular expression that matched; index 0 is the whole match.
pub type Matches = Arc<[Value]>;

/// A scope.
#[derive(Debug)]
pub struct Scope {
    /// The construct that made it.
    pub kind: ScopeKind,
    /// The scope in which the search for an unqualified name continues.
    pub parent: Option<ScopeId>,
    /// The scope that declared the class or define instance; resource defaults are searched there.
    pub declared_in: Option<ScopeId>,
    /// The class, define instance or node that resources declared here are contained in.
    pub resource: ResourceId,
    /// The module of the code; empty if there is none.
    pub module: EcoString,
    /// The class name, for scopes of classes; empty otherwise.
    pub class: EcoString,
    /// While parameters are given their values: which there are. Reading one without a value is an
    /// error even if an outer scope has a variable of its name.
    pub pending: Option<Box<Pending>>,
    vars: Vec<(EcoString, Value)>,
    index: Option<Box<FxHashMap<EcoString, u32>>>,
    /// Results of matches, innermost last.
    pub matches: Vec<Matches>,
}

/// The parameters of a call or body whose defaults are being evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The owner of the parameters, as messages name it.
    pub callee: EcoString,
    /// All parameters, from left to right.
    names: Vec<EcoString>,
    /// The positions of the names, if there are many.
    index: Option<FxHashMap<EcoString, usize>>,
    /// The position of the parameter that is being evaluated.
    pub current: usize,
}

impl Pending {
    /// The parameters of a callee; the first one is being evaluated.
    pub fn new(callee: EcoString, names: Vec<EcoString>) -> Self {
        let is_long = names.len() > INLINE;
        let index = is_long.then(|| names.iter().cloned().zip(0..).collect());
        Self { callee, names, index, current: 0 }
    }

    /// The position of the parameter of this name.
    fn place(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.names.iter().position(|known| known == name),
        }
    }

    /// The message that refuses to read the parameter at `at`.
    pub fn refusal(&self, at: usize) -> String {
        let (callee, name) = (&self.callee, &self.names[at]);
        if at < self.current {
            return format!("{callee}: expects a value for parameter ${name}");
        }
        let current = &self.names[self.current];
        format!(
            "{callee}: default expression for ${current} tries to illegally access not yet evaluated ${name}"
        )
    }
}

impl Scope {
    /// A scope without variables.
    pub fn new(kind: ScopeKind, parent: Option<ScopeId>, resource: ResourceId) -> Self {
        Self {
            kind,
            parent,
            declared_in: None,
            resource,
            module: EcoString::new(),
            class: EcoString::new(),
            pending: None,
            vars: Vec::new(),
            index: None,
            matches: Vec::new(),
        }
    }

    /// The variable of this name in this scope alone.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match &self.index {
            Some(index) => index.get(name).map(|&i| &self.vars[i as usize].1),
            None => self.vars.iter().find(|(n, _)| n == name).map(|(_, v)| v),
        }
    }

    /// Sets a variable; false if it is set already.
    pub fn set(&mut self, name: EcoString, value: Value) -> bool {
        if self.get(&name).is_some() {
            return false;
        }
        if let Some(index) = &mut self.index {
            index.insert(name.clone(), self.vars.len() as u32);
        }
        self.vars.push((name, value));
        if self.index.is_none() && self.vars.len() > INLINE {
            let names = self.vars.iter().enumerate();
            self.index = Some(Box::new(names.map(|(i, (n, _))| (n.clone(), i as u32)).collect()));
        }
        true
    }

    /// Sets a variable, replacing one of the same name.
    pub fn replace(&mut self, name: EcoString, value: Value) {
        let place = match &self.index {
            Some(index) => index.get(&name).map(|&i| i as usize),
            None => self.vars.iter().position(|(n, _)| *n == name),
        };
        if let Some(place) = place {
            self.vars[place].1 = value;
        } else {
            self.set(name, value);
        }
    }

    /// Hides some variables, so that those of outer scopes are visible.
    pub(crate) fn hide(&mut self, names: &[&str]) -> Vec<(usize, EcoString)> {
        let mut hidden = Vec::new();
        for (i, (name, _)) in self.vars.iter_mut().enumerate() {
            if names.contains(&name.as_str()) {
                if let Some(index) = &mut self.index {
                    index.remove(name);
                }
                // No variable has an empty name.
                hidden.push((i, std::mem::take(name)));
            }
        }
        hidden
    }

    /// Gives variables that were hidden their names back.
    pub(crate) fn restore(&mut self, hidden: Vec<(usize, EcoString)>) {
        for (i, name) in hidden {
            if let Some(index) = &mut self.index {
                index.insert(name.clone(), i as u32);
            }
            self.vars[i].0 = name;
        }
    }

    /// All variables, to change their values.
    pub(crate) fn variables_mut(&mut self) -> impl Iterator<Item = (&EcoString, &mut Value)> {
        self.vars.iter_mut().map(|(n, v)| (&*n, v))
    }

    /// All variables, in the order they were set.
    pub fn variables(&self) -> impl Iterator<Item = (&EcoString, &Value)> {
        self.vars.iter().map(|(n, v)| (n, v))
    }
}

/// All scopes of a compile.
#[derive(Debug, Default)]
pub struct Scopes {
    scopes: Vec<Scope>,
    free: Vec<ScopeId>,
    /// The allocations of cleared scopes, for reuse.
    spare: Vec<Vec<(EcoString, Value)>>,
    /// The scopes of evaluated classes, by class name.
    classes: FxHashMap<EcoString, ScopeId>,
    /// The scope of the node block, if one was chosen.
    node: Option<ScopeId>,
    /// The number of scopes with [`Scope::pending`] parameters.
    pending: u32,
}

impl Scopes {
    /// Reserves room for the scopes of most compiles, so that they need not move. Untouched room
    /// takes no memory.
    pub fn with_room() -> Self {
        const ROOM: usize = 1 << 14;
        Self { scopes: Vec::with_capacity(ROOM), ..Self::default() }
    }

    /// Adds a scope, in the place of a dropped one if there is one.
    pub fn push(&mut self, mut scope: Scope) -> ScopeId {
        if let Some(id) = self.free.pop() {
            let slot = self.get_mut(id);
            // The list of variables was emptied, its memory serves again.
            if scope.vars.capacity() == 0 {
                std::mem::swap(&mut scope.vars, &mut slot.vars);
            }
            *slot = scope;
            return id;
        }
        self.scopes.push(scope);
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// Reserves room for the variables of a new scope, if possible in the allocation of a cleared
    /// scope.
    pub fn reserve(&mut self, scope: &mut Scope, more: usize) {
        if let Some(spare) = self.spare.pop() {
            scope.vars = spare;
        }
        scope.vars.reserve_exact(more);
    }

    /// Forgets the variables of a scope whose code has ended, but which is still referred to.
    pub fn clear(&mut self, id: ScopeId) {
        let scope = &mut self.scopes[id.0 as usize];
        let mut vars = std::mem::take(&mut scope.vars);
        vars.clear();
        self.spare.push(vars);
        scope.index = None;
        scope.matches = Vec::new();
    }

    /// Gives up a scope that nothing refers to any more.
    pub fn drop_scope(&mut self, id: ScopeId) {
        let scope = &mut self.scopes[id.0 as usize];
        scope.vars.clear();
        scope.index = None;
        scope.pending = None;
        scope.matches.clear();
        self.free.push(id);
    }

    /// All scopes, including ended ones, which have no variables.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ScopeId> + use<> {
        (0..self.scopes.len() as u32).map(ScopeId)
    }

    /// The scope of an evaluated class.
    pub fn of_class(&self, name: &str) -> Option<ScopeId> {
        self.classes.get(name).copied()
    }

    /// Records the scope of a class.
    pub(crate) fn set_class(&mut self, name: EcoString, scope: ScopeId) {
        self.classes.insert(name, scope);
    }

    /// The scope of the node block, or the top scope without one.
    pub(crate) fn node_or_top(&self) -> ScopeId {
        self.node.unwrap_or(ScopeId::TOP)
    }

    /// Records the scope of the node block.
    pub(crate) fn set_node(&mut self, scope: ScopeId) {
        self.node = Some(scope);
    }

    /// Whether any scope has parameters without a value. Reads of variables check this first.
    pub(crate) fn has_pending(&self) -> bool {
        self.pending > 0
    }

    /// Marks the parameters of a scope as not evaluated yet.
    pub(crate) fn begin_pending(&mut self, scope: ScopeId, pending: Pending) {
        self.get_mut(scope).pending = Some(Box::new(pending));
        self.pending += 1;
    }

    /// Ends [`Self::begin_pending`].
    pub(crate) fn end_pending(&mut self, scope: ScopeId) {
        self.pending -= 1;
        self.get_mut(scope).pending = None;
    }

    /// Whether there is a scope of this number.
    pub fn contains(&self, id: ScopeId) -> bool {
        (id.0 as usize) < self.scopes.len()
    }

    /// A scope.
    pub fn get(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// A scope, to change it.
    pub fn get_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id.0 as usize]
    }

    /// The variable of this unqualified name, searched outwards. A search that reaches the top scope
    /// is noted as an input.
    pub fn lookup(&self, from: ScopeId, name: &str) -> Option<&Value> {
        let mut at = Some(from);
        while let Some(id) = at {
            let scope = self.get(id);
            if id == ScopeId::TOP {
                inputs::note_value(name);
            }
            if let Some(value) = scope.get(name) {
                return Some(value);
            }
            at = scope.parent;
        }
        None
    }

    /// The same, but not noted as an input: the caller notes the part that it reads.
    pub(crate) fn quiet_lookup(&self, from: ScopeId, name: &str) -> Option<&Value> {
        let mut at = Some(from);
        while let Some(id) = at {
            let scope = self.get(id);
            if let Some(value) = scope.get(name) {
                return Some(value);
            }
            at = scope.parent;
        }
        None
    }

    /// The same for a variable of the top scope only.
    pub(crate) fn top_variable(&self, from: ScopeId, name: &str) -> Option<&Value> {
        let mut at = from;
        while at != ScopeId::TOP {
            let scope = self.get(at);
            if scope.get(name).is_some() {
                return None;
            }
            at = scope.parent?;
        }
        self.get(ScopeId::TOP).get(name)
    }

    /// The message that refuses to read a variable of this name, searched outwards: it may be a parameter
    /// that has no value yet.
    pub fn refusal(&self, from: ScopeId, name: &str) -> Option<String> {
        let mut at = Some(from);
        while let Some(id) = at {
            let scope = self.get(id);
            if scope.get(name).is_some() {
                return None;
            }
            if let Some(pending) = &scope.pending
                && let Some(i) = pending.place(name)
            {
                return Some(pending.refusal(i));
            }
            at = scope.parent;
        }
        None
    }

    /// The nearest scope outwards that is no lambda and no function: where the code belongs.
    pub fn body_scope(&self, from: ScopeId) -> ScopeId {
        let mut at = from;
        loop {
            let scope = self.get(at);
            match (scope.kind, scope.parent) {
                (ScopeKind::Lambda | ScopeKind::Function, Some(parent)) => at = parent,
                _ => return at,
            }
        }
    }
}

/// Variables that the compile itself sets and no code may assign.
pub(crate) const RESERVED: [&str; 3] = ["trusted", "facts", "server_facts"];

/// Refuses a name that no scope can give a value to.
pub(crate) fn not_reserved(name: &str) -> Result<(), String> {
    match RESERVED.contains(&name) {
        true => Err(format!("Attempt to assign to a reserved variable name: '{name}'")),
        false => Ok(()),
    }
}

/// Marks the error that a default reads a parameter without a value, until the call reports it.
pub(crate) const UNEVALUATED: &str = "unevaluated parameter";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_big_scope_still_finds_all() {
        let mut scope = Scope::new(ScopeKind::Top, None, ResourceId(0));
        for i in 0..40 {
            assert!(scope.set(format!("v{i}").into(), Value::Int(i)));
        }
        assert!(!scope.set("v3".into(), Value::Undef));
        assert_eq!(scope.get("v39"), Some(&Value::Int(39)));
        assert_eq!(scope.get("w"), None);
    }
}
