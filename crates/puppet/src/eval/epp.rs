//! EPP templates: parameters and rendering.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{EntryKind, Span, suggest};
use ordain_syntax::ListRef;

use crate::error::{EvalError, EvalResult, PlainError, Step, plain};
use crate::load::LoadedFile;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::programs::Inline;
use crate::state::scope::{Scope, ScopeKind, not_reserved};
use crate::syntax::{Expr, ExprId, Param, Program};
use crate::types::signature::Signature;
use crate::types::{is_instance, mismatch};
use crate::value::closure::ScopeId;
use crate::value::text::write_text;
use crate::value::{HashValue, Value};

/// The error of the arguments of a template, with a suggestion and the place of the declaration.
fn refused_parameters(
    text: String,
    f: &Frame,
    list: &[Param],
    signature: &Signature,
    given: &[(EcoString, Value)],
) -> PlainError {
    let mut error = PlainError::new(text);
    let is_param = |name: &EcoString| list.iter().any(|param| param.name == *name);
    if let Some((name, _)) = given.iter().find(|(name, _)| !is_param(name)) {
        error.path = vec![Step::Key(name.clone())];
        let near = suggest::nearest(name, list.iter().map(|param| param.name.as_str()));
        let names: Vec<String> = list.iter().map(|param| format!("`{}`", param.name)).collect();
        error.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "the template has no parameters".into(),
            None => format!("the template has: {}", names.join(", ")),
        });
        return error;
    }
    for (param, wanted) in list.iter().zip(&signature.params) {
        let place = param.range.in_file(f.program.file);
        match given.iter().find(|(name, _)| *name == param.name) {
            Some((name, value)) if !is_instance(&wanted.kind, value) => {
                error.path = vec![Step::Value(name.clone())];
                error.help = mismatch::unquoted(&wanted.kind, value);
                error.related.push((place, "declared here".into()));
                break;
            }
            None if param.default.is_none() => {
                let text =
                    format!("give it with the name of the template: {{ '{}' => … }}", param.name);
                error.help = Some(text);
                error.related.push((place, "declared here, without a default".into()));
                break;
            }
            _ => {}
        }
    }
    error
}

