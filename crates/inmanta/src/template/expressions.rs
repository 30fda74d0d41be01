//! Parses expressions.

use ecow::EcoString;

use super::ast::{ArgumentNodes, Binary, Call, Comparison, Escape, Expr, Filter, Literal};
use super::fault::Res;
use super::lexer::Token;
use super::parser::Parser;

impl Parser {
    pub(super) fn expression(&mut self, with_condition: bool) -> Res<Expr> {
        self.nested(|parser| if with_condition { parser.conditional() } else { parser.or() })
    }

    fn conditional(&mut self) -> Res<Expr> {
        let mut line = self.line();
        let mut first = self.or()?;
        while self.skip_name("if")? {
            let test = self.or()?;
            let otherwise = if self.skip_name("else")? {
                Ok(Box::new(self.nested(Self::conditional)?))
            } else {
                Err(self.place(line))
            };
            first = Expr::Conditional { test: test.into(), then: first.into(), otherwise };
            line = self.line();
        }
        Ok(first)
    }

    fn or(&mut self) -> Res<Expr> {
        let mut left = self.and()?;
        while self.skip_name("or")? {
            left = Expr::Or(left.into(), self.and()?.into());
        }
        Ok(left)
    }

    fn and(&mut self) -> Res<Expr> {
        let mut left = self.not()?;
        while self.skip_name("and")? {
            left = Expr::And(left.into(), self.not()?.into());
        }
        Ok(left)
    }

    fn not(&mut self) -> Res<Expr> {
        if self.skip_name("not")? {
            return Ok(Expr::Not(self.nested(Self::not)?.into()));
        }
        self.compare()
    }

