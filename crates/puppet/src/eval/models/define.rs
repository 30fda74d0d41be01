//! From a definition to a type: its parent, and its features with types and defaults.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_functions::regex::Regex;
use ordain_source::{Span, TextRange, suggest};

use crate::error::{EvalError, EvalResult, PlainError, Unwind};
use crate::eval::models::host::{DefaultHost, NOWHERE};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::{Frame, final_error};
use crate::syntax::definitions::ModelDef;
use crate::syntax::{
    Definition, Expr, ExprId, FeatureSyntax, Program, TypeStatement, TypeStatementKind,
};
use crate::types::aliases::resolved;
use crate::types::models::layout::TitlePatterns;
use crate::types::models::{self, Code, FeatureKind, Layout, LoadedModel, Method, Rule, Slot};
use crate::types::new::new_instance;
use crate::types::{ObjectType, Regexp, Type};
use crate::value::Value;
use crate::value::closure::ScopeId;

/// The maximal length of a chain of parent types.
const MAX_PARENTS: usize = 100;

impl Compiler<'_> {
    /// The type with features of this name in lower case, loaded if necessary.
    pub(crate) fn model_named(&mut self, lower: &str) -> EvalResult<Option<Arc<ObjectType>>> {
        if let Some(known) = self.models.types.get(lower) {
            return Ok(Some(Arc::clone(known)));
        }
        match self.env.find_model(lower)? {
            Some(def) => self.define_model(&def).map(Some),
            None => Ok(None),
        }
    }

    /// As [`Compiler::model_named`], for a name whose file was read.
    pub(crate) fn known_model(&mut self, lower: &str) -> EvalResult<Option<Arc<ObjectType>>> {
        if let Some(known) = self.models.types.get(lower) {
            return Ok(Some(Arc::clone(known)));
        }
        match self.env.known_model(lower) {
            Some(def) => self.define_model(&def).map(Some),
            None => Ok(None),
        }
    }

    /// Checks the definitions of all types of the site program, used or not.
    ///
    /// # Errors
    /// Of their definitions.
    pub(crate) fn define_models(&mut self) -> EvalResult<()> {
        for def in self.env.known_models() {
            self.define_model(&def)?;
        }
        Ok(())
    }

    /// The errors of all definitions, at most one of each, and unknown variables in their code.
    pub(crate) fn model_errors(&mut self) -> Vec<EvalError> {
        let mut errors = Vec::new();
        for def in self.env.known_models() {
            let defined = self.define_model(&def);
            match defined.and_then(|kind| self.layout(&kind).map(|()| kind)) {
                Ok(kind) => errors.extend(super::look::unknown_variables(&kind)),
                Err(unwind) => {
                    errors.push(final_error(unwind));
                    self.models.opening.clear();
                    self.models.laying.clear();
                    self.models.logics.clear();
                }
            }
        }
        errors
    }

    fn define_model(&mut self, def: &Arc<ModelDef>) -> EvalResult<Arc<ObjectType>> {
        let lower: EcoString = def.name.to_lowercase();
        if let Some(known) = self.models.types.get(&lower) {
            return Ok(Arc::clone(known));
        }
        let error = |code, text: String| EvalError::new(code, text, def.span);
        if self.models.opening.len() >= MAX_PARENTS {
            let text = format!("Type '{}' inherits from too many types", def.name);
            return Err(error("TYPE_INHERITANCE_CYCLE", text).into());
        }
        let Some(model) = models::model(&def.program, def.id) else {
            return Err(error("RUNTIME_ERROR", "this defines no type".into()).into());
        };
        let parent = match &model.parent {
            None => None,
            Some(parent) => {
                self.models.opening.push(def.name.clone());
                let found = self.parent_named(def, parent);
                self.models.opening.pop();
                Some(Type::Object(found?))
            }
        };
        if let Some(Type::Object(parent)) = &parent
            && parent.line().count() >= MAX_PARENTS
        {
            let text = format!("Type '{}' inherits from too many types", def.name);
            return Err(error("TYPE_INHERITANCE_CYCLE", text).into());
        }
        let model = LoadedModel { model, def: Arc::clone(def), layout: OnceLock::new() };
        let kind = Arc::new(ObjectType {
            name: def.name.clone(),
            parent,
            model: Some(Arc::new(model)),
            ..ObjectType::bare()
        });
        self.models.types.insert(lower, Arc::clone(&kind));
        if self.models.opening.is_empty() && self.models.laying.is_empty() {
            self.layout(&kind)?;
        }
        Ok(kind)
    }

    fn parent_named(
        &mut self,
        def: &Arc<ModelDef>,
        parent: &EcoString,
    ) -> EvalResult<Arc<ObjectType>> {
        let place = match parent_place(def) {
            Some(range) => range.in_file(def.program.file),
            None => def.span,
        };
        let same = |name: &EcoString| name.to_lowercase() == parent.to_lowercase();
        if let Some(start) = self.models.opening.iter().position(same) {
            let mut names: Vec<&str> =
                self.models.opening[start..].iter().map(EcoString::as_str).collect();
            names.extend(names.first().copied());
            let text = format!("Type inheritance is circular: {}", names.join(" -> "));
            return Err(EvalError::new("TYPE_INHERITANCE_CYCLE", text, place).into());
        }
        let found = match self.model_named(&parent.to_lowercase())? {
            Some(kind) => Some(kind),
            None => self.object_alias(parent)?,
        };
        match found {
            Some(kind) => Ok(kind),
            None => {
                let text = format!("Type '{parent}' (parent of '{}') is not defined", def.name);
                let mut error = EvalError::new("TYPE_UNKNOWN_PARENT", text, place);
                let known = self.env.known_models();
                let near = suggest::nearest(parent, known.iter().map(|d| d.name.as_str()));
                error.help.extend(near.map(|near| format!("did you mean `{near}`?")));
                Err(error.into())
            }
        }
    }

    /// The `Object[...]` type behind an alias of this name.
    fn object_alias(&mut self, name: &str) -> EvalResult<Option<Arc<ObjectType>>> {
        let named = self.named_type(name)?;
        Ok(match resolved(&named) {
            Type::Object(object) if !object.is_root() => Some(Arc::clone(object)),
            _ => None,
        })
    }

    /// Computes the features of a type, once.
    pub(crate) fn layout(&mut self, kind: &Arc<ObjectType>) -> EvalResult<()> {
        let Some(model) = kind.model.clone() else { return Ok(()) };
        if model.layout.get().is_some() {
            return Ok(());
        }
        if self.models.laying.contains(&kind.name) {
            let text = format!("Type '{}' is used where it is being defined", kind.name);
            return Err(EvalError::new("TYPE_BAD_DEFAULT", text, model.def.span).into());
        }
        self.models.laying.push(kind.name.clone());
        let result = self.lay_out(kind, &model);
        self.models.laying.pop();
        // It was unset before, and nothing between sets it.
        let _ = model.layout.set(result?);
        self.test_defaults(kind)
    }

    /// The features that a type inherits.
    fn inherited_layout(&mut self, kind: &ObjectType) -> EvalResult<Layout> {
        let mut layout = Layout::default();
        let Some(parent) = kind.parent_object() else { return Ok(layout) };
        self.layout(&parent)?;
        match parent.model.as_ref().and_then(|m| m.layout.get()) {
            Some(known) => {
                layout.slots.clone_from(&known.slots);
                layout.index = known.index.clone();
                layout.rules.clone_from(&known.rules);
                layout.defaults.clone_from(&known.defaults);
                layout.functions.clone_from(&known.functions);
                layout.patterns.clone_from(&known.patterns);
            }
            None => super::object::inherit(&mut layout, &parent),
        }
        Ok(layout)
    }

    fn lay_out(&mut self, kind: &Arc<ObjectType>, model: &LoadedModel) -> EvalResult<Layout> {
        let mut layout = self.inherited_layout(kind)?;
        let inherited = layout.slots.len();
        let def = &model.def;
        let program = &def.program;
        let Expr::Definition(definition) = program[def.id] else { return Ok(layout) };
        let Definition::TypeDefinition { statements, .. } = program.definition(definition) else {
            return Ok(layout);
        };
        let mut patterns_at = def.span;
        for TypeStatement { kind: statement, range } in program.type_statements(*statements) {
            match statement {
                TypeStatementKind::Abstract | TypeStatementKind::Annotations { .. } => {}
                TypeStatementKind::TitlePatterns { range, .. } => {
                    patterns_at = range.in_file(program.file);
                }
                TypeStatementKind::Function { name, lambda, .. } => {
                    layout.functions.push(Arc::new(Method {
                        name: name.clone(),
                        owner: kind.name.clone(),
                        program: Arc::clone(program),
                        lambda: *lambda,
                        span: range.in_file(program.file),
                    }));
                }
                TypeStatementKind::Invariant { title, body, .. } => {
                    let code = code(program, *body);
                    let (span, program) = (range.in_file(program.file), Arc::clone(program));
                    layout.rules.push(Arc::new(Rule { program, span, title: *title, code }));
                }
                TypeStatementKind::Feature(syntax) => {
                    let feature = models::feature(program, syntax, *range);
                    let slot = self.slot(def, syntax, feature, &mut layout)?;
                    layout.index.insert(slot.feature.name.clone(), layout.slots.len());
                    layout.slots.push(Arc::new(slot));
                }
            }
        }
        for i in inherited..layout.slots.len() {
            let slot = Arc::clone(&layout.slots[i]);
            layout.defaults.push(self.default_of(&slot, def)?);
        }
        layout.id = id_of(&layout);
        layout.namevars = namevars_of(&layout);
        if !model.model.title_patterns.is_empty() {
            layout.patterns = title_patterns(model, &layout, patterns_at)?;
        }
        if layout.namevars.len() > 1 && layout.patterns.is_empty() {
            let text = format!(
                "Type '{}' has several features with namevar => true and no title_patterns",
                kind.name
            );
            return Err(EvalError::new("TYPE_BAD_SETTING", text, def.span).into());
        }
        Ok(layout)
    }

    fn slot(
        &mut self,
        def: &Arc<ModelDef>,
        syntax: &FeatureSyntax,
        feature: models::Feature,
        layout: &mut Layout,
    ) -> EvalResult<Slot> {
        let program = &def.program;
        let at = |range: TextRange| range.in_file(program.file);
        let name = &feature.name;
        if let Some(known) = layout.find(name) {
            let known = &layout.slots[known];
            let text = format!(
                "Feature '{name}' of type '{}' is already defined in '{}'",
                def.name, known.owner
            );
            let mut error = EvalError::new("TYPE_DUPLICATE_FEATURE", text, at(syntax.name_range));
            let place = known.feature.span;
            error.related.extend(place.map(|s| (s, "first defined here".to_owned())));
            return Err(error.into());
        }
        let only = |flag: fn(&models::Feature) -> bool| {
            flag(&feature) && layout.slots.iter().any(|slot| flag(&slot.feature))
        };
        if only(|f| f.id) {
            let text = format!("Type '{}' has more than one feature with id => true", def.name);
            let error = EvalError::new("TYPE_BAD_SETTING", text, at(syntax.name_range));
            return Err(error.into());
        }
        let (kind, target) = self.feature_type(def, syntax, &feature)?;
        let program = &def.program;
        let setting = |name: &str| {
            let setting = program.settings(syntax.settings).iter().find(|s| s.name == name)?;
            Some(code(program, setting.value))
        };
        Ok(Slot {
            owner: def.name.clone(),
            kind,
            target,
            is_many: feature.multiplicity.is_many(),
            check: models::check_of(program, syntax).map(|s| code(program, s.value)),
            derived: setting("derived"),
            set: setting("set"),
            get: setting("get"),
            feature,
        })
    }

    fn feature_type(
        &mut self,
        def: &Arc<ModelDef>,
        syntax: &FeatureSyntax,
        feature: &models::Feature,
    ) -> EvalResult<(Type, EcoString)> {
        if let FeatureKind::Reference { target, .. } = &feature.kind {
            let lower = target.to_lowercase();
            return match self.model_named(&lower)? {
                Some(kind) => Ok((Type::Object(kind), lower)),
                None => {
                    let text =
                        format!("Type '{target}' (of feature '{}') is not defined", feature.name);
                    let place = syntax.kind_range.in_file(def.program.file);
                    let mut error = EvalError::new("TYPE_UNKNOWN_TARGET", text, place);
                    let known = self.env.known_models();
                    let near = suggest::nearest(target, known.iter().map(|d| d.name.as_str()));
                    error.help.extend(near.map(|near| format!("did you mean `{near}`?")));
                    Err(error.into())
                }
            };
        }
        let Some(kind) = syntax.kind else { return Ok((Type::Any, EcoString::new())) };
        let f = Frame { program: Arc::clone(&def.program), scope: ScopeId::TOP };
        let kind = self.eval_type(&f, kind).map_err(|unwind| self.locate(&f, kind, unwind))?;
        Ok((Type::clone(&kind), EcoString::new()))
    }

    /// The default of a feature; a text is converted to the type.
    fn default_of(&mut self, slot: &Slot, def: &ModelDef) -> EvalResult<Option<Value>> {
        let Some(written) = &slot.feature.default else {
            return Ok(None);
        };
        let items = match written {
            Data::List(items) if slot.is_many || slot.feature.is_reference() => items.to_vec(),
            other => vec![other.clone()],
        };
        let span = slot.feature.span.unwrap_or(def.span);
        let mut values = Vec::with_capacity(items.len());
        for item in &items {
            let value = self.default_item(slot, crate::value::rich::from_data(item));
            values.push(value.map_err(|unwind| bad_default(unwind, slot, span))?);
        }
        let most = slot.feature.multiplicity.upper;
        if let Some(most) = most.filter(|most| slot.is_many && values.len() as i64 > *most) {
            let name = &slot.feature.name;
            let got = values.len();
            let text = format!("Default of '{name}': {got} values are more than {most}");
            return Err(EvalError::new("TYPE_BAD_DEFAULT", text, span).into());
        }
        Ok(match slot.is_many {
            true if values.is_empty() && !slot.feature.unsettable => None,
            true => Some(Value::array(values)),
            false => values.into_iter().next(),
        })
    }

    fn default_item(&mut self, slot: &Slot, value: Value) -> EvalResult {
        let value = match (&slot.kind, value) {
            (Type::Float(_), Value::Int(number)) => Value::Float(number as f64),
            (kind, value @ Value::Str(_)) if !super::feature::fits(slot, &value) => {
                let mut host = DefaultHost(self);
                let made = new_instance(kind, std::slice::from_ref(&value), &mut host);
                match made {
                    Err(_) if matches!(kind, Type::Enum { .. } | Type::Pattern(_)) => value,
                    made => made?,
                }
            }
            (_, value) => value,
        };
        if super::feature::fits(slot, &value) {
            return Ok(value);
        }
        let actual = crate::types::infer(&value);
        Err(PlainError::new(crate::types::mismatch::expectation(&slot.kind, &actual)).into())
    }

    /// Runs the checks of the type's own features on their defaults.
    fn test_defaults(&mut self, kind: &Arc<ObjectType>) -> EvalResult<()> {
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else { return Ok(()) };
        for (slot, default) in layout.slots.iter().zip(&layout.defaults) {
            let (Some(default), true) = (default, slot.owner == kind.name) else { continue };
            let items = match default {
                Value::Array(items) if slot.is_many => items.to_vec(),
                single => vec![single.clone()],
            };
            for item in &items {
                self.check_element(kind, slot, item).map_err(|unwind| match *unwind {
                    Unwind::Plain(error) => {
                        let span = slot.feature.span.unwrap_or(kind_span(kind));
                        let name = &slot.feature.name;
                        let feature = error.subject.as_ref().and_then(|s| s.feature.as_ref());
                        let reason = feature.map_or(&error.message, |(_, reason)| reason);
                        let text = format!("Default of '{name}': {reason}");
                        EvalError::new("TYPE_BAD_DEFAULT", text, span).into()
                    }
                    other => Box::new(other),
                })?;
            }
        }
        Ok(())
    }
}

