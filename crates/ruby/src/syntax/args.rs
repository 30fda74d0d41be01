//! Arguments, entries of hashes, parameters, blocks and lambdas.

use std::sync::Arc;

use ecow::EcoString;

use super::parser::{Parse, Parser, Scope};
use super::primary::plain;
use super::token::Tok;
use super::{
    Block, BlockArg, Call, Define, Expr, HashEntry, HashLiteral, Keyword, Kind, ParamTarget,
    Params, Slot, Target,
};

impl Parser<'_> {
    /// Parses arguments up to a closing bracket, which is not consumed, or those of a call without
    /// parentheses.
    pub(super) fn arguments(&mut self, close: &str) -> Parse<(Vec<Expr>, BlockArg)> {
        let in_brackets = !close.is_empty();
        let (mut args, mut entries, mut block) = (Vec::new(), Vec::new(), BlockArg::None);
        let line = self.token_line;
        loop {
            if in_brackets {
                self.skip_line_ends()?;
                if self.is(close) {
                    break;
                }
            }
            if self.accept("&@")? {
                let is_bare = self.is(close) && in_brackets;
                block =
                    if is_bare { BlockArg::Forward } else { BlockArg::Pass(self.expression()?) };
            } else if self.is("*@") || self.is("*") {
                let line = self.token_line;
                self.advance()?;
                let inner = self.expression()?;
                args.push(Expr { line, kind: Kind::Splat(Box::new(inner)) });
            } else if let Some(entry) = self.labelled_entry()? {
                entries.push(entry);
            } else {
                let value = self.expression()?;
                if self.accept("=>")? {
                    self.skip_line_ends()?;
                    let right = self.expression()?;
                    entries.push(HashEntry::Pair(value, right));
                } else {
                    args.push(value);
                }
            }
            if in_brackets {
                self.skip_line_ends()?;
            }
            if !self.accept(",")? {
                break;
            }
            if !in_brackets {
                self.skip_line_ends()?;
            }
        }
        if !entries.is_empty() {
            let literal = HashLiteral { entries, braces: close == "]" };
            args.push(Expr { line, kind: Kind::Hash(Box::new(literal)) });
        }
        Ok((args, block))
    }

    /// `name: value`, `"name": value` or `**hash`.
    fn labelled_entry(&mut self) -> Parse<Option<HashEntry>> {
        let line = self.token_line;
        if self.is("**@") || self.is("**") {
            self.advance()?;
            let inner = self.expression()?;
            return Ok(Some(HashEntry::Splat(inner)));
        }
        let key = match &self.token {
            Tok::Label(_) | Tok::TextLabel(_) => self.advance()?,
            _ => return Ok(None),
        };
        let kind = match key {
            Tok::Label(name) => {
                if self.is(",") || self.is("}") || self.is(")") {
                    let value = self.short_value(&name, line);
                    let key = Expr { line, kind: Kind::Symbol(name) };
                    return Ok(Some(HashEntry::Pair(key, value)));
                }
                Kind::Symbol(name)
            }
            Tok::TextLabel(parts) => match plain(parts) {
                Ok(name) => Kind::Symbol(name),
                Err(parts) => Kind::InterpolatedSymbol(parts),
            },
            _ => return Err(self.unexpected()),
        };
        self.skip_line_ends()?;
        let value = self.expression()?;
        Ok(Some(HashEntry::Pair(Expr { line, kind }, value)))
    }

    /// `{x:}` means `{x: x}`.
    fn short_value(&self, name: &EcoString, line: u32) -> Expr {
        let kind = match self.find_local(name) {
            Some(slot) => Kind::Local(slot),
            None => Kind::Call(Box::new(Call {
                receiver: None,
                name: name.clone(),
                args: Vec::new(),
                has_special: false,
                block: BlockArg::None,
                safe: false,
                is_bare: true,
            })),
        };
        Expr { line, kind }
    }

    pub(super) fn hash_entries(&mut self, close: &str) -> Parse<Vec<HashEntry>> {
        let mut entries = Vec::new();
        loop {
            self.skip_line_ends()?;
            if self.is(close) {
                return Ok(entries);
            }
            match self.labelled_entry()? {
                Some(entry) => entries.push(entry),
                None => {
                    let key = self.expression()?;
                    self.skip_line_ends()?;
                    self.expect("=>")?;
                    self.skip_line_ends()?;
                    let value = self.expression()?;
                    entries.push(HashEntry::Pair(key, value));
                }
            }
            self.skip_line_ends()?;
            if !self.accept(",")? {
                return Ok(entries);
            }
        }
    }

    /// `{ |a| … }` or `do |a| … end`.
    pub(super) fn block(&mut self) -> Parse<Arc<Block>> {
        let line = self.token_line;
        let is_brace = self.is("{");
        let flags = self.enter();
        self.scopes.push(Scope { is_block: true, ..Scope::default() });
        self.advance()?;
        let params = if self.is("||") {
            self.advance()?;
            Params::default()
        } else if self.accept("|")? {
            let params = self.params("|")?;
            self.expect("|")?;
            params
        } else {
            Params::default()
        };
        let result = self.within(|p| p.block_body(is_brace, params, line));
        self.leave(flags);
        self.block_end(is_brace, result?)
    }

    /// Parses the end of a block.
    fn block_end(&mut self, is_brace: bool, block: Block) -> Parse<Arc<Block>> {
        if is_brace {
            self.expect("}")?;
        } else {
            self.expect_keyword("end")?;
        }
        Ok(Arc::new(block))
    }

    /// The body of a block up to its end, and its scope.
    fn block_body(&mut self, is_brace: bool, mut params: Params, line: u32) -> Parse<Block> {
        let body = if is_brace { self.statements(&["}"])? } else { self.body_statement()? };
        let scope = self.scopes.pop().unwrap_or_default();
        for n in 1..=scope.numbered {
            let name = numbered_name(n);
            let at = scope.names.iter().position(|other| *other == name).unwrap_or(0);
            params.required.push(ParamTarget::Plain(at as u32));
        }
        let is_plain = |p: &ParamTarget| matches!(p, ParamTarget::Plain(_));
        let is_simple = params.required.iter().all(is_plain)
            && params.optional.is_empty()
            && params.rest.is_none()
            && params.after.is_empty()
            && params.keywords.is_empty()
            && params.keyword_rest.is_none()
            && params.block.is_none();
        let locals = scope.names.len();
        Ok(Block { params, body, locals, names: scope.names.into(), line, is_simple })
    }

    /// `->(a) { … }`
    pub(super) fn lambda(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        let flags = self.enter();
        self.scopes.push(Scope { is_block: true, ..Scope::default() });
        self.advance()?;
        let params = if self.accept("(")? || self.accept("(@")? {
            let params = self.params(")")?;
            self.expect(")")?;
            params
        } else if matches!(self.token, Tok::Ident(_)) || self.is("*@") {
            self.params("{")?
        } else {
            Params::default()
        };
        let is_brace = self.is("{");
        if !is_brace && !self.is_keyword("do") {
            return Err(self.unexpected());
        }
        self.advance()?;
        let result = self.within(|p| p.block_body(is_brace, params, line));
        self.leave(flags);
        Ok(Expr { line, kind: Kind::Lambda(self.block_end(is_brace, result?)?) })
    }

    /// `lambda { … }` and `proc { … }`.
    pub(super) fn lambda_call(&mut self, is_lambda: bool) -> Parse<Expr> {
        let line = self.token_line;
        let block = self.block()?;
        if is_lambda {
            return Ok(Expr { line, kind: Kind::Lambda(block) });
        }
        let call = Call {
            receiver: None,
            name: "proc".into(),
            args: Vec::new(),
            has_special: false,
            block: BlockArg::Literal(block),
            safe: false,
            is_bare: false,
        };
        Ok(Expr { line, kind: Kind::Call(Box::new(call)) })
    }

    /// `_1` and `_2` in a block without parameters.
    pub(super) fn numbered(&mut self, name: &str) -> Parse<Option<Slot>> {
        let Some(n) = name.strip_prefix('_').and_then(|n| n.parse::<usize>().ok()) else {
            return Ok(None);
        };
        let is_block = self.scopes.last().is_some_and(|scope| scope.is_block);
        if !(1..=9).contains(&n) || !is_block {
            return Ok(None);
        }
        for k in 1..=n {
            let name = numbered_name(k);
            if self.scopes.last().is_some_and(|scope| !scope.names.contains(&name)) {
                self.declare(name);
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.numbered = scope.numbered.max(n);
        }
        Ok(self.find_local(name))
    }

    /// Parses parameters up to the closing token, which is not consumed.
    pub(super) fn params(&mut self, close: &str) -> Parse<Params> {
        let mut params = Params::default();
        while !self.is(close) && !matches!(self.token, Tok::LineEnd) {
            if self.accept(";")? {
                while let Tok::Ident(name) = &self.token {
                    let name = name.clone();
                    self.declare(name);
                    self.advance()?;
                    self.accept(",")?;
                }
                break;
            }
            self.param(&mut params)?;
            if close != "{" {
                self.skip_line_ends()?;
            }
            if !self.accept(",")? {
                if self.is(";") {
                    continue;
                }
                break;
            }
            if close != "{" {
                self.skip_line_ends()?;
            }
            params.trailing_comma = self.is(close);
        }
        Ok(params)
    }

    fn param(&mut self, params: &mut Params) -> Parse<()> {
        match self.token {
            Tok::Op("*@" | "*") => {
                self.advance()?;
                params.rest = Some(self.optional_name()?);
            }
            Tok::Op("**@" | "**") => {
                self.advance()?;
                params.keyword_rest = Some(self.optional_name()?);
            }
            Tok::Op("&@" | "&") => {
                self.advance()?;
                params.block = self.optional_name()?;
            }
            Tok::Op("(" | "(@") => {
                let target = self.param_apart()?;
                self.require(params, ParamTarget::Apart(target));
            }
            Tok::Label(_) => self.keyword_param(params)?,
            Tok::Ident(_) => {
                let Some(slot) = self.optional_name()? else { return Err(self.unexpected()) };
                if self.accept("=")? {
                    let default = self.within(Self::ternary_no_pipe)?;
                    params.optional.push((slot, default));
                } else {
                    self.require(params, ParamTarget::Plain(slot));
                }
            }
            _ => return Err(self.unexpected()),
        }
        Ok(())
    }

    fn require(&self, params: &mut Params, target: ParamTarget) {
        if params.rest.is_some() || !params.optional.is_empty() {
            params.after.push(target);
        } else {
            params.required.push(target);
        }
    }

    /// A default value; in `|a = 1|` the bar ends it.
    fn ternary_no_pipe(&mut self) -> Parse<Expr> {
        self.primary()
    }

    fn keyword_param(&mut self, params: &mut Params) -> Parse<()> {
        let Tok::Label(name) = self.advance()? else { return Err(self.unexpected()) };
        let slot = self.declare(name.clone());
        let is_bare =
            self.is(",") || self.is(")") || self.is("|") || matches!(self.token, Tok::LineEnd);
        let default = if is_bare { None } else { Some(self.ternary_no_pipe()?) };
        params.keywords.push(Keyword { name, slot, default });
        Ok(())
    }

    fn optional_name(&mut self) -> Parse<Option<u32>> {
        if !matches!(self.token, Tok::Ident(_)) {
            return Ok(None);
        }
        // The name is declared before the next token is read, because the lexer treats variables
        // differently.
        let Tok::Ident(name) = &self.token else { return Ok(None) };
        let name = name.clone();
        let slot = self.declare(name);
        self.advance()?;
        Ok(Some(slot))
    }

    /// `(a, *b)`
    fn param_apart(&mut self) -> Parse<Target> {
        self.advance()?;
        let mut targets = Vec::new();
        while !self.is(")") {
            let target = match self.token {
                Tok::Op("(" | "(@") => self.within(Self::param_apart)?,
                Tok::Op("*@" | "*") => {
                    self.advance()?;
                    let slot = self.optional_name()?;
                    let inner = slot.map(|index| Box::new(Target::Local(Slot { depth: 0, index })));
                    Target::Splat(inner)
                }
                _ => match self.optional_name()? {
                    Some(index) => Target::Local(Slot { depth: 0, index }),
                    None => return Err(self.unexpected()),
                },
            };
            targets.push(target);
            if !self.accept(",")? {
                break;
            }
        }
        self.expect(")")?;
        Ok(Target::Many(targets))
    }

    /// `def name(params) … end` after `def`.
    pub(super) fn define(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        self.advance()?;
        let name = match self.advance()? {
            Tok::Ident(name) | Tok::Const(name) => name,
            Tok::Keyword(word) => word.into(),
            _ => return Err(self.unexpected()),
        };
        if self.is(".") {
            return Err(self.unsupported("the definition of a method of an object"));
        }
        let flags = self.enter();
        self.scopes.push(Scope::default());
        let params = if self.accept("(")? || self.accept("(@")? {
            let params = self.params(")")?;
            self.expect(")")?;
            params
        } else {
            self.params(";")?
        };
        let block = if self.accept("=")? {
            let body = self.within(Self::statement)?;
            let scope = self.scopes.pop().unwrap_or_default();
            let locals = scope.names.len();
            Block { params, body, locals, names: scope.names.into(), line, is_simple: false }
        } else {
            let block = self.within(|p| p.block_body(false, params, line))?;
            self.expect_keyword("end")?;
            block
        };
        self.leave(flags);
        Ok(Expr { line, kind: Kind::Define(Arc::new(Define { name, block })) })
    }
}

fn numbered_name(n: usize) -> EcoString {
    ecow::eco_format!("_{n}")
}
