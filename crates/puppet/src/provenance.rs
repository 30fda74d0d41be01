//! The origins of the variables and lookups in an expression, so that `explain` does not end at the
//! line that has them.
//!
//! A compile records where each attribute was written, but not which variables were read there.
//! This module finds them in the syntax tree: the expression at the place of an attribute, the
//! variables in it, and for each of them its parameter or assignment. The graph knows the origin of
//! a parameter in turn, and where the calls of `lookup` found their values.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::explain::{Cause, Explainer};
use ordain_graph::{Graph, LookupCall, Origin, OriginId, ResourceRef, Step};
use ordain_source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

use crate::syntax::{self, Call, Definition, Expr, ExprId, Program};
use crate::validation::walk::{Node, children};

/// The maximal number of variables between the attribute and an origin.
const DEPTH: usize = 12;

/// The maximal number of variables in an explanation.
const MOST: usize = 100;

/// The syntax trees of a graph's sources, each parsed when it is needed.
pub struct Provenance<'a> {
    graph: &'a Graph,
    sources: &'a SourceMap,
    /// The calls that looked up data, by their place.
    lookups: FxHashMap<Span, Vec<&'a LookupCall>>,
    programs: RefCell<BTreeMap<FileId, Rc<Program>>>,
    /// The expressions that are being followed, to stop at cycles, and the number of explained
    /// variables.
    open: RefCell<(Vec<(FileId, ExprId)>, usize)>,
}

/// The surroundings of an expression, outermost first.
type Path = Vec<Enclosing>;

/// A construct with variables of its own.
#[derive(Clone, Copy)]
enum Enclosing {
    Definition(ExprId),
    /// A lambda, and the call with this lambda.
    Lambda(ExprId, Option<ExprId>),
}

/// A place in a program, with the resource whose body was evaluated there.
struct EvaluatedPlace<'p> {
    program: &'p Program,
    path: Path,
    /// The class or the instance of a define.
    instance: Option<ResourceRef>,
    /// The origin that is being explained, which is not repeated.
    known: OriginId,
}

impl<'a> Provenance<'a> {
    /// The provenance of a graph with these sources.
    pub fn new(graph: &'a Graph, sources: &'a SourceMap) -> Self {
        let mut lookups: FxHashMap<Span, Vec<&LookupCall>> = FxHashMap::default();
        for call in &graph.lookups {
            lookups.entry(call.span).or_default().push(call);
        }
        Self { graph, sources, lookups, programs: RefCell::default(), open: RefCell::default() }
    }

    /// The variables and data that were read at the place of a value, with their origins.
    pub fn variables(&self, explainer: &Explainer<'_>, origin: OriginId) -> Vec<Cause> {
        let found = self.graph.origins.get(origin);
        let is_written = matches!(
            found.step,
            Step::Declaration
                | Step::TypeDefault
                | Step::Override
                | Step::CollectorOverride
                | Step::ParameterDefault
        );
        let Some(span) = found.span.filter(|_| is_written) else { return Vec::new() };
        let Some(program) = self.program(span.file) else { return Vec::new() };
        let Some((value, path)) = expression_at(&program, span) else { return Vec::new() };
        let scene = EvaluatedPlace {
            program: &program,
            path,
            instance: self.instance(origin),
            known: origin,
        };
        self.of_expression(explainer, &scene, value)
    }

    /// The tree of a manifest; `None` for files of other languages.
    fn program(&self, file: FileId) -> Option<Rc<Program>> {
        if let Some(program) = self.programs.borrow().get(&file) {
            return Some(Rc::clone(program));
        }
        let source = self.sources.file(file);
        if source.has_path() && source.path.extension().is_none_or(|ending| ending != "pp") {
            return None;
        }
        let program = Rc::new(syntax::parse(file, source.text.clone()).program);
        self.programs.borrow_mut().insert(file, Rc::clone(&program));
        Some(program)
    }

    /// The class or define that an origin is in.
    fn instance(&self, origin: OriginId) -> Option<ResourceRef> {
        self.graph.origins.chain(origin).find_map(|origin| match &origin.step {
            Step::Class(name) => Some(class_reference(name)),
            Step::Define(name) => {
                let (kind, title) = name.strip_suffix(']')?.split_once('[')?;
                Some(ResourceRef { kind: kind.into(), title: title.into() })
            }
            _ => None,
        })
    }

