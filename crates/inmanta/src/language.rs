//! The implementation of the trait `Language`.

use std::path::{Component, Path};
use std::sync::Arc;

use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_source::{CodeDoc, Diagnostic, FileId, Label, Severity, SourceMap, Span};

use ordain_syntax::StatementPart;

use crate::diagnostics::{self, CODES};
use crate::project::{Environment, Project, with_plain_line_ends};
use crate::session::{Request, compile};
use crate::syntax::recovery::further;

/// The language of files that end in `.cf`.
#[derive(Clone, Copy, Debug)]
pub struct Inmanta;

impl Language for Inmanta {
    fn name(&self) -> &'static str {
        "inmanta"
    }

    fn codes(&self) -> &'static [CodeDoc] {
        CODES
    }

    fn claim(&self, path: &Path, met: Discovery) -> Option<Claim> {
        // Other programs use the ending for files that modules copy or fill in.
        let is_content =
            |part: Component<'_>| part.as_os_str() == "files" || part.as_os_str() == "templates";
        if met == Discovery::Elsewhere && path.components().any(is_content) {
            return None;
        }
        path.extension().is_some_and(|e| e == "cf").then_some(Claim::ByName)
    }

    fn check(&self, source: &SourceText<'_>, checking: &CheckOptions<'_>) -> CheckReport {
        let own = SourceMap::new();
        let directory = source.full.parent().unwrap_or(Path::new("/"));
        let project = Project::around(checking.world, directory);
        let project = project.and_then(|path| Project::read(checking.world, &path).ok());
        let text = Arc::clone(&source.text);
        let mut request = Request::new(checking.world, &own, directory, source.path, text);
        let around = project.as_ref().map_or(directory, |project| &project.directory);
        request.environment = Environment::of(checking.world, around);
        if let Some(project) = project {
            request.modulepath = project.modulepath;
            request.precedence = project.precedence;
            request.project = project.directory;
        }
        request.modulepath.extend(checking.modulepath.iter().cloned());
        request.check_only = true;
        let mut outcome = compile(request);
        let mut found = Vec::new();
        if let Some(error) = &outcome.error {
            found.extend(diagnostics::errors(error, &own));
        }
        let mut is_sound = outcome.error.is_none();
        if is_sound {
            let mut static_errors = outcome.net.program.static_errors();
            static_errors.extend(outcome.net.unmet_conditions());
            for static_error in static_errors {
                let mut one = diagnostics::errors(&static_error.error, &own);
                is_sound &= !static_error.is_certain;
                if !static_error.is_certain {
                    one.iter_mut().for_each(|d| d.severity = Severity::Warning);
                }
                found.extend(one);
            }
        }
        if outcome.error.is_some() {
            found.extend(further_errors(Arc::clone(&source.text)));
        }
        if is_sound && let Err(error) = outcome.run_in_check() {
            for error in diagnostics::errors(&error, &own).into_iter().map(with_place) {
                // The run makes a warning about the same value certain.
                found
                    .retain(|known| (&known.code, &known.primary) != (&error.code, &error.primary));
                found.push(error);
            }
        }
        for warning in outcome.warnings() {
            let warning = diagnostics::warning(warning, &own);
            if !found.contains(&warning) {
                found.push(warning);
            }
        }
        found.extend(outcome.lints.iter().map(|lint| diagnostics::lint(lint, &own)));
        let mut places = Places { own: &own, checking, source, known: Vec::new() };
        found.into_iter().map(|d| places.moved(d)).collect::<Vec<_>>().into()
    }
}

/// The original gives no place for an instance that lacks values; a finding has the first place that
/// belongs to it.
fn with_place(mut found: Diagnostic) -> Diagnostic {
    if found.primary.is_none() && !found.related.is_empty() {
        found.primary = Some(found.related.remove(0));
    }
    found
}

/// The syntax errors of the file behind its first one, which ends a compile.
fn further_errors(text: Arc<str>) -> Vec<Diagnostic> {
    let text = with_plain_line_ends(text);
    let diagnostics = |(error, part): (diagnostics::Error, StatementPart)| {
        // Hints look for the cause around an error.
        let sources = SourceMap::new();
        sources.add("", part.alone(&text));
        diagnostics::errors(&error, &sources)
    };
    further(&text).into_iter().flat_map(diagnostics).collect()
}

/// Maps the files of one compile to the files of all.
struct Places<'a> {
    own: &'a SourceMap,
    checking: &'a CheckOptions<'a>,
    source: &'a SourceText<'a>,
    known: Vec<(FileId, FileId)>,
}

impl Places<'_> {
    fn file(&mut self, id: FileId) -> FileId {
        if id == FileId(0) {
            return self.source.file;
        }
        if let Some((_, to)) = self.known.iter().find(|(from, _)| *from == id) {
            return *to;
        }
        let to = self.checking.sources.add_file(self.own.file(id));
        self.known.push((id, to));
        to
    }

    fn label(&mut self, label: Label) -> Label {
        let span = Span { file: self.file(label.span.file), ..label.span };
        Label { span, ..label }
    }

    fn moved(&mut self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.primary = diagnostic.primary.map(|label| self.label(label));
        diagnostic.peer = diagnostic.peer.map(|span| Span { file: self.file(span.file), ..span });
        diagnostic.related =
            std::mem::take(&mut diagnostic.related).into_iter().map(|l| self.label(l)).collect();
        diagnostic
    }
}
