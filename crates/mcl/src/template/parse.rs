//! From tokens to the tree.

use std::collections::BTreeMap;

use ordain_functions::go::{number, quote};

use super::ast::{Id, Kind, NAME, Pipe, Tree};
use super::lex::{Item, Token, tokens};
use super::{builtins, callable};
use crate::functions::AllFunctions;

/// The maximal nesting of blocks and parentheses.
const MAX_DEPTH: u32 = 100;

/// Reads a template.
///
/// # Errors
/// `template: template:1: unexpected …`
pub(super) fn parse(text: &str, functions: AllFunctions) -> Result<Tree, String> {
    let tree = Tree { text: text.to_owned(), nodes: Vec::new(), templates: BTreeMap::new() };
    let items = tokens(text);
    let variables = vec!["$".to_owned()];
    let mut parser = Parser {
        functions,
        tree,
        items,
        at: 0,
        line: 0,
        variables,
        ranges: 0,
        action: 0,
        depth: 0,
    };
    parser.program()?;
    Ok(parser.tree)
}

struct Parser {
    functions: AllFunctions,
    tree: Tree,
    items: Vec<Item>,
    at: usize,
    /// The line of the token that was read last.
    line: usize,
    variables: Vec<String>,
    ranges: u32,
    /// The line on which the action began, 0 outside of one.
    action: usize,
    depth: u32,
}

type Step<T> = Result<T, String>;

impl Parser {
    fn peek(&mut self) -> Item {
        let last = self.items.len().saturating_sub(1);
        let item = self.items[self.at.min(last)].clone();
        self.line = item.line;
        item
    }

    fn next(&mut self) -> Item {
        let item = self.peek();
        self.at += 1;
        item
    }

    fn peek_word(&mut self) -> Item {
        while self.peek().token == Token::Space {
            self.at += 1;
        }
        self.peek()
    }

    fn next_word(&mut self) -> Item {
        let item = self.peek_word();
        self.at += 1;
        item
    }

    fn fail<T>(&self, reason: impl std::fmt::Display) -> Step<T> {
        Err(format!("template: {NAME}:{}: {reason}", self.line))
    }

    fn unexpected<T>(&self, item: &Item, context: &str) -> Step<T> {
        if item.token != Token::Error {
            return self.fail(format_args!("unexpected {} in {context}", item.show()));
        }
        let mut extra = String::new();
        if self.action != 0 && self.action != item.line {
            let place = format!("{NAME}:{}", self.action);
            let word = if item.is_unclosed_action { "" } else { " in action" };
            extra = format!("{word} started at {place}");
        }
        self.fail(format_args!("{}{extra}", item.show()))
    }

    fn expect(&mut self, token: Token, context: &str) -> Step<Item> {
        let item = self.next_word();
        if item.token == token { Ok(item) } else { self.unexpected(&item, context) }
    }

