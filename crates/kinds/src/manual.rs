//! The manual of the kinds.

use std::fmt::Write as _;

use crate::schema::{AttributeSchema, KindSchema};

/// The value of an attribute: type, unit, default, and whether it is a secret.
pub fn value(attribute: &AttributeSchema) -> String {
    let mut out = attribute.ty.text();
    if let Some(unit) = attribute.unit {
        let _ = write!(out, " of {}", unit.text());
    }
    if let Some(default) = attribute.default {
        let _ = write!(out, "; default {default}");
    }
    if attribute.is_secret {
        out.push_str("; secret");
    }
    out
}

/// The names of a kind in languages, and the kinds that it comes after; empty if there are none.
pub fn names(kind: &KindSchema) -> String {
    let code = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    if let Some(ty) = kind.puppet {
        parts.push(format!("Puppet: `{}`.", ty.name));
    }
    if !kind.mcl.is_empty() {
        parts.push(format!("mcl: {}.", code(&mut kind.mcl.iter().map(|kind| kind.name))));
    }
    if !kind.inmanta.is_empty() {
        parts.push(format!(
            "Inmanta: {}.",
            code(&mut kind.inmanta.iter().map(|entity| entity.name))
        ));
    }
    if !kind.comes_after.is_empty() {
        parts.push(format!("Comes after: {}.", code(&mut kind.comes_after.iter().copied())));
    }
    parts.join(" ")
}

/// The effect of another root directory on a kind, as a sentence; empty for kinds that are not
/// applied.
pub fn in_root(kind: &KindSchema) -> String {
    if kind.in_root.is_empty() {
        return String::new();
    }
    format!("With `--root`: {}.", kind.in_root)
}

/// The page of the manual that lists all kinds.
pub fn page() -> String {
    let kinds = crate::all();
    let mut out = format!(
        "# Kinds of resources\n\nThe {} kinds that the engine applies, with their attributes. The \
         first attribute is the name attribute, for which the title stands in. Metaparameters can \
         be set on every kind. `ordain kinds NAME` prints the same for a kind, also by the name that a \
         language gives it; with `--format json` it prints a JSON Schema. A test keeps this page; \
         `ORDAIN_BLESS=1 cargo test -p ordain-kinds --test manual` writes it anew.\n",
        kinds.len()
    );
    let cell = |text: &str| text.replace('|', "\\|");
    for kind in kinds {
        let _ = write!(out, "\n## `{}`\n\n{}.", kind.name, kind.doc);
        for sentence in [names(kind), in_root(kind)] {
            if !sentence.is_empty() {
                let _ = write!(out, " {sentence}");
            }
        }
        out.push_str("\n\n| attribute | value | |\n| --- | --- | --- |\n");
        for attribute in kind.attributes {
            let (name, doc) = (attribute.name, cell(attribute.doc));
            let _ = writeln!(out, "| `{name}` | {} | {doc} |", cell(&value(attribute)));
        }
    }
    out.push_str(
        "\n## Kinds that are not applied\n\nA compile knows their attributes, as the language's own \
         program does; a plan refuses them, unless another program provides the kind.\n\n\
         | kind | | |\n| --- | --- | --- |\n",
    );
    let mut others: Vec<&KindSchema> = crate::known().filter(|kind| !kind.is_applied).collect();
    others.sort_by_key(|kind| kind.name);
    for kind in others {
        let _ = writeln!(out, "| `{}` | {} | {} |", kind.name, cell(kind.doc), names(kind));
    }
    out
}
