//! The text form of types: printing and reading it.

use std::fmt;
use std::sync::Arc;

use ecow::EcoString;

use super::{FuncType, StructType, Type};

/// The maximal nesting of a type that is read.
const MAX_DEPTH: u32 = 200;

/// The reason why a text is no type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no type: {reason} at byte {at}")]
pub struct TypeError {
    /// The text.
    pub text: EcoString,
    /// The error in words.
    pub reason: &'static str,
    /// The position in the text.
    pub at: usize,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Var(number) => write!(f, "?{number}"),
            Self::List(item) => write!(f, "[]{item}"),
            Self::Map(pair) => write!(f, "map{{{}: {}}}", pair.0, pair.1),
            Self::Struct(shape) => {
                f.write_str("struct{")?;
                for (index, (name, ty)) in shape.fields().enumerate() {
                    let between = if index > 0 { "; " } else { "" };
                    write!(f, "{between}{name} {ty}")?;
                }
                f.write_str("}")
            }
            Self::Func(shape) => shape.fmt(f),
            _ => f.write_str(self.kind()),
        }
    }
}

impl fmt::Display for FuncType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("func(")?;
        for (index, ty) in self.args.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            match self.names.get(index) {
                Some(name) if !name.is_empty() => write!(f, "{name} {ty}")?,
                _ => write!(f, "{ty}")?,
            }
        }
        write!(f, ") {}", self.result)
    }
}

/// Reads a type as it is written in a program, with variables (`?1`) as signatures have them.
///
/// # Errors
/// If the text is no type.
pub fn parse(text: &str) -> Result<Type, TypeError> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let ty = reader.ty().and_then(|ty| {
        reader.blanks();
        if reader.at == text.len() { Ok(ty) } else { Err("something follows the type") }
    });
    ty.map_err(|reason| TypeError { text: text.into(), reason, at: reader.at })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

type Step<T> = Result<T, &'static str>;

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len();
    }

    fn eat(&mut self, mark: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    fn is_at(&mut self, mark: &str) -> bool {
        self.blanks();
        self.rest().starts_with(mark)
    }

    fn expect(&mut self, mark: &str, reason: &'static str) -> Step<()> {
        if self.eat(mark) { Ok(()) } else { Err(reason) }
    }

    fn word(&mut self) -> &'t str {
        self.blanks();
        let rest = self.rest();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn ty(&mut self) -> Step<Type> {
        if self.depth >= MAX_DEPTH {
            return Err("it is nested too deeply");
        }
        self.depth += 1;
        let ty = self.shallow();
        self.depth -= 1;
        ty
    }

    fn shallow(&mut self) -> Step<Type> {
        if self.eat("[") {
            self.expect("]", "`]` is missing")?;
            return Ok(Type::list(self.ty()?));
        }
        if self.eat("?") {
            return self.word().parse().map(Type::Var).map_err(|_| "a variable needs a number");
        }
        let start = self.at;
        match self.word() {
            "bool" => Ok(Type::Bool),
            "str" => Ok(Type::Str),
            "int" => Ok(Type::Int),
            "float" => Ok(Type::Float),
            "variant" => Ok(Type::Variant),
            "map" => self.map(),
            "struct" => self.record(),
            "func" => self.func(),
            _ => {
                self.at = start;
                Err("a type is missing")
            }
        }
    }

    fn map(&mut self) -> Step<Type> {
        self.expect("{", "`{` is missing")?;
        let key = self.ty()?;
        self.expect(":", "`:` is missing")?;
        let value = self.ty()?;
        self.expect("}", "`}` is missing")?;
        Ok(Type::map(key, value))
    }

    fn record(&mut self) -> Step<Type> {
        self.expect("{", "`{` is missing")?;
        let (mut names, mut types) = (Vec::<EcoString>::new(), Vec::new());
        if !self.eat("}") {
            loop {
                let name = self.word();
                if name.is_empty() {
                    return Err("a field has no name");
                }
                names.push(name.into());
                types.push(self.ty()?);
                // A semicolon before the closing brace is optional.
                if !self.eat(";") || self.is_at("}") {
                    break;
                }
            }
            self.expect("}", "`}` is missing")?;
        }
        let mut sorted: Vec<&EcoString> = names.iter().collect();
        sorted.sort();
        if sorted.is_sorted_by(|a, b| a < b) {
            Ok(Type::Struct(Arc::new(StructType { names: names.into(), types })))
        } else {
            Err("two fields have one name")
        }
    }

    fn func(&mut self) -> Step<Type> {
        self.expect("(", "`(` is missing")?;
        let (mut names, mut args) = (Vec::new(), Vec::new());
        if !self.eat(")") {
            loop {
                let (name, ty) = self.argument()?;
                names.push(name);
                args.push(ty);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "`)` is missing")?;
        }
        let result = self.ty()?;
        Ok(Type::Func(Arc::new(FuncType { names, args, result })))
    }

    /// A type, or a name and a type. A name may be that of a type (`map map{str: int}`).
    fn argument(&mut self) -> Step<(EcoString, Type)> {
        let start = self.at;
        let name = self.word();
        let end = self.at;
        self.blanks();
        let has_type = self.at > end
            && self.rest().starts_with(|c: char| c == '[' || c == '?' || c.is_ascii_lowercase());
        if !name.is_empty() && has_type {
            return Ok((name.into(), self.ty()?));
        }
        self.at = start;
        Ok((EcoString::new(), self.ty()?))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn types_are_read_as_they_are_printed() {
        for text in [
            "bool",
            "[][]str",
            "map{str: int}",
            "struct{}",
            "struct{a str; b []int}",
            "func() float",
            "func(a int, str) map{?1: ?2}",
            "func(map map{?1: ?2}, key ?1) ?2",
            "func(inputs []?1, function func(?1) bool) []?1",
            "variant",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert_eq!(parse("func(map map{int:str}) int"), parse("func(map{int: str})int"));
    }

    #[test]
    fn invalid_types_are_refused() {
        for text in ["", "foo", "[]", "map{str}", "struct{a}", "int int", "struct{a int; a int}"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[]".repeat(100_000)).is_err());
    }

    #[test]
    fn parts_are_seen_and_replaced() {
        let ty = parse("func(?1, []?2) map{?1: struct{a ?2}}").unwrap();
        let replaced = ty.replace(&mut |n| if n == 1 { Type::Int } else { Type::Str });
        assert_eq!(replaced.to_string(), "func(int, []str) map{int: struct{a str}}");
        assert!(!ty.is_known() && replaced.is_known());
        assert_eq!(parse("struct{a int}").unwrap().zero().unwrap().to_string(), "struct{a: 0}");
    }
}
