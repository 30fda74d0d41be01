//! Fixes: changes of texts that remove the cause of a diagnostic.

use std::collections::BTreeMap;

use crate::files::{FileId, Span};

/// A replacement of a range of a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// The replaced range; an empty one is an insertion.
    pub span: Span,
    /// The new text; an empty one is a deletion.
    pub text: String,
}

/// Whether a program may apply a fix that nobody has looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Safety {
    /// The meaning of the text may change.
    Unsafe,
    /// The text means the same before and after.
    Safe,
}

/// A change that removes the cause of a diagnostic: all of its edits or none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fix {
    /// The change in a few words, such as `write 'a' in single quotes`.
    pub title: String,
    /// Whether the meaning stays.
    pub safety: Safety,
    /// The edits. They do not overlap.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix that keeps the meaning of the text.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { title: title.into(), safety: Safety::Safe, edits }
    }

    /// A fix that may change the meaning of the text.
    pub fn not_safe(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { title: title.into(), safety: Safety::Unsafe, edits }
    }
}

/// The text of a file after fixes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// The number of fixes in it.
    pub applied: usize,
    /// The number of fixes that were left out, because they overlap others or other files.
    pub left_out: usize,
}

/// Applies fixes to the text of a file, in their order. A fix that overlaps an earlier one is left
/// out, unless both consist of the same edits; so is one with edits in other files.
///
/// ```
/// use ordain_source::fix::{Edit, Fix, apply};
/// use ordain_source::{SourceMap, TextRange};
///
/// let sources = SourceMap::new();
/// let file = sources.add("a.pp", "a  \nb\n");
/// let edit = Edit { span: TextRange::new(1, 3).in_file(file), text: String::new() };
/// let fixed = apply("a  \nb\n", file, &[Fix::safe("remove spaces", vec![edit])]);
/// assert_eq!(fixed.text, "a\nb\n");
/// ```
pub fn apply<'f>(text: &str, file: FileId, fixes: impl IntoIterator<Item = &'f Fix>) -> Fixed {
    let mut chosen: BTreeMap<(u32, u32), &str> = BTreeMap::new();
    let (mut applied, mut left_out) = (0, 0);
    for fix in fixes {
        let mut added = Vec::new();
        let fits = fix.edits.iter().all(|edit| {
            let range = (edit.span.range.start, edit.span.range.end);
            let is_there = chosen.get(&range).is_some_and(|new| *new == edit.text);
            let is_free = is_there || is_free(edit, text, file, &chosen);
            if is_free && !is_there {
                chosen.insert(range, &edit.text);
                added.push(range);
            }
            is_free
        });
        if fits {
            applied += 1;
        } else {
            left_out += 1;
            chosen.retain(|range, _| !added.contains(range));
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for ((start, end), new) in chosen {
        out.push_str(&text[at..start as usize]);
        out.push_str(new);
        at = end as usize;
    }
    out.push_str(&text[at..]);
    Fixed { text: out, applied, left_out }
}

/// Whether an edit is in this text and touches none of the chosen ones.
fn is_free(edit: &Edit, text: &str, file: FileId, chosen: &BTreeMap<(u32, u32), &str>) -> bool {
    let (start, end) = (edit.span.range.start, edit.span.range.end);
    let is_boundary = |at: u32| text.is_char_boundary(at as usize);
    if edit.span.file != file || start > end || !is_boundary(start) || !is_boundary(end) {
        return false;
    }
    // Of two texts at one place nobody knows the order, so touching counts as overlapping.
    let before = chosen.range(..=(start, u32::MAX)).next_back();
    let after = chosen.range((start, 0)..).next();
    before.is_none_or(|((_, before), _)| *before < start || (*before == start && start < end))
        && after.is_none_or(|((after, until), _)| end < *after || (end == *after && after < until))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::files::TextRange;

    fn fix(edits: &[(u32, u32, &str)]) -> Fix {
        let edit = |(start, end, text): &(u32, u32, &str)| Edit {
            span: TextRange::new(*start, *end).in_file(FileId(0)),
            text: (*text).to_owned(),
        };
        Fix::safe("change", edits.iter().map(edit).collect())
    }

    #[test]
    fn all_edits_of_a_fix_are_applied_or_none() {
        let fixes = [fix(&[(0, 1, "x")]), fix(&[(2, 3, "y"), (0, 2, "z")]), fix(&[(3, 3, "-")])];
        let fixed = apply("abcd", FileId(0), &fixes);
        assert_eq!((fixed.text.as_str(), fixed.applied, fixed.left_out), ("xbc-d", 2, 1));
    }

    #[test]
    fn the_same_edit_of_two_fixes_is_applied_once() {
        let fixed = apply("abcd", FileId(0), &[fix(&[(1, 2, "x")]), fix(&[(1, 2, "x")])]);
        assert_eq!((fixed.text.as_str(), fixed.applied), ("axcd", 2));
        let fixed = apply("abcd", FileId(0), &[fix(&[(1, 1, "x")]), fix(&[(1, 1, "y")])]);
        assert_eq!((fixed.text.as_str(), fixed.left_out), ("axbcd", 1));
    }

    #[test]
    fn edits_outside_of_the_text_are_left_out() {
        for edits in [[(0, 9, "x")], [(3, 1, "x")], [(1, 2, "x")]] {
            assert_eq!(apply("äb", FileId(0), &[fix(&edits)]).left_out, 1);
        }
        let fixed = apply("ab", FileId(1), &[fix(&[(0, 1, "x")])]);
        assert_eq!((fixed.text.as_str(), fixed.left_out), ("ab", 1));
    }

    proptest! {
        #[test]
        fn single_edits_give_the_text_of_their_order(
            edits in prop::collection::vec((0_u32..20, 0_u32..4, "[x-z]{0,3}"), 0..12),
        ) {
            let text = "abcdefghijklmnopqrst";
            let fixes: Vec<Fix> =
                edits.iter().map(|(start, n, new)| fix(&[(*start, (start + n).min(20), new)])).collect();
            let fixed = apply(text, FileId(0), &fixes);
            prop_assert_eq!(fixed.applied + fixed.left_out, fixes.len());
            // Every letter that no fix touches is still there, in its order.
            let touched = |at: u32| edits.iter().any(|(s, n, _)| (*s..s + n).contains(&at));
            let rest: String = (0..20).filter(|at| !touched(*at)).map(|at| text.as_bytes()[at as usize] as char).collect();
            let left: String = fixed.text.chars().filter(|c| rest.contains(*c)).collect();
            prop_assert_eq!(left, rest);
        }
    }
}
