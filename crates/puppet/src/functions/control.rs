//! Logging, control flow, and functions on types, classes and other functions.

use std::sync::Arc;

use ordain_source::Span;

use crate::catalog::resource::Inclusion;
use crate::error::{EvalResult, Unwind, issue, plain as fail};
use crate::functions::call::Call;
use crate::functions::support::{function, is_instance};
use crate::functions::{Function, opt, plain, rep, rep1, req, with_opt_block};
use crate::state::annotations::annotation_type;
use crate::state::evaluate::Evaluate;
use crate::state::log::LogLevel;
use crate::types::aliases::resolved;
use crate::types::mismatch::describe_mismatch;
use crate::types::new::{Host, new_instance};
use crate::types::refusal::answered;
use crate::types::{Type, generalize, infer, infer_set};
use crate::value::text::to_text;
use crate::value::{Object, Value};

/// A logging function.
macro_rules! log {
    ($name:literal, $doc:literal, $level:expr) => {
        function(
            $name,
            $doc,
            &[crate::functions::Dispatch {
                params: &[rep("Any", "values")],
                block: None,
                returns: Some("Undef"),
                explains: false,
                body: |c| log(c, $level),
            }],
        )
    };
}

/// The functions of this family.
pub const TABLE: &[Function] = &[
    log!("alert", "Logs its arguments as an alert.", LogLevel::Alert),
    log!("crit", "Logs its arguments as critical.", LogLevel::Crit),
    log!("debug", "Logs its arguments for finding faults.", LogLevel::Debug),
    log!("emerg", "Logs its arguments as an emergency.", LogLevel::Emerg),
    log!("err", "Logs its arguments as an error.", LogLevel::Err),
    log!("info", "Logs its arguments as information.", LogLevel::Info),
    log!("notice", "Logs its arguments as a notice.", LogLevel::Notice),
    log!("warning", "Logs its arguments as a warning.", LogLevel::Warning),
    function(
        "break",
        "Ends the innermost iteration.",
        &[plain(&[], |c| Err(Box::new(Unwind::Break(c.span))))],
    ),
    function(
        "next",
        "Ends the innermost lambda or function with a value.",
        &[plain(&[opt("Any", "value")], |c| Err(Box::new(Unwind::Next(c.take(0), c.span))))],
    ),
    function(
        "return",
        "Ends the innermost function, class or define with a value.",
        &[plain(&[opt("Any", "value")], |c| Err(Box::new(Unwind::Return(c.take(0), c.span))))],
    ),
    function(
        "call",
        "Calls a function by its name, or evaluates a deferred call.",
        &[
            with_opt_block(
                &[req("String", "function_name"), rep("Any", "arguments")],
                "Callable",
                call,
            ),
            plain(&[req("Deferred", "deferred")], call_deferred),
        ],
    ),
    function(
        "assert_type",
        "Gives a value if it is of a type, and fails otherwise.",
        &[
            with_opt_block(
                &[req("Type", "type"), req("Any", "value")],
                "Callable[Type, Type]",
                assert_type,
            ),
            with_opt_block(
                &[req("String", "type_string"), req("Any", "value")],
                "Callable[Type, Type]",
                assert_type_text,
            ),
        ],
    ),
    function(
        "new",
        "Makes a value of a type.",
        &[with_opt_block(&[req("Type", "type"), rep("Any", "args")], "Callable", new)],
    ),
    function(
        "convert_to",
        "Makes a value of a type from a value.",
        &[with_opt_block(
            &[req("Any", "value"), req("Type", "type"), rep("Any", "args")],
            "Callable[1, 1]",
            convert_to,
        )],
    ),
    function(
        "type",
        "Gives the type of a value.",
        &[
            plain(&[req("Any", "value"), opt("Enum[detailed]", "inference_method")], |c| {
                Ok(Value::of_type(infer_set(c.arg(0))))
            }),
            plain(&[req("Any", "value"), req("Enum[reduced]", "inference_method")], |c| {
                Ok(Value::of_type(infer(c.arg(0))))
            }),
            plain(&[req("Any", "value"), req("Enum[generalized]", "inference_method")], |c| {
                Ok(Value::of_type(generalize(&infer(c.arg(0)))))
            }),
        ],
    ),
    function(
        "unwrap",
        "Gives the value inside a sensitive one.",
        &[
            with_opt_block(&[req("Sensitive", "arg")], "Callable", unwrap),
            with_opt_block(&[req("Any", "arg")], "Callable", unwrap),
        ],
    ),
    function(
        "defined",
        "Tells whether a resource, class, type or variable is defined.",
        &[plain(
            &[rep1("Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]]", "vals")],
            defined,
        )],
    ),
    function(
        "include",
        "Declares classes unless they are declared already.",
        &[plain(&[rep1("Any", "names")], |c| include(c, Inclusion::Include))],
    ),
    function(
        "contain",
        "Declares classes and keeps them inside the calling class.",
        &[plain(&[rep1("Any", "names")], |c| include(c, Inclusion::Contain))],
    ),
    function(
        "require",
        "Declares classes that the calling class or define requires.",
        &[plain(&[rep1("Any", "names")], |c| include(c, Inclusion::Require))],
    ),
    function(
        "import",
        "Fails: files are not imported any more.",
        &[plain(&[rep("Any", "args")], |_| {
            issue(
                "DISCONTINUED_IMPORT",
                "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation",
            )
        })],
    ),
    function(
        "annotate",
        "Adds data to a value that its type does not know.",
        &[
            with_opt_block(
                &[req("Type[Annotation]", "type"), req("Any", "value")],
                "Callable[0, 0]",
                annotate,
            ),
            plain(
                &[
                    req("Type[Annotation]", "type"),
                    req("Any", "value"),
                    req("Variant[Enum[clear],Hash[Pcore::MemberName,Any]]", "annotation_hash"),
                ],
                replace_annotation,
            ),
            plain(
                &[
                    req("Type[Pcore]", "type"),
                    req("Any", "value"),
                    req("Hash[Type[Annotation], Hash[Pcore::MemberName,Any]]", "annotations"),
                ],
                annotate_all,
            ),
        ],
    ),
];

