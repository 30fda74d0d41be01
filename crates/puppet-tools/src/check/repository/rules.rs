//! All rules over one file.

use ordain_graph::language::CheckOptions;
use ordain_source::{Diagnostic, Severity};
use rustc_hash::FxHashSet;

use super::index::Index;
use super::pass::{Foreign, MAX, Pass, Text};
use super::{
    arguments, assignments, calls, facts, names, relations, silence, templates, variables,
};

/// The findings of all rules in a file, and the names of missing modules in it.
pub(super) fn rules(
    text: &Text,
    index: &Index,
    checking: &CheckOptions<'_>,
) -> (Vec<Diagnostic>, Vec<Foreign>) {
    let program = &*text.scopes.program;
    let mut pass = Pass {
        index,
        file: program.file,
        program,
        scopes: &text.scopes,
        facts: checking.facts,
        is_aside: text.is_aside,
        found: Vec::new(),
        foreign: Vec::new(),
        looked_for: 0,
        unknown_classes: FxHashSet::default(),
    };
    names::check(&mut pass);
    relations::check(&mut pass, &index.titles);
    arguments::check(&mut pass);
    assignments::check(&mut pass);
    calls::check(&mut pass);
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
    (silence::kept(pass.found, &program.text), foreign.collect())
}
