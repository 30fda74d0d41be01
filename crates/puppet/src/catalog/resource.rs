//! A resource during the compile, its parameters, and their origins.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use rustc_hash::FxHashMap;

use crate::catalog::tags::TagSet;
use crate::load::native_type::{self, NativeType};
use crate::syntax::definitions::TypeDef;
use crate::syntax::names::TOP_CLASS;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;
use ordain_graph::place::Place;

/// The index of a resource in the catalog that is being compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResourceId(pub u32);

/// The kind of a resource.
#[derive(Clone, Debug)]
pub enum ResourceKind {
    /// `Stage[main]` and other stages.
    Stage,
    /// A class; main and Settings have no definition.
    Class(Option<Arc<TypeDef>>),
    /// The matching node block.
    Node,
    /// An instance of a define.
    Define(Arc<TypeDef>),
    /// A resource of a native type.
    Native(Arc<NativeType>),
}

/// The way in which a class came into the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// By a resource expression.
    AsResource,
    /// By `include` and similar functions, or as a part of every catalog.
    Implicitly,
}

/// The source of a parameter's value.
#[derive(Clone, Debug)]
pub enum ParamSource {
    /// In the declaration.
    Declaration,
    /// By a default of the type.
    TypeDefault,
    /// By an override.
    Override,
    /// By a collector.
    Collector,
    /// By the default expression of the parameter.
    ParameterDefault,
    /// Found in data.
    Data(Arc<DataPlace>),
    /// By an arrow.
    Relation,
    /// By the code of the resource type, which converts values and sets defaults.
    Kind,
    /// From a container.
    Inherited,
    /// By the program itself or from outside.
    External,
    /// By the node that exports the resource.
    Exported(Arc<Import>),
}

/// The place of a value in data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataPlace {
    /// The key.
    pub key: EcoString,
    /// The file.
    pub file: EcoString,
    /// The line, from 1; 0 if not known.
    pub line: u32,
}

/// A call of a function that looks up data.
#[derive(Clone, Debug)]
pub struct LookupCall {
    /// The place of the call.
    pub span: Span,
    /// The class, define instance or node in whose code the call is.
    pub within: ResourceId,
    /// Where the value was found.
    pub places: Vec<DataPlace>,
    /// The key, if no data has it and the call's default is the value.
    pub default_of: Option<EcoString>,
    /// The value, if a part of it is sensitive.
    pub secret: Option<Value>,
}

/// The origin of a value.
#[derive(Clone, Debug)]
pub struct ParamOrigin {
    /// The kind of source.
    pub how: ParamSource,
    /// The place in the code, if there is one.
    pub span: Option<Span>,
    /// The container of the code that set it.
    pub within: ResourceId,
}

/// A value that lost.
#[derive(Clone, Debug)]
pub struct LostValue {
    /// The value.
    pub value: Value,
    /// The origin of the replaced value.
    pub origin: ParamOrigin,
}

/// The values of a parameter that lost, latest first. Nearly all parameters have none and are to
/// stay small, so that the list is behind one pointer.
#[derive(Clone, Debug, Default)]
pub struct LostValues(Option<Arc<Vec<LostValue>>>);

impl LostValues {
    fn list(&mut self) -> &mut Vec<LostValue> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Adds a value that lost before all others.
    pub fn push(&mut self, lost: LostValue) {
        self.list().push(lost);
    }

    /// Adds the value that lost last.
    pub fn push_latest(&mut self, lost: LostValue) {
        self.list().insert(0, lost);
    }

    /// Adds values that lost before all others.
    pub fn append(&mut self, earlier: Self) {
        match earlier.0 {
            Some(earlier) if self.0.is_some() => {
                self.list().append(&mut Arc::unwrap_or_clone(earlier));
            }
            Some(earlier) => self.0 = Some(earlier),
            None => {}
        }
    }
}

impl std::ops::Deref for LostValues {
    type Target = [LostValue];

