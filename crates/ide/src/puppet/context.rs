//! The construct around the cursor, from the text before it. It needs no tree, so it works while a
//! statement is being typed.

use ordain_puppet::syntax::is_keyword;
use ordain_puppet::validation::names::plain;
use ordain_source::TextRange;

use crate::words::scan::{self, Token};

/// The name that can stand at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Context {
    /// A variable, after `$`.
    Variable,
    /// A variable of a class, after `$class::`.
    ClassVariable(String),
    /// A key of the facts; the text is the path before it.
    Fact(String),
    /// A class.
    Class,
    /// A data type, or the name of a resource type in a reference.
    Type,
    /// An attribute of a resource type, or a parameter of a define.
    Attribute(String),
    /// A parameter of the class.
    ClassParameter(String),
    /// The value of an attribute: its type and name.
    Value(String, String),
    /// A key of Hiera.
    Key,
    /// A statement or an expression.
    Code,
    /// A text or comment, in which nothing can be completed.
    Nothing,
}

/// The context of a cursor, and the range of the typed part of the name.
pub(crate) fn at(text: &str, offset: u32) -> (Context, TextRange) {
    let before = text.get(..offset as usize).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let mut start = before.trim_end_matches(is_part).len();
    // A single colon is a sign behind a title.
    if before.ends_with(':') && !before.ends_with("::") {
        start = before.len();
    }
    let typed = &before[start..];
    let range = TextRange::new(start as u32, offset);
    let head = &before[..start];
    if let Some(found) = variable(head, typed, range) {
        return found;
    }
    let (frames, last) = frames(head);
    let last = last.filter(|last| last.range.end == start as u32);
    let in_text = match last.map(|last| last.kind) {
        Some(scan::Kind::Comment) => return (Context::Nothing, range),
        Some(scan::Kind::Text) => {
            if last.is_some_and(|last| is_closed(last.text)) {
                return (Context::Nothing, range);
            }
            true
        }
        _ => false,
    };
    let context = classify(&frames, typed, in_text);
    let is_nothing = in_text && matches!(context, Context::Code | Context::Type);
    (if is_nothing { Context::Nothing } else { context }, range)
}

/// Whether a text has both quotes.
fn is_closed(text: &str) -> bool {
    let quote = text.chars().next();
    text.len() > 1 && text.chars().last() == quote && !text.ends_with("\\'")
}

/// The context right after `$`, `${` or `$facts[`, also inside of texts.
fn variable(head: &str, typed: &str, range: TextRange) -> Option<(Context, TextRange)> {
    if head.ends_with('$') || head.ends_with("${") {
        if let Some((class, name)) = typed.rsplit_once("::").filter(|(class, _)| !class.is_empty())
        {
            let start = range.end - name.len() as u32;
            let class = plain(class).to_string();
            return Some((Context::ClassVariable(class), TextRange::new(start, range.end)));
        }
        let name = typed.trim_start_matches("::");
        let start = range.end - name.len() as u32;
        return Some((Context::Variable, TextRange::new(start, range.end)));
    }
    let opened = head.strip_suffix(['\'', '"'])?.strip_suffix('[')?;
    let mut path: Vec<&str> = Vec::new();
    let mut rest = opened;
    loop {
        if rest.ends_with("$facts") || rest.ends_with("${facts") || rest.ends_with("$::facts") {
            path.reverse();
            return Some((Context::Fact(path.join(".")), range));
        }
        let inside = rest.strip_suffix(']')?;
        let (before, key) = inside.rsplit_once('[')?;
        path.push(key.trim_matches(['\'', '"']));
        rest = before;
    }
}

/// A bracket that is open at the cursor, with the last tokens inside.
struct Frame<'t> {
    kind: FrameKind,
    tokens: Vec<Token<'t>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum FrameKind {
    Code,
    /// The body of a resource: its type, and the title behind a brace.
    Resource {
        kind: String,
        title: Option<String>,
        is_in_attributes: bool,
    },
    /// Attributes of defaults, overrides and collectors.
    Defaults(String),
    /// The arguments of a function.
    Call(String),
    /// The keys of a reference: the name before the bracket.
    Access(String),
    Other,
}

/// The open brackets before the cursor, and the last token.
fn frames(before: &str) -> (Vec<Frame<'_>>, Option<Token<'_>>) {
    let mut frames = vec![Frame { kind: FrameKind::Code, tokens: Vec::new() }];
    let mut last = None;
    scan::scan(before, scan::PUPPET, |token| {
        last = Some(token);
        let Some(frame) = frames.last_mut().filter(|_| token.kind != scan::Kind::Comment) else {
            return;
        };
        match token.text {
            "{" | "(" | "[" | "@(" | "<|" if token.kind == scan::Kind::Sign => {
                let kind = opened(frame, token.text);
                frame.tokens.push(token);
                frames.push(Frame { kind, tokens: Vec::new() });
            }
            "}" | ")" | "]" | "|>" if token.kind == scan::Kind::Sign => {
                if frames.len() > 1 {
                    frames.pop();
                }
                if let Some(frame) = frames.last_mut() {
                    frame.tokens.push(token);
                }
            }
            _ => frame.push(token),
        }
    });
    (frames, last)
}

