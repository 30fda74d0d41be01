//! Parses statements, with the grammar and the messages of Jinja's parser.

use ecow::EcoString;

use super::ast::{Escape, Expr, For, Literal, Macro, Node, Symbols, Target};
use super::fault::{Fault, Res};
use super::lexer::{PositionedToken, Token, tokens};
use crate::diagnostics::Exception;

/// The limit for nested statements and expressions.
const MAX_DEPTH: usize = 90;

/// A parsed block.
pub(super) struct BlockSource {
    pub(super) name: EcoString,
    pub(super) body: Vec<Node>,
}

/// Parses a template.
///
/// # Errors
/// Jinja's syntax errors.
pub(super) fn parse(source: &str, name: &str) -> Res<(Vec<Node>, Vec<BlockSource>)> {
    let mut parser = Parser {
        tokens: tokens(source),
        at: 0,
        name: name.into(),
        tags: Vec::new(),
        ends: Vec::new(),
        escape: Escape::Never,
        blocks: Vec::new(),
        depth: 0,
    };
    parser.current()?;
    let body = parser.statements_until(None)?;
    Ok((body, parser.blocks))
}

pub(super) struct Parser {
    pub(super) tokens: Vec<PositionedToken>,
    pub(super) at: usize,
    name: EcoString,
    /// The open tags.
    tags: Vec<EcoString>,
    /// The end tags of each open tag.
    ends: Vec<&'static [&'static str]>,
    pub(super) escape: Escape,
    blocks: Vec<BlockSource>,
    depth: usize,
}

impl Parser {
    pub(super) fn fail<T>(&self, text: impl Into<String>) -> Res<T> {
        Err(Fault::Raised(Exception::TemplateSyntax, text.into()))
    }

    /// The next token.
    pub(super) fn current(&self) -> Res<&Token> {
        match &self.tokens[self.at].token {
            Token::Error(text) => Err(Fault::Raised(Exception::TemplateSyntax, text.clone())),
            token => Ok(token),
        }
    }

    pub(super) fn line(&self) -> u32 {
        self.tokens[self.at].line
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Res<Token> {
        let token = self.current()?.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        self.current()?;
        Ok(token)
    }

    /// The token after the next one.
    pub(super) fn look(&self) -> Res<&Token> {
        let at = (self.at + 1).min(self.tokens.len() - 1);
        match &self.tokens[at].token {
            Token::Error(text) => Err(Fault::Raised(Exception::TemplateSyntax, text.clone())),
            token => Ok(token),
        }
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(&self.tokens[self.at].token, Token::Name(found) if found == name)
    }

    pub(super) fn is_operator(&self, operator: &str) -> bool {
        matches!(&self.tokens[self.at].token, Token::Operator(found) if *found == operator)
    }

    pub(super) fn skip_name(&mut self, name: &str) -> Res<bool> {
        let found = self.is_name(name);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    pub(super) fn skip_operator(&mut self, operator: &str) -> Res<bool> {
        let found = self.is_operator(operator);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn unexpected<T>(&self, expected: &str) -> Res<T> {
        let expected = crate::value::string_repr(expected);
        match self.current()? {
            Token::End => self.fail(format!("unexpected end of template, expected {expected}.")),
            token => {
                let found = crate::value::string_repr(&token.described());
                self.fail(format!("expected token {expected}, got {found}"))
            }
        }
    }

    pub(super) fn expect_operator(&mut self, operator: &str) -> Res<()> {
        if self.skip_operator(operator)? { Ok(()) } else { self.unexpected(operator) }
    }

    fn expect_keyword(&mut self, name: &str) -> Res<()> {
        if self.skip_name(name)? { Ok(()) } else { self.unexpected(name) }
    }

    pub(super) fn expect_name(&mut self) -> Res<EcoString> {
        if !matches!(self.current()?, Token::Name(_)) {
            return self.unexpected("name");
        }
        match self.next()? {
            Token::Name(name) => Ok(name),
            _ => self.unexpected("name"),
        }
    }

    fn expect_block_end(&mut self) -> Res<()> {
        if *self.current()? != Token::BlockEnd {
            return self.unexpected("end of statement block");
        }
        self.next().map(|_| ())
    }

    /// Runs a function one nesting level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::Raised(
                Exception::RecursionError,
                "maximum recursion depth exceeded".into(),
            ));
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn place(&self, line: u32) -> EcoString {
        format!("line {line} in {}", crate::value::string_repr(&self.name)).into()
    }

    /// Parses statements and text up to one of the tags, or to the end of the template.
    fn statements_until(&mut self, ends: Option<&'static [&'static str]>) -> Res<Vec<Node>> {
        let mut body = Vec::new();
        self.ends.extend(ends);
        loop {
            match self.current()?.clone() {
                Token::End => break,
                Token::Data(text) => {
                    body.push(Node::Data(text));
                    self.next()?;
                }
                Token::VariableBegin => {
                    self.next()?;
                    let value = self.tuple(true, &[], false)?;
                    body.push(Node::Output(vec![value], self.escape));
                    if *self.current()? != Token::VariableEnd {
                        return self.unexpected("end of print statement");
                    }
                    self.next()?;
                }
                _ => {
                    self.next()?;
                    if ends.is_some_and(|ends| ends.iter().any(|end| self.is_name(end))) {
                        break;
                    }
                    let node = self.nested(Self::statement)?;
                    body.extend(node);
                    self.expect_block_end()?;
                }
            }
        }
        if ends.is_some() {
            self.ends.pop();
        }
        Ok(body)
    }

