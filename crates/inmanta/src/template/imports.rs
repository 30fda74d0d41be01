//! Includes and imports other templates.

use std::rc::Rc;

use ecow::EcoString;

use super::ast::Expr;
use super::cache::Cache;
use super::fault::{Fault, Res};
use super::runtime::Runtime;
use super::value::{Context, Frame, LoadedTemplate, Object, Resolver, Val};
use crate::diagnostics::Exception;

impl Runtime<'_> {
    /// The template of this name.
    pub(super) fn load(&mut self, name: &Val) -> Res<LoadedTemplate> {
        match name {
            Val::Str(name) | Val::Markup(name) => {
                let loaded = super::load::template(self.model, &self.plugins, name)?;
                loaded.ok_or_else(|| Fault::Raised(Exception::TemplateNotFound, name.to_string()))
            }
            Val::Undefined(found) => Err(found.fault(self)),
            other => {
                let text = format!("'{}' object has no attribute 'split'", other.type_name());
                Err(Fault::Raised(Exception::AttributeError, text))
            }
        }
    }

    /// The first template of several names.
    pub(super) fn select(&mut self, names: &Val) -> Res<LoadedTemplate> {
        let all = self.collect(names)?;
        if all.is_empty() {
            let text = "Tried to select from an empty list of templates.";
            return Err(Fault::Raised(Exception::TemplatesNotFound, text.into()));
        }
        let mut shown = Vec::new();
        for name in &all {
            match self.load(name) {
                Err(fault) if fault.is(&Exception::TemplateNotFound) => {}
                Err(Fault::Undefined(text)) => {
                    shown.push(text);
                    continue;
                }
                found => return found,
            }
            shown.push(self.text(name)?.to_string());
        }
        let text = format!("none of the templates given were found: {}", shown.join(", "));
        Err(Fault::Raised(Exception::TemplatesNotFound, text))
    }

    pub(super) fn include(
        &mut self,
        template: &Expr,
        ignore_missing: bool,
        with_context: bool,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        let name = self.value(template, frame)?;
        let loaded = match &name {
            Val::Str(_) | Val::Markup(_) | Val::Undefined(_) => self.load(&name),
            _ => self.select(&name),
        };
        let loaded = match loaded {
            Err(fault)
                if ignore_missing
                    && (fault.is(&Exception::TemplateNotFound)
                        || fault.is(&Exception::TemplatesNotFound)) =>
            {
                return Ok(());
            }
            loaded => loaded?,
        };
        if with_context {
            let names = self.all_names(frame);
            let context = Context::new(&loaded, names, frame.context.resolver);
            return self.root(&loaded, &context, out);
        }
        if let Val::Object(module) = self.default_module(&loaded)?
            && let Object::Module { text, .. } = &*module
        {
            out.push_str(text);
        }
        self.length_fits(out.len())
    }

    /// The exports of a template that is imported without context.
    pub(super) fn default_module(&mut self, loaded: &LoadedTemplate) -> Res<Val> {
        let address = Rc::as_ptr(&loaded.template) as usize;
        if let Some(found) = self.model.state().get::<Cache>().modules.get(&address) {
            return Ok(found.clone());
        }
        let context = Context::new(loaded, Rc::default(), Resolver::None);
        let module = self.module(loaded, &context)?;
        self.model.state().get::<Cache>().modules.insert(address, module.clone());
        Ok(module)
    }

    pub(super) fn module(&mut self, loaded: &LoadedTemplate, context: &Rc<Context>) -> Res<Val> {
        let mut text = String::new();
        self.root(loaded, context, &mut text)?;
        let vars = context.vars.borrow();
        let exported = context.exported.borrow();
        let exported =
            exported.iter().filter_map(|name| Some((name.clone(), vars.get(name)?.clone())));
        let exported = exported.collect();
        Ok(Val::object(Object::Module { name: loaded.name.clone(), exported, text: text.into() }))
    }

    pub(super) fn imported(
        &mut self,
        template: &Expr,
        with_context: bool,
        frame: &Frame,
    ) -> Res<Val> {
        let name = self.value(template, frame)?;
        let loaded = self.load(&name)?;
        if !with_context {
            return self.default_module(&loaded);
        }
        let names = self.all_names(frame);
        let context = Context::new(&loaded, names, frame.context.resolver);
        self.module(&loaded, &context)
    }

    pub(super) fn import_names(
        &mut self,
        module: &Val,
        names: &[(EcoString, EcoString)],
        place: &str,
        frame: &Frame,
    ) -> Res<()> {
        let Val::Object(object) = module else { return Ok(()) };
        let Object::Module { name: template, exported, .. } = &**object else { return Ok(()) };
        for (name, alias) in names {
            let value = exported.get(name).cloned().unwrap_or_else(|| {
                let template = crate::value::string_repr(template);
                let name = crate::value::string_repr(name);
                Val::hinted(format!(
                    "the template {template} (imported on {place}) does not export the requested \
                     name {name}"
                ))
            });
            self.bind_name(alias, value, frame);
        }
        Ok(())
    }

    /// Assigns an imported value to a name, which is not exported.
    pub(super) fn bind_name(&mut self, name: &EcoString, value: Val, frame: &Frame) {
        if frame.is_top {
            frame.context.set(name, value.clone());
        }
        self.put(name, value, &frame.scope);
    }
}
