//! The part of a literal value that an error is about.

use crate::error::Step;
use crate::syntax::{Expr, ExprId, Program};

/// The part of a literal value at a path, as far as the value is literal. For a call, the path
/// leads into its hash of arguments.
pub(crate) fn given_part(program: &Program, id: ExprId, path: &[Step]) -> ExprId {
    let given = match program[id] {
        Expr::Call(call) => {
            let args = program.list(program.call(call).args).iter().rev();
            args.copied().find(|&arg| matches!(program[arg], Expr::Hash(_)))
        }
        _ => None,
    };
    let mut at = given.unwrap_or(id);
    for step in path.iter().rev() {
        while let Expr::Paren(inner) = program[at] {
            at = inner;
        }
        let next = match (&program[at], step) {
            (Expr::List(items), Step::Item(i)) => program.list(*items).get(*i).copied(),
            // A single value may be written for a list of one.
            (_, Step::Item(0)) => Some(at),
            (Expr::Hash(entries), Step::Value(name) | Step::Key(name)) => {
                let mut pairs = program.list(*entries).chunks_exact(2);
                let is_named = |key: ExprId| match &program[key] {
                    Expr::Str(text) | Expr::Name(text) => text == name,
                    _ => false,
                };
                let pair = pairs.find(|pair| is_named(pair[0]));
                pair.map(|pair| if matches!(step, Step::Key(_)) { pair[0] } else { pair[1] })
            }
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None if at == given.unwrap_or(id) => return id,
            None => return at,
        }
    }
    at
}
