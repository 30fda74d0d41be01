//! Patterns of paths, as Ruby's `File.fnmatch` has them without flags.

/// Whether a pattern matches a whole path. `*` and `?` match any characters, except a dot at the
/// start of the path.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let path: Vec<char> = path.chars().collect();
    let (mut p, mut s) = (0, 0);
    // Where to go on if the characters after the last star do not match.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == '*' && !(s == 0 && path.first() == Some(&'.')) {
            star = Some((p + 1, s));
            p += 1;
            continue;
        }
        if s == path.len() {
            return pattern[p..].iter().all(|c| *c == '*');
        }
        match one(&pattern[p..], path[s], s == 0) {
            Some(length) => {
                p += length;
                s += 1;
            }
            None => match star {
                Some((after, at)) => {
                    star = Some((after, at + 1));
                    (p, s) = (after, at + 1);
                    if s > path.len() {
                        return false;
                    }
                }
                None => return false,
            },
        }
    }
}

/// The length of the pattern that matches one character.
fn one(pattern: &[char], c: char, is_first: bool) -> Option<usize> {
    let may_match = !(is_first && c == '.');
    match pattern.first()? {
        '?' => may_match.then_some(1),
        '[' => {
            let close = 1 + pattern.iter().skip(2).position(|p| *p == ']')? + 1;
            let set = &pattern[1..close];
            let (is_negated, set) = match set.first() {
                Some('!' | '^') => (true, &set[1..]),
                _ => (false, set),
            };
            (may_match && in_set(set, c) != is_negated).then_some(close + 1)
        }
        '\\' if pattern.len() > 1 => (pattern[1] == c).then_some(2),
        '*' => None,
        other => (*other == c).then_some(1),
    }
}

fn in_set(set: &[char], c: char) -> bool {
    let mut i = 0;
    while i < set.len() {
        if set.get(i + 1) == Some(&'-') && i + 2 < set.len() {
            if (set[i]..=set[i + 2]).contains(&c) {
                return true;
            }
            i += 3;
        } else {
            if set[i] == c {
                return true;
            }
            i += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_are_those_of_ruby() {
        for (pattern, path, expected) in [
            ("vendor/**/*.pp", "vendor/a/b.pp", true),
            ("vendor/**/*.pp", "vendor/b.pp", false),
            ("vendor/**/*.pp", "./vendor/a/b.pp", false),
            ("**/*.pp", "./a.pp", false),
            ("*.pp", "a/b.pp", true),
            ("[a-c]?.pp", "bx.pp", true),
            ("[!a]*", "a", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn many_stars_take_little_time() {
        assert!(!matches(&"*a".repeat(200), &"b".repeat(5000)));
    }
}
