//! Ranges of integers and of sizes.

use std::hash::{Hash, Hasher};

/// An inclusive range. An open end is not the same as the smallest or largest integer: a range with
/// both ends can be counted.
#[derive(Clone, Copy, Debug)]
pub struct IntRange {
    /// Lower end, `i64::MIN` if open.
    pub from: i64,
    /// Upper end, `i64::MAX` if open.
    pub to: i64,
    open_below: bool,
    open_above: bool,
    is_written: bool,
}

/// The range of sizes of a collection or text; `from` is 0 by default.
pub type SizeRange = IntRange;

impl IntRange {
    /// Every integer.
    pub const ANY: Self = Self {
        from: i64::MIN,
        to: i64::MAX,
        open_below: true,
        open_above: true,
        is_written: false,
    };
    /// Every size.
    pub const ANY_SIZE: Self = Self::at_least(0);
    /// Every size, where that is written: `String[0]`. It is equal to the other, and shown.
    pub const WRITTEN_SIZE: Self = Self { is_written: true, ..Self::ANY_SIZE };

    /// The range as an explicitly written one, which is not inferred.
    #[must_use]
    #[inline]
    pub fn written(self) -> Self {
        Self { is_written: true, ..self }
    }

    /// Whether it is written.
    #[inline]
    pub fn is_written(self) -> bool {
        self.is_written
    }

    /// A range with both ends.
    #[inline]
    pub const fn new(from: i64, to: i64) -> Self {
        Self { from, to, open_below: false, open_above: false, is_written: false }
    }

    /// A range without an upper end.
    #[inline]
    pub const fn at_least(from: i64) -> Self {
        Self { from, to: i64::MAX, open_below: false, open_above: true, is_written: false }
    }

    /// A range that is open where there is no end.
    pub fn between(from: Option<i64>, to: Option<i64>) -> Self {
        Self {
            from: from.unwrap_or(i64::MIN),
            to: to.unwrap_or(i64::MAX),
            open_below: from.is_none(),
            open_above: to.is_none(),
            is_written: false,
        }
    }

    /// The lower end, if there is one.
    #[inline]
    pub fn first(self) -> Option<i64> {
        (!self.open_below).then_some(self.from)
    }

    /// The upper end, if there is one.
    #[inline]
    pub fn last(self) -> Option<i64> {
        (!self.open_above).then_some(self.to)
    }

    /// Whether it is every size, and not written.
    #[inline]
    pub fn is_unsaid_size(self) -> bool {
        self == Self::ANY_SIZE && !self.is_written
    }

    /// The range as a range of sizes, which are not negative.
    #[must_use]
    #[inline]
    pub fn of_sizes(self) -> Self {
        Self { from: self.from.max(0), to: self.to.max(0), open_below: false, ..self }
    }

    /// Whether `value` is in the range.
    #[inline]
    pub fn contains(self, value: i64) -> bool {
        self.from <= value && value <= self.to
    }

    /// Whether all of `other` is in the range.
    #[inline]
    pub fn covers(self, other: Self) -> bool {
        let below = self.open_below || !other.open_below && self.from <= other.from;
        let above = self.open_above || !other.open_above && other.to <= self.to;
        below && above
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            open_below: self.open_below || other.open_below,
            open_above: self.open_above || other.open_above,
            is_written: self.is_written && other.is_written,
        }
    }
}

impl PartialEq for IntRange {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.first() == other.first() && self.last() == other.last()
    }
}

impl Eq for IntRange {}

impl Hash for IntRange {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.first().hash(state);
        self.last().hash(state);
    }
}
