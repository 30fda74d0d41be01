//! ERB templates and their view of the compile.
//!
//! `ordain-ruby` renders them. Ruby that it does not support ends in `Outcome::Unsupported`. Then
//! `render_erb` starts the `ruby` of the machine, which renders the whole template.

use std::any::Any;
use std::path::Path;
use std::rc::Rc;

use ecow::EcoString;
use ordain_ruby::{Error, Foreign, Host, HostError, Limits, SyntaxError, Value as Ruby};
use ordain_source::inputs::{is_recording, note_all_values, note_value};
use ordain_source::{Span, budget};

use crate::error::{EvalError, EvalResult, PlainError, Unwind, plain};
use crate::load::ErbTemplate;
use crate::plugins::convert::{from_ruby, raised, splat, to_ruby};
use crate::plugins::mutations::RubyMutations;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::scope::not_reserved;
use crate::value::Value;
use crate::value::closure::ScopeId;
use ordain_graph::language::Strict;

/// The maximal stack of a template, in bytes.
const STACK: usize = 8 << 20;
/// The same in levels of the compile's own recursion.
const LEVELS: u32 = 400;
/// The maximal number of steps of a template.
const STEPS: u64 = 6_000_000;

/// The result of rendering a template.
enum Outcome {
    Text(EcoString),
    /// It needs Ruby that is not supported.
    Unsupported {
        what: String,
        line: u32,
    },
    /// It does not parse.
    Broken(SyntaxError),
}

/// The place of a template.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// Its name and path; `None` for a text in a manifest.
    file: Option<(&'a str, &'a Path)>,
    /// The text of an inline template.
    text: &'a str,
    scope: ScopeId,
    span: Span,
}

impl Place<'_> {
    /// An exception, in Puppet's words.
    fn failed<T>(&self, message: &str, line: u32) -> EvalResult<T> {
        match self.file {
            Some((name, path)) => plain(format!(
                "Failed to parse template {name}:\n  Filepath: {}\n  Line: {line}\n  Detail: {message}\n",
                path.display()
            )),
            None => plain(format!("Failed to parse inline template: {message}")),
        }
    }

    /// The path in errors of Ruby's parser.
    fn source_name(&self) -> String {
        self.file.map_or_else(|| "(erb)".into(), |(_, path)| path.display().to_string())
    }
}

