//! One lookup: its request, the state that it shares with nested lookups, and its end.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{SourceMap, Span};

use super::explain::{Explainer, Node};
use super::files::SyntaxFault;
use super::key::{LookupKey, Segment};
use super::merge::Strategy;
use crate::catalog::{DataPlace, LookupCall};
use crate::error::{EvalError, EvalResult, Unwind, plain, puppets};
use crate::hiera::state::{Answers, Budget, CachedLevels};
use crate::hiera::state::{Found, Request, TrackedVariable};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::scope::{ScopeKind, not_reserved};
use crate::types::Type;
use crate::types::mismatch::assert_instance;
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Key, Value};
use ordain_graph::language::Strict;

/// A lookup that runs.
pub(super) struct Lookup<'c, 'e> {
    pub c: &'c mut Compiler<'e>,
    pub scope: ScopeId,
    pub span: Option<Span>,
    pub overrides: Arc<HashValue>,
    pub defaults: Arc<HashValue>,
    /// Whether only the global layer is searched.
    pub global_only: bool,
    /// Whether the call is `hiera` or one of its variants.
    pub old_call: bool,
    /// Paths that a call adds in front of those of version 3.
    pub first_paths: Vec<EcoString>,
    /// The merge strategy for the values of the current level.
    pub strategy: Strategy,
    /// Whether variables are seen as version 3 sees them.
    pub old_scope: bool,
    /// Whether unknown variables are only warned about.
    pub lenient: bool,
    pub module: Option<EcoString>,
    pub top: EcoString,
    /// A variable that only exists for a mapped path.
    pub local: Option<(EcoString, Value)>,
    /// Variables that paths depend on, while they are resolved.
    pub tracked: Option<Vec<TrackedVariable>>,
    /// Whether one of them was read since this was last set.
    pub depends: bool,
    /// The unknown variable that ended an interpolation.
    pub undefined: Option<String>,
    pub places: Vec<DataPlace>,
    /// Whether no data has a value, so that the result is a default.
    has_no_data: bool,
    /// The number of names that were being resolved when this lookup began.
    pub base: usize,
    /// The number of lookups around this one.
    pub nested: usize,
    /// The levels that are being searched.
    pub levels: Option<Arc<CachedLevels>>,
    /// Answers of levels that the lookup has not reached yet.
    pub answers: Answers,
}

/// An error of a lookup, without a place in the program.
pub(super) fn lookup_error<T>(message: impl Into<String>) -> EvalResult<T> {
    Err(lookup_unwind(message))
}

pub(super) fn lookup_unwind(message: impl Into<String>) -> Box<Unwind> {
    unwind(None, message, None)
}

/// The error of a data file, with its lines.
pub(super) fn data_fault(fault: &SyntaxFault, path: &Path, sources: &SourceMap) -> Box<Unwind> {
    let mut unwind = lookup_unwind(fault.message.clone());
    if let Unwind::Error(error) = &mut *unwind {
        error.focus = fault.label(path, sources);
        error.help.extend(fault.help.map(ToOwned::to_owned));
    }
    unwind
}

/// An error with an issue code of Hiera, at the place in a configuration if there is one.
pub(super) fn unwind(
    issue: Option<&'static str>,
    message: impl Into<String>,
    span: Option<Span>,
) -> Box<Unwind> {
    let issue = issue.map(Into::into);
    EvalError { issue, span, ..EvalError::without_place(message) }.into()
}

/// The text of an error.
pub(super) fn message_of(unwind: &Unwind) -> String {
    match unwind {
        Unwind::Error(error) => error.message.clone(),
        Unwind::Plain(error) => error.message.clone(),
        Unwind::Next(..) | Unwind::Return(..) | Unwind::Break(_) => "unexpected jump".to_owned(),
    }
}

impl<'c, 'e> Lookup<'c, 'e> {
    pub(super) fn new(c: &'c mut Compiler<'e>, scope: ScopeId, span: Option<Span>) -> Self {
        if c.hiera.stack.is_empty() {
            (c.hiera.expressions, c.hiera.bytes) = (0, 0);
        }
        let base = c.hiera.stack.len();
        Self {
            base,
            c,
            scope,
            span,
            overrides: Arc::default(),
            defaults: Arc::default(),
            global_only: false,
            old_call: false,
            first_paths: Vec::new(),
            strategy: Strategy::First,
            old_scope: false,
            lenient: false,
            module: None,
            top: EcoString::new(),
            local: None,
            tracked: None,
            depends: false,
            undefined: None,
            places: Vec::new(),
            has_no_data: false,
            nested: 0,
            levels: None,
            answers: Answers::default(),
        }
    }

