//! Filters for HTML and URLs.

use std::sync::OnceLock;

use regex::Regex;

use super::super::arguments::BoundArguments;
use super::super::fault::{Res, argument_error, type_error, value_error};
use super::super::runtime::Runtime;
use super::super::value::Val;
use crate::diagnostics::Exception;
use crate::value::Value;

pub(super) fn safe(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    runtime.text(&value).map(Val::Markup)
}

pub(super) fn force_escape(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let text = runtime.text(&bound.at(0))?;
    runtime.escaped(&Val::Str(text)).map(Val::Markup)
}

pub(super) fn striptags(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let text = runtime.text(&bound.at(0))?;
    Ok(Val::str(without_tags(&text)))
}

/// Removes comments and tags, normalizes blanks, and decodes entities.
pub(in super::super) fn without_tags(text: &str) -> String {
    let cut = |text: &str, open: &str, close: &str| {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(begin) = rest.find(open) {
            let Some(end) = rest[begin..].find(close) else { break };
            out.push_str(&rest[..begin]);
            rest = &rest[begin + end + close.len()..];
        }
        out.push_str(rest);
        out
    };
    let text = cut(&cut(text, "<!--", "-->"), "<", ">");
    let is_blank = ordain_functions::text::is_python_space;
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    unescaped(&words.join(" "))
}

/// The named entities; the flag allows the form without `;`.
const ENTITIES: &[(&str, &str, bool)] = &[
    ("amp", "&", true),
    ("AMP", "&", true),
    ("lt", "<", true),
    ("LT", "<", true),
    ("gt", ">", true),
    ("GT", ">", true),
    ("quot", "\"", true),
    ("QUOT", "\"", true),
    ("nbsp", "\u{a0}", true),
    ("iexcl", "¡", true),
    ("cent", "¢", true),
    ("pound", "£", true),
    ("curren", "¤", true),
    ("yen", "¥", true),
    ("brvbar", "¦", true),
    ("sect", "§", true),
    ("uml", "¨", true),
    ("copy", "©", true),
    ("COPY", "©", true),
    ("ordf", "ª", true),
    ("laquo", "«", true),
    ("not", "¬", true),
    ("shy", "\u{ad}", true),
    ("reg", "®", true),
    ("REG", "®", true),
    ("macr", "¯", true),
    ("deg", "°", true),
    ("plusmn", "±", true),
    ("sup2", "²", true),
    ("sup3", "³", true),
    ("acute", "´", true),
    ("micro", "µ", true),
    ("para", "¶", true),
    ("middot", "·", true),
    ("cedil", "¸", true),
    ("sup1", "¹", true),
    ("ordm", "º", true),
    ("raquo", "»", true),
    ("frac14", "¼", true),
    ("frac12", "½", true),
    ("frac34", "¾", true),
    ("iquest", "¿", true),
    ("Agrave", "À", true),
    ("Aacute", "Á", true),
    ("Acirc", "Â", true),
    ("Atilde", "Ã", true),
    ("Auml", "Ä", true),
    ("Aring", "Å", true),
    ("AElig", "Æ", true),
    ("Ccedil", "Ç", true),
    ("Egrave", "È", true),
    ("Eacute", "É", true),
    ("Ecirc", "Ê", true),
    ("Euml", "Ë", true),
    ("Igrave", "Ì", true),
    ("Iacute", "Í", true),
    ("Icirc", "Î", true),
    ("Iuml", "Ï", true),
    ("ETH", "Ð", true),
    ("Ntilde", "Ñ", true),
    ("Ograve", "Ò", true),
    ("Oacute", "Ó", true),
    ("Ocirc", "Ô", true),
    ("Otilde", "Õ", true),
    ("Ouml", "Ö", true),
    ("times", "×", true),
    ("Oslash", "Ø", true),
    ("Ugrave", "Ù", true),
    ("Uacute", "Ú", true),
    ("Ucirc", "Û", true),
    ("Uuml", "Ü", true),
    ("Yacute", "Ý", true),
    ("THORN", "Þ", true),
    ("szlig", "ß", true),
    ("agrave", "à", true),
    ("aacute", "á", true),
    ("acirc", "â", true),
    ("atilde", "ã", true),
    ("auml", "ä", true),
    ("aring", "å", true),
    ("aelig", "æ", true),
    ("ccedil", "ç", true),
    ("egrave", "è", true),
    ("eacute", "é", true),
    ("ecirc", "ê", true),
    ("euml", "ë", true),
    ("igrave", "ì", true),
    ("iacute", "í", true),
    ("icirc", "î", true),
    ("iuml", "ï", true),
    ("eth", "ð", true),
    ("ntilde", "ñ", true),
    ("ograve", "ò", true),
    ("oacute", "ó", true),
    ("ocirc", "ô", true),
    ("otilde", "õ", true),
    ("ouml", "ö", true),
    ("divide", "÷", true),
    ("oslash", "ø", true),
    ("ugrave", "ù", true),
    ("uacute", "ú", true),
    ("ucirc", "û", true),
    ("uuml", "ü", true),
    ("yacute", "ý", true),
    ("thorn", "þ", true),
    ("yuml", "ÿ", true),
    ("apos", "'", false),
    ("OElig", "Œ", false),
    ("oelig", "œ", false),
    ("Scaron", "Š", false),
    ("scaron", "š", false),
    ("Yuml", "Ÿ", false),
    ("fnof", "ƒ", false),
    ("circ", "ˆ", false),
    ("tilde", "˜", false),
    ("ensp", "\u{2002}", false),
    ("emsp", "\u{2003}", false),
    ("thinsp", "\u{2009}", false),
    ("zwnj", "\u{200c}", false),
    ("zwj", "\u{200d}", false),
    ("lrm", "\u{200e}", false),
    ("rlm", "\u{200f}", false),
    ("ndash", "–", false),
    ("mdash", "—", false),
    ("lsquo", "‘", false),
    ("rsquo", "’", false),
    ("sbquo", "‚", false),
    ("ldquo", "“", false),
    ("rdquo", "”", false),
    ("bdquo", "„", false),
    ("dagger", "†", false),
    ("Dagger", "‡", false),
    ("bull", "•", false),
    ("hellip", "…", false),
    ("permil", "‰", false),
    ("prime", "′", false),
    ("Prime", "″", false),
    ("lsaquo", "‹", false),
    ("rsaquo", "›", false),
    ("euro", "€", false),
    ("trade", "™", false),
    ("larr", "←", false),
    ("uarr", "↑", false),
    ("rarr", "→", false),
    ("darr", "↓", false),
    ("harr", "↔", false),
    ("minus", "−", false),
    ("infin", "∞", false),
    ("ne", "≠", false),
    ("le", "≤", false),
    ("ge", "≥", false),
    ("alpha", "α", false),
    ("beta", "β", false),
    ("gamma", "γ", false),
    ("delta", "δ", false),
    ("pi", "π", false),
    ("mu", "μ", false),
    ("omega", "ω", false),
    ("Omega", "Ω", false),
    ("sum", "∑", false),
    ("radic", "√", false),
    ("asymp", "≈", false),
];

