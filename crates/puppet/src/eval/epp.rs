//! EPP templates: their parameters, and what they render.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use ordain_syntax::ListRef;

use crate::eval::error::{EvalError, EvalResult, plain};
use crate::eval::scope::{Scope, ScopeId, ScopeKind};
use crate::eval::text::write_text;
use crate::eval::{Compiler, Frame};
use crate::load::LoadedFile;
use crate::syntax::{Expr, ExprId, Param, Program};
use crate::types::{Type, instance, mismatch};
use crate::value::{HashValue, Value};

impl Compiler<'_> {
    /// Evaluates an EPP template with these parameters.
    ///
    /// # Errors
    /// When it is not found, does not parse or fails.
    pub fn epp(
        &mut self,
        name: &str,
        args: Option<&Value>,
        scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        let file = if name.ends_with(".epp") || name.starts_with('/') {
            self.find_in_module(name, "templates")
        } else {
            self.find_in_module(name, "templates")
                .or_else(|| self.find_in_module(&format!("{name}.epp"), "templates"))
        };
        let Some(path) = file else {
            return plain(format!("Could not find template '{name}'"));
        };
        let loaded = self.env.template(&path)?;
        let program = self.checked(&loaded)?;
        let parent = self.global_scope(scope);
        self.render(&program, args, parent, name)
    }

    /// Evaluates EPP text with these parameters.
    ///
    /// # Errors
    /// When it does not parse or fails.
    pub fn inline_epp(
        &mut self,
        text: &str,
        args: Option<&Value>,
        scope: ScopeId,
        _span: Span,
    ) -> EvalResult {
        let loaded = self.env.parse_template(Path::new(""), text);
        let program = self.checked(&loaded)?;
        let has_params = matches!(program[program.body], Expr::Epp { has_params: true, .. });
        let parent = if args.is_some() || has_params { self.global_scope(scope) } else { scope };
        self.render(&program, args, parent, "inline")
    }

    fn checked(&self, loaded: &LoadedFile) -> EvalResult<Arc<Program>> {
        let Some(first) = loaded.errors.first() else { return Ok(Arc::clone(&loaded.program)) };
        Err(EvalError {
            code: None,
            issue: first.issue.clone(),
            message: first.message.clone(),
            span: first.primary.as_ref().map(|l| l.span),
            line_only: false,
            related: Vec::new(),
            help: Vec::new(),
            diagnostics: loaded.errors.clone(),
            wrapped: None,
        }
        .into())
    }

    fn render(
        &mut self,
        program: &Arc<Program>,
        args: Option<&Value>,
        parent: ScopeId,
        name: &str,
    ) -> EvalResult {
        let Expr::Epp { params, body, .. } = program[program.body] else {
            return plain(format!("'{name}' is no template"));
        };
        let resource = self.scopes.get(parent).resource;
        let mut scope = Scope::new(ScopeKind::Lambda, Some(parent), resource);
        scope.module = self.scopes.get(parent).module.clone();
        let scope = self.scopes.push(scope);
        let f = Frame { program: Arc::clone(program), scope };
        let empty = HashValue::default();
        let given = args.and_then(Value::as_hash).unwrap_or(&empty);
        let outer_sensitive = std::mem::replace(&mut self.output_sensitive, false);
        self.output.push(String::new());
        let result = self
            .bind_template(&f, params, given, name)
            .and_then(|()| self.eval(&f, body).map(drop));
        let text = self.output.pop().unwrap_or_default();
        let sensitive = std::mem::replace(&mut self.output_sensitive, outer_sensitive);
        self.scopes.drop_scope(scope);
        result?;
        let value = Value::Str(text.into());
        Ok(if sensitive { Value::Sensitive(Arc::new(value)) } else { value })
    }

    fn bind_template(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
        given: &HashValue,
        name: &str,
    ) -> EvalResult<()> {
        let params = f.program.params(params).to_vec();
        let mut problems = Vec::new();
        if !params.is_empty() {
            for key in given.keys() {
                let known = key.as_str().is_some_and(|k| params.iter().any(|p| p.name == k));
                if !known {
                    let key = crate::eval::text::to_text(key);
                    problems.push(format!("has no parameter named '{key}'"));
                }
            }
        } else {
            for (key, value) in given {
                let Some(key) = key.as_str() else {
                    return plain("EPP parameters must have text keys");
                };
                self.scopes.get_mut(f.scope).set(key.into(), value.clone());
            }
        }
        for param in &params {
            let kind = match param.kind {
                Some(kind) => self.eval_type(f, kind)?,
                None => Arc::new(Type::Any),
            };
            let value = match (given.get(&crate::value::Key(&param.name)), param.default) {
                (Some(value), _) if !(value.is_undef() && param.default.is_some()) => value.clone(),
                (_, Some(default)) => self.eval(f, default)?,
                (Some(_), None) => Value::Undef,
                (None, None) => {
                    problems.push(format!("expects a value for parameter '{}'", param.name));
                    continue;
                }
            };
            if !instance::is_instance(&kind, &value) {
                problems.push(mismatch::describe_parameter(&param.name, &kind, &value));
            }
            self.scopes.get_mut(f.scope).set(param.name.clone(), value);
        }
        if problems.is_empty() {
            return Ok(());
        }
        let shown =
            if name == "inline" { "epp(<inline>)".to_string() } else { format!("epp({name})") };
        plain(mismatch::join(&shown, &problems))
    }

    /// A template evaluated as a program of its own, without parameters given.
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
        if let Some(out) = self.output.last_mut() {
            out.push_str(text);
        }
    }

    pub(crate) fn eval_render(&mut self, f: &Frame, inner: ExprId) -> EvalResult {
        let mut value = self.eval(f, inner)?;
        if let Value::Sensitive(inner) = &value {
            self.output_sensitive = true;
            value = Value::clone(inner);
        }
        let mut text = EcoString::new();
        write_text(&mut text, &value);
        self.render_text(&text);
        Ok(Value::Undef)
    }
}
