//! Names of types, aliases, and `[]`.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{FileId, Severity, Span};

use crate::catalog::{ResourceKind, flatten_values};
use crate::error::{Blame, EvalError, EvalResult, PlainError, Unwind, issue, plain};
use crate::eval::access;
use crate::eval::type_definitions::{not_of_types, refuse_expressions};
use crate::load::NameKind;
use crate::schema;
use crate::state::Compiler;
use crate::state::declare::Declare;
use crate::state::evaluate::Evaluate;
use crate::state::frame::Frame;
use crate::state::programs::Inline;
use crate::syntax::definitions::AliasDef;
use crate::syntax::names::capitalize_segments;
use crate::syntax::{Expr, ExprId, ExprList};
use crate::types::format::ruby_text;
use crate::types::specialize::specialize_value;
use crate::types::{IntRange, ObjectType, Type, builtin};
use crate::validation::names::nearest;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::{ResourceKey, reference_key};
use crate::value::text::to_text;

impl Compiler<'_> {
    pub(crate) fn eval_type_name(&mut self, f: &Frame, id: ExprId, name: &str) -> EvalResult {
        match self.named_type(name)? {
            Type::Reference(unknown) if !self.types.is_defining() => {
                let mut error = EvalError::new(
                    "UNKNOWN_RESOURCE_TYPE",
                    format!("Resource type not found: {unknown}"),
                    f.program.span(id),
                );
                error.help.extend(self.type_help(&unknown));
                Err(error.into())
            }
            kind => Ok(Value::of_type(kind)),
        }
    }

    fn type_help(&self, name: &str) -> Option<String> {
        let lower = name.to_lowercase();
        let mut defines = self.env.names_like(NameKind::Define, &lower);
        defines.extend(self.env.names_like(NameKind::DataType, &lower));
        let defines: Vec<EcoString> = defines.iter().map(|n| capitalize_segments(n)).collect();
        let natives: Vec<EcoString> =
            schema::TYPES.iter().map(|t| capitalize_segments(t.name)).collect();
        let known = defines.iter().chain(&natives).map(EcoString::as_str);
        let near = nearest(name, known.chain(TYPE_NAMES.iter().copied()));
        match name.contains("::") {
            true => self.env.missing_help(&name.to_lowercase(), near),
            false => near.map(|near| format!("did you mean `{near}`?")),
        }
    }

    /// The type of a name: built in, an alias, or a resource type.
    pub(super) fn eval_type_named(&mut self, name: &str) -> EvalResult<Type> {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(kind) = builtin(name) {
            return Ok(kind);
        }
        let lower = name.to_lowercase();
        if let Some(alias) = self.types.aliases.get(lower.as_str()).cloned() {
            return self.known_alias(&alias, &lower);
        }
        if let Some(kind) = self.known_model(&lower)? {
            return Ok(Type::Object(kind));
        }
        if let Some(known) = self.find_resource_type(name)? {
            return match self.model_beside(&lower, &known.what)? {
                Some(kind) => Ok(Type::Object(kind)),
                None => Ok(Type::Resource { kind: Some(known.title.clone()), title: None }),
            };
        }
        let def = self.env.find_alias(&lower)?;
        if let Some(def) = def.filter(|def| !self.is_defined_later(def)) {
            return self.alias_type(&def, &lower);
        }
        if let Some(kind) = self.model_named(&lower)? {
            return Ok(Type::Object(kind));
        }
        if let Some(kind) = self.type_of_module_set(&lower)? {
            return Ok(kind);
        }
        Ok(self.type_in_set(&lower)?.unwrap_or_else(|| Type::Reference(name.into())))
    }

    /// The type with features that has the name of a resource type and a file of its own. If that
    /// file does not parse, the resource type is used.
    fn model_beside(
        &mut self,
        lower: &str,
        what: &ResourceKind,
    ) -> EvalResult<Option<Arc<ObjectType>>> {
        let is_define = matches!(what, ResourceKind::Define(_));
        if !lower.contains("::") || !is_define {
            return self.known_model(lower);
        }
        match self.env.find_model(lower) {
            Ok(Some(_)) => self.model_named(lower),
            _ => Ok(None),
        }
    }

    /// The type with features for a define of the same name, in lower case.
    pub(crate) fn model_of_define(
        &mut self,
        lower: &EcoString,
    ) -> EvalResult<Option<Arc<ObjectType>>> {
        if let Some(known) = self.models.of_defines.get(lower) {
            return Ok(known.clone());
        }
        let found = match self.env.find_model(lower) {
            Ok(Some(_)) => self.model_named(lower)?,
            _ => None,
        };
        if let Some(kind) = &found {
            self.layout(kind)?;
        }
        let names = |kind: &Arc<ObjectType>| {
            kind.model.as_ref().and_then(|m| m.layout.get()).is_some_and(|l| !l.namevars.is_empty())
        };
        let found = found.filter(names);
        self.models.of_defines.insert(lower.clone(), found.clone());
        Ok(found)
    }

    /// The resource type of a name in front of brackets or braces: a native type, a define, or a
    /// type with features that can be declared.
    pub(crate) fn referenced_resource(&mut self, kind: Type) -> EvalResult<Type> {
        let Type::Object(object) = &kind else { return Ok(kind) };
        if object.model.is_none() {
            return Ok(kind);
        }
        let name = object.name.clone();
        Ok(match self.find_resource_type(&name)? {
            Some(known) => Type::Resource { kind: Some(known.title.clone()), title: None },
            None => kind,
        })
    }

    /// The type of a name whose first segment is a module with a type set.
    fn type_of_module_set(&mut self, lower: &str) -> EvalResult<Option<Type>> {
        let Some((module, _)) = lower.split_once("::") else { return Ok(None) };
        if self.types.aliases.contains_key(module) || !self.env.has_module(module) {
            return Ok(None);
        }
        self.named_type(module)?;
        match self.types.aliases.get(lower).cloned() {
            Some(alias) => self.known_alias(&alias, lower).map(Some),
            None => Ok(None),
        }
    }

    /// Whether an alias is defined after the definition whose parameter types are being evaluated.
    fn is_defined_later(&self, alias: &AliasDef) -> bool {
        let Some(typing) = self.types.parameters_of else { return false };
        let order = |span: Span| {
            let site = self.env.site.iter().position(|program| program.file == span.file);
            (site, span.range.start)
        };
        let (here, there) = (order(typing), order(alias.span));
        here.0.is_some() && there.0.is_some() && there > here
    }

    /// Whether a name is a resource type: native or a define.
    pub(crate) fn is_resource_type(&mut self, name: &str) -> EvalResult<bool> {
        Ok(self.find_resource_type(name)?.is_some())
    }

    pub(crate) fn eval_access(&mut self, f: &Frame, id: ExprId, parts: ExprList) -> EvalResult {
        let parts = f.program.list(parts);
        let is_inner = std::mem::take(&mut self.path_in_progress.is_inner);
        let (target, path) = match &f.program[parts[0]] {
            // An unknown name in front of brackets is a reference to a resource type.
            Expr::Ref(name) => {
                let kind = self.named_type(name)?;
                (Value::of_type(self.referenced_resource(kind)?), None)
            }
            _ => self.eval_base(f, parts[0])?,
        };
        let mut keys = Vec::with_capacity(parts.len() - 1);
        let of_class = matches!(&target, Value::Type(kind) if matches!(**kind, Type::Class(_)));
        for &key in &parts[1..] {
            match &f.program[key] {
                Expr::Splat(inner) => keys.extend(self.eval_unfolded(f, *inner)?),
                // The name of a class need not be the name of a type.
                Expr::Ref(name) if of_class => keys.push(Value::of_type(self.named_type(name)?)),
                _ => keys.push(self.eval(f, key)?),
            }
        }
        self.end_access(is_inner, path, (&target, &keys));
        if let Value::Type(kind) | Value::Reference(kind) = &target {
            if let Some(key) = reference_key(kind) {
                return self.parameter_access(f, id, &key, &keys);
            }
            return self.type_access(f, id, kind, &keys);
        }
        if let Value::Instance(object) = &target {
            return self.instance_access(object, &keys);
        }
        if let Value::Object(_) = &target
            && let Some(result) = self.call_member(&target, "[]", &keys, None)
        {
            return result;
        }
        let outcome = access::access(&target, &keys, self.settings.strict)?;
        Ok(self.outcome_value(f, id, outcome))
    }

    /// A type with parameters.
    fn type_access(&self, f: &Frame, id: ExprId, kind: &Arc<Type>, keys: &[Value]) -> EvalResult {
        match &**kind {
            Type::Reference(_) if self.types.is_defining() => {
                let text = f.program.text(f.program.range(id));
                Ok(Value::of_type(Type::Reference(text.into())))
            }
            Type::Reference(name) if name != "UnresolvedReference" => {
                let text = format!("Resource type not found: {name}");
                let help = self.type_help(name);
                let error = PlainError::issue("UNKNOWN_RESOURCE_TYPE", text);
                Err(PlainError { help, ..error }.at(Blame::Left).into())
            }
            Type::Resource { title: None, .. } if self.types.is_defining() => {
                // A definition takes any literal as a title.
                let title = |key: &Value| match key {
                    Value::Int(_) | Value::Float(_) => Value::from(to_text(key)),
                    other => other.clone(),
                };
                let keys: Vec<Value> = keys.iter().map(title).collect();
                specialize_value(kind, &keys)
            }
            kind if self.types.is_defining() => match definition_only_type(kind, keys) {
                Some(kind) => Ok(Value::of_type(kind)),
                None => specialize_value(kind, keys),
            },
            // Texts inside type brackets such as `Type['Integer']` are resolved here, because this
            // module knows type names.
            kind => specialize_value(kind, keys),
        }
    }

    /// `File['/x'][mode]`: parameters of a declared resource.
    fn parameter_access(
        &mut self,
        f: &Frame,
        id: ExprId,
        key: &ResourceKey,
        names: &[Value],
    ) -> EvalResult {
        // Names may be in lists; then the result is a list, too. `undef` asks for nothing.
        let is_single = matches!(names, [name] if !matches!(name, Value::Array(_)));
        let mut several = Vec::new();
        names.iter().for_each(|name| flatten_values(name, &mut several));
        several.retain(|name| !name.is_undef());
        if several.is_empty() {
            return Ok(if is_single { Value::Undef } else { Value::array([]) });
        }
        let Some(resource) = self.find_named(key) else {
            let title = match key.kind.as_str() {
                "Class" => key.title.to_lowercase(),
                _ => key.title.clone(),
            };
            let text = format!("Resource not found: {}['{title}']", key.kind);
            return issue("UNKNOWN_RESOURCE", text);
        };
        let mut out = Vec::new();
        for name in &several {
            let name = &*ruby_text(name);
            let declared = self.catalog.get(resource).param(name).map(|p| p.value.clone());
            let value = match declared {
                Some(value) => Some(value),
                None => self.defaults.of_attribute(&self.scopes, f.scope, &key.kind, name).or_else(
                    || {
                        let resource = self.catalog.get(resource);
                        self.models.default_of(resource, name).cloned()
                    },
                ),
            };
            match value {
                Some(value) => out.push(value),
                None if self.catalog.get(resource).may_have(name) => out.push(Value::Undef),
                None => {
                    let text = format!(
                        "The resource {}['{}'] does not have a parameter called '{name}'",
                        key.kind, key.title
                    );
                    return Err(self.error(f, id, "UNKNOWN_RESOURCE_PARAMETER", text));
                }
            }
        }
        Ok(if is_single { out.swap_remove(0) } else { Value::array(out) })
    }

    /// Parses and evaluates the text of a type, such as `Array[Stdlib::Port]`.
    ///
    /// # Errors
    /// When the text is not a type.
    pub(super) fn eval_type_text(&mut self, text: &str, _span: Span) -> EvalResult<Type> {
        let loaded = self.programs.inline(self.env, text, Inline::Type);
        let bad = || Err(PlainError::not_a_type(text).into());
        if let Some(error) = loaded.errors.first() {
            let parsed = crate::syntax::parse(FileId(0), Arc::<str>::from(text));
            let is_syntax = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
            return match error.peer_span().filter(|_| is_syntax) {
                Some(_) if parsed.ends_early => plain(error.message.clone()),
                Some(span) => {
                    let mut out = EvalError::new("", error.message.clone(), span);
                    out.issue = error.issue.clone();
                    Err(out.into())
                }
                None => bad(),
            };
        }
        let program = &loaded.program;
        let mut body = program.body;
        while let Expr::Block(statements) = &program[body] {
            match program.list(*statements) {
                [only] => body = *only,
                _ => return bad(),
            }
        }
        let f = Frame { program: Arc::clone(program), scope: ScopeId::TOP };
        refuse_expressions(&f, not_of_types(program, body))?;
        match &program[body] {
            Expr::Ref(name) => match self.named_type(name)? {
                Type::Reference(name) => Ok(Type::Reference(name)),
                kind => Ok(kind),
            },
            Expr::Access(_) => match self.eval(&f, body).map_err(|e| type_text_error(e, text))? {
                Value::Type(kind) => Ok(Type::clone(&kind)),
                _ => bad(),
            },
            _ => bad(),
        }
    }
}

