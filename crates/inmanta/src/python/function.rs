//! Python functions as plugins.

use std::cell::Cell;
use std::rc::Rc;

use ecow::EcoString;
use serde_json::{Value as Json, json};

use super::Python;
use super::answers::{self, KnownAttributes};
use super::message::{Message, list, plain};
use super::mirror::Mirror;
use super::wire::{received, type_expr, write, write_pair};
use crate::diagnostics::{Class, Error, Exception};
use crate::model::plugin::{Arguments, Context, Param, Plugin, Signature, Stop};
use crate::types::TypeExpr;
use crate::value::Value;

/// A Python function.
pub(super) struct Function {
    python: Rc<Python>,
    number: u64,
    signature: Signature,
    /// Whether all parameters are positional and none is the context.
    is_plain: bool,
    /// Whether a call has succeeded before. Until then calls are not batched, since functions that
    /// crash or hang mostly do so at the first call.
    is_tried: Cell<bool>,
}

impl Plugin for Function {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, context: &mut dyn Context, arguments: &Arguments) -> Result<Value, Stop> {
        let mut message = Message::with("do", "call");
        self.write_call(message.entry("call"), context, arguments);
        let answer = self.python.converse(context, message, &self.signature.name)?;
        self.result(context, arguments, &answer)
    }

    fn is_python(&self) -> bool {
        true
    }

    fn is_batched(&self) -> bool {
        self.is_tried.get() && !self.signature.has_context
    }

    fn prepare(&self, context: &mut dyn Context, arguments: &Arguments) -> bool {
        let mut batch = self.python.batch.borrow_mut();
        batch.prepare(|out| self.write_call(out, context, arguments))
    }

    fn call_prepared(
        &self,
        context: &mut dyn Context,
        arguments: &Arguments,
    ) -> Result<Value, Stop> {
        let answer = self.python.prepared(context, &self.signature.name)?;
        self.result(context, arguments, &answer)
    }
}

impl Function {
    /// Creates a plugin from the child's description.
    pub(super) fn plugin(python: &Rc<Python>, description: &Json) -> Rc<dyn Plugin> {
        let signature = signature(description);
        let is_plain = !signature.has_context
            && signature.rest.is_none()
            && signature.keywords.is_none()
            && signature.params.iter().all(|param| !param.keyword_only);
        Rc::new(Self {
            python: Rc::clone(python),
            number: description["number"].as_u64().unwrap_or_default(),
            signature,
            is_plain,
            is_tried: Cell::default(),
        })
    }

    /// The result of a call. A result with output, warnings or an error is an object without a tag.
    fn result(
        &self,
        context: &mut dyn Context,
        arguments: &Arguments,
        answer: &Json,
    ) -> Result<Value, Stop> {
        let mirror = &mut *self.python.mirror.borrow_mut();
        match answer.get("error") {
            Some(error) if error["kind"] == "argument" => {
                Err(Stop::Error(self.misfit(error, context, arguments)))
            }
            Some(error) => Err(raised(error, context, mirror)),
            None => {
                self.is_tried.set(true);
                received(answer.get("v").unwrap_or(answer), context, mirror)
            }
        }
    }

    /// The error that an argument does not fit the function.
    fn misfit(&self, error: &Json, context: &dyn Context, arguments: &Arguments) -> Box<Error> {
        let name = error["parameter"].as_str().unwrap_or_default();
        let params = self.signature.params.iter().zip(&arguments.values);
        let found = params.into_iter().find(|(param, _)| param.name == name);
        let value = found.and_then(|(_, value)| value.as_ref()).map(|value| value.repr(context));
        let message = format!(
            "Value {} for argument {name} of plugin {} has incompatible type. Expected type: {}",
            value.unwrap_or_default(),
            self.signature.name,
            found.map(|(param, _)| type_text(&param.ty)).unwrap_or_default(),
        );
        let cause = Error::new(Class::Typing, error["text"].as_str().unwrap_or_default());
        Error::new(Class::PluginType, message).caused_by(cause)
    }

    /// Adds a call to a message: a list with number, arguments and attributes of instances if all
    /// arguments are positional, an object otherwise.
    fn write_call(&self, out: &mut Vec<u8>, context: &mut dyn Context, arguments: &Arguments) {
        let mirror = &mut *self.python.mirror.borrow_mut();
        let known = known_of(context, arguments, mirror);
        if !self.is_plain || arguments.values.iter().any(Option::is_none) {
            self.write_named_call(out, context, arguments, &known, mirror);
            return;
        }
        out.push(b'[');
        plain(out, self.number);
        out.push(b',');
        list(out, arguments.values.iter().flatten(), |out, value| write(out, value, mirror));
        if !known.is_empty() {
            out.push(b',');
            out.extend(known);
        }
        out.push(b']');
    }

    fn write_named_call(
        &self,
        out: &mut Vec<u8>,
        context: &dyn Context,
        arguments: &Arguments,
        known: &[u8],
        mirror: &mut Mirror,
    ) {
        let mut message = Message::with("number", self.number);
        let mut named = Message::new();
        for (param, value) in self.signature.params.iter().zip(&arguments.values) {
            if let Some(value) = value {
                named.set_value(&param.name, value, mirror);
            }
        }
        message.entry("named").extend(named.into_text());
        if self.signature.rest.is_some() {
            list(message.entry("rest"), &arguments.rest, |out, value| write(out, value, mirror));
        }
        if self.signature.keywords.is_some() {
            list(message.entry("keywords"), &arguments.keywords, |out, (name, value)| {
                write_pair(out, name, value, mirror);
            });
        }
        if !known.is_empty() {
            message.entry("known").extend(known);
        }
        if self.signature.has_context {
            let line = context.location().line;
            let place = json!({"namespace": context.namespace(), "file": "", "line": line});
            message.set("where", place);
        }
        let mut after = arguments.values.iter().skip(arguments.positional);
        if self.signature.has_context || after.any(Option::is_some) {
            message.set("positional", arguments.positional);
        }
        out.extend(message.into_text());
    }
}

