//! Bracketed forms: lists, ranges, maps, groups, local names.

use std::rc::Rc;

use ecow::EcoString;

use super::*;

impl Parser<'_, '_> {
    pub(super) fn chain_start(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        match self.cursor.peek() {
            Some('[') => self.list_or_range(),
            Some('{') => {
                self.cursor.skip(1);
                let assigns = self.assignments("}")?;
                Ok(self.push(Expr::Map(assigns), start))
            }
            Some('(') => match self.paren(false)? {
                Paren::Group(e) => Ok(e),
                Paren::Scope(_) => self.unexpected(),
            },
            Some('.') if self.cursor.at(".[") => {
                self.cursor.skip(2);
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

    pub(super) fn list_or_range(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        self.cursor.skip(1);
        self.blanks();
        if self.cursor.eat("]") {
            return Ok(self.push(Expr::List(Rc::default()), start));
        }
        let first = if self.cursor.at("..") { None } else { Some(self.expression()?) };
        self.blanks();
        if self.cursor.at("..") && !self.cursor.at("...") {
            self.cursor.skip(2);
            self.blanks();
            let end = if self.cursor.at("]") { None } else { Some(self.expression()?) };
            self.expect("]")?;
            return Ok(self.push(Expr::Range(first, end), start));
        }
        let Some(first) = first else { return self.unexpected() };
        let items = self.list_after(first, "]")?;
        Ok(self.push(Expr::List(items), start))
    }

    pub(super) fn list_after(&mut self, first: ExprId, close: &str) -> Result<Rc<[Arg]>> {
        let mut items = vec![self.argument(None, first)];
        while self.cursor.eat(",") {
            let value = self.expression()?;
            items.push(self.argument(None, value));
        }
        self.expect(close)?;
        Ok(items.into())
    }

    pub(super) fn argument(&mut self, name: Option<EcoString>, value: ExprId) -> Arg {
        let expand = self.cursor.eat("...");
        if expand {
            self.blanks();
        }
        Arg { name, value, expand }
    }

    pub(super) fn expression_list(&mut self, close: &str) -> Result<Rc<[Arg]>> {
        let first = self.expression()?;
        self.list_after(first, close)
    }

    /// Parses a group or, if `may_scope`, local names.
    pub(super) fn paren(&mut self, may_scope: bool) -> Result<Paren> {
        let start = self.cursor.pos();
        self.cursor.skip(1);
        self.blanks();
        if may_scope && self.cursor.eat(")") {
            return Ok(Paren::Scope(Rc::default()));
        }
        let first = self.expression()?;
        if may_scope && self.cursor.at("=") {
            self.cursor.skip(1);
            let value = self.expression()?;
            let mut assigns = vec![(first, value)];
            while self.cursor.eat(",") {
                assigns.push(self.assignment()?);
            }
            self.expect(")")?;
            return Ok(Paren::Scope(assigns.into()));
        }
        self.expect(")")?;
        Ok(Paren::Group(self.push(Expr::Group(first), start)))
    }

    pub(super) fn assignments(&mut self, close: &str) -> Result<Rc<[(ExprId, ExprId)]>> {
        let mut assigns = Vec::new();
        self.blanks();
        if !self.cursor.at(close) {
            assigns.push(self.assignment()?);
            while self.cursor.eat(",") {
                assigns.push(self.assignment()?);
            }
        }
        self.expect(close)?;
        Ok(assigns.into())
    }

    pub(super) fn assignment(&mut self) -> Result<(ExprId, ExprId)> {
        let key = self.expression()?;
        self.expect("=")?;
        Ok((key, self.expression()?))
    }
}
