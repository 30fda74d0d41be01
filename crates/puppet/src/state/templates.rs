//! The output of the EPP templates under way, and the variables that ERB templates set.

use std::cell::{RefCell, RefMut};

use ecow::EcoString;
use ordain_ruby::Value as Ruby;
use rustc_hash::FxHashMap;

use crate::value::Value;
use crate::value::closure::ScopeId;

/// Copies of lists and hashes that Ruby must not change, by the addresses of the originals. Each
/// original is held, so that its address is not reused.
pub(crate) type FixedCopies = FxHashMap<usize, (Value, Ruby)>;

/// The output of the EPP templates under way, the variables that ERB templates set, and the copies
/// of facts that all templates of a compile share.
#[derive(Default)]
pub(crate) struct Templates {
    /// The outputs of nested EPP templates, innermost last.
    outputs: Vec<String>,
    /// Whether the innermost template printed a sensitive value.
    is_sensitive: bool,
    /// Variables that ERB templates set. The objects are kept because a later template of the same
    /// scope may mutate them.
    objects: FxHashMap<(ScopeId, EcoString), TemplateObject>,
    fixed_copies: RefCell<FixedCopies>,
}

/// A variable that an ERB template set.
struct TemplateObject {
    /// The number of variables that were set before it.
    number: usize,
    value: Ruby,
}

/// The sensitivity of the template around, while an inner one is rendered.
pub(crate) struct OuterTemplate {
    is_sensitive: bool,
}

impl Templates {
    /// Begins the output of an EPP template.
    pub(crate) fn begin(&mut self) -> OuterTemplate {
        self.outputs.push(String::new());
        OuterTemplate { is_sensitive: std::mem::replace(&mut self.is_sensitive, false) }
    }

    /// Ends it: its text, and whether it printed a sensitive value.
    pub(crate) fn end(&mut self, outer: OuterTemplate) -> (String, bool) {
        let text = self.outputs.pop().unwrap_or_default();
        (text, std::mem::replace(&mut self.is_sensitive, outer.is_sensitive))
    }

    /// The output of the innermost EPP template; `None` outside of templates.
    pub(crate) fn output(&mut self) -> Option<&mut String> {
        self.outputs.last_mut()
    }

    /// Makes the result of the innermost EPP template sensitive.
    pub(crate) fn mark_sensitive(&mut self) {
        self.is_sensitive = true;
    }

    /// The copies of immutable values.
    ///
    /// # Panics
    /// When a result of an earlier call is still in use. Copying a value runs no code that asks for
    /// another one.
    pub(crate) fn fixed_copies(&self) -> RefMut<'_, FixedCopies> {
        self.fixed_copies.borrow_mut()
    }

    /// The number of variables that ERB templates have set.
    pub(crate) fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// The object of a variable that an ERB template set, with the number of those set before it.
    pub(crate) fn object(&self, scope: ScopeId, name: &str) -> Option<(usize, &Ruby)> {
        if self.objects.is_empty() {
            return None;
        }
        let object = self.objects.get(&(scope, name.into()))?;
        Some((object.number, &object.value))
    }

    /// All objects of a scope with the names of their variables.
    pub(crate) fn objects_of(&self, scope: ScopeId) -> Vec<(EcoString, Ruby)> {
        let objects = self.objects.iter().filter(|((of, _), _)| *of == scope);
        objects.map(|((_, name), object)| (name.clone(), object.value.clone())).collect()
    }

    /// Keeps the object of a variable that an ERB template set.
    pub(crate) fn set_object(&mut self, scope: ScopeId, name: EcoString, value: Ruby) {
        let number = self.objects.len();
        self.objects.insert((scope, name), TemplateObject { number, value });
    }
}
