//! Resources of public modules as kinds of the engine. The schema names the kind and the attributes;
//! values that mean something else there are translated here.

use std::collections::HashMap;

use ordain_data::{Map, Value as Data};
use ordain_kinds::InmantaEntity;

/// The fields of a resource.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Map);

impl<'a> Fields<'a> {
    /// The value of a field, if there is one.
    pub(super) fn get(self, name: &str) -> Option<&'a Data> {
        self.0.get(&Data::str(name))
    }
}

/// The contents of files by their digests.
pub(super) type Files = HashMap<String, Vec<u8>>;

/// The search path of commands.
const COMMANDS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A resource as the engine knows it.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    /// The kind, such as `File`.
    pub(super) kind: String,
    /// The title.
    pub(super) title: String,
    /// The attributes: name, value, and the attribute of the model that it comes from.
    pub(super) attributes: Vec<(String, Data, String)>,
    /// Whether the directories above it are created, too.
    pub(super) makes_parents: bool,
    /// Whether it reacts to a change of a resource that it requires.
    pub(super) reloads: bool,
    /// Whether a handler deploys it.
    pub(super) by_handler: bool,
    /// The description of the entity in the schema, if it has one.
    entity: Option<&'static InmantaEntity>,
}

impl Mapped {
    pub(super) fn new(kind: &str, title: &str) -> Self {
        Self { kind: kind.into(), title: title.into(), ..Self::default() }
    }

    /// Sets an attribute; the schema names the attribute of the model.
    fn set(&mut self, name: &str, value: impl Into<Option<Data>>) {
        let from = self.entity.and_then(|entity| entity.source_of(name)).unwrap_or(name);
        self.set_from(name, value, from);
    }

    pub(super) fn set_from(&mut self, name: &str, value: impl Into<Option<Data>>, from: &str) {
        if let Some(value) = value.into() {
            self.attributes.push((name.into(), value, from.into()));
        }
    }
}

/// Whether the engine has a kind for the resources of an entity.
pub(super) fn is_native(entity: &str) -> bool {
    ordain_kinds::of_inmanta(entity).is_some() || entity == "std::testing::NullResource"
}

/// Converts a resource of an entity to one of the engine; unknown kinds keep their names and
/// fields.
///
/// # Errors
/// If the engine cannot represent it.
pub(super) fn mapped(
    entity: &str,
    title: &str,
    fields: Fields<'_>,
    files: &Files,
) -> Result<Mapped, String> {
    let (kind, description) = ordain_kinds::of_inmanta(entity).unzip();
    let mut out = Mapped { title: title.into(), entity: description, ..Mapped::default() };
    match kind.map(|kind| kind.name) {
        Some(kind @ "file") => {
            out.kind = kind_name(kind);
            file(&mut out, fields, files)?;
        }
        Some(kind @ "package") => {
            out.kind = kind_name(kind);
            package(&mut out, fields);
        }
        Some(kind @ "exec") => {
            out.kind = kind_name(kind);
            command(&mut out, fields)?;
        }
        _ if entity == "std::testing::NullResource" && flag(fields, "fail") => {
            out.kind = "Exec".into();
            out.set_from("command", Data::list([Data::str("/bin/false")]), "fail");
        }
        Some(kind) if entity != "std::testing::NullResource" => {
            out.kind = kind_name(kind);
            by_schema(&mut out, fields);
        }
        _ => out = unknown(entity, title, fields),
    }
    if flag(fields, "report_only") {
        out.set_from("noop", Data::Bool(true), "report_only");
    }
    Ok(out)
}

fn text<'a>(fields: Fields<'a>, name: &str) -> Option<&'a str> {
    fields.get(name)?.as_str().filter(|text| !text.is_empty())
}

pub(super) fn flag(fields: Fields<'_>, name: &str) -> bool {
    fields.get(name).and_then(Data::as_bool).unwrap_or_default()
}

