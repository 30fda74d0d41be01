//! A JSON document that keeps the spelling of numbers.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The maximum depth of values.
const MAX_DEPTH: usize = 128;

/// Members by name; the order in the file is not kept.
pub(super) type Members = BTreeMap<String, Node>;

/// An object.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Document {
    pub(super) members: Members,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Node {
    Object(Members),
    List(Vec<Node>),
    Text(String),
    /// A number, `true`, `false` or `null`, as written.
    Plain(String),
}

impl Document {
    /// Reads a document.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let raw: &RawValue = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        match Node::read(raw, 0)? {
            Node::Object(members) => Ok(Self { members }),
            _ => Err("the root is not an object".to_string()),
        }
    }

    /// The document as it is written to a file.
    pub(super) fn print(&self) -> String {
        let mut out = String::new();
        print_members(&self.members, 0, &mut out);
        out.push('\n');
        out
    }
}

impl Node {
    /// Reads a value.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|e| e.to_string())?;
        Self::read(raw, 0)
    }

    fn read(raw: &RawValue, depth: usize) -> Result<Self, String> {
        if depth > MAX_DEPTH {
            return Err(format!("values are nested more than {MAX_DEPTH} deep"));
        }
        let text = raw.get();
        let wrong = |e: serde_json::Error| e.to_string();
        Ok(match text.as_bytes().first() {
            Some(b'{') => {
                let members: BTreeMap<String, &RawValue> =
                    serde_json::from_str(text).map_err(wrong)?;
                let read = |(name, raw)| Ok((name, Self::read(raw, depth + 1)?));
                Self::Object(members.into_iter().map(read).collect::<Result<_, String>>()?)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
                let read = |raw| Self::read(raw, depth + 1);
                Self::List(items.into_iter().map(read).collect::<Result<_, String>>()?)
            }
            Some(b'"') => Self::Text(serde_json::from_str(text).map_err(wrong)?),
            _ => Self::Plain(text.to_string()),
        })
    }

    fn print(&self, depth: usize, out: &mut String) {
        match self {
            Self::Object(members) => print_members(members, depth, out),
            Self::List(items) if items.is_empty() => out.push_str("[]"),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    begin_item(at, depth + 1, out);
                    item.print(depth + 1, out);
                }
                begin_line(depth, out);
                out.push(']');
            }
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Plain(text) => out.push_str(text),
        }
    }
}

fn print_members(members: &Members, depth: usize, out: &mut String) {
    if members.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push('{');
    for (at, (name, value)) in members.iter().enumerate() {
        begin_item(at, depth + 1, out);
        out.push_str(&quoted(name));
        out.push_str(": ");
        value.print(depth + 1, out);
    }
    begin_line(depth, out);
    out.push('}');
}

fn begin_item(at: usize, depth: usize, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
    begin_line(depth, out);
}

fn begin_line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n('\t', depth));
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn numbers_stay_and_names_are_sorted() {
        let text = r#"{"b":1.50,"a":[12345678901234567890123,{"x":"\u00e4\n"},[],{}],"b":2.0}"#;
        let document = Document::parse(text.as_bytes()).unwrap();
        let wanted = "{\n\t\"a\": [\n\t\t12345678901234567890123,\n\t\t{\n\t\t\t\"x\": \"ä\\n\"\n\t\t},\n\t\t[],\n\t\t{}\n\t],\n\t\"b\": 2.0\n}\n";
        assert_eq!(document.print(), wanted);
        assert_eq!(Document::parse(wanted.as_bytes()).unwrap(), document);
    }

    #[test]
    fn only_objects_are_documents() {
        let deep = "[".repeat(100_000);
        for bad in ["", "[]", "null", "{} {}", "{", &format!("{{\"a\":{deep}")] {
            assert!(Document::parse(bad.as_bytes()).is_err(), "{bad:.20}");
        }
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
        assert!(Document::parse(deep.as_bytes()).unwrap_err().contains("nested"));
    }
}
