//! Why a catalog does not have a resource: the code that would declare it, and the reasons that the
//! code was not evaluated.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_graph::{Graph, ResourceRef};
use ordain_puppet::syntax::names::{capitalize_segments, class_title};
use ordain_puppet::syntax::{Definition, Expr, ExprId, Program, ResourceBody, ResourceForm, parse};
use ordain_puppet::validation::walk::{Node, children};
use ordain_source::layer::absolute;
use ordain_source::{Diagnostic, SourceMap, World};
use rustc_hash::FxHashSet;

/// The maximum number of declarations that are shown.
const SHOWN: usize = 3;
/// The maximum number of classes that are followed from one to the next.
const CHAIN: usize = 8;
/// The functions that declare classes.
const INCLUDING: [&str; 3] = ["include", "contain", "require"];

/// A compile that did not give the resource.
pub struct Compile<'a> {
    /// Its graph.
    pub graph: &'a Graph,
    /// The branches that it took: the absolute path of the file, the offset of the condition, and the number of the branch as in
    /// [`ordain_puppet::eval::Branch`].
    pub taken: &'a FxHashSet<(PathBuf, u32, u32)>,
    /// The name of the node.
    pub node: &'a str,
}

/// The manifests of an environment.
struct Manifests<'a> {
    programs: Vec<(PathBuf, Program)>,
    compile: &'a Compile<'a>,
}

/// The code around an expression.
#[derive(Clone, Copy)]
enum Around {
    /// A definition.
    Definition(ExprId),
    /// The branch of a condition: its test, its number, and the place of the branch.
    Branch(ExprId, u32),
}

/// Whether a compile evaluated the code around a declaration.
enum Evaluation {
    Done,
    /// Some resources did, as the text says.
    Each(String),
    /// It did not, as the text says; perhaps for lack of a class.
    Missing(String, Option<ResourceRef>),
    /// It cannot be said.
    Unknown,
}

/// An expression that would declare the resource.
struct Declaration<'p> {
    path: &'p Path,
    program: &'p Program,
    at: ExprId,
    /// Whether its title has interpolations.
    is_similar: bool,
    form: ResourceForm,
    /// The definitions and branches around it, the outermost first.
    around: Vec<Around>,
}

/// Adds to the error that there is no such resource the code that would declare it, and the reasons
/// that it was not evaluated. Nothing is added if no manifest has such code.
pub fn explain(
    error: Diagnostic,
    name: &ResourceRef,
    compile: &Compile<'_>,
    (world, sources, files): (&dyn World, &SourceMap, &[PathBuf]),
) -> Diagnostic {
    let mut programs = Vec::new();
    for path in files {
        let Ok(bytes) = world.read(path) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let file = sources.add(path, text.as_str());
        programs.push((path.clone(), parse(file, text.as_str()).program));
    }
    Manifests { programs, compile }.explain(error, name)
}

