//! The parser.

use std::path::Path;

use ecow::EcoString;

use super::files::{Included, Target};
use super::node::{Context, Fields, Kind, MAX_DEPTH, Node};
use crate::Value;
use crate::json::{Problem, string};
use crate::number::integer;

/// The characters that unquoted text cannot contain.
const RESERVED: &str = "$\"{}[]:=,+#`^?!@*&\\";

/// The root of a text, an object.
pub(super) fn parse(text: &str, context: &Context<'_>) -> Result<Node, Problem> {
    Parser::new(text, None, 0, &mut Included::new(context)).root()
}

pub(super) struct Parser<'t, 'i, 's> {
    text: &'t str,
    at: usize,
    depth: u32,
    /// The number of node ids.
    pub(super) ids: usize,
    /// The number of lists around the position.
    pub(super) lists: u32,
    /// The keys it is in.
    pub(super) path: Vec<EcoString>,
    /// The file of the text; `None` for the outermost text.
    pub(super) file: Option<&'t Path>,
    pub(super) included: &'i mut Included<'s>,
}

fn is_blank(c: char) -> bool {
    c != '\n' && (c.is_whitespace() || c == '\u{feff}')
}

impl<'t, 'i, 's> Parser<'t, 'i, 's> {
    pub(super) fn new(
        text: &'t str,
        file: Option<&'t Path>,
        ids: usize,
        included: &'i mut Included<'s>,
    ) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, depth: 0, ids, lists: 0, path: Vec::new(), file, included }
    }

    /// The object that the text is.
    pub(super) fn root(&mut self) -> Result<Node, Problem> {
        self.blanks();
        let at = self.at;
        let fields = match self.peek() {
            Some('{') => self.nested(|p| p.fields(true))?,
            Some('[') => return Err(self.fail("the text is a list, but must be an object")),
            _ => self.fields(false)?,
        };
        self.blanks();
        match self.peek() {
            None => Ok(Node { kind: Kind::Object(fields), at, id: 0 }),
            Some(_) => Err(self.fail("text after the end of the object")),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn fail(&self, message: impl Into<String>) -> Problem {
        Problem { at: self.at, message: message.into() }
    }

    fn expected(&self, wanted: &str) -> Problem {
        Problem::expected(self.text, self.at, wanted)
    }

    fn node(&mut self, at: usize, kind: Kind) -> Node {
        self.ids += 1;
        Node { kind, at, id: self.ids }
    }

    /// Skips the matching characters and returns them.
    fn while_is(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn at_comment(&self) -> bool {
        self.rest().starts_with('#') || self.rest().starts_with("//")
    }

    /// Skips spaces and a comment, up to the end of the line.
    fn line_blanks(&mut self) {
        self.while_is(is_blank);
        if self.at_comment() {
            self.while_is(|c| c != '\n');
        }
    }

    /// Skips blanks, comments and ends of lines.
    fn blanks(&mut self) {
        loop {
            self.line_blanks();
            if self.peek() != Some('\n') {
                return;
            }
            self.at += 1;
        }
    }

    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        self.deeper(1)?;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn deeper(&mut self, by: usize) -> Result<(), Problem> {
        self.depth = self.depth.saturating_add(u32::try_from(by).unwrap_or(u32::MAX));
        if self.depth > MAX_DEPTH {
            return Err(self.fail(format!("the values are nested more than {MAX_DEPTH} deep")));
        }
        Ok(())
    }

    /// The fields of an object up to its brace, or to the end of the text.
    fn fields(&mut self, braced: bool) -> Result<Fields, Problem> {
        let mut fields = Fields::default();
        loop {
            self.blanks();
            match self.peek() {
                Some('}') if braced => break,
                None if !braced => return Ok(fields),
                _ => self.field(&mut fields)?,
            }
            if !self.separator() {
                match self.peek() {
                    Some('}') if braced => break,
                    None if !braced => return Ok(fields),
                    _ => return Err(self.expected("`,`, a new line or `}`")),
                }
            }
        }
        self.at += 1;
        Ok(fields)
    }

    /// Skips the separator between two items. Returns whether there is one.
    fn separator(&mut self) -> bool {
        self.line_blanks();
        let on_new_line = self.peek() == Some('\n');
        self.blanks();
        let comma = self.peek() == Some(',');
        self.at += usize::from(comma);
        comma || on_new_line
    }

    fn field(&mut self, fields: &mut Fields) -> Result<(), Problem> {
        let at = self.at;
        if let Some(target) = self.include_target()? {
            return self.include(fields, &target, at);
        }
        let path = self.path()?;
        self.deeper(path.len())?;
        self.path.extend(path.iter().cloned());
        self.blanks();
        let appends = self.rest().starts_with("+=");
        let nodes = match self.peek() {
            Some('{') => vec![self.piece()?],
            Some(':' | '=') => {
                self.at += 1;
                self.value()?
            }
            Some('+') if appends => {
                if self.lists > 0 {
                    return Err(self.fail("`+=` cannot be used inside of a list"));
                }
                self.at += 2;
                let items = self.value()?;
                let item = self.joined(items);
                append(fields, &path, item, |item| self.appended(at, item));
                Vec::new()
            }
            _ => return Err(self.expected("`:`, `=` or `{`")),
        };
        self.path.truncate(self.path.len() - path.len());
        self.depth -= u32::try_from(path.len()).unwrap_or(0);
        let Some((last, parents)) = path.split_last() else { return Ok(()) };
        for node in nodes {
            let mut node = (last.clone(), node);
            for parent in parents.iter().rev() {
                let mut fields = Fields::default();
                fields.define(node.0, node.1);
                node = (parent.clone(), Node { kind: Kind::Object(fields), at, id: 0 });
            }
            fields.define(node.0, node.1);
        }
        Ok(())
    }

    /// The value with an item appended.
    fn appended(&mut self, at: usize, item: Node) -> Node {
        let own = Kind::Substitution { path: self.path.clone(), prefix: 0, optional: true };
        let parts = vec![self.node(at, own), self.node(at, Kind::List(vec![item]))];
        self.node(at, Kind::Concatenation(parts))
    }

    /// The target of an `include` statement, if there is one here.
    fn include_target(&mut self) -> Result<Option<Target>, Problem> {
        let Some(after) = self.rest().strip_prefix("include") else { return Ok(None) };
        let ends = |c: char| c.is_whitespace() || RESERVED.contains(c);
        if !(after.is_empty() || after.starts_with(ends) || after.starts_with("//")) {
            return Ok(None);
        }
        self.at += "include".len();
        self.blanks();
        if self.peek() == Some('"') {
            let name = self.string()?;
            return match ["http://", "https://"].iter().any(|start| name.starts_with(start)) {
                true => Err(self.fail("`include` of a URL is not supported")),
                false => Ok(Some(Target::Name(name))),
            };
        }
        let how = ["file(", "url(", "classpath("].into_iter().find(|h| self.rest().starts_with(h));
        let Some(how) = how else {
            return Err(self.expected("a name in quotes or `file(…)` after `include`"));
        };
        if how != "file(" {
            return Err(self.fail(format!("`include {how})` is not supported, only `file(…)`")));
        }
        self.at += how.len();
        self.blanks();
        if self.peek() != Some('"') {
            return Err(self.expected("a path in quotes"));
        }
        let path = self.string()?;
        self.blanks();
        if self.peek() != Some(')') {
            return Err(self.expected("`)`"));
        }
        self.at += 1;
        Ok(Some(Target::File(path)))
    }

    /// The keys of a path.
    fn path(&mut self) -> Result<Vec<EcoString>, Problem> {
        let start = self.at;
        let (mut path, mut key, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
        loop {
            let blanks = self.while_is(is_blank);
            match self.peek() {
                Some('"') => {
                    key.push_str(blanks);
                    key.push_str(&self.string()?);
                    quoted = true;
                }
                Some('.') => {
                    key.push_str(blanks);
                    if key.is_empty() && !quoted {
                        return Err(self.fail("a key between dots must not be empty"));
                    }
                    path.push(std::mem::take(&mut key).into());
                    quoted = false;
                    self.at += 1;
                }
                Some(c) if c != '\n' && !RESERVED.contains(c) && !self.at_comment() => {
                    key.push_str(blanks);
                    key.push(c);
                    self.at += c.len_utf8();
                }
                _ => break,
            }
            any = true;
        }
        if !any {
            return Err(self.expected("a key"));
        }
        if key.is_empty() && !quoted {
            self.at = start;
            return Err(self.fail("a key must not end with a dot"));
        }
        path.push(key.into());
        Ok(path)
    }

    /// A value: its parts if they are objects and substitutions, which are merged like repeated
    /// definitions, else one node.
    fn value(&mut self) -> Result<Vec<Node>, Problem> {
        self.blanks();
        let mut parts = vec![self.piece()?];
        loop {
            let at = self.at;
            let blanks = self.while_is(is_blank);
            let ends = |c: char| c == '\n' || (RESERVED.contains(c) && !"$\"{[".contains(c));
            if self.peek().is_none_or(ends) || self.at_comment() {
                break;
            }
            if !blanks.is_empty() {
                parts.push(Node { kind: Kind::Blank(blanks.into()), at, id: 0 });
            }
            parts.push(self.piece()?);
        }
        let is_object = |part: &Node| matches!(part.kind, Kind::Object(_));
        let merges = parts.iter().all(|part| {
            matches!(part.kind, Kind::Object(_) | Kind::Substitution { .. } | Kind::Blank(_))
        });
        if merges && parts.iter().any(is_object) {
            parts.retain(|part| !matches!(part.kind, Kind::Blank(_)));
            return Ok(parts);
        }
        Ok(vec![self.joined(parts)])
    }

    /// Several parts as one value.
    fn joined(&mut self, mut parts: Vec<Node>) -> Node {
        match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                let at = parts.first().map_or(self.at, |part| part.at);
                self.node(at, Kind::Concatenation(parts))
            }
        }
    }

    fn piece(&mut self) -> Result<Node, Problem> {
        let at = self.at;
        let kind = match self.peek() {
            Some('{') => Kind::Object(self.nested(|p| p.fields(true))?),
            Some('[') => {
                self.lists += 1;
                let items = self.nested(Self::list)?;
                self.lists -= 1;
                Kind::List(items)
            }
            Some('"') => {
                let text = EcoString::from(self.string()?);
                Kind::Scalar(Value::Str(text.clone()), text)
            }
            Some('$') => self.substitution()?,
            Some('0'..='9' | '-') => self.number()?,
            Some(c) if c != '\n' && !RESERVED.contains(c) => self.word(),
            _ => return Err(self.expected("a value")),
        };
        Ok(self.node(at, kind))
    }

    fn list(&mut self) -> Result<Vec<Node>, Problem> {
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(']') {
                break;
            }
            let parts = self.value()?;
            items.push(self.joined(parts));
            if !self.separator() && self.peek() != Some(']') {
                return Err(self.expected("`,`, a new line or `]`"));
            }
        }
        self.at += 1;
        Ok(items)
    }

    fn substitution(&mut self) -> Result<Kind, Problem> {
        if !self.rest().starts_with("${") {
            return Err(self.fail("`$` must be in quotes, or followed by `{`"));
        }
        self.at += 2;
        let optional = self.peek() == Some('?');
        self.at += usize::from(optional);
        self.while_is(is_blank);
        let path = self.path()?;
        if path.len() > MAX_DEPTH as usize {
            return Err(self.fail(format!("the path has more than {MAX_DEPTH} keys")));
        }
        if self.peek() != Some('}') {
            return Err(self.expected("`}`"));
        }
        self.at += 1;
        Ok(Kind::Substitution { path, prefix: 0, optional })
    }

    fn number(&mut self) -> Result<Kind, Problem> {
        let start = self.at;
        let text = self.while_is(|c| c.is_ascii_digit() || "eE+-.".contains(c));
        let value = match text.contains(['.', 'e', 'E']) {
            true => float(text),
            false => whole(text),
        };
        let value = match value {
            Some(Value::Float(f)) if !f.is_finite() => {
                self.at = start;
                return Err(self.fail("the number is too large"));
            }
            Some(value) => value,
            None if text.contains('+') => {
                self.at = start;
                return Err(self.fail("text with `+` must be in quotes"));
            }
            None => Value::str(text),
        };
        Ok(Kind::Scalar(value, text.into()))
    }

    fn word(&mut self) -> Kind {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || c == '\u{feff}' || RESERVED.contains(c);
        let end = rest.find(ends).unwrap_or(rest.len());
        let end = rest[..end].find("//").unwrap_or(end);
        self.at += end;
        let text = &rest[..end];
        let value = match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => Value::str(text),
        };
        Kind::Scalar(value, text.into())
    }

    fn string(&mut self) -> Result<String, Problem> {
        if self.rest().starts_with("\"\"\"") {
            return self.raw_string();
        }
        let plain = |rest: &str| {
            let end = rest.find(|c: char| matches!(c, '"' | '\\') || c.is_control());
            end.unwrap_or(rest.len())
        };
        let (out, end) = string::quoted(self.text, self.at, plain)?;
        self.at = end;
        Ok(out)
    }

    /// A text in three quotes; additional quotes at its end belong to it.
    fn raw_string(&mut self) -> Result<String, Problem> {
        let body = &self.rest()[3..];
        let Some(end) = body.find("\"\"\"") else {
            return Err(self.fail("the string has no end"));
        };
        let more = body[end + 3..].bytes().take_while(|b| *b == b'"').count();
        self.at += 3 + end + 3 + more;
        Ok(body[..end + more].to_owned())
    }
}

