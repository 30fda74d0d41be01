//! Bodies that certainly fail or stop: a resource that is declared twice on one path, and code after
//! a call that ends its body.

use ecow::EcoString;
use ordain_source::{Diagnostic, TextRange};
use ordain_syntax::ListRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::relations::normal;
use super::types::{text, texts};
use crate::check::repository::pass::Pass;
use ordain_puppet::syntax::names::capitalize_segments;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::{bare, plain};
use ordain_puppet::validation::walk::{Node, children};

const DUPLICATE_RESOURCE: &str = "puppet::duplicate-resource";
const DEPENDENCY_CYCLE: &str = "puppet::dependency-cycle";
const UNREACHABLE_CODE: &str = "puppet::unreachable-code";

/// Functions that end the body in which they are called.
const ENDING: [&str; 4] = ["fail", "return", "next", "break"];

/// Functions that declare classes which may be declared already.
const INCLUDING: [&str; 3] = ["include", "require", "contain"];

/// A resource by type and title.
type Resource = (EcoString, EcoString);

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let mut walk = Walk {
        program: pass.program,
        declared: FxHashMap::default(),
        order: Vec::new(),
        order_of: Order::default(),
        branches: 0,
        tested: 0,
        found: Vec::new(),
    };
    walk.visit(Node::Expr(pass.program.body));
    walk.circle();
    let found = walk.found;
    pass.found.extend(found);
}

struct Walk<'p> {
    program: &'p Program,
    /// The resources that are declared on every path to the current place.
    declared: FxHashMap<Resource, TextRange>,
    /// Their order, so that those of a branch can be forgotten.
    order: Vec<Resource>,
    /// The relations that code on every path makes.
    order_of: Order,
    /// The number of branches around the current place.
    branches: usize,
    /// The number of conditions around the current place that test whether something is defined.
    tested: usize,
    found: Vec<Diagnostic>,
}