    pub(super) fn explain(&mut self, tell: impl FnOnce(&mut Explainer)) {
        if let Some(explainer) = &mut self.c.hiera.explainer {
            tell(explainer);
        }
    }

    /// Runs code as part of a node of the record.
    pub(super) fn with<T>(
        &mut self,
        node: impl FnOnce() -> Node,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.c.hiera.explainer.is_none() {
            return body(self);
        }
        self.explain(|e| e.push(node()));
        let result = body(self);
        self.explain(Explainer::pop);
        result
    }

    /// Runs code while a name is being resolved; fails if the name is being resolved already.
    pub(super) fn check<T>(
        &mut self,
        name: &EcoString,
        body: impl FnOnce(&mut Self) -> EvalResult<T>,
    ) -> EvalResult<T> {
        if self.c.hiera.stack.contains(name) {
            let names = self.c.hiera.stack.join(", ");
            return lookup_error(format!("Recursive lookup detected in [{names}]"));
        }
        self.c.hiera.stack.push(name.clone());
        let result = body(self);
        self.c.hiera.stack.pop();
        result
    }

    /// The error of a function that a level calls. One of Puppet's own becomes an error of the
    /// lookup, which has the place in its text.
    pub(super) fn of_lookup(&self, mut unwind: Box<Unwind>) -> Box<Unwind> {
        match &mut *unwind {
            Unwind::Plain(error) if error.is_puppets && error.issue.is_none() => {
                let mut out = lookup_unwind(std::mem::take(&mut error.message));
                if let Unwind::Error(placed) = &mut *out {
                    placed.help.extend(error.help.take());
                    (placed.focus, placed.related) =
                        (error.focus.take(), std::mem::take(&mut error.related));
                }
                out
            }
            Unwind::Error(error)
                if error.issue.is_some()
                    && error.code.is_none()
                    && error.diagnostics.is_empty()
                    && !error.line_only
                    && !error.is_jump =>
            {
                let place = self.c.full_place(error.span, false);
                error.message = format!("Evaluation Error: {}{place}", error.message);
                let at = error.span.take().map(|span| (span, String::new()));
                error.focus = error.focus.take().or(at);
                (error.issue, error.line_only) = (None, true);
                unwind
            }
            _ => unwind,
        }
    }

    /// Charges the cost of an interpolation.
    pub(super) fn spend(&mut self, expressions: u64, bytes: u64) -> EvalResult<()> {
        let mut budget = Budget::default();
        let cache = &mut self.c.hiera;
        if cache.explainer.is_some() {
            budget.expressions /= 10; // Each leaves a good part of a kilobyte in the record.
        }
        cache.expressions += expressions;
        cache.bytes += bytes;
        if cache.stack.len() > 2 * budget.depth || self.nested > budget.depth {
            return lookup_error("Interpolations are nested too deep");
        }
        if cache.expressions > budget.expressions || cache.bytes > budget.bytes {
            return lookup_error("Interpolations make the value too large");
        }
        Ok(())
    }