/// Appends to an existing list, else adds the node that `otherwise` creates.
fn append(
    fields: &mut Fields,
    path: &[EcoString],
    item: Node,
    otherwise: impl FnOnce(Node) -> Node,
) {
    let Some(item) = append_to_list(fields, path, true, item) else { return };
    let mut node = otherwise(item);
    let at = node.at;
    for pair in path.windows(2).rev() {
        let mut inner = Fields::default();
        inner.define(pair[1].clone(), node);
        node = Node { kind: Kind::Object(inner), at, id: 0 };
    }
    if let Some(first) = path.first() {
        fields.define(first.clone(), node);
    }
}

/// Appends to the list at a path; returns the item if there is none.
fn append_to_list(
    fields: &mut Fields,
    path: &[EcoString],
    outermost: bool,
    item: Node,
) -> Option<Node> {
    let Some((key, rest)) = path.split_first() else { return Some(item) };
    let generation = fields.generation + 1;
    let Some(field) = fields.entries.get_mut(key) else { return Some(item) };
    let mut target = field.definitions.last_mut();
    if let Some(Node { kind: Kind::Concatenation(parts), .. }) = target {
        target = parts.last_mut();
    }
    let left = match target {
        Some(Node { kind: Kind::List(items), .. }) if rest.is_empty() => {
            items.push(item);
            None
        }
        Some(Node { kind: Kind::Object(inner), .. }) if !rest.is_empty() => {
            append_to_list(inner, rest, false, item)
        }
        _ => Some(item),
    };
    if left.is_none() && !outermost {
        // The key counts as defined by a later object.
        field.rank = (generation, 0);
        fields.generation = generation;
    }
    left
}

/// An integer in Ruby's notation: with a leading zero it is octal.
fn whole(text: &str) -> Option<Value> {
    let negative = text.starts_with('-');
    let digits = text.strip_prefix('-').unwrap_or(text);
    let radix = if digits.len() > 1 && digits.starts_with('0') { 8 } else { 10 };
    let fits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    fits.then(|| integer(negative, digits, radix)).flatten()
}

/// A number with a fraction or an exponent; it is an integer if its value is one.
fn float(text: &str) -> Option<Value> {
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    if mantissa.ends_with('.') {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER {
        return Some(Value::Int(number as i64));
    }
    Some(Value::Float(number))
}
