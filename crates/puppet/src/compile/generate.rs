//! The rounds of collectors and of the evaluation of defines.

use ordain_source::{FileId, Span, TextRange};

use crate::catalog::values::check_attributes;
use crate::catalog::{LostValue, Param, PendingOverride, ResourceId, ResourceKind, no_title};
use crate::codes::is_of_model;
use crate::error::{EvalError, EvalResult, PlainError, Unwind, unplaced};
use crate::eval::collect::TagCache;
use crate::state::Compiler;
use crate::state::frame::misplaced;
use crate::syntax::definitions::TypeDef;
use crate::value::Value;
use ordain_graph::language::Strict;

/// The number of rounds after which the compile is stopped as an endless loop.
const MAX_ROUNDS: usize = 1000;

impl Compiler<'_> {
    /// Runs collectors and evaluates defines until nothing changes.
    pub(crate) fn generate(&mut self) -> EvalResult<()> {
        for _ in 0..=MAX_ROUNDS {
            let collected = self.run_collectors()?;
            let evaluated = self.evaluate_waiting()?;
            if !collected && !evaluated {
                return Ok(());
            }
        }
        let mut error =
            PlainError::new("Somehow looped more than 1000 times while evaluating host catalog");
        // Puppet reports no place.
        let last = self.catalog.unevaluated.last().and_then(|&id| self.catalog.get(id).span);
        error.related.extend(last.map(|span| (span, "each of these declares another one".into())));
        Err(error.into())
    }

    fn run_collectors(&mut self) -> EvalResult<bool> {
        let mut found = false;
        for number in 0..self.catalog.collectors.len() {
            found |= self.run_collector(number)?;
        }
        found |= self.run_realize()?;
        Ok(found)
    }

    fn run_collector(&mut self, number: usize) -> EvalResult<bool> {
        let collector = &self.catalog.collectors[number];
        let hits: Vec<ResourceId> = if collector.exported {
            self.collect_exported(number)?
        } else {
            // Most collectors name one resource by its title.
            let candidates = match collector.query.title().cloned() {
                Some(title) => {
                    let kind = collector.kind.clone();
                    self.catalog.of_title(&kind, &title).to_vec()
                }
                None => self.catalog.of_kind(&collector.kind).to_vec(),
            };
            let collector = &self.catalog.collectors[number];
            let counts = |id| {
                let changes = collector.is_end || collector.overrides.is_some();
                (changes || self.catalog.get(id).is_virtual) && !collector.collected.contains(&id)
            };
            let held = TagCache::default();
            let mut hits = candidates;
            hits.retain(|&id| counts(id) && self.fits(&collector.query, id, &held));
            hits
        };
        if hits.is_empty() {
            return Ok(false);
        }
        for &id in &hits {
            self.catalog.get_mut(id).is_virtual = false;
        }
        let collector = &self.catalog.collectors[number];
        if let Some(mut params) = collector.overrides.clone() {
            let (scope, span, own) = (collector.scope, collector.span, params.len());
            // Overrides are evaluated in the scope of the collector, so its defaults apply.
            for default in self.defaults.in_effect(&self.scopes, scope, &collector.kind) {
                if !params.iter().any(|param| param.name == default.name) {
                    params.push(default);
                }
            }
            for &id in &hits {
                let key = self.catalog.get(id).key();
                check_attributes(&params[..own], &key, span)?;
                let pending = PendingOverride { key, params: params.clone(), scope, span };
                self.collector_override(id, pending)?;
            }
        }
        self.catalog.collectors[number].collected.extend(hits);
        Ok(true)
    }

    fn collector_override(&mut self, id: ResourceId, over: PendingOverride) -> EvalResult<()> {
        self.check_not_evaluated(id, &over)?;
        for param in over.params {
            // A default never replaces a value.
            let is_set = self.catalog.get(id).param(&param.name).is_some();
            if !(is_set && self.is_default_of(id, &param.name, &param.value)) {
                self.override_param(id, param)?;
            }
        }
        Ok(())
    }

    fn run_realize(&mut self) -> EvalResult<bool> {
        if let Some((text, span)) = self.catalog.not_realizable.take() {
            return Err(unplaced(no_title(&format!("\"{text}\"")), Some(span)));
        }
        let mut found = false;
        let waiting = std::mem::take(&mut self.catalog.realize);
        for (key, span) in waiting {
            match self.catalog.find(&key) {
                Some(id) => {
                    self.catalog.get_mut(id).is_virtual = false;
                    found = true;
                }
                None => self.catalog.realize.push((key, span)),
            }
        }
        Ok(found)
    }

    /// Evaluates the waiting resources that are not virtual. The resources that they declare wait
    /// for the next round.
    fn evaluate_waiting(&mut self) -> EvalResult<bool> {
        let waiting = std::mem::take(&mut self.catalog.unevaluated);
        let (ready, held): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|&id| !self.catalog.get(id).is_virtual);
        self.catalog.unevaluated = held;
        let any = !ready.is_empty();
        for id in ready {
            let result = self.evaluate(id);
            if let Err(unwind) = result {
                return Err(self.wrap_body_error(id, *unwind));
            }
        }
        Ok(any)
    }

    /// Reports an error in a body for its resource, with the inner error in the text.
    fn wrap_body_error(&self, id: ResourceId, unwind: Unwind) -> Box<Unwind> {
        let resource = self.catalog.get(id);
        let span = resource.span;
        let unwind = match unwind {
            Unwind::Break(span) => *misplaced("break", span),
            other => other,
        };
        let (detail, related, focus, help, inner) = match unwind {
            Unwind::Plain(error) => {
                let help = error.help.into_iter().collect();
                (error.message, error.related, error.focus, help, None)
            }
            Unwind::Error(error) if error.is_jump => {
                let place = self.full_place(error.span, true);
                let place = place.replacen("(line", "(file: unknown, line", 1);
                let text = format!("Error while evaluating an Object, {}{place}", error.message);
                return EvalError { issue: Some("RUNTIME_ERROR".into()), message: text, ..error }
                    .into();
            }
            // Types with features only exist here, so their errors need not look like those of
            // Puppet.
            Unwind::Error(mut error) if error.issue.as_deref().is_some_and(is_of_model) => {
                let asked = "asked for here";
                if let Some(span) = span
                    && !error.related.iter().any(|(_, text)| text == asked)
                {
                    error.related.push((span, asked.to_owned()));
                }
                return error.into();
            }
            Unwind::Error(error) => {
                let place = self.full_place(error.span, error.line_only);
                let prefix = if error.issue.is_some() { "Evaluation Error: " } else { "" };
                let text = format!("{prefix}{}{place}", error.message);
                let at = || error.span.map(|s| (s, String::new()));
                let focus = error.focus.clone().or_else(at);
                (text, error.related.clone(), focus, error.help.clone(), Some(Box::new(error)))
            }
            other => return Box::new(other),
        };
        let text = format!("Error while evaluating a Resource Statement, {detail}");
        let nowhere = Span { file: FileId(0), range: TextRange::default() };
        let mut error = EvalError::new("RUNTIME_ERROR", text, span.unwrap_or(nowhere));
        error.span = span;
        error.line_only = true;
        (error.related, error.focus) = (related, focus);
        error.help = help;
        error.wrapped = inner;
        error.into()
    }

    /// Merges an override into a resource, if Puppet's rules allow it.
    pub(crate) fn apply_override(
        &mut self,
        id: ResourceId,
        over: &PendingOverride,
    ) -> EvalResult<()> {
        let mine = self.scopes.get(over.scope).resource;
        let theirs = self.scopes.get(self.catalog.get(id).scope).resource;
        if !self.same_source(mine, theirs) && !self.is_child_of(mine, theirs) {
            return Err(self.override_error(over, "Only subclasses can override parameters".into()));
        }
        self.check_not_evaluated(id, over)?;
        for param in &over.params {
            self.check_override(id, over, param)?;
        }
        Ok(())
    }

    fn check_not_evaluated(&mut self, id: ResourceId, over: &PendingOverride) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        if !resource.evaluated {
            return Ok(());
        }
        let at =
            self.place(resource.span).map(|p| format!(", defined at {p},")).unwrap_or_default();
        let text = format!("Attempt to override an already evaluated resource{at} with new values");
        match self.settings.strict {
            Strict::Off => Ok(()),
            Strict::Warning => {
                let place =
                    self.place(Some(over.span)).map(|p| format!(" {p}")).unwrap_or_default();
                self.warn(format!("{text}{place}"), Some(over.span));
                Ok(())
            }
            Strict::Error => Err(self.override_error(over, text)),
        }
    }

    fn check_override(
        &mut self,
        id: ResourceId,
        over: &PendingOverride,
        param: &Param,
    ) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let Some(current) = resource.param(&param.name) else {
            return self.override_param(id, param.clone());
        };
        let is_default = |value: &Value| self.is_default_of(id, &param.name, value);
        if is_default(&param.value) {
            return Ok(());
        }
        let mine = self.scopes.get(over.scope).resource;
        let theirs = self.source_of(current);
        let allowed = self.is_child_of(mine, theirs)
            || (self.same_source(mine, theirs) && is_default(&current.value));
        if !allowed {
            let by = self.catalog.get(theirs).reference();
            let at =
                self.place(current.origin.span).map(|p| format!(" at {p}")).unwrap_or_default();
            let text = format!(
                "Parameter '{}' is already set on {} by {by}{at}; cannot redefine",
                param.name,
                resource.reference()
            );
            let first = current.origin.span;
            let mut unwind = self.override_error(over, text);
            if let Unwind::Error(error) = &mut *unwind {
                error.related.extend(first.map(|s| (s, "set here".to_string())));
            }
            return Err(unwind);
        }
        self.override_param(id, param.clone())
    }

    /// Whether a value is a default of an attribute at the place of the resource.
    fn is_default_of(&self, id: ResourceId, name: &str, value: &Value) -> bool {
        let resource = self.catalog.get(id);
        self.defaults.sets(&self.scopes, resource.scope, &resource.kind, (name, value))
    }

    fn override_error(&self, over: &PendingOverride, text: String) -> Box<Unwind> {
        EvalError::without_issue(text, over.span).into()
    }

    fn source_of(&self, param: &Param) -> ResourceId {
        param.origin.within
    }

    /// Sets a parameter, or appends to it, by an override.
    fn override_param(&mut self, id: ResourceId, mut param: Param) -> EvalResult<()> {
        if param.append
            && let Some(current) = self.catalog.get(id).param(&param.name)
        {
            let mut items = Vec::new();
            crate::catalog::flatten_values(&current.value, &mut items);
            crate::catalog::flatten_values(&param.value, &mut items);
            // An addition to `tag` checks the whole value again.
            let each = if param.name == "tag" { 4 } else { 1 };
            if let Err(exceeded) = self.budget.steps.take(each * items.len() as u64) {
                let at = param.origin.span;
                return Err(unplaced(exceeded.to_string(), at));
            }
            let lost = LostValue { value: param.value.clone(), origin: param.origin.clone() };
            param.value = Value::array(items);
            param.losers.push(lost);
        } else {
            param.append = false;
        }
        self.set_param(id, param)
    }

    fn definition_of(&self, id: ResourceId) -> Option<&TypeDef> {
        match &self.catalog.get(id).what {
            ResourceKind::Class(Some(def)) | ResourceKind::Define(def) => Some(def),
            _ => None,
        }
    }

    /// Whether two resources are declared by the same class, define or node.
    fn same_source(&self, a: ResourceId, b: ResourceId) -> bool {
        a == b
            || match (self.definition_of(a), self.definition_of(b)) {
                (Some(a), Some(b)) => std::ptr::eq(a, b),
                _ => false,
            }
    }

    /// Whether the class `child` inherits, directly or not, from the class `parent`.
    fn is_child_of(&self, child: ResourceId, parent: ResourceId) -> bool {
        let Some(parent) = self.definition_of(parent).map(|d| d.name.clone()) else { return false };
        let mut at = self.definition_of(child).and_then(|d| d.parent.clone());
        let mut steps = 0;
        while let Some(name) = at {
            if name == parent {
                return true;
            }
            steps += 1;
            if steps > MAX_ROUNDS {
                return false;
            }
            at = self.env.find_class(&name).ok().flatten().and_then(|d| d.parent.clone());
        }
        false
    }
}
