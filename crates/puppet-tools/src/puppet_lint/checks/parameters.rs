//! Checks of the community's plug-ins about the parameters of classes and defined types.

use crate::puppet_lint::pass::{Note, Pass};
use crate::puppet_lint::structure::Definition;
use crate::puppet_lint::token::{Kind, Token, Tokens};

pub(super) fn types(pass: &mut Pass<'_, '_>) {
    let mut notes = Vec::new();
    for definition in &pass.structure().definitions {
        let name = pass.tokens[definition.name].value;
        for i in untyped(pass.tokens, definition) {
            let text = format!("missing datatype for parameter {name}::{}", pass.tokens[i].value);
            notes.push(Note::warning(i, text));
        }
    }
    pass.add_all(notes);
}

/// The parameters without a type.
fn untyped(tokens: &Tokens<'_>, definition: &Definition) -> Vec<usize> {
    enum State {
        Begin,
        Type,
        Rest,
    }
    let Some((start, end)) = definition.params else { return Vec::new() };
    let (mut found, mut state) = (Vec::new(), State::Begin);
    let (mut parens, mut brackets) = (0_u32, 0_u32);
    for i in (start..end).filter(|i| !tokens[*i].kind.is_formatting()) {
        let token = &tokens[i];
        match state {
            State::Begin => {
                (parens, brackets) = (0, 0);
                let is_capital = token.value.starts_with(|c: char| c.is_ascii_uppercase());
                if token.kind == Kind::Type || is_capital {
                    state = State::Type;
                } else if token.kind == Kind::Variable {
                    found.push(i);
                    state = State::Rest;
                }
            }
            State::Type if token.kind == Kind::Variable => state = State::Rest,
            State::Type => {}
            State::Rest => match token.kind {
                Kind::LParen => parens += 1,
                Kind::RParen => parens = parens.saturating_sub(1),
                Kind::LBrace | Kind::LBrack => brackets += 1,
                Kind::RBrace | Kind::RBrack => brackets = brackets.saturating_sub(1),
                Kind::Comma if parens == 0 && brackets == 0 => state = State::Begin,
                _ => {}
            },
        }
    }
    found
}

/// A parameter with its type and default.
struct Parameter<'a, 't> {
    at: usize,
    is_of_define: bool,
    type_tokens: &'a [Token<'t>],
    default: &'a [Token<'t>],
}

/// All parameters of a file.
fn parameters<'a, 't>(pass: &Pass<'a, 't>) -> Vec<Parameter<'a, 't>> {
    let tokens = pass.tokens;
    let mut found = Vec::new();
    for definition in &pass.structure().definitions {
        for at in variables(tokens, definition) {
            let type_range = type_range(tokens, at);
            let default = default_range(tokens, at);
            let slice = |range: Option<(usize, usize)>| match range {
                Some((first, last)) if first <= last => &tokens[first..=last],
                _ => &[],
            };
            let steps = slice(type_range).len() + slice(default).len();
            if !pass.budget.take(steps) {
                return found;
            }
            found.push(Parameter {
                at,
                is_of_define: !definition.is_class,
                type_tokens: slice(type_range),
                default: slice(default),
            });
        }
    }
    found
}

/// The variables that are parameters.
fn variables(tokens: &Tokens<'_>, definition: &Definition) -> Vec<usize> {
    let Some((start, end)) = definition.params else { return Vec::new() };
    let (mut found, mut nesting, mut is_inside) = (Vec::new(), 0_i64, false);
    for i in start..end {
        match tokens[i].kind {
            Kind::Variable if !is_inside => {
                found.push(i);
                (nesting, is_inside) = (0, true);
            }
            Kind::LParen | Kind::LBrack if is_inside => nesting += 1,
            Kind::RParen | Kind::RBrack if is_inside => nesting -= 1,
            Kind::Comma if nesting <= 0 => is_inside = false,
            _ => {}
        }
    }
    found
}

/// The first and last token of a default.
fn default_range(tokens: &Tokens<'_>, param: usize) -> Option<(usize, usize)> {
    let (mut nesting, mut first) = (0_i64, None);
    for i in tokens.next_code(param)?..tokens.len() {
        match tokens[i].kind {
            Kind::LParen | Kind::LBrack => nesting += 1,
            Kind::RBrack => nesting -= 1,
            Kind::RParen => {
                nesting -= 1;
                if nesting < 0 {
                    return Some((first?, tokens.previous_code(i)?));
                }
            }
            Kind::Equals => first = tokens.next_code(i),
            Kind::Comma if nesting <= 0 => return Some((first?, tokens.previous_code(i)?)),
            _ => {}
        }
    }
    None
}

