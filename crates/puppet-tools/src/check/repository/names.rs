//! Unknown names of classes, functions, resource types and data types.

use std::cell::OnceCell;

use ecow::EcoString;
use ordain_source::{Diagnostic, Severity, TextRange};
use ordain_syntax::ListRef;
use rustc_hash::FxHashSet;

use super::index::Index;
use super::layout::Kind;
use super::types::{text, texts};
use super::widespread;
use crate::check::repository::pass::Foreign;
use crate::check::repository::pass::Pass;
use ordain_puppet::eval::type_names::TYPE_NAMES;
use ordain_puppet::functions::registry::{is_native_function, native_names};
use ordain_puppet::syntax::advice::member;
use ordain_puppet::syntax::names::capitalize_segments;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::ALIASES;
use ordain_puppet::validation::names::{bare, is_slip, nearest, parent_range, plain, split_name};

/// The codes of unknown names.
const UNKNOWN_CLASS: &str = "puppet::unknown-class";
const UNKNOWN_FUNCTION: &str = "puppet::unknown-function";
const UNKNOWN_RESOURCE_TYPE: &str = "puppet::unknown-resource-type";
const UNKNOWN_TYPE: &str = "puppet::unknown-type";
const UNKNOWN_MODULE: &str = "puppet::unknown-module";

/// Functions whose arguments are names of classes.
const INCLUDING: [&str; 3] = ["include", "require", "contain"];

/// Namespaces of functions that Bolt adds for plans.
const BOLT: [&str; 6] = ["out", "log", "prompt", "ctrl", "dir", "system"];

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let guarded = guarded(pass.program);
    let program = pass.program;
    types_below(pass, &guarded);
    for (id, expr) in program.exprs.iter() {
        match expr {
            Expr::Call(call) => call_names(pass, program.call(*call), &guarded),
            Expr::Resource { kind, bodies, .. } => resource(pass, *kind, *bodies, &guarded),
            Expr::ResourceDefaults { kind, .. } => type_reference(pass, *kind, &guarded),
            Expr::Collect { kind, .. } => type_reference(pass, *kind, &guarded),
            Expr::Access(parts) => access(pass, program.list(*parts), &guarded),
            Expr::Definition(definition) => {
                let definition = program.definition(*definition);
                if let Definition::Class { parent: Some(parent), .. } = definition {
                    let range = program.range(id);
                    let at = parent_range(program, range, parent);
                    let at = at.unwrap_or_else(|| head_of(program, range));
                    class(pass, parent, at, true, &guarded);
                }
            }
            _ => {}
        }
    }
}