/// The types that only a definition accepts: tuples with nothing but a size, names of classes that
/// do not exist, and URIs of values other than texts.
fn definition_only_type(kind: &Type, keys: &[Value]) -> Option<Type> {
    let end = |key: &Value| match key {
        Value::Default => Some(None),
        Value::Int(i) => Some(Some(*i)),
        _ => None,
    };
    match (kind, keys) {
        (Type::Tuple(types, _), [from]) if types.is_empty() => {
            let from = end(from)?.unwrap_or(0);
            Some(Type::Tuple([].into(), Some(IntRange::at_least(from))))
        }
        (Type::Tuple(types, _), [from, to]) if types.is_empty() => {
            let (from, to) = (end(from)?.unwrap_or(0), end(to)?);
            Some(Type::Tuple([].into(), Some(IntRange::between(Some(from), to))))
        }
        (Type::Class(None), [Value::Str(name)]) => {
            Some(Type::Class(Some(name.strip_prefix("::").unwrap_or(name).into())))
        }
        (Type::Uri(None), [Value::Str(_) | Value::Uri(_) | Value::Hash(_)]) => None,
        (Type::Uri(None), [Value::Type(part)]) if !matches!(**part, Type::Uri(_)) => {
            Some(Type::Uri(None))
        }
        (Type::Uri(None), [Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Array(_)]) => {
            Some(Type::Uri(None))
        }
        _ => None,
    }
}

