//! The tree for people and for other programs.
//!
//! [`tree`] is indented text, [`json`] a document (`docs/formats.md`, "Syntax tree"). Both show the
//! same nodes under the same names; the S-expressions of the reference are in [`crate::pn`].
//!
//! ```
//! use ordain_puppet_syntax::{dump, parse};
//! use ordain_source::FileId;
//!
//! let program = parse(FileId(0), "$a = 1").program;
//! assert_eq!(
//!     dump::tree(&program),
//!     "assign 1:4-1:5 operator `=`\n  left: variable 1:1-1:3 name `a`\n  right: integer 1:6-1:7 value 1\n",
//! );
//! assert_eq!(dump::json(&program)["body"]["left"]["name"], "a");
//! ```

mod view;

use std::fmt::Write;

use ordain_source::{SourceFile, TextRange};
use serde_json::{Map, Number, Value, json as value};

use crate::ast::Program;
use view::{Field, Item, View, view};

/// The version of the JSON document.
const VERSION: u32 = 1;

/// The tree as indented lines: role, node, place, and the node's own fields.
pub fn tree(program: &Program) -> String {
    let places = SourceFile::new("", program.text.clone());
    let mut out = String::new();
    let mut work = vec![(0, "", Item::Expr(program.body))];
    while let Some((depth, role, item)) = work.pop() {
        let View { kind, range, fields } = view(program, item);
        let (start, end) = (places.line_col(range.start), places.line_col(range.end));
        let _written = write!(out, "{:1$}", "", depth * 2);
        if !role.is_empty() {
            let _written = write!(out, "{role}: ");
        }
        let _written =
            write!(out, "{kind} {}:{}-{}:{}", start.line, start.column, end.line, end.column);
        let mark = work.len();
        for (name, field) in fields {
            let _written = match field {
                Field::Text(text) => write!(out, " {name} `{}`", escaped(&text)),
                Field::Bool(flag) => write!(out, " {name} {flag}"),
                Field::Int(number) => write!(out, " {name} {number}"),
                Field::Float(number) => write!(out, " {name} {number:?}"),
                Field::One(item) => {
                    work.push((depth + 1, name, item));
                    Ok(())
                }
                Field::Many(items) => {
                    work.extend(items.into_iter().map(|item| (depth + 1, name, item)));
                    Ok(())
                }
            };
        }
        work[mark..].reverse();
        out.push('\n');
    }
    out
}

/// Text on one line, without control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '`' => out.push_str("\\`"),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// A node whose parts are not complete yet.
struct OpenNode {
    object: Map<String, Value>,
    rest: std::vec::IntoIter<(&'static str, Field)>,
    /// The list that is being filled.
    list: Option<(&'static str, std::vec::IntoIter<Item>, Vec<Value>)>,
    /// The part that is being made.
    one: &'static str,
}

impl OpenNode {
    fn new(program: &Program, places: &SourceFile, item: Item) -> Self {
        let View { kind, range, fields } = view(program, item);
        let mut object = Map::new();
        object.insert("node".into(), kind.into());
        object.insert("at".into(), place(places, range));
        Self { object, rest: fields.into_iter(), list: None, one: "" }
    }

    /// The next child; `None` if the node is complete.
    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some((name, items, values)) = &mut self.list {
                if let Some(item) = items.next() {
                    return Some(item);
                }
                self.object.insert((*name).into(), Value::Array(std::mem::take(values)));
                self.list = None;
            }
            let (name, field) = self.rest.next()?;
            let simple = match field {
                Field::Text(text) => Value::String(text),
                Field::Bool(flag) => Value::Bool(flag),
                Field::Int(number) => Value::Number(number.into()),
                Field::Float(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
                Field::One(item) => {
                    self.one = name;
                    return Some(item);
                }
                Field::Many(items) => {
                    let values = Vec::with_capacity(items.len());
                    self.list = Some((name, items.into_iter(), values));
                    continue;
                }
            };
            self.object.insert(name.into(), simple);
        }
    }

    fn take(&mut self, child: Value) {
        match &mut self.list {
            Some((_, _, values)) => values.push(child),
            None => {
                self.object.insert(self.one.into(), child);
            }
        }
    }
}

fn place(places: &SourceFile, range: TextRange) -> Value {
    let at = places.line_col(range.start);
    value!({ "line": at.line, "column": at.column, "start": range.start, "end": range.end })
}

/// The tree as a JSON document.
pub fn json(program: &Program) -> Value {
    let places = SourceFile::new("", program.text.clone());
    let mut top = OpenNode::new(program, &places, Item::Expr(program.body));
    let mut above: Vec<OpenNode> = Vec::new();
    let body = loop {
        if let Some(child) = top.next() {
            let child = OpenNode::new(program, &places, child);
            above.push(std::mem::replace(&mut top, child));
            continue;
        }
        let done = Value::Object(std::mem::take(&mut top.object));
        match above.pop() {
            Some(parent) => top = parent,
            None => break done,
        }
        top.take(done);
    };
    let comments: Vec<Value> = program.comments.iter().map(|&c| place(&places, c)).collect();
    value!({ "format": "ordain-syntax", "version": VERSION, "body": body, "comments": comments })
}
