//! Functions on expressions instead of values.

use ecow::EcoString;

use super::support::{eager, fail, lazy};
use crate::diagnostics::stop::{Eval, OperandOutcome, Stop};
use crate::eval::evaluator::{Call, Env, Evaluator, Info, Table};
use crate::eval::mapping::Sync;
use crate::eval::reference::Resolved;
use crate::eval::tag_table::check_name;
use crate::path::find_path;
use crate::syntax::ast::{Arg, Expr, ExprId, PathStep};
use crate::value::Value;

/// The value of an expression without waiting for nested values; `None` if it is undefined. Its
/// markers for the node are ignored.
fn look(ev: &mut Evaluator<'_>, expr: ExprId, env: &Env) -> Eval<Option<Resolved>> {
    let mut info = Info::default();
    let spot = ev.spot(expr, env, &mut info)?;
    Ok((!info.undefined).then_some(spot))
}

fn defined(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, _: &mut Info) -> Eval<Value> {
    let mut waiting = OperandOutcome::default();
    for arg in args {
        match waiting.take(look(ev, arg.value, env)) {
            Err(stop @ Stop::Suspend(..)) => return Err(stop),
            Err(_) | Ok(Some(None)) => return Ok(Value::Bool(false)),
            Ok(_) => {}
        }
    }
    waiting.end()?;
    Ok(Value::Bool(true))
}

fn valid(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, _: &mut Info) -> Eval<Value> {
    let mut waiting = OperandOutcome::default();
    let mut valid = true;
    for arg in args {
        match waiting.take(look(ev, arg.value, env)) {
            Err(stop @ Stop::Suspend(..)) => return Err(stop),
            Err(_) => return Ok(Value::Bool(false)),
            Ok(Some(Some(Resolved::Value(item)))) => valid &= !matches!(item.value, Value::Null),
            Ok(Some(None)) => valid = false,
            Ok(_) => {}
        }
    }
    waiting.end()?;
    Ok(Value::Bool(valid))
}

fn require(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, _: &mut Info) -> Eval<Value> {
    let [arg] = args else {
        return fail(ev.words(
            "one argument expected for 'use_non_empty'",
            "one argument expected for 'require'",
        ));
    };
    let missing = |ev: &Evaluator<'_>| {
        let plus = format!("required expression {:?} undefined", ev.shown(arg.value));
        Stop::failed(ev.words("", &plus))
    };
    match look(ev, arg.value, env) {
        Ok(Some(Resolved::Value(item))) if matches!(item.value, Value::Null) => Err(missing(ev)),
        Ok(Some(spot)) => {
            let shown = ev.shown(arg.value);
            Ok(ev.resolved_value(spot, || shown.clone())?.value)
        }
        Ok(None) | Err(Stop::Failed(_)) => Err(missing(ev)),
        Err(stop) => Err(stop),
    }
}

fn optional(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, info: &mut Info) -> Eval<Value> {
    let [condition, value] = args else {
        return fail("condition and template required for optional()");
    };
    let wanted = match ev.eval_defined(condition.value, env, info) {
        Ok(found) => found.is_some_and(|v| v.truth()),
        Err(Stop::Failed(_)) => false,
        Err(stop) => return Err(stop),
    };
    if wanted {
        return ev.eval(value.value, env, info);
    }
    info.undefined = true;
    Ok(Value::Null)
}

fn type_of(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, info: &mut Info) -> Eval<Value> {
    let [arg] = args else { return fail("exactly one argument required for function 'type'") };
    let found = ev.eval_defined(arg.value, env, info)?;
    Ok(Value::str(found.map_or("undef", |v| v.kind())))
}

fn catch(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, _: &mut Info) -> Eval<Value> {
    let [arg] = args else { return fail("catch requires a single argument") };
    let (value, error) = ev.caught(arg.value, env, &mut Info::default())?;
    let mut entries = vec![
        ("valid", Value::Bool(error.is_none())),
        ("error", Value::Str(error.unwrap_or_default())),
    ];
    entries.extend(value.map(|v| ("value", v)));
    Ok(Value::map(entries))
}

/// The steps of a path like `a.b.[1]`.
fn steps(path: &str) -> Vec<PathStep> {
    path.split('.').filter(|s| !s.is_empty()).map(step).collect()
}

fn step(text: &str) -> PathStep {
    let index = text.strip_prefix('[').and_then(|s| s.strip_suffix(']'));
    match index.and_then(|n| n.parse().ok()) {
        Some(n) => PathStep::Index(n),
        None => PathStep::Key(text.into()),
    }
}