impl Compiler<'_> {
    /// Renders the ERB template in a file.
    ///
    /// # Errors
    /// When it does not parse or fails.
    pub(super) fn render_erb_file(
        &mut self,
        name: &str,
        path: &Path,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<EcoString> {
        let template = self.env.erb(path)?;
        self.render_erb(&template, Place { file: Some((name, path)), text: "", scope, span })
    }

    /// Renders a text as an ERB template.
    ///
    /// # Errors
    /// When it does not parse or fails.
    pub(super) fn render_erb_text(
        &mut self,
        text: &EcoString,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<EcoString> {
        let template = self.env.inline_erb(text);
        self.render_erb(&template, Place { file: None, text, scope, span })
    }

    fn render_erb(&mut self, template: &ErbTemplate, place: Place<'_>) -> EvalResult<EcoString> {
        // Templates rendered by the process share objects of the process in variables.
        if self.ruby_renders() {
            return self.with_real_ruby(place);
        }
        match self.try_erb(template, place)? {
            Outcome::Text(text) => Ok(text),
            Outcome::Broken(error) => {
                let text = format!("{}:{}: {}", place.source_name(), error.line, error.message);
                Err(EvalError::new("RUNTIME_ERROR", text, place.span).into())
            }
            Outcome::Unsupported { what, line } => self.render_with_ruby(&what, line, place),
        }
    }

    /// Renders a template with the `ruby` of the machine, because of unsupported code in a line of
    /// it.
    fn render_with_ruby(
        &mut self,
        what: &str,
        line: u32,
        place: Place<'_>,
    ) -> EvalResult<EcoString> {
        if let Some(help) = self.lacks_ruby() {
            let name = match place.file {
                Some((_, path)) => path.display().to_string(),
                None => "the template".into(),
            };
            let message = format!(
                "{name} uses {what} in line {line}, which is beyond the Ruby that Ordain runs, and \
                 there is no `ruby`"
            );
            let mut error = EvalError::new("", message, place.span);
            (error.issue, error.code) = (None, Some("puppet::ruby"));
            error.help.push(help.to_owned());
            return Err(error.into());
        }
        self.with_real_ruby(place)
    }

    fn with_real_ruby(&mut self, place: Place<'_>) -> EvalResult<EcoString> {
        let (scope, span) = (place.scope, place.span);
        match place.file {
            Some((_, path)) => {
                let bytes = self.env.content(path);
                let bytes = bytes.map_err(|e| PlainError::new(e.to_string()))?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.ruby_template(Some(path), &text, scope, span)
            }
            None => self.ruby_template(None, place.text, scope, span),
        }
    }

    /// Renders a template without the `ruby` process.
    fn try_erb(&mut self, template: &ErbTemplate, place: Place<'_>) -> EvalResult<Outcome> {
        let parsed = match &template.parsed {
            Ok(template) => template,
            Err(error) if error.is_unsupported => {
                let (what, line) = (error.message.clone(), error.line);
                return Ok(Outcome::Unsupported { what, line });
            }
            Err(error) => return Ok(Outcome::Broken(error.clone())),
        };
        if !self.budget.descend(LEVELS) {
            return plain("stack level too deep");
        }
        let steps = self.budget.steps.left().min(budget::scaled(STEPS));
        let mut limits = Limits { steps, stack: STACK, ..Limits::default() };
        let objects = self.templates.object_count();
        let mut wrapper = Wrapper {
            compiler: self,
            place,
            template,
            objects,
            mutations: RubyMutations::default(),
        };
        let result = parsed.render(&mut wrapper, &mut limits);
        if result.is_ok() {
            wrapper.mutations.write_back(wrapper.compiler)?;
        }
        self.show_objects(place.scope)?;
        self.budget.ascend(LEVELS);
        self.budget.steps.charge(steps.saturating_sub(limits.steps));
        match result {
            Ok(text) => {
                self.budget.weigh_new(&Value::Str(text.clone()))?;
                Ok(Outcome::Text(text))
            }
            Err(Error::Exception(e)) => place.failed(&e.message, e.line),
            Err(Error::Limit { what, line }) => place.failed(what, line),
            Err(Error::Unsupported { what, line }) => Ok(Outcome::Unsupported { what, line }),
            Err(Error::Host { error, line }) => match error.downcast::<Unwind>() {
                Ok(unwind) => Err(unwind),
                Err(_) => place.failed("a function failed", line),
            },
        }
    }

    /// Copies the objects that templates put into a scope to its variables.
    fn show_objects(&mut self, scope: ScopeId) -> EvalResult<()> {
        for (name, object) in self.templates.objects_of(scope) {
            // An object that Puppet cannot represent leaves the variable as it was.
            if let Ok(value) = from_ruby(&object, 0) {
                self.budget.weigh(&value)?;
                self.scopes.get_mut(scope).replace(name, value);
            }
        }
        Ok(())
    }

    /// The variable of this name as a template sees it. A variable that is `undef` counts as not
    /// set. The caller records the variable as an input.
    fn template_variable(&self, scope: ScopeId, name: &str) -> Option<Value> {
        let found = self.quiet_variable(scope, name).cloned();
        if found.is_some() {
            return found.filter(|value| !matches!(value, Value::Undef));
        }
        match name {
            "module_name" => Some(Value::Str(self.scopes.get(scope).module.clone())),
            "title" | "name" => Some(Value::str("main")),
            _ => None,
        }
    }

    /// A scope in messages, such as `Scope(Class[main])`.
    fn scope_text(&self, scope: ScopeId) -> EcoString {
        let resource = self.catalog.get(self.scopes.get(scope).resource);
        ecow::eco_format!("Scope({})", resource.reference())
    }
}

/// `self` in a template.
struct Wrapper<'a, 'e> {
    compiler: &'a mut Compiler<'e>,
    place: Place<'a>,
    template: &'a ErbTemplate,
    /// The number of objects in scopes when the template began.
    objects: usize,
    /// The values that the template received.
    mutations: RubyMutations,
}

/// Marks the scope among the values of the host.
struct ScopeMark;

impl Host for Wrapper<'_, '_> {
    fn variable(&mut self, name: &str) -> Option<Ruby> {
        if let Some((number, object)) = self.compiler.templates.object(self.place.scope, name) {
            // A template sees the variables that were set before it began.
            return (number < self.objects).then(|| object.clone());
        }
        self.note_read(name);
        let value = self.compiler.template_variable(self.place.scope, name)?;
        Some(self.share(value, Some(name)))
    }

    fn may_change(&mut self, number: usize) -> bool {
        self.mutations.may_change(self.compiler, number)
    }

    fn call(
        &mut self,
        receiver: Option<&Foreign>,
        name: &str,
        args: &[Ruby],
    ) -> Result<Option<Ruby>, HostError> {
        match receiver {
            None => self.call_self(name, args),
            Some(foreign) if foreign.inner.is::<ScopeMark>() => self.call_scope(name, args),
            Some(foreign) => Ok(self.call_value(foreign, name)),
        }
    }

    fn self_name(&self) -> EcoString {
        "#<Puppet::Parser::TemplateWrapper>".into()
    }
}

impl Wrapper<'_, '_> {
    fn call_self(&mut self, name: &str, args: &[Ruby]) -> Result<Option<Ruby>, HostError> {
        let names = |all: Vec<Ruby>| Ok(Some(Ruby::array(all)));
        match (name, args) {
            ("scope", []) => Ok(Some(Ruby::Foreign(Rc::new(Foreign {
                class: "Puppet::Parser::Scope".into(),
                text: self.compiler.scope_text(self.place.scope),
                inner: Rc::new(ScopeMark),
            })))),
            ("has_variable?", [name]) => Ok(Some(Ruby::Bool(self.has_variable(name)))),
            ("classes", []) => {
                names(self.compiler.catalog.classes.iter().map(|c| Ruby::str(c.clone())).collect())
            }
            ("all_tags", []) => {
                let catalog = &self.compiler.catalog;
                let own = catalog.own_tags.iter().map(|tag| catalog.tags.name(tag));
                names(own.map(|tag| Ruby::str(tag.clone())).collect())
            }
            ("tags", []) => Err(raised("NotImplementedError", "Call 'all_tags' instead.")),
            ("file", []) => Ok(Some(match self.place.file {
                Some((_, path)) => Ruby::str(path.display().to_string()),
                None => Ruby::Nil,
            })),
            ("to_s", []) => {
                let file = self.place.file.map(|(_, path)| path.display().to_string());
                let file = file.unwrap_or_else(|| "inline".into());
                Ok(Some(Ruby::str(format!("template[{file}]"))))
            }
            ("respond_to?", [name]) => {
                let known = ["scope", "has_variable?", "classes", "all_tags", "tags", "file"];
                let name = name.as_name().unwrap_or_default();
                Ok(known.contains(&name.as_str()).then_some(Ruby::Bool(true)))
            }
            ("debug" | "info" | "notice" | "warning" | "err", _) => {
                Err(HostError::Unsupported(format!("the logging method `{name}'")))
            }
            _ => Ok(None),
        }
    }

    /// Notes that the template reads a variable: only the entries that its text shows, if it shows
    /// all that it reads.
    fn note_read(&self, name: &str) {
        if !is_recording() {
            return;
        }
        let plain = name.strip_prefix("::").unwrap_or(name);
        let (compiler, scope) = (&self.compiler, self.place.scope);
        let is_hash = |value: &Value| matches!(value, Value::Hash(_));
        match self.template.entries_of(plain) {
            Some(entries) if compiler.scopes.top_variable(scope, plain).is_some_and(is_hash) => {
                entries.iter().for_each(|path| note_value(path));
            }
            // The search itself is noted.
            _ => _ = compiler.find_variable(scope, name),
        }
    }

    fn has_variable(&self, name: &Ruby) -> bool {
        let name = name.as_name().unwrap_or_default();
        self.note_read(&name);
        self.compiler.template_variable(self.place.scope, &name).is_some()
    }

    fn call_scope(&mut self, name: &str, args: &[Ruby]) -> Result<Option<Ruby>, HostError> {
        match (name, args) {
            ("[]" | "lookupvar", [name, ..]) => self.lookup(name).map(Some),
            ("[]=" | "setvar", [name, value, ..]) => self.set(name, value).map(Some),
            ("include?", [name]) => Ok(Some(Ruby::Bool(self.has_variable(name)))),
            ("exist?" | "bound?", [name]) => {
                let name = name.as_name().unwrap_or_default();
                let found = self.compiler.find_variable(self.place.scope, &name);
                Ok(Some(Ruby::Bool(found.is_some())))
            }
            ("to_hash", []) => Ok(Some(self.variables())),
            ("call_function", [name, given]) => {
                let name = name.as_name().unwrap_or_default();
                self.call_function(&name, &splat(given)).map(Some)
            }
            ("respond_to?", [name]) => {
                let name = name.as_name().unwrap_or_default();
                let known = ["[]", "lookupvar", "include?", "exist?", "to_hash", "call_function"];
                let is_function = name
                    .strip_prefix("function_")
                    .is_some_and(|function| self.compiler.has_function(function));
                let is_known = is_function || known.contains(&name.as_str());
                Ok(is_known.then_some(Ruby::Bool(true)))
            }
            ("==", [other]) => Ok(Some(Ruby::Bool(matches!(
                other,
                Ruby::Foreign(other) if other.inner.is::<ScopeMark>()
            )))),
            (name, [list]) if name.starts_with("function_") => {
                self.call_old(&name["function_".len()..], list).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Calls a method such as `function_join`, whose argument is a list.
    fn call_old(&mut self, name: &str, list: &Ruby) -> Result<Ruby, HostError> {
        if !self.compiler.has_function(name) {
            let scope = self.compiler.scope_text(self.place.scope);
            let text =
                format!("undefined method `function_{name}' for {scope}:Puppet::Parser::Scope");
            return Err(raised("NoMethodError", text));
        }
        let Some(list) = list.as_items() else {
            let text = "custom functions must be called with a single array that contains the \
                        arguments. For example, function_example([1]) instead of \
                        function_example(1)";
            return Err(raised("ArgumentError", text));
        };
        self.call_function(name, &list)
    }

    fn call_function(&mut self, name: &str, list: &[Ruby]) -> Result<Ruby, HostError> {
        let (scope, span) = (self.place.scope, self.place.span);
        self.mutations.write_back(self.compiler).map_err(|unwind| failed(name, *unwind))?;
        let args = self.mutations.give_back(list)?;
        match self.compiler.call_function(name, args, None, scope, span) {
            Ok(value) => Ok(self.share(value, None)),
            Err(unwind) => Err(failed(name, *unwind)),
        }
    }

    /// The object of a variable that a template of this scope set.
    fn object(&self, name: &str) -> Option<Ruby> {
        let (_, object) = self.compiler.templates.object(self.place.scope, name)?;
        Some(object.clone())
    }

    /// Sets a variable. Templates of the same scope see the object and its changes; manifests see
    /// its present value.
    fn set(&mut self, name: &Ruby, value: &Ruby) -> Result<Ruby, HostError> {
        let Some(name) = name.as_name() else {
            let text = format!("Scope variable name {} is not a string", self.shown(name));
            return Err(raised("Puppet::DevError", text));
        };
        not_reserved(&name).map_err(|text| raised("Puppet::ParseError", text))?;
        let given =
            self.mutations.give_back(std::slice::from_ref(value))?.pop().unwrap_or_default();
        self.compiler.budget.weigh(&given).map_err(|unwind| failed("setvar", *unwind))?;
        let scope = self.place.scope;
        if !self.compiler.scopes.get_mut(scope).set(name.clone(), given) {
            let text = format!("Cannot reassign variable '${name}'");
            return Err(raised("Puppet::ParseError", text));
        }
        self.compiler.templates.set_object(scope, name, value.clone());
        Ok(value.clone())
    }

    /// A variable by its name, qualified or not.
    fn lookup(&mut self, name: &Ruby) -> Result<Ruby, HostError> {
        let Some(name) = name.as_text() else {
            let text = format!("Scope variable name {} is not a string", self.shown(name));
            return Err(raised("Puppet::ParseError", text));
        };
        if let Some(object) = self.object(&name) {
            return Ok(object);
        }
        self.note_read(&name);
        if let Some(value) = self.compiler.quiet_variable(self.place.scope, &name) {
            let value = value.clone();
            return Ok(self.share(value, Some(&name)));
        }
        let plain = name.strip_prefix("::").unwrap_or(&name);
        if let Some(value) = self.compiler.template_variable(self.place.scope, plain)
            && matches!(plain, "module_name" | "title" | "name")
        {
            return Ok(to_ruby(&value));
        }
        if plain == "caller_module_name" {
            return Ok(Ruby::Nil);
        }
        let reason = match plain.rsplit_once("::") {
            Some((class, _)) if self.compiler.scopes.of_class(class).is_none() => {
                match self.compiler.env.find_class(class) {
                    Ok(Some(_)) => format!("class {class} has not been evaluated"),
                    _ => format!("class {class} could not be found"),
                }
            }
            _ => String::new(),
        };
        let text = format!("Undefined variable '{name}'; {reason}");
        match self.compiler.settings.strict {
            Strict::Error => Err(raised("ArgumentError", text)),
            Strict::Warning => {
                let span = Some(self.place.span);
                self.compiler.warn_once(&format!("erb#{name}"), &text, span);
                Ok(Ruby::Nil)
            }
            Strict::Off => Ok(Ruby::Nil),
        }
    }

    fn shown(&self, value: &Ruby) -> EcoString {
        value.as_name().unwrap_or_else(|| value.class().name().into())
    }

    /// All variables that the scope sees.
    fn variables(&mut self) -> Ruby {
        let mut all: Vec<(EcoString, Value)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut at = Some(self.place.scope);
        while let Some(id) = at {
            let scope = self.compiler.scopes.get(id);
            if id == ScopeId::TOP {
                note_all_values();
            }
            for (name, value) in scope.variables() {
                if seen.insert(name.clone()) && !matches!(value, Value::Undef) {
                    all.push((name.clone(), value.clone()));
                }
            }
            at = scope.parent;
        }
        let all = all.into_iter().map(|(name, value)| {
            let value = self.share(value, Some(&name));
            (Ruby::str(name), value)
        });
        Ruby::hash(all.collect::<Vec<_>>())
    }

    fn share(&mut self, value: Value, name: Option<&str>) -> Ruby {
        self.mutations.share(self.compiler, value, self.place.scope, name)
    }

    /// Calls a method of a value that is not a Ruby object.
    fn call_value(&mut self, foreign: &Foreign, name: &str) -> Option<Ruby> {
        match (foreign.inner.downcast_ref::<Value>()?, name) {
            (Value::Sensitive(inner), "unwrap") => Some(self.share((**inner).clone(), None)),
            (Value::Sensitive(_), "inspect") => Some(Ruby::str("#<Sensitive [value redacted]>")),
            _ => None,
        }
    }
}

/// The failure of a function as the template sees it.
fn failed(name: &str, unwind: Unwind) -> HostError {
    match unwind {
        Unwind::Plain(PlainError { issue: Some("UNKNOWN_FUNCTION"), .. }) => {
            raised("ArgumentError", format!("Unknown function '{name}'"))
        }
        Unwind::Plain(error) => raised("Puppet::ParseError", error.message),
        Unwind::Error(error) if error.code.is_none() && !error.is_jump => {
            raised("Puppet::ParseError", error.message)
        }
        other => HostError::Abort(Box::new(other) as Box<dyn Any>),
    }
}
