//! Semantic versions, read as leniently as the Go library Masterminds/semver does: a leading `v`,
//! and optional minor and patch numbers. Constraints follow that library, too.

use std::cmp::Ordering;

use super::support::{eager, fail};
use super::verdict::{ConditionError, Verdict, verdict, wrong};
use crate::diagnostics::stop::Eval;
use crate::eval::evaluator::{Call, Table};
use crate::text::quoted;
use crate::value::Value;

/// A version.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    pre: String,
    meta: String,
    original: String,
}

const INVALID: &str = "invalid semantic version";

/// Checks the parts of a suffix like `-rc.1`: letters, digits and hyphens between dots.
fn check_parts(text: &str, numeric: bool, reason: &'static str) -> Result<(), &'static str> {
    for part in text.split('.') {
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(reason);
        }
        let digits = part.bytes().all(|b| b.is_ascii_digit());
        if numeric && digits && part.len() > 1 && part.starts_with('0') {
            return Err("version segment starts with 0");
        }
    }
    Ok(())
}

/// The message for a number beyond 64 bits.
fn out_of_range(number: &str) -> String {
    let number = quoted(number);
    format!(
        "error parsing version segment: strconv.ParseUint: parsing {number}: value out of range"
    )
}

/// Splits a version into numbers, pre-release and metadata.
fn split(text: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, meta) = match text.split_once('+') {
        Some((rest, meta)) => (rest, Some(meta)),
        None => (text, None),
    };
    match rest.split_once('-') {
        Some((core, pre)) => (core, Some(pre), meta),
        None => (rest, None, meta),
    }
}

impl Version {
    fn parse(text: &str) -> Result<Self, String> {
        let (core, pre, meta) = split(text.strip_prefix('v').unwrap_or(text));
        let parts: Vec<&str> = core.split('.').collect();
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if parts.len() > 3 || !parts.iter().all(is_number) {
            return Err(INVALID.into());
        }
        for suffix in [pre, meta].into_iter().flatten() {
            check_parts(suffix, false, INVALID)?;
        }
        let mut numbers = [0; 3];
        for (slot, part) in numbers.iter_mut().zip(parts) {
            *slot = part.parse().map_err(|_| out_of_range(part))?;
        }
        if let Some(pre) = pre {
            check_parts(pre, true, INVALID)?;
        }
        let [major, minor, patch] = numbers;
        let (pre, meta) = (pre.unwrap_or_default().into(), meta.unwrap_or_default().into());
        Ok(Self { major, minor, patch, pre, meta, original: text.into() })
    }

    fn text(&self) -> String {
        let mut out = format!("{}.{}.{}", self.major, self.minor, self.patch);
        for (mark, part) in [('-', &self.pre), ('+', &self.meta)] {
            if !part.is_empty() {
                out.push(mark);
                out.push_str(part);
            }
        }
        out
    }

    /// The text with the `v` that it had.
    fn changed(&self) -> String {
        let v = if self.original.starts_with('v') { "v" } else { "" };
        format!("{v}{}", self.text())
    }

    fn core(&self) -> [u64; 3] {
        [self.major, self.minor, self.patch]
    }

    fn precedence(&self, other: &Self) -> Ordering {
        let core = self.core().cmp(&other.core());
        core.then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => pre_order(&self.pre, &other.pre),
        })
    }
}

fn pre_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                _ => a.cmp(b),
            },
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// The operator of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Equal,
    NotEqual,
    Greater,
    Less,
    AtLeast,
    AtMost,
    Tilde,
    Caret,
}

/// A part of a constraint: an operator and a version, possibly with omitted numbers.
#[derive(Clone, Debug)]
struct Part {
    op: Op,
    version: Version,
    text: String,
    /// The number of given numbers.
    given: usize,
}

/// Alternatives of parts that must all hold.
struct Constraint(Vec<Vec<Part>>);

fn operator(text: &str) -> (Op, &str) {
    const OPS: [(&str, Op); 11] = [
        (">=", Op::AtLeast),
        ("=>", Op::AtLeast),
        ("<=", Op::AtMost),
        ("=<", Op::AtMost),
        ("!=", Op::NotEqual),
        ("~>", Op::Tilde),
        ("=", Op::Equal),
        (">", Op::Greater),
        ("<", Op::Less),
        ("~", Op::Tilde),
        ("^", Op::Caret),
    ];
    for (mark, op) in OPS {
        if let Some(rest) = text.strip_prefix(mark) {
            return (op, rest);
        }
    }
    (Op::Equal, text)
}

