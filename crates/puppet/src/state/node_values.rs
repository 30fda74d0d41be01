//! Notes about the facts and other values of the node that a compile reads.

use ordain_source::inputs::{self, PART, is_recording};

use crate::state::Compiler;
use crate::value::closure::ScopeId;
use crate::value::{Key, Value};

/// The path of a value of the node that an expression has evaluated to, until it is noted.
#[derive(Default)]
pub(crate) struct PathInProgress {
    /// Whether the access that begins next passes its path to the one around it.
    pub(crate) is_inner: bool,
    pub(crate) path: Option<String>,
    /// A buffer for the next path.
    pub(crate) spare: String,
}

impl PathInProgress {
    /// Notes a path, and keeps its memory.
    pub(crate) fn note(&mut self, mut path: String) {
        inputs::note_value(&path);
        path.clear();
        self.spare = path;
    }
}

/// Adds keys to the path of a value, as far as they select an entry of a hash.
pub(crate) fn extend_path(path: &mut String, value: &Value, keys: &[Value]) {
    let mut at = Some(value);
    for key in keys {
        let (Some(Value::Hash(entries)), Value::Str(key)) = (at, key) else { return };
        if key.contains(PART) {
            // Such a key would look like two.
            return;
        }
        path.push(PART);
        path.push_str(key);
        at = entries.get(&Key(key));
    }
}

impl Compiler<'_> {
    /// Notes that code reads an entry of a variable, if the variable is one of the node or does not
    /// exist.
    pub(crate) fn note_entry<'k>(
        &self,
        scope: ScopeId,
        name: &str,
        keys: impl IntoIterator<Item = &'k str>,
    ) {
        if !is_recording() {
            return;
        }
        let plain = name.strip_prefix("::").unwrap_or(name);
        let is_of_node = self.scopes.top_variable(scope, plain).is_some();
        if is_of_node || self.quiet_variable(scope, name).is_none() {
            let mut path = plain.to_owned();
            for key in keys.into_iter().take_while(|key| !key.contains(PART)) {
                path.push(PART);
                path.push_str(key);
            }
            inputs::note_value(&path);
        }
    }

    /// The facts, of which the caller notes the part that it reads.
    pub(crate) fn quiet_facts(&self) -> Option<&Value> {
        self.quiet_variable(ScopeId::TOP, "facts")
    }
}
