//! Methods of all values, `nil`, booleans, blocks and exceptions.

use std::rc::Rc;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::syntax::Binary;
use crate::value::{Array, Hash, Proc, ProcBody, Text, Value};

/// Methods of all values.
pub(super) const TABLE: &[Method] = &[
    m("nil?", 0, 0, |_, v, _| Ok(Value::Bool(v.is_nil()))),
    m("to_s", 0, 0, |i, v, _| {
        let text = i.display(v)?;
        i.text(text)
    }),
    m("inspect", 0, 0, |i, v, _| {
        let text = i.inspect(v)?;
        Ok(Value::str(text))
    }),
    m("class", 0, 0, class),
    m("is_a?", 1, 1, is_a),
    m("kind_of?", 1, 1, is_a),
    m("instance_of?", 1, 1, |i, v, a| match a.get(0) {
        Value::Class(class) => Ok(Value::Bool(v.class() == class)),
        Value::Foreign(class) => i.unsupported(format!("the class {}", class.text)),
        _ => i.raise(Class::TYPE_ERROR, "class or module required"),
    }),
    m("==", 1, 1, |i, v, a| Ok(Value::Bool(i.equal(v, &a.list[0])?))),
    m("!=", 1, 1, |i, v, a| Ok(Value::Bool(!i.equal(v, &a.list[0])?))),
    m("===", 1, 1, |i, v, a| Ok(Value::Bool(i.case_equal(v, &a.list[0])?))),
    m("=~", 1, 1, |_, _, _| Ok(Value::Nil)),
    m("!~", 1, 1, |i, v, a| {
        let found = i.send(v, "=~", std::mem::take(&mut a.list))?;
        Ok(Value::Bool(!found.truthy()))
    }),
    m("!", 0, 0, |_, v, _| Ok(Value::Bool(!v.truthy()))),
    m("eql?", 1, 1, |_, v, a| {
        Ok(Value::Bool(crate::value::eql(v, &a.list[0], &mut (100_000, 200))))
    }),
    m("equal?", 1, 1, |_, v, a| Ok(Value::Bool(is_same(v, &a.list[0])))),
    m("<=>", 1, 1, |i, v, a| {
        Ok(i.try_compare(v, &a.list[0])?.map_or(Value::Nil, |o| Value::Int(o as i64)))
    }),
    m("respond_to?", 1, 2, |i, v, a| {
        let Some(name) = a.list[0].as_name() else { return i.no_conversion(&a.list[0], "String") };
        Ok(Value::Bool(i.responds(v, &name, a.get(1).truthy())?))
    }),
    m("send", 1, -1, send),
    m("public_send", 1, -1, send),
    m("__send__", 1, -1, send),
    m("method", 1, 1, |i, v, a| {
        let Some(name) = a.list[0].as_name() else { return i.no_conversion(&a.list[0], "String") };
        let body = ProcBody::Method(v.clone(), name);
        Ok(Value::Proc(Rc::new(Proc { body, is_lambda: true })))
    }),
    m("tap", 0, 0, |i, v, a| {
        if let Some(block) = a.block.take() {
            i.yield_one(&block, v.clone())?;
        }
        Ok(v.clone())
    }),
    m("then", 0, 0, then),
    m("yield_self", 0, 0, then),
    m("itself", 0, 0, |_, v, _| Ok(v.clone())),
    m("freeze", 0, 0, freeze),
    m("frozen?", 0, 0, |_, v, _| Ok(Value::Bool(is_frozen(v)))),
    m("dup", 0, 0, |i, v, _| copy(i, v, false)),
    m("clone", 0, 1, |i, v, _| copy(i, v, true)),
    m("instance_variable_get", 1, 1, |i, v, a| match (v, a.list[0].as_name()) {
        (Value::Main, Some(name)) if name.starts_with('@') => {
            Ok(i.instance_named(&name[1..]).unwrap_or_default())
        }
        _ => i.unsupported("`instance_variable_get' of this"),
    }),
    m("instance_variable_set", 2, 2, |i, v, a| match (v, a.list[0].as_name()) {
        (Value::Main, Some(name)) if name.starts_with('@') => {
            i.set_instance_named(&name[1..], a.get(1));
            Ok(a.get(1))
        }
        _ => i.unsupported("`instance_variable_set' of this"),
    }),
    m("instance_variable_defined?", 1, 1, |i, v, a| match (v, a.list[0].as_name()) {
        (Value::Main, Some(name)) if name.starts_with('@') => {
            Ok(Value::Bool(i.is_instance_set(&name[1..])))
        }
        _ => i.unsupported("`instance_variable_defined?' of this"),
    }),
];

