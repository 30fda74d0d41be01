//! Values of expressions that are literal.

use crate::syntax::*;

/// The value of an expression that is literal all through, as Ruby prints it with `inspect`, so
/// that equal values have equal texts; `None` if it is not literal.
///
/// Names are strings, type names are strings in lower case, `A[b]` is the list of its arguments.
pub(super) fn literal(program: &Program, id: ExprId) -> Option<String> {
    let list = |ids: &[ExprId]| -> Option<String> {
        let all: Option<Vec<String>> = ids.iter().map(|&id| literal(program, id)).collect();
        Some(format!("[{}]", all?.join(", ")))
    };
    Some(match &program[id] {
        Expr::Str(text) | Expr::Name(text) | Expr::RenderText(text) => format!("{text:?}"),
        Expr::Ref(name) => format!("{:?}", name.to_lowercase()),
        Expr::Int { value, radix: 1.. } => value.to_string(),
        Expr::Int { .. } => program.text(program.range(id)).to_owned(),
        Expr::Float(value) => format!("{value:?}"),
        Expr::Bool(value) => value.to_string(),
        Expr::Undef => "nil".to_owned(),
        Expr::Default => ":default".to_owned(),
        Expr::Regex(text) => format!("/{text}/"),
        Expr::List(ids) => list(program.list(*ids))?,
        Expr::Access(ids) => {
            let keys = program.list(*ids).get(1..).unwrap_or(&[]);
            if let [key] = keys
                && matches!(program[*key], Expr::List(_))
            {
                return None;
            }
            list(keys)?
        }
        Expr::Hash(ids) => {
            let pairs = program.list(*ids).chunks_exact(2);
            let all: Option<Vec<String>> = pairs
                .map(|p| Some(format!("{}=>{}", literal(program, p[0])?, literal(program, p[1])?)))
                .collect();
            format!("{{{}}}", all?.join(", "))
        }
        Expr::Minus(inner) if matches!(program[*inner], Expr::Int { .. } | Expr::Float(_)) => {
            format!("-{}", literal(program, *inner)?)
        }
        _ => return None,
    })
}

/// A literal as `to_s` prints it: text without its quotes.
pub(super) fn display(program: &Program, id: ExprId, inspected: &str) -> String {
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) | Expr::RenderText(text) => text.to_string(),
        Expr::Ref(name) => name.to_lowercase().into(),
        Expr::Undef => String::new(),
        Expr::Default => "default".to_owned(),
        Expr::Regex(text) => format!("(?-mix:{text})"),
        _ => inspected.to_owned(),
    }
}
