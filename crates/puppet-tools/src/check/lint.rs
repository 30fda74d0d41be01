//! Findings that the reference does not have: code that is allowed but hardly intended, and code
//! that fails in each run.

use ordain_source::{Diagnostic, Edit, Fix, TextRange, suggest};
use rustc_hash::FxHashSet;

use ordain_puppet::syntax::{Attribute, AttributeOp, CaseOption, Expr, Program, ResourceBody};

/// The maximal number of findings in a program.
const MAX: usize = 200;

/// Finds code that is allowed but hardly meant: `${name}` in single quotes, where the program has a variable of
/// this name; a word like `default` among options; and such things in the bodies of types. An
/// attribute that is given twice is an error, as it is one in each run.
///
/// ```
/// use ordain_puppet::syntax;
/// use ordain_puppet_tools::check::lint;
/// use ordain_source::FileId;
///
/// let program = syntax::parse(FileId(0), "$port = 80\nnotice('port ${port}')").program;
/// assert_eq!(lint(&program)[0].code, "puppet::single-quoted-variable");
/// ```
pub fn lint(program: &Program) -> Vec<Diagnostic> {
    let names = names(program);
    let texts = program.exprs.iter().filter(|(_, expr)| matches!(expr, Expr::Str(_)));
    let ranges = texts.map(|(id, _)| program.range(id));
    let texts = ranges.flat_map(|range| interpolations(program, range, &names));
    let bodies = program.bodies.iter().filter_map(|(_, body)| repeated(program, body));
    let defaults = program.cases.iter().filter_map(|(_, option)| almost_default(program, option));
    let found = texts.chain(bodies).chain(defaults);
    found.chain(super::model_lint::lint(program)).take(MAX).collect()
}

/// An attribute that a resource gets twice.
fn repeated(program: &Program, body: &ResourceBody) -> Option<Diagnostic> {
    let mut seen: Vec<&Attribute> = Vec::new();
    for attribute in program.attributes(body.attributes) {
        let first = seen.iter().find(|a| a.name == attribute.name);
        if let Some(first) = first.filter(|_| attribute.op != AttributeOp::Splat) {
            let text = format!("The attribute '{}' is given twice", attribute.name);
            let name = |a: &Attribute| {
                let start = a.range.start;
                TextRange::new(start, start + a.name.len() as u32).in_file(program.file)
            };
            let error = Diagnostic::error("puppet::duplicate-attribute", text);
            return Some(error.at(name(attribute)).related(name(first), "first given here"));
        }
        seen.push(attribute);
    }
    None
}

/// A bare word that is a misspelt `default`.
fn almost_default(program: &Program, option: &CaseOption) -> Option<Diagnostic> {
    let values = program.list(option.values).iter();
    values.copied().find_map(|value| {
        let Expr::Name(word) = &program[value] else { return None };
        suggest::nearest(word, ["default"])?;
        let text = format!("`{word}` is a text here and no `default`");
        let span = program.span(value);
        let warning = Diagnostic::warning("puppet::unknown-word", text).at(span);
        let edit = Edit { span, text: "default".to_owned() };
        let fix = Fix::not_safe("write `default`", vec![edit]);
        Some(warning.help("did you mean `default`?").fix(fix))
    })
}

/// The names of all parameters, and of all variables that are assigned.
fn names(program: &Program) -> FxHashSet<&str> {
    let mut names: FxHashSet<&str> = program.params.iter().map(|(_, p)| p.name.as_str()).collect();
    for (_, expr) in program.exprs.iter() {
        let Expr::Assign { left, .. } = expr else { continue };
        let several = match &program[*left] {
            Expr::List(list) => program.list(*list),
            _ => std::slice::from_ref(left),
        };
        names.extend(several.iter().filter_map(|id| match &program[*id] {
            Expr::Var(name) => Some(name.as_str()),
            _ => None,
        }));
    }
    names
}

fn interpolations<'p>(
    program: &'p Program,
    range: TextRange,
    names: &FxHashSet<&'p str>,
) -> Vec<Diagnostic> {
    let text = program.text(range);
    if !text.starts_with('\'') {
        return Vec::new();
    }
    let found = text.match_indices("${").filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let name = &rest[..length];
        let is_meant = text[..at].ends_with('\\');
        let is_whole = rest[length..].starts_with('}');
        (is_whole && !is_meant && names.contains(name)).then_some((at, name))
    });
    let diagnostic = |(at, name): (usize, &str)| {
        let start = range.start + at as u32;
        let place = TextRange::new(start, start + name.len() as u32 + 3).in_file(program.file);
        let message = format!("In single quotes ${{{name}}} is text, not the value of ${name}");
        Diagnostic::warning("puppet::single-quoted-variable", message).at(place).help(format!(
            "in double quotes `${{{name}}}` is the value, and `\\${{{name}}}` this text"
        ))
    };
    found.map(diagnostic).collect()
}

#[cfg(test)]
mod tests {
    use ordain_source::FileId;

    use super::*;
    use ordain_puppet::syntax::parse;

    fn found(text: &str) -> Vec<String> {
        let program = parse(FileId(0), text).program;
        let at = |d: &Diagnostic| d.primary.as_ref().map(|l| program.text(l.span.range).to_owned());
        lint(&program).iter().filter_map(at).collect()
    }

    #[test]
    fn variables_of_the_program_are_found() {
        assert_eq!(found("class a($x) { notice('${x} and ${x}') }"), ["${x}", "${x}"]);
        assert_eq!(found("[$a, $b] = [1, 2]\nnotice('${b}')"), ["${b}"]);
        assert_eq!(found("[1].each |$i| { notice('ä${i}') }"), ["${i}"]);
    }

    #[test]
    fn intended_code_is_not_reported() {
        for text in [
            "notice('${HOME}')",
            "$x = 1\nnotice(\"${x}\")",
            "$x = 1\nnotice('$x')",
            "$x = 1\nnotice('\\${x}')",
            "$x = 1\nnotice('${x:-y}')",
            "$x = 1\nnotice(\"'${x}'\")",
            "$x = 1\n# '${x}'\nnotice(@(END))\n  '${x}'\n  END\n",
            "$x = 1\nnotice('${x')",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }
}
