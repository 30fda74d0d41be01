//! Data functions of users, and the context that they are called with.

use std::hash::{Hash as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;

use super::config::FunctionKind;
use super::key::LookupKey;
use super::lookup::{Lookup, lookup_error, unwind};
use crate::error::{EvalResult, Unwind, plain};
use crate::functions::support::element_type;
use crate::hiera::state::{
    ContextState, FileData, FunctionCheck, Location, Provider, ResolvedLevel,
};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::types::mismatch::describe_mismatch;
use crate::types::object::lookup_context::{CONTEXT, context_type};
use crate::types::{SizeRange, Type, infer, is_assignable};
use crate::value::closure::{Closure, ScopeId};
use crate::value::{HashValue, IteratorValue, Key, Object, Value};

/// The attribute with the number of a context.
const ID: &str = "id";

impl Lookup<'_, '_> {
    /// The value of a key from a function.
    pub(super) fn call_level_function(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        location: Option<&Location>,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        let id = self.context_of(level, location);
        if level.kind != FunctionKind::Hiera3Backend {
            self.check_function(provider, level, id)?;
        }
        let call = FunctionCall { provider, level, location, id };
        match level.kind {
            FunctionKind::DataHash | FunctionKind::V4DataHash => self.ask_hash_function(&call, key),
            FunctionKind::LookupKey => self.ask_key_function(&call, key),
            FunctionKind::DataDig => self.ask_dig_function(&call, key),
            FunctionKind::Hiera3Backend => self.ask_backend(provider, level, key),
        }
    }

    /// The context of the function of a level.
    pub(super) fn context_of(
        &mut self,
        level: &ResolvedLevel,
        location: Option<&Location>,
    ) -> usize {
        let slot = location.map_or(&level.context, |location| &location.context);
        let contexts = &mut self.c.hiera.contexts;
        *slot.get_or_init(|| {
            contexts.push(ContextState::default());
            contexts.len() - 1
        })
    }

    /// # Errors
    /// When the function of a level does not exist, or its return type is not data.
    fn check_function(
        &mut self,
        provider: &Provider,
        level: &ResolvedLevel,
        id: usize,
    ) -> EvalResult<()> {
        if self.c.hiera.contexts[id].check.is_some() {
            return Ok(());
        }
        let name = &level.function;
        self.c.env.find_function(name).map_err(|unwind| self.of_lookup(unwind))?;
        if self.c.has_function(name) {
            let check = self.check_return_types(level)?;
            self.c.hiera.contexts[id].check = Some(check);
            return Ok(());
        }
        let path = provider.config.path.clone();
        let span = path.as_deref().and_then(|path| self.place(path, self.line_of(path, name)));
        let tag = level.kind.tag();
        let mut fault = unwind(
            Some("HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND"),
            format!("Unable to find '{tag}' function named '{name}'"),
            span,
        );
        if let Unwind::Error(error) = &mut *fault {
            let text = "backends that gems bring are not known: they can be put into `lib/puppet/functions` of a module";
            error.help.push(text.to_owned());
            error.help.extend(self.c.env.missing_member_help(name, None));
        }
        Err(fault)
    }

    fn check_return_types(&mut self, level: &ResolvedLevel) -> EvalResult<FunctionCheck> {
        let span = self.span.or_else(|| self.config_span());
        let Some(types) = self.c.return_types(&level.function, span)? else {
            return Ok(FunctionCheck::Untyped);
        };
        let wanted = match level.kind {
            FunctionKind::DataHash | FunctionKind::V4DataHash => {
                Type::Hash(Arc::new((Type::RichDataKey, Type::RichData)), SizeRange::ANY_SIZE)
            }
            _ => Type::RichData,
        };
        let (tag, name) = (level.kind.tag(), &level.function);
        for kind in types {
            if !is_assignable(&wanted, &kind) {
                let subject =
                    format!("Return type of '{tag}' function named '{name}' is incorrect,");
                return self.error(describe_mismatch(&subject, &wanted, &kind));
            }
        }
        Ok(FunctionCheck::Typed)
    }

    /// The line of a configuration that has a function's name.
    pub(super) fn line_of(&self, path: &Path, name: &str) -> Option<u32> {
        let text = crate::hiera::text::read_text(self.c.env.world.as_ref(), path).ok()?;
        let has = |line: &str| line.split(" #").next().is_some_and(|code| code.contains(name));
        text.lines().position(has).map(|line| line as u32 + 1)
    }

    fn ask_hash_function(
        &mut self,
        call: &FunctionCall<'_>,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        let known = self.c.hiera.contexts[call.id].hash.clone();
        let hash = match known {
            Some(hash) => hash,
            None => {
                let Some(value) = self.call(call, Vec::new())? else {
                    self.explain(|e| e.not_found(key.root.clone()));
                    return Ok(None);
                };
                let subject = call.subject("Value returned from");
                let Value::Hash(hash) = value else {
                    let got = match &value {
                        Value::Type(_) => infer(&value).to_string(),
                        other => super::text::type_word(other).to_owned(),
                    };
                    return self.error(format!(
                        "{subject} has wrong type, expects a Hash value, got {got}"
                    ));
                };
                let hash = self.qualified_only(call, &subject, hash);
                self.c.hiera.contexts[call.id].hash = Some(Arc::clone(&hash));
                hash
            }
        };
        match hash.get(&Key(&key.root)) {
            Some(value) => {
                self.check_value(call, "in hash returned from", key, value)?;
                let value = self.interpolate(value, true)?;
                self.explain(|e| e.found(key.root.clone(), value.clone()));
                Ok(Some(value))
            }
            None => {
                self.explain(|e| e.not_found(key.root.clone()));
                Ok(None)
            }
        }
    }

    /// # Errors
    /// When the result of a function is not data.
    fn check_value(
        &self,
        call: &FunctionCall<'_>,
        how: &str,
        key: &LookupKey,
        value: &Value,
    ) -> EvalResult<()> {
        let is_typed = self.c.hiera.contexts[call.id].check == Some(FunctionCheck::Typed);
        if is_typed || super::files::holds_data(value) {
            return Ok(());
        }
        let subject = call.subject(&format!("Value for key '{}', {how}", key.root));
        let got = infer(value);
        lookup_error(format!("{subject} has wrong type, expects Puppet::LookupValue, got {got}"))
    }

    /// The entries whose keys belong to the module, if the layer is that of a module.
    fn qualified_only(
        &mut self,
        call: &FunctionCall<'_>,
        subject: &str,
        hash: Arc<HashValue>,
    ) -> Arc<HashValue> {
        let Some(module) = call.provider.module() else { return hash };
        let own = |key: &Value| {
            let text = key.as_str().unwrap_or_default();
            let rest = text.strip_prefix(module.as_str());
            text == "lookup_options" || rest.is_some_and(|rest| rest.starts_with("::"))
        };
        for key in hash.keys().filter(|key| !own(key)) {
            let key = crate::value::ruby::ruby_text(key);
            let text = format!(
                "Module '{module}': {subject} must use keys qualified with the name of the \
                 module; got {key}"
            );
            self.c.warn(text, None);
        }
        let kept = hash.iter().filter(|(key, _)| own(key));
        Arc::new(kept.map(|(k, v)| (k.clone(), v.clone())).collect())
    }

    fn ask_key_function(
        &mut self,
        call: &FunctionCall<'_>,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        let known = self.c.hiera.contexts[call.id].values.get(&key.root).cloned();
        let value = match known {
            Some(value) => Some(value),
            None => self.call_key_function(call, key)?,
        };
        let Some(value) = value else {
            self.explain(|e| e.not_found(key.root.clone()));
            return Ok(None);
        };
        self.check_value(call, "returned from", key, &value)?;
        self.c.hiera.contexts[call.id].values.insert(key.root.clone(), value.clone());
        self.explain(|e| e.found(key.root.clone(), value.clone()));
        Ok(Some(value))
    }

    fn ask_dig_function(
        &mut self,
        call: &FunctionCall<'_>,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        let known = self.c.hiera.contexts[call.id].values.get(&key.text).cloned();
        let value = match known {
            Some(value) => Some(value),
            None => self.call(call, vec![Value::array(key.to_values())])?,
        };
        let Some(value) = value else {
            self.explain(|e| e.not_found(key.text.clone()));
            return Ok(None);
        };
        self.check_value(call, "returned from", key, &value)?;
        self.c.hiera.contexts[call.id].values.insert(key.text.clone(), value.clone());
        self.explain(|e| e.found(key.text.clone(), value.clone()));
        Ok(Some(key.undig(value)))
    }

    /// Calls the function; `None` if it reported that it found nothing.
    pub(super) fn call(
        &mut self,
        call: &FunctionCall<'_>,
        args: Vec<Value>,
    ) -> EvalResult<Option<Value>> {
        let Some(span) = self.span.or_else(|| self.config_span()) else {
            return lookup_error(format!("'{}' cannot be called here", call.level.function));
        };
        let args = self.arguments(call, args);
        let result = self.c.call_function(&call.level.function, args, None, self.scope, span);
        let not_found = std::mem::take(&mut self.c.hiera.contexts[call.id].not_found);
        match result {
            Ok(value) => Ok(Some(value)),
            Err(_) if not_found => Ok(None),
            Err(unwind) => Err(self.of_lookup(unwind)),
        }
    }

    /// Calls the function of levels in turn until it finds a value. Returns the number of calls, and
    /// the value if the last call found one.
    pub(super) fn call_until_found(
        &mut self,
        calls: &[FunctionCall<'_>],
        args: &[Value],
    ) -> EvalResult<(usize, Option<Value>)> {
        let [first, ..] = calls else { return Ok((0, None)) };
        let span = self.span.or_else(|| self.config_span());
        let all = calls.iter().map(|call| self.arguments(call, args.to_vec())).collect::<Vec<_>>();
        let at = span.map(|span| (self.scope, span));
        let function = &first.level.function;
        let Some(result) = at.and_then(|at| self.c.call_ruby_until_found(function, &all, at))
        else {
            return self.call(first, args.to_vec()).map(|value| (1, value));
        };
        let contexts = &mut self.c.hiera.contexts;
        let not_found =
            calls.iter().rposition(|call| std::mem::take(&mut contexts[call.id].not_found));
        match (result, not_found) {
            (Ok((at, value)), _) => Ok((at + 1, Some(value))),
            (Err(_), Some(at)) => Ok((at + 1, None)),
            (Err(unwind), None) => Err(self.of_lookup(unwind)),
        }
    }

    /// The arguments for the next call of a function.
    fn arguments(&mut self, call: &FunctionCall<'_>, mut args: Vec<Value>) -> Vec<Value> {
        if call.level.kind != FunctionKind::V4DataHash {
            let mut options = call.level.options.as_hash().cloned().unwrap_or_default();
            options.extend(call.location.map(Location::option));
            args.push(Value::Hash(Arc::new(options)));
            args.push(self.context_object(call));
        }
        let state = &mut self.c.hiera.contexts[call.id];
        state.scope = Some(self.scope);
        state.not_found = false;
        args
    }

    fn context_object(&self, call: &FunctionCall<'_>) -> Value {
        let module = call.provider.module().map_or(Value::Undef, |m| Value::Str(m.clone()));
        let values = [
            ("environment_name", Value::symbol(&self.c.env.name)),
            ("module_name", module),
            (ID, Value::Int(call.id as i64)),
        ];
        let values = values.into_iter().map(|(k, v)| (k.into(), v)).collect();
        Value::Object(Arc::new(Object { kind: context_type(), values }))
    }
}

/// A function of a level that is called for a location.
#[derive(Clone, Copy)]
pub(super) struct FunctionCall<'l> {
    pub provider: &'l Provider,
    pub level: &'l ResolvedLevel,
    pub location: Option<&'l Location>,
    /// The number of its state.
    pub id: usize,
}

impl FunctionCall<'_> {
    fn subject(&self, what: &str) -> String {
        let name = &self.level.function;
        let tag = match self.level.kind {
            FunctionKind::V4DataHash => "deprecated API",
            kind => kind.tag(),
        };
        match self.location {
            Some(location) => {
                let shown = location.shown();
                format!("{what} {tag} function '{name}', when using location '{shown}',")
            }
            None => format!("{what} {tag} function '{name}'"),
        }
    }
}