impl Manifests<'_> {
    fn explain(&self, mut error: Diagnostic, name: &ResourceRef) -> Diagnostic {
        let mut seen = FxHashSet::default();
        let mut next = Some(name.clone());
        while let Some(name) = next.take() {
            if seen.len() == CHAIN || !seen.insert(name.to_string()) {
                break;
            }
            let declarations = self.declarations(&name);
            if declarations.is_empty() && name.kind == "Class" {
                error = self.undeclared_class(error, &name);
            }
            for declaration in declarations.iter().take(SHOWN) {
                let text = match declaration.is_similar {
                    true => format!("this may declare {name}"),
                    false => format!("this would declare {name}"),
                };
                let at = declaration.program.span(declaration.at);
                error = match error.primary {
                    None => error.labelled(at, text),
                    Some(_) => error.related(at, text),
                };
                let (with_reason, class) = self.reason(error, declaration);
                error = with_reason;
                next = next.or(class);
            }
            if declarations.len() > SHOWN {
                let more = declarations.len() - SHOWN;
                error = error.help(format!("{more} more places may declare {name}"));
            }
        }
        error
    }

    /// Whether the compile gave a resource of a kind with a title, or with any title.
    fn has(&self, kind: &str, title: Option<&str>) -> bool {
        let title_of = |name: &ResourceRef| title.is_none_or(|title| name.title == title);
        let mut resources = self.compile.graph.resources();
        resources.any(|(_, resource)| resource.id.kind == kind && title_of(&resource.id))
    }

    /// Adds that no manifest declares a class, if one defines it.
    fn undeclared_class(&self, error: Diagnostic, name: &ResourceRef) -> Diagnostic {
        let class = name.title.to_lowercase();
        for (_, program) in &self.programs {
            for &id in &program.definitions {
                let Expr::Definition(definition) = &program[id] else { continue };
                let Definition::Class { name, .. } = program.definition(*definition) else {
                    continue;
                };
                if *name == class {
                    let text = format!("no manifest includes `{class}` by its name");
                    let at = program.span(id);
                    return match error.primary {
                        None => error.labelled(at, text),
                        Some(_) => error.related(at, text),
                    };
                }
            }
        }
        error
    }

    /// Adds the reason that a declaration was not evaluated. Returns the class that has to be in the
    /// catalog for it.
    fn reason(
        &self,
        error: Diagnostic,
        declaration: &Declaration<'_>,
    ) -> (Diagnostic, Option<ResourceRef>) {
        let program = declaration.program;
        let mut each = None;
        for around in &declaration.around {
            let (at, evaluation) = match *around {
                Around::Definition(id) => (program.span(id), self.definition(program, id)),
                Around::Branch(test, number) => {
                    (program.span(test), self.branch(declaration, test, number))
                }
            };
            match evaluation {
                Evaluation::Done => {}
                Evaluation::Each(text) => each = Some((at, text)),
                Evaluation::Missing(text, class) => return (error.related(at, text), class),
                Evaluation::Unknown => return (error, None),
            }
        }
        let error = match each {
            Some((at, text)) => error.related(at, text),
            None => error,
        };
        let text = match declaration.form {
            ResourceForm::Regular => return (error, None),
            ResourceForm::Virtual => "it is virtual, and nothing realizes it",
            ResourceForm::Exported => "it is exported for other nodes, and not collected here",
        };
        (error.help(text), None)
    }

    /// Whether the compile evaluated a definition.
    fn definition(&self, program: &Program, id: ExprId) -> Evaluation {
        let Expr::Definition(definition) = &program[id] else { return Evaluation::Unknown };
        match program.definition(*definition) {
            Definition::Class { name, .. } => {
                let title = class_title(name);
                if self.has("Class", Some(&title)) {
                    return Evaluation::Done;
                }
                let text = format!("the catalog does not have class `{name}`");
                Evaluation::Missing(text, Some(ResourceRef { kind: "Class".into(), title }))
            }
            Definition::Define { name, .. } => {
                let kind = capitalize_segments(name);
                match self.has(&kind, None) {
                    true => Evaluation::Each(format!("each {kind} evaluates this")),
                    false => Evaluation::Missing(format!("the catalog has no {kind}"), None),
                }
            }
            Definition::Node { matches, .. } => {
                match self.may_match(program, program.list(*matches)) {
                    true => Evaluation::Done,
                    false => {
                        let node = self.compile.node;
                        Evaluation::Missing(format!("not the definition of {node}"), None)
                    }
                }
            }
            _ => Evaluation::Unknown,
        }
    }

    /// Whether the compile took a branch.
    fn branch(&self, declaration: &Declaration<'_>, test: ExprId, number: u32) -> Evaluation {
        let program = declaration.program;
        let (path, start) = (absolute(declaration.path), program.range(test).start);
        let taken = self.compile.taken.iter();
        let taken: Vec<u32> =
            taken.filter(|(of, at, _)| *at == start && *of == path).map(|taken| taken.2).collect();
        if taken.contains(&number) {
            return Evaluation::Done;
        }
        let is_case = program.exprs.iter().any(
            |(_, expr)| matches!(expr, Expr::Case(of, _) | Expr::Selector(of, _) if *of == test),
        );
        let is_unless = program
            .exprs
            .iter()
            .any(|(_, expr)| matches!(expr, Expr::Unless(of, ..) if *of == test));
        let text = match (is_case, (number == 0) != is_unless) {
            _ if taken.is_empty() => "this was not evaluated",
            (true, _) => "this has a value of another option",
            (false, true) => "this is false",
            (false, false) => "this is true",
        };
        Evaluation::Missing(text.to_owned(), None)
    }

    /// Whether the names of a node definition may be those of the node.
    fn may_match(&self, program: &Program, names: &[ExprId]) -> bool {
        names.iter().any(|name| match &program[*name] {
            Expr::Str(text) | Expr::Name(text) => text.eq_ignore_ascii_case(self.compile.node),
            _ => true,
        })
    }

    /// The expressions that would declare a resource, those with its very title first.
    fn declarations(&self, name: &ResourceRef) -> Vec<Declaration<'_>> {
        let mut found = Vec::new();
        for (path, program) in &self.programs {
            // Each step has the number of the code around it, in a tree of all.
            let mut tree: Vec<(Option<usize>, Around)> = Vec::new();
            let mut steps = vec![(Node::Expr(program.body), None)];
            let mut below = Vec::new();
            while let Some((node, around)) = steps.pop() {
                below.clear();
                children(program, node, &mut below);
                let Node::Expr(id) = node else {
                    steps.extend(below.drain(..).rev().map(|node| (node, around)));
                    continue;
                };
                if let Some((is_similar, form)) = declares(program, id, name) {
                    let mut outer = Vec::new();
                    let mut at = around;
                    while let Some(number) = at {
                        let (parent, around) = tree[number];
                        outer.push(around);
                        at = parent;
                    }
                    outer.reverse();
                    found.push(Declaration {
                        path,
                        program,
                        at: id,
                        is_similar,
                        form,
                        around: outer,
                    });
                }
                for node in below.drain(..).rev() {
                    let inner = around_child(program, id, &node);
                    let around = inner.map_or(around, |inner| {
                        tree.push((around, inner));
                        Some(tree.len() - 1)
                    });
                    steps.push((node, around));
                }
            }
        }
        found.sort_by_key(|declaration| declaration.is_similar);
        found
    }
}

