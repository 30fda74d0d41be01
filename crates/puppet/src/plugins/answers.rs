//! Answers of the compile to questions of Ruby code.

use ordain_functions::version::{Range, Version};
use ordain_plugins::Session;
use ordain_source::Span;
use ordain_source::inputs::note_all_values;
use serde_json::{Value as Json, json};

use crate::error::{EvalResult, plain as fail};
use crate::plugins::native_host::BLOCK;
use crate::schema;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::log::LogLevel;
use crate::state::scope::not_reserved;
use crate::types::aliases::resolved;
use crate::types::{Type, assignable, generalize, infer, infer_set, instance, mismatch, object};
use crate::value::Value;
use crate::value::closure::ScopeId;

impl Compiler<'_> {
    /// The answer to a question, which consists of a name and arguments.
    pub(super) fn answer(&mut self, question: &[Json]) -> EvalResult<Json> {
        let Some((name, args)) = question.split_first() else { return fail("an empty question") };
        match name.as_str().unwrap_or_default() {
            "variable" => self.answer_variable(args),
            "exists_variable" => self.answer_exists(args),
            "changed" => self.answer_changed(args),
            "revive" => self.revive(text(args, 0), text(args, 1), self.calling_span()),
            "variables" => self.answer_variables(args),
            "set" => self.answer_set(args),
            "call" => self.answer_call(args),
            "block" => self.answer_block(args),
            "global" => Ok(json!(ScopeId::TOP.0)),
            "exists" => {
                let name = text(args, 0);
                Ok(json!(self.has_function(name)))
            }
            "module" => Ok(json!(self.scopes.get(self.scope_argument(args)?).module.as_str())),
            "file" => {
                let known = args.get(1).and_then(Json::as_str);
                let (stamp, text) = self.file_for_ruby(text(args, 0), known)?;
                Ok(json!([stamp, text]))
            }
            "printed" => self.answer_printed(args),
            "processors" => {
                self.ruby.session.iter_mut().for_each(Session::use_all_processors);
                Ok(Json::Null)
            }
            "stack" => Ok(self.call_places()),
            "enclosing" | "resource" | "resources" | "tags" | "defined" => {
                self.answer_about_catalog(name.as_str().unwrap_or_default(), args)
            }
            other => self.answer_about_types(other, args),
        }
    }

    #[expect(clippy::expect_used, reason = "questions come during calls")]
    fn calling_span(&self) -> Span {
        self.ruby.calls.last().expect("questions come during calls").span
    }

    /// The scope whose number is in a question.
    pub(super) fn scope_argument(&self, args: &[Json]) -> EvalResult<ScopeId> {
        let id = args.first().and_then(Json::as_u64).and_then(|id| u32::try_from(id).ok());
        match id.map(ScopeId).filter(|id| self.scopes.contains(*id)) {
            Some(id) => Ok(id),
            None => fail("the Ruby code names a scope that is not there"),
        }
    }

    fn answer_variable(&mut self, args: &[Json]) -> EvalResult<Json> {
        let scope = self.scope_argument(args)?;
        let name = text(args, 1);
        if let Some(value) = self.variable(scope, name) {
            let (base, value) = self.share_variable(value, scope, name);
            return Ok(json!([true, base, [value]]));
        }
        if is_always_there(name) {
            return Ok(json!([true, null, [null]]));
        }
        Ok(json!([false, null, null, self.reason_unknown(name)]))
    }

    /// Whether there is a variable, and whether it has a value.
    fn answer_exists(&mut self, args: &[Json]) -> EvalResult<Json> {
        let scope = self.scope_argument(args)?;
        let name = text(args, 1);
        Ok(match self.variable(scope, name) {
            Some(value) => json!([true, !value.is_undef()]),
            None => json!([is_always_there(name), false]),
        })
    }

    /// The reason why a qualified variable is unknown.
    fn reason_unknown(&mut self, name: &str) -> String {
        let name = name.trim_start_matches("::");
        let Some((class, _)) = name.rsplit_once("::") else { return String::new() };
        if self.scopes.of_class(class).is_some() {
            return String::new();
        }
        match self.env.find_class(class) {
            Ok(Some(_)) => format!("class {class} has not been evaluated"),
            _ => format!("class {class} could not be found"),
        }
    }

    fn answer_variables(&mut self, args: &[Json]) -> EvalResult<Json> {
        let scope = self.scope_argument(args)?;
        let mut at = Some(scope);
        let mut seen = indexmap::IndexMap::new();
        while let Some(id) = at {
            let scope = self.scopes.get(id);
            if id == ScopeId::TOP {
                note_all_values();
            }
            for (name, value) in scope.variables() {
                if !seen.contains_key(name) {
                    seen.insert(name.clone(), value.clone());
                }
            }
            at = scope.parent;
        }
        seen.retain(|_, value| !value.is_undef());
        let (names, values): (Vec<_>, Vec<_>) = seen.into_iter().unzip();
        let (base, values) = self.share(&values, scope);
        let values = names.iter().map(ToString::to_string).zip(values);
        Ok(json!([base, values.collect::<serde_json::Map<_, _>>()]))
    }

    fn answer_set(&mut self, args: &[Json]) -> EvalResult<Json> {
        let scope = self.scope_argument(args)?;
        let name = text(args, 1);
        not_reserved(name).or_else(fail)?;
        let value = self.unpack_kept(args.get(2).unwrap_or(&Json::Null), scope)?;
        self.budget.weigh(&value)?;
        if self.scopes.get_mut(scope).set(name.into(), value) {
            Ok(Json::Null)
        } else {
            fail(format!("Cannot reassign variable '${name}'"))
        }
    }

    fn answer_call(&mut self, args: &[Json]) -> EvalResult<Json> {
        let scope = self.scope_argument(args)?;
        let name = text(args, 1);
        if let Some(done) = self.ruby.journal.next(name) {
            let (base, values) = self.share(&[done?], scope);
            return Ok(json!([base, values]));
        }
        let given = self.unpack_arguments(args.get(2).unwrap_or(&Json::Null), scope)?;
        let block = match args.get(3).and_then(Json::as_u64) {
            Some(number) => Some(self.ruby_block(number, args.get(4), scope)?),
            None => None,
        };
        let span = self.calling_span();
        let value = self.call_function(name, given, block, scope, span)?;
        let (base, values) = self.share(&[value], scope);
        Ok(json!([base, values]))
    }

    fn answer_block(&mut self, args: &[Json]) -> EvalResult<Json> {
        let held = args.first().and_then(Json::as_u64).and_then(|id| self.ruby.held(id));
        let Some(Value::Callable(closure)) = held.cloned() else {
            return fail("the Ruby code calls a lambda of another call");
        };
        let scope = closure.scope;
        if let Some(done) = self.ruby.journal.next(BLOCK) {
            let (base, values) = self.share(&[done?], scope);
            return Ok(json!([base, values]));
        }
        let given = self.unpack_arguments(args.get(1).unwrap_or(&Json::Null), scope)?;
        // As in iterations, a lambda ignores arguments that it has no parameters for.
        let most = closure.signature.max().unwrap_or(usize::MAX).max(1);
        let value = self.call_closure(&closure, &given[..given.len().min(most)])?;
        let (base, values) = self.share(&[value], scope);
        Ok(json!([base, values]))
    }

    /// Logs messages of code, each with its level in front.
    pub(super) fn log_messages(&mut self, args: &[Json]) {
        let span = Some(self.calling_span());
        for message in args.iter().filter_map(Json::as_array) {
            if self.ruby.journal.was_logged() {
                continue;
            }
            let level = match text(message, 0) {
                "debug" => LogLevel::Debug,
                "info" => LogLevel::Info,
                "notice" => LogLevel::Notice,
                "warning" => LogLevel::Warning,
                "alert" => LogLevel::Alert,
                "emerg" => LogLevel::Emerg,
                "crit" => LogLevel::Crit,
                _ => LogLevel::Err,
            };
            self.log_unscoped(level, text(message, 1).to_owned(), span);
        }
    }

    /// Logs the printed lines of code, with the name of the code.
    #[expect(clippy::expect_used, reason = "output comes during calls")]
    fn answer_printed(&mut self, args: &[Json]) -> EvalResult<Json> {
        let call = self.ruby.calls.last().expect("questions come during calls");
        let (what, span) = (call.what.clone(), Some(call.span));
        for line in text(args, 0).lines().filter(|line| !line.trim().is_empty()) {
            self.log_unscoped(LogLevel::Notice, format!("{what} prints: {line}"), span);
        }
        Ok(Json::Null)
    }

    /// The places of the calls under way, innermost first.
    fn call_places(&self) -> Json {
        let places = self.ruby.calls.iter().rev().map(|call| {
            let (file, line) = self.place_names(call.span);
            json!([file, line])
        });
        places.collect()
    }

    fn stored_type(&self, args: &[Json], at: usize) -> EvalResult<std::sync::Arc<Type>> {
        let id = args.get(at).and_then(Json::as_u64);
        match id.and_then(|id| self.ruby.held(id)) {
            Some(Value::Type(kind)) => Ok(std::sync::Arc::clone(kind)),
            _ => fail("the Ruby code uses a type that it got in another call"),
        }
    }

    fn answer_about_types(&mut self, name: &str, args: &[Json]) -> EvalResult<Json> {
        match name {
            "type" => {
                let kind = self.parse_reported_type(text(args, 0), &[])?;
                Ok(self.pack_value(&Value::of_type(kind)))
            }
            "infer" => {
                let value = self.unpack_value(args.first().unwrap_or(&Json::Null))?;
                let precise = args.get(1).and_then(Json::as_bool) == Some(true);
                let kind = if precise { infer_set(&value) } else { infer(&value) };
                Ok(self.pack_value(&Value::of_type(kind)))
            }
            "instance" => {
                let kind = self.stored_type(args, 0)?;
                let value = self.unpack_value(args.get(1).unwrap_or(&Json::Null))?;
                Ok(json!(instance::is_instance(&kind, &value)))
            }
            "assignable" => {
                let (to, from) = (self.stored_type(args, 0)?, self.stored_type(args, 1)?);
                Ok(json!(assignable::is_assignable(&to, &from)))
            }
            "generalize" => {
                let kind = generalize(&*self.stored_type(args, 0)?);
                Ok(self.pack_value(&Value::of_type(kind)))
            }
            "mismatch" => {
                let (to, from) = (self.stored_type(args, 1)?, self.stored_type(args, 2)?);
                Ok(json!(mismatch::describe_mismatch(text(args, 0), &to, &from)))
            }
            "member" => {
                let held = args.first().and_then(Json::as_u64).and_then(|id| self.ruby.held(id));
                let value = held.and_then(|value| object::member(value, text(args, 1)));
                Ok(match value {
                    Some(value) => json!([true, self.pack_value(&value)]),
                    None => json!([false]),
                })
            }
            "type_outline" => Ok(type_outline(text(args, 0))),
            "type_members" => {
                let members = type_members(&*self.stored_type(args, 0)?).into_iter();
                let packed =
                    members.map(|(name, value)| (name.to_owned(), self.pack_value(&value)));
                Ok(Json::Object(packed.collect()))
            }
            "in_range" => {
                let range = text(args, 0).parse::<Range>();
                let version = text(args, 1).parse::<Version>();
                Ok(json!(matches!((range, version), (Ok(r), Ok(v)) if r.includes(&v))))
            }
            other => fail(format!("the Ruby code sent an unknown request: {other}")),
        }
    }
}

