//! Parses expressions by operator precedence.

use ecow::EcoString;
use num_bigint::BigInt;
use ordain_functions::regex::{self, Dialect};

use super::ast::{BinOp, Call, Callee, ExprId, ExprKind, Lookup, Name, New, Pattern, Slot};
use super::lexer::{Keyword, Kind, Token};
use super::parser::{Parser, syntax};
use super::strings;
use crate::diagnostics::{Class, Error, Result};
use crate::location::Location;
use crate::symbol::Symbol;
use crate::value::Value;

/// The precedence of operators.
mod level {
    pub(super) const CONDITION: u8 = 1;
    pub(super) const OR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const COMPARE: u8 = 4;
    pub(super) const ADD: u8 = 5;
    pub(super) const MULTIPLY: u8 = 6;
    pub(super) const POWER: u8 = 7;
    pub(super) const NOT: u8 = 8;
    pub(super) const IN: u8 = 9;
}

/// A variable or attribute that may be the target of an assignment.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) expr: ExprId,
    /// The whole name, with the attributes.
    pub(super) name: Name,
    /// The object and its attribute.
    pub(super) attribute: Option<(ExprId, Symbol)>,
}

/// An expression that begins with a name.
pub(super) enum Operand {
    Target(Target),
    Other(ExprId),
}

/// A name with namespaces.
pub(super) enum Path {
    /// The last name begins with a capital letter.
    Class(Name),
    Other(Name),
}

/// Arguments in parentheses.
#[derive(Default)]
struct Arguments {
    positional: Vec<ExprId>,
    names: Vec<Name>,
    named: Vec<ExprId>,
    splats: Vec<ExprId>,
}

enum Infix {
    Condition,
    And,
    Or,
    Binary(BinOp, u8),
    NotIn,
}

impl Parser<'_, '_> {
    pub(super) fn expression(&mut self) -> Result<ExprId> {
        self.expression_at(0)
    }

    fn expression_at(&mut self, least: u8) -> Result<ExprId> {
        self.deeper()?;
        let left = self.prefix()?;
        let out = self.continue_expression(left, least);
        self.nesting.leave();
        out
    }

    /// Parses the operators after an operand that have at least this precedence.
    pub(super) fn continue_expression(&mut self, left: ExprId, least: u8) -> Result<ExprId> {
        let depth = self.nesting.depth();
        let mut left = left;
        while let Some(infix) = self.infix(least) {
            self.deeper()?;
            left = self.operator(left, infix)?;
        }
        self.nesting.leave_to(depth);
        Ok(left)
    }

    fn infix(&mut self, least: u8) -> Option<Infix> {
        let (infix, tightness) = match self.kind() {
            Kind::Char(b'?') => (Infix::Condition, level::CONDITION),
            Kind::Word(Keyword::Or) => (Infix::Or, level::OR),
            Kind::Word(Keyword::And) => (Infix::And, level::AND),
            Kind::Word(Keyword::Not) => (Infix::NotIn, level::NOT),
            Kind::Word(Keyword::In) => (Infix::Binary(BinOp::In, level::IN), level::IN),
            Kind::Plus => (Infix::Binary(BinOp::Plus, level::ADD), level::ADD),
            Kind::Minus => (Infix::Binary(BinOp::Minus, level::ADD), level::ADD),
            Kind::Char(b'*') => (Infix::Binary(BinOp::Times, level::MULTIPLY), level::MULTIPLY),
            Kind::Slash => (Infix::Binary(BinOp::Divide, level::MULTIPLY), level::MULTIPLY),
            Kind::Char(b'%') => (Infix::Binary(BinOp::Modulo, level::MULTIPLY), level::MULTIPLY),
            Kind::Power => (Infix::Binary(BinOp::Power, level::POWER), level::POWER),
            Kind::Cmp => {
                let op = match self.text() {
                    "==" => BinOp::Equal,
                    "!=" => BinOp::NotEqual,
                    "<" => BinOp::Less,
                    "<=" => BinOp::LessEqual,
                    ">" => BinOp::Greater,
                    _ => BinOp::GreaterEqual,
                };
                (Infix::Binary(op, level::COMPARE), level::COMPARE)
            }
            // Before a digit, `<-` is a comparison with a negative number.
            Kind::Rel if self.text() == "<-" && self.peek() == Kind::Int => {
                self.split(Kind::Cmp);
                (Infix::Binary(BinOp::Less, level::COMPARE), level::COMPARE)
            }
            _ => return None,
        };
        (tightness >= least).then_some(infix)
    }

