//! Diagnostics in the formats of CI systems: SARIF, GitHub's workflow commands, GitLab's code
//! quality report, and Checkstyle's XML.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::diagnostic::{CodeDoc, Diagnostic, Label, Severity};
use crate::files::SourceMap;
use crate::fix::{Edit, Fix};
use crate::shorten::shortened;

/// Lines and columns of a label, from 1; the end is exclusive.
struct Region {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

fn region(label: &Label, sources: &SourceMap) -> Region {
    let file = sources.file(label.span.file);
    let (start, end) = (file.line_col(label.span.range.start), file.line_col(label.span.range.end));
    let name = if file.has_path() { file.path.display().to_string() } else { "-".into() };
    Region {
        file: name,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}

/// The message with the text at its place and its help.
fn whole_text(diagnostic: &Diagnostic) -> String {
    let diagnostic = &*diagnostic.shortened();
    let mut text = diagnostic.message.clone();
    let label = diagnostic.primary.as_ref().filter(|label| !label.text.is_empty());
    if let Some(label) = label {
        let _ = write!(text, "\n{}", label.text);
    }
    for help in &diagnostic.help {
        let _ = write!(text, "\n{help}");
    }
    text
}

/// The message with its help.
fn with_help(diagnostic: &Diagnostic) -> String {
    let diagnostic = &*diagnostic.shortened();
    let mut text = diagnostic.message.clone();
    for help in &diagnostic.help {
        let _ = write!(text, "\n{help}");
    }
    text
}

/// A SARIF log (OASIS standard, version 2.1.0) of one run, with the documentation of the codes that
/// occur.
pub fn sarif(found: &[Diagnostic], sources: &SourceMap, docs: &[&CodeDoc], version: &str) -> Value {
    let used: BTreeSet<&str> = found.iter().map(|d| d.code.as_ref()).collect();
    let rules = docs.iter().filter(|doc| used.contains(doc.code)).map(|doc| {
        json!({
            "id": doc.code,
            "shortDescription": { "text": doc.summary },
            "fullDescription": { "text": doc.details },
        })
    });
    let location = |label: &Label| {
        let at = region(label, sources);
        json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&at.file) },
                "region": {
                    "startLine": at.line, "startColumn": at.column,
                    "endLine": at.end_line, "endColumn": at.end_column,
                },
            },
        })
    };
    let results = found.iter().map(|diagnostic| {
        let mut out = json!({
            "ruleId": diagnostic.code,
            "level": diagnostic.severity.word(),
            "message": { "text": with_help(diagnostic) },
        });
        if let Some(label) = &diagnostic.primary {
            let mut at = location(label);
            if !label.text.is_empty() {
                at["message"] = json!({ "text": shortened(&label.text) });
            }
            out["locations"] = json!([at]);
        }
        if !diagnostic.related.is_empty() {
            let related = diagnostic.related.iter().map(|label| {
                let mut at = location(label);
                at["message"] = json!({ "text": shortened(&label.text) });
                at
            });
            out["relatedLocations"] = related.collect();
        }
        if !diagnostic.fixes.is_empty() {
            out["fixes"] = diagnostic.fixes.iter().map(|fix| sarif_fix(fix, sources)).collect();
        }
        out
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ordain", "version": version, "rules": rules.collect::<Value>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Value>(),
        }],
    })
}

/// A fix as SARIF has it: the replaced regions by file.
fn sarif_fix(fix: &Fix, sources: &SourceMap) -> Value {
    let mut changes: Vec<(String, Vec<Value>)> = Vec::new();
    for Edit { span, text } in &fix.edits {
        let at = region(&Label { span: *span, text: String::new() }, sources);
        let replacement = json!({
            "deletedRegion": {
                "startLine": at.line, "startColumn": at.column,
                "endLine": at.end_line, "endColumn": at.end_column,
            },
            "insertedContent": { "text": text },
        });
        match changes.iter_mut().find(|(file, _)| *file == at.file) {
            Some((_, replacements)) => replacements.push(replacement),
            None => changes.push((at.file, vec![replacement])),
        }
    }
    let changes = changes.into_iter().map(|(file, replacements)| {
        json!({ "artifactLocation": { "uri": uri(&file) }, "replacements": replacements })
    });
    json!({
        "description": { "text": fix.title },
        "artifactChanges": changes.collect::<Value>(),
    })
}

