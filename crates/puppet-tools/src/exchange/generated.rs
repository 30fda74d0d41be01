//! Resource types as `generate types` writes them, as types of the language.
//!
//! Such a file only has the attributes, their values, and the name attribute. `ordain types
//! from-ruby` reads the code itself.

use ordain_puppet::load::generated_types::{PARAM, maker};
use ordain_puppet::syntax::{Expr, ExprId, Program};
use ordain_puppet::types::models::{Feature, FeatureKind, Multiplicity, TypeModel, ValueType};
use ordain_puppet::value::quoting::write_text_quoted;

/// The type that such a file defines; `None` for other files.
pub fn model(program: &Program) -> Option<TypeModel> {
    let statements: Vec<ExprId> = match &program[program.body] {
        Expr::Block(list) => program.list(*list).to_vec(),
        _ => vec![program.body],
    };
    let args = statements.iter().find_map(|id| maker(program, *id))?;
    let name = text(program, *args.first()?)?;
    let mut out = TypeModel::new(ordain_puppet::syntax::names::capitalized(&name));
    for list in args.get(1..3)? {
        let Expr::List(items) = &program[*list] else { return None };
        out.features.extend(program.list(*items).iter().filter_map(|item| feature(program, *item)));
    }
    // With several name attributes, patterns split titles.
    if out.features.iter().filter(|feature| feature.namevar).count() > 1 {
        out.features.iter_mut().for_each(|feature| feature.namevar = false);
    }
    Some(out)
}

/// `Puppet::Resource::Param(Type, 'name', is_namevar)`
fn feature(program: &Program, id: ExprId) -> Option<Feature> {
    let Expr::Call(call) = &program[id] else { return None };
    let call = program.call(*call);
    if !matches!(&program[call.callee], Expr::Ref(name) if name == PARAM) {
        return None;
    }
    let args = program.list(call.args);
    let name = text(program, *args.get(1)?)?;
    let names = args.get(2).is_some_and(|id| matches!(program[*id], Expr::Bool(true)));
    let mut out = Feature::new(name, FeatureKind::Attribute(kind(program, *args.first()?)));
    if names {
        out.namevar = true;
        out.multiplicity = Multiplicity { lower: 1, upper: Some(1) };
        out.kind = FeatureKind::Attribute(ValueType::String);
    }
    Some(out)
}

fn kind(program: &Program, id: ExprId) -> ValueType {
    match &program[id] {
        Expr::Ref(name) if name == "Any" => ValueType::Any,
        Expr::Ref(name) if name == "Boolean" => ValueType::Boolean,
        Expr::Access(parts) => {
            let parts = program.list(*parts);
            let is_enum = matches!(&program[parts[0]], Expr::Ref(name) if name == "Enum");
            let words: Option<Vec<_>> = parts[1..].iter().map(|id| text(program, *id)).collect();
            match words {
                Some(words) if is_enum && !words.is_empty() => ValueType::Enum(words),
                _ => written(program, id).map_or(ValueType::Any, |t| ValueType::Other(t.into())),
            }
        }
        _ => ValueType::Any,
    }
}

/// The text of a type in one of the few possible forms.
fn written(program: &Program, id: ExprId) -> Option<String> {
    match &program[id] {
        Expr::Ref(name) => Some(name.to_string()),
        Expr::Regex(source) => Some(format!("/{}/", source.replace("/", "\\/"))),
        Expr::Str(text) => {
            let mut out = String::new();
            write_text_quoted(&mut out, text);
            Some(out)
        }
        Expr::Access(parts) => {
            let parts: Option<Vec<String>> =
                program.list(*parts).iter().map(|id| written(program, *id)).collect();
            let parts = parts?;
            Some(format!("{}[{}]", parts[0], parts[1..].join(", ")))
        }
        _ => None,
    }
}

fn text(program: &Program, id: ExprId) -> Option<ecow::EcoString> {
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(text.clone()),
        _ => None,
    }
}
