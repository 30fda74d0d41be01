//! Warnings about accepted programs: operators that will fail or overflow, type errors in unused
//! code.

use std::sync::Arc;

use ordain_source::{Diagnostic, Severity, Span};
use rustc_hash::FxHashSet;

use super::elaborator::{Elaborator, FrameId};
use crate::Edition;
use crate::check::names::Names;
use crate::check::program::{ModId, Modules};
use crate::check::scope::VarDef;
use crate::codes;
use crate::functions::Operator;
use crate::ir::{IrId, IrKind};
use crate::syntax::ast::{StmtId, StmtKind};
use crate::value::Value;

/// The used statements of the main file.
pub(super) struct Used {
    binds: FxHashSet<StmtId>,
    funcs: FxHashSet<StmtId>,
}

impl Elaborator<'_> {
    /// The used statements of a file.
    pub(super) fn used(&self, top: FrameId) -> Used {
        let own = self.frame(top).block.module();
        let binds = self.frame(top).binds.keys().copied().collect();
        let funcs = self.called.iter().filter(|(module, _)| *module == own);
        Used { binds, funcs: funcs.map(|(_, stmt)| *stmt).collect() }
    }

    /// Operators that fail on their operands, or whose result is no valid `int`.
    pub(super) fn operators_in_question(&mut self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for raw in 0..self.program.ir.len() as u32 {
            let id = IrId::new(raw);
            let IrKind::Operator(operator, a, b) = self.program.ir[id].kind else { continue };
            let overflows = b.is_some_and(|b| self.overflows(operator, a, b));
            let ty = self.program.ir[a].ty;
            let kind = self.types.kind(ty).unwrap_or("int");
            let is_supported = match operator {
                Operator::Add => matches!(kind, "int" | "float" | "str"),
                Operator::Subtract
                | Operator::Multiply
                | Operator::Divide
                | Operator::Less
                | Operator::AtMost
                | Operator::More
                | Operator::AtLeast => matches!(kind, "int" | "float"),
                _ => true,
            };
            let span = self.program.span(id);
            if !is_supported {
                let text = format!("unsupported kind: {kind}");
                let help = "the operator fails when it is evaluated";
                found.push(Diagnostic::warning(codes::OPERATOR, text).at(span).help(help));
            } else if overflows {
                let text = "the result is no int of 64 bits: it wraps around";
                found.push(Diagnostic::warning(codes::OPERATOR, text).at(span));
            }
        }
        found
    }

    fn overflows(&self, operator: Operator, a: IrId, b: IrId) -> bool {
        let number = |id: IrId| match &self.program.ir[id].kind {
            IrKind::Const(Value::Int(number)) => Some(*number),
            _ => None,
        };
        let (Some(a), Some(b)) = (number(a), number(b)) else { return false };
        let result = match operator {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            _ => Some(0),
        };
        result.is_none()
    }
}

/// Type errors in unused binds and functions of the main file.
pub(super) fn unused(
    modules: &Modules,
    names: &Names,
    main: ModId,
    used: &Used,
) -> Vec<Diagnostic> {
    let mut elaborator = Elaborator::new(modules, names, Edition::Wide);
    let module = Arc::clone(&modules.get(main));
    let top = {
        use crate::check::scope::Frames;
        elaborator.module(main)
    };
    for id in &module.tree.body {
        match &module.tree.stmts[*id].kind {
            StmtKind::Bind { value, .. } if !used.binds.contains(id) => {
                elaborator.defined(top, VarDef::Bind(*id), (main, *value));
            }
            StmtKind::Func(_, func) if !used.funcs.contains(id) => {
                elaborator.function(top, func);
            }
            _ => {}
        }
    }
    let mut failures = std::mem::take(&mut elaborator.found);
    failures.extend(elaborator.solve());
    let help = "nothing uses it, so mgmt does not look at it";
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    let mut found = Vec::new();
    for failure in failures {
        let mut diagnostic = failure.diagnostic().help(help);
        diagnostic.severity = Severity::Warning;
        let place = failure.places.first().and_then(|level| level.first()).copied();
        if place.is_none_or(|place| seen.insert(place)) {
            found.push(diagnostic);
        }
    }
    found
}
