//! From the tree of a program to the types that it defines.

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_puppet_syntax::{
    Definition, Expr, ExprId, FeatureSyntax, Program, Setting, TypeStatement, TypeStatementKind,
};
use ordain_source::TextRange;

use super::definition::{
    Annotations, Feature, FeatureKind, Function, Invariant, Logic, Multiplicity, TypeModel,
    ValueType,
};

/// The types that a program defines, in order. Invalid settings are left out; the check of the
/// program reports them.
#[inline]
pub fn models(program: &Program) -> Vec<TypeModel> {
    program.definitions.iter().filter_map(|&id| model(program, id)).collect()
}

/// The type with features of a definition; `None` for other definitions.
pub fn model(program: &Program, id: ExprId) -> Option<TypeModel> {
    let Expr::Definition(definition) = program[id] else { return None };
    let Definition::TypeDefinition { name, parent, statements, .. } =
        program.definition(definition)
    else {
        return None;
    };
    let mut out = TypeModel::new(absolute(name));
    out.parent = parent.as_deref().map(absolute);
    out.span = Some(program.span(id));
    for TypeStatement { kind, range } in program.type_statements(*statements) {
        match kind {
            TypeStatementKind::Abstract => out.is_abstract = true,
            TypeStatementKind::Invariant { title, title_range, body_range, .. } => {
                let title = title.map(|_| program.text(*title_range).into());
                let logic = logic(program, *body_range);
                out.invariants.push(Invariant { title, logic });
            }
            TypeStatementKind::Feature(syntax) => {
                out.features.push(feature(program, syntax, *range));
            }
            TypeStatementKind::Function { name, lambda_range, .. } => {
                out.functions.push(Function {
                    name: name.clone(),
                    logic: logic(program, *lambda_range),
                    span: Some(range.in_file(program.file)),
                });
            }
            TypeStatementKind::TitlePatterns { value, .. } => {
                out.title_patterns.extend(title_patterns(program, *value).unwrap_or_default());
            }
            TypeStatementKind::Annotations { value, .. } => {
                out.annotations.extend(annotations(program, *value).unwrap_or_default());
            }
        }
    }
    Some(out)
}

fn absolute(name: &str) -> EcoString {
    name.strip_prefix("::").unwrap_or(name).into()
}

/// A feature with its settings.
pub fn feature(program: &Program, syntax: &FeatureSyntax, range: TextRange) -> Feature {
    let settings = program.settings(syntax.settings);
    let value = |name: &str| settings.iter().find(|s| s.name == name).map(|s| s.value);
    let flag = |name: &str| match value(name).map(|id| &program[id]) {
        Some(Expr::Bool(flag)) => Some(*flag),
        _ => None,
    };
    let code = |name: &str| {
        let setting = settings.iter().find(|s| s.name == name)?;
        Some(logic(program, setting.value_range))
    };
    let mut out = Feature::new(syntax.name.clone(), kind(program, syntax));
    if let FeatureKind::Reference { containment, .. } = &mut out.kind {
        *containment = flag("containment").unwrap_or(true);
    }
    let min = value("min").and_then(|id| integer(program, id));
    let max = value("max").and_then(|id| match &program[id] {
        Expr::Name(word) if word == "unbound" => Some(None),
        _ => integer(program, id).map(Some),
    });
    out.multiplicity = Multiplicity::of(min, max);
    out.default = value("default").and_then(|id| literal(program, id));
    out.derived = code("derived");
    out.unsettable = flag("unsettable").unwrap_or(false);
    out.transient = flag("transient").unwrap_or(false) || out.derived.is_some();
    out.setable = flag("setable").unwrap_or(out.derived.is_none());
    out.id = flag("id").unwrap_or(false);
    out.namevar = flag("namevar").unwrap_or(false);
    out.check = check_of(program, syntax).map(|s| logic(program, s.value_range));
    out.set = code("set");
    out.get = code("get");
    out.annotations =
        value("annotations").and_then(|id| annotations(program, id)).unwrap_or_default();
    out.span = Some(range.in_file(program.file));
    out
}

