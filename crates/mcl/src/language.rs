//! The language for verbs that work with all languages.

use std::path::Path;

use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_source::CodeDoc;

use crate::Edition;
use crate::check::protected;
use crate::codes::CODES;
use crate::session::{self, Input, Options};

/// Programs of mgmt.
#[derive(Clone, Copy, Debug)]
pub struct Mcl {
    /// The edition of mcl.
    pub edition: Edition,
}

impl Mcl {
    /// Everything that is accepted.
    pub const WIDE: Self = Self { edition: Edition::Wide };
    /// The language of the original.
    pub const UPSTREAM: Self = Self { edition: Edition::Upstream };
}

impl Language for Mcl {
    fn name(&self) -> &'static str {
        "mcl"
    }

    fn codes(&self) -> &'static [CodeDoc] {
        CODES
    }

    fn claim(&self, path: &Path, _: Discovery) -> Option<Claim> {
        path.extension().is_some_and(|e| e == "mcl").then_some(Claim::ByName)
    }

    fn check(&self, source: &SourceText<'_>, checking: &CheckOptions<'_>) -> CheckReport {
        let input = Input::Text(source.full.into(), source.text.to_string());
        let module_path = checking.modulepath.first().cloned();
        let options = Options { edition: self.edition, module_path };
        let found = session::check(checking.world, checking.sources, &input, &options);
        let mut found = match found {
            Ok(checked) => {
                let known = session::certain(&checked);
                let refused = protected::refused(&checked.modules);
                checked.warnings.into_iter().chain(known).chain(refused).collect()
            }
            Err(refused) => refused.diagnostics(),
        };
        // The text was compiled as a separate file, so diagnostics get the path of the requested
        // one.
        for label in found.iter_mut().flat_map(|d| d.primary.iter_mut().chain(&mut d.related)) {
            if checking.sources.file(label.span.file).path == source.full {
                label.span.file = source.file;
            }
        }
        found.into()
    }
}
