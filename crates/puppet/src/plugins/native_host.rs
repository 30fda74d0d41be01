//! The compile, as functions in Ruby see it when they run without the process.
//!
//! Anything that is unknown here is unsupported, not an error, because the `ruby` process knows
//! more.

use std::any::Any;
use std::rc::Rc;

use ecow::EcoString;
use ordain_functions::version::Version;
use ordain_ruby::{
    BlockCall, Class, Exception, Foreign, HOST_CLASS, Host, HostError, Value as Ruby,
};
use ordain_source::{EntryKind, Span};

use crate::error::{EvalResult, Unwind};
use crate::plugins::convert::{splat, to_ruby};
use crate::plugins::mutations::RubyMutations;
use crate::plugins::state::{Journal, message};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::log::LogLevel;
use crate::types::object::lookup_context::CONTEXT;
use crate::value::Value;
use crate::value::closure::ScopeId;
use ordain_graph::language::Strict;

/// The constant with the version of Ruby. It is split because it looks like a Puppet issue code.
const VERSION_NAME: &str = concat!("RUBY", "_VERSION");
/// The version of Ruby that is supported.
const VERSION: &str = "3.1.2";

/// Puppet's exceptions, each with its superclass.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("Puppet::Error", "RuntimeError"),
    ("Puppet::DevError", "Puppet::Error"),
    ("Puppet::ExternalFileError", "Puppet::Error"),
    ("Puppet::ParseError", "Puppet::ExternalFileError"),
    ("Puppet::ParseErrorWithIssue", "Puppet::ParseError"),
    (ERROR, "Puppet::ParseErrorWithIssue"),
    ("Puppet::ResourceError", "Puppet::ExternalFileError"),
    ("Puppet::DataBinding::LookupError", ERROR),
    ("RuntimeError", "StandardError"),
    ("StandardError", "Exception"),
];

/// Methods that the interpreter itself answers correctly for every object.
const OF_ALL: &[&str] = &[
    "is_a?",
    "kind_of?",
    "instance_of?",
    "nil?",
    "to_s",
    "==",
    "!=",
    "!",
    "dup",
    "freeze",
    "frozen?",
];
/// Methods that the interpreter would answer wrongly for `self`, which is a different object there.
const OF_SELF: &[&str] = &[
    "class",
    "to_s",
    "inspect",
    "respond_to?",
    "is_a?",
    "kind_of?",
    "instance_of?",
    "send",
    "__send__",
    "public_send",
    "methods",
    "instance_variable_get",
    "instance_variable_set",
    "hash",
    "object_id",
    "method",
    "itself",
    "then",
    "tap",
    "dup",
    "clone",
    "freeze",
    "to_json",
    "to_yaml",
    "display",
];

/// A value that represents an object of the process.
enum ProcessReference {
    Scope(ScopeId),
    Module(&'static str),
    Version(EcoString),
}

/// The compile, for a function.
pub(super) struct FunctionHost<'a, 'e> {
    pub(super) compiler: &'a mut Compiler<'e>,
    scope: ScopeId,
    span: Span,
    /// Whether `self` is a scope.
    is_old: bool,
    mutations: RubyMutations,
    /// Whether the function tried to change a shared value. Only the process tracks such changes.
    pub(super) wants_change: bool,
    /// Messages that are not logged yet.
    logs: Vec<(LogLevel, String)>,
    pub(super) journal: &'a mut Journal,
}

type Answer = Result<Option<Ruby>, HostError>;

fn beyond<T>(what: impl Into<String>) -> Result<T, HostError> {
    Err(HostError::Unsupported(what.into()))
}

fn foreign(class: &str, text: impl Into<EcoString>, inner: Rc<dyn Any>) -> Ruby {
    Ruby::Foreign(Rc::new(Foreign { class: class.into(), text: text.into(), inner }))
}

impl<'a, 'e> FunctionHost<'a, 'e> {
    pub(super) fn new(
        compiler: &'a mut Compiler<'e>,
        (scope, span): (ScopeId, Span),
        is_old: bool,
        journal: &'a mut Journal,
    ) -> Self {
        let (mutations, logs) = Default::default();
        Self { compiler, scope, span, is_old, mutations, wants_change: false, logs, journal }
    }

