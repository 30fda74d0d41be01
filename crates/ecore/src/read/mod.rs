//! Reads `.ecore` files.
//!
//! The first pass indexes the packages, the second one reads the model and resolves references.

mod references;
mod xml;

use ecow::EcoString;

use crate::model::{
    Annotation, Attribute, Class, Classifier, DataType, Enumeration, Feature, FeatureRef,
    FeatureRole, Literal, Operation, Package, Parameter, Reference, TypeRef,
};
use crate::namespaces::{ECORE, XMI};
use references::Index;
use xml::{Element, Result};

pub use xml::{
    MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, MAX_NAMESPACES, MAX_TEXT, MAX_VALUE, Problem,
};

/// The content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Its packages.
    pub packages: Vec<Package>,
    /// Parts of the file that the model does not represent.
    pub left_out: Vec<Problem>,
}

/// Reads the text of an `.ecore` file. References to `file_name` refer to the same document.
///
/// # Errors
/// The first problem: XML that is malformed or beyond the limits, a document other than Ecore, an
/// unresolved reference or one to another document.
pub fn read(text: &str, file_name: Option<&str>) -> Result<Document> {
    let root = xml::parse(text)?;
    let roots: Vec<&Element> = match (&*root.name, root.namespace.as_deref()) {
        ("EPackage", Some(ECORE)) => vec![&root],
        ("XMI", Some(XMI)) => root.children.iter().collect(),
        _ => {
            let message =
                format!("<{}> is no Ecore package: its namespace is not {ECORE}", root.name);
            return Err(Problem::new(root.range, message));
        }
    };
    for element in &roots {
        if element.name != "EPackage" || element.namespace.as_deref() != Some(ECORE) {
            let message = format!("<{}> is no Ecore package", element.name);
            return Err(Problem::new(element.range, message));
        }
    }
    let index = Index::build(&roots, file_name)?;
    let mut reader = Reader { left_out: Vec::new(), index };
    let packages = roots.iter().map(|element| reader.package(element)).collect::<Result<_>>()?;
    Ok(Document { packages, left_out: reader.left_out })
}

/// The text of an attribute; empty if it is missing.
fn text(element: &Element, name: &str) -> EcoString {
    element.get(name).cloned().unwrap_or_default()
}

fn flag(element: &Element, name: &str, default: bool) -> Result<bool> {
    match element.get(name).map(EcoString::as_str) {
        None => Ok(default),
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(other) => {
            let message = format!("{name} is true or false, not {other:?}");
            Err(Problem::new(element.range, message))
        }
    }
}

fn number(element: &Element, name: &str, default: i64) -> Result<i64> {
    let Some(text) = element.get(name) else { return Ok(default) };
    let found = text.trim().parse::<i32>().ok().map(i64::from);
    found.ok_or_else(|| Problem::new(element.range, format!("{name} is a number, not {text:?}")))
}

/// The value of `xsi:type` without the prefix.
fn kind(element: &Element) -> Result<&str> {
    match &element.kind {
        Some((Some(namespace), name)) if &**namespace == ECORE => Ok(name),
        Some((_, name)) => {
            Err(Problem::new(element.range, format!("the type {name} is none of Ecore")))
        }
        None => {
            let message = format!("<{}> has no xsi:type", element.name);
            Err(Problem::new(element.range, message))
        }
    }
}

/// Whether an operation has annotations, the only place for its code.
fn has_notes(operation: &Element) -> bool {
    operation.children.iter().any(|child| &*child.name == "eAnnotations")
}

struct Reader {
    left_out: Vec<Problem>,
    index: Index,
}

impl Reader {
    fn unknown(&mut self, child: &Element, owner: &str) {
        let what = match &*child.name {
            "eOperations" => format!("operation {} of {owner}", text(child, "name")),
            "eTypeParameters" => format!("type parameter {} of {owner}", text(child, "name")),
            other => format!("<{other}> of {owner}"),
        };
        self.left_out.push(Problem::new(child.range, format!("{what} is left out")));
    }

    fn package(&mut self, element: &Element) -> Result<Package> {
        let mut out = Package {
            name: element.required_name()?,
            ns_uri: text(element, "nsURI"),
            ns_prefix: text(element, "nsPrefix"),
            ..Package::default()
        };
        for child in &element.children {
            match &*child.name {
                "eAnnotations" => out.annotations.push(self.annotation(child)),
                "eClassifiers" => out.classifiers.push(self.classifier(child)?),
                "eSubpackages" => out.packages.push(self.package(child)?),
                _ => self.unknown(child, &out.name),
            }
        }
        Ok(out)
    }

    fn annotation(&mut self, element: &Element) -> Annotation {
        let mut out = Annotation { source: text(element, "source"), details: Vec::new() };
        for child in &element.children {
            match &*child.name {
                "details" => out.details.push((text(child, "key"), text(child, "value"))),
                _ => self.unknown(child, "an annotation"),
            }
        }
        out
    }

    fn classifier(&mut self, element: &Element) -> Result<Classifier> {
        match kind(element)? {
            "EClass" => Ok(Classifier::Class(self.class(element)?)),
            "EEnum" => Ok(Classifier::Enumeration(self.enumeration(element)?)),
            "EDataType" => {
                let mut out = DataType {
                    name: element.required_name()?,
                    instance_class: element.get("instanceClassName").cloned(),
                    annotations: Vec::new(),
                };
                for child in &element.children {
                    match &*child.name {
                        "eAnnotations" => out.annotations.push(self.annotation(child)),
                        _ => self.unknown(child, &out.name),
                    }
                }
                Ok(Classifier::DataType(out))
            }
            other => {
                let message = format!("a classifier is no {other}");
                Err(Problem::new(element.range, message))
            }
        }
    }

