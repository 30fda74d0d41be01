//! The parameters of classes and defines: arguments, values from data, defaults, and the check of
//! their types.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{FileId, Span, TextRange, suggest};

use crate::catalog::LostValue;
use crate::catalog::Param;
use crate::catalog::ParamOrigin;
use crate::catalog::ParamSource;
use crate::catalog::ResourceId;
use crate::catalog::values::{as_parameter, new_param};
use crate::error::{EvalResult, PlainError, Unwind, plain, unplaced};
use crate::eval::calls::DeclaredResult;
use crate::functions::support::NO_PLACE;
use crate::schema;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::scope::not_reserved;
use crate::syntax::definitions::{DefKind, TypeDef};
use crate::syntax::{ExprId, Param as ParamDef};
use crate::types::inner::names_sensitive;
use crate::types::mismatch::ByName;
use crate::types::refusal::answered;
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{is_instance, mismatch};
use crate::value::Value;
use crate::value::closure::ScopeId;

/// The variables with the name of a class.
const OWN_NAMES: [&str; 2] = ["title", "name"];

/// The steps to charge for the memory of so many parameters, in the resource and as variables.
fn steps_of(params: usize) -> u64 {
    /// A number of parameters that no hand-written class or define exceeds.
    const MANY: usize = 100;
    const STEPS: u64 = 32;
    if params > MANY { params as u64 * STEPS } else { 0 }
}

/// Gives an error without a place, such as a missing key in data, the place of the class or define.
fn placed(mut unwind: Box<Unwind>, definition: Span) -> Box<Unwind> {
    if let Unwind::Error(error) = &mut *unwind
        && error.span.is_none()
        && error.diagnostics.is_empty()
    {
        (error.span, error.line_only) = (Some(definition), true);
    }
    unwind
}

