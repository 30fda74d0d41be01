//! Variables by name, as all code of a compile reads them.

use crate::catalog::ResourceId;
use crate::state::Compiler;
use crate::state::node::SETTINGS;
use crate::state::scope::{RESERVED, Scope, ScopeKind, Scopes};
use crate::value::Value;
use crate::value::closure::ScopeId;
use ecow::EcoString;
use ordain_source::inputs::note_value;
use std::sync::Arc;

impl Compiler<'_> {
    /// The variable of this name, qualified or not.
    pub(crate) fn find_variable(&self, scope: ScopeId, name: &str) -> Option<&Value> {
        self.find_by(scope, name, Scopes::lookup)
    }

    /// The same, but not noted as an input: the caller notes the part that it reads.
    pub(crate) fn quiet_variable(&self, scope: ScopeId, name: &str) -> Option<&Value> {
        self.find_by(scope, name, Scopes::quiet_lookup)
    }

    #[inline]
    fn find_by<'s>(
        &'s self,
        scope: ScopeId,
        name: &str,
        lookup: impl Fn(&'s Scopes, ScopeId, &str) -> Option<&'s Value>,
    ) -> Option<&'s Value> {
        // Most names have no colon at all, which is quicker to see.
        if !name.contains(':') {
            return lookup(&self.scopes, scope, name);
        }
        let Some((class, rest)) = name.rsplit_once("::") else {
            return lookup(&self.scopes, scope, name);
        };
        let class = class.strip_prefix("::").unwrap_or(class);
        if class.is_empty() {
            return lookup(&self.scopes, ScopeId::TOP, rest);
        }
        if class == SETTINGS {
            return self.setting_variable(rest);
        }
        let mut at = self.scopes.of_class(class);
        while let Some(id) = at {
            let scope = self.scopes.get(id);
            if scope.kind != ScopeKind::Class {
                return None;
            }
            if let Some(value) = scope.get(rest) {
                return Some(value);
            }
            at = scope.parent;
        }
        None
    }

    /// Keeps the groups of a successful match for `$0`, `$1` …
    pub(crate) fn set_matches(&mut self, scope: ScopeId, groups: Option<Vec<Value>>) {
        if let Some(groups) = groups {
            self.scopes.get_mut(scope).matches.push(groups.into());
        }
    }

    /// The value of a variable, qualified or not, searched from a scope; `None` if it does not
    /// exist.
    pub fn variable(&mut self, scope: ScopeId, name: &str) -> Option<Value> {
        self.find_variable(scope, name).cloned()
    }

    /// The names of the modules of the calling code and of its caller; empty outside of modules.
    pub fn calling_modules(&self, scope: ScopeId) -> (EcoString, EcoString) {
        let own = self.scopes.get(scope).module.clone();
        let caller = self.scopes.lookup(scope, "caller_module_name").and_then(Value::as_str);
        (own, caller.unwrap_or("").into())
    }

    /// A setting's value, as `$settings::name` gives it.
    pub fn setting(&self, name: &str) -> Option<Value> {
        self.settings.values.get(name).cloned()
    }

    /// The value of `$settings::name`.
    pub(crate) fn setting_variable(&self, name: &str) -> Option<&Value> {
        self.setting_variables().get(name)
    }

    /// The settings as variables. They are made when one of them is read, which few compiles do.
    pub(crate) fn setting_variables(&self) -> &Scope {
        self.setting_values.get_or_init(|| {
            let all = crate::state::setting_values::all(self);
            let mut scope = Scope::new(ScopeKind::Class, None, ResourceId(1));
            for (name, value) in &all {
                scope.set(crate::value::text::to_text(name), value.clone());
            }
            scope.set("all_local".into(), Value::Hash(Arc::new(all)));
            scope
        })
    }

    /// Whether a variable is one that the compile was given from outside, which is frozen.
    pub(crate) fn is_fixed(&self, scope: ScopeId, name: &str) -> bool {
        let name = name.strip_prefix("::").unwrap_or(name);
        if RESERVED.contains(&name) {
            return true;
        }
        note_value(name);
        let facts = self.scopes.get(ScopeId::TOP).get("facts");
        facts.is_some_and(|facts| facts.get(name).is_some())
            && self.scope_of(scope, name) == Some(ScopeId::TOP)
    }

    /// The scope that has a variable, which may be qualified.
    pub(crate) fn scope_of(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let (mut at, plain) = match name.rsplit_once("::") {
            None => (Some(scope), name),
            Some((class, plain)) => match class.strip_prefix("::").unwrap_or(class) {
                "" => (Some(ScopeId::TOP), plain),
                class => (self.scopes.of_class(class), plain),
            },
        };
        while let Some(id) = at {
            if self.scopes.get(id).get(plain).is_some() {
                break;
            }
            at = self.scopes.get(id).parent;
        }
        at
    }

    /// The resource whose code a scope runs; `None` for a function.
    pub(crate) fn domain(&self, scope: ScopeId) -> Option<ResourceId> {
        let mut scope = self.scopes.get(scope);
        while let (ScopeKind::Lambda, Some(parent)) = (scope.kind, scope.parent) {
            scope = self.scopes.get(parent);
        }
        (scope.kind != ScopeKind::Function).then_some(scope.resource)
    }

    /// The scope that templates see: that of the node or the top; in a function the top.
    pub(crate) fn global_scope(&self, from: ScopeId) -> ScopeId {
        let mut at = from;
        loop {
            let scope = self.scopes.get(at);
            match (scope.kind, scope.parent) {
                (ScopeKind::Node | ScopeKind::Top, _) => return at,
                (_, Some(parent)) => at = parent,
                (_, None) => return ScopeId::TOP,
            }
        }
    }
}
