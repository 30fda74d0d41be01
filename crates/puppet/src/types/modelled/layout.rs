//! What evaluation knows of a type: its features, those of its parents first, with their code.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::Span;
use rustc_hash::FxHashMap;

use super::{Feature, TypeModel};
use crate::syntax::definitions::ModelDef;
use crate::syntax::{ExprId, Program};
use crate::types::Regexp;
use crate::types::Type;
use crate::value::Value;

/// How a title gives values: what it looks like, and the attributes that its groups are.
pub(crate) type TitlePatterns = Vec<(Arc<Regexp>, Vec<Option<EcoString>>)>;

/// A type as evaluation has it.
pub struct Modelled {
    /// What is written of it.
    pub model: TypeModel,
    pub(crate) def: Arc<ModelDef>,
    pub(crate) layout: OnceLock<Layout>,
}

// The layout holds types, which may lead back here.
impl fmt::Debug for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.model.name)
    }
}

/// The features and rules of a type.
#[derive(Default)]
pub(crate) struct Layout {
    /// All features, inherited ones first.
    pub(crate) slots: Vec<Arc<Slot>>,
    /// Their places by name.
    pub(crate) index: FxHashMap<EcoString, usize>,
    /// The values that instances begin with.
    pub(crate) defaults: Vec<Option<Value>>,
    /// All invariants, inherited ones first.
    pub(crate) rules: Vec<Arc<Rule>>,
    /// The feature that links find an object by.
    pub(crate) id: Option<usize>,
    /// The features that name a resource of the type, together if there are several.
    pub(crate) namevars: Vec<usize>,
    /// What takes the titles of resources apart.
    pub(crate) patterns: TitlePatterns,
    /// All functions, inherited ones first.
    pub(crate) functions: Vec<Arc<Method>>,
}

/// A feature.
pub(crate) struct Slot {
    /// What is written of it.
    pub(crate) feature: Feature,
    /// The type that has it first.
    pub(crate) owner: EcoString,
    /// What a value must be; for a reference, its type.
    pub(crate) kind: Type,
    /// The name of the type that a reference refers to, in lower case.
    pub(crate) target: EcoString,
    pub(crate) is_many: bool,
    pub(crate) check: Option<Code>,
    pub(crate) derived: Option<Code>,
    pub(crate) set: Option<Code>,
    pub(crate) get: Option<Code>,
}

/// A function of a type.
pub(crate) struct Method {
    pub(crate) name: EcoString,
    /// The type that has it.
    pub(crate) owner: EcoString,
    pub(crate) program: Arc<Program>,
    /// The lambda that it is.
    pub(crate) lambda: ExprId,
    /// Where it is.
    pub(crate) span: Span,
}

/// An invariant.
pub(crate) struct Rule {
    pub(crate) program: Arc<Program>,
    /// Where it is.
    pub(crate) span: Span,
    pub(crate) title: Option<ExprId>,
    pub(crate) code: Code,
}

/// Code that can be run.
#[derive(Clone)]
pub(crate) struct Code {
    pub(crate) program: Arc<Program>,
    /// What is evaluated.
    pub(crate) body: ExprId,
    /// The one parameter that takes anything, if there is no more to the parameters.
    pub(crate) param: Option<EcoString>,
    /// A lambda with parameters of any other form.
    pub(crate) lambda: Option<ExprId>,
    /// How many parameters there are.
    pub(crate) arity: usize,
}

impl Layout {
    /// The feature that alone names a resource of the type.
    pub(crate) fn namevar(&self) -> Option<usize> {
        match *self.namevars {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The function of this name; one of a subtype comes before that of its parent.
    pub(crate) fn method(&self, name: &str) -> Option<&Arc<Method>> {
        self.functions.iter().rev().find(|method| method.name == name)
    }

    /// The place of a feature.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}

impl Modelled {
    /// The name of the type.
    pub fn name(&self) -> &EcoString {
        &self.model.name
    }
}