/// Names of types wherever they are, also as arguments of other types.
fn types_below(pass: &mut Pass<'_>, guarded: &Names) {
    let program = pass.program;
    // The types of a type set are known by their short names in it.
    let has_set = |(_, expr): (_, &Expr)| matches!(expr, Expr::Ref(name) if name == "TypeSet");
    if program.exprs.iter().any(has_set) {
        return;
    }
    let mut others: FxHashSet<ExprId> = FxHashSet::default();
    for (_, expr) in program.exprs.iter() {
        match expr {
            // Resource types, which have rules of their own.
            Expr::ResourceDefaults { kind, .. }
            | Expr::Collect { kind, .. }
            | Expr::Resource { kind, .. } => drop(others.insert(*kind)),
            Expr::Access(parts) => {
                let parts = program.list(*parts);
                let head = parts.first().map(|&id| &program[id]);
                if matches!(head, Some(Expr::Ref(name)) if plain(name) == "class") {
                    others.extend(parts);
                }
            }
            Expr::Definition(definition) => match program.definition(*definition) {
                Definition::TypeMapping { kind, mapping } => others.extend([*kind, *mapping]),
                Definition::TypeDefinition { statements, .. } => {
                    for statement in program.type_statements(*statements) {
                        // The check of type definitions covers the targets of references.
                        if let TypeStatementKind::Feature(feature) = &statement.kind {
                            others.extend(feature.kind.filter(|_| feature.is_reference));
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    for (id, expr) in program.exprs.iter() {
        if matches!(expr, Expr::Ref(_)) && !others.contains(&id) {
            data_type(pass, id, guarded);
        }
    }
}

/// The first line of a range.
pub(super) fn head_of(program: &Program, range: TextRange) -> TextRange {
    let text = program.text(range);
    let end = text.find(['\n', '{']).map_or(text.len(), |end| text[..end].trim_end().len());
    TextRange::new(range.start, range.start + end as u32)
}

/// Names whose existence the text tests, so that they may be missing.
pub(super) fn guarded(program: &Program) -> FxHashSet<EcoString> {
    let mut names = FxHashSet::default();
    for (_, expr) in program.exprs.iter() {
        let Expr::Call(call) = expr else { continue };
        let call = program.call(*call);
        let asks = matches!(&program[call.callee],
            Expr::Name(name) if matches!(name.as_str(), "defined" | "is_function_available"));
        if !asks {
            continue;
        }
        for &arg in program.list(call.args) {
            names.extend(texts(program, arg).iter().map(|(t, _)| plain(t)));
            match &program[arg] {
                Expr::Ref(name) => names.extend([plain(name)]),
                Expr::Access(parts) => {
                    let parts = program.list(*parts).iter();
                    names.extend(parts.filter_map(|&p| match &program[p] {
                        Expr::Ref(name) | Expr::Str(name) | Expr::Name(name) => Some(plain(name)),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
    }
    names
}

type Names = FxHashSet<EcoString>;

fn call_names(pass: &mut Pass<'_>, call: &Call, guarded: &Names) {
    let program = pass.program;
    let Expr::Name(name) = &program[call.callee] else { return };
    let args = program.list(call.args);
    match name.as_str() {
        name if INCLUDING.contains(&name) => {
            for &arg in args {
                for (class_name, at) in texts(program, arg) {
                    class(pass, class_name, program.range(at), true, guarded);
                }
            }
        }
        "create_resources" | "ensure_resource" | "ensure_resources" => {
            if let Some(kind) = args.first().and_then(|&arg| text(program, arg)) {
                // Virtual and exported ones begin with `@`.
                let kind = kind.trim_start_matches('@');
                let at = program.range(args[0]);
                resource_type(pass, kind, at, Severity::Error, guarded);
            }
        }
        _ => {}
    }
    let is_member = call.form == CallForm::Method && pass.index.may_have_member(name);
    if is_member || ALIASES.iter().any(|(alias, _)| alias == name) && in_type(program, call) {
        return;
    }
    function(pass, name, program.range(call.callee), call.form, guarded);
}

/// Whether a call is in the code of a type.
fn in_type(program: &Program, call: &Call) -> bool {
    let at = program.range(call.callee).start;
    program.definitions.iter().any(|&id| {
        let range = program.range(id);
        (range.start..range.end).contains(&at)
            && matches!(program[id], Expr::Definition(definition)
                if matches!(program.definition(definition), Definition::TypeDefinition { .. }))
    })
}

fn function(pass: &mut Pass<'_>, name: &str, at: TextRange, form: CallForm, guarded: &Names) {
    let (index, plain) = (pass.index, bare(name));
    let known = index.functions.contains_key(plain)
        || index.has_ruby_function(plain)
        || guarded.contains(plain);
    if known || is_native_function(plain) {
        return;
    }
    let members = index.members.names().filter(|_| form == CallForm::Method);
    let names = || native_names().chain(index.function_names()).chain(members);
    let message = format!("There is no function `{plain}`");
    let (name, code, severity) = (plain, UNKNOWN_FUNCTION, Severity::Error);
    let count = pass.found.len();
    report(pass, Unknown { name, code, message, at, severity }, guarded, names);
    let text = &pass.program.text;
    let line = text.get(..at.start as usize).and_then(|before| before.rsplit('\n').next());
    if let Some(found) = pass.found.get_mut(count).filter(|found| found.help.is_empty()) {
        let is_method =
            pass.program.text.get(at.start as usize..).is_some_and(|t| t.starts_with('.'));
        found.help.extend(line.filter(|_| is_method).and_then(|line| member(name, line)));
    }
}

fn resource(pass: &mut Pass<'_>, kind: ExprId, bodies: ListRef<ResourceBody>, guarded: &Names) {
    let program = pass.program;
    match &program[kind] {
        Expr::Name(name) if name == "class" => {
            for body in program.bodies(bodies) {
                for (name, at) in texts(program, body.title) {
                    class(pass, name, program.range(at), true, guarded);
                }
            }
        }
        Expr::Name(name) | Expr::Str(name) => {
            let at = program.range(kind);
            resource_type(pass, name, at, Severity::Error, guarded);
        }
        _ => type_reference(pass, kind, guarded),
    }
}

fn class(pass: &mut Pass<'_>, name: &str, at: TextRange, fails: bool, guarded: &Names) {
    let name = plain(name);
    let index = pass.index;
    let known = pass.sees(index.classes.get(&name)) || matches!(&*name, "settings" | "main");
    if known || guarded.contains(&name) || name.is_empty() {
        return;
    }
    if is_in_broken_file(pass, &name, at) {
        return;
    }
    let severity = if fails { Severity::Error } else { Severity::Warning };
    // A class of a test has this very name.
    let is_other = |known: &&str| *known != name.as_str();
    let names = || index.classes.keys().map(EcoString::as_str).filter(is_other);
    let message = match index.defines.contains_key(&name) {
        true => format!("`{name}` is a define, not a class"),
        false => format!("There is no class `{name}`"),
    };
    let (name, code) = (name.as_str(), UNKNOWN_CLASS);
    report(pass, Unknown { name, code, message, at, severity }, guarded, names);
}

fn resource_type(
    pass: &mut Pass<'_>,
    name: &str,
    at: TextRange,
    severity: Severity,
    guarded: &Names,
) {
    let name = plain(name);
    let index = pass.index;
    let known = name == "class" || pass.sees(index.defines.get(&name)) || guarded.contains(&name);
    if known || index.native(&name).is_some() || is_in_broken_file(pass, &name, at) {
        return;
    }
    let message = match index.classes.contains_key(&name) {
        true => format!("`{name}` is a class, not a resource type"),
        false => format!("There is no resource type `{name}`"),
    };
    let is_other = |known: &&str| *known != name.as_str();
    let names = || index.type_names().filter(is_other);
    let (name, code) = (name.as_str(), UNKNOWN_RESOURCE_TYPE);
    report(pass, Unknown { name, code, message, at, severity }, guarded, names);
}

/// Whether the file of a class or define has errors, which is reported in place of the unknown name.
fn is_in_broken_file(pass: &mut Pass<'_>, name: &EcoString, at: TextRange) -> bool {
    let Some(file) = pass.index.broken.get(name) else { return false };
    let message = format!("`{name}` is unknown, as {} does not parse", file.display());
    pass.found.push(Diagnostic::warning(UNKNOWN_CLASS, message).at(at.in_file(pass.file)));
    true
}

/// `File { … }`, `File <| |>`, `File['x'] { … }`
fn type_reference(pass: &mut Pass<'_>, kind: ExprId, guarded: &Names) {
    let program = pass.program;
    if let Expr::Ref(name) = &program[kind]
        && !pass.index.types.knows(bare(name))
    {
        resource_type(pass, name, program.range(kind), Severity::Warning, guarded);
    }
}

fn access(pass: &mut Pass<'_>, parts: &[ExprId], guarded: &Names) {
    let program = pass.program;
    let Some(Expr::Ref(name)) = parts.first().map(|&id| &program[id]) else { return };
    // Other names are checked with all types.
    if plain(name) != "class" {
        return;
    }
    for &key in &parts[1..] {
        for (name, at) in texts(program, key) {
            class(pass, name, program.range(at), false, guarded);
        }
    }
}

fn data_type(pass: &mut Pass<'_>, id: ExprId, guarded: &Names) {
    let (program, index) = (pass.program, pass.index);
    let Expr::Ref(name) = &program[id] else { return };
    let bare = bare(name);
    let lower = plain(bare);
    let known = index.types.knows(bare)
        || lower == "class"
        || index.defines.contains_key(&lower)
        || index.native(&lower).is_some()
        || guarded.contains(&lower);
    let module = bare.split("::").next().unwrap_or_default().to_lowercase();
    let type_set = index.module(&module).is_some_and(|m| m.survey.type_set);
    if known || type_set || matches!(module.as_str(), "puppet" | "pcore") {
        return;
    }
    let kinds = OnceCell::<Vec<EcoString>>::new();
    let names = || {
        let all = || index.type_names().map(capitalize_segments).collect();
        let kinds = kinds.get_or_init(all).iter().map(EcoString::as_str);
        index.types.names().chain(TYPE_NAMES.iter().copied()).chain(kinds)
    };
    let message = format!("There is no type `{bare}`");
    let at = program.range(id);
    let (name, code, severity) = (bare, UNKNOWN_TYPE, Severity::Error);
    let before = pass.found.len();
    report(pass, Unknown { name, code, message, at, severity }, guarded, names);
    if let Some(found) = pass.found.get_mut(before)
        && found.help.is_empty()
        && is_compared(program, id)
    {
        found.help.push(format!("a text is in quotes: `'{bare}'`"));
    }
}

/// Whether a value is compared with another: an option of a `case` or selector, or an operand.
fn is_compared(program: &Program, id: ExprId) -> bool {
    let has = |options: ListRef<CaseOption>| {
        let mut all = program.options(options).iter();
        all.any(|option| program.list(option.values).contains(&id))
    };
    program.exprs.iter().any(|(_, expr)| match expr {
        Expr::Case(_, options) | Expr::Selector(_, options) => has(*options),
        Expr::Binary { op: BinaryOp::Eq | BinaryOp::NotEq, left, right } => {
            [*left, *right].contains(&id)
        }
        _ => false,
    })
}

/// Whether a text asks for something of a module.
fn asks_for(guarded: &Names, module: &str) -> bool {
    let of = |name: &EcoString| name.split("::").next() == Some(module);
    guarded.iter().any(of)
}

/// A name that nothing here defines.
struct Unknown<'n> {
    name: &'n str,
    code: &'static str,
    message: String,
    at: TextRange,
    severity: Severity,
}

/// Reports an unknown name if it is certainly unknown: its module is present, or all modules are.
fn report<'n, N: Iterator<Item = &'n str>>(
    pass: &mut Pass<'_>,
    unknown: Unknown<'_>,
    guarded: &Names,
    names: impl FnOnce() -> N,
) {
    let Unknown { name, code, message, at, severity } = unknown;
    if pass.is_full() {
        return;
    }
    let index = pass.index;
    let module = plain(name.split("::").next().unwrap_or_default());
    // Functions and types of a module have its name as their first part.
    let is_member = code != UNKNOWN_CLASS && split_name(name).is_none();
    let certain = match is_member || index.kind == Kind::Loose {
        true => index.has_all_names(&pass.module),
        false => index.has_module(&module),
    };
    if !certain && !is_member {
        if !asks_for(guarded, &module) {
            let looks = pass.looks_for_another();
            let near = || if looks { nearest(name, names()) } else { None };
            foreign(pass, &module, name, at, near);
        }
        return;
    }
    // A name of a missing module may resemble one of a present module.
    let near = match pass.looks_for_another() {
        true => nearest(name, names().filter(|near| certain || !near.contains("::"))),
        false => None,
    };
    let is_of_stdlib = || code == UNKNOWN_FUNCTION && widespread::is_function(name);
    let is_of_module = || code == UNKNOWN_RESOURCE_TYPE && widespread::find(name).is_some();
    let is_likely = || !is_of_stdlib() && !is_of_module();
    if !certain && near.is_none_or(|near| !is_slip(name, near) || !is_likely()) {
        pass.unchecked.insert(name.into());
        return;
    }
    let severity = if certain { severity } else { Severity::Warning };
    let mut found = Diagnostic::new(severity, code, message).at(at.in_file(pass.file));
    if let Some(near) = near {
        found = found.help(format!("did you mean `{near}`?"));
    } else if code == UNKNOWN_RESOURCE_TYPE
        && let Some(kind) = widespread::find(name)
    {
        found = found.help(format!("the module `{}` has one of this name", kind.module));
    }
    pass.found.push(found);
}

/// A name of a missing module.
fn foreign<'n>(
    pass: &mut Pass<'_>,
    module: &str,
    name: &str,
    at: TextRange,
    near: impl FnOnce() -> Option<&'n str>,
) {
    let index: &Index = pass.index;
    let of_bolt = BOLT.contains(&module);
    if index.kind == Kind::Loose || index.declares(&pass.module, module) || pass.is_aside || of_bolt
    {
        return;
    }
    let (message, help) = match index.kind {
        Kind::Environment => (
            format!("`{name}` is of a module `{module}` that is not here"),
            "no Puppetfile and no metadata.json of a module asks for it; each such module is \
             reported once",
        ),
        _ => (
            format!("`{name}` is of a module `{module}` that is no dependency"),
            "the dependencies in metadata.json are installed with a module; each such \
             module is reported once",
        ),
    };
    let found = Diagnostic::warning(UNKNOWN_MODULE, message).at(at.in_file(pass.file));
    let found = match near() {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        // A dependency that is not here may bring the module.
        None if index.kind != Kind::Environment && !pass.is_complete() => return,
        None => found.help(help),
    };
    pass.foreign.push(Foreign { module: module.into(), found });
}