    fn operator(&mut self, left: ExprId, infix: Infix) -> Result<ExprId> {
        let token = self.advance();
        let at = self.lexer.line_of(&token);
        match infix {
            Infix::Condition => {
                let then = self.expression()?;
                self.expect(b':')?;
                let otherwise = self.expression_at(level::CONDITION)?;
                let at = self.ast.exprs[left].at;
                Ok(self.ast.expr(ExprKind::Cond(left, then, otherwise), at))
            }
            Infix::And => {
                let right = self.expression_at(level::AND + 1)?;
                Ok(self.ast.expr(ExprKind::And(left, right), at))
            }
            Infix::Or => {
                let right = self.expression_at(level::OR + 1)?;
                Ok(self.ast.expr(ExprKind::Or(left, right), at))
            }
            Infix::Binary(op, tightness) => {
                let right = self.expression_at(tightness + 1)?;
                Ok(self.ast.expr(ExprKind::Binary(op, left, right), at))
            }
            Infix::NotIn => {
                self.expect_word(Keyword::In)?;
                let right = self.expression_at(level::IN + 1)?;
                let inner = self.ast.expr(ExprKind::Binary(BinOp::In, left, right), at);
                Ok(self.ast.expr(ExprKind::Not(inner), at))
            }
        }
    }

    fn prefix(&mut self) -> Result<ExprId> {
        match self.kind() {
            Kind::Id => Ok(match self.named_operand()? {
                Operand::Target(target) => target.expr,
                Operand::Other(expr) => expr,
            }),
            Kind::Cid => {
                let token = self.advance();
                let name = self.name_of(&token);
                self.class_operand(name)
            }
            Kind::Char(b'(') => {
                self.advance();
                let inner = self.expression()?;
                self.expect(b')')?;
                Ok(inner)
            }
            Kind::Char(b'[') => self.list(),
            Kind::Char(b'{') => self.map(),
            Kind::Word(Keyword::Not) => {
                let token = self.advance();
                let at = self.lexer.line_of(&token);
                let inner = self.expression_at(level::IN)?;
                if self.is_word(Keyword::Not) {
                    return self.unexpected();
                }
                Ok(self.ast.expr(ExprKind::Not(inner), at))
            }
            _ => self.constant(),
        }
    }

    /// Parses a literal.
    pub(super) fn constant(&mut self) -> Result<ExprId> {
        let token = self.token;
        let line = self.lexer.line_of(&token);
        let text = self.text();
        let (value, at) = match token.kind {
            Kind::Int => (integer(text), line),
            Kind::Float => (Value::Float(text.parse().unwrap_or_default()), line),
            Kind::Word(Keyword::True) => (Value::Bool(true), line),
            Kind::Word(Keyword::False) => (Value::Bool(false), line),
            Kind::Word(Keyword::Null) => (Value::Null, line),
            Kind::RString => (Value::str(&text[2..text.len() - 1]), self.lexer.location(&token)),
            Kind::String => {
                self.advance();
                let place = self.lexer.location(&token);
                let inner = self.unescaped(&token, 1, 1)?;
                return Ok(strings::interpolated(self.ast, &inner, place, 1, line));
            }
            Kind::Multi => {
                self.advance();
                let place = self.lexer.location(&token);
                let inner = self.unescaped(&token, 3, 3)?;
                return Ok(strings::interpolated(self.ast, &inner, place, 3, place));
            }
            Kind::FString => {
                self.advance();
                let place = self.lexer.location(&token);
                let inner = self.unescaped(&token, 2, 1)?;
                return strings::formatted(self.ast, &inner, place)
                    .map_err(|text| syntax(place, format!("Invalid f-string: {text}")));
            }
            Kind::Regex => {
                let at = self.regex_place(&token);
                let expr = self.regex(text, line, at)?;
                self.advance();
                return Ok(expr);
            }
            _ => return self.unexpected(),
        };
        self.advance();
        Ok(self.ast.expr(ExprKind::Const(value), at))
    }

