//! From the text between the brackets to [`Exprs`]: recursive descent without a token list, since
//! blanks are part of the language (a blank concatenates, operators need blanks around them).
//!
//! The productions are those of the reference grammar; the levels of its binary operators are a
//! table (`OPERATORS`).

mod reference;
mod text;

use std::rc::Rc;

use ecow::EcoString;

use super::ast::{
    Arg, BinaryOp, Expr, ExprId, Exprs, LambdaExpr, MapKind, Marker, Merge, Param, PathStep,
    Reference,
};
use text::{address_length, unescape};

/// Why a text is no expression, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// The byte it was noticed at.
    pub at: usize,
}

type Result<T> = std::result::Result<T, ParseError>;

/// How deep expressions may be nested.
const DEPTH: u32 = 200;
/// How many operands may follow each other, operators at one level or calls of results.
const CHAIN: u32 = 2000;
/// How often productions may be tried in one expression.
const STEPS: u32 = 2_000_000;

const OR: u8 = 1;
const CONCAT: u8 = 3;

/// Operators with their level; longer ones before their prefixes.
const OPERATORS: &[(&str, BinaryOp, u8)] = &[
    ("||", BinaryOp::Or, OR),
    ("//", BinaryOp::OrNull, OR),
    ("-or", BinaryOp::LogOr, 4),
    ("-and", BinaryOp::LogAnd, 4),
    ("==", BinaryOp::Eq, 5),
    ("!=", BinaryOp::Ne, 5),
    ("<=", BinaryOp::Le, 5),
    (">=", BinaryOp::Ge, 5),
    ("<", BinaryOp::Lt, 5),
    (">", BinaryOp::Gt, 5),
    ("+", BinaryOp::Add, 6),
    ("-", BinaryOp::Sub, 6),
    ("*", BinaryOp::Mul, 7),
    ("/", BinaryOp::Div, 7),
    ("%", BinaryOp::Mod, 7),
];

/// Parses the text between `((` and `))`.
///
/// # Errors
/// When it is no expression.
pub fn parse(text: &str, exprs: &mut Exprs) -> Result<ExprId> {
    let mut parser = Parser { text, pos: 0, furthest: 0, depth: 0, steps: 0, exprs, hint: None };
    let parsed = parser.dynaml();
    parsed.map_err(|e| if parser.furthest > e.at { parser.furthest_error() } else { e })
}

struct Parser<'t, 'e> {
    text: &'t str,
    pos: usize,
    furthest: usize,
    depth: u32,
    steps: u32,
    exprs: &'e mut Exprs,
    hint: Option<&'static str>,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_key(c: char) -> bool {
    is_name(c) || c == '-'
}

impl Parser<'_, '_> {
    fn rest(&self) -> &str {
        &self.text[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.pos += text.len();
            self.furthest = self.furthest.max(self.pos);
        }
        found
    }

    /// Eats a word that no letter follows.
    fn eat_word(&mut self, word: &str) -> bool {
        let follows = self.rest().strip_prefix(word).map(|r| r.chars().next());
        match follows {
            Some(next) if !next.is_some_and(|c| is_key(c) || c == ':') => self.eat(word),
            _ => false,
        }
    }

