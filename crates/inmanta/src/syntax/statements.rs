//! Parses files and statements.

use super::ast::{
    Block, BlockId, Definition, ExprId, ExprKind, Slot, Stmt, StmtId, StmtKind, Unit,
};
use super::expressions::{Operand, Target};
use super::lexer::{Keyword, Kind, Token};
use super::parser::{Parser, syntax};
use crate::diagnostics::{Lint, Result};

impl Parser<'_, '_> {
    pub(super) fn file(&mut self, is_empty: bool) -> Result<Unit> {
        let mut unit = Unit::default();
        let mut block = Block::default();
        if !is_empty {
            unit.comment = self.docstring()?;
            while self.kind() != Kind::End {
                self.top(&mut unit, &mut block)?;
            }
        }
        unit.block = Some(self.ast.blocks.push(block));
        Ok(unit)
    }

    fn top(&mut self, unit: &mut Unit, block: &mut Block) -> Result<()> {
        let definition = match self.kind() {
            Kind::Word(Keyword::Entity) => Definition::Entity(self.entity()?),
            Kind::Word(Keyword::Implement) => Definition::Implement(self.implement()?),
            Kind::Word(Keyword::Implementation) => {
                Definition::Implementation(self.implementation()?)
            }
            Kind::Word(Keyword::Typedef) => Definition::Typedef(self.typedef()?),
            Kind::Word(Keyword::Index) => Definition::Index(self.index()?),
            Kind::Word(Keyword::Import) => Definition::Import(self.import()?),
            Kind::Cid | Kind::Id => {
                if let Some(relation) = self.relation()? {
                    if !relation.annotations.is_empty() {
                        let (left, right) =
                            (relation.left.entity.symbol, relation.right.entity.symbol);
                        let kind = StmtKind::Annotations(relation.annotations, left, right);
                        block.statements.push(self.ast.stmts.push(Stmt { kind, at: relation.at }));
                    }
                    Definition::Relation(relation)
                } else {
                    block.statements.push(self.statement()?);
                    return Ok(());
                }
            }
            _ => {
                block.statements.push(self.statement()?);
                return Ok(());
            }
        };
        unit.definitions.push(definition);
        Ok(())
    }

    /// Parses statements. A block runs its statements from the last one to the first.
    pub(super) fn statements(&mut self) -> Result<BlockId> {
        self.deeper()?;
        let mut block = Block::default();
        while self.starts_statement() {
            block.statements.push(self.statement()?);
        }
        block.statements.reverse();
        self.nesting.leave();
        Ok(self.ast.blocks.push(block))
    }

    fn starts_statement(&self) -> bool {
        match self.kind() {
            Kind::Word(word) => matches!(
                word,
                Keyword::For
                    | Keyword::If
                    | Keyword::Not
                    | Keyword::True
                    | Keyword::False
                    | Keyword::Null
            ),
            Kind::Char(c) => matches!(c, b'(' | b'[' | b'{'),
            kind => matches!(
                kind,
                Kind::Id
                    | Kind::Cid
                    | Kind::Int
                    | Kind::Float
                    | Kind::String
                    | Kind::FString
                    | Kind::RString
                    | Kind::Multi
                    | Kind::Regex
            ),
        }
    }

    fn statement(&mut self) -> Result<StmtId> {
        let statement = match self.kind() {
            Kind::Word(Keyword::For) => self.for_loop()?,
            Kind::Word(Keyword::If) => {
                let line = self.advance();
                let at = self.lexer.line_of(&line);
                let mut statement = self.if_body()?;
                statement.at = at;
                self.expect_word(Keyword::End)?;
                statement
            }
            Kind::Id => match self.named_operand()? {
                Operand::Target(target) if self.is(b'=') => self.assignment(target, false)?,
                Operand::Target(target) if self.kind() == Kind::Append => {
                    self.assignment(target, true)?
                }
                Operand::Target(Target { expr: left, .. }) | Operand::Other(left) => {
                    let value = self.continue_expression(left, 0)?;
                    self.bare(value)
                }
            },
            _ => {
                let token = self.token;
                let value = self.expression()?;
                self.lint_constant(&token, value);
                self.bare(value)
            }
        };
        Ok(self.ast.stmts.push(statement))
    }

    fn bare(&mut self, value: ExprId) -> Stmt {
        Stmt { kind: StmtKind::Expr(value), at: self.ast.exprs[value].at }
    }

    /// Warns of a statement that is a constant.
    fn lint_constant(&mut self, token: &Token, value: ExprId) {
        if !matches!(self.ast.exprs[value].kind, ExprKind::Const(_)) {
            return;
        }
        let text = self.lexer.slice(token);
        let text = if matches!(token.kind, Kind::Int | Kind::Float) && text.starts_with('-') {
            format!("`{text}` is a separate statement here: write a blank after the minus")
        } else {
            format!("`{text}` is a separate statement here and does nothing")
        };
        self.lints.push(Lint { at: self.lexer.location(token), text });
    }

    fn assignment(&mut self, target: Target, append: bool) -> Result<Stmt> {
        let sign = self.advance();
        let at = self.lexer.line_of(&sign);
        let value = self.expression()?;
        let kind = match target.attribute {
            None => {
                let text = self.ast.name(target.name.symbol).to_owned();
                if append {
                    let message = format!("Can not perform += on variable {text}");
                    return Err(syntax(target.name.at, message));
                }
                self.no_hyphen(target.name)?;
                StmtKind::Assign(target.name, Slot::Unresolved, value)
            }
            Some((base, name)) => StmtKind::SetAttr { base, name, value, append },
        };
        Ok(Stmt { kind, at })
    }

    fn for_loop(&mut self) -> Result<Stmt> {
        let word = self.advance();
        let at = self.lexer.line_of(&word);
        let variable = self.id()?.symbol;
        self.expect_word(Keyword::In)?;
        let iterable = self.expression()?;
        self.expect(b':')?;
        let block = self.statements()?;
        self.expect_word(Keyword::End)?;
        Ok(Stmt { kind: StmtKind::For { variable, iterable, block }, at })
    }

    fn if_body(&mut self) -> Result<Stmt> {
        self.deeper()?;
        let condition = self.expression()?;
        let colon = self.expect(b':')?;
        let at = self.lexer.line_of(&colon);
        let then = self.statements()?;
        let otherwise = if self.is_word(Keyword::Else) {
            self.advance();
            self.expect(b':')?;
            self.statements()?
        } else {
            let mut block = Block::default();
            if self.is_word(Keyword::Elif) {
                self.advance();
                let nested = self.if_body()?;
                block.statements.push(self.ast.stmts.push(nested));
            }
            self.ast.blocks.push(block)
        };
        self.nesting.leave();
        Ok(Stmt { kind: StmtKind::If { condition, then, otherwise }, at })
    }
}
