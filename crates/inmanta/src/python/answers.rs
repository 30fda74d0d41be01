//! Answers the questions of the child during a call.

use std::cell::RefCell;

use ecow::EcoString;
use serde_json::Value as Json;

use super::message::{Message, list, plain};
use super::mirror::Mirror;
use super::rows::{Rows, reason};
use super::wire::{received, write};
use crate::diagnostics::Class;
use crate::functions;
use crate::model::plugin::{Context, Stop};
use crate::value::{InstanceId, Value, VarId};

/// A question of the child.
struct ChildRequest<'a> {
    context: &'a mut dyn Context,
    mirror: &'a RefCell<Mirror>,
    with: &'a Json,
}

/// Answers a question.
///
/// # Errors
/// If there is no answer. The call then stops.
pub(super) fn answer(
    context: &mut dyn Context,
    message: &Json,
    mirror: &RefCell<Mirror>,
) -> Result<Message, Stop> {
    let mut question = ChildRequest { context, mirror, with: &message["with"] };
    match message["ask"].as_str().unwrap_or_default() {
        "attribute" => Ok(question.attribute()),
        "life" => Ok(Message::new()),
        "is" => Ok(question.is_instance()),
        "entity" => Ok(Message::with("v", question.context.entity(question.text(0)))),
        "lookup" => question.lookup(),
        "type" => Ok(Message::with("v", question.text(0))),
        "validate" => question.validate(),
        "call" => question.call(),
        "plugins" => {
            let names = question.context.plugin_names();
            Ok(names_as(names.iter()))
        }
        other => Ok(Message::with("text", format!("there is no question `{other}`"))),
    }
}

impl ChildRequest<'_> {
    fn text(&self, at: usize) -> &str {
        self.with[at].as_str().unwrap_or_default()
    }

    fn instance(&self) -> InstanceId {
        InstanceId(self.with[0].as_u64().unwrap_or(u64::MAX) as u32)
    }

    fn value(&mut self, at: usize) -> Result<Value, Stop> {
        received(&self.with[at], self.context, &mut self.mirror.borrow_mut())
    }

    fn sent(&mut self, value: &Value) -> Message {
        Message::with_value("v", value, &mut self.mirror.borrow_mut())
    }

    /// An attribute of an instance, together with all others that have a value.
    fn attribute(&mut self) -> Message {
        let (instance, name) = (self.instance(), self.text(1).to_owned());
        if self.mirror.borrow().is_finished() {
            return self.attribute_of_finished(instance, &name);
        }
        let mut names = self.context.attribute_names(instance);
        if !names.contains(&EcoString::from(name.as_str())) {
            names.push(name.as_str().into());
        }
        let KnownAttributes { attributes, missing } =
            known(self.context, instance, names, &mut self.mirror.borrow_mut());
        let mut reply = match missing.iter().any(|missing| *missing == name) {
            false => Message::new(),
            true => match self.context.attribute(instance, &name) {
                Ok(value) => self.sent(&value),
                Err(found) => stop(&found, &mut self.mirror.borrow_mut()),
            },
        };
        reply.entry("known").extend(attributes.into_text());
        reply
    }

    /// An attribute after the run, together with the attributes of all instances of the entity that
    /// the child knows: code that reads one mostly reads all.
    fn attribute_of_finished(&mut self, instance: InstanceId, name: &str) -> Message {
        let mirror = &mut *self.mirror.borrow_mut();
        let entity = EcoString::from(self.context.entity_name(instance));
        let names = self.context.attribute_names(instance);
        let mut rows = Rows::default();
        // Attributes may refer to further instances of the entity, which are sent in the same
        // message.
        let mut next = mirror.completes(instance).then_some(instance);
        loop {
            next = next.or_else(|| mirror.next_incomplete(&entity, self.context));
            let Some(instance) = next.take() else { break };
            rows.add(self.context, instance, &names, mirror);
        }
        let mut reply = Message::new();
        list(reply.entry("rows"), [(names.as_slice(), rows)], |out, (names, rows)| {
            rows.write(out, names);
        });
        if !names.iter().any(|known| known == name) {
            let wanted = vec![name.into()];
            let known = known(self.context, instance, wanted, mirror);
            reply.entry("known").extend(known.attributes.into_text());
        }
        reply
    }

    fn is_instance(&mut self) -> Message {
        let is = self.context.is_instance(self.instance(), self.text(1));
        Message::with("v", is.unwrap_or_default())
    }

    /// A name that is visible at the call.
    fn lookup(&mut self) -> Result<Message, Stop> {
        let name = self.text(0).to_owned();
        let found = match name.rsplit_once("::") {
            Some((namespace, name)) => self.context.lookup_in(namespace, name),
            None => self.context.lookup(&name),
        };
        Ok(match found {
            Ok(value) => self.sent(&value),
            Err(Stop::Error(error)) if error.class == Class::NotFound => {
                Message::with("missing", true)
            }
            Err(found) => stop(&found, &mut self.mirror.borrow_mut()),
        })
    }

    /// Whether a value fits a type of `std::validate_type`.
    fn validate(&mut self) -> Result<Message, Stop> {
        let (value, parameters) = (self.value(1)?, self.value(2)?);
        let parameters = match &parameters {
            Value::Dict(entries) => Some(&**entries),
            _ => None,
        };
        match functions::validate(self.context.world(), self.text(0), &value, parameters) {
            Ok(answer) => Ok(Message::with("v", answer)),
            Err(Stop::Raised { text, .. }) => Ok(Message::with("text", text)),
            Err(found) => Err(found),
        }
    }

    /// A call of another plugin.
    fn call(&mut self) -> Result<Message, Stop> {
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

fn names_as<'a>(names: impl Iterator<Item = &'a EcoString>) -> Message {
    Message::with("v", names.map(EcoString::as_str).collect::<Vec<_>>())
}