fn log(call: &mut Call<'_, '_>, level: LogLevel) -> EvalResult {
    let texts: Vec<_> = call.args.iter().map(to_text).collect();
    call.compiler.log(level, texts.join(" "), call.scope, call.span);
    Ok(Value::Undef)
}

fn call(call: &mut Call<'_, '_>) -> EvalResult {
    let mut args = std::mem::take(&mut call.args).into_iter();
    let name = args.next().unwrap_or_default();
    let name = name.as_str().unwrap_or_default();
    if !call.compiler.has_function(name) {
        return fail(format!("Unknown function '{name}'"));
    }
    call.compiler.call_function(name, args.collect(), call.block.clone(), call.scope, call.span)
}

fn call_deferred(call: &mut Call<'_, '_>) -> EvalResult {
    let value = call.take(0);
    call.compiler.resolve(&value, call.scope, call.span)
}

fn type_arg(call: &Call<'_, '_>, i: usize) -> Arc<Type> {
    match call.arg(i) {
        Value::Type(kind) => Arc::clone(kind),
        _ => Arc::new(Type::Any),
    }
}

fn assert_type(call: &mut Call<'_, '_>) -> EvalResult {
    let kind = type_arg(call, 0);
    check_type(call, &kind)
}

fn assert_type_text(call: &mut Call<'_, '_>) -> EvalResult {
    let text = call.str(0);
    let kind = call.compiler.type_of_text(&text, call.span)?;
    check_type(call, &kind)
}

fn check_type(call: &mut Call<'_, '_>, kind: &Type) -> EvalResult {
    let value = call.take(1);
    if answered(|| is_instance(kind, &value))? {
        return Ok(value);
    }
    let actual = infer_set(&value);
    if call.block.is_some() {
        return call.yield_block(&[Value::of_type(kind.clone()), Value::of_type(actual)]);
    }
    fail(describe_mismatch("assert_type():", kind, &actual))
}

fn new(call: &mut Call<'_, '_>) -> EvalResult {
    let kind = type_arg(call, 0);
    let args = call.args.split_off(1);
    make(call, &kind, args, false)
}

fn convert_to(call: &mut Call<'_, '_>) -> EvalResult {
    let kind = type_arg(call, 1);
    let mut args = vec![call.take(0)];
    args.extend(call.args.drain(2..));
    make(call, &kind, args, true)
}

/// Makes a value of a type, and passes it to the lambda if there is one. If the argument is of the
/// type already, the lambda is only called if `always` is set.
fn make(call: &mut Call<'_, '_>, kind: &Type, args: Vec<Value>, always: bool) -> EvalResult {
    if let Type::Object(object) = resolved(kind)
        && object.model.is_some()
        && !matches!(args.as_slice(), [one @ Value::Instance(_)] if is_instance(kind, one))
    {
        let object = Arc::clone(object);
        let block = call.block.clone();
        let made = call.compiler.instantiate(&object, &args, block.as_ref());
        return made.map_err(|unwind| made_here(unwind, &object.name, call.span));
    }
    let args = match (resolved(kind), args.as_slice()) {
        (Type::Hash(..), [Value::Instance(object)]) => {
            vec![Value::Hash(Arc::new(call.compiler.features_of(object)?))]
        }
        _ => args,
    };
    let is_init = matches!(kind, Type::Init(_));
    if args.len() == 1 && !is_init && answered(|| is_instance(kind, &args[0]))? {
        let value = args.into_iter().next().unwrap_or_default();
        let asks = always && call.block.is_some();
        return if asks { call.yield_block(&[value]) } else { Ok(value) };
    }
    let made = match new_instance(kind, &args, &mut CompileHost(call))? {
        Value::Object(object) if crate::hiera::is_loose_context(&object) => {
            call.compiler.new_context(&object)
        }
        made => made,
    };
    if call.block.is_some() { call.yield_block(&[made]) } else { Ok(made) }
}