/// The reason why a part of a constraint is invalid.
#[derive(Clone, Copy, Debug)]
enum PartError {
    /// The text has another form.
    Form,
    /// A number is beyond 64 bits.
    Range,
}

impl Part {
    fn parse(op: Op, text: &str) -> Result<Self, PartError> {
        let (core, pre, meta) = split(text.strip_prefix('v').unwrap_or(text));
        let mut numbers = [0u64; 3];
        let mut given = 0;
        let mut open = false;
        let parts: Vec<&str> = core.split('.').collect();
        if parts.len() > 3 {
            return Err(PartError::Form);
        }
        for part in parts {
            if matches!(part, "x" | "X" | "*") {
                open = true;
                continue;
            }
            if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
                return Err(PartError::Form);
            }
            let number: u64 = part.parse().map_err(|_| PartError::Range)?;
            if !open {
                numbers[given] = number;
                given += 1;
            }
        }
        let pre = pre.unwrap_or_default();
        let meta = meta.unwrap_or_default();
        for suffix in [pre, meta].into_iter().filter(|s| !s.is_empty()) {
            check_parts(suffix, false, "").map_err(|_| PartError::Form)?;
        }
        let [major, minor, patch] = numbers;
        let version = Version {
            major,
            minor,
            patch,
            pre: pre.into(),
            meta: meta.into(),
            original: String::new(),
        };
        Ok(Self { op, version, text: text.into(), given })
    }

    /// Whether a version meets it; else why not.
    fn check(&self, v: &Version) -> Result<(), String> {
        let (shown, limit, c) = (quoted(&v.text()), &self.text, &self.version);
        if !v.pre.is_empty() && c.pre.is_empty() && !(self.op == Op::NotEqual && self.given == 3) {
            return Err(pre_release(v));
        }
        let reason = |holds: bool, words: &str| {
            if holds { Ok(()) } else { Err(format!("{shown} {words} {}", quoted(limit))) }
        };
        match self.op {
            Op::Equal if self.given == 3 => reason(v.precedence(c).is_eq(), "is not equal to"),
            Op::Equal | Op::Tilde => self.tilde(v, reason),
            Op::NotEqual => reason(self.differs(v), "is equal to"),
            Op::Greater => {
                let given = self.given;
                let holds = match given {
                    3 => v.precedence(c).is_gt(),
                    0 => false,
                    n => v.core()[..n] > c.core()[..n],
                };
                reason(holds, "is less than or equal to")
            }
            Op::Less => reason(v.precedence(c).is_lt(), "is greater than or equal to"),
            Op::AtLeast => reason(v.precedence(c).is_ge(), "is less than"),
            Op::AtMost => {
                let holds = match self.given {
                    3 => v.precedence(c).is_le(),
                    n => v.core()[..n.max(1)] <= c.core()[..n.max(1)],
                };
                reason(holds, "is greater than")
            }
            Op::Caret => self.caret(v, reason),
        }
    }

    fn differs(&self, v: &Version) -> bool {
        match self.given {
            3 => v.precedence(&self.version).is_ne(),
            2 if v.core()[..2] == self.version.core()[..2] => {
                let either = !v.pre.is_empty() || !self.version.pre.is_empty();
                either && v.pre != self.version.pre
            }
            n => v.core()[..n.max(1)] != self.version.core()[..n.max(1)],
        }
    }

    fn tilde(
        &self,
        v: &Version,
        reason: impl Fn(bool, &str) -> Result<(), String>,
    ) -> Result<(), String> {
        let c = &self.version;
        reason(v.precedence(c).is_ge(), "is less than")?;
        if self.given == 0 || (self.given == 3 && c.core() == [0, 0, 0]) {
            return Ok(());
        }
        reason(v.major == c.major, "does not have same major version as")?;
        reason(
            self.given == 1 || v.minor == c.minor,
            "does not have same major and minor version as",
        )
    }

    fn caret(
        &self,
        v: &Version,
        reason: impl Fn(bool, &str) -> Result<(), String>,
    ) -> Result<(), String> {
        let c = &self.version;
        reason(v.precedence(c).is_ge(), "is less than")?;
        if self.given == 0 {
            return Ok(());
        }
        reason(v.major == c.major, "does not have same major version as")?;
        if c.major > 0 || self.given == 1 {
            return Ok(());
        }
        if c.minor > 0 || self.given == 2 {
            let more = ". Expected minor versions to match when constraint major version is 0";
            return reason(v.minor == c.minor, "does not have same minor version as")
                .map_err(|e| e + more);
        }
        reason(v.minor == 0, "does not have same minor version as")?;
        let more = ". Expect version and constraint to equal when major and minor versions are 0";
        reason(v.patch == c.patch, "does not equal").map_err(|e| e + more)
    }
}