/// The error of a text that was to name a type: it belongs to the call that has the text.
#[allow(clippy::boxed_local, reason = "errors travel boxed, so that results stay small")]
fn type_text_error(unwind: Box<Unwind>, text: &str) -> Box<Unwind> {
    let error = match *unwind {
        Unwind::Error(error) => error,
        other => return Box::new(other),
    };
    let message = match error.issue.as_deref() {
        Some("RUNTIME_ERROR") => {
            let help = error.help.first().cloned();
            return PlainError { help, ..PlainError::new(error.reason()) }.into();
        }
        Some("OPERATOR_NOT_APPLICABLE") => {
            format!("Not a parameterized type <{}>", text.split('[').next().unwrap_or(text))
        }
        Some("BAD_TYPE_SLICE_ARITY") => error.message,
        Some(issue) if issue.starts_with("BAD_") => {
            return PlainError::not_a_type(text).into();
        }
        _ => return error.into(),
    };
    PlainError::new(message).into()
}

/// Built-in types that people write, for suggestions.
pub const TYPE_NAMES: &[&str] = &[
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "Class",
    "Collection",
    "Data",
    "Enum",
    "Float",
    "Hash",
    "Integer",
    "Iterable",
    "Numeric",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Scalar",
    "SemVer",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "Undef",
    "Variant",
];
