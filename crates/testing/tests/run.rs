//! Test files and their reports.
#![allow(clippy::unwrap_used)]

use std::fs;

use ordain_source::SourceMap;
use ordain_testing::{RunOptions, TestReport, read_tests, render, run};
use tempfile::TempDir;

/// A directory with a test file for the manifest `code`, without a module or an environment.
struct Case(TempDir);

impl Case {
    fn new(text: &str) -> Self {
        let case = Self(tempfile::tempdir().unwrap());
        fs::write(case.0.path().join("a.test.yaml"), text).unwrap();
        case
    }

    fn report(&self, options: &RunOptions) -> TestReport {
        let sources = SourceMap::new();
        let file = self.0.path().join("a.test.yaml");
        let tests = read_tests(&file, &sources).map_err(|error| error.message).unwrap();
        run(&tests, options, &sources)
    }

    /// The failures with their lines.
    fn failures(&self) -> Vec<String> {
        let report = self.report(&RunOptions::default());
        let of = |(line, text): &(usize, String)| format!("{line}: {text}");
        report.results.iter().flat_map(|result| result.failures.iter().map(of)).collect()
    }

    /// The error of the test file with its help.
    fn error(&self) -> String {
        let error = read_tests(&self.0.path().join("a.test.yaml"), &SourceMap::new());
        let error = error.map(|tests| tests.len()).unwrap_err();
        format!("{}; {}", error.message, error.help.join(", "))
    }
}

/// A test file with one test: its code and expectations, indented.
fn one(code: &str, expect: &str) -> Case {
    Case::new(&format!("code: |\n  {code}\ntests:\n- name: t\n  expect:\n{expect}"))
}

#[test]
fn conditions_on_attributes() {
    let code =
        "file { '/a': content => \"x\\ny\\n\", mode => '0644', backup => false, tag => [a, b] }";
    let case = one(
        code,
        "    resources:\n      File[/a]:\n        mode: {one_of: ['0600', '0644']}\n        \
         content: {lines: [y]}\n        backup: false\n        owner:\n        \
         tag: {contains: b}\n        group: {absent: true}\n",
    );
    assert_eq!(case.failures(), [""; 0]);
    let case = one(
        code,
        "    resources:\n      File[/a]:\n        mode: {not: '0644'}\n        \
         content: {matches: '^z'}\n        owner: {present: true}\n        backup: true\n        \
         mod: '1'\n        tag: {equals: [a]}\n",
    );
    assert_eq!(
        case.failures(),
        [
            "8: File[/a].mode: expected anything but \"0644\"; it is \"0644\"",
            "9: File[/a].content: expected a text that matches /^z/; it is \"x\\ny\\n\"",
            "10: File[/a].owner: expected a value; it is not set",
            "11: File[/a].backup: expected true; it is false",
            "12: File[/a].mod: expected \"1\"; it is not set; did you mean `mode`?",
            "13: File[/a].tag: expected [\"a\"]; it is [\"a\",\"b\"]",
        ]
    );
}

#[test]
fn secrets_are_compared_and_never_shown() {
    let code = "file { '/a': content => Sensitive('hunter2') }";
    let equal = "    resources:\n      File[/a]: {content: hunter2}\n    snapshot: s\n";
    let blesses = RunOptions { blesses: true, ..RunOptions::default() };
    let case = one(code, equal);
    assert_eq!(case.report(&blesses).failed(), 0);
    let snapshot = fs::read_to_string(case.0.path().join("snapshots/s.txt")).unwrap();
    assert_eq!(snapshot, "File[/a]\n  content: (secret)\n");
    let other = one(code, "    resources:\n      File[/a]: {content: other}\n");
    let report = other.report(&RunOptions::default());
    let all = render::json(&report, true) + &render::junit(&report);
    assert!(report.failed() == 1 && !all.contains("hunter2"), "{all}");
}

#[test]
fn orders_pass_through_containers() {
    let code = "class a { notify { 'a': } } class b { notify { 'b': } } class c { notify { 'c': } } \
                include a, b, c Class['a'] -> Class['b'] ~> Notify['c'] notify { 'd': }";
    let good = "    order: ['Notify[a] -> Notify[b] ~> Notify[c]', 'Class[A] -> Notify[c]']\n";
    assert_eq!(one(code, good).failures(), [""; 0]);
    let wrong = "    order:\n    - Notify[a] ~> Notify[b]\n    - Notify[c] -> Notify[a]\n    \
                 - Notify[a] -> Notify[d]\n";
    assert_eq!(
        one(code, wrong).failures(),
        [
            "7: Notify[a] does not notify Notify[b]",
            "8: Notify[c] comes after Notify[a]",
            "9: Notify[a] and Notify[d] have no order",
        ]
    );
}

