//! Maps positions of a derived text back to its source.

use crate::files::TextRange;

/// The source positions of a derived text, such as a heredoc without its margin, or a string
/// without quotes and escapes. Consecutive copied bytes share an entry.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PlaceMap {
    /// In order: the start of each run, and its source position.
    runs: Vec<(u32, u32)>,
}

impl PlaceMap {
    /// Records that the bytes from `start` on were copied from `source` on. Runs must be added in
    /// order.
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

    /// The source position of a byte. Where the text is longer than its source, as for an escape,
    /// positions are clamped to the start of the next run.
    pub fn place(&self, at: u32) -> u32 {
        let next = self.runs.partition_point(|(start, _)| *start <= at).max(1);
        let Some((start, source)) = self.runs.get(next - 1) else { return at };
        let place = source + at.saturating_sub(*start);
        self.runs.get(next).map_or(place, |(_, end)| place.min(*end))
    }

    /// The source range of a range: everything between the source positions of its ends.
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
    fn longer_texts_do_not_overlap_the_next_run() {
        let mut map = PlaceMap::default();
        map.run(0, 1);
        map.run(4, 3);
        assert_eq!((map.place(3), map.place(4)), (3, 3));
    }
}
