//! Applies fixes to a manifest until nothing is left to fix.

use std::sync::Arc;

use ordain_puppet::syntax::{parse, pn};
use ordain_source::fix::apply;
use ordain_source::{Diagnostic, FileId, Fix, Safety, Severity};

use super::{Options, run};

/// The maximum number of times that a text is checked and fixed.
const MAX_ROUNDS: usize = 20;

/// A manifest after fixes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedManifest {
    /// The new text.
    pub text: String,
    /// The number of fixes in it.
    pub applied: usize,
    /// The codes of checks whose fixes were left out, because the program would mean something else
    /// or they never end.
    pub refused: Vec<String>,
}

/// Fixes a manifest. Only fixes that are at least as safe as `least` are applied. Safe ones must
/// leave the syntax tree as it is, so a manifest with syntax errors has none; others must leave it
/// free of syntax errors. `full_path` is the absolute path of the manifest.
pub fn fix(text: &str, full_path: &str, options: &Options, least: Safety) -> FixedManifest {
    let mut refused = Vec::new();
    loop {
        match attempt(text, full_path, options, least, &refused) {
            Ok(fixed) => return fixed,
            // Each code is refused once, so this ends.
            Err(endless) => refused.extend(endless),
        }
    }
}

/// Applies fixes until there are none, without those of refused codes.
///
/// # Errors
/// The codes that still have fixes after many rounds: an arrow can push the arrows that it is
/// aligned with.
fn attempt(
    text: &str,
    full_path: &str,
    options: &Options,
    least: Safety,
    refused: &[String],
) -> Result<FixedManifest, Vec<String>> {
    let mut out = FixedManifest { text: text.to_owned(), applied: 0, refused: refused.to_vec() };
    let mut last: Vec<String> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let report = run(&out.text, full_path, options);
        let found = report.findings.iter().filter(|f| f.ignored.is_none() && f.fix.is_some());
        let found: Vec<Diagnostic> = found.map(|f| f.diagnostic(FileId(0))).collect();
        let chosen: Vec<(&str, &Fix)> = found
            .iter()
            .filter(|d| !out.refused.iter().any(|code| *code == d.code))
            .flat_map(|d| d.fixes.iter().take(1).map(|fix| (d.code.as_ref(), fix)))
            .filter(|(_, fix)| fix.safety >= least)
            .collect();
        let Some((after, applied, refused)) = round(&out.text, &chosen, least) else {
            return Ok(out);
        };
        out.refused.extend(refused);
        if applied == 0 || after == out.text {
            return Ok(out);
        }
        out.text = after;
        out.applied += applied;
        last = chosen.iter().map(|(code, _)| (*code).to_owned()).collect();
    }
    last.sort_unstable();
    last.dedup();
    last.retain(|code| !out.refused.contains(code));
    if last.is_empty() { Ok(out) } else { Err(last) }
}

/// Applies fixes once: the new text, the number of fixes in it, and the codes that would change the
/// program. `None` if there is nothing to do.
fn round(
    text: &str,
    fixes: &[(&str, &Fix)],
    least: Safety,
) -> Option<(String, usize, Vec<String>)> {
    if fixes.is_empty() {
        return None;
    }
    let before = Meaning::of(text);
    if before.is_none() && least == Safety::Safe {
        return None;
    }
    let all = |codes: &[&str]| {
        let chosen = fixes.iter().filter(|(code, _)| codes.contains(code)).map(|(_, fix)| *fix);
        apply(text, FileId(0), chosen)
    };
    let is_fine = |codes: &[&str], after: &str| match (&before, Meaning::of(after)) {
        (Some(before), Some(after)) => {
            least == Safety::Unsafe || before.is_same(&after, codes.contains(&REORDERS))
        }
        (None, _) => true,
        (Some(_), None) => false,
    };
    let mut codes: Vec<&str> = fixes.iter().map(|(code, _)| *code).collect();
    codes.sort_unstable();
    codes.dedup();
    let fixed = all(&codes);
    if is_fine(&codes, &fixed.text) {
        return Some((fixed.text, fixed.applied, Vec::new()));
    }
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for code in codes {
        accepted.push(code);
        if !is_fine(&accepted, &all(&accepted).text) {
            accepted.pop();
            refused.push(code.to_owned());
        }
    }
    let fixed = all(&accepted);
    Some((fixed.text, fixed.applied, refused))
}

/// The check whose fix changes the order of attributes.
const REORDERS: &str = "lint::ensure-first-param";

/// The syntax tree of a manifest, with bare words as strings.
struct Meaning(String);

impl Meaning {
    /// The meaning, if the text has no syntax error.
    fn of(text: &str) -> Option<Self> {
        let parsed = parse(FileId(0), Arc::<str>::from(text));
        let is_broken = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
        (!is_broken).then(|| Self(without_bare_words(&pn::print(&parsed.program))))
    }

    /// Whether two manifests mean the same; with `in_any_order` up to the order of all parts.
    fn is_same(&self, other: &Self, in_any_order: bool) -> bool {
        self.0 == other.0 || (in_any_order && self.parts() == other.parts())
    }

    /// The leaves of the tree, sorted.
    fn parts(&self) -> Vec<&str> {
        let parts = self.0.split(['(', ')', '[', ']', '{', '}']).map(str::trim);
        let mut parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        parts
    }
}

