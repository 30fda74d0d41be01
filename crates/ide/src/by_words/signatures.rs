//! Signatures of the functions, classes and constructors of mcl and Inmanta, from the tokens before the
//! cursor.

use super::{inmanta, mcl};
use crate::file::File;
use crate::language::Language;
use crate::snapshot::Analysis;
use crate::types::{ItemKind, SignatureHelp, SignatureText};
use crate::words::scan::{self, Kind, Token};
use crate::words::{self, Word};

/// The signatures of the call that is open at an offset.
pub(crate) fn signatures(analysis: &Analysis, file: &File, offset: u32) -> Option<SignatureHelp> {
    let before = file.text.get(..offset as usize)?;
    let style = match file.language? {
        Language::Mcl => words::mcl::STYLE,
        Language::Inmanta => words::inmanta::STYLE,
        _ => return None,
    };
    let tokens = scan::tokens(before, style);
    let (name, argument) = call(&tokens)?;
    let signatures = match file.language? {
        Language::Mcl => of_mcl(analysis, file, &name),
        _ => of_inmanta(analysis, file, &name),
    };
    (!signatures.is_empty()).then_some(SignatureHelp { signatures, argument })
}

/// The name before the innermost bracket that is open, and the number of commas behind the bracket.
fn call(tokens: &[Token<'_>]) -> Option<(String, u32)> {
    let (mut depth, mut commas) = (0_u32, 0);
    for (at, token) in tokens.iter().enumerate().rev().filter(|(_, t)| t.kind == Kind::Sign) {
        match token.text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            "," if depth == 0 => commas += 1,
            "(" => {
                let name = tokens[..at].last().filter(|name| name.is_word())?;
                let is_joined = at > 2 && tokens[at - 2].is(".") && tokens[at - 3].is_word();
                let module = is_joined.then(|| format!("{}.", tokens[at - 3].text));
                return Some((format!("{}{}", module.unwrap_or_default(), name.text), commas));
            }
            "{" => return None,
            // A list is one argument.
            "[" => commas = 0,
            _ => {}
        }
    }
    None
}

fn of_mcl(analysis: &Analysis, file: &File, name: &str) -> Vec<SignatureText> {
    if let Some(function) = mcl::builtin(file, name) {
        let forms = function.text.split(" | ").map(|form| form.trim_start_matches("func"));
        let doc = function.doc;
        return forms.map(|form| signature(name, form, doc)).collect();
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_it = |word: &&Word| {
        matches!(word.defines, Some(ItemKind::Class | ItemKind::Function)) && word.name == last
    };
    let models = analysis.files().filter(|other| other.language == file.language);
    let found = models.flat_map(|other| other.words.definitions().filter(is_it)).next();
    let written = found.and_then(|word| Some(&word.detail[word.detail.find('(')?..]));
    written.map(|form| signature(name, form, "")).into_iter().collect()
}

/// A signature of a name and a list in parentheses.
fn signature(name: &str, form: &str, documentation: &str) -> SignatureText {
    let (mut params, mut depth, mut start) = (Vec::new(), 0_i32, 1);
    for (at, c) in form.char_indices() {
        let is_end = depth == 1 && matches!(c, ',' | ')');
        if is_end && start < at {
            params.push(form[start..at].trim().to_owned());
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if is_end {
            start = at + 1;
        }
        if depth == 0 && c == ')' {
            break;
        }
    }
    params.retain(|param| !param.is_empty());
    let label = format!("{name}{form}");
    SignatureText { label, params, documentation: documentation.to_owned() }
}

/// The constructor of an entity, with its attributes in the order of their definition.
fn of_inmanta(analysis: &Analysis, file: &File, name: &str) -> Vec<SignatureText> {
    let last = name.rsplit("::").next().unwrap_or(name);
    let word = Word::used(name, ordain_source::TextRange::default());
    let found = inmanta::meaning(analysis, file, &word).into_iter();
    let mut entities = found.filter(|(_, found)| found.defines == Some(ItemKind::Class));
    let Some((file, _)) = entities.next() else { return Vec::new() };
    let is_own = |found: &&Word| {
        found.defines == Some(ItemKind::Attribute) && found.owner.rsplit("::").next() == Some(last)
    };
    let params = file.words.definitions().filter(is_own);
    let params: Vec<String> = params.map(|found| found.detail.to_string()).collect();
    let label = format!("{name}({})", params.join(", "));
    vec![SignatureText { label, params, documentation: String::new() }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_call_and_its_argument() {
        let found = |text: &str| call(&scan::tokens(text, words::mcl::STYLE));
        assert_eq!(found("$x = fmt.printf(\"a\", [1, 2], "), Some(("fmt.printf".into(), 2)));
        assert_eq!(found("$x = f(g(1, 2), [3, "), Some(("f".into(), 1)));
        assert_eq!(found("$x = f(1)"), None);
        assert_eq!(found("include c(1, 2"), Some(("c".into(), 1)));
        assert_eq!(found("class c(1) {\n\t$x = 1,"), None);
    }

    #[test]
    fn parameters_of_a_signature() {
        let found = signature("f", "(a map{str: int}, b func(x int, y int) int) str", "");
        assert_eq!(found.params, ["a map{str: int}", "b func(x int, y int) int"]);
        assert_eq!(signature("f", "() str", "").params, [""; 0]);
    }
}
