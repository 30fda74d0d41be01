//! The engine and the front ends agree with the schemas of the kinds.

use std::collections::BTreeSet;

use ordain_kinds::{AttributeType, KindSchema};

/// Attributes that Puppet has and the engine refuses: properties that cannot be set, and those of
/// other systems.
const REFUSED_BY_ENGINE: &[(&str, &str)] = &[
    ("alternative_entry", "altlink_ro"),
    ("archive", "cacert_file"),
    ("archive", "checksum_source"),
    ("file", "ctime"),
    ("file", "mtime"),
    ("file", "type"),
    ("mount", "blockdevice"),
    ("vcsrepo", "p4charset"),
    ("vcsrepo", "p4client"),
    ("vcsrepo", "p4passwd"),
    ("vcsrepo", "p4port"),
    ("vcsrepo", "p4user"),
    ("zfs", "defaultgroupquota"),
];

/// An attribute that only Puppet has is one that the engine refuses, or reads for every kind.
#[test]
fn attributes_only_in_puppet_are_refused() {
    let mut only_in_puppet = Vec::new();
    for kind in ordain_kinds::all() {
        let own = kind.puppet.map_or(&[][..], |ty| ty.own).iter().map(|attribute| attribute.name);
        let own = own.filter(|name| !["name", "provider"].contains(name));
        only_in_puppet.extend(own.map(|name| (kind.name, name)));
    }
    only_in_puppet.sort_unstable();
    assert_eq!(
        only_in_puppet, REFUSED_BY_ENGINE,
        "`.puppet(….own(…))` lists attributes that are neither refused nor read for every kind"
    );
}

/// The kinds of the engine are those of the schemas, and the languages find them by their names.
#[test]
fn languages_have_the_kinds_of_the_schemas() {
    let registry = ordain_engine::kind::Registry::default();
    let registered: BTreeSet<&str> = registry.iter().map(|kind| kind.name()).collect();
    let described: BTreeSet<&str> = ordain_kinds::all().iter().map(|kind| kind.name).collect();
    let missing: Vec<_> = described.difference(&registered).collect();
    assert!(missing.is_empty(), "register in engine/src/kinds/mod.rs: {missing:?}");
    let missing: Vec<_> = registered.difference(&described).collect();
    assert!(missing.is_empty(), "list in `KINDS` of a table in kinds/src/table: {missing:?}");
    for kind in ordain_kinds::known() {
        if let Some(ty) = kind.puppet {
            let found = ordain_puppet::schema::find(ty.name).unwrap();
            assert_eq!(found.namevar, kind.name_attribute(), "{}", kind.name);
        }
        for mcl in kind.mcl {
            let found = ordain_mcl::resources::find(mcl.name).unwrap();
            assert_eq!(found.kind.schema.name, kind.name);
        }
    }
}

/// A value that is none of the words of a choice is refused, and each of the words is not.
#[test]
fn words_of_choices_are_those_that_the_engine_reads() {
    let registry = ordain_engine::kind::Registry::default();
    let mut differences = Vec::new();
    for kind in ordain_kinds::all() {
        for attribute in kind.attributes {
            let AttributeType::Choice(words) = attribute.ty else { continue };
            let refuses = |word: &str| refuses(&registry, kind, attribute.name, word);
            if !refuses("no-such-word") {
                differences.push(format!("{} {} takes any word", kind.name, attribute.name));
            }
            let refused = words.iter().filter(|word| refuses(word));
            differences.extend(
                refused.map(|word| format!("{} {} refuses {word}", kind.name, attribute.name)),
            );
        }
    }
    assert_eq!(differences, [""; 0]);
}

/// Whether the engine refuses a value of an attribute for not being one of the allowed words.
fn refuses(
    registry: &ordain_engine::kind::Registry,
    kind: &KindSchema,
    attribute: &str,
    word: &str,
) -> bool {
    use ordain_graph::{Attribute, Containment, Graph, Origin, Resource, ResourceRef, Step};
    let mut graph = Graph::default();
    let step = Step::External("test".into());
    let origin = graph.origins.intern(Origin { step, span: None, parent: None });
    let value = ordain_data::Value::str(word);
    let name = attribute.into();
    let resource = Resource {
        id: ResourceRef { kind: kind.name.into(), title: "/title".into() },
        containment: Containment::Leaf,
        attributes: vec![Attribute { name, value, origin, losers: Vec::new() }],
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    };
    let context = ordain_engine::kind::ParseContext {
        resolve_source: &|_| None,
        find: &|_| None,
        files: &Default::default,
        of_kind: &|_| Vec::new(),
        registry: &std::sync::Arc::default(),
        served: &Default::default(),
        graph: &Graph::default(),
        graph_number: 0,
        without_deferred: &|resource| std::borrow::Cow::Borrowed(resource),
    };
    let parsed = registry.get(kind.name).unwrap().parse(&resource, &context);
    let errors = parsed.err().unwrap_or_default();
    errors.iter().any(|error| {
        error.attribute.as_deref() == Some(attribute) && error.message.contains("nvalid value")
    })
}
