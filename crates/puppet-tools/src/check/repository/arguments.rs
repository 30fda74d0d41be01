//! The arguments of classes, defines and resource types: names of parameters, types of literal
//! values, and required parameters.

use ordain_source::{Diagnostic, Severity, TextRange};
use ordain_syntax::ListRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::metadata::short;
use super::types::texts;
use super::{values, widespread};
use crate::check::repository::pass::Pass;
use crate::check::repository::widespread::ModuleResourceType;
use ordain_puppet::load::native_type::NativeType;
use ordain_puppet::schema::is_metaparameter;
use ordain_puppet::syntax::definitions::{DefKind, TypeDef};
use ordain_puppet::syntax::*;
use ordain_puppet::types::{infer_set, is_instance, mismatch};
use ordain_puppet::validation::names::{nearest, plain};

const UNKNOWN_PARAMETER: &str = "puppet::unknown-parameter";
const MISSING_PARAMETER: &str = "puppet::missing-parameter";
const TYPE_MISMATCH: &str = "puppet::type-mismatch";

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let program = pass.program;
    for (_, expr) in program.exprs.iter() {
        match expr {
            Expr::Resource { kind, bodies, .. } => resource(pass, *kind, program.bodies(*bodies)),
            Expr::ResourceDefaults { kind, attributes, .. }
            | Expr::Collect { kind, attributes, .. } => {
                if let Expr::Ref(name) = &program[*kind] {
                    changed(pass, &plain(name), *attributes);
                }
            }
            Expr::ResourceOverride { resources, attributes, .. } => {
                let Expr::Access(parts) = &program[*resources] else { continue };
                let first = program.list(*parts).first().map(|&id| &program[id]);
                if let Some(Expr::Ref(name)) = first {
                    changed(pass, &plain(name), *attributes);
                }
            }
            _ => {}
        }
    }
}

fn resource(pass: &mut Pass<'_>, kind: ExprId, bodies: &[ResourceBody]) {
    let program = pass.program;
    let name = match &program[kind] {
        Expr::Name(name) | Expr::Str(name) => plain(name),
        _ => return,
    };
    let index = pass.index;
    let shared = bodies.iter().find(|body| matches!(program[body.title], Expr::Default));
    let shared = shared.map(|body| program.attributes(body.attributes)).unwrap_or_default();
    for body in bodies {
        let attributes = program.attributes(body.attributes);
        if name == "class" {
            for (title, _) in texts(program, body.title) {
                if let Some(def) = index.classes.get(&plain(title)) {
                    given(pass, def, attributes);
                }
            }
        } else if let Some(def) = index.defines.get(&name) {
            given(pass, def, attributes);
            let has_model = index.types.models.contains(&name);
            if !has_model && !matches!(program[body.title], Expr::Default) {
                missing(pass, def, attributes, shared, program.range(body.title));
            }
        } else {
            native(pass, &name, attributes);
            if name == "file" {
                values::title(pass, body, shared);
            }
            values::body(pass, &name, body, shared);
            if matches!(name.as_str(), "file" | "tidy") {
                values::protected(pass, &name, body, shared);
            }
        }
    }
}

/// Attributes that defaults, overrides and collectors set.
fn changed(pass: &mut Pass<'_>, name: &str, attributes: ListRef<Attribute>) {
    let attributes = pass.program.attributes(attributes);
    match pass.index.defines.get(name) {
        Some(def) => given(pass, def, attributes),
        None => native(pass, name, attributes),
    }
}

fn word(def: &TypeDef) -> &'static str {
    match def.kind {
        DefKind::Class => "class",
        DefKind::Define => "define",
    }
}

/// The name of an attribute, which begins it.
fn name_range(attribute: &Attribute) -> TextRange {
    let start = attribute.range.start;
    TextRange::new(start, start + attribute.name.len() as u32)
}

fn given(pass: &mut Pass<'_>, def: &TypeDef, attributes: &[Attribute]) {
    let params = def.program.params(def.params).iter().map(|p| (p.name.as_str(), p));
    let params: FxHashMap<&str, &Param> = params.collect();
    for attribute in attributes.iter().filter(|a| a.op != AttributeOp::Splat) {
        if pass.is_full() {
            return;
        }
        let Some(param) = params.get(attribute.name.as_str()) else {
            if !is_metaparameter(&attribute.name) && attribute.name != "name" {
                unknown(pass, def, attribute);
            }
            continue;
        };
        // A type with the name of a define converts the arguments.
        if !(def.kind == DefKind::Define && pass.index.types.models.contains(&def.name)) {
            value(pass, def, param, attribute);
        }
    }
}

fn unknown(pass: &mut Pass<'_>, def: &TypeDef, attribute: &Attribute) {
    let params = def.program.params(def.params);
    let message = format!("The {} `{}` has no parameter `{}`", word(def), def.name, attribute.name);
    let at = name_range(attribute).in_file(pass.file);
    let mut found = Diagnostic::error(UNKNOWN_PARAMETER, message).labelled(at, "not a parameter");
    let near = nearest(&attribute.name, params.iter().map(|p| p.name.as_str()));
    let near = near.and_then(|near| params.iter().find(|p| p.name == near));
    found = match near {
        Some(near) => {
            let span = near.range.in_file(def.program.file);
            found.related(span, "did you mean this one?")
        }
        None => {
            let head = super::names::head_of(&def.program, def.span.range);
            found.related(head.in_file(def.program.file), "defined here")
        }
    };
    pass.found.push(found);
}