    fn take_while(&mut self, test: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.pos..];
        let len = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.pos += len;
        self.furthest = self.furthest.max(self.pos);
        &rest[..len]
    }

    /// Skips blanks; whether there were any.
    fn blanks(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.pos..];
        let count = rest.iter().take_while(|b| is_blank(char::from(**b))).count();
        self.pos += count;
        self.furthest = self.furthest.max(self.pos);
        count > 0
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError { message: message.into(), at: self.pos })
    }

    fn furthest_error(&self) -> ParseError {
        let rest = &self.text[self.furthest..];
        let message = match (self.hint, rest.chars().next()) {
            (Some(hint), _) => hint.to_owned(),
            (None, Some(c)) => format!("unexpected `{c}`"),
            (None, None) => "the expression ends too early".to_owned(),
        };
        ParseError { message, at: self.furthest }
    }

    fn unexpected<T>(&self) -> Result<T> {
        match self.peek() {
            Some(c @ ('+' | '*' | '/' | '%' | '<' | '>' | '=')) if self.pos > 0 => {
                self.fail(format!("put blanks around `{c}`"))
            }
            Some(c) => self.fail(format!("unexpected `{c}`")),
            None => self.fail("the expression ends too early"),
        }
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.unexpected() }
    }

    fn push(&mut self, expr: Expr, start: usize) -> ExprId {
        self.exprs.push(expr, start, self.pos)
    }

    /// Counts a step into the grammar, so that neither nesting nor trying runs away.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.steps += 1;
        if self.depth >= DEPTH || self.steps > STEPS {
            self.hint = Some("the expression is nested too deep");
            self.furthest = self.text.len();
            return self.fail("the expression is nested too deep");
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    /// Tries a production and steps back if it does not apply.
    fn attempt<T>(&mut self, production: impl FnOnce(&mut Self) -> Result<T>) -> Option<T> {
        let start = self.pos;
        let result = self.nested(production).ok();
        if result.is_none() {
            self.pos = start;
        }
        result
    }

    fn dynaml(&mut self) -> Result<ExprId> {
        self.blanks();
        let start = self.pos;
        let expr = if self.eat_word("prefer") && self.blanks() {
            let inner = self.expression()?;
            self.push(Expr::Prefer(inner), start)
        } else if self.at("&") {
            self.marked()?
        } else {
            self.pos = start;
            self.expression()?
        };
        self.blanks();
        if self.pos < self.text.len() { self.unexpected() } else { Ok(expr) }
    }

    fn marked(&mut self) -> Result<ExprId> {
        let start = self.pos;
        let mut markers = Vec::new();
        let mut inner = None;
        loop {
            if self.eat("&") {
                markers.push(self.marker()?);
            } else if self.at("(") {
                self.pos += 1;
                let at = self.pos - 1;
                let expr = self.expression()?;
                self.expect(")")?;
                inner = Some(self.push(Expr::Group(expr), at));
                break;
            } else {
                break;
            }
            self.blanks();
        }
        Ok(self.push(Expr::Marked(markers.into(), inner), start))
    }

    fn marker(&mut self) -> Result<Marker> {
        let word = EcoString::from(self.take_while(is_name));
        Ok(match word.as_str() {
            "template" => Marker::Template,
            "temporary" => Marker::Temporary,
            "local" => Marker::Local,
            "inject" => Marker::Inject,
            "state" => Marker::State,
            "default" => Marker::Default,
            "dynamic" => Marker::Dynamic,
            "tag" if self.eat(":") => {
                let global = self.eat("*");
                let name = EcoString::from(self.take_while(|c| is_name(c) || c == ':' || c == '.'));
                if name.is_empty() {
                    return self.unexpected();
                }
                Marker::Tag(name, global)
            }
            _ => return self.fail(format!("there is no marker `&{word}`")),
        })
    }

    fn expression(&mut self) -> Result<ExprId> {
        self.nested(|p| {
            p.blanks();
            let start = p.pos;
            let expr = match p.peek() {
                Some('|') => p.lambda_expr(start)?,
                Some('(') => match p.paren(true)? {
                    Paren::Scope(assigns) => {
                        let body = p.expression()?;
                        p.push(Expr::Scope(assigns, body), start)
                    }
                    Paren::Group(e) => {
                        let left = p.chained(e, start)?;
                        p.binary_after(left, start, OR)?
                    }
                },
                _ => p.binary(OR)?,
            };
            p.blanks();
            Ok(expr)
        })
    }

    fn binary(&mut self, min: u8) -> Result<ExprId> {
        self.nested(|p| {
            let start = p.pos;
            let left = p.unary()?;
            p.binary_after(left, start, min)
        })
    }

    /// The operators after a first operand, from a level on.
    fn binary_after(&mut self, mut left: ExprId, start: usize, min: u8) -> Result<ExprId> {
        let mut count = 0;
        // The condition of `? :` is everything above the level of `||`.
        if min <= OR {
            left = self.binary_after(left, start, OR + 1)?;
            left = self.conditional(left, start)?;
        }
        loop {
            let before = self.pos;
            let blank = self.blanks();
            let operator = if blank { self.operator(min) } else { None };
            left = if let Some((op, level)) = operator {
                let mut right = self.binary(level + 1)?;
                if level == OR {
                    let at = self.exprs.span(right).0 as usize;
                    right = self.conditional(right, at)?;
                }
                self.push(Expr::Binary(op, left, right), start)
            } else if blank && min <= CONCAT && min > OR && self.starts_operand() {
                let right = self.binary(CONCAT + 1)?;
                self.push(Expr::Binary(BinaryOp::Concat, left, right), start)
            } else {
                self.pos = before;
                return Ok(left);
            };
            count += 1;
            if count > CHAIN {
                return self.fail("the expression is too long");
            }
        }
    }

    /// An operator of at least this level with blanks around it.
    fn operator(&mut self, min: u8) -> Option<(BinaryOp, u8)> {
        let (text, op, level) = OPERATORS.iter().find(|(text, ..)| self.at(text))?;
        let next = self.rest()[text.len()..].chars().next();
        if *level < min || !next.is_some_and(is_blank) {
            return None;
        }
        self.pos += text.len();
        self.blanks();
        Some((*op, *level))
    }

    fn starts_operand(&self) -> bool {
        let mut chars = self.rest().chars();
        let (first, second) = (chars.next(), chars.next());
        match first {
            Some('.') => second != Some('.'),
            Some('"' | '~' | '$' | '[' | '{' | '(') => true,
            Some('!') => second != Some('='),
            Some('*') => !second.is_some_and(is_blank),
            Some('-') => second.is_some_and(|c| c.is_ascii_digit()),
            Some(c) => is_name(c),
            None => false,
        }
    }

    fn conditional(&mut self, condition: ExprId, start: usize) -> Result<ExprId> {
        let before = self.pos;
        self.blanks();
        if !self.eat("?") {
            self.pos = before;
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        // The blank before what follows belongs to it.
        while self.pos > 0 && self.text[..self.pos].ends_with(is_blank) {
            self.pos -= 1;
        }
        Ok(self.push(Expr::Cond(condition, yes, no), start))
    }

    fn unary(&mut self) -> Result<ExprId> {
        self.nested(|p| {
            let start = p.pos;
            match p.peek() {
                Some('"') => {
                    let text = p.string()?;
                    let id = p.push(Expr::Str(text), start);
                    p.chained(id, start)
                }
                Some('~') => {
                    let expr = if p.eat("~~") { Expr::Undefined } else { Expr::Null };
                    p.pos = start + if expr == Expr::Null { 1 } else { 2 };
                    Ok(p.push(expr, start))
                }
                Some('$') => {
                    p.pos += 1;
                    let name = EcoString::from(p.take_while(is_name));
                    if name.is_empty() {
                        return p.unexpected();
                    }
                    Ok(p.push(Expr::Str(name), start))
                }
                Some('!') => {
                    p.pos += 1;
                    p.blanks();
                    let inner = p.unary()?;
                    Ok(p.push(Expr::Not(inner), start))
                }
                Some('*') => {
                    p.pos += 1;
                    let inner = p.unary()?;
                    Ok(p.push(Expr::Instantiate(inner), start))
                }
                Some(c) if c.is_ascii_digit() || c == '-' => p.number_or_reference(),
                _ => p.keyword_or_chained(),
            }
        })
    }

    fn string(&mut self) -> Result<EcoString> {
        self.pos += 1;
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(b) = bytes.get(end) {
            match b {
                b'"' => {
                    self.pos = end + 1;
                    self.furthest = self.furthest.max(self.pos);
                    return Ok(unescape(&self.text[start..end]));
                }
                b'\\'
                    if bytes.get(end + 1) == Some(&b'"') || bytes.get(end + 1) == Some(&b'\\') =>
                {
                    end += 2;
                }
                _ => end += 1,
            }
        }
        self.fail("the text has no closing quote")
    }

    fn number_or_reference(&mut self) -> Result<ExprId> {
        let start = self.pos;
        if let Some(expr) = self.attempt(Self::number) {
            let id = self.push(expr, start);
            return Ok(id);
        }
        if self.at("-") {
            return self.unexpected();
        }
        self.keyword_or_chained()
    }

    fn number(&mut self) -> Result<Expr> {
        let start = self.pos;
        if let Some(len) = address_length(self.rest()) {
            self.pos += len;
            return Ok(Expr::Str(self.text[start..self.pos].into()));
        }
        self.eat("-");
        if self.take_while(|c| c.is_ascii_digit() || c == '_').starts_with('_') {
            return self.unexpected();
        }
        let mut float = false;
        if self.at(".") && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.pos += 1;
            self.take_while(|c| c.is_ascii_digit());
            float = true;
        }
        let exponent =
            self.rest().strip_prefix(['e', 'E']).map(|r| r.strip_prefix('-').unwrap_or(r));
        if exponent.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())) {
            self.pos += 1;
            self.eat("-");
            self.take_while(|c| c.is_ascii_digit());
            float = true;
        }
        if self.peek().is_some_and(is_name) || self.at("::") {
            return self.unexpected();
        }
        let digits: String = self.text[start..self.pos].chars().filter(|c| *c != '_').collect();
        if float {
            return digits.parse().map(Expr::Float).or_else(|_| self.unexpected());
        }
        match digits.parse() {
            Ok(n) => Ok(Expr::Int(n)),
            Err(_) => {
                self.hint = Some("integer out of range");
                self.furthest = self.furthest.max(self.pos);
                self.fail("integer out of range")
            }
        }
    }

    fn keyword_or_chained(&mut self) -> Result<ExprId> {
        let start = self.pos;
        let name = self.rest().find(|c| !is_name(c)).map_or(self.rest(), |end| &self.rest()[..end]);
        let digits = name.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        if digits && name.starts_with(|c: char| c.is_ascii_digit()) {
            return self.fail("integer out of range");
        }
        if !name.starts_with(['t', 'f', 'n', 'a', 'm', 'l']) {
            let base = self.chain_start()?;
            return self.chained(base, start);
        }
        for (word, expr) in
            [("true", Expr::Bool(true)), ("false", Expr::Bool(false)), ("nil", Expr::Null)]
        {
            if !self.before_path(word) && self.eat_word(word) {
                return Ok(self.push(expr, start));
            }
        }
        if !self.before_path("auto") && !self.at("auto(") && self.eat_word("auto") {
            return Ok(self.push(Expr::Auto, start));
        }
        if !self.at("merge(") && !self.before_path("merge") && self.eat_word("merge") {
            let merge = self.merge();
            return Ok(self.push(Expr::Merge(Rc::new(merge)), start));
        }
        if self.at("lambda") {
            if let Some(id) = self.attempt(Self::lambda) {
                return Ok(id);
            }
            self.pos = start;
        }
        let base = self.chain_start()?;
        self.chained(base, start)
    }

    /// Whether this word is the first step of a path, and so no keyword.
    fn before_path(&self, word: &str) -> bool {
        self.rest().strip_prefix(word).is_some_and(|rest| {
            let mut chars = rest.chars();
            match chars.next() {
                Some('.') => chars.next().is_some_and(|c| is_name(c) || c == '['),
                Some('[' | ':') => !rest.starts_with("::") && rest.starts_with('['),
                _ => false,
            }
        })
    }

    fn merge(&mut self) -> Merge {
        let mut merge = Merge::default();
        let word = |p: &mut Self, word: &str| {
            let before = p.pos;
            let found = p.blanks() && !p.before_path(word) && p.eat_word(word);
            if !found {
                p.pos = before;
            }
            found
        };
        if word(self, "required") {
            merge.required = true;
            return merge;
        }
        if word(self, "none") {
            merge.none = true;
            return merge;
        }
        if word(self, "replace") {
            merge.replace = true;
            merge.required = true;
        } else {
            let before = self.pos;
            if word(self, "on") {
                self.blanks();
                let name = EcoString::from(self.take_while(is_name));
                if name.is_empty() {
                    self.pos = before;
                } else {
                    merge.on = Some(name);
                }
            }
        }
        let before = self.pos;
        if self.blanks()
            && (self.at(".") || self.peek().is_some_and(is_name))
            && let Some(reference) = self.attempt(Self::reference)
        {
            merge.absolute = reference.absolute;
            merge.redirect = Some(reference.path);
            merge.required = true;
            return merge;
        }
        self.pos = before;
        merge
    }

    fn lambda(&mut self) -> Result<ExprId> {
        let start = self.pos;
        self.expect("lambda")?;
        let blank = self.blanks();
        if self.at("|") {
            return self.lambda_expr(start);
        }
        if !blank {
            return self.unexpected();
        }
        let inner = self.expression()?;
        self.trim_back();
        Ok(self.push(Expr::LambdaRef(inner), start))
    }

    fn lambda_expr(&mut self, start: usize) -> Result<ExprId> {
        let (params, varargs) = self.params()?;
        self.blanks();
        self.expect("->")?;
        let body = self.expression()?;
        self.trim_back();
        Ok(self.push(Expr::Lambda(Rc::new(LambdaExpr { params, varargs, body })), start))
    }

    fn params(&mut self) -> Result<(Rc<[Param]>, bool)> {
        self.expect("|")?;
        let mut params = Vec::new();
        let mut varargs = false;
        self.blanks();
        while !self.at("|") {
            let name = EcoString::from(self.take_while(is_name));
            if name.is_empty() || varargs {
                return self.unexpected();
            }
            self.blanks();
            let mut default = None;
            if self.eat("...") {
                varargs = true;
            } else if self.eat("=") {
                default = Some(self.expression()?);
            }
            params.push(Param { name, default });
            self.blanks();
            if !self.eat(",") {
                break;
            }
            self.blanks();
        }
        self.expect("|")?;
        Ok((params.into(), varargs))
    }

    /// Gives back the blanks before this place: they may separate what follows.
    fn trim_back(&mut self) {
        while self.pos > 0 && self.text[..self.pos].ends_with(is_blank) {
            self.pos -= 1;
        }
    }

    fn chain_start(&mut self) -> Result<ExprId> {
        let start = self.pos;
        match self.peek() {
            Some('[') => self.list_or_range(),
            Some('{') => {
                self.pos += 1;
                let assigns = self.assignments("}")?;
                Ok(self.push(Expr::Map(assigns), start))
            }
            Some('(') => match self.paren(false)? {
                Paren::Group(e) => Ok(e),
                Paren::Scope(_) => self.unexpected(),
            },
            Some('.') if self.at(".[") => {
                self.pos += 2;
                let index = self.expression_list("]")?;
                Ok(self.push(Expr::Dynamic(None, index), start))
            }
            _ => {
                if let Some(id) = self.comprehension() {
                    return Ok(id);
                }
                let reference = self.reference()?;
                Ok(self.push(Expr::Ref(Rc::new(reference)), start))
            }
        }
    }

    fn comprehension(&mut self) -> Option<ExprId> {
        const KINDS: [MapKind; 6] = [
            MapKind::List,
            MapKind::Map,
            MapKind::SelectList,
            MapKind::SelectMap,
            MapKind::FilterList,
            MapKind::FilterMap,
        ];
        let rest = self.rest();
        for kind in KINDS {
            let (word, [open, close]) = kind.text();
            if rest.strip_prefix(word).is_some_and(|r| r.starts_with(open)) {
                return self.attempt(|p| p.mapping(kind, word.len() + 1, close));
            }
        }
        if self.at("sum[") {
            return self.attempt(Self::sum);
        }
        if self.at("catch[") {
            return self.attempt(Self::catch);
        }
        if self.at("sync[") {
            return self.attempt(Self::sync);
        }
        None
    }

    fn mapping(&mut self, kind: MapKind, skip: usize, close: char) -> Result<ExprId> {
        let start = self.pos;
        self.pos += skip;
        self.blanks();
        let source = self.binary(OR)?;
        let lambda = self.lambda_or_expr()?;
        self.blanks();
        self.expect(close.encode_utf8(&mut [0; 4]))?;
        Ok(self.push(Expr::Mapping(kind, source, lambda), start))
    }

    fn sum(&mut self) -> Result<ExprId> {
        let start = self.pos;
        self.expect("sum[")?;
        self.blanks();
        let source = self.binary(OR)?;
        self.blanks();
        self.expect("|")?;
        self.blanks();
        let init = self.binary(OR)?;
        let lambda = self.lambda_or_expr()?;
        self.blanks();
        self.expect("]")?;
        Ok(self.push(Expr::Sum(source, init, lambda), start))
    }

    fn catch(&mut self) -> Result<ExprId> {
        let start = self.pos;
        self.expect("catch[")?;
        self.blanks();
        let source = self.binary(OR)?;
        let lambda = self.lambda_or_expr()?;
        self.blanks();
        self.expect("]")?;
        Ok(self.push(Expr::Catch(source, lambda), start))
    }

    fn sync(&mut self) -> Result<ExprId> {
        let start = self.pos;
        self.expect("sync[")?;
        self.blanks();
        let source = self.binary(OR)?;
        let condition = self.lambda_or_expr()?;
        self.blanks();
        let mut value = None;
        let mut timeout = None;
        if self.eat(",") {
            let body = self.expression()?;
            let params = match &self.exprs[condition] {
                Expr::Lambda(l) => l.params.clone(),
                _ => return self.unexpected(),
            };
            let lambda = LambdaExpr { params, varargs: false, body };
            value = Some(self.push(Expr::Lambda(Rc::new(lambda)), start));
        } else if self.at("|") {
            value = Some(self.lambda_or_expr()?);
        }
        self.blanks();
        if self.eat("|") {
            timeout = Some(self.expression()?);
        }
        self.expect("]")?;
        Ok(self.push(Expr::Sync(source, condition, value, timeout), start))
    }

    /// `|x|->e`, or `|e` with an expression that gives a lambda.
    fn lambda_or_expr(&mut self) -> Result<ExprId> {
        self.blanks();
        let start = self.pos;
        if let Some(id) = self.attempt(|p| p.lambda_expr(start)) {
            return Ok(id);
        }
        self.expect("|")?;
        self.expression()
    }

    fn list_or_range(&mut self) -> Result<ExprId> {
        let start = self.pos;
        self.pos += 1;
        self.blanks();
        if self.eat("]") {
            return Ok(self.push(Expr::List(Rc::default()), start));
        }
        let first = if self.at("..") { None } else { Some(self.expression()?) };
        self.blanks();
        if self.at("..") && !self.at("...") {
            self.pos += 2;
            self.blanks();
            let end = if self.at("]") { None } else { Some(self.expression()?) };
            self.expect("]")?;
            return Ok(self.push(Expr::Range(first, end), start));
        }
        let Some(first) = first else { return self.unexpected() };
        let items = self.list_after(first, "]")?;
        Ok(self.push(Expr::List(items), start))
    }

    fn list_after(&mut self, first: ExprId, close: &str) -> Result<Rc<[Arg]>> {
        let mut items = vec![self.argument(None, first)];
        while self.eat(",") {
            let value = self.expression()?;
            items.push(self.argument(None, value));
        }
        self.expect(close)?;
        Ok(items.into())
    }

    fn argument(&mut self, name: Option<EcoString>, value: ExprId) -> Arg {
        let expand = self.eat("...");
        if expand {
            self.blanks();
        }
        Arg { name, value, expand }
    }

    fn expression_list(&mut self, close: &str) -> Result<Rc<[Arg]>> {
        let first = self.expression()?;
        self.list_after(first, close)
    }

    /// The `(` may start a group or local names.
    fn paren(&mut self, may_scope: bool) -> Result<Paren> {
        let start = self.pos;
        self.pos += 1;
        self.blanks();
        if may_scope && self.eat(")") {
            return Ok(Paren::Scope(Rc::default()));
        }
        let first = self.expression()?;
        if may_scope && self.at("=") {
            self.pos += 1;
            let value = self.expression()?;
            let mut assigns = vec![(first, value)];
            while self.eat(",") {
                assigns.push(self.assignment()?);
            }
            self.expect(")")?;
            return Ok(Paren::Scope(assigns.into()));
        }
        self.expect(")")?;
        Ok(Paren::Group(self.push(Expr::Group(first), start)))
    }

    fn assignments(&mut self, close: &str) -> Result<Rc<[(ExprId, ExprId)]>> {
        let mut assigns = Vec::new();
        self.blanks();
        if !self.at(close) {
            assigns.push(self.assignment()?);
            while self.eat(",") {
                assigns.push(self.assignment()?);
            }
        }
        self.expect(close)?;
        Ok(assigns.into())
    }

    fn assignment(&mut self) -> Result<(ExprId, ExprId)> {
        let key = self.expression()?;
        self.expect("=")?;
        Ok((key, self.expression()?))
    }
}

enum Paren {
    Group(ExprId),
    Scope(Rc<[(ExprId, ExprId)]>),
}
