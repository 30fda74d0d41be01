//! Iterates over the items of values.

use std::cell::RefCell;
use std::rc::Rc;

use super::Interp;
use super::args::Args;
use super::error::Eval;
use crate::class::Class;
use crate::value::{Enumerator, Proc, ProcBody, Range, Value};

/// Takes an item and tells whether it wants more.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&mut Interp<'_>, Value) -> Eval<bool>;

impl Interp<'_> {
    /// Visits the items of a value until the visitor has enough.
    pub(crate) fn each(&mut self, value: &Value, visit: Visit<'_>) -> Eval<()> {
        match value {
            Value::Array(array) => {
                let mut at = 0;
                while let Some(item) = array.at(at) {
                    self.steps(1)?;
                    if !visit(self, item)? {
                        break;
                    }
                    at += 1;
                }
                Ok(())
            }
            Value::Hash(hash) => {
                for (key, value) in hash.pairs() {
                    self.steps(1)?;
                    if !visit(self, Value::array(vec![key, value]))? {
                        break;
                    }
                }
                Ok(())
            }
            Value::Range(range) => self.each_in_range(range, visit),
            Value::Enumerator(_) => {
                let items = self.collect(value)?;
                self.each(&Value::array(items), visit)
            }
            other => self.no_method(other, "each").map(drop),
        }
    }

    fn each_in_range(&mut self, range: &Range, visit: Visit<'_>) -> Eval<()> {
        match (&range.low, &range.high) {
            (Value::Int(low), Value::Int(_) | Value::Nil | Value::Float(_)) => {
                let high = match &range.high {
                    Value::Int(high) if range.is_open => *high,
                    Value::Int(high) => high.saturating_add(1),
                    Value::Float(high) => {
                        let whole = high.floor() as i64;
                        if range.is_open && high.fract() == 0.0 {
                            whole
                        } else {
                            whole.saturating_add(1)
                        }
                    }
                    _ => i64::MAX,
                };
                for n in *low..high {
                    self.steps(1)?;
                    if !visit(self, Value::Int(n))? {
                        break;
                    }
                }
                Ok(())
            }
            (Value::Str(low), Value::Str(high)) => {
                let (low, high) = (low.get(), high.get());
                for text in ordain_functions::text::range(&low, &high, range.is_open) {
                    let text = self.text(text)?;
                    self.steps(1)?;
                    if !visit(self, text)? {
                        break;
                    }
                }
                Ok(())
            }
            (low, _) => {
                let text = format!("can't iterate from {}", self.class_name(low));
                self.raise(Class::TYPE_ERROR, text)
            }
        }
    }

    /// The items of a value.
    pub(crate) fn collect(&mut self, value: &Value) -> Eval<Vec<Value>> {
        let mut out = Vec::new();
        match value {
            Value::Array(array) => {
                self.charge_items(array.len())?;
                return Ok(array.get());
            }
            Value::Enumerator(value) => {
                let items = Rc::new(RefCell::new(Vec::new()));
                self.run_enumerator(value, ProcBody::Collect(Rc::clone(&items)))?;
                return Ok(items.take());
            }
            _ => {}
        }
        self.each(value, &mut |i, item| {
            i.charge_items(1)?;
            out.push(item);
            Ok(true)
        })?;
        Ok(out)
    }

    /// Runs the method of an enumerator with a block of the interpreter.
    pub(crate) fn run_enumerator(&mut self, enumerator: &Enumerator, body: ProcBody) -> Eval {
        self.run_enumerator_with(enumerator, Rc::new(Proc { body, is_lambda: true }))
    }

    /// Runs the method of an enumerator with a block.
    pub(crate) fn run_enumerator_with(&mut self, enumerator: &Enumerator, block: Rc<Proc>) -> Eval {
        let Enumerator { receiver, method, args } = enumerator;
        let args = Args { list: args.clone(), block: Some(block), has_keywords: false };
        self.dispatch(receiver, method, args)
    }

    /// Whether a value is between the ends of a range.
    pub(crate) fn covers(&mut self, range: &Range, value: &Value) -> Eval<bool> {
        if !range.low.is_nil() && !self.try_compare(&range.low, value)?.is_some_and(|o| o.is_le()) {
            return Ok(false);
        }
        if range.high.is_nil() {
            return Ok(true);
        }
        let high = self.try_compare(value, &range.high)?;
        Ok(high.is_some_and(|o| if range.is_open { o.is_lt() } else { o.is_le() }))
    }
}