fn value(pass: &mut Pass<'_>, def: &TypeDef, param: &Param, attribute: &Attribute) {
    let Some(kind) = param.kind else { return };
    let types = &pass.index.types;
    let Some(value) = types.value(pass.program, attribute.value) else { return };
    // An `undef` argument counts as missing.
    if value.is_undef() {
        return;
    }
    let Some(kind) = types.type_of(&def.program, kind) else { return };
    if is_instance(&kind, &value) {
        return;
    }
    let subject = format!("Parameter `{}` of {} `{}`", param.name, word(def), def.name);
    let message = mismatch::describe_mismatch(&subject, &kind, &infer_set(&value));
    if message.is_empty() {
        return;
    }
    let at = pass.program.range(attribute.value).in_file(pass.file);
    let span = param.range.in_file(def.program.file);
    let label = format!("`{}` takes {}", param.name, mismatch::short_type(&kind));
    let mut found = Diagnostic::error(TYPE_MISMATCH, message).labelled(at, label);
    found.help.extend(mismatch::unquoted(&kind, &value));
    pass.found.push(found.related(span, "declared here"));
}

fn missing(
    pass: &mut Pass<'_>,
    def: &TypeDef,
    attributes: &[Attribute],
    shared: &[Attribute],
    at: TextRange,
) {
    let all = || attributes.iter().chain(shared);
    if all().any(|a| a.op == AttributeOp::Splat) {
        return;
    }
    let given: FxHashSet<&str> = all().map(|a| a.name.as_str()).collect();
    let params = def.program.params(def.params).iter();
    let absent: Vec<&Param> = params
        .filter(|p| p.default.is_none() && !is_metaparameter(&p.name))
        .filter(|p| !given.contains(p.name.as_str()))
        .filter(|p| {
            let key = ecow::eco_format!("{}/{}", def.name, p.name);
            !pass.index.defaults.contains(&key)
        })
        .collect();
    let Some(first) = absent.first() else { return };
    let names: Vec<String> = absent.iter().map(|p| format!("`{}`", p.name)).collect();
    let what = if names.len() == 1 { "a value for" } else { "values for" };
    let message = format!("The define `{}` needs {what} {}", def.name, names.join(", "));
    let span = first.range.in_file(def.program.file);
    let found = Diagnostic::error(MISSING_PARAMETER, message).at(at.in_file(pass.file));
    pass.found.push(found.related(span, "has no default"));
}

/// Checks the attributes of a native resource type.
fn native(pass: &mut Pass<'_>, name: &str, attributes: &[Attribute]) {
    let Some(kind) = pass.index.native(name) else {
        return widespread_type(pass, name, attributes);
    };
    // A module may replace the type.
    if let Some(table) = kind.table.filter(|_| kind.ruby.is_none()) {
        values::check(pass, table, attributes);
    }
    for attribute in attributes.iter().filter(|a| a.op != AttributeOp::Splat) {
        // Every type accepts `name` for its name attribute.
        let known = kind.knows(&attribute.name) || is_of_other_version(&kind, name, attribute);
        if known || kind.ruby.as_ref().is_some_and(|r| r.unclear) {
            continue;
        }
        let message = format!("The resource type `{name}` has no attribute `{}`", attribute.name);
        let at = name_range(attribute).in_file(pass.file);
        // The installed module may have another version of the type.
        let certain = kind.ruby.is_some() || kind.table.is_some_and(|t| t.is_core());
        let severity = if certain { Severity::Error } else { Severity::Warning };
        let mut found = Diagnostic::new(severity, UNKNOWN_PARAMETER, message).at(at);
        let metaparameters = ordain_graph::METAPARAMETERS.iter().copied();
        match nearest(&attribute.name, kind.attributes().chain(metaparameters)) {
            Some(near) => found = found.help(format!("did you mean `{near}`?")),
            // Several modules have a type of this name.
            None if !certain => continue,
            None => {}
        }
        pass.found.push(found);
    }
}

/// Whether another version of a missing module has an attribute that Ordain's own kind lacks.
fn is_of_other_version(kind: &NativeType, name: &str, attribute: &Attribute) -> bool {
    let has = |of: &ModuleResourceType| of.attributes.contains(&attribute.name.as_str());
    kind.ruby.is_none() && widespread::find(name).is_some_and(has)
}

/// Checks the attributes of a resource type of a popular module that is missing.
fn widespread_type(pass: &mut Pass<'_>, name: &str, attributes: &[Attribute]) {
    let Some(kind) = widespread::find(name) else { return };
    if pass.index.has_module(&short(kind.module)) {
        return;
    }
    for attribute in attributes.iter().filter(|a| a.op != AttributeOp::Splat) {
        let known = |name: &str| kind.attributes.contains(&name) || is_metaparameter(name);
        if pass.is_full() || known(&attribute.name) || attribute.name == "name" {
            continue;
        }
        let message = format!(
            "The resource type `{name}` of the module `{}` has no attribute `{}`",
            kind.module, attribute.name
        );
        let at = name_range(attribute).in_file(pass.file);
        let found = Diagnostic::warning(UNKNOWN_PARAMETER, message).at(at);
        let names = kind.attributes.iter().chain(ordain_graph::METAPARAMETERS).copied();
        // Another version of the module, or another module with such a type, may have it.
        let Some(near) = nearest(&attribute.name, names) else { continue };
        pass.found.push(found.help(format!("did you mean `{near}`?")));
    }
}