    fn regex_place(&self, token: &Token) -> Location {
        let place = self.lexer.location(token);
        let text = self.lexer.slice(token);
        let before = &text[..text.find('/').unwrap_or_default()];
        let line = place.line + before.matches('\n').count() as u32;
        let column = place.column + before.chars().count() as u32;
        Location { line, column, end_line: line, ..place }
    }

    fn regex(&mut self, text: &str, line: Location, at: Location) -> Result<ExprId> {
        let slashed = &text[text.find('/').unwrap_or_default()..];
        let pattern = &slashed[1..slashed.len() - 1];
        let regex = regex::compile(Dialect::Python, pattern)
            .map_err(|error| syntax(at, format!("Regex error in {slashed}: '{error}'")))?;
        let symbol = self.ast.symbols.intern("self");
        let subject = self.ast.expr(ExprKind::Name(symbol, Slot::Unresolved), line);
        self.ast.patterns.push(Pattern { text: pattern.into(), regex });
        let number = self.ast.patterns.len() as u32 - 1;
        Ok(self.ast.expr(ExprKind::Regex(subject, number), line))
    }

    /// Parses a regular expression as the condition of a typedef.
    pub(super) fn regex_condition(&mut self) -> Result<ExprId> {
        self.constant()
    }

    /// Parses names with `::` between them.
    pub(super) fn path(&mut self) -> Result<Path> {
        if self.kind() == Kind::Cid {
            let token = self.advance();
            return Ok(Path::Class(self.name_of(&token)));
        }
        let token = self.expect_kind(Kind::Id)?;
        let mut name = self.name_of(&token);
        while self.kind() == Kind::Sep {
            self.advance();
            if !matches!(self.kind(), Kind::Id | Kind::Cid) {
                return self.unexpected();
            }
            let part = self.advance();
            let text = format!("{}::{}", self.ast.name(name.symbol), self.lexer.slice(&part));
            let at = name.at.to(self.lexer.location(&part));
            name = Name { symbol: self.ast.symbols.intern(&text), at };
            if part.kind == Kind::Cid {
                return Ok(Path::Class(name));
            }
        }
        Ok(Path::Other(name))
    }

    /// Parses a path whose last name does not begin with a capital letter.
    pub(super) fn plain_path(&mut self) -> Result<Name> {
        let token = self.expect_kind(Kind::Id)?;
        let mut name = self.name_of(&token);
        while self.kind() == Kind::Sep {
            self.advance();
            let part = self.expect_kind(Kind::Id)?;
            let text = format!("{}::{}", self.ast.name(name.symbol), self.lexer.slice(&part));
            let at = name.at.to(self.lexer.location(&part));
            name = Name { symbol: self.ast.symbols.intern(&text), at };
        }
        Ok(name)
    }

    /// Parses a path whose last name begins with a capital letter.
    pub(super) fn class_path(&mut self) -> Result<Name> {
        match self.path()? {
            Path::Class(name) => Ok(name),
            Path::Other(name) => self.class_behind(name),
        }
    }

    /// Parses a class after a name. Dots in between are an error.
    pub(super) fn class_behind(&mut self, name: Name) -> Result<Name> {
        let mut whole = name;
        while self.is(b'.') {
            self.advance();
            if !matches!(self.kind(), Kind::Id | Kind::Cid) {
                return self.unexpected();
            }
            let part = self.advance();
            whole = self.dotted(whole, &part);
            if part.kind == Kind::Cid {
                return Err(self.namespace_access(whole));
            }
        }
        self.unexpected()
    }

    fn dotted(&mut self, name: Name, part: &Token) -> Name {
        let text = format!("{}.{}", self.ast.name(name.symbol), self.lexer.slice(part));
        let at = name.at.to(self.lexer.location(part));
        Name { symbol: self.ast.symbols.intern(&text), at }
    }

    fn namespace_access(&self, name: Name) -> Box<Error> {
        let text = self.ast.name(name.symbol);
        let mut error = syntax(
            name.at,
            format!(
                "invalid namespace access `{text}`. Namespaces should be accessed with '::' rather \
                 than '.'. The '.' separator is reserved for attribute and relation access. Did you \
                 mean: `{}`",
                text.replace('.', "::")
            ),
        );
        error.class = Class::InvalidNamespaceAccess;
        error
    }

