//! The end of a compile: relationships, late overrides, tags, checks.

use std::sync::Arc;

use ecow::EcoString;
use ordain_data::REDACTED;
use ordain_graph::{Barrier, METAPARAMETERS};
use ordain_source::{Span, budget, suggest};

use crate::catalog::no_title;
use crate::catalog::values::relationship_target;
use crate::catalog::values::{each_foreign, has_foreign, new_param, reference, reference_text};
use crate::catalog::{
    Param, ParamOrigin, ParamSource, PendingOverride, Relation, RelationEnd, Resource, ResourceId,
    ResourceKind, flat, long_list,
};
use crate::error::{EvalError, EvalResult, PlainError, Step, Unwind, plain, unplaced};
use crate::schema;
use crate::state::Compiler;
use crate::syntax::Arrow;
use crate::types::Type;
use crate::types::label::with_article;
use crate::value::Value;
use crate::value::resource_key::ResourceKey;
use ordain_graph::language::Strict;

/// Metaparameters whose value is a list of references.
const RELATIONS: [&str; 4] = ["before", "notify", "require", "subscribe"];

/// The maximal number of relationships of all resources, many times the number in real sites.
const MAX_REFERENCES: usize = 500_000;

pub(super) fn is_relation(name: &str) -> bool {
    // Most names are of another length than all of these.
    matches!(name.len(), 6 | 7 | 9) && RELATIONS.contains(&name)
}

/// The text that refuses a value at a path in a catalog.
fn foreign_text(value: &Value, path: &str) -> String {
    match value {
        Value::Runtime(object) => {
            let class = with_article(object.class.as_deref().unwrap_or("Anonymous Class"));
            let text = &object.text;
            format!("{path} contains {class} value. It will be converted to the String '{text}'")
        }
        // The text of such a value has an address and differs in each run.
        other => match crate::types::infer(other) {
            Type::Runtime(Some(class)) => {
                format!("{path} contains a {} value, which a catalog cannot hold", class.1)
            }
            _ => format!("{path} contains a value that a catalog cannot hold"),
        },
    }
}

