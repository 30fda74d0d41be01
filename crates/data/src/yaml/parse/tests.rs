//! Compares the reader of the common form with the parser: equal trees, or no result.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails by it")]

use std::path::{Path, PathBuf};

use super::any_documents;
use crate::yaml::{Budget, NodeId, Tree, fast_path};

/// Compares the readers; returns whether the text has the common form.
fn agrees(text: &str) -> bool {
    let budget = Budget::default();
    let mut common_form = false;
    for limit in [usize::MAX, 1] {
        let Some(fast) = fast_path::documents(text, budget, limit) else { continue };
        common_form |= limit == usize::MAX;
        let parsed = any_documents(text, budget, limit);
        let parsed = parsed.unwrap_or_else(|e| panic!("accepted, but {e}: {text:?}"));
        assert_eq!(fast.len(), parsed.len(), "documents of {text:?}");
        for (fast, parsed) in fast.iter().zip(&parsed) {
            same(fast, parsed, text);
        }
    }
    common_form
}

fn same(fast: &Tree, parsed: &Tree, text: &str) {
    for id in 0..fast.len().max(parsed.len()) {
        let id = NodeId(u32::try_from(id).unwrap());
        let nodes = [fast, parsed].map(|t| t.nodes.get(id.0 as usize));
        assert_eq!(nodes[0], nodes[1], "node {id:?} of {text:?}");
    }
    assert_eq!(fast.tags, parsed.tags);
    assert_eq!(fast.lines, parsed.lines);
}

/// Texts of the common form.
const COMMON: &[&str] = &[
    "a: 1\n",
    "a: 1",
    "# only\n---\n# a comment\na: 1 # one\n\n# two\nb:   x y  z  \n",
    "a:\n  b:\n    c: d\n  e: f\ng: h\n",
    "a:\n- b\n- c: d\n  e: f\n-   - g\n    - h\n-\n  i: j\nk:\n  - l\n  -   m\nn:\no: p\n",
    "- a\n- b: c\n  d:\n    - e\n- - - f\n",
    "a:\n-\n  b\nc:\n-   \n  - d\n",
    "a: \"b \\\"c\\\" \\\\ \\n \\t\"\n'b': 'it''s'\n\"c\" : ''\nd: \"\"   # e\n",
    "a: [1, two, 'three', \"four\", [5], {six: 7}, ]\nb: {c: d, \"e\":f, 'g': [h], i: {}}\nc: []\n",
    "a: [\n  1,\n  2\n  ]\nb: { c: 1,\n     d: 2 }\n- \n",
    "a: |\n  x\n   y\n\n  z\n\nb: >-\n\n  x\n  y\n\n  z\n   w\n  v\nc: |+\n  x\n\n\nd: |\n    # no\n # yes\ne: f\n",
    "- |\n a\n- >\n b\n c\n-  - |-\n     d\n",
    "a: b\n  c\n\n\n  d # e\nf: - g\n",
    "a: b c\n   d e \n  \n   f\ng:\n  h\n  i\n",
    "a: (( b || \"c\" ))\n<<: (( merge ))\nd: (( e\n  f ))\n",
    "ä: ö\nü:\n  - ß # ö\n  - 'é'\n",
    "a: 1\n---\nb: 2\n---\n- c\n",
    "a: -1\nb: -x\nc: a:b\nd: http://x/#y\ne: a#b\nf: \"a#b\"\n",
    "  a: 1\n  b:\n  - 2\n",
    "a:    \n   b:   \n      - c   \n",
];

#[test]
fn the_common_form_is_read_as_the_parser_reads_it() {
    let read: Vec<bool> = COMMON.iter().map(|text| agrees(text)).collect();
    let count = read.iter().filter(|r| **r).count();
    assert!(count >= COMMON.len() - 2, "{:?}", COMMON.iter().zip(read).collect::<Vec<_>>());
}

#[test]
fn uncommon_forms_are_left_to_the_parser() {
    let texts = [
        "",
        "# a\n",
        "---\n",
        "a",
        "[1]",
        "&a b: c\n",
        "a: *b\n",
        "a: !b c\n",
        "%YAML 1.1\n---\na: 1\n",
        "? a\n: b\n",
        "a: b: c\n",
        "a:\n\tb: c\n",
        "a: b\n  c: d\n",
        "a: 'b\n  c'\n",
        "a: [b\n",
        "a: |2\n   b\n",
        "a: \"\\q\"\n",
        "a: 'b' c\n",
        "a:\n  b\n c: d\n",
        "- a\nb: c\n",
        "a: b\r\n",
        "a: \u{85}\n",
        "a: b\n...\n",
        "a: |\n  b",
        "a: 1\n 2: 3\n",
        "a: @b\n",
        "a: [b: c]\n",
        "[a]: b\n",
        "-\n- a\n",
        "a: 1\n--- b\n",
    ];
    for text in texts {
        assert!(!agrees(text), "{text:?}");
    }
    assert!(!agrees(&"- ".repeat(100)) && !agrees(&format!("{}: b\n", "a".repeat(1025))));
}

/// A deterministic generator of random numbers.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn of<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }
}

