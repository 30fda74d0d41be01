//! Commands: `exec` and `pipe`.

use std::io::ErrorKind;
use std::path::PathBuf;

use ecow::EcoString;
use ordain_source::ProcessRequest;

use super::support::{eager, fail};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::value::Value;

/// The error for files and commands that are not allowed.
pub(super) fn denied<T>(name: &str) -> Eval<T> {
    fail(format!("{name}: no OS operations supported in this execution environment"))
}

/// A value in the form for commands and files, and whether it was text. Lists and maps become YAML.
pub(super) fn argument(call: &Call<'_, '_>, value: &Value, yaml: bool) -> Option<(String, bool)> {
    match value {
        Value::Str(s) => Some((s.to_string(), true)),
        Value::Int(_) | Value::Bool(_) => value.simple_text().map(|t| (t.into(), false)),
        Value::Float(x) => Some((float(*x), false)),
        Value::Null => None,
        _ if yaml => Some((format!("---\n{}", call.ev.text_of_value(value)), false)),
        _ => None,
    }
}

/// A float with all the digits that Go prints here.
fn float(x: f64) -> String {
    const DIGITS: usize = 64;
    let text = format!("{x:.DIGITS$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// A path, with `~/` for the home directory.
pub(super) fn home_path(call: &Call<'_, '_>, path: &str) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => match call.ev.world.env("HOME") {
            Some(home) if !home.is_empty() => PathBuf::from(home).join(rest),
            _ => path.into(),
        },
        None => path.into(),
    }
}

/// The words of a command, whose name must be no list or map.
fn words(call: &Call<'_, '_>, values: &[Value]) -> Eval<Vec<String>> {
    let listed;
    let values = match values {
        [Value::List(list)] if !list.items.is_empty() => {
            listed = list.items.iter().map(|i| i.value.clone()).collect::<Vec<_>>();
            &listed
        }
        [Value::List(_), ..] => return fail("list not allowed for command argument"),
        values => values,
    };
    let mut out = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        match argument(call, value, at > 0) {
            Some((text, _)) => out.push(text),
            None => {
                return fail(call.ev.words(
                    "command argument must be string",
                    "invalid command argument: yaml or empty data not supported",
                ));
            }
        }
    }
    Ok(out)
}

/// The output of a command as a value: YAML, an integer, or text.
fn output(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(documents) = crate::document::read(&text) {
        match documents.into_iter().next() {
            Some(map @ Value::Map(_)) => return map,
            Some(value) if text.starts_with("---\n") => return value,
            _ => {}
        }
    }
    let text = text.trim_end_matches('\n');
    text.parse().map_or_else(|_| Value::str(text), Value::Int)
}

fn run(call: &mut Call<'_, '_>, mut argv: Vec<String>, stdin: &str, keep: bool) -> Eval<Value> {
    let mut key = Vec::new();
    for part in argv.iter().map(String::as_str).chain([stdin]) {
        key.extend((part.len() as u64).to_le_bytes());
        key.extend(part.as_bytes());
    }
    let shown = argv.first().cloned().unwrap_or_default();
    if keep {
        if let Some(known) = call.ev.cache.commands.get(&key) {
            return known.clone().or_else(fail);
        }
    } else {
        call.ev.cache.uncached += 1;
    }
    if let Some(program) = argv.first_mut() {
        *program = home_path(call, program).to_string_lossy().into_owned();
    }
    let request = ProcessRequest {
        argv,
        cwd: None,
        env: Vec::new(),
        stdin: stdin.as_bytes().to_vec(),
        timeout: None,
    };
    let failed = || EcoString::from(format!("execution '{shown}' failed"));
    let result = match call.ev.world.run(&request) {
        Ok(done) if done.status == Some(0) => Ok(output(&done.stdout)),
        Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::FileTooLarge) => {
            Err(EcoString::from(format!("{}: {error}", failed())))
        }
        _ => Err(failed()),
    };
    if keep {
        call.ev.cache.commands.insert(key, result.clone());
    }
    result.or_else(fail)
}

fn exec_kept(call: &mut Call<'_, '_>, keep: bool) -> Eval<Value> {
    if call.args.is_empty() {
        return fail("exec: argument required");
    }
    if call.ev.options.hermetic {
        return denied("exec");
    }
    let argv = words(call, call.args)?;
    run(call, argv, "", keep)
}

fn pipe_kept(call: &mut Call<'_, '_>, keep: bool) -> Eval<Value> {
    let args = call.args;
    let [input, command @ ..] = args else { return fail("pipe requires at least two arguments") };
    if command.is_empty() {
        return fail("pipe requires at least two arguments");
    }
    if call.ev.options.hermetic {
        return denied("pipe");
    }
    let Some((input, _)) = argument(call, input, true) else {
        return fail("command argument must be string");
    };
    let argv = words(call, command)?;
    run(call, argv, &input, keep)
}

fn exec(call: &mut Call<'_, '_>) -> Eval<Value> {
    exec_kept(call, true)
}

fn exec_uncached(call: &mut Call<'_, '_>) -> Eval<Value> {
    exec_kept(call, false)
}

fn pipe(call: &mut Call<'_, '_>) -> Eval<Value> {
    pipe_kept(call, true)
}

fn pipe_uncached(call: &mut Call<'_, '_>) -> Eval<Value> {
    pipe_kept(call, false)
}

fn env(call: &mut Call<'_, '_>) -> Eval<Value> {
    let mut names: Vec<EcoString> = Vec::new();
    for (at, value) in call.args.iter().enumerate() {
        match value {
            Value::Null => {}
            Value::List(list) => {
                for item in &list.items {
                    match item.value.simple_text() {
                        Some(name) => names.push(name),
                        None => {
                            return fail(format!(
                                "elements of list(arg {at}) to join must be simple values"
                            ));
                        }
                    }
                }
            }
            other => match other.simple_text() {
                Some(name) => names.push(name),
                None => return fail(format!("env argument {at} must be simple value or list")),
            },
        }
    }
    if call.args.is_empty() {
        return fail("env requires at least one argument");
    }
    let world = call.ev.world;
    if let [name] = &names[..] {
        return match world.env(name) {
            Some(text) => Ok(Value::str(text)),
            None => fail(format!("environment variable '{name}' not set")),
        };
    }
    let known = names.iter().filter_map(|n| Some((n.clone(), Value::str(world.env(n)?))));
    Ok(Value::map(known))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager(
            "exec(command, argument...)",
            "The output of a command, read as YAML; equal commands run once.",
            exec,
        ),
        eager(
            "exec_uncached(command, argument...)",
            "As `exec`; the command runs for each call.",
            exec_uncached,
        ),
        eager(
            "pipe(data, command, argument...)",
            "The output of a command that reads data from its standard input.",
            pipe,
        ),
        eager(
            "pipe_uncached(data, command, argument...)",
            "As `pipe`; the command runs for each call.",
            pipe_uncached,
        ),
        eager("env(name...)", "The values of variables of the environment.", env),
    ]);
}
