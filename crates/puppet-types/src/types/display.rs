//! The text of types: `Integer[1, 2]`, `Struct[{'a' => Integer}]`, and with aliases spelled out
//! `P = Integer[1, 65535]`.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use ecow::EcoString;
use ordain_puppet_syntax::names::capitalized;

use crate::types::assignable::is_assignable;
use crate::types::format::literal::write_literal;
pub use crate::types::simple_name::simple_name;
use crate::types::{
    CallableType, FloatRange, IntRange, SizeRange, StructMember, Type, TypeAlias, TypeSet,
};
use crate::value::notation::{write_float, write_timespan, write_timestamp};
use crate::value::quoting::write_text_quoted;

/// Writes the text of a type, as `String(T)` gives it: an alias or object type with its definition,
/// those inside other types by name.
#[inline]
pub fn write_type(out: &mut String, kind: &Type) {
    let expanded = matches!(kind, Type::Alias(_) | Type::Object(_) | Type::TypeSet(_));
    Writer { out, expanded, set: None, open: Vec::new() }.write(kind);
}

/// Writes the text of a type inside another, which may belong to a type set.
pub(crate) fn write_within(out: &mut String, kind: &Type, set: Option<&TypeSet>) {
    Writer { out, expanded: false, set, open: Vec::new() }.write(kind);
}

/// The text of a type with the definitions of its aliases, as messages show it.
#[inline]
pub fn expanded(kind: &Type) -> String {
    let mut out = String::new();
    Writer { out: &mut out, expanded: true, set: None, open: Vec::new() }.write(kind);
    out
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write_type(&mut out, self);
        f.write_str(&out)
    }
}

struct Writer<'a> {
    out: &'a mut String,
    expanded: bool,
    /// The type set whose text is being written.
    set: Option<&'a TypeSet>,
    open: Vec<*const TypeAlias>,
}

