//! Blocks, conditions, case and selector.

use ordain_syntax::ListRef;

use crate::error::EvalResult;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::syntax::{CaseOption, Expr, ExprId, ExprList};
use crate::types::refusal::answered;
use crate::value::{Value, compare};

impl Compiler<'_> {
    /// Evaluates statements in order; returns the value of the last one.
    pub(crate) fn eval_block(&mut self, f: &Frame, statements: ExprList) -> EvalResult {
        let Some((&last, before)) = f.program.list(statements).split_last() else {
            return Ok(Value::Undef);
        };
        for &statement in before {
            self.run_statement(f, statement)?;
        }
        self.eval(f, last)
    }

    /// Evaluates a statement whose value is not used.
    pub(crate) fn run_statement(&mut self, f: &Frame, id: ExprId) -> EvalResult<()> {
        match &f.program[id] {
            Expr::Resource { form, kind, bodies } => {
                self.step(f, id, |c| c.declare_all(f, id, *form, *kind, *bodies, drop))
            }
            Expr::Block(statements) => self.step(f, id, |c| {
                let mut statements = f.program.list(*statements).iter();
                statements.try_for_each(|&statement| c.run_statement(f, statement))
            }),
            _ => self.eval(f, id).map(drop),
        }
    }

    /// Evaluates a body whose value is only checked. A last statement that declares resources gives
    /// references, which are always accepted.
    pub(crate) fn run_last(&mut self, f: &Frame, id: ExprId) -> EvalResult {
        match &f.program[id] {
            Expr::Resource { .. } => self.run_statement(f, id).map(|()| Value::Undef),
            Expr::Block(statements) => self.step(f, id, |c| {
                let Some((&last, before)) = f.program.list(*statements).split_last() else {
                    return Ok(Value::Undef);
                };
                before.iter().try_for_each(|&statement| c.run_statement(f, statement))?;
                c.run_last(f, last)
            }),
            _ => self.eval(f, id),
        }
    }

    /// Runs `body`, and drops the groups of its matches afterwards.
    pub(crate) fn guarded<T>(
        &mut self,
        f: &Frame,
        body: impl FnOnce(&mut Self) -> EvalResult<T>,
    ) -> EvalResult<T> {
        let depth = self.scopes.get(f.scope).matches.len();
        let result = body(self);
        self.scopes.get_mut(f.scope).matches.truncate(depth);
        result
    }

    pub(crate) fn eval_if(
        &mut self,
        f: &Frame,
        test: ExprId,
        then: ExprId,
        other: ExprId,
        wanted: bool,
    ) -> EvalResult {
        self.guarded(f, |c| {
            let taken = c.eval(f, test)?.is_true() == wanted;
            c.note_branch(f, test, u32::from(!taken));
            c.eval(f, if taken { then } else { other })
        })
    }

    pub(crate) fn eval_case(
        &mut self,
        f: &Frame,
        test: ExprId,
        options: ListRef<CaseOption>,
    ) -> EvalResult {
        self.guarded(f, |c| {
            let value = c.eval(f, test)?;
            let chosen = c.choose(f, &value, options)?;
            c.note_option(f, test, options, chosen);
            match chosen {
                Some(then) => c.eval(f, then),
                None => Ok(Value::Undef),
            }
        })
    }

    pub(crate) fn eval_selector(
        &mut self,
        f: &Frame,
        id: ExprId,
        test: ExprId,
        options: ListRef<CaseOption>,
    ) -> EvalResult {
        self.guarded(f, |c| {
            let value = c.eval(f, test)?;
            if let Some(then) = c.choose(f, &value, options)? {
                c.note_option(f, test, options, Some(then));
                return c.eval(f, then);
            }
            let shown = crate::types::format::ruby_text(&value);
            let text = format!("No matching entry for selector parameter with value '{shown}'");
            Err(c.error(f, id, "UNMATCHED_SELECTOR", text))
        })
    }

    /// Notes a branch for coverage, if it is measured.
    fn note_branch(&self, f: &Frame, test: ExprId, number: u32) {
        if let Some(used) = &self.settings.used {
            used.note_branch((f.program.span(test), number));
        }
    }

    fn note_option(
        &self,
        f: &Frame,
        test: ExprId,
        options: ListRef<CaseOption>,
        chosen: Option<ExprId>,
    ) {
        if self.settings.used.is_some() {
            let options = f.program.options(options);
            let at = options.iter().position(|option| Some(option.then) == chosen);
            self.note_branch(f, test, at.unwrap_or(options.len()) as u32);
        }
    }

    /// The body of the first matching option, else that of the default, which may be anywhere.
    fn choose(
        &mut self,
        f: &Frame,
        value: &Value,
        options: ListRef<CaseOption>,
    ) -> EvalResult<Option<ExprId>> {
        let mut default = None;
        for option in f.program.options(options) {
            for &candidate in f.program.list(option.values) {
                let mut bare = candidate;
                while let Expr::Paren(inner) = f.program[bare] {
                    bare = inner;
                }
                let fits = match f.program[bare] {
                    Expr::Default => {
                        default = Some(option.then);
                        false
                    }
                    Expr::Splat(inner) => {
                        let items = self.eval_unfolded(f, inner)?;
                        self.any_fits(f, value, &items)?
                    }
                    _ => {
                        let item = self.eval(f, candidate)?;
                        self.any_fits(f, value, std::slice::from_ref(&item))?
                    }
                };
                if fits {
                    return Ok(Some(option.then));
                }
            }
        }
        Ok(default)
    }

    fn any_fits(&mut self, f: &Frame, value: &Value, items: &[Value]) -> EvalResult<bool> {
        for item in items {
            let outcome = answered(|| compare::case_matches(item, value))?;
            self.set_matches(f.scope, outcome.groups);
            if outcome.matched {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