impl<'t> Frame<'t> {
    fn push(&mut self, token: Token<'t>) {
        if let FrameKind::Resource { title, is_in_attributes, .. } = &mut self.kind {
            match token.text {
                ":" if token.kind == scan::Kind::Sign && !*is_in_attributes => {
                    let before = self.tokens.last().map(|t| t.text.trim_matches(['\'', '"']));
                    *title = before.map(ToOwned::to_owned);
                    *is_in_attributes = true;
                }
                ";" if token.kind == scan::Kind::Sign => *is_in_attributes = false,
                _ => {}
            }
        }
        self.tokens.push(token);
    }
}

/// The kind of a frame by its bracket and the tokens before it.
fn opened(frame: &Frame<'_>, bracket: &str) -> FrameKind {
    let mut before = frame.tokens.iter().rev();
    let (last, second) = (before.next(), before.next());
    let word = last.filter(|token| token.is_word() && !token.text.starts_with('$'));
    match bracket {
        "(" => word.map_or(FrameKind::Other, |word| FrameKind::Call(word.text.to_owned())),
        "[" => word.map_or(FrameKind::Other, |word| FrameKind::Access(word.text.to_owned())),
        "{" => {
            let follows = |words: &[&str]| second.is_some_and(|s| words.iter().any(|w| s.is(w)));
            if let Some(word) = word {
                let defines =
                    ["class", "define", "node", "function", "inherits", "type", "case", "if"];
                let is_code = is_keyword(word.text) && word.text != "class" || follows(&defines);
                return match word.text.starts_with(|c: char| c.is_uppercase()) {
                    true => FrameKind::Defaults(plain(word.text).to_string()),
                    false if is_code => FrameKind::Code,
                    false => FrameKind::Resource {
                        kind: plain(word.text).to_string(),
                        title: None,
                        is_in_attributes: false,
                    },
                };
            }
            if last.is_some_and(|last| last.is("]"))
                && let Some(kind) = referred(frame)
            {
                return FrameKind::Defaults(kind);
            }
            let value = ["=>", "=", ",", "(", "[", "?", ":"];
            match last.is_some_and(|last| value.iter().any(|sign| last.is(sign))) {
                true => FrameKind::Other,
                false => FrameKind::Code,
            }
        }
        _ => FrameKind::Other,
    }
}

/// The type of a reference that ends before the cursor, as in `File['a'] {`.
fn referred(frame: &Frame<'_>) -> Option<String> {
    let mut tokens = frame.tokens.iter().rev().skip(1);
    // Tokens inside of the brackets are in a frame of their own.
    let opening = tokens.next().filter(|token| token.is("["))?;
    let name = tokens.next().filter(|token| token.range.end == opening.range.start)?;
    name.text.starts_with(|c: char| c.is_uppercase()).then(|| plain(name.text).to_string())
}

