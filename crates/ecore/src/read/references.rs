//! Resolves the URIs of a document.

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};

use super::xml::{Element, Problem, Result};
use crate::model::{FeatureRef, TypeRef};
use crate::namespaces::{ECORE, XMI, XML_TYPES};

/// The named elements of a document.
pub(super) struct Index {
    packages: Vec<Entry>,
    roots: Vec<usize>,
    names: FxHashMap<(usize, EcoString), Member>,
    features: FxHashSet<(usize, usize, EcoString)>,
    /// The elements with an `xmi:id`.
    ids: FxHashMap<EcoString, Target>,
    /// The packages by namespace URI.
    uris: FxHashMap<EcoString, usize>,
    file_name: Option<EcoString>,
}

struct Entry {
    path: Vec<EcoString>,
    packages: Vec<usize>,
    classifiers: Vec<ClassEntry>,
}

struct ClassEntry {
    name: EcoString,
    features: Vec<EcoString>,
}

/// A member of a package.
#[derive(Clone, Copy)]
enum Member {
    Package(usize),
    Classifier(usize),
}

/// The target of a URI fragment.
#[derive(Clone)]
enum Target {
    Package(usize),
    Classifier(usize, usize),
    Feature(usize, usize, EcoString),
}

impl Index {
    pub(super) fn build(roots: &[&Element], file_name: Option<&str>) -> Result<Self> {
        let mut out = Self {
            packages: Vec::new(),
            roots: Vec::new(),
            names: FxHashMap::default(),
            features: FxHashSet::default(),
            ids: FxHashMap::default(),
            uris: FxHashMap::default(),
            file_name: file_name.map(EcoString::from),
        };
        for root in roots {
            let id = out.package(root, &[])?;
            out.roots.push(id);
        }
        Ok(out)
    }

    fn package(&mut self, element: &Element, around: &[EcoString]) -> Result<usize> {
        let mut path = around.to_vec();
        path.push(element.required_name()?);
        let id = self.packages.len();
        self.packages.push(Entry { path: path.clone(), packages: vec![], classifiers: vec![] });
        self.add_id(element, Target::Package(id));
        if let Some(uri) = element.get("nsURI") {
            self.uris.entry(uri.clone()).or_insert(id);
        }
        for child in &element.children {
            match &*child.name {
                "eClassifiers" => self.classifier_of(id, child)?,
                "eSubpackages" => {
                    let name = child.required_name()?;
                    let inner = self.package(child, &path)?;
                    self.packages[id].packages.push(inner);
                    // A class wins over a package of the same name.
                    self.names.entry((id, name)).or_insert(Member::Package(inner));
                }
                _ => {}
            }
        }
        Ok(id)
    }

    fn classifier_of(&mut self, package: usize, element: &Element) -> Result<()> {
        let name = element.required_name()?;
        let number = self.packages[package].classifiers.len();
        let before = self.names.insert((package, name.clone()), Member::Classifier(number));
        if let Some(Member::Classifier(_)) = before {
            let path = self.packages[package].path.join("/");
            let message = format!("{name} is defined twice in {path}");
            return Err(Problem::new(element.range, message));
        }
        self.add_id(element, Target::Classifier(package, number));
        let mut features = Vec::new();
        for child in element.children.iter().filter(|one| one.name == "eStructuralFeatures") {
            let feature = child.required_name()?;
            if !self.features.insert((package, number, feature.clone())) {
                let message = format!("the feature {feature} is defined twice in {name}");
                return Err(Problem::new(child.range, message));
            }
            self.add_id(child, Target::Feature(package, number, feature.clone()));
            features.push(feature);
        }
        self.packages[package].classifiers.push(ClassEntry { name, features });
        Ok(())
    }

    fn add_id(&mut self, element: &Element, target: Target) {
        if let Some(id) = element.get_of(XMI, "id") {
            self.ids.insert(id.clone(), target);
        }
    }

