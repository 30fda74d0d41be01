//! The child's questions while a call is under way.

use std::cell::RefCell;

use ecow::EcoString;
use serde_json::{Value as Json, json};

use super::wire::{Mirror, received, sent};
use crate::error::Class;
use crate::functions;
use crate::plugin::{Context, Stop};
use crate::value::{InstanceId, Value, VarId};

/// A question with what is needed to answer it.
struct Question<'a> {
    context: &'a mut dyn Context,
    mirror: &'a RefCell<Mirror>,
    with: &'a Json,
}

/// The answer to a question.
///
/// # Errors
/// What keeps it from being answered; the call cannot go on then.
pub(super) fn answer(
    context: &mut dyn Context,
    message: &Json,
    mirror: &RefCell<Mirror>,
) -> Result<Json, Stop> {
    let mut question = Question { context, mirror, with: &message["with"] };
    match message["ask"].as_str().unwrap_or_default() {
        "attribute" => Ok(question.attribute()),
        "life" => Ok(json!({})),
        "is" => Ok(question.is_instance()),
        "parents" => Ok(question.parents()),
        "attributes" => Ok(question.attributes()),
        "lookup" => question.lookup(),
        "type" => Ok(json!({"v": question.text(0)})),
        "validate" => question.validate(),
        "call" => question.call(),
        "plugins" => {
            let names = question.context.plugin_names();
            Ok(json!({"v": names.iter().map(|name| name.as_str()).collect::<Vec<_>>()}))
        }
        other => Ok(json!({"text": format!("there is no question `{other}`")})),
    }
}

impl Question<'_> {
    fn text(&self, at: usize) -> &str {
        self.with[at].as_str().unwrap_or_default()
    }

    fn instance(&self) -> InstanceId {
        InstanceId(self.with[0].as_u64().unwrap_or(u64::MAX) as u32)
    }

    fn value(&mut self, at: usize) -> Result<Value, Stop> {
        received(&self.with[at], self.context, &mut self.mirror.borrow_mut())
    }

    fn sent(&mut self, value: &Value) -> Json {
        json!({"v": sent(value, &mut self.mirror.borrow_mut())})
    }

    /// An attribute of an instance, and with it all others that have a value.
    fn attribute(&mut self) -> Json {
        let (instance, name) = (self.instance(), self.text(1).to_owned());
        if self.mirror.borrow().is_finished() {
            return self.attribute_of_finished(instance, &name);
        }
        let known = known(self.context, instance, Some(&name), &mut self.mirror.borrow_mut());
        if known.iter().any(|pair| pair[0] == name) {
            return json!({"known": known});
        }
        let mut reply = match self.context.attribute(instance, &name) {
            Ok(value) => self.sent(&value),
            Err(found) => stop(&found, &mut self.mirror.borrow_mut()),
        };
        reply["known"] = json!(known);
        reply
    }

    /// An attribute when the run is over. With it come all attributes of all instances of the
    /// entity that the child knows: whoever reads one reads others.
    fn attribute_of_finished(&mut self, instance: InstanceId, name: &str) -> Json {
        let mirror = &mut *self.mirror.borrow_mut();
        let entity = EcoString::from(self.context.entity_name(instance));
        let names = self.context.attribute_names(instance);
        let mut sent = Vec::new();
        // Attributes may name further instances of the entity, which follow at once.
        let mut next = mirror.completes(instance).then_some(instance);
        loop {
            next = next.or_else(|| mirror.next_incomplete(&entity, self.context));
            let Some(instance) = next.take() else { break };
            sent.push(row(self.context, instance, &names, mirror));
        }
        let mut reply = json!({"rows": [[names_of(&names), sent]]});
        if !names.iter().any(|known| known == name) {
            let known = known(self.context, instance, Some(name), mirror);
            reply["known"] = known.into_iter().filter(|pair| pair[0] == name).collect();
        }
        reply
    }

    fn is_instance(&mut self) -> Json {
        let is = self.context.is_instance(self.instance(), self.text(1));
        json!({"v": is.unwrap_or_default()})
    }

    fn parents(&mut self) -> Json {
        let parents = self.context.parent_names(self.instance());
        json!({"v": parents.iter().map(|name| name.as_str()).collect::<Vec<_>>()})
    }

    fn attributes(&mut self) -> Json {
        let instance = self.instance();
        let names = self.context.attribute_names(instance);
        let pairs = names.iter().map(|name| {
            let is_relation = self.context.is_relation(instance, name);
            json!([name.as_str(), if is_relation { "relation" } else { "any" }])
        });
        json!({"v": pairs.collect::<Vec<_>>()})
    }

    /// A name where the call stands.
    fn lookup(&mut self) -> Result<Json, Stop> {
        let name = self.text(0).to_owned();
        let found = match name.rsplit_once("::") {
            Some((namespace, name)) => self.context.lookup_in(namespace, name),
            None => self.context.lookup(&name),
        };
        Ok(match found {
            Ok(value) => self.sent(&value),
            Err(Stop::Error(error)) if error.class == Class::NotFound => json!({"missing": true}),
            Err(found) => stop(&found, &mut self.mirror.borrow_mut()),
        })
    }

    /// Whether a value fits one of the types that `std` brings.
    fn validate(&mut self) -> Result<Json, Stop> {
        let (value, parameters) = (self.value(1)?, self.value(2)?);
        let parameters = match &parameters {
            Value::Dict(entries) => Some(&**entries),
            _ => None,
        };
        match functions::validate(self.context.world(), self.text(0), &value, parameters) {
            Ok(answer) => Ok(json!({"v": answer})),
            Err(Stop::Raised { text, .. }) => Ok(json!({"text": text})),
            Err(found) => Err(found),
        }
    }

    /// A call of another plugin.
    fn call(&mut self) -> Result<Json, Stop> {
        let mut positional = Vec::new();
        for value in self.with[1].as_array().into_iter().flatten() {
            positional.push(received(value, self.context, &mut self.mirror.borrow_mut())?);
        }
        let mut named = Vec::new();
        for pair in self.with[2].as_array().into_iter().flatten() {
            let name = pair[0].as_str().unwrap_or_default();
            named.push((
                name.into(),
                received(&pair[1], self.context, &mut self.mirror.borrow_mut())?,
            ));
        }
        let name = self.text(0).to_owned();
        let value = self.context.call(&name, &positional, &named)?;
        Ok(self.sent(&value))
    }
}

