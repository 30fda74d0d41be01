//! The child's questions while a call is under way.

use serde_json::{Value as Json, json};

use super::wire::{Unknowns, received, sent};
use crate::error::Class;
use crate::functions;
use crate::plugin::{Context, Stop};
use crate::value::{InstanceId, Value, VarId};

/// The answer to a question.
///
/// # Errors
/// What keeps it from being answered; the call cannot go on then.
pub(super) fn answer(
    context: &mut dyn Context,
    message: &Json,
    unknowns: &mut Unknowns,
) -> Result<Json, Stop> {
    let with = &message["with"];
    let text = |at: usize| with[at].as_str().unwrap_or_default();
    let instance = |at: usize| InstanceId(with[at].as_u64().unwrap_or(u64::MAX) as u32);
    match message["ask"].as_str().unwrap_or_default() {
        "attribute" => {
            let known = known(context, instance(0), Some(text(1)), unknowns);
            let is_there = known.iter().any(|pair| pair[0] == text(1));
            if is_there {
                return Ok(json!({"known": known}));
            }
            let mut reply = match context.attribute(instance(0), text(1)) {
                Ok(value) => json!({"v": sent(&value, context, unknowns)}),
                Err(found) => stop(&found, context, unknowns),
            };
            reply["known"] = json!(known);
            Ok(reply)
        }
        "instance" => {
            let shown = Value::Instance(instance(0)).repr(context);
            Ok(json!({"v": [context.entity_name(instance(0)), shown]}))
        }
        "is" => Ok(json!({"v": context.is_instance(instance(0), text(1)).unwrap_or_default()})),
        "parents" => {
            let parents = context.parent_names(instance(0));
            Ok(json!({"v": parents.iter().map(|name| name.as_str()).collect::<Vec<_>>()}))
        }
        "attributes" => {
            let names = context.attribute_names(instance(0));
            let pairs: Vec<Json> = names
                .iter()
                .map(|name| {
                    let is_relation = matches!(
                        context.attribute(instance(0), name),
                        Ok(Value::Instance(_)) | Err(Stop::Error(_))
                    );
                    json!([name.as_str(), if is_relation { "relation" } else { "any" }])
                })
                .collect();
            Ok(json!({"v": pairs}))
        }
        "lookup" => {
            let found = match text(0).rsplit_once("::") {
                Some((namespace, name)) => context.lookup_in(namespace, name),
                None => context.lookup(text(0)),
            };
            Ok(match found {
                Ok(value) => json!({"v": sent(&value, context, unknowns)}),
                Err(Stop::Error(error)) if error.class == Class::NotFound => {
                    json!({"missing": true})
                }
                Err(found) => stop(&found, context, unknowns),
            })
        }
        "type" => Ok(json!({"v": text(0)})),
        "validate" => {
            let value = received(&with[1], context, unknowns)?;
            let parameters = received(&with[2], context, unknowns)?;
            let parameters = match &parameters {
                Value::Dict(entries) => Some(&**entries),
                _ => None,
            };
            Ok(match functions::validate(text(0), &value, parameters) {
                Ok(answer) => json!({"v": answer}),
                Err(Stop::Raised { text, .. }) => json!({"text": text}),
                Err(found) => return Err(found),
            })
        }
        "call" => {
            let positional: Result<Vec<Value>, Stop> = with[1]
                .as_array()
                .into_iter()
                .flatten()
                .map(|value| received(value, context, unknowns))
                .collect();
            let mut named = Vec::new();
            for pair in with[2].as_array().into_iter().flatten() {
                let name = pair[0].as_str().unwrap_or_default();
                named.push((name.into(), received(&pair[1], context, unknowns)?));
            }
            let value = context.call(text(0), &positional?, &named)?;
            Ok(json!({"v": sent(&value, context, unknowns)}))
        }
        other => Ok(json!({"text": format!("there is no question `{other}`")})),
    }
}

/// What is known of the attributes of an instance, for good: those that have a value, and those
/// that will never have one. Without a name, only these; with one, that one too if it does not
/// exist.
pub(super) fn known(
    context: &mut dyn Context,
    instance: InstanceId,
    wanted: Option<&str>,
    unknowns: &mut Unknowns,
) -> Vec<Json> {
    let mut names = context.attribute_names(instance);
    if let Some(wanted) = wanted
        && !names.iter().any(|name| name == wanted)
    {
        names.push(wanted.into());
    }
    let mut out = Vec::with_capacity(names.len());
    for name in names {
        let value = match context.attribute(instance, &name) {
            Ok(value) | Err(Stop::Unknown(value)) => sent(&value, context, unknowns),
            Err(Stop::Error(error)) => match error.class {
                Class::OptionalValue => json!({"$m": ["optional", error.message]}),
                Class::NotFound => json!({"$m": ["missing", error.message]}),
                _ => continue,
            },
            Err(_) => continue,
        };
        out.push(json!([name.as_str(), value]));
    }
    out
}

/// What keeps a question from being answered, as a message.
pub(super) fn stop(stop: &Stop, context: &dyn Context, unknowns: &mut Unknowns) -> Json {
    match stop {
        Stop::Unset(variables) => {
            json!({"wait": variables.iter().map(|variable| variable.0).collect::<Vec<_>>()})
        }
        Stop::Unknown(value) => json!({"unknown": sent(value, context, unknowns)}),
        Stop::Raised { class, text } => json!({"text": format!("{class}: {text}")}),
        Stop::Explicit(text) => json!({"text": text}),
        Stop::Error(error) => json!({"text": error.message}),
    }
}

/// The variables that a call waits for.
pub(super) fn variables(json: &Json) -> Vec<VarId> {
    let numbers = json.as_array().into_iter().flatten().filter_map(Json::as_u64);
    numbers.map(|number| VarId(number as u32)).collect()
}