/// Methods of comparable values.
pub(super) const COMPARABLE: &[Method] = &[
    m("<", 1, 1, |i, v, a| i.operate(Binary::Lt, v, &a.list[0])),
    m("<=", 1, 1, |i, v, a| i.operate(Binary::Le, v, &a.list[0])),
    m(">", 1, 1, |i, v, a| i.operate(Binary::Gt, v, &a.list[0])),
    m(">=", 1, 1, |i, v, a| i.operate(Binary::Ge, v, &a.list[0])),
    m("between?", 2, 2, |i, v, a| {
        let low = i.compare_or_raise(v, &a.list[0])?;
        Ok(Value::Bool(low.is_ge() && i.compare_or_raise(v, &a.list[1])?.is_le()))
    }),
    m("clamp", 1, 2, |i, v, a| {
        let (low, high) = match &a.list[0] {
            Value::Range(range) => (range.low.clone(), range.high.clone()),
            low => (low.clone(), a.get(1)),
        };
        if !low.is_nil() && i.compare_or_raise(v, &low)?.is_lt() {
            return Ok(low);
        }
        if !high.is_nil() && i.compare_or_raise(v, &high)?.is_gt() {
            return Ok(high);
        }
        Ok(v.clone())
    }),
];

/// Methods of `nil`.
pub(super) const NIL: &[Method] = &[
    m("to_a", 0, 0, |_, _, _| Ok(Value::array(vec![]))),
    m("to_h", 0, 0, |_, _, _| Ok(Value::hash([]))),
    m("to_i", 0, 0, |_, _, _| Ok(Value::Int(0))),
    m("to_f", 0, 0, |_, _, _| Ok(Value::Float(0.0))),
    m("&", 1, 1, |_, _, _| Ok(Value::Bool(false))),
    m("|", 1, 1, |_, _, a| Ok(Value::Bool(a.list[0].truthy()))),
];

/// Methods of booleans.
pub(super) const BOOLEAN: &[Method] = &[
    m("&", 1, 1, |_, v, a| Ok(Value::Bool(v.truthy() && a.list[0].truthy()))),
    m("|", 1, 1, |_, v, a| Ok(Value::Bool(v.truthy() || a.list[0].truthy()))),
    m("^", 1, 1, |_, v, a| Ok(Value::Bool(v.truthy() != a.list[0].truthy()))),
];

/// Methods of blocks and lambdas.
pub(super) const PROC: &[Method] = &[
    m("call", 0, -1, call),
    m("()", 0, -1, call),
    m("yield", 0, -1, call),
    m("[]", 0, -1, call),
    m("===", 0, -1, call),
    m("to_proc", 0, 0, |_, v, _| Ok(v.clone())),
    m("lambda?", 0, 0, |_, v, _| Ok(Value::Bool(matches!(v, Value::Proc(proc) if proc.is_lambda)))),
    m("arity", 0, 0, |i, v, _| match v {
        Value::Proc(proc) => match &proc.body {
            ProcBody::Block { block, .. } if block.is_simple => {
                Ok(Value::Int(block.params.required.len() as i64))
            }
            _ => i.unsupported("the arity of this block"),
        },
        _ => Ok(Value::Nil),
    }),
];

