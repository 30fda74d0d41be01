//! The functions `lookup`, `hiera`, `hiera_array`, `hiera_hash` and `hiera_include`, and the
//! backends as functions.

use std::sync::Arc;

use ecow::EcoString;

use super::directories::without_configuration;
use super::files::{DataFault, Format};
use super::lookup::{Lookup, lookup_error, lookup_unwind, nothing_found, unshared};
use crate::catalog::flat;
use crate::catalog::resource::Inclusion;
use crate::error::{EvalResult, Unwind, plain as plain_error};
use crate::functions::call::Call;
use crate::functions::{
    Dispatch, Function, Style, explaining, opt, plain, req, with_block, with_opt_block,
};
use crate::hiera::state::{FileData, Request};
use crate::state::evaluate::Evaluate;
use crate::value::{HashValue, Value};
use ordain_graph::language::Strict;

const NAME: &str = "NameType";
const MERGE: &str = "MergeType";
const BLOCK: &str = "BlockType";

/// The functions of Hiera.
pub const TABLE: &[Function] = &[
    Function {
        name: "lookup",
        doc: "Gives the value of a key in data",
        style: Style::Dispatch(&[
            plain(
                &[req(NAME, "name"), opt("ValueType", "value_type"), opt(MERGE, "merge")],
                by_name,
            ),
            plain(
                &[
                    req(NAME, "name"),
                    req("Optional[ValueType]", "value_type"),
                    req("Optional[MergeType]", "merge"),
                    req("DefaultValueType", "default_value"),
                ],
                by_name,
            ),
            with_block(
                &[req(NAME, "name"), opt("ValueType", "value_type"), opt(MERGE, "merge")],
                BLOCK,
                by_name,
            ),
            with_opt_block(&[req("OptionsWithName", "options_hash")], BLOCK, by_options),
            with_opt_block(
                &[
                    req("Variant[String, Array[String]]", "name"),
                    req("OptionsWithoutName", "options_hash"),
                ],
                BLOCK,
                by_both,
            ),
        ]),
    },
    Function {
        name: "hiera",
        doc: "Gives the first value of a key in data; deprecated",
        style: Style::Dispatch(OLD_STYLE),
    },
    Function {
        name: "hiera_array",
        doc: "Gives all values of a key in data as one array; deprecated",
        style: Style::Dispatch(OLD_STYLE),
    },
    Function {
        name: "hiera_hash",
        doc: "Gives all hashes of a key in data as one; deprecated",
        style: Style::Dispatch(OLD_STYLE),
    },
    Function {
        name: "hiera_include",
        doc: "Includes the classes that data has under a key; deprecated",
        style: Style::Dispatch(OLD_STYLE),
    },
    Function {
        name: "yaml_data",
        doc: "Gives the content of a YAML data file",
        style: Style::Dispatch(BACKEND),
    },
    Function {
        name: "json_data",
        doc: "Gives the content of a JSON data file",
        style: Style::Dispatch(BACKEND),
    },
    Function {
        name: "hocon_data",
        doc: "Gives the content of a HOCON data file",
        style: Style::Dispatch(BACKEND),
    },
];

const OLD_STYLE: &[Dispatch] = &[
    plain(&[req("Tuple[String, Any, Any, 1, 3]", "args")], old_list),
    plain(&[req("String", "key")], old),
    plain(&[req("String", "key"), req("Any", "default"), opt("Any", "override")], old),
    with_block(&[req("String", "key")], "Callable[1, 1]", old_block),
    with_block(&[req("String", "key"), req("Any", "override")], "Callable[1, 1]", old_block),
];

const BACKEND: &[Dispatch] = &[
    plain(
        &[req("Struct[{path => String[1]}]", "options"), req("Puppet::LookupContext", "context")],
        backend,
    ),
    explaining(&[req("Hash", "options"), req("Puppet::LookupContext", "context")], no_path),
];

fn names(value: &Value) -> (Vec<EcoString>, bool) {
    match value {
        Value::Str(name) => (vec![name.clone()], true),
        Value::Array(items) => {
            (items.iter().filter_map(|i| i.as_str().map(EcoString::from)).collect(), false)
        }
        _ => (Vec::new(), false),
    }
}

fn by_name(call: &mut Call<'_, '_>) -> EvalResult {
    let (names, single) = names(call.arg(0));
    let value_type = match call.arg(1) {
        Value::Type(kind) => Some(Arc::clone(kind)),
        _ => None,
    };
    let default = call.given(3).cloned();
    let merge = call.arg(2).clone();
    run(call, &Request { names, single, value_type, merge, default, ..Request::default() })
}

fn by_options(call: &mut Call<'_, '_>) -> EvalResult {
    let options = call.arg(0).clone();
    let name = options.get("name").cloned().unwrap_or_default();
    let request = request(&name, &options);
    run(call, &request)
}

fn by_both(call: &mut Call<'_, '_>) -> EvalResult {
    let request = request(call.arg(0), call.arg(1));
    run(call, &request)
}

fn request(name: &Value, options: &Value) -> Request {
    let (names, single) = names(name);
    let hash = |key: &str| match options.get(key) {
        Some(Value::Hash(hash)) => Arc::clone(hash),
        _ => Arc::<HashValue>::default(),
    };
    let value_type = match options.get("value_type") {
        Some(Value::Type(kind)) => Some(Arc::clone(kind)),
        _ => None,
    };
    Request {
        names,
        single,
        value_type,
        merge: options.get("merge").cloned().unwrap_or_default(),
        default: options.get("default_value").cloned(),
        overrides: hash("override"),
        defaults: hash("default_values_hash"),
    }
}

