//! Jinja2 templates.
//!
//! An engine of its own, since what a template prints has to be what Python prints: its values are
//! Python's, with their methods, and its scopes are those of the functions that Jinja makes of a
//! template. It asks the model for what it needs while it renders. A template is read once in a
//! run.

mod arguments;
mod ast;
mod attributes;
mod evaluate;
mod expressions;
mod fault;
mod filters;
mod globals;
mod imports;
mod interpret;
mod iterate;
mod lexer;
mod loops;
mod methods;
mod operators;
mod parser;
mod percent;
mod print;
mod resolve;
mod scope;
mod tests;
mod value;
mod walk;

use std::collections::HashMap;
use std::rc::Rc;

use ecow::EcoString;
use ordain_source::budget;

use crate::functions;
use crate::plugin::{Context, Stop};
use crate::value::Value;
use fault::{Fault, Res};
use interpret::Runtime;
use scope::{Loaded, Resolver};
use value::Val;

/// How many templates may be rendered within each other, by plugins that they call.
const NESTED: usize = 60;

/// The renderer of the templates of a run.
#[derive(Default)]
pub struct Renderer {
    /// The templates that were read, by their names.
    templates: HashMap<EcoString, Loaded>,
    /// The exports of templates that were imported without a context, by their addresses.
    modules: HashMap<usize, Val>,
    /// The filters that plugins are.
    plugins: Option<Rc<HashMap<EcoString, EcoString>>>,
    /// How many are under way.
    nested: usize,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("templates", &self.templates.len()).finish()
    }
}

/// Renders a template.
///
/// # Errors
/// If there is none at the path, or it cannot be rendered.
pub fn render(
    context: &mut dyn Context,
    path: &str,
    keywords: &[(EcoString, Value)],
) -> Result<String, Stop> {
    let path = functions::extended(context, path)?;
    if context.renderer().nested >= NESTED {
        return Err(Stop::raised("RecursionError", "maximum recursion depth exceeded"));
    }
    budget::at(&format!("the template {path}"));
    context.renderer().nested += 1;
    let text = rendered(context, &path, keywords);
    context.renderer().nested -= 1;
    text.map_err(Fault::stop)
}

fn rendered(context: &mut dyn Context, path: &str, keywords: &[(EcoString, Value)]) -> Res<String> {
    let plugins = match context.renderer().plugins.clone() {
        Some(plugins) => plugins,
        None => {
            let names = context.plugin_names();
            let filters = names.into_iter().map(|name| (name.replace("::", "."), name));
            let filters: Rc<HashMap<EcoString, EcoString>> = Rc::new(filters.collect());
            context.renderer().plugins = Some(filters.clone());
            filters
        }
    };
    let loaded = load(context, &plugins, path)?
        .ok_or_else(|| Fault::Raised(fault::NOT_FOUND, path.to_owned()))?;
    let mut runtime = Runtime::new(context, plugins);
    let mut names = indexmap::IndexMap::default();
    for (name, value) in keywords {
        names.insert(name.clone(), runtime.argument(value, name)?);
    }
    let resolver = if keywords.is_empty() { Resolver::Model } else { Resolver::Arguments };
    let scope = scope::Context::new(&loaded, Rc::new(names), resolver);
    let mut out = String::new();
    runtime.root(&loaded, &scope, &mut out)?;
    Ok(out)
}

/// The template of this name, read now or before.
fn load(
    context: &mut dyn Context,
    plugins: &HashMap<EcoString, EcoString>,
    name: &str,
) -> Res<Option<Loaded>> {
    if let Some(found) = context.renderer().templates.get(name) {
        return Ok(Some(found.clone()));
    }
    let Some(text) = template_text(context, name)? else { return Ok(None) };
    let local = name.split_once('/').map_or("", |(_, local)| local);
    let (body, blocks) = parser::parse(&text, local)?;
    let known = resolve::Known {
        filter: &|name| filters::is_own(name) || plugins.contains_key(name),
        test: &tests::is_test,
    };
    let template = resolve::template(body, blocks, &known)?;
    let loaded = Loaded { template: Rc::new(template), name: local.into() };
    context.renderer().templates.insert(name.into(), loaded.clone());
    Ok(Some(loaded))
}

/// The text of a template: the first part of its name is a module or, if empty, the project.
fn template_text(context: &dyn Context, name: &str) -> Result<Option<String>, Stop> {
    let Some((module, rest)) = name.split_once('/') else { return Ok(None) };
    let root = match module {
        "" => Some(context.project_directory()),
        _ => context.module_directory(module),
    };
    let is_inside = !rest.split('/').any(|part| part == "..");
    let Some(root) = root.filter(|_| is_inside) else { return Ok(None) };
    let Ok(bytes) = context.world().read(&root.join("templates").join(rest)) else {
        return Ok(None);
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => {
            let text = format!("the template {name} is not UTF-8");
            Err(Stop::raised("UnicodeDecodeError", text))
        }
    }
}
