//! Statements, assignments and operators.

use super::parser::{Parse, Parser};
use super::token::Tok;
use super::{AssignOp, Begin, Binary, Expr, Kind, Rescue, Target};

/// The precedence of an operator, and whether it is right-associative.
fn precedence(op: &str) -> Option<(u8, bool)> {
    Some(match op {
        ".." | "..." => (1, false),
        "||" => (2, false),
        "&&" => (3, false),
        "<=>" | "==" | "===" | "!=" | "=~" | "!~" => (5, false),
        "<" | "<=" | ">" | ">=" => (6, false),
        "|" | "^" => (7, false),
        "&" => (8, false),
        "<<" | ">>" => (9, false),
        "+" | "-" => (10, false),
        "*" | "/" | "%" => (11, false),
        "**" => (13, true),
        _ => return None,
    })
}

/// The precedence of unary minus, between `*` and `**`.
const UNARY_MINUS: u8 = 12;

fn binary(op: &str) -> Option<Binary> {
    use Binary as B;
    Some(match op {
        "+" => B::Add,
        "-" => B::Sub,
        "*" => B::Mul,
        "/" => B::Div,
        "%" => B::Mod,
        "**" => B::Pow,
        "<<" => B::Shl,
        ">>" => B::Shr,
        "&" => B::BitAnd,
        "|" => B::BitOr,
        "^" => B::BitXor,
        "<" => B::Lt,
        "<=" => B::Le,
        ">" => B::Gt,
        ">=" => B::Ge,
        "==" => B::Eq,
        "!=" => B::Ne,
        "===" => B::Same,
        "<=>" => B::Compare,
        "=~" => B::Match,
        "!~" => B::NotMatch,
        _ => return None,
    })
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

impl Parser<'_> {
    /// A statement with its modifiers.
    pub(super) fn statement(&mut self) -> Parse<Expr> {
        let mut left = self.within(Self::expression_statement)?;
        let mut count = 0;
        loop {
            let line = self.token_line;
            let Tok::Keyword(word) = self.token else { return Ok(left) };
            if !matches!(word, "if" | "unless" | "while" | "until" | "rescue") {
                return Ok(left);
            }
            self.link(&mut count)?;
            self.advance()?;
            let right = self.expression_statement()?;
            let kind = match word {
                "if" => Kind::If { condition: boxed(right), then: boxed(left), otherwise: None },
                "unless" => {
                    let condition = boxed(Expr { line, kind: Kind::Not(boxed(right)) });
                    Kind::If { condition, then: boxed(left), otherwise: None }
                }
                "while" | "until" => {
                    let body_first = matches!(left.kind, Kind::Begin(_));
                    let until = word == "until";
                    Kind::While { condition: boxed(right), body: boxed(left), until, body_first }
                }
                _ => rescue_with(left, right),
            };
            left = Expr { line, kind };
        }
    }

    /// `not`, `and`, `or`.
    pub(super) fn expression_statement(&mut self) -> Parse<Expr> {
        let mut left = self.not_expression()?;
        let mut count = 0;
        loop {
            let line = self.token_line;
            let is_and = self.is_keyword("and");
            if !is_and && !self.is_keyword("or") {
                return Ok(left);
            }
            self.link(&mut count)?;
            self.advance()?;
            self.skip_line_ends()?;
            let right = self.not_expression()?;
            let (left_box, right_box) = (boxed(left), boxed(right));
            let kind =
                if is_and { Kind::And(left_box, right_box) } else { Kind::Or(left_box, right_box) };
            left = Expr { line, kind };
        }
    }

    fn not_expression(&mut self) -> Parse<Expr> {
        if self.is_keyword("not") {
            let line = self.token_line;
            self.advance()?;
            let inner = self.within(Self::not_expression)?;
            return Ok(Expr { line, kind: Kind::Not(boxed(inner)) });
        }
        if matches!(self.token, Tok::Text(_) | Tok::Emit) {
            return self.template_part();
        }
        let first = if self.is("*@") {
            Expr { line: self.token_line, kind: Kind::Nil }
        } else {
            self.expression()?
        };
        self.multiple(first)
    }

    /// A text or output of a template.
    fn template_part(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        match self.advance()? {
            Tok::Text(number) => {
                let text = self.texts[number].as_str().into();
                Ok(Expr { line, kind: Kind::Text(text) })
            }
            _ => {
                let flags = self.enter();
                self.expect("(")?;
                let inner = match self.is("(") || self.is("(@") {
                    true => self.primary_parentheses()?,
                    false => return Err(self.unexpected()),
                };
                self.leave(flags);
                self.expect(")")?;
                Ok(Expr { line, kind: Kind::Emit(boxed(inner)) })
            }
        }
    }

    /// `a, *b = …` after its first part. Other expressions are returned unchanged.
    fn multiple(&mut self, first: Expr) -> Parse<Expr> {
        let line = first.line;
        let is_splat = self.is("*@") && matches!(first.kind, Kind::Nil);
        if !is_splat && !self.is(",") {
            return Ok(first);
        }
        let mut targets = Vec::new();
        if !is_splat {
            targets.push(self.target_of(first)?);
            self.expect(",")?;
        }
        while !self.is("=") {
            targets.push(self.multiple_target()?);
            if !self.accept(",")? {
                break;
            }
        }
        self.expect("=")?;
        let value = self.right_side()?;
        Ok(Expr { line, kind: Kind::Assign(Box::new(Target::Many(targets)), boxed(value)) })
    }

    fn multiple_target(&mut self) -> Parse<Target> {
        if self.is("*@") || self.is("*") {
            self.advance()?;
            let is_bare = self.is(",") || self.is("=") || self.is(")");
            let inner = if is_bare { None } else { Some(Box::new(self.simple_target()?)) };
            return Ok(Target::Splat(inner));
        }
        if self.accept("(")? || self.accept("(@")? {
            let mut targets = Vec::new();
            while !self.is(")") {
                targets.push(self.within(Self::multiple_target)?);
                if !self.accept(",")? {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(Target::Many(targets));
        }
        self.simple_target()
    }

    /// A variable, an element or an attribute.
    pub(super) fn simple_target(&mut self) -> Parse<Target> {
        let expr = self.primary()?;
        self.target_of(expr)
    }

    /// Turns an expression into an assignment target.
    pub(super) fn target_of(&mut self, expr: Expr) -> Parse<Target> {
        let line = expr.line;
        match expr.kind {
            Kind::Local(slot) => Ok(Target::Local(slot)),
            Kind::Instance(number) => Ok(Target::Instance(number)),
            Kind::Global(name) => Ok(Target::Global(name)),
            Kind::Call(call) => {
                let call = *call;
                match call.receiver {
                    None if call.is_bare => {
                        let slot = self.local(&call.name);
                        Ok(Target::Local(slot))
                    }
                    Some(object) if call.name == "[]" => {
                        Ok(Target::Index { object, args: call.args, line })
                    }
                    Some(object) if call.args.is_empty() => {
                        let name = call.name;
                        Ok(Target::Attribute { object, name, safe: call.safe, line })
                    }
                    _ => Err(self.unexpected()),
                }
            }
            Kind::Const(_) | Kind::Scoped(..) => {
                Err(self.unsupported("the definition of a constant"))
            }
            Kind::Sequence(_) | Kind::Nil => Err(self.unsupported("this form of assignment")),
            _ => Err(self.unexpected()),
        }
    }

    /// The right side of `=`. A list without brackets is an array.
    fn right_side(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        self.skip_line_ends()?;
        let first = self.list_item()?;
        let is_splat = matches!(first.kind, Kind::Splat(_));
        if !self.is(",") && !is_splat {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.accept(",")? {
            items.push(self.list_item()?);
        }
        Ok(Expr { line, kind: Kind::Array(items) })
    }

    fn list_item(&mut self) -> Parse<Expr> {
        if self.is("*@") {
            let line = self.token_line;
            self.advance()?;
            let inner = self.ternary()?;
            return Ok(Expr { line, kind: Kind::Splat(boxed(inner)) });
        }
        self.expression()
    }

    /// An assignment, or an expression of higher precedence.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.within(Self::assignment)
    }

    fn assignment(&mut self) -> Parse<Expr> {
        let left = self.ternary()?;
        let line = left.line;
        let Tok::Op(op) = self.token else { return Ok(left) };
        if op == "=" {
            let target = self.target_of(left)?;
            self.advance()?;
            let mut value = self.right_side()?;
            if self.is_keyword("rescue") {
                self.advance()?;
                let other = self.expression()?;
                value = Expr { line, kind: rescue_with(value, other) };
            }
            return Ok(Expr { line, kind: Kind::Assign(Box::new(target), boxed(value)) });
        }
        let Some(name) = op.strip_suffix('=') else { return Ok(left) };
        let op = match name {
            "||" => AssignOp::Or,
            "&&" => AssignOp::And,
            name if !matches!(op, "==" | "!=" | "<=" | ">=" | "===") => match binary(name) {
                Some(op) => AssignOp::Binary(op),
                None => return Ok(left),
            },
            _ => return Ok(left),
        };
        let target = self.target_of(left)?;
        self.advance()?;
        let value = self.right_side()?;
        Ok(Expr { line, kind: Kind::OpAssign(Box::new(target), op, boxed(value)) })
    }

    /// `a ? b : c`, or an expression of higher precedence.
    pub(super) fn ternary(&mut self) -> Parse<Expr> {
        let condition = self.operators(0)?;
        if !self.is("?") {
            return Ok(condition);
        }
        let line = self.token_line;
        self.ternaries += 1;
        self.advance()?;
        let then = self.within(Self::assignment)?;
        self.skip_line_ends()?;
        self.ternaries -= 1;
        match &self.token {
            Tok::Op(":") => {
                self.advance()?;
            }
            // `a ? b :c`
            Tok::Symbol(_) => return Err(self.unsupported("a conditional written this close")),
            _ => return Err(self.unexpected()),
        }
        self.skip_line_ends()?;
        let otherwise = self.within(Self::assignment)?;
        let (condition, then) = (boxed(condition), boxed(then));
        Ok(Expr { line, kind: Kind::If { condition, then, otherwise: Some(boxed(otherwise)) } })
    }

    /// Operators of at least this precedence.
    fn operators(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.unary(least)?;
        let mut count = 0;
        loop {
            let Tok::Op(op) = self.token else { return Ok(left) };
            let Some((tightness, to_right)) = precedence(op) else { return Ok(left) };
            if tightness < least {
                return Ok(left);
            }
            self.link(&mut count)?;
            let line = self.token_line;
            self.advance()?;
            if matches!(op, ".." | "...") && !self.begins_value() {
                let kind = Kind::Range { low: Some(boxed(left)), high: None, is_open: op == "..." };
                left = Expr { line, kind };
                continue;
            }
            let next = if to_right { tightness } else { tightness + 1 };
            let right = self.within(|p| p.operators(next))?;
            let (left_box, right_box) = (boxed(left), boxed(right));
            let kind = match op {
                "&&" => Kind::And(left_box, right_box),
                "||" => Kind::Or(left_box, right_box),
                ".." | "..." => {
                    Kind::Range { low: Some(left_box), high: Some(right_box), is_open: op == "..." }
                }
                op => match binary(op) {
                    Some(op) => Kind::Binary(op, left_box, right_box),
                    None => return Err(self.unexpected()),
                },
            };
            left = Expr { line, kind };
        }
    }

    fn begins_value(&self) -> bool {
        !matches!(
            self.token,
            Tok::LineEnd
                | Tok::End
                | Tok::Op(")" | "]" | "," | ";" | "}")
                | Tok::Keyword("then" | "do")
        )
    }

    fn unary(&mut self, least: u8) -> Parse<Expr> {
        let line = self.token_line;
        match self.token {
            Tok::Op("!") => {
                self.advance()?;
                let inner = self.within(|p| p.unary(UNARY_MINUS + 2))?;
                Ok(Expr { line, kind: Kind::Not(boxed(inner)) })
            }
            Tok::Op("-@") => self.minus(),
            Tok::Op(op @ ("+@" | "~")) => {
                self.advance()?;
                let inner = self.within(|p| p.unary(UNARY_MINUS + 2))?;
                Ok(self.call_on(inner, op, line))
            }
            Tok::Op("&@" | "**@") => Err(self.unexpected()),
            Tok::Op(op @ (".." | "...")) => {
                self.advance()?;
                let high = self.within(|p| p.operators(2))?;
                let is_open = op == "...";
                Ok(Expr { line, kind: Kind::Range { low: None, high: Some(boxed(high)), is_open } })
            }
            Tok::Keyword("defined?") => {
                self.advance()?;
                let has_parentheses = self.is("(") && !self.space_before;
                let inner = if has_parentheses {
                    self.primary_parentheses()?
                } else {
                    self.within(|p| p.unary(0))?
                };
                Ok(Expr { line, kind: Kind::Defined(boxed(inner)) })
            }
            Tok::Keyword("not") if least == 0 => {
                self.advance()?;
                let inner = self.within(Self::expression)?;
                Ok(Expr { line, kind: Kind::Not(boxed(inner)) })
            }
            _ => self.primary(),
        }
    }

    /// A minus. It is part of a number literal, unless a power follows.
    fn minus(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        self.advance()?;
        let is_number = matches!(self.token, Tok::Int(_) | Tok::Float(_) | Tok::Big(_));
        if !is_number || self.space_before {
            let inner = self.within(|p| p.operators(UNARY_MINUS + 1))?;
            return Ok(self.call_on(inner, "-@", line));
        }
        let number = match self.advance()? {
            Tok::Int(i) => Kind::Int(i.wrapping_neg()),
            Tok::Big(big) => Kind::Big(Box::new(-*big)),
            Tok::Float(f) => Kind::Float(-f),
            _ => return Err(self.unexpected()),
        };
        if self.is("**") {
            let positive = match number {
                Kind::Int(i) => Kind::Int(i.wrapping_neg()),
                Kind::Float(f) => Kind::Float(-f),
                other => other,
            };
            self.advance()?;
            let power = self.within(|p| p.operators(UNARY_MINUS + 1))?;
            let base = boxed(Expr { line, kind: positive });
            let inner = Expr { line, kind: Kind::Binary(Binary::Pow, base, boxed(power)) };
            return Ok(self.call_on(inner, "-@", line));
        }
        self.postfix(Expr { line, kind: number })
    }
}

/// `value rescue other`
fn rescue_with(value: Expr, other: Expr) -> Kind {
    let rescue = Rescue { classes: Vec::new(), target: None, body: other };
    Kind::Begin(Box::new(Begin {
        body: value,
        rescues: vec![rescue],
        otherwise: None,
        ensure: None,
    }))
}
