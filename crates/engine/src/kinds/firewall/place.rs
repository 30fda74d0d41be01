//! The place of a rule in its chain: rules are ordered by name.

use super::rule::is_unmanaged;

/// The position, from one, at which a new rule is put among the rules of its chain.
///
/// Rules with names stand in the order of their names, whatever their real order. Rules without
/// names stay where they are; a new rule comes before those that follow its predecessor, unless its
/// own name begins with a nine.
pub(super) fn of_new(names: &[&str], name: &str) -> usize {
    let mut all = names.to_vec();
    if all.is_empty() {
        return 1;
    }
    all.push(name);
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let at = sorted.iter().position(|known| *known == name).unwrap_or_default();
    let before = if at == 0 { all[0] } else { sorted[at - 1] };
    let last = all.iter().position(|known| *known == before).unwrap_or_default();
    let mut unmanaged = all[..=last].iter().filter(|known| is_unmanaged(known)).count();
    if is_unmanaged(before) && !name.starts_with('9') {
        unmanaged = unmanaged.saturating_sub(1);
    }
    let smaller = all.iter().filter(|known| !is_unmanaged(known) && **known < name).count();
    smaller + 1 + unmanaged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_ordered_by_name() {
        assert_eq!(of_new(&[], "100 a"), 1);
        assert_eq!(of_new(&["100 a", "300 c"], "200 b"), 2);
        assert_eq!(of_new(&["100 a", "300 c"], "050 b"), 1);
        assert_eq!(of_new(&["100 a", "300 c"], "400 b"), 3);
    }

    #[test]
    fn rules_without_names_stay() {
        assert_eq!(of_new(&["9001 x", "9002 y"], "100 a"), 1);
        assert_eq!(of_new(&["9001 x", "9002 y"], "999 z"), 3);
        assert_eq!(of_new(&["9001 x", "100 a", "9003 y"], "200 b"), 3);
        assert_eq!(of_new(&["100 a", "9002 x", "300 c"], "200 b"), 2);
    }
}
