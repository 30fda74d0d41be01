//! The report in the XML of JUnit, which CI systems read.

use std::fmt::Write;

use ordain_source::ci::escape_xml;

use crate::report::{TestReport, TestResult};

/// The report as an XML document: one suite for each test file.
pub fn junit(report: &TestReport) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for suite in report.results.chunk_by(|a, b| a.file == b.file) {
        let failed = suite.iter().filter(|result| !result.passed()).count();
        let seconds: f64 = suite.iter().map(|result| result.took.as_secs_f64()).sum();
        let name = suite.first().map(|result| result.file.display().to_string());
        let name = escape_xml(&name.unwrap_or_default());
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failed}\" time=\"{seconds:.3}\">",
            suite.len()
        );
        for result in suite {
            add_case(result, &name, &mut out);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn add_case(result: &TestResult, suite: &str, out: &mut String) {
    let name = escape_xml(&result.name);
    let seconds = result.took.as_secs_f64();
    let _ = write!(
        out,
        "    <testcase classname=\"{suite}\" name=\"{name}\" file=\"{suite}\" line=\"{}\" \
         time=\"{seconds:.3}\"",
        result.line
    );
    if result.passed() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    for (line, message) in &result.failures {
        let first = escape_xml(message.lines().next().unwrap_or_default());
        let text = escape_xml(&format!("line {line}: {message}\n{}", result.messages));
        let _ = writeln!(out, "      <failure message=\"{first}\">{text}</failure>");
    }
    out.push_str("    </testcase>\n");
}
