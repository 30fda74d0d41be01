//! The code of types as a separate document, for programs that run it besides an Ecore model
//! without code.

use ecow::EcoString;
use ordain_source::FileId;
use serde_json::{Value as Json, json};

use super::codes;
use ordain_puppet::syntax::{self, Definition, Expr, Program, TypeStatementKind, pn};
use ordain_puppet::types::models::{
    self, Feature, FeatureKind, Function, Invariant, Logic, TypeModel, ValueType,
};

/// The name of the format.
pub const FORMAT: &str = "ordain-type-logic";

/// The code of types as a document.
pub fn document(models: &[TypeModel]) -> Json {
    let mut entries = Vec::new();
    for model in models {
        for feature in &model.features {
            for (kind, logic) in codes(feature) {
                let Some(logic) = logic else { continue };
                entries.push(json!({
                    "type": model.name.as_str(),
                    "feature": feature.name.as_str(),
                    "kind": kind,
                    "source": logic.source.as_str(),
                    "ast": ast(kind, &logic.source),
                }));
            }
        }
        for invariant in &model.invariants {
            let mut entry = json!({
                "type": model.name.as_str(),
                "kind": "invariant",
                "source": invariant.logic.source.as_str(),
                "ast": ast("invariant", &invariant.logic.source),
            });
            if let Some(title) = &invariant.title {
                entry["title"] = json!(title.as_str());
            }
            entries.push(entry);
        }
        for Function { name, logic, .. } in &model.functions {
            entries.push(json!({
                "type": model.name.as_str(),
                "function": name.as_str(),
                "kind": "function",
                "source": logic.source.as_str(),
                "ast": ast("function", &logic.source),
            }));
        }
    }
    json!({"format": FORMAT, "version": 1, "logic": entries})
}

/// Puts the code of such a document into types.
///
/// # Errors
/// When it is not such a document, or the types lack something that it refers to.
pub fn put(models: &mut [TypeModel], document: &Json) -> Result<(), String> {
    if document["format"] != FORMAT {
        return Err(format!("it is no document of the format {FORMAT}"));
    }
    if document["version"].as_u64().is_none_or(|version| version > 1) {
        return Err(format!("its version of {FORMAT} is newer than 1"));
    }
    let mut numbers: rustc_hash::FxHashMap<String, usize> = rustc_hash::FxHashMap::default();
    for (i, model) in models.iter().enumerate() {
        numbers.insert(model.name.to_string(), i);
    }
    for entry in document["logic"].as_array().into_iter().flatten() {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let (owner, kind, source) = (text("type"), text("kind"), text("source"));
        let model = numbers.get(owner).and_then(|i| models.get_mut(*i));
        let model = model.ok_or_else(|| format!("there is no type '{owner}'"))?;
        if !is_logic(kind, source) {
            return Err(format!("the {kind} of '{owner}' does not parse: {source}"));
        }
        let logic = Logic::new(source);
        if kind == "invariant" {
            let title = entry["title"].as_str().map(Into::into);
            model.invariants.push(Invariant { title, logic });
            continue;
        }
        if kind == "function" {
            model.functions.push(Function { name: text("function").into(), logic, span: None });
            continue;
        }
        let name = text("feature");
        let feature = model.features.iter_mut().find(|feature| feature.name == name);
        let feature = feature.ok_or_else(|| format!("'{owner}' has no feature '{name}'"))?;
        feature.transient |= kind == "derived";
        set(feature, kind, logic).ok_or_else(|| format!("'{kind}' is no kind of logic"))?;
    }
    Ok(())
}

/// Sets the code of a feature; `None` if there is no setting of this name.
pub(super) fn set(feature: &mut Feature, kind: &str, logic: Logic) -> Option<()> {
    match kind {
        "check" => feature.check = Some(logic),
        "derived" => feature.derived = Some(logic),
        "set" => feature.set = Some(logic),
        "get" => feature.get = Some(logic),
        _ => return None,
    }
    Some(())
}

/// The only type in a text without errors.
pub(super) fn only_model(text: &str) -> Option<TypeModel> {
    let parsed = syntax::parse(FileId(0), text);
    if parsed.diagnostics.iter().any(|d| d.severity == ordain_source::Severity::Error) {
        return None;
    }
    let mut models = models::models(&parsed.program);
    if models.len() == 1 { models.pop() } else { None }
}

/// A type that only has this piece of code.
fn around(kind: &str, source: &str) -> String {
    let mut model = TypeModel::new("X");
    if kind == "invariant" {
        model.invariants.push(Invariant { title: None, logic: Logic::new(source) });
    } else if kind == "function" {
        let logic = Logic::new(source);
        model.functions.push(Function { name: "x".into(), logic, span: None });
    } else {
        let mut feature = Feature::new("x", FeatureKind::Attribute(ValueType::Any));
        // Other names are refused by the parser.
        let _ = set(&mut feature, kind, Logic::new(source));
        model.features.push(feature);
    }
    models::write(&[model])
}

/// Whether a text is one piece of code of this kind, and nothing else.
pub(super) fn is_logic(kind: &str, source: &str) -> bool {
    let Some(found) = only_model(&around(kind, source)) else { return false };
    if let [one] = &*found.functions {
        let is_alone = found.features.is_empty() && found.invariants.is_empty();
        return is_alone && kind == "function" && one.logic.source == source.trim_end();
    }
    match (&*found.features, &*found.invariants) {
        ([], [one]) => kind == "invariant" && one.logic.source == source.trim_end(),
        ([feature], []) => codes(feature).into_iter().all(|(name, logic)| {
            logic.map(|one| one.source.as_str()) == (name == kind).then(|| source.trim_end())
        }),
        _ => false,
    }
}

/// The parameters of a function with the texts of their types, and the text of its return type.
pub(super) fn signature(source: &str) -> (Vec<(EcoString, Option<EcoString>)>, Option<EcoString>) {
    let program = syntax::parse(FileId(0), around("function", source)).program;
    let Some(Expr::Lambda(lambda)) = value_of(&program, "function").map(|id| &program[id]) else {
        return Default::default();
    };
    let lambda = program.lambda(*lambda);
    let text = |id: syntax::ExprId| EcoString::from(program.text(program.range(id)));
    let params = program.params(lambda.params).iter();
    (params.map(|p| (p.name.clone(), p.kind.map(text))).collect(), lambda.returns.map(text))
}

/// The tree of a piece of code as PN; empty if it does not parse.
fn ast(kind: &str, source: &str) -> String {
    let program = syntax::parse(FileId(0), around(kind, source)).program;
    value_of(&program, kind).map(|id| pn::print_from(&program, id)).unwrap_or_default()
}

/// The expression of this setting, or of the invariant or function, in a program.
fn value_of(program: &Program, kind: &str) -> Option<syntax::ExprId> {
    let Expr::Definition(id) = program[*program.definitions.last()?] else { return None };
    let Definition::TypeDefinition { statements, .. } = program.definition(id) else {
        return None;
    };
    match &program.type_statements(*statements).first()?.kind {
        TypeStatementKind::Invariant { body, .. } => Some(*body),
        TypeStatementKind::Feature(feature) => {
            // The text may need other settings to be valid, so the setting is found by its name.
            program.settings(feature.settings).iter().find(|s| s.name == kind).map(|s| s.value)
        }
        TypeStatementKind::Function { lambda, .. } => Some(*lambda),
        _ => None,
    }
}