impl Writer<'_> {
    fn write(&mut self, kind: &Type) {
        match kind {
            Type::Alias(alias) => self.alias(alias),
            Type::NotUndef(inner) => self.literal_or_type("NotUndef", inner.as_deref()),
            Type::Optional(inner) => self.literal_or_type("Optional", inner.as_deref()),
            Type::Iterable(inner) => self.of("Iterable", inner.as_deref()),
            Type::Iterator(inner) => self.of("Iterator", inner.as_deref()),
            Type::Type(inner) => self.of("Type", inner.as_deref()),
            Type::Sensitive(inner) => {
                self.of("Sensitive", inner.as_deref().filter(|t| **t != Type::Any));
            }
            Type::Variant(types) => self.list("Variant", types),
            Type::Integer(range) => self.ranged("Integer", *range == IntRange::ANY, *range),
            Type::Float(range) => self.float(*range),
            Type::Boolean(None) => self.out.push_str("Boolean"),
            Type::Boolean(Some(b)) => self.put(format_args!("Boolean[{b}]")),
            Type::String(size) => self.ranged("String", size.is_unsaid_size(), *size),
            Type::Literal(_) => self.out.push_str("String"),
            Type::Enum { values, caseless } => self.enumeration(values, *caseless),
            Type::Collection(size) => {
                self.ranged("Collection", size.is_unsaid_size(), *size);
            }
            Type::Array(element, size) => self.array(element, *size),
            Type::Hash(entry, size) => self.hash(&entry.0, &entry.1, *size),
            Type::Tuple(types, size) => self.tuple(types, *size),
            Type::Struct(members) => self.structure(members),
            Type::Callable(callable) => self.callable(callable.as_deref()),
            _ => self.rare(kind),
        }
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text);
    }

    fn rare(&mut self, kind: &Type) {
        match kind {
            Type::Pattern(patterns) => self.bracketed("Pattern", patterns.len(), |w| {
                for (i, pattern) in patterns.iter().enumerate() {
                    w.separate(i);
                    pattern.write_delimited(w.out);
                }
            }),
            Type::Regexp(Some(regexp)) => {
                self.bracketed("Regexp", 1, |w| regexp.write_delimited(w.out));
            }
            Type::Init(Some(init)) => self.bracketed("Init", 1, |w| {
                w.write(&init.target);
                for argument in &init.arguments {
                    w.out.push_str(", ");
                    write_literal(w.out, argument);
                }
            }),
            Type::Resource { kind: Some(kind), title } => self.resource(kind, title.as_deref()),
            Type::Class(Some(name)) => self.put(format_args!("Class[{name}]")),
            Type::Timestamp(Some((from, to))) => self.times("Timestamp", *from, *to, true),
            Type::Timespan(Some((from, to))) => self.times("Timespan", *from, *to, false),
            Type::SemVer(ranges) => self.bracketed("SemVer", ranges.len(), |w| {
                for (i, range) in ranges.iter().enumerate() {
                    w.separate(i);
                    w.put(format_args!("'{}'", range.text));
                }
            }),
            Type::Uri(Some(parts)) => self.bracketed("URI", 1, |w| write_literal(w.out, parts)),
            Type::Runtime(Some(runtime)) => {
                self.out.push_str("Runtime[");
                // The runtime is a word, not a text.
                self.out.push_str(&runtime.0);
                self.out.push_str(", ");
                write_text_quoted(self.out, &runtime.1);
                self.out.push(']');
            }
            Type::Object(object) => match self.expanded && object.model.is_none() {
                true => crate::types::object::write::write_definition(self.out, object, self.set),
                false => {
                    let name = self.set.and_then(|set| set.name_for(&object.name));
                    self.out.push_str(name.as_deref().unwrap_or(object.label()));
                }
            },
            Type::Parameterized(parameterized) => {
                crate::types::object::write::write_parameterized(self.out, parameterized);
            }
            Type::TypeSet(set) => self.type_set(set),
            Type::Reference(name) => {
                self.bracketed("TypeReference", 1, |w| write_text_quoted(w.out, name));
            }
            _ => self.out.push_str(simple_name(kind)),
        }
    }

    fn resource(&mut self, kind: &str, title: Option<&str>) {
        self.out.push_str(&capitalized(kind));
        if let Some(title) = title {
            self.out.push('[');
            write_text_quoted(self.out, title);
            self.out.push(']');
        }
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    /// `name`, and in brackets the output of `inner` unless the count is zero.
    fn bracketed(&mut self, name: &str, count: usize, inner: impl FnOnce(&mut Self)) {
        self.out.push_str(name);
        if count > 0 {
            self.out.push('[');
            inner(self);
            self.out.push(']');
        }
    }

    fn of(&mut self, name: &str, inner: Option<&Type>) {
        self.bracketed(name, usize::from(inner.is_some()), |w| {
            if let Some(inner) = inner {
                w.write(inner);
            }
        });
    }

    fn literal_or_type(&mut self, name: &str, inner: Option<&Type>) {
        match inner {
            Some(Type::Literal(text)) => {
                self.out.push_str(name);
                self.out.push('[');
                write_text_quoted(self.out, text);
                self.out.push(']');
            }
            Some(Type::Any) if name == "NotUndef" => self.out.push_str(name),
            _ => self.of(name, inner),
        }
    }

    fn list(&mut self, name: &str, types: &[Type]) {
        self.bracketed(name, types.len(), |w| {
            for (i, kind) in types.iter().enumerate() {
                w.separate(i);
                w.write(kind);
            }
        });
    }

    fn range(&mut self, range: IntRange) {
        match range.first() {
            None => self.out.push_str("default"),
            Some(from) => self.put(format_args!("{from}")),
        }
        if let Some(to) = range.last() {
            self.put(format_args!(", {to}"));
        }
    }

    fn ranged(&mut self, name: &str, open: bool, range: IntRange) {
        self.bracketed(name, usize::from(!open), |w| w.range(range));
    }

    fn float(&mut self, range: FloatRange) {
        let open = range == FloatRange::ANY;
        self.bracketed("Float", usize::from(!open), |w| {
            match range.from == f64::NEG_INFINITY {
                true => w.out.push_str("default"),
                false => write_float(w.out, range.from),
            }
            if range.to != f64::INFINITY {
                w.out.push_str(", ");
                write_float(w.out, range.to);
            }
        });
    }

    fn enumeration(&mut self, values: &[EcoString], caseless: bool) {
        self.bracketed("Enum", values.len(), |w| {
            for (i, value) in values.iter().enumerate() {
                w.separate(i);
                write_text_quoted(w.out, value);
            }
            if caseless {
                w.out.push_str(", true");
            }
        });
    }

    fn array(&mut self, element: &Type, size: SizeRange) {
        if size == (IntRange::new(0, 0)) {
            self.out.push_str("Array[0, 0]");
            return;
        }
        let sized = !size.is_unsaid_size();
        let plain = !sized && *element == Type::Any;
        self.bracketed("Array", usize::from(!plain), |w| {
            w.write(element);
            if sized {
                w.out.push_str(", ");
                w.range(size);
            }
        });
    }

    fn hash(&mut self, key: &Type, value: &Type, size: SizeRange) {
        if size == (IntRange::new(0, 0)) {
            self.out.push_str("Hash[0, 0]");
            return;
        }
        let sized = !size.is_unsaid_size();
        let plain = !sized && *key == Type::Any && *value == Type::Any;
        self.bracketed("Hash", usize::from(!plain), |w| {
            w.write(key);
            w.out.push_str(", ");
            w.write(value);
            if sized {
                w.out.push_str(", ");
                w.range(size);
            }
        });
    }

    fn tuple(&mut self, types: &[Type], size: Option<SizeRange>) {
        self.bracketed("Tuple", types.len(), |w| {
            for (i, kind) in types.iter().enumerate() {
                w.separate(i);
                w.write(kind);
            }
            if let Some(size) = size.filter(|s| *s != SizeRange::ANY) {
                w.out.push_str(", ");
                w.range(size);
            }
        });
    }

    fn structure(&mut self, members: &[StructMember]) {
        self.bracketed("Struct", members.len(), |w| {
            w.out.push('{');
            for (i, member) in members.iter().enumerate() {
                w.separate(i);
                let wrapper = match (member.optional, is_assignable(&member.kind, &Type::Undef)) {
                    (true, false) => Some("Optional"),
                    (false, true) => Some("NotUndef"),
                    _ => None,
                };
                if let Some(wrapper) = wrapper {
                    w.put(format_args!("{wrapper}["));
                }
                write_text_quoted(w.out, &member.name);
                if wrapper.is_some() {
                    w.out.push(']');
                }
                w.out.push_str(" => ");
                w.write(&member.kind);
            }
            w.out.push('}');
        });
    }

    fn callable(&mut self, callable: Option<&CallableType>) {
        let Some(callable) = callable else {
            self.out.push_str("Callable");
            return;
        };
        self.out.push_str("Callable[");
        if let Some(returns) = &callable.returns {
            self.out.push('[');
            self.callable_params(callable);
            self.out.push_str("], ");
            self.write(returns);
        } else {
            self.callable_params(callable);
        }
        self.out.push(']');
    }

    fn callable_params(&mut self, callable: &CallableType) {
        let mut count = 0;
        for kind in callable.params.iter().filter(|t| **t != Type::Unit) {
            self.separate(count);
            self.write(kind);
            count += 1;
        }
        let given = callable.params.len() as i64;
        if given == 0 {
            self.out.push_str("0, 0");
            count += 1;
        } else if callable.size != (IntRange::new(given, given)) || count == 0 {
            self.separate(count);
            self.range(callable.size);
            count += 1;
        }
        if let Some(block) = &callable.block {
            self.separate(count);
            self.write(block);
        }
    }

    fn times(&mut self, name: &str, from: i128, to: i128, stamp: bool) {
        let show = |w: &mut Self, ns: i128| {
            w.out.push('\'');
            match stamp {
                true => write_timestamp(w.out, ns),
                false => write_timespan(w.out, ns),
            }
            w.out.push('\'');
        };
        self.put(format_args!("{name}["));
        match from {
            i128::MIN => self.out.push_str("default"),
            from => show(self, from),
        }
        if to != i128::MAX && to != from {
            self.out.push_str(", ");
            show(self, to);
        }
        self.out.push(']');
    }

    fn type_set(&mut self, set: &TypeSet) {
        self.out.push_str("TypeSet[{");
        for (i, (key, value)) in set.facts().into_iter().enumerate() {
            self.separate(i);
            self.put(format_args!("{key} => "));
            write_literal(self.out, &value);
        }
        let types = set.types();
        if !types.is_empty() {
            self.out.push_str(", types => {");
            for (i, (name, kind)) in types.iter().enumerate() {
                self.separate(i);
                self.put(format_args!("{name} => "));
                let open = std::mem::take(&mut self.open);
                let mut inner =
                    Writer { out: &mut *self.out, expanded: self.expanded, set: Some(set), open };
                inner.write(kind);
            }
            self.out.push('}');
        }
        if !set.references.is_empty() {
            self.out.push_str(", references => {");
            for (i, (alias, reference)) in set.references.iter().enumerate() {
                self.separate(i);
                self.put(format_args!("{alias} => "));
                write_literal(self.out, &reference.definition(set));
            }
            self.out.push('}');
        }
        self.out.push_str("}]");
    }

    fn alias(&mut self, alias: &Arc<TypeAlias>) {
        if let Some(set) = self.set {
            return self.alias_in_set(alias, set);
        }
        self.out.push_str(&alias.name);
        let id = Arc::as_ptr(alias);
        // Aliases of the language itself need no explanation.
        let is_known = alias.name.starts_with("Puppet::Lookup");
        if !self.expanded || is_known || self.open.contains(&id) {
            return;
        }
        if let Some(target) = alias.target.get() {
            self.out.push_str(" = ");
            self.open.push(id);
            self.write(target);
            self.open.pop();
        }
    }

    fn alias_in_set(&mut self, alias: &Arc<TypeAlias>, set: &TypeSet) {
        let id = Arc::as_ptr(alias);
        match alias.target.get() {
            Some(target)
                if self.expanded
                    && set.own_name(&alias.name).is_some()
                    && !self.open.contains(&id) =>
            {
                self.open.push(id);
                self.write(target);
                self.open.pop();
            }
            _ => self.out.push_str(set.name_for(&alias.name).as_deref().unwrap_or(&alias.name)),
        }
    }
}
