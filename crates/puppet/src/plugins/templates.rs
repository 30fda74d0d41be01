//! ERB templates, rendered by the `ruby` process.

use std::path::Path;

use ecow::EcoString;
use ordain_plugins::Fault;
use ordain_source::Span;
use serde_json::{Value as Json, json};

use crate::error::EvalResult;
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::value::Value;
use crate::value::closure::ScopeId;

impl Compiler<'_> {
    /// Renders an ERB template with the variables of a scope. `path` is the file of the text, if
    /// there is one; errors name it.
    ///
    /// # Errors
    /// When `ruby` is missing, or the code of the template fails.
    pub(crate) fn ruby_template(
        &mut self,
        path: Option<&Path>,
        text: &str,
        scope: ScopeId,
        span: Span,
    ) -> EvalResult<EcoString> {
        let place = path.map_or("inline template".to_owned(), |path| path.display().to_string());
        let callee = Callee { what: "the template", place: &place };
        self.ruby.templates += 1;
        let result = self.with_ruby(callee, span, |this| {
            this.with_shared_values(|this| {
                let (base, variables) = this.template_variables(text, scope)?;
                let file = path.map(|path| path.display().to_string());
                let request = json!(["erb", file, text, scope.0, base, variables]);
                let answer = this.converse(callee, span, request)?;
                Ok(answer.as_str().unwrap_or_default().into())
            })
        });
        self.ruby.templates -= 1;
        result
    }

    /// Whether a template is being rendered by the `ruby` of the machine.
    pub(crate) fn ruby_renders(&self) -> bool {
        self.ruby.templates > 0
    }

    /// Help if this machine has no `ruby`.
    pub(crate) fn lacks_ruby(&mut self) -> Option<&'static str> {
        if self.ruby.session.is_some() {
            return None;
        }
        let claim = self.ruby_claim();
        match self.env.ruby.session(self.env.world.as_ref(), claim) {
            Err(fault @ (Fault::Missing(_) | Fault::Excluded(_))) => fault.help(),
            _ => None,
        }
    }

    /// The variables that a template reads: the ones that it names, or all if it may read any.
    fn template_variables(&mut self, text: &str, scope: ScopeId) -> EvalResult<(Json, Json)> {
        if text.contains("instance_variable") || text.contains("binding") {
            let mut all = self.answer(&[json!("variables"), json!(scope.0)])?;
            return Ok((all[0].take(), all[1].take()));
        }
        let mut found: indexmap::IndexMap<&str, Value> = indexmap::IndexMap::new();
        for name in instance_variables(text) {
            let value = self.scopes.lookup(scope, name).filter(|v| !v.is_undef());
            if let Some(value) = value {
                found.insert(name, value.clone());
            }
        }
        let (names, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let (base, values) = self.share(&values, scope);
        let values = names.into_iter().map(str::to_owned).zip(values);
        Ok((base, Json::Object(values.collect())))
    }
}

/// The names that follow an `@`.
fn instance_variables(text: &str) -> impl Iterator<Item = &str> {
    text.split('@').skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        (end > 0).then_some(&rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::instance_variables;

    #[test]
    fn names_in_a_template() {
        let names: Vec<&str> = instance_variables("<%= @a %> @@b_1 me@ <% @c.each %>").collect();
        assert_eq!(names, ["a", "b_1", "c"]);
    }
}
