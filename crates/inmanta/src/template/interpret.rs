//! The run of a template: its statements.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexMap;
use ordain_source::budget::{self, HELP};
use ordain_source::limits::{most_items, most_text};
use rustc_hash::FxBuildHasher;

use super::ast::{Block, Escape, Expr, For, Load, Macro, Node, Symbols, Target, Template};
use super::fault::{Fault, NONE_FOUND, NOT_FOUND, Res, TEMPLATE_RUNTIME, type_error, value_error};
use super::iterate::{Generator, Next};
use super::value::{LoopState, Object, Proxy, Val};
use crate::error::Class;
use crate::plugin::{self, Stop};
use crate::value::Value;

/// How deep calls, templates and expressions may nest.
const DEPTH_LIMIT: usize = 240;

type Names = IndexMap<EcoString, Val, FxBuildHasher>;

/// Where names come from that a template does not assign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resolver {
    /// From the model.
    Model,
    /// From the arguments of the call.
    Arguments,
    /// An imported template asks nobody, and fails when it has to.
    None,
}

/// What a template is rendered with, in the sense of Jinja's class of this name.
pub(super) struct Context {
    parent: Rc<Names>,
    pub(super) vars: RefCell<Names>,
    exported: RefCell<Vec<EcoString>>,
    pub(super) blocks: RefCell<IndexMap<EcoString, Vec<Rc<Block>>, FxBuildHasher>>,
    pub(super) autoescape: Rc<Cell<bool>>,
    resolver: Resolver,
    pub(super) name: EcoString,
}

impl Context {
    /// A context for a template of this name.
    pub(super) fn new(template: &Loaded, parent: Rc<Names>, resolver: Resolver) -> Rc<Self> {
        let blocks = template.template.blocks.iter();
        Rc::new(Self {
            parent,
            vars: RefCell::default(),
            exported: RefCell::default(),
            blocks: RefCell::new(blocks.map(|(k, v)| (k.clone(), vec![v.clone()])).collect()),
            autoescape: Rc::default(),
            resolver,
            name: template.name.clone(),
        })
    }

    /// All names with a value, besides the globals.
    pub(super) fn all(&self) -> Rc<Names> {
        let vars = self.vars.borrow();
        if vars.is_empty() {
            return self.parent.clone();
        }
        let mut all = (*self.parent).clone();
        all.extend(vars.iter().map(|(name, value)| (name.clone(), value.clone())));
        Rc::new(all)
    }

    fn set(&self, name: &EcoString, value: Val) {
        self.vars.borrow_mut().insert(name.clone(), value);
        self.exported.borrow_mut().retain(|other| other != name);
    }

    fn export(&self, name: &EcoString, value: Val) {
        self.set(name, value);
        if !name.starts_with('_') {
            self.exported.borrow_mut().push(name.clone());
        }
    }
}

/// A template with the name by which its loader knows it.
#[derive(Clone)]
pub(super) struct Loaded {
    pub(super) template: Rc<Template>,
    pub(super) name: EcoString,
}

/// The values of the names of a scope.
pub(super) struct Scope {
    symbols: Symbols,
    values: RefCell<Vec<Option<Val>>>,
    parent: Option<Rc<Scope>>,
}

impl Scope {
    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Option<Val>) -> T) -> Option<T> {
        let mut scope = self;
        loop {
            if let Some(at) = scope.symbols.all.iter().position(|symbol| symbol.name == name) {
                return scope.values.borrow_mut().get_mut(at).map(act);
            }
            scope = scope.parent.as_deref()?;
        }
    }
}

/// Where a statement is run.
#[derive(Clone)]
pub(super) struct Frame {
    scope: Rc<Scope>,
    pub(super) context: Rc<Context>,
    /// Whether what it assigns goes to the context.
    is_top: bool,
    /// Whether nothing is written once the template extends another.
    checks_output: bool,
    /// The template that this one extends.
    extends: Rc<RefCell<Option<Loaded>>>,
}

impl Frame {
    fn inner(&self, scope: Rc<Scope>) -> Self {
        Self { scope, is_top: false, ..self.clone() }
    }
}

/// A macro with what stands around it.
pub(super) struct MacroValue {
    pub(super) node: Rc<Macro>,
    pub(super) frame: Frame,
}

/// What renders a loop again for the items of one of its items.
#[derive(Clone)]
pub(super) struct Recursion {
    node: Rc<For>,
    frame: Frame,
}

