//! Calls of methods.

use ordain_ruby::tree::{Method, Tree};

use crate::exchange::migrate::translate::code::{Code, KnownType, Outcome, Purpose, Translator};
use crate::exchange::migrate::translate::text::{
    class_type, literal_pattern, matches, quoted, range, regex,
};

/// An absolute path of either kind of machine.
const ABSOLUTE: &str = r"/\A(?:\/|[A-Za-z]:[\\\/]|\\\\)/";

/// The attribute that a call reads, as in `self[:a]`, `resource[:a]`, `value(:a)`.
pub(super) fn attribute_read(call: &Method) -> Option<&str> {
    let [Tree::Symbol(name) | Tree::Str(name)] = &*call.args else { return None };
    let of_resource = match &call.receiver {
        None => false,
        Some(receiver) => is_resource(receiver),
    };
    let is_read = match &*call.name {
        "[]" => of_resource,
        "value" | "should" => of_resource || call.receiver.is_none(),
        _ => false,
    };
    is_read.then_some(name.as_str())
}

/// Whether an expression is the resource itself.
fn is_resource(tree: &Tree) -> bool {
    match tree {
        Tree::SelfValue => true,
        Tree::Instance(name) => name == "resource",
        Tree::Call(call) => {
            call.args.is_empty()
                && call.name == "resource"
                && call.receiver.as_ref().is_none_or(|one| matches!(one, Tree::SelfValue))
        }
        _ => false,
    }
}

/// `_('…')`, which looks for a translation.
pub(super) fn is_translated_text(tree: &Tree) -> bool {
    matches!(tree, Tree::Call(call) if call.name == "_" && call.receiver.is_none())
}