    /// An argument as the function gets it.
    pub(super) fn argument(&mut self, value: &Value, is_copy: bool) -> Ruby {
        match value {
            Value::Undef if self.is_old => Ruby::str(""),
            Value::Array(_) | Value::Hash(_) if !is_copy => self.share(value.clone()),
            value => to_ruby(value),
        }
    }

    pub(super) fn scope_value(&mut self) -> Ruby {
        self.scope_named(self.scope)
    }

    fn scope_named(&self, scope: ScopeId) -> Ruby {
        foreign("Puppet::Parser::Scope", "Scope", Rc::new(ProcessReference::Scope(scope)))
    }

    fn share(&mut self, value: Value) -> Ruby {
        match value {
            Value::Str(_) => to_ruby(&value),
            value => self.mutations.share(self.compiler, value, self.scope, None),
        }
    }

    /// Logs the messages of the function.
    pub(super) fn flush_logs(&mut self) {
        self.journal.record_logs(self.logs.len());
        for (level, text) in self.logs.drain(..) {
            self.compiler.log_unscoped(level, text, Some(self.span));
        }
    }

    /// The value of the whole call.
    pub(super) fn finish(&mut self, value: Ruby) -> Result<Value, CallFailure> {
        if self.wants_change {
            return Err(CallFailure::Process);
        }
        let values = self.mutations.give_back(&[value]);
        let Some(value) = values.ok().and_then(|mut values| values.pop()) else {
            return Err(CallFailure::Process);
        };
        self.flush_logs();
        Ok(value)
    }

    /// The arguments of a function of the compile, with the changes so far.
    fn given(&mut self, args: &[Ruby]) -> Result<Vec<Value>, HostError> {
        if self.wants_change {
            return beyond("a change of a shared value");
        }
        if args.iter().any(|arg| has_symbol(arg, 0)) {
            return beyond("a symbol as an argument");
        }
        let values = self.mutations.give_back(args)?;
        self.flush_logs();
        Ok(values)
    }

    /// Records the result of a call in the journal.
    fn record_result(&mut self, name: &str, result: EvalResult) -> Result<Ruby, HostError> {
        let unwind = match result {
            Ok(value) => {
                self.journal.record_call(name, Ok(value.clone()));
                return Ok(self.share(value));
            }
            Err(unwind) => unwind,
        };
        let text = message(&unwind).map(EcoString::from);
        match (text, &*unwind) {
            _ if self.compiler.hiera.reported_not_found() => {
                Err(HostError::Abort(Box::new(*unwind) as Box<dyn Any>))
            }
            (Some(text), _) => {
                let number = self.journal.record_call(name, Err(unwind));
                Err(HostError::Raise { class: ERROR.into(), message: text, number: Some(number) })
            }
            (None, Unwind::Break(_)) => {
                self.journal.record_call(name, Err(unwind));
                beyond("`break' of a lambda")
            }
            (None, _) => Err(HostError::Abort(Box::new(*unwind) as Box<dyn Any>)),
        }
    }

    fn call_function(&mut self, scope: ScopeId, name: &Ruby, args: &[Ruby]) -> Answer {
        let Some(name) = name.as_name() else { return beyond("a function without a name") };
        let args = self.given(args)?;
        let result = self.compiler.call_function(&name, args, None, scope, self.span);
        self.record_result(&name, result).map(Some)
    }

    /// Calls a method such as `function_join`, whose argument is a list.
    fn call_old(&mut self, scope: ScopeId, name: &str, args: &[Ruby]) -> Answer {
        match args {
            _ if ONLY_NEWER.contains(&name) => beyond("a function of the newer interface alone"),
            [list] if self.compiler.has_function(name) => match list.as_items() {
                Some(list) => self.call_function(scope, &Ruby::str(name), &list),
                None => beyond("a function of the older kind without a list"),
            },
            _ => beyond(format!("the function {name}")),
        }
    }

    fn call_self(&mut self, name: &str, args: &[Ruby]) -> Answer {
        match (name, args) {
            ("_", [text]) => Ok(Some(text.clone())),
            _ if self.is_old => self.call_scope(self.scope, name, args, true),
            // Functions of the newer interface only belong to the top scope.
            ("call_function", [name, args @ ..]) => {
                // Only the process knows whose call this is.
                if name.as_name().is_some_and(|name| !self.compiler.has_function(&name)) {
                    return beyond("an unknown function");
                }
                self.call_function(ScopeId::TOP, name, args)
            }
            ("closure_scope", []) => Ok(Some(self.scope_named(ScopeId::TOP))),
            _ if OF_SELF.contains(&name) => beyond(format!("`{name}' of a function")),
            _ => Ok(None),
        }
    }

