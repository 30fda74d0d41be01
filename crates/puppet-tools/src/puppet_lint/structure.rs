//! Resources, classes and other constructs, as puppet-lint finds them among tokens.

use std::cell::Cell;

use super::token::{Direction, Kind, Tokens};

/// A resource body: from the colon after its title to the `;` or `}` that ends it.
pub(super) struct Resource {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The token before its brace, which names its type.
    pub(super) type_token: usize,
    /// The names of its parameters.
    pub(super) params: Vec<usize>,
}

/// A class or a defined type: from its keyword to its last brace.
pub(super) struct Definition {
    pub(super) is_class: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: usize,
    /// The class that it inherits.
    pub(super) inherited: Option<usize>,
    /// The tokens between the parentheses of its parameters.
    pub(super) params: Option<(usize, usize)>,
}

/// The constructs that checks share.
pub(super) struct Structure {
    /// The resources, or the token at which puppet-lint sees a syntax error.
    pub(super) resources: Result<Vec<Resource>, usize>,
    /// Classes, then defined types.
    pub(super) definitions: Vec<Definition>,
}

/// Bounds the work of checks on nested constructs, which may look at each token often.
pub(super) struct Budget(Cell<u64>);

impl Budget {
    /// The work that is allowed for this number of tokens.
    pub(super) fn for_tokens(count: usize) -> Self {
        Self(Cell::new(10_000_000 + 200 * count as u64))
    }

    /// Takes a part of the budget; `false` if it is used up.
    pub(super) fn take(&self, steps: usize) -> bool {
        let left = self.0.get().checked_sub(steps as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether nothing is left.
    pub(super) fn is_used_up(&self) -> bool {
        self.0.get() == 0
    }
}

impl Structure {
    pub(super) fn of(tokens: &Tokens<'_>, budget: &Budget) -> Self {
        let mut definitions = definitions(tokens, Kind::Class, budget);
        definitions.extend(self::definitions(tokens, Kind::Define, budget));
        Self { resources: resources(tokens), definitions }
    }
}

fn resources(tokens: &Tokens<'_>) -> Result<Vec<Resource>, usize> {
    let mut found: Vec<Resource> = Vec::new();
    let mut marker = 0;
    // The last brace that is not one of a selector.
    let mut brace = None;
    let mut braces = tokens.of_kind(Kind::LBrace).peekable();
    for colon in tokens.of_kind(Kind::Colon) {
        let next = tokens.next_code_kind(colon);
        if next.is_none_or(|kind| kind == Kind::LBrace) {
            continue;
        }
        // puppet-lint ends its search at a colon inside of a resource.
        if colon < marker {
            break;
        }
        let end = tokens.find(colon, Direction::Next, &[Kind::Semic, Kind::RBrace], usize::MAX);
        let end = end.ok_or(colon)?;
        while let Some(seen) = braces.next_if(|i| *i < colon) {
            if tokens.previous_code_kind(seen) != Some(Kind::QMark) {
                brace = Some(seen);
            }
        }
        marker = end;
        let type_token = brace.ok_or(colon)?;
        let Some(type_token) = tokens.previous_code(type_token) else { continue };
        let params = params(tokens, colon, end);
        found.push(Resource { start: colon, end, type_token, params });
    }
    Ok(found)
}

/// The names of parameters between a colon and the end of a resource.
fn params(tokens: &Tokens<'_>, colon: usize, end: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(mut at) = colon.checked_sub(1) else { return found };
    while let Some(name) = tokens.find(at, Direction::Next, &[Kind::Name], end.saturating_sub(at)) {
        if tokens.next_code_kind(name) == Some(Kind::FArrow) {
            found.push(name);
        }
        at = name;
    }
    found
}

fn definitions(tokens: &Tokens<'_>, keyword: Kind, budget: &Budget) -> Vec<Definition> {
    tokens.of_kind(keyword).filter_map(|start| definition(tokens, start, budget)).collect()
}

fn definition(tokens: &Tokens<'_>, start: usize, budget: &Budget) -> Option<Definition> {
    let name = tokens.next_code(start)?;
    if tokens[name].kind == Kind::LBrace || budget.is_used_up() {
        return None;
    }
    let (mut braces, mut parens) = (0_i64, 0_i64);
    let (mut in_params, mut inherited) = (false, None);
    for i in start + 1..tokens.len() {
        match tokens[i].kind {
            Kind::Inherits => inherited = tokens.next_code(i),
            Kind::LParen => {
                in_params |= parens == 0;
                parens += 1;
            }
            Kind::RParen => {
                in_params &= parens != 1;
                parens -= 1;
            }
            Kind::LBrace => braces += 1,
            Kind::RBrace => {
                braces -= 1;
                if braces == 0 && !in_params {
                    // Checks look at these tokens several times.
                    budget.take(8 * (i - start)).then_some(())?;
                    let params = param_range(tokens, start, i);
                    let is_class = tokens[start].kind == Kind::Class;
                    return Some(Definition { is_class, start, end: i, name, inherited, params });
                }
            }
            _ => {}
        }
    }
    budget.take(tokens.len() - start);
    None
}

/// The tokens between the first parentheses before a brace, as a half-open range.
fn param_range(tokens: &Tokens<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    let (mut depth, mut open) = (0_i64, None);
    for i in start..=end {
        match tokens[i].kind {
            Kind::LParen => {
                depth += 1;
                if depth == 1 {
                    open = Some(i);
                }
            }
            Kind::RParen => {
                depth -= 1;
                if depth == 0 {
                    return open.map(|open| (open + 1, i));
                }
            }
            Kind::LBrace if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