/// Methods of exceptions.
pub(super) const EXCEPTION: &[Method] = &[
    m("message", 0, 0, |i, v, _| {
        let text = i.display(v)?;
        i.text(text)
    }),
    m("full_message", 0, 1, |i, _, _| i.unsupported("the full message of an exception")),
    m("backtrace", 0, 0, |i, _, _| i.unsupported("the backtrace of an exception")),
];

fn class(i: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    match v {
        Value::Foreign(foreign) => {
            let class = foreign.class.clone();
            i.text(class)
        }
        Value::Exception(e) if e.class_name.is_some() => {
            let name = e.class_name.clone().unwrap_or_default();
            i.text(name)
        }
        other => Ok(Value::Class(other.class())),
    }
}

fn is_a(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    match a.get(0) {
        Value::Class(class) => Ok(Value::Bool(i.is_a(v, class))),
        Value::Foreign(class) => i.unsupported(format!("the class {}", class.text)),
        _ => i.raise(Class::TYPE_ERROR, "class or module required"),
    }
}

fn then(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    match a.block.take() {
        Some(block) => i.yield_one(&block, v.clone()),
        None => i.unsupported("`then' without a block"),
    }
}

fn send(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(name) = a.list[0].as_name() else {
        let text = format!("{} is not a symbol nor a string", i.short_inspect(&a.list[0]));
        return i.raise(Class::TYPE_ERROR, text);
    };
    let mut args = std::mem::take(a);
    args.list.remove(0);
    match v {
        Value::Main => i.call_function(&name, args, false),
        v => i.dispatch(v, &name, args),
    }
}

fn call(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    match v {
        Value::Proc(proc) => i.call_proc(proc, std::mem::take(a)),
        _ => Ok(Value::Nil),
    }
}

/// Whether two values are the same object.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Rc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Rc::ptr_eq(a, b),
        (Value::Hash(a), Value::Hash(b)) => Rc::ptr_eq(a, b),
        (a, b) => crate::value::eql(a, b, &mut (1000, 100)),
    }
}

fn freeze(_: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    match v {
        Value::Str(text) => text.is_frozen.set(true),
        Value::Array(array) => array.is_frozen.set(true),
        Value::Hash(hash) => hash.is_frozen.set(true),
        _ => {}
    }
    Ok(v.clone())
}

fn is_frozen(v: &Value) -> bool {
    match v {
        Value::Str(text) => text.is_frozen.get(),
        Value::Array(array) => array.is_frozen.get(),
        Value::Hash(hash) => hash.is_frozen.get(),
        Value::Proc(_) | Value::Main | Value::Exception(_) | Value::Match(_) => false,
        _ => true,
    }
}

fn copy(i: &mut Interp<'_>, v: &Value, keeps_frozen: bool) -> Eval {
    match v {
        Value::Str(text) => {
            let copy = Text { text: std::cell::RefCell::new(text.get()), ..Text::default() };
            copy.is_frozen.set(keeps_frozen && text.is_frozen.get());
            i.charge(copy.text.borrow().len())?;
            Ok(Value::Str(Rc::new(copy)))
        }
        Value::Array(array) => {
            i.charge_items(array.len())?;
            let copy = Array::default();
            *copy.items.borrow_mut() = array.get();
            copy.is_frozen.set(keeps_frozen && array.is_frozen.get());
            Ok(Value::Array(Rc::new(copy)))
        }
        Value::Hash(hash) => {
            i.charge_items(hash.len() * 2)?;
            let copy = Hash::default();
            *copy.entries.borrow_mut() = hash.entries.borrow().clone();
            *copy.default.borrow_mut() = hash.default.borrow().clone();
            copy.default_is_block.set(hash.default_is_block.get());
            copy.is_frozen.set(keeps_frozen && hash.is_frozen.get());
            Ok(Value::Hash(Rc::new(copy)))
        }
        other => Ok(other.clone()),
    }
}
