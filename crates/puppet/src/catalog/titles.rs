//! Titles of resources whose type takes them apart by patterns, and names of several parts.

use ecow::EcoString;

use crate::catalog::schema::NativeType;
use crate::catalog::{How, Param, ParamOrigin, Resource, ResourceKind};
use crate::eval::Compiler;
use crate::eval::error::EvalResult;
use crate::eval::resources::new_param;
use crate::eval::scope::ScopeId;
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
        let values = self.title_values(&name, &kind, &resource.title, (scope, span))?;
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
        resource.params.splice(0..0, params);
        Ok(())
    }
}

/// What several name attributes together name a resource by, and how messages show it.
pub(super) fn composite_name(resource: &Resource, schema: &NativeType) -> Option<(String, String)> {
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
    let texts: Vec<String> = values.iter().map(|v| crate::ruby::ruby_text(v).into()).collect();
    Some((texts.join("\0"), crate::ruby::ruby_inspect(&Value::array(values))))
}
