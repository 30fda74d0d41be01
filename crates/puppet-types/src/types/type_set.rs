//! Type sets: types under one name, and names by which the types of other sets are known in it.

use std::sync::{Arc, LazyLock, OnceLock};

use ecow::EcoString;
use ordain_functions::version::{Range, Version};

use crate::error::{EvalResult, plain};
use crate::model::{TypeSet, TypeSetReference};
use crate::types::Type;
use crate::types::mismatch::assert_instance;
use crate::types::object::define::from_hash;
use crate::types::object::meta::type_set_definition;
use crate::value::Value;

/// The authority of names that manifests define.
pub const RUNTIME: &str = "http://puppet.com/2016.1/runtime";

const PCORE: &str = "http://puppet.com/2016.1/pcore";

impl Default for TypeSet {
    fn default() -> Self {
        Self {
            name: "DefaultTypeSet".into(),
            authority: RUNTIME.into(),
            pcore_uri: Some(PCORE.into()),
            pcore_version: Version::new(1, 0, 0),
            version: Some(Version::new(0, 0, 0)),
            types: OnceLock::new(),
            references: Vec::new(),
            annotations: None,
        }
    }
}

impl TypeSet {
    /// Any type set: the type without parameters.
    pub fn any() -> Arc<Self> {
        static ANY: LazyLock<Arc<TypeSet>> = LazyLock::new(Arc::default);
        Arc::clone(&ANY)
    }

    /// The set that a hash defines, with its types.
    ///
    /// # Errors
    /// When the definition is wrong.
    pub fn from_hash(definition: &Value) -> EvalResult<Arc<Self>> {
        let text = |key| definition.get(key).and_then(Value::as_str).unwrap_or_default();
        let set = Self::new(text("name"), text("name_authority"), definition)?;
        let mut types = Vec::new();
        for (name, kind) in definition.get("types").and_then(Value::as_hash).into_iter().flatten() {
            let kind = match kind {
                Value::Type(kind) => Type::clone(kind),
                kind => Type::Object(from_hash("", kind)?),
            };
            types.push((crate::value::text::to_text(name), kind));
        }
        set.set_types(types);
        Ok(Arc::new(set))
    }

    /// The set that a hash defines under a name, its types left out.
    ///
    /// # Errors
    /// When the definition is wrong.
    pub fn new(name: &str, authority: &str, given: &Value) -> EvalResult<Self> {
        assert_instance("TypeSet initializer", type_set_definition(), given)?;
        let text = |key| given.get(key).and_then(Value::as_str).map(EcoString::from);
        let name = if name.is_empty() { text("name").unwrap_or_default() } else { name.into() };
        let authority = if authority.is_empty() { text("name_authority") } else { None }
            .unwrap_or_else(|| authority.into());
        let pcore_version = version(given.get("pcore_version"))?.unwrap_or(Version::new(1, 0, 0));
        if pcore_version.major != 1 {
            return plain(format!(
                "The pcore version for TypeSet '{name}' is not understood by this runtime. Expected range 1.x, got {pcore_version}"
            ));
        }
        let mut set = Self {
            pcore_uri: text("pcore_uri"),
            pcore_version,
            version: version(given.get("version"))?,
            types: OnceLock::new(),
            references: Vec::new(),
            annotations: given.get("annotations").filter(|a| !a.is_undef()).cloned(),
            name,
            authority,
        };
        set.read_references(given)?;
        Ok(set)
    }

    fn read_references(&mut self, given: &Value) -> EvalResult<()> {
        let name = &self.name;
        let entries = given.get("references").and_then(Value::as_hash);
        for (alias, reference) in entries.into_iter().flatten() {
            let alias = crate::value::text::to_text(alias);
            let reference = TypeSetReference::read(reference, &self.authority)?;
            let (authority, other) = (&reference.authority, &reference.name);
            let overlaps = self.references.iter().any(|(_, known)| {
                known.authority == *authority
                    && known.name == *other
                    && known.range.intersection(&reference.range) != Range::none()
            });
            if overlaps {
                return plain(format!(
                    "TypeSet '{name}' references TypeSet '{authority}/{other}' more than once using overlapping version ranges"
                ));
            }
            if given.get("types").is_some_and(|types| types.get(&alias).is_some()) {
                return plain(format!(
                    "TypeSet '{name}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type"
                ));
            }
            self.references.push((alias, reference));
        }
        Ok(())
    }