const PIECES: &[&str] = &[
    "a", "b: ", "c:", "- ", "-", ": ", ":", " ", "  ", "    ", "\n", "\n", "\n  ", "\n- ",
    "\n  - ", "\n    ", "|\n", ">-\n", "|+\n", ">", "'", "''", "\"", "\\n", "\\", "[", "]", "{",
    "}", ", ", ",", "#", " # c", "---", "\n---\n", "...", "~", "é", "\t", "(( x ))", "<<: ", "&a ",
    "*a", "!t ", "? ", "%", "@", "1", "\r\n", "x y", "\u{feff}",
];

/// A text that is put together at random.
fn heap(rng: &mut Rng) -> String {
    let count = 1 + rng.roll(24);
    (0..count).map(|_| rng.of(PIECES)).collect()
}

/// A random value in the common form, after a key or dash.
fn grown(rng: &mut Rng, indent: usize, out: &mut String) {
    let blanks = " ".repeat(indent);
    match rng.roll(if indent > 8 { 7 } else { 11 }) {
        0 => out.push('\n'),
        1 => *out += " plain text # comment\n",
        2 => *out += &format!(" several\n{blanks}  lines of\n\n{blanks} text\n"),
        3 => *out += " \"quo\\\"ted\"\n",
        4 => *out += &format!(" [a, 'b', {{c: d,\n{blanks}   e: [f]}}]\n"),
        5 => {
            *out += rng.of(&[" |\n", " >\n", " |-\n", " >+\n", " |+\n"]);
            for _ in 0..=rng.roll(4) {
                let line = rng.of(&["text", "  deeper", "", "", "# text", "a: b", "- a", "   "]);
                *out += &format!("{blanks}  {line}\n");
            }
        }
        6 => *out += " (( merge || \"x\" ))\n",
        7 | 8 => {
            let deeper = indent + rng.roll(4);
            *out += "\n";
            for _ in 0..=rng.roll(3) {
                *out += &format!("{}-", " ".repeat(deeper));
                grown(rng, deeper + 1, out);
            }
        }
        _ => {
            let deeper = indent + 1 + rng.roll(3);
            *out += rng.of(&["\n", "  # comment\n", "\n\n"]);
            for n in 0..=rng.roll(3) {
                *out += &format!("{}key{n}:", " ".repeat(deeper));
                grown(rng, deeper, out);
            }
        }
    }
}

/// A text with a random insertion, removal or repetition.
fn mutated(rng: &mut Rng, text: &str) -> String {
    let mut out = text.to_owned();
    for _ in 0..=rng.roll(3) {
        let places: Vec<usize> = out.char_indices().map(|c| c.0).chain([out.len()]).collect();
        let place = |rng: &mut Rng| places[rng.roll(places.len())];
        let (from, to) = (place(rng), place(rng));
        match rng.roll(4) {
            0 => out.insert_str(from, rng.of(PIECES)),
            1 if from < to && to - from < 8 => out.replace_range(from..to, ""),
            2 if from < to => {
                let piece = out[from..to].to_owned();
                out.insert_str(place(rng).min(from), &piece);
            }
            _ => {
                let lines: Vec<&str> = out.split_inclusive('\n').collect();
                let n = rng.roll(lines.len().max(1));
                let moved = lines.iter().enumerate().map(|(i, line)| {
                    if i == n {
                        format!("{}{line}", " ".repeat(1 + i % 3))
                    } else {
                        (*line).to_owned()
                    }
                });
                out = moved.collect();
            }
        }
    }
    out
}

#[test]
fn texts_made_at_random_are_read_alike() {
    let mut rng = Rng(1);
    let mut common_form = 0;
    for _ in 0..20_000 {
        common_form += usize::from(agrees(&heap(&mut rng)));
    }
    for _ in 0..4_000 {
        let mut text = String::from(rng.of(&["", "---\n", "# comment\n\n"]));
        for n in 0..=rng.roll(4) {
            text += &format!("root{n}:");
            grown(&mut rng, 0, &mut text);
        }
        common_form += usize::from(agrees(&text));
        let mutant = mutated(&mut rng, &text);
        common_form += usize::from(agrees(&mutant));
    }
    for _ in 0..8_000 {
        let text = rng.of(COMMON);
        let mutant = mutated(&mut rng, text);
        common_form += usize::from(agrees(&mutant));
    }
    assert!(common_form > 5_000, "{common_form}");
}

/// The files below a directory that the variable `ORDAIN_YAML` names, if there is one.
#[test]
fn files_are_read_alike() {
    let Ok(root) = std::env::var("ORDAIN_YAML") else { return };
    let (mut count, mut common_form, mut bytes) = (0, 0, [0, 0]);
    let mut rng = Rng(2);
    for file in files(Path::new(&root)) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let is_common = agrees(&text);
        if !is_common {
            eprintln!("other: {}", file.display());
        }
        count += 1;
        common_form += usize::from(is_common);
        bytes[usize::from(is_common)] += text.len();
        for _ in 0..(if text.len() < 20_000 { 4 } else { 1 }) {
            agrees(&mutated(&mut rng, &text));
        }
    }
    eprintln!("{common_form} of {count} files are of the common form, bytes {bytes:?}");
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&path)),
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
    found
}
