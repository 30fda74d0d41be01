//! The branches of a manifest and the keys of a data file, all of them.

use std::path::Path;

use ordain_data::yaml::{Kind, Tree};
use ordain_puppet::syntax::{CaseOption, Expr, ExprId, Program, parse};
use ordain_source::SourceMap;

/// The key with the options of others.
const OPTIONS: &str = "lookup_options";

/// A branch of a condition.
pub(crate) struct Branch {
    /// The offset of the condition.
    pub(crate) offset: u32,
    /// The number among the branches of the condition.
    pub(crate) number: u32,
    /// The line of the condition, counted from 1.
    pub(crate) line: u32,
    /// The branch as reports name it.
    pub(crate) text: String,
}

/// The branches of a manifest. One that cannot be read or parsed has none.
pub(crate) fn branches(path: &Path) -> Vec<Branch> {
    let Ok(text) = ordain_source::read_input_text(path) else { return Vec::new() };
    let sources = SourceMap::new();
    let file = sources.add(path, text.as_str());
    let parsed = parse(file, text.as_str());
    let program = &parsed.program;
    let mut out = Vec::new();
    let mut add = |test: ExprId, number: usize, text: String| {
        let span = program.span(test);
        let line = sources.start(span).line;
        out.push(Branch { offset: span.range.start, number: number as u32, line, text });
    };
    for (_, expr) in program.exprs.iter() {
        match expr {
            Expr::If(test, _, other) => {
                add(*test, 0, "if".into());
                // The conditions of `elsif` have branches of their own.
                if !matches!(program[*other], Expr::If(..)) {
                    add(*test, 1, "else".into());
                }
            }
            Expr::Unless(test, ..) => {
                add(*test, 0, "unless".into());
                add(*test, 1, "else".into());
            }
            Expr::Case(test, options) | Expr::Selector(test, options) => {
                let options = program.options(*options);
                for (number, option) in options.iter().enumerate() {
                    add(*test, number, format!("case {}", values(program, option)));
                }
                let has_default = options.iter().any(|option| is_default(program, option));
                if matches!(expr, Expr::Case(..)) && !has_default {
                    add(*test, options.len(), "no case".into());
                }
            }
            _ => {}
        }
    }
    out
}

fn is_default(program: &Program, option: &CaseOption) -> bool {
    program.list(option.values).iter().any(|value| matches!(program[*value], Expr::Default))
}

/// The values of an option as written.
fn values(program: &Program, option: &CaseOption) -> String {
    let texts = program.list(option.values).iter().map(|value| {
        let range = program.range(*value);
        program.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// The keys of a data file with their lines. One that cannot be read or parsed has none.
pub(crate) fn keys(path: &Path) -> Vec<(String, u32)> {
    let Ok(text) = ordain_source::read_input_text(path) else { return Vec::new() };
    let Ok(tree) = Tree::parse(&text) else { return Vec::new() };
    let Some(root) = tree.root() else { return Vec::new() };
    let keys = tree.entries(root).filter_map(|(key, _)| {
        let node = tree.node(key);
        let Kind::Scalar(name, _) = &node.kind else { return None };
        let line = text[..node.span.start as usize].matches('\n').count() as u32 + 1;
        (name != OPTIONS).then(|| (name.to_string(), line))
    });
    keys.collect()
}
