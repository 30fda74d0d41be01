//! The definitions of types with features: parents, references, inherited names and defaults. They
//! are evaluated as in a compile, using nothing but the definitions in the files.

use std::sync::Arc;

use ordain_source::{Diagnostic, FileId, MemoryWorld, SourceMap};
use rustc_hash::FxHashSet;

use super::index::Index;
use super::instances;
use crate::check::repository::pass::Text;
use ordain_graph::language::CheckOptions;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session;
use ordain_puppet::syntax::{Definition, Expr, Program};

/// The errors in the types of the named files.
pub(super) fn check(texts: &[Text], index: &Index, checking: &CheckOptions<'_>) -> Vec<Diagnostic> {
    if index.types.models.is_empty() {
        return Vec::new();
    }
    let named = |text: &&Text| text.is_named && text.is_sound && !text.is_aside;
    let named = texts.iter().filter(named).map(|text| &text.scopes.program);
    let (mut files, mut given) = (FxHashSet::<FileId>::default(), Vec::new());
    for program in named {
        files.insert(program.file);
        instances::collect(program, index, &mut given);
    }
    let types = |d: &Definition| {
        matches!(d, Definition::TypeDefinition { .. } | Definition::TypeAlias { .. })
    };
    let programs = texts.iter().filter(|text| !text.is_aside).map(|text| &text.scopes.program);
    let programs: Vec<&Arc<Program>> = programs
        .filter(|p| defines(p, types) && p.exprs.iter().all(|(_, e)| !matches!(e, Expr::Error)))
        .collect();
    let sources = SourceMap::new();
    let last = programs.iter().map(|program| program.file.0).max().unwrap_or_default();
    for id in 0..=last {
        sources.add_file(checking.sources.file(FileId(id)));
    }
    let world = Arc::new(MemoryWorld::default());
    let options = Options { sources: Arc::new(sources), ..Options::new(world, Site::Nothing) };
    let Ok((env, _)) = Environment::open(options) else { return Vec::new() };
    let mut found = Vec::new();
    for program in programs {
        found.extend(env.define(program));
    }
    found.extend(session::check_models(&env, &given));
    let mut seen = FxHashSet::default();
    found.retain(|d| {
        let Some(at) = d.primary.as_ref().map(|label| label.span) else { return false };
        files.contains(&at.file) && is_known(d, index) && seen.insert((at, d.message.clone()))
    });
    found
}

fn defines(program: &Program, which: impl Fn(&Definition) -> bool) -> bool {
    program.definitions.iter().any(|&id| match program[id] {
        Expr::Definition(definition) => which(program.definition(definition)),
        _ => false,
    })
}

/// Whether a finding is certain: an unknown name may belong to a missing module.
fn is_known(found: &Diagnostic, index: &Index) -> bool {
    match &*found.code {
        "puppet::type-unknown-parent" | "puppet::type-unknown-target" => index.is_complete_for(""),
        // Another rule checks unknown names in all texts.
        code => code != "puppet::unknown-resource-type",
    }
}
