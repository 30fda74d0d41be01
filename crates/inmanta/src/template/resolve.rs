//! Resolves the scopes of names, and finds errors before a template is rendered.
//!
//! As in Jinja, all names of a scope get initial values when it is entered. Names that the scope
//! assigns have no value, or the value from the outer scope; names that it only reads are looked up
//! in the context.

use std::collections::HashSet;
use std::rc::Rc;

use ecow::EcoString;

use super::ast::{
    ArgumentNodes, Block, Expr, For, Load, Macro, Node, Symbol, Symbols, Target, Template,
};
use super::fault::{Fault, Res};
use super::parser::BlockSource;
use super::walk;
use crate::diagnostics::Exception;

/// The existing filters and tests.
pub(super) struct KnownNames<'a> {
    pub(super) filter: &'a dyn Fn(&str) -> bool,
    pub(super) test: &'a dyn Fn(&str) -> bool,
}

/// Resolves the names of a template.
///
/// # Errors
/// If every rendering would fail, for example at a missing filter.
pub(super) fn template(
    mut body: Vec<Node>,
    blocks: Vec<BlockSource>,
    known: &KnownNames<'_>,
) -> Res<Template> {
    let mut seen = HashSet::new();
    for block in &blocks {
        if !seen.insert(&block.name) {
            let name = crate::value::string_repr(&block.name);
            return Err(Fault::Raised(
                Exception::TemplateAssertion,
                format!("block {name} defined twice"),
            ));
        }
    }
    let mut resolver = Resolver { known, has_parent: false };
    let uses_self = walk::undeclared(&body, &["self"]).contains(&"self");
    let mut frame = Frame::new(None);
    if uses_self {
        frame.parameter("self");
    }
    frame.nodes(&body);
    let place = StatementContext { is_top: true, is_root: true, is_soft: false };
    resolver.nodes(&mut body, &frame, place)?;
    let mut template = Template {
        symbols: frame.symbols(),
        has_extends: walk::has_extends(&body),
        body,
        blocks: Default::default(),
        uses_self,
    };
    for source in blocks {
        let block = resolver.block(source)?;
        template.blocks.insert(block.name.clone(), Rc::new(block));
    }
    Ok(template)
}

/// The surroundings of a statement.
#[derive(Clone, Copy)]
struct StatementContext {
    is_top: bool,
    is_root: bool,
    /// Whether missing filters are allowed, since a condition may guard them.
    is_soft: bool,
}

impl StatementContext {
    const INNER: Self = Self { is_top: false, is_root: false, is_soft: false };

    fn soft(self) -> Self {
        Self { is_root: false, is_soft: true, ..self }
    }
}

/// The names of a scope that are collected so far.
struct Frame<'p> {
    own: Vec<Symbol>,
    parent: Option<&'p Frame<'p>>,
}

impl<'p> Frame<'p> {
    fn new(parent: Option<&'p Frame<'p>>) -> Self {
        Self { own: Vec::new(), parent }
    }

    fn symbols(&self) -> Symbols {
        Symbols { all: Rc::new(self.own.clone()) }
    }

    fn own(&mut self, name: &str) -> Option<&mut Symbol> {
        self.own.iter_mut().find(|symbol| symbol.name == name)
    }

    fn has(&self, name: &str) -> bool {
        self.own.iter().any(|symbol| symbol.name == name) || self.is_outside(name)
    }

    fn is_outside(&self, name: &str) -> bool {
        self.parent.is_some_and(|parent| parent.has(name))
    }

    fn parameter(&mut self, name: &str) {
        match self.own(name) {
            Some(symbol) => {
                symbol.load = Load::Parameter;
                symbol.is_stored = true;
            }
            None => self.define(name, Load::Parameter, true),
        }
    }

    fn define(&mut self, name: &str, load: Load, is_stored: bool) {
        self.own.push(Symbol { name: name.into(), load, is_stored });
    }

    fn store(&mut self, name: &str) {
        let load = if self.is_outside(name) { Load::Alias } else { Load::Undefined };
        match self.own(name) {
            Some(symbol) => symbol.is_stored = true,
            None => self.define(name, load, true),
        }
    }