fn pre_release(v: &Version) -> String {
    format!(
        "{} is a prerelease version and the constraint is only looking for release versions",
        quoted(&v.text())
    )
}

impl Constraint {
    fn parse(text: &str) -> Result<Self, String> {
        let mut out = Vec::new();
        for alternative in text.split("||") {
            out.push(Self::parts(alternative)?);
        }
        Ok(Self(out))
    }

    /// The parts between spaces or single commas; `1.0 - 2.0` is a range.
    fn parts(text: &str) -> Result<Vec<Part>, String> {
        const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];
        let bad = |error| match error {
            PartError::Form => format!("improper constraint: {text}"),
            PartError::Range => "constraint parser error".to_owned(),
        };
        let word = |text: &str| text.find([' ', '\t', '\n', '\r', ',']).unwrap_or(text.len());
        let mut out = Vec::new();
        let mut rest = text.trim_matches(BLANKS);
        loop {
            let (op, after) = operator(rest);
            let after = after.trim_start_matches(BLANKS);
            let (version, after) = after.split_at(word(after));
            rest = after.trim_start_matches(BLANKS);
            match rest.strip_prefix('-').filter(|end| op == Op::Equal && end.starts_with(BLANKS)) {
                Some(end) => {
                    let end = end.trim_start_matches(BLANKS);
                    let (end, after) = end.split_at(word(end));
                    out.push(Part::parse(Op::AtLeast, version).map_err(bad)?);
                    out.push(Part::parse(Op::AtMost, end).map_err(bad)?);
                    rest = after.trim_start_matches(BLANKS);
                }
                None => out.push(Part::parse(op, version).map_err(bad)?),
            }
            if rest.is_empty() {
                return Ok(out);
            }
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start_matches(BLANKS);
        }
    }

    /// Whether a version satisfies it, and the failed constraints.
    fn check(&self, v: &Version) -> (bool, Vec<String>) {
        let mut reasons = Vec::new();
        let mut pre = false;
        for parts in &self.0 {
            let mut holds = true;
            for part in parts {
                if part.version.pre.is_empty() && !v.pre.is_empty() {
                    if !std::mem::replace(&mut pre, true) {
                        reasons.push(pre_release(v));
                    }
                    holds = false;
                } else if let Err(reason) = part.check(v) {
                    reasons.push(reason);
                    holds = false;
                }
            }
            if holds {
                return (true, Vec::new());
            }
        }
        (false, reasons)
    }
}

fn version(name: &str, value: &Value) -> Result<Version, String> {
    let Value::Str(text) = value else {
        return Err(format!("{name} requires one string argument, but got {}", value.kind()));
    };
    Version::parse(text).map_err(|e| format!("{name}: {}: {e}", quoted(text)))
}

/// Whether a version meets constraints.
fn constrained(name: &str, found: &Version, args: &[Value]) -> Verdict {
    for (at, arg) in args.iter().enumerate() {
        let Value::Str(text) = arg else {
            return wrong(format!("{name}: constraint argument {at} must be string"));
        };
        let constraint = match Constraint::parse(text) {
            Ok(constraint) => constraint,
            Err(e) => {
                let shown = quoted(text);
                return wrong(format!("{name}: invalid constraint {shown}[{at}]: {e}"));
            }
        };
        let (holds, reasons) = constraint.check(found);
        if !holds {
            return Ok((false, format!("[{}]", reasons.join(" "))));
        }
    }
    verdict(true, if args.is_empty() { "is semantic version" } else { "matches contraint" }, "")
}

/// The validator `semver`.
pub(super) fn validate(value: &Value, args: &[Value]) -> Verdict {
    match version("semver", value) {
        Ok(found) => constrained("semver", &found, args),
        Err(text) => Ok((false, text)),
    }
}

/// The result of a function that checks constraints.
fn checked(call: &Call<'_, '_>, name: &str) -> Eval<(bool, String)> {
    let Some((value, args)) = call.args.split_first() else {
        return fail(format!("{name} requires at least one arguments"));
    };
    let found = match version(name, value) {
        Ok(found) => found,
        Err(text) => return fail(text),
    };
    match constrained(name, &found, args) {
        Ok(outcome) => Ok(outcome),
        Err(ConditionError::Condition(text)) => fail(text),
        Err(ConditionError::Stop(stop)) => Err(stop),
    }
}

