//! The check for variables that the scope of a class does not have.

use ordain_graph::METAPARAMETERS;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::puppet_lint::pass::Pass;
use crate::puppet_lint::structure::{Budget, Definition};
use crate::puppet_lint::token::{Kind, Tokens};

/// Variables that every scope has, beside those of metaparameters.
const ALWAYS: [&str; 13] = [
    "name",
    "title",
    "module_name",
    "environment",
    "clientcert",
    "clientversion",
    "servername",
    "serverip",
    "serverversion",
    "caller_module_name",
    "facts",
    "trusted",
    "server_facts",
];

pub(super) fn check(pass: &mut Pass<'_, '_>) {
    let mut known: FxHashSet<&str> = ALWAYS.iter().chain(METAPARAMETERS).copied().collect();
    let mut found = Vec::new();
    for definition in &pass.structure().definitions {
        let Some(scope) = Scope::read(pass.tokens, definition, &mut known, &pass.budget) else {
            break;
        };
        let unknown = scope.used.iter().filter(|i| {
            let token = &pass.tokens[**i];
            let name = without_index(token.value);
            let is_known = known.contains(name)
                || token.value.contains("::")
                || scope.is_parameter(name, token.line)
                || is_of_facts(token.value)
                || name_is_number(token.value);
            !is_known
        });
        found.extend(unknown.copied());
    }
    for i in found {
        pass.warn(i, "top-scope variable being used without an explicit namespace");
    }
}

/// Whether a variable is an element of `facts` or `trusted`.
fn is_of_facts(value: &str) -> bool {
    ["facts[", "trusted["].iter().any(|start| {
        value.strip_prefix(start).is_some_and(|rest| rest.rfind(']').is_some_and(|end| end > 0))
    })
}

fn name_is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit())
}

/// The name without the brackets at its end.
fn without_index(value: &str) -> &str {
    match value.find('[') {
        Some(at) if value.ends_with(']') && at + 2 < value.len() => &value[..at],
        _ => value,
    }
}

/// The lines from the first to the last of a lambda, and the last line of all lambdas so far.
type Lines = (u32, u32);

/// The variables of a class or defined type.
#[derive(Default)]
struct Scope<'t> {
    used: Vec<usize>,
    /// The lines in which the parameters of lambdas are known.
    lambdas: FxHashMap<&'t str, Vec<Lines>>,
}

impl<'t> Scope<'t> {
    /// Reads a definition, and adds its variables to the known ones; `None` if that takes too long.
    fn read(
        tokens: &Tokens<'t>,
        definition: &Definition,
        known: &mut FxHashSet<&'t str>,
        budget: &Budget,
    ) -> Option<Self> {
        let params = definition.params.map_or(0..0, |(start, end)| start..end);
        known.extend(params.filter(|i| is_declared(tokens, *i)).map(|i| tokens[i].value));
        let mut scope = Self::default();
        let mut params: Option<Vec<&str>> = None;
        for i in definition.start..=definition.end {
            match tokens[i].kind {
                Kind::Equals => assigned(tokens, i, known),
                Kind::Variable => match &mut params {
                    Some(params) => params.push(tokens[i].value),
                    None => scope.used.push(i),
                },
                Kind::Pipe => match params.take() {
                    None => params = Some(Vec::new()),
                    Some(params) => {
                        let end = tokens.body_end(i);
                        budget.take(end.unwrap_or(tokens.len()) - i).then_some(())?;
                        if let Some(end) = end {
                            scope.add(&params, (tokens[i].line, tokens[end].line));
                        }
                    }
                },
                _ => {}
            }
        }
        Some(scope)
    }

    fn add(&mut self, params: &[&'t str], (first, last): Lines) {
        for param in params {
            let lines = self.lambdas.entry(param).or_default();
            let last = lines.last().map_or(last, |(_, before)| last.max(*before));
            lines.push((first, last));
        }
    }

    fn is_parameter(&self, name: &str, line: u32) -> bool {
        let Some(lines) = self.lambdas.get(name) else { return false };
        let begun = lines.partition_point(|(first, _)| *first <= line);
        begun > 0 && line <= lines[begun - 1].1
    }
}

/// Whether a token is a variable among parameters.
fn is_declared(tokens: &Tokens<'_>, i: usize) -> bool {
    let next = tokens.next_code_kind(i);
    tokens[i].kind == Kind::Variable
        && next.is_some_and(|kind| matches!(kind, Kind::Comma | Kind::Equals | Kind::RParen))
}

/// Adds the variables to the left of a `=`.
fn assigned<'t>(tokens: &Tokens<'t>, equals: usize, known: &mut FxHashSet<&'t str>) {
    let Some(left) = tokens.previous_code(equals) else { return };
    if tokens[left].kind == Kind::Variable {
        known.insert(tokens[left].value);
        return;
    }
    if tokens[left].kind != Kind::RBrack {
        return;
    }
    let (mut depth, mut at) = (0_i64, Some(left));
    while let Some(i) = at {
        match tokens[i].kind {
            Kind::Variable => {
                known.insert(tokens[i].value);
            }
            Kind::RBrack => depth += 1,
            Kind::LBrack => {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
            Kind::Comma => {}
            _ => return,
        }
        at = tokens.previous_code(i);
    }
}