/// Whether a variable can be read where it has no value.
fn is_always_there(name: &str) -> bool {
    matches!(name.trim_start_matches("::"), "module_name" | "caller_module_name")
}

/// The members of a type, by the names of upstream's accessors.
fn type_members(kind: &Type) -> Vec<(&'static str, Value)> {
    let of = |kind: &Type| Value::of_type(kind.clone());
    let end = |end: i64, open: i64| if end == open { Value::Undef } else { Value::Int(end) };
    match kind {
        Type::Enum { values, .. } => {
            vec![(
                "values",
                Value::array(values.iter().map(|v| Value::Str(v.clone())).collect::<Vec<_>>()),
            )]
        }
        Type::Integer(range) => {
            vec![("from", end(range.from, i64::MIN)), ("to", end(range.to, i64::MAX))]
        }
        Type::Variant(types) | Type::Tuple(types, _) => {
            vec![("types", Value::array(types.iter().map(of).collect::<Vec<_>>()))]
        }
        Type::Array(element, _) => vec![("element_type", of(element))],
        Type::Hash(entry, _) => vec![("key_type", of(&entry.0)), ("value_type", of(&entry.1))],
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => vec![("type", of(inner))],
        Type::Alias(_) => vec![("resolved_type", of(resolved(kind)))],
        _ => Vec::new(),
    }
}

/// The text at a position of a question; empty if it is missing.
pub(super) fn text(args: &[Json], at: usize) -> &str {
    args.get(at).and_then(Json::as_str).unwrap_or_default()
}

/// The attributes of a type that is described without running its code.
pub(super) fn type_outline(name: &str) -> Json {
    match schema::find(name) {
        Some(kind) => json!({ "namevar": kind.namevar, "attributes": kind.attributes }),
        None => Json::Null,
    }
}
