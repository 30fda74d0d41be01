//! All rules over one file.

use std::collections::BTreeSet;

use ecow::EcoString;
use ordain_graph::language::CheckOptions;
use ordain_source::{Diagnostic, Severity};

use super::index::Index;
use super::pass::{Foreign, MAX, Pass, Text};
use super::{
    arguments, assignments, calls, facts, literals, names, options, relations, silence, straight,
    templates, variables,
};

/// The results of the rules in a file.
pub(super) struct FileFindings {
    pub(super) found: Vec<Diagnostic>,
    /// Names of missing modules.
    pub(super) foreign: Vec<Foreign>,
    /// Names that may be of a missing module and were not checked.
    pub(super) unchecked: BTreeSet<EcoString>,
}

/// The findings of all rules in a file, and the names of missing modules in it.
pub(super) fn rules(text: &Text, index: &Index, checking: &CheckOptions<'_>) -> FileFindings {
    let program = &*text.scopes.program;
    let mut pass = Pass {
        module: text.module.clone(),
        is_aside: text.is_aside,
        ..Pass::of_data(index, program.file, program, &text.scopes, checking.facts)
    };
    names::check(&mut pass);
    relations::check(&mut pass, &index.titles);
    arguments::check(&mut pass);
    assignments::check(&mut pass);
    calls::check(&mut pass);
    literals::check(&mut pass);
    options::check(&mut pass);
    straight::check(&mut pass);
    templates::check(&mut pass, checking.world);
    variables::unknown(&mut pass);
    facts::check(&mut pass);
    if !text.is_aside {
        variables::declared(&mut pass);
    }
    pass.found.truncate(MAX);
    if text.is_aside {
        // No node has this fact.
        pass.found.iter_mut().for_each(|found| found.severity = Severity::Warning);
    }
    let foreign = pass
        .foreign
        .into_iter()
        .filter(|foreign| !silence::kept(vec![foreign.found.clone()], &program.text).is_empty());
    FileFindings {
        found: silence::kept(pass.found, &program.text),
        foreign: foreign.collect(),
        unchecked: pass.unchecked,
    }
}