impl Walk<'_> {
    fn visit(&mut self, node: Node) {
        let program = self.program;
        let Node::Expr(id) = node else { return self.below(node) };
        match &program[id] {
            Expr::Definition(_) => {
                let (declared, order) =
                    (std::mem::take(&mut self.declared), std::mem::take(&mut self.order));
                let around = std::mem::take(&mut self.order_of);
                let branches = std::mem::take(&mut self.branches);
                self.below(node);
                self.circle();
                (self.declared, self.order) = (declared, order);
                (self.order_of, self.branches) = (around, branches);
            }
            Expr::Lambda(_) => {
                let count = self.order.len();
                self.branches += 1;
                self.below(node);
                self.branches -= 1;
                self.forget(count);
            }
            Expr::Block(list) => {
                self.unreachable(program.list(*list));
                self.below(node);
            }
            Expr::And(left, right) | Expr::Or(left, right) => {
                self.visit(Node::Expr(*left));
                self.branch(Node::Expr(*right));
            }
            Expr::If(condition, then, other) | Expr::Unless(condition, then, other) => {
                self.visit(Node::Expr(*condition));
                let asks = asks_for_definitions(program, *condition);
                self.tested += usize::from(asks);
                [*then, *other].into_iter().for_each(|part| self.branch(Node::Expr(part)));
                self.tested -= usize::from(asks);
            }
            Expr::Case(control, options) => {
                self.visit(Node::Expr(*control));
                (0..options.len()).for_each(|i| self.branch(Node::CaseOption(i, *options)));
            }
            Expr::Selector(control, options) => {
                self.visit(Node::Expr(*control));
                (0..options.len()).for_each(|i| self.branch(Node::SelectorEntry(i, *options)));
            }
            Expr::Resource { kind, bodies, .. } => {
                self.resource(*kind, *bodies);
                self.metaparameters(id, *bodies);
                self.below(node);
            }
            Expr::Relation { arrow, left, right } => {
                let is_reversed = matches!(arrow, Arrow::After | Arrow::Subscribe);
                let (first, second) = if is_reversed { (*right, *left) } else { (*left, *right) };
                self.relate(first, second, program.range(*right));
                self.below(node);
            }
            Expr::Call(call) => {
                self.included(program.call(*call));
                self.below(node);
            }
            _ => self.below(node),
        }
    }

    fn below(&mut self, node: Node) {
        let mut nodes = Vec::new();
        children(self.program, node, &mut nodes);
        nodes.into_iter().for_each(|node| self.visit(node));
    }

    /// Code that may run or not; nothing after it can rely on its declarations.
    fn branch(&mut self, node: Node) {
        let count = self.order.len();
        self.branches += 1;
        self.visit(node);
        self.branches -= 1;
        self.forget(count);
    }

    /// Forgets the resources that were declared after the first `count`.
    fn forget(&mut self, count: usize) {
        for resource in self.order.drain(count..) {
            self.declared.remove(&resource);
        }
    }

    fn resource(&mut self, kind: ExprId, bodies: ListRef<ResourceBody>) {
        let (Expr::Name(name) | Expr::Str(name)) = &self.program[kind] else { return };
        let kind = plain(name);
        for body in self.program.bodies(bodies) {
            for (title, at) in texts(self.program, body.title) {
                self.declare(&kind, title, self.program.range(at));
            }
        }
    }

    fn declare(&mut self, kind: &EcoString, title: &str, at: TextRange) {
        let is_class = kind == "class";
        let name = if is_class { plain(title) } else { normal(kind, title) };
        let resource = (kind.clone(), name);
        let Some(&first) = self.declared.get(&resource) else {
            self.order.push(resource.clone());
            self.declared.insert(resource, at);
            return;
        };
        if self.tested > 0 {
            return;
        }
        let message = match is_class {
            true => format!("The class `{title}` is declared already"),
            false => format!("The resource `{kind}` '{title}' is declared already"),
        };
        let file = self.program.file;
        let found = Diagnostic::error(DUPLICATE_RESOURCE, message).at(at.in_file(file));
        self.found.push(found.related(first.in_file(file), "first declared here"));
    }

    /// Records the relations in the attributes of resources.
    fn metaparameters(&mut self, id: ExprId, bodies: ListRef<ResourceBody>) {
        let program = self.program;
        if program.bodies(bodies).len() != 1 {
            return;
        }
        for body in program.bodies(bodies) {
            for attribute in program.attributes(body.attributes) {
                match attribute.name.as_str() {
                    "require" | "subscribe" => {
                        self.relate(attribute.value, id, program.range(attribute.value));
                    }
                    "before" | "notify" => {
                        self.relate(id, attribute.value, program.range(attribute.value));
                    }
                    _ => {}
                }
            }
        }
    }

    fn relate(&mut self, first: ExprId, second: ExprId, at: TextRange) {
        if self.branches > 0 {
            return;
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        resources_of(self.program, first, &mut before);
        resources_of(self.program, second, &mut after);
        for first in &before {
            for second in &after {
                self.order_of.add(first.clone(), second.clone(), at);
            }
        }
    }

    /// Reports a circle of the relations of a body.
    fn circle(&mut self) {
        let Some((circle, at)) = self.order_of.cycle() else { return };
        let shown = |(kind, title): &Resource| format!("{}['{title}']", capitalize_segments(kind));
        let mut names: Vec<String> = circle.iter().map(shown).collect();
        names.extend(names.first().cloned());
        let message = format!("The relations lead in a circle: {}", names.join(" -> "));
        let at = at.in_file(self.program.file);
        self.found.push(Diagnostic::error(DEPENDENCY_CYCLE, message).at(at));
    }

    /// Records classes that a call includes. A class may be included again.
    fn included(&mut self, call: &Call) {
        let Expr::Name(name) = &self.program[call.callee] else { return };
        if !INCLUDING.contains(&bare(name)) {
            return;
        }
        for &arg in self.program.list(call.args) {
            for (class, at) in texts(self.program, arg) {
                let resource = (EcoString::from("class"), plain(class));
                if !self.declared.contains_key(&resource) {
                    self.order.push(resource.clone());
                    self.declared.insert(resource, self.program.range(at));
                }
            }
        }
    }

    /// Reports the first statement after one that ends the body.
    fn unreachable(&mut self, statements: &[ExprId]) {
        let program = self.program;
        let ending = statements.iter().position(|&id| ending(program, id).is_some());
        let Some(end) = ending else { return };
        let rest = statements.get(end + 1..).unwrap_or_default();
        let next = rest.iter().find(|&&id| !matches!(program[id], Expr::Definition(_)));
        let (Some(&next), Some(name)) = (next, ending_name(program, statements, end)) else {
            return;
        };
        let message = format!("This never runs, since `{name}` ends the code before it");
        let found = Diagnostic::warning(UNREACHABLE_CODE, message).at(program.span(next));
        self.found.push(found.related(program.span(statements[end]), "the code ends here"));
    }
}

