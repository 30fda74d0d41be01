//! Reading JSON, YAML and HOCON.

use std::path::Path;

use ordain_data::json;
use ordain_data::yaml::Tree;

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;
use crate::functions::stdlib::{deprecation, forward, text_of, warn};
use crate::functions::support::{function, old, old_args, wrap};
use crate::functions::{Function, opt, plain, rep, req};
use crate::value::Value;
use crate::value::rich::{from_data, from_yaml};

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old("parsejson", "Reads JSON text.", -1, |c| parse(c, read_json)),
    old("parseyaml", "Reads YAML text.", -1, |c| parse(c, read_yaml)),
    old("loadjson", "Reads a JSON file.", -2, |c| load(c, read_json)),
    old("loadyaml", "Reads a YAML file.", -2, |c| load(c, read_yaml)),
    function(
        "parsepson",
        "Reads JSON text, which is all that was left of PSON.",
        &[plain(&[req("String[1]", "pson_string"), opt("Any", "default")], parsepson)],
    ),
    function(
        "stdlib::parsehocon",
        "Reads HOCON text.",
        &[plain(&[req("String", "hocon_string"), opt("Any", "default")], parsehocon)],
    ),
    function(
        "parsehocon",
        "Deprecated name of stdlib::parsehocon.",
        &[plain(&[rep("Any", "args")], |c| forward(c, "stdlib::parsehocon"))],
    ),
];

type Reader = fn(&str) -> EvalResult;

fn read_json(text: &str) -> EvalResult {
    json::read(text).map(|data| from_data(&data)).map_err(wrap)
}

fn read_yaml(text: &str) -> EvalResult {
    Tree::parse(text).and_then(|tree| from_yaml(&tree)).map_err(wrap)
}

/// The parsed value; the default in the place of `undef` and `false`.
fn or_default(value: Value, default: Value) -> Value {
    if value.is_true() { value } else { default }
}

fn parse(call: &mut Call<'_, '_>, read: Reader) -> EvalResult {
    let args = old_args(call);
    let Some(text) = args.first() else {
        return fail("Wrong number of arguments. 1 or 2 arguments should be provided.");
    };
    let default = args.get(1).cloned().unwrap_or_default();
    let data = match text {
        Value::Str(text) => {
            call.compiler.budget.spend(text.len() as u64 / 6)?;
            read(text)
        }
        other => fail(format!(
            "no implicit conversion of {} into String",
            crate::functions::legacy::conversion_name(other)
        )),
    };
    match data {
        Ok(value) => Ok(or_default(value, default)),
        Err(_) if default.is_true() => Ok(default),
        Err(error) => Err(error),
    }
}

fn load(call: &mut Call<'_, '_>, read: Reader) -> EvalResult {
    let args = old_args(call);
    let name = text_of(&args[0]);
    let default = args.get(1).cloned().unwrap_or_default();
    let path = Path::new(&name);
    let is_url = name.starts_with("http://") || name.starts_with("https://");
    let data = if is_url {
        fail(format!("{}(): reading from the network is not supported: {name}", call.name))
    } else if call.compiler.env.world.kind(path).is_none() {
        warn(call, format!("Can't load '{name}' File does not exist!"));
        return Ok(default);
    } else {
        let bytes = call.compiler.env.world.read(path).map_err(wrap);
        bytes.and_then(|bytes| read(&String::from_utf8_lossy(&bytes)))
    };
    match data {
        Ok(value) => Ok(or_default(value, default)),
        Err(_) if default.is_true() => Ok(default),
        Err(error) => Err(error),
    }
}

fn parsepson(call: &mut Call<'_, '_>) -> EvalResult {
    let text = "This method is deprecated. From Puppet 8, PSON is no longer natively supported. \
                Please use JSON.parse().";
    // Only some releases of the module deprecate this, so it is never an error.
    deprecation(call, "parsepson", text, false)?;
    match (read_json(&call.str(0)), call.given(1)) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(default)) => Ok(default.clone()),
        (Err(error), None) => Err(error),
    }
}

fn parsehocon(call: &mut Call<'_, '_>) -> EvalResult {
    let world = &call.compiler.env.world;
    match (crate::hiera::read_hocon(world.as_ref(), &call.str(0)), call.given(1)) {
        (Ok(data), _) => Ok(from_data(&data)),
        (Err(_), Some(default)) => Ok(default.clone()),
        (Err(error), None) => fail(format!("stdlib::parsehocon(): {error}")),
    }
}
