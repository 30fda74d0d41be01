//! Repetition operators: reading Ruby's, writing the engines'.

/// The largest count an interval may have.
const MAX_COUNT: u32 = 100_000;

/// One repetition operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quantifier {
    /// The least number of repetitions.
    pub(super) min: u32,
    /// The maximum number of repetitions, if there is one.
    pub(super) max: Option<u32>,
    mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Greedy,
    Lazy,
    Possessive,
}

/// Reads the operator at the start of `rest`, and returns its length in characters.
pub(super) fn read(rest: &[char]) -> Result<Option<(Quantifier, usize)>, String> {
    let (min, max, used) = match rest.first() {
        Some('*') => (0, None, 1),
        Some('+') => (1, None, 1),
        Some('?') => (0, Some(1), 1),
        Some('{') => return interval(rest),
        _ => return Ok(None),
    };
    Ok(Some(match rest.get(used) {
        Some('?') => (Quantifier { min, max, mode: Mode::Lazy }, used + 1),
        Some('+') => (Quantifier { min, max, mode: Mode::Possessive }, used + 1),
        _ => (Quantifier { min, max, mode: Mode::Greedy }, used),
    }))
}

/// Reads `{n}`, `{n,}`, `{,m}` or `{n,m}`; anything else in braces is literal text.
fn interval(rest: &[char]) -> Result<Option<(Quantifier, usize)>, String> {
    let (low, mut at) = count(rest, 1)?;
    let (min, max, exact) = if rest.get(at) == Some(&',') {
        let (high, end) = count(rest, at + 1)?;
        at = end;
        if low.is_none() && high.is_none() {
            return Ok(None);
        }
        (low.unwrap_or(0), high, false)
    } else {
        let Some(low) = low else { return Ok(None) };
        (low, Some(low), true)
    };
    if rest.get(at) != Some(&'}') {
        return Ok(None);
    }
    if max.is_some_and(|max| max < min) {
        return Err("upper is smaller than lower in repeat range".into());
    }
    at += 1;
    // Ruby reads `{n}?` as an optional `{n}` and `{n,m}+` as a repetition of the interval.
    if !exact && rest.get(at) == Some(&'?') {
        return Ok(Some((Quantifier { min, max, mode: Mode::Lazy }, at + 1)));
    }
    Ok(Some((Quantifier { min, max, mode: Mode::Greedy }, at)))
}

fn count(rest: &[char], mut at: usize) -> Result<(Option<u32>, usize), String> {
    let mut value = None;
    while let Some(digit) = rest.get(at).and_then(|c| c.to_digit(10)) {
        let next = value.unwrap_or(0) * 10 + digit;
        if next > MAX_COUNT {
            return Err("too big number for repeat range".into());
        }
        value = Some(next);
        at += 1;
    }
    Ok((value, at))
}

impl Quantifier {
    /// Whether the engines need backtracking for it.
    pub(super) fn is_possessive(self) -> bool {
        self.mode == Mode::Possessive
    }

    /// Whether it prefers fewer repetitions.
    pub(super) fn is_lazy(self) -> bool {
        self.mode == Mode::Lazy
    }

    fn write(self, out: &mut String) {
        match (self.min, self.max) {
            (0, None) => out.push('*'),
            (1, None) => out.push('+'),
            (0, Some(1)) => out.push('?'),
            (min, None) => out.push_str(&format!("{{{min},}}")),
            (min, Some(max)) => out.push_str(&format!("{{{min},{max}}}")),
        }
        match self.mode {
            Mode::Greedy => {}
            Mode::Lazy => out.push('?'),
            Mode::Possessive => out.push(')'),
        }
    }
}

/// Appends a chain of operators to the atom that begins at `start`.
pub(super) fn apply(chain: &[Quantifier], start: usize, out: &mut String) {
    let mut opening = String::new();
    for (index, quantifier) in chain.iter().enumerate().rev() {
        if quantifier.is_possessive() {
            opening.push_str("(?>");
        }
        if index > 0 {
            opening.push_str("(?:");
        }
    }
    out.insert_str(start, &opening);
    for (index, quantifier) in chain.iter().enumerate() {
        if index > 0 {
            out.push(')');
        }
        quantifier.write(out);
    }
}
