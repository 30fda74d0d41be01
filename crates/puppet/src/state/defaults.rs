//! Defaults for the attributes of resource types, by scope.

use crate::catalog::Param;
use crate::state::scope::Scopes;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::ruby::ruby_equal;
use ecow::EcoString;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Defaults for the attributes of resource types.
#[derive(Default)]
pub(crate) struct ResourceDefaults {
    /// By the scope that sets them and the resource type.
    defaults: FxHashMap<(ScopeId, EcoString), Vec<Param>>,
}

impl ResourceDefaults {
    /// The defaults that a scope itself sets for a type.
    pub(crate) fn of_scope_mut(&mut self, scope: ScopeId, kind: &EcoString) -> &mut Vec<Param> {
        self.defaults.entry((scope, kind.clone())).or_default()
    }

    /// The defaults of a type that are in effect in a scope. Outer scopes come first; an inner scope
    /// replaces the value in place.
    pub(crate) fn in_effect(&self, scopes: &Scopes, scope: ScopeId, kind: &str) -> Vec<Param> {
        let chain = self.chain(scopes, scope, kind);
        if let [] | [_] = chain.as_slice() {
            return chain.first().map_or_else(Vec::new, |only| Vec::clone(only));
        }
        let mut out: Vec<Param> = Vec::new();
        let mut places: FxHashMap<EcoString, usize> = FxHashMap::default();
        for defaults in chain.into_iter().rev() {
            for param in defaults {
                match places.get(&param.name) {
                    Some(&i) => out[i] = param.clone(),
                    None => {
                        places.insert(param.name.clone(), out.len());
                        out.push(param.clone());
                    }
                }
            }
        }
        out
    }

    /// The defaults that each scope sets for a type, from `scope` outwards.
    fn chain(&self, scopes: &Scopes, scope: ScopeId, kind: &str) -> SmallVec<[&Vec<Param>; 4]> {
        let mut chain = SmallVec::new();
        if self.defaults.is_empty() {
            return chain;
        }
        let mut key = (scopes.body_scope(scope), EcoString::from(kind));
        loop {
            chain.extend(self.defaults.get(&key));
            match scopes.get(key.0).declared_in {
                Some(outer) => key.0 = outer,
                None => return chain,
            }
        }
    }

    /// Whether a scope or one around it sets this default, even if a nearer one replaces it.
    pub(crate) fn sets(
        &self,
        scopes: &Scopes,
        scope: ScopeId,
        kind: &str,
        (name, value): (&str, &Value),
    ) -> bool {
        let chain = self.chain(scopes, scope, kind);
        let mut defaults = chain.into_iter().flatten().filter(|default| default.name == name);
        defaults.any(|default| ruby_equal(&default.value, value))
    }

    /// The default of one attribute that is in effect in a scope.
    pub(crate) fn of_attribute(
        &self,
        scopes: &Scopes,
        scope: ScopeId,
        kind: &str,
        name: &str,
    ) -> Option<Value> {
        let defaults = self.in_effect(scopes, scope, kind);
        defaults.into_iter().find(|p| p.name == name).map(|p| p.value)
    }
}
