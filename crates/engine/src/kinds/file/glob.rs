//! Patterns for names: `*`, `?`, `[a-z]`, `[!a]`, `\x`. None of them matches the leading dot of a
//! hidden file.

/// Whether a name matches a pattern.
pub fn matches(pattern: &str, name: &str) -> bool {
    let hidden = name.starts_with('.');
    if hidden && !pattern.strip_prefix('\\').unwrap_or(pattern).starts_with('.') {
        return false;
    }
    matches_any(pattern, name)
}

/// The same, but a pattern also matches a leading dot.
pub(crate) fn matches_any(pattern: &str, name: &str) -> bool {
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    simple(&chars(pattern), &chars(name))
}

fn simple(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            retry = Some((p, n));
            p += 1;
        } else if let Some(next) = one(pattern, p, name[n]) {
            p = next;
            n += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            p = star + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The position after the item at `p` if it matches the character.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match *pattern.get(p)? {
        '?' => Some(p + 1),
        '[' => set(pattern, p, c),
        '\\' if p + 1 < pattern.len() => (pattern[p + 1] == c).then_some(p + 2),
        literal => (literal == c).then_some(p + 1),
    }
}

fn set(pattern: &[char], start: usize, c: char) -> Option<usize> {
    let mut p = start + 1;
    let negated = matches!(pattern.get(p), Some('!' | '^'));
    p += usize::from(negated);
    let mut found = false;
    let first = p;
    while p < pattern.len() && (pattern[p] != ']' || p == first) {
        let low = pattern[p];
        if pattern.get(p + 1) == Some(&'-') && pattern.get(p + 2).is_some_and(|c| *c != ']') {
            found |= (low..=pattern[p + 2]).contains(&c);
            p += 3;
        } else {
            found |= low == c;
            p += 1;
        }
    }
    (p < pattern.len() && found != negated).then_some(p + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, want) in [
            ("*.rb", "a.rb", true),
            ("*.rb", "a.rbx", false),
            (".git", ".git", true),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("*.{swp,bak}", "f.bak", false),
            ("*", ".git", false),
            ("[.]git", ".git", false),
            ("\\.git", ".git", true),
            (".*", ".git", true),
            ("\\*", "*", true),
            ("[", "[", false),
        ] {
            assert_eq!(matches(pattern, name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_do_not_hang() {
        assert!(!matches(&"*a".repeat(50), &"a".repeat(49)));
        assert!(!matches(&("*a".repeat(30) + "b"), &"a".repeat(5000)));
    }
}
