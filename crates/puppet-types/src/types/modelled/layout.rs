//! What evaluation knows of a type: its features, those of its parents first, with their code.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::Span;
use rustc_hash::FxHashMap;

use super::{Feature, TypeModel};
use crate::types::Regexp;
use crate::types::Type;
use crate::value::Value;
use ordain_puppet_syntax::definitions::ModelDef;
use ordain_puppet_syntax::{ExprId, Program};

/// How a title gives values: what it looks like, and the attributes that its groups are.
pub type TitlePatterns = Vec<(Arc<Regexp>, Vec<Option<EcoString>>)>;

/// A type as evaluation has it.
pub struct Modelled {
    /// What is written of it.
    pub model: TypeModel,
    /// Where it is defined.
    pub def: Arc<ModelDef>,
    /// Its features and rules, once they are resolved.
    pub layout: OnceLock<Layout>,
}

// The layout holds types, which may lead back here.
impl fmt::Debug for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.model.name)
    }
}

/// The features and rules of a type.
#[derive(Default)]
pub struct Layout {
    /// All features, inherited ones first.
    pub slots: Vec<Arc<Slot>>,
    /// Their places by name.
    pub index: FxHashMap<EcoString, usize>,
    /// The values that instances begin with.
    pub defaults: Vec<Option<Value>>,
    /// All invariants, inherited ones first.
    pub rules: Vec<Arc<Rule>>,
    /// The feature that links find an object by.
    pub id: Option<usize>,
    /// The features that name a resource of the type, together if there are several.
    pub namevars: Vec<usize>,
    /// What takes the titles of resources apart.
    pub patterns: TitlePatterns,
    /// All functions, inherited ones first.
    pub functions: Vec<Arc<Method>>,
}

/// A feature.
pub struct Slot {
    /// What is written of it.
    pub feature: Feature,
    /// The type that has it first.
    pub owner: EcoString,
    /// What a value must be; for a reference, its type.
    pub kind: Type,
    /// The name of the type that a reference refers to, in lower case.
    pub target: EcoString,
    /// Whether it holds a list.
    pub is_many: bool,
    /// The code that checks each value.
    pub check: Option<Code>,
    /// The code that computes it.
    pub derived: Option<Code>,
    /// The code that turns a value that is set into the stored one.
    pub set: Option<Code>,
    /// The code that turns the stored value into the one that is read.
    pub get: Option<Code>,
}

/// A function of a type.
pub struct Method {
    /// Its name.
    pub name: EcoString,
    /// The type that has it.
    pub owner: EcoString,
    /// The text that holds it.
    pub program: Arc<Program>,
    /// The lambda that it is.
    pub lambda: ExprId,
    /// Where it is.
    pub span: Span,
}

/// An invariant.
pub struct Rule {
    /// The text that holds it.
    pub program: Arc<Program>,
    /// Where it is.
    pub span: Span,
    /// The title that is written before it.
    pub title: Option<ExprId>,
    /// The code that tests an object.
    pub code: Code,
}

/// Code that can be run.
#[derive(Clone)]
pub struct Code {
    /// The text that holds it.
    pub program: Arc<Program>,
    /// What is evaluated.
    pub body: ExprId,
    /// The one parameter that takes anything, if there is no more to the parameters.
    pub param: Option<EcoString>,
    /// A lambda with parameters of any other form.
    pub lambda: Option<ExprId>,
    /// How many parameters there are.
    pub arity: usize,
}

impl Layout {
    /// The feature that alone names a resource of the type.
    pub fn namevar(&self) -> Option<usize> {
        match *self.namevars {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The function of this name; one of a subtype comes before that of its parent.
    pub fn method(&self, name: &str) -> Option<&Arc<Method>> {
        self.functions.iter().rev().find(|method| method.name == name)
    }

    /// The place of a feature.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}

impl Modelled {
    /// The name of the type.
    pub fn name(&self) -> &EcoString {
        &self.model.name
    }
}