    /// An error of the function that looked up, or, inside of a search, of the lookup itself.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> EvalResult<T> {
        match self.c.hiera.stack.len() <= self.base {
            true => puppets(message),
            false => lookup_error(message),
        }
    }

    pub(super) fn assert_type(
        &self,
        subject: &str,
        kind: Option<&Arc<Type>>,
        value: Value,
    ) -> EvalResult {
        let Some(kind) = kind else { return Ok(value) };
        match assert_instance(subject, kind, &value) {
            Ok(()) => Ok(value),
            Err(unwind) => self.error(message_of(&unwind)),
        }
    }

    /// Runs a request; `None` if nothing was found and it has no default.
    pub(super) fn run(&mut self, request: &Request) -> EvalResult<Option<Value>> {
        self.overrides = Arc::clone(&request.overrides);
        self.defaults = Arc::clone(&request.defaults);
        let kind = request.value_type.as_ref();
        for name in &request.names {
            let found = match request.overrides.get(&Key(name)) {
                Some(value) => {
                    let subject = format!("Value found for key '{name}' in override hash");
                    Some(self.assert_type(&subject, kind, value.clone())?)
                }
                None => self.find(name, &request.merge)?,
            };
            if let Some(value) = found {
                return self.assert_type("Found value", kind, value).map(Some);
            }
        }
        self.has_no_data = true;
        for name in &request.names {
            if let Some(value) = request.defaults.get(&Key(name)) {
                let subject = format!("Value found for key '{name}' in default values hash");
                return self.assert_type(&subject, kind, value.clone()).map(Some);
            }
        }
        match &request.default {
            Some(value) => self.assert_type("Default value", kind, value.clone()).map(Some),
            None => Ok(None),
        }
    }

    /// Records where a call found its value, for explanations.
    pub(super) fn record_call(&mut self, names: &[EcoString], found: Option<&Value>, span: Span) {
        if !self.c.settings.has_history {
            return;
        }
        let within = self.c.scopes.get(self.scope).resource;
        let places = std::mem::take(&mut self.places);
        let default_of = names.first().filter(|_| self.has_no_data).cloned();
        let secret = found.filter(|value| has_sensitive(value)).cloned();
        self.c.catalog.lookups.push(LookupCall { span, within, places, default_of, secret });
    }

    /// The value of another key inside of this lookup; the empty text if it is not found.
    pub(super) fn nested(&mut self, name: &str) -> EvalResult {
        let name = EcoString::from(name);
        if let Some(value) = self.overrides.get(&Key(&name)) {
            return Ok(value.clone());
        }
        let saved = (self.module.take(), std::mem::take(&mut self.top), self.old_scope);
        if !self.global_only {
            self.old_scope = false;
        }
        self.nested += 1;
        let found = self.find(&name, &Value::Undef);
        self.nested -= 1;
        (self.module, self.top, self.old_scope) = saved;
        let found = found?.or_else(|| self.defaults.get(&Key(&name)).cloned());
        Ok(found.unwrap_or_else(|| Value::str("")))
    }

    /// The value of a key in data.
    pub(super) fn find(&mut self, name: &EcoString, merge: &Value) -> EvalResult<Option<Value>> {
        if name == "lookup_options" || name.starts_with("lookup_options.") {
            self.explain(|e| e.leaf(Node::InvalidKey("lookup_options".into())));
            return Ok(None);
        }
        let Some(key) = LookupKey::parse(name) else {
            return lookup_error(format!("Syntax error in key: '{name}'"));
        };
        self.module = key.module.clone();
        self.top = name.clone();
        if self.c.hiera.explainer.as_ref().is_some_and(|e| e.only_options) {
            let options = LookupKey::parse(&"lookup_options".into());
            if let Some(options) = options {
                self.in_layers(&options, &Value::from("hash"))?;
            }
            return Ok(Some(Value::Undef));
        }
        let options = self.options_of(&key)?;
        if let Some(odd) = options.as_ref().filter(|options| !may_be_options(options)) {
            let got = super::text::type_word(odd);
            return self.error(format!("lookup_options of '{name}' must be a Hash, got {got}"));
        }
        let own = merge.is_undef().then(|| options.as_ref().and_then(|o| o.get("merge"))).flatten();
        if own.is_some_and(|own| !own.is_undef()) {
            self.explain(|e| e.leaf(Node::MergeSource("lookup_options")));
        }
        let merge = own.unwrap_or(merge).clone();
        let found = self.with(
            || Node::Search { key: name.clone(), meta: false },
            |lookup| match lookup.in_layers(&key, &merge)? {
                Some(value) => Ok(Some(value)),
                None if lookup.global_only => Ok(None),
                None => match lookup.in_module_defaults(&key)? {
                    Some(value) => lookup.dig_key(&key, value),
                    None => Ok(None),
                },
            },
        )?;
        match (found, options.as_ref().and_then(|o| o.get("convert_to"))) {
            (Some(value), Some(to)) if !to.is_undef() => {
                let converted = self.convert(&key, value, to)?;
                if converted.holds_sensitive() {
                    self.explain(Explainer::hide_last_search);
                }
                Ok(Some(converted))
            }
            (found, _) => Ok(found),
        }
    }

    fn convert(&mut self, key: &LookupKey, value: Value, to: &Value) -> EvalResult {
        let mut steps = match to {
            Value::Array(steps) => (**steps).clone(),
            other => vec![other.clone()],
        };
        let name = &key.text;
        let Some(span) = self.span.or_else(|| self.config_span()) else {
            return lookup_error(format!("The convert_to lookup_option for key '{name}' failed"));
        };
        if let Some(Value::Str(source)) = steps.first().cloned() {
            let kind = self.c.type_of_text(&source, span).map_err(|e| {
                let why = message_of(&e);
                lookup_unwind(format!(
                    "Invalid data type in lookup_options for key '{name}' could not parse \
                     '{source}', error: '{why}"
                ))
            })?;
            steps[0] = Value::of_type(kind);
        }
        if steps.is_empty() {
            steps.push(Value::Undef);
        }
        let mut args = steps.clone();
        args.insert(1.min(args.len()), value);
        let result = self.c.call_function("new", args, None, self.scope, span).map_err(|e| {
            let why = message_of(&e);
            lookup_unwind(format!(
                "The convert_to lookup_option for key '{name}' raised error: {why}"
            ))
        })?;
        if self.c.hiera.explainer.is_some() {
            let text = [Value::of_type(Type::String(crate::types::IntRange::ANY_SIZE))];
            let args = text.into_iter().chain([Value::array(steps)]).collect();
            let shown = self.c.call_function("new", args, None, self.scope, span)?;
            let shown = crate::value::ruby::ruby_text(&shown);
            self.explain(|e| {
                e.text(format!("Applying convert_to lookup_option with arguments {shown}"));
            });
        }
        Ok(result)
    }

    /// Digs for the segments of a key in the value of its root.
    pub(super) fn dig_key(&mut self, key: &LookupKey, value: Value) -> EvalResult<Option<Value>> {
        if key.segments.is_empty() {
            return Ok(Some(value));
        }
        self.dig(&key.text, &key.segments, value)
    }

    pub(super) fn dig(
        &mut self,
        key: &str,
        segments: &[Segment],
        value: Value,
    ) -> EvalResult<Option<Value>> {
        let shown = || segments.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        self.with(
            || Node::SubKey(shown().into()),
            |lookup| {
                let mut value = value;
                for segment in segments {
                    let step = lookup.with(|| Node::Segment, |l| l.dig_one(key, segment, &value));
                    match step? {
                        Some(inner) => value = inner,
                        None => return Ok(None),
                    }
                }
                Ok(Some(value))
            },
        )
    }

    fn dig_one(
        &mut self,
        key: &str,
        segment: &Segment,
        value: &Value,
    ) -> EvalResult<Option<Value>> {
        let name = || ecow::eco_format!("{segment}");
        let fits = match value {
            Value::Undef | Value::Hash(_) => true,
            Value::Array(_) => matches!(segment, Segment::Index(_)),
            _ => false,
        };
        if !fits {
            let class = crate::value::ruby::ruby_class(value);
            return lookup_error(format!(
                "Data Provider type mismatch: Got {class} when a hash-like object was expected \
                 to access value using '{segment}' from key '{key}'"
            ));
        }
        match segment.entry(value).cloned() {
            Some(inner) => {
                self.explain(|e| e.found(name(), inner.clone()));
                Ok(Some(inner))
            }
            None => {
                self.explain(|e| e.not_found(name()));
                Ok(None)
            }
        }
    }

    /// The value of a variable in hierarchies and data. `quiet` allows a missing one.
    pub(super) fn variable(&mut self, name: &EcoString, quiet: bool) -> EvalResult<Option<Value>> {
        if let Some((local, value)) = &self.local
            && local == name
        {
            return Ok(Some(value.clone()));
        }
        if self.old_scope {
            match name.as_str() {
                "calling_class" => return Ok(self.calling_class().map(Value::Str)),
                "calling_class_path" => {
                    let path = self.calling_class().map(|c| c.replace("::", "/"));
                    return Ok(path.map(Value::from));
                }
                "calling_module" => return Ok(self.c.variable(self.scope, "module_name")),
                _ => {}
            }
        }
        // The caller notes the part that it reads.
        match self.c.quiet_variable(self.scope, name).cloned() {
            Some(Value::Str(text)) if self.old_scope && text.is_empty() => Ok(None),
            Some(value) => Ok(Some(value)),
            None if quiet || is_built_in(name) => Ok(None),
            None => self.unknown_variable(name).map(|()| None),
        }
    }

    fn calling_class(&self) -> Option<EcoString> {
        let scope = self.c.scopes.get(self.c.scopes.body_scope(self.scope));
        (scope.kind == ScopeKind::Class).then(|| scope.class.clone())
    }

    fn unknown_variable(&mut self, name: &str) -> EvalResult<()> {
        let strict = self.c.settings.strict;
        if strict == Strict::Off {
            return Ok(());
        }
        let (shown, reason) = self.unknown_reason(name)?;
        if strict == Strict::Error && !self.lenient {
            let message = format!("Undefined variable '{shown}'; {reason}");
            self.undefined = Some(shown);
            return plain(message);
        }
        let text = match strict {
            Strict::Error => {
                format!("Interpolation failed with '{shown}', but compilation continuing; {reason}")
            }
            _ => format!("Undefined variable '{shown}'; {reason}"),
        };
        self.warn_once(
            &format!("variable {shown}"),
            format!("{text}\n   (file & line not available)"),
        );
        Ok(())
    }

    /// The name of an unknown variable in messages, and the reason why it is unknown.
    fn unknown_reason(&mut self, name: &str) -> EvalResult<(String, String)> {
        let Some((class, _)) = name.rsplit_once("::") else {
            return Ok((name.to_owned(), String::new()));
        };
        let bare = name.strip_prefix("::").unwrap_or(name);
        let class = class.strip_prefix("::").unwrap_or(class);
        if class.is_empty() {
            return Ok((format!("::{bare}"), String::new()));
        }
        if self.c.env.find_class(class)?.is_none() {
            return Ok((bare.to_owned(), format!("class {class} could not be found")));
        }
        if self.c.scopes.of_class(class).is_none() {
            return Ok((bare.to_owned(), format!("class {class} has not been evaluated")));
        }
        Ok((format!("::{bare}"), String::new()))
    }

    pub(super) fn warn_once(&mut self, what: &str, text: String) {
        if self.c.hiera.warned.insert(what.to_owned()) {
            self.c.warn(text, None);
        }
    }

    /// Remembers that a path depends on a variable.
    pub(super) fn remember(
        &mut self,
        key: &str,
        root: EcoString,
        segments: Vec<Segment>,
        value: Option<Value>,
    ) {
        // Code cannot set a reserved variable, so its value is constant.
        let constant = (key.starts_with("::") && value.is_some()) || not_reserved(&root).is_err();
        let local = self.local.as_ref().is_some_and(|(name, _)| *name == root);
        if let Some(tracked) = self.tracked.as_mut().filter(|_| !constant && !local) {
            self.depends = true;
            let one = TrackedVariable { root, segments, value };
            // Neighbouring levels often have the same variables.
            if !tracked.iter().rev().any(|other| *other == one) {
                tracked.push(one);
            }
        }
    }
}

