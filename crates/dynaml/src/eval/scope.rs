//! Names that are bound while an expression is evaluated: a list of frames, innermost first.

use std::rc::Rc;

use ecow::EcoString;

use super::tree::InstId;
use crate::value::{Item, Value};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A value.
    Value(Item),
    /// A node that is evaluated when it is needed.
    Node(InstId),
}

impl From<Value> for Bound {
    fn from(value: Value) -> Self {
        Self::Value(value.into())
    }
}

/// The frames around an expression.
#[derive(Clone, Debug, Default)]
pub struct Scope(Option<Rc<Link>>);

#[derive(Debug)]
enum Link {
    Frame(Vec<(EcoString, Bound)>, Scope),
    /// All frames of the first, then those of the second.
    Join(Scope, Scope),
}

impl Scope {
    /// These names, and behind them all others.
    #[must_use]
    pub fn with(&self, names: Vec<(EcoString, Bound)>) -> Self {
        Self(Some(Rc::new(Link::Frame(names, self.clone()))))
    }

    /// All names of this scope, and behind them those of another.
    #[must_use]
    pub fn before(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => self.clone(),
            _ => Self(Some(Rc::new(Link::Join(self.clone(), other.clone())))),
        }
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Bound> {
        let mut todo: Vec<&Self> = Vec::new();
        let mut at = self;
        loop {
            match at.0.as_deref() {
                Some(Link::Frame(names, next)) => {
                    if let Some((_, bound)) = names.iter().rev().find(|(n, _)| n == name) {
                        return Some(bound);
                    }
                    at = next;
                }
                Some(Link::Join(first, second)) => {
                    todo.push(second);
                    at = first;
                }
                None => at = todo.pop()?,
            }
        }
    }

    /// All names with what they stand for, of equal ones the outer ones first.
    pub(crate) fn entries(&self) -> Vec<(EcoString, Bound)> {
        let mut out = Vec::new();
        let mut todo: Vec<&Self> = vec![self];
        while let Some(at) = todo.pop() {
            match at.0.as_deref() {
                Some(Link::Frame(names, next)) => {
                    out.extend(names.iter().rev().cloned());
                    todo.push(next);
                }
                Some(Link::Join(first, second)) => {
                    todo.push(second);
                    todo.push(first);
                }
                None => {}
            }
        }
        out.reverse();
        out
    }

    /// The values of all names that have one.
    pub fn names(&self) -> Vec<(EcoString, Item)> {
        let value = |(name, bound)| match bound {
            Bound::Value(item) => Some((name, item)),
            Bound::Node(_) => None,
        };
        self.entries().into_iter().filter_map(value).collect()
    }

    /// The outermost frame's value of a name.
    pub fn outermost(&self, name: &str) -> Option<&Bound> {
        let mut found = None;
        let mut todo: Vec<&Self> = vec![self];
        while let Some(at) = todo.pop() {
            match at.0.as_deref() {
                Some(Link::Frame(names, next)) => {
                    found = names.iter().rev().find(|(n, _)| n == name).map(|(_, b)| b).or(found);
                    todo.push(next);
                }
                Some(Link::Join(first, second)) => {
                    todo.push(second);
                    todo.push(first);
                }
                None => {}
            }
        }
        found
    }
}

impl Link {
    /// Whether nothing is behind it that only it knows.
    fn is_last(&self) -> bool {
        let kept = |s: &Scope| s.0.as_ref().is_none_or(|rc| Rc::strong_count(rc) > 1);
        match self {
            Self::Frame(_, next) => kept(next),
            Self::Join(a, b) => kept(a) && kept(b),
        }
    }

    fn take(&mut self, todo: &mut Vec<Rc<Self>>) {
        match self {
            Self::Frame(_, next) => todo.extend(next.0.take()),
            Self::Join(a, b) => {
                todo.extend(a.0.take());
                todo.extend(b.0.take());
            }
        }
    }
}

impl Drop for Link {
    /// Long chains are taken apart one by one: dropping them in one go would need a deep stack.
    fn drop(&mut self) {
        if self.is_last() {
            return;
        }
        let mut todo = Vec::new();
        self.take(&mut todo);
        while let Some(rc) = todo.pop() {
            if let Ok(mut link) = Rc::try_unwrap(rc) {
                link.take(&mut todo);
            }
        }
    }
}