fn semvermatch(call: &mut Call<'_, '_>) -> Eval<Value> {
    Ok(Value::Bool(checked(call, "semvermatch")?.0))
}

fn semvervalidate(call: &mut Call<'_, '_>) -> Eval<Value> {
    let name = "semvervalidate";
    let shown = match call.args.first() {
        Some(Value::Str(text)) => quoted(text),
        other => other.and_then(Value::simple_text).unwrap_or_default().to_string(),
    };
    match checked(call, name) {
        Ok((true, _)) => Ok(call.args[0].clone()),
        Ok((false, text)) => fail(format!("{name}: {shown}: {text}")),
        Err(stop) if call.args.is_empty() || stop.text().is_empty() => Err(stop),
        Err(stop) => fail(format!("{name}: {shown}: {}", stop.text())),
    }
}

fn only(call: &Call<'_, '_>, name: &str) -> Eval<Version> {
    match call.args {
        [value] => version(name, value).or_else(fail),
        _ => fail(format!("{name} requires one semver argument")),
    }
}

/// Gets or replaces a part of a version.
fn part(
    call: &Call<'_, '_>,
    name: &str,
    what: &str,
    get: fn(&Version) -> String,
    set: fn(&Version, &str) -> Result<Version, String>,
) -> Eval<Value> {
    let (value, new) = match call.args {
        [_] => return Ok(Value::str(get(&only(call, name)?))),
        [value, new] => (value, new),
        [] => return fail(format!("{name} requires one semver argument")),
        _ => return fail(format!("{name} requires one semver argument and an optional value")),
    };
    let found = version(name, value).or_else(fail)?;
    let Value::Str(new) = new else {
        return fail(format!("{name}: {what} requires string, but got {}", new.kind()));
    };
    match set(&found, new) {
        Ok(changed) => Ok(Value::str(changed.changed())),
        Err(e) => fail(format!("{name}: invalid {what} {}: {e}", quoted(new))),
    }
}

fn with_pre(v: &Version, pre: &str) -> Result<Version, String> {
    if !pre.is_empty() {
        check_parts(pre, true, "invalid prerelease string")?;
    }
    Ok(Version { pre: pre.into(), ..v.clone() })
}

fn with_meta(v: &Version, meta: &str) -> Result<Version, String> {
    if !meta.is_empty() {
        check_parts(meta, false, "invalid metadata string")?;
    }
    Ok(Version { meta: meta.into(), ..v.clone() })
}

fn with_release(v: &Version, release: &str) -> Result<Version, String> {
    let new = Version::parse(release)?;
    Ok(Version { pre: v.pre.clone(), meta: v.meta.clone(), ..new })
}

fn prerelease(call: &mut Call<'_, '_>) -> Eval<Value> {
    part(call, "semverprerelease", "prerelease", |v| v.pre.clone(), with_pre)
}

fn metadata(call: &mut Call<'_, '_>) -> Eval<Value> {
    part(call, "semvermetadata", "metadata", |v| v.meta.clone(), with_meta)
}

fn release(call: &mut Call<'_, '_>) -> Eval<Value> {
    let bare =
        |v: &Version| Version { pre: String::new(), meta: String::new(), ..v.clone() }.changed();
    part(call, "semverrelease", "release", bare, with_release)
}

fn normal(call: &mut Call<'_, '_>) -> Eval<Value> {
    // spiff++ names the other function in its errors.
    Ok(Value::str(only(call, "semverprerelease")?.text()))
}

fn number(call: &Call<'_, '_>, name: &str, at: usize) -> Eval<Value> {
    let found = only(call, name)?;
    // Larger numbers wrap around, as Go's conversions do.
    Ok(Value::Int(found.core()[at].cast_signed()))
}

fn major(call: &mut Call<'_, '_>) -> Eval<Value> {
    number(call, "semvermajor", 0)
}

fn minor(call: &mut Call<'_, '_>) -> Eval<Value> {
    number(call, "semverminor", 1)
}

fn patch(call: &mut Call<'_, '_>) -> Eval<Value> {
    number(call, "semverpatch", 2)
}

/// A version from bare numbers, with the `v` prefix of another.
fn bare(v: &Version, [major, minor, patch]: [u64; 3]) -> Value {
    let original = v.original.clone();
    Value::str(Version { major, minor, patch, original, ..Version::default() }.changed())
}

