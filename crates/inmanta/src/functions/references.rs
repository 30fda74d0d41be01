//! Functions that create references: values that are computed at deployment.

use std::rc::Rc;

use ecow::EcoString;

use super::entry::{Entry, Outcome, plain, string};
use super::environment::not_a_resource;
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::types::TypeExpr;
use crate::value::{Reference, Value};

pub(super) const TABLE: &[Entry] = &[
    plain("create_environment_reference", "name: &string", "ref string", environment),
    plain("create_int_reference", "value: &any", "ref int", int),
    plain(
        "create_fact_reference",
        "resource: std::Resource, fact_name: string",
        "ref string",
        fact,
    )
    .context(),
];

fn reference(
    name: &str,
    class: &str,
    computes: &str,
    arguments: Vec<(&str, Value)>,
    text: Option<String>,
) -> Value {
    // Python's default `repr`.
    let text = text.unwrap_or_else(|| format!("<inmanta_plugins.std.{class} object>"));
    Value::Reference(Rc::new(Reference {
        name: name.into(),
        class: class.into(),
        arguments: arguments.into_iter().map(|(n, v)| (EcoString::from(n), v)).collect(),
        computes: TypeExpr::model(computes),
        text,
        repr: None,
        number: None,
    }))
}

fn environment(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let given = vec![("name", arguments.get(0).clone())];
    Ok(reference("std::Environment", "EnvironmentReference", "string", given, None))
}

fn int(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let given = vec![("value", arguments.get(0).clone())];
    Ok(reference("std::IntReference", "IntReference", "int", given, None))
}

fn fact(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let Value::Instance(instance) = *arguments.get(0) else { return Err(not_a_resource()) };
    let Some(id) = crate::model::resource::identity(context, instance)? else {
        return Err(not_a_resource());
    };
    let Some(environment) = context.setting("config", "environment").map(Value::str) else {
        return Err(Stop::raised(
            Exception::Exception,
            "The environment for this model should be set!",
        ));
    };
    let (id, name) = (id.without_version(), string(arguments, 1));
    let text = format!("FactReference[resource_id={id},fact_name={name}]");
    let given = vec![
        ("environment", environment),
        ("resource_id", Value::str(id)),
        ("fact_name", Value::str(name)),
        ("mocked_facts", Value::Null),
    ];
    Ok(reference("std::FactReference", "FactReference", "string", given, Some(text)))
}
