//! Code must not tell errors apart by their messages, because a reworded message would change what
//! the program does.
//!
//! Two forms are refused outside of tests: a search in, or a comparison with, a value named
//! `message`, `reason`, `error` and the like; and a search for a text of several words in anything.
//! [`ALLOWED`] lists the exceptions with their reasons.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Expr, Lit};

/// A file, a part of the line, and the reason why it may compare texts.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("cli/src/compat/puppet_lint.rs", "%25", "escapes a message for GitHub"),
    ("driver/src/puppet/shared.rs", "(file: ", "Puppet writes the place into some messages itself"),
    ("cli/src/commands/history.rs", "Dependency ", "the journal stores it as a sentence"),
    ("cli/src/commands/rollback.rs", "to_string_lossy", "replaces the path that an error shows"),
    ("cli/src/show/message.rs", "", "rewrites messages for people; nothing else depends on it"),
    ("explorer/src/store/catalog.rs", "r.type", "a condition of a query, no error"),
    ("engine/src/kind/report.rs", "l.message", "joins equal lines of a report"),
    ("engine/src/kinds/cron/spool.rs", "no crontab for", "crontab has one exit code for all"),
    ("engine/src/kinds/package/debian/status.rs", "\"ok\"", "a field of dpkg's database"),
    ("engine/src/kinds/package/managers/apk.rs", "not removed", "apk exits with 0"),
    ("engine/src/kinds/package/managers/gem.rs", "ERROR", "gem exits with 0"),
    (
        "engine/src/kinds/mysql/client.rs",
        "split_once(':')",
        "leaves out the statement, which may be secret",
    ),
    ("engine/src/kinds/mysql/grant.rs", "WITH GRANT OPTION", "part of the statement of a grant"),
    (
        "engine/src/kinds/package/managers/pip.rs",
        "from versions",
        "pip lists versions nowhere else",
    ),
    ("facts/src/networking.rs", "", "reads files of the kernel and of DHCP clients"),
    ("functions/src/pkcs7.rs", "ENCRYPTED", "part of the format"),
    (
        "inmanta/src/python/rows.rs",
        "",
        "shortens a message that is sent often; others are sent whole",
    ),
    ("inmanta/src/syntax/unescape.rs", "IDEOGRAPH", "names of characters"),
    ("inmanta/src/template/methods/text.rs", "errors", "an argument of `encode`, not an error"),
    ("mcl/src/template/exec.rs", "{name}", "fills in a placeholder"),
    ("server/src/handlers/shadow.rs", "Server Error: ", "a prefix in the protocol of Puppet"),
    ("source/src/render.rs", "split_once", "prints the first line of a message as its title"),
    ("testkit/src/mistakes.rs", "did you mean ", "writes suggestions into golden files"),
    ("testkit/src/models.rs", "<id>", "removes what differs between runs from golden files"),
];

/// Methods that search in a text.
const SEARCHES: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "find",
    "rfind",
    "matches",
    "replace",
    "replacen",
    "trim_start_matches",
    "trim_end_matches",
];

/// Names of values that hold errors or their messages.
const MESSAGES: &[&str] = &[
    "message",
    "msg",
    "reason",
    "error",
    "err",
    "errors",
    "fault",
    "failure",
    "unwind",
    "stderr",
    "stderr_text",
    "complaint",
];

#[derive(Default)]
struct Searches {
    /// The lines.
    found: BTreeSet<usize>,
}

impl Searches {
    fn add(&mut self, span: proc_macro2::Span) {
        self.found.insert(span.start().line);
    }
}

/// The last name of an expression such as `error.message.as_str()`, without conversions.
fn last_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => Some(name.to_string()),
            syn::Member::Unnamed(_) => None,
        },
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            let is_conversion = matches!(
                name.as_str(),
                "as_str" | "to_string" | "as_deref" | "trim" | "as_ref" | "clone" | "text"
            );
            if is_conversion { last_name(&call.receiver) } else { Some(name) }
        }
        Expr::Reference(reference) => last_name(&reference.expr),
        Expr::Unary(unary) => last_name(&unary.expr),
        Expr::Paren(paren) => last_name(&paren.expr),
        Expr::Try(tried) => last_name(&tried.expr),
        _ => None,
    }
}