impl Compiler<'_> {
    /// Evaluates an EPP template with these parameters.
    ///
    /// # Errors
    /// When it is not found, does not parse or fails.
    pub(super) fn render_epp_file(
        &mut self,
        name: &str,
        args: Option<&Value>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        let whole =
            name.ends_with(".epp") || self.env.world.kind(Path::new(name)) == Some(EntryKind::File);
        let name = if whole { name } else { &format!("{name}.epp") };
        let Some(path) = self.env.find_template(name) else {
            return Err(self.env.no_template(name).into());
        };
        let loaded = self.env.template(&path)?;
        let program = self.checked(&loaded, "epp", span)?;
        let parent = self.global_scope(scope);
        self.render(&program, args, parent, name)
    }

    /// Evaluates EPP text with these parameters.
    ///
    /// # Errors
    /// When it does not parse or fails.
    pub(super) fn render_epp_text(
        &mut self,
        text: &str,
        args: Option<&Value>,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        let loaded = self.programs.inline(self.env, text, Inline::Template);
        let program = self.checked(&loaded, "inline_epp", span)?;
        self.render(&program, args, scope, "inline")
    }

    /// The program of a template. If it does not parse, the error is that of the call of `function`
    /// at `span`.
    fn checked(&self, loaded: &LoadedFile, function: &str, span: Span) -> EvalResult<Arc<Program>> {
        let Some(first) = loaded.errors.first() else { return Ok(Arc::clone(&loaded.program)) };
        let inner = first.peer_span();
        let place = self.full_place(inner, false);
        let text = format!(
            "Error while evaluating a Function Call, {function}(): Invalid EPP: {}{place}",
            first.message
        );
        let mut error = EvalError::new("RUNTIME_ERROR", text, span);
        let place = first.primary.as_ref().map(|label| label.span);
        error.focus = place.map(|at| (at, first.message.clone()));
        error.related = first.related.iter().map(|l| (l.span, l.text.clone())).collect();
        error.help = first.help.iter().map(ToString::to_string).collect();
        Err(error.into())
    }

    fn render(
        &mut self,
        program: &Arc<Program>,
        args: Option<&Value>,
        parent: ScopeId,
        name: &str,
    ) -> EvalResult {
        let Expr::Epp { has_params, params, body } = program[program.body] else {
            return plain(format!("'{name}' is no template"));
        };
        let resource = self.scopes.get(parent).resource;
        let mut scope = Scope::new(ScopeKind::Lambda, Some(parent), resource);
        scope.module = self.scopes.get(parent).module.clone();
        let scope = self.scopes.push(scope);
        let f = Frame { program: Arc::clone(program), scope };
        let empty = HashValue::default();
        let given = args.and_then(Value::as_hash).unwrap_or(&empty);
        let outer = self.templates.begin();
        let result = self
            .bind_template(&f, has_params.then_some(params), given, name)
            .and_then(|()| self.eval(&f, body).map(drop));
        let (text, sensitive) = self.templates.end(outer);
        self.scopes.drop_scope(scope);
        result?;
        let value = Value::Str(text.into());
        Ok(if sensitive { Value::Sensitive(Arc::new(value)) } else { value })
    }

    /// Sets the arguments, then the defaults of the other parameters, which may use the arguments.
    /// A template without declared parameters takes any arguments.
    fn bind_template(
        &mut self,
        f: &Frame,
        params: Option<ListRef<Param>>,
        given: &HashValue,
        name: &str,
    ) -> EvalResult<()> {
        let mut entries = Vec::with_capacity(given.len());
        for (key, value) in given {
            let Some(key) = key.as_str() else {
                return plain("EPP parameters must have text keys");
            };
            entries.push((EcoString::from(key), value.clone()));
        }
        let Some(params) = params else { return self.set_all(f, &entries) };
        let program = Arc::clone(&f.program);
        let list = program.params(params);
        // An `undef` argument counts as missing, even if the template has no such parameter.
        entries.retain(|(name, value)| {
            !value.is_undef() || list.iter().any(|param| param.name == *name)
        });
        let signature = self.parameter_types(f, params)?;
        signature.needs_types(None)?;
        let subject = if name == "inline" { "inline_epp()".into() } else { format!("epp({name})") };
        self.set_all(f, &entries)?;
        self.with_pending(f, "lambda".into(), list, |this| {
            for (i, param) in list.iter().enumerate() {
                let given = entries.iter().position(|(n, _)| *n == param.name);
                let Some(default) = param.default else { continue };
                if given.is_some_and(|i| !entries[i].1.is_undef()) {
                    continue;
                }
                let value = this.eval_default(f, i, default)?;
                not_reserved(&param.name).or_else(plain)?;
                this.budget.weigh(&value)?;
                this.scopes.get_mut(f.scope).replace(param.name.clone(), value.clone());
                if let Some(given) = given {
                    entries.remove(given);
                }
                entries.push((param.name.clone(), value));
            }
            Ok(())
        })?;
        match mismatch::describe_params(&subject, &signature, &entries, false) {
            Some(text) => Err(refused_parameters(text, f, list, &signature, &entries).into()),
            None => Ok(()),
        }
    }

    fn set_all(&mut self, f: &Frame, entries: &[(EcoString, Value)]) -> EvalResult<()> {
        for (key, value) in entries {
            if key.starts_with(|c: char| c.is_ascii_digit()) {
                let text = format!("Cannot assign to a numeric match result variable '${key}'");
                return plain(text);
            }
            not_reserved(key).or_else(plain)?;
            self.budget.weigh(value)?;
            self.scopes.get_mut(f.scope).set(key.clone(), value.clone());
        }
        Ok(())
    }

    /// Renders a template that is evaluated as a program, without arguments.
    pub(crate) fn eval_epp_program(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
        body: ExprId,
    ) -> EvalResult {
        let _ = (params, body);
        let program = Arc::clone(&f.program);
        self.render(&program, None, f.scope, "inline")
    }

    pub(crate) fn render_text(&mut self, text: &str) {
        if let Some(out) = self.templates.output() {
            out.push_str(text);
        }
    }

    pub(crate) fn eval_render(&mut self, f: &Frame, inner: ExprId) -> EvalResult {
        let mut value = self.eval(f, inner)?;
        if let Value::Sensitive(inner) = &value {
            self.templates.mark_sensitive();
            value = Value::clone(inner);
        }
        if let Some(out) = self.templates.output() {
            let before = out.len();
            write_text(out, &value);
            let written = out.len() - before;
            self.budget.steps.charge(1 + written as u64 / 16);
        }
        Ok(Value::Undef)
    }
}