    /// The explanations of the variables and lookups of an expression, each once.
    fn of_expression(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        root: ExprId,
    ) -> Vec<Cause> {
        {
            let mut open = self.open.borrow_mut();
            let here = (scene.program.file, root);
            if open.0.len() >= DEPTH || open.0.contains(&here) {
                return Vec::new();
            }
            open.0.push(here);
        }
        let mut causes = Vec::new();
        for (name, shown) in variables_of(scene.program, root) {
            let count = {
                let mut open = self.open.borrow_mut();
                open.1 += 1;
                open.1
            };
            if count > MOST {
                break;
            }
            causes.push(self.of_variable(explainer, scene, &name, &shown));
        }
        for call in calls_of(scene.program, root) {
            causes.extend(self.of_lookup(explainer, scene, call));
        }
        self.open.borrow_mut().0.pop();
        causes
    }

    /// Where a call of a function that looks up data found its value. In a block that runs several
    /// times, the call has several values.
    fn of_lookup(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        call: Span,
    ) -> Vec<Cause> {
        let within = scene.instance.as_ref().and_then(|instance| self.graph.find(instance));
        let calls = self.lookups.get(&call).into_iter().flatten();
        let calls = calls.filter(|lookup| within.is_none() || lookup.within == within);
        let mut seen = BTreeSet::new();
        let mut causes: Vec<Cause> = Vec::new();
        for lookup in calls {
            let found = lookup.data.iter().filter(|data| {
                seen.len() < MOST && seen.insert((&data.key, Some((&data.file, data.line))))
            });
            causes.extend(found.map(|data| {
                let step = Step::Data(Arc::clone(data));
                explainer.step(&Origin { step, span: None, parent: None })
            }));
            let default = lookup.default_of.as_ref();
            let default = default.filter(|key| seen.len() < MOST && seen.insert((key, None)));
            causes.extend(default.map(|key| Cause {
                words: format!("no data has `{key}`, so the default of the call is used"),
                step: "lookup-default",
                key: Some(key.clone()),
                ..Cause::default()
            }));
        }
        causes
    }

    fn of_variable(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        name: &str,
        shown: &str,
    ) -> Cause {
        let cause = Cause { step: "variable", name: Some(name.to_owned()), ..Cause::default() };
        let words = |text: String| Cause { words: format!("{shown} {text}"), ..cause.clone() };
        if let Some((class, variable)) = name.trim_start_matches("::").rsplit_once("::") {
            let class = class_reference(class);
            let found = self.parameter(explainer, scene, &class, variable, &cause, shown);
            return found.unwrap_or_else(|| words(format!("is a variable of {class}")));
        }
        let bare = name.trim_start_matches("::");
        if !name.starts_with("::")
            && let Some(found) = self.in_path(explainer, scene, bare, &cause, shown)
        {
            return found;
        }
        if let Some((at, from)) = self.at_top(explainer, scene, bare) {
            return Cause { from, ..words("is set at".into()).at(at, self.sources) };
        }
        words(match bare {
            _ if shown.starts_with("$facts[") => "is a fact of the node".into(),
            "facts" => "are the facts of the node".into(),
            "trusted" => "is what is trusted of the node".into(),
            "title" | "name" => match &scene.instance {
                Some(instance) => format!("is the title of {instance}"),
                None => "is a title".into(),
            },
            _ => "is a fact of the node, or set elsewhere".into(),
        })
    }

    /// A variable of one of the lambdas and definitions around an expression.
    fn in_path(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        name: &str,
        cause: &Cause,
        shown: &str,
    ) -> Option<Cause> {
        let words = |text: String| Cause { words: format!("{shown} {text}"), ..cause.clone() };
        (0..scene.path.len()).rev().find_map(|depth| match scene.path[depth] {
            Enclosing::Lambda(lambda, call) => {
                let outer = &scene.path[..depth];
                self.in_lambda(explainer, scene, outer, (lambda, call), name, &words)
            }
            Enclosing::Definition(definition) => {
                self.in_definition(explainer, scene, definition, name, cause, shown)
            }
        })
    }

    /// A parameter of a class or define, with the origin of its value.
    fn parameter(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        owner: &ResourceRef,
        name: &str,
        cause: &Cause,
        shown: &str,
    ) -> Option<Cause> {
        let resource = self.graph.resource(self.graph.find(owner)?);
        let attribute = resource.attribute(name)?;
        Some(Cause {
            words: format!("{shown} is a parameter of {owner}"),
            value: Some(attribute.value.clone()),
            from: explainer.causes(attribute.origin, Some(scene.known)),
            ..cause.clone()
        })
    }

