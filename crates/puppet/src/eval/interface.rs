//! What built-in functions, templates and Hiera ask of a compile.

use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{EntryKind, Span};

use crate::catalog::finish::reference_text;
use crate::catalog::{Declared, How, ParamOrigin, Resource, ResourceId, flatten_values, tags};
use crate::error::{EvalResult, PlainError, plain, unplaced};
use crate::eval::relations::reference;
use crate::eval::resources::{Declaration, as_parameter, new_param};
use crate::eval::{Compiler, LogEntry, LogLevel};
use crate::syntax::definitions::TypeDef;
use crate::types::Type;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;
use crate::value::resource_key::reference_key;

/// What becomes of a class that is named to `include` and its kin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// It is evaluated.
    Include,
    /// It is also contained in the calling class.
    Contain,
    /// The calling resource also requires it.
    Require,
}

/// A class that was found to be included.
enum Includable {
    /// It is in the catalog.
    Known(ResourceId),
    /// It was not, when it was looked for.
    New(ResourceKey, Arc<TypeDef>),
}

impl Compiler<'_> {
    /// Logs a message with the prefix of the scope.
    pub fn log(&mut self, level: LogLevel, message: impl Into<String>, scope: ScopeId, span: Span) {
        let resource = self.catalog.get(self.scopes.get(scope).resource);
        let source = format!("Scope({})", resource.reference());
        // A message is kept, and it is formatted once more where it is shown.
        const STEPS: u64 = 30;
        self.budget.steps.charge(STEPS);
        let (message, place) = (message.into(), String::new());
        self.logs.push(LogEntry { level, message, source, place, span: Some(span) });
    }

    /// Logs a message without a scope's prefix.
    pub(crate) fn tell(&mut self, level: LogLevel, message: String, span: Option<Span>) {
        let (source, place) = (String::new(), String::new());
        self.logs.push(LogEntry { level, message, source, place, span });
    }

    /// A warning of the compile itself, without a scope's prefix.
    pub fn warn(&mut self, message: impl Into<String>, span: Option<Span>) {
        self.tell(LogLevel::Warning, message.into(), span);
    }

    /// As [`Compiler::warn`]; the place is shown behind the text.
    pub fn warn_at(&mut self, message: impl Into<String>, span: Span) {
        let (source, place) = (String::new(), self.full_place(Some(span), false));
        let (level, message) = (LogLevel::Warning, message.into());
        self.logs.push(LogEntry { level, message, source, place, span: Some(span) });
    }

    /// A warning of the compile that is given once for its key. With a place it says where.
    pub fn warn_once(&mut self, key: &str, message: &str, span: Option<Span>) {
        if !self.warned.insert(key.to_owned()) {
            return;
        }
        let place = match span {
            Some(span) => {
                let (file, line) = self.place_names(span);
                format!("\n   (file: {file}, line: {line})")
            }
            None => String::new(),
        };
        self.warn(format!("{message}{place}"), span);
    }

    /// The file and the line of a place; `unknown` for code that is in no file.
    pub fn place_names(&self, span: Span) -> (String, u32) {
        let file = self.env.sources.file(span.file);
        let name = if file.has_path() { file.path.display().to_string() } else { "unknown".into() };
        (name, file.line(span.range.start))
    }

    /// The value of a variable, qualified or not, searched from a scope; `None` if there is none.
    pub fn variable(&mut self, scope: ScopeId, name: &str) -> Option<Value> {
        self.find_variable(scope, name).cloned()
    }

    /// Includes, contains or requires classes; gives the list of references.
    ///
    /// # Errors
    /// When a name is no class, or its evaluation fails.
    pub fn include(
        &mut self,
        names: &[Value],
        how: Inclusion,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult {
        let mut flat = Vec::new();
        names.iter().for_each(|v| flatten_values(v, &mut flat));
        let mut names = Vec::with_capacity(flat.len());
        for value in &flat {
            names.push(class_name(value)?);
        }
        // All are looked up before the first one is put into the catalog with what it inherits from.
        let mut found = Vec::with_capacity(names.len());
        for name in &names {
            found.push(self.class_to_include(name)?);
        }
        let mut ids = Vec::with_capacity(names.len());
        for class in found {
            ids.push(self.include_one(class, scope, span)?);
        }
        for &id in &ids {
            self.evaluate(id)?;
        }
        match how {
            Inclusion::Include => {}
            Inclusion::Contain => self.contain(&ids, scope),
            Inclusion::Require => self.require(&ids, scope, span),
        }
        Ok(Value::array(ids.iter().map(|&id| reference(&self.catalog.get(id).key()))))
    }

    /// A class by its name, loaded.
    fn class_to_include(&mut self, name: &str) -> EvalResult<Includable> {
        let lower = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        let key = ResourceKey::new("class", &lower);
        if let Some(id) = self.catalog.find(&key) {
            return Ok(Includable::Known(id));
        }
        let Some(def) = self.class_named(&lower)? else {
            let mut error =
                PlainError::new(format!("Could not find class ::{lower} for {}", self.node));
            error.help = self.env.class_help(&lower);
            return Err(error.into());
        };
        Ok(Includable::New(key, def))
    }

    /// The class's resource, put into the catalog if it was not there.
    fn include_one(
        &mut self,
        class: Includable,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<ResourceId> {
        let (key, def) = match class {
            Includable::Known(id) => return Ok(id),
            Includable::New(key, def) => (key, def),
        };
        // One before it may inherit from it.
        if let Some(id) = self.catalog.find(&key) {
            return Ok(id);
        }
        let at =
            Declaration { scope, span, is_virtual: false, exported: false, title_is_text: true };
        self.add_class(def, Vec::new(), Declared::Implicitly, at)
    }

    fn contain(&mut self, ids: &[ResourceId], scope: ScopeId) {
        let container = self.scopes.get(scope).resource;
        for &id in ids {
            if id != container {
                self.catalog.edges.insert((container, id));
            }
        }
    }

    fn require(&mut self, ids: &[ResourceId], scope: ScopeId, span: Span) {
        let dependent = self.scopes.get(scope).resource;
        let mut items = match self.catalog.get(dependent).param("require") {
            Some(param) => {
                let mut items = Vec::new();
                flatten_values(&param.value, &mut items);
                items
            }
            None => Vec::new(),
        };
        items.extend(ids.iter().map(|&id| reference(&self.catalog.get(id).key())));
        let origin = ParamOrigin { how: How::Relation, span: Some(span), within: dependent };
        let param = new_param("require".into(), Value::array(items), false, origin);
        let resource = self.catalog.get_mut(dependent);
        match resource.param_mut("require") {
            Some(slot) => *slot = param,
            None => resource.params.push(param),
        }
    }

    /// Declares resources of a type, as `create_resources` does: titles with their attributes. The
    /// type's name may begin with `@` or `@@`.
    ///
    /// # Errors
    /// As for the resource expression.
    pub fn create_resources(
        &mut self,
        kind: &str,
        resources: &[(Value, Value)],
        defaults: &Value,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<()> {
        let (kind, exported, is_virtual) = match (kind.strip_prefix("@@"), kind.strip_prefix('@')) {
            (Some(kind), _) => (kind, true, true),
            (None, Some(kind)) => (kind, false, true),
            (None, None) => (kind, false, false),
        };
        let within = self.scopes.get(scope).resource;
        let origin = ParamOrigin { how: How::Declaration, span: Some(span), within };
        let at = Declaration { scope, span, is_virtual, exported, title_is_text: true };
        for (title, attributes) in resources {
            let mut params: Vec<crate::catalog::Param> = Vec::new();
            for (name, value) in defaults.as_hash().into_iter().flatten() {
                let name = crate::value::text::to_text(name);
                let value = as_parameter(value.clone()).or_else(plain)?;
                params.push(new_param(name, value, false, origin.clone()));
            }
            for (name, value) in attributes.as_hash().into_iter().flatten() {
                let name = crate::value::text::to_text(name);
                let value = as_parameter(value.clone()).or_else(plain)?;
                let param = new_param(name, value, false, origin.clone());
                match params.iter_mut().find(|p| p.name == param.name) {
                    Some(slot) => *slot = param,
                    None => params.push(param),
                }
            }
            let at = Declaration { title_is_text: matches!(title, Value::Str(_)), ..at };
            let title = crate::types::format::ruby_text(title);
            self.declare(kind, &title, params, at)?;
        }
        Ok(())
    }

    /// Whether a reference is to something declared so far, and a name to a known type or class.
    ///
    /// # Errors
    /// When a file that may define the name does not parse.
    pub fn is_defined(&mut self, what: &Value, scope: ScopeId) -> EvalResult<bool> {
        match what {
            Value::Str(name) => match name.strip_prefix('$') {
                Some(name) => Ok(self.find_variable(scope, name).is_some()),
                None => {
                    let lower = name.strip_prefix("::").unwrap_or(name).to_lowercase();
                    let known = matches!(lower.as_str(), "" | "main");
                    Ok(known
                        || crate::types::builtin(name).is_some()
                        || self.is_resource_type(&lower)?
                        || self.class_named(&lower)?.is_some()
                        || self.env.find_alias(&lower)?.is_some())
                }
            },
            Value::Type(kind) | Value::Reference(kind) => match &**kind {
                Type::Resource { kind: Some(kind), title: None } => self.is_resource_type(kind),
                Type::Class(None) => Ok(true),
                Type::Type(Some(inner)) => match &**inner {
                    Type::Class(Some(name)) => Ok(self.class_named(name)?.is_some()),
                    Type::Resource { kind: Some(kind), .. } => self.is_resource_type(kind),
                    _ => Ok(true),
                },
                other => match reference_key(other) {
                    Some(key) => Ok(self.find_named(&key).is_some()),
                    None => Ok(true),
                },
            },
            _ => Ok(false),
        }
    }

    /// The parameter of a declared resource; `None` if the resource does not exist.
    pub fn resource_parameter(&mut self, reference: &Type, name: &str) -> Option<Value> {
        let id = self.catalog.find(&reference_key(reference)?)?;
        let param = self.catalog.get(id).param(name).map(|p| &p.value);
        Some(param.or_else(|| self.feature_default(id, name)).cloned().unwrap_or_default())
    }

    /// The whole set of parameters of a declared resource; `None` if the resource does not exist.
    pub fn resource_parameters(&mut self, reference: &Type) -> Option<Vec<(EcoString, Value)>> {
        Some(self.parameters_of(self.resource_of(reference)?))
    }

    /// The resource that a reference means.
    pub(crate) fn resource_of(&self, reference: &Type) -> Option<ResourceId> {
        self.catalog.find(&reference_key(reference)?)
    }

    /// What was set of a resource so far.
    pub(crate) fn parameters_of(&self, id: ResourceId) -> Vec<(EcoString, Value)> {
        let params = self.catalog.get(id).params.iter();
        params.map(|p| (p.name.clone(), p.value.clone())).collect()
    }

    /// Marks virtual resources to be realised; those not declared yet are waited for.
    pub fn realize(&mut self, references: &[Value], span: Span) {
        let mut flat = Vec::new();
        references.iter().for_each(|v| flatten_values(v, &mut flat));
        for value in &flat {
            match self.reference_of(value) {
                Some(key) => self.catalog.realize.push((key, span)),
                None => {
                    let bad = (reference_text(value), span);
                    self.catalog.not_realizable.get_or_insert(bad);
                }
            }
        }
    }

    /// Adds tags to what contains the calling code.
    ///
    /// # Errors
    /// When a text cannot be a tag.
    pub fn tag(&mut self, names: &[EcoString], scope: ScopeId) -> EvalResult<()> {
        let id = self.scopes.get(scope).resource;
        for name in names {
            let name = name.to_lowercase();
            if !tags::is_valid(&name) {
                return self.invalid_tag(&name, self.catalog.get(id));
            }
            for part in tags::with_segments(&name) {
                let tag = self.catalog.tags.intern(part);
                self.catalog.get_mut(id).tags.insert(tag);
            }
        }
        Ok(())
    }

    /// Of a resource that was declared at a place, the error has this place.
    fn invalid_tag(&self, name: &str, resource: &Resource) -> EvalResult<()> {
        let text = format!("Invalid tag '{name}'");
        let declared = resource.declared == Declared::AsResource;
        match resource.span.filter(|_| declared) {
            Some(span) => Err(unplaced(text, Some(span))),
            None => plain(text),
        }
    }

    /// Whether the catalog, or what contains the calling code, has all these tags.
    pub fn tagged(&mut self, names: &[EcoString], scope: ScopeId) -> bool {
        let id = self.scopes.get(scope).resource;
        names.iter().all(|name| {
            let own = self.catalog.tags.find(name);
            own.is_some_and(|t| self.catalog.own_tags.contains(t)) || self.has_tag(id, name)
        })
    }

    /// The path that `module/name` or an absolute path means, in a folder of the module such as
    /// `files` or `templates`.
    pub fn path_in_module(&self, name: &str, folder: &str) -> Option<PathBuf> {
        if name.starts_with('/') {
            return Some(PathBuf::from(name));
        }
        let (module, rest) = name.split_once('/')?;
        // A second slash would make an absolute path of the rest.
        let rest = rest.trim_start_matches('/');
        Some(self.env.modules.get(module)?.dir.join(folder).join(rest))
    }

    /// The file at such a path, if there is one.
    pub fn find_in_module(&self, name: &str, folder: &str) -> Option<PathBuf> {
        let path = self.path_in_module(name, folder)?;
        (self.env.world.kind(&path)? == EntryKind::File).then_some(path)
    }

    /// As [`Self::find_in_module`], for whatever is there: a directory, too.
    pub fn exists_in_module(&self, name: &str, folder: &str) -> Option<PathBuf> {
        let path = self.path_in_module(name, folder)?;
        self.env.world.kind(&path).is_some().then_some(path)
    }

    /// The template that a name means, if there is one.
    pub fn find_template(&self, name: &str) -> Option<PathBuf> {
        // A path from the root may lead to a device, which cannot be read just to see.
        if name.starts_with('/') {
            return self.find_in_module(name, "templates");
        }
        self.path_in_module(name, "templates").filter(|path| self.env.has_template(path))
    }

    /// The directory of a module.
    pub fn module_directory(&mut self, module: &str) -> Option<PathBuf> {
        self.env.modules.get(module).map(|m| m.dir.clone())
    }

    /// The names of the modules that the calling code and its caller belong to; empty if to none.
    pub fn calling_modules(&self, scope: ScopeId) -> (EcoString, EcoString) {
        let own = self.scopes.get(scope).module.clone();
        let caller = self.scopes.lookup(scope, "caller_module_name").and_then(Value::as_str);
        (own, caller.unwrap_or("").into())
    }

    /// A setting's value, as `$settings::name` gives it.
    pub fn setting(&self, name: &str) -> Option<Value> {
        self.settings.values.get(name).cloned()
    }
}

/// The class that a value names.
fn class_name(value: &Value) -> EvalResult<EcoString> {
    match value {
        Value::Str(name) if name.is_empty() => plain("Cannot use empty string as a class name"),
        Value::Str(name) => Ok(name.clone()),
        Value::Undef => plain("Cannot use undef as a class name"),
        Value::Type(kind) | Value::Reference(kind) => match &**kind {
            Type::Class(Some(name)) => Ok(name.clone()),
            Type::Class(None) => plain("Cannot use an unspecific Class[] Type"),
            Type::Resource { kind: Some(kind), title: Some(title) }
                if kind.eq_ignore_ascii_case("class") =>
            {
                Ok(title.clone())
            }
            Type::Resource { kind: Some(kind), .. } => plain(format!(
                "Cannot use a Resource[{kind}] where a Resource['class', name] is expected"
            )),
            Type::Resource { .. } => {
                plain("Cannot use a Resource[] Type that is not a Class as a class name")
            }
            other => plain(format!("Cannot use {other} as a class name")),
        },
        other => plain(format!(
            "Cannot use {} where a class name is expected",
            crate::types::label::a_an(other)
        )),
    }
}
