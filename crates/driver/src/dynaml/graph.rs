//! Merged YAML documents that declare resources, as a source of a graph.

use std::path::{Path, PathBuf};

use ordain_data::yaml::Tree;
use ordain_dynaml::resources::{self, Codes};
use ordain_dynaml::session::Input;
use ordain_dynaml::syntax::ast::Exprs;
use ordain_dynaml::{diagnose, document, lower};
use ordain_graph::Graph;
use ordain_source::{Diagnostic, EntryKind, FileId, SourceMap, Span, World};

use super::merge::{self, Merge, MergeError, report};
use crate::codes;
use crate::error::Error;
use crate::options::Options;
use crate::reporter::Reporter;

/// Whether a path is that of a document.
pub fn is_document(world: &dyn World, path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    (extension == "yml" || extension == "yaml") && world.kind(path) == Some(EntryKind::File)
}

/// Merges a document with what is to be merged into it, and gives the resources that it declares.
///
/// # Errors
/// When there is no document, or what it declares has no form; it is shown.
pub fn graph(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
    sources: &SourceMap,
) -> Result<Graph, Error> {
    let name = |path: &PathBuf| path.to_string_lossy().into_owned();
    let stubs: Vec<String> = options.stubs.iter().map(name).collect();
    let template = name(&path.to_path_buf());
    let merge = Merge { template: &template, stubs: &stubs, ..Merge::default() };
    let world = options.world();
    let output = merge::merge(world.as_ref(), &merge);
    let output = output.map_err(|trouble| report(reporter, &trouble))?;
    reporter.diagnostics(diagnose::warnings(&output, sources), sources);
    let files = Files::of(world.as_ref(), &template, &stubs, sources)
        .map_err(|trouble| report(reporter, &trouble))?;
    let merged = Input { name: template.clone(), text: output.text, under: None };
    let values = document::read(&merged.text).map_err(|e| {
        Diagnostic::error(
            codes::DOCUMENT,
            format!("{template} cannot be read again: {}", e.message),
        )
    })?;
    let mut data = lower::data(&Exprs::default(), &values).into_iter();
    let (Some(first), None) = (data.next(), data.next()) else {
        let text = format!("{template} is not one document");
        return Err(Diagnostic::error(codes::DOCUMENT, text).into());
    };
    let codes = Codes { form: codes::DOCUMENT, unknown: codes::UNKNOWN_NAME };
    let place = |path: &[&str]| files.place(path);
    resources::graph(&first, &output.secrets, &place, codes).map_err(|errors| {
        reporter.diagnostics(errors, sources);
        Error::Reported
    })
}

/// The files of a merge, the one that counts most first.
struct Files(Vec<(FileId, Tree)>);

impl Files {
    fn of(
        world: &dyn World,
        template: &str,
        stubs: &[String],
        sources: &SourceMap,
    ) -> Result<Self, MergeError> {
        let names = stubs.iter().rev().map(String::as_str).chain([template]);
        let mut files = Vec::new();
        for name in names {
            let text = merge::read(world, "template", name)?.text;
            // What was merged can be parsed.
            let tree = Tree::parse(&text).unwrap_or_default();
            files.push((sources.add(name, text), tree));
        }
        Ok(Self(files))
    }

    /// Where a value is written: in the last file that has it, else where the nearest above it is.
    /// A resource is declared by the template.
    fn place(&self, path: &[&str]) -> Option<Span> {
        const RESOURCE: usize = 3;
        (1..=path.len()).rev().find_map(|depth| {
            let find = |(file, tree): &(FileId, Tree)| {
                let range = tree.find(&path[..depth])?;
                Some(Span { file: *file, range })
            };
            match depth {
                ..=RESOURCE => self.0.iter().rev().find_map(find),
                _ => self.0.iter().find_map(find),
            }
        })
    }
}
