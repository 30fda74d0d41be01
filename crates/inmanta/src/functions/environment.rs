//! Functions for the environment, the time, and the settings of the server.

use std::time::UNIX_EPOCH;

use super::entry::{Entry, Outcome, plain, string};
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::Value;

pub(super) const TABLE: &[Entry] = &[
    plain("get_env", "name: string, default_value: string? = null", "string", get_env),
    plain("get_env_int", "name: string, default_value: int? = null", "int", get_env_int)
        .deprecated("int(std::get_env(...))"),
    plain("timestamp", "dummy: any = null", "int", timestamp),
    plain("environment", "", "string", environment),
    plain("environment_name", "", "string", environment_name).context(),
    plain("environment_server", "", "string", environment_server).context(),
    plain("server_ca", "", "string", server_ca),
    plain("server_ssl", "", "bool", server_ssl),
    plain("server_port", "", "int", server_port),
    plain("server_token", "client_types: string[] = [agent]", "string", server_token).context(),
    plain("getfact", "resource: any, fact_name: string, default_value: any = null", "any", getfact)
        .context(),
];

/// The configuration section with the address of the server.
const SERVER: &str = "compiler_rest_transport";

fn variable(context: &mut dyn Context, name: &str) -> Option<String> {
    let found = context.world().env(name);
    if found.is_none() {
        let shown = ordain_functions::text::repr_python(name);
        context.warn(
            "std",
            &format!(
                "Environment variable {name} doesn't exist, returning Unknown(source={shown}) instead"
            ),
        );
    }
    found
}

fn has_default(arguments: &Arguments) -> bool {
    !matches!(arguments.get(1), Value::Null)
}

fn get_env(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let name = string(arguments, 0);
    if has_default(arguments) {
        let found = context.world().env(name).map(Value::str);
        return Ok(found.unwrap_or_else(|| arguments.get(1).clone()));
    }
    Ok(variable(context, name).map_or_else(|| Value::unknown(name), Value::str))
}

fn get_env_int(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let name = string(arguments, 0);
    let found = match has_default(arguments) {
        true => context.world().env(name),
        false => variable(context, name),
    };
    match found {
        Some(text) => ordain_functions::integer::parse_python(&text)
            .map(Value::int)
            .map_err(|error| Stop::raised(Exception::ValueError, error.to_string())),
        None if has_default(arguments) => Ok(arguments.get(1).clone()),
        None => Ok(Value::unknown(name)),
    }
}

fn timestamp(context: &mut dyn Context, _: &Arguments) -> Outcome {
    let since = context.world().now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Value::Int(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)))
}

fn environment_id(context: &dyn Context) -> Result<String, Stop> {
    context.setting("config", "environment").map(str::to_owned).ok_or_else(|| {
        let text = "The environment of this model should be configured in config>environment";
        Stop::raised(Exception::Exception, text)
    })
}

fn environment(context: &mut dyn Context, _: &Arguments) -> Outcome {
    environment_id(context).map(Value::str)
}

/// Answers as if the server cannot be reached, since none is contacted.
fn environment_name(context: &mut dyn Context, _: &Arguments) -> Outcome {
    let id = environment_id(context)?;
    Ok(Value::unknown(id))
}

fn environment_server(context: &mut dyn Context, _: &Arguments) -> Outcome {
    Ok(Value::str(context.setting(SERVER, "host").unwrap_or("localhost")))
}

fn server_ca(context: &mut dyn Context, _: &Arguments) -> Outcome {
    let Some(name) = context.setting(SERVER, "ssl_ca_cert_file").filter(|name| !name.is_empty())
    else {
        return Ok(Value::str(""));
    };
    let path = context.project_directory().join(name);
    match context.world().read(&path) {
        Ok(bytes) => Ok(Value::str(String::from_utf8_lossy(&bytes).into_owned())),
        Err(_) => Err(Stop::raised(Exception::Exception, format!("{name} isn't a valid file"))),
    }
}

fn server_ssl(context: &mut dyn Context, _: &Arguments) -> Outcome {
    let text = context.setting(SERVER, "ssl").unwrap_or_default().to_ascii_lowercase();
    Ok(Value::Bool(matches!(text.as_str(), "true" | "1" | "yes" | "on")))
}

fn server_port(context: &mut dyn Context, _: &Arguments) -> Outcome {
    Ok(Value::Int(context.setting(SERVER, "port").and_then(|p| p.parse().ok()).unwrap_or(8888)))
}

fn server_token(context: &mut dyn Context, _: &Arguments) -> Outcome {
    if context.setting(SERVER, "token").is_none_or(str::is_empty) {
        return Ok(Value::str(""));
    }
    Err(Stop::raised(Exception::Exception, "Unable to get a valid token"))
}

fn getfact(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let Value::Instance(instance) = *arguments.get(0) else {
        return Err(not_a_resource());
    };
    let Some(id) = crate::model::resource::identity(context, instance)? else {
        return Err(not_a_resource());
    };
    let id = id.without_version();
    let name = string(arguments, 1);
    if let Some(value) = context.fact(&id, name) {
        return Ok(value);
    }
    environment_id(context)?;
    context.unknown_parameter(&id, name);
    Ok(match arguments.get(2) {
        Value::Null => Value::unknown(id),
        default => default.clone(),
    })
}

pub(super) fn not_a_resource() -> Stop {
    Stop::raised(Exception::Exception, "Facts can only be retreived from resources.")
}