    fn class(&mut self, element: &Element) -> Result<Class> {
        let mut out = Class {
            name: element.required_name()?,
            is_abstract: flag(element, "abstract", false)?,
            is_interface: flag(element, "interface", false)?,
            super_types: self.references(element, "eSuperTypes")?,
            ..Class::default()
        };
        for child in &element.children {
            match &*child.name {
                "eAnnotations" => out.annotations.push(self.annotation(child)),
                "eStructuralFeatures" => out.features.push(self.feature(child)?),
                "eOperations" if has_notes(child) => out.operations.push(self.operation(child)?),
                "eSuperTypes" => {}
                "eGenericSuperTypes" => out.super_types.extend(self.generic(child, &out.name)?),
                _ => self.unknown(child, &out.name),
            }
        }
        Ok(out)
    }

    fn operation(&mut self, element: &Element) -> Result<Operation> {
        // A type of another document is unknown here.
        let kind = |reader: &Self, element: &Element| {
            reader.references(element, "eType").ok().and_then(|found| found.into_iter().next())
        };
        let mut out = Operation {
            name: element.required_name()?,
            kind: kind(self, element),
            ..Operation::default()
        };
        for child in &element.children {
            match &*child.name {
                "eAnnotations" => out.annotations.push(self.annotation(child)),
                "eParameters" => {
                    let kind = kind(self, child);
                    out.parameters.push(Parameter { name: child.required_name()?, kind });
                }
                // Generic types and exceptions are not needed: operations are read for their code
                // only.
                _ => {}
            }
        }
        Ok(out)
    }

    fn enumeration(&mut self, element: &Element) -> Result<Enumeration> {
        let mut out = Enumeration { name: element.required_name()?, ..Enumeration::default() };
        for child in &element.children {
            match &*child.name {
                "eAnnotations" => out.annotations.push(self.annotation(child)),
                "eLiterals" => {
                    let value = number(child, "value", 0)?;
                    let name = child.required_name()?;
                    out.literals.push(Literal {
                        text: child.get("literal").filter(|text| **text != name).cloned(),
                        name,
                        value: i32::try_from(value).unwrap_or_default(),
                    });
                }
                _ => self.unknown(child, &out.name),
            }
        }
        Ok(out)
    }

    fn feature(&mut self, element: &Element) -> Result<Feature> {
        let of = match kind(element)? {
            "EAttribute" => {
                FeatureRole::Attribute(Attribute { is_id: flag(element, "iD", false)? })
            }
            "EReference" => FeatureRole::Reference(Reference {
                is_containment: flag(element, "containment", false)?,
                resolves_proxies: flag(element, "resolveProxies", true)?,
                opposite: self.opposite(element)?,
            }),
            other => {
                let message = format!("a feature is no {other}");
                return Err(Problem::new(element.range, message));
            }
        };
        let mut out = Feature {
            kind: self.references(element, "eType")?.into_iter().next(),
            lower: number(element, "lowerBound", 0)?,
            upper: number(element, "upperBound", 1)?,
            is_ordered: flag(element, "ordered", true)?,
            is_unique: flag(element, "unique", true)?,
            is_changeable: flag(element, "changeable", true)?,
            is_volatile: flag(element, "volatile", false)?,
            is_transient: flag(element, "transient", false)?,
            is_unsettable: flag(element, "unsettable", false)?,
            is_derived: flag(element, "derived", false)?,
            default: element.get("defaultValueLiteral").cloned(),
            ..Feature::new(element.required_name()?, of)
        };
        for child in &element.children {
            match &*child.name {
                "eAnnotations" => out.annotations.push(self.annotation(child)),
                "eType" | "eOpposite" => {}
                "eGenericType" => out.kind = self.generic(child, &out.name)?,
                _ => self.unknown(child, &out.name),
            }
        }
        Ok(out)
    }

    /// The classifier of a generic type. Its type arguments are left out.
    fn generic(&mut self, element: &Element, owner: &str) -> Result<Option<TypeRef>> {
        for child in &element.children {
            self.unknown(child, owner);
        }
        let found = self.references(element, "eClassifier")?.into_iter().next();
        if found.is_none() {
            self.unknown(element, owner);
        }
        Ok(found)
    }

    /// The types that an attribute, or children with `href`, refer to.
    fn references(&self, element: &Element, name: &str) -> Result<Vec<TypeRef>> {
        let mut out = Vec::new();
        for uri in uris(element, name) {
            out.push(self.index.classifier(uri).map_err(|m| Problem::new(element.range, m))?);
        }
        Ok(out)
    }

    fn opposite(&self, element: &Element) -> Result<Option<FeatureRef>> {
        let Some(uri) = uris(element, "eOpposite").next() else { return Ok(None) };
        self.index.feature(uri).map(Some).map_err(|m| Problem::new(element.range, m))
    }
}

/// The URIs of an attribute and of children of the same name. In an attribute, each URI may follow
/// the name of its type.
fn uris<'e>(element: &'e Element, name: &'e str) -> impl Iterator<Item = &'e str> {
    let given = element.get(name).map_or("", EcoString::as_str).split_whitespace();
    let given = given.filter(|word| !is_type_name(word));
    let children = element.children.iter().filter(move |child| child.name == name);
    given.chain(children.filter_map(|child| child.get("href").map(EcoString::as_str)))
}

/// Whether a word is a type name such as `ecore:EClass`.
fn is_type_name(word: &str) -> bool {
    word.split_once(':').is_some_and(|(prefix, name)| {
        !prefix.is_empty() && name.starts_with('E') && name.chars().all(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests;
