//! Checks of a document without its stubs: syntax errors in expressions, unknown functions, nodes
//! that refer to themselves, duplicate keys.

mod evaluated;
pub(crate) mod open;
mod recovery;

use ordain_data::yaml::{Kind, NodeId, Tree};
use ordain_source::{Diagnostic, FileId, TextRange, suggest};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::codes::{
    CYCLE, DUPLICATE_KEY, FAILED, INVALID_YAML, NOT_IN_STUBS, SYNTAX, UNKNOWN_FUNCTION,
};
use crate::diagnostics::hints::with_hints;
use crate::diagnostics::places::{exact_place, part_place, with_yaml_hints};
use crate::eval::evaluator::Builtin;
use crate::functions;
use crate::load::{Features, LoadError, Sources, SrcKind};
use crate::syntax::ast::{Expr, ExprId, Exprs, MERGE_WORDS, Merge, PathStep};
use crate::syntax::parser::parse;
use crate::value::is_expression;

/// Whether a text is YAML with expressions: some have the usual form, with a space after the
/// parentheses, or can be parsed and contain no `$`. Other languages use double parentheses, too,
/// around lists of their variables.
pub fn has_expressions(text: &str) -> bool {
    if !text.contains("((") {
        return false;
    }
    let Ok(trees) = Tree::parse_all(text) else {
        // The language of a file stays the same while a line of it is being typed.
        return text.lines().any(recovery::has_usual_expression);
    };
    trees.iter().any(|tree| {
        let nodes = (0..tree.len()).filter_map(|n| u32::try_from(n).ok());
        nodes.into_iter().any(|n| match &tree.node(NodeId(n)).kind {
            Kind::Scalar(text, _) if is_expression(text) => {
                let inner = &text[2..text.len() - 2];
                let is_usual = inner.starts_with(' ');
                is_usual || !inner.contains('$') && parse(inner, &mut Exprs::default()).is_ok()
            }
            // An expression that is being typed.
            Kind::Scalar(text, _) => text.starts_with("(( ") && !text.contains("))"),
            _ => false,
        })
    })
}

/// Checks a template or stub.
pub fn check(file: FileId, text: &str) -> Vec<Diagnostic> {
    match Tree::parse_all(text) {
        Ok(trees) => check_trees(file, text, &trees),
        Err(e) => {
            let check = |text: &str| match Tree::parse_all(text) {
                Ok(trees) => Ok(check_trees(file, text, &trees)),
                Err(e) => Err(Box::new((invalid(file, text, LoadError::yaml(text, &e)), e))),
            };
            let first = invalid(file, text, LoadError::yaml(text, &e));
            // The likely cause is often in an entry above.
            let at = first.primary.as_ref().map_or(0, |label| label.span.range.start);
            let further = recovery::further(text, at as usize, &check);
            std::iter::once(first).chain(further).collect()
        }
    }
}

fn invalid(file: FileId, text: &str, error: LoadError) -> Diagnostic {
    let found = Diagnostic::error(INVALID_YAML, error.message).at(error.span.in_file(file));
    with_yaml_hints(found, &error.kind, text, (file, error.span))
}

fn check_trees(file: FileId, text: &str, trees: &[Tree]) -> Vec<Diagnostic> {
    let features = Features { control: true, ..Features::default() };
    let mut sources = Sources::default();
    sources.features = features;
    let mut out = Vec::new();
    for tree in trees {
        duplicates(tree, file, &mut out);
        open::open_expressions(tree, file, &mut out);
        if let Err(e) = sources.load(tree, 0) {
            out.push(invalid(file, text, e));
        }
    }
    let mut checker = Checker { file, text, sources: &sources, functions: functions::table(), out };
    for (_, node) in sources.nodes.iter() {
        match &node.kind {
            SrcKind::Broken(written, error) => {
                let place = exact_place(text, node.span, written, Some(error.at));
                let message = format!("this is no expression: {}", error.message);
                let found = Diagnostic::error(SYNTAX, message).at(place.in_file(file));
                checker.out.push(with_hints(found, &error.kind, text, (file, place)));
            }
            SrcKind::Expr(expr) => checker.expression(*expr, node.span),
            SrcKind::Map(map) => {
                for (key, value) in &map.entries {
                    checker.entry(key, &sources.nodes[*value].kind, sources.nodes[*value].span);
                }
            }
            _ => {}
        }
    }
    let mut out = checker.out;
    let places: Vec<TextRange> =
        out.iter().filter_map(|found| Some(found.primary.as_ref()?.span.range)).collect();
    let failures = evaluated::failures(file, text, features).into_iter();
    // The expression of a failure may have been refused already.
    out.extend(failures.filter(|failure| {
        let range = failure.primary.as_ref().map(|label| label.span.range);
        range.is_none_or(|at| places.iter().all(|p| p.end <= at.start || at.end <= p.start))
    }));
    out
}

