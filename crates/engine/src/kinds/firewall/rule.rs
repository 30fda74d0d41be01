//! The rules of the machine, as `iptables-save` prints them.

use std::collections::BTreeMap;

use ordain_functions::digest::sha256;

use super::options::{OPTIONS, Of, RuleOption, Shape};

/// The number from which on names are given to rules that have none.
const UNNAMED: usize = 9000;

/// The texts of an attribute. `! ` before the first one excludes them all; a flag is `true`.
pub(super) type Texts = Vec<String>;

/// A rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    /// Its table.
    pub(super) table: String,
    /// Its chain.
    pub(super) chain: String,
    /// Its comment, or a name of its own if that is no name of a resource.
    pub(super) name: String,
    /// The rule as it is printed, without a backslash before single quotes.
    pub(super) line: String,
    /// Its words.
    pub(super) words: Vec<String>,
    /// Its attributes.
    pub(super) values: BTreeMap<&'static str, Texts>,
}

/// A chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chain {
    /// Its table.
    pub(super) table: String,
    /// Its name.
    pub(super) name: String,
    /// The policy of a built-in chain, in small letters.
    pub(super) policy: Option<String>,
}

/// The rules and chains of one protocol.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Ruleset {
    /// In their order.
    pub(super) rules: Vec<Rule>,
    /// In their order.
    pub(super) chains: Vec<Chain>,
}

impl Ruleset {
    /// Reads the output of `iptables-save`.
    pub(super) fn parse(text: &str) -> Self {
        let mut all = Self::default();
        let mut table = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix('*') {
                table = name.trim().to_string();
            } else if let Some(chain) = line.strip_prefix(':') {
                let mut words = chain.split_whitespace();
                let name = words.next().unwrap_or_default().to_string();
                let policy = words.next().filter(|policy| *policy != "-");
                let policy = policy.map(str::to_lowercase);
                all.chains.push(Chain { table: table.clone(), name, policy });
            } else if line.starts_with("-A ") {
                let number = UNNAMED + all.rules.len() + 1;
                all.rules.push(Rule::parse(line, &table, number));
            }
        }
        all
    }

    /// The names of the rules of a chain, in their order.
    pub(super) fn names<'a>(&'a self, table: &str, chain: &str) -> Vec<&'a str> {
        let own = self.rules.iter().filter(|rule| rule.table == table && rule.chain == chain);
        own.map(|rule| rule.name.as_str()).collect()
    }
}

impl Rule {
    /// Reads a printed rule; `number` names a rule without a name.
    fn parse(line: &str, table: &str, number: usize) -> Self {
        let words = words(line);
        let mut rule = Self {
            table: table.to_string(),
            chain: String::new(),
            name: String::new(),
            line: line.replace("\\'", "'"),
            words: Vec::new(),
            values: BTreeMap::new(),
        };
        rule.read(&words);
        rule.words = words;
        let comment = rule.values.get("name").map(|texts| texts.concat());
        rule.name = match comment {
            None => format!("{number} {}", sha256(rule.line.as_bytes())),
            Some(comment) if is_name(&comment, false) => comment,
            Some(comment) => format!("{number} {comment}"),
        };
        rule
    }

    fn read(&mut self, words: &[String]) {
        let (mut module, mut target, mut negated) = ("", "", false);
        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word {
                "!" => {
                    negated = true;
                    continue;
                }
                "-A" => self.chain = rest.next().unwrap_or_default().to_string(),
                "-m" => {
                    module = rest.next().unwrap_or_default();
                    if module == "socket" {
                        self.values.insert("socket", vec!["true".to_string()]);
                    }
                }
                _ => {
                    if let Some((row, texts)) = found(word, module, target, negated, &mut rest) {
                        if ["jump", "goto"].contains(&row.name) {
                            (module, target) = ("", texts.first().copied().unwrap_or_default());
                        }
                        self.add(row, negated, &texts);
                    }
                }
            }
            negated = false;
        }
    }

    fn add(&mut self, row: &RuleOption, negated: bool, texts: &[&str]) {
        let mut texts: Texts = match row.shape {
            Shape::Flag | Shape::Module => vec!["true".to_string()],
            Shape::Joined => texts.concat().split(',').map(str::to_string).collect(),
            Shape::Flags | Shape::Each => vec![texts.join(" ")],
            // Several ports come in one text.
            Shape::Ports => texts.concat().split(',').map(str::to_string).collect(),
            _ => texts.iter().map(|text| (*text).to_string()).collect(),
        };
        if let Some(first) = texts.first_mut().filter(|_| negated) {
            *first = format!("! {first}");
        }
        self.values.entry(row.name).or_default().append(&mut texts);
    }
}

