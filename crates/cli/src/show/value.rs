//! Values of graphs as text.

use ordain_data::Value;
use ordain_puppet::types::format::quoted::quoted;
use ordain_puppet::value::rich::from_data;

/// The replacement of a secret.
pub(crate) const SECRET: &str = "(secret)";

/// A value in Puppet's notation, without secrets.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "absent".into(),
        Value::Secret(_) => SECRET.into(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(k, v)| format!("{} => {}", shown(k), shown(v)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => quoted(&from_data(other)),
    }
}
