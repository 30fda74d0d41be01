//! Ecore models to types of the language: exported types become as they were, and models of other
//! tools are translated as far as the language can express them.

use ecow::{EcoString, eco_format};
use indexmap::IndexMap;
use ordain_data::Value as Data;
use ordain_ecore::{
    Annotation, Class, Classifier, Feature as EFeature, FeatureRole, Package, TypeRef,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ANNOTATION, TYPES_URI, default, logic};
use ordain_puppet::types::models::{
    Annotations, Feature, FeatureKind, Function, Invariant, Logic, Multiplicity, TypeModel,
    ValueType,
};

/// Types, and notes about parts of the model that the language cannot express.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The types, in order.
    pub models: Vec<TypeModel>,
    /// The differences from the model, in words.
    pub notes: Vec<String>,
}

/// The types of packages. `has_logic` says that another document has the code of derived features.
///
/// # Errors
/// When one of our annotations has an invalid value.
pub fn from_ecore(packages: &[Package], has_logic: bool) -> Result<Imported, String> {
    let mut importer = Importer {
        classes: IndexMap::new(),
        values: FxHashMap::default(),
        names: FxHashMap::default(),
        taken: FxHashSet::default(),
        notes: Vec::new(),
        has_logic,
    };
    for package in packages {
        importer.collect(package, &mut Vec::new(), None);
    }
    let paths: Vec<Path> = importer.classes.keys().cloned().collect();
    let models = paths.iter().map(|path| importer.model(path)).collect::<Result<_, _>>()?;
    Ok(Imported { models, notes: importer.notes })
}

/// The names of the packages of a classifier, then its own.
type Path = Vec<EcoString>;

struct Importer<'e> {
    classes: IndexMap<Path, &'e Class>,
    /// The types of enumerations and data types.
    values: FxHashMap<Path, ValueType>,
    /// The names of classes here.
    names: FxHashMap<Path, EcoString>,
    taken: FxHashSet<EcoString>,
    notes: Vec<String>,
    has_logic: bool,
}

impl<'e> Importer<'e> {
    fn collect(&mut self, package: &'e Package, path: &mut Path, around: Option<&str>) {
        let namespace = namespace(package, around);
        path.push(package.name.clone());
        for classifier in &package.classifiers {
            let mut full = path.clone();
            full.push(classifier.name().clone());
            match classifier {
                Classifier::Class(class) => {
                    let name = segment(&class.name);
                    let name = match &*namespace {
                        "" => name,
                        space => eco_format!("{space}::{name}"),
                    };
                    let name = self.free(name);
                    self.names.insert(full.clone(), name);
                    self.classes.insert(full, class);
                }
                Classifier::Enumeration(one) => {
                    let values = default::symbols(classifier).unwrap_or_default();
                    if values.is_empty() {
                        self.notes.push(format!("enumeration {} has no literals", one.name));
                        self.values.insert(full, ValueType::Any);
                    } else {
                        self.values.insert(full, ValueType::Enum(values));
                    }
                }
                Classifier::DataType(one) => {
                    let class = one.instance_class.as_deref().unwrap_or_default();
                    let kind = java(class).unwrap_or_else(|| {
                        self.notes.push(format!("data type {} is Any here", one.name));
                        ValueType::Any
                    });
                    self.values.insert(full, kind);
                }
            }
        }
        for inner in &package.packages {
            self.collect(inner, path, Some(&namespace));
        }
        path.pop();
    }