    /// Parses an expression that begins with a name without a capital.
    pub(super) fn named_operand(&mut self) -> Result<Operand> {
        let name = match self.path()? {
            Path::Class(name) => return self.class_operand(name).map(Operand::Other),
            Path::Other(name) => name,
        };
        if self.is(b'(') {
            return self.call(name).map(Operand::Other);
        }
        if self.is_word(Keyword::Is) && !self.ast.name(name.symbol).contains("::") {
            let at = Location::line(name.at.file, name.at.line);
            self.defined()?;
            let kind = ExprKind::Defined(None, name.symbol, Slot::Unresolved);
            return Ok(Operand::Other(self.ast.expr(kind, at)));
        }
        let expr = self.ast.expr(ExprKind::Name(name.symbol, Slot::Unresolved), name.at);
        let mut target = Target { expr, name, attribute: None };
        let mut lines = Vec::new();
        while self.is(b'.') {
            let dot = self.advance();
            lines.push(dot.line);
            if !matches!(self.kind(), Kind::Id | Kind::Cid) {
                return self.unexpected();
            }
            let part = self.advance();
            let whole = self.dotted(target.name, &part);
            if part.kind == Kind::Cid {
                return Err(self.namespace_access(whole));
            }
            let symbol = self.intern(&part);
            let at = self.lexer.line_of(&dot);
            if self.is_word(Keyword::Is) {
                self.defined()?;
                let kind = ExprKind::Defined(Some(target.expr), symbol, Slot::Unresolved);
                return Ok(Operand::Other(self.ast.expr(kind, at)));
            }
            self.deeper()?;
            let base = target.expr;
            let expr = self.ast.expr(ExprKind::Attr(base, symbol), at);
            target = Target { expr, name: whole, attribute: Some((base, symbol)) };
        }
        let depth = self.nesting.depth();
        self.nesting.leave_to(depth.saturating_sub(lines.len() as u32));
        self.behind_reference(target)
    }

    fn behind_reference(&mut self, target: Target) -> Result<Operand> {
        if self.is(b'(') && target.attribute.is_some() {
            self.arguments(b'(', b')', true)?;
            return Err(self.namespace_access(target.name));
        }
        if !self.is(b'[') {
            return Ok(Operand::Target(target));
        }
        if let Some((root, relation)) = target.attribute
            && self.is_query()
        {
            let at = self.lexer.line_of(&self.token);
            let arguments = self.arguments(b'[', b']', false)?;
            let lookup = self.lookup(None, Some((root, relation)), arguments);
            return Ok(Operand::Other(self.ast.expr(lookup, at)));
        }
        self.entries(target.expr).map(Operand::Other)
    }

    /// Whether the bracket contains attributes of an index lookup rather than a key.
    fn is_query(&mut self) -> bool {
        match self.peek() {
            Kind::Char(b']') | Kind::Power => true,
            Kind::Id => {
                let mark = self.mark();
                self.advance();
                let is_query = self.peek() == Kind::Char(b'=');
                self.reset(mark);
                is_query
            }
            _ => false,
        }
    }

    fn defined(&mut self) -> Result<()> {
        self.advance();
        self.expect_word(Keyword::Defined).map(|_| ())
    }

    /// Parses keys after a map: `map[key]`.
    fn entries(&mut self, map: ExprId) -> Result<ExprId> {
        let mut map = map;
        let depth = self.nesting.depth();
        while self.is(b'[') {
            self.deeper()?;
            self.advance();
            let key = self.expression()?;
            self.expect(b']')?;
            let at = self.ast.exprs[map].at.merge(self.ast.exprs[key].at);
            map = self.ast.expr(ExprKind::Entry(map, key), at);
        }
        self.nesting.leave_to(depth);
        if self.is_word(Keyword::Is) {
            let at = self.lexer.line_of(&self.token);
            self.defined()?;
            return Ok(self.entry_defined(map, at));
        }
        Ok(map)
    }

    /// Builds `is defined` for an entry of a map.
    fn entry_defined(&mut self, entry: ExprId, at: Location) -> ExprId {
        let ExprKind::Entry(map, key) = self.ast.exprs[entry].kind else { return entry };
        let null = self.ast.expr(ExprKind::Const(Value::Null), at);
        let empty = self.ast.expr(ExprKind::List(ordain_syntax::ListRef::EMPTY), at);
        let has = self.ast.expr(ExprKind::Binary(BinOp::In, key, map), at);
        let not_null = self.ast.expr(ExprKind::Binary(BinOp::NotEqual, entry, null), at);
        let not_empty = self.ast.expr(ExprKind::Binary(BinOp::NotEqual, entry, empty), at);
        let both = self.ast.expr(ExprKind::And(has, not_null), at);
        self.ast.expr(ExprKind::And(both, not_empty), at)
    }

