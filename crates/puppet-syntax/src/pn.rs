//! The S-expression form of the tree, as the reference implementation dumps it
//! (`puppet parser dump --format pn`; upstream specification `models/pn.md`).
//!
//! ```
//! use ordain_puppet_syntax::{parse, pn};
//! use ordain_source::FileId;
//!
//! let parsed = parse(FileId(0), "$a = 1 + 2");
//! assert_eq!(pn::print(&parsed.program), r#"(= (var "a") (+ 1 2))"#);
//! ```

use std::borrow::Cow;
use std::fmt::Write;

use ordain_functions::float::to_ruby;
use ordain_syntax::ListRef;

use crate::ast::*;
use crate::regexp::is_encoded;

/// A pending part of the output; the last is next.
enum Work {
    Text(&'static str),
    Expr(ExprId),
    Quoted(String),
    Param(usize, ListRef<Param>),
    Attribute(usize, ListRef<Attribute>),
    Body(usize, ListRef<ResourceBody>),
    Option(usize, ListRef<CaseOption>),
    Entry(ExprId, ExprId),
    Statement(usize, ListRef<TypeStatement>),
    Setting(usize, ListRef<Setting>),
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    work: Vec<Work>,
}

/// The program as one line of PN.
pub fn print(program: &Program) -> String {
    print_from(program, program.body)
}

/// An expression of a program as one line of PN.
pub fn print_from(program: &Program, id: ExprId) -> String {
    let mut printer = Printer { program, out: String::new(), work: vec![Work::Expr(id)] };
    while let Some(work) = printer.work.pop() {
        let mark = printer.work.len();
        printer.step(work);
        printer.work[mark..].reverse();
    }
    printer.out
}

impl Printer<'_> {
    /// Prints the beginning of a part, and puts the rest on the work list in order.
    fn step(&mut self, work: Work) {
        match work {
            Work::Text(text) => self.out.push_str(text),
            Work::Quoted(text) => self.quote(&text),
            Work::Expr(id) => self.expr(id),
            Work::Param(i, list) => self.param(i, list),
            Work::Attribute(i, list) => self.attribute(i, list),
            Work::Body(i, list) => self.body(i, list),
            Work::Option(i, list) => self.case_option(i, list),
            Work::Statement(i, list) => self.type_statement(i, list),
            Work::Setting(i, list) => self.setting(i, list),
            Work::Entry(key, value) => {
                self.call("=>");
                self.items([key, value]);
                self.text(")");
            }
        }
    }

    fn text(&mut self, text: &'static str) {
        self.work.push(Work::Text(text));
    }

    /// `(name`, at once.
    fn call(&mut self, name: &str) {
        self.out.push('(');
        self.out.push_str(name);
    }

    /// A blank and an expression, for each.
    fn items(&mut self, ids: impl IntoIterator<Item = ExprId>) {
        for id in ids {
            self.text(" ");
            self.work.push(Work::Expr(id));
        }
    }

