//! `onlyif`: a test of the tree.

use ordain_functions::regex::{Dialect, Regex, compile};

use crate::kind::KindError;
use crate::kinds::augeas::commands::{Scanner, can_be_sent};
use crate::kinds::augeas::process::Sessions;
use crate::kinds::augeas::session::Session;
use crate::kinds::augeas::tree::{Node, Tree};
use crate::system::host::Host;

/// A test.
pub(super) struct Condition {
    path: String,
    test: Test,
}

enum Test {
    /// Compares the value of the node.
    Value(Comparator, String),
    /// Compares the values of all nodes that match.
    Values(Comparison),
    /// Compares their paths.
    Paths(Comparison),
    /// Compares their number.
    Count(Comparator, usize),
}

enum Comparison {
    Include(String),
    NotInclude(String),
    Equal(Vec<String>),
    NotEqual(Vec<String>),
}

enum Comparator {
    Equal,
    NotEqual,
    Matches(Box<Regex>),
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Condition {
    /// Reads the text of a condition.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn parse(text: &str, context: &str) -> Result<Self, String> {
        let mut scanner = Scanner::new(text.trim());
        let word = scanner.word();
        if !["get", "match", "values"].contains(&word) {
            return Err(format!("Unknown command {word}"));
        }
        let missing = || format!("missing path argument 1 for {word}");
        let path = scanner.path(context)?.ok_or_else(missing)?;
        if !can_be_sent(&path) {
            return Err(format!("{path:?} has a control character"));
        }
        let test = match word {
            "get" => {
                let operator = Comparator::scan(&mut scanner, "get")?;
                let text = scanner.text().ok_or("missing string argument 3 for get")?;
                Test::Value(Comparator::new(operator, &text)?, text)
            }
            "match" => {
                let mut clause = Scanner::new(scanner.all());
                if clause.one_of(&["size"]).is_some() {
                    let operator = Comparator::scan(&mut clause, "size")?;
                    if operator == "=~" {
                        return Err("invalid comparator for command size".to_string());
                    }
                    Test::Count(Comparator::new(operator, "")?, clause.number())
                } else {
                    Test::Paths(Comparison::parse(&mut clause)?)
                }
            }
            _ => Test::Values(Comparison::parse(&mut Scanner::new(scanner.all()))?),
        };
        Ok(Self { path, test })
    }

    /// Whether it holds on the machine.
    ///
    /// # Errors
    /// When Augeas cannot evaluate it.
    pub(super) fn holds(
        &self,
        host: &Host,
        tree: &Tree,
        sessions: &Sessions,
    ) -> Result<bool, KindError> {
        let mut session = Session::loading(host, tree, sessions, None)?;
        if let Test::Value(comparator, wanted) = &self.test {
            let value = session.get(&self.path);
            let answers = session.run(host, tree, sessions)?;
            // A node that does not exist, and several, have an empty value.
            let value = answers.value(value, &self.path).unwrap_or_default();
            return comparator.compare_texts(&value, wanted).map_err(KindError::new);
        }
        let found = session.find_declared(&self.path);
        let answers = session.run(host, tree, sessions)?;
        let nodes = answers.nodes(&found).map_err(|why| {
            KindError::new(format!("Error trying to match path '{}': {why}", self.path))
        })?;
        Ok(self.test.accepts(&nodes))
    }
}

impl Test {
    fn accepts(&self, nodes: &[Node]) -> bool {
        match self {
            Self::Count(comparator, count) => comparator.accepts(nodes.len().cmp(count)),
            Self::Paths(comparison) => comparison.accepts(nodes.iter().map(|n| Some(&*n.path))),
            Self::Values(comparison) => {
                comparison.accepts(nodes.iter().map(|n| n.value.as_deref()))
            }
            Self::Value(..) => false,
        }
    }
}

impl Comparison {
    fn parse(scanner: &mut Scanner<'_>) -> Result<Self, String> {
        let word = scanner.word();
        let missing = || format!("missing string argument 1 for {word}");
        Ok(match word {
            "include" => Self::Include(scanner.text().ok_or_else(missing)?),
            "not_include" => Self::NotInclude(scanner.text().ok_or_else(missing)?),
            "==" => Self::Equal(array(scanner.all())?),
            "!=" => Self::NotEqual(array(scanner.all())?),
            _ => return Err(format!("Unknown command {word}")),
        })
    }

    fn accepts<'a>(&'a self, mut found: impl Iterator<Item = Option<&'a str>>) -> bool {
        match self {
            Self::Include(text) => found.any(|item| item == Some(text.as_str())),
            Self::NotInclude(text) => !found.any(|item| item == Some(text.as_str())),
            Self::Equal(texts) => found.eq(texts.iter().map(|text| Some(text.as_str()))),
            Self::NotEqual(texts) => found.ne(texts.iter().map(|text| Some(text.as_str()))),
        }
    }
}

