//! "Did you mean": the known name that is nearest to a name which is not known.

/// The candidate most like `name`, if one is near enough to be a likely typing error.
///
/// Near enough: at most a third of the longer name's characters are edited (Damerau-Levenshtein,
/// ignoring ASCII case), and at least one edit is always allowed for names of three and more.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_ascii_lowercase();
    let length = name.chars().count();
    candidates
        .into_iter()
        .filter(|c| *c != name)
        .filter_map(|c| {
            let other = c.chars().count();
            let longest = length.max(other);
            let allowed = (longest / 3).max(1);
            // So many characters must be added at least.
            if longest < 3 || length.abs_diff(other) > allowed {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&lower, &c.to_ascii_lowercase());
            (distance <= allowed).then_some((distance, c))
        })
        .min_by_key(|&(distance, c)| (distance, c))
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_not() {
        assert_eq!(nearest("sever", ["server", "servers", "port"]), Some("server"));
        assert_eq!(nearest("MODE", ["mode"]), Some("mode"));
        assert_eq!(nearest("zzz", ["server", "port"]), None);
        assert_eq!(nearest("ab", ["ac"]), None);
    }
}
