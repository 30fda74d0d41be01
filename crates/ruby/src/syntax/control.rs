//! Expressions that begin with a keyword.

use super::parser::{Parse, Parser, Scope};
use super::token::Tok;
use super::{Begin, Case, Expr, Kind, Rescue, Target};

impl Parser<'_> {
    pub(super) fn keyword(&mut self, word: &'static str) -> Parse<Expr> {
        let line = self.token_line;
        let literal = match word {
            "nil" => Some(Kind::Nil),
            "true" => Some(Kind::True),
            "false" => Some(Kind::False),
            "self" => Some(Kind::SelfValue),
            "__LINE__" => Some(Kind::Int(i64::from(line))),
            "retry" => Some(Kind::Retry),
            _ => None,
        };
        if let Some(kind) = literal {
            self.advance()?;
            return Ok(Expr { line, kind });
        }
        match word {
            "if" | "unless" => self.if_expression(word == "unless"),
            "while" | "until" => self.while_expression(word == "until"),
            "case" => self.case_expression(),
            "for" => self.for_expression(),
            "begin" => self.begin_expression(),
            "def" => self.define(),
            "return" | "break" | "next" => self.jump(word),
            "yield" => self.yield_expression(),
            "defined?" | "not" => self.expression_statement(),
            "module" if self.is_file => self.module(),
            "class" | "module" | "alias" | "undef" | "BEGIN" | "END" | "redo" | "super"
            | "__FILE__" => Err(self.unsupported(&format!("`{word}'"))),
            _ => Err(self.unexpected()),
        }
    }

    /// `module A::B`. Local variables of the outer scope are invisible inside.
    fn module(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        self.advance()?;
        let mut path = String::new();
        loop {
            match self.advance()? {
                Tok::Const(name) => path.push_str(&name),
                _ => return Err(self.unexpected()),
            }
            if !self.accept("::")? {
                break;
            }
            path.push_str("::");
        }
        let flags = self.enter();
        self.scopes.push(Scope::default());
        let body = self.within(|p| p.statements(&["end"]))?;
        self.scopes.pop();
        self.leave(flags);
        self.expect_keyword("end")?;
        Ok(Expr { line, kind: Kind::Module(path.into(), Box::new(body)) })
    }

    /// A condition up to `then`, a line end or `;`.
    fn condition(&mut self) -> Parse<Expr> {
        let outer = std::mem::replace(&mut self.no_do, true);
        let condition = self.expression_statement();
        self.no_do = outer;
        condition
    }

    fn then(&mut self) -> Parse<()> {
        self.skip_terminators()?;
        self.accept_keyword("then")?;
        Ok(())
    }

    /// `if` with its `elsif`s, which nest in the tree but not in the parser.
    fn if_expression(&mut self, is_unless: bool) -> Parse<Expr> {
        let flags = self.enter();
        let mut branches = Vec::new();
        let otherwise = loop {
            let line = self.token_line;
            self.advance()?;
            let condition = self.condition()?;
            self.then()?;
            let body = self.within(|p| p.statements(&["elsif", "else", "end"]))?;
            branches.push((line, condition, body));
            if branches.len() > 300 {
                return Err(self.unsupported("a chain this long"));
            }
            if self.is_keyword("elsif") && !is_unless {
                continue;
            }
            if self.accept_keyword("else")? {
                break Some(self.within(|p| p.statements(&["end"]))?);
            }
            break None;
        };
        self.leave(flags);
        self.expect_keyword("end")?;
        let mut rest = otherwise;
        while let Some((line, condition, then)) = branches.pop() {
            let condition = match is_unless {
                true => Expr { line, kind: Kind::Not(Box::new(condition)) },
                false => condition,
            };
            let (condition, then) = (Box::new(condition), Box::new(then));
            let kind = Kind::If { condition, then, otherwise: rest.map(Box::new) };
            rest = Some(Expr { line, kind });
        }
        rest.ok_or_else(|| self.unexpected())
    }

    fn while_expression(&mut self, until: bool) -> Parse<Expr> {
        let line = self.token_line;
        let flags = self.enter();
        self.advance()?;
        let condition = Box::new(self.condition()?);
        self.skip_terminators()?;
        self.accept_keyword("do")?;
        let body = Box::new(self.within(|p| p.statements(&["end"]))?);
        self.leave(flags);
        self.expect_keyword("end")?;
        Ok(Expr { line, kind: Kind::While { condition, body, until, body_first: false } })
    }

    fn for_expression(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        let flags = self.enter();
        self.advance()?;
        let mut targets = vec![self.for_target()?];
        while self.accept(",")? {
            targets.push(self.for_target()?);
        }
        let target = match targets.len() {
            1 => targets.remove(0),
            _ => Target::Many(targets),
        };
        self.expect_keyword("in")?;
        let items = Box::new(self.condition()?);
        self.skip_terminators()?;
        self.accept_keyword("do")?;
        let body = Box::new(self.within(|p| p.statements(&["end"]))?);
        self.leave(flags);
        self.expect_keyword("end")?;
        Ok(Expr { line, kind: Kind::For { target: Box::new(target), items, body } })
    }

    fn for_target(&mut self) -> Parse<Target> {
        match &self.token {
            Tok::Ident(name) => {
                let name = name.clone();
                let slot = self.local(&name);
                self.advance()?;
                Ok(Target::Local(slot))
            }
            Tok::Instance(_) => self.simple_target(),
            _ => Err(self.unexpected()),
        }
    }

    fn case_expression(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        let flags = self.enter();
        self.advance()?;
        let is_bare = matches!(self.token, Tok::LineEnd | Tok::Op(";") | Tok::Keyword("when"));
        let subject = if is_bare { None } else { Some(self.expression_statement()?) };
        self.skip_terminators()?;
        let mut branches = Vec::new();
        while self.accept_keyword("when")? {
            let mut values = Vec::new();
            loop {
                self.skip_line_ends()?;
                values.push(self.when_value()?);
                if !self.accept(",")? {
                    break;
                }
            }
            self.then()?;
            let body = self.within(|p| p.statements(&["when", "else", "end"]))?;
            branches.push((values, body));
        }
        if self.is_keyword("in") {
            return Err(self.unsupported("pattern matching"));
        }
        if branches.is_empty() {
            return Err(self.unexpected());
        }
        let otherwise = match self.accept_keyword("else")? {
            true => Some(self.within(|p| p.statements(&["end"]))?),
            false => None,
        };
        self.leave(flags);
        self.expect_keyword("end")?;
        Ok(Expr { line, kind: Kind::Case(Box::new(Case { subject, branches, otherwise })) })
    }

    fn when_value(&mut self) -> Parse<Expr> {
        if self.is("*@") {
            let line = self.token_line;
            self.advance()?;
            let inner = self.expression()?;
            return Ok(Expr { line, kind: Kind::Splat(Box::new(inner)) });
        }
        self.expression()
    }

    fn begin_expression(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        let flags = self.enter();
        self.advance()?;
        let body = self.within(Self::body_statement)?;
        self.leave(flags);
        self.expect_keyword("end")?;
        let kind = match body.kind {
            Kind::Begin(_) => return Ok(body),
            _ => Kind::Begin(Box::new(Begin {
                body,
                rescues: Vec::new(),
                otherwise: None,
                ensure: None,
            })),
        };
        Ok(Expr { line, kind })
    }

    /// Statements with `rescue`, `else` and `ensure`, up to `end`.
    pub(super) fn body_statement(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        let body = self.statements(&["rescue", "else", "ensure", "end"])?;
        if self.is_keyword("end") {
            return Ok(body);
        }
        let mut begin = Begin { body, rescues: Vec::new(), otherwise: None, ensure: None };
        while self.is_keyword("rescue") {
            self.advance()?;
            begin.rescues.push(self.rescue_clause()?);
        }
        if self.accept_keyword("else")? {
            begin.otherwise = Some(self.statements(&["ensure", "end"])?);
        }
        if self.accept_keyword("ensure")? {
            begin.ensure = Some(self.statements(&["end"])?);
        }
        Ok(Expr { line, kind: Kind::Begin(Box::new(begin)) })
    }

    fn rescue_clause(&mut self) -> Parse<Rescue> {
        let mut classes = Vec::new();
        let ends = |p: &Self| {
            matches!(p.token, Tok::LineEnd | Tok::Op(";" | "=>") | Tok::Keyword("then"))
                || matches!(p.token, Tok::Text(_) | Tok::Emit)
        };
        while !ends(self) {
            classes.push(self.when_value()?);
            if !self.accept(",")? {
                break;
            }
        }
        let target = match self.accept("=>")? {
            true => Some(self.simple_target()?),
            false => None,
        };
        self.then()?;
        let body = self.statements(&["rescue", "else", "ensure", "end"])?;
        Ok(Rescue { classes, target, body })
    }

    fn jump(&mut self, word: &str) -> Parse<Expr> {
        let line = self.token_line;
        self.advance()?;
        let ends = matches!(
            self.token,
            Tok::LineEnd
                | Tok::End
                | Tok::Op(";" | "}" | ")" | ":")
                | Tok::Keyword("if" | "unless" | "end" | "while" | "and" | "or")
        );
        let value = if ends { None } else { Some(Box::new(self.jump_value(line)?)) };
        let kind = match word {
            "return" => Kind::Return(value),
            "break" => Kind::Break(value),
            _ => Kind::Next(value),
        };
        Ok(Expr { line, kind })
    }

    fn jump_value(&mut self, line: u32) -> Parse<Expr> {
        let first = self.when_value()?;
        if !self.is(",") && !matches!(first.kind, Kind::Splat(_)) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.accept(",")? {
            items.push(self.when_value()?);
        }
        Ok(Expr { line, kind: Kind::Array(items) })
    }

    fn yield_expression(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        self.advance()?;
        if self.is("(") && !self.space_before {
            let flags = self.enter();
            self.advance()?;
            let (args, _) = self.arguments(")")?;
            self.leave(flags);
            self.expect(")")?;
            return Ok(Expr { line, kind: Kind::Yield(args) });
        }
        let ends = matches!(
            self.token,
            Tok::LineEnd
                | Tok::End
                | Tok::Op(_)
                | Tok::Keyword("if" | "unless" | "end" | "and" | "or")
        );
        let (args, _) =
            if ends { (Vec::new(), super::BlockArg::None) } else { self.arguments("")? };
        Ok(Expr { line, kind: Kind::Yield(args) })
    }
}