    fn compare(&mut self) -> Res<Expr> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let found = match self.current()? {
                Token::Operator("==") => Comparison::Equal,
                Token::Operator("!=") => Comparison::NotEqual,
                Token::Operator("<") => Comparison::Less,
                Token::Operator("<=") => Comparison::LessEqual,
                Token::Operator(">") => Comparison::Greater,
                Token::Operator(">=") => Comparison::GreaterEqual,
                Token::Name(name) if name == "in" => Comparison::In,
                Token::Name(name)
                    if name == "not"
                        && matches!(self.look()?, Token::Name(name) if name == "in") =>
                {
                    self.next()?;
                    Comparison::NotIn
                }
                _ => break,
            };
            self.next()?;
            rest.push((found, self.sum()?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Compare(first.into(), rest) })
    }

    fn sum(&mut self) -> Res<Expr> {
        let mut left = self.concat()?;
        loop {
            let operator = match self.current()? {
                Token::Operator("+") => Binary::Add,
                Token::Operator("-") => Binary::Subtract,
                _ => return Ok(left),
            };
            self.next()?;
            left = Expr::Binary(operator, left.into(), self.concat()?.into());
        }
    }

    fn concat(&mut self) -> Res<Expr> {
        let first = self.product()?;
        if !self.is_operator("~") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.skip_operator("~")? {
            parts.push(self.product()?);
        }
        // Jinja joins constants before it knows how output is escaped.
        let is_constant = parts.iter().all(super::walk::is_constant);
        let escape = if is_constant { Escape::Never } else { self.escape };
        Ok(Expr::Concat(parts, escape))
    }

    fn product(&mut self) -> Res<Expr> {
        let mut left = self.power()?;
        loop {
            let operator = match self.current()? {
                Token::Operator("*") => Binary::Multiply,
                Token::Operator("/") => Binary::Divide,
                Token::Operator("//") => Binary::FloorDivide,
                Token::Operator("%") => Binary::Modulo,
                _ => return Ok(left),
            };
            self.next()?;
            left = Expr::Binary(operator, left.into(), self.power()?.into());
        }
    }

    fn power(&mut self) -> Res<Expr> {
        let mut left = self.unary(true)?;
        while self.skip_operator("**")? {
            left = Expr::Binary(Binary::Power, left.into(), self.unary(true)?.into());
        }
        Ok(left)
    }

    fn unary(&mut self, with_filters: bool) -> Res<Expr> {
        let found = if self.skip_operator("-")? {
            Expr::Negative(self.nested(|parser| parser.unary(false))?.into())
        } else if self.skip_operator("+")? {
            Expr::Positive(self.nested(|parser| parser.unary(false))?.into())
        } else {
            self.primary(false)?
        };
        let found = self.postfix(found)?;
        if with_filters { self.filters_and_tests(found) } else { Ok(found) }
    }

    fn primary(&mut self, with_namespace: bool) -> Res<Expr> {
        match self.current()?.clone() {
            Token::Name(name) => {
                self.next()?;
                Ok(match name.as_str() {
                    "true" | "True" => Expr::Const(Literal::Bool(true)),
                    "false" | "False" => Expr::Const(Literal::Bool(false)),
                    "none" | "None" => Expr::Const(Literal::None),
                    _ if with_namespace && self.is_operator(".") => {
                        self.next()?;
                        Expr::NamespaceItem(name, self.expect_name()?)
                    }
                    _ => Expr::Name(name),
                })
            }
            Token::Text(_) => {
                let mut text = EcoString::new();
                while let Token::Text(part) = self.current()? {
                    text.push_str(part);
                    self.next()?;
                }
                Ok(Expr::Const(Literal::Str(text)))
            }
            Token::Integer(number) => {
                self.next()?;
                Ok(Expr::Const(Literal::int(number)))
            }
            Token::Float(number) => {
                self.next()?;
                Ok(Expr::Const(Literal::Float(number)))
            }
            Token::Operator("(") => {
                self.next()?;
                let found = self.tuple(true, &[], true)?;
                self.expect_operator(")")?;
                Ok(found)
            }
            Token::Operator("[") => self.list(),
            Token::Operator("{") => self.dict(),
            token => {
                let found = crate::value::string_repr(&token.described());
                self.fail(format!("unexpected {found}"))
            }
        }
    }

    fn is_tuple_end(&self, ends: &[&str]) -> Res<bool> {
        Ok(match self.current()? {
            Token::VariableEnd | Token::BlockEnd | Token::Operator(")") => true,
            Token::Name(name) => ends.contains(&name.as_str()),
            _ => false,
        })
    }

    /// Parses an expression or a tuple without parentheses.
    pub(super) fn tuple(
        &mut self,
        with_condition: bool,
        ends: &[&str],
        in_parentheses: bool,
    ) -> Res<Expr> {
        self.items(ends, in_parentheses, |parser| parser.expression(with_condition))
    }

    /// Parses a tuple of names and literals.
    pub(super) fn simple_tuple(&mut self, ends: &[&str], with_namespace: bool) -> Res<Expr> {
        self.items(ends, false, |parser| parser.primary(with_namespace))
    }

    fn items(
        &mut self,
        ends: &[&str],
        in_parentheses: bool,
        parse: impl Fn(&mut Self) -> Res<Expr>,
    ) -> Res<Expr> {
        let mut items = Vec::new();
        let mut is_tuple = false;
        loop {
            if !items.is_empty() {
                self.expect_operator(",")?;
            }
            if self.is_tuple_end(ends)? {
                break;
            }
            items.push(self.nested(&parse)?);
            if !self.is_operator(",") {
                break;
            }
            is_tuple = true;
        }
        if !is_tuple {
            if let Some(only) = items.pop() {
                return Ok(only);
            }
            if !in_parentheses {
                let found = crate::value::string_repr(&self.current()?.described());
                return self.fail(format!("Expected an expression, got {found}"));
            }
        }
        Ok(Expr::Tuple(items))
    }

    fn list(&mut self) -> Res<Expr> {
        self.expect_operator("[")?;
        let mut items = Vec::new();
        while !self.is_operator("]") {
            if !items.is_empty() {
                self.expect_operator(",")?;
            }
            if self.is_operator("]") {
                break;
            }
            items.push(self.expression(true)?);
        }
        self.expect_operator("]")?;
        Ok(Expr::List(items))
    }

    fn dict(&mut self) -> Res<Expr> {
        self.expect_operator("{")?;
        let mut items = Vec::new();
        while !self.is_operator("}") {
            if !items.is_empty() {
                self.expect_operator(",")?;
            }
            if self.is_operator("}") {
                break;
            }
            let key = self.expression(true)?;
            self.expect_operator(":")?;
            items.push((key, self.expression(true)?));
        }
        self.expect_operator("}")?;
        Ok(Expr::Dict(items))
    }

    fn postfix(&mut self, mut node: Expr) -> Res<Expr> {
        loop {
            node = match self.current()? {
                Token::Operator("." | "[") => self.subscript(node)?,
                Token::Operator("(") => self.call(node)?,
                _ => return Ok(node),
            };
        }
    }

    fn filters_and_tests(&mut self, mut node: Expr) -> Res<Expr> {
        loop {
            node = match self.current()? {
                Token::Operator("|") => match self.filters(Some(node), false)? {
                    Some(node) => node,
                    None => return self.fail("unexpected '|'"),
                },
                Token::Name(name) if name == "is" => self.test(node)?,
                Token::Operator("(") => self.call(node)?,
                _ => return Ok(node),
            };
        }
    }

    fn subscript(&mut self, node: Expr) -> Res<Expr> {
        if self.skip_operator(".")? {
            let token = self.current()?.clone();
            self.next()?;
            return match token {
                Token::Name(name) => Ok(Expr::Attribute(node.into(), name)),
                Token::Integer(number) => {
                    Ok(Expr::Item(node.into(), Expr::Const(Literal::int(number)).into()))
                }
                _ => self.fail("expected name or number"),
            };
        }
        self.expect_operator("[")?;
        let mut items = Vec::new();
        while !self.is_operator("]") {
            if !items.is_empty() {
                self.expect_operator(",")?;
            }
            items.push(self.subscribed()?);
        }
        self.expect_operator("]")?;
        let argument = match items.pop() {
            Some(only) if items.is_empty() => only,
            last => {
                items.extend(last);
                Expr::Tuple(items)
            }
        };
        Ok(Expr::Item(node.into(), argument.into()))
    }

    fn subscribed(&mut self) -> Res<Expr> {
        let start = if self.skip_operator(":")? {
            None
        } else {
            let node = self.expression(true)?;
            if !self.skip_operator(":")? {
                return Ok(node);
            }
            Some(Box::new(node))
        };
        let is_end = |parser: &Self| parser.is_operator("]") || parser.is_operator(",");
        let stop = if self.is_operator(":") || is_end(self) {
            None
        } else {
            Some(Box::new(self.expression(true)?))
        };
        let mut step = None;
        if self.skip_operator(":")? && !is_end(self) {
            step = Some(Box::new(self.expression(true)?));
        }
        Ok(Expr::Slice(start, stop, step))
    }

    fn arguments(&mut self) -> Res<ArgumentNodes> {
        const INVALID: &str = "invalid syntax for function call expression";
        self.expect_operator("(")?;
        let mut found = ArgumentNodes::default();
        let mut is_first = true;
        while !self.is_operator(")") {
            if !is_first {
                self.expect_operator(",")?;
                if self.is_operator(")") {
                    break;
                }
            }
            is_first = false;
            if self.is_operator("*") {
                if found.rest.is_some() || found.keywords.is_some() {
                    return self.fail(INVALID);
                }
                self.next()?;
                found.rest = Some(self.expression(true)?.into());
            } else if self.is_operator("**") {
                if found.keywords.is_some() {
                    return self.fail(INVALID);
                }
                self.next()?;
                found.keywords = Some(self.expression(true)?.into());
            } else if let Token::Name(name) = self.current()?.clone()
                && matches!(self.look()?, Token::Operator("="))
            {
                if found.keywords.is_some() {
                    return self.fail(INVALID);
                }
                self.next()?;
                self.next()?;
                let value = self.expression(true)?;
                found.named.push((name, value));
            } else {
                let is_late =
                    found.rest.is_some() || found.keywords.is_some() || !found.named.is_empty();
                if is_late {
                    return self.fail(INVALID);
                }
                let value = self.expression(true)?;
                found.positional.push(value);
            }
        }
        self.expect_operator(")")?;
        Ok(found)
    }

    fn call(&mut self, callee: Expr) -> Res<Expr> {
        let arguments = self.arguments()?;
        Ok(Expr::Call(Box::new(Call { callee, arguments })))
    }

    /// Parses a name with optional dots.
    fn dotted_name(&mut self) -> Res<EcoString> {
        let mut name = self.expect_name()?;
        while self.skip_operator(".")? {
            name.push('.');
            name.push_str(&self.expect_name()?);
        }
        Ok(name)
    }

    /// Parses filters of a value or of a block. For a block, the first filter has no `|`.
    pub(super) fn filters(&mut self, value: Option<Expr>, is_inline: bool) -> Res<Option<Expr>> {
        let mut node = value;
        let mut is_inline = is_inline;
        while is_inline || self.is_operator("|") {
            if !is_inline {
                self.next()?;
            }
            let name = self.dotted_name()?;
            let arguments =
                if self.is_operator("(") { self.arguments()? } else { ArgumentNodes::default() };
            node = Some(Expr::Filter(Box::new(Filter { value: node, name, arguments })));
            is_inline = false;
        }
        Ok(node)
    }

    fn test(&mut self, value: Expr) -> Res<Expr> {
        self.next()?;
        let is_negated = self.skip_name("not")?;
        let name = self.dotted_name()?;
        let mut arguments = ArgumentNodes::default();
        match self.current()? {
            Token::Operator("(") => arguments = self.arguments()?,
            Token::Name(name) if matches!(name.as_str(), "else" | "or" | "and") => {}
            Token::Name(name) if name == "is" => {
                return self.fail("You cannot chain multiple tests with is");
            }
            Token::Name(_)
            | Token::Text(_)
            | Token::Integer(_)
            | Token::Float(_)
            | Token::Operator("[" | "{") => {
                let argument = self.primary(false)?;
                arguments.positional.push(self.postfix(argument)?);
            }
            _ => {}
        }
        let value = Some(value);
        let test = Expr::Test(Box::new(Filter { value, name, arguments }));
        Ok(if is_negated { Expr::Not(test.into()) } else { test })
    }
}
