//! Formats files in place: the formatter of each language, settings of a site, whole directories.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ordain_graph::language::{Discovery, Language};
use ordain_inmanta::Inmanta;
use ordain_inmanta::project::Project;
use ordain_inmanta::syntax::format as model_format;
use ordain_mcl::Edition;
use ordain_puppet::syntax::format::{Columns, FormatError, FormatOptions};
use ordain_source::limits::on_deep_stack;
use ordain_source::{Diagnostic, EntryKind, HostWorld, SourceMap, World};
use similar::{DiffOp, TextDiff};

use crate::check::is_left_out;
use crate::codes;
use crate::inmanta::STACK_SIZE;

/// The maximum depth of directories; it ends a cycle of links.
const MAX_DEPTH: usize = 64;

/// The help of errors about files that are not formatted.
const ENDINGS: &str = "ordain formats manifests (.pp), models (.cf), programs of mgmt (.mcl), and \
                       templates of spiff (.yml, .yaml)";

/// A language with a formatter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formatted {
    /// Puppet's manifests.
    Puppet,
    /// Models of Inmanta.
    Inmanta,
    /// Programs of mgmt.
    Mcl,
    /// Templates and stubs of spiff.
    Dynaml,
}

impl Formatted {
    /// The language of a file by the ending of its name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "pp" => Some(Self::Puppet),
            "cf" => Some(Self::Inmanta),
            "mcl" => Some(Self::Mcl),
            "yml" | "yaml" => Some(Self::Dynaml),
            _ => None,
        }
    }

    /// The language of a file that nobody named. Other programs use the ending `.cf`, too, so a
    /// model is below a project or a directory `model`. `read` reads a YAML file, which has to be
    /// a template; other programs write variables as `((name))`.
    pub fn discovered(
        world: &dyn World,
        path: &Path,
        read: impl FnOnce() -> Option<String>,
    ) -> Option<Self> {
        let language = Self::of(path)?;
        let is_safe = match language {
            Self::Puppet | Self::Mcl => true,
            Self::Inmanta => {
                let directory = path.parent().unwrap_or(Path::new("."));
                Inmanta.claim(path, Discovery::Elsewhere).is_some()
                    && (path.iter().any(|part| part == "model")
                        || Project::around(world, directory).is_some())
            }
            Self::Dynaml => read().is_some_and(|text| ordain_dynaml::fmt::is_template(&text)),
        };
        is_safe.then_some(language)
    }
}

/// The choices of the user.
#[derive(Clone, Copy, Default, Debug)]
pub struct FormatSettings {
    /// The edition of mcl.
    pub edition: Edition,
    /// The spaces of a level of manifests and models; by default `indent_size` of an
    /// `.editorconfig`, or 2 in manifests and 4 in models.
    pub indent: Option<u32>,
    /// The characters of a line of models; by default `max_line_length` of an `.editorconfig`,
    /// or 88.
    pub width: Option<u32>,
    /// The columns of parameters and assignments in manifests.
    pub columns: Columns,
}

