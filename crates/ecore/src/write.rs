//! Writes `.ecore` files as Eclipse's tools do: attributes with Ecore's default are omitted.

use std::fmt::Write as _;

use ecow::EcoString;

use crate::model::{
    Annotation, Class, Classifier, Enumeration, Feature, FeatureRole, Operation, Package, TypeRef,
};
use crate::namespaces::{ECORE, XMI, XML_TYPES, XSI};

/// The text of an `.ecore` file with these packages.
pub fn write(packages: &[Package]) -> String {
    let mut out = Writer {
        out: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
        depth: 0,
        roots: packages.iter().map(|package| package.name.clone()).collect(),
    };
    if let [package] = packages {
        out.package(package, "ecore:EPackage", true);
    } else {
        out.open("xmi:XMI");
        out.declarations();
        out.inside(!packages.is_empty());
        for package in packages {
            out.package(package, "ecore:EPackage", false);
        }
        out.close("xmi:XMI", !packages.is_empty());
    }
    out.out
}

struct Writer {
    out: String,
    depth: usize,
    /// The names of the outermost packages.
    roots: Vec<EcoString>,
}

impl Writer {
    fn open(&mut self, tag: &str) {
        self.margin();
        let _ = write!(self.out, "<{tag}");
    }

    fn margin(&mut self) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    /// Ends a start tag. An element without children is closed as well.
    fn inside(&mut self, has_children: bool) {
        if has_children {
            self.out.push_str(">\n");
            self.depth += 1;
        } else {
            self.out.push_str("/>\n");
        }
    }

