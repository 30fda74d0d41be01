//! The tables of kinds in the front ends agree with the schemas that the engine reads.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use ordain_kinds::{AttributeType, KindSchema};

/// Attributes that Puppet declares and no schema has: the engine reads them for every kind.
fn is_of_every_kind(name: &str) -> bool {
    ordain_graph::METAPARAMETERS.contains(&name) || name == "provider"
}

#[test]
fn attributes_in_puppet_are_those_of_the_schemas() {
    let kinds = ordain_kinds::all();
    let mut differences = Vec::new();
    for kind in kinds.iter().filter(|kind| kind.puppet.is_some()) {
        let table = ordain_puppet::schema::find(kind.puppet.unwrap()).unwrap();
        assert_eq!(table.namevar, kind.name_attribute(), "{}", kind.name);
        for name in table.attributes.iter().filter(|name| !is_of_every_kind(name)) {
            // The engine reads `name` as the name attribute of every kind.
            let is_known = kind.attribute(name).is_some() || *name == "name";
            if is_known == REFUSED_BY_ENGINE.contains(&(kind.name, *name)) {
                differences.push(format!("{}: no schema of {name}", kind.name));
            }
        }
        for attribute in kind.attributes.iter().map(|a| a.name) {
            let is_own = OWN_OF_ENGINE.contains(&(kind.name, attribute));
            if table.attributes.contains(&attribute) == is_own {
                differences.push(format!("{}: Puppet and {attribute}", kind.name));
            }
        }
    }
    assert_eq!(differences, [""; 0]);
}

/// Attributes that Puppet does not have: other languages set them.
const OWN_OF_ENGINE: &[(&str, &str)] = &[
    ("exec", "clean_environment"),
    ("exec", "done"),
    ("exec", "done_cwd"),
    ("exec", "keep_output"),
    ("exec", "newer"),
    ("exec", "onlyif_cwd"),
    ("exec", "onlyif_output"),
    ("exec", "onlyif_stdout"),
    ("exec", "skip_on_fail"),
    ("exec", "unless_cwd"),
    ("exec", "watch"),
    ("exec", "watch_cwd"),
    ("exec", "watch_files"),
    ("file", "fragments"),
    ("file", "must_exist"),
    ("file", "parents"),
    ("file", "remove_empty"),
    ("notify", "refreshonly"),
    ("zpool", "name"),
];

/// Attributes that Puppet has and the engine refuses: properties that cannot be set, and those of
/// other systems.
const REFUSED_BY_ENGINE: &[(&str, &str)] = &[
    ("file", "ctime"),
    ("file", "mtime"),
    ("file", "type"),
    ("mount", "blockdevice"),
    ("zfs", "defaultgroupquota"),
];

#[test]
fn kinds_of_mcl_have_the_fields_of_their_schemas() {
    let names: BTreeSet<&str> = ordain_mcl::resources::kinds().map(|kind| kind.name).collect();
    let mut differences = Vec::new();
    for kind in ordain_kinds::all() {
        for name in kind.mcl {
            assert!(names.contains(name), "mcl has no kind {name}");
        }
        // A kind of mgmt alone has its fields as attributes.
        let [name] = kind.mcl else { continue };
        if !kind.name.starts_with("mgmt::") || kind.name == RENAMED {
            continue;
        }
        let fields = ordain_mcl::resources::kinds().find(|kind| kind.name == *name).unwrap().fields;
        let fields: BTreeSet<&str> = fields.iter().map(|field| field.name).collect();
        let known: BTreeSet<&str> = kind.attributes.iter().skip(1).map(|a| a.name).collect();
        for field in known.symmetric_difference(&fields) {
            if !SET_BY_LOWERING.contains(&(kind.name, *field)) {
                differences.push(format!("{}: {field}", kind.name));
            }
        }
    }
    assert_eq!(differences, [""; 0]);
}

/// The kind whose fields get other names when a program is lowered.
const RENAMED: &str = "mgmt::line";

/// Attributes that no field has: lowering sets them, or the engine itself when it undoes a resource.
const SET_BY_LOWERING: &[(&str, &str)] = &[
    ("mgmt::deploy::tar", "files"),
    ("mgmt::kv", "host"),
    ("mgmt::net", "gateways"),
    ("mgmt::net", "unit"),
    ("mgmt::schedule", "host"),
];

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
    };
    let parsed = registry.get(kind.name).unwrap().parse(&resource, &context);
    let errors = parsed.err().unwrap_or_default();
    errors.iter().any(|error| {
        error.attribute.as_deref() == Some(attribute) && error.message.contains("nvalid value")
    })
}