    fn quote(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                c if c < ' ' => {
                    let _written = write!(self.out, "\\o{:03o}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    /// `(name "text")`, at once.
    fn tagged(&mut self, name: &str, text: &str) {
        self.call(name);
        self.out.push(' ');
        self.quote(text);
        self.out.push(')');
    }

    fn node(&mut self, name: &str, ids: &[ExprId]) {
        self.call(name);
        self.items(ids.iter().copied());
        self.text(")");
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        match &program[id] {
            Expr::Error => self.out.push_str("(error)"),
            Expr::Nop => self.out.push_str("(nop)"),
            Expr::Undef => self.out.push_str("nil"),
            Expr::Default => self.out.push_str("(default)"),
            Expr::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Expr::Int { value, radix } => self.int(id, *value, *radix),
            Expr::Float(value) => self.out.push_str(&to_ruby(*value)),
            Expr::Str(text) => self.quote(text),
            Expr::Name(name) => self.tagged("qn", name),
            Expr::Ref(name) => self.tagged("qr", name),
            Expr::Reserved(word) => self.tagged("reserved", word),
            Expr::Regex(text) => self.tagged("regexp", &regex(text)),
            Expr::Var(name) => self.tagged("var", name),
            Expr::RenderText(text) => self.tagged("render-s", text),
            Expr::Concat(list) => self.node("concat", program.list(*list)),
            Expr::Text(inner) => self.node("str", &[*inner]),
            Expr::List(list) => self.node("array", program.list(*list)),
            Expr::Access(list) => self.node("access", program.list(*list)),
            Expr::Block(list) => self.node("block", program.list(*list)),
            Expr::Hash(list) => self.hash(*list),
            Expr::Heredoc { syntax, text } => self.heredoc(syntax, *text),
            Expr::Binary { op, left, right } => self.node(op.sign(), &[*left, *right]),
            Expr::And(left, right) => self.node("and", &[*left, *right]),
            Expr::Or(left, right) => self.node("or", &[*left, *right]),
            Expr::Dot(left, right) => self.node(".", &[*left, *right]),
            Expr::Not(inner) => self.node("!", &[*inner]),
            Expr::Minus(inner) => self.minus(*inner),
            Expr::Splat(inner) => self.node("unfold", &[*inner]),
            Expr::Paren(inner) => self.node("paren", &[*inner]),
            Expr::Render(inner) => self.node("render", &[*inner]),
            Expr::Assign { op, left, right } => self.node(op.sign(), &[*left, *right]),
            Expr::Relation { arrow, left, right } => {
                self.node(arrow.sign(), &[*left, *right]);
            }
            Expr::If(test, then, other) => self.condition("if", *test, *then, *other),
            Expr::Unless(test, then, other) => self.condition("unless", *test, *then, *other),
            other => self.large(other),
        }
    }

    fn large(&mut self, expr: &Expr) {
        match *expr {
            Expr::Case(test, options) => {
                self.call("case");
                self.items([test]);
                self.text(" [");
                self.options(options);
                self.text("])");
            }
            Expr::Selector(left, options) => self.selector(left, options),
            Expr::Call(call) => self.call_expression(self.program.call(call)),
            Expr::Lambda(lambda) => {
                let Lambda { params, returns, body } = self.program.lambda(lambda).clone();
                self.lambda(params, returns, body);
            }
            Expr::Invariant { title, body } => self.node("invariant", &[title, body]),
            Expr::Epp { params, body, .. } => self.epp(params, body),
            Expr::Resource { form, kind, bodies } => self.resource(form, kind, bodies),
            Expr::ResourceDefaults { form, kind, attributes } => {
                self.out.push_str("(resource-defaults {:type ");
                self.operations(form, kind, attributes);
            }
            Expr::ResourceOverride { form, resources, attributes } => {
                self.out.push_str("(resource-override {:resources ");
                self.operations(form, resources, attributes);
            }
            Expr::Collect { exported, kind, query, attributes } => {
                self.collect(exported, kind, query, attributes);
            }
            Expr::Definition(id) => self.definition(self.program.definition(id)),
            _ => {}
        }
    }

    fn int(&mut self, id: ExprId, value: i64, radix: u8) {
        let _written = match radix {
            10 => write!(self.out, "{value}"),
            0 => self.big_int(id),
            _ => write!(self.out, "(int {{:radix {radix} :value {value}}})"),
        };
    }

    /// An integer out of range.
    fn big_int(&mut self, id: ExprId) -> std::fmt::Result {
        let text = self.program.text(self.program.range(id));
        let value = big_integer(text);
        match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => write!(self.out, "(int {{:radix 16 :value {value}}})"),
            [b'0', ..] => write!(self.out, "(int {{:radix 8 :value {value}}})"),
            _ => write!(self.out, "{value}"),
        }
    }

    /// A number's sign becomes part of it.
    fn minus(&mut self, inner: ExprId) {
        match self.program[inner] {
            Expr::Int { value, radix: 1.. } => {
                let _written = write!(self.out, "{}", -value);
            }
            Expr::Float(value) => self.out.push_str(&to_ruby(-value)),
            Expr::Int { .. } => {
                let text = self.program.text(self.program.range(inner));
                let _written = write!(self.out, "-{}", big_integer(text));
            }
            _ => self.node("-", &[inner]),
        }
    }

    fn hash(&mut self, list: ExprList) {
        self.call("hash");
        for pair in self.program.list(list).chunks_exact(2) {
            self.text(" ");
            self.work.push(Work::Entry(pair[0], pair[1]));
        }
        self.text(")");
    }

    fn heredoc(&mut self, syntax: &str, text: ExprId) {
        self.out.push_str("(heredoc {");
        if !syntax.is_empty() {
            self.out.push_str(":syntax ");
            self.quote(syntax);
            self.out.push(' ');
        }
        self.out.push_str(":text ");
        self.work.push(Work::Expr(text));
        self.text("})");
    }

    fn is_nop(&self, id: ExprId) -> bool {
        matches!(self.program[id], Expr::Nop)
    }

    /// `[ statements ]` of a block, or of one expression.
    fn statements(&mut self, id: ExprId) {
        match self.program[id] {
            Expr::Block(list) => self.bracketed(list),
            _ => {
                self.text("[");
                self.work.push(Work::Expr(id));
                self.text("]");
            }
        }
    }

    fn bracketed(&mut self, list: ExprList) {
        self.text("[");
        self.separated(self.program.list(list));
        self.text("]");
    }

    fn separated(&mut self, ids: &[ExprId]) {
        for (i, &id) in ids.iter().enumerate() {
            if i > 0 {
                self.text(" ");
            }
            self.work.push(Work::Expr(id));
        }
    }

    fn condition(&mut self, name: &str, test: ExprId, then: ExprId, other: ExprId) {
        self.call(name);
        self.text(" {:test ");
        self.work.push(Work::Expr(test));
        for (key, branch) in [(" :then ", then), (" :else ", other)] {
            if !self.is_nop(branch) {
                self.text(key);
                self.statements(branch);
            }
        }
        self.text("})");
    }

    fn options(&mut self, options: ListRef<CaseOption>) {
        for i in 0..options.len() {
            if i > 0 {
                self.text(" ");
            }
            self.work.push(Work::Option(i, options));
        }
    }

    fn case_option(&mut self, i: usize, options: ListRef<CaseOption>) {
        let CaseOption { values, then, .. } = self.program.options(options)[i];
        self.out.push_str("{:when ");
        self.bracketed(values);
        self.text(" :then ");
        self.statements(then);
        self.text("}");
    }

    fn selector(&mut self, left: ExprId, options: ListRef<CaseOption>) {
        self.call("?");
        self.items([left]);
        self.text(" [");
        for (i, option) in self.program.options(options).iter().enumerate() {
            if i > 0 {
                self.text(" ");
            }
            if let Some(&value) = self.program.list(option.values).first() {
                self.work.push(Work::Entry(value, option.then));
            }
        }
        self.text("])");
    }

    fn call_expression(&mut self, call: &Call) {
        self.out.push('(');
        self.out.push_str(if call.rvalue { "call" } else { "invoke" });
        let args = self.program.list(call.args);
        match (call.form, args.split_first()) {
            (CallForm::Method, Some((&receiver, rest))) => {
                self.out.push_str("-method {:functor (.");
                self.items([receiver, call.callee]);
                self.text(") :args [");
                self.separated(rest);
            }
            _ => {
                self.out.push_str(" {:functor ");
                self.work.push(Work::Expr(call.callee));
                self.text(" :args [");
                self.separated(args);
            }
        }
        self.text("]");
        if let Some(lambda) = call.lambda {
            self.text(" :block ");
            self.work.push(Work::Expr(lambda));
        }
        self.text("})");
    }

    fn lambda(&mut self, params: ListRef<Param>, returns: Option<ExprId>, body: ExprId) {
        self.call("lambda");
        self.text(" {");
        let mut gap = "";
        if !params.is_empty() {
            self.params(params);
            gap = " ";
        }
        if let Some(returns) = returns {
            self.text(gap);
            self.text(":returns ");
            self.work.push(Work::Expr(returns));
            gap = " ";
        }
        if !self.is_nop(body) {
            self.text(gap);
            self.text(":body ");
            self.statements(body);
        }
        self.text("})");
    }

    fn epp(&mut self, params: ListRef<Param>, body: ExprId) {
        self.call("lambda");
        self.text(" {");
        if !params.is_empty() {
            self.params(params);
            self.text(" ");
        }
        self.text(":body [(epp");
        if !self.is_nop(body) {
            self.items([body]);
        }
        self.text(")]})");
    }

    /// `:params {…}`
    fn params(&mut self, params: ListRef<Param>) {
        self.text(":params {");
        for i in 0..params.len() {
            if i > 0 {
                self.text(" ");
            }
            self.work.push(Work::Param(i, params));
        }
        self.text("}");
    }

    fn param(&mut self, i: usize, params: ListRef<Param>) {
        let param = &self.program.params(params)[i];
        let _written = write!(self.out, ":{} {{", param.name);
        let mut gap = "";
        if let Some(kind) = param.kind {
            self.text(":type ");
            self.work.push(Work::Expr(kind));
            gap = " ";
        }
        if param.captures_rest {
            self.text(gap);
            self.text(":splat true");
            gap = " ";
        }
        if let Some(default) = param.default {
            self.text(gap);
            self.text(":value ");
            self.work.push(Work::Expr(default));
        }
        self.text("}");
    }

    /// `[ attributes ]`
    fn attributes(&mut self, list: ListRef<Attribute>) {
        self.text("[");
        for i in 0..list.len() {
            if i > 0 {
                self.text(" ");
            }
            self.work.push(Work::Attribute(i, list));
        }
        self.text("]");
    }

    fn attribute(&mut self, i: usize, list: ListRef<Attribute>) {
        let Attribute { op, ref name, value, .. } = self.program.attributes(list)[i];
        match op {
            AttributeOp::Set => self.tagged_open("=>", name),
            AttributeOp::Append => self.tagged_open("+>", name),
            AttributeOp::Splat => self.call("splat-hash"),
        }
        self.items([value]);
        self.text(")");
    }

    fn tagged_open(&mut self, name: &str, text: &str) {
        self.call(name);
        self.out.push(' ');
        self.quote(text);
    }

    fn body(&mut self, i: usize, list: ListRef<ResourceBody>) {
        let ResourceBody { title, attributes, .. } = self.program.bodies(list)[i];
        self.out.push_str("{:title ");
        self.work.push(Work::Expr(title));
        self.text(" :ops ");
        self.attributes(attributes);
        self.text("}");
    }

    fn form(&mut self, form: ResourceForm) {
        match form {
            ResourceForm::Regular => {}
            ResourceForm::Virtual => self.text(" :form \"virtual\""),
            ResourceForm::Exported => self.text(" :form \"exported\""),
        }
    }

    fn resource(&mut self, form: ResourceForm, kind: ExprId, bodies: ListRef<ResourceBody>) {
        self.out.push_str("(resource {:type ");
        self.work.push(Work::Expr(kind));
        self.text(" :bodies [");
        for i in 0..bodies.len() {
            if i > 0 {
                self.text(" ");
            }
            self.work.push(Work::Body(i, bodies));
        }
        self.text("]");
        self.form(form);
        self.text("})");
    }

    fn operations(&mut self, form: ResourceForm, kind: ExprId, attributes: ListRef<Attribute>) {
        self.work.push(Work::Expr(kind));
        self.text(" :ops ");
        self.attributes(attributes);
        self.form(form);
        self.text("})");
    }

    fn collect(
        &mut self,
        exported: bool,
        kind: ExprId,
        query: ExprId,
        attributes: ListRef<Attribute>,
    ) {
        self.out.push_str("(collect {:type ");
        self.work.push(Work::Expr(kind));
        self.text(if exported { " :query (exported-query" } else { " :query (virtual-query" });
        if !self.is_nop(query) {
            self.items([query]);
        }
        self.text(")");
        if !attributes.is_empty() {
            self.text(" :ops ");
            self.attributes(attributes);
        }
        self.text("})");
    }

    fn definition(&mut self, definition: &Definition) {
        match definition {
            Definition::Class { name, params, parent, body } => {
                self.named("class", name, parent.as_deref(), *params, *body, None);
            }
            Definition::Define { name, params, body } => {
                self.named("define", name, None, *params, *body, None);
            }
            Definition::Function { name, params, returns, body, is_plan } => {
                let word = if *is_plan { "plan" } else { "function" };
                self.named(word, name, None, *params, *body, *returns);
            }
            Definition::Node { matches, parent, body } => {
                self.out.push_str("(node {:matches ");
                self.bracketed(*matches);
                if let Some(parent) = parent {
                    self.text(" :parent ");
                    self.work.push(Work::Expr(*parent));
                }
                if !self.is_nop(*body) {
                    self.text(" :body ");
                    self.statements(*body);
                }
                self.text("})");
            }
            Definition::TypeAlias { name, kind } => {
                self.tagged_open("type-alias", name);
                self.items([*kind]);
                self.text(")");
            }
            Definition::TypeMapping { kind, mapping } => {
                self.node("type-mapping", &[*kind, *mapping]);
            }
            Definition::TypeDefinition { name, parent, statements, .. } => {
                self.tagged_open("type-definition", name);
                self.text(" ");
                match parent {
                    Some(parent) => self.work.push(Work::Quoted(parent.to_string())),
                    None => self.text("nil"),
                }
                if statements.is_empty() {
                    self.text(" (nop)");
                }
                for i in 0..statements.len() {
                    self.text(" ");
                    self.work.push(Work::Statement(i, *statements));
                }
                self.text(")");
            }
        }
    }

    fn type_statement(&mut self, i: usize, list: ListRef<TypeStatement>) {
        match &self.program.type_statements(list)[i].kind {
            TypeStatementKind::Abstract => self.out.push_str("(abstract)"),
            TypeStatementKind::Function { name, lambda, .. } => {
                self.tagged_open("function", name);
                self.items([*lambda]);
                self.text(")");
            }
            TypeStatementKind::TitlePatterns { value, .. } => {
                self.call("title-patterns");
                self.items([*value]);
                self.text(")");
            }
            TypeStatementKind::Annotations { value, .. } => {
                self.call("annotations");
                self.items([*value]);
                self.text(")");
            }
            TypeStatementKind::Invariant { title, body, .. } => {
                self.call("invariant");
                self.items(title.iter().copied());
                self.items([*body]);
                self.text(")");
            }
            TypeStatementKind::Feature(feature) => {
                self.tagged_open(if feature.is_reference { "has" } else { "attr" }, &feature.name);
                self.items(feature.kind);
                for i in 0..feature.settings.len() {
                    self.text(" ");
                    self.work.push(Work::Setting(i, feature.settings));
                }
                self.text(")");
            }
        }
    }

    fn setting(&mut self, i: usize, list: ListRef<Setting>) {
        let setting = &self.program.settings(list)[i];
        self.tagged_open("=>", &setting.name);
        self.items([setting.value]);
        self.text(")");
    }

    fn named(
        &mut self,
        word: &str,
        name: &str,
        parent: Option<&str>,
        params: ListRef<Param>,
        body: ExprId,
        returns: Option<ExprId>,
    ) {
        self.call(word);
        self.out.push_str(" {:name ");
        self.quote(name);
        if let Some(parent) = parent {
            self.out.push_str(" :parent ");
            self.quote(parent);
        }
        if !params.is_empty() {
            self.text(" ");
            self.params(params);
        }
        if !self.is_nop(body) {
            self.text(" :body ");
            self.statements(body);
        }
        if let Some(returns) = returns {
            self.text(" :returns ");
            self.work.push(Work::Expr(returns));
        }
        self.text("})");
    }
}

/// The decimal digits of an integer literal out of range. A literal of more than 128 bits stays as
/// written, unless it is decimal.
pub fn big_integer(text: &str) -> String {
    let value = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => u128::from_str_radix(&text[2..], 16),
        [b'0', ..] => u128::from_str_radix(&text[1..], 8),
        _ => return text.to_owned(),
    };
    value.map_or_else(|_| text.to_owned(), |v| v.to_string())
}

/// The source of a regular expression. Upstream shows the options of an expression that forces its
/// encoding.
fn regex(text: &str) -> Cow<'_, str> {
    if is_encoded(text) { format!("(?-imx:{text})").into() } else { text.into() }
}
