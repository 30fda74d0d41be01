//! The arguments of calls.

use std::rc::Rc;

use crate::value::{Proc, Value};

/// The arguments of a call.
#[derive(Default, Clone)]
pub(crate) struct Args {
    pub list: Vec<Value>,
    pub block: Option<Rc<Proc>>,
    /// Whether the last argument was written as keywords.
    pub has_keywords: bool,
}

impl Args {
    pub(crate) fn get(&self, i: usize) -> Value {
        self.list.get(i).cloned().unwrap_or_default()
    }

    pub(crate) fn opt(&self, i: usize) -> Option<&Value> {
        self.list.get(i)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}
