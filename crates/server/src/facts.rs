//! Facts that agents send.

use ordain_ca::Certname;
use ordain_data::Value as Data;
use ordain_data::json;

use crate::url::{Parameters, percent};

/// The facts of a node.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FactSet {
    /// The facts by name.
    pub(crate) values: Data,
}

impl FactSet {
    /// Reads the facts in the form of a request for a catalog; `None` if it has none. They must be
    /// those of the node.
    ///
    /// # Errors
    /// The message for the agent.
    pub(crate) fn of_form(form: &Parameters, node: &Certname) -> Result<Option<Self>, String> {
        let Some(text) = form.get("facts") else { return Ok(None) };
        match form.get("facts_format") {
            // PSON is JSON that may have bytes in texts; those are refused as not UTF-8.
            Some("application/json" | "pson" | "text/pson") => {}
            Some(other) => return Err(format!("Unsupported facts format: {other}")),
            None => return Err("The facts have no facts_format".to_string()),
        }
        // Agents encode facts twice: once as a value, once as a part of the form.
        match text.starts_with('{') {
            true => Self::read(text.as_bytes(), node).map(Some),
            false => {
                let text = percent(text, true).map_err(|error| error.to_string())?;
                Self::read(text.as_bytes(), node).map(Some)
            }
        }
    }

    /// Reads `{"name": ..., "values": {...}}`. They must be those of the node.
    ///
    /// # Errors
    /// The message for the agent.
    pub(crate) fn read(text: &[u8], node: &Certname) -> Result<Self, String> {
        let document = json::read_bytes(text).map_err(|e| format!("The facts are no JSON: {e}"))?;
        let name = document.get("name").and_then(Data::as_str);
        if name != Some(node.as_str()) {
            let name = name.unwrap_or("no node");
            return Err(format!("The facts of {name} were sent for {node}"));
        }
        match document.get("values") {
            Some(values) if values.as_map().is_some() => Ok(Self { values: values.clone() }),
            _ => Err("The facts have no values".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: &str, facts: &str) -> Result<Option<FactSet>, String> {
        let form = format!("facts_format={format}&facts={facts}");
        let node = Certname::new("a.example.org").unwrap();
        FactSet::of_form(&Parameters::decode(&form).unwrap(), &node)
    }

    #[test]
    fn facts_are_encoded_twice() {
        // {"name":"a.example.org","values":{"a":"b c+d"}}
        let once = "%7B%22name%22%3A%22a.example.org%22%2C%22values%22%3A%7B%22a%22%3A%22b%20c%2Bd%22%7D%7D";
        let twice = once.replace('%', "%25");
        let facts = of("application%2Fjson", &twice).unwrap().unwrap();
        assert_eq!(facts.values, Data::map([("a", Data::str("b c+d"))]));
        assert_eq!(of("pson", once).unwrap().unwrap(), facts);
    }

    #[test]
    fn facts_of_other_nodes_and_forms_are_refused() {
        for (format, facts, error) in [
            ("yaml", "%7B%7D", "Unsupported facts format: yaml"),
            ("pson", "%7B%7D", "The facts of no node were sent for a.example.org"),
            (
                "pson",
                "%7B%22name%22:%22b.example.org%22,%22values%22:%7B%7D%7D",
                "The facts of b.example.org were sent for a.example.org",
            ),
            ("pson", "%7B%22name%22:%22a.example.org%22%7D", "The facts have no values"),
        ] {
            assert_eq!(of(format, facts).unwrap_err(), error);
        }
        assert!(of("pson", "%5B").unwrap_err().starts_with("The facts are no JSON"));
    }

    #[test]
    fn tags_of_rich_data_are_texts() {
        let text = br#"{"name":"a","values":{"x":{"__ptype":"Sensitive","__pvalue":"y"}}}"#;
        let node = Certname::new("a").unwrap();
        let facts = FactSet::read(text, &node).unwrap();
        let x = facts.values.get("x").unwrap();
        assert_eq!(x.get("__ptype").and_then(Data::as_str), Some("Sensitive"));
    }
}