    fn in_lambda(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        outer: &[Enclosing],
        (lambda, call): (ExprId, Option<ExprId>),
        name: &str,
        words: &dyn Fn(String) -> Cause,
    ) -> Option<Cause> {
        let program = scene.program;
        let Expr::Lambda(id) = program[lambda] else { return None };
        let inner = program.lambda(id);
        let Some(param) = program.params(inner.params).iter().find(|p| p.name == name) else {
            let path = outer.iter().copied().chain([Enclosing::Lambda(lambda, call)]).collect();
            let (at, from) = self.assignment(explainer, scene, path, inner.body, name)?;
            return Some(Cause { from, ..words("is set at".into()).at(at, self.sources) });
        };
        let place = param.range.in_file(program.file);
        let cause = words("is given to the block at".into()).at(place, self.sources);
        let call: Option<&Call> = call.and_then(|id| match program[id] {
            Expr::Call(call) => Some(program.call(call)),
            _ => None,
        });
        let around = EvaluatedPlace {
            program,
            path: outer.to_vec(),
            instance: scene.instance.clone(),
            known: scene.known,
        };
        let args = call.map_or(&[][..], |call| program.list(call.args));
        let from = args.iter().flat_map(|arg| self.of_expression(explainer, &around, *arg));
        Some(Cause { from: from.collect(), ..cause })
    }

    fn in_definition(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        definition: ExprId,
        name: &str,
        cause: &Cause,
        shown: &str,
    ) -> Option<Cause> {
        let program = scene.program;
        let Expr::Definition(id) = program[definition] else { return None };
        let path = vec![Enclosing::Definition(definition)];
        let (body, parent, owner) = match program.definition(id) {
            Definition::Class { name, body, parent, .. } => {
                (*body, parent.clone(), Some(class_reference(name)))
            }
            Definition::Define { body, .. } => (*body, None, scene.instance.clone()),
            Definition::Function { params, .. } => {
                let param = program.params(*params).iter().find(|param| param.name == name)?;
                let words = format!("{shown} is given to the function at");
                let place = param.range.in_file(program.file);
                return Some(Cause { words, ..cause.clone() }.at(place, self.sources));
            }
            Definition::Node { body, .. } => (*body, None, None),
            _ => return None,
        };
        let owner_parameter =
            |owner: &ResourceRef| self.parameter(explainer, scene, owner, name, cause, shown);
        if let Some(found) = owner.as_ref().and_then(owner_parameter) {
            return Some(found);
        }
        if let Some((at, from)) = self.assignment(explainer, scene, path, body, name) {
            let words = format!("{shown} is set at");
            return Some(Cause { words, from, ..cause.clone() }.at(at, self.sources));
        }
        parent.as_deref().map(class_reference).as_ref().and_then(owner_parameter)
    }

    /// The assignment of a variable at the top of this manifest, or of another that declares
    /// something.
    fn at_top(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        name: &str,
    ) -> Option<(Span, Vec<Cause>)> {
        let spans = self.graph.origins.iter().filter_map(|origin| origin.span);
        let others: BTreeSet<FileId> = spans.map(|span| span.file).collect();
        let here = scene.program.file;
        let mut files = std::iter::once(here).chain(others.into_iter().filter(|f| *f != here));
        files.find_map(|file| {
            let program = self.program(file)?;
            let scene = EvaluatedPlace {
                program: &program,
                path: Vec::new(),
                instance: None,
                known: scene.known,
            };
            self.assignment(explainer, &scene, Vec::new(), program.body, name)
        })
    }

    /// The assignment of a variable below an expression, outside of constructs with variables of
    /// their own.
    fn assignment(
        &self,
        explainer: &Explainer<'_>,
        scene: &EvaluatedPlace<'_>,
        path: Path,
        body: ExprId,
        name: &str,
    ) -> Option<(Span, Vec<Cause>)> {
        let program = scene.program;
        let mut rest = vec![Node::Expr(body)];
        let mut below = Vec::new();
        while let Some(node) = rest.pop() {
            if let Node::Expr(id) = node {
                match &program[id] {
                    Expr::Assign { left, right, .. } if sets(program, *left, name) => {
                        let (instance, known) = (scene.instance.clone(), scene.known);
                        let scene = EvaluatedPlace { program, path, instance, known };
                        let from = self.of_expression(explainer, &scene, *right);
                        return Some((program.span(*left), from));
                    }
                    Expr::Lambda(_) | Expr::Definition(_) if id != body => continue,
                    _ => {}
                }
            }
            below.clear();
            children(program, node, &mut below);
            rest.extend(below.drain(..).rev());
        }
        None
    }
}

/// `apache::mod` as the graph names it.
fn class_reference(name: &str) -> ResourceRef {
    let capital = |segment: &str| {
        let mut chars = segment.chars();
        chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
    };
    let segments = name.trim_start_matches("::").split("::").map(capital);
    let title = segments.collect::<Vec<String>>().join("::");
    ResourceRef { kind: "Class".into(), title: title.into() }
}

