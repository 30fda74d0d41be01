//! Coverage as a page.

use std::fmt::Write;

use ordain_source::ci::escape_xml;

use super::text::share;
use crate::coverage::Coverage;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;\
padding:0 1rem;color-scheme:light dark}table{border-collapse:collapse;width:100%}\
td,th{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #8884}\
.no{color:#c33}.yes{color:#2a7}";

/// The covered code as one page without outside resources.
pub fn coverage_html(coverage: &Coverage) -> String {
    let (named, resources) = coverage.resource_numbers();
    let (compiled, definitions) = coverage.definition_numbers();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Coverage</title>\n\
         <style>{STYLE}</style>\n<h1>Coverage</h1>\n\
         <h2>Resources with an expectation: {}</h2>\n",
        share(named, resources)
    );
    let rows = coverage.resources.iter();
    let rows = rows.map(|(name, (place, is_named))| (name.as_str(), place.as_str(), *is_named));
    add_table(&mut out, ["Resource", "Declared at", "Expectation"], rows);
    let _ =
        writeln!(out, "<h2>Classes and defines compiled: {}</h2>", share(compiled, definitions));
    let rows = coverage.definitions.iter().map(|(name, compiled)| (name.as_str(), "", *compiled));
    add_table(&mut out, ["Name", "", "Compiled"], rows);
    let (taken, branches) = coverage.branch_numbers();
    let _ = writeln!(out, "<h2>Branches taken: {}</h2>", share(taken, branches));
    let places: Vec<String> =
        coverage.branches.keys().map(|(file, line, _)| format!("{file}:{line}")).collect();
    let rows = coverage.branches.values().zip(&places);
    let rows = rows.map(|((text, is_taken), place)| (text.as_str(), place.as_str(), *is_taken));
    add_table(&mut out, ["Branch", "Condition at", "Taken"], rows);
    let (found, keys) = coverage.key_numbers();
    let _ = writeln!(out, "<h2>Keys of data found: {}</h2>", share(found, keys));
    let places: Vec<String> =
        coverage.keys.iter().map(|((file, _), (line, _))| format!("{file}:{line}")).collect();
    let rows = coverage.keys.iter().zip(&places);
    let rows =
        rows.map(|(((_, key), (_, is_found)), place)| (key.as_str(), place.as_str(), *is_found));
    add_table(&mut out, ["Key", "In", "Found"], rows);
    out.push_str("</html>\n");
    out
}

fn add_table<'c>(
    out: &mut String,
    heading: [&str; 3],
    rows: impl Iterator<Item = (&'c str, &'c str, bool)>,
) {
    let [first, second, third] = heading;
    let _ = writeln!(out, "<table><tr><th>{first}<th>{second}<th>{third}");
    for (name, place, is_covered) in rows {
        let (class, word) = if is_covered { ("yes", "yes") } else { ("no", "no") };
        let (name, place) = (escape_xml(name), escape_xml(place));
        let _ = writeln!(out, "<tr><td>{name}<td>{place}<td class=\"{class}\">{word}");
    }
    out.push_str("</table>\n");
}
