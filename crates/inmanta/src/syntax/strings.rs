//! Parses strings with placeholders: `{{name}}` in plain strings, `{name!r:spec}` in f-strings.

use ecow::EcoString;

use super::ast::{Ast, ExprId, ExprKind, Field, Format, Part, Slot};
use crate::location::Location;
use crate::value::Value;

/// The range of a placeholder, and of its name.
struct Placeholder {
    start: usize,
    end: usize,
    name: (usize, usize),
}

/// The next `{{name}}` from an offset on.
fn next_placeholder(text: &str, from: usize) -> Option<Placeholder> {
    let bytes = text.as_bytes();
    // Searching a byte is faster than searching a text, and most strings have no placeholder.
    if !bytes[from..].contains(&b'{') {
        return None;
    }
    let mut at = from;
    while let Some(found) = text[at..].find("{{") {
        let start = at + found;
        let blank =
            |i: &usize| bytes.get(*i).is_some_and(|b| b.is_ascii_whitespace() || *b == 0x0b);
        let mut i = start + 2;
        while blank(&i) {
            i += 1;
        }
        let name = i;
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        while bytes.get(i).is_some_and(is_part) {
            i += 1;
        }
        let name_end = i;
        while blank(&i) {
            i += 1;
        }
        if name_end > name && bytes[i..].starts_with(b"}}") {
            return Some(Placeholder { start, end: i + 2, name: (name, name_end) });
        }
        at = start + 1;
    }
    None
}

/// Whether a text has a placeholder.
pub(super) fn has_placeholder(text: &str) -> bool {
    next_placeholder(text, 0).is_some()
}

/// Builds a plain string; a constant if it has no placeholders.
pub(super) fn interpolated(
    ast: &mut Ast,
    text: &str,
    place: Location,
    quotes: u32,
    at: Location,
) -> ExprId {
    let mut parts = Vec::new();
    let (mut variables, mut written) = (Vec::new(), Vec::new());
    let mut done = 0;
    let mut lines = Lines { text, place, quotes, at: 0, line: 0, column: 0 };
    while let Some(found) = next_placeholder(text, done) {
        if found.start > done {
            parts.push(Part::Text(text[done..found.start].into()));
        }
        let name = &text[found.name.0..found.name.1];
        let name_at = lines.location(found.name.0, found.name.1);
        parts.push(Part::Value(variables.len() as u32));
        variables.push(reference(ast, name, name_at));
        written.push(text[found.start..found.end].into());
        done = found.end;
    }
    if variables.is_empty() {
        return ast.expr(ExprKind::Const(Value::str(text)), at);
    }
    if done < text.len() {
        parts.push(Part::Text(text[done..].into()));
    }
    let variables = ast.lists.extend(variables);
    let format = Format { text: text.into(), variables, written, is_f: false, parts };
    let format = ast.formats.push(format);
    ast.expr(ExprKind::Format(format), at)
}

/// Counts lines and columns, forward through a text.
struct Lines<'a> {
    text: &'a str,
    place: Location,
    quotes: u32,
    at: usize,
    line: u32,
    column: u32,
}

impl Lines<'_> {
    fn go(&mut self, to: usize) -> (u32, u32) {
        for c in self.text[self.at..to].chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.at = to;
        if self.line == 0 {
            (self.place.line, self.place.column + self.column + self.quotes)
        } else {
            (self.place.line + self.line, self.column)
        }
    }

    fn location(&mut self, start: usize, end: usize) -> Location {
        let (line, column) = self.go(start);
        let (end_line, end_column) = self.go(end);
        Location { file: self.place.file, line, column, end_line, end_column }
    }
}

/// Builds the expression of a variable with attributes in a string.
fn reference(ast: &mut Ast, name: &str, at: Location) -> ExprId {
    let mut column = at.column;
    let mut out = None;
    for part in name.split('.') {
        let length = part.chars().count() as u32;
        let trimmed = part.trim();
        let left = length - part.trim_start().chars().count() as u32;
        let start = column + left;
        let end_column = start + trimmed.chars().count() as u32;
        let place = Location { column: start, end_line: at.line, end_column, ..at };
        let symbol = ast.symbols.intern(trimmed);
        out = Some(match out {
            None => ast.expr(ExprKind::Name(symbol, Slot::Unresolved), place),
            Some(base) => ast.expr(ExprKind::Attr(base, symbol), place),
        });
        column += length + 1;
    }
    out.unwrap_or_else(|| ast.expr(ExprKind::Const(Value::Null), at))
}

