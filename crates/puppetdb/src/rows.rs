//! Rows of the database as JSON.

use std::collections::HashMap;
use std::fmt::Write as _;

use ordain_fleet_store::{Connection, FleetStoreError, Value, decompress};
use ordain_functions::digest::{hex, push_hex};
use serde_json::Value as Json;

use crate::sql::Decoder;
use crate::time;

/// The columns of a result.
pub(crate) struct Columns {
    columns: Vec<OutputColumn>,
    /// The names of environments as JSON, by their ids.
    environments: HashMap<i64, String>,
}

struct OutputColumn {
    name: String,
    /// The start of the member of an object: a comma after the column before, the name, a colon.
    key: String,
    decoder: Decoder,
}

fn damaged(what: &str) -> FleetStoreError {
    FleetStoreError::Failed { reason: format!("the database holds no valid {what}"), code: None }
}

impl Columns {
    /// Columns of a statement in the same transaction.
    pub(crate) fn new(
        connection: &mut dyn Connection,
        columns: &[(String, Decoder)],
    ) -> Result<Self, FleetStoreError> {
        let mut environments = HashMap::new();
        if columns.iter().any(|(_, decoder)| *decoder == Decoder::Environment) {
            for row in connection.rows("SELECT id, environment FROM environments", &[])? {
                let [id, name] = row.as_slice() else { return Err(damaged("row")) };
                environments.insert(id.integer()?, Json::from(name.text()?).to_string());
            }
        }
        let columns = columns.iter().enumerate().map(|(at, (name, decoder))| OutputColumn {
            name: name.clone(),
            key: format!("{}{}:", if at > 0 { "," } else { "" }, Json::from(name.as_str())),
            decoder: *decoder,
        });
        Ok(Columns { columns: columns.collect(), environments })
    }

    /// Appends a row as an object.
    pub(crate) fn object(&self, row: &[Value], out: &mut String) -> Result<(), FleetStoreError> {
        out.push('{');
        let mut values = row;
        for column in &self.columns {
            out.push_str(&column.key);
            values = self.column(column, values, out)?;
        }
        out.push('}');
        Ok(())
    }

    /// Appends the first column of a row; compressed data without the object around it.
    pub(crate) fn value(&self, row: &[Value], out: &mut String) -> Result<(), FleetStoreError> {
        match (self.columns.first(), row) {
            (Some(column), [_, Value::Bytes(data), ..])
                if column.decoder == Decoder::Compressed =>
            {
                out.push_str(&compressed(data)?);
            }
            (Some(column), row) => {
                self.column(column, row, out)?;
            }
            (None, _) => out.push_str("null"),
        }
        Ok(())
    }

    /// Appends a column; returns the columns after it.
    fn column<'a>(
        &self,
        column: &OutputColumn,
        values: &'a [Value],
        out: &mut String,
    ) -> Result<&'a [Value], FleetStoreError> {
        let name = column.name.as_str();
        let Some((value, rest)) = values.split_first() else { return Err(damaged("row")) };
        match (column.decoder, value) {
            (Decoder::Compressed, hash) => {
                let Some((data, rest)) = rest.split_first() else { return Err(damaged("row")) };
                let hash = hex(hash.bytes()?);
                let data = compressed(data.bytes()?)?;
                out.push_str(&format!(
                    "{{\"data\":{data},\"href\":\"/pdb/query/v4/reports/{hash}/{name}\"}}"
                ));
                return Ok(rest);
            }
            (_, Value::Null) => {
                // PuppetDB shows resources without parameters so.
                out.push_str(if name == "parameters" { "{}" } else { "null" });
            }
            (Decoder::Boolean, value) => {
                out.push_str(if value.boolean()? { "true" } else { "false" });
            }
            (Decoder::Time, value) => {
                out.push('"');
                time::write(value.integer()?, out);
                out.push('"');
            }
            (Decoder::Environment, value) => {
                let name = self.environments.get(&value.integer()?);
                out.push_str(name.ok_or_else(|| damaged("environment"))?);
            }
            (Decoder::Hash, value) => {
                out.push('"');
                push_hex(value.bytes()?, out);
                out.push('"');
            }
            (Decoder::Json, Value::Text(json)) => out.push_str(json),
            (Decoder::FactSet, Value::Text(json)) => fact_set(json, out)?,
            (Decoder::Part, Value::Text(json)) => part(json, out)?,
            (_, value) => plain(value, out),
        }
        Ok(rest)
    }
}

fn compressed(data: &[u8]) -> Result<String, FleetStoreError> {
    String::from_utf8(decompress(data)?).map_err(|_| damaged("text"))
}

fn plain(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Integer(number) => {
            // Writing into a string never fails.
            let _ = write!(out, "{number}");
        }
        Value::Float(number) => out.push_str(&Json::from(*number).to_string()),
        Value::Text(text) => string(text, out),
        Value::Bytes(bytes) => {
            out.push('"');
            push_hex(bytes, out);
            out.push('"');
        }
    }
}

/// Appends a text as JSON. Answers have a hundred megabytes of texts, and few have anything to escape.
fn string(text: &str, out: &mut String) {
    let is_escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if text.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
        out.push_str(&Json::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

/// `[certname, {name: value}]` as `{"data": [{"name", "value"}], "href"}`.
fn fact_set(text: &str, out: &mut String) -> Result<(), FleetStoreError> {
    let Ok(Json::Array(parts)) = serde_json::from_str(text) else { return Err(damaged("facts")) };
    let [certname, Json::Object(facts)] = parts.as_slice() else { return Err(damaged("facts")) };
    let certname = certname.as_str().unwrap_or_default();
    let facts = facts.iter().map(|(name, value)| serde_json::json!({"name": name, "value": value}));
    let data = Json::Array(facts.collect());
    let href = format!("/pdb/query/v4/factsets/{certname}/facts");
    with_href(data, &href, out);
    Ok(())
}

/// An empty list is null, as in PuppetDB.
fn with_href(data: Json, href: &str, out: &mut String) {
    let data = if data.as_array().is_some_and(Vec::is_empty) { Json::Null } else { data };
    out.push_str(&serde_json::json!({"data": data, "href": href}).to_string());
}

/// `[name, part, data]` as `{"data", "href"}`.
fn part(text: &str, out: &mut String) -> Result<(), FleetStoreError> {
    let Ok(Json::Array(parts)) = serde_json::from_str(text) else { return Err(damaged("part")) };
    let Ok([name, part, mut data]) = <[Json; 3]>::try_from(parts) else {
        return Err(damaged("part"));
    };
    let (name, part) = (name.as_str().unwrap_or_default(), part.as_str().unwrap_or_default());
    let parent = if part == "events" { "reports" } else { "catalogs" };
    if part == "events" {
        for event in data.as_array_mut().into_iter().flatten() {
            let micros = event["timestamp"].as_i64().unwrap_or_default();
            event["timestamp"] = Json::from(time::json_text(micros));
        }
    }
    with_href(data, &format!("/pdb/query/v4/{parent}/{name}/{part}"), out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_by_serde() {
        for text in ["", "plain", "\u{e9}\u{2028}", "a \"quote\"", "back\\slash", "\n\t\u{1}\u{7f}"]
        {
            let mut out = String::new();
            string(text, &mut out);
            assert_eq!(out, Json::from(text).to_string());
        }
    }
}
