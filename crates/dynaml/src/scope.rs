//! Names that are bound during the evaluation of an expression: a list of frames, innermost first.

use std::rc::Rc;

use ecow::EcoString;

/// The names of a frame with their values of type `B`.
pub type Names<B> = Vec<(EcoString, B)>;

/// The frames around an expression.
#[derive(Debug, Default)]
pub enum Scope<B> {
    /// None.
    #[default]
    Empty,
    /// These, and those behind them.
    Frames(Rc<Link<B>>),
    /// The frames around the call that created this frame.
    Caller(Rc<Link<B>>),
    /// Both, the former before the latter.
    Both(Rc<Link<B>>),
}

/// Frames.
#[derive(Debug)]
pub enum Link<B> {
    /// Names, and behind them other frames.
    Frame(Names<B>, Scope<B>),
    /// A lambda that is called.
    Call(CallNames<B>),
    /// All frames of the first scope, then those of the second.
    Join(Scope<B>, Scope<B>),
}

/// The names of a lambda that is called.
#[derive(Debug)]
pub struct CallNames<B> {
    /// Its parameters.
    names: Names<B>,
    /// The meaning of `_`.
    own: B,
    /// Its captured names.
    captured: Scope<B>,
    /// The frames around the call.
    around: Scope<B>,
}

/// A frame for the next call.
#[derive(Debug)]
pub(crate) struct CallFrame<B>(Rc<Link<B>>);

impl<B: Default> CallFrame<B> {
    /// A frame without names.
    pub(crate) fn new() -> Self {
        Self::of(Names::new())
    }

    /// A frame with names.
    pub(crate) fn of(names: Names<B>) -> Self {
        let own = B::default();
        let (captured, around) = (Scope::Empty, Scope::Empty);
        Self(Rc::new(Link::Call(CallNames { names, own, captured, around })))
    }

    /// Adds a name.
    #[inline]
    pub(crate) fn push(&mut self, name: EcoString, bound: B) {
        if let Some(Link::Call(called)) = Rc::get_mut(&mut self.0) {
            called.names.push((name, bound));
        }
    }

    /// The frames of the called lambda, and those around the call: `own` is the lambda with its
    /// captured names.
    #[inline]
    pub(crate) fn enter(
        mut self,
        own: B,
        captured: &Scope<B>,
        around: Scope<B>,
    ) -> (Scope<B>, Scope<B>) {
        if let Some(Link::Call(called)) = Rc::get_mut(&mut self.0) {
            called.own = own;
            called.captured = captured.clone();
            called.around = around;
        }
        (Scope::Frames(Rc::clone(&self.0)), Scope::Caller(self.0))
    }

    /// The frame of a finished call, for reuse if nothing refers to it any more.
    #[inline]
    pub(crate) fn leave(locals: Scope<B>, caller: Scope<B>) -> Option<Self> {
        drop(caller);
        let Scope::Frames(mut link) = locals else { return None };
        let Some(Link::Call(called)) = Rc::get_mut(&mut link) else { return None };
        called.names.clear();
        called.own = B::default();
        called.captured = Scope::Empty;
        called.around = Scope::Empty;
        Some(Self(link))
    }
}

/// The names of one frame.
struct Frame<'s, B> {
    names: &'s [(EcoString, B)],
    own: Option<&'s B>,
}

impl<'s, B> Frame<'s, B> {
    /// The value of a name; the last one wins.
    #[inline]
    fn find(self, name: &str) -> Option<&'s B> {
        if name == "_" && self.own.is_some() {
            return self.own;
        }
        let found = self.names.iter().rev().find(|(other, _)| is_same(other, name));
        found.map(|(_, bound)| bound)
    }
}

impl<'s, B> From<&'s Names<B>> for Frame<'s, B> {
    #[inline]
    fn from(names: &'s Names<B>) -> Self {
        Self { names, own: None }
    }
}

impl<'s, B> From<&'s CallNames<B>> for Frame<'s, B> {
    #[inline]
    fn from(called: &'s CallNames<B>) -> Self {
        Self { names: &called.names, own: Some(&called.own) }
    }
}

impl<B> Clone for Scope<B> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Self::Empty => Self::Empty,
            Self::Frames(link) => Self::Frames(Rc::clone(link)),
            Self::Caller(link) => Self::Caller(Rc::clone(link)),
            Self::Both(link) => Self::Both(Rc::clone(link)),
        }
    }
}

impl<B> Scope<B> {
    /// These names in front of all others.
    #[must_use]
    pub fn with(&self, names: Names<B>) -> Self {
        Self::Frames(Rc::new(Link::Frame(names, self.clone())))
    }

    /// All names of this scope in front of those of another.
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

    /// The value of a name.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&B> {
        if let Self::Frames(link) | Self::Both(link) = self
            && let Link::Call(called) = &**link
            && let Some(found) = Frame::from(called).find(name)
        {
            return Some(found);
        }
        self.search(name)
    }

    fn search(&self, name: &str) -> Option<&B> {
        self.frames().find_map(|frame| frame.find(name))
    }

    /// The frames, innermost first.
    fn frames(&self) -> impl Iterator<Item = Frame<'_, B>> {
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

    /// All names with their values, outer ones first among equal names.
    pub(crate) fn entries(&self) -> Vec<(EcoString, B)>
    where
        B: Clone,
    {
        let mut out = Vec::new();
        for frame in self.frames() {
            out.extend(frame.own.map(|own| ("_".into(), own.clone())));
            out.extend(frame.names.iter().rev().cloned());
        }
        out.reverse();
        out
    }

    /// The outermost frame's value of a name.
    pub fn outermost(&self, name: &str) -> Option<&B> {
        self.frames().filter_map(|frame| frame.find(name)).last()
    }

    /// Takes the frames out.
    fn take(&mut self) -> Option<Rc<Link<B>>> {
        match std::mem::take(self) {
            Self::Empty => None,
            Self::Frames(link) | Self::Caller(link) | Self::Both(link) => Some(link),
        }
    }

    /// Whether these frames are shared.
    fn is_shared(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Frames(link) | Self::Caller(link) | Self::Both(link) => {
                Rc::strong_count(link) > 1
            }
        }
    }
}

/// Whether two names are equal. Names are short, so that a library call is not worth it.
#[inline]
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| a == b)
}

impl<B> Link<B> {
    /// Whether no unshared frame follows.
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

impl<B> Drop for Link<B> {
    /// Long chains are freed iteratively, because recursive drops would need a deep stack.
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
