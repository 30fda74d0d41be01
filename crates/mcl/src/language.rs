//! What the verbs for all languages know of this one.

use std::path::Path;

use ordain_graph::language::{Checked, Checking, Claim, Language, Met, SourceText};
use ordain_source::CodeDoc;

use crate::codes::CODES;
use crate::session::{self, Input, Options};

/// Programs of mgmt.
#[derive(Clone, Copy, Debug)]
pub struct Mcl;

impl Language for Mcl {
    fn name(&self) -> &'static str {
        "mcl"
    }

    fn codes(&self) -> &'static [CodeDoc] {
        CODES
    }

    fn claim(&self, path: &Path, _: Met) -> Option<Claim> {
        path.extension().is_some_and(|e| e == "mcl").then_some(Claim::ByName)
    }

    fn check(&self, source: &SourceText<'_>, checking: &Checking<'_>) -> Checked {
        let input = Input::Text(source.full.into(), source.text.to_string());
        let options =
            Options { module_path: checking.modulepath.first().cloned(), ..Options::default() };
        let found = session::check(checking.world, checking.sources, &input, &options);
        match found {
            Ok(checked) => checked.warnings.into(),
            Err(refused) => refused.diagnostics().into(),
        }
    }
}