fn incmajor(call: &mut Call<'_, '_>) -> Eval<Value> {
    let v = only(call, "semverincmajor")?;
    Ok(bare(&v, [v.major.wrapping_add(1), 0, 0]))
}

fn incminor(call: &mut Call<'_, '_>) -> Eval<Value> {
    let v = only(call, "semverincminor")?;
    Ok(bare(&v, [v.major, v.minor.wrapping_add(1), 0]))
}

fn incpatch(call: &mut Call<'_, '_>) -> Eval<Value> {
    let v = only(call, "semverincpatch")?;
    let patch = if v.pre.is_empty() { v.patch.wrapping_add(1) } else { v.patch };
    Ok(bare(&v, [v.major, v.minor, patch]))
}

fn semvercmp(call: &mut Call<'_, '_>) -> Eval<Value> {
    let [a, b] = call.args else { return fail("semvercmp requires two arguments") };
    let a = version("semvercmp", a).or_else(fail)?;
    let b = version("semvercmp", b).or_else(fail)?;
    Ok(Value::Int(match a.precedence(&b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

fn semversort(call: &mut Call<'_, '_>) -> Eval<Value> {
    let values: Vec<&Value> = match call.args {
        [Value::List(list)] => list.items.iter().map(|i| &i.value).collect(),
        args => args.iter().collect(),
    };
    let mut versions = Vec::with_capacity(values.len());
    for value in values {
        versions.push(version("semvercmp", value).or_else(fail)?);
    }
    versions.sort_by(Version::precedence);
    Ok(Value::list(versions.into_iter().map(|v| Value::str(v.original))))
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("semver(version)", "A semantic version in its full form.", normal),
        eager(
            "semverrelease(version, release?)",
            "The version without suffixes, or with another release.",
            release,
        ),
        eager("semvermajor(version)", "The major number of a version.", major),
        eager("semverminor(version)", "The minor number of a version.", minor),
        eager("semverpatch(version)", "The patch number of a version.", patch),
        eager(
            "semverprerelease(version, text?)",
            "The pre-release of a version, or the version with another one.",
            prerelease,
        ),
        eager(
            "semvermetadata(version, text?)",
            "The metadata of a version, or the version with others.",
            metadata,
        ),
        eager("semvercmp(version, version)", "Compares two versions: -1, 0 or 1.", semvercmp),
        eager(
            "semvermatch(version, constraint...)",
            "Whether a version meets constraints.",
            semvermatch,
        ),
        eager("semversort(version...)", "Versions from the lowest to the highest.", semversort),
        eager(
            "semvervalidate(version, constraint...)",
            "A version; fails if it does not meet constraints.",
            semvervalidate,
        ),
        eager("semverincmajor(version)", "The next major version.", incmajor),
        eager("semverincminor(version)", "The next minor version.", incminor),
        eager("semverincpatch(version)", "The next patch version.", incpatch),
    ]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn meets(version: &str, constraint: &str) -> bool {
        let version = Version::parse(version).unwrap();
        Constraint::parse(constraint).unwrap().check(&version).0
    }

    #[test]
    fn constraints() {
        assert!(meets("1.2.3", ">= 1.2, < 2"));
        assert!(meets("1.2.3", "~1.2"));
        assert!(!meets("1.3.0", "~1.2.3"));
        assert!(meets("1.9.0", "^1.2"));
        assert!(!meets("0.3.0", "^0.2"));
        assert!(meets("1.5.0", "1.2 - 1.5"));
        assert!(meets("1.5.9", "1.5.x"));
        assert!(meets("3.0.0", "<1 || >=3"));
        assert!(Constraint::parse(">=1.0<2.0").is_err());
        assert!(!meets("1.0.0-rc.1", ">=0.9"));
        assert!(meets("1.0.0-rc.1", ">=1.0.0-beta"));
        assert!(meets("7.0.0", "*"));
        assert!(Constraint::parse("nonsense").is_err());
    }

    #[test]
    fn versions() {
        assert_eq!(Version::parse("v1.2").unwrap().text(), "1.2.0");
        assert_eq!(Version::parse("1.2.3-a.b+c").unwrap().text(), "1.2.3-a.b+c");
        assert_eq!(Version::parse("x").unwrap_err(), INVALID);
        assert_eq!(Version::parse("1.0.0-01").unwrap_err(), "version segment starts with 0");
    }
}