/// A mode that is written as a number of digits from 0 to 7.
fn mode(fields: Fields<'_>) -> Option<Data> {
    let mode = fields.get("permissions")?.as_int()?;
    Some(Data::str(format!("{mode:04}")))
}

/// A resource whose attributes have the same values in the kind; only `purged` has another form.
fn by_schema(out: &mut Mapped, fields: Fields<'_>) {
    let Some(entity) = out.entity else { return };
    if let Some((_, ensure)) = entity.attributes.iter().find(|(from, _)| *from == "purged")
        && flag(fields, "purged")
    {
        out.set_from(ensure, Data::str("absent"), "purged");
        return;
    }
    for (name, value) in entity.constants {
        out.set_from(name, Data::str(*value), name);
    }
    for (from, name) in entity.attributes.iter().filter(|(from, _)| *from != "purged") {
        out.set_from(name, fields.get(from).and_then(present), from);
    }
}

/// A file, a directory or a link, depending on the entity.
fn file(out: &mut Mapped, fields: Fields<'_>, files: &Files) -> Result<(), String> {
    let state = out.entity.and_then(|entity| entity.constant("ensure")).unwrap_or("file");
    if flag(fields, "purged") {
        out.set("ensure", Data::str("absent"));
        if state == "directory" {
            out.set_from("force", Data::Bool(true), "purged");
        }
        return Ok(());
    }
    out.set("ensure", Data::str(state));
    match state {
        "link" => {
            let target = out.entity.and_then(|entity| entity.source_of("target"));
            let target = target.and_then(|from| text(fields, from)).map(Data::str);
            out.set("target", target);
            return Ok(());
        }
        "directory" => out.makes_parents = flag(fields, "create_parents"),
        _ => {
            let content = content(fields, files)?;
            out.set("content", content.unwrap_or_else(|| Data::str("")));
        }
    }
    out.set("owner", text(fields, "owner").map(Data::str));
    out.set("group", text(fields, "group").map(Data::str));
    out.set("mode", mode(fields));
    Ok(())
}

/// The content of a file. The export of a `fs::File` has its digest alone.
fn content(fields: Fields<'_>, files: &Files) -> Result<Option<Data>, String> {
    let Some(digest) = text(fields, "hash") else {
        return Ok(text(fields, "content").map(Data::str));
    };
    let Some(bytes) = files.get(digest) else {
        return Err(format!("the content of digest {digest} was not given to the exporter"));
    };
    Ok(Some(match std::str::from_utf8(bytes) {
        Ok(text) => Data::str(text),
        Err(_) => Data::Bytes(bytes.as_slice().into()),
    }))
}

fn package(out: &mut Mapped, fields: Fields<'_>) {
    let ensure = if flag(fields, "purged") { "purged" } else { "present" };
    out.set("ensure", Data::str(ensure));
    out.set("provider", out.entity.and_then(|entity| entity.constant("provider")).map(Data::str));
}

fn command(out: &mut Mapped, fields: Fields<'_>) -> Result<(), String> {
    let words = |name: &str| -> Result<Option<Data>, String> {
        let Some(line) = text(fields, name) else { return Ok(None) };
        let words = split(line).ok_or_else(|| format!("{name} has a quote without an end"))?;
        Ok(Some(Data::list(words.into_iter().map(Data::str))))
    };
    out.reloads = true;
    if flag(fields, "purged") {
        return Err("a command that was run cannot be undone: purged is set".into());
    }
    out.set("command", words("command")?);
    out.set("refresh", words("reload")?);
    for check in ["unless", "onlyif"] {
        out.set(check, words(check)?.map(|line| Data::list([line])));
    }
    for plain in ["creates", "cwd"] {
        out.set(plain, text(fields, plain).map(Data::str));
    }
    out.set("path", Data::str(text(fields, "path").unwrap_or(COMMANDS)));
    if let Some(environment) = fields.get("environment").and_then(Data::as_map)
        && !environment.is_empty()
    {
        let pairs = environment.iter().map(|(name, value)| {
            let name = name.as_str().unwrap_or_default();
            match value {
                Data::Str(text) => Data::str(format!("{name}={text}")),
                other => Data::str(format!("{name}={}", ordain_data::json::compact(other))),
            }
        });
        out.set("environment", Data::list(pairs));
    }
    out.set("refreshonly", Data::Bool(flag(fields, "reload_only")));
    for plain in ["returns", "timeout"] {
        out.set(plain, fields.get(plain).and_then(present));
    }
    if flag(fields, "skip_on_fail") {
        out.set("skip_on_fail", Data::Bool(true));
    }
    Ok(())
}

