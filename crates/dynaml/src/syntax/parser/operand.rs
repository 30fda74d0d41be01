//! Operands: prefix operators, literals, keywords, `merge`.

use std::rc::Rc;

use ecow::EcoString;

use super::text::{address_length, unescape};
use super::*;

impl Parser<'_, '_> {
    pub(super) fn unary(&mut self) -> Result<ExprId> {
        self.nested(|p| {
            let start = p.cursor.pos();
            match p.cursor.peek() {
                Some('"') => {
                    let text = p.string()?;
                    let id = p.push(Expr::Str(text), start);
                    p.chained(id, start)
                }
                Some('~') => {
                    let undefined = p.cursor.eat("~~");
                    let expr = if undefined { Expr::Undefined } else { Expr::Null };
                    p.cursor.skip(usize::from(!undefined));
                    Ok(p.push(expr, start))
                }
                Some('$') => {
                    p.cursor.skip(1);
                    let name = EcoString::from(p.cursor.take_while(is_name));
                    if name.is_empty() {
                        return p.unexpected();
                    }
                    Ok(p.push(Expr::Str(name), start))
                }
                Some('!') => {
                    p.cursor.skip(1);
                    p.blanks();
                    let inner = p.unary()?;
                    Ok(p.push(Expr::Not(inner), start))
                }
                Some('*') => {
                    p.cursor.skip(1);
                    let inner = p.unary()?;
                    Ok(p.push(Expr::Instantiate(inner), start))
                }
                Some(c) if c.is_ascii_digit() || c == '-' => p.number_or_reference(),
                _ => p.keyword_or_chained(),
            }
        })
    }

    pub(super) fn number_or_reference(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        if let Some(expr) = self.attempt(Self::number) {
            let id = self.push(expr, start);
            return Ok(id);
        }
        if self.cursor.at("-") {
            return self.unexpected();
        }
        self.keyword_or_chained()
    }

    pub(super) fn number(&mut self) -> Result<Expr> {
        let start = self.cursor.pos();
        if let Some(len) = address_length(self.cursor.rest()) {
            self.cursor.skip(len);
            return Ok(Expr::Str(self.cursor.since(start).into()));
        }
        self.cursor.eat("-");
        if self.cursor.take_while(|c| c.is_ascii_digit() || c == '_').starts_with('_') {
            return self.unexpected();
        }
        let mut float = false;
        if self.cursor.at(".") && self.cursor.rest()[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            self.cursor.skip(1);
            self.cursor.take_while(|c| c.is_ascii_digit());
            float = true;
        }
        let exponent =
            self.cursor.rest().strip_prefix(['e', 'E']).map(|r| r.strip_prefix('-').unwrap_or(r));
        if exponent.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())) {
            self.cursor.skip(1);
            self.cursor.eat("-");
            self.cursor.take_while(|c| c.is_ascii_digit());
            float = true;
        }
        if self.cursor.peek().is_some_and(is_name) || self.cursor.at("::") {
            return self.unexpected();
        }
        let digits: String = self.cursor.since(start).chars().filter(|c| *c != '_').collect();
        if float {
            return digits.parse().map(Expr::Float).or_else(|_| self.unexpected());
        }
        match digits.parse() {
            Ok(n) => Ok(Expr::Int(n)),
            Err(_) => {
                self.hint = Some("integer out of range");
                self.fail("integer out of range")
            }
        }
    }

    pub(super) fn keyword_or_chained(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        let name = self
            .cursor
            .rest()
            .find(|c| !is_name(c))
            .map_or(self.cursor.rest(), |end| &self.cursor.rest()[..end]);
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
        if !self.before_path("auto") && !self.cursor.at("auto(") && self.eat_word("auto") {
            return Ok(self.push(Expr::Auto, start));
        }
        if !self.cursor.at("merge(") && !self.before_path("merge") && self.eat_word("merge") {
            let merge = self.merge();
            return Ok(self.push(Expr::Merge(Rc::new(merge)), start));
        }
        if self.cursor.at("lambda") {
            if let Some(id) = self.attempt(Self::lambda) {
                return Ok(id);
            }
            self.cursor.back_to(start);
        }
        let base = self.chain_start()?;
        self.chained(base, start)
    }

    /// Whether this word is the first step of a path, and so no keyword.
    pub(super) fn before_path(&self, word: &str) -> bool {
        self.cursor.rest().strip_prefix(word).is_some_and(|rest| {
            let mut chars = rest.chars();
            match chars.next() {
                Some('.') => chars.next().is_some_and(|c| is_name(c) || c == '['),
                Some('[' | ':') => !rest.starts_with("::") && rest.starts_with('['),
                _ => false,
            }
        })
    }

    pub(super) fn merge(&mut self) -> Merge {
        let mut merge = Merge::default();
        let word = |p: &mut Self, word: &str| {
            let before = p.cursor.pos();
            let found = p.blanks() && !p.before_path(word) && p.eat_word(word);
            if !found {
                p.cursor.back_to(before);
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
            let before = self.cursor.pos();
            if word(self, "on") {
                self.blanks();
                let name = EcoString::from(self.cursor.take_while(is_name));
                if name.is_empty() {
                    self.cursor.back_to(before);
                } else {
                    merge.on = Some(name);
                }
            }
        }
        let before = self.cursor.pos();
        if self.blanks()
            && (self.cursor.at(".") || self.cursor.peek().is_some_and(is_name))
            && let Some(reference) = self.attempt(Self::reference)
        {
            merge.absolute = reference.absolute;
            merge.redirect = Some(reference.path);
            merge.required = true;
            return merge;
        }
        self.cursor.back_to(before);
        merge
    }

    /// A text in double quotes.
    pub(super) fn string(&mut self) -> Result<EcoString> {
        self.cursor.skip(1);
        let bytes = self.cursor.rest().as_bytes();
        let mut end = 0;
        while let Some(b) = bytes.get(end) {
            match b {
                b'"' => {
                    let text = unescape(self.cursor.take(end));
                    self.cursor.skip(1);
                    return Ok(text);
                }
                b'\\' if matches!(bytes.get(end + 1), Some(b'"' | b'\\')) => end += 2,
                _ => end += 1,
            }
        }
        self.fail_of(ParseErrorKind::UnclosedText, "the text has no closing quote")
    }
}