    /// Goes one level down.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("the template is nested too deeply");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn program(&mut self) -> Step<()> {
        let mut nodes = Vec::new();
        while self.peek().token != Token::Eof {
            if self.peek().token == Token::Left {
                let start = self.at;
                self.next();
                if self.next_word().token == Token::Define {
                    self.definition()?;
                    continue;
                }
                self.at = start;
            }
            let Some(node) = self.text_or_action()? else { continue };
            if matches!(self.tree.kind(node), Kind::End | Kind::Else) {
                let shown = self.tree.show(node);
                return self.fail(format_args!("unexpected {shown}"));
            }
            nodes.push(node);
        }
        let root = self.tree.add(0, Kind::List(nodes));
        self.define(NAME.to_owned(), root)
    }

    /// A later definition replaces a blank one. Two definitions with content are an error.
    fn define(&mut self, name: String, body: Id) -> Step<()> {
        match self.tree.templates.get(&name) {
            Some(old) if !self.tree.is_blank(*old) => {
                if !self.tree.is_blank(body) {
                    let quoted = quote::quote(name.as_bytes());
                    return self
                        .fail(format_args!("template: multiple definition of template {quoted}"));
                }
            }
            _ => {
                self.tree.templates.insert(name, body);
            }
        }
        Ok(())
    }

    fn name(&mut self, context: &str) -> Step<Item> {
        let item = self.next_word();
        match item.token {
            Token::Str | Token::RawStr => Ok(item),
            _ => self.unexpected(&item, context),
        }
    }

    fn unquoted(&self, item: &Item) -> Step<Vec<u8>> {
        quote::unquote(item.text.as_bytes()).or_else(|error| self.fail(error))
    }

    fn name_text(&self, item: &Item) -> Step<String> {
        Ok(String::from_utf8_lossy(&self.unquoted(item)?).into_owned())
    }

    /// A body with its own variables, outside of loops.
    fn separate_body(&mut self, context: &str) -> Step<Id> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".into()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (body, end) = self.nested(Self::body)?;
        (self.variables, self.ranges) = (variables, ranges);
        if !matches!(self.tree.kind(end), Kind::End) {
            let shown = self.tree.show(end);
            return self.fail(format_args!("unexpected {shown} in {context}"));
        }
        Ok(body)
    }

    fn definition(&mut self) -> Step<()> {
        const CONTEXT: &str = "define clause";
        let item = self.name(CONTEXT)?;
        let name = self.name_text(&item)?;
        self.expect(Token::Right, CONTEXT)?;
        let body = self.separate_body(CONTEXT)?;
        self.define(name, body)
    }

    /// Nodes up to an `end` or `else`, which is returned too.
    fn body(&mut self) -> Step<(Id, Id)> {
        let at = self.peek_word().at;
        let mut nodes = Vec::new();
        while self.peek_word().token != Token::Eof {
            let Some(node) = self.text_or_action()? else { continue };
            if matches!(self.tree.kind(node), Kind::End | Kind::Else) {
                return Ok((self.tree.add(at, Kind::List(nodes)), node));
            }
            nodes.push(node);
        }
        self.fail("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Step<Option<Id>> {
        let item = self.next_word();
        match item.token {
            Token::Text => Ok(Some(self.tree.add(item.at, Kind::Text(item.text)))),
            Token::Left => {
                self.action = item.line;
                let node = self.nested(Self::action);
                self.action = 0;
                node.map(Some)
            }
            _ => self.unexpected(&item, "input"),
        }
    }

    fn action(&mut self) -> Step<Id> {
        let item = self.next_word();
        match item.token {
            Token::Block => self.block(),
            Token::Break => self.jump(&item, Kind::Break, "break"),
            Token::Continue => self.jump(&item, Kind::Continue, "continue"),
            Token::Else => {
                if !matches!(self.peek_word().token, Token::If | Token::With) {
                    self.expect(Token::Right, "else")?;
                }
                Ok(self.tree.add(item.at, Kind::Else))
            }
            Token::End => {
                self.expect(Token::Right, "end")?;
                Ok(self.tree.add(item.at, Kind::End))
            }
            Token::If | Token::Range | Token::With => self.control(item.token),
            Token::Template => self.template(),
            _ => {
                self.at -= 1;
                let at = self.peek().at;
                let pipe = self.pipeline("command", Token::Right)?;
                Ok(self.tree.add(at, Kind::Action(pipe)))
            }
        }
    }

    fn jump(&mut self, item: &Item, kind: Kind, word: &str) -> Step<Id> {
        let next = self.next_word();
        if next.token != Token::Right {
            return self.unexpected(&next, &format!("{{{{{word}}}}}"));
        }
        if self.ranges == 0 {
            return self.fail(format_args!("{{{{{word}}}}} outside {{{{range}}}}"));
        }
        Ok(self.tree.add(item.at, kind))
    }

    fn control(&mut self, word: Token) -> Step<Id> {
        let context = match word {
            Token::If => "if",
            Token::Range => "range",
            _ => "with",
        };
        let mark = self.variables.len();
        let pipe = self.pipeline(context, Token::Right)?;
        let is_range = word == Token::Range;
        self.ranges += u32::from(is_range);
        let (body, next) = self.nested(Self::body)?;
        self.ranges -= u32::from(is_range);
        let mut other = None;
        if matches!(self.tree.kind(next), Kind::Else) {
            other = Some(self.other(word)?);
        }
        self.variables.truncate(mark);
        let at = self.tree.get(pipe).at;
        Ok(self.tree.add(
            at,
            match word {
                Token::If => Kind::If { pipe, body, other },
                Token::Range => Kind::Range { pipe, body, other },
                _ => Kind::With { pipe, body, other },
            },
        ))
    }

    /// The part after `else`: another condition of the same kind, or a body.
    fn other(&mut self, word: Token) -> Step<Id> {
        let next = self.peek_word();
        if matches!(word, Token::If | Token::With) && next.token == word {
            self.next_word();
            let node = self.nested(|parser| parser.control(word))?;
            return Ok(self.tree.add(next.at, Kind::List(vec![node])));
        }
        let (body, end) = self.nested(Self::body)?;
        if !matches!(self.tree.kind(end), Kind::End) {
            let shown = self.tree.show(end);
            return self.fail(format_args!("expected end; found {shown}"));
        }
        Ok(body)
    }

    fn block(&mut self) -> Step<Id> {
        const CONTEXT: &str = "block clause";
        let item = self.name(CONTEXT)?;
        let name = self.name_text(&item)?;
        let pipe = self.pipeline(CONTEXT, Token::Right)?;
        let body = self.separate_body(CONTEXT)?;
        self.define(name.clone(), body)?;
        Ok(self.tree.add(item.at, Kind::Template { name, pipe: Some(pipe) }))
    }

    fn template(&mut self) -> Step<Id> {
        const CONTEXT: &str = "template clause";
        let item = self.name(CONTEXT)?;
        let name = self.name_text(&item)?;
        let pipe = if self.peek_word().token == Token::Right {
            self.next();
            None
        } else {
            Some(self.pipeline(CONTEXT, Token::Right)?)
        };
        Ok(self.tree.add(item.at, Kind::Template { name, pipe }))
    }

    fn pipeline(&mut self, context: &str, end: Token) -> Step<Id> {
        let at = self.peek_word().at;
        let (variables, is_assignment) = self.declarations(context)?;
        let mut commands = Vec::new();
        loop {
            let item = self.next_word();
            match item.token {
                token if token == end => break,
                Token::Bool
                | Token::CharConstant
                | Token::Dot
                | Token::Field
                | Token::Identifier
                | Token::Number
                | Token::Nil
                | Token::RawStr
                | Token::Str
                | Token::Variable
                | Token::LeftParen => {
                    self.at -= 1;
                    commands.push(self.command()?);
                }
                _ => return self.unexpected(&item, context),
            }
        }
        if commands.is_empty() {
            return self.fail(format_args!("missing value for {context}"));
        }
        for (index, command) in commands.iter().enumerate().skip(1) {
            let Kind::Command(args) = self.tree.kind(*command) else { continue };
            let first = args.first().map(|arg| self.tree.kind(*arg));
            if let Some(
                Kind::Bool(_) | Kind::Dot | Kind::Nil | Kind::Number { .. } | Kind::Str(..),
            ) = first
            {
                let stage = index + 1;
                return self.fail(format_args!("non executable command in pipeline stage {stage}"));
            }
        }
        Ok(self.tree.add(at, Kind::Pipe(Pipe { variables, is_assignment, commands })))
    }

    /// `$x :=`, `$i, $x :=` or `$x =` at the beginning of a pipeline.
    fn declarations(&mut self, context: &str) -> Step<(Vec<String>, bool)> {
        let mut variables = Vec::new();
        while self.peek_word().token == Token::Variable {
            let start = self.at;
            let name = self.next().text;
            let next = self.peek_word();
            match next.token {
                Token::Assign | Token::Declare => {
                    self.next_word();
                    variables.push(name.clone());
                    self.variables.push(name);
                    return Ok((variables, next.token == Token::Assign));
                }
                Token::Char if next.text == "," => {
                    self.next_word();
                    variables.push(name.clone());
                    self.variables.push(name);
                    if context != "range" || variables.len() > 1 {
                        return self.fail(format_args!("too many declarations in {context}"));
                    }
                    match self.peek_word().token {
                        Token::Variable | Token::Right | Token::RightParen => {}
                        _ => return self.fail("range can only initialize variables"),
                    }
                }
                _ => {
                    self.at = start;
                    break;
                }
            }
        }
        Ok((variables, false))
    }

    fn command(&mut self) -> Step<Id> {
        let at = self.peek_word().at;
        let mut args = Vec::new();
        loop {
            self.peek_word();
            args.extend(self.operand()?);
            let item = self.next();
            match item.token {
                Token::Space => continue,
                Token::Right | Token::RightParen => self.at -= 1,
                Token::Pipe => {}
                _ => return self.unexpected(&item, "operand"),
            }
            break;
        }
        if args.is_empty() {
            return self.fail("empty command");
        }
        Ok(self.tree.add(at, Kind::Command(args)))
    }

    fn operand(&mut self) -> Step<Option<Id>> {
        let Some(node) = self.term()? else { return Ok(None) };
        if self.peek().token != Token::Field {
            return Ok(Some(node));
        }
        let at = self.peek().at;
        let mut names = Vec::new();
        while self.peek().token == Token::Field {
            names.push(self.next().text.trim_start_matches('.').to_owned());
        }
        let start = self.tree.get(node).at;
        match self.tree.kind(node) {
            Kind::Field(first) | Kind::Variable(first) => {
                let all = first.iter().cloned().chain(names).collect();
                let is_field = matches!(self.tree.kind(node), Kind::Field(_));
                let kind = if is_field { Kind::Field(all) } else { Kind::Variable(all) };
                let _ = start;
                Ok(Some(self.tree.add(at, kind)))
            }
            Kind::Bool(_) | Kind::Str(..) | Kind::Number { .. } | Kind::Nil | Kind::Dot => {
                let shown = quote::quote(self.tree.show(node).as_bytes());
                self.fail(format_args!("unexpected . after term {shown}"))
            }
            _ => Ok(Some(self.tree.add(at, Kind::Chain(node, names)))),
        }
    }

    fn term(&mut self) -> Step<Option<Id>> {
        let item = self.next_word();
        let kind = match item.token {
            Token::Identifier => {
                let is_builtin = builtins::find(&item.text).is_some();
                if !is_builtin && callable::find(self.functions, &item.text).is_none() {
                    let quoted = quote::quote(item.text.as_bytes());
                    return self.fail(format_args!("function {quoted} not defined"));
                }
                Kind::Function(item.text)
            }
            Token::Dot => Kind::Dot,
            Token::Nil => Kind::Nil,
            Token::Variable => {
                if !self.variables.contains(&item.text) {
                    let quoted = quote::quote(item.text.as_bytes());
                    return self.fail(format_args!("undefined variable {quoted}"));
                }
                Kind::Variable(vec![item.text])
            }
            Token::Field => Kind::Field(vec![item.text.trim_start_matches('.').to_owned()]),
            Token::Bool => Kind::Bool(item.text == "true"),
            Token::CharConstant | Token::Number => self.number(item.text, item.token)?,
            Token::LeftParen => {
                let context = "parenthesized pipeline";
                return self.nested(|p| p.pipeline(context, Token::RightParen)).map(Some);
            }
            Token::Str | Token::RawStr => {
                let value = self.unquoted(&item)?;
                Kind::Str(item.text, value)
            }
            _ => {
                self.at -= 1;
                return Ok(None);
            }
        };
        Ok(Some(self.tree.add(item.at, kind)))
    }

    fn number(&self, text: String, token: Token) -> Step<Kind> {
        if token == Token::CharConstant {
            let value = quote::unquote(text.as_bytes()).ok();
            let value = value.and_then(|bytes| String::from_utf8(bytes).ok());
            let Some(c) = value.as_ref().and_then(|value| value.chars().next()) else {
                return self.fail(format_args!("malformed character constant: {text}"));
            };
            let code = u32::from(c);
            let (int, float) = (Some(i64::from(code)), Some(f64::from(code)));
            return Ok(Kind::Number { text, int, float, is_char: true });
        }
        let mut int = number::parse_int("ParseInt", text.as_bytes(), 0, 64).ok();
        let mut float = int.map(|int| int as f64);
        if int.is_none()
            && let Ok(value) = number::parse_float(text.as_bytes(), 64)
        {
            let is_whole_text = !text.contains(['.', 'e', 'E', 'p', 'P']);
            if is_whole_text {
                return self
                    .fail(format_args!("integer overflow: {}", quote::quote(text.as_bytes())));
            }
            float = Some(value);
            let is_int = value.fract() == 0.0 && value.abs() < 9_223_372_036_854_775_808.0;
            int = is_int.then_some(value as i64);
        }
        if int.is_none() && float.is_none() {
            let quoted = quote::quote(text.as_bytes());
            return self.fail(format_args!("illegal number syntax: {quoted}"));
        }
        Ok(Kind::Number { text, int, float, is_char: false })
    }
}
