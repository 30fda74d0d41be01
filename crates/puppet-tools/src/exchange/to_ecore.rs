//! Types to Ecore: the base model for all tools that read Ecore. Annotations have the code and
//! everything else that Ecore cannot express.

use ecow::{EcoString, eco_format};
use indexmap::IndexMap;
use ordain_data::Value as Data;
use ordain_ecore::{
    Annotation, Attribute, Class, Classifier, Enumeration, Feature as EFeature, FeatureRole,
    Literal, Operation, Package, Parameter, Reference, TypeRef,
};

use super::{ANNOTATION, ByName, GLOBAL_PACKAGE, TYPES_URI, by_name, codes, default, logic};
use ordain_puppet::types::models::{self, Feature, FeatureKind, Function, TypeModel, ValueType};

/// The place for the code of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// Into annotations.
    Annotations,
    /// Elsewhere: the model is free of it.
    Elsewhere,
}

/// Packages with types. There is one outermost package: the namespace of all types, or a package
/// around several namespaces.
///
/// # Errors
/// When a type inherits from, or refers to, a missing one.
pub fn to_ecore(models: &[TypeModel], code: Code) -> Result<Package, String> {
    let all = by_name(models);
    let mut tree = Namespace::default();
    for model in models {
        let path: Vec<&str> = model.name.split("::").collect();
        let (_, spaces) = path.split_last().unwrap_or((&"", &[]));
        spaces.iter().fold(&mut tree, |at, name| at.inner.entry((*name).into()).or_default());
    }
    // With a single outermost namespace there is no need of a package around it.
    let has_global = models.iter().any(|model| !model.name.contains("::"));
    let (root, path) = match tree.inner.len() {
        1 if !has_global => tree.inner.into_iter().next().unwrap_or_default(),
        _ => (EcoString::new(), tree),
    };
    let exporter = Exporter { all, is_nested: root.is_empty(), code };
    let mut out = exporter.package(&root, &path);
    let mut packages = Vec::new();
    for model in models {
        packages.push((exporter.path(&model.name), exporter.classifiers(model)?));
    }
    for (path, classifiers) in packages {
        if let Some(package) = inside(&mut out, &path) {
            package.classifiers.extend(classifiers);
        }
    }
    Ok(out)
}

/// The namespaces inside of one.
#[derive(Default)]
struct Namespace {
    inner: IndexMap<EcoString, Namespace>,
}

/// The package that a path of package names, its outermost first, leads to.
fn inside<'p>(package: &'p mut Package, path: &[EcoString]) -> Option<&'p mut Package> {
    let mut at = package;
    for name in path.get(1..)?.split_last().map_or(&[][..], |(_, packages)| packages) {
        at = at.packages.iter_mut().find(|one| one.name == *name)?;
    }
    Some(at)
}

struct Exporter<'m> {
    all: ByName<'m>,
    /// Whether the outermost package has the types without a namespace.
    is_nested: bool,
    code: Code,
}