fn duplicates(tree: &Tree, file: FileId, out: &mut Vec<Diagnostic>) {
    for n in (0..tree.len()).filter_map(|n| u32::try_from(n).ok()) {
        let mut seen: FxHashMap<&str, TextRange> = FxHashMap::default();
        for (key, _) in tree.entries(NodeId(n)) {
            let (Some(text), span) = (tree.text(key), tree.node(key).span) else { continue };
            if let Some(first) = seen.insert(text, span) {
                let message = format!("the key `{text}` is there twice");
                let found = Diagnostic::warning(DUPLICATE_KEY, message);
                let found = found.labelled(span.in_file(file), "this one counts");
                out.push(found.related(first.in_file(file), "this one has no effect"));
            }
        }
    }
}

struct Checker<'s> {
    file: FileId,
    text: &'s str,
    sources: &'s Sources,
    functions: FxHashMap<&'static str, Builtin>,
    out: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn expression(&mut self, expr: ExprId, span: TextRange) {
        let exprs = &self.sources.exprs;
        let mut todo = vec![expr];
        let mut parameters: FxHashSet<&str> = FxHashSet::default();
        let mut called = Vec::new();
        while let Some(id) = todo.pop() {
            match &exprs[id] {
                Expr::Lambda(lambda) => parameters.extend(lambda.params.iter().map(|p| &*p.name)),
                Expr::Call { callee, .. } => called.extend(bare_name(exprs, *callee)),
                Expr::Merge(merge) => self.merge(merge, span),
                Expr::Mapping(_, _, lambda) => {
                    if let Expr::Lambda(lambda) = &exprs[*lambda]
                        && lambda.params.len() > 2
                    {
                        let text = "mapping expression take a maximum of 2 arguments";
                        let found = Diagnostic::error(FAILED, text);
                        self.out.push(found.at(span.in_file(self.file)));
                    }
                }
                _ => {}
            }
            todo.extend(exprs.operands(id));
        }
        for name in called {
            if self.functions.contains_key(name) || parameters.contains(name) || name == "_" {
                continue;
            }
            let text = format!("unknown function '{name}'");
            let place = part_place(self.text, span, &format!("{name}(")).unwrap_or(span);
            let place = TextRange::new(place.start, place.end.min(place.start + name.len() as u32));
            let mut found = Diagnostic::error(UNKNOWN_FUNCTION, text).at(place.in_file(self.file));
            if let Some(near) = suggest::nearest(name, self.functions.keys().copied()) {
                found = found.help(format!("did you mean `{near}`?"));
            }
            self.out.push(found.help(format!("a lambda under this key is called by `.{name}(…)`")));
        }
    }

    /// Reports a word behind `merge` that is probably misspelt, and so means a path in the stubs.
    fn merge(&mut self, merge: &Merge, span: TextRange) {
        let Some([PathStep::Key(word)]) = merge.redirect.as_deref() else { return };
        let Some(near) = suggest::nearest(word, MERGE_WORDS).filter(|_| !merge.absolute) else {
            return;
        };
        let text = format!("`merge {word}` takes the value at `{word}` of a stub");
        let found = Diagnostic::warning(NOT_IN_STUBS, text).at(span.in_file(self.file));
        self.out.push(found.help(format!("did you mean `merge {near}`?")));
    }

    /// Reports an entry whose expression needs the entry itself.
    fn entry(&mut self, key: &str, kind: &SrcKind, span: TextRange) {
        let SrcKind::Expr(expr) = kind else { return };
        let exprs = &self.sources.exprs;
        let mut todo = vec![*expr];
        while let Some(id) = todo.pop() {
            match &exprs[id] {
                // Names of their own may hide the key.
                Expr::Lambda(_) | Expr::Scope(..) => continue,
                Expr::Ref(reference) if !reference.absolute && reference.tag.is_none() => {
                    if matches!(reference.path.first(), Some(PathStep::Key(k)) if k == key) {
                        let text = format!("`{key}` needs its own value");
                        let found = Diagnostic::error(CYCLE, text)
                            .labelled(span.in_file(self.file), "the name means the node itself");
                        let help = format!("`.{key}` starts at the root of the document");
                        self.out.push(found.help(help));
                        return;
                    }
                }
                Expr::Call { callee, args, .. } => {
                    // A bare name that is called is a function.
                    if bare_name(exprs, *callee).is_none() {
                        todo.push(*callee);
                    }
                    todo.extend(args.iter().map(|a| a.value));
                    continue;
                }
                _ => {}
            }
            todo.extend(exprs.operands(id));
        }
    }
}

