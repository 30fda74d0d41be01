//! Statements, and calls without parentheses.

use ordain_source::TextRange;

use super::{P, Parser, TokenKind};
use crate::ast::*;

/// Functions that can be called without parentheses.
pub(crate) const STATEMENT_CALLS: [&str; 15] = [
    "require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning", "err",
    "fail", "import", "break", "next", "return",
];

/// The arguments of a statement that is not a call after all: the first comma, and the name before
/// it.
struct ArgumentList {
    comma: TextRange,
    name: Option<String>,
}

impl Parser<'_> {
    /// Parses statements until `end` or the end of the text; leaves them on the stack.
    ///
    /// Errors are reported here, and parsing continues with the next statement.
    pub(super) fn statements(&mut self, end: TokenKind) {
        let mark = self.stack.len();
        let mut bad: Option<ArgumentList> = None;
        while !self.at(end) && !self.at(TokenKind::Eof) {
            let start = self.pos;
            let saved = (self.stack.len(), self.nesting.depth(), self.namespace.len());
            let errors = self.errors;
            match self.statement_into(mark, &mut bad) {
                Ok(()) => self.quiet &= self.errors != errors,
                Err(_) => {
                    self.stack.truncate(saved.0);
                    self.nesting.leave_to(saved.1);
                    self.namespace.truncate(saved.2);
                    let range = self.range(self.lexed.tokens[start]);
                    let error = self.leaf(Expr::Error, range);
                    self.stack.push(error);
                    if self.pos == start {
                        self.skip_stray(end);
                    } else {
                        self.skip_statement(start);
                    }
                }
            }
        }
        self.report_bad_list(bad);
    }

    /// Skips a token that cannot begin a statement, and all tokens before the next statement.
    fn skip_stray(&mut self, end: TokenKind) {
        let start = self.pos;
        self.bump();
        if !(self.at(TokenKind::RBrace) && end == TokenKind::RBrace) {
            self.skip_statement(start + 1);
        }
    }

    fn report_bad_list(&mut self, bad: Option<ArgumentList>) {
        let Some(bad) = bad else { return };
        self.quiet = false;
        let message = match bad.name {
            Some(name) => format!(
                "attempt to pass argument list to the function '{name}' which cannot be called \
                 without parentheses"
            ),
            None => "illegal comma separated argument list".to_owned(),
        };
        let _reported = self.refuse("puppet::illegal-argument-list", message, bad.comma);
        self.quiet = false;
    }

    /// Parses one statement; puts it on the stack, or joins it with the name before.
    fn statement_into(&mut self, mark: usize, bad: &mut Option<ArgumentList>) -> P<()> {
        if !starts_expression(self.kind()) {
            // A lexical error ends the reading before statements are put together.
            if self.errors == 0 && !self.at(TokenKind::Error) {
                self.report_bad_list(bad.take());
            }
            return Err(self.unexpected());
        }
        let first = self.assignment()?;
        if self.at(TokenKind::Comma) {
            self.comma_list(mark, first, bad)?;
        } else {
            self.join_call(mark, first)?;
        }
        if self.at(TokenKind::Semic) {
            self.bump();
            if !starts_expression(self.kind()) {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    /// Puts a statement on the stack. If the name of a statement function precedes it, it becomes
    /// the argument of a call.
    pub(super) fn join_call(&mut self, mark: usize, statement: ExprId) -> P<()> {
        let args = self.stack.len();
        let name = self.statement_name(mark);
        self.stack.push(statement);
        match name {
            Some(name) => self.statement_call(name, args),
            None => {
                self.put_in_statement_position(statement);
                Ok(())
            }
        }
    }

    /// `first, second, …`: the arguments of a call without parentheses.
    fn comma_list(&mut self, mark: usize, first: ExprId, bad: &mut Option<ArgumentList>) -> P<()> {
        let comma = self.range(self.token());
        let name = self.statement_name(mark);
        let before = self.stack.len().checked_sub(1).filter(|&i| i >= mark).map(|i| self.stack[i]);
        let args = self.stack.len();
        self.stack.push(first);
        while self.eat(TokenKind::Comma) {
            let next = self.assignment()?;
            self.stack.push(next);
        }
        match name {
            Some(name) => self.statement_call(name, args),
            None => {
                let name = before.and_then(|id| match &self.program[id] {
                    Expr::Name(name) => Some(name.to_string()),
                    _ => None,
                });
                bad.get_or_insert(ArgumentList { comma, name });
                Ok(())
            }
        }
    }

    /// The name on top of the stack, if it can be called without parentheses.
    fn statement_name(&self, mark: usize) -> Option<ExprId> {
        let id = *self.stack.get(mark..)?.last()?;
        match &self.program[id] {
            Expr::Name(name) if STATEMENT_CALLS.contains(&name.as_str()) => Some(id),
            _ => None,
        }
    }

    /// Replaces the name below `args` on the stack by a call with these arguments.
    fn statement_call(&mut self, name: ExprId, args: usize) -> P<()> {
        let args = self.list_since(args);
        self.stack.pop();
        let range = self.range_from_place(self.program.range(name).start);
        let call = Call {
            form: CallForm::Named,
            callee: name,
            args,
            lambda: None,
            rvalue: false,
            parens: false,
        };
        let call = self.program.calls.push(call);
        let id = self.add(Expr::Call(call), range)?;
        self.stack.push(id);
        Ok(())
    }

    fn put_in_statement_position(&mut self, id: ExprId) {
        if let Expr::Call(call) = self.program.exprs[id] {
            let call = &mut self.program.calls[call];
            if call.form == CallForm::Named {
                call.rvalue = false;
            }
        }
    }

    /// `{ statements }`: leaves the statements on the stack; the token of the opening brace.
    pub(super) fn braced_statements(&mut self) -> P<()> {
        self.expect(TokenKind::LBrace)?;
        self.enclosed(|p| {
            p.statements(TokenKind::RBrace);
            p.expect(TokenKind::RBrace).map(|_| ())
        })
    }

    /// `{ statements }` as the body of a definition or lambda: a block if there is any statement.
    pub(super) fn body_block(&mut self, at: u32) -> P<ExprId> {
        let mark = self.stack.len();
        self.braced_statements()?;
        if self.stack.len() == mark {
            return Ok(self.nop(at));
        }
        let list = self.list_since(mark);
        self.add(Expr::Block(list), TextRange::new(at, at))
    }

    /// `{ statements }` as a branch: the statement itself if there is one, else a block.
    pub(super) fn branch(&mut self) -> P<ExprId> {
        let mark = self.stack.len();
        let open = self.token();
        self.braced_statements()?;
        let range = self.range_from(open);
        match self.stack.len() - mark {
            0 => Ok(self.nop(range.start)),
            1 => Ok(self.stack.pop().unwrap_or(ExprId::new(0))),
            _ => Ok(self.block_since(mark, Some(range))),
        }
    }

    /// A block of the statements on the stack. Without a range, it has the range of its statements.
    pub(super) fn block_since(&mut self, mark: usize, range: Option<TextRange>) -> ExprId {
        let first = self.stack.get(mark).map_or(0, |&id| self.program.range(id).start);
        let range = range.unwrap_or_else(|| self.range_from_place(first));
        let list = self.list_since(mark);
        match self.add(Expr::Block(list), range) {
            Ok(id) => id,
            Err(_) => self.leaf(Expr::Error, range),
        }
    }

    /// `assignment`: right associative.
    pub(super) fn assignment(&mut self) -> P<ExprId> {
        let left = self.relationship()?;
        let op = match self.kind() {
            TokenKind::Equals => AssignOp::Set,
            TokenKind::Appends => AssignOp::Append,
            TokenKind::Deletes => AssignOp::Delete,
            _ => return Ok(left),
        };
        let token = self.bump();
        let right = self.nested(Self::assignment)?;
        let range = self.range(token);
        self.add(Expr::Assign { op, left, right }, range)
    }

    /// `relationship`: left associative.
    pub(super) fn relationship(&mut self) -> P<ExprId> {
        let mut left = self.resource()?;
        loop {
            let arrow = match self.kind() {
                TokenKind::InEdge => Arrow::Before,
                TokenKind::InEdgeSub => Arrow::Notify,
                TokenKind::OutEdge => Arrow::After,
                TokenKind::OutEdgeSub => Arrow::Subscribe,
                _ => return Ok(left),
            };
            let token = self.bump();
            let right = self.resource()?;
            let range = self.range(token);
            left = self.add(Expr::Relation { arrow, left, right }, range)?;
        }
    }
}

/// Whether an expression or statement can begin with this token.
pub(super) fn starts_expression(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Name | Word
            | ClassRef
            | Variable
            | Number
            | Regex
            | Str
            | DqPre
            | Heredoc
            | RenderString
            | RenderExpr
            | LBrack
            | ListStart
            | LBrace
            | LParen
            | WsLParen
            | Minus
            | Times
            | Not
            | At
            | AtAt
            | True
            | False
            | Attr
            | Case
            | Class
            | Default
            | Define
            | Function
            | If
            | Node
            | Private
            | Type
            | Undef
            | Unless
    )
}
