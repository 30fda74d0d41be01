//! HOCON, a superset of JSON for people: comments, unquoted text, keys with dots, `+=`,
//! substitutions `${path}` and `${?path}`, concatenation, and objects that are merged.
//!
//! It is read as Ruby's HOCON library reads it: numbers without fraction are integers, and of
//! objects given several times the keys of the later one come first. `include` is refused.
//!
//! ```
//! use ordain_data::{hocon, json};
//! let value = hocon::read("base = /srv\nweb { root = ${base}/www, ports = [80] }\nweb.ports += 443", &|_| None)?;
//! assert_eq!(
//!     json::compact(&value),
//!     r#"{"base":"/srv","web":{"ports":[80,443],"root":"/srv/www"}}"#
//! );
//! let error = hocon::read("a = 1\nb = ${c}", &|_| None).expect_err("there is no c");
//! assert_eq!((error.line, error.column), (2, 5));
//! # Ok::<(), hocon::Error>(())
//! ```

mod parse;
mod resolve;

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::Value;
pub use crate::json::Error;

/// How deep lists and objects may be nested, and keys with dots be long.
const DEPTH: u32 = 128;

/// Reads a text. `environment` gives the variables that substitutions fall back to.
///
/// # Errors
/// When the text is no HOCON with an object as its root, a substitution has no value or needs
/// itself, or the values are nested too deep or become too large.
pub fn read(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Value, Error> {
    let root = parse::parse(text).map_err(|problem| problem.at(text))?;
    resolve::resolve(&root, environment).map_err(|problem| problem.at(text))
}

/// A value as it is written.
#[derive(Debug)]
struct Node {
    kind: Kind,
    /// The byte where it starts.
    at: usize,
    /// Its number; only those that are computed have their own.
    id: usize,
}

#[derive(Debug)]
enum Kind {
    /// A value with its text.
    Scalar(Value, EcoString),
    /// What stands between two values of a concatenation.
    Blank(EcoString),
    List(Vec<Node>),
    Object(Fields),
    Substitution {
        path: Vec<EcoString>,
        optional: bool,
    },
    Concatenation(Vec<Node>),
}

/// The fields of an object.
#[derive(Default, Debug)]
struct Fields {
    entries: IndexMap<EcoString, Field, FxBuildHasher>,
    /// How many objects were merged into this one.
    generation: u32,
}

/// What was given for a key, the last one highest.
#[derive(Debug)]
struct Field {
    definitions: Vec<Node>,
    /// The generation it was given in, and its position there.
    rank: (u32, usize),
}

impl Fields {
    /// Adds a definition of a key.
    fn define(&mut self, key: EcoString, node: Node) {
        let rank = (self.generation, self.entries.len());
        let empty = || Field { definitions: Vec::new(), rank };
        self.entries.entry(key).or_insert_with(empty).define(node);
    }

    /// The keys in the order of the result: those of later objects first.
    fn in_order(&self) -> Vec<(&EcoString, &Field)> {
        let mut fields: Vec<_> = self.entries.iter().collect();
        if self.generation > 0 {
            fields.sort_by_key(|(_, field)| (std::cmp::Reverse(field.rank.0), field.rank.1));
        }
        fields
    }

    /// Merges an object that comes later.
    fn merge(&mut self, later: Fields) {
        self.generation += 1;
        let rank_of = |field: &Field| (std::cmp::Reverse(field.rank.0), field.rank.1);
        let mut fields: Vec<_> = later.entries.into_iter().collect();
        fields.sort_by_key(|(_, field)| rank_of(field));
        for (position, (key, field)) in fields.into_iter().enumerate() {
            let rank = (self.generation, position);
            let empty = || Field { definitions: Vec::new(), rank };
            let mine = self.entries.entry(key).or_insert_with(empty);
            mine.rank = rank;
            field.definitions.into_iter().for_each(|node| mine.define(node));
        }
    }
}

impl Field {
    fn define(&mut self, node: Node) {
        match (node.kind, self.definitions.last_mut()) {
            (Kind::Object(later), Some(Node { kind: Kind::Object(fields), .. })) => {
                fields.merge(later);
            }
            (kind, _) => {
                if matches!(kind, Kind::Scalar(..)) {
                    self.definitions.clear(); // Nothing sees what is below a plain value.
                }
                self.definitions.push(Node { kind, ..node });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shown(text: &str) -> String {
        match read(text, &|name| (name == "HERE").then(|| "env".to_owned())) {
            Ok(value) => crate::json::compact(&value),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn values_are_read_as_ruby_reads_them() {
        for (text, value) in [
            ("", "{}"),
            ("a=1.0,b=1.5,c=010,d=08,e=10s", r#"{"a":1,"b":1.5,"c":8,"d":"08","e":"10s"}"#),
            ("a = x y  z  # c", r#"{"a":"x y  z"}"#),
            ("a = \"\"\"x\"y\"\"\"\"", r#"{"a":"x\"y\""}"#),
            ("a.b=1,a.c=2\nz=1\na.d=3", r#"{"a":{"d":3,"c":2,"b":1},"z":1}"#),
            ("a=[1\n2,]\na+=3\nb+=1", r#"{"a":[1,2,3],"b":[1]}"#),
            ("a={x:1} {y:2}", r#"{"a":{"y":2,"x":1}}"#),
            ("a \"b.c\" . d = 1", r#"{"a b.c ":{" d":1}}"#),
        ] {
            assert_eq!(shown(text), value, "{text}");
        }
    }

    #[test]
    fn substitutions_see_what_is_below_them() {
        for (text, value) in [
            ("a=1,a=${a} x", r#"{"a":"1 x"}"#),
            ("a=1,a=${?zip}", r#"{"a":1}"#),
            ("a={b:1,c:${a.b}}", r#"{"a":{"b":1,"c":1}}"#),
            ("a=${?a}", "{}"),
            ("a {c:${?a},k:x}", r#"{"a":{"k":"x"}}"#),
            ("a=${HERE}/x ${?GONE}", r#"{"a":"env/x "}"#),
            ("x={p:1}\ny=${x}{q:2}\nx={r:3}", r#"{"x":{"r":3,"p":1},"y":{"q":2,"r":3,"p":1}}"#),
        ] {
            assert_eq!(shown(text), value, "{text}");
        }
    }

    #[test]
    fn errors_have_a_place() {
        for (text, message) in [
            ("[1]", "the text is a list, but must be an object at line 1 column 1"),
            ("a\n b=${c}", "expected `:`, `=` or `{`, found `b` at line 2 column 2"),
            ("a=${b},b=${a}", "the substitution `${a}` has no value at line 1 column 10"),
            ("a={b:${a}}", "`b` needs its own value at line 1 column 3"),
            ("a=1\ninclude \"x\"", "`include` is not supported at line 2 column 1"),
            ("a=1e400", "the number is too large at line 1 column 3"),
            ("a..b=1", "a key between dots must not be empty at line 1 column 3"),
        ] {
            let found = shown(text);
            assert_eq!(found, message, "{text}");
        }
    }

    #[test]
    fn hostile_texts_end() {
        let nested = "a=".to_owned() + &"[".repeat(1_000_000);
        assert!(shown(&nested).starts_with("the values are nested more than 128 deep"));
        let dotted = "a.".repeat(1_000_000) + "a=1";
        assert!(shown(&dotted).starts_with("the values are nested more than 128 deep"));
        let mut laughs = "a0 = [xxxxxxxxxx]\n".to_owned();
        for n in 1..100 {
            let before = n - 1;
            laughs += &format!("a{n} = [${{a{before}}}, ${{a{before}}}]\n");
        }
        assert!(shown(&laughs).contains("too large"), "{}", shown(&laughs));
        let mut chain = "a0 = 1\n".to_owned();
        for n in (1..100_000).rev() {
            chain += &format!("a{n} = ${{a{}}}\n", n - 1);
        }
        assert!(shown(&chain).contains("nested too deep"));
        let appended = "a += x\n".repeat(100_000);
        assert_eq!(shown(&appended).matches('x').count(), 100_000);
        let merged = "a { b = 1, c = ${?zip} }\n".repeat(100_000);
        assert!(shown(&merged).starts_with(r#"{"a":{"b":1"#));
    }
}