fn classify(frames: &[Frame<'_>], typed: &str, is_quoted: bool) -> Context {
    let Some(frame) = frames.last() else { return Context::Code };
    // A text that is being typed is a token already.
    let typing = usize::from(is_quoted);
    let done = &frame.tokens[..frame.tokens.len().saturating_sub(typing)];
    let last = done.last();
    let is_upper = typed.trim_start_matches(':').starts_with(|c: char| c.is_uppercase());
    match &frame.kind {
        FrameKind::Resource { kind, title, is_in_attributes } => {
            if !is_in_attributes {
                return if kind == "class" { Context::Class } else { code(is_upper) };
            }
            return match attribute(done) {
                Some(None) if kind == "class" => {
                    Context::ClassParameter(plain(title.as_deref().unwrap_or_default()).to_string())
                }
                Some(None) => Context::Attribute(kind.clone()),
                Some(Some(name)) if !is_upper => Context::Value(kind.clone(), name),
                _ => code(is_upper),
            };
        }
        FrameKind::Defaults(kind) => {
            return match attribute(done) {
                Some(None) => Context::Attribute(kind.clone()),
                None if done.is_empty() => Context::Attribute(kind.clone()),
                Some(Some(name)) if !is_upper => Context::Value(kind.clone(), name),
                _ => code(is_upper),
            };
        }
        FrameKind::Call(name) if is_quoted && done.is_empty() && looks_up(name) => {
            return Context::Key;
        }
        FrameKind::Call(name) if matches!(name.as_str(), "include" | "contain" | "require") => {
            return Context::Class;
        }
        FrameKind::Access(name) if plain(name) == "class" => return Context::Class,
        _ => {}
    }
    let including = ["include", "contain", "require", "inherits"];
    if last.is_some_and(|last| including.iter().any(|word| last.is(word))) {
        return Context::Class;
    }
    // `include a, b`
    let names = done.iter().rev().take_while(|t| t.is(",") || t.is_word() && !is_keyword(t.text));
    let count = names.count();
    let includes = done.len().checked_sub(count).and_then(|at| done.get(at));
    if last.is_some_and(|last| last.is(","))
        && includes.is_some_and(|t| including[..3].contains(&t.text))
    {
        return Context::Class;
    }
    code(is_upper)
}

/// Whether the first argument of a function is a key of Hiera.
fn looks_up(function: &str) -> bool {
    function.contains("lookup") || function.starts_with("hiera")
}

fn code(is_upper: bool) -> Context {
    if is_upper { Context::Type } else { Context::Code }
}

/// Whether an attribute can stand after these tokens of a body: its name, or the value of the one
/// that is named.
fn attribute(done: &[Token<'_>]) -> Option<Option<String>> {
    let last = done.last()?;
    if last.is(":") || last.is(",") {
        return Some(None);
    }
    let name = done.len().checked_sub(2).and_then(|at| done.get(at))?;
    last.is("=>").then(|| Some(name.text.to_owned()))
}

/// The function that is called at the cursor, and the number of the argument.
pub(crate) fn call(text: &str, offset: u32) -> Option<(String, u32)> {
    let before = text.get(..offset as usize).unwrap_or_default();
    let (frames, _) = frames(before);
    frames.iter().rev().find_map(|frame| match &frame.kind {
        FrameKind::Call(name) if !is_keyword(name) => {
            let commas = frame.tokens.iter().filter(|token| token.is(",")).count();
            Some((name.clone(), commas as u32))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(text: &str) -> (Context, String) {
        let offset = text.find("$0").unwrap_or(text.len());
        let text = text.replace("$0", "");
        let (context, range) = at(&text, offset as u32);
        (context, text[range.start as usize..range.end as usize].to_owned())
    }

    #[test]
    fn contexts_of_unfinished_texts() {
        let attribute = |kind: &str| Context::Attribute(kind.into());
        let cases = [
            ("class a { $x = $po$0", Context::Variable, "po"),
            ("notice(\"a ${po$0 b\")", Context::Variable, "po"),
            ("$web::params::po$0", Context::ClassVariable("web::params".into()), "po"),
            ("$facts['os']['fam$0", Context::Fact("os".into()), "fam"),
            ("\"${facts['$0", Context::Fact("".into()), ""),
            ("include we$0", Context::Class, "we"),
            ("include a, we$0", Context::Class, "we"),
            ("include web::$0", Context::Class, "web::"),
            ("# comment\n$0", Context::Code, ""),
            ("class { 'we$0", Context::Class, "we"),
            ("class x inherits $0", Context::Class, ""),
            ("Class['we$0", Context::Class, "we"),
            ("class { 'web': po$0", Context::ClassParameter("web".into()), "po"),
            ("class a { file { '/x': $0", attribute("file"), ""),
            ("file { '/x': mode => '1', ow$0 }", attribute("file"), "ow"),
            ("file { '/x': ensure => pre$0", Context::Value("file".into(), "ensure".into()), "pre"),
            ("file { 'a': mode => '1'; 'b': ow$0", attribute("file"), "ow"),
            ("file { '/x':$0", attribute("file"), ""),
            ("File { ow$0", attribute("file"), "ow"),
            ("File['a'] { ow$0", attribute("file"), "ow"),
            ("web::vhost { 'a': po$0", attribute("web::vhost"), "po"),
            ("$x = lookup('web::$0", Context::Key, "web::"),
            ("class a { fi$0", Context::Code, "fi"),
            ("if $x { fi$0", Context::Code, "fi"),
            ("Web::V$0", Context::Type, "Web::V"),
            ("$x = 'abc$0", Context::Nothing, "abc"),
            ("# abc$0", Context::Nothing, "abc"),
        ];
        for (text, wanted, typed) in cases {
            assert_eq!(context(text), (wanted, typed.to_owned()), "{text}");
        }
    }

    #[test]
    fn calls_of_unfinished_texts() {
        let found = |text: &str| call(text, text.len() as u32);
        assert_eq!(found("$x = split($a, "), Some(("split".into(), 1)));
        assert_eq!(found("$x = split(join([1, 2"), Some(("join".into(), 0)));
        assert_eq!(found("$x = split($a) "), None);
    }
}