impl Exporter<'_> {
    fn package(&self, namespace: &str, space: &Namespace) -> Package {
        let last = namespace.rsplit("::").next().unwrap_or_default();
        let name = if last.is_empty() { GLOBAL_PACKAGE } else { last };
        let ns_uri = match namespace {
            "" => TYPES_URI.into(),
            _ => eco_format!("{TYPES_URI}/{namespace}"),
        };
        let inner = space.inner.iter().map(|(name, space)| match namespace {
            "" => self.package(name, space),
            _ => self.package(&format!("{namespace}::{name}"), space),
        });
        Package {
            name: name.into(),
            ns_uri,
            ns_prefix: name.to_ascii_lowercase().into(),
            packages: inner.collect(),
            ..Package::default()
        }
    }

    /// The names of the packages of a type, then its own.
    fn path(&self, name: &str) -> Vec<EcoString> {
        let global = self.is_nested.then(|| EcoString::from(GLOBAL_PACKAGE));
        global.into_iter().chain(name.split("::").map(EcoString::from)).collect()
    }

    fn class_ref(&self, owner: &str, name: &str) -> Result<TypeRef, String> {
        if self.all.contains_key(name) {
            return Ok(TypeRef::Local(self.path(name)));
        }
        Err(format!("'{owner}' needs the type '{name}', which is not among those to be exported"))
    }

    /// The class of a type, and the enumerations of its features.
    fn classifiers(&self, model: &TypeModel) -> Result<Vec<Classifier>, String> {
        let mut class = Class {
            name: model.name.rsplit("::").next().unwrap_or_default().into(),
            is_abstract: model.is_abstract,
            ..Class::default()
        };
        if let Some(parent) = &model.parent {
            class.super_types.push(self.class_ref(&model.name, parent)?);
        }
        let mut notes = Vec::new();
        let invariants = if self.code == Code::Annotations { &*model.invariants } else { &[] };
        for (i, invariant) in (1..).zip(invariants) {
            notes.push((eco_format!("invariant.{i}"), invariant.logic.source.clone()));
            if let Some(title) = &invariant.title {
                notes.push((eco_format!("invariant.{i}.title"), title.clone()));
            }
        }
        if !model.title_patterns.is_empty() {
            let patterns =
                TypeModel { title_patterns: model.title_patterns.clone(), ..TypeModel::new("X") };
            let text = models::write(&[patterns]);
            let list = text.lines().find_map(|line| line.trim().strip_prefix("title_patterns "));
            notes.push(("title_patterns".into(), list.unwrap_or_default().into()));
        }
        class.annotations = annotations(notes);
        class.annotations.extend(model.annotations.iter().map(foreign));
        class.operations = model.functions.iter().map(|one| self.operation(one)).collect();
        let mut out = Vec::new();
        for feature in &model.features {
            let (feature, enumeration) = self.feature(model, feature)?;
            class.features.push(feature);
            out.extend(enumeration.map(Classifier::Enumeration));
        }
        out.insert(0, Classifier::Class(class));
        Ok(out)
    }

    fn feature(
        &self,
        model: &TypeModel,
        feature: &Feature,
    ) -> Result<(EFeature, Option<Enumeration>), String> {
        let mut notes = Vec::new();
        let (kind, of, enumeration) = match &feature.kind {
            FeatureKind::Reference { target, containment } => {
                let of = Reference { is_containment: *containment, ..Reference::default() };
                (self.class_ref(&model.name, target)?, FeatureRole::Reference(of), None)
            }
            FeatureKind::Attribute(value) => {
                let (kind, enumeration) = self.value_type(model, feature, value);
                if let ValueType::Other(text) = value {
                    notes.push(("type".into(), text.clone()));
                }
                (kind, FeatureRole::Attribute(Attribute { is_id: feature.id }), enumeration)
            }
        };
        let mut flag = |key: &str, is_set: bool| {
            if is_set {
                notes.push((key.into(), "true".into()));
            }
        };
        flag("id", feature.id && feature.is_reference());
        flag("namevar", feature.namevar);
        let (literal, source) = default_of(feature);
        notes.extend(source.map(|source| ("default".into(), source)));
        for (kind, logic) in codes(feature) {
            let logic = logic.filter(|_| self.code == Code::Annotations);
            notes.extend(logic.map(|logic| (kind.into(), logic.source.clone())));
        }
        let is_derived = feature.derived.is_some();
        let out = EFeature {
            kind: Some(kind),
            lower: feature.multiplicity.lower,
            upper: feature.multiplicity.upper.unwrap_or(-1),
            is_unique: feature.is_reference(),
            is_changeable: feature.setable,
            is_volatile: is_derived,
            is_transient: feature.transient,
            is_unsettable: feature.unsettable,
            is_derived,
            default: literal,
            annotations: annotations(notes)
                .into_iter()
                .chain(feature.annotations.iter().map(foreign))
                .collect(),
            ..EFeature::new(feature.name.clone(), of)
        };
        Ok((out, enumeration))
    }

    /// A function, with the Ecore types of its parameters and its result.
    fn operation(&self, function: &Function) -> Operation {
        let (params, returns) = logic::signature(&function.logic.source);
        let kind = |text: Option<EcoString>| Some(self.data_type(text.as_deref().unwrap_or("Any")));
        let params = params.into_iter().map(|(name, text)| Parameter { name, kind: kind(text) });
        let note = ("function".into(), function.logic.source.clone());
        Operation {
            name: function.name.clone(),
            kind: kind(returns),
            annotations: match self.code {
                Code::Annotations => annotations(vec![note]),
                Code::Elsewhere => Vec::new(),
            },
            parameters: params.collect(),
        }
    }

    /// The type in Ecore for the text of a type: a class, a plain data type or anything.
    fn data_type(&self, text: &str) -> TypeRef {
        let ecore = |name: &str| TypeRef::Ecore(name.into());
        match text {
            "Integer" => ecore("ELong"),
            "Float" => ecore("EDouble"),
            "Boolean" => ecore("EBoolean"),
            "String" => ecore("EString"),
            name if self.all.contains_key(name) => TypeRef::Local(self.path(name)),
            name if name.starts_with("Integer[") => ecore("ELong"),
            name if ["String[", "Enum[", "Pattern["].iter().any(|one| name.starts_with(one)) => {
                ecore("EString")
            }
            _ => ecore("EJavaObject"),
        }
    }

    fn value_type(
        &self,
        model: &TypeModel,
        feature: &Feature,
        value: &ValueType,
    ) -> (TypeRef, Option<Enumeration>) {
        let ecore = |name: &str| (TypeRef::Ecore(name.into()), None);
        match value {
            ValueType::Integer => ecore("ELong"),
            ValueType::Float => ecore("EDouble"),
            ValueType::String | ValueType::Other(_) => ecore("EString"),
            ValueType::Boolean => ecore("EBoolean"),
            ValueType::Any => ecore("EJavaObject"),
            ValueType::Enum(values) => {
                let mut path = self.path(&model.name);
                let owner = path.pop().unwrap_or_default();
                let mut name = eco_format!("{owner}_{}", feature.name);
                let space = model.name.rsplit_once("::").map_or("", |(space, _)| space);
                let qualified = |name: &str| match space {
                    "" => name.to_owned(),
                    _ => format!("{space}::{name}"),
                };
                while self.all.contains_key(qualified(&name).as_str()) {
                    name.push('_');
                }
                path.push(name.clone());
                (TypeRef::Local(path), Some(enumeration(name, values)))
            }
        }
    }
}

