//! References, and the postfix forms: paths, indexes, slices, projections, calls.

use std::rc::Rc;

use ecow::EcoString;

use super::text::tag_prefix;
use super::*;

impl Parser<'_, '_> {
    pub(super) fn reference(&mut self) -> Result<Reference> {
        if let Some((tag, len)) = tag_prefix(self.cursor.rest()) {
            let start = self.cursor.pos();
            self.cursor.skip(len);
            if self.cursor.at(".") || self.cursor.peek().is_some_and(is_name) {
                let absolute = self.cursor.eat(".");
                let mut path = Vec::new();
                if let Some(key) = self.key() {
                    path.push(PathStep::Key(key));
                } else if !absolute {
                    return self.unexpected();
                }
                self.path(&mut path);
                return Ok(Reference { tag: Some(tag), absolute, path: path.into() });
            }
            self.cursor.back_to(start);
        }
        let absolute = self.cursor.eat(".");
        let Some(first) = self.key() else { return self.unexpected() };
        let mut path = vec![PathStep::Key(first)];
        self.path(&mut path);
        Ok(Reference { tag: None, absolute, path: path.into() })
    }

    /// `[A-Za-z0-9_][A-Za-z0-9_-]*`, and once more after a colon.
    pub(super) fn key(&mut self) -> Option<EcoString> {
        let start = self.cursor.pos();
        if !self.cursor.peek().is_some_and(is_name) {
            return None;
        }
        self.cursor.take_while(is_key);
        let mut after = self.cursor.rest().chars();
        if after.next() == Some(':') && after.next().is_some_and(is_name) {
            self.cursor.skip(1);
            self.cursor.take_while(is_key);
        }
        Some(self.cursor.since(start).into())
    }

    /// The steps that are known from the text: `.key`, `[0]`, `.[0]`.
    pub(super) fn path(&mut self, path: &mut Vec<PathStep>) {
        loop {
            let before = self.cursor.pos();
            if self.cursor.eat(".")
                && let Some(key) = self.key()
            {
                path.push(PathStep::Key(key));
                continue;
            }
            match self.index() {
                Some(n) => path.push(PathStep::Index(n)),
                None => {
                    self.cursor.back_to(before);
                    return;
                }
            }
        }
    }

    pub(super) fn index(&mut self) -> Option<i64> {
        let rest = self.cursor.rest().strip_prefix('[')?;
        let end = rest.find(']')?;
        let inside = &rest[..end];
        let digits = inside.strip_prefix('-').unwrap_or(inside);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let n = inside.parse().ok()?;
        self.cursor.skip(end + 2);
        Some(n)
    }

    pub(super) fn chained(&mut self, mut base: ExprId, start: usize) -> Result<ExprId> {
        let mut count = 0;
        while let Some(next) = self.suffix(base, start)? {
            base = next;
            count += 1;
            if count > MAX_CHAIN {
                return self.refuse(TOO_LONG);
            }
        }
        Ok(base)
    }

    /// A call, a path, an index or a projection.
    pub(super) fn suffix(&mut self, base: ExprId, start: usize) -> Result<Option<ExprId>> {
        if self.cursor.eat("(") {
            let args = self.arguments()?;
            return Ok(Some(self.push(Expr::Call { callee: base, args, curry: false }, start)));
        }
        if self.cursor.at("*(") {
            self.cursor.skip(2);
            let args = self.arguments()?;
            return Ok(Some(self.push(Expr::Call { callee: base, args, curry: true }, start)));
        }
        let mut path = Vec::new();
        self.path(&mut path);
        if !path.is_empty() {
            return Ok(Some(self.push(Expr::Qualified(base, path.into()), start)));
        }
        if self.cursor.at(".\"") {
            return self.attempt(|p| p.quoted_step(base, start)).map_or(Ok(None), |e| Ok(Some(e)));
        }
        let before = self.cursor.pos();
        self.cursor.eat(".");
        if self.cursor.eat("[*]") {
            return self.projection(base, None, start).map(Some);
        }
        if self.cursor.at("[") {
            if let Some(index) = self.attempt(|p| {
                p.cursor.skip(1);
                p.blanks();
                p.expression_list("]")
            }) {
                return Ok(Some(self.push(Expr::Dynamic(Some(base), index), start)));
            }
            let range = self.list_or_range()?;
            let Expr::Range(from, to) = self.exprs[range] else { return self.unexpected() };
            return self.projection(base, Some((from, to)), start).map(Some);
        }
        self.cursor.back_to(before);
        Ok(None)
    }

    pub(super) fn quoted_step(&mut self, base: ExprId, start: usize) -> Result<ExprId> {
        self.cursor.skip(1);
        let at = self.cursor.pos();
        let text = self.string()?;
        let key = self.push(Expr::Str(text), at);
        let index = Rc::new([Arg { name: None, value: key, expand: false }]);
        Ok(self.push(Expr::Dynamic(Some(base), index), start))
    }

    pub(super) fn projection(
        &mut self,
        base: ExprId,
        slice: Option<(Option<ExprId>, Option<ExprId>)>,
        start: usize,
    ) -> Result<ExprId> {
        let at = self.cursor.pos();
        let element = self.push(Expr::Element, at);
        let rest = self.nested(|p| p.chained(element, at))?;
        Ok(self.push(Expr::Projection { base, slice, rest }, start))
    }

    pub(super) fn arguments(&mut self) -> Result<Rc<[Arg]>> {
        let mut args = Vec::new();
        self.blanks();
        if self.cursor.eat(")") {
            return Ok(args.into());
        }
        loop {
            let name = if args.last().is_none_or(|a: &Arg| a.name.is_some()) {
                self.argument_name()
            } else {
                None
            };
            let value = self.expression()?;
            args.push(self.argument(name, value));
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(args.into())
    }

    pub(super) fn argument_name(&mut self) -> Option<EcoString> {
        let before = self.cursor.pos();
        self.blanks();
        let name = EcoString::from(self.cursor.take_while(is_name));
        self.blanks();
        if !name.is_empty() && self.cursor.at("=") && !self.cursor.at("==") {
            self.cursor.skip(1);
            return Some(name);
        }
        self.cursor.back_to(before);
        None
    }
}
