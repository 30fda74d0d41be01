//! "Did you mean": the known name that is most similar to an unknown one.

/// The maximum number of unknown names of an input that get a suggestion: each is compared with all
/// known names, and more are not shown.
pub const MAX_SUGGESTIONS: usize = 200;

/// The candidate most like `name`, if one is similar enough to be a likely typo.
///
/// At most a third of the longer name's characters may be edited (Damerau-Levenshtein, ignoring
/// ASCII case), and for names of three and more characters always one.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    candidates
        .into_iter()
        .filter(|c| *c != name)
        .filter_map(|c| {
            let other = c.chars().count();
            let longest = length.max(other);
            let allowed = (longest / 3).max(1);
            // At least this many characters must be added.
            if longest < 3 || length.abs_diff(other) > allowed {
                return None;
            }
            let distance = distance_within(name, c, allowed)?;
            Some((distance, c))
        })
        .min_by_key(|&(distance, c)| (distance, c))
        .map(|(_, c)| c)
}

/// The distance of two names, if it is within `allowed`. A lower bound rejects most candidates
/// without the table of all pairs of characters.
fn distance_within(a: &str, b: &str, allowed: usize) -> Option<usize> {
    let (a, b) = without_common_ends(a, b);
    if fewest_edits(a, b) > allowed {
        return None;
    }
    let distance = match (a, b) {
        ("", rest) | (rest, "") => rest.chars().count(),
        _ => strsim::damerau_levenshtein(&a.to_ascii_lowercase(), &b.to_ascii_lowercase()),
    };
    (distance <= allowed).then_some(distance)
}

/// Two texts without their common prefix and suffix, which do not affect their distance.
fn without_common_ends<'t>(a: &'t str, b: &'t str) -> (&'t str, &'t str) {
    let is_same = |(x, y): &(char, char)| x.eq_ignore_ascii_case(y);
    // Characters that are the same but for ASCII case have the same length.
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| {
        pairs.take_while(is_same).map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let start = length(&mut a.chars().zip(b.chars()));
    let (a, b) = (&a[start..], &b[start..]);
    let end = length(&mut a.chars().rev().zip(b.chars().rev()));
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// A lower bound of the edits: each adds and removes one character at most.
fn fewest_edits(a: &str, b: &str) -> usize {
    const KINDS: usize = 64;
    let mut counts = [0i32; KINDS];
    let mut add = |text: &str, by: i32| {
        // A non-ASCII character counts by its first byte.
        for byte in text.bytes().filter(|byte| byte & 0xc0 != 0x80) {
            counts[usize::from(byte.to_ascii_lowercase()) % KINDS] += by;
        }
    };
    add(a, 1);
    add(b, -1);
    let (more, less) = counts.iter().fold((0, 0), |(more, less), &count| match count {
        0.. => (more + count, less),
        _ => (more, less - count),
    });
    more.max(less) as usize
}

#[cfg(test)]
mod tests {
    use super::{distance_within, nearest};

    #[test]
    fn near_names_are_found_and_far_ones_not() {
        assert_eq!(nearest("sever", ["server", "servers", "port"]), Some("server"));
        assert_eq!(nearest("MODE", ["mode"]), Some("mode"));
        assert_eq!(nearest("zzz", ["server", "port"]), None);
        assert_eq!(nearest("ab", ["ac"]), None);
    }

    #[test]
    fn distances_are_those_of_all_pairs_of_characters() {
        // Texts of few letters, so that many are similar.
        let texts: Vec<String> = (0u32..400)
            .map(|n| {
                let letter =
                    |at: u32| ['a', 'B', 'b', 'é', 'ü', 'c'][(n / 3u32.pow(at) % 6) as usize];
                (0..2 + n % 5).map(letter).collect()
            })
            .collect();
        for a in &texts {
            for b in &texts {
                let whole =
                    strsim::damerau_levenshtein(&a.to_ascii_lowercase(), &b.to_ascii_lowercase());
                let expected = (whole <= 2).then_some(whole);
                assert_eq!(distance_within(a, b, 2), expected, "{a} {b}");
            }
        }
    }
}