/// The setting that checks the values of a feature, in either spelling.
#[inline]
pub fn check_of<'p>(program: &'p Program, syntax: &FeatureSyntax) -> Option<&'p Setting> {
    let mut settings = program.settings(syntax.settings).iter();
    settings.find(|s| matches!(s.name.as_str(), "check" | "validate"))
}

fn logic(program: &Program, range: TextRange) -> Logic {
    Logic { source: program.text(range).into(), span: Some(range.in_file(program.file)) }
}

fn kind(program: &Program, syntax: &FeatureSyntax) -> FeatureKind {
    let text = program.text(syntax.kind_range);
    if syntax.is_reference {
        return FeatureKind::Reference { target: absolute(text), containment: true };
    }
    let Some(kind) = syntax.kind else { return FeatureKind::Attribute(ValueType::Any) };
    FeatureKind::Attribute(match (&program[kind], text) {
        (_, "Any") => ValueType::Any,
        (_, "Integer") => ValueType::Integer,
        (_, "Float") => ValueType::Float,
        (_, "String") => ValueType::String,
        (_, "Boolean") => ValueType::Boolean,
        (Expr::Access(parts), text) => match symbols(program, program.list(*parts)) {
            Some(values) => ValueType::Enum(values),
            None => ValueType::Other(text.into()),
        },
        (_, text) => ValueType::Other(text.into()),
    })
}

/// The values of `Enum[…]`.
fn symbols(program: &Program, parts: &[ExprId]) -> Option<Vec<EcoString>> {
    let (&head, values) = parts.split_first()?;
    if !matches!(&program[head], Expr::Ref(name) if name == "Enum") {
        return None;
    }
    let text = |&id: &ExprId| match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(text.clone()),
        _ => None,
    };
    values.iter().map(text).collect()
}

/// The patterns of a list, each as it is between its slashes; `None` if it is no list of some.
pub fn title_patterns(program: &Program, id: ExprId) -> Option<Vec<EcoString>> {
    let Expr::List(items) = program[id] else { return None };
    let pattern = |&item: &ExprId| match &program[item] {
        Expr::Regex(source) => Some(source.clone()),
        _ => None,
    };
    program.list(items).iter().map(pattern).collect()
}

/// The annotations in a hash of hashes; `None` if it has another form, or values that are not
/// plain.
pub fn annotations(program: &Program, id: ExprId) -> Option<Annotations> {
    let entries = |id: ExprId| match program[id] {
        Expr::Hash(entries) => Some(program.list(entries).chunks_exact(2)),
        _ => None,
    };
    let key = |id: ExprId| match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(text.clone()),
        _ => None,
    };
    let details = |id: ExprId| {
        let detail = |pair: &[ExprId]| Some((key(pair[0])?, literal(program, pair[1])?));
        entries(id)?.map(detail).collect::<Option<Vec<_>>>()
    };
    entries(id)?.map(|pair| Some((key(pair[0])?, details(pair[1])?))).collect()
}

/// The value of an integer literal.
pub fn integer(program: &Program, id: ExprId) -> Option<i64> {
    match program[id] {
        Expr::Int { value, radix: 1.. } => Some(value),
        Expr::Minus(inner) => match program[inner] {
            Expr::Int { value, radix: 1.. } => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a default: a scalar, or a list of them.
pub fn literal(program: &Program, id: ExprId) -> Option<Data> {
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(Data::Str(text.clone())),
        Expr::Bool(flag) => Some(Data::Bool(*flag)),
        Expr::Float(number) => Some(Data::Float(*number)),
        Expr::Minus(inner) => match program[*inner] {
            Expr::Float(number) => Some(Data::Float(-number)),
            _ => integer(program, id).map(Data::Int),
        },
        Expr::List(items) => {
            let items: Option<Vec<Data>> =
                program.list(*items).iter().map(|&item| literal(program, item)).collect();
            items.map(Data::list)
        }
        _ => integer(program, id).map(Data::Int),
    }
}
