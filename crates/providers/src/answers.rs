//! Answers of a provider process.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_engine::kind::{
    Action, AttributeError, Change, ChangeOutcome, KindError, Level, LogLine, LogSource,
    Relationship, TextChange,
};
use ordain_engine::kinds::external::{Observation, PreparedResource};
use ordain_functions::text::capitalize;
use ordain_graph::{Attribute, Containment, OriginId, Resource, ResourceRef};
use serde_json::Value as Json;

use crate::values::{from_json, shown};

/// The log line for a change of secret values.
const CHANGED: &str = "changed [redacted] to [redacted]";
/// The initial and maximum interval of checks of resources whose files are unknown.
const PAUSE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(480));
/// The interval of checks of resources whose files are watched; their state may depend on other
/// things, too.
const WATCHED_PAUSE: (Duration, Duration) = (Duration::from_secs(300), Duration::from_secs(1800));

fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_default()
}

/// The error message, with its position in the module's code.
pub(crate) fn error_text(error: &Json) -> String {
    let message = text(error, "message").trim_end();
    match (error["file"].as_str(), error["line"].as_u64()) {
        (Some(file), Some(line)) => format!("{message} (file: {file}, line: {line})"),
        (Some(file), None) => format!("{message} (file: {file})"),
        _ => message.to_string(),
    }
}

/// An error of an attribute, or of the resource as a whole.
pub(crate) fn attribute_error(error: &Json) -> AttributeError {
    AttributeError {
        attribute: error["attribute"].as_str().map(str::to_string),
        message: error_text(error),
        help: None,
    }
}

/// The error in an answer, if any.
pub(crate) fn failure(answer: &Json) -> Result<(), KindError> {
    match &answer["error"] {
        Json::Null => Ok(()),
        error if error["skip"] == true => Err(KindError::skip(error_text(error))),
        error => Err(KindError::new(error_text(error))),
    }
}

fn relationship(name: &str) -> Option<Relationship> {
    Some(match name {
        "require" => Relationship::Require,
        "before" => Relationship::Before,
        "subscribe" => Relationship::Subscribe,
        "notify" => Relationship::Notify,
        _ => return None,
    })
}

/// Reads a prepared resource, and whether it must be checked before the run.
pub(crate) fn prepared(answer: &Json) -> (PreparedResource, bool) {
    let related = |pair: &Json| Some((relationship(pair[0].as_str()?)?, pair[1].as_u64()?));
    let texts = |key: &str| list(&answer[key]).filter_map(Json::as_str).map(str::to_string);
    let watches: Vec<PathBuf> = texts("watch").map(PathBuf::from).collect();
    let (pause, longest) = if watches.is_empty() { PAUSE } else { WATCHED_PAUSE };
    let seconds = answer["timeout"].as_f64().filter(|seconds| *seconds > 0.0);
    let resource = PreparedResource {
        errors: list(&answer["errors"]).map(attribute_error).collect(),
        relationships: list(&answer["relations"]).filter_map(related).collect(),
        remarks: texts("warnings").collect(),
        is_refreshable: answer["refreshable"] == true,
        refreshes_itself: answer["self_refresh"] == true,
        generates: answer["generates"] == true,
        files: texts("files").map(PathBuf::from).collect(),
        acts_always: answer["acts_always"] == true,
        watches,
        poll_interval: Some(pause),
        max_poll_interval: Some(longest),
        timeout: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    };
    (resource, answer["checks"] == true)
}

/// The log lines in an answer.
pub(crate) fn log(answer: &Json) -> Vec<LogLine> {
    let line = |line: &Json| {
        let level = match line[0].as_str().unwrap_or_default() {
            "debug" => Level::Debug,
            "info" => Level::Info,
            "notice" => Level::Notice,
            // Log lines are no failures; only the error of an answer is.
            _ => Level::Warning,
        };
        let message = line[1].as_str().unwrap_or_default().to_string();
        LogLine { level: Some(level), source: LogSource::Resource, message }
    };
    list(&answer["logs"]).map(line).collect()
}

/// The effect of a change, from the property and its values.
fn action(change: &Json, before: &Value, after: &Value) -> Action {
    match text(change, "action") {
        "create" => return Action::Create,
        "modify" => return Action::Modify,
        "remove" => return Action::Remove,
        "run" => return Action::Run,
        _ => {}
    }
    let is_absent = |value: &Value| {
        value.is_null() || value.as_str().is_some_and(|v| ["absent", "purged"].contains(&v))
    };
    match change["name"].as_str() {
        Some("ensure") if is_absent(after) => Action::Remove,
        Some("ensure") if is_absent(before) => Action::Create,
        _ => Action::Modify,
    }
}