fn annotations(details: Vec<(EcoString, EcoString)>) -> Vec<Annotation> {
    match details.is_empty() {
        true => Vec::new(),
        false => vec![Annotation { source: ANNOTATION.into(), details }],
    }
}

/// Annotations of the site as Ecore annotations, whose values are texts.
fn foreign((source, details): &(EcoString, Vec<(EcoString, Data)>)) -> Annotation {
    let text = |value: &Data| match value {
        Data::Str(text) => text.clone(),
        other => default::source(other).into(),
    };
    let details = details.iter().map(|(key, value)| (key.clone(), text(value)));
    Annotation { source: source.clone(), details: details.collect() }
}

/// The default in Ecore, and in the syntax of the language if Ecore cannot express it.
fn default_of(feature: &Feature) -> (Option<EcoString>, Option<EcoString>) {
    let Some(value) = &feature.default else { return (None, None) };
    let FeatureKind::Attribute(kind) = &feature.kind else {
        return (None, Some(default::source(value).into()));
    };
    let literal = match kind {
        ValueType::Any => None,
        _ if feature.multiplicity.is_many() => None,
        _ => default::literal(value),
    };
    let said = literal.as_ref().and_then(|text| default::of_literal(text, kind));
    let source = (said.as_ref() != Some(value)).then(|| default::source(value).into());
    (literal.map(Into::into), source)
}

/// An enumeration whose literals have names that programs can use.
fn enumeration(name: EcoString, values: &[EcoString]) -> Enumeration {
    let mut taken = rustc_hash::FxHashSet::default();
    let literals = (0..).zip(values).map(|(number, value)| {
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let mut name: EcoString = value.chars().map(word).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name = eco_format!("_{name}");
        }
        while !taken.insert(name.clone()) {
            name.push_str(&number.to_string());
        }
        Literal { text: (name != *value).then(|| value.clone()), name, value: number }
    });
    Enumeration { name, literals: literals.collect(), annotations: Vec::new() }
}
