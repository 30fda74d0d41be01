//! The names of Python types, and errors that print them.

use super::fault::Fault;
use super::runtime::Runtime;
use super::value::{Object, Undefined, Val, View};
use crate::value::Value;

impl Val {
    /// The name of the Python type.
    pub(super) fn type_name(&self) -> &str {
        match self {
            Self::Undefined(found) if found.is_strict => "StrictUndefined",
            Self::Undefined(_) => "Undefined",
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Big(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Markup(_) => "Markup",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Tuple(found) if found.is_group => "_GroupTuple",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Iterator(found) => found.type_name,
            Self::Proxy(found) => match &found.value {
                Value::List(_) if found.is_argument => "SequenceProxy",
                Value::Dict(_) if found.is_argument => "DictProxy",
                _ if found.is_argument => "DynamicProxy",
                Value::List(_) => "JinjaSequenceProxy",
                Value::Dict(_) => "JinjaDictProxy",
                _ => "JinjaDynamicProxy",
            },
            Self::Object(found) => found.type_name(),
        }
    }

    /// The type in errors: with its module unless it is built in.
    pub(super) fn described(&self) -> String {
        let module = match self {
            Self::None => return "None".into(),
            Self::Undefined(_) => "jinja2.runtime.",
            Self::Markup(_) => "markupsafe.",
            Self::Tuple(found) if found.is_group => "jinja2.filters.",
            Self::Proxy(found) if found.is_argument => "inmanta.execute.proxy.",
            Self::Proxy(_) => "inmanta_plugins.std.",
            Self::Object(found) => found.module(),
            _ => "",
        };
        format!("{module}{} object", self.type_name())
    }
}

impl Object {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Range { .. } => "range",
            Self::Function("range" | "dict" | "cycler" | "joiner" | "namespace") => "type",
            Self::Function(_) => "function",
            Self::Method(Val::Object(_), _) => "method",
            Self::Method(..) => "builtin_function_or_method",
            Self::ProxyMethod(..) => "JinjaCallProxy",
            Self::Macro(_) => "Macro",
            Self::Loop(_) => "LoopContext",
            Self::Cycler { .. } => "Cycler",
            Self::Joiner { .. } => "Joiner",
            Self::Namespace(_) => "Namespace",
            Self::Module { .. } => "TemplateModule",
            Self::Block { .. } => "BlockReference",
            Self::Blocks(_) => "TemplateReference",
            Self::View(_, Val::Proxy(found)) if !found.is_argument => "JinjaSequenceProxy",
            Self::View(View::Keys, Val::Proxy(_)) => "KeysView",
            Self::View(View::Values, Val::Proxy(_)) => "ValuesView",
            Self::View(View::Items, Val::Proxy(_)) => "ItemsView",
            Self::View(View::Keys, _) => "dict_keys",
            Self::View(View::Values, _) => "dict_values",
            Self::View(View::Items, _) => "dict_items",
            Self::Model(_) => "JinjaDynamicProxy",
            Self::Plugin(_) => "JinjaCallProxy",
            Self::Slice(..) => "slice",
            Self::Null => "NoneValue",
            Self::Set(_) => "set",
        }
    }

    fn module(&self) -> &'static str {
        match self {
            Self::Macro(_) | Self::Loop(_) | Self::Block { .. } | Self::Blocks(_) => {
                "jinja2.runtime."
            }
            Self::Cycler { .. } | Self::Joiner { .. } | Self::Namespace(_) => "jinja2.utils.",
            Self::Module { .. } => "jinja2.environment.",
            Self::View(_, Val::Proxy(found)) if !found.is_argument => "inmanta_plugins.std.",
            Self::View(_, Val::Proxy(_)) => "collections.abc.",
            Self::Null => "inmanta.execute.util.",
            Self::ProxyMethod(..) | Self::Model(_) | Self::Plugin(_) => "inmanta_plugins.std.",
            _ => "",
        }
    }
}

impl Undefined {
    /// The message about the use of the undefined value.
    pub(super) fn message(&self, runtime: &Runtime<'_>) -> String {
        if let Some(hint) = self.hint.as_ref().filter(|hint| !hint.is_empty()) {
            return hint.to_string();
        }
        let name = runtime.repr(&self.name).unwrap_or_default();
        match (&self.object, &self.name) {
            (None, _) => format!("{name} is undefined"),
            (Some(object), Val::Str(_) | Val::Markup(_)) => {
                format!("{} has no attribute {name}", crate::value::string_repr(object))
            }
            (Some(object), _) => format!("{object} has no element {name}"),
        }
    }

    pub(super) fn fault(&self, runtime: &Runtime<'_>) -> Fault {
        Fault::Undefined(self.message(runtime))
    }
}
