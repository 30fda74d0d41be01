//! Translation of Ruby to code of types, where both mean the same.
//!
//! An expression without a counterpart is an error that names it; nothing is guessed. Texts are
//! compared by types (`$x =~ Enum['a']`), because `==` ignores case here.

mod calls;
pub(super) mod code;
mod statements;
pub(super) mod text;

pub(super) use statements::statements;

use ordain_ruby::tree::Tree;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::exchange::migrate::translate::code::{Code, KnownType, Outcome, Purpose, Translator};
use crate::exchange::migrate::translate::text::{
    class_type, escape, is_literal, is_name, matches, quoted, range, regex, side,
};

impl<'a> Translator<'a> {
    pub(super) fn new(
        purpose: Purpose,
        features: &'a FxHashMap<String, bool>,
        feature: Option<&'a str>,
    ) -> Self {
        Self {
            purpose,
            features,
            feature,
            locals: FxHashMap::default(),
            used: FxHashSet::default(),
            branches: 0,
            lambdas: 0,
            leaves: false,
        }
    }

    /// A name for a local variable that nothing else has.
    pub(super) fn declare(&mut self, name: &str) -> String {
        let mut here: String = name.trim_start_matches('_').to_ascii_lowercase();
        if !here.starts_with(|c: char| c.is_ascii_lowercase()) {
            here = format!("v{here}");
        }
        let taken = |here: &str| here == "it" || here == "meta" || self.features.contains_key(here);
        while taken(&here) {
            here = match here.as_str() {
                "value" => "given".to_owned(),
                _ => format!("{here}_value"),
            };
        }
        let plain = here.clone();
        let mut number = 1;
        while !self.used.insert(here.clone()) {
            number += 1;
            here = format!("{plain}{number}");
        }
        self.locals.insert(name.to_owned(), here.clone());
        here
    }