fn kind_span(kind: &ObjectType) -> Span {
    kind.model.as_ref().map_or(NOWHERE, |m| m.def.span)
}

#[allow(clippy::boxed_local, reason = "errors travel boxed, so that results stay small")]
fn bad_default(unwind: Box<Unwind>, slot: &Slot, span: Span) -> Box<Unwind> {
    let reason = match &*unwind {
        Unwind::Plain(error) => error.reason(),
        Unwind::Error(error) => &error.message,
        _ => return unwind,
    };
    let text = format!("Default of '{}': {reason}", slot.feature.name);
    EvalError::new("TYPE_BAD_DEFAULT", text, span).into()
}

/// The feature whose value identifies an object for links: the one with `id => true`, else `name`
/// if every object has it.
fn id_of(layout: &Layout) -> Option<usize> {
    let said = layout.slots.iter().position(|slot| slot.feature.id);
    said.or_else(|| {
        let named = named(layout)?;
        let slot = &layout.slots[named];
        let is_text = matches!(slot.kind, Type::String(_) | Type::Pattern(_) | Type::Literal(_));
        (is_text && slot.feature.multiplicity.lower == 1).then_some(named)
    })
}

/// The name attributes: features with that setting, else `name`.
fn namevars_of(layout: &Layout) -> Vec<usize> {
    let slots = layout.slots.iter().enumerate();
    let said: Vec<usize> = slots.filter(|(_, s)| s.feature.namevar).map(|(i, _)| i).collect();
    if said.is_empty() { named(layout).into_iter().collect() } else { said }
}

