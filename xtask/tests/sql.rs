//! SQL stays within the part that databases of several machines share with PostgreSQL, such as
//! YugabyteDB and CockroachDB: see "Distributed databases" in docs/several-servers.md.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// The crates that write SQL for PostgreSQL.
const CRATES: &[&str] = &["explorer", "fleet", "fleet-store", "puppetdb", "server"];

/// Words that PostgreSQL has, and at least one of the others lacks or ignores. SQL in Ordain has its
/// keywords in capitals.
const REFUSED: &[&str] = &[
    "CREATE DOMAIN",
    "CREATE EXTENSION",
    "CREATE FUNCTION",
    "CREATE PROCEDURE",
    "CREATE RULE",
    "CREATE TRIGGER",
    "DECLARE CURSOR",
    "EXCLUDE USING",
    "INHERITS",
    "LISTEN",
    "LOCK TABLE",
    "NOTIFY",
    "PARTITION OF",
    "TABLESAMPLE",
    "TABLESPACE",
    "UNLOGGED",
    "USING GIST",
    "ctid",
    "pg_advisory_lock",
    "pg_advisory_xact_lock",
    "pg_notify",
    "pg_try_advisory_lock",
    "pg_try_advisory_xact_lock",
    "xmin",
];

/// Words with which a statement or a part of it begins. Other texts are not looked at.
const STATEMENTS: &[&str] = &[
    "ALTER", "COPY", "CREATE", "DELETE", "DO", "DROP", "FROM", "INSERT", "JOIN", "LISTEN", "LOCK",
    "NOTIFY", "SELECT", "SET", "UNLISTEN", "UPDATE", "WHERE", "WITH",
];

#[test]
fn statements_are_portable() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut statements, mut found) = (0, Vec::new());
    for name in CRATES {
        for path in files(&crates.join(name).join("src")) {
            for text in texts(&path) {
                let words = words(&text);
                if !words.split(' ').any(|word| STATEMENTS.contains(&word)) {
                    continue;
                }
                statements += 1;
                if let Some(refused) = refused(&words) {
                    found.push(format!("{}: {refused}", path.display()));
                }
            }
        }
    }
    assert!(statements > 200, "{statements} texts look like SQL");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn other_statements_are_found() {
    let text = |rust: &str| {
        let mut texts = Vec::new();
        collect(rust.parse().unwrap(), &mut texts);
        texts.iter().find_map(|text| refused(&words(text)))
    };
    assert_eq!(text(r#"f(&format!("SELECT pg_advisory_lock({n})"))"#), Some("pg_advisory_lock"));
    assert_eq!(text("g(\"CREATE\\n  TRIGGER x\")"), Some("CREATE TRIGGER"));
    assert_eq!(text(r#"g("SELECT listener FROM notify_all")"#), None);
}

/// The first refused word of a text in the form of [`words`].
fn refused(words: &str) -> Option<&'static str> {
    let words = format!(" {words} ");
    REFUSED.iter().copied().find(|refused| words.contains(&format!(" {refused} ")))
}

/// The words of a text with one space between them.
fn words(text: &str) -> String {
    let is_between = |c: char| !c.is_alphanumeric() && c != '_';
    let words: Vec<_> = text.split(is_between).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The texts of a Rust file, or the statements of a migration without its comments.
fn texts(path: &Path) -> Vec<String> {
    let source = fs::read_to_string(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "sql") {
        let lines = source.lines().map(|line| {
            let statement = line.strip_prefix("-- postgresql: ").unwrap_or(line);
            statement.split("--").next().unwrap_or_default()
        });
        return lines.collect::<Vec<_>>().join("\n").split(';').map(str::to_owned).collect();
    }
    let mut texts = Vec::new();
    collect(source.parse().unwrap(), &mut texts);
    texts
}

/// Adds the literals of texts, also those in macros. Comments of documentation are attributes.
fn collect(tokens: TokenStream, texts: &mut Vec<String>) {
    let mut is_documentation = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), texts),
            TokenTree::Ident(name) => {
                is_documentation = name == "doc";
                continue;
            }
            TokenTree::Punct(_) => continue,
            TokenTree::Literal(literal) if !is_documentation => {
                if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                    texts.push(text.value());
                }
            }
            TokenTree::Literal(_) => {}
        }
        is_documentation = false;
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "sql")
        {
            found.push(path);
        }
    }
    found
}
