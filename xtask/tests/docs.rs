//! The documentation: every page is in the table of contents, links lead somewhere, and the sentences
//! of pages for newcomers are short.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The maximum number of words in a sentence of a page for newcomers.
const MAX_WORDS: usize = 30;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// All pages below a directory, as paths from there.
fn pages(dir: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(dir.join(below)).unwrap() {
        let name = below.join(entry.unwrap().file_name());
        if dir.join(&name).is_dir() {
            pages(dir, &name, found);
        } else if name.extension().is_some_and(|extension| extension == "md") {
            found.insert(name);
        }
    }
}

/// The text of a page without its code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// The targets of the links of a page.
fn links(prose: &str) -> Vec<&str> {
    let parts = prose.split("](").skip(1);
    parts.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| -> String {
        let mut text = line.trim_start_matches('#').trim().to_lowercase();
        while let Some((before, (_, after))) =
            text.split_once("](").and_then(|(before, rest)| Some((before, rest.split_once(')')?)))
        {
            text = format!("{before}{after}");
        }
        let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[test]
fn each_page_is_in_the_table_of_contents() {
    let docs = root().join("docs");
    let mut found = BTreeSet::new();
    pages(&docs, Path::new(""), &mut found);
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    assert!(found.remove(Path::new("SUMMARY.md")));
    let listed = links(&summary);
    let unique: BTreeSet<PathBuf> = listed.iter().map(PathBuf::from).collect();
    assert_eq!(listed.len(), unique.len(), "a page is listed twice");
    assert_eq!(found, unique);
}

/// The parts of the table of contents, each with the pages in it.
fn parts(summary: &str) -> Vec<(&str, Vec<&str>)> {
    let parts = summary.split("\n# ").skip(1);
    parts.filter_map(|part| part.split_once('\n')).map(|(kind, rest)| (kind, links(rest))).collect()
}

/// Pages teach, help with a task, list, or explain, and each does one of these.
#[test]
fn the_table_of_contents_keeps_four_kinds_of_pages_apart() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let parts = parts(&summary);
    let kinds: Vec<&str> = parts.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, ["Tutorials", "How to", "Reference", "Explanation"]);
    for (kind, pages) in parts {
        let elsewhere =
            pages.iter().find(|page| kind != "Tutorials" && page.starts_with("tutorials/"));
        assert_eq!(elsewhere, None, "a tutorial under {kind}");
        let is_listed = |page: &str| pages.contains(&page);
        assert_eq!(is_listed("glossary.md"), kind == "Reference", "glossary under {kind}");
    }
}

/// The rows of the glossary: the terms of each, without the marks of a link.
fn glossary(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split_once(" | ")).map(|(cell, _)| cell);
    let terms = cells.filter(|cell| !["term", "---"].contains(cell));
    terms
        .map(|cell| {
            // A link is a term, or the first of several.
            let parts = cell.split(", ").map(|part| part.trim_start_matches('['));
            parts.map(|part| part.split_once("](").map_or(part, |(term, _)| term)).collect()
        })
        .collect()
}

/// Terms that only code and messages use in this form.
const IN_CODE: [&str; 7] = [
    "lowering",
    "machine key",
    "peer",
    "retry policy",
    "safety rule",
    "source map",
    "type with features",
];

#[test]
fn terms_of_the_glossary_are_used() {
    let mut found = BTreeSet::new();
    let docs = root().join("docs");
    pages(&docs, Path::new(""), &mut found);
    found.remove(Path::new("glossary.md"));
    let texts = found.iter().map(|page| fs::read_to_string(docs.join(page)).unwrap());
    let all = texts.collect::<Vec<_>>().join("\n").to_lowercase();
    let glossary_text = fs::read_to_string(docs.join("glossary.md")).unwrap();
    let rows = glossary(&glossary_text);
    assert!(rows.len() > 150, "{} rows", rows.len());
    let terms = rows.into_iter().flatten();
    let unused: Vec<&str> =
        terms.filter(|term| all.contains(&term.to_lowercase()) == IN_CODE.contains(term)).collect();
    assert!(unused.is_empty(), "in no other page, or in one in spite of `IN_CODE`: {unused:?}");
}

#[test]
fn links_lead_somewhere() {
    let mut found = BTreeSet::new();
    pages(&root().join("docs"), Path::new(""), &mut found);
    let docs = found.iter().map(|page| Path::new("docs").join(page));
    let others = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from);
    let mut broken = Vec::new();
    for page in docs.chain(others) {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for link in links(&prose(&text)) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                path => normal(&page.parent().unwrap().join(path)),
            };
            let target = root().join(target);
            let leads = match anchor {
                "" => target.exists(),
                anchor => fs::read_to_string(target).is_ok_and(|t| anchors(&t).contains(anchor)),
            };
            if !leads {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn sentences_for_newcomers_are_short() {
    let mut found = BTreeSet::new();
    pages(&root().join("docs/tutorials"), Path::new(""), &mut found);
    let tutorials = found.iter().map(|page| Path::new("docs/tutorials").join(page));
    let others = [
        "README.md",
        "docs/introduction.md",
        "docs/from-ansible-and-terraform.md",
        "docs/troubleshooting.md",
    ];
    let mut long = Vec::new();
    for page in tutorials.chain(others.map(PathBuf::from)) {
        let text = prose(&fs::read_to_string(root().join(&page)).unwrap());
        let paragraphs = text.lines().filter(|line| !line.starts_with('|'));
        for sentence in paragraphs.flat_map(|line| line.split(['.', '?', '!', ':', ';'])) {
            if sentence.split_whitespace().count() > MAX_WORDS {
                long.push(format!("{}: {}", page.display(), sentence.trim()));
            }
        }
    }
    assert!(long.is_empty(), "sentences of more than {MAX_WORDS} words:\n{}", long.join("\n"));
}

/// The text of the picture in the README, without its tags.
fn text_of_picture() -> String {
    let picture = fs::read_to_string(root().join("docs/terminal.svg")).unwrap();
    let parts = picture.split('<').filter_map(|part| part.split_once('>'));
    let text: String = parts.map(|(_, text)| text).collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The transcript of the README is compared with the program, and the picture with the transcript.
/// `packaging/picture` draws it again.
#[test]
fn the_picture_shows_what_the_program_prints() {
    let picture = text_of_picture();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, transcript) = readme.split_once("$ ordain plan site.pp\n").unwrap();
    let (error, _) = transcript.split_once("(exit 1)").unwrap();
    assert!(error.lines().count() > 5);
    let missing: Vec<&str> = error.lines().filter(|line| !picture.contains(line)).collect();
    assert!(missing.is_empty(), "not in the picture:\n{}", missing.join("\n"));
}