/// The error that nothing was found. Puppet reports no place; the place of the call is added as the
/// focus.
fn nothing(call: &Call<'_, '_>, names: &[EcoString]) -> EvalResult {
    let mut error = lookup_unwind(nothing_found(names));
    if let Unwind::Error(error) = &mut *error {
        error.related.push((call.span, "asked for here".to_owned()));
        let name = names.first().map_or("KEY", EcoString::as_str);
        error.help.push(match without_configuration(call.compiler.env) {
            Some(help) => help,
            None => format!("`ordain lookup {name} --explain` lists the searched places"),
        });
    }
    Err(error)
}

/// Runs a lookup. The block of the call gives the default and has priority over that of the
/// request.
fn run(call: &mut Call<'_, '_>, request: &Request) -> EvalResult {
    let block = call.block.clone();
    let mut asked = request.clone();
    if block.is_some() {
        asked.default = None;
    }
    let mut lookup = Lookup::new(call.compiler, call.scope, Some(call.span));
    let found = lookup.run(&asked)?;
    lookup.record_call(&request.names, found.as_ref(), call.span);
    if let Some(value) = found {
        return Ok(unshared(&value));
    }
    let Some(block) = block else { return nothing(call, &request.names) };
    let name = match (request.single, request.names.as_slice()) {
        (true, [name]) => Value::Str(name.clone()),
        (_, names) => Value::array(names.iter().map(|n| Value::Str(n.clone()))),
    };
    let value = call.compiler.call_closure(&block, &[name])?;
    let lookup = Lookup::new(call.compiler, call.scope, Some(call.span));
    let subject = "Value returned from default block";
    lookup.assert_type(subject, request.value_type.as_ref(), value)
}

fn old_list(call: &mut Call<'_, '_>) -> EvalResult {
    call.args = call.array(0).to_vec();
    old(call)
}

fn old(call: &mut Call<'_, '_>) -> EvalResult {
    let override_level = call.given(2).cloned();
    let default = call.given(1).cloned();
    run_old(call, default, override_level)
}

fn old_block(call: &mut Call<'_, '_>) -> EvalResult {
    let override_level = call.given(1).cloned();
    run_old(call, None, override_level)
}

fn run_old(call: &mut Call<'_, '_>, default: Option<Value>, level: Option<Value>) -> EvalResult {
    let merge = match call.name {
        "hiera" => "first",
        "hiera_hash" => "hash",
        _ => "unique",
    };
    let name = call.str(0);
    let strict = call.compiler.settings.strict;
    let function = call.name;
    let mut lookup = Lookup::new(call.compiler, call.scope, Some(call.span));
    if strict != Strict::Off {
        let text = format!(
            "The function '{function}' is deprecated in favor of using 'lookup'. See \
             https://docs.openvoxproject.org/openvox/latest/deprecated_language.html\n   \
             (file & line not available)"
        );
        lookup.warn_once(&format!("function {function}"), text);
    }
    lookup.old_call = true;
    lookup.global_only = !lookup.has_environment_data()?;
    if let Some(level) = level.filter(|level| !level.is_undef()) {
        let mut paths = Vec::new();
        let paths = flat(&level, &mut paths);
        lookup.first_paths = paths.iter().map(crate::value::ruby::ruby_text).collect();
    }
    let request = Request {
        names: vec![name.clone()],
        single: true,
        merge: Value::from(merge),
        default,
        ..Request::default()
    };
    let found = lookup.run(&request)?;
    lookup.record_call(&request.names, found.as_ref(), call.span);
    let value = match found {
        Some(value) => unshared(&value),
        None => match call.block.clone() {
            Some(block) => call.compiler.call_closure(&block, &[Value::Str(name.clone())])?,
            None => return nothing(call, &request.names),
        },
    };
    if function == "hiera_include" {
        return include(call, &name, value);
    }
    Ok(value)
}

/// Includes the classes that a lookup found; an empty list is allowed.
fn include(call: &mut Call<'_, '_>, name: &str, value: Value) -> EvalResult {
    let classes = match &value {
        Value::Undef => return plain_error(format!("Could not find data item {name}")),
        Value::Array(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    if classes.is_empty() {
        return Ok(Value::Undef);
    }
    call.compiler.include(&classes, Inclusion::Include, call.scope, call.span)?;
    Ok(value)
}

fn backend(call: &mut Call<'_, '_>) -> EvalResult {
    let options = call.arg(0).clone();
    let path = options.get("path").and_then(Value::as_str).unwrap_or_default();
    let format = match call.name {
        "json_data" => Format::Json,
        "hocon_data" => Format::Hocon,
        _ => Format::Yaml,
    };
    let env = call.compiler.env;
    let world = env.world.as_ref();
    let path = std::path::Path::new(path);
    if let Some(known) = call.compiler.hiera.file_data.get(path) {
        return Ok(known.value());
    }
    // A missing file is an error of this call, not of the data.
    if let Err(error) = world.read(path) {
        return plain_error(super::text::refused_read(path, &error));
    }
    let file = env.hiera.file(world, path);
    match file.data(world, format) {
        Ok(data) => {
            let known = FileData::Data(Arc::clone(data));
            call.compiler.hiera.file_data.insert(file.path.clone(), known);
            Ok(data.value())
        }
        Err(DataFault::Syntax(fault)) => {
            Err(super::lookup::data_fault(fault, &file.path, &env.sources))
        }
        Err(DataFault::NoHash(_)) => {
            let path = path.display();
            lookup_error(format!("{path}: file does not contain a valid yaml hash"))
        }
    }
}

/// The error of a call of a built-in backend without the path of a file.
fn no_path(call: &mut Call<'_, '_>) -> EvalResult {
    plain_error(format!(
        "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
         when using this data_hash function",
        call.name
    ))
}