impl Comparator {
    fn scan(scanner: &mut Scanner<'_>, command: &str) -> Result<&'static str, String> {
        scanner
            .one_of(&["==", "!=", "=~", "<=", ">=", "<", ">"])
            .ok_or_else(|| format!("invalid comparator for command {command}"))
    }

    fn new(operator: &str, pattern: &str) -> Result<Self, String> {
        Ok(match operator {
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "=~" => {
                let regex = compile(Dialect::Ruby, pattern).map_err(|e| e.to_string())?;
                Self::Matches(Box::new(regex))
            }
            "<=" => Self::LessOrEqual,
            ">=" => Self::GreaterOrEqual,
            "<" => Self::Less,
            _ => Self::Greater,
        })
    }

    fn accepts(&self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Matches(_) => false,
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// Numbers are compared as numbers, but only by their order.
    fn compare_texts(&self, value: &str, wanted: &str) -> Result<bool, String> {
        if let Self::Matches(regex) = self {
            return regex.is_match(value).map_err(|e| e.to_string());
        }
        let by_order = !matches!(self, Self::Equal | Self::NotEqual);
        let numbers = number(value).zip(number(wanted)).filter(|_| by_order);
        Ok(match numbers {
            Some((value, wanted)) => self.accepts(value.total_cmp(&wanted)),
            None => self.accepts(value.as_bytes().cmp(wanted.as_bytes())),
        })
    }
}

/// The number that a text is, without an exponent.
fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    // Negative zero is no smaller than zero.
    let parse = || text.parse::<f64>().ok().map(|number| number + 0.0);
    (all_digits(whole) && all_digits(fraction)).then(parse).flatten()
}

/// Reads an array of texts in quotes, as Ruby writes it.
fn array(text: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("Invalid array in command: {text}");
    let inner = text.trim_end().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let mut rest = inner.ok_or_else(wrong)?.trim();
    let mut items = Vec::new();
    while let Some(quote) = rest.chars().next() {
        if !matches!(quote, '\'' | '"') {
            return Err(wrong());
        }
        let (item, after) = quoted(&rest[1..], quote).ok_or_else(wrong)?;
        items.push(item);
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after.is_empty() => after,
            None => return Err(wrong()),
        };
    }
    Ok(items)
}

/// A text up to its closing quote, with its escapes resolved, and what follows it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        if c == quote {
            return Some((out, rest));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let escape = rest.chars().next()?;
        rest = &rest[escape.len_utf8()..];
        match (quote, escape) {
            (_, '\\') => out.push('\\'),
            ('\'', '\'') | ('"', '"') => out.push(escape),
            ('"', 'a') => out.push('\u{7}'),
            ('"', 'b') => out.push('\u{8}'),
            ('"', 't') => out.push('\t'),
            ('"', 'n') => out.push('\n'),
            ('"', 'v') => out.push('\u{b}'),
            ('"', 'f') => out.push('\u{c}'),
            ('"', 'r') => out.push('\r'),
            ('"', 'e') => out.push('\u{1b}'),
            ('"', 's') => out.push(' '),
            ('"', '0'..='7') => {
                let digits = &text[text.len() - rest.len() - 1..];
                rest = code(digits, 8, 3, &mut out)?;
            }
            ('"', 'x') => rest = code(rest, 16, 2, &mut out)?,
            ('"', 'u') => rest = unicode(rest, &mut out)?,
            _ => return None,
        }
    }
}

/// Adds the character with the code that a text begins with.
fn code<'a>(text: &'a str, radix: u32, limit: usize, out: &mut String) -> Option<&'a str> {
    let length = text.chars().take(limit).take_while(|c| c.is_digit(radix)).count();
    let code = u32::from_str_radix(text.get(..length)?, radix).ok()?;
    out.push(char::from_u32(code)?);
    Some(&text[length..])
}

/// Adds the characters of an escape such as `00e9` or `{e9 e8}`.
fn unicode<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let Some(braced) = text.strip_prefix('{') else {
        let is_whole = text.len() >= 4 && text.chars().take(4).all(|c| c.is_ascii_hexdigit());
        return is_whole.then(|| code(text, 16, 4, out)).flatten();
    };
    let (codes, rest) = braced.split_once('}')?;
    let codes: Vec<&str> = codes.split_whitespace().collect();
    for one in &codes {
        if !code(one, 16, 6, out)?.is_empty() {
            return None;
        }
    }
    (!codes.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays() {
        let read = |text: &str| array(text).ok();
        let some = |items: &[&str]| Some(items.iter().map(|i| (*i).to_string()).collect());
        assert_eq!(read("[]"), some(&[]));
        assert_eq!(read(r#"[ 'a', "b\n" , 'c\'d\\' ]"#), some(&["a", "b\n", r"c'd\"]));
        assert_eq!(read(r#"["\u00e9\u{61 62}\x41\101"]"#), some(&["\u{e9}abAA"]));
        for wrong in ["", "[", "['a'", "[a]", "['a' 'b']", r"['\n']", r#"["\q"]"#, "['a'] x"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn values_are_compared_as_numbers_or_texts() {
        let holds = |value: &str, operator: &str, wanted: &str| {
            Comparator::new(operator, wanted).and_then(|c| c.compare_texts(value, wanted))
                == Ok(true)
        };
        assert!(holds("10", ">", "9") && holds("1.50", ">=", "1.5") && holds("-1", "<", "+0"));
        assert!(holds("b", ">", "a") && holds("10", "<", "9x") && !holds("1.0", "==", "1"));
        assert!(holds("abc", "=~", "^a.c$") && !holds("", "=~", "x") && holds("", "!=", "x"));
    }

    #[test]
    fn wrong_conditions() {
        let error = |text: &str| Condition::parse(text, "").err().unwrap_or_default();
        assert_eq!(error("get /a"), "invalid comparator for command get");
        assert_eq!(error("get /a =="), "missing string argument 3 for get");
        assert_eq!(error("match /a size"), "invalid comparator for command size");
        assert_eq!(error("match /a"), "Unknown command ");
        assert_eq!(error("set /a b"), "Unknown command set");
        assert_eq!(error("values /a == x"), "Invalid array in command: x");
        assert!(error("match /a size > 1").is_empty() && error("values /a include 'x'").is_empty());
    }
}