/// What a template is run with.
pub(super) struct Runtime<'a> {
    pub(super) model: &'a mut dyn plugin::Context,
    /// The filters that plugins are, by their names in templates.
    pub(super) plugins: Rc<std::collections::HashMap<EcoString, EcoString>>,
    steps: u64,
    depth: usize,
    /// What the last number was made of that came by chance.
    pub(super) random: u64,
}

/// How many steps a template may take.
const FUEL: u64 = 20_000_000;

impl<'a> Runtime<'a> {
    pub(super) fn new(
        model: &'a mut dyn plugin::Context,
        plugins: Rc<std::collections::HashMap<EcoString, EcoString>>,
    ) -> Self {
        Self { model, plugins, steps: 0, depth: 0, random: 0 }
    }

    /// Counts steps.
    pub(super) fn step(&mut self, steps: u64) -> Res<()> {
        let before = self.steps >> 10;
        self.steps += steps;
        if self.steps >> 10 != before {
            let most = budget::scaled(FUEL);
            if self.steps > most {
                let text = format!("the template takes more than {most} steps; {HELP}");
                return Err(Fault::Raised("RuntimeError", text));
            }
            budget::check().map_err(|e| Fault::Raised("RuntimeError", e.to_string()))?;
        }
        Ok(())
    }

    /// A text of so many bytes, unless it is too long.
    pub(super) fn text_fits(&mut self, bytes: usize) -> Res<()> {
        if bytes > most_text() {
            let text = format!("a text is too long; {HELP}");
            return Err(Fault::Raised("MemoryError", text));
        }
        self.step(bytes as u64 / 16)
    }

    /// So many items, unless they are too many.
    pub(super) fn items_fit(&mut self, count: usize) -> Res<()> {
        if count > most_items() {
            let text = format!("a list is too long; {HELP}");
            return Err(Fault::Raised("MemoryError", text));
        }
        Ok(())
    }

    /// Goes one level deeper.
    pub(super) fn nested<T>(&mut self, act: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= DEPTH_LIMIT {
            return Err(Fault::Raised("RecursionError", "maximum recursion depth exceeded".into()));
        }
        self.depth += 1;
        let result = act(self);
        self.depth -= 1;
        result
    }

    /// A value of the model, reached on a path.
    pub(super) fn of_model(&mut self, value: &Value, path: &str) -> Res<Val> {
        self.handed(value, path, false)
    }

    /// The same of an argument of the call.
    pub(super) fn argument(&mut self, value: &Value, path: &str) -> Res<Val> {
        self.handed(value, path, true)
    }

    /// The same of what is inside of another value of the model.
    pub(super) fn inside(&mut self, value: &Value, path: &str, outer: &Proxy) -> Res<Val> {
        self.handed(value, path, outer.is_argument)
    }

    fn handed(&mut self, value: &Value, path: &str, is_argument: bool) -> Res<Val> {
        Ok(match value {
            Value::Null => Val::None,
            Value::Bool(truth) => Val::Bool(*truth),
            Value::Int(number) => Val::Int(*number),
            Value::BigInt(number) => Val::Big(number.clone()),
            Value::Float(number) => Val::Float(*number),
            Value::Str(text) => Val::Str(text.clone()),
            Value::Unknown(_) => return Err(Stop::Unknown(value.clone()).into()),
            Value::Reference(_) => {
                let shown = value.repr(&*self.model);
                let text = format!(
                    "Encountered reference in Jinja template for variable {path} (= `{shown}`)"
                );
                return Err(Stop::explicit(text).into());
            }
            Value::List(_) | Value::Dict(_) | Value::Instance(_) | Value::Object(_) => {
                let (value, path) = (value.clone(), path.into());
                Val::Proxy(Rc::new(Proxy { value, path, is_argument }))
            }
        })
    }

    /// The value of a name that the template does not assign.
    fn resolve(&mut self, name: &EcoString, context: &Context) -> Res<Option<Val>> {
        match context.resolver {
            Resolver::None => {
                return Err(Fault::Raised("KeyError", "'{{resolver'".into()));
            }
            Resolver::Model => {
                match self.model.lookup(name) {
                    Ok(value) => return self.of_model(&value, name).map(Some),
                    Err(Stop::Error(error)) if error.class == Class::OptionalValue => {
                        return Ok(None);
                    }
                    Err(Stop::Error(error)) if error.class == Class::NotFound => {}
                    Err(stop) => return Err(stop.into()),
                }
                if self.model.module_directory(name).is_some() {
                    return Ok(Some(Val::object(Object::Model(name.clone()))));
                }
            }
            Resolver::Arguments => {}
        }
        if let Some(value) = context.vars.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = context.parent.get(name) {
            return Ok(Some(value.clone()));
        }
        let globals = ["range", "dict", "lipsum", "cycler", "joiner", "namespace"];
        let found = globals.into_iter().find(|global| global == name);
        Ok(found.map(|name| Val::object(Object::Function(name))))
    }

