//! A share of the cases of a long comparison.

/// The cases that the variable `ORDAIN_SHARE` selects: `2/3` is every third one from the second on. All of
/// them if it is not set.
///
/// # Panics
/// If the variable has another form.
pub fn share<T>(cases: Vec<T>) -> Vec<T> {
    match std::env::var("ORDAIN_SHARE") {
        Ok(text) => of(cases, &text),
        Err(_) => cases,
    }
}

fn of<T>(cases: Vec<T>, text: &str) -> Vec<T> {
    let numbers = text.split_once('/').map(|(share, shares)| (share.parse(), shares.parse()));
    let Some((Ok(share), Ok(shares))) = numbers else {
        panic!("ORDAIN_SHARE is `{text}`, not of the form `2/3`");
    };
    assert!((1..=shares).contains(&share), "ORDAIN_SHARE is `{text}`: there is no such share");
    cases.into_iter().skip(share - 1).step_by(shares).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_have_each_case_once() {
        let cases: Vec<usize> = (0..10).collect();
        assert_eq!(of(cases.clone(), "1/3"), [0, 3, 6, 9]);
        assert_eq!(of(cases.clone(), "3/3"), [2, 5, 8]);
        assert_eq!(of(cases.clone(), "1/1"), cases);
    }

    #[test]
    #[should_panic(expected = "no such share")]
    fn a_share_that_does_not_exist_is_refused() {
        of(vec![1], "4/3");
    }
}
