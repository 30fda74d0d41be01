//! Finds and parses templates.

use std::collections::HashMap;
use std::rc::Rc;

use ecow::EcoString;

use super::cache::Cache;
use super::fault::Res;
use super::value::LoadedTemplate;
use super::{filters, parser, resolve, tests};
use crate::diagnostics::Exception;
use crate::model::plugin::{Context, Stop};

/// Replaces `./` at the beginning of a path by the module that contains the call.
///
/// # Errors
/// If no module contains the call.
pub(crate) fn module_path(context: &dyn Context, path: &str) -> Result<String, Stop> {
    let Some(rest) = path.strip_prefix("./") else { return Ok(path.to_owned()) };
    let namespace = context.namespace();
    let module = namespace.split("::").next().unwrap_or_default();
    match context.module_directory(module) {
        Some(_) => Ok(format!("{module}/{rest}")),
        None => Err(Stop::raised(
            Exception::Exception,
            format!("Unable to determine current module for path {path}, called from {namespace}"),
        )),
    }
}

/// The template of this name, from the cache or from its file.
pub(super) fn template(
    context: &mut dyn Context,
    plugins: &HashMap<EcoString, EcoString>,
    name: &str,
) -> Res<Option<LoadedTemplate>> {
    if let Some(found) = context.state().get::<Cache>().templates.get(name) {
        return Ok(Some(found.clone()));
    }
    let Some(text) = template_text(context, name)? else { return Ok(None) };
    let local = name.split_once('/').map_or("", |(_, local)| local);
    let (body, blocks) = parser::parse(&text, local)?;
    let known = resolve::KnownNames {
        filter: &|name| filters::is_own(name) || plugins.contains_key(name),
        test: &tests::is_test,
    };
    let template = resolve::template(body, blocks, &known)?;
    let loaded = LoadedTemplate { template: Rc::new(template), name: local.into() };
    context.state().get::<Cache>().templates.insert(name.into(), loaded.clone());
    Ok(Some(loaded))
}

/// The text of a template. The first part of its name is a module, or empty for the project.
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
            Err(Stop::raised(Exception::UnicodeDecodeError, text))
        }
    }
}
