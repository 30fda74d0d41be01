//! The names of node blocks.

use ecow::EcoString;

use crate::syntax::Expr;

/// The name under which a node block is known that has this pattern; nodes of equal names are
/// duplicates.
pub(super) fn node_name(pattern: &Expr) -> Option<EcoString> {
    match pattern {
        Expr::Str(name) | Expr::Name(name) => Some(name.to_lowercase()),
        Expr::Default => Some("default".into()),
        Expr::Regex(source) => Some(regex_title(source)),
        _ => None,
    }
}

/// Replaces the signs of groups that begin with `(?` by letters, as upstream does in titles of
/// nodes.
fn spell_lookarounds(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some(start) = rest.find("(?") {
        let Some(len) = rest[start..].find(')') else { break };
        let (before, group) = (&rest[..start], &rest[start..=start + len]);
        out.push_str(before);
        for c in group.chars() {
            match c {
                '(' => out.push_str("lp"),
                ')' => out.push_str("rp"),
                '?' => out.push_str("qu"),
                '<' => out.push_str("lt"),
                '>' => out.push_str("gt"),
                '!' => out.push_str("ex"),
                '=' => out.push_str("eq"),
                c => out.push(c),
            }
        }
        rest = &rest[start + len + 1..];
    }
    out.push_str(rest);
    out
}

/// The title of a node block with a regular expression.
pub(crate) fn regex_title(source: &str) -> EcoString {
    let kept = spell_lookarounds(&source.to_lowercase());
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    let kept: String = kept.collect();
    format!("__node_regexp__{}", kept.trim_start_matches('.')).into()
}
