//! Runs the statements of a template.

use std::cell::RefCell;
use std::rc::Rc;

use ecow::EcoString;

use super::ast::{Call, Escape, Expr, Macro, Node, Symbols, Target};
use super::fault::{Fault, Res};
use super::runtime::Runtime;
use super::value::{Context, Frame, LoadedTemplate, MacroValue, Object, Val};
use crate::diagnostics::Exception;

impl Runtime<'_> {
    /// Renders a template from its beginning.
    pub(super) fn root(
        &mut self,
        loaded: &LoadedTemplate,
        context: &Rc<Context>,
        out: &mut String,
    ) -> Res<()> {
        self.nested(|runtime| {
            let template = loaded.template.clone();
            let scope = runtime.enter(&template.symbols, None, context)?;
            if template.uses_self {
                runtime.put("self", Val::object(Object::Blocks(context.clone())), &scope);
            }
            let frame = Frame {
                scope,
                context: context.clone(),
                is_top: true,
                checks_output: template.has_extends,
                extends: Rc::default(),
            };
            runtime.nodes(&template.body, &frame, out)?;
            let extends = frame.extends.borrow().clone();
            match extends {
                Some(parent) => runtime.root(&parent, context, out),
                None => Ok(()),
            }
        })
    }

    /// Renders a block. Depth 0 is the override of the most derived template.
    pub(super) fn block(
        &mut self,
        name: &EcoString,
        depth: usize,
        context: &Rc<Context>,
        out: &mut String,
    ) -> Res<()> {
        let found = context.blocks.borrow().get(name).and_then(|all| all.get(depth)).cloned();
        let Some(block) = found else {
            return Err(Fault::Raised(Exception::KeyError, crate::value::string_repr(name)));
        };
        self.nested(|runtime| {
            let scope = runtime.enter(&block.symbols, None, context)?;
            if block.uses_self {
                runtime.put("self", Val::object(Object::Blocks(context.clone())), &scope);
            }
            if block.uses_super {
                let value = runtime.parent_block(name, depth + 1, context);
                runtime.put("super", value, &scope);
            }
            let frame = Frame {
                scope,
                context: context.clone(),
                is_top: false,
                checks_output: false,
                extends: Rc::default(),
            };
            runtime.nodes(&block.body, &frame, out)
        })
    }

    /// The block of this name in the template `depth` levels up.
    pub(super) fn parent_block(
        &self,
        name: &EcoString,
        depth: usize,
        context: &Rc<Context>,
    ) -> Val {
        let count = context.blocks.borrow().get(name).map_or(0, Vec::len);
        if depth >= count {
            let name = crate::value::string_repr(name);
            return Val::hinted(format!("there is no parent block called {name}."));
        }
        Val::object(Object::Block { name: name.clone(), context: context.clone(), depth })
    }

    pub(super) fn nodes(&mut self, nodes: &[Node], frame: &Frame, out: &mut String) -> Res<()> {
        nodes.iter().try_for_each(|node| self.node(node, frame, out))
    }

    fn is_silent(&self, frame: &Frame) -> bool {
        frame.checks_output && frame.extends.borrow().is_some()
    }

    fn write(&mut self, value: &Val, escape: Escape, frame: &Frame, out: &mut String) -> Res<()> {
        let is_escaped = match escape {
            Escape::Never => false,
            Escape::Always => true,
            Escape::Dynamic => frame.context.autoescape.get(),
        };
        if is_escaped {
            let text = self.escaped(value)?;
            out.push_str(&text);
        } else {
            self.write_text(value, out)?;
        }
        self.length_fits(out.len())
    }

    fn node(&mut self, node: &Node, frame: &Frame, out: &mut String) -> Res<()> {
        self.step(1)?;
        match node {
            Node::Data(text) => {
                if !self.is_silent(frame) {
                    out.push_str(text);
                    self.length_fits(out.len())?;
                }
                Ok(())
            }
            Node::Output(values, escape) => self.output(values, *escape, frame, out),
            Node::For(found) => self.nested(|runtime| runtime.for_loop(found, frame, out)),
            Node::If { branches, otherwise } => {
                let body = self.branch(branches, frame)?.unwrap_or(otherwise);
                self.nested(|runtime| runtime.nodes(body, frame, out))
            }
            Node::Macro(found) => self.define_macro(found, frame),
            Node::CallBlock { call, body } => self.call_block(call, body, frame, out),
            Node::FilterBlock { filters, body, symbols, escape } => {
                let (text, inner) = self.capture(body, symbols, *escape, false, frame)?;
                let result = self.filtered(filters, text, &inner)?;
                self.write(&result, Escape::Never, frame, out)
            }
            Node::With { targets, values, body, symbols } => {
                let inner = self.with_scope(targets, values, symbols, frame)?;
                self.nested(|runtime| runtime.nodes(body, &inner, out))
            }
            Node::Block { name, is_scoped, is_required } => {
                self.block_here(name, *is_scoped, *is_required, frame, out)
            }
            Node::Extends(template) => self.extend(template, frame),
            Node::Include { template, ignore_missing, with_context } => {
                self.include(template, *ignore_missing, *with_context, frame, out)
            }
            Node::Import { template, target, with_context } => {
                let module = self.imported(template, *with_context, frame)?;
                self.bind_name(target, module, frame);
                Ok(())
            }
            Node::FromImport { template, names, with_context, place } => {
                let module = self.imported(template, *with_context, frame)?;
                self.import_names(&module, names, place, frame)
            }
            Node::Assign { target, value } => {
                self.check_namespaces(target, frame)?;
                let value = self.value(value, frame)?;
                self.assign(target, value, frame)
            }
            Node::AssignBlock { target, filters, body, symbols, escape } => {
                let (text, inner) = self.capture(body, symbols, *escape, true, frame)?;
                let value = self.block_value(filters.as_ref(), text, &inner, frame)?;
                self.assign(target, value, frame)
            }
            Node::Autoescape { value, body, symbols } => {
                self.autoescape(value, body, symbols, frame, out)
            }
        }
    }

    /// The value that a block assigns: its filtered text.
    fn block_value(
        &mut self,
        filters: Option<&Expr>,
        text: Val,
        inner: &Frame,
        frame: &Frame,
    ) -> Res<Val> {
        let value = match filters {
            Some(filters) => self.filtered(filters, text, inner)?,
            None => text,
        };
        let is_markup = frame.context.autoescape.get();
        Ok(if is_markup { Val::Markup(self.text(&value)?) } else { value })
    }

    fn output(
        &mut self,
        values: &[Expr],
        escape: Escape,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        if self.is_silent(frame) {
            return Ok(());
        }
        for value in values {
            let value = self.value(value, frame)?;
            self.write(&value, escape, frame, out)?;
        }
        Ok(())
    }

    /// The body of the first branch whose condition is true.
    fn branch<'n>(
        &mut self,
        branches: &'n [(Expr, Vec<Node>)],
        frame: &Frame,
    ) -> Res<Option<&'n Vec<Node>>> {
        for (test, body) in branches {
            let test = self.value(test, frame)?;
            if self.truth(&test)? {
                return Ok(Some(body));
            }
        }
        Ok(None)
    }

    /// The scope of a `with` block. Its values are evaluated outside of it.
    fn with_scope(
        &mut self,
        targets: &[Target],
        values: &[Expr],
        symbols: &Symbols,
        frame: &Frame,
    ) -> Res<Frame> {
        let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
        let inner = frame.inner(scope);
        for (target, value) in targets.iter().zip(values) {
            let value = self.value(value, frame)?;
            self.assign(target, value, &inner)?;
        }
        Ok(inner)
    }

    fn define_macro(&mut self, found: &Rc<Macro>, frame: &Frame) -> Res<()> {
        let value = self.macro_value(found, frame);
        if let Some(name) = &found.name {
            if frame.is_top {
                frame.context.export(name, value.clone());
            }
            self.put(name, value, &frame.scope);
        }
        Ok(())
    }

    fn call_block(
        &mut self,
        call: &Call,
        body: &Rc<Macro>,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        let caller = self.macro_value(body, frame);
        let callee = self.value(&call.callee, frame)?;
        let mut arguments = self.arguments(&call.arguments, frame)?;
        arguments.named.push(("caller".into(), caller));
        let text = self.call(&callee, arguments, frame)?;
        self.write(&text, Escape::Never, frame, out)
    }

    /// Renders statements in a new scope; returns their text and the scope.
    fn capture(
        &mut self,
        body: &[Node],
        symbols: &Symbols,
        escape: Escape,
        always_writes: bool,
        frame: &Frame,
    ) -> Res<(Val, Frame)> {
        let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
        let mut inner = frame.inner(scope);
        inner.checks_output &= !always_writes;
        let mut text = String::new();
        self.nested(|runtime| runtime.nodes(body, &inner, &mut text))?;
        Ok((self.captured(text, escape, &inner), inner))
    }

    fn extend(&mut self, template: &Expr, frame: &Frame) -> Res<()> {
        if frame.extends.borrow().is_some() {
            let text = "extended multiple times";
            return Err(Fault::Raised(Exception::TemplateRuntime, text.into()));
        }
        let name = self.value(template, frame)?;
        let parent = self.load(&name)?;
        for (name, block) in &parent.template.blocks {
            let mut blocks = frame.context.blocks.borrow_mut();
            blocks.entry(name.clone()).or_default().push(block.clone());
        }
        *frame.extends.borrow_mut() = Some(parent);
        Ok(())
    }

    fn autoescape(
        &mut self,
        value: &Expr,
        body: &[Node],
        symbols: &Symbols,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
        let inner = frame.inner(scope);
        let value = self.value(value, &inner)?;
        let value = self.truth(&value)?;
        let outer = frame.context.autoescape.replace(value);
        let result = self.nested(|runtime| runtime.nodes(body, &inner, out));
        frame.context.autoescape.set(outer);
        result
    }

    /// Converts the text of a block to a value.
    pub(super) fn captured(&self, text: String, escape: Escape, frame: &Frame) -> Val {
        let is_markup = match escape {
            Escape::Never => false,
            Escape::Always => true,
            Escape::Dynamic => frame.context.autoescape.get(),
        };
        Val::text_like(text, is_markup)
    }

    fn macro_value(&self, node: &Rc<Macro>, frame: &Frame) -> Val {
        let frame = Frame { is_top: false, checks_output: false, ..frame.clone() };
        Val::object(Object::Macro(MacroValue { node: node.clone(), frame }))
    }

    fn block_here(
        &mut self,
        name: &EcoString,
        is_scoped: bool,
        is_required: bool,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        if frame.is_top && frame.extends.borrow().is_some() {
            return Ok(());
        }
        if is_required && frame.context.blocks.borrow().get(name).map_or(0, Vec::len) <= 1 {
            let name = crate::value::string_repr(name);
            let text = format!("Required block {name} not found");
            return Err(Fault::Raised(Exception::TemplateRuntime, text));
        }
        if !is_scoped {
            return self.block(name, 0, &frame.context.clone(), out);
        }
        let context = Rc::new(Context {
            parent: self.all_names(frame),
            vars: RefCell::default(),
            exported: RefCell::default(),
            blocks: RefCell::new(frame.context.blocks.borrow().clone()),
            autoescape: frame.context.autoescape.clone(),
            resolver: frame.context.resolver,
            name: frame.context.name.clone(),
        });
        self.block(name, 0, &context, out)
    }

    /// Calls a macro with bound arguments.
    pub(super) fn run_macro(
        &mut self,
        found: &MacroValue,
        values: Vec<(EcoString, Option<Val>)>,
    ) -> Res<String> {
        self.nested(|runtime| {
            let MacroValue { node, frame } = found;
            let scope = runtime.enter(&node.symbols, Some(&frame.scope), &frame.context)?;
            let inner = frame.inner(scope);
            for (name, value) in values {
                if let Some(value) = value {
                    runtime.put(&name, value, &inner.scope);
                }
            }
            for (index, name) in node.arguments.iter().enumerate() {
                if inner.scope.with(name, |value| value.is_some()) == Some(true) {
                    continue;
                }
                let first_default = node.arguments.len() - node.defaults.len();
                let value = match index.checked_sub(first_default) {
                    Some(index) => runtime.value(&node.defaults[index], &inner)?,
                    None => {
                        let shown = crate::value::string_repr(name);
                        Val::hinted(format!("parameter {shown} was not provided"))
                    }
                };
                runtime.put(name, value, &inner.scope);
            }
            let mut text = String::new();
            runtime.nodes(&node.body, &inner, &mut text)?;
            Ok(text)
        })
    }
}