/// Decodes entities.
pub(in super::super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match entity(rest) {
            Some((found, length)) => {
                out.push_str(&found);
                rest = &rest[length..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

/// Decodes an entity: the character, and the length of the source after the `&`.
fn entity(text: &str) -> Option<(String, usize)> {
    if let Some(number) = text.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (number, 10),
        };
        let length = digits.chars().take_while(|c| c.is_digit(radix)).count();
        if length == 0 {
            return None;
        }
        let code = u32::from_str_radix(&digits[..length], radix).unwrap_or(u32::MAX);
        let semicolon = usize::from(digits[length..].starts_with(';'));
        let whole = text.len() - digits.len() + length + semicolon;
        let found = match code {
            0 => Some('\u{fffd}'),
            0x80 => Some('€'),
            0x91 => Some('‘'),
            0x92 => Some('’'),
            0x93 => Some('“'),
            0x94 => Some('”'),
            0x95 => Some('•'),
            0x96 => Some('–'),
            0x97 => Some('—'),
            0x85 => Some('…'),
            0x99 => Some('™'),
            0x0b | 0x0e..=0x1f | 0x7f..=0x9f | 0xfdd0..=0xfdef | 0x1..=0x8 => None,
            code if code & 0xfffe == 0xfffe && code <= 0x10_ffff => None,
            code => Some(char::from_u32(code).unwrap_or('\u{fffd}')),
        };
        return Some((found.map(String::from).unwrap_or_default(), whole));
    }
    let length = text.chars().take_while(char::is_ascii_alphanumeric).count();
    let name = &text[..length];
    if text[length..].starts_with(';')
        && let Some((_, found, _)) = ENTITIES.iter().find(|(known, ..)| *known == name)
    {
        return Some(((*found).to_owned(), length + 1));
    }
    let prefix = (2..=length).rev().find_map(|end| {
        ENTITIES.iter().find(|(known, _, is_short)| *is_short && *known == &name[..end])
    });
    prefix.map(|(known, found, _)| ((*found).to_owned(), known.len()))
}

/// Escapes a text for URLs.
fn quoted(text: &str, in_query: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            b'/' if !in_query => out.push('/'),
            b' ' if in_query => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

pub(super) fn urlencode(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let value = bound.at(0);
    let is_iterable = match &value {
        Val::Str(_) | Val::Markup(_) => false,
        Val::Proxy(found) => matches!(found.value, Value::List(_) | Value::Dict(_)),
        other => !matches!(other, Val::Object(_)) && runtime.iterate(other).is_ok(),
    };
    if !is_iterable {
        let text = runtime.text(&value)?;
        return Ok(Val::str(quoted(&text, false)));
    }
    let pairs = if matches!(value, Val::Dict(_)) {
        let entries = runtime.entries(&value)?;
        entries.into_iter().map(|(key, value)| Val::tuple(vec![key, value])).collect()
    } else {
        runtime.collect(&value)?
    };
    let mut parts = Vec::new();
    for pair in pairs {
        let items = runtime.collect(&pair).map_err(|fault| {
            let class = pair.type_name();
            if fault.is(&Exception::TypeError) {
                type_error(format!("cannot unpack non-iterable {class} object"))
            } else {
                fault
            }
        })?;
        let [key, item] = &items[..] else {
            let count = items.len();
            return Err(value_error(if count < 2 {
                format!("not enough values to unpack (expected 2, got {count})")
            } else {
                "too many values to unpack (expected 2)".into()
            }));
        };
        let (key, item) = (runtime.text(key)?, runtime.text(item)?);
        parts.push(format!("{}={}", quoted(&key, true), quoted(&item, true)));
    }
    Ok(Val::str(parts.join("&")))
}

pub(super) fn xmlattr(
    runtime: &mut Runtime<'_>,
    bound: &BoundArguments,
    autoescape: bool,
) -> Res<Val> {
    let value = bound.at(0);
    if !runtime.has_keys(&value) {
        if let Val::Undefined(found) = &value {
            return Err(found.fault(runtime));
        }
        let text = format!("'{}' object has no attribute 'items'", value.type_name());
        return Err(super::super::fault::Fault::Raised(Exception::AttributeError, text));
    }
    let mut parts = Vec::new();
    for (key, value) in runtime.entries(&value)? {
        if matches!(value, Val::None | Val::Undefined(_)) {
            continue;
        }
        let Some(name) = key.as_text() else {
            let class = key.type_name();
            let text = format!("expected string or bytes-like object, got '{class}'");
            return Err(type_error(text));
        };
        if name.contains([' ', '\t', '\n', '\r', '\x0b', '\x0c', '/', '>', '=']) {
            let name = crate::value::string_repr(name);
            return Err(value_error(format!("Invalid character in attribute name: {name}")));
        }
        let (name, shown) = (runtime.escaped(&key)?, runtime.escaped(&value)?);
        parts.push(format!("{name}=\"{shown}\""));
    }
    let has_space = bound.get(1).map_or(Ok(true), |value| runtime.truth(value))?;
    let text = parts.join(" ");
    let text = if has_space && !text.is_empty() { format!(" {text}") } else { text };
    Ok(Val::text_like(text, autoescape))
}

#[expect(clippy::expect_used, reason = "the patterns are constants")]
fn pattern(text: &'static str, cell: &'static OnceLock<Regex>) -> &'static Regex {
    cell.get_or_init(|| Regex::new(text).expect("the pattern is well-formed"))
}

fn is_address(text: &str) -> bool {
    static ADDRESS: OnceLock<Regex> = OnceLock::new();
    let found = pattern(
        concat!(
            r"(?i)^((https?://|www\.)(([\w%-]+\.)+)?([a-z]{2,63}|xn--[\w%]{2,59})",
            r"|([\w%-]{2,63}\.)+(com|net|int|edu|gov|org|info|mil)",
            r"|(https?://)((([\d]{1,3})(\.[\d]{1,3}){3})|(\[([\da-f]{0,4}:){2}([\da-f]{0,4}:?){1,6}\])))",
            r"(?::[\d]{1,5})?(?:[/?#]\S*)?$",
        ),
        &ADDRESS,
    );
    found.is_match(text)
}

fn is_mail(text: &str) -> bool {
    static MAIL: OnceLock<Regex> = OnceLock::new();
    pattern(r"^\S+@\w[\w.-]*\.\w+$", &MAIL).is_match(text)
}

/// The options of links.
struct Links {
    most: Option<usize>,
    attributes: String,
    schemes: Vec<String>,
}

pub(super) fn urlize(
    runtime: &mut Runtime<'_>,
    bound: &BoundArguments,
    autoescape: bool,
) -> Res<Val> {
    let most = bound.some(1).map(Val::as_index).transpose()?;
    let words = |runtime: &mut Runtime<'_>, at: usize| match bound.some(at) {
        Some(value) => runtime.text(value).map(|text| text.to_string()),
        None => Ok(String::new()),
    };
    let rel = words(runtime, 4)?;
    let mut rels: Vec<&str> = rel.split_whitespace().chain(["noopener"]).collect();
    if bound.get(2).map_or(Ok(false), |value| runtime.truth(value))? {
        rels.push("nofollow");
    }
    rels.sort_unstable();
    rels.dedup();
    let rel = runtime.escaped(&Val::str(rels.join(" ")))?;
    let mut attributes = format!(" rel=\"{rel}\"");
    let target = words(runtime, 3)?;
    if !target.is_empty() {
        let target = runtime.escaped(&Val::str(target))?;
        attributes += &format!(" target=\"{target}\"");
    }
    let mut schemes = Vec::new();
    if let Some(extra) = bound.some(5) {
        static SCHEME: OnceLock<Regex> = OnceLock::new();
        for scheme in runtime.collect(extra)? {
            let text = runtime.text(&scheme)?;
            if !pattern(r"^([\w.+-]{2,}:(/){0,2})$", &SCHEME).is_match(&text) {
                let shown = crate::value::string_repr(&text);
                return argument_error(format!("{shown} is not a valid URI scheme prefix."));
            }
            schemes.push(text.to_string());
        }
    }
    let most = most.map(|most| usize::try_from(most.max(0)).unwrap_or(usize::MAX));
    let links = Links { most, attributes, schemes };
    let text = runtime.escaped(&bound.at(0))?;
    runtime.text_fits(text.len().saturating_mul(8))?;
    let is_blank = ordain_functions::text::is_python_space;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let word = rest.find(is_blank).unwrap_or(rest.len());
        links.word(&rest[..word], &mut out);
        let blank = rest[word..].find(|c| !is_blank(c)).unwrap_or(rest.len() - word);
        out.push_str(&rest[word..word + blank]);
        rest = &rest[word + blank..];
    }
    Ok(Val::text_like(out, autoescape))
}

