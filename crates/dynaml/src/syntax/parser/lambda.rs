//! Lambdas and references to them.

use std::rc::Rc;

use ecow::EcoString;

use super::*;

impl Parser<'_, '_> {
    pub(super) fn lambda(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        self.expect("lambda")?;
        let blank = self.blanks();
        if self.cursor.at("|") {
            return self.lambda_expr(start);
        }
        if !blank {
            return self.unexpected();
        }
        let inner = self.expression()?;
        self.trim_back();
        Ok(self.push(Expr::LambdaRef(inner), start))
    }

    pub(super) fn lambda_expr(&mut self, start: usize) -> Result<ExprId> {
        let (params, varargs) = self.params()?;
        self.blanks();
        self.expect("->")?;
        let body = self.expression()?;
        self.trim_back();
        Ok(self.push(Expr::Lambda(Rc::new(LambdaExpr { params, varargs, body })), start))
    }

    pub(super) fn params(&mut self) -> Result<(Rc<[Param]>, bool)> {
        self.expect("|")?;
        let mut params = Vec::new();
        let mut varargs = false;
        self.blanks();
        while !self.cursor.at("|") {
            let name = EcoString::from(self.cursor.take_while(is_name));
            if name.is_empty() || varargs {
                return self.unexpected();
            }
            self.blanks();
            let mut default = None;
            if self.cursor.eat("...") {
                varargs = true;
            } else if self.cursor.eat("=") {
                default = Some(self.expression()?);
                varargs = self.cursor.eat("...");
            }
            // After a parameter with a default every parameter needs one.
            if default.is_none() && params.iter().any(|p: &Param| p.default.is_some()) {
                return self.unexpected();
            }
            params.push(Param { name, default });
            self.blanks();
            if !self.cursor.eat(",") {
                break;
            }
            self.blanks();
        }
        self.expect("|")?;
        Ok((params.into(), varargs))
    }
}