    /// Sets its types; later calls change nothing.
    #[inline]
    pub fn set_types(&self, types: Vec<(EcoString, Type)>) {
        let _ = self.types.set(types);
    }

    /// Its types by their names in it.
    #[inline]
    pub fn types(&self) -> &[(EcoString, Type)] {
        self.types.get().map_or(&[], Vec::as_slice)
    }

    /// The name inside the set of a type that it declares, by its full name.
    pub(crate) fn own_name<'n>(&self, full: &'n str) -> Option<&'n str> {
        let short = full.strip_prefix(self.name.as_str())?.strip_prefix("::")?;
        self.types().iter().any(|(name, _)| name == short).then_some(short)
    }

    /// The name inside the set of a type that it knows, by its full name.
    pub(crate) fn name_for(&self, full: &str) -> Option<EcoString> {
        if let Some(own) = self.own_name(full) {
            return Some(own.into());
        }
        self.references.iter().find_map(|(alias, reference)| {
            let name = reference.set.get()?.name_for(full)?;
            Some(ecow::eco_format!("{alias}::{name}"))
        })
    }

    /// The entries of its definition besides types and references, in order.
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        let mut out = Vec::new();
        out.extend(self.annotations.clone().map(|value| ("annotations", value)));
        out.extend(self.pcore_uri.clone().map(|text| ("pcore_uri", Value::Str(text))));
        out.push(("pcore_version", Value::from(self.pcore_version.to_string())));
        out.push(("name_authority", Value::Str(self.authority.clone())));
        out.push(("name", Value::Str(self.name.clone())));
        let version = self.version.as_ref();
        out.extend(version.map(|version| ("version", Value::from(version.to_string()))));
        out
    }

    /// Whether this is the type without parameters.
    pub(crate) fn is_any(&self) -> bool {
        self.name == "DefaultTypeSet" && self.pcore_uri.is_some()
    }
}

impl TypeSetReference {
    fn read(given: &Value, owner: &EcoString) -> EvalResult<Self> {
        let text = |key| given.get(key).and_then(Value::as_str).map(EcoString::from);
        let (range, text_of_range): (Range, EcoString) = match given.get("version_range") {
            Some(Value::SemVerRange(range)) => (range.range.clone(), range.text.clone()),
            _ => {
                let text = text("version_range").unwrap_or_default();
                match text.parse::<Range>() {
                    Ok(range) => (range, text),
                    Err(error) => return plain(error.to_string()),
                }
            }
        };
        Ok(Self {
            name: text("name").unwrap_or_default(),
            authority: text("name_authority").unwrap_or_else(|| owner.clone()),
            range,
            text: text_of_range,
            set: OnceLock::new(),
        })
    }

    /// Says which set it refers to.
    ///
    /// # Errors
    /// When the version of that set will not do.
    pub fn resolve(&self, owner: &TypeSet, set: Arc<TypeSet>) -> EvalResult<()> {
        if let Some(version) = set.version.as_ref().filter(|v| !self.range.includes(v)) {
            let (label, range) = (self.label(owner), &self.text);
            return plain(format!(
                "{label} resolves to an incompatible version. Expected {range}, got {version}"
            ));
        }
        let _ = self.set.set(set);
        Ok(())
    }

    /// The set that it refers to, once that is known.
    #[inline]
    pub fn target(&self) -> Option<&Arc<TypeSet>> {
        self.set.get()
    }

    /// Its name in messages.
    pub fn label(&self, owner: &TypeSet) -> String {
        format!("TypeSet '{}' reference to TypeSet named '{}'", owner.name, self.name)
    }

    /// The hash that defines it in its set.
    pub fn definition(&self, owner: &TypeSet) -> Value {
        let mut out = Vec::new();
        if self.authority != owner.authority {
            out.push(("name_authority", Value::Str(self.authority.clone())));
        }
        out.push(("name", Value::Str(self.name.clone())));
        out.push(("version_range", Value::Str(self.text.clone())));
        Value::hash(out)
    }
}

fn version(given: Option<&Value>) -> EvalResult<Option<Version>> {
    match given {
        Some(Value::SemVer(version)) => Ok(Some(Version::clone(version))),
        Some(Value::Str(text)) => match text.parse::<Version>() {
            Ok(version) => Ok(Some(version)),
            Err(error) => plain(error.to_string()),
        },
        _ => Ok(None),
    }
}

impl PartialEq for TypeSet {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.authority == other.authority
            && self.name == other.name
            && self.version == other.version
    }
}

impl Eq for TypeSet {}

impl std::hash::Hash for TypeSet {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
