//! References to resources as users write them in any language: `File[/etc/motd]`.

use ordain_graph::{Graph, ResourceRef};
use ordain_source::{Diagnostic, suggest};

use crate::codes;

/// Parses `Kind[title]`, for clap.
///
/// # Errors
/// The error message.
pub(crate) fn parse(text: &str) -> Result<ResourceRef, String> {
    match parse_with_attribute(text) {
        Ok((name, None)) => Ok(name),
        Ok((name, Some(_))) => Err(format!("give the resource without its attribute: {name}")),
        Err(_) => Err("write it as Kind[title], such as File[/etc/motd]".into()),
    }
}

/// Parses `Kind[title]`, which `.attribute` may follow.
///
/// # Errors
/// When the text is not a reference.
pub(crate) fn parse_with_attribute(
    text: &str,
) -> Result<(ResourceRef, Option<String>), Diagnostic> {
    let wrong = || {
        let message = format!("`{text}` is not a reference to a resource");
        Diagnostic::error(codes::ARGUMENTS, message)
            .help("write it as in a manifest: 'File[/etc/motd]' or 'File[/etc/motd].mode'")
    };
    let (kind, rest) = text.split_once('[').ok_or_else(wrong)?;
    let (title, attribute) = match rest.strip_suffix(']') {
        Some(title) => (title, None),
        None => {
            // `explain` writes a dot before the attribute, the log a slash.
            let split = rest.rsplit_once("].").or_else(|| rest.rsplit_once("]/"));
            let (title, attribute) = split.ok_or_else(wrong)?;
            (title, Some(attribute.to_string()))
        }
    };
    if kind.is_empty() || title.is_empty() {
        return Err(wrong());
    }
    let kind: Vec<String> = kind.split("::").map(capital).collect();
    let kind = kind.join("::");
    let title = title.trim_matches(['\'', '"']);
    let title = if kind == "Class" {
        title.split("::").map(capital).collect::<Vec<_>>().join("::")
    } else {
        title.to_string()
    };
    Ok((ResourceRef { kind: kind.into(), title: title.into() }, attribute))
}

fn capital(segment: &str) -> String {
    let mut chars = segment.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// The error that a graph has no such resource, with the most similar name.
pub(crate) fn unknown(name: &ResourceRef, graph: &Graph) -> Diagnostic {
    let error = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no resource {name}"));
    let names: Vec<String> = graph.resources().map(|(_, r)| r.id.to_string()).collect();
    let text = name.to_string();
    let same_kind = names.iter().filter(|n| n.starts_with(&format!("{}[", name.kind)));
    let near = suggest::nearest(&text, same_kind.map(String::as_str))
        .or_else(|| suggest::nearest(&text, names.iter().map(String::as_str)));
    match near {
        Some(near) => error.help(format!("did you mean {near}?")),
        None => error,
    }
}
