//! Lists and sets with a type for their items: `pydantic.conlist`, `conset`, `confrozenset`.
//!
//! The item type is a Python annotation. Its names are those of Python's types and of the module
//! `pydantic`.

use rustc_hash::FxHashSet;

use super::lenient::{lenient_bool, lenient_integer, lenient_number};
use crate::diagnostics::Exception;
use crate::model::plugin::Stop;
use crate::syntax::text::NoInstances;
use crate::value::{Dict, Value};

/// The limit for nested item types.
const MAX_DEPTH: usize = 50;

/// Checks a value against a type of the module `pydantic`, by its name.
type NamedCheck<'n> = &'n dyn Fn(&str, &Value) -> Result<bool, Stop>;

/// The type of an item.
#[derive(Debug)]
enum Item {
    Any,
    Null,
    Bool,
    Int,
    Float,
    Text,
    Bytes,
    List(Option<Box<Item>>),
    Set(Option<Box<Item>>),
    Dict(Option<Box<(Item, Item)>>),
    Union(Vec<Item>),
    /// A type of the module `pydantic`.
    Named(String),
}

/// The faults of an annotation.
enum AnnotationError {
    /// A syntax error.
    Syntax,
    /// An undefined name.
    Unknown,
}

/// Whether a value is a list or set with items of a type.
///
/// # Errors
/// If parameters are missing or unknown, or the type of the items cannot be read.
pub(super) fn check(
    named: NamedCheck<'_>,
    kind: &str,
    value: &Value,
    parameters: &Dict,
) -> Result<bool, Stop> {
    let is_list = kind == "conlist";
    let known: &[&str] = match is_list {
        true => &["item_type", "min_length", "max_length", "unique_items"],
        false => &["item_type", "min_length", "max_length"],
    };
    let wrong = |text: String| Stop::raised(Exception::TypeError, text);
    if let Some(name) = parameters.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(wrong(format!("{kind}() got an unexpected keyword argument '{name}'")));
    }
    let Some(item) = parameters.get("item_type") else {
        return Err(wrong(format!("{kind}() missing 1 required positional argument: 'item_type'")));
    };
    if parameters.get("unique_items").is_some_and(|value| !matches!(value, Value::Null)) {
        let text = "`unique_items` is removed, use `Set` instead(this feature is discussed in \
                    https://github.com/pydantic/pydantic-core/issues/296)";
        return Err(user_error("PydanticUserError", text, "removed-kwargs"));
    }
    let item = item_type(kind, item, parameters)?;
    let (least, most) =
        (limit(kind, parameters, "min_length")?, limit(kind, parameters, "max_length")?);
    let Value::List(items) = value else { return Ok(false) };
    let reader = Reader { named };
    let mut found: Vec<Value> = Vec::new();
    for value in items.iter() {
        let Some(value) = reader.converted(&item, value)? else { return Ok(false) };
        if !is_list && !is_hashable(&value) {
            return Ok(false);
        }
        found.push(value);
    }
    let count = if is_list { found.len() } else { distinct(&found) } as i64;
    Ok(least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most))
}

/// A parameter that limits the number of items.
fn limit(kind: &str, parameters: &Dict, name: &str) -> Result<Option<i64>, Stop> {
    let class = match parameters.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Int(number)) => return Ok(Some(*number)),
        Some(Value::Str(_)) if name == "min_length" => {
            let text = "'>' not supported between instances of 'str' and 'int'";
            return Err(Stop::raised(Exception::TypeError, text));
        }
        Some(other) => other.python_type().to_owned(),
    };
    let builds = kind.trim_start_matches("con");
    Err(Stop::raised(
        Exception::SchemaError,
        format!(
            "Error building \"{builds}\" validator:\n  TypeError: '{class}' object cannot be \
             interpreted as an integer"
        ),
    ))
}