fn bare_name(exprs: &Exprs, callee: ExprId) -> Option<&str> {
    let Expr::Ref(reference) = &exprs[callee] else { return None };
    match &reference.path[..] {
        [PathStep::Key(name)] if !reference.absolute && reference.tag.is_none() => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ordain_source::SourceMap;

    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let file = sources.add("t.yml", text);
        check(file, text).into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn only_whole_texts_in_brackets_are_expressions() {
        assert!(has_expressions("a: (( b ))\n"));
        assert!(!has_expressions("a: b (( c ))\n"));
        assert!(!has_expressions("a: ((! b ))\n"));
        assert!(has_expressions("a: ((b))\n"));
        assert!(!has_expressions("a: (($FIRST_NETWORK $SECOND_NETWORK))\n"), "a list of ferm");
    }

    #[test]
    fn mistakes_are_found_without_stubs() {
        assert_eq!(
            messages("a: (( merge || x.y ))\nf: (( .f(1) ))\ng: (( |h|->h(1) ))\n"),
            [""; 0]
        );
        assert_eq!(messages("a: (( jion(1) ))\n"), ["unknown function 'jion'"]);
        assert_eq!(messages("m: {a: (( 1 + a.x ))}\n"), ["`a` needs its own value"]);
        assert_eq!(messages("a: 1\na: 2\n"), ["the key `a` is there twice"]);
        assert_eq!(
            messages("l: [1]\na: (( map[l|a,b,c|->a] ))\n"),
            ["mapping expression take a maximum of 2 arguments"]
        );
        assert_eq!(
            messages("a: (( b )\nc: |\n  (( d ))\ne: ((x) y)\nf: (( g )) h\ni: |-\n  (( j ))\n"),
            [
                "`((` without `))` at the end is a text and no expression",
                "the text after `))` makes this a plain text, not an expression",
            ]
        );
        for (text, expected) in [
            (" + 1".repeat(50_000), "too long: more than 2000 operands follow each other"),
            (" || b".repeat(50_000), "too long"),
            (" \"x\"".repeat(50_000), "too long"),
            ("(0)".repeat(50_000), "too long"),
            (" + (b".repeat(50_000), "nested too deep"),
        ] {
            let found = messages(&format!("a: (( b{text} ))\n"));
            assert!(found[0].contains(expected), "{expected}: {}", found[0]);
        }
        let several =
            messages("z: (( no() ))\na:\n  b: [1\n  c: (( 1 + ))\nd: \"x\" y\ne: (( nope() ))\n");
        assert_eq!(several.len(), 5, "{several:?}");
        let broken = messages("a: (( 1 + ))\n");
        assert!(broken[0].starts_with("this is no expression"), "{broken:?}");
        assert_eq!(messages("1: a\n"), ["map key must be a string: 1"]);
    }
}
