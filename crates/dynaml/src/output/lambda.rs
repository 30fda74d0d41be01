//! Lambdas as text.

use ecow::{EcoString, eco_format};

use crate::syntax::ast::Exprs;
use crate::syntax::print::{print, print_lambda, quote};
use crate::value::{Callable, Lambda, Value};

/// The printed text of a lambda, without bound parameters.
pub fn lambda_text(exprs: &Exprs, lambda: &Lambda) -> EcoString {
    let expr = match &lambda.callable {
        Callable::Builtin(name) => {
            let mut args: Vec<String> = lambda.first.iter().map(|v| value_text(exprs, v)).collect();
            args.push("__args...".into());
            return eco_format!("lambda|__args...|->{name}({})", args.join(", "));
        }
        Callable::Body(expr) => expr,
    };
    let plain = lambda.bound.is_empty() && lambda.defaults.iter().all(Option::is_none);
    if plain {
        return print_lambda(exprs, expr).into();
    }
    let mut params = Vec::new();
    for (at, param) in expr.params.iter().enumerate() {
        if lambda.bound.iter().any(|b| b.0 == param.name) {
            continue;
        }
        let rest = expr.varargs && at + 1 == expr.params.len();
        let default = match lambda.defaults.get(at) {
            Some(Some(value)) => format!("={}", value_text(exprs, value)),
            _ => String::new(),
        };
        params.push(format!("{}{default}{}", param.name, if rest { "..." } else { "" }));
    }
    let body = print(exprs, expr.body);
    eco_format!("lambda|{}|->{body}", params.join(","))
}

/// A value as an expression that gives it.
fn value_text(exprs: &Exprs, value: &Value) -> String {
    let all = |values: Vec<String>| values.join(", ");
    match value {
        Value::Null => "nil".into(),
        Value::Str(text) => quote(text),
        Value::Float(x) => ordain_functions::float::to_go(*x),
        Value::List(list) => {
            let items = list.items.iter().map(|i| value_text(exprs, &i.value));
            format!("[{}]", all(items.collect()))
        }
        Value::Map(map) => {
            let entries = map.entries().iter().map(|(key, item)| {
                let key = quote(key);
                format!("{key} = {}", value_text(exprs, &item.value))
            });
            format!("{{ {} }}", all(entries.collect()))
        }
        Value::Lambda(lambda) => format!("({})", lambda_text(exprs, lambda)),
        Value::Template(_) => "nil".into(),
        other => other.simple_text().unwrap_or_default().into(),
    }
}
