//! Literal values against the types that are declared for them: defaults of parameters, results of
//! functions, operands.

use ordain_source::{Diagnostic, Severity};

use crate::check::repository::pass::Pass;
use ordain_puppet::syntax::*;
use ordain_puppet::types::aliases::resolved;
use ordain_puppet::types::{Regexp, Type, infer_set, is_instance, mismatch};
use ordain_puppet::value::Value;

const TYPE_MISMATCH: &str = "puppet::type-mismatch";
const NOT_NUMERIC: &str = "puppet::not-numeric";
const DIV_BY_ZERO: &str = "puppet::div-by-zero";
const COMPARISON: &str = "puppet::comparison-not-possible";
const NO_PATTERN: &str = "puppet::match-not-regexp";

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let program = pass.program;
    for (_, param) in program.params.iter() {
        let (Some(kind), Some(default)) = (param.kind, param.default) else { continue };
        let subject = format!("The default of `${}`", param.name);
        fits(pass, &subject, kind, default);
    }
    for (_, expr) in program.exprs.iter() {
        match expr {
            Expr::Definition(definition) => {
                if let Definition::Function { name, returns: Some(kind), body, .. } =
                    program.definition(*definition)
                {
                    let subject = format!("The result of `{name}`");
                    for result in results(program, *body) {
                        fits(pass, &subject, *kind, result);
                    }
                }
            }
            Expr::Binary { op, left, right } => operands(pass, *op, *left, *right),
            _ => {}
        }
    }
}

/// Reports a literal that its type refuses.
fn fits(pass: &mut Pass<'_>, subject: &str, kind: ExprId, value: ExprId) {
    if pass.is_full() {
        return;
    }
    let (program, types) = (pass.program, &pass.index.types);
    let Some(wanted) = types.type_of(program, kind) else { return };
    let given = match types.value(program, value) {
        Some(value) if is_instance(&wanted, &value) => return,
        Some(value) => value,
        None if is_text(program, value) && takes_no_text(&wanted) => Value::Str("…".into()),
        None => return,
    };
    let found = match given {
        Value::Str(_) if is_text(program, value) => {
            let wanted = mismatch::short_type(&wanted);
            let message = format!("{subject} expects {wanted}, got a text with interpolation");
            Diagnostic::error(TYPE_MISMATCH, message)
        }
        _ => {
            let message = mismatch::describe_mismatch(subject, &wanted, &infer_set(&given));
            if message.is_empty() {
                return;
            }
            Diagnostic::error(TYPE_MISMATCH, message)
        }
    };
    let mut found = found.at(program.span(value));
    // Data may give the parameter another value, and tests are often incomplete.
    if given.is_undef() {
        found.severity = Severity::Warning;
        found =
            found.help("`Optional[…]` takes undef as well; without a default a value is needed");
    }
    found.help.extend(mismatch::unquoted(&wanted, &given));
    pass.found.push(found);
}

/// Whether an expression is a text with interpolations.
fn is_text(program: &Program, id: ExprId) -> bool {
    match &program[id] {
        Expr::Concat(_) => true,
        Expr::Heredoc { text, .. } => is_text(program, *text),
        _ => false,
    }
}

/// Whether no text is of a type.
fn takes_no_text(kind: &Type) -> bool {
    match resolved(kind) {
        Type::Integer(_) | Type::Float(_) | Type::Numeric | Type::Boolean(_) | Type::Undef => true,
        Type::Array(..) | Type::Hash(..) | Type::Tuple(..) | Type::Struct(_) => true,
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => takes_no_text(inner),
        Type::Variant(kinds) => kinds.iter().all(takes_no_text),
        _ => false,
    }
}

/// The last expressions of a body, in all its branches.
fn results(program: &Program, body: ExprId) -> Vec<ExprId> {
    let (mut rest, mut out) = (vec![body], Vec::new());
    while let Some(id) = rest.pop() {
        match &program[id] {
            Expr::Block(list) => rest.extend(program.list(*list).last()),
            Expr::If(_, then, other) | Expr::Unless(_, then, other) => rest.extend([*then, *other]),
            Expr::Case(_, options) => {
                rest.extend(program.options(*options).iter().map(|option| option.then));
            }
            // The value of an empty branch is `undef`, which is hardly meant as a result.
            Expr::Nop => {}
            _ => out.push(id),
        }
    }
    out
}

/// Literal operands that an operator refuses whatever the other one is.
fn operands(pass: &mut Pass<'_>, op: BinaryOp, left: ExprId, right: ExprId) {
    let (program, types) = (pass.program, &pass.index.types);
    let value = |id: ExprId| match &program[id] {
        Expr::Name(_) | Expr::Ref(_) | Expr::Access(_) => None,
        _ => types.value(program, id),
    };
    let (a, b) = (value(left), value(right));
    let found = match op {
        BinaryOp::Add | BinaryOp::Sub => {
            // The sum of a list and a text is a list, so the right operand alone decides nothing.
            let is_scalar = matches!(a, Some(Value::Str(_) | Value::Int(_) | Value::Float(_)));
            let right_word = || b.as_ref().filter(|_| is_scalar).and_then(word);
            let left_word = a.as_ref().and_then(word).map(|word| (left, word));
            left_word.or_else(|| Some((right, right_word()?))).map(not_numeric)
        }
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
            let word_at = |at: ExprId, v: &Option<Value>| Some((at, v.as_ref().and_then(word)?));
            match word_at(left, &a).or_else(|| word_at(right, &b)) {
                Some(word) => Some(not_numeric(word)),
                None if op != BinaryOp::Mul && matches!(b, Some(Value::Int(0))) => {
                    Some((right, DIV_BY_ZERO, "This divides by zero".to_owned()))
                }
                None => None,
            }
        }
        BinaryOp::Less | BinaryOp::LessEq | BinaryOp::Greater | BinaryOp::GreaterEq => {
            let differ = matches!(
                (&a, &b),
                (Some(Value::Str(_)), Some(Value::Int(_) | Value::Float(_)))
                    | (Some(Value::Int(_) | Value::Float(_)), Some(Value::Str(_)))
            );
            let message = || "A text and a number cannot be compared".to_owned();
            differ.then(|| (left, COMPARISON, message()))
        }
        BinaryOp::Match | BinaryOp::NotMatch => match &b {
            Some(Value::Str(pattern)) => {
                let fault = Regexp::new(pattern.clone()).regex().err().map(|e| e.to_string());
                let message = |e: String| format!("This is no regular expression: {e}");
                fault.map(|e| (right, NO_PATTERN, message(e)))
            }
            _ => None,
        },
        _ => None,
    };
    if let Some((at, code, message)) = found {
        pass.found.push(Diagnostic::error(code, message).at(program.span(at)));
    }
}

fn not_numeric((at, word): (ExprId, String)) -> (ExprId, &'static str, String) {
    (at, NOT_NUMERIC, format!("'{word}' is a text and no number"))
}

/// A text that is no number.
fn word(value: &Value) -> Option<String> {
    let Value::Str(text) = value else { return None };
    let digits = text.trim_start_matches(['-', '+', ' ', '.']);
    (!digits.starts_with(|c: char| c.is_ascii_digit())).then(|| text.to_string())
}