/// The attributes of an instance whose values are final.
pub(super) struct KnownAttributes {
    /// The final attributes, as a message.
    pub(super) attributes: Message,
    /// The names of the attributes without a final value.
    pub(super) missing: Vec<EcoString>,
}

/// The attributes with these names, as far as their values are final.
pub(super) fn known(
    context: &mut dyn Context,
    instance: InstanceId,
    names: Vec<EcoString>,
    mirror: &mut Mirror,
) -> KnownAttributes {
    let mut attributes = Message::new();
    let mut missing = names;
    missing.retain(|name| {
        !attributes.try_set(name, |out| write_attribute(out, context, instance, name, mirror))
    });
    KnownAttributes { attributes, missing }
}

/// Adds an attribute to a message, if its value is final. Returns whether it is.
fn write_attribute(
    out: &mut Vec<u8>,
    context: &mut dyn Context,
    instance: InstanceId,
    name: &str,
    mirror: &mut Mirror,
) -> bool {
    match context.attribute(instance, name) {
        Ok(value) | Err(Stop::Unknown(value)) => write(out, &value, mirror),
        Err(stop) => {
            let Some(reason) = reason(&stop) else { return false };
            out.extend(br#"{"$m":"#);
            plain(out, reason);
            out.push(b'}');
        }
    }
    true
}

/// The message that there is no answer.
pub(super) fn stop(stop: &Stop, mirror: &mut Mirror) -> Message {
    match stop {
        Stop::Unset(variables) => {
            Message::with("wait", variables.iter().map(|variable| variable.0).collect::<Vec<_>>())
        }
        Stop::Unknown(value) => Message::with_value("unknown", value, mirror),
        Stop::Raised { class, text } => Message::with("text", format!("{class}: {text}")),
        Stop::Explicit { message, .. } => Message::with("text", message),
        Stop::Error(error) => Message::with("text", &error.message),
    }
}

/// The variables that a call waits for.
pub(super) fn variables(json: &Json) -> Vec<VarId> {
    let numbers = json.as_array().into_iter().flatten().filter_map(Json::as_u64);
    numbers.map(|number| VarId(number as u32)).collect()
}