/// What is known of the attributes of an instance, for good: those that have a value, and those
/// that will never have one. Without a name, only these; with one, that one too if it does not
/// exist.
pub(super) fn known(
    context: &mut dyn Context,
    instance: InstanceId,
    wanted: Option<&str>,
    mirror: &mut Mirror,
) -> Vec<Json> {
    let mut names = context.attribute_names(instance);
    if let Some(wanted) = wanted
        && !names.iter().any(|name| name == wanted)
    {
        names.push(wanted.into());
    }
    let mut out = Vec::with_capacity(names.len());
    for name in names {
        if let Some(value) = attribute(context, instance, &name, mirror) {
            out.push(json!([name.as_str(), value]));
        }
    }
    out
}

/// The names of attributes, as a message.
pub(super) fn names_of(names: &[EcoString]) -> Json {
    names.iter().map(|name| Json::from(name.as_str())).collect()
}

/// An instance of a finished run with all its attributes, in the order of their names.
pub(super) fn row(
    context: &mut dyn Context,
    instance: InstanceId,
    names: &[EcoString],
    mirror: &mut Mirror,
) -> Json {
    let mut row = Vec::with_capacity(names.len() + 1);
    row.push(json!(instance.0));
    for name in names {
        let value = attribute(context, instance, name, mirror);
        row.push(value.unwrap_or_else(|| json!({"$n": 0})));
    }
    row.into()
}

/// What is known of an attribute for good, as a message.
fn attribute(
    context: &mut dyn Context,
    instance: InstanceId,
    name: &str,
    mirror: &mut Mirror,
) -> Option<Json> {
    match context.attribute(instance, name) {
        Ok(value) | Err(Stop::Unknown(value)) => Some(sent(&value, mirror)),
        Err(Stop::Error(error)) => match error.class {
            Class::OptionalValue => Some(json!({"$m": ["optional", error.message]})),
            Class::NotFound => Some(json!({"$m": ["missing", error.message]})),
            _ => None,
        },
        Err(_) => None,
    }
}

/// What keeps a question from being answered, as a message.
pub(super) fn stop(stop: &Stop, mirror: &mut Mirror) -> Json {
    match stop {
        Stop::Unset(variables) => {
            json!({"wait": variables.iter().map(|variable| variable.0).collect::<Vec<_>>()})
        }
        Stop::Unknown(value) => json!({"unknown": sent(value, mirror)}),
        Stop::Raised { class, text } => json!({"text": format!("{class}: {text}")}),
        Stop::Explicit { message, .. } => json!({"text": message}),
        Stop::Error(error) => json!({"text": error.message}),
    }
}

/// The variables that a call waits for.
pub(super) fn variables(json: &Json) -> Vec<VarId> {
    let numbers = json.as_array().into_iter().flatten().filter_map(Json::as_u64);
    numbers.map(|number| VarId(number as u32)).collect()
}