    fn call_scope(&mut self, scope: ScopeId, name: &str, args: &[Ruby], is_self: bool) -> Answer {
        match (name, args) {
            ("lookupvar" | "[]", [name]) => self.lookup(scope, name).map(Some),
            ("call_function", [name, args]) => self.call_function(scope, name, &splat(args)),
            ("is_a?" | "nil?" | "==" | "!=", _) if !is_self => Ok(None),
            _ if name.starts_with("function_") => {
                self.call_old(scope, &name["function_".len()..], args)
            }
            _ if !is_self || OF_SELF.contains(&name) => beyond(format!("`{name}' of a scope")),
            _ => Ok(None),
        }
    }

    fn lookup(&mut self, scope: ScopeId, name: &Ruby) -> Result<Ruby, HostError> {
        let Some(name) = name.as_text() else { return beyond("a variable without a name") };
        if let Some(value) = self.compiler.variable(scope, &name) {
            return Ok(self.mutations.share(self.compiler, value, scope, Some(&name)));
        }
        match self.compiler.settings.strict {
            Strict::Off => Ok(Ruby::Nil),
            _ => beyond("an unknown variable"),
        }
    }

    fn call_module(&mut self, module: &str, name: &str, args: &[Ruby]) -> Answer {
        match (module, name, args) {
            ("Puppet", _, [message]) if level(name).is_some() => {
                let text = match message {
                    Ruby::Str(_) => message.as_text().unwrap_or_default(),
                    Ruby::Exception(error) => error.message.clone(),
                    _ => return beyond("a message that is not text"),
                };
                self.logs.extend(level(name).map(|level| (level, text.into())));
                Ok(Some(Ruby::Nil))
            }
            ("Puppet", "[]", [setting]) if setting.as_name().as_deref() == Some("strict") => {
                Ok(Some(Ruby::symbol(match self.compiler.settings.strict {
                    Strict::Off => "off",
                    Strict::Warning => "warning",
                    Strict::Error => "error",
                })))
            }
            ("Puppet::Parser::Functions", "function", [name]) => {
                let name = name.as_name().unwrap_or_default();
                let has = self.compiler.has_function(&name);
                Ok(Some(match has {
                    true => Ruby::str(format!("function_{name}")),
                    false => Ruby::Bool(false),
                }))
            }
            ("Gem::Version", "new", [text]) => match text.as_text() {
                Some(text) if text.parse::<Version>().is_ok() || is_short_version(&text) => {
                    let version = Rc::new(ProcessReference::Version(text.clone()));
                    Ok(Some(foreign("Gem::Version", text, version)))
                }
                _ => beyond("this version"),
            },
            _ => beyond(format!("`{name}' of {module}")),
        }
    }

