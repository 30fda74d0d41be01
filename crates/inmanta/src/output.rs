//! The outcome of a run as JSON.

use std::borrow::Cow;

use ordain_data::{Decrypted, REDACTED, Redactor};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};

use crate::diagnostics::{Class, Error, Fault};
use crate::eval::Net;
use crate::location::{Files, Location};
use crate::session::Outcome;
use crate::value::{InstanceId, ObjectKind, Value, float_text};

/// The ids of instances: the entity with a counter.
struct Ids<'a> {
    net: &'a Net<'a>,
    numbers: Vec<u32>,
}

impl<'a> Ids<'a> {
    fn of(net: &'a Net<'a>) -> Self {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let number = |id| {
            let count = counts.entry(net.entity(id)).or_default();
            *count += 1;
            *count
        };
        Self { net, numbers: net.instances().map(number).collect() }
    }

    fn id(&self, id: InstanceId) -> Json {
        let entity = &self.net.program.entities[self.net.entity(id) as usize].full_name;
        json!(format!("{entity}#{}", self.numbers[id.0 as usize]))
    }

    fn value(&self, value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(b) => json!(b),
            Value::Int(n) => json!(n),
            Value::BigInt(n) => json!({"$int": n.to_string()}),
            Value::Float(x) => json!({"$float": float_text(*x)}),
            Value::Str(text) => json!(text.as_str()),
            Value::List(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Dict(entries) => {
                let entries: Map<String, Json> =
                    entries.iter().map(|(k, v)| (k.to_string(), self.value(v))).collect();
                json!({"$dict": entries})
            }
            Value::Instance(id) => json!({"$ref": self.id(*id)}),
            Value::Unknown(_) => json!({"$unknown": true}),
            Value::Reference(reference) => json!({"$reference": reference.class.as_str()}),
            Value::Object(object) => match &object.sort {
                ObjectKind::Tuple(items) => self.value(items),
                _ => json!({"$py": object.repr.as_str()}),
            },
        }
    }

    fn optional(&self, value: Option<&Value>) -> Json {
        value.map_or_else(|| json!({"$unset": true}), |value| self.value(value))
    }
}

fn location(at: Location, files: &Files) -> Json {
    let mut out = json!({"file": files.name(at.file), "l": at.line});
    if at.is_range() {
        out["c"] = json!(at.column);
        out["el"] = json!(at.end_line);
        out["ec"] = json!(at.end_column);
    }
    out
}

/// The module and the name of an error's class, or of its Python exception.
fn class(found: &Error) -> (&str, &str) {
    match &found.python {
        Some(text) if found.class == Class::Python => {
            let full = text.split(": ").next().unwrap_or(text);
            full.rsplit_once('.').unwrap_or((found.class.module(), full))
        }
        _ => (found.class.module(), found.class.name()),
    }
}

/// An error with its causes as JSON, without its trace.
pub fn error(found: &Error, files: &Files) -> Json {
    let (module, class) = class(found);
    let mut out = json!({
        "class": class,
        "module": module,
        "msg": found.message,
        "location": found.location.map(|at| location(at, files)),
    });
    if !matches!(found.class, Class::Python | Class::ZeroDivision) {
        out["mro"] = json!(found.class.bases());
    }
    if !found.causes.is_empty() {
        out["causes"] = found.causes.iter().map(|cause| error(cause, files)).collect();
    }
    if let Some(python) = &found.python
        && found.class != Class::Python
    {
        // The name has no module, like that of the error's class.
        let (class, text) = python.split_once(": ").unwrap_or((python, ""));
        let class = class.rsplit('.').next().unwrap_or(class);
        out["python_cause"] = json!(format!("{class}: {text}"));
    }
    out
}

/// The outcome as JSON, without the instances.
fn head(outcome: &Outcome<'_>) -> Map<String, Json> {
    let net = &outcome.net;
    let files = &net.program.files;
    let mut out = Map::new();
    out.insert("stdout".into(), json!(net.stdout()));
    let warnings = outcome.warnings().iter().filter(|w| !w.class.is_empty());
    let warnings = warnings.map(|w| format!("{}: {}", w.class, w.text));
    out.insert("warnings".into(), warnings.collect());
    let calls: Map<_, _> = net.calls().into_iter().map(|(n, c)| (n, json!(c))).collect();
    out.insert("plugin_calls".into(), calls.into());
    if let Some(found) = &outcome.error {
        out.insert("status".into(), json!("error"));
        let mut error = error(found, files);
        error["trace"] = json!(found.trace(files));
        error["explain"] = json!(found.explained());
        out.insert("error".into(), error);
        return out;
    }
    out.insert("status".into(), json!("ok"));
    let ids = Ids::of(net);
    let vars = net.variables().into_iter();
    let vars: Map<String, Json> =
        vars.map(|(name, value)| (name, ids.optional(value.as_ref()))).collect();
    out.insert("vars".into(), vars.into());
    out
}

/// The errors of a run as the original's `--export-compile-data` writes them.
pub fn compile_data(found: Option<&Error>, files: &Files) -> String {
    let errors: Vec<Json> = found.into_iter().map(|found| compile_error(found, files)).collect();
    json!({"errors": errors}).to_string()
}