fn stub(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, info: &mut Info) -> Eval<Value> {
    let own = |ev: &Evaluator<'_>| ev.context_path(env.place).iter().map(|s| step(s)).collect();
    let path: Vec<PathStep> = match args {
        [] => own(ev),
        [arg] => match ev.sources.exprs[arg.value].clone() {
            Expr::Ref(reference) if reference.tag.is_none() => reference.path.to_vec(),
            _ => match ev.eval_defined(arg.value, env, info)? {
                None => own(ev),
                Some(Value::Str(text)) => steps(&text),
                Some(Value::List(list)) => {
                    let mut out = Vec::with_capacity(list.items.len());
                    for item in &list.items {
                        match &item.value {
                            Value::Str(text) => out.push(step(text)),
                            _ => return fail("stub() requires a string entries in list"),
                        }
                    }
                    out
                }
                Some(_) => return fail("stub() requires a string or reference argument"),
            },
        },
        _ => return fail("a maximum of one argument expected for 'stub'"),
    };
    let document = ev.document(env.place);
    match document.stubs.iter().find_map(|s| find_path(s, &path)) {
        Some(item) => Ok(item.value.clone()),
        None => {
            let path = crate::syntax::print::print_path(&path);
            Err(Stop::not_in_stubs(path))
        }
    }
}

/// `sync(e, condition[, value[, timeout]])`: `value` stands for the result in the condition.
fn sync(ev: &mut Evaluator<'_>, args: &[Arg], env: &Env, info: &mut Info) -> Eval<Value> {
    let (expr, condition, value, timeout) = match args {
        [e, c] => (e, c, None, None),
        [e, c, v] => (e, c, Some(v.value), None),
        [e, c, v, t] => (e, c, Some(v.value), Some(t.value)),
        _ => return fail("2 or 3 arguments required for sync"),
    };
    let (expr, condition) = (expr.value, condition.value);
    ev.wait_for(&Sync { expr, condition, value, timeout, inline: false }, env, info)
}

fn eval(call: &mut Call<'_, '_>) -> Eval<Value> {
    let text: EcoString = match call.args {
        [Value::Str(text)] => text.clone(),
        [_] => return fail("string argument required for 'eval'"),
        _ => return fail("one argument required for 'eval'"),
    };
    match call.ev.sources.parse(&text) {
        Ok(expr) => call.ev.eval(expr, call.env, call.info),
        Err(e) => {
            let spiff = format!("cannot parse expression '{text}'");
            let plus = format!("({text})\t {}", e.message);
            fail(call.ev.words(&spiff, &plus))
        }
    }
}

fn features(call: &mut Call<'_, '_>) -> Eval<Value> {
    let on = call.ev.sources.features;
    let known = [("control", on.control), ("interpolation", on.interpolation)];
    match call.args {
        [] => Ok(Value::list(known.iter().filter(|f| f.1).map(|f| Value::str(f.0)))),
        [Value::Str(name)] => Ok(Value::Bool(known.iter().any(|f| f.0 == name && f.1))),
        [_] => fail("features: argument must be a string"),
        _ => fail("features acctepts a maximum of one arguments"),
    }
}

fn tagdef(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (name, value, scope) = match call.args {
        [name, value] => (name, value, None),
        [name, value, scope] => (name, value, Some(scope)),
        _ => return fail("two or three arguments expected for tagdef"),
    };
    let Value::Str(name) = name else {
        return fail("name argument for tagdef must be a string");
    };
    let (name, starred) = match name.strip_prefix('*') {
        Some(rest) if scope.is_none() => (rest, true),
        _ => (name.as_str(), false),
    };
    if let Err(reason) = check_name(name) {
        return fail(format!("invalid tag name \"{name}\" for tagdef: {reason}"));
    }
    let global = match scope {
        None => starred,
        Some(Value::Str(s)) if s == "local" => false,
        Some(Value::Str(s)) if s == "global" => true,
        Some(Value::Str(s)) => {
            return fail(format!(
                "invalid scope argument \"{s}\" for tagdef (must be local or global)"
            ));
        }
        Some(_) => {
            return fail("type argument for tagdef must be a string (local or global)");
        }
    };
    call.ev.define_tag(name, value.clone(), Some(call.env.place), global)?;
    Ok(value.clone())
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        lazy("defined(expression...)", "Whether all expressions have a value.", defined),
        lazy("valid(expression...)", "Whether all expressions have a value other than nil.", valid),
        lazy("require(expression)", "A value; fails if it is nil or undefined.", require),
        lazy(
            "optional(condition, expression)",
            "A value, evaluated only if a condition holds; else undefined.",
            optional,
        ),
        lazy(
            "type(expression)",
            "The name of the type of a value, `undef` if there is none.",
            type_of,
        ),
        lazy(
            "catch(expression)",
            "A map with the `valid`, `value` and `error` of an expression.",
            catch,
        ),
        lazy("stub(path?)", "The value that the stubs have at a path.", stub),
        lazy(
            "sync(expression, condition, value?, timeout?)",
            "Evaluates an expression again until a condition holds.",
            sync,
        ),
        eager("eval(text)", "The value of a text that is an expression.", eval),
        eager(
            "features(name?)",
            "The extensions that are on, or whether one of them is.",
            features,
        ),
        eager("tagdef(name, value, scope?)", "Gives a value a tag.", tagdef),
    ]);
}
