//! Resources that handlers of modules deploy: their kinds have the names of their entities, and
//! their attributes are the exported fields.

use std::sync::Arc;

use ordain_data::Value as Data;
use ordain_graph::METAPARAMETERS;
use ordain_graph::transfer::{self, WATCH_ATTRIBUTES};

use super::kinds::{Fields, Mapped, flag, kind_name};

/// The resources that handlers deploy, instead of the kinds of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Handlers {
    /// Those without a kind in the engine, those with references, and those that are reached over a
    /// connection.
    #[default]
    Needed,
    /// All.
    All,
    /// None: the resources of an agent are those of this machine, whatever their connections are.
    None,
}

/// The connection methods that stay on this machine.
const LOCAL: [&str; 4] = ["local", "sudo", "su", "doas"];

/// The attribute with the fields whose names mean something else to the engine.
const OTHER_FIELDS: &str = "other_fields";

/// Fields with the values that they have if nothing else is said.
const DEFAULTS: &[(&str, bool)] =
    &[("report_only", false), ("managed", true), ("purged", false), ("purge_on_delete", false)];

/// The method by which a resource is reached on another machine, if it is there.
pub(super) fn remote_method<'a>(fields: Fields<'a>) -> Option<&'a str> {
    let mut next = fields.get("via");
    while let Some(via) = next.filter(|via| via.as_map().is_some()) {
        let method = via.get("method_name").and_then(Data::as_str).unwrap_or_default();
        if !LOCAL.contains(&method) {
            return Some(method);
        }
        next = via.get("via");
    }
    None
}

/// Whether a field is a reference that is resolved when the resource is deployed.
pub(super) fn has_references(fields: Fields<'_>) -> bool {
    fields.get("mutators").and_then(Data::as_list).is_some_and(|list| !list.is_empty())
}

/// A resource as its handler gets it.
pub(super) fn mapped(entity: &str, title: &str, fields: Fields<'_>) -> Mapped {
    let mut out = Mapped::new(&kind_name(entity), title);
    out.reloads = true;
    out.by_handler = true;
    let mut others = Vec::new();
    let named = fields.0.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
    for (name, value) in named.filter(|(name, value)| !is_left_out(name, value)) {
        if is_of_engine(name) {
            others.push((name, covered(name, value)));
        } else {
            out.set_from(name, covered(name, value), name);
        }
    }
    if !others.is_empty() {
        out.set_from(OTHER_FIELDS, Data::map(others), OTHER_FIELDS);
    }
    if flag(fields, "report_only") {
        out.set_from("noop", Data::Bool(true), "report_only");
    }
    out
}

/// The endings of names of fields with secrets.
const SECRET_ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "private_key",
    "api_key",
    "credential",
    "credentials",
    "psk",
];

/// Whether the name of a field or setting says that its value is a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A value whose parts are secrets if their names say so.
fn covered(name: &str, value: &Data) -> Data {
    let is_secret = is_secret_name(name);
    match value {
        Data::Null | Data::Bool(_) | Data::Secret(_) => value.clone(),
        _ if is_secret => Data::Secret(Arc::new(value.clone())),
        Data::List(items) => Data::list(items.iter().map(|item| covered(name, item))),
        Data::Map(entries) => {
            let entry = |(key, value): (&Data, &Data)| {
                (key.clone(), covered(key.as_str().unwrap_or_default(), value))
            };
            Data::Map(Arc::new(entries.iter().map(entry).collect()))
        }
        _ => value.clone(),
    }
}

/// Whether a handler gets the same without a field.
fn is_left_out(name: &str, value: &Data) -> bool {
    let default = DEFAULTS.iter().find(|(field, _)| *field == name).map(|(_, value)| *value);
    match name {
        // The engine sends the events.
        "id" | "requires" | "version" | "send_event" | "receive_events" => true,
        "references" | "mutators" => value.as_list().is_none_or(<[Data]>::is_empty),
        _ => value.is_null() || default.is_some() && value.as_bool() == default,
    }
}

/// Whether an attribute of this name would mean something to the engine.
fn is_of_engine(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
        || transfer::is_transfer(name)
        || WATCH_ATTRIBUTES.contains(&name)
        || name == "provider"
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fields(text: &str) -> ordain_data::Map {
        match ordain_data::json::read(text) {
            Ok(Data::Map(fields)) => (*fields).clone(),
            other => panic!("it is a map: {other:?}"),
        }
    }

    #[test]
    fn handlers_get_what_is_not_usual() {
        let fields = fields(
            r#"{"send_event": true, "receive_events": true, "references": [], "mutators": [],
                "report_only": true, "purged": false, "schedule": "daily", "name": "x", "size": null}"#,
        );
        let mapped = mapped("m::sub::Thing", "x", Fields(&fields));
        assert_eq!((mapped.kind.as_str(), mapped.title.as_str()), ("M::Sub::Thing", "x"));
        let mut names: Vec<&str> = mapped.attributes.iter().map(|(name, ..)| &**name).collect();
        names.sort_unstable();
        assert_eq!(names, ["name", "noop", "other_fields", "report_only"]);
        let (_, others, _) = mapped.attributes.iter().find(|(n, ..)| n == OTHER_FIELDS).unwrap();
        assert_eq!(others.get("schedule").and_then(Data::as_str), Some("daily"));
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        let fields =
            fields(r#"{"via": {"password": "x", "port": 1}, "api_token": "y", "tokens": "z"}"#);
        let mapped = mapped("m::Thing", "x", Fields(&fields));
        let secret = mapped.attributes.iter().filter(|(_, value, _)| value.holds_secret());
        let names: Vec<&str> = secret.map(|(name, ..)| &**name).collect();
        assert_eq!(names, ["via", "api_token"]);
    }

    #[test]
    fn connections_lead_to_other_machines() {
        let method = |text: &str| remote_method(Fields(&fields(text))).map(str::to_owned);
        assert_eq!(method(r#"{"via": {"method_name": "local"}}"#), None);
        let nested = r#"{"via": {"method_name": "sudo", "via": {"method_name": "ssh"}}}"#;
        assert_eq!(method(nested).as_deref(), Some("ssh"));
        assert_eq!(method("{}"), None);
    }
}
