//! Functions that read or change the catalog.

use std::sync::Arc;

use ecow::EcoString;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::stdlib::convert::as_list;
use crate::functions::stdlib::{at, deprecation, forward, text_of};
use crate::functions::support::{function, is_instance, old, old_args, ruby_class, ruby_equal};
use crate::functions::{Dispatch, Function, opt, plain, rep, req};
use crate::state::evaluate::Evaluate;
use crate::state::scope::ScopeKind;
use crate::types::Type;
use crate::types::mismatch::describe_mismatch;
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Key, Value};

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("assert_private", "Fails if the caller belongs to another module.", -1, assert_private),
    old("private", "Fails if the caller belongs to another module.", -1, assert_private),
    old(
        "defined_with_params",
        "Tells whether a resource with these attributes is declared.",
        -1,
        |c| {
            let args = old_args(c);
            Ok(Value::Bool(defined_with_params(c, at(&args, 0), at(&args, 1))?))
        },
    ),
    old(
        "ensure_resource",
        "Declares resources unless they are declared the same.",
        -1,
        ensure_resource,
    ),
    old(
        "ensure_resources",
        "Declares resources of a hash unless they are declared the same.",
        -1,
        ensure_resources,
    ),
    old("getparam", "Gives an attribute of a declared resource.", -1, getparam),
    function(
        "stdlib::ensure_packages",
        "Declares packages unless they are declared the same.",
        &[
            Dispatch {
                params: &[
                    req("Variant[String[1], Array[String[1]]]", "packages"),
                    opt("Hash", "default_attributes"),
                ],
                block: None,
                returns: Some("Undef"),
                explains: false,
                body: ensure_packages,
            },
            Dispatch {
                params: &[
                    req("Hash[String[1], Any]", "packages"),
                    opt("Hash", "default_attributes"),
                ],
                block: None,
                returns: Some("Undef"),
                explains: false,
                body: ensure_packages,
            },
        ],
    ),
    function(
        "ensure_packages",
        "Deprecated name of stdlib::ensure_packages.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::ensure_packages"))],
    ),
    function(
        "stdlib::ensure",
        "Gives the value of ensure that fits a kind of resource.",
        &[Dispatch {
            params: &[
                req("Variant[Boolean, Enum['present', 'absent']]", "ensure"),
                opt(
                    "Optional[Enum['directory', 'link', 'mounted', 'service', 'file', 'package']]",
                    "resource",
                ),
            ],
            block: None,
            returns: Some("String"),
            explains: false,
            body: ensure,
        }],
    ),
    function(
        "stdlib::str2resource",
        "Returns the reference for a text such as File[/x].",
        &[plain(&[req("String", "res_string")], str2resource)],
    ),
    function(
        "stdlib::has_function",
        "Tells whether a function of this name can be called.",
        &[Dispatch {
            params: &[req("String[1]", "function_name")],
            block: None,
            returns: Some("Boolean"),
            explains: false,
            body: |c| {
                let name = c.str(0);
                Ok(Value::Bool(c.compiler.has_function(&name)))
            },
        }],
    ),
    function(
        "deprecation",
        "Says that something is deprecated, or fails where that is strict.",
        &[plain(
            &[req("String", "key"), req("String", "message"), opt("Boolean", "use_strict_setting")],
            |c| {
                let (key, message) = (c.str(0), c.str(1));
                let use_strict = c.given(2).is_none_or(Value::is_true);
                deprecation(c, &key, &message, use_strict)?;
                Ok(Value::Undef)
            },
        )],
    ),
    function(
        "validate_legacy",
        "Fails unless a value is of a type.",
        &[
            plain(
                &[
                    req("Type", "target_type"),
                    req("String", "function_name"),
                    req("Any", "value"),
                    rep("Any", "args"),
                ],
                validate_legacy,
            ),
            plain(
                &[
                    req("String", "type_string"),
                    req("String", "function_name"),
                    req("Any", "value"),
                    rep("Any", "args"),
                ],
                validate_legacy,
            ),
        ],
    ),
    old("pry", "Fails: there is no Ruby to look into.", -1, |_| {
        fail("pry(): Requires the 'pry' rubygem to use, but it was not found")
    }),
];

