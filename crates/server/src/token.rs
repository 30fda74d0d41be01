//! Random texts that nobody can guess.

use crate::error::ServerError;

/// A random text of 256 bits, in hexadecimal.
///
/// # Errors
/// When the system has no random numbers.
pub(crate) fn random_text() -> Result<String, ServerError> {
    let mut bytes = [0; 32];
    let failed = |error: getrandom::Error| ServerError::System {
        what: "random numbers",
        source: std::io::Error::other(error.to_string()),
    };
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(ordain_functions::digest::hex(&bytes))
}

/// Compares texts in a time that does not depend on the place of the first difference.
pub(crate) fn is_equal(one: &str, two: &str) -> bool {
    let pairs = one.bytes().zip(two.bytes());
    one.len() == two.len() && pairs.fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let (one, two) = (random_text().unwrap(), random_text().unwrap());
        assert_eq!(one.len(), 64);
        assert!(is_equal(&one, &one.clone()) && !is_equal(&one, &two));
        assert!(!is_equal(&one, &one[1..]) && !is_equal(&one, ""));
    }
}