    /// Resolves a URI to a type.
    pub(super) fn classifier(&self, uri: &str) -> std::result::Result<TypeRef, String> {
        let (document, fragment) = uri.split_once('#').unwrap_or(("", uri));
        if let Some(name) = fragment.strip_prefix("//") {
            if document == ECORE || ends_in(document, "Ecore.ecore") {
                return Ok(TypeRef::Ecore(name.into()));
            }
            if document == XML_TYPES || ends_in(document, "XMLType.ecore") {
                return Ok(TypeRef::Xml(name.into()));
            }
        }
        match self.target(uri, document, fragment)? {
            Target::Classifier(package, number) => {
                Ok(TypeRef::Local(self.classifier_path(package, number)))
            }
            _ => Err(format!("{uri} is no class or data type")),
        }
    }

    /// Resolves a URI to a feature.
    pub(super) fn feature(&self, uri: &str) -> std::result::Result<FeatureRef, String> {
        let (document, fragment) = uri.split_once('#').unwrap_or(("", uri));
        match self.target(uri, document, fragment)? {
            Target::Feature(package, number, feature) => {
                Ok(FeatureRef { class: self.classifier_path(package, number), feature })
            }
            _ => Err(format!("{uri} is no attribute or reference")),
        }
    }

    fn classifier_path(&self, package: usize, number: usize) -> Vec<EcoString> {
        let entry = &self.packages[package];
        let mut path = entry.path.clone();
        path.push(entry.classifiers[number].name.clone());
        path
    }

    fn target(
        &self,
        uri: &str,
        document: &str,
        fragment: &str,
    ) -> std::result::Result<Target, String> {
        let own_name = self.file_name.as_deref().is_some_and(|name| name == document);
        let root = match self.uris.get(document) {
            _ if document.is_empty() || own_name => None,
            Some(package) => Some(*package),
            None => {
                return Err(format!(
                    "{uri} refers to another document; only one is read at a time"
                ));
            }
        };
        let missing = || format!("{uri} refers to nothing in this document");
        match fragment.strip_prefix('/') {
            Some(path) => self.walk(root, path).ok_or_else(missing),
            None => self.ids.get(fragment).cloned().ok_or_else(missing),
        }
    }

    /// Follows a path. Its first step is the number of an outermost package.
    fn walk(&self, root: Option<usize>, path: &str) -> Option<Target> {
        let mut steps = path.split('/');
        let first = steps.next()?;
        let root = match (root, first) {
            (Some(root), _) => root,
            (None, "") => *self.roots.first()?,
            (None, number) => *self.roots.get(number.parse::<usize>().ok()?)?,
        };
        steps.try_fold(Target::Package(root), |at, step| self.step(&at, step))
    }

    fn step(&self, at: &Target, step: &str) -> Option<Target> {
        let numbered = step.strip_prefix('@').and_then(|rest| rest.split_once('.'));
        let numbered = match numbered {
            Some((list, number)) => Some((list, number.parse::<usize>().ok()?)),
            None => None,
        };
        match at {
            Target::Package(id) => match numbered {
                Some(("eClassifiers", number)) => {
                    let known = number < self.packages[*id].classifiers.len();
                    known.then_some(Target::Classifier(*id, number))
                }
                Some(("eSubpackages", number)) => {
                    Some(Target::Package(*self.packages[*id].packages.get(number)?))
                }
                Some(_) => None,
                None => match self.names.get(&(*id, step.into()))? {
                    Member::Package(inner) => Some(Target::Package(*inner)),
                    Member::Classifier(number) => Some(Target::Classifier(*id, *number)),
                },
            },
            Target::Classifier(id, class) => {
                let feature = match numbered {
                    Some(("eStructuralFeatures", number)) => {
                        self.packages[*id].classifiers[*class].features.get(number)?.clone()
                    }
                    Some(_) => return None,
                    None => EcoString::from(step),
                };
                let known = self.features.contains(&(*id, *class, feature.clone()));
                known.then_some(Target::Feature(*id, *class, feature))
            }
            Target::Feature(..) => None,
        }
    }
}

/// Whether a URI refers to a file with this name.
fn ends_in(uri: &str, name: &str) -> bool {
    uri.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}