/// A path as a relative reference: bytes that a URI does not allow are percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// A line that makes GitHub show the finding at its position (workflow commands of GitHub Actions).
pub fn github(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let word = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(label) = &diagnostic.primary {
        let at = region(label, sources);
        properties.push(format!("file={}", github_property(&at.file)));
        properties.push(format!("line={}", at.line));
        properties.push(format!("col={}", at.column));
        properties.push(format!("endLine={}", at.end_line));
        if at.end_line == at.line {
            properties.push(format!("endColumn={}", at.end_column));
        }
    }
    properties.push(format!("title={}", github_property(&diagnostic.code)));
    format!("::{word} {}::{}", properties.join(","), github_text(&whole_text(diagnostic)))
}

fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn github_property(text: &str) -> String {
    github_text(text).replace(':', "%3A").replace(',', "%2C")
}

/// GitLab's code quality report. The fingerprint of a finding does not change with its line.
pub fn gitlab(found: &[Diagnostic], sources: &SourceMap) -> Value {
    let mut seen = BTreeSet::new();
    let one = |diagnostic: &Diagnostic| {
        let at = diagnostic.primary.as_ref().map(|label| region(label, sources));
        let (file, line) = at.map_or_else(|| (".".to_owned(), 1), |at| (at.file, at.line));
        let severity = match diagnostic.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        };
        let text = format!("{}\0{file}\0{}", diagnostic.code, diagnostic.message);
        let mut fingerprint = fnv(text.as_bytes());
        while !seen.insert(fingerprint) {
            fingerprint = fnv(&fingerprint.to_le_bytes());
        }
        json!({
            "description": whole_text(diagnostic),
            "check_name": diagnostic.code,
            "fingerprint": format!("{fingerprint:016x}"),
            "severity": severity,
            "location": { "path": file, "lines": { "begin": line } },
        })
    };
    found.iter().map(one).collect()
}

/// The 64-bit FNV-1a hash, which is the same on every machine and in every version.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Checkstyle's XML, which most other systems read.
pub fn checkstyle(found: &[Diagnostic], sources: &SourceMap) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle>\n");
    let mut open: Option<String> = None;
    for diagnostic in found {
        let at = diagnostic.primary.as_ref().map(|label| region(label, sources));
        let (file, line, column) =
            at.map_or_else(|| (".".to_owned(), 1, 1), |at| (at.file, at.line, at.column));
        if open.as_deref() != Some(&file) {
            if open.is_some() {
                out.push_str("</file>\n");
            }
            let _ = writeln!(out, "<file name=\"{}\">", escape_xml(&file));
            open = Some(file);
        }
        let severity = match diagnostic.severity {
            Severity::Note => "info",
            other => other.word(),
        };
        let _ = writeln!(
            out,
            "<error line=\"{line}\" column=\"{column}\" severity=\"{severity}\" \
             message=\"{}\" source=\"{}\"/>",
            escape_xml(&whole_text(diagnostic)),
            escape_xml(&diagnostic.code)
        );
    }
    if open.is_some() {
        out.push_str("</file>\n");
    }
    out.push_str("</checkstyle>\n");
    out
}

