//! Functions that read files, run commands, evaluate templates and format times.

use std::path::Path;
use std::time::SystemTime;

use ordain_source::ProcessRequest;

use crate::catalog::values::kind_text;
use crate::error::{EvalResult, Unwind, plain as fail};
use crate::functions::call::Call;
use crate::functions::support::{function, old, old_args, ruby_text, wrap};
use crate::functions::{Dispatch, Function, opt, plain, rep, req};
use crate::state::evaluate::Evaluate;
use crate::value::Value;

const TEMPLATE_RESULT: Option<&str> = Some("Variant[String, Sensitive[String]]");

/// The functions of this family.
pub const TABLE: &[Function] = &[
    function(
        "binary_file",
        "Gives the bytes of a file.",
        &[plain(&[req("String", "path")], binary_file)],
    ),
    function(
        "epp",
        "Evaluates an EPP template.",
        &[Dispatch {
            params: &[req("String", "path"), opt("Hash[Pattern[/^\\w+$/], Any]", "parameters")],
            block: None,
            returns: TEMPLATE_RESULT,
            explains: false,
            body: epp,
        }],
    ),
    function(
        "inline_epp",
        "Evaluates text as an EPP template.",
        &[Dispatch {
            params: &[req("String", "template"), opt("Hash[Pattern[/^\\w+$/], Any]", "parameters")],
            block: None,
            returns: TEMPLATE_RESULT,
            explains: false,
            body: inline_epp,
        }],
    ),
    function(
        "find_file",
        "Gives the path of the first file that exists.",
        &[
            plain(&[rep("String", "paths")], |c| find(c, "files")),
            plain(&[rep("Array[String]", "paths_array")], |c| find(c, "files")),
        ],
    ),
    function(
        "find_template",
        "Gives the path of the first template that exists.",
        &[
            plain(&[rep("String", "paths")], |c| find(c, "templates")),
            plain(&[rep("Array[String]", "paths_array")], |c| find(c, "templates")),
        ],
    ),
    function(
        "module_directory",
        "Gives the directory of the first module that exists.",
        &[
            plain(&[rep("String", "names")], module_directory),
            plain(&[rep("Array[String]", "names")], module_directory),
        ],
    ),
    function(
        "strftime",
        "Formats a time or a duration.",
        &[
            plain(&[req("Timespan", "time_object"), req("String", "format")], format_timespan),
            plain(
                &[
                    req("Timestamp", "time_object"),
                    req("String", "format"),
                    opt("String", "timezone"),
                ],
                format_timestamp,
            ),
            plain(&[req("String", "format"), opt("String", "timezone")], format_now),
        ],
    ),
    old("file", "Gives the content of the first file that exists.", -2, file),
    old("generate", "Returns the output of a command.", -2, generate),
    old("template", "Evaluates ERB templates.", -2, template),
    old("inline_template", "Evaluates text as ERB templates.", -2, inline_template),
];

fn binary_file(call: &mut Call<'_, '_>) -> EvalResult {
    let name = call.str(0);
    let found = call.compiler.env.find_in_module(&name, "files");
    let bytes = found.and_then(|path| call.compiler.env.content(&path).ok());
    match bytes {
        Some(bytes) => Ok(Value::Binary(bytes)),
        None => fail(format!("binary_file(): The given file '{name}' does not exist")),
    }
}

fn find(call: &mut Call<'_, '_>, folder: &str) -> EvalResult {
    for name in first_list(call) {
        let name = name.as_str().unwrap_or_default();
        if let Some(path) = call.compiler.env.exists_in_module(name, folder) {
            return Ok(Value::from(path.to_string_lossy().into_owned()));
        }
    }
    Ok(Value::Undef)
}

/// The arguments, or the first list among them.
fn first_list(call: &mut Call<'_, '_>) -> Vec<Value> {
    match call.arg(0) {
        Value::Array(items) => items.to_vec(),
        _ => std::mem::take(&mut call.args),
    }
}

fn module_directory(call: &mut Call<'_, '_>) -> EvalResult {
    for name in first_list(call) {
        let name = name.as_str().unwrap_or_default();
        if let Some(path) = call.compiler.env.module_directory(name) {
            return Ok(Value::from(path.to_string_lossy().into_owned()));
        }
    }
    Ok(Value::Undef)
}

fn epp(call: &mut Call<'_, '_>) -> EvalResult {
    let (name, args) = (call.str(0), call.given(1).cloned());
    call.compiler.epp(&name, args.as_ref(), call.scope, call.span)
}

fn inline_epp(call: &mut Call<'_, '_>) -> EvalResult {
    let (text, args) = (call.str(0), call.given(1).cloned());
    match call.compiler.inline_epp(&text, args.as_ref(), call.scope, call.span) {
        // As in a function, `return` and `next` end an inline template.
        Err(unwind) => match *unwind {
            Unwind::Return(..) => Ok(Value::Undef),
            Unwind::Next(value, _) if value.as_str().is_some() => Ok(value),
            Unwind::Next(value, _) => {
                let got = kind_text(&value);
                fail(format!(
                    "value returned from function 'inline_epp' has wrong type, expects a value of \
                     type String or Sensitive[String], got {got}"
                ))
            }
            other => Err(other.into()),
        },
        result => result,
    }
}