    fn deref(&self) -> &[LostValue] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

/// A parameter of a resource.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: EcoString,
    /// Its value. `undef` counts as set, but the catalog leaves it out.
    pub value: Value,
    /// `+>`: appended to the earlier value.
    pub append: bool,
    /// The origin of the value.
    pub origin: ParamOrigin,
    /// Values that were overridden, latest first.
    pub losers: LostValues,
}

/// The parameters of a resource in the order they were set. Most resources have a handful, which are
/// searched in order; many get an index.
#[derive(Clone, Debug, Default)]
pub struct Params {
    list: Vec<Param>,
    index: Option<Box<FxHashMap<EcoString, u32>>>,
}

impl Params {
    /// The number of parameters above which a resource gets an index.
    const FEW: usize = 32;

    fn place(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name).map(|&at| at as usize),
            None => self.list.iter().position(|p| p.name == name),
        }
    }

    /// The one of this name.
    pub fn named(&self, name: &str) -> Option<&Param> {
        self.place(name).map(|at| &self.list[at])
    }

    /// The parameter of this name, to change it.
    pub fn named_mut(&mut self, name: &str) -> Option<&mut Param> {
        self.place(name).map(|at| &mut self.list[at])
    }

    /// Adds one behind all others.
    pub fn push(&mut self, param: Param) {
        if let Some(index) = &mut self.index {
            index.entry(param.name.clone()).or_insert(self.list.len() as u32);
        }
        self.list.push(param);
        if self.index.is_none() && self.list.len() > Self::FEW {
            self.index_again();
        }
    }

    /// Changes values in place; names stay.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = (&EcoString, &mut Value)> {
        self.list.iter_mut().map(|param| (&param.name, &mut param.value))
    }

    /// Changes the set of parameters, their names, or their order.
    pub(crate) fn edit<T>(&mut self, edit: impl FnOnce(&mut Vec<Param>) -> T) -> T {
        let out = edit(&mut self.list);
        self.index_again();
        out
    }

    fn index_again(&mut self) {
        self.index = None;
        if self.list.len() > Self::FEW {
            let mut index = FxHashMap::default();
            for (at, param) in self.list.iter().enumerate() {
                index.entry(param.name.clone()).or_insert(at as u32);
            }
            self.index = Some(Box::new(index));
        }
    }
}

impl From<Vec<Param>> for Params {
    fn from(list: Vec<Param>) -> Self {
        let mut params = Self { list, index: None };
        params.index_again();
        params
    }
}

impl std::ops::Deref for Params {
    type Target = [Param];

    fn deref(&self) -> &[Param] {
        &self.list
    }
}

