//! Jinja2 templates.
//!
//! Templates must print exactly the output of Python. So this is a separate engine: its values are
//! Python's, with their methods, and its scopes are those of the functions that Jinja compiles a
//! template to. It reads names and attributes from the model during rendering. Each template is
//! parsed once per run.
//!
//! | file | contents |
//! | --- | --- |
//! | `lexer.rs`, `parser.rs`, `expressions.rs`, `ast.rs` | text to tree |
//! | `resolve.rs`, `walk.rs` | the scopes of names |
//! | `load.rs`, `imports.rs`, `cache.rs` | templates of modules, parsed once |
//! | `value.rs`, `keys.rs`, `type_names.rs` | values |
//! | `runtime.rs` | the state of a run, and its budgets |
//! | `interpret.rs`, `loops.rs`, `scope.rs` | statements |
//! | `evaluate.rs`, `operators.rs`, `attributes.rs`, `iterate.rs`, `arguments.rs` | expressions |
//! | `filters/`, `tests.rs`, `globals.rs`, `methods/`, `percent.rs` | functions |
//! | `print.rs` | values as text |
//! | `fault.rs` | errors |

mod arguments;
mod ast;
mod attributes;
mod cache;
mod evaluate;
mod expressions;
mod fault;
mod filters;
mod globals;
mod imports;
mod interpret;
mod iterate;
mod keys;
mod lexer;
mod load;
mod loops;
mod methods;
mod operators;
mod parser;
mod percent;
mod print;
mod resolve;
mod runtime;
mod scope;
mod tests;
mod type_names;
mod value;
mod walk;

use std::collections::HashMap;
use std::rc::Rc;

use ecow::EcoString;
use ordain_source::budget;

use crate::diagnostics::Exception;
use crate::model::plugin::{Context, Stop};
use crate::value::Value;
use cache::Cache;
use fault::{Fault, Res};
pub(crate) use load::module_path;
use runtime::Runtime;
use value::Resolver;

/// The limit for templates that plugins of other templates render.
const MAX_NESTED: usize = 60;

/// Renders a template.
///
/// # Errors
/// If there is none at the path, or it cannot be rendered.
pub fn render(
    context: &mut dyn Context,
    path: &str,
    keywords: &[(EcoString, Value)],
) -> Result<String, Stop> {
    let path = module_path(context, path)?;
    if context.state().get::<Cache>().nested >= MAX_NESTED {
        return Err(Stop::raised(Exception::RecursionError, "maximum recursion depth exceeded"));
    }
    budget::at(&format!("the template {path}"));
    context.state().get::<Cache>().nested += 1;
    let text = rendered(context, &path, keywords);
    context.state().get::<Cache>().nested -= 1;
    text.map_err(Fault::stop)
}

fn rendered(context: &mut dyn Context, path: &str, keywords: &[(EcoString, Value)]) -> Res<String> {
    let plugins = match context.state().get::<Cache>().plugins.clone() {
        Some(plugins) => plugins,
        None => {
            let names = context.plugin_names();
            let filters = names.into_iter().map(|name| (name.replace("::", "."), name));
            let filters: Rc<HashMap<EcoString, EcoString>> = Rc::new(filters.collect());
            context.state().get::<Cache>().plugins = Some(filters.clone());
            filters
        }
    };
    let loaded = load::template(context, &plugins, path)?
        .ok_or_else(|| Fault::Raised(Exception::TemplateNotFound, path.to_owned()))?;
    let mut runtime = Runtime::new(context, plugins);
    let mut names = indexmap::IndexMap::default();
    for (name, value) in keywords {
        names.insert(name.clone(), runtime.argument(value, name)?);
    }
    let resolver = if keywords.is_empty() { Resolver::Model } else { Resolver::Arguments };
    let scope = value::Context::new(&loaded, Rc::new(names), resolver);
    let mut out = String::new();
    runtime.root(&loaded, &scope, &mut out)?;
    Ok(out)
}
