//! Tests the exchange formats of types with independent programs: PyEcore reads the models that
//! Ordain writes and the other way round, and jsonschema validates with the schemas.
//!
//! The variable `ORDAIN_PYTHON` names a Python with both, as `tests/run` installs it. Without it
//! the tests are skipped, except when the variable `CI` is set.

use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_ecore::{Annotation, Classifier, Feature, FeatureRole, Package, TypeRef};
use serde_json::{Value as Json, json};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ecore").join(name)
}

/// The output of a successful program.
fn output(command: &mut Command) -> String {
    let out = command.output().unwrap();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}: {errors}");
    String::from_utf8(out.stdout).unwrap()
}

fn ordain(args: &[&str]) -> String {
    output(Command::new(env!("CARGO_BIN_EXE_ordain")).arg("types").args(args))
}

/// Runs the checks in Python; `None` if it is not installed.
fn python(args: &[&str]) -> Option<String> {
    let python = std::env::var_os("ORDAIN_PYTHON");
    ordain_testkit::peer(python.is_some(), "PyEcore and jsonschema, with ORDAIN_PYTHON set");
    Some(output(Command::new(python?).arg(here("check.py")).args(args)))
}

fn accounts() -> String {
    here("accounts.pp").display().to_string()
}

/// The structure of a package, in the form of `check.py`.
fn structure(package: &Package) -> Json {
    json!({
        "name": package.name.as_str(),
        "uri": package.ns_uri.as_str(),
        "prefix": package.ns_prefix.as_str(),
        "classifiers": package.classifiers.iter().map(classifier).collect::<Vec<_>>(),
        "packages": package.packages.iter().map(structure).collect::<Vec<_>>(),
    })
}

fn classifier(one: &Classifier) -> Json {
    match one {
        Classifier::Enumeration(one) => {
            let literals = one.literals.iter().map(|l| json!([l.name.as_str(), l.value]));
            json!({"enum": one.name.as_str(), "literals": literals.collect::<Vec<_>>()})
        }
        Classifier::Class(class) => json!({
            "class": class.name.as_str(),
            "abstract": class.is_abstract,
            "super": class.super_types.iter().map(type_name).collect::<Vec<_>>(),
            "notes": notes(&class.annotations),
            "features": class.features.iter().map(feature).collect::<Vec<_>>(),
        }),
        Classifier::DataType(one) => panic!("{one:?}"),
    }
}

fn type_name(kind: &TypeRef) -> String {
    match kind {
        TypeRef::Ecore(name) | TypeRef::Xml(name) => name.to_string(),
        TypeRef::Local(path) => path.last().unwrap().to_string(),
    }
}