    /// Parses a constructor or an index lookup.
    fn class_operand(&mut self, class: Name) -> Result<ExprId> {
        let at = self.lexer.line_of(&self.token);
        match self.kind() {
            Kind::Char(b'(') => {
                let arguments = self.arguments(b'(', b')', false)?;
                self.constructor(class, arguments, at)
            }
            Kind::Char(b'[') => {
                let arguments = self.arguments(b'[', b']', false)?;
                let lookup = self.lookup(Some(class), None, arguments);
                Ok(self.ast.expr(lookup, at))
            }
            _ => self.unexpected(),
        }
    }

    fn constructor(&mut self, class: Name, arguments: Arguments, at: Location) -> Result<ExprId> {
        for (i, name) in arguments.names.iter().enumerate() {
            if arguments.names[..i].iter().any(|n| n.symbol == name.symbol) {
                let (text, class) = (self.ast.name(name.symbol), self.ast.name(class.symbol));
                let message = format!(
                    "The attribute {text} in the constructor call of {class} is already set."
                );
                let error = Error::new(Class::Runtime, message);
                return Err(error.by(format!("Construct({class})"), at));
            }
        }
        let values = self.exprs(arguments.named);
        let splats = self.exprs(arguments.splats);
        let names = self.ast.names.extend(arguments.names);
        let new = self.ast.news.push(New { class, names, values, splats });
        Ok(self.ast.expr(ExprKind::New(new), at))
    }

    fn lookup(
        &mut self,
        class: Option<Name>,
        root: Option<(ExprId, Symbol)>,
        arguments: Arguments,
    ) -> ExprKind {
        let names = arguments.names.iter().map(|name| name.symbol).collect();
        let values = self.exprs(arguments.named);
        let splats = self.exprs(arguments.splats);
        let lookup = Lookup { class, root, names, values, splats, entity: None };
        ExprKind::Lookup(self.ast.lookups.push(lookup))
    }

    fn call(&mut self, name: Name) -> Result<ExprId> {
        let arguments = self.arguments(b'(', b')', true)?;
        let names: Vec<Symbol> = arguments.names.iter().map(|n| n.symbol).collect();
        let twice = (1..names.len()).find(|&i| names[..i].contains(&names[i]));
        let positional = self.exprs(arguments.positional);
        let named = self.exprs(arguments.named);
        let splats = self.exprs(arguments.splats);
        let call = Call { name, positional, names, named, splats, callee: Callee::Unresolved };
        let repeated = twice.map(|i| call.names[i]);
        let mut call = call;
        if let Some(i) = twice {
            call.names.truncate(i);
        }
        let call = self.ast.calls.push(call);
        let expr = self.ast.expr(ExprKind::Call(call), name.at);
        if let Some(repeated) = repeated {
            let message = format!(
                "Keyword argument {} repeated in function call {}()",
                self.ast.name(repeated),
                self.ast.name(name.symbol)
            );
            let error = Error::new(Class::Runtime, message);
            return Err(error.by(self.ast.reported(expr), name.at));
        }
        Ok(expr)
    }

