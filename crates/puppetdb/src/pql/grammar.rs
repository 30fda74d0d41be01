//! The rules of PQL, by recursive descent.

use serde_json::{Value, json};

use super::scan::{Match, Mismatch, Scanner, is_space};
use crate::error::QueryError;
use crate::json_text;
use crate::limits::MAX_DEPTH;

const ENTITIES: &[&str] = &[
    "package_inventory",
    "fact_contents",
    "environments",
    "fact_paths",
    "resources",
    "inventory",
    "factsets",
    "catalogs",
    "packages",
    "reports",
    "events",
    "edges",
    "facts",
    "nodes",
];
const FUNCTIONS: &[&str] = &["to_string", "count", "avg", "sum", "min", "max"];
const DOTTED: &[&str] = &["parameters", "trusted", "facts"];
/// The longer of two operators with the same start comes first.
const OPERATORS: &[&str] = &["~>", "~", ">=", "<=", "<", ">", "=", "!=", "!~", "in"];

pub(super) struct Grammar<'a> {
    scan: Scanner<'a>,
    depth: usize,
}

impl<'a> Grammar<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Grammar { scan: Scanner::new(text), depth: 0 }
    }

    pub(super) fn query(mut self) -> Result<Value, QueryError> {
        self.scan.skip_space();
        if let Ok(query) = self.from() {
            let end = self.scan.at;
            self.scan.skip_space();
            if self.scan.is_at_end() {
                return Ok(query);
            }
            // Space that ends the text was expected here.
            self.scan.at = end;
            let _noted: Match<()> = self.scan.miss("#\"\\s+\" (followed by end-of-string)");
        }
        Err(self.scan.error())
    }

    /// Runs a rule that nests, within the limit on depth.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Match<T>) -> Match<T> {
        if self.depth == MAX_DEPTH {
            return self.scan.fail(QueryError::too_deep());
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn entity(&mut self) -> Match<&'static str> {
        for entity in ENTITIES {
            if self.scan.rest().starts_with(entity) {
                self.scan.literal(entity)?;
                return Ok(entity);
            }
        }
        for entity in ENTITIES {
            let _noted: Match<()> = self.scan.miss(entity);
        }
        Err(Mismatch)
    }

    /// `entity[columns] { condition, group or pages }`.
    fn from(&mut self) -> Match<Value> {
        let entity = self.entity()?;
        self.scan.skip_space();
        let columns = if self.scan.rest().starts_with('[') { Some(self.columns()?) } else { None };
        self.scan.skip_space();
        let (inner, pages) = self.nested(Self::braces)?;
        let mut parts = vec![json!("from"), json!(entity)];
        match columns {
            Some(columns) => {
                let mut extract = vec![json!("extract"), Value::Array(columns)];
                extract.extend(inner);
                parts.push(Value::Array(extract));
            }
            None => parts.extend(inner),
        }
        parts.extend(pages);
        Ok(Value::Array(parts))
    }

    /// The columns in brackets; may be empty.
    fn columns(&mut self) -> Match<Vec<Value>> {
        self.scan.literal("[")?;
        self.scan.skip_space();
        let columns = if self.scan.rest().starts_with(']') {
            Vec::new()
        } else {
            let columns = self.fields()?;
            self.scan.skip_space();
            columns
        };
        self.scan.literal("]")?;
        Ok(columns)
    }

    /// The content of braces: a condition and a group, and the clauses for pages.
    fn braces(&mut self) -> Match<(Vec<Value>, Vec<Value>)> {
        self.scan.literal("{")?;
        self.scan.skip_space();
        let mut inner = Vec::new();
        let start = self.scan.at;
        if !self.scan.rest().starts_with('}') {
            match self.expression() {
                Ok(condition) => inner.push(condition),
                Err(mismatch) if self.scan.has_failed() => return Err(mismatch),
                // A name may be a keyword instead of a field.
                Err(_) => self.scan.at = start,
            }
        }
        self.scan.skip_space();
        let mut pages = Vec::new();
        if self.scan.literal("group by").is_ok() {
            inner.push(self.group_by()?);
        } else {
            while let Some(clause) = self.page_clause()? {
                pages.push(clause);
                self.scan.skip_space();
            }
        }
        self.scan.skip_space();
        self.scan.literal("}")?;
        Ok((inner, pages))
    }

    /// The list after `group by`.
    fn group_by(&mut self) -> Match<Value> {
        self.scan.space()?;
        let mut parts = vec![json!("group_by")];
        parts.extend(self.fields()?);
        Ok(Value::Array(parts))
    }

    fn page_clause(&mut self) -> Match<Option<Value>> {
        for (keyword, name) in [("limit", "limit"), ("offset", "offset"), ("order by", "order_by")]
        {
            if self.scan.literal(keyword).is_err() {
                continue;
            }
            self.scan.space()?;
            let argument = if name == "order_by" { self.order_terms()? } else { self.integer()? };
            return Ok(Some(json!([name, argument])));
        }
        Ok(None)
    }

    fn order_terms(&mut self) -> Match<Value> {
        let mut terms = vec![self.order_term()?];
        while self.scan.literal(",").is_ok() {
            self.scan.skip_space();
            terms.push(self.order_term()?);
        }
        Ok(Value::Array(terms))
    }

    fn order_term(&mut self) -> Match<Value> {
        for direction in ["asc", "desc"] {
            if self.scan.rest().starts_with(direction) {
                return self.scan.miss("NOT asc or desc");
            }
        }
        let field = self.field()?;
        let end = self.scan.at;
        if self.scan.space().is_ok() {
            for direction in ["asc", "desc"] {
                if self.scan.literal(direction).is_ok() {
                    self.scan.skip_space();
                    return Ok(json!([field, direction]));
                }
            }
            self.scan.at = end;
        }
        self.scan.skip_space();
        Ok(field)
    }

    fn expression(&mut self) -> Match<Value> {
        self.nested(|parser| parser.operands("or", |parser| parser.operands("and", Self::negation)))
    }

    /// Operands between an operator; one alone stands for itself.
    fn operands(
        &mut self,
        operator: &'static str,
        operand: impl Fn(&mut Self) -> Match<Value>,
    ) -> Match<Value> {
        let first = operand(self)?;
        let mut parts = Vec::new();
        loop {
            let end = self.scan.at;
            let joined = self.scan.space().and_then(|()| self.scan.literal(operator));
            if joined.and_then(|()| self.scan.space()).is_err() {
                self.scan.at = end;
                break;
            }
            match operand(self) {
                Ok(part) => parts.push(part),
                Err(mismatch) => return Err(mismatch),
            }
        }
        if parts.is_empty() {
            return Ok(first);
        }
        parts.splice(0..0, [json!(operator), first]);
        Ok(Value::Array(parts))
    }

    fn negation(&mut self) -> Match<Value> {
        if self.scan.literal("!").is_ok() {
            self.scan.skip_space();
            let operand = self.nested(Self::negation)?;
            return Ok(json!(["not", operand]));
        }
        self.operand()
    }

    fn operand(&mut self) -> Match<Value> {
        if self.scan.literal("(").is_ok() {
            self.scan.skip_space();
            let inner = self.expression()?;
            self.scan.skip_space();
            self.scan.literal(")")?;
            return Ok(inner);
        }
        if self.scan.rest().starts_with('[') {
            let fields = Value::Array(self.columns()?);
            if fields.as_array().is_some_and(Vec::is_empty) {
                return self.scan.miss("#\"[a-zA-Z0-9_]+\\??\"");
            }
            self.scan.skip_space();
            self.scan.literal("in")?;
            self.scan.skip_space();
            return Ok(json!(["in", fields, self.source()?]));
        }
        let start = self.scan.at;
        if let Ok(entity) = self.entity() {
            self.scan.skip_space();
            if self.scan.rest().starts_with('{') {
                let (inner, pages) = self.nested(Self::braces)?;
                // Two clauses would have no place in the AST.
                let mut parts = vec![json!("subquery"), json!(entity)];
                parts.extend(inner);
                parts.extend(pages);
                return Ok(Value::Array(parts));
            }
        }
        self.scan.at = start;
        self.comparison()
    }

    fn comparison(&mut self) -> Match<Value> {
        let field = self.field()?;
        self.scan.skip_space();
        for (text, is_null) in [("is null", true), ("is not null", false)] {
            if self.scan.literal(text).is_ok() {
                return Ok(json!(["null?", field, is_null]));
            }
        }
        let Some(operator) = OPERATORS.iter().find(|op| self.scan.rest().starts_with(**op)) else {
            for operator in OPERATORS {
                let _noted: Match<()> = self.scan.miss(operator);
            }
            return Err(Mismatch);
        };
        self.scan.literal(operator)?;
        self.scan.skip_space();
        Ok(match *operator {
            "~" => json!(["~", field, self.string()?]),
            "~>" => json!(["~>", field, self.list(Self::string)?]),
            ">=" | "<=" | "<" | ">" => json!([operator, field, self.ordered()?]),
            "in" => json!(["in", field, self.source()?]),
            "!=" => json!(["not", ["=", field, self.value()?]]),
            "!~" => json!(["not", ["~", field, self.value()?]]),
            _ => json!([operator, field, self.value()?]),
        })
    }

    /// The right side of `in`.
    fn source(&mut self) -> Match<Value> {
        if self.scan.rest().starts_with('[') {
            return Ok(json!(["array", self.nested(|parser| parser.list(Self::value))?]));
        }
        // The space after it belongs to the next word, such as `and`.
        self.scan.skip_space();
        self.from()
    }

    /// Items in brackets, at least one.
    fn list(&mut self, item: impl Fn(&mut Self) -> Match<Value>) -> Match<Value> {
        self.scan.literal("[")?;
        self.scan.skip_space();
        let mut items = vec![item(self)?];
        loop {
            self.scan.skip_space();
            if self.scan.literal(",").is_err() {
                break;
            }
            self.scan.skip_space();
            items.push(item(self)?);
        }
        self.scan.literal("]")?;
        Ok(Value::Array(items))
    }

    fn fields(&mut self) -> Match<Vec<Value>> {
        let mut fields = vec![self.field_or_function()?];
        loop {
            let end = self.scan.at;
            self.scan.skip_space();
            if self.scan.literal(",").is_err() {
                self.scan.at = end;
                return Ok(fields);
            }
            self.scan.skip_space();
            fields.push(self.field_or_function()?);
        }
    }

    fn field_or_function(&mut self) -> Match<Value> {
        let start = self.scan.at;
        for function in FUNCTIONS {
            if !self.scan.rest().starts_with(function) {
                continue;
            }
            self.scan.literal(function)?;
            self.scan.skip_space();
            if self.scan.literal("(").is_ok() {
                return self.arguments(function);
            }
            self.scan.at = start;
        }
        self.field()
    }

    /// The arguments of a function, after the parenthesis.
    fn arguments(&mut self, function: &str) -> Match<Value> {
        let mut parts = vec![json!("function"), json!(function)];
        self.scan.skip_space();
        if self.scan.literal(")").is_ok() {
            return Ok(Value::Array(parts));
        }
        parts.push(if self.scan.rest().starts_with(['"', '\'']) {
            self.string()?
        } else {
            self.field()?
        });
        loop {
            self.scan.skip_space();
            if self.scan.literal(",").is_err() {
                break;
            }
            self.scan.skip_space();
            parts.push(self.string()?);
        }
        self.scan.literal(")")?;
        Ok(Value::Array(parts))
    }

    /// The name of a field, with its path if it has one.
    fn field(&mut self) -> Match<Value> {
        let start = self.scan.at;
        for dotted in DOTTED {
            let Some(after) = self.scan.rest().strip_prefix(dotted) else { continue };
            if after.starts_with('.') {
                self.scan.take(dotted.len());
                while self.scan.rest().starts_with('.') {
                    self.scan.take(1);
                    self.path_part()?;
                }
                let end = std::mem::replace(&mut self.scan.at, start);
                return Ok(json!(self.scan.take(end - start)));
            }
        }
        let length = self.scan.length_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if length == 0 {
            return self.scan.miss("#\"[a-zA-Z0-9_]+\\??\"");
        }
        let mark = usize::from(self.scan.rest()[length..].starts_with('?'));
        Ok(json!(self.scan.take(length + mark)))
    }

    /// A part of a path after its dot: quoted, a `match(...)`, or plain.
    fn path_part(&mut self) -> Match<()> {
        let rest = self.scan.rest();
        if rest.starts_with('"') {
            let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
            let ends = |at: &usize| {
                rest[at + 1..].starts_with('.') || rest[at + 1..].starts_with(is_space)
            };
            let quotes = rest[..line].match_indices('"').skip(1).map(|(at, _)| at);
            return match quotes.into_iter().find(ends) {
                Some(at) => {
                    self.scan.take(at + 1);
                    Ok(())
                }
                None => self.scan.miss("#\"\\\".*?\\\"(?=\\.|\\s)\""),
            };
        }
        if rest.starts_with("match(") {
            let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
            if let Some(at) = rest[..line].find(')') {
                self.scan.take(at + 1);
                return Ok(());
            }
        }
        let length = self.scan.length_while(|c| {
            !is_space(c) && !matches!(c, '.' | '"' | ',' | '[' | ']' | '!' | '<' | '=' | '>' | '~')
        });
        if length == 0 {
            return self.scan.miss("#\"[^\\s\\.\\\",\\[\\]!<=>~]+(\\[\\d+\\])?\"");
        }
        self.scan.take(length);
        // An index belongs to the part if it is whole.
        let rest = self.scan.rest();
        let digits = rest.strip_prefix('[').map_or("", |after| {
            &after[..after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len())]
        });
        if !digits.is_empty() && rest[1 + digits.len()..].starts_with(']') {
            self.scan.take(digits.len() + 2);
        }
        Ok(())
    }

    /// A value that has an order.
    fn ordered(&mut self) -> Match<Value> {
        if self.scan.rest().starts_with(['"', '\'']) { self.string() } else { self.number() }
    }

    fn value(&mut self) -> Match<Value> {
        match self.scan.rest().chars().next() {
            Some('"' | '\'') => return self.string(),
            Some('[') => return self.nested(|parser| parser.list(Self::value)),
            _ => {}
        }
        for (text, value) in [("false", false), ("true", true)] {
            if self.scan.literal(text).is_ok() {
                return Ok(json!(value));
            }
        }
        let number = self.number();
        if number.is_err() {
            for start in ["'", "\"", "["] {
                let _noted: Match<()> = self.scan.miss(start);
            }
        }
        number
    }

    fn digits(&mut self) -> Match<&'a str> {
        let length = self.scan.length_while(|c| c.is_ascii_digit());
        if length == 0 { self.scan.miss("#\"[0-9]+\"") } else { Ok(self.scan.take(length)) }
    }

    fn integer(&mut self) -> Match<Value> {
        let sign = if self.scan.literal("-").is_ok() { "-" } else { "" };
        let text = format!("{sign}{}", self.digits()?);
        match text.parse::<i64>() {
            Ok(number) => Ok(json!(number)),
            Err(_) => {
                let error = QueryError::bad_request(format!("For input string: \"{text}\""));
                self.scan.fail(error)
            }
        }
    }

    fn number(&mut self) -> Match<Value> {
        let start = self.scan.at;
        let _sign = self.scan.literal("-");
        self.digits()?;
        let end = self.scan.at;
        if self.scan.literal(".").is_err() || self.digits().is_err() {
            self.scan.at = start;
            let _ = end;
            return self.integer();
        }
        let fraction_end = self.scan.at;
        if self.scan.literal("E").is_ok() || self.scan.literal("e").is_ok() {
            let _sign = self.scan.literal("-").or_else(|_| self.scan.literal("+"));
            if self.digits().is_err() {
                self.scan.at = fraction_end;
            }
        }
        let end = std::mem::replace(&mut self.scan.at, start);
        let text = self.scan.take(end - start);
        match text.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => Ok(Value::Number(number)),
            None => {
                let error = QueryError::bad_request(format!("Number out of range: {text}"));
                self.scan.fail(error)
            }
        }
    }

    /// A string in either kind of quotes.
    fn string(&mut self) -> Match<Value> {
        let quote = match self.scan.rest().chars().next() {
            Some('"') => "\"",
            Some('\'') => "'",
            _ => {
                let _noted: Match<()> = self.scan.miss("'");
                return self.scan.miss("\"");
            }
        };
        let rest = &self.scan.rest()[1..];
        let mut escaped = false;
        let mut end = None;
        for (at, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if quote.starts_with(c) => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else {
            self.scan.at += 1 + rest.len();
            return self.scan.miss(if quote == "'" { "'" } else { "\"" });
        };
        let inner = &rest[..end];
        self.scan.take(end + 2);
        if quote == "'" {
            return Ok(json!(inner.replace("\\'", "'")));
        }
        let json = json_text::with_escaped_controls(&format!("\"{inner}\"")).into_owned();
        match serde_json::from_str::<Value>(&json) {
            Ok(string) => Ok(string),
            Err(error) => {
                let text = format!("The string \"{inner}\" is not valid JSON: {error}");
                self.scan.fail(QueryError::bad_request(text))
            }
        }
    }
}