    fn load(&mut self, name: &str) {
        if !self.has(name) {
            self.define(name, Load::Resolve, false);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        walk::loaded(expr, &mut |name| self.load(name));
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Name(name) => self.store(name),
            Target::Attribute(name, _) => self.load(name),
            Target::Tuple(items) => items.iter().for_each(|item| self.target(item)),
        }
    }

    fn parameters(&mut self, target: &Target) {
        match target {
            Target::Name(name) => self.parameter(name),
            Target::Attribute(name, _) => self.load(name),
            Target::Tuple(items) => items.iter().for_each(|item| self.parameters(item)),
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    /// Collects the names of a statement in this scope.
    fn node(&mut self, node: &Node) {
        match node {
            Node::Data(_) | Node::Block { .. } | Node::Autoescape { .. } => {}
            Node::Output(values, _) => values.iter().for_each(|value| self.expr(value)),
            Node::For(found) => self.expr(&found.items),
            Node::If { branches, otherwise } => self.condition(branches, otherwise),
            Node::Macro(found) => found.name.iter().for_each(|name| self.store(name)),
            Node::CallBlock { call, .. } => {
                self.expr(&call.callee);
                walk::arguments(&call.arguments, &mut |value| self.expr(value));
            }
            Node::FilterBlock { filters, .. } => self.expr(filters),
            Node::With { values, .. } => values.iter().for_each(|value| self.expr(value)),
            Node::Extends(value) => self.expr(value),
            Node::Include { template, .. } => self.expr(template),
            Node::Import { template, target, .. } => {
                self.expr(template);
                self.store(target);
            }
            Node::FromImport { template, names, .. } => {
                self.expr(template);
                names.iter().for_each(|(_, alias)| self.store(alias));
            }
            Node::Assign { target, value } => {
                self.expr(value);
                self.target(target);
            }
            Node::AssignBlock { target, .. } => self.target(target),
        }
    }

    fn condition(&mut self, branches: &[(Expr, Vec<Node>)], otherwise: &[Node]) {
        let Some(((test, body), others)) = branches.split_first() else { return };
        self.expr(test);
        let copy = |frame: &Self| Self { own: frame.own.clone(), parent: frame.parent };
        let mut first = copy(self);
        first.nodes(body);
        let mut second = copy(self);
        for other in others {
            second.condition(std::slice::from_ref(other), &[]);
        }
        let mut third = copy(self);
        third.nodes(otherwise);
        self.join([first, second, third]);
    }

    /// Merges the names of branches, of which only one runs.
    fn join(&mut self, branches: [Frame<'_>; 3]) {
        let mut stored: Vec<EcoString> = Vec::new();
        for branch in &branches {
            for symbol in branch.own.iter().filter(|symbol| symbol.is_stored) {
                let is_known = self.own.iter().any(|own| own.is_stored && own.name == symbol.name);
                if !is_known && !stored.contains(&symbol.name) {
                    stored.push(symbol.name.clone());
                }
            }
        }
        for symbol in branches.into_iter().flat_map(|branch| branch.own) {
            match self.own(&symbol.name) {
                Some(own) => {
                    own.load = symbol.load;
                    own.is_stored |= symbol.is_stored;
                }
                None => self.own.push(symbol),
            }
        }
        for name in stored {
            let load = if self.is_outside(&name) { Load::Alias } else { Load::Resolve };
            if let Some(own) = self.own(&name) {
                own.load = load;
            }
        }
    }
}

struct Resolver<'a> {
    known: &'a KnownNames<'a>,
    /// Whether the template certainly extends another one at this point.
    has_parent: bool,
}

fn assertion<T>(text: impl Into<String>) -> Res<T> {
    Err(Fault::Raised(Exception::TemplateAssertion, text.into()))
}

impl Resolver<'_> {
    fn block(&mut self, source: BlockSource) -> Res<Block> {
        let BlockSource { name, mut body } = source;
        let found = walk::undeclared(&body, &["self", "super"]);
        let (uses_self, uses_super) = (found.contains(&"self"), found.contains(&"super"));
        let mut frame = Frame::new(None);
        if uses_self {
            frame.parameter("self");
        }
        if uses_super {
            frame.parameter("super");
        }
        frame.nodes(&body);
        self.nodes(&mut body, &frame, StatementContext::INNER)?;
        let symbols = frame.symbols();
        Ok(Block { name, body, symbols, uses_self, uses_super })
    }

    fn nodes(&mut self, nodes: &mut [Node], frame: &Frame<'_>, place: StatementContext) -> Res<()> {
        nodes.iter_mut().try_for_each(|node| self.node(node, frame, place))
    }

    /// Resolves the body of a scope whose names are collected; returns its names.
    fn inner_scope(&mut self, body: &mut [Node], inner: Frame<'_>) -> Res<Symbols> {
        self.nodes(body, &inner, StatementContext::INNER)?;
        Ok(inner.symbols())
    }

    fn branches(
        &mut self,
        branches: &mut [(Expr, Vec<Node>)],
        otherwise: &mut [Node],
        frame: &Frame<'_>,
        place: StatementContext,
    ) -> Res<()> {
        for (test, body) in branches {
            self.expr(test, true)?;
            self.nodes(body, frame, place.soft())?;
        }
        self.nodes(otherwise, frame, place.soft())
    }

    fn node(&mut self, node: &mut Node, frame: &Frame<'_>, place: StatementContext) -> Res<()> {
        let soft = place.is_soft;
        match node {
            Node::Data(_) | Node::Block { .. } => Ok(()),
            Node::Output(values, _) => {
                // Output after `extends` is never written, so it is not checked.
                let is_skipped = self.has_parent && place.is_top;
                if is_skipped { Ok(()) } else { values.iter().try_for_each(|v| self.expr(v, soft)) }
            }
            Node::For(found) => self.for_loop(found, frame, place),
            Node::If { branches, otherwise } => self.branches(branches, otherwise, frame, place),
            Node::Macro(found) => self.callable(found, frame),
            Node::CallBlock { call, body, .. } => {
                self.callable(body, frame)?;
                self.expr(&call.callee, soft)?;
                self.arguments(&call.arguments, soft)
            }
            Node::FilterBlock { filters, body, symbols, .. } => {
                let mut inner = Frame::new(Some(frame));
                inner.nodes(body);
                inner.expr(filters);
                *symbols = self.inner_scope(body, inner)?;
                self.expr(filters, false)
            }
            Node::With { targets, values, body, symbols } => {
                let mut inner = Frame::new(Some(frame));
                targets.iter().for_each(|target| inner.parameters(target));
                inner.nodes(body);
                values.iter().try_for_each(|value| self.expr(value, soft))?;
                self.inner_scope(body, inner).map(|found| *symbols = found)
            }
            Node::Extends(_) if !place.is_top => {
                assertion("cannot use extend from a non top-level scope")
            }
            Node::Extends(value) => {
                self.has_parent |= place.is_root;
                self.expr(value, soft)
            }
            Node::Include { template, .. }
            | Node::Import { template, .. }
            | Node::FromImport { template, .. } => self.expr(template, soft),
            Node::Assign { value, .. } => self.expr(value, soft),
            Node::AssignBlock { body, filters, symbols, .. } => {
                let mut inner = Frame::new(Some(frame));
                inner.nodes(body);
                // The names in its filters belong to the block, too.
                filters.iter().for_each(|filters| inner.expr(filters));
                *symbols = self.inner_scope(body, inner)?;
                filters.iter().try_for_each(|filters| self.expr(filters, false))
            }
            Node::Autoescape { value, body, symbols } => {
                let mut inner = Frame::new(Some(frame));
                inner.expr(value);
                inner.nodes(body);
                self.expr(value, false)?;
                self.inner_scope(body, inner).map(|found| *symbols = found)
            }
        }
    }

    fn for_loop(
        &mut self,
        found: &mut Rc<For>,
        frame: &Frame<'_>,
        place: StatementContext,
    ) -> Res<()> {
        let Some(found) = Rc::get_mut(found) else { return Ok(()) };
        found.is_extended = found.is_recursive
            || walk::undeclared(&found.body, &["loop"]).contains(&"loop")
            || walk::has_scoped_block(&found.body);
        let mut inner = Frame::new(Some(frame));
        if found.is_extended {
            inner.parameter("loop");
        }
        inner.parameters(&found.target);
        inner.nodes(&found.body);
        let mut otherwise = Frame::new(Some(frame));
        otherwise.nodes(&found.otherwise);
        if let Some(test) = &found.test {
            let mut filter = Frame::new(Some(frame));
            filter.parameters(&found.target);
            filter.expr(test);
            found.test_symbols = filter.symbols();
            self.expr(test, false)?;
        }
        let has_loop = walk::stores(&found.target, "loop")
            || walk::any_target(&found.body, &|target| walk::stores(target, "loop"))
            || walk::any_target(&found.otherwise, &|target| walk::stores(target, "loop"));
        if has_loop {
            return assertion("Can't assign to special loop variable in for-loop target");
        }
        self.expr(&found.items, place.is_soft)?;
        self.nodes(&mut found.body, &inner, StatementContext::INNER)?;
        self.nodes(&mut found.otherwise, &otherwise, StatementContext::INNER)?;
        found.symbols = inner.symbols();
        found.else_symbols = otherwise.symbols();
        Ok(())
    }

    fn callable(&mut self, found: &mut Rc<Macro>, frame: &Frame<'_>) -> Res<()> {
        let Some(found) = Rc::get_mut(found) else { return Ok(()) };
        let undeclared = walk::undeclared(&found.body, &["caller", "kwargs", "varargs"]);
        let is_argument = |name: &str| found.arguments.iter().any(|own| own == name);
        found.has_explicit_caller = is_argument("caller");
        found.uses_caller = undeclared.contains(&"caller");
        if found.uses_caller && found.has_explicit_caller {
            let index = found.arguments.iter().position(|own| own == "caller").unwrap_or(0);
            if found.arguments.len() - index > found.defaults.len() {
                return assertion(
                    "When defining macros or call blocks the special \"caller\" argument must be \
                     omitted or be given a default.",
                );
            }
        }
        found.uses_kwargs = undeclared.contains(&"kwargs") && !is_argument("kwargs");
        found.uses_varargs = undeclared.contains(&"varargs") && !is_argument("varargs");
        let mut inner = Frame::new(Some(frame));
        for (name, is_used) in [
            ("caller", found.uses_caller && !found.has_explicit_caller),
            ("kwargs", found.uses_kwargs),
            ("varargs", found.uses_varargs),
        ] {
            if is_used {
                inner.parameter(name);
            }
        }
        found.arguments.iter().for_each(|name| inner.parameter(name));
        found.defaults.iter().for_each(|value| inner.expr(value));
        inner.nodes(&found.body);
        found.defaults.iter().try_for_each(|value| self.expr(value, false))?;
        self.nodes(&mut found.body, &inner, StatementContext::INNER)?;
        found.symbols = inner.symbols();
        Ok(())
    }

    fn arguments(&self, arguments: &ArgumentNodes, is_soft: bool) -> Res<()> {
        let mut result = Ok(());
        walk::arguments(arguments, &mut |value| {
            if result.is_ok() {
                result = self.expr(value, is_soft);
            }
        });
        result
    }

    /// Checks that filters and tests exist, unless a condition guards them.
    fn expr(&self, expr: &Expr, is_soft: bool) -> Res<()> {
        let is_soft = is_soft || matches!(expr, Expr::Conditional { .. });
        if let Expr::Filter(found) | Expr::Test(found) = expr {
            let is_filter = matches!(expr, Expr::Filter(_));
            let is_known = if is_filter {
                (self.known.filter)(&found.name)
            } else {
                (self.known.test)(&found.name)
            };
            if !is_known && !is_soft {
                let kind = if is_filter { "filter" } else { "test" };
                let name = crate::value::string_repr(&found.name);
                return assertion(format!("No {kind} named {name}."));
            }
        }
        let mut result = Ok(());
        walk::children(expr, &mut |child| {
            if result.is_ok() {
                result = self.expr(child, is_soft);
            }
        });
        result
    }
}
