//! Titles of resources whose type takes them apart by patterns, and names of several parts.

use std::sync::Arc;

use ecow::EcoString;
use ordain_functions::text::inspect_ruby;

use crate::catalog::schema::NativeType;
use crate::catalog::{How, Param, ParamOrigin, Resource, ResourceKind, flat};
use crate::eval::Compiler;
use crate::eval::error::EvalResult;
use crate::eval::resources::new_param;
use crate::eval::scope::ScopeId;
use crate::ruby::{ruby_inspect, ruby_text};
use crate::value::Value;

impl Compiler<'_> {
    /// Gives a resource the attributes that its title tells, where the patterns of its type take
    /// titles apart.
    pub(super) fn add_title_values(
        &mut self,
        resource: &mut Resource,
        scope: ScopeId,
    ) -> EvalResult<()> {
        let ResourceKind::Native(schema) = &resource.what else { return Ok(()) };
        let (Some(kind), Some(span)) = (schema.ruby.clone().filter(|k| k.patterns), resource.span)
        else {
            return Ok(());
        };
        let name = resource.kind.to_lowercase();
        let mut values = self.title_values(&name, &kind, &resource.title, (scope, span))?;
        if let Some(model) = &schema.model {
            self.titles_as_features(model, &mut values);
        }
        let namevar = match &*kind.namevars {
            [one] => one.as_str(),
            _ => "name",
        };
        let container = self.scopes.get(scope).resource;
        let given = values.into_iter().filter(|(name, value)| {
            let is_title = name == namevar && value.as_str() == Some(&resource.title);
            !is_title && !value.is_undef() && resource.param(name).is_none()
        });
        let params: Vec<Param> = given
            .map(|(name, value)| {
                let origin =
                    ParamOrigin { how: How::Declaration, span: Some(span), within: container };
                new_param(name, value, false, origin)
            })
            .collect();
        if !params.is_empty() {
            resource.params.edit(|all| drop(all.splice(0..0, params)));
        }
        Ok(())
    }
}

/// What several name attributes together name a resource by.
fn composite_name(resource: &Resource, schema: &NativeType) -> Option<OtherName> {
    let kind = schema.ruby.as_ref().filter(|kind| kind.patterns && kind.namevars.len() > 1)?;
    let mut names: Vec<&EcoString> = kind.namevars.iter().collect();
    names.sort();
    let values: Vec<Value> = names
        .iter()
        .map(|name| match resource.param(name) {
            Some(param) => param.value.clone(),
            None if name.as_str() == "name" => Value::Str(resource.title.clone()),
            None => Value::Undef,
        })
        .collect();
    let text = |value: Value| String::from(ruby_text(&value));
    let texts: Vec<String> = values.iter().map(|value| text(value.revealed())).collect();
    let parts: Vec<String> = values.iter().map(|value| inspect_ruby(&ruby_text(value))).collect();
    let (name, parts) = (texts.join("\0"), parts.join(", "));
    Some(OtherName { name, shown: ruby_inspect(&Value::array(values)), parts })
}

/// Other names of a resource: `alias`, and the value of its name attribute.
pub(super) fn other_names(resource: &Resource) -> Vec<OtherName> {
    let mut several = Vec::new();
    let alias = resource.param("alias").map(|p| flat(&p.value, &mut several));
    let is_name = |value: &&Value| !value.is_undef();
    let aliases = alias.unwrap_or_default().iter().filter(is_name);
    let mut out: Vec<OtherName> = aliases.map(|a| OtherName::of(a, ruby_inspect(a))).collect();
    let ResourceKind::Native(schema) = &resource.what else { return out };
    if !schema.is_isomorphic() {
        return out;
    }
    out.extend(composite_name(resource, schema));
    let Some(namevar) = schema.namevar() else { return out };
    let title = Value::Str(resource.title.clone());
    let given = resource.param(namevar).map(|p| &p.value);
    let is_given = |value: &&Value| is_name(value) && **value != Value::Bool(false);
    let name = given.filter(is_given).unwrap_or(&title);
    let provider = resource.param("provider").map(|p| &p.value).filter(is_name);
    match provider.filter(|_| resource.kind == "Package") {
        // One package may come from several providers.
        Some(provider) => {
            let name_text = ruby_inspect(name);
            let [name, from] = [name, provider].map(|value| OtherName::of(value, String::new()));
            let listed = [&name.parts, &from.parts].map(String::as_str);
            let listed: Vec<&str> = listed.into_iter().filter(|part| !part.is_empty()).collect();
            out.push(OtherName {
                name: format!("{}\0{}", name.name, from.name),
                shown: format!("[{name_text}, {}]", ruby_inspect(provider)),
                parts: listed.join(", "),
            });
        }
        None if *name != title => {
            out.push(OtherName::of(name, format!("[{}]", ruby_inspect(name))));
        }
        None => {}
    }
    out
}

/// A name of a resource beside its title.
pub(super) struct OtherName {
    /// What it is found by.
    pub(super) name: String,
    /// As messages have it.
    pub(super) shown: String,
    /// What it consists of, as messages have it.
    pub(super) parts: String,
}

impl OtherName {
    /// A name that is any value: one text is a name like a title, others are only equal to the same.
    /// Names that are sensitive are compared by what is in them, which messages do not show.
    fn of(value: &Value, shown: String) -> Self {
        let mut several = Vec::new();
        let parts = inspected(flat(value, &mut several));
        let revealed = value.revealed();
        let mut several = Vec::new();
        let name = match flat(&revealed, &mut several) {
            [Value::Str(text)] => text.to_string(),
            // A reference is only equal to itself.
            [Value::Reference(kind)] => format!("\0{:p}", Arc::as_ptr(kind)),
            items => format!("\0{}", inspected(items)),
        };
        Self { name, shown, parts }
    }
}

/// Values as a list without brackets.
fn inspected(items: &[Value]) -> String {
    items.iter().map(ruby_inspect).collect::<Vec<_>>().join(", ")
}