fn format_timespan(call: &mut Call<'_, '_>) -> EvalResult {
    let Value::Timespan(ns) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::from(ordain_functions::time::format_span(&call.str(1), **ns).map_err(wrap)?))
}

fn format_timestamp(call: &mut Call<'_, '_>) -> EvalResult {
    let Value::Timestamp(ns) = call.arg(0) else { return Ok(Value::Undef) };
    let (ns, format) = (**ns, call.str(1));
    strftime(call, ns, &format, 2)
}

fn format_now(call: &mut Call<'_, '_>) -> EvalResult {
    let message = "The argument signature (String format, [String timezone]) is deprecated for \
                   #strftime. See #strftime documentation and Timespan type for more info";
    let span = call.span;
    call.compiler.warn_once("legacy#strftime", message, Some(span));
    let now = now_nanos(call);
    let format = call.str(0);
    strftime(call, now, &format, 1)
}

/// The time of the compile's world in nanoseconds since 1970.
pub fn now_nanos(call: &Call<'_, '_>) -> i128 {
    let now = call.compiler.env.world.now();
    now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i128)
}

/// The offset of the time zone of this machine, such as `+05:30`.
pub fn local_zone(call: &Call<'_, '_>) -> String {
    let seconds = i64::try_from(now_nanos(call) / 1_000_000_000).unwrap_or(0);
    let rules = ordain_source::world::zone_rules(&*call.compiler.env.world);
    let offset = rules.and_then(|rules| ordain_functions::time::offset_at(&rules, seconds).ok());
    ordain_functions::time::offset_text(offset.unwrap_or(0))
}

/// A timestamp as text, in the zone that an argument names.
fn strftime(call: &Call<'_, '_>, ns: i128, format: &str, zone: usize) -> EvalResult {
    let zone = match call.arg(zone).as_str() {
        // An empty text means no zone.
        None | Some("") => None,
        Some(name) if name.eq_ignore_ascii_case("current") => Some(local_zone(call)),
        Some(name) => Some(name.to_string()),
    };
    let offset =
        zone.as_deref().map(ordain_functions::time::clock_offset).transpose().map_err(wrap)?;
    Ok(Value::from(ordain_functions::time::format(format, ns, offset).map_err(wrap)?))
}

fn file(call: &mut Call<'_, '_>) -> EvalResult {
    let names = old_args(call);
    for name in &names {
        let name = name.as_str().unwrap_or_default();
        if let Some(path) = call.compiler.env.find_in_module(name, "files") {
            let bytes = call.compiler.env.content(&path).map_err(wrap)?;
            return Ok(Value::from(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    let names: Vec<_> = names.iter().map(ruby_text).collect();
    fail(format!("Could not find any files from {}", names.join(", ")))
}

fn generate(call: &mut Call<'_, '_>) -> EvalResult {
    let argv: Vec<String> = old_args(call).iter().map(|v| ruby_text(v).into()).collect();
    let program = argv[0].clone();
    if !program.starts_with('/') {
        return fail("Generators must be fully qualified");
    }
    let is_plain = |c: char| c.is_alphanumeric() || "-/_.+".contains(c);
    if program.len() < 2 || !program.chars().all(is_plain) {
        return fail("Generators can only contain alphanumerics, file separators, and dashes");
    }
    if program.contains("..") {
        return fail("Can not use generators with '..' in them.");
    }
    let cwd = Path::new(&program).parent().map(Path::to_path_buf);
    let request =
        ProcessRequest { argv: argv.clone(), cwd, env: vec![], stdin: vec![], timeout: None };
    let failed = |detail: String| fail(format!("Failed to execute generator {program}: {detail}"));
    match call.compiler.env.world.run(&request) {
        Ok(output) if output.status == Some(0) => {
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&output.stderr));
            Ok(Value::from(text))
        }
        Ok(output) => {
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&output.stderr));
            let status = output.status.unwrap_or(1);
            failed(format!("Execution of '{}' returned {status}: {text}", argv.join(" ")))
        }
        Err(error) => failed(error.to_string()),
    }
}

fn template(call: &mut Call<'_, '_>) -> EvalResult {
    let mut out = String::new();
    for name in old_args(call) {
        let name = ruby_text(&name);
        let Some(path) = call.compiler.env.find_template(&name) else {
            return Err(call.compiler.env.no_template(&name).into());
        };
        out.push_str(&call.compiler.erb(&name, &path, call.scope, call.span)?);
    }
    Ok(Value::from(out))
}

fn inline_template(call: &mut Call<'_, '_>) -> EvalResult {
    let mut out = String::new();
    for text in old_args(call) {
        out.push_str(&call.compiler.inline_erb(&ruby_text(&text), call.scope, call.span)?);
    }
    Ok(Value::from(out))
}
