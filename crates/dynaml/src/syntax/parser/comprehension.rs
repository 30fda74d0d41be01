//! Comprehensions: `map[…]`, `select[…]`, `filter[…]`, `sum[…]`, `catch[…]`, `sync[…]`.

use std::rc::Rc;

use super::*;

impl Parser<'_, '_> {
    pub(super) fn comprehension(&mut self) -> Option<ExprId> {
        const KINDS: [MapKind; 6] = [
            MapKind::List,
            MapKind::Map,
            MapKind::SelectList,
            MapKind::SelectMap,
            MapKind::FilterList,
            MapKind::FilterMap,
        ];
        let rest = self.cursor.rest();
        for kind in KINDS {
            let (word, [open, close]) = kind.text();
            if rest.strip_prefix(word).is_some_and(|r| r.starts_with(open)) {
                return self.attempt(|p| p.mapping(kind, word.len() + 1, close));
            }
        }
        if self.cursor.at("sum[") {
            return self.attempt(Self::sum);
        }
        if self.cursor.at("catch[") {
            return self.attempt(Self::catch);
        }
        if self.cursor.at("sync[") {
            return self.attempt(Self::sync);
        }
        None
    }

    pub(super) fn mapping(&mut self, kind: MapKind, skip: usize, close: char) -> Result<ExprId> {
        let start = self.cursor.pos();
        self.cursor.skip(skip);
        self.blanks();
        let source = self.binary(0)?;
        let lambda = self.lambda_or_expr()?;
        self.blanks();
        self.expect(close.encode_utf8(&mut [0; 4]))?;
        Ok(self.push(Expr::Mapping(kind, source, lambda), start))
    }

    pub(super) fn sum(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        self.expect("sum[")?;
        self.blanks();
        let source = self.binary(0)?;
        self.blanks();
        self.expect("|")?;
        self.blanks();
        let init = self.binary(0)?;
        let lambda = self.lambda_or_expr()?;
        self.blanks();
        self.expect("]")?;
        Ok(self.push(Expr::Sum(source, init, lambda), start))
    }

    pub(super) fn catch(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        self.expect("catch[")?;
        self.blanks();
        let source = self.binary(0)?;
        let lambda = self.lambda_or_expr()?;
        self.blanks();
        self.expect("]")?;
        Ok(self.push(Expr::Catch(source, lambda), start))
    }

    pub(super) fn sync(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        self.expect("sync[")?;
        self.blanks();
        let source = self.binary(0)?;
        let condition = self.lambda_or_expr()?;
        self.blanks();
        let mut value = None;
        let mut timeout = None;
        if self.cursor.eat(",") {
            let body = self.expression()?;
            let params = match &self.exprs[condition] {
                Expr::Lambda(l) => l.params.clone(),
                _ => return self.unexpected(),
            };
            let lambda = LambdaExpr { params, varargs: false, body };
            value = Some(self.push(Expr::Lambda(Rc::new(lambda)), start));
        } else if self.cursor.at("|") {
            value = Some(self.lambda_or_expr()?);
        }
        self.blanks();
        if self.cursor.eat("|") {
            timeout = Some(self.expression()?);
        }
        self.expect("]")?;
        Ok(self.push(Expr::Sync(source, condition, value, timeout), start))
    }

    /// `|x|->e`, or `|e` with an expression that results in a lambda.
    pub(super) fn lambda_or_expr(&mut self) -> Result<ExprId> {
        self.blanks();
        let start = self.cursor.pos();
        if let Some(id) = self.attempt(|p| p.lambda_expr(start)) {
            return Ok(id);
        }
        self.expect("|")?;
        self.expression()
    }
}
