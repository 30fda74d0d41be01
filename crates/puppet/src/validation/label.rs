//! The names of constructs in messages.

use std::borrow::Cow;

use super::walk::Node;
use crate::syntax::*;

/// The name of an expression's kind.
pub(crate) fn label(program: &Program, id: ExprId) -> Cow<'static, str> {
    let sign = |sign: &str| Cow::Owned(format!("'{sign}' expression"));
    Cow::Borrowed(match &program[id] {
        Expr::Error => "Object",
        Expr::Nop => "Nop Expression",
        Expr::Undef => "'undef' expression",
        Expr::Default => "'default' expression",
        Expr::Bool(_) => "Boolean",
        Expr::Int { .. } => "Literal Integer",
        Expr::Float(_) => "Literal Float",
        Expr::Str(_) => "String",
        Expr::Name(_) => "Name",
        Expr::Ref(_) => "Type-Name",
        Expr::Reserved(word) => return Cow::Owned(format!("Reserved Word '{word}'")),
        Expr::Regex(_) => "Regular Expression",
        Expr::Var(_) => "Variable",
        Expr::Concat(_) => "Double Quoted String",
        Expr::Text(_) => "Expression in Interpolated String",
        Expr::Heredoc { syntax, .. } => return sign(&format!("@({syntax})")),
        Expr::List(_) => "Array Expression",
        Expr::Hash(_) => "Hash Expression",
        Expr::Access(_) => return sign("[]"),
        Expr::Binary { op, .. } => return sign(op.sign()),
        Expr::And(..) => return sign("and"),
        Expr::Or(..) => return sign("or"),
        Expr::Not(_) => return sign("not"),
        Expr::Minus(_) => "Unary Minus",
        Expr::Splat(_) => "Unfold",
        Expr::Paren(_) => "Parenthesized Expression",
        Expr::Assign { op, .. } => return sign(op.sign()),
        Expr::Relation { arrow, .. } => return sign(arrow.sign()),
        Expr::Block(_) => "Block Expression",
        Expr::If(..) => "'if' statement",
        Expr::Unless(..) => "'unless' Statement",
        Expr::Case(..) => "'case' statement",
        Expr::Selector(..) => "Selector Expression",
        Expr::Call(call) => match program.call(*call).form {
            CallForm::Named => "Function Call",
            CallForm::Method => "Method call",
        },
        Expr::Dot(..) => return sign("."),
        Expr::Lambda(_) => "Lambda",
        Expr::Resource { .. } => "Resource Statement",
        Expr::ResourceDefaults { .. } => "Resource Defaults Expression",
        Expr::ResourceOverride { .. } => "Resource Override",
        Expr::Collect { exported: true, .. } => "Exported Query",
        Expr::Collect { exported: false, .. } => "Virtual Query",
        Expr::Definition(definition) => definition_label(program.definition(*definition)),
        Expr::Invariant { .. } => "Invariant",
        Expr::Epp { .. } => "Epp Template",
        Expr::RenderText(_) => "Epp Text",
        Expr::Render(_) => "Epp Interpolated Expression",
    })
}

fn definition_label(definition: &Definition) -> &'static str {
    match definition {
        Definition::Class { .. } => "Host Class Definition",
        Definition::Define { .. } => "'define' expression",
        Definition::Function { is_plan: true, .. } => "Plan Definition",
        Definition::Function { .. } => "Function Definition",
        Definition::Node { .. } => "Node Definition",
        Definition::TypeAlias { .. } => "Type Alias",
        Definition::TypeMapping { .. } => "Type Mapping",
        Definition::TypeDefinition { .. } => "Type Definition",
    }
}

/// The class of the reference's model that an expression which computes something has.
pub(crate) fn model_class(program: &Program, id: ExprId) -> &'static str {
    match &program[id] {
        Expr::List(_) => "LiteralList",
        Expr::Hash(_) => "LiteralHash",
        Expr::Default => "LiteralDefault",
        Expr::Regex(_) => "LiteralRegularExpression",
        Expr::Ref(_) => "QualifiedReference",
        Expr::Reserved(_) => "ReservedWord",
        Expr::Heredoc { .. } => "HeredocExpression",
        Expr::Not(_) => "NotExpression",
        Expr::Minus(_) => "UnaryMinusExpression",
        Expr::Splat(_) => "UnfoldExpression",
        Expr::And(..) => "AndExpression",
        Expr::Or(..) => "OrExpression",
        Expr::If(..) => "IfExpression",
        Expr::Unless(..) => "UnlessExpression",
        Expr::Case(..) => "CaseExpression",
        Expr::Selector(..) => "SelectorExpression",
        Expr::Lambda(_) => "LambdaExpression",
        Expr::Assign { .. } => "AssignmentExpression",
        Expr::Relation { .. } => "RelationshipExpression",
        Expr::Dot(..) => "NamedAccessExpression",
        Expr::Call(call) => match program.call(*call).form {
            CallForm::Named => "CallNamedFunctionExpression",
            CallForm::Method => "CallMethodExpression",
        },
        Expr::Binary { op, .. } => match op {
            BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Less => "ComparisonExpression",
            BinaryOp::LessEq | BinaryOp::Greater | BinaryOp::GreaterEq => "ComparisonExpression",
            BinaryOp::In => "InExpression",
            BinaryOp::Match | BinaryOp::NotMatch => "MatchExpression",
            _ => "ArithmeticExpression",
        },
        _ => "Expression",
    }
}

/// The name of a node's kind.
pub(super) fn node_label(program: &Program, node: Node) -> Cow<'static, str> {
    Cow::Borrowed(match node {
        Node::Expr(id) => return label(program, id),
        Node::Program => "Program",
        Node::Param(..) => "Parameter Definition",
        Node::Attribute(..) => "'=>' expression",
        Node::Body(..) => "Resource Instance Definition",
        Node::CaseOption(..) => "Case Option",
        Node::SelectorEntry(..) => "Selector Option",
        Node::Entry(..) => "Hash Entry",
        Node::Query(_) => "Collect Query",
        Node::EppBody(_) => "Epp Template",
    })
}

fn article(text: &str) -> &'static str {
    let first = text.trim_start_matches(['"', '\'']).chars().next();
    match first.map(|c| c.to_ascii_lowercase()) {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y') => "an",
        _ => "a",
    }
}

/// The text with its indefinite article.
pub(crate) fn a_an(text: &str) -> String {
    format!("{} {text}", article(text))
}

/// The text with its indefinite article in upper case.
pub(super) fn a_an_uc(text: &str) -> String {
    let article = if article(text) == "an" { "An" } else { "A" };
    format!("{article} {text}")
}