impl<'a> IntoIterator for &'a Params {
    type Item = &'a Param;
    type IntoIter = std::slice::Iter<'a, Param>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl IntoIterator for Params {
    type Item = Param;
    type IntoIter = std::vec::IntoIter<Param>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// A resource.
#[derive(Debug)]
pub struct Resource {
    /// The type with capital segments.
    pub kind: EcoString,
    /// The title as written; a class's capitalised.
    pub title: EcoString,
    /// The kind of the resource.
    pub what: ResourceKind,
    /// The kind of declaration.
    pub declared: Declared,
    /// Parameters in the order they were set.
    pub params: Params,
    /// Tags.
    pub tags: TagSet,
    /// Not in the catalog unless collected.
    pub is_virtual: bool,
    /// For other nodes.
    pub exported: bool,
    /// The place of the declaration.
    pub span: Option<Span>,
    /// The scope it was declared in.
    pub scope: ScopeId,
    /// The container.
    pub container: Option<ResourceId>,
    /// Whether the body of a class or define was evaluated.
    pub evaluated: bool,
    /// The scope of its body, once evaluated.
    pub body_scope: Option<ScopeId>,
    /// Names of parameters that had a Sensitive value.
    pub sensitive: Vec<EcoString>,
    /// Whether its title is a text. Functions also accept numbers, which make resources with a
    /// `name`.
    pub title_is_text: bool,
}

impl Resource {
    /// Whether the resource could have a parameter of this name.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        if crate::schema::is_metaparameter(name) {
            return true;
        }
        match &self.what {
            ResourceKind::Class(Some(def)) | ResourceKind::Define(def) => {
                def.program.params(def.params).iter().any(|p| p.name == name)
            }
            _ => self.schema().is_some_and(|schema| schema.knows(name)),
        }
    }

    /// The name it is found by.
    pub fn key(&self) -> ResourceKey {
        if matches!(self.what, ResourceKind::Class(None)) && self.title == TOP_CLASS {
            return ResourceKey { kind: self.kind.clone(), title: self.title.clone() };
        }
        ResourceKey::of(self.kind.clone(), &self.title)
    }

    /// The key of the resource, if it differs from its title.
    pub(crate) fn key_besides_title(&self) -> Option<ResourceKey> {
        let may_differ = match self.kind.as_str() {
            "Class" => true,
            "File" => self.title.ends_with('/'),
            _ => false,
        };
        may_differ.then(|| self.key()).filter(|key| key.title != self.title)
    }

    /// Whether the resource has this key.
    pub fn is_called(&self, key: &ResourceKey) -> bool {
        self.kind == key.kind && (self.title == key.title || self.key() == *key)
    }

    /// `Type[title]`
    pub fn reference(&self) -> String {
        [&*self.kind, "[", &*self.title, "]"].concat()
    }

    /// The parameter of this name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.named(name)
    }

    /// The parameter of this name, to change it.
    pub fn param_mut(&mut self, name: &str) -> Option<&mut Param> {
        self.params.named_mut(name)
    }

    /// The schema of its type, if the type is native.
    pub fn schema(&self) -> Option<&NativeType> {
        match &self.what {
            ResourceKind::Native(schema) => Some(schema),
            ResourceKind::Stage => Some(&native_type::STAGE),
            _ => None,
        }
    }

    /// Whether it is a class.
    pub fn is_class(&self) -> bool {
        matches!(self.what, ResourceKind::Class(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_name_however_many_there_are() {
        for count in [1, Params::FEW, Params::FEW + 1, 200] {
            let origin =
                ParamOrigin { how: ParamSource::External, span: None, within: ResourceId(0) };
            let make = |name: usize, value: usize| Param {
                name: ecow::eco_format!("p{name}"),
                value: Value::Int(value as i64),
                append: false,
                origin: origin.clone(),
                losers: LostValues::default(),
            };
            let mut params = Params::default();
            for n in 0..count {
                params.push(make(n, n));
            }
            // If two have the same name, the first is found.
            params.push(make(0, 99));
            let first = params.named("p0").map(|param| &param.value);
            assert_eq!(first, Some(&Value::Int(0)), "{count}");
            assert!(params.named(&format!("p{count}")).is_none(), "{count}");
            let last = params.edit(|all| all.remove(count - 1));
            assert_eq!(params.named(&last.name).is_some(), count == 1, "{count}");
            params.edit(|all| all[0].name = "other".into());
            assert!(params.named("other").is_some(), "{count}");
        }
    }
}

/// The origin of a resource that another node exports.
#[derive(Clone, Debug)]
pub struct Import {
    /// The node.
    pub node: EcoString,
    /// The place of the declaration in the code of that node.
    pub place: Option<Place>,
    /// The collector that took it.
    pub span: Span,
}

/// A resource type with the data for its declarations, looked up once per compile.
#[derive(Debug)]
pub(crate) struct KnownKind {
    /// The type with capital segments.
    pub title: EcoString,
    /// The kind of its resources.
    pub what: ResourceKind,
    /// The tags that its name gives.
    pub tags: TagSet,
}

/// The functions that add classes to a catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// It is evaluated.
    Include,
    /// It is also contained in the calling class.
    Contain,
    /// The calling resource also requires it.
    Require,
}
