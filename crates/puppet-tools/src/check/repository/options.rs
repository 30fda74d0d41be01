//! The options of `case` and selectors, and comparisons with values that a variable cannot have.

use ordain_source::{Diagnostic, Severity, TextRange};
use ordain_syntax::ListRef;
use rustc_hash::FxHashMap;

use super::scopes::VariableOrigin;
use crate::check::repository::pass::Pass;
use ordain_puppet::syntax::*;
use ordain_puppet::types::aliases::resolved;
use ordain_puppet::types::{Type, is_instance};
use ordain_puppet::validation::names::nearest;
use ordain_puppet::value::Value;

const IMPOSSIBLE_VALUE: &str = "puppet::impossible-value";
const DUPLICATE_OPTION: &str = "puppet::duplicate-option";
const DEFAULT_NOT_LAST: &str = "puppet::default-not-last";
const MISSING_OPTION: &str = "puppet::missing-option";
const UNKNOWN_WORD: &str = "puppet::unknown-word";

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let variables = Variables::of(pass);
    for (_, expr) in pass.program.exprs.iter() {
        match expr {
            Expr::Binary { op: BinaryOp::Eq | BinaryOp::NotEq, left, right } => {
                compared(pass, &variables, *left, *right);
                compared(pass, &variables, *right, *left);
            }
            Expr::Binary { op: BinaryOp::In, left, right } => {
                if let Expr::List(items) = &pass.program[*right] {
                    for &item in pass.program.list(*items) {
                        compared(pass, &variables, *left, item);
                    }
                }
            }
            Expr::Case(control, options) => {
                Options::of(pass, *control, *options, "case").check(pass, &variables);
            }
            Expr::Selector(control, options) => {
                Options::of(pass, *control, *options, "selector").check(pass, &variables);
            }
            _ => {}
        }
    }
}

/// The types of the parameters that expressions read.
struct Variables {
    types: FxHashMap<ExprId, (Type, TextRange)>,
}

impl Variables {
    fn of(pass: &Pass<'_>) -> Self {
        let (program, scopes) = (pass.program, pass.scopes);
        let params = program.params.iter().filter_map(|(_, p)| Some((p.range.start, p.kind?)));
        let params: FxHashMap<u32, ExprId> = params.collect();
        let mut types = FxHashMap::default();
        if params.is_empty() || !has_comparison(program) {
            return Self { types };
        }
        for used in &scopes.uses {
            let Expr::Var(name) = &program[used.at] else { continue };
            let Some(scope) = scopes.declaring(used.scope, name) else { continue };
            let declared = scopes.scopes[scope].first(name);
            let declared = declared.filter(|d| d.how == VariableOrigin::Parameter);
            let kind = declared.and_then(|d| Some((params.get(&d.at.start)?, d.at)));
            let Some((&kind, at)) = kind else { continue };
            if let Some(kind) = pass.index.types.type_of(program, kind) {
                types.insert(used.at, (kind, at));
            }
        }
        Self { types }
    }

    /// The type of a variable, and the place of its declaration.
    fn of_expr(&self, program: &Program, id: ExprId) -> Option<&(Type, TextRange)> {
        match &program[id] {
            Expr::Paren(inner) => self.of_expr(program, *inner),
            _ => self.types.get(&id),
        }
    }
}

fn has_comparison(program: &Program) -> bool {
    program.exprs.iter().any(|(_, expr)| {
        matches!(expr, Expr::Case(..) | Expr::Selector(..))
            || matches!(
                expr,
                Expr::Binary { op: BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::In, .. }
            )
    })
}

/// Reports a literal that a variable cannot be equal to.
fn compared(pass: &mut Pass<'_>, variables: &Variables, variable: ExprId, literal: ExprId) {
    let program = pass.program;
    let Some((kind, declared)) = variables.of_expr(program, variable) else { return };
    let value = match &program[literal] {
        Expr::Ref(_) | Expr::Access(_) | Expr::Regex(_) | Expr::Default => return,
        _ => pass.index.types.value(program, literal),
    };
    let Some(value) = value.filter(|value| !may_equal(kind, value)) else { return };
    if pass.is_full() {
        return;
    }
    let name = program.text(program.range(variable));
    let written = program.text(program.range(literal));
    let message = format!("`{name}` is never {written}");
    let at = program.span(literal);
    let mut found = Diagnostic::warning(IMPOSSIBLE_VALUE, message).at(at);
    if let (Value::Str(text), Some(words)) = (&value, words(kind)) {
        let near = nearest(text, words.iter().map(|word| word.as_str()));
        found.help.extend(near.map(|near| format!("did you mean '{near}'?")));
    }
    pass.found.push(found.related(declared.in_file(pass.file), "declared here"));
}

/// Whether a value of a type may be equal to a value. Texts are compared without their case.
fn may_equal(kind: &Type, value: &Value) -> bool {
    let is_number = matches!(value, Value::Int(_) | Value::Float(_));
    match resolved(kind) {
        Type::Enum { values, .. } => match value {
            Value::Str(text) => values.iter().any(|word| word.eq_ignore_ascii_case(text)),
            _ => false,
        },
        Type::Boolean(_) => is_instance(kind, value),
        Type::Integer(_) => is_instance(kind, value) || matches!(value, Value::Float(_)),
        Type::Float(_) | Type::Numeric => is_number,
        Type::String(_) | Type::Literal(_) | Type::Pattern(_) => matches!(value, Value::Str(_)),
        Type::Undef => value.is_undef(),
        Type::Optional(Some(inner)) => value.is_undef() || may_equal(inner, value),
        Type::NotUndef(Some(inner)) => may_equal(inner, value),
        Type::Variant(kinds) => kinds.iter().any(|kind| may_equal(kind, value)),
        _ => true,
    }
}