    /// Enters a scope.
    fn enter(
        &mut self,
        symbols: &Symbols,
        parent: Option<&Rc<Scope>>,
        context: &Context,
    ) -> Res<Rc<Scope>> {
        let mut values = Vec::with_capacity(symbols.all.len());
        for symbol in symbols.all.iter() {
            values.push(match symbol.load {
                Load::Parameter | Load::Undefined => None,
                Load::Resolve => self.resolve(&symbol.name, context)?,
                Load::Alias => {
                    parent.and_then(|parent| parent.with(&symbol.name, |v| v.clone())).flatten()
                }
            });
        }
        let (symbols, parent) = (symbols.clone(), parent.cloned());
        Ok(Rc::new(Scope { symbols, values: RefCell::new(values), parent }))
    }

    /// The value of a name in a scope.
    pub(super) fn name(&mut self, name: &EcoString, frame: &Frame) -> Res<Val> {
        let found = match frame.scope.with(name, |value| value.clone()) {
            Some(found) => found,
            None => self.resolve(name, &frame.context)?,
        };
        Ok(found.unwrap_or_else(|| Val::missing(name)))
    }

    fn put(&self, name: &str, value: Val, scope: &Scope) {
        scope.with(name, |place| *place = Some(value));
    }

    /// Assigns to names, and tells the context of them where it has to know.
    fn assign(&mut self, target: &Target, value: Val, frame: &Frame) -> Res<()> {
        match target {
            Target::Name(name) => {
                if frame.is_top {
                    frame.context.export(name, value.clone());
                }
                self.put(name, value, &frame.scope);
                Ok(())
            }
            Target::Attribute(name, attribute) => {
                if let Val::Object(object) = self.name(name, frame)?
                    && let Object::Namespace(entries) = &*object
                {
                    entries.borrow_mut().set(attribute, value);
                }
                Ok(())
            }
            Target::Tuple(targets) => {
                let items = self.unpacked(&value, targets.len())?;
                targets.iter().zip(items).try_for_each(|(t, v)| self.assign(t, v, frame))
            }
        }
    }

    fn unpacked(&mut self, value: &Val, count: usize) -> Res<Vec<Val>> {
        let items = self.iterate(value).map_err(|fault| {
            if fault.is("TypeError") {
                type_error(format!("cannot unpack non-iterable {} object", value.type_name()))
            } else {
                fault
            }
        })?;
        let mut found = Vec::new();
        while let Some(item) = items.next(self)? {
            if found.len() == count {
                return Err(value_error(format!("too many values to unpack (expected {count})")));
            }
            found.push(item);
        }
        if found.len() < count {
            let text =
                format!("not enough values to unpack (expected {count}, got {})", found.len());
            return Err(value_error(text));
        }
        Ok(found)
    }

    /// That what is assigned to with a dot is a namespace.
    fn check_namespaces(&mut self, target: &Target, frame: &Frame) -> Res<()> {
        match target {
            Target::Name(_) => Ok(()),
            Target::Attribute(name, _) => {
                let found = self.name(name, frame)?;
                let is_namespace =
                    matches!(&found, Val::Object(o) if matches!(&**o, Object::Namespace(_)));
                if is_namespace {
                    return Ok(());
                }
                let text = "cannot assign attribute on non-namespace object";
                Err(Fault::Raised(TEMPLATE_RUNTIME, text.into()))
            }
            Target::Tuple(items) => {
                items.iter().try_for_each(|item| self.check_namespaces(item, frame))
            }
        }
    }

