//! HOCON, a superset of JSON for people: comments, unquoted text, keys with dots, `+=`,
//! substitutions `${path}` and `${?path}`, concatenation, and objects that are merged.
//!
//! The reader follows Ruby's HOCON library: numbers without fraction are integers, and of repeated
//! objects the keys of the later one come first. `include file("…")` reads a file, and `include
//! "…"` in such a file one next to it; `url` and `classpath` are refused.
//!
//! ```
//! use ordain_data::{hocon, json};
//! let value = hocon::read("base = /srv\nweb { root = ${base}/www, ports = [80] }\nweb.ports += 443", &hocon::Context::NONE)?;
//! assert_eq!(
//!     json::compact(&value),
//!     r#"{"base":"/srv","web":{"ports":[80,443],"root":"/srv/www"}}"#
//! );
//! let error = hocon::read("a = 1\nb = ${c}", &hocon::Context::NONE).expect_err("there is no c");
//! assert_eq!((error.line, error.column), (2, 5));
//! # Ok::<(), hocon::Error>(())
//! ```

mod files;
mod include;
mod node;
mod parse;
mod resolve;

use crate::Value;
pub use crate::json::Error;
pub use node::Context;

/// Reads a text.
///
/// # Errors
/// When the text is no HOCON object, a substitution has no value or refers to itself, values are
/// nested too deeply or become too large, or an included file cannot be used.
pub fn read(text: &str, context: &Context<'_>) -> Result<Value, Error> {
    let root = parse::parse(text, context).map_err(|problem| problem.at(text))?;
    resolve::resolve(&root, context).map_err(|problem| problem.at(text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io;
    use std::path::Path;

    use super::*;

    fn file(path: &Path) -> io::Result<Option<Vec<u8>>> {
        let text = match path.to_str().unwrap() {
            "/inc.conf" | "/d/../inc.conf" => "x = 1",
            "/inc.json" | "/d/../inc.json" => r#"{"x": 5, "j": 2}"#,
            "/d/beside.conf" => "include \"../inc.conf\"",
            "/d/both.conf" => "include \"../inc\"",
            "/d/url.conf" => "include \"http://x\"",
            "/rel.conf" => "y = ${x}",
            "/more.conf" => "r = ${?HERE}/x, o { q = 1 }",
            "/list.conf" => "[1]",
            "/bad.json" => "{a: 1}",
            "/cycle.conf" => "include file(\"/cycle.conf\")",
            "/broken.conf" => return Err(io::ErrorKind::PermissionDenied.into()),
            _ => return Ok(None),
        };
        Ok(Some(text.as_bytes().to_vec()))
    }

    fn shown(text: &str) -> String {
        let environment = |name: &str| (name == "HERE").then(|| "env".to_owned());
        match read(text, &Context { environment: &environment, file: &file }) {
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
            ("a=1e400", "the number is too large at line 1 column 3"),
            ("a..b=1", "a key between dots must not be empty at line 1 column 3"),
        ] {
            let found = shown(text);
            assert_eq!(found, message, "{text}");
        }
    }

    #[test]
    fn files_are_included_as_in_ruby() {
        for (text, value) in [
            (r#"include "inc.conf""#, "{}"),
            (r#"include file("/inc.conf")"#, r#"{"x":1}"#),
            ("include # c\n file(\n\"/inc.conf\"\n)", r#"{"x":1}"#),
            (r#"include file("/inc")"#, r#"{"x":1,"j":2}"#),
            (r#"include file("/inc.json")"#, r#"{"x":5,"j":2}"#),
            (r#"include file("/inc.rb"), include file("/none.conf"), a = 1"#, r#"{"a":1}"#),
            (r#"include file("/d/beside.conf")"#, r#"{"x":1}"#),
            (r#"include file("/d/both.conf")"#, r#"{"x":1,"j":2}"#),
            (r#"a { include file("/inc.conf") }"#, r#"{"a":{"x":1}}"#),
            ("x=9\ninclude file(\"/inc.conf\")\nz=${x}", r#"{"x":1,"z":1}"#),
            ("include file(\"/inc.conf\")\nx=9", r#"{"x":9}"#),
            (r#"include file("/rel.conf"),x=2"#, r#"{"y":2,"x":2}"#),
            (r#"a{x=7,include file("/rel.conf")}, x=2"#, r#"{"a":{"x":7,"y":7},"x":2}"#),
            (r#"a{include file("/rel.conf")}, x=2"#, r#"{"a":{"y":2},"x":2}"#),
            (r#"a{include file("/more.conf")}"#, r#"{"a":{"r":"env/x","o":{"q":1}}}"#),
            (
                r#"o{w=1},include file("/more.conf"),k=1"#,
                r#"{"o":{"q":1,"w":1},"r":"env/x","k":1}"#,
            ),
            (r#"a.b=1,include file("/inc.conf"),x=${x}2"#, r#"{"a":{"b":1},"x":"12"}"#),
            (r#"a=[{include file("/inc.conf")}]"#, r#"{"a":[{"x":1}]}"#),
            (r#"a=include "x""#, r#"{"a":"include x"}"#),
            (r#"include.a=3,"include"=4"#, r#"{"include":4}"#),
        ] {
            assert_eq!(shown(text), value, "{text}");
        }
    }

    #[test]
    fn invalid_includes_are_errors() {
        for (text, message) in [
            (r#"include url("http://x")"#, "`include url()` is not supported, only `file(…)`"),
            (r#"include classpath("x")"#, "`include classpath()` is not supported"),
            (r#"include "http://x/y""#, "`include` of a URL is not supported"),
            (r#"include file("/d/url.conf")"#, "/d/url.conf: `include` of a URL"),
            (r#"include required("x")"#, "expected a name in quotes or `file(…)`"),
            (r#"include file ("/inc.conf")"#, "expected a name in quotes or `file(…)`"),
            ("include = 3", "expected a name in quotes or `file(…)`"),
            (r#"include file("/inc.conf""#, "expected `)`, but the text ends"),
            (r#"include file("/inc.conf")y=2"#, "expected `,`, a new line"),
            (r#"include file("/list.conf")"#, "/list.conf: the text is a list"),
            (r#"include file("/bad.json")"#, "/bad.json: "),
            (r#"include file("/broken.conf")"#, "/broken.conf: permission denied"),
            (r#"include file("/rel.conf")"#, "the substitution `${x}` has no value at line 1"),
            (r#"a=[{include file("/rel.conf")}]"#, "a file that is included inside of a list"),
            (r#"include file("/cycle.conf")"#, "/cycle.conf: include statements nested more"),
        ] {
            let found = shown(text);
            let last = found.rsplit(".conf: include").next().unwrap();
            assert!(found.contains(message), "{text}: {last}");
        }
    }

    #[test]
    fn files_that_include_many_end() {
        let file = |path: &Path| {
            let depth: u32 = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
            let line = format!("include file(\"/{}.conf\")\n", depth + 1);
            Ok((depth < 40).then(|| line.repeat(2).into_bytes()))
        };
        let context = Context { environment: &|_| None, file: &file };
        let error = read(r#"include file("/1.conf")"#, &context).unwrap_err().to_string();
        assert!(error.contains("more than 10000 files are included"), "{error}");
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
