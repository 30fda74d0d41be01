//! The language for verbs that work with all languages.

use std::path::Path;

use ordain_graph::language::{CheckOptions, CheckReport, Claim, Discovery, Language, SourceText};
use ordain_source::{CodeDoc, Diagnostic};
use rustc_hash::FxHashMap;

use crate::Edition;
use crate::check::program::{self, ModId};
use crate::check::protected;
use crate::codes::CODES;
use crate::failure::Failure;
use crate::session::{self, Checked, Input, Options};
use crate::syntax::ast::{ExprId, Stmt, StmtKind};
use crate::types::Type;

/// The inferred type of a variable that none is written for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BindType {
    /// The end of the variable's name where it is set.
    pub at: u32,
    /// The type as it would be written.
    pub text: String,
}

/// The inferred types of the variables of a file without errors that was checked.
pub fn bind_types(report: &CheckReport) -> &[BindType] {
    let found = report.defines.as_ref().and_then(|defines| defines.downcast_ref::<Vec<BindType>>());
    found.map(Vec::as_slice).unwrap_or_default()
}

/// Those of the main file of a program. A variable with different types, in several instances of its
/// class, has none.
fn inferred(checked: &Checked) -> Vec<BindType> {
    let program = &checked.program;
    let Some(main) = program.modules.first() else { return Vec::new() };
    let mut types: FxHashMap<ExprId, Option<&Type>> = FxHashMap::default();
    for (def, ty) in program.defs.iter().zip(&program.def_types) {
        let (module, expr) = program.ir[def.value].at;
        if module != ModId(0) {
            continue;
        }
        let known = types.entry(expr).or_insert(Some(ty));
        if *known != Some(ty) {
            *known = None;
        }
    }
    let bind = |(_, stmt): (_, &Stmt)| {
        let StmtKind::Bind { name, ty: None, value } = &stmt.kind else { return None };
        let ty = types.get(value).copied().flatten()?;
        Some(BindType { at: stmt.range.start + 1 + name.len() as u32, text: ty.to_string() })
    };
    main.tree.stmts.iter().filter_map(bind).collect()
}

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
        let mut types = Vec::new();
        let mut found: Vec<Diagnostic> = match found {
            Ok(checked) => {
                types = inferred(&checked);
                let known = session::certain(&checked);
                let refused = protected::refused(&checked.modules);
                checked.warnings.into_iter().chain(known).chain(refused).collect()
            }
            Err(refused) => {
                let mut found = refused.diagnostics();
                let further = program::further_errors(&source.text, self.edition, source.file);
                found.extend(further.iter().map(Failure::diagnostic));
                found
            }
        };
        // The text was compiled as a separate file, so diagnostics get the path of the requested
        // one.
        let spans = found.iter_mut().flat_map(|d| {
            let labels = d.primary.iter_mut().chain(&mut d.related);
            labels.map(|label| &mut label.span).chain(&mut d.peer)
        });
        for span in spans {
            if checking.sources.file(span.file).path == source.full {
                span.file = source.file;
            }
        }
        CheckReport { found, defines: Some(Box::new(types)) }
    }
}