/// Text in an XML attribute, or between tags of XML or HTML. Characters that XML cannot represent are
/// omitted.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::TextRange;

    fn found() -> (Vec<Diagnostic>, SourceMap) {
        let sources = SourceMap::new();
        let file = sources.add("a b/site.pp", "$a = 1\n$ä = \"<&>\" x\n");
        let one = Diagnostic::error("puppet::odd", "50% of \"<it>\"\nis wrong")
            .at(TextRange::new(13, 19).in_file(file))
            .related(TextRange::new(0, 2).in_file(file), "first here")
            .help("say, why");
        let edit = |start, end, text: &str| Edit {
            span: TextRange::new(start, end).in_file(file),
            text: text.into(),
        };
        let one = one.fix(Fix::safe("drop it", vec![edit(19, 21, ""), edit(0, 0, "# ")]));
        let two = Diagnostic::warning("puppet::odd", "no place");
        (vec![one.clone(), one, two], sources)
    }

    #[test]
    fn sarif_has_rules_and_places() {
        let (found, sources) = found();
        let doc = CodeDoc { code: "puppet::odd", summary: "odd", details: "It is odd." };
        let other = CodeDoc { code: "puppet::even", summary: "even", details: "It is even." };
        let log = sarif(&found, &sources, &[&doc, &other], "1.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1));
        let first = &run["results"][0];
        let at = &first["locations"][0]["physicalLocation"];
        assert_eq!(at["artifactLocation"]["uri"], "a%20b/site.pp");
        assert_eq!(at["region"]["startLine"], 2);
        assert_eq!(at["region"]["startColumn"], 6);
        assert_eq!(first["relatedLocations"][0]["message"]["text"], "first here");
        assert!(run["results"][2].get("locations").is_none());
        let fix = &first["fixes"][0];
        let change = &fix["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], "a%20b/site.pp");
        assert_eq!(change["replacements"][0]["deletedRegion"]["startColumn"], 12);
        assert_eq!(change["replacements"][1]["insertedContent"]["text"], "# ");
        assert!(run["results"][2].get("fixes").is_none());
    }

    #[test]
    fn the_text_at_the_place_is_in_all_formats() {
        let sources = SourceMap::new();
        let file = sources.add("a.pp", "f(1 2)\n");
        let place = TextRange::new(4, 5).in_file(file);
        let found = [Diagnostic::error("puppet::odd", "Syntax error").labelled(place, "no comma")];
        let log = sarif(&found, &sources, &[], "1.0");
        let first = &log["runs"][0]["results"][0];
        assert_eq!(first["locations"][0]["message"]["text"], "no comma");
        assert_eq!(first["message"]["text"], "Syntax error");
        assert!(github(&found[0], &sources).ends_with("::Syntax error%0Ano comma"));
        let description = gitlab(&found, &sources)[0]["description"].clone();
        assert_eq!(description, "Syntax error\nno comma");
        assert!(checkstyle(&found, &sources).contains("Syntax error&#10;no comma"));
        assert_eq!(crate::render::json(&found[0], &sources)["label"], "no comma");
    }

    #[test]
    fn github_escapes_what_ends_a_command() {
        let (found, sources) = found();
        assert_eq!(
            github(&found[0], &sources),
            "::error file=a b/site.pp,line=2,col=6,endLine=2,endColumn=12,\
             title=puppet%3A%3Aodd::50%25 of \"<it>\"%0Ais wrong%0Asay, why"
        );
    }

    #[test]
    fn gitlab_tells_equal_findings_apart() {
        let (found, sources) = found();
        let report = gitlab(&found, &sources);
        assert_ne!(report[0]["fingerprint"], report[1]["fingerprint"]);
        assert_eq!(report[0]["location"]["lines"]["begin"], 2);
        assert_eq!(report[2]["severity"], "minor");
    }

    #[test]
    fn checkstyle_is_well_formed() {
        let (found, sources) = found();
        let text = checkstyle(&found, &sources);
        assert!(
            text.contains("message=\"50% of &quot;&lt;it&gt;&quot;&#10;is wrong&#10;say, why\"")
        );
        assert_eq!(text.matches("<file ").count(), text.matches("</file>").count());
    }
}