    /// A name that no other class has.
    fn free(&mut self, mut name: EcoString) -> EcoString {
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn model(&mut self, path: &Path) -> Result<TypeModel, String> {
        let class = self.classes[path];
        let name = self.names[path].clone();
        let mut out = TypeModel::new(name.clone());
        out.is_abstract = class.is_abstract || class.is_interface;
        let mut parents = Vec::new();
        for one in &class.super_types {
            match one {
                TypeRef::Local(path) if self.classes.contains_key(path) => parents.push(path),
                TypeRef::Ecore(name) if name == "EObject" => {}
                _ => self.notes.push(format!("{name} inherits from nothing that is here")),
            }
        }
        let mut inherited = FxHashSet::default();
        if let Some((first, others)) = parents.split_first() {
            out.parent = Some(self.names[*first].clone());
            self.features_of(first, &mut |feature| {
                inherited.insert(&*feature.name);
            });
            let mut copied = Vec::new();
            for other in others {
                let what = &self.names[*other];
                let note = format!(
                    "{name} inherits from {} alone; it has the features of {what} itself",
                    self.names[*first]
                );
                self.notes.push(note);
                self.features_of(other, &mut |feature| {
                    if inherited.insert(&*feature.name) {
                        copied.push(feature);
                    }
                });
            }
            for feature in copied {
                out.features.extend(self.feature(&name, feature)?);
            }
        }
        for feature in &class.features {
            if inherited.contains(&*feature.name) {
                self.notes.push(format!("{name}.{}: the inherited feature is used", feature.name));
                continue;
            }
            out.features.extend(self.feature(&name, feature)?);
        }
        out.invariants = invariants(class).map_err(|why| format!("{name}: {why}"))?;
        self.operations(class, &mut out)?;
        out.annotations = annotations(&class.annotations);
        if let Some(list) = default::note(&class.annotations, "title_patterns") {
            let found = logic::only_model(&format!("type X {{ title_patterns {list} }}"));
            let found = found.filter(|model| !model.title_patterns.is_empty());
            let found = found.ok_or_else(|| format!("{name}: {list} are no title patterns"))?;
            out.title_patterns = found.title_patterns;
        }
        Ok(out)
    }

    /// Operations whose code is in the language become functions.
    fn operations(&mut self, class: &Class, out: &mut TypeModel) -> Result<(), String> {
        for one in &class.operations {
            let place = format!("{}.{}", out.name, one.name);
            match default::note(&one.annotations, "function") {
                Some(source) if logic::is_logic("function", source) => {
                    let logic = Logic::new(source);
                    out.functions.push(Function { name: one.name.clone(), logic, span: None });
                }
                Some(source) => {
                    return Err(format!("{place}: the function does not parse: {source}"));
                }
                None if self.has_logic => {}
                None => self.notes.push(format!(
                    "operation {} of {} is left out: its code is not in the file",
                    one.name, out.name
                )),
            }
        }
        Ok(())
    }

    /// Visits all features of a class, inherited ones first.
    fn features_of(&self, path: &Path, each: &mut dyn FnMut(&'e EFeature)) {
        let (mut open, mut seen) = (vec![path], FxHashSet::default());
        let mut order = Vec::new();
        while let Some(path) = open.pop() {
            let Some(class) = self.classes.get(path).filter(|_| seen.insert(path)) else {
                continue;
            };
            order.push(*class);
            for one in class.super_types.iter().rev() {
                if let TypeRef::Local(path) = one {
                    open.push(path);
                }
            }
        }
        order.into_iter().rev().flat_map(|class| &class.features).for_each(each);
    }

    fn feature(&mut self, owner: &str, feature: &EFeature) -> Result<Option<Feature>, String> {
        let place = format!("{owner}.{}", feature.name);
        let note = |key: &str| default::note(&feature.annotations, key);
        if self.is_opposite_of_containment(feature) {
            self.notes.push(format!("{place} is left out: it leads back to the container"));
            return Ok(None);
        }
        if feature.upper == 0 {
            self.notes.push(format!("{place} is left out: it can have no value"));
            return Ok(None);
        }
        let kind = self.kind(&place, feature);
        let mut out = Feature::new(feature_name(&feature.name), kind);
        let upper = (feature.upper > 0).then_some(feature.upper);
        let lower = feature.lower.max(0);
        if upper.is_some_and(|upper| lower > upper) {
            return Err(format!(
                "{place} has at least {lower} and at most {} values",
                feature.upper
            ));
        }
        out.multiplicity = Multiplicity { lower, upper };
        (out.unsettable, out.transient) = (feature.is_unsettable, feature.is_transient);
        out.setable = feature.is_changeable;
        out.id = matches!(&feature.of, FeatureRole::Attribute(one) if one.is_id)
            || note("id") == Some("true");
        out.namevar = note("namevar") == Some("true");
        for kind in ["check", "derived", "set", "get"] {
            let Some(source) = note(kind) else { continue };
            if !logic::is_logic(kind, source) {
                return Err(format!("{place}: the {kind} does not parse: {source}"));
            }
            logic::set(&mut out, kind, Logic::new(source))
                .ok_or_else(|| format!("{place}: {kind} is no kind of logic"))?;
        }
        if feature.is_derived && out.derived.is_none() && !self.has_logic {
            self.notes.push(format!("{place} is derived by code that is not in the file"));
            out.multiplicity.lower = 0;
        }
        out.annotations = annotations(&feature.annotations);
        out.default = self.default(&place, feature, &out)?;
        Ok(Some(out))
    }

    /// Whether a reference leads from a part to the whole.
    fn is_opposite_of_containment(&self, feature: &EFeature) -> bool {
        let FeatureRole::Reference(reference) = &feature.of else { return false };
        let Some(opposite) = &reference.opposite else { return false };
        let other = self.classes.get(&opposite.class).into_iter().flat_map(|class| &class.features);
        let mut other = other.filter(|other| other.name == opposite.feature);
        other.any(|other| {
            matches!(&other.of, FeatureRole::Reference(reference) if reference.is_containment)
        })
    }

    fn kind(&mut self, place: &str, feature: &EFeature) -> FeatureKind {
        let mut without = |what: &str| {
            self.notes.push(format!("{place} is Any here: {what}"));
            FeatureKind::Attribute(ValueType::Any)
        };
        match (&feature.of, &feature.kind) {
            (_, None) => without("the file has no type for it"),
            (FeatureRole::Reference(reference), Some(TypeRef::Local(path))) => {
                let Some(target) = self.names.get(path) else {
                    return without("its target is not a class");
                };
                let target = target.clone();
                if let Some(opposite) = &reference.opposite
                    && !reference.is_containment
                {
                    let note = format!(
                        "{place} and {} are two links; nothing keeps them in step",
                        opposite.feature
                    );
                    self.notes.push(note);
                }
                FeatureKind::Reference { target, containment: reference.is_containment }
            }
            (FeatureRole::Reference(_), Some(_)) => without("it refers to any object"),
            (FeatureRole::Attribute(_), Some(kind)) => {
                if let Some(text) = default::note(&feature.annotations, "type") {
                    return FeatureKind::Attribute(ValueType::Other(text.into()));
                }
                let found = match kind {
                    TypeRef::Ecore(name) => ecore(name),
                    TypeRef::Xml(name) => Some(xml(name)),
                    TypeRef::Local(path) => self.values.get(path).cloned(),
                };
                match found {
                    Some(kind) => FeatureKind::Attribute(kind),
                    None => without("its type has no counterpart"),
                }
            }
        }
    }

    fn default(
        &mut self,
        place: &str,
        from: &EFeature,
        to: &Feature,
    ) -> Result<Option<ordain_data::Value>, String> {
        if let Some(source) = default::note(&from.annotations, "default") {
            let found = default::of_source(source);
            return match found {
                Some(value) => Ok(Some(value)),
                None => Err(format!("{place}: the default does not parse: {source}")),
            };
        }
        let (Some(text), FeatureKind::Attribute(kind)) = (&from.default, &to.kind) else {
            return Ok(None);
        };
        let found = default::of_literal(text, kind).filter(|_| !to.multiplicity.is_many());
        if found.is_none() {
            self.notes.push(format!("{place}: the default {text:?} is left out"));
        }
        Ok(found)
    }
}

/// The notes of others.
fn annotations(all: &[Annotation]) -> Annotations {
    let others = all.iter().filter(|one| one.source != ANNOTATION);
    let value = |text: &EcoString| Data::Str(text.clone());
    others
        .map(|one| {
            let details = one.details.iter().map(|(key, text)| (key.clone(), value(text)));
            (one.source.clone(), details.collect())
        })
        .collect()
}

/// The namespace of a package: that of its URI if the URI is one of ours, else its name inside of
/// the surrounding namespace.
fn namespace(package: &Package, around: Option<&str>) -> EcoString {
    if let Some(rest) = package.ns_uri.strip_prefix(TYPES_URI) {
        match rest.strip_prefix('/') {
            Some(namespace) => return namespace.into(),
            None if rest.is_empty() => return EcoString::new(),
            None => {}
        }
    }
    let name = segment(&package.name);
    match around {
        None | Some("") => name,
        Some(around) => eco_format!("{around}::{name}"),
    }
}

/// A name in the form of a segment of a type name.
fn segment(name: &str) -> EcoString {
    let mut out = feature_name(name);
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out = eco_format!("T{out}");
    }
    ordain_functions::text::capitalize(&out[..1]).chars().chain(out[1..].chars()).collect()
}

/// A name in the form of a feature's name.
fn feature_name(name: &str) -> EcoString {
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let out: EcoString = name.chars().map(word).collect();
    match out.starts_with(|c: char| c.is_ascii_digit()) || out.is_empty() {
        true => eco_format!("_{out}"),
        false => out,
    }
}

/// The invariants in the annotations of a class, by number.
fn invariants(class: &Class) -> Result<Vec<Invariant>, String> {
    let note = |key: &str| default::note(&class.annotations, key);
    let mut out = Vec::new();
    while let Some(source) = note(&format!("invariant.{}", out.len() + 1)) {
        let title = note(&format!("invariant.{}.title", out.len() + 1));
        let text = format!("type X {{ invariant {} {source} }}", title.unwrap_or_default());
        let found = logic::only_model(&text).and_then(|mut model| model.invariants.pop());
        let said = found.as_ref().map(|one| (one.title.as_deref(), one.logic.source.as_str()));
        if said != Some((title, source)) {
            return Err(format!("the invariant {} does not parse: {source}", out.len() + 1));
        }
        out.push(Invariant { title: title.map(Into::into), logic: Logic::new(source) });
    }
    Ok(out)
}

/// A data type of Ecore.
fn ecore(name: &str) -> Option<ValueType> {
    Some(match name {
        "EString" | "EChar" | "ECharacterObject" => ValueType::String,
        "EInt" | "ELong" | "EShort" | "EByte" | "EIntegerObject" | "ELongObject"
        | "EShortObject" | "EByteObject" | "EBigInteger" => ValueType::Integer,
        "EFloat" | "EDouble" | "EFloatObject" | "EDoubleObject" | "EBigDecimal" => ValueType::Float,
        "EBoolean" | "EBooleanObject" => ValueType::Boolean,
        "EJavaObject" => ValueType::Any,
        "EByteArray" => ValueType::Other("Binary".into()),
        "EDate" => ValueType::Other("Timestamp".into()),
        _ => return None,
    })
}

/// A data type of XML Schema.
fn xml(name: &str) -> ValueType {
    match name {
        "Boolean" | "BooleanObject" => ValueType::Boolean,
        "Double" | "DoubleObject" | "Float" | "FloatObject" | "Decimal" => ValueType::Float,
        "Int" | "IntObject" | "Integer" | "Long" | "LongObject" | "Short" | "ShortObject"
        | "Byte" | "ByteObject" => ValueType::Integer,
        "NonNegativeInteger" | "UnsignedByte" | "UnsignedInt" | "UnsignedLong"
        | "UnsignedShort" => ValueType::Other("Integer[0]".into()),
        "PositiveInteger" => ValueType::Other("Integer[1]".into()),
        "NegativeInteger" => ValueType::Other("Integer[default, -1]".into()),
        "NonPositiveInteger" => ValueType::Other("Integer[default, 0]".into()),
        "AnySimpleType" => ValueType::Any,
        // Dates, names, URIs: documents have their text.
        _ => ValueType::String,
    }
}

/// The type for a Java class of plain values.
fn java(class: &str) -> Option<ValueType> {
    Some(match class.rsplit('.').next().unwrap_or_default() {
        "String" | "char" | "Character" | "URI" | "URL" | "UUID" => ValueType::String,
        "int" | "Integer" | "long" | "Long" | "short" | "Short" | "byte" | "Byte"
        | "BigInteger" => ValueType::Integer,
        "float" | "Float" | "double" | "Double" | "BigDecimal" => ValueType::Float,
        "boolean" | "Boolean" => ValueType::Boolean,
        _ => return None,
    })
}