fn assert_private(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() > 1 {
        return fail(format!(
            "assert_private(): Wrong number of arguments given ({}}}) for 0 or 1)",
            args.len()
        ));
    }
    let (own, caller) = call.compiler.calling_modules(call.scope);
    // Code outside of modules, called from the top, has an empty caller.
    if own == caller && !own.is_empty() {
        return Ok(Value::Undef);
    }
    if let Some(Value::Str(message)) = args.first() {
        return fail(message.as_str());
    }
    let body = call.compiler.scopes.body_scope(call.scope);
    let scope = call.compiler.scopes.get(body);
    let kind = if matches!(scope.kind, ScopeKind::Class | ScopeKind::Top) {
        "Class"
    } else {
        "Definition"
    };
    let name = match scope.kind {
        ScopeKind::Class => scope.class.to_string(),
        ScopeKind::Top => String::new(),
        _ => call.compiler.catalog.get(scope.resource).reference().to_lowercase(),
    };
    let name = name.split('[').next().unwrap_or_default();
    fail(format!("{kind} {name} is private"))
}

/// The reference in a text or a value: its type with capitals, and its title.
fn reference_of(value: &Value) -> Option<Type> {
    match value {
        Value::Str(text) => {
            let (kind, title) = text.split_once('[')?;
            let title = title.strip_suffix(']')?;
            Some(resource_type(kind, title))
        }
        Value::Type(kind) | Value::Reference(kind) => match &**kind {
            kind @ (Type::Resource { kind: Some(_), .. } | Type::Class(Some(_))) => {
                Some(kind.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

fn resource_type(kind: &str, title: &str) -> Type {
    if kind.eq_ignore_ascii_case("class") {
        let name = title.strip_prefix("::").unwrap_or(title).to_lowercase();
        return Type::Class(Some(name.into()));
    }
    let title = if title.is_empty() { None } else { Some(title.into()) };
    Type::Resource { kind: Some(crate::syntax::names::capitalized(kind)), title }
}

/// Fails if a reference is to an unknown resource type.
fn check_known(call: &mut Call<'_, '_>, what: &Value) -> EvalResult<()> {
    let (Value::Type(kind) | Value::Reference(kind)) = what else { return Ok(()) };
    let Type::Resource { kind: Some(kind), .. } = &**kind else { return Ok(()) };
    let of_kind = Type::Resource { kind: Some(kind.clone()), title: None };
    if call.compiler.is_defined(&Value::of_type(of_kind), call.scope)? {
        return Ok(());
    }
    fail(format!("Resource type not found: {kind}"))
}

fn defined_with_params(call: &mut Call<'_, '_>, what: &Value, wanted: &Value) -> EvalResult<bool> {
    if !what.is_true() {
        return fail("Must specify a reference");
    }
    let Some(reference) = reference_of(what) else {
        return fail(format!("Reference is not understood: '{}'", ruby_class(what)));
    };
    check_known(call, what)?;
    let none = HashValue::default();
    let wanted = wanted.as_hash().unwrap_or(&none);
    // Inside of a define, its own resource does not count.
    let own = call.compiler.scopes.get(call.scope).resource;
    let found: Vec<_> = match &reference {
        Type::Resource { kind: Some(kind), title: None } => {
            let all = call.compiler.catalog.of_kind(kind).iter().copied();
            all.filter(|&id| id != own).map(|id| call.compiler.parameters_of(id)).collect()
        }
        _ => {
            let id = call.compiler.resource_of(&reference).filter(|&id| id != own);
            id.map(|id| call.compiler.parameters_of(id)).into_iter().collect()
        }
    };
    Ok(found.iter().any(|given: &Vec<(EcoString, Value)>| {
        wanted.iter().all(|(name, value)| {
            let name = text_of(name);
            let actual = given.iter().find(|(n, _)| *n == name).map_or(&Value::Undef, |(_, v)| v);
            ruby_equal(actual, value)
        })
    }))
}

fn ensure_resource(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let (Some(kind), Some(titles)) = (args.first(), args.get(1)) else {
        return fail(if args.is_empty() { "Must specify a type" } else { "Must specify a title" });
    };
    let none = Value::hash::<&str>([]);
    let attributes = args.get(2).filter(|v| v.is_true()).unwrap_or(&none);
    let kind = text_of(kind);
    for title in crate::functions::collections::flat(std::slice::from_ref(titles))? {
        ensure_one(call, &kind, &title, attributes)?;
    }
    Ok(Value::Undef)
}

fn ensure_one(
    call: &mut Call<'_, '_>,
    kind: &str,
    title: &Value,
    attributes: &Value,
) -> EvalResult<()> {
    let reference = Value::from(format!("{kind}[{}]", text_of(title)));
    if defined_with_params(call, &reference, attributes)? {
        return Ok(());
    }
    let resources = [(title.clone(), attributes.clone())];
    let kind = kind.to_lowercase();
    let defaults = Value::hash::<&str>([]);
    call.compiler.create_resources(&kind, &resources, &defaults, call.scope, call.span)?;
    Ok(())
}

fn merged(base: &Value, over: &Value) -> Value {
    let mut merged = base.as_hash().cloned().unwrap_or_default();
    if let Some(over) = over.as_hash() {
        merged.extend(over.iter().map(|(k, v)| (k.clone(), v.clone())));
    }
    Value::Hash(Arc::new(merged))
}

fn ensure_resources(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let (Some(kind), Some(resources)) = (args.first(), args.get(1)) else {
        return fail(if args.is_empty() { "Must specify a type" } else { "Must specify a title" });
    };
    let Some(resources) = resources.as_hash() else {
        return fail("ensure_resources(): Requires second argument to be a Hash");
    };
    let kind = text_of(kind);
    for (title, attributes) in resources {
        let attributes = merged(at(&args, 2), attributes);
        ensure_one(call, &kind, title, &attributes)?;
    }
    Ok(Value::Undef)
}

fn getparam(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if !at(&args, 0).is_true() {
        return fail("Must specify a reference");
    }
    let Some(name) = at(&args, 1).as_str() else {
        return fail("Must specify name of a parameter");
    };
    let value = match reference_of(at(&args, 0)) {
        Some(reference) if !name.is_empty() => call.compiler.resource_parameter(&reference, name),
        _ => None,
    };
    Ok(value.filter(|v| !v.is_undef()).unwrap_or_else(|| Value::str("")))
}

fn ensure_packages(call: &mut Call<'_, '_>) -> EvalResult {
    let (packages, defaults) = (call.take(0), call.take(1));
    match &packages {
        Value::Hash(packages) => {
            for (name, attributes) in packages.iter() {
                ensure_package(call, &text_of(name), &merged(&defaults, attributes))?;
            }
        }
        names => {
            for name in as_list(names).iter() {
                ensure_package(call, &text_of(name), &defaults)?;
            }
        }
    }
    Ok(Value::Undef)
}

fn ensure_package(call: &mut Call<'_, '_>, name: &str, attributes: &Value) -> EvalResult<()> {
    let base = Value::hash([("ensure", Value::str("installed"))]);
    let mut attributes = merged(&base, attributes);
    let ensure = attributes.get("ensure").and_then(Value::as_str).unwrap_or_default();
    if ensure == "present" || ensure == "installed" {
        let reference = Value::from(format!("Package[{name}]"));
        let present = Value::hash([("ensure", Value::str("present"))]);
        let as_declared = defined_with_params(call, &reference, &present)?;
        let word = if as_declared { "present" } else { "installed" };
        attributes = merged(&attributes, &Value::hash([("ensure", Value::str(word))]));
    }
    ensure_one(call, "package", &Value::from(name), &attributes)
}

fn ensure(call: &mut Call<'_, '_>) -> EvalResult {
    let present = match call.arg(0) {
        Value::Bool(b) => *b,
        other => other.as_str() == Some("present"),
    };
    let word = match (call.arg(1).as_str(), present) {
        (Some("package"), true) => "installed",
        (Some("service"), true) => "running",
        (Some("service"), false) => "stopped",
        (None, true) => "present",
        (Some(other), true) => other,
        (_, false) => "absent",
    };
    Ok(Value::str(word))
}

fn str2resource(call: &mut Call<'_, '_>) -> EvalResult {
    let text = call.str(0);
    let Some(reference) = reference_of(&Value::Str(text.clone())) else {
        return fail(format!("stdlib::str2resource(): {text} is no reference to a resource"));
    };
    if call.compiler.resource_parameters(&reference).is_none() {
        return fail(format!(
            "stdlib::str2resource(): could not find {text}, this is parse order dependent and values \
             should not be quoted"
        ));
    }
    Ok(Value::Reference(reference.into()))
}

fn validate_legacy(call: &mut Call<'_, '_>) -> EvalResult {
    let text = "This method is deprecated, please use Puppet data types to validate parameters";
    // Only some releases of the module deprecate this, so it is never an error.
    deprecation(call, "validate_legacy", text, false)?;
    let kind = match call.arg(0) {
        Value::Type(kind) => (**kind).clone(),
        _ => {
            let text = call.str(0);
            call.compiler.type_of_text(&text, call.span)?
        }
    };
    let value = call.arg(2);
    if is_instance(&kind, value) {
        return Ok(Value::Undef);
    }
    let actual = crate::types::infer_set(value);
    fail(describe_mismatch(&format!("validate_legacy({kind}, ...)"), &kind, &actual))
}

/// The value of a fact at a path.
pub(crate) fn fact(call: &mut Call<'_, '_>, path: &[&str]) -> Option<Value> {
    call.compiler.note_entry(ScopeId::TOP, "facts", path.iter().copied());
    let mut at = call.compiler.quiet_facts()?.clone();
    for name in path {
        at = at.as_hash()?.get(&Key(name))?.clone();
    }
    Some(at)
}