impl Compiler<'_> {
    /// Resolves overrides and relationships that wait, and checks the catalog.
    pub(crate) fn finish(&mut self) -> EvalResult<()> {
        self.alias_composite_names();
        self.resolve_relations()?;
        self.merge_waiting_overrides()?;
        // Resources have their last values only now.
        self.models.links.forget_objects();
        for i in 0..self.catalog.resources.len() {
            self.finish_resource(ResourceId(i as u32))?;
        }
        self.flow_down();
        self.check_waiting()?;
        self.check_references()?;
        self.check_foreign()
    }

    /// Checks for values that a catalog cannot hold. This is the last check, as upstream.
    fn check_foreign(&mut self) -> EvalResult<()> {
        let strict = self.settings.strict;
        let mut warnings = Vec::new();
        let kept = self.catalog.resources.iter().filter(|r| !r.is_virtual || r.exported);
        for resource in kept {
            // As upstream, each path follows all earlier ones.
            let mut paths = String::new();
            for param in resource.params.iter().filter(|param| has_foreign(&param.value)) {
                if paths.is_empty() {
                    paths = resource.reference();
                }
                let mut path = format!("['{}']", param.name);
                each_foreign(&param.value, &mut path, &mut |value, path| {
                    paths.push_str(path);
                    let text = foreign_text(value, &paths);
                    match value {
                        Value::Runtime(_) if strict != Strict::Error => {
                            warnings.push((text, resource.span));
                            return Ok(());
                        }
                        _ => {}
                    }
                    let code = "SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING";
                    let mut error = PlainError::issue(code, text);
                    let place = param.origin.span.map(|span| (span, "given here".to_owned()));
                    error.related.extend(place);
                    let Some(span) = resource.span else { return Err(error.into()) };
                    let mut placed = EvalError::new(code, error.message, span);
                    (placed.line_only, placed.related) = (true, error.related);
                    Err(Box::<Unwind>::from(placed))
                })?;
            }
        }
        for (text, span) in warnings {
            match span {
                Some(span) => self.warn_at(text, span),
                None => self.warn(text, None),
            }
        }
        Ok(())
    }

    fn resolve_relations(&mut self) -> EvalResult<()> {
        let mut relations = std::mem::take(&mut self.catalog.relations);
        let mut grown: rustc_hash::FxHashMap<(ResourceId, bool), Vec<(Value, Span)>> =
            rustc_hash::FxHashMap::default();
        let mut order = Vec::new();
        for relation in &mut relations {
            let keys = |end: &RelationEnd, left: bool| self.end_keys(end, left);
            let from: Vec<_> = relation.from.iter().flat_map(|end| keys(end, true)).collect();
            let to: Vec<_> = relation.to.iter().flat_map(|end| keys(end, false)).collect();
            if Barrier::serves(from.len(), to.len()) {
                relation.is_barrier = true;
                self.check_all_ends(relation, &from, &to)?;
                continue;
            }
            for (from, shown) in &from {
                for (to, _) in &to {
                    let source = self.checked_ends(relation, (from, shown), to)?;
                    let slot = grown.entry((source, relation.notify)).or_default();
                    if slot.is_empty() {
                        order.push((source, relation.notify));
                    }
                    slot.push((reference(to), relation.span));
                }
            }
        }
        for (source, notify) in order {
            let added = grown.remove(&(source, notify)).unwrap_or_default();
            self.add_relations(source, if notify { "notify" } else { "before" }, added);
        }
        self.catalog.relations = relations;
        Ok(())
    }

    /// Checks that all ends of relationships exist. The error is about the first pair with a
    /// missing end.
    fn check_all_ends(
        &self,
        relation: &Relation,
        from: &[(ResourceKey, String)],
        to: &[(ResourceKey, String)],
    ) -> EvalResult<()> {
        let (Some((first, shown)), Some((later, _))) = (from.first(), to.first()) else {
            return Ok(());
        };
        for (to, _) in to {
            self.checked_ends(relation, (first, shown), to)?;
        }
        for (from, shown) in from {
            self.checked_ends(relation, (from, shown), later)?;
        }
        Ok(())
    }

    fn checked_ends(
        &self,
        relation: &Relation,
        (from, shown): (&ResourceKey, &str),
        to: &ResourceKey,
    ) -> EvalResult<ResourceId> {
        let missing = |text: String, which: &ResourceKey| {
            let mut error = EvalError::without_issue(text, relation.span);
            error.span = None;
            let is_later = which == to;
            let is_right = match relation.arrow {
                Arrow::Before | Arrow::Notify => is_later,
                Arrow::After | Arrow::Subscribe => !is_later,
            };
            error.related.push(match self.env.relation_end(relation.span, is_right) {
                Some(end) => (end, "nothing declares this".to_string()),
                None => (relation.span, "asked for here".to_string()),
            });
            error.help.extend(self.reference_help(which));
            error
        };
        let untitled = [from, to].into_iter().find(|key| key.title.is_empty());
        if let Some(key) = untitled
            && (key == from || self.catalog.find(from).is_some())
        {
            return Err(missing(no_title(&format!("\"{}\"", key.text())), key).into());
        }
        let Some(source) = self.catalog.find(from) else {
            let text =
                format!("Could not find resource '{}' for relationship on '{}'", shown, to.text());
            return Err(missing(text, from).into());
        };
        if self.catalog.find(to).is_none() {
            let text = format!(
                "Could not find resource '{}' for relationship from '{}'",
                to.text(),
                shown
            );
            return Err(missing(text, to).into());
        }
        Ok(source)
    }

    fn reference_help(&self, key: &ResourceKey) -> Option<String> {
        let known = self.catalog.of_kind(&key.kind);
        let titles = known.iter().map(|&id| self.catalog.get(id).title.as_str());
        let near = suggest::nearest(&key.title, titles)?;
        Some(format!("did you mean {}['{near}']?", key.kind))
    }

    /// The resources of an end, each with its name in messages. A stand-in for a collector that
    /// collects nothing is named like a type.
    fn end_keys(&self, end: &RelationEnd, left: bool) -> Vec<(ResourceKey, String)> {
        let named = |key: ResourceKey| {
            let text = key.text();
            (key, text)
        };
        match end {
            RelationEnd::Resource(key) => vec![named(key.clone())],
            RelationEnd::Collector(number) => {
                let collector = &self.catalog.collectors[*number];
                if !collector.collected.is_empty() {
                    let ids = collector.collected.iter();
                    return ids.map(|&id| named(self.catalog.get(id).key())).collect();
                }
                if !left {
                    return Vec::new();
                }
                let otherwise = collector.otherwise.iter();
                otherwise
                    .flat_map(|end| match end {
                        RelationEnd::Resource(key) => vec![(key.clone(), type_text(key))],
                        end => self.end_keys(end, true),
                    })
                    .collect()
            }
        }
    }

    fn add_relations(&mut self, id: ResourceId, name: &str, added: Vec<(Value, Span)>) {
        let within = self.catalog.get(id).container.unwrap_or(id);
        let span = added.first().map(|(_, span)| *span);
        let new = added.into_iter().map(|(value, _)| value);
        let resource = self.catalog.get_mut(id);
        match resource.param_mut(name) {
            Some(param) => {
                let mut items = match std::mem::take(&mut param.value) {
                    Value::Array(items) => items.to_vec(),
                    Value::Undef => Vec::new(),
                    single => vec![single],
                };
                items.extend(new);
                param.value = Value::array(items);
            }
            None => {
                let origin = ParamOrigin { how: ParamSource::Relation, span, within };
                resource.params.push(new_param(name.into(), Value::array(new), false, origin));
            }
        }
    }

    fn merge_waiting_overrides(&mut self) -> EvalResult<()> {
        let waiting: Vec<PendingOverride> = std::mem::take(&mut self.catalog.overrides);
        for over in waiting {
            match self.find_named(&over.key) {
                Some(id) => self.apply_override(id, &over)?,
                None => self.catalog.overrides.push(over),
            }
        }
        Ok(())
    }

    fn finish_resource(&mut self, id: ResourceId) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let container = resource.container.filter(|&c| c != id);
        if let (false, Some(container)) = (resource.evaluated, container) {
            self.catalog.pass_tags(container, id);
        }
        self.check_late(id)?;
        let resource = self.catalog.get_mut(id);
        call_by_namevar(resource);
        for (name, value) in resource.params.values_mut() {
            if let Value::Sensitive(inner) = value {
                let inner = Value::clone(inner);
                resource.sensitive.push(name.clone());
                *value = inner;
            }
        }
        self.check_names(id)?;
        self.check_model(id)
    }

    /// Checks the parameters of an instance of a define that stays virtual, and for `title` as a
    /// parameter of a class or define.
    fn check_late(&mut self, id: ResourceId) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let def = match &resource.what {
            ResourceKind::Define(def) if !resource.evaluated => def,
            ResourceKind::Define(def) | ResourceKind::Class(Some(def))
                if resource.param("title").is_some() =>
            {
                def
            }
            _ => return Ok(()),
        };
        let def = Arc::clone(def);
        let signature = self.signature_of(&def)?;
        self.check_parameters(id, &def, &signature, true)
    }

    /// Checks attribute names of native types. Those of classes and defines were checked during
    /// their evaluation.
    fn check_names(&self, id: ResourceId) -> EvalResult<()> {
        let resource = self.catalog.get(id);
        let Some(schema) = resource.schema() else { return Ok(()) };
        let bad = resource.params.iter().find(|p| !schema.knows(&p.name));
        let Some(bad) = bad else { return Ok(()) };
        let at = self.place(resource.span).map(|p| format!(" {p}")).unwrap_or_default();
        let text = format!("no parameter named '{}'{at} on {}{at}", bad.name, resource.reference());
        let mut error = match resource.span {
            Some(span) => EvalError::without_issue(text, span),
            None => return plain(text),
        };
        error.code = Some("puppet::unknown-parameter");
        let place = bad.origin.span.map(|span| self.name_in(span, &bad.name));
        error.focus = place.map(|span| (span, "not an attribute".to_string()));
        let known = schema.attributes().chain(METAPARAMETERS.iter().copied());
        error.help.extend(
            suggest::nearest(&bad.name, known).map(|near| format!("did you mean `{near}`?")),
        );
        Err(error.into())
    }

    /// Metaparameters and tags of `Class[main]` and of containers are inherited by contained
    /// resources.
    fn flow_down(&mut self) {
        let (starts, children) = self.contained();
        let main = ResourceId(2);
        let mut seen = vec![false; self.catalog.resources.len()];
        seen[main.0 as usize] = true;
        let mut queue = std::collections::VecDeque::from([main]);
        while let Some(id) = queue.pop_front() {
            let at = id.0 as usize;
            let children = &children[starts[at] as usize..starts[at + 1] as usize];
            let flowing = if children.is_empty() { Vec::new() } else { self.flowing(id) };
            for &child in children {
                self.catalog.pass_tags(id, child);
                let resource = self.catalog.get_mut(child);
                for param in &flowing {
                    let unset = resource.param(&param.name).is_none_or(|p| p.value.is_undef());
                    if unset {
                        let origin = ParamOrigin {
                            how: ParamSource::Inherited,
                            span: param.origin.span,
                            within: id,
                        };
                        resource.params.edit(|all| all.retain(|p| p.name != param.name));
                        resource.params.push(new_param(
                            param.name.clone(),
                            param.value.clone(),
                            false,
                            origin,
                        ));
                    }
                }
                if !std::mem::replace(&mut seen[child.0 as usize], true) {
                    queue.push_back(child);
                }
            }
        }
    }

    /// The contained resources of all containers in one list, in the order of the containers, and
    /// the start of each container's part.
    fn contained(&self) -> (Vec<u32>, Vec<ResourceId>) {
        let mut starts = vec![0u32; self.catalog.resources.len() + 1];
        for (from, _) in self.catalog.edges.iter() {
            starts[from.0 as usize] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut children = vec![ResourceId(0); total as usize];
        for (from, to) in self.catalog.edges.iter().rev() {
            let start = &mut starts[from.0 as usize];
            *start -= 1;
            children[*start as usize] = *to;
        }
        (starts, children)
    }

    fn flowing(&self, id: ResourceId) -> Vec<Param> {
        let params = self.catalog.get(id).params.iter();
        let flows = |p: &&Param| {
            schema::is_metaparameter(&p.name) && !is_relation(&p.name) && !p.value.is_undef()
        };
        params.filter(flows).cloned().collect()
    }

    fn check_waiting(&self) -> EvalResult<()> {
        if !self.catalog.overrides.is_empty() {
            let names: Vec<String> = self.catalog.overrides.iter().map(|o| o.key.text()).collect();
            let mut error = PlainError::new(format!(
                "Could not find resource(s) {} for overriding",
                names.join(", ")
            ));
            let spans = self.catalog.overrides.iter().map(|o| (o.span, "overridden here".into()));
            error.related.extend(spans);
            return Err(error.into());
        }
        if !self.catalog.realize.is_empty() {
            let names: Vec<String> = self.catalog.realize.iter().map(|(k, _)| k.text()).collect();
            let mut error = PlainError::new(format!(
                "Failed to realize virtual resources {}",
                names.join(", ")
            ));
            let spans = self.catalog.realize.iter().map(|(_, s)| (*s, "realized here".into()));
            error.related.extend(spans);
            return Err(error.into());
        }
        Ok(())
    }

    /// Checks that references in relationship metaparameters are to resources of the catalog.
    fn check_references(&mut self) -> EvalResult<()> {
        let mut references = 0usize;
        // Long lists that resources share are checked once.
        let mut checked = rustc_hash::FxHashSet::default();
        for i in 0..self.catalog.resources.len() {
            let resource = &self.catalog.resources[i];
            if resource.is_virtual || !resource.params.iter().any(|p| is_relation(&p.name)) {
                continue;
            }
            for param in resource.params.iter().filter(|param| is_relation(&param.name)) {
                let name = &param.name;
                if long_list(&param.value).is_some_and(|list| !checked.insert(list)) {
                    references += 1;
                    continue;
                }
                let mut several = Vec::new();
                let values = flat(&param.value, &mut several);
                references += values.len();
                if references > budget::scaled_size(MAX_REFERENCES) {
                    let most = budget::scaled_size(MAX_REFERENCES);
                    let text = format!(
                        "the parameters of all resources ask for more than {most} relations; {}",
                        budget::HELP
                    );
                    return Err(unplaced(text, param.origin.span.or(resource.span)));
                }
                for (at, value) in values.iter().enumerate() {
                    if value.is_undef() {
                        continue;
                    }
                    let Some(key) = relationship_target(value) else {
                        let text = match resource.sensitive.contains(&param.name) {
                            true => REDACTED.into(),
                            false => reference_text(value),
                        };
                        return self.bad_reference(&text, param);
                    };
                    if self.catalog.find(&key).is_some() {
                        continue;
                    }
                    if resource.sensitive.contains(&param.name) {
                        let place = param.origin.span.or(resource.span);
                        let at = self.place(place).map(|p| format!(" {p}")).unwrap_or_default();
                        let text = "Could not find resource";
                        let text = format!("{text} '{REDACTED}' in parameter '{name}'{at}");
                        return Err(unplaced(text, place));
                    }
                    return self.missing_target(&key, name, param, resource.span, at);
                }
            }
        }
        Ok(())
    }

    /// The error that a relationship metaparameter names a resource that does not exist; `number` is
    /// the position of its value.
    fn missing_target<T>(
        &self,
        key: &ResourceKey,
        name: &str,
        param: &Param,
        resource: Option<Span>,
        number: usize,
    ) -> EvalResult<T> {
        let place = param.origin.span.or(resource);
        let at = self.place(place).map(|p| format!(" {p}")).unwrap_or_default();
        let text = format!("Could not find resource '{}' in parameter '{name}'{at}", key.text());
        let mut unwind = unplaced(text, place);
        if let Unwind::Error(error) = &mut *unwind {
            let attribute = param.origin.span;
            let value = attribute.and_then(|at| self.env.value_part(at, &[Step::Item(number)]));
            error.focus = value.map(|span| (span, "nothing declares this".to_owned()));
            error.help.extend(self.reference_help(key));
        }
        Err(unwind)
    }

    fn bad_reference(&self, text: &str, param: &Param) -> EvalResult<()> {
        let at = self.place(param.origin.span).map(|p| format!(" {p}")).unwrap_or_default();
        let text = format!("{}{at}", no_title(&format!("\"{text}\"")));
        let mut unwind = unplaced(text, param.origin.span);
        if let Unwind::Error(error) = &mut *unwind {
            error.help.push("write a reference such as `Service['ntp']`".into());
        }
        Err(unwind)
    }
}

/// Renames the attribute `name` of a native type to its name attribute. If both are set, the later
/// one wins.
fn call_by_namevar(resource: &mut Resource) {
    let ResourceKind::Native(schema) = &resource.what else { return };
    let Some(namevar) = schema.namevar().filter(|namevar| *namevar != "name") else { return };
    let namevar = EcoString::from(namevar);
    let place = |name: &str| resource.params.iter().position(|p| p.name == name);
    let Some(at) = place("name") else { return };
    match place(&namevar) {
        None => resource.params.edit(|all| all[at].name = namevar),
        Some(other) => resource.params.edit(|all| {
            let later = all.remove(at.max(other));
            all[at.min(other)] = Param { name: namevar, ..later };
        }),
    }
}

/// A reference as a type is written.
fn type_text(key: &ResourceKey) -> String {
    match reference(key) {
        Value::Type(kind) => kind.to_string(),
        _ => key.text(),
    }
}