/// The feature `name`, if it is one plain value.
fn named(layout: &Layout) -> Option<usize> {
    let slot = layout.find("name")?;
    let known = &layout.slots[slot];
    let is_plain = !known.is_many && !known.feature.is_reference() && known.derived.is_none();
    is_plain.then_some(slot)
}

/// The names of the groups of a pattern, in order.
fn group_names(regex: &Regex) -> Vec<Option<EcoString>> {
    let mut out = Vec::new();
    for (name, groups) in regex.named_groups() {
        for &group in groups {
            let needed = out.len().max(group);
            out.resize(needed, None);
            out[group - 1] = Some(name.into());
        }
    }
    out
}

/// The title patterns, with the feature of each group.
fn title_patterns(model: &LoadedModel, layout: &Layout, at: Span) -> EvalResult<TitlePatterns> {
    let mut out = TitlePatterns::new();
    for source in &model.model.title_patterns {
        let pattern = Arc::new(Regexp::new(source.clone()));
        let refuse = |text: String| EvalError::new("TYPE_BAD_SETTING", text, at);
        let names = match pattern.regex() {
            Ok(regex) => group_names(regex),
            Err(why) => return Err(refuse(format!("The title pattern /{source}/: {why}")).into()),
        };
        for name in names.iter().flatten() {
            if layout.find(name).is_none() {
                let text = format!(
                    "The title pattern /{source}/ names '{name}', which '{}' has no feature for",
                    model.model.name
                );
                let mut error = refuse(text);
                let known = layout.slots.iter().map(|slot| slot.feature.name.as_str());
                let near = suggest::nearest(name, known);
                error.help.extend(near.map(|near| format!("did you mean `{near}`?")));
                return Err(error.into());
            }
        }
        out.push((pattern, names));
    }
    Ok(out)
}

/// The place of the parent's name.
fn parent_place(def: &ModelDef) -> Option<TextRange> {
    let Expr::Definition(definition) = def.program[def.id] else { return None };
    match def.program.definition(definition) {
        Definition::TypeDefinition { parent_range, .. } => Some(*parent_range),
        _ => None,
    }
}

/// Code of a setting or an invariant.
fn code(program: &Arc<Program>, id: ExprId) -> Code {
    let out = |body, param, lambda, arity| Code {
        program: Arc::clone(program),
        body,
        param,
        lambda,
        arity,
    };
    let Expr::Lambda(lambda) = program[id] else { return out(id, None, None, 0) };
    let lambda = program.lambda(lambda);
    let params = program.params(lambda.params);
    let plain =
        |p: &crate::syntax::Param| p.kind.is_none() && p.default.is_none() && !p.captures_rest;
    match params {
        [] if lambda.returns.is_none() => out(lambda.body, None, None, 0),
        [one] if lambda.returns.is_none() && plain(one) => {
            out(lambda.body, Some(one.name.clone()), None, 1)
        }
        several => out(id, None, Some(id), several.len()),
    }
}
