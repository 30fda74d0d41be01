//! The definitions in a text: classes, defines, functions, nodes, type aliases.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use ordain_syntax::ListRef;

use crate::{Definition, Expr, ExprId, ExprList, Param, Program};

/// Whether a type is a class or a define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefKind {
    /// `class`
    Class,
    /// `define`
    Define,
}

/// A class or define.
#[derive(Debug)]
pub struct TypeDef {
    /// Class or define.
    pub kind: DefKind,
    /// Its name in lower case.
    pub name: EcoString,
    /// The program that contains it.
    pub program: Arc<Program>,
    /// Its parameters.
    pub params: ListRef<Param>,
    /// The class it inherits from.
    pub parent: Option<EcoString>,
    /// Its body.
    pub body: ExprId,
    /// The place of the definition.
    pub span: Span,
    /// Its module; empty if there is none.
    pub module: EcoString,
}

/// A class or define by its name, to find those that share one.
#[derive(Clone, Debug)]
pub struct Defined {
    /// Class or define.
    pub kind: DefKind,
    /// Its name in lower case.
    pub name: EcoString,
    /// The place of the definition.
    pub span: Span,
}

impl From<&TypeDef> for Defined {
    fn from(def: &TypeDef) -> Self {
        Self { kind: def.kind, name: def.name.clone(), span: def.span }
    }
}

/// The classes and defines of a text, in order.
pub fn defined(program: &Program) -> Vec<Defined> {
    let of = |&id: &ExprId| {
        let Expr::Definition(definition) = program[id] else { return None };
        let (kind, name) = match program.definition(definition) {
            Definition::Class { name, .. } => (DefKind::Class, name),
            Definition::Define { name, .. } => (DefKind::Define, name),
            _ => return None,
        };
        Some(Defined { kind, name: name.to_lowercase(), span: program.span(id) })
    };
    program.definitions.iter().filter_map(of).collect()
}

/// A function written in Puppet.
#[derive(Debug)]
pub struct FunctionDef {
    /// Its name.
    pub name: EcoString,
    /// The program that contains it.
    pub program: Arc<Program>,
    /// Its parameters.
    pub params: ListRef<Param>,
    /// `>> Type`
    pub returns: Option<ExprId>,
    /// Its body.
    pub body: ExprId,
    /// The place of the definition.
    pub span: Span,
    /// Its module; empty if there is none.
    pub module: EcoString,
}

/// A node block.
#[derive(Debug)]
pub struct NodeDef {
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The names that it matches.
    pub matches: ExprList,
    /// Its body.
    pub body: ExprId,
    /// The place of the definition.
    pub span: Span,
}

/// A type alias.
#[derive(Debug)]
pub struct AliasDef {
    /// Its name.
    pub name: EcoString,
    /// The program that contains it.
    pub program: Arc<Program>,
    /// Its definition.
    pub kind: ExprId,
    /// The place of the definition.
    pub span: Span,
}

/// A type with features.
#[derive(Debug)]
pub struct ModelDef {
    /// Its name as written.
    pub name: EcoString,
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The definition.
    pub id: ExprId,
    /// The place of the definition.
    pub span: Span,
}

/// One definition of a text.
#[derive(Debug)]
pub enum Item {
    /// A class or define.
    Type(TypeDef),
    /// A function.
    Function(FunctionDef),
    /// A node block.
    Node(NodeDef),
    /// A type alias.
    Alias(AliasDef),
    /// A type with features.
    Model(ModelDef),
}

/// All definitions of a text, in order. Plans are refused by the validator.
pub fn items<'a>(program: &'a Arc<Program>, module: &'a str) -> impl Iterator<Item = Item> + 'a {
    program.definitions.iter().filter_map(move |&id| {
        let Expr::Definition(definition) = program[id] else { return None };
        let span = program.span(id);
        let program = Arc::clone(program);
        let module = EcoString::from(module);
        match program.definition(definition).clone() {
            Definition::Class { name, params, parent, body } => Some(Item::Type(TypeDef {
                kind: DefKind::Class,
                name: name.to_lowercase(),
                program,
                params,
                parent: parent.map(|p| p.trim_start_matches("::").to_lowercase().into()),
                body,
                span,
                module,
            })),
            Definition::Define { name, params, body } => Some(Item::Type(TypeDef {
                kind: DefKind::Define,
                name: name.to_lowercase(),
                program,
                params,
                parent: None,
                body,
                span,
                module,
            })),
            Definition::Function { name, params, returns, body, is_plan: false } => {
                let name = name.trim_start_matches("::").into();
                let def = FunctionDef { name, program, params, returns, body, span, module };
                Some(Item::Function(def))
            }
            Definition::Node { matches, body, .. } => {
                Some(Item::Node(NodeDef { program, matches, body, span }))
            }
            Definition::TypeAlias { name, kind } => {
                Some(Item::Alias(AliasDef { name, program, kind, span }))
            }
            Definition::TypeDefinition { name, .. } => {
                let name = name.trim_start_matches("::").into();
                Some(Item::Model(ModelDef { name, program, id, span }))
            }
            Definition::Function { .. } | Definition::TypeMapping { .. } => None,
        }
    })
}
