//! What expressions are called in messages (upstream's model label provider).

use crate::syntax::{Arrow, AssignOp, BinaryOp, CallForm, Definition, Expr, ExprId, Program};

/// The label of an expression: `Function Call`, `'+' expression`.
pub fn of(program: &Program, id: ExprId) -> String {
    let fixed = match &program[id] {
        Expr::Error | Expr::Nop => "Nop Expression",
        Expr::Undef => "'undef' expression",
        Expr::Default => "'default' expression",
        Expr::Bool(_) => "Boolean",
        Expr::Int { .. } => "Literal Integer",
        Expr::Float(_) => "Literal Float",
        Expr::Str(_) => "String",
        Expr::Name(_) => "Name",
        Expr::Ref(_) => "Type-Name",
        Expr::Reserved(word) => return format!("Reserved Word '{word}'"),
        Expr::Regex(_) => "Regular Expression",
        Expr::Var(_) => "Variable",
        Expr::Concat(_) => "Double Quoted String",
        Expr::Text(_) => "Expression in Interpolated String",
        Expr::Heredoc { syntax, .. } => return format!("'@({syntax})' expression"),
        Expr::List(_) => "Array Expression",
        Expr::Hash(_) => "Hash Expression",
        Expr::Access(_) => "'[]' expression",
        Expr::Binary { op, .. } => return format!("'{}' expression", binary(*op)),
        Expr::And(..) => "'and' expression",
        Expr::Or(..) => "'or' expression",
        Expr::Not(_) => "'not' expression",
        Expr::Minus(_) => "Unary Minus",
        Expr::Splat(_) => "Unfold",
        Expr::Paren(_) => "Parenthesized Expression",
        Expr::Assign { op, .. } => return format!("'{}' expression", assignment(*op)),
        Expr::Relation { arrow: a, .. } => return format!("'{}' expression", arrow(*a)),
        Expr::Block(_) => "Block Expression",
        Expr::If(..) => "'if' statement",
        Expr::Unless(..) => "'unless' Statement",
        Expr::Case(..) => "'case' statement",
        Expr::Selector(..) => "Selector Expression",
        Expr::Call(call) => match program.call(*call).form {
            CallForm::Named => "Function Call",
            CallForm::Method => "Method call",
        },
        Expr::Dot(..) => "'.' expression",
        Expr::Lambda(_) => "Lambda",
        Expr::Resource { .. } => "Resource Statement",
        Expr::ResourceDefaults { .. } => "Resource Defaults Expression",
        Expr::ResourceOverride { .. } => "Resource Override",
        Expr::Collect { exported: true, .. } => "Exported Query",
        Expr::Collect { exported: false, .. } => "Virtual Query",
        Expr::Definition(definition) => match program.definition(*definition) {
            Definition::Class { .. } => "Host Class Definition",
            Definition::Define { .. } => "'define' expression",
            Definition::Function { is_plan: true, .. } => "Plan Definition",
            Definition::Function { .. } => "Function Definition",
            Definition::Node { .. } => "Node Definition",
            Definition::TypeAlias { .. } => "Type Alias",
            Definition::TypeDefinition { .. } => "Type Definition",
            Definition::TypeMapping { .. } => "Type Mapping",
        },
        Expr::Epp { .. } => "Epp Template",
        Expr::RenderText(_) => "Epp Text",
        Expr::Render(_) => "Epp Interpolated Expression",
    };
    fixed.to_string()
}

/// The label with its article: `a Function Call`.
pub fn with_article(program: &Program, id: ExprId) -> String {
    article(&of(program, id))
}

/// A noun with its article, which goes by the first letter.
pub fn article(noun: &str) -> String {
    let first = noun.chars().find(|c| c.is_alphanumeric()).unwrap_or('x');
    let word = if "aeiouyAEIOUY".contains(first) { "an" } else { "a" };
    format!("{word} {noun}")
}

/// A binary operator as it is written.
pub fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::NotEq => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEq => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEq => ">=",
        BinaryOp::Match => "=~",
        BinaryOp::NotMatch => "!~",
        BinaryOp::In => "in",
    }
}

/// An arrow as it is written.
pub fn arrow(arrow: Arrow) -> &'static str {
    match arrow {
        Arrow::Before => "->",
        Arrow::Notify => "~>",
        Arrow::After => "<-",
        Arrow::Subscribe => "<~",
    }
}

fn assignment(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Set => "=",
        AssignOp::Append => "+=",
        AssignOp::Delete => "-=",
    }
}
