//! Declaring resources, and evaluating the bodies of classes, defines and nodes.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use crate::catalog::names::other_names;
use crate::catalog::resource::KnownKind;
use crate::catalog::tags::{self, TagSet};
use crate::catalog::values::{Declaration, as_parameter, is_class, new_param};
use crate::catalog::values::{check_tags, tag_values};
use crate::catalog::{
    Declared, LostValue, Param, ParamOrigin, ParamSource, Resource, ResourceId, ResourceKind,
};
use crate::error::{EvalError, EvalResult, PlainError, UnknownName, Unwind, plain};
use crate::load::NameKind;
use crate::schema;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::scope::{Scope, ScopeKind};
use crate::syntax::definitions::{DefKind, NodeDef, TypeDef};
use crate::syntax::names::{TOP_CLASS, class_title};
use crate::syntax::{Definition, Expr, Param as ParamDef, Program};
use crate::types::signature::Signature;
use crate::validation::names::{nearest, parent_range};
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;

/// An estimate of the number of variables in a body besides its parameters, including `$title` and
/// `$name`.
const OWN_VARIABLES: usize = 4;

impl Compiler<'_> {
    /// Declares one resource; a class is evaluated at once.
    pub(crate) fn declare(
        &mut self,
        kind: &str,
        title: &EcoString,
        params: Vec<Param>,
        at: Declaration,
    ) -> EvalResult<ResourceId> {
        if is_class(kind) {
            let def = self.class_def(title)?;
            let id = self.add_class(def, params, Declared::AsResource, at)?;
            self.evaluate(id)?;
            return Ok(id);
        }
        let known = self.known_kind(kind)?;
        let what = known.what.clone();
        let (kind, tags) = (known.title.clone(), known.tags.clone());
        let resource = self.new_resource(kind, title.clone(), what, tags, params, at)?;
        self.add_resource(resource, at.scope)
    }

    /// The resource type of this name.
    pub(crate) fn known_kind(&mut self, kind: &str) -> EvalResult<Arc<KnownKind>> {
        match self.resource_type(kind)? {
            // Only types that are written in Puppet may have leading colons.
            Some(known)
                if !kind.starts_with("::")
                    || match &known.what {
                        ResourceKind::Define(_) => true,
                        ResourceKind::Native(schema) => schema.model.is_some(),
                        _ => false,
                    } =>
            {
                Ok(known)
            }
            _ => self.unknown_resource_type(&kind.to_lowercase()),
        }
    }

    fn unknown_resource_type<T>(&self, name: &str) -> EvalResult<T> {
        let defines = self.env.names_like(NameKind::Define, name);
        let ruby = self.env.names_like(NameKind::RubyType, name);
        let natives = schema::TYPES.iter().map(|t| t.name);
        let known = defines.iter().chain(&ruby).map(EcoString::as_str).chain(natives);
        let mut error = PlainError::new(format!("Unknown resource type: '{name}'"));
        error.help = self.env.missing_member_help(name, nearest(name, known));
        error.unknown = Some(UnknownName::ResourceType);
        Err(error.into())
    }

    fn class_def(&mut self, title: &str) -> EvalResult<Arc<TypeDef>> {
        let name = &title.strip_prefix("::").unwrap_or(title).to_lowercase();
        match self.class_named(name)? {
            Some(def) => Ok(def),
            None => {
                let text = format!("Could not find declared class {title}");
                let mut error = PlainError::new(text);
                error.help = self.env.class_help(name);
                error.unknown = Some(UnknownName::DeclaredClass(title.into()));
                Err(error.into())
            }
        }
    }

    pub(crate) fn new_resource(
        &mut self,
        kind: EcoString,
        title: EcoString,
        what: ResourceKind,
        mut tags: TagSet,
        params: Vec<Param>,
        at: Declaration,
    ) -> EvalResult<Resource> {
        let main = kind == "Class" && title == TOP_CLASS;
        if !main && at.title_is_text && tags::is_valid(&title) {
            for tag in tags::with_segments(&title) {
                tags.insert(self.catalog.tags.intern(tag));
            }
        }
        let declared = match what {
            ResourceKind::Class(_) | ResourceKind::Node => Declared::Implicitly,
            _ => Declared::AsResource,
        };
        let container = self.scopes.get(at.scope).resource;
        let mut resource = Resource {
            kind,
            title,
            what,
            declared,
            params: params.into(),
            tags,
            is_virtual: at.is_virtual,
            exported: at.exported,
            span: Some(at.span),
            // Scopes of lambdas and functions end; the one around them stays.
            scope: self.scopes.body_scope(at.scope),
            container: Some(container),
            evaluated: false,
            body_scope: None,
            sensitive: Vec::new(),
            title_is_text: at.title_is_text,
        };
        for param in &resource.params {
            self.tag_by_param(&mut resource.tags, param, resource.span)?;
        }
        if let Some(path) = trimmed_path(&resource) {
            let origin = ParamOrigin { how: ParamSource::External, span: None, within: container };
            resource.params.push(new_param("path".into(), Value::Str(path), false, origin));
        }
        for default in self.defaults.in_effect(&self.scopes, at.scope, &resource.kind) {
            if let Some(set) = resource.param_mut(&default.name) {
                let lost = LostValue { value: default.value, origin: default.origin };
                set.losers.push(lost);
            } else {
                self.tag_by_param(&mut resource.tags, &default, resource.span)?;
                resource.params.push(default);
            }
        }
        Ok(resource)
    }

    /// Adds the tags in a parameter to those of a resource.
    pub(super) fn tag_by_param(
        &mut self,
        set: &mut TagSet,
        param: &Param,
        span: Option<Span>,
    ) -> EvalResult<()> {
        if param.name != "tag" {
            return Ok(());
        }
        check_tags(param, span)?;
        let mut several = Vec::new();
        for value in tag_values(&param.value, &mut several) {
            let text = crate::value::text::to_text(value);
            for tag in tags::with_segments(&text) {
                set.insert(self.catalog.tags.intern(tag));
            }
        }
        Ok(())
    }

    /// Puts a resource into the catalog. Its container is the resource whose code `scope` runs.
    fn add_resource(&mut self, mut resource: Resource, scope: ScopeId) -> EvalResult<ResourceId> {
        let key = resource.key();
        if let Some(known) = self.catalog.find(&key) {
            return Err(self.duplicate(&resource.reference(), resource.span, known));
        }
        let most = self.settings.max_resources;
        if self.catalog.resources.len() >= most {
            return plain(format!("the catalog has more than {most} resources"));
        }
        self.add_title_values(&mut resource, scope)?;
        let is_class = resource.is_class();
        let is_stage = matches!(resource.what, ResourceKind::Stage);
        let stage_set = resource.param("stage").is_some_and(|p| p.value.is_true());
        let waits = matches!(resource.what, ResourceKind::Define(_));
        let aliases = self.alias_keys(&resource)?;
        let id = self.catalog.add_as(key, resource);
        for alias in aliases {
            self.catalog.alias(alias, id);
        }
        if !is_class && stage_set {
            let reference = self.catalog.get(id).reference();
            return plain(format!(
                "Only classes can set 'stage'; normal resources like {reference} cannot change run stage"
            ));
        }
        if waits {
            self.catalog.unevaluated.push(id);
        }
        if !is_class && !is_stage {
            let container = self.scopes.get(scope).resource;
            self.catalog.edges.push_new((container, id));
        }
        Ok(id)
    }

    /// The keys of `alias` and of the value of the name attribute.
    fn alias_keys(&self, resource: &Resource) -> EvalResult<Vec<ResourceKey>> {
        let names = other_names(resource);
        let mut keys = Vec::with_capacity(names.len());
        for other_name in names {
            let name = &other_name.name;
            let key = alias_key(resource, name);
            if key == resource.key() {
                continue;
            }
            if let Some(known) = self.catalog.find(&key) {
                let known = self.catalog.get(known);
                // The key without a provider belongs to packages without a provider.
                let bare = resource.kind == "Package" && !name.contains('\0');
                if bare && known.param("provider").is_some_and(|p| !p.value.is_undef()) {
                    continue;
                }
                let at = self.place(resource.span).map(|p| format!(" at {p}")).unwrap_or_default();
                let other = self.place(known.span).map(|p| format!(" {p}")).unwrap_or_default();
                let (shown, parts) = (other_name.shown(), other_name.parts());
                return plain(format!(
                    "Cannot alias {} to {shown}{at}; resource [\"{}\", {parts}] already declared{other}",
                    resource.reference(),
                    key.kind,
                ));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    /// The error of a second declaration of a resource.
    pub(super) fn duplicate(
        &self,
        reference: &str,
        span: Option<Span>,
        known: ResourceId,
    ) -> Box<Unwind> {
        let known = self.catalog.get(known);
        let known_at = match known.declared {
            Declared::Implicitly => None,
            Declared::AsResource => self.place(known.span),
        };
        let first = known_at.map(|p| format!(" at {p}")).unwrap_or_default();
        let second = self.place(span).map(|p| format!(" {p}")).unwrap_or_default();
        let text = format!(
            "Duplicate declaration: {reference} is already declared{first}; cannot redeclare{second}"
        );
        let mut error = PlainError::new(text);
        error.related.extend(known.span.map(|s| (s, "first declared here".to_string())));
        error.related.extend(span.map(|s| (s, "declared again here".to_string())));
        error.into()
    }

    /// Puts a class into the catalog, after its parent.
    pub(crate) fn add_class(
        &mut self,
        def: Arc<TypeDef>,
        params: Vec<Param>,
        declared: Declared,
        at: Declaration,
    ) -> EvalResult<ResourceId> {
        self.inheritance(&def, at)?;
        let title = class_title(&def.name);
        let what = ResourceKind::Class(Some(def));
        let tags = self.kind_tags("class");
        let mut resource = self.new_resource("Class".into(), title, what, tags, params, at)?;
        resource.declared = declared;
        let tags = resource.tags.clone();
        let id = self.add_resource(resource, at.scope)?;
        self.catalog.own_tags.extend(&tags);
        Ok(id)
    }

    /// Ensures that the ancestors of a class are in the catalog.
    fn inheritance(&mut self, def: &Arc<TypeDef>, at: Declaration) -> EvalResult<()> {
        let mut missing = Vec::new();
        let mut chain = vec![def.name.clone()];
        let mut child = Arc::clone(def);
        while let Some(parent) = child.parent.clone() {
            if chain.contains(&parent) {
                chain.push(parent);
                let span = child.span;
                let text = format!("class inheritance goes in a circle: {}", chain.join(" -> "));
                let mut error = EvalError::new("RUNTIME_ERROR", text, span);
                error.code = Some("puppet::inheritance-cycle");
                return Err(error.into());
            }
            let Some(def) = self.class_named(&parent)? else {
                let text = format!(
                    "Could not find parent resource type '::{parent}' of type hostclass in {}",
                    self.env.name
                );
                let mut error = EvalError::without_issue(text, child.span);
                error.line_only = false;
                let range = parent_range(&child.program, child.span.range, &parent);
                let place = range.map(|range| range.in_file(child.span.file));
                error.focus = place.map(|place| (place, "there is no such class".to_owned()));
                error.help.extend(self.env.class_help(&parent));
                return Err(error.into());
            };
            if self.catalog.find(&ResourceKey::new("class", &parent)).is_some() {
                break;
            }
            chain.push(parent);
            missing.push(Arc::clone(&def));
            child = def;
        }
        for def in missing.into_iter().rev() {
            let title = class_title(&def.name);
            let what = ResourceKind::Class(Some(def));
            let tags = self.kind_tags("class");
            let resource = self.new_resource("Class".into(), title, what, tags, Vec::new(), at)?;
            let tags = resource.tags.clone();
            self.add_resource(resource, at.scope)?;
            self.catalog.own_tags.extend(&tags);
        }
        Ok(())
    }

    /// Evaluates the body of a class, define instance or node, once.
    pub(crate) fn evaluate(&mut self, id: ResourceId) -> EvalResult<()> {
        if std::mem::replace(&mut self.catalog.get_mut(id).evaluated, true) {
            return Ok(());
        }
        self.inherit_tags(id);
        let def = match &self.catalog.get(id).what {
            ResourceKind::Class(Some(def)) | ResourceKind::Define(def) => Arc::clone(def),
            _ => return Ok(()),
        };
        let scope = self.body_scope_for(id, &def)?;
        let f = Frame { program: Arc::clone(&def.program), scope };
        self.bind_parameters(id, &def, &f)?;
        if def.kind == DefKind::Class {
            self.place_on_stage(id)?;
        }
        self.run_body(&f, def.body)?;
        if def.kind == DefKind::Define {
            // No code can name variables of a define from outside, so they are not needed any more.
            self.scopes.clear(scope);
        }
        Ok(())
    }

    /// Runs the body of a class or define. `break()` ends the iteration around the declaration. The
    /// value of the body is not used, but attributes must be able to have it.
    fn run_body(&mut self, f: &Frame, body: crate::syntax::ExprId) -> EvalResult<()> {
        match self.run_last(f, body) {
            Ok(value) => as_parameter(value).map(drop).or_else(plain),
            Err(unwind) => match *unwind {
                Unwind::Return(..) | Unwind::Next(..) => Ok(()),
                other => Err(Box::new(other)),
            },
        }
    }

    /// Copies the tags of the declaring class or define.
    fn inherit_tags(&mut self, id: ResourceId) {
        let container = self.scopes.get(self.catalog.get(id).scope).resource;
        if container != id {
            self.catalog.pass_tags(container, id);
        }
    }

    fn body_scope_for(&mut self, id: ResourceId, def: &Arc<TypeDef>) -> EvalResult<ScopeId> {
        let declaring = self.scopes.body_scope(self.catalog.get(id).scope);
        let mut parent = self.outer_scope(declaring);
        let mut declared_in = declaring;
        if let Some(name) = &def.parent {
            let key = ResourceKey::new("class", name);
            if let Some(class) = self.catalog.find(&key) {
                self.evaluate(class)?;
            }
            if let Some(scope) = self.scopes.of_class(name) {
                parent = scope;
                declared_in = scope;
            }
        }
        let kind = match def.kind {
            DefKind::Class => ScopeKind::Class,
            DefKind::Define => ScopeKind::Define,
        };
        let mut scope = Scope::new(kind, Some(parent), id);
        self.scopes.reserve(&mut scope, def.params.len() + OWN_VARIABLES);
        scope.declared_in = Some(declared_in);
        scope.module = def.module.clone();
        let title = self.catalog.get(id).title.clone();
        let caller = self.scopes.get(declared_in).module.clone();
        if def.kind == DefKind::Class {
            scope.class = def.name.clone();
            scope.set("title".into(), Value::Str(def.name.clone()));
            scope.set("name".into(), Value::Str(def.name.clone()));
        } else {
            let name = self.catalog.get(id).param("name").and_then(|p| p.value.as_str());
            let name = name.map_or_else(|| title.clone(), EcoString::from);
            scope.set("title".into(), Value::Str(title));
            scope.set("name".into(), Value::Str(name));
        }
        scope.set("module_name".into(), Value::Str(def.module.clone()));
        scope.set("caller_module_name".into(), Value::Str(caller));
        let scope = self.scopes.push(scope);
        self.catalog.get_mut(id).body_scope = Some(scope);
        if def.kind == DefKind::Class {
            self.scopes.set_class(def.name.clone(), scope);
            self.catalog.add_class_name(def.name.clone());
        }
        Ok(scope)
    }

    /// The scope of the node if `scope` was reached from it, else the top scope.
    pub(crate) fn outer_scope(&self, scope: ScopeId) -> ScopeId {
        let mut at = scope;
        loop {
            let s = self.scopes.get(at);
            match (s.kind, s.declared_in.or(s.parent)) {
                (ScopeKind::Top | ScopeKind::Node, _) | (_, None) => return at,
                (_, Some(next)) => at = next,
            }
        }
    }

    /// The class of this name in lower case. The parameter types of all definitions in its file are
    /// evaluated.
    pub(crate) fn class_named(&mut self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        let found = self.env.find_class(name)?;
        if let Some(def) = &found {
            self.type_loaded(def)?;
        }
        Ok(found)
    }

    /// The define of this name in lower case, as [`Self::class_named`].
    pub(crate) fn define_named(&mut self, name: &str) -> EvalResult<Option<Arc<TypeDef>>> {
        let found = self.env.find_define(name)?;
        if let Some(def) = &found {
            self.type_loaded(def)?;
        }
        Ok(found)
    }

    /// As [`Self::type_parameters`] for the text of a definition, and the `init.pp` that was loaded
    /// with it.
    fn type_loaded(&mut self, def: &TypeDef) -> EvalResult<()> {
        if self.types.has_parameters_of(&def.program) {
            return Ok(());
        }
        if let Some(init) = self.env.module_program(&def.module) {
            self.type_parameters(&init)?;
        }
        self.type_parameters(&def.program)
    }

    /// Evaluates the parameter types of all classes and defines of a text, once. As upstream, this
    /// happens when the text is loaded, even if only one definition is used.
    pub(crate) fn type_parameters(&mut self, program: &Arc<Program>) -> EvalResult<()> {
        if program.definitions.is_empty() || !self.types.begin_parameters_of(program) {
            return Ok(());
        }
        let f = Frame { program: Arc::clone(program), scope: ScopeId::TOP };
        for &id in &program.definitions {
            let Expr::Definition(definition) = program[id] else { continue };
            if let Definition::Class { params, .. } | Definition::Define { params, .. } =
                program.definition(definition)
            {
                if let Some(shared) = self.env.signatures.get(program, *params) {
                    self.set_shared_signature(program, *params, shared);
                    continue;
                }
                let outer = self.types.parameters_of.replace(program.span(id));
                let result = self.parameter_types(&f, *params);
                self.types.parameters_of = outer;
                match result {
                    Err(unwind) if is_unknown_elsewhere(&unwind, program.span(id)) => {
                        self.types.forget_unresolved_aliases();
                    }
                    Err(unwind) => return Err(unwind),
                    Ok(signature) if signature.no_type.is_some() => {
                        return no_type(program.params(*params), &signature);
                    }
                    // Inside of a definition, types accept more, so the result is not shared.
                    Ok(_) if self.types.is_defining() => {}
                    Ok(signature) => self.env.signatures.share(program, *params, &signature),
                }
            }
        }
        Ok(())
    }

    /// The edge from a class's stage to it.
    pub(crate) fn place_on_stage(&mut self, id: ResourceId) -> EvalResult<()> {
        let own = self.stage_of(id);
        let container = self.scopes.get(self.catalog.get(id).scope).resource;
        let name = own.or_else(|| self.stage_of(container));
        let title = name.clone().unwrap_or_else(|| "main".into());
        let key = ResourceKey::new("stage", &title);
        let Some(stage) = self.catalog.find(&key) else {
            let reference = self.catalog.get(id).reference();
            return plain(format!("Could not find stage {title} specified by {reference}"));
        };
        if title != "main" && self.catalog.get(id).param("stage").is_none() {
            let origin = ParamOrigin { how: ParamSource::Inherited, span: None, within: container };
            self.set_param(id, new_param("stage".into(), Value::Str(title), false, origin))?;
        }
        self.catalog.edges.insert((stage, id));
        Ok(())
    }

    fn stage_of(&self, id: ResourceId) -> Option<EcoString> {
        let value = &self.catalog.get(id).param("stage")?.value;
        value.is_true().then(|| crate::value::text::to_text(value))
    }

    /// Evaluates the body of the chosen node block.
    pub(crate) fn evaluate_node(
        &mut self,
        def: &Arc<NodeDef>,
        title: EcoString,
        groups: Option<Vec<Value>>,
    ) -> EvalResult<()> {
        let at = Declaration {
            scope: ScopeId::TOP,
            span: def.span,
            is_virtual: false,
            exported: false,
            title_is_text: true,
        };
        let (kind, tags) = ("Node".into(), self.kind_tags("node"));
        let resource =
            self.new_resource(kind, title.clone(), ResourceKind::Node, tags, Vec::new(), at)?;
        let tags = resource.tags.clone();
        let id = self.add_resource(resource, ScopeId::TOP)?;
        self.catalog.own_tags.extend(&tags);
        self.catalog.get_mut(id).evaluated = true;
        self.inherit_tags(id);
        let mut scope = Scope::new(ScopeKind::Node, Some(ScopeId::TOP), id);
        scope.declared_in = Some(ScopeId::TOP);
        scope.set("title".into(), Value::Str(title.clone()));
        scope.set("name".into(), Value::Str(title.clone()));
        scope.set("module_name".into(), "".into());
        scope.set("caller_module_name".into(), "".into());
        let scope = self.scopes.push(scope);
        self.catalog.get_mut(id).body_scope = Some(scope);
        self.catalog.add_class_name(title);
        self.scopes.set_node(scope);
        self.set_matches(scope, groups);
        let f = Frame { program: Arc::clone(&def.program), scope };
        let value = self.run_last(&f, def.body)?;
        as_parameter(value).map_err(|text| {
            let mut error = PlainError::new(text);
            error.related.push((def.span, "the value of this node's body".to_owned()));
            error
        })?;
        // Later statements do not see the groups of this match.
        self.scopes.get_mut(scope).matches.clear();
        Ok(())
    }
}

/// The path of a file whose title ends in slashes, which upstream's title pattern removes.
fn trimmed_path(resource: &Resource) -> Option<EcoString> {
    let title = resource.title.as_str();
    let is_file = resource.kind == "File" && title.len() > 1 && title.ends_with('/');
    (is_file && resource.param("path").is_none()).then(|| resource.key().title)
}

/// The error that the stated type of a parameter is not a type.
fn no_type(params: &[ParamDef], signature: &Signature) -> EvalResult<()> {
    let Some(no_type) = &signature.no_type else { return Ok(()) };
    let Some(param) = params.get(no_type.at) else { return no_type.refused() };
    let mut error = PlainError::new(format!(
        "Parameter '{}' is given a type that is not a Puppet Type, got {}",
        param.name, no_type.class
    ));
    error.related.push((no_type.span, "not a type".to_owned()));
    Err(error.into())
}

/// Whether an error reports an unknown type name outside of a definition.
fn is_unknown_elsewhere(unwind: &Unwind, definition: Span) -> bool {
    let Unwind::Error(error) = unwind else { return false };
    let inside = |span: Span| {
        span.file == definition.file
            && definition.range.start <= span.range.start
            && span.range.start < definition.range.end
    };
    error.issue.as_deref() == Some("UNKNOWN_RESOURCE_TYPE") && !error.span.is_some_and(inside)
}

/// The key of another name of a resource. Upstream reads the type from the first line of the
/// reference, up to its last bracket. A title with a bracket therefore changes the type of the key.
fn alias_key(resource: &Resource, name: &str) -> ResourceKey {
    let line = resource.title.lines().next().unwrap_or_default();
    match line.rfind('[') {
        Some(at) => {
            let kind = format!("{}[{}", resource.kind, &line[..at]);
            ResourceKey { kind: kind.into(), title: name.into() }
        }
        None => ResourceKey::new(&resource.kind, name),
    }
}