    /// Renders a template from its beginning.
    pub(super) fn root(
        &mut self,
        loaded: &Loaded,
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

    /// Renders a block: that of the template which extends the others the most, or one below.
    pub(super) fn block(
        &mut self,
        name: &EcoString,
        depth: usize,
        context: &Rc<Context>,
        out: &mut String,
    ) -> Res<()> {
        let found = context.blocks.borrow().get(name).and_then(|all| all.get(depth)).cloned();
        let Some(block) = found else {
            return Err(Fault::Raised("KeyError", crate::value::string_repr(name)));
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

    /// The block of this name so many templates up.
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

    fn length_fits(&mut self, bytes: usize) -> Res<()> {
        if bytes > most_text() { self.text_fits(bytes) } else { Ok(()) }
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
            Node::Output(values, escape) => {
                if self.is_silent(frame) {
                    return Ok(());
                }
                for value in values {
                    let value = self.value(value, frame)?;
                    self.write(&value, *escape, frame, out)?;
                }
                Ok(())
            }
            Node::For(found) => self.nested(|runtime| runtime.for_loop(found, frame, out)),
            Node::If { branches, otherwise } => {
                for (test, body) in branches {
                    let test = self.value(test, frame)?;
                    if self.truth(&test)? {
                        return self.nested(|runtime| runtime.nodes(body, frame, out));
                    }
                }
                self.nested(|runtime| runtime.nodes(otherwise, frame, out))
            }
            Node::Macro(found) => {
                let value = self.macro_value(found, frame);
                if let Some(name) = &found.name {
                    if frame.is_top {
                        frame.context.export(name, value.clone());
                    }
                    self.put(name, value, &frame.scope);
                }
                Ok(())
            }
            Node::CallBlock { call, body } => {
                let caller = self.macro_value(body, frame);
                let callee = self.value(&call.callee, frame)?;
                let mut arguments = self.arguments(&call.arguments, frame)?;
                arguments.named.push(("caller".into(), caller));
                let text = self.call(&callee, arguments, frame)?;
                self.write(&text, Escape::Never, frame, out)
            }
            Node::FilterBlock { filters, body, symbols, escape } => {
                let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
                let inner = frame.inner(scope);
                let mut text = String::new();
                self.nested(|runtime| runtime.nodes(body, &inner, &mut text))?;
                let text = self.captured(text, *escape, &inner);
                let result = self.filtered(filters, text, &inner)?;
                self.write(&result, Escape::Never, frame, out)
            }
            Node::With { targets, values, body, symbols } => {
                let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
                let inner = frame.inner(scope);
                for (target, value) in targets.iter().zip(values) {
                    let value = self.value(value, frame)?;
                    self.assign(target, value, &inner)?;
                }
                self.nested(|runtime| runtime.nodes(body, &inner, out))
            }
            Node::Block { name, is_scoped, is_required } => {
                self.block_here(name, *is_scoped, *is_required, frame, out)
            }
            Node::Extends(template) => {
                if frame.extends.borrow().is_some() {
                    let text = "extended multiple times";
                    return Err(Fault::Raised(TEMPLATE_RUNTIME, text.into()));
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
            Node::Include { template, ignore_missing, with_context } => {
                self.include(template, *ignore_missing, *with_context, frame, out)
            }
            Node::Import { template, target, with_context } => {
                let module = self.imported(template, *with_context, frame)?;
                if frame.is_top {
                    frame.context.set(target, module.clone());
                }
                self.put(target, module, &frame.scope);
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
                let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
                let inner = Frame { checks_output: false, ..frame.inner(scope) };
                let mut text = String::new();
                self.nested(|runtime| runtime.nodes(body, &inner, &mut text))?;
                let mut value = match filters {
                    Some(filters) => {
                        let text = self.captured(text, *escape, &inner);
                        self.filtered(filters, text, &inner)?
                    }
                    None => Val::str(text),
                };
                if frame.context.autoescape.get() {
                    value = Val::Markup(self.text(&value)?);
                }
                self.assign(target, value, frame)
            }
            Node::Autoescape { value, body, symbols } => {
                let scope = self.enter(symbols, Some(&frame.scope), &frame.context)?;
                let inner = frame.inner(scope);
                let value = self.value(value, &inner)?;
                let value = self.truth(&value)?;
                let outer = frame.context.autoescape.replace(value);
                let result = self.nested(|runtime| runtime.nodes(body, &inner, out));
                frame.context.autoescape.set(outer);
                result
            }
        }
    }

    /// The text of a block of output as a value.
    fn captured(&self, text: String, escape: Escape, frame: &Frame) -> Val {
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

    /// What has a name in the scopes here, for templates that are rendered inside of this one.
    fn locals(&self, frame: &Frame) -> Names {
        let mut found = Names::default();
        let mut scope = Some(&frame.scope);
        while let Some(here) = scope {
            for (symbol, value) in here.symbols.all.iter().zip(here.values.borrow().iter()) {
                if let Some(value) = value
                    && symbol.is_stored
                {
                    found.entry(symbol.name.clone()).or_insert_with(|| value.clone());
                }
            }
            scope = here.parent.as_ref();
        }
        found
    }

    fn all_names(&self, frame: &Frame) -> Rc<Names> {
        let locals = self.locals(frame);
        let all = frame.context.all();
        if locals.is_empty() {
            return all;
        }
        let mut names = (*all).clone();
        names.extend(locals);
        Rc::new(names)
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
            return Err(Fault::Raised(TEMPLATE_RUNTIME, text));
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

    fn for_loop(&mut self, node: &Rc<For>, frame: &Frame, out: &mut String) -> Res<()> {
        let items = self.value(&node.items, frame)?;
        self.loop_over(node, items, 0, frame, out)
    }

    /// Renders a loop again, for other items.
    pub(super) fn recurse(&mut self, recursion: &Recursion, items: Val, depth: usize) -> Res<Val> {
        self.nested(|runtime| {
            let mut text = String::new();
            let Recursion { node, frame } = recursion;
            runtime.loop_over(node, items, depth, frame, &mut text)?;
            Ok(runtime.captured(text, node.escape, frame))
        })
    }

    /// The items that a loop's condition lets through.
    fn tested(&mut self, node: &Rc<For>, items: Rc<Generator>, frame: &Frame) -> Val {
        let (node, frame) = (node.clone(), frame.clone());
        let mut inner: Option<Frame> = None;
        let next: Next = Box::new(move |runtime| {
            let inner = match &inner {
                Some(inner) => inner,
                None => {
                    let scope =
                        runtime.enter(&node.test_symbols, Some(&frame.scope), &frame.context)?;
                    inner.insert(frame.inner(scope))
                }
            };
            let Some(test) = &node.test else { return items.next(runtime) };
            while let Some(item) = items.next(runtime)? {
                runtime.assign(&node.target, item.clone(), inner)?;
                let found = runtime.value(test, inner)?;
                if runtime.truth(&found)? {
                    return Ok(Some(match &node.target {
                        Target::Tuple(targets) => {
                            Val::tuple(runtime.unpacked(&item, targets.len())?)
                        }
                        _ => item,
                    }));
                }
            }
            Ok(None)
        });
        Generator::lazy("t_1", next)
    }

    fn loop_over(
        &mut self,
        node: &Rc<For>,
        source: Val,
        depth0: usize,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        let mut source = source;
        let mut items = self.iterate(&source)?;
        if node.test.is_some() {
            source = self.tested(node, items, frame);
            items = self.iterate(&source)?;
        }
        let state = node.is_extended.then(|| {
            let recurse =
                node.is_recursive.then(|| Recursion { node: node.clone(), frame: frame.clone() });
            Rc::new(Object::Loop(LoopState {
                source,
                items: items.clone(),
                index0: Cell::new(-1),
                depth0,
                length: Cell::default(),
                after: RefCell::default(),
                current: RefCell::default(),
                before: RefCell::default(),
                last_changed: RefCell::default(),
                recurse,
            }))
        });
        let mut is_empty = true;
        loop {
            let item = match state.as_deref() {
                Some(Object::Loop(state)) => self.loop_next(state)?,
                _ => items.next(self)?,
            };
            let Some(item) = item else { break };
            is_empty = false;
            let scope = self.enter(&node.symbols, Some(&frame.scope), &frame.context)?;
            let inner = frame.inner(scope);
            if let Some(state) = &state {
                self.put("loop", Val::Object(state.clone()), &inner.scope);
            }
            self.assign(&node.target, item, &inner)?;
            self.nodes(&node.body, &inner, out)?;
        }
        if is_empty && !node.otherwise.is_empty() {
            let scope = self.enter(&node.else_symbols, Some(&frame.scope), &frame.context)?;
            return self.nodes(&node.otherwise, &frame.inner(scope), out);
        }
        Ok(())
    }

    /// Goes to the next item of a loop.
    fn loop_next(&mut self, state: &LoopState) -> Res<Option<Val>> {
        let after = state.after.borrow_mut().take();
        let item = match after {
            Some(item) => Some(item),
            None => state.items.next(self)?,
        };
        if let Some(item) = &item {
            state.index0.set(state.index0.get() + 1);
            let before = state.current.replace(Some(item.clone()));
            state.before.replace(before);
        }
        Ok(item)
    }

    /// Calls a macro with arguments that were sorted out.
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

    /// The template of this name.
    fn load(&mut self, name: &Val) -> Res<Loaded> {
        match name {
            Val::Str(name) | Val::Markup(name) => {
                let loaded = super::load(self.model, &self.plugins, name)?;
                loaded.ok_or_else(|| Fault::Raised(NOT_FOUND, name.to_string()))
            }
            Val::Undefined(found) => Err(found.fault(self)),
            other => {
                let text = format!("'{}' object has no attribute 'split'", other.type_name());
                Err(Fault::Raised("AttributeError", text))
            }
        }
    }

    /// The first template of several names.
    fn select(&mut self, names: &Val) -> Res<Loaded> {
        let all = self.collect(names)?;
        if all.is_empty() {
            let text = "Tried to select from an empty list of templates.";
            return Err(Fault::Raised(NONE_FOUND, text.into()));
        }
        let mut shown = Vec::new();
        for name in &all {
            match self.load(name) {
                Err(fault) if fault.is(NOT_FOUND) => {}
                Err(Fault::Undefined(text)) => {
                    shown.push(text);
                    continue;
                }
                found => return found,
            }
            shown.push(self.text(name)?.to_string());
        }
        let text = format!("none of the templates given were found: {}", shown.join(", "));
        Err(Fault::Raised(NONE_FOUND, text))
    }

    fn include(
        &mut self,
        template: &Expr,
        ignore_missing: bool,
        with_context: bool,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        let name = self.value(template, frame)?;
        let loaded = match &name {
            Val::Str(_) | Val::Markup(_) | Val::Undefined(_) => self.load(&name),
            _ => self.select(&name),
        };
        let loaded = match loaded {
            Err(fault) if ignore_missing && (fault.is(NOT_FOUND) || fault.is(NONE_FOUND)) => {
                return Ok(());
            }
            loaded => loaded?,
        };
        if with_context {
            let names = self.all_names(frame);
            let context = Context::new(&loaded, names, frame.context.resolver);
            return self.root(&loaded, &context, out);
        }
        if let Val::Object(module) = self.default_module(&loaded)?
            && let Object::Module { text, .. } = &*module
        {
            out.push_str(text);
        }
        self.length_fits(out.len())
    }

    /// What a template exports that knows nothing of the one that imports it.
    fn default_module(&mut self, loaded: &Loaded) -> Res<Val> {
        let address = Rc::as_ptr(&loaded.template) as usize;
        if let Some(found) = self.model.renderer().modules.get(&address) {
            return Ok(found.clone());
        }
        let context = Context::new(loaded, Rc::default(), Resolver::None);
        let module = self.module(loaded, &context)?;
        self.model.renderer().modules.insert(address, module.clone());
        Ok(module)
    }

    fn module(&mut self, loaded: &Loaded, context: &Rc<Context>) -> Res<Val> {
        let mut text = String::new();
        self.root(loaded, context, &mut text)?;
        let vars = context.vars.borrow();
        let exported = context.exported.borrow();
        let exported =
            exported.iter().filter_map(|name| Some((name.clone(), vars.get(name)?.clone())));
        let exported = exported.collect();
        Ok(Val::object(Object::Module { name: loaded.name.clone(), exported, text: text.into() }))
    }

    fn imported(&mut self, template: &Expr, with_context: bool, frame: &Frame) -> Res<Val> {
        let name = self.value(template, frame)?;
        let loaded = self.load(&name)?;
        if !with_context {
            return self.default_module(&loaded);
        }
        let names = self.all_names(frame);
        let context = Context::new(&loaded, names, frame.context.resolver);
        self.module(&loaded, &context)
    }

    fn import_names(
        &mut self,
        module: &Val,
        names: &[(EcoString, EcoString)],
        place: &str,
        frame: &Frame,
    ) -> Res<()> {
        let Val::Object(object) = module else { return Ok(()) };
        let Object::Module { name: template, exported, .. } = &**object else { return Ok(()) };
        for (name, alias) in names {
            let value = exported.get(name).cloned().unwrap_or_else(|| {
                let template = crate::value::string_repr(template);
                let name = crate::value::string_repr(name);
                Val::hinted(format!(
                    "the template {template} (imported on {place}) does not export the requested \
                     name {name}"
                ))
            });
            if frame.is_top {
                frame.context.set(alias, value.clone());
            }
            self.put(alias, value, &frame.scope);
        }
        Ok(())
    }
}
