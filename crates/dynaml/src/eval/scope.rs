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

/// The names of a frame.
pub type Names = Vec<(EcoString, Bound)>;

/// The frames around an expression.
#[derive(Clone, Debug, Default)]
pub enum Scope {
    /// None.
    #[default]
    Empty,
    /// These, and those behind them.
    Frames(Rc<Link>),
    /// Those around the call that made this frame.
    Caller(Rc<Link>),
    /// Both, the former before the latter.
    Both(Rc<Link>),
}

/// Frames.
#[derive(Debug)]
pub enum Link {
    /// Names, and behind them other frames.
    Frame(Names, Scope),
    /// A lambda that is called.
    Call(Called),
    /// All frames of the first, then those of the second.
    Join(Scope, Scope),
}

/// The names of a lambda that is called.
#[derive(Debug)]
pub struct Called {
    /// Its parameters.
    names: Names,
    /// What `_` means.
    own: Bound,
    /// What it has captured.
    captured: Scope,
    /// The frames around the call.
    around: Scope,
}

/// A frame for a call that is about to be made.
#[derive(Debug)]
pub(crate) struct CallFrame(Rc<Link>);

impl CallFrame {
    /// A frame without names.
    pub(crate) fn new() -> Self {
        Self::of(Names::new())
    }

    /// A frame with names.
    pub(crate) fn of(names: Names) -> Self {
        let own = Bound::from(Value::Null);
        let (captured, around) = (Scope::Empty, Scope::Empty);
        Self(Rc::new(Link::Call(Called { names, own, captured, around })))
    }

    /// Adds a name.
    #[inline]
    pub(crate) fn push(&mut self, name: EcoString, bound: Bound) {
        if let Some(Link::Call(called)) = Rc::get_mut(&mut self.0) {
            called.names.push((name, bound));
        }
    }

    /// The frames of the lambda that is called, and those around the call: `own` is the lambda, with
    /// what it has captured.
    #[inline]
    pub(crate) fn enter(mut self, own: Bound, captured: &Scope, around: Scope) -> (Scope, Scope) {
        if let Some(Link::Call(called)) = Rc::get_mut(&mut self.0) {
            called.own = own;
            called.captured = captured.clone();
            called.around = around;
        }
        (Scope::Frames(Rc::clone(&self.0)), Scope::Caller(self.0))
    }

    /// The frame of a call that was made, for another one, if nobody has it any more.
    #[inline]
    pub(crate) fn leave(locals: Scope, caller: Scope) -> Option<Self> {
        drop(caller);
        let Scope::Frames(mut link) = locals else { return None };
        let Some(Link::Call(called)) = Rc::get_mut(&mut link) else { return None };
        called.names.clear();
        called.own = Bound::from(Value::Null);
        called.captured = Scope::Empty;
        called.around = Scope::Empty;
        Some(Self(link))
    }
}

/// The names of one frame.
#[derive(Clone, Copy)]
struct Frame<'s> {
    names: &'s [(EcoString, Bound)],
    own: Option<&'s Bound>,
}

impl<'s> Frame<'s> {
    /// What a name stands for; the last one counts.
    #[inline]
    fn find(self, name: &str) -> Option<&'s Bound> {
        if name == "_" && self.own.is_some() {
            return self.own;
        }
        let found = self.names.iter().rev().find(|(other, _)| is_same(other, name));
        found.map(|(_, bound)| bound)
    }
}

impl<'s> From<&'s Names> for Frame<'s> {
    #[inline]
    fn from(names: &'s Names) -> Self {
        Self { names, own: None }
    }
}

impl<'s> From<&'s Called> for Frame<'s> {
    #[inline]
    fn from(called: &'s Called) -> Self {
        Self { names: &called.names, own: Some(&called.own) }
    }
}

impl Scope {
    /// These names, and behind them all others.
    #[must_use]
    pub fn with(&self, names: Names) -> Self {
        Self::Frames(Rc::new(Link::Frame(names, self.clone())))
    }

    /// All names of this scope, and behind them those of another.
    #[must_use]
    pub fn before(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Empty, _) => other.clone(),
            (_, Self::Empty) => self.clone(),
            (Self::Frames(a), Self::Frames(b)) if Rc::ptr_eq(a, b) => self.clone(),
            (Self::Frames(a), Self::Caller(b)) if Rc::ptr_eq(a, b) => Self::Both(Rc::clone(a)),
            _ => Self::Frames(Rc::new(Link::Join(self.clone(), other.clone()))),
        }
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// What a name stands for.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Bound> {
        if let Self::Frames(link) | Self::Both(link) = self
            && let Link::Call(called) = &**link
            && let Some(found) = Frame::from(called).find(name)
        {
            return Some(found);
        }
        self.search(name)
    }

    fn search(&self, name: &str) -> Option<&Bound> {
        self.frames().find_map(|frame| frame.find(name))
    }

    /// The frames, innermost first.
    fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        let mut todo: Vec<&Self> = Vec::new();
        let mut at = self;
        std::iter::from_fn(move || {
            loop {
                let (Self::Frames(link) | Self::Caller(link) | Self::Both(link)) = at else {
                    at = todo.pop()?;
                    continue;
                };
                match (at, &**link) {
                    (Self::Caller(_), Link::Call(called)) => at = &called.around,
                    (Self::Both(_), Link::Call(called)) => {
                        todo.push(&called.around);
                        at = &called.captured;
                        return Some(called.into());
                    }
                    (_, Link::Call(called)) => {
                        at = &called.captured;
                        return Some(called.into());
                    }
                    (_, Link::Frame(names, next)) => {
                        at = next;
                        return Some(names.into());
                    }
                    (_, Link::Join(first, second)) => {
                        todo.push(second);
                        at = first;
                    }
                }
            }
        })
    }

    /// All names with what they stand for, of equal ones the outer ones first.
    pub(crate) fn entries(&self) -> Vec<(EcoString, Bound)> {
        let mut out = Vec::new();
        for frame in self.frames() {
            out.extend(frame.own.map(|own| ("_".into(), own.clone())));
            out.extend(frame.names.iter().rev().cloned());
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
        self.frames().filter_map(|frame| frame.find(name)).last()
    }

    /// Takes the frames out.
    fn take(&mut self) -> Option<Rc<Link>> {
        match std::mem::take(self) {
            Self::Empty => None,
            Self::Frames(link) | Self::Caller(link) | Self::Both(link) => Some(link),
        }
    }

    /// Whether others have these frames as well.
    fn is_shared(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Frames(link) | Self::Caller(link) | Self::Both(link) => {
                Rc::strong_count(link) > 1
            }
        }
    }
}

/// Whether two names are equal. Names are short, so that a call for comparing them is not worth it.
#[inline]
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| a == b)
}

impl Link {
    /// Whether nothing is behind it that only it knows.
    fn is_last(&self) -> bool {
        match self {
            Self::Frame(_, next) => next.is_shared(),
            Self::Join(a, b) => a.is_shared() && b.is_shared(),
            Self::Call(called) => called.captured.is_shared() && called.around.is_shared(),
        }
    }

    fn take(&mut self, todo: &mut Vec<Rc<Self>>) {
        match self {
            Self::Frame(_, next) => todo.extend(next.take()),
            Self::Join(a, b) => todo.extend(a.take().into_iter().chain(b.take())),
            Self::Call(called) => {
                let behind = called.captured.take().into_iter();
                todo.extend(behind.chain(called.around.take()));
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