/// The texts that a type consists of, if it has no others.
fn words(kind: &Type) -> Option<Vec<String>> {
    match resolved(kind) {
        Type::Enum { values, .. } => Some(values.iter().map(|word| word.to_string()).collect()),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => words(inner),
        _ => None,
    }
}

/// The options of a case or selector.
struct Options {
    construct: &'static str,
    control: ExprId,
    values: Vec<ExprId>,
    /// The number of values before the last option.
    before_last: usize,
}

impl Options {
    fn of(
        pass: &Pass<'_>,
        control: ExprId,
        options: ListRef<CaseOption>,
        construct: &'static str,
    ) -> Self {
        let program = pass.program;
        let options = program.options(options);
        let values = options.iter().flat_map(|option| program.list(option.values).iter().copied());
        let values: Vec<ExprId> = values.collect();
        let last = options.last();
        let before_last = values.len() - last.map_or(0, |last| program.list(last.values).len());
        Self { construct, control, values, before_last }
    }

    fn check(&self, pass: &mut Pass<'_>, variables: &Variables) {
        let program = pass.program;
        self.twice(pass);
        for &value in &self.values {
            compared(pass, variables, self.control, value);
        }
        let default = self.values.iter().position(|id| matches!(program[*id], Expr::Default));
        let Some(default) = default else {
            self.quoted_default(pass);
            return self.missing(pass, variables);
        };
        let is_default = |id: &&ExprId| matches!(program[**id], Expr::Default);
        let after = self.values.get(default + 1..).unwrap_or_default();
        // A second `default` is an error of its own. Words beside it in the last option name the
        // values that it stands for.
        let next = after.iter().find(|id| !is_default(id));
        if let Some(&next) = next.filter(|_| default < self.before_last) {
            let message = format!("An option of a {} comes after `default`", self.construct);
            let found = Diagnostic::new(Severity::Note, DEFAULT_NOT_LAST, message);
            let found = found.at(program.span(next));
            let found = found.related(program.span(self.values[default]), "the default");
            pass.found.push(found.help("`default` is tried last wherever it is; write it last"));
        }
    }

    /// Reports an option that is there twice.
    fn twice(&self, pass: &mut Pass<'_>) {
        let program = pass.program;
        let mut seen: FxHashMap<String, ExprId> = FxHashMap::default();
        for &id in &self.values {
            let key = match &program[id] {
                Expr::Str(text) | Expr::Name(text) => format!("'{}", text.to_lowercase()),
                Expr::Int { .. } | Expr::Bool(_) | Expr::Regex(_) => {
                    program.text(program.range(id)).to_owned()
                }
                _ => continue,
            };
            if let Some(&first) = seen.get(&key) {
                let written = program.text(program.range(id));
                let message = format!("The option {written} is there twice");
                let found = Diagnostic::warning(DUPLICATE_OPTION, message).at(program.span(id));
                pass.found.push(found.related(program.span(first), "this one is used"));
                continue;
            }
            seen.insert(key, id);
        }
    }

    /// Reports `'default'` in quotes, which is a text.
    fn quoted_default(&self, pass: &mut Pass<'_>) {
        let Some(&last) = self.values.last() else { return };
        if !matches!(&pass.program[last], Expr::Str(text) if text == "default") {
            return;
        }
        let message = "`'default'` in quotes is a text here and no `default`";
        let found = Diagnostic::warning(UNKNOWN_WORD, message).at(pass.program.span(last));
        pass.found.push(found.help("write `default` without quotes"));
    }

    /// Reports values of a type that no option covers.
    fn missing(&self, pass: &mut Pass<'_>, variables: &Variables) {
        let program = pass.program;
        let Some((kind, declared)) = variables.of_expr(program, self.control) else { return };
        let all: Vec<Value> = match resolved(kind) {
            Type::Enum { values, .. } => values.iter().map(|v| Value::Str(v.clone())).collect(),
            Type::Boolean(None) => vec![Value::Bool(true), Value::Bool(false)],
            _ => return,
        };
        let mut covered = Vec::new();
        for &id in &self.values {
            match &program[id] {
                Expr::Str(_) | Expr::Name(_) | Expr::Bool(_) => {
                    covered.extend(pass.index.types.value(program, id));
                }
                // Patterns, types and computed options may cover anything.
                _ => return,
            }
        }
        let is_covered = |value: &Value| {
            covered.iter().any(|other| match (value, other) {
                (Value::Str(a), Value::Str(b)) => a.eq_ignore_ascii_case(b),
                _ => value == other,
            })
        };
        let missing: Vec<String> =
            all.iter().filter(|value| !is_covered(value)).map(shown).collect();
        // A case with a single option is an `if`.
        if missing.is_empty() || self.construct == "case" && covered.len() < 2 {
            return;
        }
        let message = format!("The {} has no option for {}", self.construct, missing.join(", "));
        let found = Diagnostic::warning(MISSING_OPTION, message).at(program.span(self.control));
        let found = found.related(declared.in_file(pass.file), "declared here");
        pass.found.push(match self.construct {
            "selector" => found.help("such a value is an error; `default` takes all others"),
            _ => found.help("nothing is done for such a value; `default: { }` says so"),
        });
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("'{text}'"),
        Value::Bool(value) => value.to_string(),
        _ => String::new(),
    }
}
