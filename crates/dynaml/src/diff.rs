//! Documents compared by their structure, not by their text.
//!
//! Maps are compared by key, lists by the `name` of their entries and what has none by position; so
//! an entry that only moved is no difference. Nothing is evaluated.

use std::collections::VecDeque;
use std::fmt::Write;

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashMap;

use crate::output::Writer;
use crate::syntax::ast::Exprs;
use crate::value::{Item, List, Map, Value};

/// A place where two documents differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The path, a step an element: keys, names of list entries, or `[n]`.
    pub path: Vec<EcoString>,
    /// What the first document has there, if anything.
    pub left: Option<Value>,
    /// What the second document has there, if anything.
    pub right: Option<Value>,
}

/// What came of comparing two streams of documents.
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

/// How differences are printed.
#[derive(Clone, Debug, Default)]
pub struct Format<'a> {
    /// The name of the first file.
    pub left: &'a str,
    /// The name of the second file.
    pub right: &'a str,
    /// Values in red and green.
    pub colour: bool,
    /// Two blanks before a path, as spiff++ has them.
    pub wide: bool,
    /// A text after each difference.
    pub separator: &'a str,
}

/// Compares streams of documents.
pub fn compare_all(left: &[Value], right: &[Value]) -> Comparison {
    if left.len() != right.len() {
        return Comparison::Counts(left.len(), right.len());
    }
    Comparison::Documents(left.iter().zip(right).map(|(a, b)| compare(a, b)).collect())
}

/// The differences of two documents, in the order of the first one's printed form.
pub fn compare(left: &Value, right: &Value) -> Vec<Difference> {
    let mut comparer = Comparer::default();
    comparer.values(left, right);
    comparer.found
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
            side(&mut out, format.left, difference.left.as_ref(), format.colour, "\u{1b}[31m");
            side(&mut out, format.right, difference.right.as_ref(), format.colour, "\u{1b}[32m");
            out.push_str(format.separator);
        }
    }
    out
}

fn side(out: &mut String, name: &str, value: Option<&Value>, colour: bool, start: &str) {
    let Some(value) = value else { return };
    let yaml = yaml(value);
    let lines = yaml.trim_end_matches('\n').replace('\n', "\n    ");
    let _ = if colour {
        writeln!(out, "  {name} has:\n    {start}{lines}\n    \u{1b}[0m")
    } else {
        writeln!(out, "  {name} has:\n    {lines}")
    };
}

/// A value of a document as YAML.
pub fn yaml(value: &Value) -> String {
    let exprs = Exprs::default();
    let writer = Writer {
        exprs: &exprs,
        drop_temporary: false,
        unescape: false,
        interpolation: false,
        bare_lambdas: false,
    };
    writer.yaml(value)
}

#[derive(Default)]
struct Comparer {
    path: Vec<EcoString>,
    found: Vec<Difference>,
}

impl Comparer {
    fn differ(&mut self, left: Option<&Value>, right: Option<&Value>) {
        let (left, right) = (left.cloned(), right.cloned());
        self.found.push(Difference { path: self.path.clone(), left, right });
    }

    fn below(&mut self, step: EcoString, left: Option<&Value>, right: Option<&Value>) {
        self.path.push(step);
        match (left, right) {
            (Some(left), Some(right)) => self.values(left, right),
            (left, right) => self.differ(left, right),
        }
        self.path.pop();
    }

    fn values(&mut self, left: &Value, right: &Value) {
        match (left, right) {
            (Value::Map(a), Value::Map(b)) => self.maps(a.entries(), b.entries()),
            (Value::Map(a), Value::List(b)) => match by_name(b) {
                Some(b) => self.maps(a.entries(), b.entries()),
                None => self.differ(Some(left), Some(right)),
            },
            (Value::List(a), Value::List(b)) => {
                let jobs = (self.path.len() == 1 && self.path[0] == "jobs")
                    .then(|| Some((ordered(a)?, ordered(b)?)))
                    .flatten();
                match jobs {
                    Some((a, b)) => self.maps(a.entries(), b.entries()),
                    None => self.lists(a, b),
                }
            }
            _ if same(left, right) => {}
            _ => self.differ(Some(left), Some(right)),
        }
    }

    /// Both are sorted by key.
    fn maps(&mut self, left: &[(EcoString, Item)], right: &[(EcoString, Item)]) {
        let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
        loop {
            let (mut old, mut new) = (a.peek().copied(), b.peek().copied());
            if let (Some(x), Some(y)) = (old, new) {
                old = old.filter(|_| x.0 <= y.0);
                new = new.filter(|_| y.0 <= x.0);
            }
            let Some((key, _)) = old.or(new) else { return };
            if old.is_some() {
                a.next();
            }
            if new.is_some() {
                b.next();
            }
            self.below(key.clone(), old.map(|e| &e.1.value), new.map(|e| &e.1.value));
        }
    }

