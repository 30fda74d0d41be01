//! One edit of a document.

use super::document::{Document, Members, Node};

/// A value at a path, or that there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    path: Vec<String>,
    /// `None` if the member should be absent.
    value: Option<Node>,
}

impl Edit {
    /// Reads `PATH = VALUE` or `del(PATH)`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim_matches(BLANKS);
        let mut reader = Reader { rest: text };
        if let Some(rest) = text.strip_prefix("del") {
            reader.rest = rest;
            reader.blanks();
            reader.expect('(', "expected `(` after `del`")?;
            reader.blanks();
            let path = reader.path()?;
            reader.blanks();
            reader.expect(')', "expected `)` after the path")?;
            reader.blanks();
            if !reader.rest.is_empty() {
                return Err("unexpected text after `)`".to_string());
            }
            return Ok(Self { path, value: None });
        }
        let path = reader.path()?;
        reader.blanks();
        reader.expect('=', "expected `=`")?;
        reader.blanks();
        if reader.rest.is_empty() {
            return Err("a value is missing".to_string());
        }
        Ok(Self { path, value: Some(Node::parse(reader.rest)?) })
    }

    /// Makes it hold.
    pub(super) fn make(&self, document: &mut Document) -> Result<(), String> {
        let Some((last, way)) = self.path.split_last() else { return Ok(()) };
        let mut members = &mut document.members;
        for name in way {
            if self.value.is_none() && !members.contains_key(name) {
                return Ok(());
            }
            let next = members.entry(name.clone()).or_insert(Node::Object(Members::new()));
            let Node::Object(inner) = next else {
                return Err(format!("`{name}` is not an object"));
            };
            members = inner;
        }
        match &self.value {
            Some(value) => drop(members.insert(last.clone(), value.clone())),
            None => drop(members.remove(last)),
        }
        Ok(())
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(BLANKS);
    }

    fn expect(&mut self, c: char, otherwise: &str) -> Result<(), String> {
        self.rest = self.rest.strip_prefix(c).ok_or(otherwise)?;
        Ok(())
    }

    /// A path: member names, each after a dot or in brackets.
    fn path(&mut self) -> Result<Vec<String>, String> {
        self.expect('.', "an edit must start with `.`")?;
        let mut path = Vec::new();
        loop {
            self.blanks();
            path.push(if self.rest.starts_with('[') { self.key()? } else { self.word()? });
            self.blanks();
            if let Some(rest) = self.rest.strip_prefix('.') {
                self.rest = rest;
            } else if !self.rest.starts_with('[') {
                return Ok(path);
            }
        }
    }

    fn word(&mut self) -> Result<String, String> {
        let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Err("expected the name of a member".to_string());
        }
        self.rest = rest;
        Ok(word.to_string())
    }

    /// `["KEY"]`
    fn key(&mut self) -> Result<String, String> {
        self.expect('[', "expected `[`")?;
        self.blanks();
        if !self.rest.starts_with('"') {
            return Err("the text in brackets must be a JSON string".to_string());
        }
        let mut strings = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let key = match strings.next() {
            Some(Ok(key)) => key,
            Some(Err(e)) => return Err(format!("invalid key in brackets: {e}")),
            None => return Err("unterminated key in brackets".to_string()),
        };
        self.rest = &self.rest[strings.byte_offset()..];
        if key.is_empty() {
            return Err("the key in brackets is empty".to_string());
        }
        self.blanks();
        self.expect(']', "expected `]`")?;
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn made(document: &str, edits: &[&str]) -> Result<String, String> {
        let mut document = Document::parse(document.as_bytes()).unwrap();
        for edit in edits {
            Edit::parse(edit).unwrap().make(&mut document)?;
        }
        Ok(document.print().split_whitespace().collect())
    }

    #[test]
    fn values_are_set_and_removed() {
        let made = |document, edits| made(document, edits).unwrap();
        assert_eq!(made("{}", &[".a.b = [1, 2.50]"]), r#"{"a":{"b":[1,2.50]}}"#);
        assert_eq!(made(r#"{"a":1}"#, &["del(.a)", " del ( .b . c ) "]), "{}");
        assert_eq!(
            made("{}", &[r#". ["x.y"] ["\u00e4"]._z9 = "v""#]),
            r#"{"x.y":{"ä":{"_z9":"v"}}}"#
        );
        assert_eq!(made(r#"{"a":{"b":1,"c":2}}"#, &["del(.a.b)"]), r#"{"a":{"c":2}}"#);
    }

    #[test]
    fn invalid_edits_are_refused() {
        let all = [
            "",
            "a = 1",
            ". = 1",
            ".a",
            ".a =",
            ".a = x",
            ".a = 1 2",
            ".1 = 1",
            ".a[0] = 1",
            ".a[\"\"] = 1",
            ".a[\"x = 1",
            "del .a",
            "del(.a",
            "del(.a) x",
            ".ä = 1",
        ];
        for bad in all {
            assert!(Edit::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(made(r#"{"a":1}"#, &[".a.b = 1"]).unwrap_err(), "`a` is not an object");
    }
}
