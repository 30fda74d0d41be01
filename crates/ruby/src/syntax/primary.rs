//! Literals, names, brackets, and the calls, elements and blocks after them.

use std::sync::OnceLock;

use ecow::EcoString;

use super::parser::{Parse, Parser};
use super::token::Tok;
use super::{BlockArg, Call, Expr, HashLiteral, Kind, Part, RegexLiteral};

impl Parser<'_> {
    /// A call without arguments.
    pub(super) fn call_on(&self, receiver: Expr, name: &str, line: u32) -> Expr {
        let call = Call {
            receiver: Some(receiver),
            name: name.into(),
            args: Vec::new(),
            has_special: false,
            block: BlockArg::None,
            safe: false,
            is_bare: false,
        };
        Expr { line, kind: Kind::Call(Box::new(call)) }
    }

    /// A value with its suffixes.
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let value = self.within(Self::value)?;
        self.postfix(value)
    }

    fn value(&mut self) -> Parse<Expr> {
        let line = self.token_line;
        if let Tok::Keyword(word) = self.token {
            return self.keyword(word);
        }
        if let Tok::Op(op) = self.token {
            return self.bracketed(op);
        }
        if matches!(self.token, Tok::End | Tok::LineEnd | Tok::Text(_) | Tok::Emit) {
            return Err(self.unexpected());
        }
        let space_after_name = matches!(self.token, Tok::Label(_) | Tok::TextLabel(_));
        if space_after_name {
            return Err(self.unexpected());
        }
        let kind = match self.advance()? {
            Tok::Int(i) => Kind::Int(i),
            Tok::Big(big) => Kind::Big(big),
            Tok::Float(f) => Kind::Float(f),
            Tok::Str(parts) => self.adjacent(parts)?,
            Tok::Symbol(name) => Kind::Symbol(name),
            Tok::InterpolatedSymbol(parts) => match plain(parts) {
                Ok(text) => Kind::Symbol(text),
                Err(parts) => Kind::InterpolatedSymbol(parts),
            },
            Tok::Regex(parts, flags) => {
                Kind::Regex(Box::new(RegexLiteral { parts, flags, compiled: OnceLock::new() }))
            }
            Tok::Words(words) => Kind::Array(items(words, line, Kind::Str, Kind::Interpolated)),
            Tok::Symbols(words) => {
                Kind::Array(items(words, line, Kind::Symbol, Kind::InterpolatedSymbol))
            }
            Tok::Instance(name) => Kind::Instance(self.ivar(name)),
            Tok::Global(name) => Kind::Global(name),
            Tok::Group(n) => Kind::Group(n),
            Tok::Const(name) => return self.constant(name, line),
            Tok::Ident(name) => return self.name(name, line),
            _ => return Err(self.unexpected()),
        };
        Ok(Expr { line, kind })
    }

    /// Joins adjacent string literals.
    fn adjacent(&mut self, mut parts: Vec<Part>) -> Parse<Kind> {
        while let Tok::Str(more) = &mut self.token {
            parts.append(more);
            self.advance()?;
        }
        Ok(match plain(parts) {
            Ok(text) => Kind::Str(text),
            Err(parts) => Kind::Interpolated(parts),
        })
    }

    fn bracketed(&mut self, op: &'static str) -> Parse<Expr> {
        let line = self.token_line;
        match op {
            "(" | "(@" => self.primary_parentheses(),
            "[@" | "[" => {
                let flags = self.enter();
                self.advance()?;
                let (items, _) = self.arguments("]")?;
                self.leave(flags);
                self.expect("]")?;
                Ok(Expr { line, kind: Kind::Array(items) })
            }
            "{" => {
                let flags = self.enter();
                self.advance()?;
                let entries = self.hash_entries("}")?;
                self.leave(flags);
                self.expect("}")?;
                let literal = HashLiteral { entries, braces: true };
                Ok(Expr { line, kind: Kind::Hash(Box::new(literal)) })
            }
            "->" => self.lambda(),
            "::@" => {
                self.advance()?;
                match self.advance()? {
                    Tok::Const(name) => Ok(Expr { line, kind: Kind::Const(name) }),
                    _ => Err(self.unexpected()),
                }
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Statements in parentheses.
    pub(super) fn primary_parentheses(&mut self) -> Parse<Expr> {
        let flags = self.enter();
        self.advance()?;
        let body = self.within(|p| p.statements(&[")"]))?;
        self.leave(flags);
        self.expect(")")?;
        Ok(body)
    }

    fn constant(&mut self, name: EcoString, line: u32) -> Parse<Expr> {
        let has_parentheses = self.is("(") && !self.space_before;
        let is_command = matches!(self.token, Tok::Str(_)) && self.space_before;
        if has_parentheses || is_command {
            return self.call_with_args(None, name, line, false);
        }
        Ok(Expr { line, kind: Kind::Const(name) })
    }

    fn name(&mut self, name: EcoString, line: u32) -> Parse<Expr> {
        let has_parentheses = self.is("(") && !self.space_before;
        if !has_parentheses {
            if let Some(slot) = self.find_local(&name) {
                return Ok(Expr { line, kind: Kind::Local(slot) });
            }
            if name == "_erbout" {
                return Ok(Expr { line, kind: Kind::Output });
            }
            if let Some(slot) = self.numbered(&name)? {
                return Ok(Expr { line, kind: Kind::Local(slot) });
            }
        }
        if matches!(name.as_str(), "lambda" | "proc")
            && (self.is("{") || self.is_keyword("do") && !self.no_do)
        {
            return self.lambda_call(name == "lambda");
        }
        self.call_with_args(None, name, line, false)
    }

    /// A call: arguments in parentheses or without, and the block.
    fn call_with_args(
        &mut self,
        receiver: Option<Expr>,
        name: EcoString,
        line: u32,
        safe: bool,
    ) -> Parse<Expr> {
        let mut call = Call {
            is_bare: receiver.is_none() && !name.ends_with(['?', '!']),
            receiver,
            name,
            args: Vec::new(),
            has_special: false,
            block: BlockArg::None,
            safe,
        };
        if self.is("(") && !self.space_before {
            call.is_bare = false;
            self.parenthesised(&mut call)?;
        } else if self.begins_argument() || self.begins_close_argument() {
            call.is_bare = false;
            self.command_args(&mut call)?;
        }
        self.literal_block(&mut call)?;
        Ok(Expr { line, kind: Kind::Call(Box::new(call)) })
    }

    fn parenthesised(&mut self, call: &mut Call) -> Parse<()> {
        let flags = self.enter();
        self.advance()?;
        let (args, block) = self.within(|p| p.arguments(")"))?;
        self.leave(flags);
        self.expect(")")?;
        set_args(call, args, block);
        Ok(())
    }

    fn command_args(&mut self, call: &mut Call) -> Parse<()> {
        let outer = std::mem::replace(&mut self.no_do, true);
        let result = self.within(|p| p.arguments(""));
        self.no_do = outer;
        let (args, block) = result?;
        set_args(call, args, block);
        Ok(())
    }

    /// The block after a call, if there is one.
    fn literal_block(&mut self, call: &mut Call) -> Parse<()> {
        let is_brace = self.is("{");
        let is_do = self.is_keyword("do") && !self.no_do;
        if !is_brace && !is_do {
            return Ok(());
        }
        if !matches!(call.block, BlockArg::None) {
            return Err(self.error("both block arg and actual block given"));
        }
        call.is_bare = false;
        call.block = BlockArg::Literal(self.block()?);
        Ok(())
    }

    /// Whether the current token begins the first argument of a call without parentheses.
    fn begins_argument(&self) -> bool {
        if !self.space_before {
            return false;
        }
        match &self.token {
            Tok::Int(_) | Tok::Big(_) | Tok::Float(_) | Tok::Str(_) | Tok::Symbol(_) => true,
            Tok::InterpolatedSymbol(_) | Tok::Regex(..) | Tok::Words(_) | Tok::Symbols(_) => true,
            Tok::Ident(_) | Tok::Const(_) | Tok::Instance(_) | Tok::Global(_) => true,
            Tok::Group(_) | Tok::Label(_) | Tok::TextLabel(_) => true,
            Tok::Keyword(word) => matches!(
                *word,
                "nil"
                    | "true"
                    | "false"
                    | "self"
                    | "not"
                    | "defined?"
                    | "case"
                    | "yield"
                    | "super"
                    | "__FILE__"
                    | "__LINE__"
                    | "def"
            ),
            Tok::Op(op) => {
                matches!(*op, "-@" | "*@" | "**@" | "&@" | "[@" | "(@" | "::@" | "->" | "!" | "~")
            }
            _ => false,
        }
    }

    /// Whether an argument follows without a blank, as in `include?name` and `raise"text"`.
    fn begins_close_argument(&self) -> bool {
        matches!(
            self.token,
            Tok::Ident(_) | Tok::Const(_) | Tok::Instance(_) | Tok::Str(_) | Tok::Int(_)
        ) && !self.space_before
    }

    /// `.name`, `[…]`, `::Name` after a value.
    pub(super) fn postfix(&mut self, mut value: Expr) -> Parse<Expr> {
        let mut count = 0;
        loop {
            self.link(&mut count)?;
            value = match self.token {
                Tok::Op(op @ ("." | "&.")) => {
                    self.advance()?;
                    self.dotted(value, op == "&.")?
                }
                Tok::Op("::") => self.scoped(value)?,
                Tok::Op("[") => self.element(value)?,
                _ => return Ok(value),
            };
        }
    }

    fn dotted(&mut self, receiver: Expr, safe: bool) -> Parse<Expr> {
        let line = self.token_line;
        if self.is("(") {
            let mut call = self.call_on(receiver, "call", line);
            if let Kind::Call(inner) = &mut call.kind {
                inner.safe = safe;
                self.parenthesised(inner)?;
            }
            return Ok(call);
        }
        match self.advance()? {
            Tok::Ident(name) | Tok::Const(name) => {
                self.call_with_args(Some(receiver), name, line, safe)
            }
            Tok::Keyword(word) => self.call_with_args(Some(receiver), word.into(), line, safe),
            _ => Err(self.unexpected()),
        }
    }

    fn scoped(&mut self, outer: Expr) -> Parse<Expr> {
        let line = self.token_line;
        self.advance()?;
        match self.advance()? {
            Tok::Const(name) if !self.is("(") || self.space_before => {
                Ok(Expr { line, kind: Kind::Scoped(Box::new(outer), name) })
            }
            Tok::Const(name) | Tok::Ident(name) => {
                self.call_with_args(Some(outer), name, line, false)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn element(&mut self, receiver: Expr) -> Parse<Expr> {
        let line = self.token_line;
        let flags = self.enter();
        self.advance()?;
        let (args, block) = self.within(|p| p.arguments("]"))?;
        self.leave(flags);
        self.expect("]")?;
        let mut expr = self.call_on(receiver, "[]", line);
        if let Kind::Call(call) = &mut expr.kind {
            set_args(call, args, block);
        }
        Ok(expr)
    }
}

fn set_args(call: &mut Call, args: Vec<Expr>, block: BlockArg) {
    call.has_special = args.iter().any(|arg| match &arg.kind {
        Kind::Splat(_) => true,
        Kind::Hash(hash) => !hash.braces,
        _ => false,
    });
    call.args = args;
    call.block = block;
}

/// The text of parts that are text only.
pub(super) fn plain(parts: Vec<Part>) -> Result<EcoString, Vec<Part>> {
    if parts.iter().any(|part| matches!(part, Part::Code(_))) {
        return Err(parts);
    }
    let mut text = EcoString::new();
    for part in &parts {
        if let Part::Text(piece) = part {
            text.push_str(piece);
        }
    }
    Ok(text)
}

fn items(
    words: Vec<Vec<Part>>,
    line: u32,
    text: fn(EcoString) -> Kind,
    mixed: fn(Vec<Part>) -> Kind,
) -> Vec<Expr> {
    let kinds = words.into_iter().map(|parts| match plain(parts) {
        Ok(word) => text(word),
        Err(parts) => mixed(parts),
    });
    kinds.map(|kind| Expr { line, kind }).collect()
}