fn change(change: &Json) -> Change {
    let (before, after) = (shown(&change["is"]), shown(&change["should"]));
    let action = action(change, &before, &after);
    let is_secret = change["secret"] == true || before.holds_secret() || after.holds_secret();
    let cover = |value: Value| match value {
        Value::Secret(_) => value,
        value if is_secret => Value::Secret(Arc::new(value)),
        value => value,
    };
    let diff = &change["diff"];
    let diff = diff["before"].as_str().zip(diff["after"].as_str()).filter(|_| !is_secret);
    let message = if is_secret { CHANGED.to_string() } else { text(change, "text").to_string() };
    Change {
        action,
        property: text(change, "name").to_string(),
        before: cover(before),
        after: cover(after),
        text: diff.map(|(before, after)| TextChange { before: before.into(), after: after.into() }),
        message,
    }
}

/// The state of a resource.
pub(crate) fn observation(answer: &Json) -> Observation {
    let changes = failure(answer).map(|()| list(&answer["changes"]).map(change).collect());
    Observation { changes, log: log(answer) }
}

/// The results of changes.
pub(crate) fn outcomes(answer: &Json, changes: &[Change]) -> Vec<ChangeOutcome> {
    let outcome = |event: &Json| {
        let property = text(event, "name").to_string();
        let change = changes.iter().find(|change| change.property == property);
        let is_secret = change.is_some_and(|c| c.before.holds_secret() || c.after.holds_secret());
        let message = match text(event, "text") {
            "" => change.map(|change| change.message.clone()).unwrap_or_default(),
            message => message.to_string(),
        };
        let result = match (text(event, "status"), &event["error"]) {
            ("failure", Json::Null) => Err(KindError::new(message)),
            ("failure", error) => Err(KindError::new(error_text(error))),
            _ if is_secret => Ok(CHANGED.to_string()),
            _ => Ok(message),
        };
        ChangeOutcome { property, result }
    };
    list(&answer["events"]).map(outcome).collect()
}

/// The name of a kind in a graph: `Owner::Name` for `owner::name`.
fn graph_kind(name: &str) -> String {
    name.split("::").map(capitalize).collect::<Vec<_>>().join("::")
}

/// A resource that the type generated.
pub(crate) fn generated(answer: &Json) -> Option<Resource> {
    let (kind, title) = (answer["kind"].as_str()?, answer["title"].as_str()?);
    let secret: Vec<&str> = list(&answer["sensitive"]).filter_map(Json::as_str).collect();
    let origin = OriginId(0);
    let attribute = |(name, value): (&String, &Json)| {
        let value = match from_json(value) {
            value @ (Value::Secret(_) | Value::Null) => value,
            value if secret.contains(&name.as_str()) => Value::Secret(Arc::new(value)),
            value => value,
        };
        Attribute { name: name.as_str().into(), value, origin, losers: Vec::new() }
    };
    let values = answer["values"].as_object().into_iter().flatten();
    Some(Resource {
        id: ResourceRef { kind: graph_kind(kind).into(), title: title.into() },
        containment: Containment::Leaf,
        attributes: values.map(attribute).filter(|a| !a.value.is_null()).collect(),
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    })
}

/// An instance on the machine, as an absent resource. Only its names are used.
pub(crate) fn instance(answer: &Json, names: &[String]) -> Option<Resource> {
    let mut resource = generated(answer)?;
    resource
        .attributes
        .retain(|attribute| names.iter().any(|name| attribute.name == name.as_str()));
    resource.attributes.push(Attribute {
        name: "ensure".into(),
        value: Value::str("absent"),
        origin: resource.origin,
        losers: Vec::new(),
    });
    Some(resource)
}

/// The current values of properties.
pub(crate) fn retrieved(answer: &Json) -> Vec<(String, Value)> {
    let value = |property: &Json| {
        let value = shown(&property[1]);
        let value = match property[2] == true {
            true => Value::Secret(Arc::new(value)),
            false => value,
        };
        Some((property[0].as_str()?.to_string(), value))
    };
    list(&answer["values"]).filter_map(value).collect()
}