/// An error of pydantic with the page of its documentation.
fn user_error(class: &str, text: &str, page: &str) -> Stop {
    let more = format!("For further information visit https://errors.pydantic.dev/2.14/u/{page}");
    let class = Exception::Other(format!("pydantic.errors.{class}").into());
    Stop::raised(class, format!("{text}\n\n{more}"))
}

/// The type of the items.
fn item_type(kind: &str, item: &Value, parameters: &Dict) -> Result<Item, Stop> {
    let text = match item {
        Value::Null => return Ok(Item::Null),
        Value::Str(text) => text.as_str(),
        other => return Err(no_type(&other.repr(&NoInstances))),
    };
    let mut parser = Parser { rest: text };
    let read = match parser.union(0) {
        Ok(item) if parser.rest.trim().is_empty() => Ok(item),
        Ok(_) => Err(AnnotationError::Syntax),
        Err(misread) => Err(misread),
    };
    read.map_err(|misread| match misread {
        AnnotationError::Syntax => {
            let text = crate::value::string_repr(text);
            let text = format!("Forward reference must be an expression -- got {text}");
            Stop::raised(Exception::SyntaxError, text)
        }
        AnnotationError::Unknown if text.trim().parse::<f64>().is_ok() => no_type(text.trim()),
        AnnotationError::Unknown => {
            let number = |name: &str, default: &str| match parameters.get(name) {
                None | Some(Value::Null) => default.to_owned(),
                Some(value) => value.repr(&NoInstances),
            };
            let full = format!(
                "typing.Annotated[{}[{}], Len(min_length={}, max_length={})]",
                kind.trim_start_matches("con"),
                crate::value::string_repr(text),
                number("min_length", "0"),
                number("max_length", "None"),
            );
            let text = format!(
                "`TypeAdapter[{full}]` is not fully defined; you should define `{full}` and all \
                 referenced types, then call `.rebuild()` on the instance."
            );
            user_error("PydanticUserError", &text, "class-not-fully-defined")
        }
    })
}

/// The error that a text is not a type.
fn no_type(shown: &str) -> Stop {
    let text = format!(
        "Unable to generate pydantic-core schema for {shown}. Set `arbitrary_types_allowed=True` in \
         the model_config to ignore this error or implement `__get_pydantic_core_schema__` on your \
         type to fully support it.\n\nIf you got this error by calling handler(<some type>) within \
         `__get_pydantic_core_schema__` then you likely need to call `handler.generate_schema(<some \
         type>)` since we do not call `__get_pydantic_core_schema__` on `<some type>` otherwise to \
         avoid infinite recursion."
    );
    user_error("PydanticSchemaGenerationError", &text, "schema-for-unknown-type")
}

/// Reads annotations.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn takes(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Parses a union such as `int | None`.
    fn union(&mut self, depth: usize) -> Result<Item, AnnotationError> {
        let mut items = vec![self.single(depth)?];
        while self.takes('|') {
            items.push(self.single(depth)?);
        }
        Ok(if items.len() == 1 { items.remove(0) } else { Item::Union(items) })
    }

    /// Parses a name with its parameters in brackets.
    fn single(&mut self, depth: usize) -> Result<Item, AnnotationError> {
        if depth > MAX_DEPTH {
            return Err(AnnotationError::Unknown);
        }
        self.rest = self.rest.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(AnnotationError::Syntax);
        }
        self.rest = rest;
        let mut inner = Vec::new();
        if self.takes('[') {
            loop {
                inner.push(self.union(depth + 1)?);
                if !self.takes(',') {
                    break;
                }
            }
            if !self.takes(']') {
                return Err(AnnotationError::Syntax);
            }
        }
        named(name, inner)
    }
}

