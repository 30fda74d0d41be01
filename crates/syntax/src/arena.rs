//! Arenas with typed 32-bit ids: trees are vectors, immutable once built, and freed at once.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The id of a `T` in its [`Arena`].
pub struct Idx<T> {
    raw: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> Idx<T> {
    /// The id with this number.
    pub const fn new(raw: u32) -> Self {
        Self { raw, marker: PhantomData }
    }

    /// Its number.
    pub const fn raw(self) -> u32 {
        self.raw
    }
}

impl<T> Clone for Idx<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Idx<T> {}

impl<T> PartialEq for Idx<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Eq for Idx<T> {}

impl<T> Hash for Idx<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl<T> fmt::Debug for Idx<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.raw)
    }
}

/// A run of consecutive values in an [`Arena`].
pub struct ListRef<T> {
    start: u32,
    len: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> ListRef<T> {
    /// The empty run.
    pub const EMPTY: Self = Self { start: 0, len: 0, marker: PhantomData };

    /// The number of its first value.
    pub const fn start(self) -> u32 {
        self.start
    }

    /// The number of values.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Default for ListRef<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> Clone for ListRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListRef<T> {}

impl<T> PartialEq for ListRef<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}

impl<T> Eq for ListRef<T> {}

impl<T> fmt::Debug for ListRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}+{}", self.start, self.len)
    }
}

/// Values with typed ids. The id type `K` is a separate type where modules use the ids without
/// depending on the values.
#[derive(Clone, Debug)]
pub struct Arena<T, K = T> {
    items: Vec<T>,
    marker: PhantomData<fn() -> K>,
}

impl<T, K> Default for Arena<T, K> {
    fn default() -> Self {
        Self { items: Vec::new(), marker: PhantomData }
    }
}

impl<T, K> Arena<T, K> {
    /// Reserves room for this many more values.
    pub fn reserve(&mut self, count: usize) {
        self.items.reserve(count);
    }

    /// Adds a value.
    pub fn push(&mut self, item: T) -> Idx<K> {
        self.items.push(item);
        Idx::new(self.items.len() as u32 - 1)
    }

    /// Adds consecutive values.
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) -> ListRef<K> {
        let start = self.items.len() as u32;
        self.items.extend(items);
        ListRef { start, len: self.items.len() as u32 - start, marker: PhantomData }
    }

    /// The values of a run.
    pub fn list(&self, list: ListRef<K>) -> &[T] {
        &self.items[list.start as usize..(list.start + list.len) as usize]
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All values with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Idx<K>, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (Idx::new(i as u32), t))
    }
}

impl<T, K> Index<Idx<K>> for Arena<T, K> {
    type Output = T;

    fn index(&self, id: Idx<K>) -> &T {
        &self.items[id.raw as usize]
    }
}

impl<T, K> IndexMut<Idx<K>> for Arena<T, K> {
    fn index_mut(&mut self, id: Idx<K>) -> &mut T {
        &mut self.items[id.raw as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_consecutive() {
        let mut arena: Arena<&str> = Arena::default();
        let a = arena.push("a");
        let run = arena.extend(["b", "c"]);
        assert_eq!(arena[a], "a");
        assert_eq!(arena.list(run), ["b", "c"]);
        assert_eq!(arena.list(ListRef::EMPTY), [""; 0]);
    }
}
