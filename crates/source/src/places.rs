//! The way back from a text that was made of another one.

use crate::files::TextRange;

/// Where the bytes of a text come from that was made of another: heredocs without their margin,
/// texts without quotes and escapes. Runs of bytes that were taken over as they are share an entry.
///
/// ```
/// use ordain_source::PlaceMap;
/// // `a\tb` in quotes at byte 10: the tab is two bytes there.
/// let mut map = PlaceMap::default();
/// map.run(0, 11);
/// map.run(2, 14);
/// assert_eq!([0, 1, 2].map(|at| map.place(at)), [11, 12, 14]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PlaceMap {
    /// In order: where a run begins, and where it comes from.
    runs: Vec<(u32, u32)>,
}

impl PlaceMap {
    /// Bytes from `start` on were taken over from `source` on. Runs are told in their order.
    pub fn run(&mut self, start: u32, source: u32) {
        if let Some((last, from)) = self.runs.last_mut() {
            debug_assert!(*last <= start, "runs out of order");
            if *last == start {
                *from = source;
                return;
            }
            if start - *last == source.wrapping_sub(*from) {
                return;
            }
        }
        self.runs.push((start, source));
    }

    /// The source position of a byte. Bytes of a text that is longer than its source, such as an
    /// escape, map to positions from its start up to the start of the next run.
    pub fn place(&self, at: u32) -> u32 {
        let next = self.runs.partition_point(|(start, _)| *start <= at).max(1);
        let Some((start, source)) = self.runs.get(next - 1) else { return at };
        let place = source + at.saturating_sub(*start);
        self.runs.get(next).map_or(place, |(_, end)| place.min(*end))
    }

    /// Where a range comes from: all that is between the places of its ends.
    pub fn range(&self, range: TextRange) -> TextRange {
        let start = self.place(range.start);
        TextRange::new(start, self.place(range.end).max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_go_on_are_one() {
        let mut map = PlaceMap::default();
        assert_eq!(map.place(7), 7);
        map.run(0, 5);
        map.run(3, 8);
        map.run(4, 20);
        map.run(4, 30);
        assert_eq!(map.runs, [(0, 5), (4, 30)]);
        assert_eq!(map.range(TextRange::new(3, 6)), TextRange::new(8, 32));
    }

    #[test]
    fn what_became_longer_does_not_reach_over_the_next() {
        let mut map = PlaceMap::default();
        map.run(0, 1);
        map.run(4, 3);
        assert_eq!((map.place(3), map.place(4)), (3, 3));
    }
}