/// Adds the instance to an error in the code of its type.
fn made_here(mut unwind: Box<Unwind>, kind: &str, span: Span) -> Box<Unwind> {
    if let Unwind::Error(error) = &mut *unwind {
        error.related.push((span, format!("for the instance of {kind} that is made here")));
    }
    unwind
}

fn unwrap(call: &mut Call<'_, '_>) -> EvalResult {
    let value = match call.take(0) {
        Value::Sensitive(inner) => (*inner).clone(),
        other => other,
    };
    if call.block.is_some() { call.yield_block(&[value]) } else { Ok(value) }
}

fn defined(call: &mut Call<'_, '_>) -> EvalResult {
    for what in std::mem::take(&mut call.args) {
        let found = match &what {
            Value::Str(text) if text.is_empty() => false,
            Value::Str(text) if text.starts_with('$') && text.len() > 1 => {
                call.compiler.variable(call.scope, &text[1..]).is_some()
            }
            Value::Type(kind) if matches!(**kind, Type::Resource { kind: None, .. }) => {
                return fail("The given resource type is a reference to all kind of types");
            }
            Value::Type(kind) if matches!(**kind, Type::Class(None)) => {
                return fail("The given class type is a reference to all classes");
            }
            // Of the types of types, only those of a resource or class are looked up.
            Value::Type(kind)
                if let Type::Type(Some(inner)) = &**kind
                    && !matches!(**inner, Type::Resource { .. } | Type::Class(_)) =>
            {
                false
            }
            Value::Type(kind) if let Some(class) = not_looked_into(kind) => {
                let text =
                    format!("Invalid argument of type 'Puppet::Pops::Types::{class}' to 'defined'");
                return fail(text);
            }
            _ => call.compiler.is_defined(&what, call.scope)?,
        };
        if found {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// Upstream's class of a type of resources that `defined` does not inspect.
fn not_looked_into(kind: &Type) -> Option<&'static str> {
    match kind {
        Type::Alias(_) => Some("PTypeAliasType"),
        Type::Variant(_) => Some("PVariantType"),
        Type::NotUndef(_) => Some("PNotUndefType"),
        Type::CatalogEntry => Some("PCatalogEntryType"),
        _ => None,
    }
}

fn include(call: &mut Call<'_, '_>, how: Inclusion) -> EvalResult {
    let names = std::mem::take(&mut call.args);
    call.compiler.include(&names, how, call.scope, call.span)
}

/// The annotation of a value, which the lambda may create.
fn annotate(call: &mut Call<'_, '_>) -> EvalResult {
    let kind = annotation_type(call.arg(0));
    let value = call.arg(1).clone();
    if let Some(known) = call.compiler.types.annotations.find(&kind, &value)? {
        return Ok(known);
    }
    if call.block.is_none() {
        return Ok(Value::Undef);
    }
    match call.yield_block(&[])? {
        Value::Undef => Ok(Value::Undef),
        given => call.compiler.types.annotations.attach(&kind, &value, &given),
    }
}

fn replace_annotation(call: &mut Call<'_, '_>) -> EvalResult {
    let kind = annotation_type(call.arg(0));
    let (value, given) = (call.arg(1).clone(), call.arg(2).clone());
    call.compiler.types.annotations.replace(&kind, &value, &given)
}

/// Adds missing annotations to a value.
fn annotate_all(call: &mut Call<'_, '_>) -> EvalResult {
    let (value, all) = (call.arg(1).clone(), call.hash(2));
    let annotations = &mut call.compiler.types.annotations;
    for (kind, given) in all.iter() {
        let kind = annotation_type(kind);
        if annotations.find(&kind, &value)?.is_none() {
            annotations.attach(&kind, &value, given)?;
        }
    }
    Ok(value)
}

/// An instance of `Error`.
pub fn error_value(message: &str, kind: &str, details: Value, code: &str) -> Value {
    let values = [
        ("msg", Value::str(message)),
        ("kind", Value::str(kind)),
        ("details", details),
        ("issue_code", Value::str(code)),
    ];
    let values = values.into_iter().map(|(name, value)| (name.into(), value)).collect();
    Value::Object(Arc::new(Object { kind: crate::types::object::error(), values }))
}

/// The compile, as the constructors of types see it.
struct CompileHost<'c, 'a, 'e>(&'c mut Call<'a, 'e>);

impl Host for CompileHost<'_, '_, '_> {
    fn now(&mut self) -> i128 {
        crate::functions::files::now_nanos(self.0)
    }

    fn zone(&mut self) -> String {
        crate::functions::files::local_zone(self.0)
    }

    fn type_of_text(&mut self, text: &str) -> EvalResult<Type> {
        self.0.compiler.type_of_text(text, self.0.span)
    }
}