/// Whether a value may have options. A text has none, but Puppet allows it.
fn may_be_options(value: &Value) -> bool {
    matches!(value, Value::Hash(_) | Value::Str(_) | Value::Undef | Value::Bool(false))
}

fn is_built_in(name: &str) -> bool {
    matches!(name, "module_name" | "caller_module_name")
        || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
}

impl Compiler<'_> {
    /// The value of a class parameter in data, merged and converted as `lookup_options` say.
    ///
    /// # Errors
    /// When a configuration or data file is broken, or an interpolation in it.
    pub fn lookup_parameter(
        &mut self,
        class: &str,
        param: &str,
        scope: ScopeId,
    ) -> EvalResult<Option<Found>> {
        let name = ecow::eco_format!("{class}::{param}");
        let mut lookup = Lookup::new(self, scope, None);
        let value = lookup.find(&name, &Value::Undef)?;
        let places = lookup.places;
        Ok(value.map(|value| Found { value: unshared(&value), places }))
    }

    /// Looks up a request as the function `lookup` does; `None` if nothing is found.
    ///
    /// # Errors
    /// When a configuration, a data file or an interpolation in it is broken, or the value is not
    /// of the requested type.
    pub fn lookup(
        &mut self,
        request: &Request,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<Option<Found>> {
        let mut lookup = Lookup::new(self, scope, Some(span));
        let value = lookup.run(request)?;
        let places = lookup.places;
        Ok(value.map(|value| Found { value: unshared(&value), places }))
    }
}

/// Whether a part of a value is sensitive.
fn has_sensitive(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(items) => items.iter().any(has_sensitive),
        Value::Hash(entries) => entries.values().any(has_sensitive),
        _ => false,
    }
}

/// A copy whose lists and hashes are not shared. Upstream returns new ones from each lookup, and a
/// template that writes YAML writes shared ones once, with an anchor.
pub(super) fn unshared(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().map(unshared)),
        Value::Hash(entries) => {
            // The keys stay, so their hashes need not be computed again.
            let mut entries = HashValue::clone(entries);
            for value in entries.values_mut() {
                if matches!(value, Value::Array(_) | Value::Hash(_)) {
                    *value = unshared(value);
                }
            }
            Value::Hash(entries.into())
        }
        other => other.clone(),
    }
}

/// The message that nothing was found.
pub(super) fn nothing_found(names: &[EcoString]) -> String {
    match names {
        [name] => format!("Function lookup() did not find a value for the name '{name}'"),
        names => {
            let names: Vec<String> = names.iter().map(|n| format!("'{n}'")).collect();
            let names = names.join(", ");
            format!("Function lookup() did not find a value for any of the names [{names}]")
        }
    }
}
