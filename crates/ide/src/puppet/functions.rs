//! The signatures of functions: built-in ones from their tables, others from their definitions.

use ordain_puppet::functions::{
    CORE, Dispatch, Function, MODULES, Param as BuiltinParam, ParamKind, Style,
};
use ordain_puppet::syntax::{Definition, Param};

use super::definitions::{self, Found};
use super::names::Symbol;
use super::{docs, outline};
use crate::snapshot::Analysis;
use crate::types::SignatureText;

/// All built-in functions.
pub(crate) fn builtin() -> impl Iterator<Item = &'static Function> {
    CORE.iter().chain(MODULES).flat_map(|family| family.iter())
}

/// The signatures of a function; empty if it is unknown.
pub(crate) fn signatures(analysis: &Analysis, name: &str) -> Vec<SignatureText> {
    if let Some(found) = definitions::definition(analysis, &Symbol::Function(name.into())) {
        return vec![written(&found)];
    }
    builtin().find(|function| function.name == name).map(of_table).unwrap_or_default()
}

/// The signatures of a built-in function.
pub(crate) fn of_table(function: &Function) -> Vec<SignatureText> {
    let documentation = function.doc.to_owned();
    match &function.style {
        Style::Arity(count, _) => {
            let known = if *count < 0 { (-count - 1) as usize } else { *count as usize };
            let mut params: Vec<String> = (1..=known).map(|n| format!("$arg{n}")).collect();
            if *count < 0 {
                params.push("*$args".into());
            }
            let label = format!("{}({})", function.name, params.join(", "));
            vec![SignatureText { label, params, documentation }]
        }
        Style::Dispatch(dispatches) => {
            let shown = dispatches.iter().filter(|dispatch| !dispatch.explains);
            let one = |dispatch: &Dispatch| {
                let params: Vec<String> = dispatch.params.iter().map(parameter).collect();
                let mut label = format!("{}({})", function.name, params.join(", "));
                if let Some((block, is_optional)) = dispatch.block {
                    let mark = if is_optional { "?" } else { "" };
                    label.push_str(&format!(" {block}{mark}"));
                }
                if let Some(returns) = dispatch.returns {
                    label.push_str(&format!(" >> {returns}"));
                }
                SignatureText { label, params, documentation: documentation.clone() }
            };
            shown.map(one).collect()
        }
    }
}

fn parameter(param: &BuiltinParam) -> String {
    let (before, after) = match param.kind {
        ParamKind::Required => ("", ""),
        ParamKind::Optional => ("", "?"),
        ParamKind::Repeated | ParamKind::RequiredRepeated => ("*", ""),
    };
    format!("{} {before}${}{after}", param.of, param.name)
}

/// A parameter with its type and default, as written.
pub(crate) fn parameter_text(found: &Found<'_>, param: &Param) -> String {
    let text = |id| found.program.text(outline::extent(found.program, id));
    let kind = param.kind.map_or(String::new(), |kind| format!("{} ", text(kind)));
    let star = if param.captures_rest { "*" } else { "" };
    let default = param.default.map_or(String::new(), |id| format!(" = {}", text(id)));
    format!("{kind}{star}${}{default}", param.name)
}

/// The signature of a definition in Puppet, in one line.
pub(crate) fn written(found: &Found<'_>) -> SignatureText {
    let program = found.program;
    let params = found.params().iter().map(|param| parameter_text(found, param));
    let params: Vec<String> = params.collect();
    let (name, returns) = match found.definition {
        Definition::Class { name, .. } => (format!("class {name}"), None),
        Definition::Define { name, .. } => (format!("define {name}"), None),
        Definition::Function { name, returns, .. } => (name.to_string(), *returns),
        Definition::TypeAlias { name, .. } | Definition::TypeDefinition { name, .. } => {
            (format!("type {name}"), None)
        }
        _ => (String::new(), None),
    };
    let mut label = format!("{name}({})", params.join(", "));
    if let Some(returns) = returns {
        label.push_str(&format!(" >> {}", program.text(outline::extent(program, returns))));
    }
    let documentation = docs::summary(&found.comment());
    SignatureText { label, params, documentation }
}