    /// Parses up to one of the tags and takes its name; returns the statements and the name.
    fn body(&mut self, ends: &'static [&'static str]) -> Res<(Vec<Node>, EcoString)> {
        self.skip_operator(":")?;
        self.expect_block_end()?;
        let body = self.statements_until(Some(ends))?;
        if *self.current()? == Token::End {
            self.ends.push(ends);
            return self.fail_end(None);
        }
        let end = self.expect_name()?;
        Ok((body, end))
    }

    fn only_body(&mut self, ends: &'static [&'static str]) -> Res<Vec<Node>> {
        self.body(ends).map(|(body, _)| body)
    }

    /// The error that lists the possible tags.
    fn fail_end<T>(&self, found: Option<&str>) -> Res<T> {
        let mut text = match found {
            None => "Unexpected end of template.".to_owned(),
            Some(name) => {
                format!("Encountered unknown tag {}.", crate::value::string_repr(name))
            }
        };
        if let Some(last) = self.ends.last() {
            let wanted: Vec<String> = last.iter().map(|end| format!("'{end}'")).collect();
            let wanted = wanted.join(" or ");
            let is_expected =
                found.is_some_and(|name| self.ends.iter().any(|ends| ends.contains(&name)));
            text += &if is_expected {
                format!(
                    " You probably made a nesting mistake. Jinja is expecting this tag, but \
                     currently looking for {wanted}."
                )
            } else {
                format!(" Jinja was looking for the following tags: {wanted}.")
            };
        }
        if let Some(tag) = self.tags.last() {
            text += &format!(
                " The innermost block that needs to be closed is {}.",
                crate::value::string_repr(tag)
            );
        }
        self.fail(text)
    }

    fn statement(&mut self) -> Res<Vec<Node>> {
        let Token::Name(tag) = self.current()?.clone() else {
            return self.fail("tag name expected");
        };
        self.tags.push(tag.clone());
        let node = match tag.as_str() {
            "for" => self.for_loop()?,
            "if" => self.condition()?,
            "block" => self.block()?,
            "extends" => {
                self.next()?;
                Node::Extends(self.expression(true)?)
            }
            "print" => self.print()?,
            "macro" => self.macro_definition()?,
            "include" => self.include()?,
            "from" => self.import_names()?,
            "import" => self.import()?,
            "set" => self.set()?,
            "with" => self.with()?,
            "autoescape" => self.autoescape()?,
            "call" => self.call_block()?,
            "filter" => self.filter_block()?,
            _ => {
                self.tags.pop();
                return self.fail_end(Some(&tag));
            }
        };
        self.tags.pop();
        Ok(vec![node])
    }

    fn for_loop(&mut self) -> Res<Node> {
        self.next()?;
        let target = self.target(&["in"], false)?;
        self.expect_keyword("in")?;
        let items = self.tuple(false, &["recursive"], false)?;
        let test = if self.skip_name("if")? { Some(self.expression(true)?) } else { None };
        let is_recursive = self.skip_name("recursive")?;
        let (body, end) = self.body(&["endfor", "else"])?;
        let otherwise = if end == "endfor" { Vec::new() } else { self.only_body(&["endfor"])? };
        Ok(Node::For(std::rc::Rc::new(For {
            target,
            items,
            test,
            test_symbols: Symbols::default(),
            body,
            symbols: Symbols::default(),
            otherwise,
            else_symbols: Symbols::default(),
            is_recursive,
            is_extended: false,
            escape: self.escape,
        })))
    }

    fn condition(&mut self) -> Res<Node> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            self.next()?;
            let test = self.tuple(false, &[], false)?;
            self.skip_operator(":")?;
            self.expect_block_end()?;
            const ENDS: &[&str] = &["elif", "else", "endif"];
            let body = self.statements_until(Some(ENDS))?;
            if *self.current()? == Token::End {
                self.ends.push(ENDS);
                return self.fail_end(None);
            }
            branches.push((test, body));
            if self.is_name("elif") {
                continue;
            }
            if self.expect_name()? == "else" {
                otherwise = self.only_body(&["endif"])?;
            }
            return Ok(Node::If { branches, otherwise });
        }
    }

    fn with(&mut self) -> Res<Node> {
        self.next()?;
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        while *self.current()? != Token::BlockEnd {
            if !targets.is_empty() {
                self.expect_operator(",")?;
            }
            targets.push(self.target(&[], false)?);
            self.expect_operator("=")?;
            values.push(self.expression(true)?);
        }
        let body = self.only_body(&["endwith"])?;
        Ok(Node::With { targets, values, body, symbols: Symbols::default() })
    }

    fn autoescape(&mut self) -> Res<Node> {
        self.next()?;
        let value = self.expression(true)?;
        let inner = match &value {
            Expr::Const(Literal::Bool(true)) => Escape::Always,
            Expr::Const(Literal::Bool(false) | Literal::None) => Escape::Never,
            _ => Escape::Dynamic,
        };
        let outer = std::mem::replace(&mut self.escape, inner);
        let body = self.only_body(&["endautoescape"])?;
        self.escape = outer;
        Ok(Node::Autoescape { value, body, symbols: Symbols::default() })
    }

    fn block(&mut self) -> Res<Node> {
        self.next()?;
        let name = self.expect_name()?;
        let is_scoped = self.skip_name("scoped")?;
        let is_required = self.skip_name("required")?;
        if self.is_operator("-") {
            return self.fail(
                "Block names in Jinja have to be valid Python identifiers and may not contain \
                 hyphens, use an underscore instead.",
            );
        }
        // Derived templates render the block, too, so the autoescape mode around it does not apply.
        let outer = std::mem::replace(&mut self.escape, Escape::Never);
        let (body, _) = self.body(&["endblock"])?;
        self.escape = outer;
        let is_blank = |node: &Node| {
            let blank = ordain_functions::text::is_python_space;
            matches!(node, Node::Data(text) if text.chars().all(blank))
        };
        if is_required && !body.iter().all(is_blank) {
            return self.fail("Required blocks can only contain comments or whitespace");
        }
        self.skip_name(&name)?;
        self.blocks.push(BlockSource { name: name.clone(), body });
        Ok(Node::Block { name, is_scoped, is_required })
    }

    fn print(&mut self) -> Res<Node> {
        self.next()?;
        let mut values = Vec::new();
        while *self.current()? != Token::BlockEnd {
            if !values.is_empty() {
                self.expect_operator(",")?;
            }
            values.push(self.expression(true)?);
        }
        Ok(Node::Output(values, self.escape))
    }

    /// Parses `with context` or `without context`.
    fn import_context(&mut self) -> Res<Option<bool>> {
        let is_with = self.is_name("with");
        if !is_with && !self.is_name("without") {
            return Ok(None);
        }
        if !matches!(self.look()?, Token::Name(name) if name == "context") {
            return Ok(None);
        }
        self.next()?;
        self.next()?;
        Ok(Some(is_with))
    }

    fn include(&mut self) -> Res<Node> {
        self.next()?;
        let template = self.expression(true)?;
        let mut ignore_missing = false;
        if self.is_name("ignore") && matches!(self.look()?, Token::Name(name) if name == "missing")
        {
            self.next()?;
            self.next()?;
            ignore_missing = true;
        }
        let with_context = self.import_context()?.unwrap_or(true);
        Ok(Node::Include { template, ignore_missing, with_context })
    }

    fn import(&mut self) -> Res<Node> {
        self.next()?;
        let template = self.expression(true)?;
        self.expect_keyword("as")?;
        let target = self.target_name()?;
        let with_context = self.import_context()?.unwrap_or(false);
        Ok(Node::Import { template, target, with_context })
    }

    fn import_names(&mut self) -> Res<Node> {
        let place = self.place(self.line());
        self.next()?;
        let template = self.expression(true)?;
        self.expect_keyword("import")?;
        let mut names = Vec::new();
        let mut with_context;
        loop {
            if !names.is_empty() {
                self.expect_operator(",")?;
            }
            if !matches!(self.current()?, Token::Name(_)) {
                self.expect_name()?;
            }
            with_context = self.import_context()?;
            if with_context.is_some() {
                break;
            }
            let name = self.target_name()?;
            if name.starts_with('_') {
                let text = "names starting with an underline can not be imported";
                return Err(Fault::Raised(Exception::TemplateAssertion, text.into()));
            }
            let alias = if self.skip_name("as")? { self.target_name()? } else { name.clone() };
            names.push((name, alias));
            with_context = self.import_context()?;
            if with_context.is_some() || !self.is_operator(",") {
                break;
            }
        }
        let with_context = with_context.unwrap_or(false);
        Ok(Node::FromImport { template, names, with_context, place })
    }

    fn set(&mut self) -> Res<Node> {
        self.next()?;
        let target = self.target(&[], true)?;
        if self.skip_operator("=")? {
            let value = self.tuple(true, &[], false)?;
            return Ok(Node::Assign { target, value });
        }
        let filters = self.filters(None, false)?;
        let body = self.only_body(&["endset"])?;
        let symbols = Symbols::default();
        Ok(Node::AssignBlock { target, filters, body, symbols, escape: self.escape })
    }

    fn signature(&mut self) -> Res<(Vec<EcoString>, Vec<Expr>)> {
        let (mut arguments, mut defaults) = (Vec::new(), Vec::new());
        self.expect_operator("(")?;
        while !self.is_operator(")") {
            if !arguments.is_empty() {
                self.expect_operator(",")?;
            }
            arguments.push(self.target_name()?);
            if self.skip_operator("=")? {
                defaults.push(self.expression(true)?);
            } else if !defaults.is_empty() {
                return self.fail("non-default argument follows default argument");
            }
        }
        self.expect_operator(")")?;
        Ok((arguments, defaults))
    }

    fn callable(
        &mut self,
        name: Option<EcoString>,
        signature: (Vec<EcoString>, Vec<Expr>),
        body: Vec<Node>,
    ) -> Macro {
        Macro {
            name,
            arguments: signature.0,
            defaults: signature.1,
            body,
            symbols: Symbols::default(),
            uses_caller: false,
            has_explicit_caller: false,
            uses_kwargs: false,
            uses_varargs: false,
        }
    }

    fn macro_definition(&mut self) -> Res<Node> {
        self.next()?;
        let name = self.target_name()?;
        let signature = self.signature()?;
        let body = self.only_body(&["endmacro"])?;
        Ok(Node::Macro(self.callable(Some(name), signature, body).into()))
    }

    fn call_block(&mut self) -> Res<Node> {
        self.next()?;
        let signature =
            if self.is_operator("(") { self.signature()? } else { (Vec::new(), Vec::new()) };
        let Expr::Call(call) = self.expression(true)? else { return self.fail("expected call") };
        let body = self.only_body(&["endcall"])?;
        let body = self.callable(None, signature, body).into();
        Ok(Node::CallBlock { call: *call, body })
    }

    fn filter_block(&mut self) -> Res<Node> {
        self.next()?;
        let Some(filters) = self.filters(None, true)? else { return self.unexpected("name") };
        let body = self.only_body(&["endfilter"])?;
        let symbols = Symbols::default();
        Ok(Node::FilterBlock { filters, body, symbols, escape: self.escape })
    }

    /// Parses the name of an assignment target.
    fn target_name(&mut self) -> Res<EcoString> {
        let name = self.expect_name()?;
        if matches!(name.as_str(), "true" | "false" | "none" | "True" | "False" | "None") {
            return self.fail("can't assign to 'name'");
        }
        Ok(name)
    }

    /// Parses the target of an assignment: a name, several names, or an attribute of a namespace.
    fn target(&mut self, ends: &[&str], with_namespace: bool) -> Res<Target> {
        let found = self.simple_tuple(ends, with_namespace)?;
        match target_of(&found) {
            Some(target) => Ok(target),
            None => self.fail(format!("can't assign to '{}'", node_name(&found))),
        }
    }
}