    /// An expression.
    pub(super) fn expr(&mut self, tree: &Tree) -> Outcome<Code> {
        Ok(match tree {
            Tree::Nil => Code::atom("undef"),
            Tree::Bool(flag) => Code::atom(flag.to_string()).of(KnownType::Boolean),
            Tree::Int(number) if *number < 0 => {
                Code::operation(number.to_string(), KnownType::Number)
            }
            Tree::Int(number) => Code::atom(number.to_string()).of(KnownType::Number),
            Tree::Float(number) => Code::atom(format!("{number:?}")).of(KnownType::Number),
            Tree::Str(text) | Tree::Symbol(text) => Code::atom(quoted(text)).of(KnownType::Text),
            Tree::Text(parts) => Code::atom(self.interpolated(parts)?).of(KnownType::Text),
            Tree::Regex(source, flags) => Code::atom(regex(source, flags)?),
            Tree::Array(items) => {
                let items = self.list(items)?;
                Code::atom(format!("[{}]", items.join(", "))).of(KnownType::List)
            }
            Tree::Hash(entries) => {
                let mut out = Vec::new();
                for (key, value) in entries {
                    let (key, value) = (self.expr(key)?, self.expr(value)?);
                    out.push(format!("{} => {}", key.text, value.text));
                }
                Code::atom(format!("{{{}}}", out.join(", ")))
            }
            Tree::Local(name) => match self.locals.get(name.as_str()) {
                Some(here) => Code::atom(format!("${here}")),
                None => return Err(format!("the variable {name} comes from outside")),
            },
            Tree::Group(0) => return Err("`$~`".to_owned()),
            Tree::Group(number) => Code::atom(format!("${number}")).of(KnownType::Text),
            Tree::And(a, b) => self.both(a, "and", b)?,
            Tree::Or(a, b) => self.both(a, "or", b)?,
            Tree::Not(inner) => self.negated(inner)?,
            Tree::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                let then = self.expr(then)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.expr(otherwise)?.text,
                    None => "undef".to_owned(),
                };
                let text =
                    format!("if {} {{ {} }} else {{ {otherwise} }}", condition.text, then.text);
                Code::operation(text, KnownType::Nothing)
            }
            Tree::Binary(sign, a, b) => self.binary(sign, a, b)?,
            Tree::Call(call) => self.call(call)?,
            Tree::Sequence(all) => match &**all {
                [one] => self.expr(one)?,
                [] => Code::atom("undef"),
                _ => return Err("several statements as a value".to_owned()),
            },
            Tree::SelfValue => return Err("`self`".to_owned()),
            Tree::Instance(name) => return Err(format!("the instance variable @{name}")),
            Tree::Const(name) => return Err(format!("the constant {name}")),
            Tree::Range(..) => return Err("a range as a value".to_owned()),
            Tree::Case(..) => return Err("`case` as a part of an expression".to_owned()),
            Tree::Assign(..) => return Err("an assignment as a part of an expression".to_owned()),
            Tree::Leave(_) => return Err("a jump as a part of an expression".to_owned()),
            Tree::Other(what) => return Err((*what).to_owned()),
        })
    }

    fn list(&mut self, items: &[Tree]) -> Outcome<Vec<String>> {
        items.iter().map(|item| Ok(self.expr(item)?.text)).collect()
    }

    /// An expression whose truth counts.
    pub(super) fn condition(&mut self, tree: &Tree) -> Outcome<Code> {
        // An attribute of many values without a value is an empty list here.
        if let Some(name) = self.many(tree) {
            return Ok(Code::operation(format!("!${name}.empty"), KnownType::Boolean));
        }
        self.expr(tree)
    }

    /// The attribute of many values that an expression reads.
    fn many(&self, tree: &Tree) -> Option<String> {
        let Tree::Call(call) = tree else { return None };
        let name = calls::attribute_read(call)?;
        self.features.get(name).copied().unwrap_or_default().then(|| name.to_owned())
    }

    fn both(&mut self, a: &Tree, word: &str, b: &Tree) -> Outcome<Code> {
        let (a, b) = (self.condition(a)?, self.condition(b)?);
        // Chains of the same operator need no parentheses; the value of each is a truth value.
        Ok(Code::operation(
            format!("{} {word} {}", side(&a, word), side(&b, word)),
            KnownType::Boolean,
        ))
    }

    fn negated(&mut self, inner: &Tree) -> Outcome<Code> {
        let opposite = |sign: &str| match sign {
            "=~" => Some("!~"),
            "!~" => Some("=~"),
            "==" => Some("!="),
            "!=" => Some("=="),
            _ => None,
        };
        if let Tree::Binary(sign, a, b) = inner
            && let Some(sign) = opposite(sign)
        {
            return self.binary(sign, a, b);
        }
        let inner = self.condition(inner)?;
        if let Some((left, right)) = inner.text.split_once(" == undef")
            && right.is_empty()
            && left.starts_with('$')
            && !left.contains(' ')
        {
            return Ok(Code::operation(format!("{left} != undef"), KnownType::Boolean));
        }
        if let Some(rest) = inner.text.strip_prefix("!$").filter(|rest| !rest.contains(' ')) {
            return Ok(Code::atom(format!("${rest}")).of(KnownType::Boolean));
        }
        Ok(Code::operation(format!("!{}", inner.operand()), KnownType::Boolean))
    }

    /// Text with interpolation.
    fn interpolated(&mut self, parts: &[Tree]) -> Outcome<String> {
        let mut out = String::from("\"");
        for part in parts {
            match part {
                Tree::Str(text) => escape(&mut out, text),
                other => {
                    let (code, quotes) = self.shown(other)?;
                    out.push_str(if quotes { "'" } else { "" });
                    match code.text.strip_prefix('$').filter(|name| is_name(name)) {
                        Some(name) => out.push_str(&format!("${{{name}}}")),
                        None => out.push_str(&format!("${{{}}}", code.text)),
                    }
                    out.push_str(if quotes { "'" } else { "" });
                }
            }
        }
        out.push('"');
        Ok(out)
    }

    /// The expression to show in a message, and whether in quotes, as `inspect` does.
    fn shown(&mut self, tree: &Tree) -> Outcome<(Code, bool)> {
        if let Tree::Call(call) = tree
            && let Some(receiver) = &call.receiver
            && call.args.is_empty()
        {
            match &*call.name {
                "inspect" | "dump" => return Ok((self.expr(receiver)?, true)),
                "to_s" => return Ok((self.expr(receiver)?, false)),
                "class" => {
                    let inner = self.expr(receiver)?;
                    return Ok((Code::atom(format!("type({})", inner.text)), false));
                }
                _ => {}
            }
        }
        Ok((self.expr(tree)?, false))
    }

    fn binary(&mut self, sign: &str, a: &Tree, b: &Tree) -> Outcome<Code> {
        match sign {
            "==" | "!=" | "===" | "eql?" => self.equality(sign != "!=", a, b, sign == "==="),
            "=~" | "!~" => {
                let (text, pattern) = match (a, b) {
                    (Tree::Regex(..), other) | (other, Tree::Regex(..)) => {
                        let pattern = if matches!(a, Tree::Regex(..)) { a } else { b };
                        (self.expr(other)?, self.expr(pattern)?)
                    }
                    _ => return Err("a match with a pattern that is not written there".to_owned()),
                };
                Ok(matches(&text, sign, &pattern))
            }
            "<" | "<=" | ">" | ">=" => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                if a.kind != KnownType::Number && b.kind != KnownType::Number {
                    return Err("a comparison of values that may be texts".to_owned());
                }
                let text = format!("{} {sign} {}", a.operand(), b.operand());
                Ok(Code::operation(text, KnownType::Boolean))
            }
            "+" => {
                let (left, right) = (self.expr(a)?, self.expr(b)?);
                match (left.kind, right.kind) {
                    (KnownType::Number, KnownType::Number) | (KnownType::List, _) => {
                        let text = format!("{} + {}", left.operand(), right.operand());
                        Ok(Code::operation(text, left.kind))
                    }
                    (KnownType::Text, _) | (_, KnownType::Text) => {
                        let parts = [a, b].into_iter().flat_map(|side| match side {
                            Tree::Text(parts) => parts.clone(),
                            other => vec![other.clone()],
                        });
                        let parts: Vec<Tree> = parts.collect();
                        Ok(Code::atom(self.interpolated(&parts)?).of(KnownType::Text))
                    }
                    _ => Err("`+` of values that may be texts".to_owned()),
                }
            }
            "-" | "*" | "/" | "%" if matches!(a, Tree::Str(_) | Tree::Text(_)) => match sign {
                "%" => self.format(a, b),
                _ => Err(format!("`{sign}` of a text")),
            },
            "-" | "*" => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                if a.kind != KnownType::Number && b.kind != KnownType::Number {
                    return Err(format!("`{sign}` of values that may be lists or texts"));
                }
                let text = format!("{} {sign} {}", a.operand(), b.operand());
                Ok(Code::operation(text, KnownType::Number))
            }
            "%" if calls::is_translated_text(a) => self.format(a, b),
            _ => Err(format!("the operator `{sign}`")),
        }
    }

    /// `"…" % values`
    pub(super) fn format(&mut self, format: &Tree, values: &Tree) -> Outcome<Code> {
        let format = self.expr(format)?;
        let values = match values {
            Tree::Array(items) => self.list(items)?,
            other => vec![self.expr(other)?.text],
        };
        let text = format!("sprintf({}, {})", format.text, values.join(", "));
        Ok(Code::atom(text).of(KnownType::Text))
    }

    fn equality(&mut self, wanted: bool, a: &Tree, b: &Tree, is_case: bool) -> Outcome<Code> {
        if is_case {
            let value = self.expr(b)?;
            return self.when(&value, a);
        }
        // Literals are the right operand.
        let (a, b) = if is_literal(a) && !is_literal(b) { (b, a) } else { (a, b) };
        if let (Tree::Call(call), Tree::Const(class)) = (a, b)
            && call.name == "class"
            && let Some(receiver) = &call.receiver
        {
            let receiver = self.expr(receiver)?;
            let sign = if wanted { "=~" } else { "!~" };
            let text = format!("{} {sign} {}", receiver.operand(), class_type(class)?);
            return Ok(Code::operation(text, KnownType::Boolean));
        }
        if let (Some(name), Tree::Nil) = (self.many(a), b) {
            let not = if wanted { "" } else { "!" };
            return Ok(Code::operation(format!("{not}${name}.empty"), KnownType::Boolean));
        }
        let left = self.expr(a)?;
        let (is, is_not) = (" == ", " != ");
        let plain = |right: &Code| {
            let sign = if wanted { is } else { is_not };
            Code::operation(
                format!("{}{sign}{}", left.operand(), right.operand()),
                KnownType::Boolean,
            )
        };
        match b {
            Tree::Str(text) | Tree::Symbol(text) if text.chars().any(char::is_alphabetic) => {
                let sign = if wanted { "=~" } else { "!~" };
                let text = format!("{} {sign} Enum[{}]", left.operand(), quoted(text));
                Ok(Code::operation(text, KnownType::Boolean))
            }
            Tree::Nil
            | Tree::Bool(_)
            | Tree::Int(_)
            | Tree::Float(_)
            | Tree::Str(_)
            | Tree::Symbol(_) => Ok(plain(&self.expr(b)?)),
            Tree::Array(items) if items.is_empty() => Ok(plain(&Code::atom("[]"))),
            Tree::Hash(entries) if entries.is_empty() => Ok(plain(&Code::atom("{}"))),
            _ => {
                let right = self.expr(b)?;
                let is_number = left.kind == KnownType::Number || right.kind == KnownType::Number;
                match is_number {
                    true => Ok(plain(&right)),
                    false => Err("a comparison of values that may be texts".to_owned()),
                }
            }
        }
    }

    /// The test of a value against an operand of `when`.
    pub(super) fn when(&mut self, value: &Code, wanted: &Tree) -> Outcome<Code> {
        let kind = self.case_value(wanted)?;
        if kind == "undef" || matches!(wanted, Tree::Bool(_) | Tree::Int(_) | Tree::Float(_)) {
            return Ok(Code::operation(
                format!("{} == {kind}", value.operand()),
                KnownType::Boolean,
            ));
        }
        Ok(Code::operation(format!("{} =~ {kind}", value.operand()), KnownType::Boolean))
    }

    /// The option of a `case` that makes the same decision: a literal, a pattern or a type.
    pub(super) fn case_value(&mut self, wanted: &Tree) -> Outcome<String> {
        match wanted {
            Tree::Str(text) | Tree::Symbol(text) => Ok(format!("Enum[{}]", quoted(text))),
            Tree::Regex(source, flags) => regex(source, flags),
            Tree::Const(class) => class_type(class),
            Tree::Range(low, high, is_open) => range(low, high, *is_open),
            Tree::Nil | Tree::Bool(_) | Tree::Int(_) | Tree::Float(_) => {
                Ok(self.expr(wanted)?.text)
            }
            _ => Err("`when` with a value that is not literal".to_owned()),
        }
    }
}