/// The definition or branch that a part of an expression is in.
fn around_child(program: &Program, id: ExprId, part: &Node) -> Option<Around> {
    match (&program[id], part) {
        (Expr::Definition(_), _) => Some(Around::Definition(id)),
        (Expr::If(test, then, _) | Expr::Unless(test, then, _), Node::Expr(part))
            if part == then =>
        {
            Some(Around::Branch(*test, 0))
        }
        (Expr::If(test, _, other) | Expr::Unless(test, _, other), Node::Expr(part))
            if part == other =>
        {
            Some(Around::Branch(*test, 1))
        }
        (Expr::Case(test, _), Node::CaseOption(number, _))
        | (Expr::Selector(test, _), Node::SelectorEntry(number, _)) => {
            Some(Around::Branch(*test, *number as u32))
        }
        _ => None,
    }
}

/// Whether an expression declares a resource: whether only the fixed parts of its title are equal,
/// and its form.
fn declares(program: &Program, id: ExprId, name: &ResourceRef) -> Option<(bool, ResourceForm)> {
    let is_class = name.kind == "Class";
    match &program[id] {
        Expr::Resource { form, kind, bodies } => {
            let (Expr::Name(kind) | Expr::Str(kind)) = &program[*kind] else { return None };
            if capitalize_segments(kind) != name.kind {
                return None;
            }
            let of_body = |body: &ResourceBody| title(program, body.title, name);
            let similar = program.bodies(*bodies).iter().filter_map(of_body).min()?;
            Some((similar, *form))
        }
        Expr::Call(call) if is_class => {
            let call = program.call(*call);
            let Expr::Name(callee) = &program[call.callee] else { return None };
            let mut args = program.list(call.args).iter();
            let found = INCLUDING.contains(&callee.as_str())
                && args.any(|arg| title(program, *arg, name) == Some(false));
            found.then_some((false, ResourceForm::Regular))
        }
        Expr::Definition(definition) if is_class => match program.definition(*definition) {
            Definition::Class { parent: Some(parent), .. } => {
                (class_title(parent) == name.title).then_some((false, ResourceForm::Regular))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a title, or one in a list, is that of a resource: false if it is, true if its fixed parts
/// are.
fn title(program: &Program, id: ExprId, name: &ResourceRef) -> Option<bool> {
    let is_class = name.kind == "Class";
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) => {
            let is_equal = match is_class {
                true => class_title(text) == name.title,
                false => *text == name.title,
            };
            is_equal.then_some(false)
        }
        Expr::List(items) => {
            program.list(*items).iter().filter_map(|item| title(program, *item, name)).min()
        }
        Expr::Paren(inner) => title(program, *inner, name),
        Expr::Concat(parts) => {
            let parts = program.list(*parts).iter().map(|part| match &program[*part] {
                Expr::Str(text) => Some(text),
                _ => None,
            });
            fits(&parts.collect::<Vec<_>>(), &name.title).then_some(true)
        }
        _ => None,
    }
}

/// Whether a text has the fixed parts in their order, with anything in place of the others. It has to
/// begin with a fixed part, or half of its letters have to be fixed: an extension alone would fit too
/// much.
fn fits(parts: &[Option<&EcoString>], text: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let fixed: usize = parts.iter().flatten().map(|part| letters(part)).sum();
    let has_beginning = matches!(parts.first(), Some(Some(first)) if letters(first) > 0);
    if !has_beginning && 2 * fixed < letters(text) {
        return false;
    }
    let mut rest = text;
    for (at, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        let follows = at > 0 && parts[at - 1].is_none();
        let is_last = at + 1 == parts.len();
        let found = match (follows, is_last) {
            (_, true) => rest.ends_with(part.as_str()).then_some(rest.len()),
            (true, false) => rest.find(part.as_str()).map(|start| start + part.len()),
            (false, false) => rest.starts_with(part.as_str()).then_some(part.len()),
        };
        let Some(end) = found else { return false };
        rest = &rest[end..];
    }
    true
}
