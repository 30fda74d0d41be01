//! The language in the common interface of all languages.

use std::path::Path;

use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_source::CodeDoc;

use crate::check;
use crate::diagnostics::codes::CODES;

/// Templates and stubs.
#[derive(Clone, Copy, Debug)]
pub struct Dynaml;

impl Language for Dynaml {
    fn name(&self) -> &'static str {
        "dynaml"
    }

    fn codes(&self) -> &'static [CodeDoc] {
        CODES
    }

    fn claim(&self, path: &Path, met: Discovery) -> Option<Claim> {
        let is_yaml = path.extension().is_some_and(|e| e == "yml" || e == "yaml");
        match met {
            Discovery::Chosen if is_yaml => Some(Claim::ByName),
            Discovery::Named | Discovery::InData if is_yaml => Some(Claim::ByText),
            _ => None,
        }
    }

    fn speaks(&self, text: &str) -> bool {
        check::has_expressions(text)
    }

    fn check(&self, source: &SourceText<'_>, _: &CheckOptions<'_>) -> CheckReport {
        check::check(source.file, &source.text).into()
    }
}