/// Whether the left side of an assignment sets this variable.
fn sets(program: &Program, left: ExprId, name: &str) -> bool {
    match &program[left] {
        Expr::Var(found) => found == name,
        Expr::List(items) => program.list(*items).iter().any(|item| sets(program, *item, name)),
        _ => false,
    }
}

/// The calls of functions that look up data, in order.
fn calls_of(program: &Program, root: ExprId) -> Vec<Span> {
    const NAMES: [&str; 5] = ["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include"];
    let mut found = Vec::new();
    let mut rest = vec![Node::Expr(root)];
    let mut below = Vec::new();
    while let Some(node) = rest.pop() {
        if let Node::Expr(id) = node
            && let Expr::Call(call) = program[id]
            && let Expr::Name(name) = &program[program.call(call).callee]
            && NAMES.contains(&name.trim_start_matches("::"))
        {
            found.push(program.span(id));
        }
        below.clear();
        children(program, node, &mut below);
        rest.extend(below.drain(..).rev());
    }
    found
}

/// The value of the attribute, or the default of the parameter, at a place.
fn expression_at(program: &Program, span: Span) -> Option<(ExprId, Path)> {
    let mut path = Path::new();
    let mut rest = vec![(Some(Node::Expr(program.body)), None)];
    let mut below = Vec::new();
    while let Some((node, call)) = rest.pop() {
        let Some(node) = node else {
            path.pop();
            continue;
        };
        let found = match node {
            Node::Attribute(i, list) => {
                let attribute = &program.attributes(list)[i];
                (attribute.range == span.range).then_some(attribute.value)
            }
            Node::Param(i, list) => {
                let param = &program.params(list)[i];
                param.default.filter(|default| program.range(*default) == span.range)
            }
            _ => None,
        };
        if let Some(value) = found {
            return Some((value, path));
        }
        let mut given_to = None;
        if let Node::Expr(id) = node {
            let around = match program[id] {
                Expr::Definition(_) => Some(Enclosing::Definition(id)),
                Expr::Lambda(_) => Some(Enclosing::Lambda(id, call)),
                Expr::Call(_) => {
                    given_to = Some(id);
                    None
                }
                _ => None,
            };
            if let Some(around) = around {
                path.push(around);
                rest.push((None, None));
            }
        }
        below.clear();
        children(program, node, &mut below);
        rest.extend(below.drain(..).rev().map(|node| (Some(node), given_to)));
    }
    None
}

/// The variables that an expression reads, each once, in order, in the form `$facts['os']` with
/// literal keys. Variables of its own lambdas are excluded.
fn variables_of(program: &Program, root: ExprId) -> Vec<(EcoString, String)> {
    let mut found: Vec<(EcoString, String)> = Vec::new();
    let mut declared: Vec<EcoString> = Vec::new();
    let mut rest = vec![Node::Expr(root)];
    let mut below = Vec::new();
    while let Some(node) = rest.pop() {
        if let Node::Expr(id) = node {
            let read = match &program[id] {
                Expr::Var(name) => Some((name.clone(), format!("${name}"))),
                Expr::Access(list) => fact(program, program.list(*list)),
                Expr::Lambda(lambda) => {
                    let params = program.params(program.lambda(*lambda).params);
                    declared.extend(params.iter().map(|param| param.name.clone()));
                    None
                }
                _ => None,
            };
            if let Some((name, shown)) = read {
                let is_match = name.starts_with(|c: char| c.is_ascii_digit());
                if !is_match && !found.iter().any(|(_, known)| *known == shown) {
                    found.push((name, shown));
                }
                continue;
            }
        }
        below.clear();
        children(program, node, &mut below);
        rest.extend(below.drain(..).rev());
    }
    found.retain(|(name, _)| !declared.contains(name));
    found
}

/// `$facts['os']` as it is written, if the keys are literals.
fn fact(program: &Program, parts: &[ExprId]) -> Option<(EcoString, String)> {
    let (first, keys) = parts.split_first()?;
    let (name, mut shown) = match &program[*first] {
        Expr::Var(name) if matches!(name.as_str(), "facts" | "trusted") => {
            (name.clone(), format!("${name}"))
        }
        Expr::Access(list) => fact(program, program.list(*list))?,
        _ => return None,
    };
    for key in keys {
        match &program[*key] {
            Expr::Str(text) | Expr::Name(text) => shown += &format!("['{text}']"),
            _ => return None,
        }
    }
    Some((name, shown))
}
