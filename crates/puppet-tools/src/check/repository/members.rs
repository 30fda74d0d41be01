//! Names after a dot that are not functions: features of types, attributes and functions of
//! objects, parts of values. The type of the value is only known in a compile.

use ecow::EcoString;
use rustc_hash::FxHashSet;

use super::types::text;
use ordain_puppet::syntax::*;
use ordain_puppet::types::ObjectType;
use ordain_puppet::types::models::TypeModel;
use ordain_puppet::types::object::lookup_context::context_type;
use ordain_puppet::types::object::{deferred, error, resource_param, resource_type};
use ordain_puppet::types::uri::PARTS;

/// The members of an object of a type with features besides its features.
const OF_OBJECTS: [&str; 1] = ["is_set"];
/// The keys of an `Object[…]` type that contain its members.
const MEMBERS: [&str; 3] = ["attributes", "constants", "functions"];

/// The members that values may have.
pub(super) struct Members(FxHashSet<EcoString>);

impl Default for Members {
    /// The members of built-in types.
    fn default() -> Self {
        let mut out = Self(PARTS.iter().map(|&part| part.into()).collect());
        for kind in [error(), deferred(), context_type(), resource_param(), resource_type()] {
            out.add_object(&kind);
        }
        out
    }
}

impl Members {
    /// Whether values of some type have this member.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(EcoString::as_str)
    }

    fn add_object(&mut self, kind: &ObjectType) {
        self.0.extend(kind.attributes.iter().map(|attribute| attribute.name.clone()));
        self.0.extend(kind.functions.iter().map(|function| function.name.clone()));
    }

    /// Adds the members of a type with features.
    pub(super) fn add_model(&mut self, model: &TypeModel) {
        self.0.extend(OF_OBJECTS.iter().map(|&name| name.into()));
        self.0.extend(model.features.iter().map(|feature| feature.name.clone()));
        self.0.extend(model.functions.iter().map(|function| function.name.clone()));
    }

    /// Adds the members of the `Object[…]` types in a text.
    pub(super) fn add_objects(&mut self, program: &Program) {
        let is_alias = |id: &ExprId| match program[*id] {
            Expr::Definition(definition) => {
                matches!(program.definition(definition), Definition::TypeAlias { .. })
            }
            _ => false,
        };
        if !program.definitions.iter().any(is_alias) {
            return;
        }
        let entries = |id: ExprId| match program[id] {
            Expr::Hash(entries) => program.list(entries),
            _ => &[],
        };
        for (id, _) in program.exprs.iter() {
            for pair in entries(id).chunks_exact(2) {
                if text(program, pair[0]).is_some_and(|key| MEMBERS.contains(&key.as_str())) {
                    let members = entries(pair[1]).chunks_exact(2);
                    self.0.extend(members.filter_map(|one| text(program, one[0]).cloned()));
                }
            }
        }
    }
}