impl Links {
    fn word(&self, word: &str, out: &mut String) {
        static HEAD: OnceLock<Regex> = OnceLock::new();
        static TRAILING: OnceLock<Regex> = OnceLock::new();
        let head = pattern(r"^([(<]|&lt;)+", &HEAD).find(word).map_or(0, |found| found.end());
        let (head, rest) = word.split_at(head);
        let tail = pattern(r"([)>.,\n]|&gt;)+$", &TRAILING).find(rest);
        let (middle, tail) = rest.split_at(tail.map_or(rest.len(), |found| found.start()));
        let (mut middle, mut tail) = (middle.to_owned(), tail.to_owned());
        for (open, close) in [("(", ")"), ("<", ">"), ("&lt;", "&gt;")] {
            let opened = middle.matches(open).count();
            if opened <= middle.matches(close).count() {
                continue;
            }
            for _ in 0..opened.min(tail.matches(close).count()) {
                let end = tail.find(close).map_or(0, |at| at + close.len());
                let after = tail.split_off(end);
                middle.push_str(&tail);
                tail = after;
            }
        }
        out.push_str(head);
        out.push_str(&self.link(&middle));
        out.push_str(&tail);
    }

    fn link(&self, text: &str) -> String {
        let shown = match self.most {
            Some(most) if text.chars().count() > most => {
                format!("{}...", text.chars().take(most).collect::<String>())
            }
            _ => text.to_owned(),
        };
        let attributes = &self.attributes;
        if is_address(text) {
            let has_scheme = text.starts_with("https://") || text.starts_with("http://");
            let scheme = if has_scheme { "" } else { "https://" };
            return format!("<a href=\"{scheme}{text}\"{attributes}>{shown}</a>");
        }
        if let Some(mail) = text.strip_prefix("mailto:")
            && is_mail(mail)
        {
            return format!("<a href=\"{text}\">{mail}</a>");
        }
        let may_be_mail = text.contains('@')
            && !text.starts_with("www.")
            && !text.starts_with('@')
            && !text.contains(':');
        if may_be_mail && is_mail(text) {
            return format!("<a href=\"mailto:{text}\">{text}</a>");
        }
        let is_link = |scheme: &String| text != scheme && text.starts_with(scheme.as_str());
        if self.schemes.iter().any(is_link) {
            return format!("<a href=\"{text}\"{attributes}>{text}</a>");
        }
        text.to_owned()
    }
}