/// The attributes of instances among the arguments that the child does not have yet, as the text of
/// a message; empty if there are none.
fn known_of(context: &mut dyn Context, arguments: &Arguments, mirror: &mut Mirror) -> Vec<u8> {
    let mut out = Vec::new();
    for value in arguments.values.iter().flatten() {
        let &Value::Instance(instance) = value else { continue };
        if !mirror.mark_sent(instance) {
            continue;
        }
        let names = context.attribute_names(instance);
        let KnownAttributes { attributes, missing } =
            answers::known(context, instance, names, mirror);
        // Relations get values late, and many are never read, so they do not count.
        if missing.iter().any(|name| !context.is_relation(instance, name)) {
            mirror.lacks(instance);
        }
        mirror.register(instance);
        out.push(if out.is_empty() { b'[' } else { b',' });
        out.push(b'[');
        plain(&mut out, instance.0);
        out.push(b',');
        out.extend(attributes.into_text());
        out.push(b']');
    }
    if !out.is_empty() {
        out.push(b']');
    }
    out
}

/// The text of a type in messages.
fn type_text(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Any => "any".into(),
        TypeExpr::Null => "null".into(),
        TypeExpr::Number => "number".into(),
        TypeExpr::Named(name) | TypeExpr::Written(name) => name.to_string(),
        TypeExpr::Dataclass(names, _) => {
            names.first().map(EcoString::to_string).unwrap_or_default()
        }
        TypeExpr::Known(_) => "any".into(),
        TypeExpr::List(inner) => format!("{}[]", type_text(inner)),
        TypeExpr::Dict(inner) => format!("dict[string, {}]", type_text(inner)),
        TypeExpr::Nullable(inner) => format!("{}?", type_text(inner)),
        TypeExpr::Reference(inner) => format!("Reference[{}]", type_text(inner)),
        TypeExpr::Union(items) => {
            format!("Union[{}]", items.iter().map(type_text).collect::<Vec<_>>().join(","))
        }
    }
}

fn signature(description: &Json) -> Signature {
    let mut signature = Signature::new(description["name"].as_str().unwrap_or_default());
    for param in description["params"].as_array().into_iter().flatten() {
        let made = Param {
            name: param["name"].as_str().unwrap_or_default().into(),
            ty: type_expr(&param["type"]),
            has_default: param["has_default"].as_bool().unwrap_or_default(),
            default: None,
            keyword_only: param["kind"] == "named",
            converts: param["converts"].as_bool().unwrap_or_default(),
        };
        match param["kind"].as_str() {
            Some("rest") => signature.rest = Some(made),
            Some("keywords") => signature.keywords = Some(made),
            _ => signature.params.push(made),
        }
    }
    signature.returns = type_expr(&description["returns"]);
    signature.allow_unknown = description["allow_unknown"].as_bool().unwrap_or_default();
    signature.has_context = description["has_context"].as_bool().unwrap_or_default();
    signature.deprecated = description["deprecated"].as_str().map(EcoString::from);
    signature.file = description["file"].as_str().unwrap_or_default().into();
    signature.line = description["line"].as_u64().unwrap_or_default() as u32;
    signature
}

/// Converts an exception of the child.
pub(super) fn raised(error: &Json, context: &mut dyn Context, mirror: &mut Mirror) -> Stop {
    let text = error["text"].as_str().unwrap_or_default().to_owned();
    let class = error["class"].as_str().unwrap_or("Exception");
    match error["kind"].as_str() {
        Some("unset") => Stop::Unset(answers::variables(&error["wait"])),
        Some("unknown") => match received(&error["unknown"], context, mirror) {
            Ok(value) if value.is_unknown() => Stop::Unknown(value),
            _ => Stop::Unknown(Value::unknown("")),
        },
        Some("explicit") => {
            let python = format!("{class}: {}", error["shown"].as_str().unwrap_or(&text));
            Stop::Explicit { message: text, python }
        }
        Some("compiler") => {
            let mut made = Error::new(compiler_class(class), text);
            made.python = error["cause"].as_str().map(str::to_owned);
            Stop::Error(made)
        }
        _ => Stop::raised(Exception::named(class), text),
    }
}

pub(super) fn compiler_class(name: &str) -> Class {
    match name {
        "CompilerException" => Class::Compiler,
        "TypingException" => Class::Typing,
        "InvalidTypeAnnotation" => Class::InvalidTypeAnnotation,
        "NotFoundException" => Class::NotFound,
        "TypeNotFoundException" => Class::TypeNotFound,
        "OptionalValueException" => Class::OptionalValue,
        "AttributeException" => Class::Attribute,
        "ExternalException" => Class::External,
        "ExplicitPluginException" => Class::ExplicitPlugin,
        "DoubleSetException" => Class::DoubleSet,
        "DuplicateException" => Class::Duplicate,
        "UnexpectedReference" => Class::UnexpectedReference,
        _ => Class::Runtime,
    }
}