impl Translator<'_> {
    pub(super) fn call(&mut self, call: &Method) -> Outcome<Code> {
        if let Some(name) = attribute_read(call) {
            return self.attribute(name);
        }
        match &call.receiver {
            None => self.function(call),
            Some(Tree::Const(class)) => self.of_class(class, call),
            Some(receiver) => match self.on_literal(receiver, call)? {
                Some(code) => Ok(code),
                None if call.block.is_some() => self.iteration(receiver, call),
                None => self.method(receiver, call),
            },
        }
    }

    /// The value of another attribute.
    fn attribute(&mut self, name: &str) -> Outcome<Code> {
        if !self.features.contains_key(name) {
            return Err(format!("the attribute {name} is not one of the type"));
        }
        match self.purpose {
            Purpose::Check => Err(format!("it looks at the attribute {name}")),
            _ => Ok(Code::atom(format!("${name}"))),
        }
    }

    /// A call without a receiver.
    fn function(&mut self, call: &Method) -> Outcome<Code> {
        match (&*call.name, &*call.args) {
            ("_", [text]) => self.expr(text),
            ("name", []) => match self.feature {
                Some(name) => Ok(Code::atom(quoted(name)).of(KnownType::Text)),
                None => Err("the name of the resource".to_owned()),
            },
            ("Integer" | "Float", [value]) => {
                let value = self.expr(value)?;
                Ok(Code::atom(format!("{}({})", call.name, value.text)).of(KnownType::Number))
            }
            ("String", [value]) => {
                let value = self.expr(value)?;
                Ok(Code::atom(format!("String({})", value.text)).of(KnownType::Text))
            }
            ("Array", [value]) => {
                let value = self.expr(value)?;
                Ok(Code::atom(format!("[{}].flatten", value.text)).of(KnownType::List))
            }
            ("format" | "sprintf", [_, ..]) => {
                let args = self.list(&call.args)?;
                Ok(Code::atom(format!("sprintf({})", args.join(", "))).of(KnownType::Text))
            }
            ("absolute_path?", [value]) => self.absolute(value),
            (name, _) => Err(format!("the method {name}")),
        }
    }

    fn absolute(&mut self, value: &Tree) -> Outcome<Code> {
        let value = self.expr(value)?;
        Ok(matches(&value, "=~", &Code::atom(ABSOLUTE)))
    }

    fn of_class(&mut self, class: &str, call: &Method) -> Outcome<Code> {
        match (class.trim_start_matches("::"), &*call.name, &*call.args) {
            ("Puppet::Util", "absolute_path?", [value, ..])
            | ("File", "absolute_path?", [value]) => self.absolute(value),
            (class, name, _) => Err(format!("the method {class}.{name}")),
        }
    }

    /// Calls on literals: `%w[a b].include?(value)`, `/a/.match(value)`.
    fn on_literal(&mut self, receiver: &Tree, call: &Method) -> Outcome<Option<Code>> {
        match (receiver, &*call.name, &*call.args) {
            (Tree::Array(items), "include?" | "member?", [value]) => {
                let value = self.expr(value)?;
                let mut texts = Vec::new();
                let mut others = Vec::new();
                for item in items {
                    match item {
                        Tree::Str(text) | Tree::Symbol(text) => texts.push(quoted(text)),
                        Tree::Bool(_) | Tree::Int(_) => others.push(self.when(&value, item)?.text),
                        Tree::Nil => others.push(format!("{} == undef", value.operand())),
                        _ => return Err("a list that is not literal".to_owned()),
                    }
                }
                texts.dedup();
                if !texts.is_empty() {
                    others.insert(0, format!("{} =~ Enum[{}]", value.operand(), texts.join(", ")));
                }
                if others.is_empty() {
                    return Ok(Some(Code::atom("false").of(KnownType::Boolean)));
                }
                Ok(Some(Code::operation(others.join(" or "), KnownType::Boolean)))
            }
            (Tree::Regex(..), "match" | "match?" | "=~" | "===", [value]) => {
                let (pattern, value) = (self.expr(receiver)?, self.expr(value)?);
                Ok(Some(matches(&value, "=~", &pattern)))
            }
            (
                Tree::Range(low, high, is_open),
                "include?" | "cover?" | "member?" | "===",
                [value],
            ) => {
                let kind = range(low, high, *is_open)?;
                let value = self.expr(value)?;
                Ok(Some(matches(&value, "=~", &Code::atom(kind))))
            }
            _ => Ok(None),
        }
    }

    fn method(&mut self, receiver: &Tree, call: &Method) -> Outcome<Code> {
        // `Pathname.new(value).absolute?`
        if let Tree::Call(inner) = receiver
            && matches!(&inner.receiver, Some(Tree::Const(class)) if class == "Pathname")
            && let ("new", [value], "absolute?") = (&*inner.name, &*inner.args, &*call.name)
        {
            return self.absolute(value);
        }
        let value = self.expr(receiver)?;
        let on = value.operand();
        if let ([], Some((name, kind))) = (&*call.args, namesake(&call.name)) {
            return Ok(Code::atom(format!("{on}.{name}")).of(kind));
        }
        match (&*call.name, &*call.args) {
            ("nil?", []) => self.is_nil(receiver, &value),
            ("to_sym" | "intern" | "dup" | "clone" | "freeze", []) => Ok(value),
            ("to_s", []) if value.kind == KnownType::Text => Ok(value),
            ("to_s", []) => Ok(Code::atom(format!("String({})", value.text)).of(KnownType::Text)),
            ("to_i", []) => {
                // The number at the start of the text.
                let text = format!(
                    r"String({}) ? {{ /\A\s*([-+]?\d+)/ => Integer($1, 10), default => 0 }}",
                    value.text
                );
                Ok(Code::operation(text, KnownType::Number))
            }
            ("first", []) => Ok(Code::atom(format!("{on}[0]"))),
            ("last", []) => Ok(Code::atom(format!("{on}[-1]"))),
            ("[]", [Tree::Int(index)]) => Ok(Code::atom(format!("{on}[{index}]"))),
            ("[]", [Tree::Str(key) | Tree::Symbol(key)]) => {
                Ok(Code::atom(format!("{on}[{}]", quoted(key))))
            }
            ("%", [values]) => self.format(receiver, values),
            _ => match self.test_method(&value, call)? {
                Some(code) => Ok(code),
                None => self.text_method(&value, call),
            },
        }
    }

    /// Methods that ask something of a value.
    fn test_method(&mut self, value: &Code, call: &Method) -> Outcome<Option<Code>> {
        let right = match (&*call.name, &*call.args) {
            ("is_a?" | "kind_of?" | "instance_of?", [Tree::Const(class)]) => {
                Code::atom(class_type(class)?)
            }
            ("match" | "match?" | "=~", [pattern @ Tree::Regex(..)]) => self.expr(pattern)?,
            ("start_with?", [Tree::Str(text)]) => {
                Code::atom(format!("/\\A{}/", literal_pattern(text)))
            }
            ("end_with?", [Tree::Str(text)]) => {
                Code::atom(format!("/{}\\z/", literal_pattern(text)))
            }
            // On values other than texts, the match is an error.
            ("include?", [Tree::Str(text)]) if !text.is_empty() => {
                Code::atom(format!("/{}/", literal_pattern(text)))
            }
            ("between?", [low, high]) => Code::atom(range(low, high, false)?),
            _ => return Ok(None),
        };
        Ok(Some(matches(value, "=~", &right)))
    }

    /// Methods that convert a text or a list to another one.
    fn text_method(&mut self, value: &Code, call: &Method) -> Outcome<Code> {
        let on = value.operand();
        match (&*call.name, &*call.args) {
            ("gsub" | "sub", [pattern, Tree::Str(replacement)]) => {
                let pattern = match pattern {
                    Tree::Regex(source, flags) => regex(source, flags)?,
                    Tree::Str(text) => format!("/{}/", literal_pattern(text)),
                    _ => return Err("a pattern that is not written there".to_owned()),
                };
                let all = if call.name == "gsub" { ", 'G'" } else { "" };
                let text =
                    format!("regsubst({}, {pattern}, {}{all})", value.text, quoted(replacement));
                Ok(Code::atom(text).of(KnownType::Text))
            }
            ("split", [Tree::Str(text)]) => {
                let text = format!("{on}.split(/{}/)", literal_pattern(text));
                Ok(Code::atom(text).of(KnownType::List))
            }
            ("split", [pattern @ Tree::Regex(..)]) => {
                let pattern = self.expr(pattern)?;
                Ok(Code::atom(format!("{on}.split({})", pattern.text)).of(KnownType::List))
            }
            ("join", [Tree::Str(text)]) => {
                Ok(Code::atom(format!("{on}.join({})", quoted(text))).of(KnownType::Text))
            }
            ("join", []) => Ok(Code::atom(format!("{on}.join('')")).of(KnownType::Text)),
            (name, _) => Err(format!("the method {name}")),
        }
    }

    fn is_nil(&self, receiver: &Tree, value: &Code) -> Outcome<Code> {
        match self.many(receiver) {
            Some(name) => Ok(Code::atom(format!("${name}.empty")).of(KnownType::Boolean)),
            None => {
                Ok(Code::operation(format!("{} == undef", value.operand()), KnownType::Boolean))
            }
        }
    }

    /// A method that iterates over a list.
    fn iteration(&mut self, receiver: &Tree, call: &Method) -> Outcome<Code> {
        let (name, kind) = match &*call.name {
            "map" | "collect" => ("map", KnownType::List),
            "select" | "filter" => ("filter", KnownType::List),
            "reject" => ("reject", KnownType::List),
            "any?" => ("any", KnownType::Boolean),
            "all?" => ("all", KnownType::Boolean),
            other => return Err(format!("the method {other} with a block")),
        };
        let on = self.expr(receiver)?.operand();
        let block = call.block.as_ref().ok_or("a block that is not written there")?;
        let Some([param]) = block.params.as_deref() else {
            return Err("a block with other than one parameter".to_owned());
        };
        let around = self.locals.clone();
        let param = self.declare(param);
        self.lambdas += 1;
        let body = match name {
            "map" => self.expr(&block.body),
            _ => self.condition(&block.body),
        };
        self.lambdas -= 1;
        self.locals = around;
        let body = body?;
        // Predicates have to give truth values.
        if name != "map" && body.kind != KnownType::Boolean {
            return Err(format!("the condition of {}", call.name));
        }
        Ok(Code::atom(format!("{on}.{name} |${param}| {{ {} }}", body.text)).of(kind))
    }
}

/// Methods that Puppet has as a function of the same meaning, with the type of the result.
fn namesake(name: &str) -> Option<(&str, KnownType)> {
    Some(match name {
        "upcase" | "downcase" | "capitalize" | "strip" | "lstrip" | "rstrip" | "chomp" | "chop" => {
            (name, KnownType::Text)
        }
        "length" | "size" | "count" => ("length", KnownType::Number),
        "empty?" => ("empty", KnownType::Boolean),
        "abs" | "floor" | "round" => (name, KnownType::Number),
        "ceil" => ("ceiling", KnownType::Number),
        "flatten" | "sort" | "keys" | "values" => (name, KnownType::List),
        "uniq" => ("unique", KnownType::List),
        "compact" => ("filter |$x| { $x != undef }", KnownType::List),
        _ => return None,
    })
}
