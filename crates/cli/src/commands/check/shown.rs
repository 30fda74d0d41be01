//! The findings as text shows them: those of one cause together, and of long lists the first.

use std::collections::{BTreeMap, HashMap};

use ordain_source::{Diagnostic, Severity, SourceMap, diagnostic};

use crate::ui::count;

/// The number of findings of a check of puppet-lint that are shown.
const MAX_OF_CHECK: usize = 5;

/// The number of places that are shown of a cause.
const MAX_PLACES: usize = 5;

/// The number of files that are listed for the rest of a list.
const MAX_FILES: usize = 4;

/// Joins the findings about one unknown name, and shortens the lists of each check of puppet-lint
/// unless `all` are wanted.
pub(super) fn grouped(
    mut found: Vec<Diagnostic>,
    sources: &SourceMap,
    all: bool,
) -> Vec<Diagnostic> {
    if all {
        return found;
    }
    diagnostic::sort(&mut found, sources);
    found.dedup();
    shortened_lists(by_cause(found), sources)
}

/// Whether a code is about a name that its message has, so that equal messages have one cause.
fn has_cause(diagnostic: &Diagnostic) -> bool {
    let name = diagnostic.code.strip_prefix("puppet::");
    let is_about_name = |name: &str| name.starts_with("unknown-") || name == "legacy-fact";
    name.is_some_and(is_about_name) && diagnostic.related.is_empty()
}

/// One finding for each unknown name, with the further places.
fn by_cause(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::with_capacity(found.len());
    let mut first: HashMap<(Severity, String, String), (usize, usize)> = HashMap::new();
    for diagnostic in found {
        if !has_cause(&diagnostic) {
            out.push(diagnostic);
            continue;
        }
        let key = (diagnostic.severity, diagnostic.code.to_string(), diagnostic.message.clone());
        match first.get_mut(&key) {
            Some((at, more)) => {
                *more += 1;
                if *more < MAX_PLACES {
                    out[*at].related.extend(diagnostic.primary.map(|mut label| {
                        label.text = "also here".to_owned();
                        label
                    }));
                }
            }
            None => {
                first.insert(key, (out.len(), 0));
                out.push(diagnostic);
            }
        }
    }
    for (at, more) in first.into_values().filter(|(_, more)| *more > 0) {
        let text = format!("{} places have this cause", more + 1);
        let hidden = more.saturating_sub(MAX_PLACES - 1);
        out[at].help.push(match hidden {
            0 => text,
            _ => format!("{text}; `ordain check -v` shows all"),
        });
    }
    out
}

/// The first findings of each check of puppet-lint, and the number of the others by file.
fn shortened_lists(found: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut more: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut out = Vec::with_capacity(found.len());
    for diagnostic in found {
        let is_lint = diagnostic.code.starts_with(ordain_driver::lint::CODES);
        let number = seen.entry(diagnostic.code.to_string()).or_default();
        *number += 1;
        if !is_lint || *number <= MAX_OF_CHECK {
            out.push(diagnostic);
            continue;
        }
        let file = diagnostic.primary.as_ref().map(|label| sources.file(label.span.file));
        let file = file.map_or_else(String::new, |file| file.path.display().to_string());
        *more.entry(diagnostic.code.into_owned()).or_default().entry(file).or_default() += 1;
    }
    out.extend(more.into_iter().map(|(code, files)| rest(code, files)));
    out
}

fn rest(code: String, files: BTreeMap<String, usize>) -> Diagnostic {
    let total = files.values().sum();
    let text = format!("{} in {}", count(total, "more finding"), count(files.len(), "file"));
    let mut files: Vec<(String, usize)> = files.into_iter().collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let listed = files.iter().take(MAX_FILES).map(|(file, number)| format!("{file} ({number})"));
    let mut listed = listed.collect::<Vec<_>>().join(", ");
    if files.len() > MAX_FILES {
        listed += ", …";
    }
    let note = Diagnostic::new(Severity::Note, code, text);
    note.help(listed).help("`ordain check -v` shows all")
}

#[cfg(test)]
mod tests {
    use ordain_source::TextRange;

    use super::*;

    fn sources(count: u32, code: &'static str) -> (Vec<Diagnostic>, SourceMap) {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", "include x\n".repeat(count as usize));
        let one = |i: u32| {
            let place = TextRange::new(i * 10 + 8, i * 10 + 9).in_file(file);
            Diagnostic::error(code, "There is no class `x`").at(place)
        };
        ((0..count).map(one).collect(), sources)
    }

    #[test]
    fn one_unknown_name_is_one_finding() {
        let (found, sources) = sources(18, "puppet::unknown-class");
        let shown = grouped(found.clone(), &sources, false);
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].related.len(), MAX_PLACES - 1);
        assert_eq!(shown[0].help, ["18 places have this cause; `ordain check -v` shows all"]);
        assert_eq!(grouped(found, &sources, true).len(), 18);
    }

    #[test]
    fn other_findings_stay_apart() {
        let (found, sources) = sources(18, "puppet::invalid-value");
        assert_eq!(grouped(found, &sources, false).len(), 18);
    }

    #[test]
    fn long_lists_of_a_check_are_cut() {
        let (found, sources) = sources(18, "lint::hard-tabs");
        let shown = grouped(found, &sources, false);
        assert_eq!(shown.len(), MAX_OF_CHECK + 1);
        assert_eq!(shown[MAX_OF_CHECK].message, "13 more findings in 1 file");
        assert_eq!(shown[MAX_OF_CHECK].help[0], "a.pp (13)");
    }
}