fn ending_name<'p>(program: &'p Program, statements: &[ExprId], at: usize) -> Option<&'p str> {
    ending(program, *statements.get(at)?)
}

/// The function that a statement calls, if it ends the body.
fn ending(program: &Program, id: ExprId) -> Option<&str> {
    let Expr::Call(call) = &program[id] else { return None };
    let Expr::Name(name) = &program[program.call(*call).callee] else { return None };
    ENDING.contains(&bare(name)).then(|| bare(name))
}

/// Whether a condition tests whether something is defined, so that its branches may declare it.
fn asks_for_definitions(program: &Program, condition: ExprId) -> bool {
    let mut rest = vec![Node::Expr(condition)];
    let mut below = Vec::new();
    while let Some(node) = rest.pop() {
        if let Node::Expr(id) = node
            && let Expr::Call(call) = &program[id]
            && let Expr::Name(name) = &program[program.call(*call).callee]
            && matches!(bare(name), "defined" | "defined_with_params" | "tagged")
        {
            return true;
        }
        below.clear();
        children(program, node, &mut below);
        rest.append(&mut below);
    }
    false
}

/// Relations between literal resources of one text, which must not lead back to where they start.
#[derive(Default)]
struct Order {
    /// For each resource those that come after it, with the place of the relation.
    after: FxHashMap<Resource, Vec<(Resource, TextRange)>>,
    /// The resources in the order of the text.
    all: Vec<Resource>,
}

impl Order {
    /// Adds that a resource comes before another one.
    fn add(&mut self, first: Resource, second: Resource, at: TextRange) {
        let after = self.after.entry(first.clone()).or_insert_with(|| {
            self.all.push(first);
            Vec::new()
        });
        after.push((second, at));
    }

    /// A circle of relations: its resources, and the place of the relation that closes it. Only
    /// one is searched, as its correction changes the others.
    fn cycle(&self) -> Option<(Vec<Resource>, TextRange)> {
        let mut done: FxHashSet<&Resource> = FxHashSet::default();
        for start in &self.all {
            if done.contains(start) {
                continue;
            }
            // The resources from the start to the current one, each with its next relation.
            let mut path: Vec<(&Resource, usize)> = vec![(start, 0)];
            let mut open: FxHashSet<&Resource> = FxHashSet::from_iter([start]);
            while let Some((resource, next)) = path.last_mut() {
                let Some((other, at)) = self.after.get(*resource).and_then(|all| all.get(*next))
                else {
                    open.remove(*resource);
                    done.insert(*resource);
                    path.pop();
                    continue;
                };
                *next += 1;
                if open.contains(other) {
                    let from = path.iter().position(|(resource, _)| *resource == other);
                    let circle = path[from.unwrap_or(0)..].iter().map(|(r, _)| (*r).clone());
                    return Some((circle.collect(), *at));
                }
                if !done.contains(other) && self.after.contains_key(other) {
                    path.push((other, 0));
                    open.insert(other);
                }
            }
        }
        None
    }
}

/// The literal resources of an expression: references, and resources that are declared in place.
fn resources_of(program: &Program, id: ExprId, out: &mut Vec<Resource>) {
    match &program[id] {
        Expr::List(items) => {
            program.list(*items).iter().for_each(|&item| resources_of(program, item, out));
        }
        Expr::Access(parts) => {
            let [kind, titles @ ..] = program.list(*parts) else { return };
            let Expr::Ref(kind) = &program[*kind] else { return };
            let kind = plain(kind);
            for title in titles.iter().flat_map(|&title| texts(program, title)) {
                let name = if kind == "class" { plain(title.0) } else { normal(&kind, title.0) };
                out.push((kind.clone(), name));
            }
        }
        // The value of a relation is its right operand.
        Expr::Relation { right, .. } => resources_of(program, *right, out),
        Expr::Resource { kind, bodies, .. } => {
            let Some(kind) = text(program, *kind).map(|kind| plain(kind)) else { return };
            for body in program.bodies(*bodies) {
                let titles = texts(program, body.title);
                out.extend(titles.iter().map(|(title, _)| (kind.clone(), normal(&kind, title))));
            }
        }
        _ => {}
    }
}