fn notes(all: &[Annotation]) -> Json {
    let details = |one: &Annotation| -> Json {
        one.details
            .iter()
            .map(|(k, v)| (k.to_string(), json!(v.as_str())))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    all.iter()
        .map(|one| (one.source.to_string(), details(one)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn feature(one: &Feature) -> Json {
    let mut out = json!({
        "name": one.name.as_str(),
        "type": one.kind.as_ref().map(type_name),
        "lower": one.lower,
        "upper": one.upper,
        "changeable": one.is_changeable,
        "volatile": one.is_volatile,
        "transient": one.is_transient,
        "unsettable": one.is_unsettable,
        "derived": one.is_derived,
        "notes": notes(&one.annotations),
    });
    match &one.of {
        FeatureRole::Reference(reference) => out["containment"] = json!(reference.is_containment),
        FeatureRole::Attribute(attribute) => {
            out["id"] = json!(attribute.is_id);
            if let Some(default) = &one.default {
                out["default"] = json!(default.as_str());
            }
        }
    }
    out
}

#[test]
fn pyecore_reads_what_is_exported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("accounts.ecore").display().to_string();
    ordain(&["export", &accounts(), "--out", &path]);
    let text = std::fs::read_to_string(&path).unwrap();
    let document = ordain_ecore::read(&text, None).unwrap();
    let Some(seen) = python(&["structure", &path]) else { return };
    let seen: Json = serde_json::from_str(&seen).unwrap();
    let known: Vec<Json> = document.packages.iter().map(structure).collect();
    assert_eq!(seen, json!(known));
}

#[test]
fn an_exported_model_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let formatted = ordain(&["export", &accounts(), "--format", "puppet"]);
    ordain(&["export", &accounts(), "--out", &path("a.ecore")]);
    assert_eq!(ordain(&["import", &path("a.ecore")]), formatted);
    ordain(&["export", &accounts(), "--out", &path("b.ecore"), "--logic", &path("b.json")]);
    assert!(!std::fs::read_to_string(path("b.ecore")).unwrap().contains("derived\" value"));
    assert_eq!(ordain(&["import", &path("b.ecore"), "--logic", &path("b.json")]), formatted);
}

#[test]
fn models_of_pyecore_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("library.ecore").display().to_string();
    if python(&["write", &path]).is_none() {
        return;
    }
    let expected = "type Library::Book {\n  attr pages, Integer { default => 100 }\n  attr kind, \
                    enum[novel, poem]\n  has authors, Library::People::Writer {\n    max => \
                    unbound,\n    containment => false,\n  }\n  has shelf, Library::Shelf { \
                    containment => false }\n}\n\ntype Library::Shelf {\n  has \
                    books, Library::Book { max => unbound }\n}\n\ntype Library::People::Person \
                    {\n  abstract\n  attr name, String {\n    min => 1,\n    id => true,\n  \
                    }\n}\n\ntype Library::People::Writer inherits Library::People::Person {\n}\n";
    assert_eq!(ordain(&["import", &path]), expected);
}

#[test]
fn the_schema_accepts_what_ordain_accepts() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    ordain(&["export", &accounts(), "--format", "json-schema", "--out", &path("schema.json")]);
    let good = json!({"__ptype": "Account", "name": "eva", "pairs": ["a", "b"]});
    let with = |key: &str, value: Json| {
        let mut out = good.clone();
        out[key] = value;
        out
    };
    let role = json!({"__ptype": "Role", "gid": "adm"});
    let instances = [
        good.clone(),
        role.clone(),
        json!({"__ptype": "Deep::Down::Item", "title_text": "x"}),
        with("shell", json!("with space")),
        with("weight", json!(3)),
        with("groups", json!([])),
        with("groups", json!("one")),
        with("age", Json::Null),
        with("path", json!("/abc")),
        with("roles", json!([role.clone()])),
        with("leader", json!({"__pref": "Account#eva"})),
        with("anything", json!({"a": [1, null]})),
        json!({"__ptype": "Account"}),
        json!({"__ptype": "Deep::Named"}),
        with("pairs", json!(["a"])),
        with("pairs", json!(["a", "b", "c", "d"])),
        with("age", json!("7")),
        with("age", json!(1.5)),
        with("shell", json!("BASH")),
        with("path", json!("/abc\nx")),
        with("path", json!("abc")),
        with("name", json!(["a"])),
        with("label", json!("x")),
        with("nick", json!("x")),
        with("leader", json!("eva")),
        with("roles", json!([good.clone()])),
        with("active", json!("yes")),
    ];
    std::fs::write(path("all.json"), json!(instances).to_string()).unwrap();
    let accepted: Vec<bool> = instances
        .iter()
        .map(|instance| {
            std::fs::write(path("one.json"), instance.to_string()).unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
            command.args(["types", "load", &path("one.json"), "--types", &accounts()]);
            command.output().unwrap().status.success()
        })
        .collect();
    let expected: Vec<bool> = (0..instances.len()).map(|i| i < 12).collect();
    assert_eq!(accepted, expected);
    let Some(seen) = python(&["validate", &path("schema.json"), &path("all.json")]) else { return };
    assert_eq!(serde_json::from_str::<Vec<bool>>(&seen).unwrap(), expected);
}