    fn arguments(&mut self, open: u8, close: u8, positional: bool) -> Result<Arguments> {
        self.expect(open)?;
        let mut out = Arguments::default();
        while !self.is(close) {
            if self.kind() == Kind::Power {
                let token = self.advance();
                let at = self.lexer.line_of(&token);
                let dict = self.expression()?;
                out.splats.push(self.ast.expr(ExprKind::Splat(dict), at));
            } else if self.kind() == Kind::Id && self.peek() == Kind::Char(b'=') {
                let token = self.advance();
                self.advance();
                out.names.push(self.name_of(&token));
                out.named.push(self.expression()?);
            } else if positional {
                out.positional.push(self.expression()?);
            } else if self.kind() == Kind::Id {
                self.advance();
                return self.unexpected();
            } else {
                return self.unexpected();
            }
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        self.expect(close)?;
        Ok(out)
    }

    fn list(&mut self) -> Result<ExprId> {
        let open = self.advance();
        let at = self.lexer.line_of(&open);
        let mut items = Vec::new();
        while !self.is(b']') {
            items.push(self.expression()?);
            if items.len() == 1 && self.is_word(Keyword::For) {
                return self.comprehension(items[0], at);
            }
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        self.expect(b']')?;
        Ok(self.list_of(&items, at))
    }

    /// Builds a list; a constant if all elements are constants.
    pub(super) fn list_of(&mut self, items: &[ExprId], at: Location) -> ExprId {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match &self.ast.exprs[*item].kind {
                ExprKind::Const(Value::List(inner)) => values.extend(inner.iter().cloned()),
                ExprKind::Const(value) => values.push(value.clone()),
                _ => {
                    let items = self.exprs(items.iter().copied());
                    return self.ast.expr(ExprKind::List(items), at);
                }
            }
        }
        self.ast.expr(ExprKind::Const(Value::list(values)), at)
    }

    fn comprehension(&mut self, value: ExprId, at: Location) -> Result<ExprId> {
        let mut loops = Vec::new();
        while self.is_word(Keyword::For) {
            self.advance();
            let variable = self.id()?.symbol;
            self.expect_word(Keyword::In)?;
            loops.push((variable, self.expression()?));
        }
        let mut guards = Vec::new();
        while self.is_word(Keyword::If) {
            let word = self.advance();
            guards.push((self.lexer.line_of(&word), self.expression()?));
        }
        self.expect(b']')?;
        let mut guard = None;
        for (line, condition) in guards.into_iter().rev() {
            guard = Some(match guard {
                None => condition,
                Some(rest) => self.ast.expr(ExprKind::And(condition, rest), line),
            });
        }
        let mut out = value;
        for (variable, iterable) in loops.into_iter().rev() {
            self.deeper()?;
            let guard = guard.take();
            let kind = ExprKind::Comprehension { value: out, variable, iterable, guard };
            out = self.ast.expr(kind, at);
        }
        Ok(out)
    }

    pub(super) fn map(&mut self) -> Result<ExprId> {
        let open = self.expect(b'{')?;
        let at = self.lexer.line_of(&open);
        let mut keys: Vec<EcoString> = Vec::new();
        let mut values = Vec::new();
        while !self.is(b'}') {
            let token = self.token;
            let text = self.text();
            let key = match token.kind {
                Kind::RString => text[2..text.len() - 1].to_owned(),
                Kind::String => self.unescaped(&token, 1, 1)?,
                _ => return self.unexpected(),
            };
            if token.kind == Kind::String && strings::has_placeholder(&key) {
                let message = "String interpolation is not supported in dictionary keys. Use raw \
                               string to use a key containing double curly brackets";
                return Err(syntax(self.lexer.location(&token), message));
            }
            self.advance();
            self.expect(b':')?;
            keys.push(key.into());
            values.push(self.expression()?);
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        self.expect(b'}')?;
        self.map_of(keys, values, at)
    }

    fn map_of(
        &mut self,
        keys: Vec<EcoString>,
        values: Vec<ExprId>,
        at: Location,
    ) -> Result<ExprId> {
        let mut seen = rustc_hash::FxHashMap::default();
        for (key, value) in keys.iter().zip(&values) {
            if let Some(first) = seen.insert(key, *value) {
                let message = format!("duplicate key in dict {key}");
                let mut error = Error::new(Class::Duplicate, message);
                error.location = Some(self.ast.exprs[*value].at);
                error.other = Some(self.ast.exprs[first].at);
                return Err(error);
            }
        }
        let constant = |value: &ExprId| match &self.ast.exprs[*value].kind {
            ExprKind::Const(value) => Some(value.clone()),
            _ => None,
        };
        let constants: Option<Vec<Value>> = values.iter().map(constant).collect();
        let kind = match constants {
            Some(constants) => ExprKind::Const(Value::dict(keys.into_iter().zip(constants))),
            None => {
                let keys = self.ast.keys.extend(keys);
                ExprKind::Dict(keys, self.exprs(values))
            }
        };
        Ok(self.ast.expr(kind, at))
    }
}

/// A whole number of any size.
fn integer(text: &str) -> Value {
    match text.parse() {
        Ok(number) => Value::Int(number),
        Err(_) => text.parse::<BigInt>().map_or(Value::Int(0), Value::int),
    }
}