impl Compiler<'_> {
    /// Sets the parameters to arguments, values from data, or defaults, in this order of priority.
    pub(super) fn bind_parameters(
        &mut self,
        id: ResourceId,
        def: &Arc<TypeDef>,
        f: &Frame,
    ) -> EvalResult<()> {
        let signature = self.signature_of(def)?;
        let params = f.program.params(def.params);
        self.budget.steps.charge(steps_of(params.len()));
        if def.kind == DefKind::Class {
            for param in params {
                let given = self.catalog.get(id).param(&param.name);
                if given.is_none_or(|p| p.value.is_undef()) {
                    self.bind_data(id, def, param, f)?;
                }
            }
        }
        if def.kind == DefKind::Define {
            self.bind_features(id, def)?;
        }
        self.convert_parameters(id, &signature)?;
        for param in params {
            let place = Some(param.range.in_file(f.program.file));
            not_reserved(&param.name).map_err(|text| unplaced(text, place))?;
            if let Some(given) = self.catalog.get(id).param(&param.name) {
                let value = given.value.clone();
                self.budget.weigh(&value)?;
                self.scopes.get_mut(f.scope).set(param.name.clone(), value);
            }
        }
        self.bind_metaparameters(id, f.scope);
        let callee = self.catalog.get(id).reference();
        self.with_pending(f, callee.into(), params, |this| {
            for (i, param) in params.iter().enumerate() {
                let given = this.catalog.get(id).param(&param.name);
                let Some(default) = param.default else { continue };
                if given.is_none_or(|p| p.value.is_undef()) {
                    let value = this
                        .bind_default(id, f, params, i, default)
                        .map_err(|unwind| placed(unwind, def.span))?;
                    let made = match signature.params.get(i) {
                        Some(wanted) => this.convert_parameter(id, wanted)?,
                        None => None,
                    };
                    let value = made.unwrap_or(value);
                    this.budget.weigh(&value)?;
                    this.scopes.get_mut(f.scope).replace(param.name.clone(), value);
                }
            }
            Ok(())
        })?;
        self.check_parameters(id, def, &signature, false)?;
        self.check_deferred(id, &signature)
    }

    /// Checks parameters whose values are deferred calls, by the declared types of the functions.
    fn check_deferred(&mut self, id: ResourceId, signature: &Signature) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let nowhere = Span { file: FileId(0), range: TextRange::default() };
        let place = resource.span.unwrap_or(nowhere);
        let deferred = resource.params.iter().filter(|p| mismatch::is_deferred(&p.value));
        let deferred: Vec<Param> = deferred.cloned().collect();
        let mut results = Vec::new();
        for param in &deferred {
            let wanted = signature.params.iter().find(|p| p.name == param.name);
            let (Some(wanted), Value::Object(call)) = (wanted, &param.value) else { continue };
            let Some(name) = call.values.get("name").and_then(Value::as_str) else { continue };
            let args = call.values.get("arguments").and_then(Value::as_array).unwrap_or_default();
            match self.declared_result(name, args, place)? {
                Some(DeclaredResult::Type(kind)) => results.push((wanted, kind)),
                Some(DeclaredResult::Undeclared) => {
                    let text = format!(
                        "Deferred function {name} has no return_type, unable to guarantee value \
                         type during compilation.{NO_PLACE}"
                    );
                    self.warn_once(&format!("{name}_deferred_warning"), &text, None);
                }
                None => {}
            }
        }
        let reference = self.catalog.get(id).reference();
        let Some(text) = mismatch::describe_deferred(&reference, &results)? else { return Ok(()) };
        let mut error = PlainError::new(text);
        let misfits = deferred.iter().filter_map(|param| {
            let wanted = results.iter().find(|(wanted, _)| wanted.name == param.name)?;
            self.misfit(wanted.0, param)
        });
        error.related.extend(misfits);
        Err(error.into())
    }

    fn bind_default(
        &mut self,
        id: ResourceId,
        f: &Frame,
        params: &[ParamDef],
        i: usize,
        default: ExprId,
    ) -> EvalResult {
        let value = self.eval_default(f, i, default)?;
        let value = as_parameter(value).or_else(plain)?;
        let span = Some(f.program.span(default));
        let origin = ParamOrigin { how: ParamSource::ParameterDefault, span, within: id };
        let name = params[i].name.clone();
        self.set_param(id, new_param(name, value.clone(), false, origin))?;
        Ok(value)
    }

    /// Checks names and types of all parameters of a class or define. A missing `title` is only
    /// found at the end of the compile.
    pub(crate) fn check_parameters(
        &self,
        id: ResourceId,
        def: &TypeDef,
        signature: &Signature,
        at_end: bool,
    ) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let by_name = ByName::new(signature);
        let known = |name: &str| by_name.get(name).is_some();
        let is_own = |name: &str| name == "name" || name == "title" && !at_end;
        let checked = resource
            .params
            .iter()
            .filter(|p| known(&p.name) || !(schema::is_metaparameter(&p.name) || is_own(&p.name)));
        let given = checked.clone().map(|p| (p.name.as_str(), &p.value));
        if answered(|| mismatch::params_fit(signature, given))? {
            return Ok(());
        }
        let given: Vec<(EcoString, Value)> =
            checked.clone().map(|p| (p.name.clone(), p.value.clone())).collect();
        let reference = resource.reference();
        let Some(text) = mismatch::describe_params(&reference, signature, &given, false) else {
            return Ok(());
        };
        let mut error = PlainError::new(text);
        let unknown = checked.clone().find(|p| !known(&p.name));
        for param in checked.clone().filter(|p| !known(&p.name)) {
            let names = signature.params.iter().map(|p| p.name.as_str());
            if let Some(near) = suggest::nearest(&param.name, names) {
                error.help = Some(format!("did you mean `{near}`?"));
            }
            let label = format!("`{}` is no parameter", param.name);
            let place = param.origin.span.map(|span| (self.name_in(span, &param.name), label));
            match error.focus {
                None => error.focus = place,
                Some(_) => error.related.extend(place),
            }
        }
        let mut misfits = signature.params.iter().filter_map(|wanted| {
            let param = resource.param(&wanted.name)?;
            (!is_instance(&wanted.kind, &param.value)).then_some((wanted, param))
        });
        match misfits.next().filter(|_| unknown.is_none()) {
            Some((wanted, param)) => {
                self.explain_misfit(&mut error, def, wanted, param);
                // The message names them all.
                error.related.extend(misfits.filter_map(|(w, param)| self.misfit(w, param)));
            }
            None => error.related.push((def.span, "defined here".to_string())),
        }
        let is_given = |name: &str| given.iter().any(|(known, _)| known == name);
        let missing = signature.params.iter().find(|p| !p.optional && !is_given(&p.name));
        if let Some(missing) = missing.filter(|_| error.help.is_none()) {
            error.help = Some(match def.kind {
                DefKind::Class => format!(
                    "give the value where the class is declared, or in Hiera as `{}::{}`",
                    def.name, missing.name
                ),
                DefKind::Define => "give the value where the resource is declared".to_owned(),
            });
        }
        Err(error.into())
    }

    /// The place of a value that is not of the type of its parameter, with the accepted type.
    fn misfit(&self, wanted: &SignatureParam, param: &Param) -> Option<(Span, String)> {
        let place = match &param.origin.how {
            ParamSource::Data(place) => self.data_place(place),
            _ => param.origin.span.map(|span| self.env.value_part(span, &[]).unwrap_or(span)),
        };
        let label = format!("`{}` takes {}", param.name, mismatch::short_type(&wanted.kind));
        // The value in the data file may differ from `param.value`, which was converted. Its type
        // says that it is secret.
        let is_secret = param.value.holds_sensitive() || names_sensitive(&wanted.kind);
        if let Some(place) =
            place.filter(|_| is_secret && matches!(param.origin.how, ParamSource::Data(_)))
        {
            self.env.sources.file(place.file).hide(place.range);
        }
        Some((place?, label))
    }

    /// Adds the places of the value and of the type to a type mismatch of a parameter.
    fn explain_misfit(
        &self,
        error: &mut PlainError,
        def: &TypeDef,
        wanted: &SignatureParam,
        param: &Param,
    ) {
        error.focus = self.misfit(wanted, param);
        let params = def.program.params(def.params);
        let declared = params.iter().find(|p| p.name == param.name);
        let declared = declared.map_or(def.span, |p| p.range.in_file(def.program.file));
        error.related.push((declared, "declared here".to_string()));
        error.help = mismatch::unquoted(&wanted.kind, &param.value);
    }

    /// The name of an attribute, which begins it; a place that is no attribute stays as it is.
    pub(super) fn name_in(&self, attribute: Span, name: &str) -> Span {
        let range = attribute.range;
        let file = self.env.sources.file(attribute.file);
        let begins = file.text.get(range.start as usize..).is_some_and(|t| t.starts_with(name));
        let end = if begins { range.start + name.len() as u32 } else { range.end };
        TextRange::new(range.start, end).in_file(attribute.file)
    }

    fn bind_data(
        &mut self,
        id: ResourceId,
        def: &Arc<TypeDef>,
        param: &ParamDef,
        f: &Frame,
    ) -> EvalResult<()> {
        // Data that refers to the title means the title of the outer scope, because the class has
        // none yet.
        let own = self.scopes.get_mut(f.scope).hide(&OWN_NAMES);
        let found = self.lookup_parameter(&def.name, &param.name, f.scope);
        self.scopes.get_mut(f.scope).restore(own);
        let Some(found) = found? else { return Ok(()) };
        if found.value.is_undef() && param.default.is_some() {
            return Ok(());
        }
        let how = match found.places.into_iter().next() {
            Some(place) => ParamSource::Data(Arc::new(place)),
            None => ParamSource::External,
        };
        let origin = ParamOrigin { how, span: None, within: id };
        self.set_param(id, new_param(param.name.clone(), found.value, false, origin))
    }

    /// Makes metaparameters of a class or define variables in its defaults and its body.
    fn bind_metaparameters(&mut self, id: ResourceId, scope: ScopeId) {
        let given: Vec<(EcoString, Value)> = self
            .catalog
            .get(id)
            .params
            .iter()
            .filter(|p| schema::is_metaparameter(&p.name))
            .map(|p| (p.name.clone(), p.value.clone()))
            .collect();
        for (name, value) in given {
            self.scopes.get_mut(scope).set(name, value);
        }
    }

    /// The parameters of a class or define with their types.
    pub(crate) fn signature_of(&mut self, def: &Arc<TypeDef>) -> EvalResult<Arc<Signature>> {
        let f = Frame { program: Arc::clone(&def.program), scope: ScopeId::TOP };
        self.parameter_types(&f, def.params)
    }

    /// Sets a parameter; an earlier one of the same name is recorded as a loser.
    pub(crate) fn set_param(&mut self, id: ResourceId, mut param: Param) -> EvalResult<()> {
        let resource = self.catalog.get_mut(id);
        let span = resource.span;
        let mut tags = std::mem::take(&mut resource.tags);
        self.tag_by_param(&mut tags, &param, span)?;
        let resource = self.catalog.get_mut(id);
        resource.tags = tags;
        match resource.param_mut(&param.name) {
            Some(slot) => {
                let lost = std::mem::take(&mut param.losers);
                let old = std::mem::replace(slot, param);
                // The value already has everything that was appended; only the first part is kept
                // as its origin.
                if !(slot.append && old.append) {
                    slot.losers.push(LostValue { value: old.value, origin: old.origin });
                }
                slot.losers.append(lost);
                slot.losers.append(old.losers);
            }
            None => resource.params.push(param),
        }
        Ok(())
    }
}
