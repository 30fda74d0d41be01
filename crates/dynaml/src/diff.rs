//! Compares streams of documents, and prints the report in the original's format. Nothing is
//! evaluated.

use std::fmt::Write;

use ordain_data::Value as Data;
use ordain_data::diff::{Difference, Rules, compare};

use crate::lower;
use crate::output::Writer;
use crate::syntax::ast::Exprs;

/// The rules of spiff's comparison: list entries by `name`, and order only in the top-level list
/// `jobs`.
pub const RULES: Rules<'_> =
    Rules { name: Some("name"), ordered: &["jobs"], maps_with_lists: true };

/// The result of comparing two streams of documents.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// They have different numbers of documents.
    Counts(usize, usize),
    /// The differences of each pair of documents.
    Documents(Vec<Vec<Difference>>),
}

impl Comparison {
    /// Whether there is no difference.
    pub fn is_equal(&self) -> bool {
        match self {
            Self::Counts(..) => false,
            Self::Documents(documents) => documents.iter().all(Vec::is_empty),
        }
    }
}

/// A side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// Finds the place of one side of a difference.
pub type Places<'a> = &'a dyn Fn(&Difference, Side) -> Option<String>;

/// The marks around a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Colours {
    /// Before a value of the first file.
    pub left: &'static str,
    /// Before a value of the second file.
    pub right: &'static str,
    /// After both.
    pub end: &'static str,
}

impl Colours {
    /// Red and green, as spiff has them.
    pub const ANSI: Self = Self { left: "\u{1b}[31m", right: "\u{1b}[32m", end: "\u{1b}[0m" };
}

/// The format of printed differences.
#[derive(Clone, Copy, Default)]
pub struct Format<'a> {
    /// The name of the first file.
    pub left: &'a str,
    /// The name of the second file.
    pub right: &'a str,
    /// The start and end sequences of each side's values, if they are coloured.
    pub colours: Option<Colours>,
    /// Two spaces before a path, as in spiff++.
    pub wide: bool,
    /// A text after each difference.
    pub separator: &'a str,
    /// Finds the places of both sides, if known.
    pub places: Option<Places<'a>>,
}

/// Compares streams of documents.
pub fn compare_all(left: &[Data], right: &[Data]) -> Comparison {
    if left.len() != right.len() {
        return Comparison::Counts(left.len(), right.len());
    }
    Comparison::Documents(left.iter().zip(right).map(|(a, b)| compare(a, b, &RULES)).collect())
}

/// The report as spiff prints it.
pub fn report(comparison: &Comparison, format: &Format<'_>) -> String {
    let documents = match comparison {
        Comparison::Counts(left, right) => {
            return format!("Different number of documents ({left} != {right})\n");
        }
        Comparison::Documents(_) if comparison.is_equal() => return "no differences!\n".into(),
        Comparison::Documents(documents) => documents,
    };
    let mut out = String::new();
    for (n, found) in documents.iter().enumerate() {
        let several = documents.len() > 1;
        if found.is_empty() && several {
            let _ = writeln!(out, "No difference in document {}", n + 1);
        }
        for difference in found {
            let path = difference.path.join(".");
            let _ = match (several, format.wide) {
                (true, _) => writeln!(out, "Difference in document {} {path}", n + 1),
                (false, true) => writeln!(out, "Difference in  {path}"),
                (false, false) => writeln!(out, "Difference in {path}"),
            };
            side(&mut out, format, difference, Side::Left);
            side(&mut out, format, difference, Side::Right);
            out.push_str(format.separator);
        }
    }
    out
}

fn side(out: &mut String, format: &Format<'_>, difference: &Difference, side: Side) {
    let (name, value) = match side {
        Side::Left => (format.left, &difference.left),
        Side::Right => (format.right, &difference.right),
    };
    let Some(value) = value else { return };
    let yaml = yaml(value);
    let lines = yaml.trim_end_matches('\n').replace('\n', "\n    ");
    let place = format.places.and_then(|places| places(difference, side));
    let place = place.map(|place| format!(", at {place}")).unwrap_or_default();
    let _ = match format.colours {
        Some(Colours { left, right, end }) => {
            let start = if side == Side::Left { left } else { right };
            writeln!(out, "  {name} has{place}:\n    {start}{lines}\n    {end}")
        }
        None => writeln!(out, "  {name} has{place}:\n    {lines}"),
    };
}

/// Plain data as YAML, in the layout of merged documents; secrets are not shown.
fn yaml(value: &Data) -> String {
    let value = lower::value(&value.without_secrets());
    let exprs = Exprs::default();
    let writer = Writer::verbatim(&exprs);
    writer.yaml(&value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::document::read;

    #[test]
    fn the_report_names_the_document_of_a_stream() {
        let read =
            |text: &str| -> Vec<Data> { lower::data(&Exprs::default(), &read(text).unwrap()) };
        let (left, right) = (read("a: 1\n---\nb: 2\n"), read("a: 1\n---\nb: 3\n"));
        let format = Format { left: "l.yml", right: "r.yml", ..Format::default() };
        let text = report(&compare_all(&left, &right), &format);
        let want = "No difference in document 1\nDifference in document 2 b\n  l.yml has:\n    2\n  \
                    r.yml has:\n    3\n";
        assert_eq!(text, want);
        let text = report(&compare_all(&left, &right[..1]), &format);
        assert_eq!(text, "Different number of documents (2 != 1)\n");
    }
}