/// Whether this is a context that belongs to no compile yet.
pub(crate) fn is_loose_context(object: &Object) -> bool {
    object.kind.name == CONTEXT && !object.values.contains_key(ID)
}

/// The index of a context in the compile, if the value is a context.
fn context_id(value: &Value) -> Option<usize> {
    match value {
        Value::Object(object) if object.kind.name == CONTEXT => {
            object.values.get(ID).and_then(Value::as_int).and_then(|id| usize::try_from(id).ok())
        }
        _ => None,
    }
}

/// The state of a context that decides which calls the process of a function can answer itself.
pub(crate) struct ContextUse {
    /// Tells it from others of the compile.
    pub number: usize,
    /// Whether it has something in its cache here.
    pub has_cache: bool,
    /// Whether somebody wants to know how values are found.
    pub is_explained: bool,
}

impl Compiler<'_> {
    /// The state of a context, if the value is one.
    pub(crate) fn context_use(&self, value: &Value) -> Option<ContextUse> {
        let number = context_id(value)?;
        let has_cache = !self.hiera.contexts.get(number)?.cache.is_empty();
        Some(ContextUse { number, has_cache, is_explained: self.hiera.explainer.is_some() })
    }

    /// Calls a method of a `Puppet::LookupContext`; `None` if the receiver is something else or has
    /// no such method. The receiver is the first argument.
    pub(crate) fn call_context(
        &mut self,
        method: &str,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> Option<EvalResult> {
        let id = context_id(args.first()?)?;
        if id >= self.hiera.contexts.len() {
            return None;
        }
        let arg = |i: usize| args.get(i).cloned().unwrap_or_default();
        let expected = match method {
            "not_found" | "explain" | "cached_entries" => 0,
            "interpolate" | "cache_all" | "cache_has_key" | "cached_value" | "cached_file_data" => {
                1
            }
            "cache" => 2,
            _ => return None,
        };
        if args.len() != expected + 1 {
            let given = match args.len() - 1 {
                0 => "none".to_owned(),
                given => given.to_string(),
            };
            let expected = match expected {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                more => format!("{more} arguments"),
            };
            return Some(plain(format!(
                "'function {CONTEXT}[{method}]' expects {expected}, got {given}"
            )));
        }
        let state = &mut self.hiera.contexts[id];
        Some(match method {
            "not_found" => {
                state.not_found = true;
                plain("the key was not found")
            }
            "explain" => self.context_explain(block),
            "interpolate" => {
                let scope = state.scope.unwrap_or(ScopeId::TOP);
                let mut lookup = Lookup::new(self, scope, None);
                lookup.nested = 1;
                lookup.interpolate(&arg(1), true)
            }
            "cache" => {
                state.cache.insert(arg(1), arg(2));
                Ok(arg(2))
            }
            "cache_all" => {
                let entries = arg(1);
                let entries = entries.as_hash().into_iter().flatten();
                state.cache.extend(entries.map(|(k, v)| (k.clone(), v.clone())));
                Ok(Value::Undef)
            }
            "cache_has_key" => Ok(Value::Bool(state.cache.contains_key(&arg(1)))),
            "cached_value" => Ok(state.cache.get(&arg(1)).cloned().unwrap_or_default()),
            "cached_entries" => self.context_entries(id, block),
            _ => self.context_file(&arg(1), block),
        })
    }

    /// The context for an object that code made with `new`.
    pub(crate) fn new_context(&mut self, made: &Object) -> Value {
        self.hiera.contexts.push(ContextState::default());
        let id = self.hiera.contexts.len() - 1;
        let module = made.values.get("module_name").cloned().unwrap_or_default();
        let values = [
            ("environment_name", Value::symbol(&self.env.name)),
            ("module_name", module),
            (ID, Value::Int(id as i64)),
        ];
        let values = values.into_iter().map(|(k, v)| (k.into(), v)).collect();
        Value::Object(Arc::new(Object { kind: context_type(), values }))
    }

    fn context_explain(&mut self, block: Option<&Arc<Closure>>) -> EvalResult {
        if self.hiera.explainer.is_some()
            && let Some(block) = block
        {
            let text = self.call_closure(block, &[])?;
            let text = crate::value::ruby::ruby_text(&text);
            if let Some(explainer) = &mut self.hiera.explainer {
                explainer.text(text);
            }
        }
        Ok(Value::Undef)
    }

    fn context_entries(&mut self, id: usize, block: Option<&Arc<Closure>>) -> EvalResult {
        let entries: Vec<(Value, Value)> =
            self.hiera.contexts[id].cache.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        let pair = |(k, v): (Value, Value)| Value::array([k, v]);
        let Some(block) = block else {
            let whole = Value::Hash(Arc::new(entries.iter().cloned().collect()));
            let element = Arc::new(element_type(&whole));
            let stated_len = entries.len();
            let items = entries.into_iter().map(pair).collect();
            return Ok(Value::Iterator(Arc::new(IteratorValue { items, element, stated_len })));
        };
        for (key, value) in entries {
            let args = match block.signature.max() {
                Some(2) => vec![key, value],
                _ => vec![pair((key, value))],
            };
            self.call_closure(block, &args)?;
        }
        Ok(Value::Undef)
    }

    fn context_file(&mut self, path: &Value, block: Option<&Arc<Closure>>) -> EvalResult {
        let path = super::levels::path_of(&crate::value::ruby::ruby_text(path));
        if let Some(known) = self.hiera.file_data.get(&path) {
            return Ok(known.value());
        }
        let data = match (super::text::text_for_code(self.env.world.as_ref(), &path), block) {
            (Ok(text), Some(block)) => self.call_closure(block, &[Value::from(text)])?,
            (Ok(text), None) => Value::from(text),
            (Err(message), _) => return plain(message),
        };
        self.hiera.file_data.insert(path, FileData::Value(data.clone()));
        Ok(data)
    }

    /// The text of a file for a function of a level.
    pub(crate) fn text_for_ruby(&self, path: &Path) -> Result<String, String> {
        super::text::text_for_code(self.env.world.as_ref(), path)
    }

    /// The stamp of a file, and its text unless `known` is that stamp.
    pub(crate) fn file_for_ruby(
        &mut self,
        path: &str,
        known: Option<&str>,
    ) -> EvalResult<(String, Option<String>)> {
        let path = super::levels::path_of(path);
        if let Some(stamp) = self.hiera.file_stamps.get(&path).filter(|s| Some(&***s) == known) {
            return Ok((stamp.clone(), None));
        }
        let text = match super::text::text_for_code(self.env.world.as_ref(), &path) {
            Ok(text) => text,
            Err(message) => return plain(message),
        };
        let mut hasher = std::hash::DefaultHasher::new();
        text.hash(&mut hasher);
        let stamp = format!("{:x}.{:x}", text.len(), hasher.finish());
        self.hiera.file_stamps.insert(path, stamp.clone());
        let is_known = known == Some(&*stamp);
        Ok((stamp, (!is_known).then_some(text)))
    }
}
