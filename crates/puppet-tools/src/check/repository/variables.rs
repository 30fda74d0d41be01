//! Variables that are read but never set, set but never read, or hide others.

use ecow::EcoString;
use ordain_source::{Diagnostic, Severity, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts;
use super::scopes::{Declared, Scope, ScopeKind, Use, VariableOrigin};
use crate::check::repository::pass::Pass;
use ordain_puppet::legacy_facts::replacement;
use ordain_puppet::schema::is_metaparameter;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::{bare, is_number, nearest, split_name};

const UNKNOWN_VARIABLE: &str = "puppet::unknown-variable";
const UNUSED_VARIABLE: &str = "puppet::unused-variable";
const UNUSED_PARAMETER: &str = "puppet::unused-parameter";
const SHADOWED_VARIABLE: &str = "puppet::shadowed-variable";
const UNSET_VARIABLE: &str = "puppet::unset-variable";

/// Variables that are predefined in every scope, or in the top scope.
const BUILT_IN: [&str; 19] = [
    "facts",
    "trusted",
    "server_facts",
    "title",
    "name",
    "module_name",
    "caller_module_name",
    "environment",
    "serverversion",
    "servername",
    "serverip",
    "serverip6",
    "clientcert",
    "clientversion",
    "clientnoop",
    "agent_specified_environment",
    "settings",
    "pe_version",
    "_",
];

/// Functions that render a template, or run code, with the variables of the scope.
const RENDERING: [&str; 5] = ["template", "inline_template", "epp", "inline_epp", "erb"];

/// Functions whose lambda need not have parameters.
const ITERATING: [&str; 6] = ["each", "map", "filter", "any", "all", "reverse_each"];

/// Runs the rules on reads of variables.
pub(super) fn unknown(pass: &mut Pass<'_>) {
    let mut reported = FxHashSet::default();
    for used in &pass.scopes.uses {
        let Expr::Var(name) = &pass.program[used.at] else { continue };
        if pass.is_full() {
            return;
        }
        let at = pass.program.range(used.at);
        let plain = bare(name);
        if is_number(plain) || plain.is_empty() {
            continue;
        }
        match split_name(plain) {
            Some((class, variable)) => {
                if reported.insert((usize::MAX, plain)) {
                    qualified(pass, class, variable, at);
                }
            }
            None if name.starts_with("::") => facts::top_scope(pass, plain, at),
            None => {
                let outermost = pass.scopes.outermost(used.scope);
                if !is_known(pass, used.scope, plain) && reported.insert((outermost, plain)) {
                    local(pass, used.scope, plain, at);
                } else if let Some(later) = set_later(pass, used.scope, plain, at)
                    && reported.insert((outermost, plain))
                {
                    unset(pass, plain, at, later);
                }
            }
        }
    }
}

/// `$class::variable`
fn qualified(pass: &mut Pass<'_>, class: &str, variable: &str, at: TextRange) {
    let index = pass.index;
    if class == "settings" || class == "facts" {
        return;
    }
    let class = class.to_lowercase();
    let full = ecow::eco_format!("{class}::{variable}");
    if pass.scopes.asked.contains(&full) {
        return;
    }
    let span = at.in_file(pass.file);
    if !index.classes.contains_key(class.as_str()) {
        let Some((module, _)) = class.split_once("::").or(Some((class.as_str(), ""))) else {
            return;
        };
        if !index.has_module(module) {
            return;
        }
        let message = format!("`${full}` is of a class `{class}` that does not exist");
        let mut found = Diagnostic::warning(UNKNOWN_VARIABLE, message).at(span);
        let names = index.classes.keys().map(EcoString::as_str);
        if let Some(near) = nearest(&class, names) {
            found = found.help(format!("did you mean `${near}::{variable}`?"));
        }
        pass.found.push(found);
        return;
    }
    let Some(known) = index.variables_of(&class) else { return };
    let built_in = matches!(variable, "title" | "name" | "module_name" | "caller_module_name");
    if built_in || known.iter().any(|names| names.contains(variable)) {
        return;
    }
    let message = format!("The class `{class}` has no variable `{variable}`");
    let mut found = Diagnostic::error(UNKNOWN_VARIABLE, message).at(span);
    let names = known.iter().flat_map(|names| names.iter().map(EcoString::as_str));
    if let Some(near) = nearest(variable, names) {
        found = found.help(format!("did you mean `${class}::{near}`?"));
    }
    pass.found.push(found);
}

/// The place of the first assignment of a variable that is read further up in the same scope, if
/// nothing else can have set it by then.
fn set_later(pass: &Pass<'_>, scope: usize, name: &str, at: TextRange) -> Option<TextRange> {
    let own = &pass.scopes.scopes[scope];
    // Setting a variable at the top twice is an error, so no other file sets it.
    let elsewhere = own.kind != ScopeKind::Top && pass.index.top_variables.contains(name);
    let first = own.earliest(name).filter(|_| !elsewhere)?;
    let outside = own.parent.and_then(|parent| pass.scopes.declaring(parent, name));
    let is_later = at.start < first.at.start && first.how == VariableOrigin::Assigned;
    (is_later && outside.is_none() && !is_known_outside(pass, scope, name)).then_some(first.at)
}

fn unset(pass: &mut Pass<'_>, name: &str, at: TextRange, later: TextRange) {
    let message = format!("`${name}` is read before it is set");
    let found = Diagnostic::warning(UNSET_VARIABLE, message).at(at.in_file(pass.file));
    pass.found.push(found.related(later.in_file(pass.file), "set here"));
}

fn is_known(pass: &Pass<'_>, scope: usize, name: &str) -> bool {
    pass.scopes.declaring(scope, name).is_some()
        || pass.index.top_variables.contains(name)
        || is_known_outside(pass, scope, name)
}

/// Whether something but the scopes of the text may give a variable its value.
fn is_known_outside(pass: &Pass<'_>, scope: usize, name: &str) -> bool {
    let (index, scopes) = (pass.index, pass.scopes);
    let outermost = &scopes.scopes[scopes.outermost(scope)];
    if BUILT_IN.contains(&name)
        || scopes.asked.contains(name)
        || matches!(outermost.kind, ScopeKind::OpenTemplate | ScopeKind::Type)
    {
        return true;
    }
    if let Some(parent) = &outermost.inherits {
        match index.variables_of(parent) {
            None => return true,
            Some(known) if known.iter().any(|names| names.contains(name)) => return true,
            Some(_) => {}
        }
    }
    facts::is_known(pass, name)
}

fn local(pass: &mut Pass<'_>, scope: usize, name: &str, at: TextRange) {
    let scopes = pass.scopes;
    let mut names: Vec<&str> = Vec::new();
    let mut around = Some(scope).filter(|_| pass.looks_for_another());
    while let Some(i) = around {
        let scope = &scopes.scopes[i];
        names.extend(scope.declared.iter().map(|d| d.name.as_str()));
        around = scope.parent;
    }
    let is_elsewhere = scopes.in_lambdas.contains(name);
    let replaced = replacement(name);
    // A missing module may define a fact of this name.
    let near = nearest(name, names);
    if !pass.facts_are_complete() && near.is_none() && !is_elsewhere && replaced.is_none() {
        return;
    }
    // A legacy fact has exactly this name; another variable only has a similar one.
    if let Some(new) = replaced {
        return facts::legacy(pass, name, &new, at);
    }
    let message = format!("Nothing sets `${name}`");
    let span = at.in_file(pass.file);
    let mut found = Diagnostic::warning(UNKNOWN_VARIABLE, message).at(span);
    if let Some(near) = near {
        found = found.help(format!("did you mean `${near}`?"));
    } else if is_elsewhere {
        found = found.help("a variable that is set in a lambda is gone after it");
    }
    pass.found.push(found);
}

/// Runs the rules on declarations of variables.
pub(super) fn declared(pass: &mut Pass<'_>) {
    let scopes = pass.scopes;
    let mut read: FxHashSet<(usize, &str)> = FxHashSet::default();
    let classes = scopes.scopes.iter().enumerate().filter(|(_, s)| s.kind == ScopeKind::Class);
    let classes: FxHashMap<&str, usize> = classes.map(|(i, s)| (s.name.as_str(), i)).collect();
    for used in &scopes.uses {
        let Expr::Var(name) = &pass.program[used.at] else { continue };
        if let Some(scope) = scopes.declaring(used.scope, name) {
            read.insert((scope, name.as_str()));
        }
        let full = bare(name);
        if let Some((class, variable)) = split_name(full)
            && let Some(&scope) = classes.get(class)
        {
            read.insert((scope, variable));
        }
    }
    for (i, scope) in scopes.scopes.iter().enumerate() {
        let mut seen = FxHashSet::default();
        let is_unread = |d: &Declared| !read.contains(&(i, d.name.as_str()));
        let mut params = scope.declared.iter().filter(|d| d.how == VariableOrigin::Parameter);
        // Parameters before a used one cannot be omitted.
        let lambda_takes_none = scope.kind == ScopeKind::Lambda && params.all(is_unread);
        for declared in &scope.declared {
            if pass.is_full() {
                return;
            }
            if !seen.insert(declared.name.as_str()) || declared.name.starts_with('_') {
                continue;
            }
            shadowed(pass, scope, declared);
            if is_unread(declared) {
                unused(pass, i, scope, declared, lambda_takes_none);
            }
        }
    }
}

fn shadowed(pass: &mut Pass<'_>, scope: &Scope, declared: &Declared) {
    let Some(parent) = scope.parent else { return };
    // `$ports.each |$ports|` goes through what the outer variable has.
    if declared.how == VariableOrigin::Parameter && scope.receives.contains(&declared.name) {
        return;
    }
    let Some(outer) = pass.scopes.declaring(parent, &declared.name) else { return };
    let outer = &pass.scopes.scopes[outer];
    // Lambdas inside of each other often use the same short names, such as `$memo`.
    if declared.how == VariableOrigin::Parameter && outer.kind == ScopeKind::Lambda {
        return;
    }
    // `$x = $x + 1` changes a value on purpose.
    let reads = |used: &&Use| matches!(&pass.program[used.at], Expr::Var(n) if *n == declared.name);
    if pass.scopes.uses.iter().filter(reads).any(|used| declared.is_value(used.at)) {
        return;
    }
    let outer = outer.first(&declared.name);
    let Some(outer) = outer.filter(|outer| outer.at.start < declared.at.start) else { return };
    let file = pass.file;
    let message = format!("`${}` hides another variable of this name", declared.name);
    let found = Diagnostic::warning(SHADOWED_VARIABLE, message)
        .at(declared.at.in_file(file))
        .related(outer.at.in_file(file), "this one");
    pass.found.push(found);
}

fn unused(
    pass: &mut Pass<'_>,
    i: usize,
    scope: &Scope,
    declared: &Declared,
    lambda_takes_none: bool,
) {
    let name = declared.name.as_str();
    let outermost = &pass.scopes.scopes[pass.scopes.outermost(i)];
    let calls = |name: &str| outermost.calls.contains(name) || scope.calls.contains(name);
    let renders = RENDERING.iter().any(|function| calls(function));
    let mut all = outermost.calls.iter().chain(&scope.calls);
    // A metaparameter has an effect of its own.
    let is_read = all.any(|function| pass.index.reads_variables(function))
        || declared.how == VariableOrigin::Parameter && is_metaparameter(name);
    // The templates beside a manifest that belongs to no known module are not known either.
    let may_render = || pass.module.is_empty() || pass.may_render(name);
    if is_read || pass.scopes.asked.contains(name) || renders && may_render() {
        return;
    }
    let reported = match (scope.kind, declared.how) {
        // It may be a feature, whose value is stored.
        (_, VariableOrigin::Assigned) if outermost.kind == ScopeKind::Type => false,
        (ScopeKind::Define | ScopeKind::Function | ScopeKind::Lambda, VariableOrigin::Assigned) => {
            true
        }
        (ScopeKind::Template, VariableOrigin::Assigned) => true,
        (ScopeKind::Class, VariableOrigin::Assigned) => {
            is_private(pass, scope, name) && !is_table(pass, scope)
        }
        (ScopeKind::Function, VariableOrigin::Parameter) => !is_backend(scope),
        (ScopeKind::Lambda, VariableOrigin::Parameter) => {
            lambda_takes_none && ITERATING.contains(&scope.name.as_str())
        }
        // A define without a body stands for its parameters alone, as for a collector or an export.
        (ScopeKind::Define, VariableOrigin::Parameter) => !renders && !scope.is_empty,
        (ScopeKind::Class, VariableOrigin::Parameter) => {
            !renders && !scope.is_empty && is_private(pass, scope, name)
        }
        _ => false,
    };
    if !reported {
        return;
    }
    let (code, what) = match declared.how {
        VariableOrigin::Parameter => (UNUSED_PARAMETER, "The parameter"),
        VariableOrigin::Assigned => (UNUSED_VARIABLE, "The variable"),
    };
    let message = format!("{what} `${name}` is never read");
    let found = Diagnostic::new(Severity::Warning, code, message);
    let found = found.at(declared.at.in_file(pass.file));
    let found = match scope.kind {
        ScopeKind::Define | ScopeKind::Class => found,
        _ => found.help(format!("`$_{name}` marks it as intended")),
    };
    pass.found.push(found);
}

/// Whether no other code can read a variable of a class, judging by all files.
fn is_private(pass: &Pass<'_>, scope: &Scope, name: &str) -> bool {
    let index = pass.index;
    let full = ecow::eco_format!("{}::{name}", scope.name);
    index.is_environment()
        && !index.inherited.contains(&scope.name)
        && !index.qualified.contains(&full)
        && !index.prefixes.iter().any(|prefix| full.starts_with(prefix.as_str()))
        && !index.words.contains(name)
}

/// Whether a class is a table of values for other classes, which need not read all of them.
fn is_table(pass: &Pass<'_>, scope: &Scope) -> bool {
    let is_read = |declared: &Declared| {
        let full = ecow::eco_format!("{}::{}", scope.name, declared.name);
        pass.index.qualified.contains(&full)
    };
    scope.has_only_variables && scope.declared.iter().any(is_read)
}

/// Whether a function is one that Hiera calls, which has its parameters from there.
fn is_backend(scope: &Scope) -> bool {
    scope.declared.iter().any(|d| matches!(d.name.as_str(), "context" | "options"))
}
