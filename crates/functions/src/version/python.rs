//! Versions of Python packages by PEP 440.

use std::cmp::Ordering;

/// A version such as `1!2.0rc1.post2.dev3+local`.
///
/// ```
/// use ordain_functions::version::PythonVersion;
/// let parse = |text| PythonVersion::parse(text).ok_or("no version");
/// assert!(parse("1.0rc1")? < parse("1.0")?);
/// assert!(parse("v1.0.0")? == parse("1")?);
/// assert!(parse("2.0.dev1")?.is_prerelease());
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PythonVersion {
    // The derived order compares fields in this order, and variants in their order below.
    epoch: u64,
    release: Vec<u64>,
    pre: Pre,
    post: Option<u64>,
    dev: Dev,
    local: Vec<Local>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pre {
    /// Only a development release, which comes before all others.
    Development,
    Alpha(u64),
    Beta(u64),
    Candidate(u64),
    Final,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Dev {
    Numbered(u64),
    Final,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Local {
    Text(String),
    Number(u64),
}

impl PythonVersion {
    /// Parses a version in any of the allowed spellings.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (public, local) = match text.split_once('+') {
            Some((public, local)) => (public, Some(local)),
            None => (text.as_str(), None),
        };
        let mut rest = public.strip_prefix('v').unwrap_or(public);
        let mut epoch = 0;
        if let Some((number, after)) = rest.split_once('!') {
            epoch = number.parse().ok().filter(|_| is_number(number))?;
            rest = after;
        }
        let mut release = vec![take_number(&mut rest)?];
        while let Some(mut after) = rest.strip_prefix('.')
            && let Some(number) = take_number(&mut after)
        {
            release.push(number);
            rest = after;
        }
        while release.len() > 1 && release.last() == Some(&0) {
            release.pop();
        }
        let pre = take_pre(&mut rest);
        let post = take_post(&mut rest);
        let dev = take_word(&mut rest, &["dev"]).map(|(_, number)| number);
        let local = local.map(parse_local).unwrap_or(Some(Vec::new()))?;
        if !rest.is_empty() {
            return None;
        }
        let pre = match (pre, post, dev) {
            (Some(pre), ..) => pre,
            (None, None, Some(_)) => Pre::Development,
            _ => Pre::Final,
        };
        Some(Self { epoch, release, pre, post, dev: dev.map_or(Dev::Final, Dev::Numbered), local })
    }

    /// Whether it is a pre-release, which is only installed on request.
    pub fn is_prerelease(&self) -> bool {
        self.pre != Pre::Final || self.dev != Dev::Final
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn take_number(text: &mut &str) -> Option<u64> {
    let end = text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    *text = &text[end..];
    Some(number)
}

fn without_separator(text: &str) -> &str {
    text.strip_prefix(['-', '_', '.']).unwrap_or(text)
}

/// One of the words with the number after it, without separators. A missing number is 0.
fn take_word<'w>(text: &mut &str, words: &[&'w str]) -> Option<(&'w str, u64)> {
    let start = without_separator(text);
    let (word, after) = words.iter().find_map(|w| Some((*w, start.strip_prefix(w)?)))?;
    let mut number_at = without_separator(after);
    match take_number(&mut number_at) {
        Some(number) => {
            *text = number_at;
            Some((word, number))
        }
        None => {
            *text = after;
            Some((word, 0))
        }
    }
}

fn take_pre(text: &mut &str) -> Option<Pre> {
    let words = ["alpha", "a", "beta", "b", "preview", "pre", "rc", "c"];
    let (word, number) = take_word(text, &words)?;
    Some(match word {
        "alpha" | "a" => Pre::Alpha(number),
        "beta" | "b" => Pre::Beta(number),
        _ => Pre::Candidate(number),
    })
}

fn take_post(text: &mut &str) -> Option<u64> {
    // `1.0-1` is short for `1.0.post1`.
    if let Some(mut after) = text.strip_prefix('-')
        && let Some(number) = take_number(&mut after)
    {
        *text = after;
        return Some(number);
    }
    take_word(text, &["post", "rev", "r"]).map(|(_, number)| number)
}

fn parse_local(text: &str) -> Option<Vec<Local>> {
    let part = |part: &str| match part.parse() {
        Ok(number) if is_number(part) => Some(Local::Number(number)),
        _ => {
            let is_text = !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
            is_text.then(|| Local::Text(part.to_string()))
        }
    };
    text.split(['-', '_', '.']).map(part).collect()
}

/// Compares two versions of Python packages; `None` if one is invalid.
pub fn compare_python(a: &str, b: &str) -> Option<Ordering> {
    Some(PythonVersion::parse(a)?.cmp(&PythonVersion::parse(b)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_order() {
        let sorted = [
            "1.dev0",
            "1.0.dev456",
            "1.0a1",
            "1.0a2.dev456",
            "1.0a12.dev456",
            "1.0a12",
            "1.0b1.dev456",
            "1.0b2",
            "1.0b2.post345.dev456",
            "1.0b2.post345",
            "1.0rc1.dev456",
            "1.0rc1",
            "1.0",
            "1.0+abc.5",
            "1.0+abc.7",
            "1.0+5",
            "1.0.post456.dev34",
            "1.0.post456",
            "1.0.15",
            "1.1.dev1",
            "1!0.1",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(compare_python(a, b), Some(i.cmp(&j)), "{a} {b}");
            }
        }
        for (a, b) in [
            ("1.0", "1"),
            ("1.0-1", "1.0.post1"),
            ("1.0-r4", "1.0.post4"),
            ("1.0alpha1", "1.0a1"),
            ("1.0_RC.1", "1.0rc1"),
            ("V1.0+ubuntu-1", "1.0+ubuntu.1"),
            ("1.0a", "1.0a0"),
        ] {
            assert_eq!(compare_python(a, b), Some(Ordering::Equal), "{a} {b}");
        }
        for bad in ["", "x", "1.0x", "1..0", "1.0+", "1.0 2", "!1", "a!1", "1.0+a..b", "é"] {
            assert_eq!(PythonVersion::parse(bad), None, "{bad}");
        }
    }
}
