//! How things look: loops, plans, explanations, pictures.

pub mod cycle;
pub mod diff;
pub mod explanation;
pub mod failures;
pub mod layout;
pub mod message;
pub mod nest;
pub mod picture;
pub mod plan;
pub mod value;

use unicode_width::UnicodeWidthStr;

/// How wide a terminal is at least.
pub const WIDTH: usize = 80;

/// Where places begin beside short text.
const PLACE_COLUMN: usize = 46;

/// The blanks between a text and the place beside it: a column where it is wide enough, else the
/// end of the line. Nothing if both do not fit on a line.
pub fn gap(text: &str, place: &str) -> Option<usize> {
    let (text, place) = (text.width(), place.width());
    if text + 2 <= PLACE_COLUMN && PLACE_COLUMN + place <= WIDTH {
        return Some(PLACE_COLUMN - text);
    }
    WIDTH.checked_sub(text + place).filter(|gap| *gap >= 2)
}

#[cfg(test)]
mod tests {
    use super::gap;

    #[test]
    fn places_stand_in_a_column_or_at_the_end_or_below() {
        assert_eq!(gap("short", "site.pp:3"), Some(41));
        assert_eq!(gap("short", &"p".repeat(60)), Some(15));
        assert_eq!(gap(&"t".repeat(50), "site.pp:3"), Some(21));
        assert_eq!(gap(&"t".repeat(50), &"p".repeat(40)), None);
    }
}
