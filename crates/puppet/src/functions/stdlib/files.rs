//! Functions that look at modules and files.

use std::path::Path;

use ordain_source::EntryKind;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::files::now_nanos;
use crate::functions::stdlib::convert::as_list;
use crate::functions::stdlib::{deprecation, text_of};
use crate::functions::support::{function, old, old_args, wrap};
use crate::functions::{Dispatch, Function, opt, plain, rep, req};
use crate::state::evaluate::Evaluate;
use crate::value::Value;
use crate::value::rich::from_data;

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("get_module_path", "Gives the directory of a module.", -1, get_module_path),
    old("load_module_metadata", "Reads the metadata.json of a module.", -1, load_module_metadata),
    old("glob", "Gives the paths that a pattern matches.", -1, glob),
    function(
        "stdlib::time",
        "Gives the time in seconds since 1970.",
        &[Dispatch {
            params: &[opt("Optional[String]", "_timezone")],
            block: None,
            returns: Some("Integer"),
            explains: false,
            body: time,
        }],
    ),
    function(
        "time",
        "Gives the time in seconds since 1970.",
        &[plain(&[rep("Any", "args")], time)],
    ),
    function(
        "stdlib::deferrable_epp",
        "Evaluates an EPP template, later if a value is deferred.",
        &[plain(&[req("String", "template"), req("Hash", "variables")], deferrable_epp)],
    ),
];

fn get_module_path(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail("get_module_path(): Wrong number of arguments, expects one");
    }
    module_path(call, &text_of(&args[0])).map(Value::from)
}

fn module_path(call: &mut Call<'_, '_>, name: &str) -> EvalResult<String> {
    match call.compiler.env.module_directory(name) {
        Some(path) => Ok(path.to_string_lossy().into_owned()),
        None => {
            fail(format!("Could not find module {name} in environment {}", call.compiler.env.name))
        }
    }
}

fn load_module_metadata(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.is_empty() || args.len() > 2 {
        return fail("load_module_metadata(): Wrong number of arguments, expects one or two");
    }
    let name = text_of(&args[0]);
    let path = Path::new(&module_path(call, &name)?).join("metadata.json");
    match call.compiler.env.world.read(&path) {
        Ok(bytes) => Ok(from_data(&ordain_data::json::read_bytes(&bytes).map_err(wrap)?)),
        Err(_) if args.get(1).is_some_and(Value::is_true) => Ok(Value::hash::<&str>([])),
        Err(_) => fail(format!("load_module_metadata(): No metadata.json file for module {name}")),
    }
}

/// The maximal number of paths of a pattern.
const GLOB_LIMIT: usize = 100_000;

fn glob(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() != 1 {
        return fail(format!("glob(): Wrong number of arguments given ({} for 1)", args.len()));
    }
    if !matches!(args[0], Value::Str(_) | Value::Array(_)) {
        return fail("glob(): Requires either array or string to work");
    }
    let mut out = Vec::new();
    for pattern in as_list(&args[0]).iter() {
        for pattern in braces(&text_of(pattern)) {
            let absolute = pattern.starts_with('/');
            let parts: Vec<&str> = pattern.split('/').filter(|p| !p.is_empty()).collect();
            let start = if absolute { "/" } else { "" };
            walk(call, start, &parts, &mut out)?;
        }
    }
    Ok(Value::array(out.into_iter().map(Value::from)))
}

/// The patterns that a pattern with `{a,b}` expands to.
fn braces(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
    let Some(close) = pattern[open..].find('}').map(|at| at + open) else {
        return vec![pattern.to_owned()];
    };
    let (before, after) = (&pattern[..open], &pattern[close + 1..]);
    let choices = pattern[open + 1..close].split(',');
    choices.flat_map(|choice| braces(&format!("{before}{choice}{after}"))).take(1000).collect()
}

fn walk(call: &Call<'_, '_>, dir: &str, parts: &[&str], out: &mut Vec<String>) -> EvalResult<()> {
    if out.len() > GLOB_LIMIT {
        return fail(format!("glob(): the pattern matches more than {GLOB_LIMIT} paths"));
    }
    let world = &call.compiler.env.world;
    let Some((first, rest)) = parts.split_first() else { return Ok(()) };
    let join = |name: &str| {
        if dir.is_empty() || dir.ends_with('/') {
            format!("{dir}{name}")
        } else {
            format!("{dir}/{name}")
        }
    };
    if !first.contains(['*', '?', '[']) {
        let path = join(first);
        if rest.is_empty() {
            if world.kind(Path::new(&path)).is_some() {
                out.push(path);
            }
            return Ok(());
        }
        return walk(call, &path, rest, out);
    }
    let any_depth = *first == "**";
    if any_depth {
        walk(call, dir, rest, out)?;
    }
    let here = if dir.is_empty() { "." } else { dir };
    let Ok(entries) = world.list(Path::new(here)) else { return Ok(()) };
    for (name, kind) in entries {
        if name.starts_with('.') && !first.starts_with('.') {
            continue;
        }
        let path = join(&name);
        if any_depth {
            if kind == EntryKind::Directory {
                walk(call, &path, parts, out)?;
            }
        } else if name_matches(first, &name)? {
            if rest.is_empty() {
                out.push(path);
            } else if kind == EntryKind::Directory {
                walk(call, &path, rest, out)?;
            }
        }
    }
    Ok(())
}

/// Whether a name fits a pattern of `*`, `?` and `[…]`.
fn name_matches(pattern: &str, name: &str) -> EvalResult<bool> {
    let mut source = String::from(r"\A");
    let mut in_set = false;
    for c in pattern.chars() {
        match c {
            '[' | ']' => {
                in_set = c == '[';
                source.push(c);
            }
            c if in_set => source.push(c),
            '*' => source.push_str(".*"),
            '?' => source.push('.'),
            c => source.push_str(&ordain_functions::regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    source.push_str(r"\z");
    crate::functions::support::regex(&source)?.is_match(name).map_err(wrap)
}

fn time(call: &mut Call<'_, '_>) -> EvalResult {
    let message = "The stdlib `time` function is deprecated. Please direcly use native Puppet \
                   functionality instead. eg. `Integer(Timestamp().strftime('%s'))`";
    deprecation(call, "time", message, false)?;
    Ok(Value::Int((now_nanos(call) / 1_000_000_000) as i64))
}

fn deferrable_epp(call: &mut Call<'_, '_>) -> EvalResult {
    let mut values = Vec::new();
    super::hashes::nested_values(&call.hash(1), &mut values);
    let is_deferred = |v: &Value| matches!(v, Value::Object(o) if o.kind.name == "Deferred");
    let (name, variables) = (call.str(0), call.take(1));
    if !values.iter().any(is_deferred) {
        return call.compiler.epp(&name, Some(&variables), call.scope, call.span);
    }
    let Some(path) = call.compiler.env.find_template(&name) else {
        return fail(format!("Could not find template '{name}'"));
    };
    let text = call.compiler.env.content(&path).map_err(wrap)?;
    let text = Value::from(String::from_utf8_lossy(&text).into_owned());
    let attributes = [
        ("name".into(), Value::str("inline_epp")),
        ("arguments".into(), Value::array([text, variables])),
    ];
    Ok(Value::Object(std::sync::Arc::new(crate::value::Object {
        kind: crate::types::object::deferred(),
        values: attributes.into_iter().collect(),
    })))
}