    fn close(&mut self, tag: &str, has_children: bool) {
        if has_children {
            self.depth -= 1;
            self.margin();
            let _ = writeln!(self.out, "</{tag}>");
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let _ = write!(self.out, " {name}=\"");
        escape(&mut self.out, value);
        self.out.push('"');
    }

    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.attribute(name, value);
        }
    }

    fn flag(&mut self, name: &str, value: bool, default: bool) {
        if value != default {
            self.attribute(name, if value { "true" } else { "false" });
        }
    }

    fn number(&mut self, name: &str, value: i64, default: i64) {
        if value != default {
            self.attribute(name, &value.to_string());
        }
    }

    fn declarations(&mut self) {
        self.attribute("xmi:version", "2.0");
        self.attribute("xmlns:xmi", XMI);
        self.attribute("xmlns:xsi", XSI);
        self.attribute("xmlns:ecore", ECORE);
    }

    fn package(&mut self, package: &Package, tag: &str, is_document: bool) {
        self.open(tag);
        if is_document {
            self.declarations();
        }
        self.attribute("name", &package.name);
        self.text("nsURI", &package.ns_uri);
        self.text("nsPrefix", &package.ns_prefix);
        let has_children = !package.annotations.is_empty()
            || !package.classifiers.is_empty()
            || !package.packages.is_empty();
        self.inside(has_children);
        self.annotations(&package.annotations);
        for classifier in &package.classifiers {
            match classifier {
                Classifier::Class(class) => self.class(class),
                Classifier::Enumeration(one) => self.enumeration(one),
                Classifier::DataType(one) => {
                    self.open("eClassifiers");
                    self.attribute("xsi:type", "ecore:EDataType");
                    self.attribute("name", &one.name);
                    if let Some(class) = &one.instance_class {
                        self.attribute("instanceClassName", class);
                    }
                    self.with_annotations("eClassifiers", &one.annotations);
                }
            }
        }
        for inner in &package.packages {
            self.package(inner, "eSubpackages", false);
        }
        self.close(tag, has_children);
    }

    fn annotations(&mut self, all: &[Annotation]) {
        for one in all {
            self.open("eAnnotations");
            self.text("source", &one.source);
            self.inside(!one.details.is_empty());
            for (key, value) in &one.details {
                self.open("details");
                self.attribute("key", key);
                self.text("value", value);
                self.inside(false);
            }
            self.close("eAnnotations", !one.details.is_empty());
        }
    }

    /// Ends an element that has only annotations as children.
    fn with_annotations(&mut self, tag: &str, all: &[Annotation]) {
        self.inside(!all.is_empty());
        self.annotations(all);
        self.close(tag, !all.is_empty());
    }

    fn class(&mut self, class: &Class) {
        self.open("eClassifiers");
        self.attribute("xsi:type", "ecore:EClass");
        self.attribute("name", &class.name);
        self.flag("abstract", class.is_abstract, false);
        self.flag("interface", class.is_interface, false);
        // The list in an attribute can only hold types of this document. Others are written as
        // children.
        let (here, elsewhere): (Vec<&TypeRef>, Vec<&TypeRef>) =
            class.super_types.iter().partition(|one| matches!(one, TypeRef::Local(_)));
        if !here.is_empty() {
            let uris: Vec<String> = here.iter().map(|one| self.uri(one)).collect();
            self.attribute("eSuperTypes", &uris.join(" "));
        }
        let has_children = !class.annotations.is_empty()
            || !class.features.is_empty()
            || !class.operations.is_empty()
            || !elsewhere.is_empty();
        self.inside(has_children);
        self.annotations(&class.annotations);
        for one in elsewhere {
            self.open("eSuperTypes");
            let uri = self.uri(one);
            self.attribute("href", &uri);
            self.inside(false);
        }
        for operation in &class.operations {
            self.operation(operation);
        }
        for feature in &class.features {
            self.feature(feature);
        }
        self.close("eClassifiers", has_children);
    }

    fn operation(&mut self, operation: &Operation) {
        self.open("eOperations");
        self.attribute("name", &operation.name);
        self.data_type(operation.kind.as_ref());
        let has_children = !operation.annotations.is_empty() || !operation.parameters.is_empty();
        self.inside(has_children);
        self.annotations(&operation.annotations);
        for parameter in &operation.parameters {
            self.open("eParameters");
            self.attribute("name", &parameter.name);
            self.data_type(parameter.kind.as_ref());
            self.inside(false);
        }
        self.close("eOperations", has_children);
    }

    /// Writes the type of an operation or parameter. A type of another document needs its
    /// metaclass.
    fn data_type(&mut self, kind: Option<&TypeRef>) {
        let Some(one) = kind else { return };
        let uri = match one {
            TypeRef::Local(_) => self.uri(one),
            _ => format!("ecore:EDataType {}", self.uri(one)),
        };
        self.attribute("eType", &uri);
    }

    fn enumeration(&mut self, one: &Enumeration) {
        self.open("eClassifiers");
        self.attribute("xsi:type", "ecore:EEnum");
        self.attribute("name", &one.name);
        let has_children = !one.annotations.is_empty() || !one.literals.is_empty();
        self.inside(has_children);
        self.annotations(&one.annotations);
        for literal in &one.literals {
            self.open("eLiterals");
            self.attribute("name", &literal.name);
            self.number("value", literal.value.into(), 0);
            if let Some(text) = &literal.text {
                self.attribute("literal", text);
            }
            self.inside(false);
        }
        self.close("eClassifiers", has_children);
    }

    fn feature(&mut self, feature: &Feature) {
        self.open("eStructuralFeatures");
        let (kind, meta) = match &feature.of {
            FeatureRole::Attribute(_) => ("ecore:EAttribute", "ecore:EDataType"),
            FeatureRole::Reference(_) => ("ecore:EReference", "ecore:EClass"),
        };
        self.attribute("xsi:type", kind);
        self.attribute("name", &feature.name);
        self.flag("ordered", feature.is_ordered, true);
        self.flag("unique", feature.is_unique, true);
        self.number("lowerBound", feature.lower, 0);
        self.number("upperBound", feature.upper, 1);
        match &feature.kind {
            Some(one @ TypeRef::Local(_)) => {
                let uri = self.uri(one);
                self.attribute("eType", &uri);
            }
            Some(one) => {
                let uri = format!("{meta} {}", self.uri(one));
                self.attribute("eType", &uri);
            }
            None => {}
        }
        self.flag("changeable", feature.is_changeable, true);
        self.flag("volatile", feature.is_volatile, false);
        self.flag("transient", feature.is_transient, false);
        if let Some(default) = &feature.default {
            self.attribute("defaultValueLiteral", default);
        }
        self.flag("unsettable", feature.is_unsettable, false);
        self.flag("derived", feature.is_derived, false);
        match &feature.of {
            FeatureRole::Attribute(attribute) => self.flag("iD", attribute.is_id, false),
            FeatureRole::Reference(reference) => {
                self.flag("containment", reference.is_containment, false);
                self.flag("resolveProxies", reference.resolves_proxies, true);
                if let Some(opposite) = &reference.opposite {
                    let uri = format!("{}/{}", self.local(&opposite.class), opposite.feature);
                    self.attribute("eOpposite", &uri);
                }
            }
        }
        self.with_annotations("eStructuralFeatures", &feature.annotations);
    }

    fn uri(&self, kind: &TypeRef) -> String {
        match kind {
            TypeRef::Ecore(name) => format!("{ECORE}#//{name}"),
            TypeRef::Xml(name) => format!("{XML_TYPES}#//{name}"),
            TypeRef::Local(path) => self.local(path),
        }
    }

    /// The URI fragment of a classifier. Its path begins with the name of an outermost package.
    fn local(&self, path: &[EcoString]) -> String {
        let (root, rest) = path.split_first().map_or(("", path), |(root, rest)| (&**root, rest));
        let number = self.roots.iter().position(|name| name == root).unwrap_or_default();
        match self.roots.len() {
            0 | 1 => format!("#//{}", rest.join("/")),
            _ => format!("#/{number}/{}", rest.join("/")),
        }
    }
}

/// Escapes an attribute value. Unescaped line breaks and tabs would be read as spaces.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#x{:X};", u32::from(c));
            }
            // XML cannot represent these characters.
            '\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ => out.push(c),
        }
    }
}
