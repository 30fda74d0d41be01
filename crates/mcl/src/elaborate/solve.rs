//! Solves type constraints.

use ordain_source::{Diagnostic, Span};
use rustc_hash::FxHashSet;

use super::debug;
use super::elaborator::{Constraint, Deferred, Elaborator, State, Subject, Validation};
use crate::check::program::ModId;
use crate::failure::{Failure, Phase};
use crate::functions;
use crate::ir::{IrId, IrKind, Program};
use crate::syntax::ast::ExprId;
use crate::types::Type;
use crate::types::unify::{MAX_PARTS, TyId};

/// The maximal number of type errors that are reported.
const MAX_FAILURES: usize = 100;

impl Elaborator<'_> {
    /// Solves the types and returns the program.
    pub(super) fn finish(mut self) -> Result<(Program, Vec<Diagnostic>), Vec<Failure>> {
        let mut failures = std::mem::take(&mut self.found);
        failures.extend(self.solve());
        if !failures.is_empty() {
            return Err(failures);
        }
        if let Err(failure) = self.settle() {
            return Err(vec![failure]);
        }
        if let Err(failure) = self.all_known() {
            return Err(vec![failure]);
        }
        self.validate();
        if !self.found.is_empty() {
            return Err(self.found);
        }
        self.signatures();
        self.lower_defs();
        self.def_types();
        let questionable = self.operators_in_question();
        Ok((self.program, questionable))
    }

    /// Solves the constraints in order. Constraints that fail are reported and skipped; errors that
    /// only follow from earlier ones are not reported.
    pub(super) fn solve(&mut self) -> Vec<Failure> {
        let late = std::mem::take(&mut self.late);
        self.constraints.extend(late);
        let mut failures = Vec::new();
        if self.is_exceeded {
            return failures;
        }
        let mut blamed: FxHashSet<Span> = FxHashSet::default();
        for at in 0..self.constraints.len() {
            self.types.step = at as u32;
            let Constraint { expected, actual, span, .. } = self.constraints[at];
            let Err(mismatch) = self.types.unify(expected, actual) else {
                if self.types.size(expected) > MAX_PARTS {
                    return vec![Failure::new(Phase::Unify, "the type is too large", span)];
                }
                continue;
            };
            let other = mismatch.step.and_then(|step| self.constraints.get(step as usize));
            let other = other.map(|other| other.span).filter(|other| *other != span);
            let is_new = blamed.insert(span);
            let is_told = other.is_some_and(|other| !blamed.insert(other));
            if (!is_new || is_told) && !failures.is_empty() || failures.len() >= MAX_FAILURES {
                continue;
            }
            let mut failure = Failure::new(Phase::Unify, mismatch.text, span);
            if let Some(other) = other {
                failure = failure.related(other, "its type follows from here");
            } else if let Subject::Expr(module, expr) = self.constraints[at].subject {
                let (source, kind) = self.source_of((module, expr), actual);
                let wanted = self.types.print(expected);
                let is_within = source != span
                    && source.file == span.file
                    && span.range.start <= source.range.start
                    && source.range.end <= span.range.end;
                failure = match is_within && !wanted.contains('?') && wanted != kind {
                    true => failure.pointing(source, format!("{wanted} is wanted, this is {kind}")),
                    false => failure.related(source, format!("this is of type {kind}")),
                };
            }
            failures.push(failure);
        }
        failures
    }

    /// The expression that defines a value, and its type. For a variable it is the definition.
    fn source_of(&mut self, mut at: (ModId, ExprId), ty: TyId) -> (Span, String) {
        for _ in 0..MAX_FAILURES {
            let defined = self.program.ir.iter().find_map(|(_, ir)| match ir.kind {
                IrKind::Def(def) if ir.at == at => Some(def),
                _ => None,
            });
            let Some(def) = defined else { break };
            let State::Done { ir, .. } = self.defs[def.0 as usize].state else { break };
            at = self.program.ir[ir].at;
        }
        (self.span_of(at), self.types.print(ty))
    }

    /// Makes the deferred decisions, until nothing changes.
    fn settle(&mut self) -> Result<(), Failure> {
        loop {
            let waiting = std::mem::take(&mut self.deferred);
            let before = waiting.len();
            for deferred in waiting {
                self.decide(deferred)?;
            }
            if self.deferred.len() == before {
                break;
            }
        }
        // Open types get their defaults.
        for deferred in std::mem::take(&mut self.deferred) {
            if let Deferred::Name { span, ty, .. } = deferred {
                let wanted = self.types.list(TyId::STR);
                self.fit(span, wanted, ty)?;
            }
        }
        Ok(())
    }

    fn fit(&mut self, span: Span, expected: TyId, actual: TyId) -> Result<(), Failure> {
        let result = self.types.unify(expected, actual);
        result.map_err(|mismatch| Failure::new(Phase::Unify, mismatch.text, span))
    }

    fn decide(&mut self, deferred: Deferred) -> Result<(), Failure> {
        match &deferred {
            Deferred::Lookup { ir, of, key, result } => {
                let (ir, of, key, result) = (*ir, *of, *key, *result);
                if let Some((own_key, own_value)) = self.types.indexed(of) {
                    let span = self.span_of(self.program.ir[ir].at);
                    self.fit(span, own_key, key)?;
                    return self.fit(span, own_value, result);
                }
                if self.types.kind(of).is_none()
                    && self.types.kind(key).is_some_and(|kind| kind != "int")
                {
                    let span = self.span_of(self.program.ir[ir].at);
                    let map = self.types.map(key, result);
                    return self.fit(span, map, of);
                }
            }
            Deferred::Field { ir, of, name, result } => {
                let (ir, of, result) = (*ir, *of, *result);
                if let Some(field) = self.types.field(of, name) {
                    let Some(ty) = field else { return Ok(()) };
                    if self.types.kind(result).is_none() || !self.types.is_closed(ty) {
                        let span = self.span_of(self.program.ir[ir].at);
                        return self.fit(span, ty, result);
                    }
                    return Ok(());
                }
            }
            Deferred::Name { span, ty, .. } => {
                let (span, ty) = (*span, *ty);
                match self.types.kind(ty) {
                    None => {}
                    Some("str") => return Ok(()),
                    Some(_) => {
                        let concrete = self.types.concrete(ty);
                        let names = crate::types::parse("[]struct{name str; host str}");
                        if names.is_ok_and(|names| names == concrete) {
                            return Ok(());
                        }
                        let wanted = self.types.list(TyId::STR);
                        return self.fit(span, wanted, ty);
                    }
                }
            }
        }
        self.deferred.push(deferred);
        Ok(())
    }

    /// No type may be open.
    fn all_known(&mut self) -> Result<(), Failure> {
        for at in 0..self.constraints.len() {
            let Constraint { expected, subject, span, .. } = self.constraints[at];
            if self.types.is_closed(expected) {
                continue;
            }
            let subject = match subject {
                Subject::Expr(module, expr) => debug::print(&self.modules.at(module).tree, expr),
                Subject::Param(id) => format!("param({})", self.params[id.0 as usize].name),
            };
            let ty = self.types.print(expected);
            let text = format!("expr: {subject} is ambiguous: {ty}");
            let mut failure = Failure::new(Phase::Unify, text, span);
            failure.help = Some("write the type, as in `$x []str = []`".into());
            return Err(failure);
        }
        Ok(())
    }

    /// The requirements of functions and maps on the inferred types.
    fn validate(&mut self) {
        for validation in std::mem::take(&mut self.validations) {
            match validation {
                Validation::Builtin { ir, args } => {
                    let IrKind::Builtin(call) = &self.program.ir[ir].kind else { continue };
                    let (func, shape) = (call.func, call.shape);
                    let Type::Func(solved) = self.types.concrete(shape) else { continue };
                    if let Err(cause) = functions::validate(func, &args, &solved, self.edition) {
                        let name = func.name.rsplit('.').next().unwrap_or(func.name);
                        let text = format!(
                            "error setting type: func() {{ <built-in:{name}> }}, error: {cause}"
                        );
                        let span = self.span_of(self.program.ir[ir].at);
                        self.refuse(text, span);
                    }
                }
                Validation::Map { ir } => self.validate_map(ir),
            }
        }
    }

    fn validate_map(&mut self, ir: IrId) {
        let (ty, at) = (self.program.ir[ir].ty, self.program.ir[ir].at);
        if let Type::Map(pair) = self.types.concrete(ty)
            && !pair.0.is_hashable()
        {
            let map = debug::print(&self.modules.at(at.0).tree, at.1);
            let text = format!(
                "error setting type: {map}, error: map key type {} is not hashable",
                pair.0
            );
            let span = self.span_of(at);
            self.refuse(text, span);
        }
    }

    /// Gives every call its types.
    fn signatures(&mut self) {
        for raw in 0..self.program.ir.len() as u32 {
            let id = IrId::new(raw);
            if let IrKind::List(_) | IrKind::Map(_) | IrKind::Struct(..) = self.program.ir[id].kind
            {
                let ty = self.types.concrete(self.program.ir[id].ty);
                self.program.composites.push((id, ty));
            }
            let IrKind::Builtin(call) = &self.program.ir[id].kind else { continue };
            let Type::Func(signature) = self.types.concrete(call.shape) else { continue };
            if let IrKind::Builtin(call) = &mut self.program.ir[id].kind {
                call.signature = Some(signature);
            }
        }
    }

    /// Gives every definition its type.
    fn def_types(&mut self) {
        // A definition that is not known has the first expression as its value.
        if self.program.ir.is_empty() {
            return;
        }
        for def in &self.program.defs {
            let ty = self.types.concrete(self.program.ir[def.value].ty);
            self.program.def_types.push(ty);
        }
    }
}