    fn call_version(version: &str, name: &str, args: &[Ruby]) -> Answer {
        let other = match args {
            [Ruby::Foreign(other)] => match other.inner.downcast_ref::<ProcessReference>() {
                Some(ProcessReference::Version(other)) => other,
                _ => return beyond("this version"),
            },
            _ => return beyond("this version"),
        };
        let order = numbers(version).cmp(&numbers(other));
        Ok(Some(Ruby::Bool(match name {
            ">=" => order.is_ge(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            "<" => order.is_lt(),
            "==" => order.is_eq(),
            _ => return beyond("this comparison of versions"),
        })))
    }

    /// A method of a value of the compile.
    fn call_value(&mut self, value: &Value, name: &str, args: &[Ruby]) -> Answer {
        match (value, name) {
            (Value::Callable(closure), "call" | "()" | "yield") => {
                let scope_args = self.given(args)?;
                let most = closure.signature.max().unwrap_or(usize::MAX).max(1);
                let most = scope_args.len().min(most);
                let result = self.compiler.call_closure(closure, &scope_args[..most]);
                self.record_result(BLOCK, result).map(Some)
            }
            (Value::Object(object), _) if object.kind.name == CONTEXT => {
                self.call_context(value, name, args)
            }
            (Value::Sensitive(inner), "unwrap") if args.is_empty() => {
                Ok(Some(self.share((**inner).clone())))
            }
            _ if OF_ALL.contains(&name) => Ok(None),
            _ => beyond(format!("`{name}' of {}", crate::value::ruby::ruby_class(value))),
        }
    }

    fn call_context(&mut self, context: &Value, name: &str, args: &[Ruby]) -> Answer {
        match (name, args) {
            (
                "not_found" | "interpolate" | "cache" | "cache_all" | "cache_has_key"
                | "cached_value",
                _,
            ) => {
                let mut all = vec![context.clone()];
                all.extend(self.given(args)?);
                match self.compiler.call_context(name, &all, None) {
                    Some(result) => self.record_result(name, result).map(Some),
                    None => beyond(format!("`{name}' of a context")),
                }
            }
            ("environment_name", []) => Ok(Some(Ruby::symbol(self.compiler.env.name.clone()))),
            _ if OF_ALL.contains(&name) => Ok(None),
            _ => beyond(format!("`{name}' of a context")),
        }
    }
}

/// The level of a message.
fn level(name: &str) -> Option<LogLevel> {
    Some(match name {
        "debug" => LogLevel::Debug,
        "info" => LogLevel::Info,
        "notice" => LogLevel::Notice,
        "warning" => LogLevel::Warning,
        "err" | "error" => LogLevel::Err,
        "alert" => LogLevel::Alert,
        "emerg" => LogLevel::Emerg,
        "crit" => LogLevel::Crit,
        _ => return None,
    })
}

/// Whether this is a version of numbers alone.
fn is_short_version(text: &str) -> bool {
    text.split('.')
        .all(|part| !part.is_empty() && part.len() < 9 && part.bytes().all(|b| b.is_ascii_digit()))
}

/// The numbers of a version, without zeros at the end.
fn numbers(version: &str) -> Vec<u64> {
    let mut all: Vec<u64> = version.split('.').filter_map(|part| part.parse().ok()).collect();
    while all.last() == Some(&0) {
        all.pop();
    }
    all
}

/// Whether a value has a symbol in it other than those that manifests have values for.
fn has_symbol(value: &Ruby, depth: usize) -> bool {
    match value {
        Ruby::Symbol(name) => name != "undef" && name != "default",
        // Deeper nesting is reported elsewhere.
        Ruby::Array(_) if depth < 100 => {
            value.as_items().unwrap_or_default().iter().any(|item| has_symbol(item, depth + 1))
        }
        Ruby::Hash(_) if depth < 100 => {
            let entries = value.as_entries().unwrap_or_default();
            entries.iter().any(|(k, v)| has_symbol(k, depth + 1) || has_symbol(v, depth + 1))
        }
        _ => false,
    }
}

/// Functions whose older form only raises an error, which the process words.
const ONLY_NEWER: [&str; 31] = [
    "assert_type",
    "binary_file",
    "break",
    "defined",
    "dig",
    "each",
    "epp",
    "filter",
    "find_file",
    "hiera",
    "hiera_array",
    "hiera_hash",
    "hiera_include",
    "inline_epp",
    "lest",
    "lookup",
    "map",
    "match",
    "new",
    "next",
    "reduce",
    "regsubst",
    "return",
    "reverse_each",
    "slice",
    "split",
    "step",
    "strftime",
    "then",
    "type",
    "with",
];

impl Host for FunctionHost<'_, '_> {
    fn variable(&mut self, _: &str) -> Option<Ruby> {
        None
    }

    fn may_change(&mut self, _: usize) -> bool {
        self.wants_change = true;
        false
    }

    fn has_other_methods(&self) -> bool {
        true
    }

    fn call(&mut self, receiver: Option<&Foreign>, name: &str, args: &[Ruby]) -> Answer {
        let Some(foreign) = receiver else { return self.call_self(name, args) };
        if let Some(value) = foreign.inner.downcast_ref::<Value>() {
            let value = value.clone();
            return self.call_value(&value, name, args);
        }
        match foreign.inner.downcast_ref::<ProcessReference>() {
            Some(ProcessReference::Scope(scope)) => self.call_scope(*scope, name, args, false),
            Some(ProcessReference::Module(module)) => self.call_module(module, name, args),
            Some(ProcessReference::Version(version)) => Self::call_version(version, name, args),
            None => match (name, args) {
                ("new", [text]) if text.as_text().is_some() => {
                    let exception = Exception {
                        class: Class::HOST_ERROR,
                        class_name: Some(foreign.text.clone()),
                        message: text.as_text().unwrap_or_default(),
                        line: 0,
                        host_error: None,
                    };
                    Ok(Some(Ruby::Exception(Rc::new(exception))))
                }
                _ => beyond(format!("`{name}' of {}", foreign.text)),
            },
        }
    }