/// The type of a name with type parameters.
fn named(name: &str, mut inner: Vec<Item>) -> Result<Item, AnnotationError> {
    let count = inner.len();
    let mut next = || inner.remove(0);
    Ok(match (name, count) {
        ("object", 0) => Item::Any,
        ("None", 0) => Item::Null,
        ("bool", 0) => Item::Bool,
        ("int", 0) => Item::Int,
        ("float", 0) => Item::Float,
        ("str", 0) => Item::Text,
        ("bytes", 0) => Item::Bytes,
        ("list" | "tuple" | "abc.Sequence", 0) => Item::List(None),
        ("list" | "abc.Sequence", 1) => Item::List(Some(Box::new(next()))),
        ("set" | "frozenset" | "abc.Set", 0) => Item::Set(None),
        ("set" | "frozenset" | "abc.Set", 1) => Item::Set(Some(Box::new(next()))),
        ("dict" | "abc.Mapping", 0) => Item::Dict(None),
        ("dict" | "abc.Mapping", 2) => {
            let key = next();
            Item::Dict(Some(Box::new((key, next()))))
        }
        ("Optional", 1) => Item::Union(vec![next(), Item::Null]),
        (name, 0) if name.starts_with("pydantic.") => Item::Named(name.to_owned()),
        _ => return Err(AnnotationError::Unknown),
    })
}

/// Converts values to item types.
struct Reader<'n> {
    named: NamedCheck<'n>,
}

impl Reader<'_> {
    /// The converted value; `None` if the value does not fit.
    fn converted(&self, item: &Item, value: &Value) -> Result<Option<Value>, Stop> {
        Ok(match (item, value) {
            (Item::Any, _) | (Item::Null, Value::Null) => Some(value.clone()),
            (Item::Bool, _) => lenient_bool(value).map(Value::Bool),
            (Item::Int, _) => lenient_integer(value).map(|number| match number {
                Value::Bool(truth) => Value::Int(truth.into()),
                number => number,
            }),
            (Item::Float, _) => lenient_number(value),
            (Item::Text | Item::Bytes, Value::Str(_)) => Some(value.clone()),
            (Item::List(inner), Value::List(items)) => {
                self.all(inner.as_deref(), items)?.map(Value::list)
            }
            (Item::Set(inner), Value::List(items)) => self
                .all(inner.as_deref(), items)?
                .filter(|items| items.iter().all(is_hashable))
                .map(Value::list),
            (Item::Dict(None), Value::Dict(_)) => Some(value.clone()),
            (Item::Dict(Some(inner)), Value::Dict(entries)) => {
                for (key, held) in entries.iter() {
                    let key = self.converted(&inner.0, &Value::Str(key.clone()))?;
                    if key.is_none() || self.converted(&inner.1, held)?.is_none() {
                        return Ok(None);
                    }
                }
                Some(value.clone())
            }
            (Item::Union(items), _) => return self.one_of(items, value),
            (Item::Named(name), _) => (self.named)(name, value)?.then(|| value.clone()),
            _ => None,
        })
    }

    fn all(&self, inner: Option<&Item>, items: &[Value]) -> Result<Option<Vec<Value>>, Stop> {
        let Some(inner) = inner else { return Ok(Some(items.to_vec())) };
        items.iter().map(|item| self.converted(inner, item)).collect()
    }

    /// Converts a value to a union: to the first type that does not change it, otherwise to the
    /// first that fits.
    fn one_of(&self, items: &[Item], value: &Value) -> Result<Option<Value>, Stop> {
        let mut first = None;
        for item in items {
            let Some(made) = self.converted(item, value)? else { continue };
            if made.python_type() == value.python_type() && made == *value {
                return Ok(Some(made));
            }
            first = first.or(Some(made));
        }
        Ok(first)
    }
}

fn is_hashable(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Dict(_))
}

/// Counts distinct values in linear time.
fn distinct(values: &[Value]) -> usize {
    let key = |value: &Value| match value {
        Value::Bool(truth) => u8::from(*truth).to_string(),
        Value::Float(number) => match crate::value::float_integer(*number) {
            Some(whole) if number.fract() == 0.0 => whole.to_string(),
            _ => crate::value::float_text(*number),
        },
        other => other.repr(&NoInstances),
    };
    let keys: FxHashSet<String> = values.iter().map(key).collect();
    keys.len()
}
