//! Loops, `case` and exceptions.

use std::rc::Rc;

use super::error::{Eval, Unwind};
use super::{Frame, Interp};
use crate::class::Class;
use crate::host::HOST_CLASS;
use crate::syntax::{Begin, Binary, Case, Expr, Kind, Rescue, Target};
use crate::value::{Exception, Value};

/// The outcome of an iteration of a loop.
enum LoopStep {
    GoOn,
    Stop(Value),
}

impl Interp<'_> {
    /// Runs an iteration of a loop without a block, to which `break` and `next` belong.
    fn round(&mut self, f: &Frame, body: &Expr) -> Eval<LoopStep> {
        self.steps(1)?;
        match self.eval(f, body) {
            Ok(_) => Ok(LoopStep::GoOn),
            Err(unwind) => match *unwind {
                Unwind::Next(_) => Ok(LoopStep::GoOn),
                Unwind::Break(home, value) if home == f.home => Ok(LoopStep::Stop(value)),
                other => Err(Box::new(other)),
            },
        }
    }

    pub(super) fn while_loop(
        &mut self,
        f: &Frame,
        condition: &Expr,
        body: &Expr,
        until: bool,
        body_first: bool,
    ) -> Eval {
        let mut skip_test = body_first;
        loop {
            if !skip_test && self.eval(f, condition)?.truthy() == until {
                return Ok(Value::Nil);
            }
            skip_test = false;
            if let LoopStep::Stop(value) = self.round(f, body)? {
                return Ok(value);
            }
        }
    }

    pub(super) fn for_loop(
        &mut self,
        f: &Frame,
        target: &Target,
        items: &Expr,
        body: &Expr,
        line: u32,
    ) -> Eval {
        let items = self.eval(f, items)?;
        self.line = line;
        let mut result = None;
        self.each(&items, &mut |this, item| {
            this.assign(f, target, item)?;
            match this.round(f, body)? {
                LoopStep::GoOn => Ok(true),
                LoopStep::Stop(value) => {
                    result = Some(value);
                    Ok(false)
                }
            }
        })?;
        Ok(result.unwrap_or(items))
    }

    pub(super) fn case(&mut self, f: &Frame, case: &Case) -> Eval {
        let subject = match &case.subject {
            Some(subject) => Some(self.eval(f, subject)?),
            None => None,
        };
        for (values, body) in &case.branches {
            for value in values {
                if self.when(f, value, subject.as_ref())? {
                    return self.eval(f, body);
                }
            }
        }
        case.otherwise.as_ref().map_or(Ok(Value::Nil), |body| self.eval(f, body))
    }

    fn when(&mut self, f: &Frame, value: &Expr, subject: Option<&Value>) -> Eval<bool> {
        let candidates = match &value.kind {
            Kind::Splat(inner) => self.splat(f, inner)?,
            _ => vec![self.eval(f, value)?],
        };
        self.line = value.line;
        for candidate in candidates {
            let matches = match subject {
                Some(subject) => self.operate(Binary::Same, &candidate, subject)?.truthy(),
                None => candidate.truthy(),
            };
            if matches {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn begin(&mut self, f: &Frame, begin: &Begin) -> Eval {
        let result = self.rescued(f, begin);
        if let Some(ensure) = &begin.ensure {
            self.eval(f, ensure)?;
        }
        result
    }

    fn rescued(&mut self, f: &Frame, begin: &Begin) -> Eval {
        loop {
            let unwind = match self.eval(f, &begin.body) {
                Ok(value) => {
                    return match &begin.otherwise {
                        Some(otherwise) => self.eval(f, otherwise),
                        None => Ok(value),
                    };
                }
                Err(unwind) => unwind,
            };
            let Unwind::Raise(exception) = &*unwind else { return Err(unwind) };
            let exception = Rc::clone(exception);
            let mut handler = None;
            for rescue in &begin.rescues {
                if self.rescues(f, rescue, &exception)? {
                    handler = Some(rescue);
                    break;
                }
            }
            let Some(rescue) = handler else { return Err(unwind) };
            self.steps(10)?;
            let outer = self.last_error.replace(Rc::clone(&exception));
            if let Some(target) = &rescue.target {
                self.assign(f, target, Value::Exception(exception))?;
            }
            let result = self.eval(f, &rescue.body);
            self.last_error = outer;
            match result {
                Err(unwind) if matches!(*unwind, Unwind::Retry) => {}
                other => return other,
            }
        }
    }

    fn rescues(&mut self, f: &Frame, rescue: &Rescue, exception: &Exception) -> Eval<bool> {
        if rescue.classes.is_empty() {
            return Ok(exception.class.is_a(Class::STANDARD_ERROR));
        }
        for class in &rescue.classes {
            let classes = match &class.kind {
                Kind::Splat(inner) => self.splat(f, inner)?,
                _ => vec![self.eval(f, class)?],
            };
            for class in classes {
                match class {
                    Value::Class(class) if exception.class.is_a(class) => return Ok(true),
                    Value::Class(_) => {}
                    Value::Foreign(class) if class.class == HOST_CLASS => {
                        let known = match &exception.class_name {
                            Some(raised) => self.host.is_exception(raised, &class.text),
                            None => Some(false),
                        };
                        match known {
                            Some(true) => return Ok(true),
                            Some(false) => {}
                            None => return self.unsupported(format!("the class {}", class.text)),
                        }
                    }
                    _ => {
                        let text = "class or module required for rescue clause";
                        return self.raise(Class::TYPE_ERROR, text);
                    }
                }
            }
        }
        Ok(false)
    }
}
