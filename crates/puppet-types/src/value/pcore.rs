//! Types as plain data, by the attributes that they have in Pcore, the model of Puppet's types:
//! `Integer[1, 2]` is `{"__ptype": "Pcore::IntegerType", "from": 1, "to": 2}`.

use std::sync::Arc;

use ordain_data::Value as Data;
use ordain_puppet_syntax::names::capitalized;

use crate::types::simple_name::simple_name;
use crate::types::{
    CallableType, IntRange, ObjectAttribute, ObjectFunction, ObjectType, SizeRange, StructMember,
    Type, TypeAlias,
};
use crate::value::Value;
use crate::value::notation::{write_timespan, write_timestamp};

/// A type as a map with `__ptype`; `values` writes the values in it.
#[inline]
pub fn type_to_data(kind: &Type, values: fn(&Value) -> Data) -> Data {
    Writer { values, open: Vec::new() }.write(kind)
}

/// The attributes of a type behind its name.
type Fields = Vec<(&'static str, Data)>;

struct Writer {
    /// Writes the values in types.
    values: fn(&Value) -> Data,
    /// Aliases that are being written, so that one inside itself ends.
    open: Vec<*const TypeAlias>,
}

impl Writer {
    fn write(&mut self, kind: &Type) -> Data {
        if !self.has_form(kind) {
            return tagged("Type", vec![("__pvalue", Data::Str(kind.to_string().into()))]);
        }
        if let Type::Alias(alias) = kind {
            return self.alias(alias);
        }
        let fields = self.fields(kind);
        let name = match kind {
            Type::Literal(_) => "String",
            Type::Object(_) | Type::Parameterized(_) => "Object",
            other => simple_name(other),
        };
        tagged(&format!("Pcore::{name}Type"), fields)
    }

    /// Whether Pcore can write the type: those that are aliases of themselves it cannot.
    fn has_form(&self, kind: &Type) -> bool {
        match kind {
            Type::Data | Type::RichData | Type::RichDataKey | Type::TypeSet(_) => false,
            Type::Alias(alias) => {
                alias.target.get().is_some() && !self.open.contains(&Arc::as_ptr(alias))
            }
            _ => true,
        }
    }

    fn alias(&mut self, alias: &Arc<TypeAlias>) -> Data {
        self.open.push(Arc::as_ptr(alias));
        let target = alias.target.get().map_or(Data::Null, |target| self.write(target));
        self.open.pop();
        let fields = vec![
            ("name", Data::Str(alias.name.clone())),
            ("type_expr", Data::Null),
            ("resolved_type", target),
        ];
        tagged("Pcore::TypeAliasType", fields)
    }

    fn fields(&mut self, kind: &Type) -> Fields {
        match kind {
            Type::NotUndef(inner)
            | Type::Optional(inner)
            | Type::Iterable(inner)
            | Type::Iterator(inner)
            | Type::Type(inner) => self.inner("type", inner.as_deref()),
            Type::Variant(types) => vec![("types", self.list(types))],
            Type::Integer(range) => bounds(*range),
            Type::Float(range) => {
                let from = range.from.is_finite().then_some(Data::Float(range.from));
                ends(from, range.to.is_finite().then_some(Data::Float(range.to)))
            }
            Type::String(size) => sized("size_type_or_value", *size),
            Type::Literal(text) => vec![("size_type_or_value", Data::Str(text.clone()))],
            Type::Enum { values, caseless } => {
                let mut out = vec![("values", Data::list(values.iter().cloned().map(Data::Str)))];
                out.extend(caseless.then_some(("case_insensitive", Data::Bool(true))));
                out
            }
            Type::Collection(size) => sized("size_type", *size),
            Type::Array(element, size) => {
                let open = **element == Type::Any && size.is_unsaid_size();
                let mut out = Vec::new();
                out.extend((!open).then(|| ("element_type", self.write(element))));
                out.extend(sized("size_type", *size));
                out
            }
            Type::Hash(entry, size) => {
                let open = entry.0 == Type::Any && entry.1 == Type::Any;
                let mut out = Vec::new();
                if !open || !size.is_unsaid_size() {
                    out.push(("key_type", self.write(&entry.0)));
                    out.push(("value_type", self.write(&entry.1)));
                }
                out.extend(sized("size_type", *size));
                out
            }
            Type::Tuple(types, size) => self.tuple(types, *size),
            Type::Struct(members) => {
                let members = members.iter().map(|member| self.member(member));
                vec![("elements", Data::list(members.collect::<Vec<_>>()))]
            }
            Type::Callable(callable) => self.callable(callable.as_deref()),
            other => self.rare(other),
        }
    }

    fn rare(&mut self, kind: &Type) -> Fields {
        match kind {
            Type::Pattern(patterns) => {
                let patterns = patterns.iter().map(|regexp| {
                    let source = Data::Str(regexp.text());
                    tagged("Pcore::RegexpType", vec![("pattern", source)])
                });
                vec![("patterns", Data::list(patterns))]
            }
            Type::Regexp(Some(regexp)) => vec![("pattern", Data::Str(regexp.text()))],
            Type::Init(Some(init)) => {
                let mut out = vec![("type", self.write(&init.target))];
                if !init.arguments.is_empty() {
                    out.push(("init_args", Data::list(init.arguments.iter().map(self.values))));
                }
                out
            }
            Type::Resource { kind, title } => {
                let mut out = Vec::new();
                out.extend(kind.as_ref().map(|k| ("type_name", Data::Str(capitalized(k)))));
                out.extend(title.as_ref().map(|t| ("title", Data::Str(t.clone()))));
                out
            }
            Type::Class(Some(name)) => vec![("class_name", Data::Str(name.clone()))],
            Type::Timestamp(Some(range)) => times("Timestamp", write_timestamp, *range),
            Type::Timespan(Some(range)) => times("Timespan", write_timespan, *range),
            Type::SemVer(ranges) if !ranges.is_empty() => {
                let ranges = ranges.iter().map(|range| {
                    tagged("SemVerRange", vec![("__pvalue", Data::Str(range.text.clone()))])
                });
                vec![("ranges", Data::list(ranges))]
            }
            Type::Uri(Some(parts)) => vec![("parameters", (self.values)(parts))],
            Type::Runtime(Some(runtime)) => vec![
                ("runtime", Data::Str(runtime.0.clone())),
                ("name_or_pattern", Data::Str(runtime.1.clone())),
            ],
            Type::Object(object) => self.object(object),
            Type::Parameterized(parameterized) => self.object(&parameterized.base),
            Type::Reference(name) => vec![("type_string", Data::Str(name.clone()))],
            _ => Vec::new(),
        }
    }

    fn inner(&mut self, name: &'static str, kind: Option<&Type>) -> Fields {
        kind.map(|kind| (name, self.write(kind))).into_iter().collect()
    }

    fn list(&mut self, types: &[Type]) -> Data {
        Data::list(types.iter().map(|kind| self.write(kind)).collect::<Vec<_>>())
    }

    fn tuple(&mut self, types: &[Type], size: Option<SizeRange>) -> Fields {
        let mut out = vec![("types", self.list(types))];
        out.extend(size.map(|size| ("size_type", integer(size))));
        out
    }

    fn member(&mut self, member: &StructMember) -> Data {
        let mut key = self.write(&Type::Literal(member.name.clone()));
        if member.optional {
            key = tagged("Pcore::OptionalType", vec![("type", key)]);
        }
        let value = self.write(&member.kind);
        tagged("Pcore::StructElement", vec![("key_type", key), ("value_type", value)])
    }

    fn callable(&mut self, callable: Option<&CallableType>) -> Fields {
        let mut out = Vec::with_capacity(3);
        let Some(callable) = callable else {
            return vec![
                ("param_types", Data::Null),
                ("block_type", Data::Null),
                ("return_type", Data::Null),
            ];
        };
        let count = callable.params.len() as i64;
        let exact = SizeRange::new(count, count);
        let is_said = callable.size != exact || callable.size.is_written();
        let size = is_said.then_some(callable.size);
        let params = self.tuple(&callable.params, size);
        out.push(("param_types", tagged("Pcore::TupleType", params)));
        let block = callable.block.as_ref().map_or(Data::Null, |kind| self.write(kind));
        out.push(("block_type", block));
        let returns = callable.returns.as_ref().filter(|kind| **kind != Type::Any);
        out.push(("return_type", returns.map_or(Data::Null, |kind| self.write(kind))));
        out
    }

    fn object(&mut self, object: &ObjectType) -> Fields {
        let mut init = Fields::new();
        let named = |types: Vec<(ecow::EcoString, Data)>| Data::map(types);
        init.extend(object.annotations.as_ref().map(|a| ("annotations", (self.values)(a))));
        if !object.name.is_empty() && object.name != "Object" {
            init.push(("name", Data::Str(object.name.clone())));
        }
        init.extend(object.parent.as_ref().map(|parent| ("parent", self.write(parent))));
        if !object.type_parameters.is_empty() {
            let types = object.type_parameters.iter();
            let types = types.map(|(name, kind)| (name.clone(), self.write(kind)));
            init.push(("type_parameters", named(types.collect())));
        }
        let (constants, attributes): (Vec<_>, Vec<_>) =
            object.attributes.iter().partition(|a| a.is_plain_constant());
        if !attributes.is_empty() {
            let attributes = attributes.into_iter();
            let attributes = attributes.map(|a| (a.name.clone(), self.attribute(a)));
            init.push(("attributes", named(attributes.collect())));
        }
        if !constants.is_empty() {
            let constants = constants.into_iter();
            let value = |a: &ObjectAttribute| a.value.as_ref().map_or(Data::Null, self.values);
            let constants = constants.map(|a| (a.name.clone(), value(a)));
            init.push(("constants", named(constants.collect())));
        }
        if !object.functions.is_empty() {
            let functions = object.functions.iter();
            let functions = functions.map(|f| (f.name.clone(), self.function(f)));
            init.push(("functions", named(functions.collect())));
        }
        if let Some(names) = &object.equality {
            init.push(("equality", Data::list(names.iter().cloned().map(Data::Str))));
        }
        init.extend(object.checks.as_ref().map(|checks| ("checks", (self.values)(checks))));
        vec![("_pcore_init_hash", Data::map(init))]
    }

    /// A function: its type alone, or a hash of its properties.
    fn function(&mut self, function: &ObjectFunction) -> Data {
        let kind = self.write(&function.kind);
        if !function.is_final && !function.overrides && function.annotations.is_none() {
            return kind;
        }
        let mut out = vec![("type", kind)];
        out.extend(function.is_final.then_some(("final", Data::Bool(true))));
        out.extend(function.overrides.then_some(("override", Data::Bool(true))));
        out.extend(function.annotations.as_ref().map(|a| ("annotations", (self.values)(a))));
        Data::map(out)
    }

    /// An attribute: its type alone, or a hash of its properties.
    fn attribute(&mut self, attribute: &ObjectAttribute) -> Data {
        let kind = self.write(&attribute.kind);
        let role = attribute.role.word();
        let plain = role.is_none() && attribute.value.is_none() && attribute.annotations.is_none();
        if plain && !attribute.is_final && !attribute.overrides {
            return kind;
        }
        let mut out = vec![("type", kind)];
        out.extend(attribute.is_final.then_some(("final", Data::Bool(true))));
        out.extend(attribute.overrides.then_some(("override", Data::Bool(true))));
        out.extend(attribute.annotations.as_ref().map(|a| ("annotations", (self.values)(a))));
        out.extend(role.map(|role| ("kind", Data::from(role))));
        out.extend(attribute.value.as_ref().map(|value| ("value", (self.values)(value))));
        Data::map(out)
    }
}

fn tagged(name: &str, fields: Fields) -> Data {
    let mut entries = vec![("__ptype", Data::from(name))];
    entries.extend(fields);
    Data::map(entries)
}

/// The ends of a range. An open lower end is only written if the upper end is not open.
fn ends(from: Option<Data>, to: Option<Data>) -> Fields {
    let mut out = Vec::new();
    if from.is_some() || to.is_some() {
        out.push(("from", from.unwrap_or(Data::Null)));
    }
    out.extend(to.map(|to| ("to", to)));
    out
}

fn bounds(range: IntRange) -> Fields {
    ends(range.first().map(Data::Int), range.last().map(Data::Int))
}

fn integer(range: IntRange) -> Data {
    tagged("Pcore::IntegerType", bounds(range))
}

/// The field of a size, unless any size will do.
fn sized(name: &'static str, size: SizeRange) -> Fields {
    let given = !size.is_unsaid_size();
    given.then(|| (name, integer(size))).into_iter().collect()
}

fn times(name: &str, write: fn(&mut String, i128), (from, to): (i128, i128)) -> Fields {
    let time = |nanoseconds: i128| {
        let mut text = String::new();
        write(&mut text, nanoseconds);
        tagged(name, vec![("__pvalue", Data::from(text.as_str()))])
    };
    ends((from != i128::MIN).then(|| time(from)), (to != i128::MAX).then(|| time(to)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::types::parse_static;

    use super::*;

    fn written(text: &'static str) -> String {
        format!("{:?}", type_to_data(&parse_static(text), crate::value::rich::to_data))
    }

    fn map(name: &str, fields: Fields) -> String {
        format!("{:?}", tagged(&format!("Pcore::{name}Type"), fields))
    }

    #[test]
    fn types_are_written_by_their_attributes() {
        let to = |to| vec![("from", Data::Null), ("to", to)];
        assert_eq!(written("Integer[default, 1]"), map("Integer", to(Data::Int(1))));
        assert_eq!(written("Integer"), map("Integer", Vec::new()));
        assert_eq!(written("Hash"), map("Hash", Vec::new()));
        let values = Data::list(["a", "b"].map(Data::from));
        assert_eq!(written("Enum[b, a]"), map("Enum", vec![("values", values)]));
        let string = tagged("Pcore::StringType", Vec::new());
        assert_eq!(written("Optional[String]"), map("Optional", vec![("type", string)]));
        assert_eq!(written("Sensitive[String]"), map("Sensitive", Vec::new()));
    }

    #[test]
    fn values_without_a_form_keep_their_text() {
        let text = tagged("Type", vec![("__pvalue", Data::from("Data"))]);
        assert_eq!(written("Data"), format!("{text:?}"));
    }
}