/// A printed tree with `(qn "x")` as `"x"`.
fn without_bare_words(tree: &str) -> String {
    const WORD: &str = "(qn \"";
    let mut out = String::with_capacity(tree.len());
    let mut rest = tree;
    while let Some(at) = rest.find(WORD) {
        out.push_str(&rest[..at]);
        let name = &rest[at + WORD.len() - 1..];
        let end = name[1..].find('"').map_or(name.len(), |end| end + 2);
        out.push_str(&name[..end]);
        rest = name[end..].strip_prefix(')').unwrap_or(&name[end..]);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::puppet_lint::CHECKS;

    /// The options with all checks, those of plug-ins included.
    fn all() -> Options {
        let mut options = Options::default();
        options.only(&CHECKS.iter().map(|check| check.name.to_owned()).collect::<Vec<_>>());
        options
    }

    fn fixed(text: &str) -> String {
        fix(text, "/m/manifests/init.pp", &Options::default(), Safety::Safe).text
    }

    #[test]
    fn layout_is_fixed() {
        assert_eq!(
            fixed("file { \"a\":\n  mode => '1',\t\n  ensure => file }\n"),
            "file { 'a':\n  ensure => file,\n  mode   => '1' }\n"
        );
        assert_eq!(
            fixed("$h = { a => 1 }\nfile { 'a': x => { a => 1, bbb => 2,\n  c => 3 } }\n"),
            "$h = { a => 1 }\nfile { 'a': x => { a   => 1,\n                   bbb => 2,\n  c                    => 3 } }\n"
        );
        assert_eq!(fixed("File['a'] -> # why\nFile['b']\n"), "File['a'] # why\n-> File['b']\n");
        assert_eq!(fixed("  /* one\n   * two */\n"), "  # one\n  # two\n");
        assert_eq!(fixed("node a.b, c { }\n"), "node 'a.b', 'c' { }\n");
        assert_eq!(fixed("$a = \"$b $c-d $e::f\"\n"), "$a = \"${b} ${c}-d ${e::f}\"\n");
    }

    #[test]
    fn the_meaning_stays() {
        for text in [
            "$a = \"\\u{41}\"\n",
            "/* a */ $b = 1\n",
            "$a = $b =~ //\n",
            "$a = \"$b\"\n",
            "file { 'a': mode => 644 }\n",
            "$a = [\n",
        ] {
            let fixed = fixed(text);
            assert!(
                fixed == text
                    || Meaning::of(text).is_some_and(|meaning| {
                        Meaning::of(&fixed).is_some_and(|after| meaning.is_same(&after, false))
                    }),
                "{text} {fixed}"
            );
        }
        assert_eq!(fixed("/* a */ $b = 1\n"), "/* a */ $b = 1\n");
    }

    #[test]
    fn fixes_that_break_the_program_are_refused() {
        let text = "$a = \"${b}\"\n$x = 1\n";
        let done = fix(text, "/m/manifests/init.pp", &Options::default(), Safety::Unsafe);
        assert_eq!(done.text, "$a = $b\n$x = 1\n");
        // Without a space a name would run into the variable.
        let text = "notice(\"${b}\"in ['x'])\n";
        let done = fix(text, "/m/manifests/init.pp", &Options::default(), Safety::Unsafe);
        assert!(Meaning::of(&done.text).is_some(), "{}", done.text);
    }

    /// Pieces of manifests, most of which have findings.
    const PIECES: [&str; 16] = [
        "file { \"a\": mode => '1', ensure => file }",
        "file { a:\n\tmode=>0644 ,\n  ensure   => present,\n owner => root\n}",
        "$x = { a => 1, bbb => { c => \"$d\" ,\n e =>  2 }, f => 3 }",
        "exec { 'x': environment => { a => 1,\n  \"b${c}\" => 2 }, path => '/bin',\n command => 'x' }",
        "class   a ( $b='c',$d = [ 1,2 ] )  inherits   ::e{\n\n\n}",
        "case $x { a: { } 'b', c : { $y = 1 } default: { } }",
        "$z = $x ? { debian => \"deb\", default=>'' }",
        "File['a'] ->\n  File['b'] ~>  # why\nService [ 'c' ]",
        "node a.example.org , b { include ::a }",
        "/* one\n * two */",
        "$t = @(\"END\"/L)\n  a $b\t\n  | END",
        "notice(\"a $b-c ${d['e']} $f::g\",\t'x'  )",
        "[1,2].each|$i|{ notice(\"$i\") }",
        "if $a{ fail( \"no\" ) }else { }",
        "package { 'p' : require => File[ a ], notify=>Service['s'] ; 'q': }",
        "",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn a_second_run_has_nothing_to_do(
            pieces in prop::collection::vec((prop::sample::select(&PIECES[..]), "[ \t]{0,3}\n{1,4}[ \t]{0,3}"), 1..7),
            least in prop::sample::select(vec![Safety::Safe, Safety::Unsafe]),
        ) {
            let text: String = pieces.iter().map(|(piece, blank)| format!("{piece}{blank}")).collect();
            let once = fix(&text, "/m/manifests/init.pp", &all(), least);
            let twice = fix(&once.text, "/m/manifests/init.pp", &all(), least);
            prop_assert_eq!(&twice.text, &once.text, "{}", text);
            match (Meaning::of(&text), Meaning::of(&once.text)) {
                (Some(before), Some(after)) if least == Safety::Safe => {
                    prop_assert!(before.is_same(&after, true), "{} {}", text, once.text);
                }
                (Some(_), None) => prop_assert!(false, "{} {}", text, once.text),
                (None, _) if least == Safety::Safe => prop_assert_eq!(&once.text, &text),
                _ => {}
            }
        }

        #[test]
        fn any_text_can_be_checked_and_fixed(text in "[ \t\na-cA-C0-9'\"${}\\[\\]()|@/#*:;,=>?~.-]{0,60}") {
            let once = fix(&text, "/m/manifests/init.pp", &all(), Safety::Unsafe);
            prop_assert!(once.text.len() < 20 * text.len() + 100);
        }
    }
}