/// The files below a path that have a formatter, in order. Hidden directories and plans of Bolt are
/// left out, and files of other programs with the same endings.
///
/// # Errors
/// When a directory cannot be listed, a named file has no formatter, or nothing is found.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let world = HostWorld::new();
    if world.kind(path) != Some(EntryKind::Directory) {
        if Formatted::of(path).is_none() && world.kind(path).is_some() {
            let text = format!("{} has no ending of a formatted language", path.display());
            return Err(Diagnostic::error(codes::FORMAT, text).help(ENDINGS));
        }
        return Ok(vec![path.to_path_buf()]);
    }
    let (mut found, mut left) = (Vec::new(), vec![(path.to_path_buf(), 0)]);
    while let Some((path, depth)) = left.pop() {
        let entries = world.list(&path);
        let entries =
            entries.map_err(|e| codes::io(&format!("cannot list {}", path.display()), &e))?;
        for (name, kind) in entries {
            let path = path.join(&name);
            match kind {
                EntryKind::Directory if is_left_out(&name) || depth >= MAX_DEPTH => {}
                EntryKind::Directory => left.push((path, depth + 1)),
                _ if Formatted::discovered(&world, &path, || read(&path).ok()).is_some() => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    if found.is_empty() {
        let text = format!("there is nothing to format in {}", path.display());
        let error = Diagnostic::error(codes::NOTHING, text);
        return Err(error.help(ENDINGS));
    }
    found.sort();
    Ok(found)
}

/// Reads a file as text.
///
/// # Errors
/// When it cannot be read or is not UTF-8.
pub fn read(path: &Path) -> Result<String, Diagnostic> {
    let shown = path.display();
    let bytes = HostWorld::new().read(path);
    let bytes = bytes.map_err(|e| codes::io(&format!("cannot read {shown}"), &e))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| Diagnostic::error(codes::FORMAT, format!("{shown} is not UTF-8")))
}

/// The formatted text of a file.
///
/// # Errors
/// The syntax errors of the text, with their places in `sources`.
pub fn format_text(
    language: Formatted,
    path: &Path,
    text: &str,
    settings: &FormatSettings,
    sources: &SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    match language {
        Formatted::Mcl => ordain_mcl::fmt::format(text, settings.edition).map_err(|error| {
            let span = error.range.in_file(sources.add(path, text));
            vec![Diagnostic::error(codes::FORMAT, error.to_string()).at(span)]
        }),
        Formatted::Puppet => format_manifest(path, text, settings, sources),
        Formatted::Inmanta => format_model(path, text, settings, sources),
        Formatted::Dynaml => ordain_dynaml::fmt::format(text)
            .map_err(|_| ordain_dynaml::check::check(sources.add(path, text), text)),
    }
}

fn format_manifest(
    path: &Path,
    text: &str,
    settings: &FormatSettings,
    sources: &SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let indent = settings.indent.or_else(|| indent_of(path)).unwrap_or(2);
    let options = FormatOptions { indent, columns: settings.columns };
    let formatted = ordain_puppet::syntax::format::format(text, &options);
    formatted.map_err(|error| match error {
        FormatError::Syntax(_) => {
            let file = sources.add(path, text);
            ordain_puppet::syntax::parse(file, text).diagnostics
        }
        FormatError::Unsafe => {
            let text = format!("{}: {error}; it stays unchanged", path.display());
            vec![Diagnostic::error(codes::FORMAT, text).help("please report this manifest")]
        }
    })
}

fn format_model(
    path: &Path,
    text: &str,
    settings: &FormatSettings,
    sources: &SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let defaults = model_format::FormatOptions::default();
    let indent = settings.indent.or_else(|| indent_of(path)).unwrap_or(defaults.indent);
    let width = settings.width.or_else(|| width_of(path)).unwrap_or(defaults.width);
    let options = model_format::FormatOptions { indent, width };
    let file = sources.add(path, text);
    let formatted = on_deep_stack(STACK_SIZE, || model_format::format(text, file.0, &options));
    formatted.map_err(|error| match error {
        model_format::FormatError::Syntax(error) => {
            ordain_inmanta::diagnostics::errors(&error, sources)
        }
        model_format::FormatError::Unsafe => {
            let text = format!("{}: {error}; it stays unchanged", path.display());
            vec![Diagnostic::error(codes::FORMAT, text).help("please report this model")]
        }
    })
}

/// `indent_size` of the `.editorconfig` files around a file.
fn indent_of(path: &Path) -> Option<u32> {
    editor_number(path, "indent_size").filter(|size| (1..=16).contains(size))
}

/// `max_line_length` of the `.editorconfig` files around a file.
fn width_of(path: &Path) -> Option<u32> {
    editor_number(path, "max_line_length").filter(|width| (20..=1000).contains(width))
}

fn editor_number(path: &Path, key: &str) -> Option<u32> {
    let properties = ec4rs::properties_of(path).ok()?;
    properties.get_raw_for_key(key).into_option()?.parse().ok()
}

/// The text with only those changes that touch lines `first` to `last`, counted from 1.
pub fn only_lines(before: &str, after: &str, first: usize, last: usize) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut out = String::with_capacity(after.len());
    for op in diff.ops() {
        let (old, new) = (op.old_range(), op.new_range());
        let is_changed = !matches!(op, DiffOp::Equal { .. });
        if is_changed && old.len() == new.len() {
            // Lines that keep their number are taken one by one.
            for (old, new) in old.zip(new) {
                let is_chosen = (first..=last).contains(&(old + 1));
                out.extend(if is_chosen { diff.new_slice(new) } else { diff.old_slice(old) });
            }
        } else if is_changed && old.start < last && old.end.max(old.start + 1) >= first {
            out.extend(new.filter_map(|at| diff.new_slice(at)));
        } else {
            out.extend(old.filter_map(|at| diff.old_slice(at)));
        }
    }
    out
}

/// Replaces a file at once and keeps its mode. A link stays, and its target is replaced.
///
/// # Errors
/// When the directory or the file cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    let mode = path.symlink_metadata()?.permissions().mode();
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode & 0o7777))?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_changes_of_chosen_lines_are_taken() {
        let (before, after) = ("a=1\nb\nc=3\n", "a = 1\nb\nc = 3\n");
        assert_eq!(only_lines(before, after, 1, 1), "a = 1\nb\nc=3\n");
        assert_eq!(only_lines(before, after, 2, 2), before);
        assert_eq!(only_lines(before, after, 2, 3), "a=1\nb\nc = 3\n");
        assert_eq!(only_lines(before, after, 1, 9), after);
        assert_eq!(only_lines("a=1\nb=2\n", "a = 1\nb = 2\n", 2, 2), "a=1\nb = 2\n");
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pp");
        std::fs::write(&path, "a").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, "b").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(path.symlink_metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