fn target_of(expr: &Expr) -> Option<Target> {
    Some(match expr {
        Expr::Name(name) => Target::Name(name.clone()),
        Expr::NamespaceItem(name, attribute) => Target::Attribute(name.clone(), attribute.clone()),
        Expr::Tuple(items) => {
            Target::Tuple(items.iter().map(target_of).collect::<Option<Vec<_>>>()?)
        }
        _ => return None,
    })
}

/// Jinja's name of a node.
fn node_name(expr: &Expr) -> &'static str {
    use super::ast::Binary;
    match expr {
        Expr::Name(_) => "name",
        Expr::NamespaceItem(..) => "nsref",
        Expr::Const(_) => "const",
        Expr::List(_) => "list",
        Expr::Tuple(_) => "tuple",
        Expr::Dict(_) => "dict",
        Expr::Attribute(..) => "getattr",
        Expr::Item(..) => "getitem",
        Expr::Slice(..) => "slice",
        Expr::Call(_) => "call",
        Expr::Filter(_) => "filter",
        Expr::Test(_) => "test",
        Expr::Not(_) => "not",
        Expr::Negative(_) => "neg",
        Expr::Positive(_) => "pos",
        Expr::And(..) => "and",
        Expr::Or(..) => "or",
        Expr::Binary(Binary::Add, ..) => "add",
        Expr::Binary(Binary::Subtract, ..) => "sub",
        Expr::Binary(Binary::Multiply, ..) => "mul",
        Expr::Binary(Binary::Divide, ..) => "div",
        Expr::Binary(Binary::FloorDivide, ..) => "floordiv",
        Expr::Binary(Binary::Modulo, ..) => "mod",
        Expr::Binary(Binary::Power, ..) => "pow",
        Expr::Compare(..) => "compare",
        Expr::Concat(..) => "concat",
        Expr::Conditional { .. } => "condexpr",
    }
}
