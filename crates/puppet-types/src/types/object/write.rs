//! The text of object types.

use ecow::EcoString;

use super::type_parameters;
use crate::types::display::write_within;
use crate::types::format::literal::{write_literal, write_literal_hash};
use crate::types::{
    AttributeRole, ObjectAttribute, ObjectFunction, ObjectType, Parameterized, Type, TypeSet,
};
use crate::value::Value;
use crate::value::quoting::write_text_quoted;

/// Writes `T['a', default]`: by position, or as a hash where there are more than two parameters.
pub(crate) fn write_parameterized(out: &mut String, kind: &Parameterized) {
    let all = type_parameters(&kind.base);
    out.push_str(kind.base.label());
    out.push('[');
    let given = |name: &EcoString| kind.parameters.iter().find(|(n, _)| n == name);
    if all.len() > 2 {
        let entries = kind.parameters.iter();
        write_literal_hash(
            out,
            &entries.map(|(n, v)| (Value::Str(n.clone()), v.clone())).collect(),
        );
    } else {
        let count = all.iter().rposition(|(name, _)| given(name).is_some()).map_or(0, |i| i + 1);
        for (i, (name, _)) in all[..count].iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            write_literal(out, given(name).map_or(&Value::Default, |(_, value)| value));
        }
    }
    out.push(']');
}

/// Writes the definition of an object type: `Object[{name => 'X', attributes => {…}}]`. Inside the
/// text of a type set the types of that set go without its name.
pub(crate) fn write_definition(out: &mut String, object: &ObjectType, set: Option<&TypeSet>) {
    if object.is_root() {
        out.push_str("Object[{}]");
        return;
    }
    out.push_str("Object[{");
    let mut parts = Parts { out, set, first: true };
    parts.annotations(object.annotations.as_ref());
    if !object.name.is_empty() && set.is_none_or(|set| set.own_name(&object.name).is_none()) {
        parts.entry("name");
        write_text_quoted(parts.out, &object.name);
    }
    if let Some(parent) = &object.parent {
        parts.kind("parent", parent);
    }
    if !object.type_parameters.is_empty() {
        let entries = object.type_parameters.iter().map(|(name, kind)| {
            let kind = match kind {
                Type::Optional(Some(inner)) => (**inner).clone(),
                kind => kind.clone(),
            };
            (Value::Str(name.clone()), Value::of_type(kind))
        });
        parts.entry("type_parameters");
        write_literal_hash(parts.out, &entries.collect());
    }
    write_members(&mut parts, object);
    if let Some(equality) = &object.equality {
        parts.value("equality", &Value::array(equality.iter().cloned().map(Value::Str)));
    }
    if let Some(checks) = &object.checks {
        parts.value("checks", checks);
    }
    out.push_str("}]");
}

/// Attributes, constants and functions.
fn write_members(parts: &mut Parts<'_>, object: &ObjectType) {
    let (constants, own): (Vec<_>, Vec<_>) =
        object.attributes.iter().partition(|a| a.is_plain_constant());
    if !own.is_empty() {
        parts.members("attributes", own.iter().map(|a| (a.name.as_str(), *a)), write_attribute);
    }
    if !constants.is_empty() {
        parts.entry("constants");
        let entries = constants
            .iter()
            .map(|a| (Value::Str(a.name.clone()), a.value.clone().unwrap_or_default()));
        write_literal_hash(parts.out, &entries.collect());
    }
    if !object.functions.is_empty() {
        let functions = object.functions.iter().map(|f| (f.name.as_str(), f));
        parts.members("functions", functions, write_function);
    }
}

/// The entries of a definition.
struct Parts<'o> {
    out: &'o mut String,
    set: Option<&'o TypeSet>,
    first: bool,
}

impl Parts<'_> {
    fn entry(&mut self, key: &str) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push_str(", ");
        }
        self.out.push_str(key);
        self.out.push_str(" => ");
    }

    fn value(&mut self, key: &str, value: &Value) {
        self.entry(key);
        write_literal(self.out, value);
    }

    /// Annotations, their types by name.
    fn annotations(&mut self, annotations: Option<&Value>) {
        let Some(entries) = annotations.and_then(Value::as_hash) else { return };
        self.entry("annotations");
        self.out.push('{');
        for (i, (kind, given)) in entries.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match kind {
                Value::Type(kind) => write_within(self.out, kind, self.set),
                other => write_literal(self.out, other),
            }
            self.out.push_str(" => ");
            write_literal(self.out, given);
        }
        self.out.push('}');
    }

    fn kind(&mut self, key: &str, kind: &Type) {
        self.entry(key);
        write_within(self.out, kind, self.set);
    }

    fn flag(&mut self, key: &str, is_set: bool) {
        if is_set {
            self.entry(key);
            self.out.push_str("true");
        }
    }

    fn members<'m, M>(
        &mut self,
        key: &str,
        members: impl Iterator<Item = (&'m str, M)>,
        write: impl Fn(&mut Parts<'_>, M),
    ) {
        self.entry(key);
        self.out.push('{');
        for (i, (name, member)) in members.enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            write_text_quoted(self.out, name);
            self.out.push_str(" => ");
            write(&mut Parts { out: self.out, set: self.set, first: true }, member);
        }
        self.out.push('}');
    }
}

fn write_attribute(parts: &mut Parts<'_>, attribute: &ObjectAttribute) {
    let role = attribute.role.word();
    let bare = role.is_none() && !attribute.is_final && !attribute.overrides;
    if bare && attribute.value.is_none() && attribute.annotations.is_none() {
        write_within(parts.out, &attribute.kind, parts.set);
        return;
    }
    parts.out.push('{');
    parts.kind("type", &attribute.kind);
    // A constant is final in any case.
    parts.flag("final", attribute.is_final && attribute.role != AttributeRole::Constant);
    parts.flag("override", attribute.overrides);
    parts.annotations(attribute.annotations.as_ref());
    if let Some(role) = role {
        parts.entry("kind");
        parts.out.push_str(role);
    }
    if let Some(value) = &attribute.value {
        parts.value("value", value);
    }
    parts.out.push('}');
}

fn write_function(parts: &mut Parts<'_>, function: &ObjectFunction) {
    if !function.is_final && !function.overrides && function.annotations.is_none() {
        write_within(parts.out, &function.kind, parts.set);
        return;
    }
    parts.out.push('{');
    parts.kind("type", &function.kind);
    parts.flag("final", function.is_final);
    parts.flag("override", function.overrides);
    parts.annotations(function.annotations.as_ref());
    parts.out.push('}');
}
