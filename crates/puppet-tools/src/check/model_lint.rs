//! Lint of the bodies of types: code that is allowed but hardly intended.

use ordain_source::{Diagnostic, TextRange};

use ordain_puppet::schema;
use ordain_puppet::syntax::*;

/// The findings about the types of a program.
pub(super) fn lint(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for &id in &program.definitions {
        let Expr::Definition(definition) = program[id] else { continue };
        let Definition::TypeDefinition { name, statements, .. } = program.definition(definition)
        else {
            continue;
        };
        let statements = program.type_statements(*statements);
        let is_data = schema::find(&name.trim_start_matches("::").to_lowercase());
        if is_data.is_some() {
            let text = format!("`{name}` is also a resource type, which declarations mean");
            found.push(warning(program, "puppet::type-shadowed", text, program.range(id)));
        }
        for statement in statements {
            match &statement.kind {
                TypeStatementKind::Feature(feature) => lint_feature(program, feature, &mut found),
                TypeStatementKind::Invariant {
                    title: Some(_), title_range, body_range, ..
                } => {
                    lint_title(program, *title_range, *body_range, &mut found);
                }
                _ => {}
            }
        }
    }
    found
}

fn warning(program: &Program, code: &'static str, text: String, at: TextRange) -> Diagnostic {
    Diagnostic::warning(code, text).at(at.in_file(program.file))
}

fn lint_feature(program: &Program, feature: &FeatureSyntax, found: &mut Vec<Diagnostic>) {
    let name = &feature.name;
    if feature.kind.is_none() {
        let text = format!("`{name}` has no type and takes anything");
        let one = warning(program, "puppet::type-untyped", text, feature.name_range);
        found.push(one.help(format!("give it a type: `attr {name}, String`, or `Any`")));
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        let text = format!("`{name}` can not be read as a variable in the code of the type");
        found.push(warning(program, "puppet::type-feature-name", text, feature.name_range));
    }
}

/// Words at the start of titles that describe the violation instead of the rule.
const REFUSALS: [&str; 5] = ["can not ", "cannot ", "can't ", "must not ", "may not "];
/// Words that a negated condition contains.
const NEGATIONS: [&str; 6] = ["!", "not ", "unless", "false", "if ", "case "];

fn lint_title(program: &Program, title: TextRange, body: TextRange, found: &mut Vec<Diagnostic>) {
    let text = program.text(title).trim_matches(|c| c == '"' || c == '\'').to_lowercase();
    let refuses = REFUSALS.iter().any(|start| text.starts_with(start));
    let code = program.text(body);
    // `!=` compares, it does not negate.
    let code = code.replace("!=", "");
    if !refuses || NEGATIONS.iter().any(|word| code.contains(word)) {
        return;
    }
    let text = "The title describes the forbidden case, the invariant the required one".to_owned();
    let one = warning(program, "puppet::type-invariant-title", text, title);
    found.push(one.help("negate the condition: `{ !( ... ) }`"));
}