fn compile_error(found: &Error, files: &Files) -> Json {
    let (category, class, message) = match found.class {
        Class::Parser | Class::InvalidNamespaceAccess | Class::Hyphen => {
            ("parse_error", None, found.message.clone())
        }
        Class::ExplicitPlugin => {
            let message = match &found.fault {
                Some(Fault::Refused(message)) => message.clone(),
                _ => String::new(),
            };
            ("plugin_exception", Some("inmanta.plugins.PluginException"), message)
        }
        _ => ("runtime_error", None, found.message.clone()),
    };
    let class = class
        .map_or_else(|| format!("{}.{}", found.class.module(), found.class.name()), str::to_owned);
    // Lines and columns count from 0 in this format. A whole line ends at the beginning of the next
    // one.
    let place = |at: Location| {
        let (start, end) = if at.is_range() {
            ((at.line - 1, at.column - 1), (at.end_line - 1, at.end_column - 1))
        } else {
            ((at.line.saturating_sub(1), 0), (at.line, 0))
        };
        let point = |(line, character): (u32, u32)| json!({"line": line, "character": character});
        json!({"uri": files.name(at.file), "range": {"start": point(start), "end": point(end)}})
    };
    json!({
        "category": category,
        "type": class,
        "message": message,
        "location": found.location.map(place),
    })
}

fn instance(id: InstanceId, ids: &Ids<'_>) -> Json {
    let net = ids.net;
    let files = &net.program.files;
    let attributes: Map<String, Json> = net
        .attributes(id)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), ids.optional(value.as_ref())))
        .collect();
    let mut implementations = net.implementations(id);
    implementations.sort_unstable();
    let places = net.places(id);
    let places: Vec<String> =
        places.iter().map(|at| format!("{}:{}", files.name(at.file), at.line)).collect();
    let entity = &net.program.entities[net.entity(id) as usize].full_name;
    json!({
        "id": ids.id(id),
        "type": entity.as_str(),
        "loc": places,
        "attrs": attributes,
        "implementations": implementations,
    })
}

/// The outcome as JSON.
pub fn json(outcome: &Outcome<'_>) -> Json {
    let mut out = head(outcome);
    if outcome.error.is_none() {
        let ids = Ids::of(&outcome.net);
        let instances = outcome.net.instances().map(|id| instance(id, &ids));
        out.insert("instances".into(), instances.collect());
    }
    out.into()
}

/// Writes the outcome as JSON with further entries. The text of a large model is long, so it is
/// written without a tree in memory. Passwords are included only if requested.
///
/// # Errors
/// If an entry cannot be written.
pub fn text(
    outcome: &Outcome<'_>,
    further: &Map<String, Json>,
    has_secrets: bool,
) -> serde_json::Result<String> {
    let secrets = Some(&outcome.net.secrets).filter(|all| !has_secrets && !all.is_empty());
    let hiding = secrets.map(|secrets| PasswordFilter { secrets, redactor: secrets.redactor() });
    let text = |mut value: Json| {
        hiding.iter().for_each(|hiding| hiding.hide(&mut value));
        serde_json::to_string(&value)
    };
    let mut out = text(head(outcome).into())?;
    out.pop();
    if outcome.error.is_none() {
        let ids = Ids::of(&outcome.net);
        out.push_str(",\"instances\":[");
        for id in outcome.net.instances() {
            if id.0 > 0 {
                out.push(',');
            }
            out.push_str(&text(instance(id, &ids))?);
        }
        out.push(']');
    }
    for (key, value) in further {
        out.push(',');
        out.push_str(&serde_json::to_string(key)?);
        out.push(':');
        match hiding {
            Some(_) => out.push_str(&text(value.clone())?),
            None => out.push_str(&serde_json::to_string(value)?),
        }
    }
    out.push('}');
    Ok(out)
}

/// Removes passwords from a document.
struct PasswordFilter<'a> {
    secrets: &'a Decrypted,
    redactor: Option<Redactor>,
}

impl PasswordFilter<'_> {
    fn hide(&self, value: &mut Json) {
        match value {
            Json::String(text) => {
                if let Some(shown) = self.shown(text) {
                    *text = shown;
                }
            }
            Json::Number(number) if self.secrets.is_in_text(&number.to_string()) => {
                *value = REDACTED.into();
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.hide(item)),
            Json::Object(entries) => {
                entries.values_mut().for_each(|value| self.hide(value));
                if entries.keys().any(|key| self.shown(key).is_some()) {
                    let shown =
                        |(key, value): (String, Json)| (self.shown(&key).unwrap_or(key), value);
                    *entries = std::mem::take(entries).into_iter().map(shown).collect();
                }
            }
            _ => {}
        }
    }

    /// The text without passwords; `None` if it contains none.
    fn shown(&self, text: &str) -> Option<String> {
        if !self.secrets.is_in_text(text) {
            return None;
        }
        let redacted = self.redactor.as_ref().map(|redactor| redactor.redact(text));
        let is_changed = |shown: &Cow<'_, str>| *shown != text;
        // Short passwords are only found as whole texts.
        Some(redacted.filter(is_changed).map_or_else(|| REDACTED.into(), Cow::into_owned))
    }
}