/// The attribute of an option with its values.
fn found<'a>(
    word: &'a str,
    module: &str,
    target: &str,
    negated: bool,
    rest: &mut (impl Iterator<Item = &'a str> + Clone),
) -> Option<(&'static RuleOption, Vec<&'a str>)> {
    let named = |name: &str| OPTIONS.iter().find(|row| row.name == name);
    let option = word.strip_prefix("--").unwrap_or_default();
    let special = match (module, option) {
        ("recent", "set" | "update" | "rcheck" | "remove") => named("recent"),
        ("rpfilter", "loose" | "validmark" | "accept-local" | "invert") => named("rpfilter"),
        _ => None,
    };
    if let Some(row) = special {
        return Some((row, vec![option]));
    }
    let row = match (module, word) {
        ("multiport", "--sports") => named("sport"),
        ("multiport", "--dports") => named("dport"),
        ("icmp", "--icmp-type") | ("icmp6", "--icmpv6-type") => named("icmp"),
        _ => OPTIONS.iter().find(|row| {
            row.option == word
                && match row.of {
                    Of::Rule => true,
                    Of::Match(name) => name == module,
                    Of::Target(name) => name == target,
                }
        }),
    }?;
    let count = match row.shape {
        Shape::Flag | Shape::Module => 0,
        Shape::Flags => 2,
        Shape::Each if row.name == "ipset" => 2,
        _ => 1,
    };
    let mut texts: Vec<&str> = rest.by_ref().take(count).collect();
    if ["src_type", "dst_type"].contains(&row.name) && !negated {
        let mut ahead = rest.clone();
        if let Some(limit) = ahead.next().filter(|word| word.starts_with("--limit-iface-")) {
            texts.push(limit);
            *rest = ahead;
        }
    }
    Some((row, texts))
}

/// Whether a text is the name of a resource: a number and words. With `underscores`, the words may
/// follow after underscores.
pub(super) fn is_name(text: &str, underscores: bool) -> bool {
    let is_separator = |c: char| matches!(c, ' ' | '\t' | '-') || (underscores && c == '_');
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() == text.len() || digits.is_empty() {
        return false;
    }
    // Each separator is followed by something that is no blank.
    let mut chars = digits.chars();
    if !chars.next().is_some_and(is_separator) {
        return false;
    }
    let words: Vec<&str> = chars.as_str().split([' ', '\t']).collect();
    words.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace))
}

/// Whether a name is one of a rule that no resource manages.
pub(super) fn is_unmanaged(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() > 4
        && bytes[0] == b'9'
        && bytes[1..4].iter().all(u8::is_ascii_digit)
        && bytes[4].is_ascii_whitespace()
}

/// The words of a printed rule, without quotes.
fn words(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() && !is_quoted => all.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Vec<String> {
        let rule = Rule::parse(line, "filter", 9001);
        rule.values.iter().map(|(name, texts)| format!("{name}={}", texts.join("|"))).collect()
    }

    #[test]
    fn attributes_of_printed_rules() {
        let line = r#"-A INPUT -s 10.0.0.0/8 ! -i lo -p tcp -m multiport ! --dports 80,443 -m state --state NEW -m comment --comment "100 a \"b\" it\'s" -j ACCEPT"#;
        let wanted = [
            "destination=",
            "dport=! 80|443",
            "iniface=! lo",
            "jump=ACCEPT",
            "name=100 a \"b\" it's",
            "proto=tcp",
            "source=10.0.0.0/8",
            "state=NEW",
        ];
        assert_eq!(values(line), wanted[1..]);
        let line = "-A PREROUTING -m mark ! --mark 0x1/0xff -m connmark --mark 0x2 -m addrtype \
                    --dst-type LOCAL --limit-iface-in -m set --match-set s src,dst -j NETMAP --to 10.0.0.0/24";
        let wanted = [
            "connmark=0x2",
            "dst_type=LOCAL --limit-iface-in",
            "ipset=s src,dst",
            "jump=NETMAP",
            "match_mark=! 0x1/0xff",
            "to=10.0.0.0/24",
        ];
        assert_eq!(values(line), wanted);
        let line = "-A INPUT -p tcp -m tcp --tcp-flags FIN,SYN SYN -m string --string x --algo bm --to 9 \
                    -m recent ! --rcheck --seconds 60 --name SSH --mask 255.255.255.255 --rsource -m socket";
        let wanted = [
            "mask=255.255.255.255",
            "proto=tcp",
            "recent=! rcheck",
            "rname=SSH",
            "rseconds=60",
            "rsource=true",
            "socket=true",
            "string=x",
            "string_algo=bm",
            "string_to=9",
            "tcp_flags=FIN,SYN SYN",
        ];
        assert_eq!(values(line), wanted);
    }

    #[test]
    fn rules_without_names_get_one() {
        let text = "# x\n*filter\n:INPUT DROP [0:0]\n:WEB - [0:0]\n-A INPUT -j WEB\n\
                    -A WEB -m comment --comment \"100 a\" -j ACCEPT\n-A WEB -m comment --comment b\nCOMMIT\n";
        let all = Ruleset::parse(text);
        assert!(all.rules[0].name.starts_with("9001 ") && is_unmanaged(&all.rules[0].name));
        assert_eq!(all.names("filter", "WEB"), ["100 a", "9003 b"]);
        assert_eq!(all.chains[0].policy.as_deref(), Some("drop"));
        assert_eq!(all.chains[1].policy, None);
    }

    #[test]
    fn names_are_a_number_and_words() {
        for name in ["100 a", "1-a", "001 allow ssh-x", "9 é"] {
            assert!(is_name(name, false), "{name}");
        }
        for name in ["a", "100", "100 ", "100  a", "100a", "1_a"] {
            assert!(!is_name(name, false), "{name}");
        }
        assert!(is_name("1_a", true));
    }
}