/// The first and last token of a type; the last is before the first without a type.
fn type_range(tokens: &Tokens<'_>, param: usize) -> Option<(usize, usize)> {
    let last = tokens.previous_code(param)?;
    let (mut nesting, mut at) = (0_i64, Some(last));
    while let Some(i) = at {
        match tokens[i].kind {
            Kind::LBrack => nesting += 1,
            Kind::LParen => {
                nesting += 1;
                if nesting > 0 {
                    return Some((tokens.next_code(i)?, last));
                }
            }
            Kind::RBrack | Kind::RParen => nesting -= 1,
            Kind::Comma if nesting == 0 => return Some((tokens.next_code(i)?, last)),
            _ => {}
        }
        at = tokens.previous_code(i);
    }
    None
}

pub(super) fn optional_default(pass: &mut Pass<'_, '_>) {
    let mut found = Vec::new();
    for param in parameters(pass) {
        let is_optional = param
            .type_tokens
            .first()
            .is_some_and(|t| t.kind == Kind::Type && t.value == "Optional");
        if !is_optional {
            continue;
        }
        let calls = param.default.iter().any(|t| matches!(t.kind, Kind::Dot | Kind::LParen));
        match param.default.first() {
            Some(first) if !calls && !matches!(first.kind, Kind::Undef | Kind::Variable) => {
                let text = "Optional parameter defaults to something other than undef";
                found.push(Note::warning(param.at, text));
            }
            None if param.is_of_define => {
                let text = "Optional defined type parameter doesn't have a default";
                found.push(Note::warning(param.at, text));
            }
            _ => {}
        }
    }
    pass.add_all(found);
}

pub(super) fn empty_string(pass: &mut Pass<'_, '_>) {
    let is_string = |t: &Token<'_>| {
        t.kind == Kind::Type && (t.value.starts_with("String") || t.value.starts_with("Variant"))
    };
    let is_empty = |t: &Token<'_>| t.kind == Kind::SingleQuoted && t.value.is_empty();
    let found = parameters(pass).into_iter().filter(|param| {
        param.type_tokens.first().is_some_and(is_string)
            && param.default.first().is_some_and(is_empty)
    });
    let text = "class parameter with String type defaults to empty string";
    let notes = found.map(|param| Note::warning(param.at, text)).collect();
    pass.add_all(notes);
}

/// Whether `Undef` is one of the types of a `Variant`.
fn may_be_undef(variant: &[Token<'_>]) -> bool {
    let mut depth = 0_i64;
    variant.iter().any(|token| {
        match token.kind {
            Kind::LBrack => depth += 1,
            Kind::RBrack => depth -= 1,
            _ => {}
        }
        token.kind == Kind::Type && token.value == "Undef" && depth == 1
    })
}

pub(super) fn not_optional(pass: &mut Pass<'_, '_>) {
    let mut found = Vec::new();
    for param in parameters(pass) {
        let Some(first) = param.type_tokens.first().filter(|t| t.kind == Kind::Type) else {
            continue;
        };
        let takes_undef = match first.value {
            "Optional" => true,
            "Variant" => may_be_undef(param.type_tokens),
            _ => false,
        };
        let calls = param.default.iter().any(|t| matches!(t.kind, Kind::Dot | Kind::LParen));
        let is_undef = param.default.first().is_some_and(|t| t.kind == Kind::Undef);
        if is_undef && !takes_undef && !calls {
            found.push(Note::warning(param.at, "Not optional parameter defaults to undef"));
        }
    }
    pass.add_all(found);
}

pub(super) fn lookup(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let mut depth: Option<i64> = None;
    for i in 0..tokens.len() {
        match tokens[i].kind {
            Kind::Class | Kind::Define => {
                let name = tokens.next_code(i).filter(|n| tokens[*n].kind == Kind::Name);
                if name.and_then(|n| tokens.next_code_kind(n)) == Some(Kind::LParen) {
                    depth = Some(0);
                }
            }
            Kind::LParen => depth = depth.map(|depth| depth + 1),
            Kind::RParen => depth = depth.map(|depth| depth - 1).filter(|depth| *depth != 0),
            Kind::FunctionName if depth.is_some() && tokens[i].value == "lookup" => {
                pass.warn(i, "lookup used to set the default value of a parameter");
            }
            _ => {}
        }
    }
}