/// Builds an f-string.
///
/// # Errors
/// Python's error for unbalanced braces.
pub(super) fn formatted(ast: &mut Ast, text: &str, place: Location) -> Result<ExprId, String> {
    let mut reader = Reader {
        ast,
        place,
        column: place.column + 2,
        variables: Vec::new(),
        written: Vec::new(),
        ended: false,
    };
    let parts = reader.parts(text, 2)?;
    let (variables, written) = (reader.variables, reader.written);
    let variables = ast.lists.extend(variables);
    let format = Format { text: text.into(), variables, written, is_f: true, parts };
    let format = ast.formats.push(format);
    Ok(ast.expr(ExprKind::Format(format), place))
}

struct Reader<'a> {
    ast: &'a mut Ast,
    place: Location,
    column: u32,
    variables: Vec<ExprId>,
    written: Vec<EcoString>,
    /// Whether there was a field without a name. No later field has a variable.
    ended: bool,
}

impl Reader<'_> {
    fn parts(&mut self, text: &str, depth: u8) -> Result<Vec<Part>, String> {
        let mut parts: Vec<Part> = Vec::new();
        let mut literal = EcoString::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c != '{' && c != '}' {
                literal.push(c);
                self.column += 1;
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let doubled = rest[1..].starts_with(c);
            if doubled {
                literal.push(c);
                self.column += 2;
                rest = &rest[2..];
                continue;
            }
            if c == '}' {
                return Err("Single '}' encountered in format string".into());
            }
            if rest.len() == 1 {
                return Err("Single '{' encountered in format string".into());
            }
            let end = closing(&rest[1..]).ok_or("expected '}' before end of string")?;
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            if depth == 0 {
                return Err("Max string recursion exceeded".into());
            }
            self.column += 1;
            parts.push(Part::Field(self.field(&rest[1..=end], depth)?));
            self.column += 1;
            rest = &rest[end + 2..];
        }
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(parts)
    }

    /// Parses a field without its braces.
    fn field(&mut self, text: &str, depth: u8) -> Result<Field, String> {
        let name_end = name_length(text)?;
        let (name, rest) = text.split_at(name_end);
        let length = name.chars().count() as u32;
        let end_column = self.column + length;
        let at =
            Location { column: self.column, end_line: self.place.line, end_column, ..self.place };
        let variable = if name.is_empty() || self.ended {
            self.ended = true;
            None
        } else {
            let variable = reference(self.ast, name, at);
            self.variables.push(variable);
            self.written.push(name.into());
            Some(self.variables.len() as u32 - 1)
        };
        self.column += length;
        let (conversion, rest) = match rest.strip_prefix('!') {
            None => (None, rest),
            Some(rest) => {
                let mut chars = rest.chars();
                let missing = "end of string while looking for conversion specifier";
                let conversion = chars.next().ok_or(missing)?;
                let rest = chars.as_str();
                if !rest.is_empty() && !rest.starts_with(':') {
                    return Err("expected ':' after conversion specifier".into());
                }
                (Some(conversion), rest)
            }
        };
        let spec = match rest.strip_prefix(':') {
            None => Vec::new(),
            Some(spec) => {
                self.column += 1;
                self.parts(spec, depth - 1)?
            }
        };
        Ok(Field { variable, conversion, spec })
    }
}

/// The offset of the brace that closes a field.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(i);
        }
    }
    None
}

fn name_length(text: &str) -> Result<usize, String> {
    let mut in_brackets = false;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'{' => return Err("unexpected '{' in field name".into()),
            b'[' => in_brackets = true,
            b']' => in_brackets = false,
            b':' | b'!' if !in_brackets => return Ok(i),
            _ => {}
        }
    }
    Ok(text.len())
}
