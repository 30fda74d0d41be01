//! Modes: octal, or symbolic as chmod has them.

/// A mode as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// All bits.
    Octal(u32),
    /// Clauses that change some bits, with the text they came from.
    Symbolic(String, Vec<Clause>),
}

/// `who op permissions`, such as `go-w`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Clause {
    who: String,
    operations: Vec<(char, String)>,
}

impl Mode {
    /// Reads a mode; `None` if it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let octal = text.bytes().all(|b| (b'0'..=b'7').contains(&b));
        if octal && !text.is_empty() {
            let digits = text.strip_prefix('0').unwrap_or(text);
            let value = if digits.is_empty() { 0 } else { u32::from_str_radix(digits, 8).ok()? };
            return (digits.len() <= 4).then_some(Self::Octal(value));
        }
        let clauses: Option<Vec<Clause>> = text.split(',').map(|p| clause(p.trim())).collect();
        Some(Self::Symbolic(text.to_string(), clauses?))
    }

    /// The bits after the mode is applied to a file with the bits `current`.
    pub(super) fn bits(&self, current: u32, is_directory: bool) -> u32 {
        match self {
            Self::Octal(bits) if is_directory => search_where_read(*bits),
            Self::Octal(bits) => *bits,
            Self::Symbolic(_, clauses) => {
                // `X` sees the result of earlier clauses, so that a second evaluation has the same
                // result.
                let apply = |bits: u32, clause: &Clause| {
                    clause.apply(bits, is_directory || bits & 0o111 != 0)
                };
                clauses.iter().fold(current & 0o7777, apply)
            }
        }
    }

    /// The text of a symbolic mode, which the log shows after the bits.
    pub(super) fn remark(&self) -> String {
        match self {
            Self::Octal(_) => String::new(),
            Self::Symbolic(text, _) => format!(" ({text})"),
        }
    }
}

/// Adds the search permission wherever the read permission is set.
fn search_where_read(bits: u32) -> u32 {
    bits | (bits & 0o444) >> 2
}

fn clause(text: &str) -> Option<Clause> {
    let start = text.find(['-', '+', '='])?;
    let (who, mut rest) = text.split_at(start);
    if !who.chars().all(|c| "ugoa".contains(c)) {
        return None;
    }
    let mut operations = Vec::new();
    while let Some(op) = rest.chars().next() {
        let end = rest[1..].find(['-', '+', '=']).map_or(rest.len(), |i| i + 1);
        let permissions = &rest[1..end];
        if !permissions.chars().all(|c| "rwxXstugo".contains(c)) {
            return None;
        }
        operations.push((op, permissions.to_string()));
        rest = &rest[end..];
    }
    Some(Clause { who: who.to_string(), operations })
}

impl Clause {
    fn apply(&self, mut bits: u32, x_allowed: bool) -> u32 {
        let all = self.who.is_empty() || self.who.contains('a');
        for (op, permissions) in &self.operations {
            let before = bits;
            for (class, shift) in [('u', 6), ('g', 3), ('o', 0)] {
                if !all && !self.who.contains(class) {
                    continue;
                }
                let given = permission_bits(permissions, before, x_allowed) << shift;
                let special = special_bits(permissions, class);
                match op {
                    '+' => bits |= given | special,
                    '-' => bits &= !(given | special),
                    _ => bits = (bits & !(0o7 << shift | own_special(class))) | given | special,
                }
            }
        }
        bits
    }
}

/// The special bit of a class: set-user, set-group, sticky.
fn own_special(class: char) -> u32 {
    match class {
        'u' => 0o4000,
        'g' => 0o2000,
        _ => 0o1000,
    }
}

fn special_bits(permissions: &str, class: char) -> u32 {
    let set_id = permissions.contains('s') && class != 'o';
    let sticky = permissions.contains('t');
    (if set_id { own_special(class) } else { 0 }) | (if sticky { 0o1000 } else { 0 })
}

fn permission_bits(permissions: &str, before: u32, x_allowed: bool) -> u32 {
    permissions.chars().fold(0, |bits, c| {
        bits | match c {
            'r' => 4,
            'w' => 2,
            'x' => 1,
            'X' if x_allowed => 1,
            'u' => before >> 6 & 7,
            'g' => before >> 3 & 7,
            'o' => before & 7,
            _ => 0,
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn modes() {
        for (text, current, directory, want) in [
            ("0644", 0, false, 0o644),
            ("4755", 0, false, 0o4755),
            ("0640", 0o700, true, 0o750),
            ("0", 0o644, false, 0),
            ("u=rw,g+X", 0o600, false, 0o600),
            ("u=rw,g+X", 0o700, false, 0o600),
            ("u=rwx,g+X", 0o600, false, 0o710),
            ("g+X", 0o600, true, 0o610),
            ("a=r", 0o7777, false, 0o444),
            ("u+s,+t", 0o755, false, 0o5755),
            ("g=u,o-rwx", 0o754, false, 0o770),
            ("=", 0o644, false, 0),
            ("ug+w-x", 0o555, false, 0o665),
        ] {
            let mode = Mode::parse(text).unwrap();
            assert_eq!(mode.bits(current, directory), want, "{text} on {current:o}");
        }
    }

    #[test]
    fn invalid_modes() {
        for text in ["", "rw", "0888", "u~r", "077777", "q+r"] {
            assert_eq!(Mode::parse(text), None, "{text}");
        }
    }
}