    fn constant(&mut self, path: &str) -> Option<Ruby> {
        let module = |name: &'static str| {
            Some(foreign("Module", name, Rc::new(ProcessReference::Module(name))))
        };
        match path {
            "Puppet" => module("Puppet"),
            "Puppet::Parser::Functions" => module("Puppet::Parser::Functions"),
            "Gem::Version" => module("Gem::Version"),
            VERSION_NAME => Some(Ruby::str(VERSION).frozen()),
            _ => {
                let is_known =
                    path.starts_with("Puppet::") && EXCEPTIONS.iter().any(|(n, _)| *n == path);
                is_known.then(|| foreign(HOST_CLASS, path, Rc::new(())))
            }
        }
    }

    fn is_exception(&self, raised: &str, class: &str) -> Option<bool> {
        let mut at = raised;
        loop {
            if at == class {
                return Some(true);
            }
            match EXCEPTIONS.iter().find(|(name, _)| *name == at) {
                Some((_, parent)) => at = parent,
                None if at == "Exception" => return Some(false),
                None => return None,
            }
        }
    }

    fn call_class(&mut self, class: &str, name: &str, args: &[Ruby]) -> Answer {
        let ("File", [path]) = (class, args) else { return Ok(None) };
        let Some(path) = path.as_text().filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        let path = std::path::Path::new(path.as_str());
        let kind = |this: &Self| this.compiler.env.world.kind(path);
        Ok(match name {
            "exist?" | "exists?" => Some(Ruby::Bool(kind(self).is_some())),
            "file?" => Some(Ruby::Bool(kind(self) == Some(EntryKind::File))),
            "directory?" => Some(Ruby::Bool(kind(self) == Some(EntryKind::Directory))),
            "read" => {
                let content = self.compiler.env.content(path).ok();
                let text = content.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
                text.map(Ruby::str)
            }
            _ => None,
        })
    }

    fn call_with_block(
        &mut self,
        receiver: &Foreign,
        name: &str,
        args: &[Ruby],
    ) -> Result<Option<BlockCall>, HostError> {
        let context = receiver.inner.downcast_ref::<Value>();
        let is_context =
            matches!(context, Some(Value::Object(object)) if object.kind.name == CONTEXT);
        match (name, args) {
            ("cached_file_data", [path]) if is_context => {
                let Some(path) = path.as_text() else { return beyond("a path that is not text") };
                let path = std::path::PathBuf::from(path.as_str());
                if let Some(known) = self.compiler.ruby.file_values.get(&path) {
                    return Ok(Some(BlockCall::Done(known.clone())));
                }
                match self.compiler.text_for_ruby(&path) {
                    Ok(text) => Ok(Some(BlockCall::Yield(vec![Ruby::str(text)]))),
                    Err(_) => beyond("a file that cannot be read"),
                }
            }
            ("explain", []) if is_context && self.compiler.hiera.explainer.is_none() => {
                Ok(Some(BlockCall::Done(Ruby::Nil)))
            }
            _ => beyond(format!("`{name}' with a block")),
        }
    }

    fn end_block_call(
        &mut self,
        _: &Foreign,
        _: &str,
        args: &[Ruby],
        given: Ruby,
    ) -> Result<Ruby, HostError> {
        if let Some(path) = args.first().and_then(Ruby::as_text) {
            let path = std::path::PathBuf::from(path.as_str());
            self.compiler.ruby.file_values.insert(path, given.clone());
        }
        Ok(given)
    }

    fn self_name(&self) -> EcoString {
        "main:Object".into()
    }
}

/// The name of lambdas in a journal.
pub(super) const BLOCK: &str = "";

/// The class of errors of the compile.
pub(super) const ERROR: &str = "Puppet::PreformattedError";

/// The reason why a call has no value.
pub(super) enum CallFailure {
    /// An error or a jump.
    Unwind(Box<Unwind>),
    /// The process has to do it.
    Process,
}