    /// Entries of the same name are pairs wherever they are; then what is left, by position.
    fn lists(&mut self, left: &List, right: &List) {
        let mut named: FxHashMap<&EcoString, VecDeque<usize>> = FxHashMap::default();
        for (at, item) in right.items.iter().enumerate() {
            if let Some(name) = name(&item.value) {
                named.entry(name).or_default().push_back(at);
            }
        }
        let mut taken = vec![false; right.items.len()];
        let mut pairs = Vec::with_capacity(left.items.len());
        for item in &left.items {
            let name = name(&item.value);
            let at = name.and_then(|n| named.get_mut(n)?.pop_front());
            if let Some(at) = at {
                taken[at] = true;
            }
            pairs.push(name.zip(at));
        }
        for (at, (item, pair)) in left.items.iter().zip(pairs).enumerate() {
            if let Some((name, other)) = pair {
                let right = right.items.get(other).map(|i| &i.value);
                self.below(name.clone(), Some(&item.value), right);
                continue;
            }
            let free = right.items.get(at).filter(|_| !taken[at]);
            if free.is_some() {
                taken[at] = true;
            }
            self.below(eco_format!("[{at}]"), Some(&item.value), free.map(|i| &i.value));
        }
        for (at, item) in right.items.iter().enumerate().filter(|(at, _)| !taken[*at]) {
            self.below(eco_format!("[{at}]"), None, Some(&item.value));
        }
    }
}

/// Whether scalars are equal: of the same kind and value.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
        (Value::Str(a), Value::Str(b)) => a == b,
        _ => false,
    }
}

fn name(value: &Value) -> Option<&EcoString> {
    let Value::Map(map) = value else { return None };
    map.get("name")?.value.as_str()
}

/// A list of named maps as a map of them without their names.
fn by_name(list: &List) -> Option<std::rc::Rc<Map>> {
    let entries = list.items.iter().map(|item| {
        let Value::Map(map) = &item.value else { return None };
        let fields = map.entries().iter().filter(|e| e.0 != "name").cloned();
        Some((name(&item.value)?.clone(), Value::Map(Map::new(fields.collect())).into()))
    });
    Some(Map::new(entries.collect::<Option<_>>()?))
}

/// A list of named maps as a map of them, with their positions: their order counts.
fn ordered(list: &List) -> Option<std::rc::Rc<Map>> {
    let entries = (0..).zip(&list.items).map(|(at, item)| {
        let Value::Map(map) = &item.value else { return None };
        let mut fields = map.entries().to_vec();
        fields.push(("index".into(), Value::Int(at).into()));
        Some((name(&item.value)?.clone(), Value::Map(Map::new(fields)).into()))
    });
    Some(Map::new(entries.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::document::read;

    /// The paths that differ, with what stands there: `path: left -> right`.
    fn differences(left: &str, right: &str) -> Vec<String> {
        let (left, right) = (read(left).unwrap(), read(right).unwrap());
        let shown =
            |v: Option<Value>| v.map_or_else(|| "-".into(), |v| yaml(&v).replace('\n', ";"));
        let found = compare(&left[0], &right[0]).into_iter();
        found
            .map(|d| format!("{}: {} -> {}", d.path.join("."), shown(d.left), shown(d.right)))
            .collect()
    }

    #[test]
    fn scalars_differ_by_kind_too() {
        let found = differences("{a: 1, b: 1, c: x, d: ~}", "{a: \"1\", b: 1.5, c: x, d: ~}");
        assert_eq!(found, ["a: 1; -> \"1\";", "b: 1; -> 1.5;"]);
    }

    #[test]
    fn entries_that_only_moved_are_equal() {
        let left = "l: [{name: a, v: 1}, {name: b, v: 2}]";
        assert_eq!(differences(left, "l: [{name: b, v: 2}, {name: a, v: 1}]"), [""; 0]);
        let found = differences(left, "l: [{name: c, v: 3}, {name: a, v: 1}, {name: b, v: 9}]");
        assert_eq!(found, ["l.b.v: 2; -> 9;", "l.[0]: - -> name: c;v: 3;"]);
    }

    #[test]
    fn entries_without_name_are_compared_by_position() {
        let found = differences("l: [1, 2, 3]", "l: [1, 4]");
        assert_eq!(found, ["l.[1]: 2; -> 4;", "l.[2]: 3; -> -"]);
    }

    #[test]
    fn a_map_is_compared_with_a_list_of_named_maps() {
        assert_eq!(differences("{m: {a: {v: 1}}}", "{m: [{name: a, v: 1}]}"), [""; 0]);
        let found = differences("m: [{name: a, v: 1}]", "m: {a: {v: 1}}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn the_order_of_jobs_counts() {
        let found = differences("jobs: [{name: a}, {name: b}]", "jobs: [{name: b}, {name: a}]");
        assert_eq!(found, ["jobs.a.index: 0; -> 1;", "jobs.b.index: 1; -> 0;"]);
        assert_eq!(differences("jobs: [1]", "jobs: [1]"), [""; 0]);
    }

    #[test]
    fn the_report_names_the_document_of_a_stream() {
        let (left, right) =
            (read("a: 1\n---\nb: 2\n").unwrap(), read("a: 1\n---\nb: 3\n").unwrap());
        let format = Format { left: "l.yml", right: "r.yml", ..Format::default() };
        let text = report(&compare_all(&left, &right), &format);
        let want = "No difference in document 1\nDifference in document 2 b\n  l.yml has:\n    2\n  \
                    r.yml has:\n    3\n";
        assert_eq!(text, want);
        let text = report(&compare_all(&left, &right[..1]), &format);
        assert_eq!(text, "Different number of documents (2 != 1)\n");
    }
}