fn is_message(expr: &Expr) -> bool {
    last_name(expr).is_some_and(|name| MESSAGES.contains(&name.as_str()))
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(lit) if matches!(lit.lit, Lit::Str(_)))
}

/// Whether a literal has several words.
fn is_sentence(expr: &Expr) -> bool {
    let Expr::Lit(lit) = expr else { return false };
    let Lit::Str(text) = &lit.lit else { return false };
    let text = text.value();
    let words =
        text.split_whitespace().filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() > 1);
    words.count() > 1
}

impl<'ast> Visit<'ast> for Searches {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if SEARCHES.contains(&call.method.to_string().as_str())
            && let Some(first) = call.args.first()
        {
            // A message as a collection's item is not searched.
            let is_search = is_message(&call.receiver) && !matches!(first, Expr::Closure(_));
            if is_search || is_sentence(first) {
                self.add(call.method.span());
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if matches!(binary.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_)) {
            let (left, right) = (&*binary.left, &*binary.right);
            let names = [left, right].map(last_name);
            let both = names.iter().flatten().filter(|name| *name == "message").count() == 2;
            if both || (is_message(left) && is_text(right)) || (is_text(left) && is_message(right))
            {
                self.add(match &binary.op {
                    syn::BinOp::Eq(op) => op.spans[0],
                    syn::BinOp::Ne(op) => op.spans[0],
                    _ => return,
                });
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_match(&mut self, one: &'ast syn::ExprMatch) {
        let has_text = one
            .arms
            .iter()
            .any(|arm| matches!(&arm.pat, syn::Pat::Lit(lit) if matches!(lit.lit, Lit::Str(_))));
        if has_text && is_message(&one.expr) {
            self.add(one.match_token.span);
        }
        visit::visit_expr_match(self, one);
    }
}

fn files(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// The lines of a text that tell errors apart by their messages.
fn searches(text: &str) -> Vec<usize> {
    let mut visitor = Searches::default();
    visitor.visit_file(&syn::parse_file(text).unwrap());
    visitor.found.into_iter().collect()
}

#[test]
fn errors_are_not_told_apart_by_their_messages() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut sources = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        files(&entry.unwrap().path().join("src"), &mut sources);
    }
    assert!(sources.len() > 500, "the crates were not read");
    sources.sort();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for path in sources {
        let name = path.strip_prefix(&crates).unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for line in searches(&text) {
            let shown = lines[line - 1].trim();
            // Long calls go on in the next line.
            let code = lines[line - 1..lines.len().min(line + 1)].join(" ");
            let is_allowed = |(file, part, _): &&(&str, &str, &str)| {
                name.starts_with(file) && code.contains(part)
            };
            match ALLOWED.iter().position(|one| is_allowed(&one)) {
                Some(at) => _ = used.insert(at),
                None => wrong.push(format!("{name}:{line}: {shown}")),
            }
        }
    }
    let unused = ALLOWED.iter().enumerate().filter(|(at, _)| !used.contains(at));
    wrong.extend(unused.map(|(_, (file, part, _))| format!("not needed: {file} {part}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn searches_are_found() {
    let find = |code: &str| searches(&format!("fn f() {{ {code} }}")).len();
    assert_eq!(find(r#"error.message.starts_with("x")"#), 1);
    assert_eq!(find(r#"error.to_string().contains(&own)"#), 1);
    assert_eq!(find(r#"if error.message == "late" {}"#), 1);
    assert_eq!(find(r#"match reason { "a" => 1, _ => 2 }"#), 1);
    assert_eq!(find(r#"text.contains("two words")"#), 1);
    assert_eq!(find(r#"text.contains("word"); errors.contains(|e| e.is_x())"#), 0);
    assert_eq!(find(r#"error.kind == Kind::Late"#), 0);
}
