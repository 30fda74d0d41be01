//! Built-in object types: `Deferred`, `Error`, and those that describe resource types.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;

use crate::types::text_reader::read_plain;
use crate::types::{ObjectAttribute, ObjectFunction, ObjectType, SizeRange, Type};
use crate::value::Value;

fn attribute(name: &str, kind: &'static str, value: Option<Value>) -> ObjectAttribute {
    let kind = read_plain(kind);
    ObjectAttribute { kind, value, ..ObjectAttribute::of_any(name.into()) }
}

/// A call that is made when the catalog is applied.
pub fn deferred() -> Arc<ObjectType> {
    static DEFERRED: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        Arc::new(ObjectType {
            name: "Deferred".into(),
            attributes: vec![
                attribute(
                    "name",
                    "Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/]",
                    None,
                ),
                attribute("arguments", "Optional[Array]", Some(Value::Undef)),
            ],
            ..ObjectType::bare()
        })
    });
    Arc::clone(&DEFERRED)
}

/// The built-in `Error`.
pub fn error() -> Arc<ObjectType> {
    static ERROR: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        let text = "Optional[String[1]]";
        let undef = || Some(Value::Undef);
        Arc::new(ObjectType {
            name: "Error".into(),
            attributes: vec![
                attribute("msg", "String[1]", None),
                attribute("kind", text, undef()),
                attribute("details", "Optional[Hash[String[1], Data]]", undef()),
                attribute("issue_code", text, undef()),
            ],
            type_parameters: vec![
                (
                    "kind".into(),
                    read_plain(
                        "Optional[Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]]",
                    ),
                ),
                (
                    "issue_code".into(),
                    read_plain(
                        "Optional[Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]]",
                    ),
                ),
            ],
            functions: vec![ObjectFunction {
                name: "message".into(),
                kind: read_plain("Callable[[0, 0], String[1]]"),
                is_final: false,
                overrides: false,
                annotations: None,
            }],
            ..ObjectType::bare()
        })
    });
    Arc::clone(&ERROR)
}

/// `Puppet::Resource::Param`, an attribute of a resource type.
pub fn resource_param() -> Arc<ObjectType> {
    static PARAM: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        Arc::new(ObjectType {
            name: crate::model::PARAM_NAME.into(),
            attributes: vec![
                attribute("type", "Type", None),
                attribute("name", "String[1]", None),
                attribute("name_var", "Boolean", Some(Value::Bool(false))),
            ],
            equality: Some(vec!["name".into()]),
            ..ObjectType::bare()
        })
    });
    Arc::clone(&PARAM)
}

/// `Puppet::Resource::ResourceType3`, a resource type.
pub fn resource_type() -> Arc<ObjectType> {
    static KIND: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
        let params = || ObjectAttribute {
            kind: Type::Array(Arc::new(Type::Object(resource_param())), SizeRange::ANY_SIZE),
            value: Some(Value::array([])),
            ..ObjectAttribute::of_any(EcoString::new())
        };
        let patterns = "Optional[Hash[Regexp, Array[String[1]]]]";
        Arc::new(ObjectType {
            name: crate::model::RESOURCE_TYPE_NAME.into(),
            attributes: vec![
                attribute("name", "String[1]", None),
                ObjectAttribute { name: "properties".into(), ..params() },
                ObjectAttribute { name: "parameters".into(), ..params() },
                attribute("title_patterns_hash", patterns, Some(Value::Undef)),
                attribute("isomorphic", "Boolean", Some(Value::Bool(true))),
                attribute("capability", "Boolean", Some(Value::Bool(false))),
            ],
            equality: Some(vec!["name".into()]),
            ..ObjectType::bare()
        })
    });
    Arc::clone(&KIND)
}