#[test]
fn compiles_that_fail_and_warn() {
    let fails = one("fail('no disk')", "    error: no disk\n");
    assert_eq!(fails.failures(), [""; 0]);
    let other = one("fail('no disk')", "    error: {matches: '^no memory'}\n");
    assert_eq!(
        other.failures(),
        ["6: the compile has another error: Error while evaluating a Function Call, no disk"]
    );
    let none = one("notify { 'a': }", "    error: no disk\n");
    assert_eq!(none.failures(), ["6: the compile has no error"]);
    let warns = one("warning('old') notify { 'a': }", "    warnings: [old, new]\n");
    assert_eq!(warns.failures(), ["6: no warning matches; there are: old"]);
    let cycle = one(
        "notify { 'a': before => Notify['b'] } notify { 'b': before => Notify['a'] }",
        "    error: dependency cycle\n",
    );
    assert_eq!(cycle.failures(), [""; 0]);
}

#[test]
fn errors_of_test_files_name_the_setting() {
    let cases = [
        (
            "tests: [{name: a, expct: 1}]",
            "`tests.0` has no setting `expct`; did you mean `expect`?",
        ),
        ("tests: [{expect: {}}]", "a test has a `name`; "),
        (
            "fact_set: debian-21\ntests: []",
            "there is no fact set `debian-21`; did you mean `debian-11`?",
        ),
        (
            "tests: [{name: a, expect: {resources: {file: {}}}}]",
            "`file` is no resource: it has to be Kind[title]; ",
        ),
        (
            "tests: [{name: a, expect: {order: 'A[b]'}}]",
            "`A[b]` is no order: it has to be Kind[title] -> Kind[title]; ",
        ),
        ("node: a", "the file has no `tests`; "),
        (
            "tests: [{name: a, expect: {snapshot: ../x}}]",
            "the name of a snapshot has letters, digits, `-`, `_`, `.`; ",
        ),
        ("tests: [{name: a, node: 1}]", "`tests.0.node` has to be a text; "),
    ];
    for (text, want) in cases {
        assert_eq!(Case::new(text).error(), want);
    }
}

#[test]
fn matrices_multiply_tests_and_facts_are_merged() {
    let text = "code: \"notify { $facts['os']['name']: message => $facts['role'] }\"\n\
                facts: {role: web, os: {extra: 1}}\n\
                matrix: {fact_set: [debian-12, rocky-9], node: [a.example.org, b.example.org]}\n\
                tests:\n- name: t\n  facts: {role: db}\n  expect: {count: {notify: 1}}\n";
    let report = Case::new(text).report(&RunOptions::default());
    let names: Vec<&str> = report.results.iter().map(|result| result.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "t [debian-12, a.example.org]",
            "t [debian-12, b.example.org]",
            "t [rocky-9, a.example.org]",
            "t [rocky-9, b.example.org]",
        ]
    );
    assert_eq!(report.failed(), 0, "{report:?}");
}

#[test]
fn coverage_has_the_keys_of_data() {
    let code = "code: |\n  notice(lookup('used'), lookup('nested.a'))\n  class web($port) { }\n  \
                include web\ntests:\n- name: t\n";
    let case = Case::new(code);
    let dir = case.0.path();
    fs::create_dir(dir.join("data")).unwrap();
    fs::write(dir.join("environment.conf"), "").unwrap();
    let hiera = "version: 5\nhierarchy:\n- name: common\n  path: common.yaml\n";
    fs::write(dir.join("hiera.yaml"), hiera).unwrap();
    let data = "used: 1\n\nnested: {a: 1}\nweb::port: 80\nunused: 2\n\"x<y\": 3\n";
    fs::write(dir.join("data/common.yaml"), data).unwrap();
    let covers = RunOptions { covers: true, ..RunOptions::default() };
    let report = case.report(&covers);
    assert_eq!(report.failed(), 0, "{report:?}");
    let text = render::coverage_text(&report.coverage);
    assert_eq!(
        text[text.len() - 4..],
        [
            "keys of data found: 3 of 5 (60 %)",
            "not found:",
            "  unused (data/common.yaml:5)",
            "  x<y (data/common.yaml:6)",
        ]
    );
    let page = render::coverage_html(&report.coverage);
    let (_, keys) = page.split_once("<h2>Keys of data found: 3 of 5 (60 %)</h2>\n").unwrap();
    let rows: Vec<&str> = keys.lines().collect();
    assert_eq!(
        rows,
        [
            "<table><tr><th>Key<th>In<th>Found",
            "<tr><td>nested<td>data/common.yaml:3<td class=\"yes\">yes",
            "<tr><td>unused<td>data/common.yaml:5<td class=\"no\">no",
            "<tr><td>used<td>data/common.yaml:1<td class=\"yes\">yes",
            "<tr><td>web::port<td>data/common.yaml:4<td class=\"yes\">yes",
            "<tr><td>x&lt;y<td>data/common.yaml:6<td class=\"no\">no",
            "</table>",
            "</html>",
        ]
    );
}