/// The words of a command, split like a shell: with quotes and backslashes only.
fn split(line: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter.is_ascii_whitespace() => out.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        other => word.push(other),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => match letters.next()? {
                            escaped @ ('"' | '\\') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        other => word.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    out.extend(word);
    Some(out)
}

/// Fields that matter to the original only.
const ORIGINAL_ONLY_FIELDS: &[&str] = &[
    "id",
    "requires",
    "version",
    "send_event",
    "receive_events",
    "references",
    "mutators",
    "report_only",
    "managed",
    "purge_on_delete",
    "via",
];

/// A resource that the engine has no kind for, or one of that name.
fn unknown(entity: &str, title: &str, fields: Fields<'_>) -> Mapped {
    let mut out = Mapped::new(&kind_name(entity), title);
    let named = fields.0.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
    for (name, value) in named.filter(|(name, _)| !ORIGINAL_ONLY_FIELDS.contains(name)) {
        out.set_from(name, present(value), name);
    }
    out
}

fn present(value: &Data) -> Option<Data> {
    (!value.is_null()).then(|| value.clone())
}

/// An entity as graphs have kinds: `std::testing::NullResource` as `Std::Testing::NullResource`.
pub(super) fn kind_name(entity: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    entity.split("::").map(capital).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    static PRINTER: InmantaEntity = InmantaEntity {
        name: "lab::Printer",
        attributes: &[("purged", "ensure"), ("address", "uri"), ("note", "comment")],
        constants: &[("ensure", "present")],
    };

    /// The attributes of a printer by the schema, with the attributes of the model.
    fn printer(fields: &[(&str, Data)]) -> Vec<(String, Data, String)> {
        let mut out = Mapped { entity: Some(&PRINTER), ..Mapped::default() };
        let fields = Data::map(fields.iter().cloned());
        by_schema(&mut out, Fields(fields.as_map().unwrap()));
        out.attributes
    }

    #[test]
    fn attributes_of_an_entity_are_those_of_the_schema() {
        let fields = [("address", Data::str("ipp://a")), ("note", Data::Null)];
        let set = |name: &str, value, from: &str| (name.into(), Data::str(value), from.into());
        assert_eq!(
            printer(&fields),
            [set("ensure", "present", "ensure"), set("uri", "ipp://a", "address")]
        );
        let purged = [("address", Data::str("ipp://a")), ("purged", Data::Bool(true))];
        assert_eq!(printer(&purged), [set("ensure", "absent", "purged")]);
    }

    #[test]
    fn commands_are_split_as_by_a_shell() {
        let words = |line: &str| split(line).map(|words| words.join("|"));
        assert_eq!(words("a  b\tc").as_deref(), Some("a|b|c"));
        assert_eq!(
            words(r#"sh -c "echo \"x\" \n 'y'" ''"#).as_deref(),
            Some(r#"sh|-c|echo "x" \n 'y'|"#)
        );
        assert_eq!(words(r"a\ b 'c d'e").as_deref(), Some("a b|c de"));
        assert_eq!(words("'open"), None);
        assert_eq!(words("end\\"), None);
    }

    #[test]
    fn kinds_have_capitals() {
        assert_eq!(kind_name("std::testing::NullResource"), "Std::Testing::NullResource");
    }
}
